"""A report states how far its tree is from the best one, if asked."""

import numpy as np
import pytest

import bough
from bough.errors import ParameterError


def greedy_tree():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3)).round(1)
    y = (X[:, 0] > 0) ^ (X[:, 1] > 0.3)
    return bough.TreeClassifier(max_depth=2).fit(X, y), X, y


def stated(page):
    return dict(map(tuple, page.facts["making"])).get("Optimality")


def test_the_gap_is_that_of_optimality():
    model, X, y = greedy_tree()
    found = bough.optimality(model, X, y)
    assert found.gap > 0
    page = bough.report(model, X, y, n_draws=0, cv=0, optimality=60)
    assert stated(page).endswith(f"gap {found.gap:.3g}")
    assert f"gap {found.gap:.3g}" in page.html
    assert stated(bough.report(model, X, y, n_draws=0, cv=0)) is None


@pytest.mark.parametrize("seconds", [0, -1, "long", np.nan])
def test_a_time_is_a_positive_number(seconds):
    model, X, y = greedy_tree()
    with pytest.raises(ParameterError, match="optimality"):
        bough.report(model, X, y, optimality=seconds)


def test_a_search_needs_rows():
    with pytest.raises(ParameterError, match=r"optimality: .* pass X and y"):
        bough.report(greedy_tree()[0], optimality=1)
