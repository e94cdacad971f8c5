"""What all tests share: no property is refuted by a slow machine, and all are tried on the same examples.

BOUGH_EXPLORE=1 draws new examples and new numbers of learners without `random_state` at every run.
"""

import os

import numpy as np
import pytest
from hypothesis import HealthCheck, settings

EXPLORES = bool(os.environ.get("BOUGH_EXPLORE"))

settings.register_profile(
    "any speed",
    deadline=None,
    derandomize=not EXPLORES,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("any speed")


@pytest.fixture(autouse=True)
def _the_same_numbers_in_every_run():
    """Seed the numbers that learners draw from if they are given no `random_state`."""
    np.random.seed(None if EXPLORES else 0)  # noqa: NPY002 (scikit-learn draws from these numbers)
