"""Race bough's CART against R's rpart, scikit-learn, and itself without surrogates and without shared folds.

One process of R a table waits for its turns and times each fit itself, so that neither its start nor the
reading of the table counts; bough fits in between. The least time of each counts; seconds of the processor
are kept too, which tell more where the machine is shared. The tables pima and solder are small ones repeated;
"levels" is drawn: ten nominal columns of 3 to 26 levels, whose rows are different, with counts, two classes
and numbers to predict. In the task "default" scikit-learn grows one tree in full, and bough eleven, to prune
one of them by ten folds. Examples:

    python benchmarks/bench_cart.py
    python benchmarks/bench_cart.py --tasks surrogates,folds --rows 20k --repeats 5
    python benchmarks/bench_cart.py --tasks rpart --times 50 --json cart.json
    python benchmarks/bench_cart.py --tasks rpart,default --tables solder --threads 1,2,16
    python benchmarks/bench_cart.py --tasks rpart --tables levels --rows 150k --threads 1
"""

import argparse
import csv
import gc
import json
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import bough
from data import noisy_rows, nominal_rows

TASKS = ("rpart", "surrogates", "folds", "default")
TABLES = ("pima", "solder", "levels")
METHODS = {"classification": "class", "poisson": "poisson"}
N_FOLDS = 10
FOLDER = Path(__file__).parents[1] / "tests" / "golden" / "data"

R_SCRIPT = """
library(rpart)
given <- commandArgs(TRUE)
table <- read.csv(given[1], na.strings = "", stringsAsFactors = TRUE)
names(table)[ncol(table)] <- "y"
method <- given[2]
turns <- file("stdin", "r")
while (length(line <- readLines(turns, 1)) > 0) {
  gc()
  start <- proc.time()
  fit <- rpart(y ~ ., table, method = method, control = rpart.control(xval = as.integer(line)))
  spent <- proc.time() - start
  cat(spent[["elapsed"]], spent[["user.self"]] + spent[["sys.self"]], "\\n")
  flush(stdout())
}
"""


