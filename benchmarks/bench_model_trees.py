"""Race M5 against Weka's M5P, and time Cubist and M5Rules on the same rows.

Weka is raced where --weka names its jar and java is installed; its time includes reading the file and
starting Java, which are shown for a file of ten rows, too.

    python benchmarks/bench_model_trees.py --rows 10k,100k --weka weka.jar
"""

import argparse
import subprocess
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

import bough

N_COLUMNS = 20


def main(arguments: Sequence[str] | None = None) -> None:
    """Time the learners on each number of rows, and print the seconds of a fit."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", type=_counts, default=[10_000], help="such as 10k,100k")
    parser.add_argument("--weka", type=Path, default=None, help="the path of weka.jar")
    options = parser.parse_args(arguments)
    print(f"{'rows':>9}  {'learner':<26}{'seconds':>10}  {'R² on new rows':>14}")
    for n_rows in options.rows:
        X, y = rows(n_rows)
        fresh = rows(10_000, seed=1)
        for learner in (bough.M5Regressor(), bough.M5RulesRegressor(), bough.CubistRegressor()):
            start = time.perf_counter()
            learner.fit(X, y)
            seconds = time.perf_counter() - start
            name = type(learner).__name__
            print(f"{n_rows:>9}  {name:<26}{seconds:>10.3f}  {learner.score(*fresh):>14.4f}", flush=True)
        if options.weka is not None:
            print(f"{n_rows:>9}  {'Weka M5P':<26}{by_weka(options.weka, X, y):>10.3f}", flush=True)
            print(f"{10:>9}  {'Weka M5P':<26}{by_weka(options.weka, X[:10], y[:10]):>10.3f}", flush=True)


def rows(n: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Return rows whose target is piecewise linear in some columns."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, N_COLUMNS))
    y = X[:, 0] * np.where(X[:, 1] > 0, 3.0, -1.0) + 2.0 * np.abs(X[:, 2]) + 0.5 * rng.normal(size=n)
    return X, y


def by_weka(jar: Path, X: np.ndarray, y: np.ndarray) -> float:
    """Return the seconds that Weka takes to read a file and build a tree, without evaluating it."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows.arff"
        names = [f"@attribute x{column} numeric" for column in range(X.shape[1])]
        head = ["@relation rows", *names, "@attribute y numeric", "@data"]
        body = [
            ",".join(map(repr, [*row, answer])) for row, answer in zip(X.tolist(), y.tolist(), strict=True)
        ]
        path.write_text("\n".join(head + body) + "\n", encoding="utf-8")
        command = ["java", "-Xmx4g", "-cp", str(jar), "weka.classifiers.trees.M5P", "-t", str(path)]
        start = time.perf_counter()
        subprocess.run([*command, "-no-cv", "-v", "-o"], check=True, capture_output=True)
        return time.perf_counter() - start


def _counts(text: str) -> list[int]:
    return [int(part.removesuffix("k")) * (1000 if part.endswith("k") else 1) for part in text.split(",")]


if __name__ == "__main__":
    main()
