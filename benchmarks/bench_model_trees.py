"""Race model trees against other programs: seconds of a fit, seconds of all processors, and R² on new rows.

M5 is raced against Weka's M5P where --weka names its jar and java is installed; Weka's time includes reading
the file and starting Java, which are shown for a file of ten rows, too. Cubist is raced against R's package
where Rscript has it, and against PyPI's `cubist`, which compiles the same C code, where it can be imported.
Linear trees are raced against PyPI's `linear-tree` where it can be imported.

    python benchmarks/bench_model_trees.py --rows 10k --learners m5,m5rules --weka weka.jar
    python benchmarks/bench_model_trees.py --rows 100k --learners cubist --json cubist.json
"""

import argparse
import json
import os
import subprocess
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import bough

N_COLUMNS = 20
_results: list[dict[str, Any]] = []


def main(arguments: Sequence[str] | None = None) -> None:
    """Time the learners on each number of rows, and print the seconds of a fit."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", type=_counts, default=[10_000], help="such as 10k,100k")
    parser.add_argument("--weka", type=Path, default=None, help="the path of weka.jar")
    parser.add_argument("--learners", default="m5,cubist,linear", help=", ".join(RACES))
    parser.add_argument("--n-jobs", type=int, default=None, help="threads of bough")
    parser.add_argument("--json", type=Path, help="a file for the results")
    options = parser.parse_args(arguments)
    print(f"{'rows':>9}  {'learner':<32}{'seconds':>10}{'processors':>12}  {'R² on new rows':>14}")
    for n_rows in options.rows:
        for name in options.learners.split(","):
            RACES[name](n_rows, options)
    if options.json:
        options.json.write_text(json.dumps(_results, indent=2) + "\n", encoding="utf-8")


def rows(n: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Return rows whose target is piecewise linear in some columns."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, N_COLUMNS))
    y = X[:, 0] * np.where(X[:, 1] > 0, 3.0, -1.0) + 2.0 * np.abs(X[:, 2]) + 0.5 * rng.normal(size=n)
    return X, y


def timed(name: str, learner: Any, n_rows: int) -> None:
    """Fit a learner, and print its seconds and its R² on new rows."""
    X, y = rows(n_rows)
    start, of_processors = time.perf_counter(), time.process_time()
    learner.fit(X, y)
    seconds = time.perf_counter() - start, time.process_time() - of_processors
    fresh, truth = rows(10_000, seed=1)
    error = truth - np.asarray(learner.predict(fresh))
    _print(n_rows, name, seconds, 1 - error.var() / truth.var())


def race_m5(n_rows: int, options: argparse.Namespace) -> None:
    """M5 trees against Weka's."""
    timed("M5Regressor", bough.M5Regressor(), n_rows)
    if options.weka is not None:
        X, y = rows(n_rows)
        _print(n_rows, "Weka M5P", by_weka(options.weka, X, y))
        _print(10, "Weka M5P", by_weka(options.weka, X[:10], y[:10]))


def race_m5_rules(n_rows: int, options: argparse.Namespace) -> None:
    """M5Rules alone."""
    timed("M5RulesRegressor", bough.M5RulesRegressor(), n_rows)


def race_cubist(n_rows: int, options: argparse.Namespace) -> None:
    """Cubist against its own C code, in R or in Python."""
    timed("CubistRegressor", bough.CubistRegressor(), n_rows)
    try:
        from cubist import Cubist
    except ImportError:
        print("PyPI's cubist is not installed")
    else:
        timed("PyPI's cubist", Cubist(), n_rows)
    if seconds := by_r(*rows(n_rows)):
        _print(n_rows, "R's Cubist", seconds)
    else:
        print("R's Cubist is not installed")


def race_linear(n_rows: int, options: argparse.Namespace) -> None:
    """Linear trees of the same depth, leaves and bins, then ours with its defaults."""
    limits = {"max_depth": 5, "min_samples_leaf": 0.1, "max_bins": 25}
    ours = bough.LinearTreeRegressor(prune="none", ridge=0, n_jobs=options.n_jobs, **limits)
    timed("LinearTreeRegressor, its limits", ours, n_rows)
    timed("LinearTreeRegressor", bough.LinearTreeRegressor(n_jobs=options.n_jobs), n_rows)
    try:
        from lineartree import LinearTreeRegressor
        from sklearn.linear_model import LinearRegression
        from sklearn.utils.validation import validate_data
    except ImportError:
        print("PyPI's linear-tree is not installed")
        return
    if not hasattr(LinearTreeRegressor, "_validate_data"):
        # Release 0.3.5 calls a method that scikit-learn 1.6 has made a function, by older names.
        LinearTreeRegressor._validate_data = lambda self, X, *y, force_all_finite=True, **given: (
            validate_data(self, X, *y, ensure_all_finite=force_all_finite, **given)
        )
    timed("PyPI's linear-tree", LinearTreeRegressor(LinearRegression(), **limits), n_rows)


RACES: dict[str, Callable[[int, argparse.Namespace], None]] = {
    "m5": race_m5,
    "m5rules": race_m5_rules,
    "cubist": race_cubist,
    "linear": race_linear,
}


def by_weka(jar: Path, X: np.ndarray, y: np.ndarray) -> tuple[float, float]:
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
        start, before = time.perf_counter(), os.times()
        subprocess.run([*command, "-no-cv", "-v", "-o"], check=True, capture_output=True)
        after = os.times()
        of_processors = after[2] + after[3] - before[2] - before[3]
        return time.perf_counter() - start, of_processors


def by_r(X: np.ndarray, y: np.ndarray) -> tuple[float, float] | None:
    """Return the seconds of a fit by R's Cubist without reading the file, or None if R does not have it."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows.csv"
        np.savetxt(path, np.column_stack([X, y]), delimiter=",")
        script = (
            f'd <- read.csv("{path}", header = FALSE); k <- ncol(d); library(Cubist); '
            "t <- system.time(cubist(d[, -k], d[, k])); cat(t[3], t[1])"
        )
        try:
            found = subprocess.run(["Rscript", "-e", script], check=True, capture_output=True, text=True)
        except (FileNotFoundError, subprocess.CalledProcessError):
            return None
        seconds, of_processors = map(float, found.stdout.split())
        return seconds, of_processors


def _print(n_rows: int, name: str, seconds: tuple[float, float], score: float | None = None) -> None:
    _results.append({"rows": n_rows, "learner": name, "seconds": seconds, "r2": score})
    shown = "" if score is None else f"{score:>14.4f}"
    print(f"{n_rows:>9}  {name:<32}{seconds[0]:>10.3f}{seconds[1]:>12.3f}  {shown}", flush=True)


def _counts(text: str) -> list[int]:
    return [int(part.removesuffix("k")) * (1000 if part.endswith("k") else 1) for part in text.split(",")]


if __name__ == "__main__":
    main()
