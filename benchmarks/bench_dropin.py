"""Race the drop-in against scikit-learn: scripts before and after their imports are swapped, and single fits.

The scripts are those of tests/sklearn/tutorials: pipelines, grid search, calibration, several targets and
feature selection. The other rows fit or ask one model of each kind. `--threads` limits both libraries, but a
single tree of scikit-learn has one thread. The two libraries take turns, and the least time of each counts,
of the clock and of the processor; a ratio above 1 says that bough is faster. Examples:

    python benchmarks/bench_dropin.py
    python benchmarks/bench_dropin.py --rows calibration,pipeline --repeats 5 --json dropin.json
    python benchmarks/bench_dropin.py --rows sparse_forest --size full
"""

import argparse
import json
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import scipy.sparse as sp
import sklearn.ensemble
import sklearn.tree
from threadpoolctl import threadpool_limits

import bough.sklearn

sys.path.insert(0, str(Path(__file__).parents[1]))
from tests.sklearn.tutorials_runner import SCRIPTS, scores_of

N_TARGETS = 10


@dataclass(frozen=True)
class Size:
    """How large the tables are, and how many trees forests have."""

    n_rows: int
    sparse: tuple[int, int]
    n_trees: int


SIZES = {
    "small": Size(5_000, (20_000, 5_000), 10),
    "full": Size(50_000, (100_000, 10_000), 20),
}


@dataclass(frozen=True)
class Case:
    """A model to fit, or to ask about the rows it was fitted to."""

    learner: str
    table: Callable[[Size], tuple[Any, Any]]
    asks: str = ""
    forest: bool = False
    parameters: dict[str, Any] = field(default_factory=dict)

    def works(self, size: Size, n_threads: int = 1) -> list[Callable[[], Any]]:
        """Return the work with scikit-learn's class and with bough's."""
        X, y = self.table(size)
        works: list[Callable[[], Any]] = []
        for module in (_home(self.learner), bough.sklearn):
            more = {"n_estimators": size.n_trees} if self.forest else {}
            if "n_jobs" in getattr(module, self.learner)().get_params():
                more["n_jobs"] = n_threads
            model = getattr(module, self.learner)(random_state=0, **more, **self.parameters)
            if self.asks:
                works.append(partial(getattr(model.fit(X, y), self.asks), X))
            else:
                works.append(partial(model.fit, X, y))
        return works


def _home(learner: str) -> ModuleType:
    return sklearn.tree if hasattr(sklearn.tree, learner) else sklearn.ensemble


def numbers(size: Size) -> tuple[Any, Any]:
    """Return rows of numbers and a number for each."""
    random = np.random.default_rng(0)
    X = random.normal(size=(size.n_rows, 20)).astype(np.float32)
    return X, X[:, 0] + np.sin(3 * X[:, 1]) + X[:, 2] * X[:, 3] + random.normal(size=size.n_rows) / 2


def several_numbers(size: Size) -> tuple[Any, Any]:
    """Return rows and several numbers for each, which depend on all columns."""
    random = np.random.default_rng(1)
    X = random.normal(size=(size.n_rows, 20)).astype(np.float32)
    y = np.sin(X @ random.normal(size=(20, N_TARGETS))) + random.normal(size=(size.n_rows, N_TARGETS)) / 2
    return X, y


def several_classes(size: Size) -> tuple[Any, Any]:
    """Return rows and one of three classes of each of several targets."""
    X, y = several_numbers(size)
    return X, np.digitize(y, [-0.5, 0.5])


def sparse(size: Size) -> tuple[Any, Any]:
    """Return a sparse table, of which a twentieth of the columns matter, and two classes."""
    random = np.random.default_rng(2)
    n_columns = size.sparse[1]
    X = sp.random_array(size.sparse, density=0.005, format="csr", dtype=np.float32, rng=random)
    score = X @ (random.normal(size=n_columns) * (random.random(n_columns) < 0.05))
    score = score + random.normal(size=len(score)) * 0.3 * score.std()
    return X, (score > np.median(score)).astype(np.int64)


CASES = {
    "targets_tree": Case("DecisionTreeRegressor", several_numbers),
    "targets_class_tree": Case("DecisionTreeClassifier", several_classes),
    "targets_forest": Case("RandomForestRegressor", several_numbers, forest=True),
    "targets_class_forest": Case("RandomForestClassifier", several_classes, forest=True),
    "targets_extra": Case("ExtraTreesRegressor", several_numbers, forest=True),
    "targets_class_extra": Case("ExtraTreesClassifier", several_classes, forest=True),
    "monotonic_tree": Case("DecisionTreeRegressor", numbers, parameters={"monotonic_cst": [1] + [0] * 19}),
    "sparse_tree": Case("DecisionTreeClassifier", sparse),
    "sparse_tree_predict": Case("DecisionTreeClassifier", sparse, "predict"),
    "sparse_forest": Case("RandomForestClassifier", sparse, forest=True),
    "sparse_forest_predict": Case("RandomForestClassifier", sparse, "predict", forest=True),
    "isolation": Case("IsolationForest", numbers),
    "isolation_score": Case("IsolationForest", numbers, "score_samples"),
    "embedding": Case("RandomTreesEmbedding", numbers),
    "hist_numbers": Case("HistGradientBoostingRegressor", numbers),
    "hist_stopping": Case("HistGradientBoostingRegressor", numbers, parameters={"early_stopping": True}),
}


def least(works: list[Callable[[], Any]], repeats: int) -> list[tuple[float, float]]:
    """Return the least seconds of the clock and of the processor that each work takes."""
    taken: list[list[tuple[float, float]]] = [[] for _ in works]
    for _ in range(repeats):
        for work, own in zip(works, taken, strict=True):
            wall, cpu = time.perf_counter(), time.process_time()
            work()
            own.append((time.perf_counter() - wall, time.process_time() - cpu))
    return [(min(wall for wall, _ in own), min(cpu for _, cpu in own)) for own in taken]


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the rows that the command line names, print a table and, if asked, write JSON."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    scripts = {script.stem: script for script in SCRIPTS}
    names = [*scripts, *CASES]
    parser.add_argument("--rows", default=",".join(names), help=f"of {', '.join(names)}")
    parser.add_argument("--size", choices=SIZES, default="small")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--threads", type=int, default=2, help="of bough, and of scikit-learn's ensembles")
    parser.add_argument("--json", type=Path, help="a file for the results")
    asked = parser.parse_args(arguments)
    results = []
    print(f"{'row':<24}{'sklearn s':>10}{'bough s':>10}{'ratio':>8}{'cpu ratio':>11}")
    for name in asked.rows.split(","):
        if name not in names:
            parser.error(f"{name!r} is not one of {', '.join(names)}")
        if name in scripts:
            works = [partial(scores_of, scripts[name], swap=swap) for swap in (False, True)]
        else:
            works = CASES[name].works(SIZES[asked.size], asked.threads)
        with threadpool_limits(asked.threads):
            theirs, ours = least(works, asked.repeats)
        ratio, cpu_ratio = theirs[0] / ours[0], theirs[1] / ours[1]
        print(f"{name:<24}{theirs[0]:>10.2f}{ours[0]:>10.2f}{ratio:>8.1f}{cpu_ratio:>11.1f}", flush=True)
        results.append(
            {"row": name, "sklearn": theirs, "bough": ours, "ratio": ratio, "cpu_ratio": cpu_ratio}
        )
    if asked.json:
        asked.json.write_text(json.dumps(results, indent=2) + "\n")


if __name__ == "__main__":
    main()
