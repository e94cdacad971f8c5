"""What all tests share: a property is not refuted by a slow machine, and is tried on the same examples each time.

BOUGH_EXPLORE=1 draws new examples at every run.
"""

import os

from hypothesis import HealthCheck, settings

settings.register_profile(
    "any speed",
    deadline=None,
    derandomize=not os.environ.get("BOUGH_EXPLORE"),
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("any speed")
