"""What all tests share: no property is refuted by a slow machine, and all are tried on the same examples.

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
