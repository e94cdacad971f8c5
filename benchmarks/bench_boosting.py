"""Race bough's gradient boosting against its peers, with binning included, and their quality on other rows.

Peers take turns within a run, so that a busy moment of the machine hits all of them alike, and the least time
of each counts. Where the machine is shared, seconds of the processor tell more than those of the clock: both
are kept. Quality is the area under the ROC curve, the log-loss for several classes, or the mean squared
error. Examples:

    python benchmarks/bench_boosting.py --tasks classes --rows 100k --repeats 3
    python benchmarks/bench_boosting.py --tasks classes,numbers,several,leaves --peers bough,lightgbm,xgboost
    python benchmarks/bench_boosting.py --tasks classes --rows 1M --threads 2 --json boosting.json
    python benchmarks/bench_boosting.py --tasks bins --rows 1M --peers bough,exact

The task "bins" grows one tree of depth 8 with `max_bins`, against bough's exact tree.
"""

import argparse
import gc
import json
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

TASKS = ("classes", "numbers", "several", "leaves", "nominal", "predict", "bins")
PEERS = ("bough", "lightgbm", "quantized", "xgboost", "sklearn", "exact")
LEAVES = {"leaves": 255}


@dataclass
class Result:
    """What one peer needed for one piece of work, and how well it answered."""

    task: str
    rows: int
    peer: str
    wall: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)
    quality: float | None = None


def main(arguments: Sequence[str] | None = None) -> None:
    """Run what the command line asks for, print a table and, if asked, write JSON."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--tasks", default="classes", help=f"of {','.join(TASKS)}")
    parser.add_argument("--peers", default="bough,lightgbm,xgboost", help=f"of {','.join(PEERS)}")
    parser.add_argument("--rows", default="100k", help="such as 100k or 1M")
    parser.add_argument("--columns", type=int, default=28)
    parser.add_argument("--trees", type=int, default=100)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--repeats", type=int, default=1)
    parser.add_argument("--json", metavar="FILE", help="write the results here too")
    options = parser.parse_args(arguments)
    rows = _number(options.rows)
    results: list[Result] = []
    for task in options.tasks.split(","):
        if task not in TASKS:
            parser.error(f"{task!r} is not one of {', '.join(TASKS)}")
        results += _race(task, options.peers.split(","), rows, options)
    if options.json:
        Path(options.json).write_text(json.dumps([asdict(one) for one in results], indent=2) + "\n")


def _number(text: str) -> int:
    units = {"k": 1_000, "M": 1_000_000}
    return int(float(text.rstrip("kM")) * units.get(text[-1], 1))


def drawn_rows(task: str, rows: int, columns: int) -> tuple[np.ndarray, np.ndarray]:
    """Return numeric rows, four columns of them with few values, and a noisy target."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(rows, columns))
    X[:, -4:] = np.floor(3 * X[:, -4:])
    # Interactions of columns that also matter alone: otherwise chance decides when trees find them.
    score = (
        X[:, 0] + np.where(X[:, 1] > 0, X[:, 2], 0.0) + np.sin(3 * X[:, 3]) + np.maximum(X[:, -4], X[:, 4])
    )
    score += np.where(X[:, 5] > 0.5, X[:, 6], 0.0) - 0.5
    if task == "nominal":
        X[:, 7] = rng.integers(0, 250, rows)
        score += rng.normal(size=250)[X[:, 7].astype(int)]
    score += 1.5 * rng.normal(size=rows)
    if task == "numbers":
        return X, score
    if task == "several":
        return X, np.digitize(score, np.quantile(score, np.arange(1, 7) / 7))
    return X, (score > 0).astype(np.int64)