@dataclass
class Result:
    """What one contestant needed for one piece of work: seconds of each run."""

    task: str
    rows: int
    peer: str
    runs: list[float]
    cpu: list[float]
    ratio: float | None = None
    """The least time of the reference, the last of its group, by its own."""
    ratio_cpu: float | None = None

    @property
    def best(self) -> float:
        """The least of the runs."""
        return min(self.runs)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run what the command line asks for, print a table and, if asked, write JSON."""
    options = _options(arguments)
    results: list[Result] = []
    print(
        f"{'task':<26}{'rows':>8}  {'contestant':<22}{'best':>12}{'processor':>12}"
        f"  {'last / it':>10}{'(processor)':>13}"
    )
    for group in _groups(options):
        for result in group:
            result.ratio = group[-1].best / result.best
            result.ratio_cpu = min(group[-1].cpu) / min(result.cpu)
            seconds, processor = (f"{least * 1e3:.1f} ms" for least in (result.best, min(result.cpu)))
            print(
                f"{result.task:<26}{result.rows:>8}  {result.peer:<22}{seconds:>12}{processor:>12}"
                f"  {result.ratio:>10.2f}{result.ratio_cpu:>13.2f}"
            )
        results += group
        sys.stdout.flush()
    if options.json:
        machine = {
            "python": platform.python_version(),
            "machine": platform.machine(),
            "bough": bough.__version__,
        }
        document = {"machine": machine, "results": [asdict(result) for result in results]}
        Path(options.json).write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--tasks", type=_names(TASKS), default=list(TASKS), help=f"of {','.join(TASKS)}")
    parser.add_argument("--tables", type=_names(TABLES), default=list(TABLES), help=f"of {','.join(TABLES)}")
    parser.add_argument("--times", type=int, default=200, help="how often the rows of a table are repeated")
    parser.add_argument("--rows", type=_count, default=100_000, help="of drawn tables, such as 20k")
    parser.add_argument("--threads", type=_threads, default=[1, 2], help="of bough, such as 1,2,16")
    parser.add_argument("--repeats", type=int, default=3, help="runs of each; the least counts")
    parser.add_argument("--data", type=Path, default=FOLDER, help="the folder of the tables")
    parser.add_argument("--json", metavar="FILE", help="write the results here too")
    return parser.parse_args(arguments)


def _names(known: Sequence[str]) -> Callable[[str], list[str]]:
    def parse(text: str) -> list[str]:
        names = text.split(",")
        for name in names:
            if name not in known:
                raise argparse.ArgumentTypeError(f"{name!r} is not one of {', '.join(known)}")
        return names

    return parse


def _threads(text: str) -> list[int]:
    return [int(number) for number in text.split(",")]


def _count(text: str) -> int:
    return int(float(text.rstrip("k")) * (1000 if text.endswith("k") else 1))


def _groups(options: argparse.Namespace) -> Iterator[list[Result]]:
    if "rpart" in options.tasks:
        _check_rpart()
        for name in options.tables:
            for case, X, y, method in _tables(name, options):
                yield from _race_rpart(case, X, y, method, options)
    if "surrogates" in options.tasks:
        yield _race_surrogates(options)
    if "folds" in options.tasks:
        yield _race_folds(options)
    if "default" in options.tasks:
        yield _race_default(options)


def _check_rpart() -> None:
    """Exit unless R has the package rpart."""
    try:
        subprocess.run(["Rscript", "-e", "library(rpart)"], check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        tasks = ",".join(task for task in TASKS if task != "rpart")
        raise SystemExit(
            f"The task 'rpart' needs R with the package rpart. Install them, or give --tasks {tasks}."
        ) from None


def _tables(name: str, options: argparse.Namespace) -> Iterator[tuple[str, pd.DataFrame, Any, str]]:
    """Yield the name of each case, its columns and its target, and rpart's method for it."""
    if name == "levels":
        data = nominal_rows(options.rows)
        for method, y in (("poisson", data.counts), ("class", data.labels), ("anova", data.numbers)):
            yield f"levels, {method}", data.X, y, method
        return
    schema = json.loads((options.data / f"{name}.schema.json").read_text(encoding="utf-8"))
    table = _read(name, schema, options)
    yield name, table.iloc[:, :-1], table.iloc[:, -1], METHODS[schema["task"]]


def _race_rpart(
    name: str, X: pd.DataFrame, y: Any, method: str, options: argparse.Namespace
) -> Iterator[list[Result]]:
    with _rpart(X.assign(y=y), method) as fit:
        for xval in (N_FOLDS, 0):
            work = {
                f"bough, {n} threads": partial(_like_rpart, X, y, method, xval, n) for n in options.threads
            }
            work["rpart"] = partial(fit, xval)
            runs = _taken_turns(work, options.repeats)
            yield [Result(f"{name}, xval={xval}", len(X), peer, *run) for peer, run in runs.items()]


def _read(name: str, schema: dict[str, Any], options: argparse.Namespace) -> pd.DataFrame:
    once = pd.read_csv(options.data / f"{name}.csv", keep_default_na=False, na_values=[""])
    for column in schema["columns"]:
        if column["type"] != "numeric":
            values = once[column["name"]].map(str, na_action="ignore")
            once[column["name"]] = pd.Categorical(values, column["levels"])
    target = once.pop(schema["target"])
    return pd.concat([once.assign(**{schema["target"]: target})] * options.times, ignore_index=True)


