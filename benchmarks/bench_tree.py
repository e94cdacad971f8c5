"""Race bough against its peers on one tree: growing it, asking it, and the memory it takes.

Peers take turns within a run, so that a busy moment of the machine hits all of them alike, and the least
time of each counts. Examples:

    python benchmarks/bench_tree.py --quick
    python benchmarks/bench_tree.py --rows 10k,100k --peers bough-1,bough-2,sklearn,xgboost,ydf
    python benchmarks/bench_tree.py --tasks entropy,seven,poisson,weighted,weighted_numbers --rows 100k
    python benchmarks/bench_tree.py --tasks absolute --rows 5k
    python benchmarks/bench_tree.py --tasks gini --rows 1M --peers bough-1,bough-16 --json tree.json

Seconds of the processor are printed too: where the machine is shared, they tell more than those of the clock.
Under absolute error scikit-learn's time grows with the square of the rows.
"""

import argparse
import gc
import json
import platform
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np
from memory import extra_megabytes
from peers import PEERS, USUAL, Peer, Task

from data import Data, noisy_rows


@dataclass(frozen=True)
class Growing:
    """A tree to grow: its criterion, the target, and whether rows have weights."""

    kind: Task
    target: Callable[[Data], Any]
    criterion: str | None = None
    weighted: bool = False

    @property
    def is_common(self) -> bool:
        """Whether every peer grows it: two classes or numbers, by the default criterion."""
        return self.criterion is None and not self.weighted

    def options(self, n_rows: int) -> dict[str, Any]:
        """Return what a peer is given besides rows and target."""
        given: dict[str, Any] = {} if self.criterion is None else {"criterion": self.criterion}
        if self.weighted:
            given["weight"] = np.random.default_rng(3).uniform(0.1, 1.1, n_rows)
        return given


def _seven_classes(data: Data) -> Any:
    return np.searchsorted(np.quantile(data.numbers, np.arange(1, 7) / 7), data.numbers)


def _counts_of_events(data: Data) -> Any:
    return np.floor(np.exp(data.numbers / data.numbers.std() / 2))


GROWING = {
    "gini": Growing("classes", lambda data: data.labels),
    "entropy": Growing("classes", lambda data: data.labels, "entropy"),
    "seven": Growing("classes", _seven_classes, "gini"),
    "weighted": Growing("classes", lambda data: data.labels, weighted=True),
    "regression": Growing("numbers", lambda data: data.numbers),
    "weighted_numbers": Growing("numbers", lambda data: data.numbers, weighted=True),
    "poisson": Growing("numbers", _counts_of_events, "poisson"),
    "absolute": Growing("numbers", lambda data: data.numbers, "absolute_error"),
}
"""Tasks that time the growth of a tree."""
PREDICTING = {"predict": 8, "deep": None}
"""Tasks that time predictions, with the depth of the tree; None: fully grown."""
TASKS = (*GROWING, *PREDICTING, "iris", "memory")
USUAL_TASKS = ("gini", "regression", "predict", "iris", "memory")
REFERENCE = "sklearn"
"""The peer the others are compared with, where it takes part."""

SLOW = 500_000
"""From this many rows on scikit-learn needs minutes a tree, and runs once."""

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
    cpu: list[float] = field(default_factory=list)
    ratio: float | None = None

    @property
    def best(self) -> float:
        """The least of the runs."""
        return min(self.runs)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run what the command line asks for, print a table and, if asked, write JSON."""
    options = _options(arguments)
    results: list[Result] = []
    print(
        f"{'task':<17}{'rows':>9}  {'dtype':<9}{'peer':<10}{'best':>12}{'processor':>14}"
        f"  {REFERENCE + ' / it':>14}"
    )
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
    parser.add_argument(
        "--tasks", type=_names(TASKS), default=list(USUAL_TASKS), help=f"of {','.join(TASKS)}"
    )
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
            if task in GROWING:
                yield _race_growing(task, n_rows, options, peers)
            elif task in PREDICTING:
                yield _race_predicting(task, n_rows, options, peers)
            elif task == "memory":
                yield _weigh(n_rows, options, peers)


def _race_growing(task: str, n_rows: int, options: argparse.Namespace, peers: list[Peer]) -> list[Result]:
    growing = GROWING[task]
    peers = [peer for peer in peers if growing.is_common or peer.grows_every_task]
    data = noisy_rows(n_rows, options.dtype)
    small = noisy_rows(1000, options.dtype, seed=1)
    y, given = growing.target(data), growing.options(n_rows)
    work = {
        peer.name: partial(peer.grow, data.X, y, growing.kind, options.max_depth, **given) for peer in peers
    }
    for peer in peers:
        peer.grow(small.X, growing.target(small), growing.kind, None, **growing.options(1000))
    return [Result(task, n_rows, options.dtype, *run) for run in _taken_turns(work, options.repeats, n_rows)]


def _race_predicting(task: str, n_rows: int, options: argparse.Namespace, peers: list[Peer]) -> list[Result]:
    data = noisy_rows(min(n_rows, 100_000), options.dtype)
    rows = np.ascontiguousarray(np.resize(data.X, (n_rows, data.X.shape[1])))
    depth = options.max_depth or PREDICTING[task]
    asked = {peer.name: peer.grow(data.X, data.labels, "classes", depth) for peer in peers}
    work = {name: partial(predict, rows) for name, predict in asked.items()}
    return [
        Result(task, n_rows, options.dtype, *run) for run in _taken_turns(work, max(5, options.repeats), 0)
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
) -> Iterator[tuple[str, list[float], str, list[float]]]:
    runs: dict[str, list[float]] = {name: [] for name in work}
    cpu: dict[str, list[float]] = {name: [] for name in work}
    for turn in range(repeats):
        for name, do in work.items():
            if name == REFERENCE and turn > 0 and n_rows >= SLOW:
                continue
            gc.collect()
            start, begun = time.perf_counter(), time.process_time()
            do()
            cpu[name].append(time.process_time() - begun)
            runs[name].append(time.perf_counter() - start)
    yield from ((name, seconds, "s", cpu[name]) for name, seconds in runs.items())


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
    processor = _seconds(min(result.cpu)) if result.cpu else ""
    line = f"{result.task:<17}{result.rows:>9}  {result.dtype:<9}{result.peer:<10}{best:>12}{processor:>14}"
    print(f"{line}  {ratio:>14}", flush=True)


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
