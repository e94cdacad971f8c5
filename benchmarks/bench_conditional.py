"""Time of conditional inference trees on 10,000 rows, and how often columns without effect are chosen.

R's partykit is raced where `Rscript` finds it. Processor time on one thread is shown, the least of several
rounds in which both take turns; the time to read the table from a file does not count.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np
import pandas as pd

import bough

_R = """
suppressMessages(library(partykit))
d <- read.csv("{path}", stringsAsFactors = TRUE)
d$y <- {target}
set.seed(1)  # without a seed, the integrals of the maximum statistic are wrong by up to 0.09
least <- Inf
for (round in 1:2) {{
  taken <- system.time(tree <- ctree(y ~ ., data = d, control = ctree_control(teststat = "{statistic}")))
  least <- min(least, taken[["user.self"]] + taken[["sys.self"]])
}}
cat(least, width(tree))
"""


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
    """Return the least processor time of three fits, and the number of leaves."""
    least = np.inf
    for _ in range(3):
        start = time.process_time()
        learner.fit(X, y)  # type: ignore[attr-defined]
        least = min(least, time.process_time() - start)
    return least, learner.tree_.n_leaves  # type: ignore[attr-defined]


def partykit(
    rscript: str, X: pd.DataFrame, score: np.ndarray, target: str, statistic: str
) -> tuple[float, int] | None:
    """Return partykit's processor time, the lesser of two fits, and its leaves; None where it fails."""
    with tempfile.TemporaryDirectory() as folder:
        path, script = Path(folder) / "table.csv", Path(folder) / "race.R"
        X.assign(y=score).to_csv(path, index=False)
        script.write_text(_R.format(path=path, target=target, statistic=statistic), encoding="utf-8")
        done = subprocess.run([rscript, str(script)], capture_output=True, text=True, check=False)
    words = done.stdout.split()[-2:]
    return (float(words[0]), int(words[1])) if len(words) == 2 else None


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
    parser.add_argument("--tables", type=int, default=1000, help="of the study of bias; 0: none")
    parser.add_argument("--rounds", type=int, default=2, help="of the race with partykit")
    parser.add_argument("--cases", help="some of the cases, by name, separated by commas; default: all")
    parser.add_argument("--rscript", default=shutil.which("Rscript"), help="R's interpreter of scripts")
    parser.add_argument("--json", type=Path, help="a file for the results")
    given = parser.parse_args()
    results = []
    warnings.simplefilter("ignore", bough.errors.IdentifierWarning)
    X, score = table(given.rows, given.columns)
    three = "cut(d$y, c(-Inf, -1, 1, Inf), right = FALSE)"
    for name, learner, y, target in (
        ("numbers", bough.ConditionalTreeRegressor(), score, "d$y"),
        ("two classes", bough.ConditionalTreeClassifier(), score > 0, "factor(d$y > 0)"),
        ("three classes", bough.ConditionalTreeClassifier(), np.digitize(score, [-1, 1]), three),
        ("maximum, numbers", bough.ConditionalTreeRegressor(statistic="maximum"), score, "d$y"),
        ("maximum, two", bough.ConditionalTreeClassifier(statistic="maximum"), score > 0, "factor(d$y > 0)"),
        (
            "maximum, three",
            bough.ConditionalTreeClassifier(statistic="maximum"),
            np.digitize(score, [-1, 1]),
            three,
        ),
    ):
        if given.cases and name not in given.cases.split(","):
            continue
        statistic = "maximum" if name.startswith("maximum") else "quadratic"
        (spent, leaves), peer = seconds(learner, X, y), None
        for _ in range(given.rounds if given.rscript else 0):
            raced = partykit(given.rscript, X, score, target, statistic)
            peer = min(filter(None, (peer, raced)), default=None)
            spent = min(spent, seconds(learner, X, y)[0])
        shown = f"partykit {peer[0]:.2f} s, {peer[1]} leaves, {peer[0] / spent:.1f} x" if peer else ""
        print(f"{name:<16} {spent * 1000:8.1f} ms, {leaves} leaves  {shown}", flush=True)
        results.append({"name": name, "seconds": spent, "leaves": leaves, "partykit": peer})
    if given.json:
        given.json.write_text(json.dumps(results, indent=2) + "\n", encoding="utf-8")
    if not given.tables:
        return
    free = bough.ConditionalTreeClassifier(significance=1.0, max_depth=1, min_samples_leaf=1)
    cart = bough.CARTClassifier(max_depth=1, prune="none", min_samples_leaf=1)
    print("share of tables in which a column of 2, 4, 10, 20 and 100 values is chosen")
    print("conditional", chosen(free, given.tables).round(3))
    print("CART       ", chosen(cart, given.tables).round(3))


if __name__ == "__main__":
    main()