@contextmanager
def _rpart(table: pd.DataFrame, method: str) -> Iterator[Callable[[int], tuple[float, float]]]:
    """Start R once; what it yields has rpart fit the table, and returns the seconds that R counted."""
    with tempfile.TemporaryDirectory() as folder:
        path, script = Path(folder) / "table.csv", Path(folder) / "fit.R"
        nominal = table.select_dtypes("category").columns
        # Quoted levels that are numbers would be read as numbers; a letter makes them text.
        text = {name: "l" + table[name].astype(str) for name in nominal}
        table.assign(**text).to_csv(path, index=False, quoting=csv.QUOTE_MINIMAL)
        script.write_text(R_SCRIPT, encoding="utf-8")
        process = subprocess.Popen(
            ["Rscript", "--vanilla", str(script), str(path), method],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

        def fit(xval: int) -> tuple[float, float]:
            assert process.stdin is not None
            assert process.stdout is not None
            process.stdin.write(f"{xval}\n")
            process.stdin.flush()
            wall, cpu = process.stdout.readline().split()
            return float(wall), float(cpu)

        try:
            yield fit
        finally:
            process.communicate()


def _like_rpart(X: pd.DataFrame, y: Any, method: str, xval: int, n_jobs: int) -> None:
    if method == "class":
        bough.CARTClassifier.like_rpart(xval=xval, n_jobs=n_jobs).fit(X, y)
    else:
        bough.CARTRegressor.like_rpart(method=method, xval=xval, n_jobs=n_jobs).fit(X, y)


def _race_surrogates(options: argparse.Namespace) -> list[Result]:
    """Grow a complete table, whose surrogates are searched for though none of its rows needs one."""
    data = noisy_rows(options.rows, "float32")
    work = {}
    for missing in ("surrogates_then_majority", "majority"):
        model = bough.CARTClassifier(prune="none", missing=missing, n_jobs=1)
        work[f"missing={missing.partition('_')[0]}"] = partial(model.fit, data.X, data.labels)
    runs = _taken_turns(work, options.repeats)
    return [Result("grown in full", options.rows, peer, *run) for peer, run in runs.items()]


def _race_folds(options: argparse.Namespace) -> list[Result]:
    data = noisy_rows(options.rows, "float32")
    folds = np.arange(options.rows) % N_FOLDS
    settings: dict[str, Any] = {"missing": "majority", "min_samples_leaf": 5, "n_jobs": 1}
    together = bough.CARTClassifier(cv=folds, **settings)

    def apart() -> None:
        bough.CARTClassifier(prune="none", **settings).fit(data.X, data.labels)
        for fold in range(N_FOLDS):
            kept = folds != fold
            model = bough.CARTClassifier(prune="none", **settings).fit(data.X[kept], data.labels[kept])
            model.predict(data.X[~kept])

    work = {"cv=10": partial(together.fit, data.X, data.labels), "11 fits": apart}
    runs = _taken_turns(work, options.repeats)
    return [Result("cross-validated", options.rows, peer, *run) for peer, run in runs.items()]


def _race_default(options: argparse.Namespace) -> list[Result]:
    from sklearn.tree import DecisionTreeClassifier

    data = noisy_rows(options.rows, "float32")
    work: dict[str, Callable[[], Any]] = {
        f"bough, {n} threads": partial(bough.CARTClassifier(n_jobs=n).fit, data.X, data.labels)
        for n in options.threads
    }
    work["scikit-learn, one fit"] = partial(DecisionTreeClassifier().fit, data.X, data.labels)
    runs = _taken_turns(work, options.repeats)
    return [Result("pruned by ten folds", options.rows, peer, *run) for peer, run in runs.items()]


def _taken_turns(
    work: Mapping[str, Callable[[], Any]], repeats: int
) -> dict[str, tuple[list[float], list[float]]]:
    """Let each do its work in turn; one that returns a pair (clock, processor) has timed itself."""
    runs: dict[str, tuple[list[float], list[float]]] = {name: ([], []) for name in work}
    for _ in range(repeats):
        for name, do in work.items():
            gc.collect()
            start, begun = time.perf_counter(), time.process_time()
            timed = do()
            spent = time.perf_counter() - start, time.process_time() - begun
            wall, cpu = timed if isinstance(timed, tuple) else spent
            runs[name][0].append(wall)
            runs[name][1].append(cpu)
    return runs


if __name__ == "__main__":
    main(sys.argv[1:])
