"""Race bough's gradient boosting against its peers, with binning included, and their quality on other rows.

Peers take turns within a run, so that a busy moment of the machine hits all of them alike, and the least time
of each counts. In "small", whose fits take milliseconds, a turn is ten fits one after the other, so that the
caches hold what a peer needs. Where the machine is shared, seconds of the processor tell more than those of
the clock: both are kept. Quality is the area under the ROC curve, the log-loss for several classes, or the
mean squared error. Every task has rows and columns of its own, unless others are asked for. Examples:

    python benchmarks/bench_boosting.py --tasks classes --rows 100k --repeats 3
    python benchmarks/bench_boosting.py --tasks large,small,wide --threads 2 --json boosting.json
    python benchmarks/bench_boosting.py --tasks predict,one_row --peers bough,lightgbm,lleaves,catboost
    python benchmarks/bench_boosting.py --tasks bins --rows 1M --peers bough,ready,exact --repeats 3

"flights" has nominal columns and missing values, "levels" a column of 10,000 levels. "predict" times the
answers to all rows, and "one_row" those to one row after the other, by bough's model and by the peers'
boosters. "bins" grows one tree of depth 8 with `max_bins` ("bough"), on bins that were made before ("ready"),
and without bins ("exact"). Peers that are not installed, or that cannot do a task, are left out with a line
that says so.
"""

import argparse
import gc
import json
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import pandas as pd

TASKS: dict[str, tuple[int, int]] = {
    "classes": (100_000, 28),
    "large": (1_000_000, 28),
    "small": (1_000, 10),
    "wide": (50_000, 500),
    "leaves": (100_000, 28),
    "several": (100_000, 28),
    "numbers": (100_000, 28),
    "flights": (200_000, 12),
    "levels": (100_000, 12),
    "predict": (100_000, 28),
    "one_row": (2_000, 28),
    "bins": (1_000_000, 28),
}
"""The tasks, and the rows and columns of each."""

PEERS = (
    "bough",
    "lightgbm",
    "quantized",
    "xgboost",
    "snapml",
    "catboost",
    "lleaves",
    "sklearn",
    "exact",
    "ready",
)
LEAVES = {"leaves": 255}
OF_MIXED_COLUMNS = ("flights", "levels")
OF_PREDICTION = ("predict", "one_row")
FITS_IN_A_TURN = {"small": 10}
_ready: dict[int, Any] = {}
"""Bins of tables, by their number of rows."""


@dataclass
class Result:
    """What one peer needed for one piece of work, and how well it answered."""

    task: str
    rows: int
    columns: int
    peer: str
    trees: int
    threads: int
    wall: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)
    quality: float | None = None


def main(arguments: Sequence[str] | None = None) -> None:
    """Run what the command line asks for, print a table and, if asked, write JSON."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--tasks", default="classes", help=f"of {','.join(TASKS)}")
    parser.add_argument("--peers", default="bough,lightgbm,xgboost", help=f"'all', or of {','.join(PEERS)}")
    parser.add_argument("--rows", help="such as 100k or 1M")
    parser.add_argument("--columns", type=int)
    parser.add_argument("--trees", type=int, default=100)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--repeats", type=int, default=1)
    parser.add_argument("--json", metavar="FILE", help="write the results here too")
    options = parser.parse_args(arguments)
    results: list[Result] = []
    for task in options.tasks.split(","):
        if task not in TASKS:
            parser.error(f"{task!r} is not one of {', '.join(TASKS)}")
        results += _race(task, _chosen(options.peers, parser), options)
        if options.json:
            Path(options.json).write_text(json.dumps([asdict(one) for one in results], indent=2) + "\n")


def _chosen(peers: str, parser: argparse.ArgumentParser) -> list[str]:
    chosen = list(PEERS) if peers == "all" else peers.split(",")
    for peer in chosen:
        if peer not in PEERS:
            parser.error(f"{peer!r} is not one of {', '.join(PEERS)}")
    return chosen


def _number(text: str) -> int:
    units = {"k": 1_000, "M": 1_000_000}
    return int(float(text.rstrip("kM")) * units.get(text[-1], 1))


def drawn_rows(task: str, rows: int, columns: int) -> tuple[Any, np.ndarray]:
    """Return rows and a noisy target. Columns are numeric, four of them with few values, unless mixed."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(rows, columns))
    X[:, -4:] = np.floor(3 * X[:, -4:])
    # Interactions of columns that also matter alone: otherwise chance decides when trees find them.
    score = (
        X[:, 0] + np.where(X[:, 1] > 0, X[:, 2], 0.0) + np.sin(3 * X[:, 3]) + np.maximum(X[:, -4], X[:, 4])
    )
    score += np.where(X[:, 5] > 0.5, X[:, 6 % columns], 0.0) - 0.5
    score += 1.5 * rng.normal(size=rows)
    if task in OF_MIXED_COLUMNS:
        return _with_levels(task, X, score, rng)
    if task == "numbers":
        return X, score
    if task == "several":
        return X, np.digitize(score, np.quantile(score, np.arange(1, 7) / 7))
    return X, (score > 0).astype(np.int64)


