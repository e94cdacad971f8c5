"""Race bough against its peers on one tree: growing it, asking it, and the memory it takes.

Peers take turns within a run, so that a busy moment of the machine hits all of them alike, and the least
time of each counts. Examples:

    python benchmarks/bench_tree.py --quick
    python benchmarks/bench_tree.py --rows 10k,100k --peers bough-1,bough-2,sklearn,xgboost,ydf
    python benchmarks/bench_tree.py --tasks gini --rows 1M --json tree.json
"""

import argparse
import gc
import json
import platform
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np
from memory import extra_megabytes
from peers import PEERS, USUAL, Peer, Task

from data import noisy_rows

TASKS = ("gini", "regression", "predict", "iris", "memory")
REFERENCE = "sklearn"
"""The peer the others are compared with, where it takes part."""

SLOW = 500_000
"""From this many rows on scikit-learn needs minutes a tree, and runs once."""

PREDICT_DEPTH = 8
IRIS_RUNS = 200


@dataclass
class Result:
    """What one peer needed for one piece of work: seconds of each run, or megabytes."""

    task: str
    rows: int
    dtype: str
    peer: str
    runs: list[float]
    unit: str
    ratio: float | None = None

    @property
    def best(self) -> float:
        """The least of the runs."""
        return min(self.runs)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run what the command line asks for, print a table and, if asked, write JSON."""
    options = _options(arguments)
    results: list[Result] = []
    print(f"{'task':<12}{'rows':>9}  {'dtype':<9}{'peer':<10}{'best':>12}  {REFERENCE + ' / it':>14}")
    for group in _groups(options):
        _compare(group)
        for result in group:
            _print(result)
        results += group
    if options.json:
        document = {"machine": _machine(options.peers), "results": [asdict(result) for result in results]}
        Path(options.json).write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--tasks", type=_names(TASKS), default=list(TASKS), help=f"of {','.join(TASKS)}")
    parser.add_argument("--rows", type=_counts, default=[10_000, 100_000], help="such as 10k,100k,1M")
    parser.add_argument("--dtype", choices=["float32", "float64"], default="float32")
    parser.add_argument("--peers", type=_names(PEERS), default=list(USUAL), help=f"of {','.join(PEERS)}")
    parser.add_argument("--repeats", type=int, default=3, help="runs of each peer; the least counts")
    parser.add_argument("--max-depth", type=int, default=None, help="default: trees are fully grown")
    parser.add_argument("--quick", action="store_true", help="10k rows only")
    parser.add_argument("--json", metavar="FILE", help="write the results here too")
    options = parser.parse_args(arguments)
    if options.quick:
        options.rows = [10_000]
    return options


def _names(known: Sequence[str] | dict[str, Any]) -> Callable[[str], list[str]]:
    def parse(text: str) -> list[str]:
        names = text.split(",")
        for name in names:
            if name not in known:
                raise argparse.ArgumentTypeError(f"{name!r} is not one of {', '.join(known)}")
        return names

    return parse


def _counts(text: str) -> list[int]:
    units = {"k": 1_000, "M": 1_000_000}
    return [int(float(part.rstrip("kM")) * units.get(part[-1], 1)) for part in text.split(",")]


def _groups(options: argparse.Namespace) -> Iterator[list[Result]]:
    peers = [PEERS[name] for name in options.peers]
    if "iris" in options.tasks:
        yield _race_iris(peers)
    for n_rows in options.rows:
        for task in options.tasks:
            if task in ("gini", "regression"):
                yield _race_growing(task, n_rows, options, peers)
            elif task == "predict":
                yield _race_predicting(n_rows, options, peers)
            elif task == "memory":
                yield _weigh(n_rows, options, peers)


def _race_growing(task: str, n_rows: int, options: argparse.Namespace, peers: list[Peer]) -> list[Result]:
    data = noisy_rows(n_rows, options.dtype)
    small = noisy_rows(1000, options.dtype, seed=1)
    kind: Task = "classes" if task == "gini" else "numbers"
    y = data.labels if task == "gini" else data.numbers
    work = {peer.name: partial(peer.grow, data.X, y, kind, options.max_depth) for peer in peers}
    for peer in peers:
        peer.grow(small.X, small.labels if task == "gini" else small.numbers, kind, None)
    return [Result(task, n_rows, options.dtype, *run) for run in _taken_turns(work, options.repeats, n_rows)]


def _race_predicting(n_rows: int, options: argparse.Namespace, peers: list[Peer]) -> list[Result]:
    data = noisy_rows(min(n_rows, 100_000), options.dtype)
    rows = np.ascontiguousarray(np.resize(data.X, (n_rows, data.X.shape[1])))
    depth = options.max_depth or PREDICT_DEPTH
    asked = {peer.name: peer.grow(data.X, data.labels, "classes", depth) for peer in peers}
    work = {name: partial(predict, rows) for name, predict in asked.items()}
    return [
        Result("predict", n_rows, options.dtype, *run)
        for run in _taken_turns(work, max(5, options.repeats), 0)
    ]


def _race_iris(peers: list[Peer]) -> list[Result]:
    from sklearn.datasets import load_iris

    X, y = load_iris(return_X_y=True)
    # Only these two learn more than two classes with one tree.
    peers = [peer for peer in peers if peer.package in ("bough", "scikit-learn")]
    work = {peer.name: partial(peer.grow, X, y, "classes", None) for peer in peers}
    return [Result("iris", len(X), "float64", *run) for run in _taken_turns(work, IRIS_RUNS, 0)]


def _taken_turns(
    work: Mapping[str, Callable[[], Any]], repeats: int, n_rows: int
) -> Iterator[tuple[str, list[float], str]]:
    runs: dict[str, list[float]] = {name: [] for name in work}
    for turn in range(repeats):
        for name, do in work.items():
            if name == REFERENCE and turn > 0 and n_rows >= SLOW:
                continue
            gc.collect()
            start = time.perf_counter()
            do()
            runs[name].append(time.perf_counter() - start)
    yield from ((name, seconds, "s") for name, seconds in runs.items())


def _weigh(n_rows: int, options: argparse.Namespace, peers: list[Peer]) -> list[Result]:
    return [
        Result("memory", n_rows, options.dtype, peer.name, [megabytes], "MB")
        for peer in peers
        for megabytes in [extra_megabytes(peer.name, "gini", n_rows, options.dtype)]
    ]


def _compare(group: list[Result]) -> None:
    reference = next((result for result in group if result.peer == REFERENCE), None)
    for result in group:
        if reference is not None and result.best > 0:
            result.ratio = reference.best / result.best


def _print(result: Result) -> None:
    best = f"{result.best:.1f} MB" if result.unit == "MB" else _seconds(result.best)
    ratio = "" if result.ratio is None else f"{result.ratio:.2f}"
    line = f"{result.task:<12}{result.rows:>9}  {result.dtype:<9}{result.peer:<10}{best:>12}  {ratio:>14}"
    print(line, flush=True)


def _seconds(seconds: float) -> str:
    return f"{seconds * 1e3:.3f} ms" if seconds < 1 else f"{seconds:.2f} s"


def _machine(peers: list[str]) -> dict[str, Any]:
    versions = {}
    for package in sorted({PEERS[name].package for name in peers}):
        try:
            versions[package] = version(package)
        except PackageNotFoundError:
            versions[package] = "not installed"
    return {"python": platform.python_version(), "machine": platform.machine(), "versions": versions}


if __name__ == "__main__":
    main(sys.argv[1:])
