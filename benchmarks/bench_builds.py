"""Race two builds of bough in one interleaved run: `python benchmarks/bench_builds.py OLD NEW`.

OLD and NEW are interpreters that have the builds installed, or folders that hold them, such as unpacked
wheels; those are put on the path of the interpreter that runs this file. Each build works in a process of its
own, on the same data. Cases are timed in turns, several rounds, and the least time of each build counts.
Parameters are those that both builds know by the same name. `--clock cpu` counts the time of the processor,
which with one thread hardly depends on what else the machine does.
"""

import argparse
import json
import math
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

ROUNDS = 7
CLOCKS: dict[str, Callable[[], float]] = {"wall": time.perf_counter, "cpu": time.process_time}


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


def cases(n_threads: int) -> dict[str, Callable[[], Callable[[], object]]]:
    """Return the cases by name: a function that prepares one and returns what is timed."""
    import bough

    def fit(learner: Any, X: Any, y: Any, **given: Any) -> Callable[[], object]:
        return lambda: learner.fit(X, y, **given)

    def tree(criterion: str, n_rows: int, n_classes: int = 2, **given: Any) -> Callable[[], object]:
        X, classes, signal = data(n_rows, n_classes=n_classes)
        if criterion in ("squared_error", "absolute_error", "poisson"):
            y = np.round(np.exp(signal / 3)) if criterion == "poisson" else signal
            return fit(bough.TreeRegressor(criterion, n_jobs=n_threads), X, y, **given)
        return fit(bough.TreeClassifier(criterion, n_jobs=n_threads), X, classes, **given)

    def repeated(once: Callable[[], object], times: int) -> Callable[[], object]:
        return lambda: [once() for _ in range(times)]

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
        "iris-sized tree, 50 fits": lambda: repeated(tree("gini", 150), 50),
        "CART, ten folds": lambda: forest(bough.CARTClassifier(n_jobs=n_threads), 10_000),
        "CART, levels and gaps": lambda: of_mixed(bough.CARTClassifier(n_jobs=n_threads), 4_000),
        "C4.5": lambda: forest(bough.C45Classifier(n_jobs=n_threads), 20_000),
        "C4.5, levels and gaps": lambda: of_mixed(bough.C45Classifier(n_jobs=n_threads), 5_000),
        "J48": lambda: forest(bough.C45Classifier(variant="j48", n_jobs=n_threads), 20_000),
        "C5.0": lambda: of_mixed(bough.C50Classifier(n_jobs=n_threads), 6_000),
        "REPTree": lambda: forest(bough.REPTreeClassifier(n_jobs=n_threads), 30_000),
        "REPTree, numbers": lambda: forest(bough.REPTreeRegressor(n_jobs=n_threads), 30_000, numbers=True),
        "forest": lambda: forest(bough.RandomForestClassifier(10, random_state=0, n_jobs=n_threads), 100_000),
        "forest, 7 classes": lambda: forest(
            bough.RandomForestClassifier(5, random_state=0, n_jobs=n_threads), 30_000, 7
        ),
        "forest, numbers": lambda: forest(
            bough.RandomForestRegressor(5, random_state=0, max_features=0.33, n_jobs=n_threads),
            30_000,
            numbers=True,
        ),
        "forest, levels and gaps": lambda: of_mixed(
            bough.RandomForestClassifier(20, random_state=0, n_jobs=n_threads), 10_000
        ),
        "extra trees": lambda: forest(
            bough.ExtraTreesClassifier(10, random_state=0, n_jobs=n_threads), 50_000
        ),
        "answers of a tree": lambda: answer(
            bough.TreeClassifier(max_depth=8, n_jobs=n_threads), 100_000, "predict"
        ),
        "answers of a forest": lambda: answer(
            bough.RandomForestClassifier(30, random_state=0, n_jobs=n_threads), 20_000, "predict_proba"
        ),
    }


def serve(clock: str, n_threads: int) -> None:
    """Time the cases named on standard input, one a line."""
    known, now = cases(n_threads), CLOCKS[clock]
    prepared: dict[str, Callable[[], object]] = {}
    for line in sys.stdin:
        name = line.rstrip("\n")
        if name not in prepared:
            prepared[name] = known[name]()
            prepared[name]()
        start = now()
        prepared[name]()
        print(now() - start, flush=True)


def asked(child: subprocess.Popen[str], name: str) -> float:
    """Return the seconds that a build takes for a case."""
    assert child.stdin is not None
    assert child.stdout is not None
    child.stdin.write(name + "\n")
    child.stdin.flush()
    return float(child.stdout.readline())


def started(build: str, clock: str, n_threads: int) -> subprocess.Popen[str]:
    """Start the process of a build: an interpreter, or a folder that holds the package."""
    is_folder = Path(build).is_dir()
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    if is_folder:
        environment["PYTHONPATH"] = str(Path(build).resolve())
    return subprocess.Popen(
        [sys.executable if is_folder else build, __file__, "--serve", clock, str(n_threads)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=environment,
    )


def main() -> None:
    """Race the builds and print the ratio of each case and their geometric mean."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--only", default="", help="cases whose names contain one of these, separated by |")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--clock", choices=list(CLOCKS), default="wall")
    parser.add_argument("--json", help="a file to write the times to")
    given = parser.parse_args()
    children = [started(build, given.clock, given.threads) for build in (given.old, given.new)]
    found: dict[str, dict[str, float]] = {}
    print(f"{'case':36} {'old':>9} {'new':>9}  new/old")
    for name in cases(given.threads):
        if not any(part in name for part in given.only.split("|")):
            continue
        times = [[asked(child, name) for child in children] for _ in range(given.rounds)]
        old, new = (min(own) for own in zip(*times, strict=True))
        found[name] = {"old": old, "new": new}
        print(f"{name:36} {old:9.4f} {new:9.4f}  {new / old:.3f}", flush=True)
    logs = [math.log(each["new"] / each["old"]) for each in found.values()]
    print(f"{'geometric mean':56}  {math.exp(sum(logs) / len(logs)):.3f}")
    if given.json:
        Path(given.json).write_text(json.dumps(found, indent=1))


if __name__ == "__main__":
    if sys.argv[1:2] == ["--serve"]:
        serve(sys.argv[2], int(sys.argv[3]))
    else:
        main()