def _with_levels(
    task: str, X: np.ndarray, score: np.ndarray, rng: np.random.Generator
) -> tuple[pd.DataFrame, np.ndarray]:
    """Return a table with nominal columns that matter, and missing values; and whether scores are high."""
    frame = pd.DataFrame(X, columns=[f"x{i}" for i in range(X.shape[1])])
    counts = {"carrier": 16, "origin": 3, "dest": 105, "tail": 4_000} if task == "flights" else {"id": 10_000}
    for name, many in counts.items():
        # Some levels are common and most are rare.
        codes = np.minimum((rng.pareto(1.0, len(X)) * many / 20).astype(int), many - 1)
        score = score + rng.normal(size=many)[codes]
        frame[name] = pd.Categorical.from_codes(codes, [f"{name}{i}" for i in range(many)])
        if task == "flights":
            frame.loc[rng.random(len(X)) < 0.02, name] = None
    if task == "flights":
        for name in ("x0", "x3", "x7"):
            frame.loc[rng.random(len(X)) < 0.1, name] = np.nan
    return frame, (score > 0).astype(np.int64)


def _race(task: str, peers: list[str], options: Any) -> list[Result]:
    rows, columns = TASKS[task]
    rows, columns = _number(options.rows) if options.rows else rows, options.columns or columns
    X, y = drawn_rows(task, rows + max(rows // 5, 2000), columns)
    (train, y_train), (test, y_test) = (X[:rows], y[:rows]), (X[rows:], y[rows:])
    peers = [peer for peer in peers if _can_run(peer, task, X[:1000], y[:1000], options.threads)]
    if not peers:
        return []
    if "ready" in peers:
        _bins_of(train, options.threads)
    results = {peer: Result(task, rows, columns, peer, options.trees, options.threads) for peer in peers}
    predictors: dict[str, Callable[[Any], Any]] = {}
    turns = [peer for peer in peers for _ in range(FITS_IN_A_TURN.get(task, 1))]
    for _ in range(options.repeats):
        for peer in turns:
            gc.collect()
            wall, cpu = time.perf_counter(), time.process_time()
            if task not in OF_PREDICTION or peer not in predictors:
                predictors[peer] = _fit(peer, task, train, y_train, options)
            if task in OF_PREDICTION:
                wall, cpu = time.perf_counter(), time.process_time()
                _answer(task, predictors[peer], train)
            results[peer].wall.append(time.perf_counter() - wall)
            results[peer].cpu.append(time.process_time() - cpu)
    first = results[peers[0]]
    print(f"{task}, {rows:,} x {columns}, {options.trees} trees, {options.threads} threads")
    for peer, result in results.items():
        result.quality = _quality(task, y_test, predictors[peer](test))
        wall, cpu = min(result.wall), min(result.cpu)
        print(
            f"  {peer:10} {wall:8.3f} s ({wall / min(first.wall):5.2f} x)  processor {cpu:8.3f} s "
            f"({cpu / min(first.cpu):5.2f} x)  quality {result.quality:.5f}",
            flush=True,
        )
    return list(results.values())


def _can_run(peer: str, task: str, X: Any, y: np.ndarray, threads: int) -> bool:
    """Whether a peer can be fitted, tried on few rows; what it imports on the way is then not timed."""
    try:
        _fit(peer, task, X, y, argparse.Namespace(trees=1, threads=threads))
    except Exception as error:  # foreign programs may fail in any way
        if peer == "bough":
            raise
        reason = str(error).strip().split("\n")[0]
        print(f"{task}: {peer} is left out ({type(error).__name__}: {reason})", flush=True)
        return False
    return True


def _answer(task: str, predict: Callable[[Any], Any], rows: np.ndarray) -> None:
    if task == "predict":
        predict(rows)
        return
    for i in range(len(rows)):
        predict(rows[i : i + 1])


def _quality(task: str, y: np.ndarray, answers: Any) -> float:
    from sklearn.metrics import log_loss, mean_squared_error, roc_auc_score

    if task == "numbers":
        return float(mean_squared_error(y, answers))
    if task == "several":
        return float(log_loss(y, answers))
    return float(roc_auc_score(y, answers[:, 1] if np.ndim(answers) == 2 else answers))


def _fit(peer: str, task: str, X: Any, y: np.ndarray, options: Any) -> Callable[[Any], Any]:
    """Fit a peer and return the function that answers: numbers or probabilities."""
    if task == "bins":
        return _one_tree(peer, X, y, options)
    leaves = LEAVES.get(task, 31)
    if peer == "lleaves" and task not in OF_PREDICTION:
        raise ValueError("it only predicts")
    if peer in ("lightgbm", "quantized", "lleaves"):
        return _lightgbm(peer, task, X, y, leaves, options)
    fits = {
        "bough": _bough,
        "xgboost": _xgboost,
        "snapml": _snapml,
        "catboost": _catboost,
        "sklearn": _sklearn,
    }
    if peer not in fits:
        raise ValueError(f"it does not have the task {task!r}")
    return fits[peer](task, X, y, leaves, options)


def _one_tree(peer: str, X: np.ndarray, y: np.ndarray, options: Any) -> Callable[[Any], Any]:
    import bough

    if peer not in ("bough", "exact", "ready"):
        raise ValueError("it does not have the task 'bins'")
    bins = None if peer == "exact" else 255
    tree = bough.TreeClassifier(max_depth=8, max_bins=bins, n_jobs=options.threads)
    if peer != "ready":
        return tree.fit(X, y).predict_proba
    from bough.engines import native

    with patch.object(native, "_bins", return_value=_bins_of(X, options.threads)):
        return tree.fit(X, y).predict_proba


def _bins_of(X: np.ndarray, threads: int) -> Any:
    """Return the bins of the rows, which are made at the first call only."""
    from bough.data.bins import Bins
    from bough.data.table import Table

    if len(X) not in _ready:
        _ready[len(X)] = Bins.of(Table.read(X), 255, n_jobs=threads).native
    return _ready[len(X)]


def _bough(task: str, X: Any, y: np.ndarray, leaves: int, options: Any) -> Callable[[Any], Any]:
    import bough

    parameters = {
        "max_iter": options.trees,
        "max_leaf_nodes": leaves,
        "learning_rate": 0.1,
        "n_jobs": options.threads,
    }
    if task == "numbers":
        return bough.GradientBoostingRegressor(**parameters).fit(X, y).predict
    model = bough.GradientBoostingClassifier(**parameters).fit(X, y)
    return model.model_.predict_proba if task == "one_row" else model.predict_proba


def _lightgbm(peer: str, task: str, X: Any, y: np.ndarray, leaves: int, options: Any) -> Callable[[Any], Any]:
    import lightgbm

    objective = {"numbers": "regression", "several": "multiclass"}.get(task, "binary")
    settings = {
        "objective": objective,
        "num_leaves": leaves,
        "learning_rate": 0.1,
        "num_threads": options.threads,
        "verbose": -1,
        "use_quantized_grad": peer == "quantized",
    }
    if task == "several":
        settings["num_class"] = 7
    model = lightgbm.train(settings, lightgbm.Dataset(X, y), options.trees)
    if peer != "lleaves":
        return model.predict  # type: ignore[no-any-return]
    import lleaves

    with tempfile.TemporaryDirectory() as folder:
        model.save_model(f"{folder}/model.txt")
        compiled = lleaves.Model(model_file=f"{folder}/model.txt")
        compiled.compile()
    return lambda X: compiled.predict(X, n_jobs=options.threads)


def _xgboost(task: str, X: Any, y: np.ndarray, leaves: int, options: Any) -> Callable[[Any], Any]:
    import xgboost

    objectives = {"numbers": "reg:squarederror", "several": "multi:softprob"}
    settings = {
        "objective": objectives.get(task, "binary:logistic"),
        "tree_method": "hist",
        "grow_policy": "lossguide",
        "max_leaves": leaves,
        "max_depth": 0,
        "eta": 0.1,
        "nthread": options.threads,
    }
    if task == "several":
        settings["num_class"] = 7
    kind = {"nthread": options.threads, "enable_categorical": task in OF_MIXED_COLUMNS}
    model = xgboost.train(settings, xgboost.QuantileDMatrix(X, y, **kind), options.trees)
    return lambda X: model.predict(xgboost.DMatrix(X, **kind))


def _snapml(task: str, X: Any, y: np.ndarray, leaves: int, options: Any) -> Callable[[Any], Any]:
    import snapml

    # It limits the depth and not the leaves: its trees of depth 5 have 32.
    depth = int(np.ceil(np.log2(leaves)))
    parameters = {
        "num_round": options.trees,
        "min_max_depth": depth,
        "max_max_depth": depth,
        "learning_rate": 0.1,
        "n_jobs": options.threads,
        "hist_nbins": 256,
    }
    X = np.ascontiguousarray(X, dtype=np.float32)
    if task == "numbers":
        model = snapml.BoostingMachineRegressor(**parameters).fit(X, y)
        return lambda X: model.predict(np.ascontiguousarray(X, dtype=np.float32))
    model = snapml.BoostingMachineClassifier(**parameters).fit(X, y)
    return lambda X: model.predict_proba(np.ascontiguousarray(X, dtype=np.float32))


def _catboost(task: str, X: Any, y: np.ndarray, leaves: int, options: Any) -> Callable[[Any], Any]:
    import catboost

    parameters = {
        "iterations": options.trees,
        "depth": int(np.ceil(np.log2(leaves))),
        "learning_rate": 0.1,
        "thread_count": options.threads,
        "verbose": False,
        "allow_writing_files": False,
    }
    if task == "numbers":
        model = catboost.CatBoostRegressor(**parameters).fit(X, y)
        return lambda X: model.predict(X, thread_count=options.threads)
    model = catboost.CatBoostClassifier(**parameters).fit(X, y)
    return lambda X: model.predict_proba(X, thread_count=options.threads)


def _sklearn(task: str, X: Any, y: np.ndarray, leaves: int, options: Any) -> Callable[[Any], Any]:
    from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
    from threadpoolctl import threadpool_limits

    parameters = {"max_iter": options.trees, "max_leaf_nodes": leaves, "early_stopping": False}
    kind = HistGradientBoostingRegressor if task == "numbers" else HistGradientBoostingClassifier
    # It has no parameter for the number of threads.
    with threadpool_limits(options.threads, user_api="openmp"):
        model = kind(**parameters).fit(X, y)
    return model.predict if task == "numbers" else model.predict_proba  # type: ignore[no-any-return]


if __name__ == "__main__":
    main()
