"""Bagging draws all that its members need."""

import numpy as np
import pytest

import bough


@pytest.mark.parametrize("learner", [bough.REPTreeRegressor(random_state=None), None])
def test_members_are_seeded_by_the_bagging(learner):
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(120, 3)), rng.normal(size=120)
    models = [bough.BaggingRegressor(learner, 3, random_state=5).fit(X, y).model_ for _ in range(2)]
    assert models[0] == models[1]
