"""A tree does not depend on the number of threads: tables of more rows than one thread grows alone."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

from bough import CARTClassifier, CARTRegressor, TreeClassifier, TreeRegressor

N_ROWS = 24_000
"""Enough for a trunk, for parts that single threads grow, and for subtrees below them."""


def _table() -> tuple[pd.DataFrame, np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    rng = np.random.default_rng(5)
    table = pd.DataFrame({f"x{i}": rng.standard_normal(N_ROWS) for i in range(4)})
    table["few"] = rng.integers(0, 6, N_ROWS)
    table["level"] = pd.Categorical(rng.choice(list("abcdefg"), N_ROWS))
    table.loc[rng.random(N_ROWS) < 0.05, "x1"] = np.nan
    signal = table["x0"] + (table["level"].cat.codes % 3) + 0.5 * table["few"] * table["x2"]
    numbers = np.round((signal + rng.standard_normal(N_ROWS)).to_numpy(), 3)
    return table, numbers, (numbers > np.median(numbers)).astype(np.int64) + (numbers > 3)


CLASSES = {
    "gini": TreeClassifier(missing="majority"),
    "gain ratio, a branch for each level": TreeClassifier(
        "gain_ratio", nominal="complete", missing="own_level", min_samples_leaf=3
    ),
    "drawn columns": TreeClassifier(missing="majority", max_features=2, random_state=3),
    "surrogates and competitors": CARTClassifier(ccp_alpha=0.0, n_competitors=3, random_state=0),
}
NUMBERS = {
    "squared error": TreeRegressor(missing="majority"),
    "monotonic": TreeRegressor(missing="majority", monotonic_cst={"x0": 1}),
    "surrogates": CARTRegressor(ccp_alpha=0.0, random_state=0),
}


@pytest.mark.parametrize("name", [*CLASSES, *NUMBERS])
def test_the_tree_does_not_depend_on_threads(name: str) -> None:
    """One thread, and numbers of threads whose parts differ, grow equal trees."""
    table, numbers, labels = _table()
    if name == "monotonic":  # which allows no missing values
        table = table.drop(columns="x1")
    learner, y = (CLASSES[name], labels) if name in CLASSES else (NUMBERS[name], numbers)
    alone = learner.set_params(n_jobs=1).fit(table, y).tree_
    assert alone.n_leaves > 100
    for n_jobs in (2, 5):
        assert learner.set_params(n_jobs=n_jobs).fit(table, y).tree_ == alone