def _race(task: str, peers: list[str], rows: int, options: Any) -> list[Result]:
    X, y = drawn_rows(task, rows + max(rows // 5, 2000), options.columns)
    train, test = (X[:rows], y[:rows]), (X[rows:], y[rows:])
    results = {peer: Result(task, rows, peer) for peer in peers}
    predictors: dict[str, Callable[[Any], Any]] = {}
    for peer in peers:  # what is imported on the way is not timed
        _fit(peer, task, X[:1000], y[:1000], argparse.Namespace(trees=1, threads=options.threads))
    for _ in range(options.repeats):
        for peer in peers:
            gc.collect()
            work = _fit if task != "predict" or peer not in predictors else None
            wall, cpu = time.perf_counter(), time.process_time()
            if work is not None:
                predictors[peer] = work(peer, task, *train, options)
            if task == "predict":
                wall, cpu = time.perf_counter(), time.process_time()
                predictors[peer](train[0])
            results[peer].wall.append(time.perf_counter() - wall)
            results[peer].cpu.append(time.process_time() - cpu)
    first = results[peers[0]]
    print(f"{task}, {rows:,} rows, {options.trees} trees, {options.threads} threads")
    for peer, result in results.items():
        result.quality = _quality(task, test[1], predictors[peer](test[0]))
        wall, cpu = min(result.wall), min(result.cpu)
        print(
            f"  {peer:10} {wall:8.3f} s ({wall / min(first.wall):5.2f} x)  processor {cpu:8.3f} s "
            f"({cpu / min(first.cpu):5.2f} x)  quality {result.quality:.5f}",
            flush=True,
        )
    return list(results.values())


def _quality(task: str, y: np.ndarray, answers: Any) -> float:
    from sklearn.metrics import log_loss, mean_squared_error, roc_auc_score

    if task == "numbers":
        return float(mean_squared_error(y, answers))
    if task == "several":
        return float(log_loss(y, answers))
    return float(roc_auc_score(y, answers[:, 1] if np.ndim(answers) == 2 else answers))


def _fit(peer: str, task: str, X: np.ndarray, y: np.ndarray, options: Any) -> Callable[[Any], Any]:
    """Fit a peer and return the function that answers: numbers or probabilities."""
    if task == "bins":
        return _one_tree(peer, X, y, options)
    leaves = LEAVES.get(task, 31)
    if peer == "bough":
        return _bough(task, X, y, leaves, options)
    if peer in ("lightgbm", "quantized"):
        return _lightgbm(peer == "quantized", task, X, y, leaves, options)
    if peer == "xgboost":
        return _xgboost(task, X, y, leaves, options)
    if peer == "sklearn":
        return _sklearn(task, X, y, leaves, options)
    raise SystemExit(f"{peer!r} is not one of {', '.join(PEERS)}, or does not have the task {task!r}")


def _one_tree(peer: str, X: np.ndarray, y: np.ndarray, options: Any) -> Callable[[Any], Any]:
    import bough

    bins = {"bough": 255, "exact": None}[peer]
    return bough.TreeClassifier(max_depth=8, max_bins=bins, n_jobs=options.threads).fit(X, y).predict_proba


def _bough(task: str, X: np.ndarray, y: np.ndarray, leaves: int, options: Any) -> Callable[[Any], Any]:
    import bough

    parameters = {"max_iter": options.trees, "max_leaf_nodes": leaves, "n_jobs": options.threads}
    if task == "numbers":
        return bough.GradientBoostingRegressor(**parameters).fit(X, y).predict
    nominal = [7] if task == "nominal" else "from_dtype"
    learner = bough.GradientBoostingClassifier(categorical_features=nominal, **parameters)
    return learner.fit(X, y).predict_proba


def _lightgbm(
    quantized: bool, task: str, X: np.ndarray, y: np.ndarray, leaves: int, options: Any
) -> Callable[[Any], Any]:
    import lightgbm

    objective = {"numbers": "regression", "several": "multiclass"}.get(task, "binary")
    settings = {
        "objective": objective,
        "num_leaves": leaves,
        "learning_rate": 0.1,
        "num_threads": options.threads,
        "verbose": -1,
        "use_quantized_grad": quantized,
    }
    if task == "several":
        settings["num_class"] = 7
    nominal = [7] if task == "nominal" else "auto"
    rows = lightgbm.Dataset(X, y, categorical_feature=nominal)
    return lightgbm.train(settings, rows, options.trees).predict  # type: ignore[no-any-return]


def _xgboost(task: str, X: np.ndarray, y: np.ndarray, leaves: int, options: Any) -> Callable[[Any], Any]:
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
    rows = xgboost.QuantileDMatrix(X, y, nthread=options.threads)
    model = xgboost.train(settings, rows, options.trees)
    return lambda X: model.predict(xgboost.DMatrix(X, nthread=options.threads))


def _sklearn(task: str, X: np.ndarray, y: np.ndarray, leaves: int, options: Any) -> Callable[[Any], Any]:
    from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

    parameters = {"max_iter": options.trees, "max_leaf_nodes": leaves, "early_stopping": False}
    if task == "numbers":
        return HistGradientBoostingRegressor(**parameters).fit(X, y).predict  # type: ignore[no-any-return]
    nominal = [7] if task == "nominal" else None
    learner = HistGradientBoostingClassifier(categorical_features=nominal, **parameters)
    return learner.fit(X, y).predict_proba  # type: ignore[no-any-return]


if __name__ == "__main__":
    main()
