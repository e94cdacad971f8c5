"""Race two builds of bough in one interleaved run: `python benchmarks/bench_builds.py OLD_PYTHON NEW_PYTHON`.

Each build works in a process of its own, on the same data. Cases are timed in turns, several rounds, and the
least time of each build counts. Parameters are those that both builds know by the same name.
"""

import argparse
import math
import os
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

ROUNDS = 7


def data(n_rows: int, n_columns: int = 28, n_classes: int = 2, seed: int = 0) -> tuple[Any, Any, Any]:
    """Return noisy numeric columns, the classes of the rows and a number for each row."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, n_columns)).astype(np.float32)
    signal = X[:, 0] + X[:, 1] * X[:, 2] + 0.5 * np.abs(X[:, 3]) + rng.normal(size=n_rows)
    classes = np.digitize(signal, np.quantile(signal, np.arange(1, n_classes) / n_classes))
    return X, classes, signal


def mixed(n_rows: int) -> tuple[Any, Any, Any]:
    """Return a table of numbers with gaps and levels, the classes of the rows and a number for each row."""
    X, classes, signal = data(n_rows, 6, 3)
    rng = np.random.default_rng(1)
    numbers = X.astype(object)
    numbers[rng.random(X.shape) < 0.05] = None
    levels = np.array([f"level {code}" for code in range(12)], dtype=object)[
        rng.integers(12, size=(n_rows, 3))
    ]
    return np.column_stack([numbers, levels]), classes, signal


def cases() -> dict[str, Callable[[], Callable[[], object]]]:
    """Return the cases by name: a function that prepares one and returns what is timed."""
    import bough

    def fit(learner: Any, X: Any, y: Any, **given: Any) -> Callable[[], object]:
        return lambda: learner.fit(X, y, **given)

    def tree(criterion: str, n_rows: int, n_classes: int = 2, **given: Any) -> Callable[[], object]:
        X, classes, signal = data(n_rows, n_classes=n_classes)
        if criterion in ("squared_error", "absolute_error", "poisson"):
            y = np.round(np.exp(signal / 3)) if criterion == "poisson" else signal
            return fit(bough.TreeRegressor(criterion, n_jobs=2), X, y, **given)
        return fit(bough.TreeClassifier(criterion, n_jobs=2), X, classes, **given)

    def of_mixed(learner: Any, n_rows: int, numbers: bool = False) -> Callable[[], object]:
        X, classes, signal = mixed(n_rows)
        table = bough.Table.read(X)
        return fit(learner, table, signal if numbers else classes)

    def forest(learner: Any, n_rows: int, n_classes: int = 2, numbers: bool = False) -> Callable[[], object]:
        X, classes, signal = data(n_rows, n_classes=n_classes)
        return fit(learner, X, signal if numbers else classes)

    def answer(learner: Any, n_rows: int, method: str) -> Callable[[], object]:
        X, classes, _ = data(n_rows)
        model = learner.fit(X[:20000], classes[:20000])
        return lambda: [getattr(model, method)(X) for _ in range(3)]

    weights = np.random.default_rng(2).random(30000)
    return {
        "tree, Gini, 100,000 rows": lambda: tree("gini", 100_000),
        "tree, Gini, 5 classes": lambda: tree("gini", 30_000, 5),
        "tree, entropy": lambda: tree("entropy", 30_000),
        "tree, Gini, weights": lambda: tree("gini", 30_000, sample_weight=weights),
        "tree, squared error, 100,000 rows": lambda: tree("squared_error", 100_000),
        "tree, Poisson": lambda: tree("poisson", 30_000),
        "tree, absolute error": lambda: tree("absolute_error", 4_000),
        "iris-sized tree": lambda: tree("gini", 150),
        "CART, ten folds": lambda: forest(bough.CARTClassifier(n_jobs=2), 10_000),
        "CART, levels and gaps": lambda: of_mixed(bough.CARTClassifier(n_jobs=2), 4_000),
        "C4.5": lambda: forest(bough.C45Classifier(n_jobs=2), 20_000),
        "C4.5, levels and gaps": lambda: of_mixed(bough.C45Classifier(n_jobs=2), 5_000),
        "J48": lambda: forest(bough.C45Classifier(variant="j48", n_jobs=2), 20_000),
        "C5.0": lambda: of_mixed(bough.C50Classifier(n_jobs=2), 6_000),
        "REPTree": lambda: forest(bough.REPTreeClassifier(n_jobs=2), 30_000),
        "REPTree, numbers": lambda: forest(bough.REPTreeRegressor(n_jobs=2), 30_000, numbers=True),
        "forest": lambda: forest(bough.RandomForestClassifier(10, random_state=0, n_jobs=2), 100_000),
        "forest, 7 classes": lambda: forest(
            bough.RandomForestClassifier(5, random_state=0, n_jobs=2), 30_000, 7
        ),
        "forest, numbers": lambda: forest(
            bough.RandomForestRegressor(5, random_state=0, max_features=0.33, n_jobs=2), 30_000, numbers=True
        ),
        "forest, levels and gaps": lambda: of_mixed(
            bough.RandomForestClassifier(20, random_state=0, n_jobs=2), 10_000
        ),
        "extra trees": lambda: forest(bough.ExtraTreesClassifier(10, random_state=0, n_jobs=2), 50_000),
        "answers of a tree": lambda: answer(bough.TreeClassifier(max_depth=8, n_jobs=2), 100_000, "predict"),
        "answers of a forest": lambda: answer(
            bough.RandomForestClassifier(30, random_state=0, n_jobs=2), 20_000, "predict_proba"
        ),
    }


def serve() -> None:
    """Time the cases named on standard input, one a line."""
    known = cases()
    prepared: dict[str, Callable[[], object]] = {}
    for line in sys.stdin:
        name = line.rstrip("\n")
        if name not in prepared:
            prepared[name] = known[name]()
            prepared[name]()
        start = time.perf_counter()
        prepared[name]()
        print(time.perf_counter() - start, flush=True)


def asked(child: subprocess.Popen[str], name: str) -> float:
    """Return the seconds that a build takes for a case."""
    assert child.stdin is not None
    assert child.stdout is not None
    child.stdin.write(name + "\n")
    child.stdin.flush()
    return float(child.stdout.readline())


def main() -> None:
    """Race the builds and print the ratio of each case and their geometric mean."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--only", default="")
    given = parser.parse_args()
    own_paths = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    pipes: dict[str, Any] = {
        "stdin": subprocess.PIPE,
        "stdout": subprocess.PIPE,
        "text": True,
        "env": own_paths,
    }
    children = [subprocess.Popen([python, __file__, "--serve"], **pipes) for python in (given.old, given.new)]
    ratios = []
    names = [name for name in cases() if given.only in name]
    print(f"{'case':36} {'old':>9} {'new':>9}  new/old")
    for name in names:
        times = [[asked(child, name) for child in children] for _ in range(given.rounds)]
        old, new = (min(own) for own in zip(*times, strict=True))
        ratios.append(new / old)
        print(f"{name:36} {old:9.4f} {new:9.4f}  {new / old:.3f}", flush=True)
    mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
    print(f"{'geometric mean':56}  {mean:.3f}")


if __name__ == "__main__":
    serve() if "--serve" in sys.argv else main()
