"""Time of conditional inference trees on 10,000 rows, and how often columns without effect are chosen.

R's partykit is not run here; compare with `system.time(ctree(y ~ ., data))` on the table that --csv writes.
"""

from __future__ import annotations

import argparse
import time
import warnings

import numpy as np
import pandas as pd

import bough


def table(n_rows: int, n_columns: int, seed: int = 0) -> tuple[pd.DataFrame, np.ndarray]:
    """Half of the columns numeric, half nominal of 5 levels; a few of them matter."""
    rng = np.random.default_rng(seed)
    columns = {}
    for place in range(n_columns):
        codes = pd.Categorical.from_codes(rng.integers(0, 5, n_rows), list("abcde"))
        columns[f"x{place}"] = rng.normal(size=n_rows) if place % 2 == 0 else codes
    X = pd.DataFrame(columns)
    score = X["x0"] + X["x2"] * X["x4"] + (X["x1"] == "b") * X["x0"] + rng.normal(size=n_rows)
    return X, score.to_numpy()


def seconds(learner: object, X: pd.DataFrame, y: np.ndarray) -> tuple[float, int]:
    """Return the least time of three fits, and the number of leaves."""
    least = np.inf
    for _ in range(3):
        start = time.perf_counter()
        learner.fit(X, y)  # type: ignore[attr-defined]
        least = min(least, time.perf_counter() - start)
    return least, learner.tree_.n_leaves  # type: ignore[attr-defined]


def chosen(learner: object, n_tables: int) -> np.ndarray:
    """Return how often columns of 2, 4, 10, 20 and many values without effect are chosen."""
    counts = np.zeros(5)
    for seed in range(n_tables):
        rng = np.random.default_rng(seed)
        X = np.column_stack([*(rng.integers(0, k, 100) for k in (2, 4, 10, 20)), rng.normal(size=100)])
        tree = learner.fit(X, rng.integers(0, 2, 100)).tree_  # type: ignore[attr-defined]
        if tree.n_nodes > 1:
            counts[tree.column[0]] += 1
    return counts / counts.sum()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=10_000)
    parser.add_argument("--columns", type=int, default=10)
    parser.add_argument("--tables", type=int, default=1000)
    parser.add_argument("--csv", help="write the table of the timings here, for R")
    given = parser.parse_args()
    warnings.simplefilter("ignore", bough.errors.IdentifierWarning)
    X, score = table(given.rows, given.columns)
    if given.csv:
        X.assign(y=score).to_csv(given.csv, index=False)
    for name, learner, y in (
        ("numbers", bough.ConditionalTreeRegressor(), score),
        ("two classes", bough.ConditionalTreeClassifier(), score > 0),
        ("three classes", bough.ConditionalTreeClassifier(), np.digitize(score, [-1, 1])),
        ("maximum", bough.ConditionalTreeClassifier(statistic="maximum"), score > 0),
    ):
        spent, leaves = seconds(learner, X, y)
        print(f"{name:<14} {spent * 1000:8.1f} ms, {leaves} leaves")
    free = bough.ConditionalTreeClassifier(significance=1.0, max_depth=1, min_samples_leaf=1)
    cart = bough.CARTClassifier(max_depth=1, prune="none", min_samples_leaf=1)
    print("share of tables in which a column of 2, 4, 10, 20 and 100 values is chosen")
    print("conditional", chosen(free, given.tables).round(3))
    print("CART       ", chosen(cart, given.tables).round(3))


if __name__ == "__main__":
    main()
