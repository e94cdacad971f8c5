"""Race bough against scikit-learn on sparse tables: one tree, forests and predictions.

Both take turns within a run, so that a busy moment of the machine hits both alike, and the least time of each
counts. Where the machine is shared, seconds of the processor tell more than those of the clock: both are
kept. Examples:

    python benchmarks/bench_sparse.py
    python benchmarks/bench_sparse.py --tasks tree,forest --rows 100k --columns 10k --density 0.005
    python benchmarks/bench_sparse.py --tasks predict,forest_predict --repeats 5 --json sparse.json
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
import scipy.sparse as sp
from sklearn import ensemble, tree

import bough

THREADS = 2
TASKS = ("tree", "numbers", "forest", "forest_numbers", "extra", "predict", "forest_predict")
PEERS = ("bough", "sklearn")


@dataclass
class Result:
    """What one peer needed for one piece of work, the size of the model and the share of right answers."""

    task: str
    peer: str
    wall: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)
    nodes: int = 0
    quality: float = 0.0
    ratio_wall: float = 1.0
    ratio_cpu: float = 1.0


@dataclass(frozen=True)
class Rows:
    """A sparse table, of which a twentieth of the columns matter, and its two targets."""

    X: Any
    labels: Any
    numbers: Any

    @classmethod
    def drawn(cls, n_rows: int, n_columns: int, density: float, seed: int) -> "Rows":
        """Draw rows; columns matter in the same way for any seed."""
        random = np.random.default_rng(seed)
        X = sp.random_array((n_rows, n_columns), density=density, format="csr", dtype=np.float32, rng=random)
        meaning = np.random.default_rng(0)
        numbers = X @ (meaning.normal(size=n_columns) * (meaning.random(n_columns) < 0.05))
        numbers = numbers + random.normal(size=n_rows) * 0.3 * numbers.std()
        return cls(X, (numbers > np.median(numbers)).astype(np.int64), numbers)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run what the command line asks for, print a table and, if asked, write JSON."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--tasks", default="tree,forest", help=f"of {','.join(TASKS)}")
    parser.add_argument("--rows", default="20k", help="such as 100k or 1M")
    parser.add_argument("--columns", default="5k")
    parser.add_argument("--density", type=float, default=0.005)
    parser.add_argument("--trees", type=int, default=10)
    parser.add_argument("--repeats", type=int, default=1)
    parser.add_argument("--json", metavar="FILE", help="write the results here too")
    options = parser.parse_args(arguments)
    shape = _number(options.rows), _number(options.columns), options.density
    rows, test = Rows.drawn(*shape, seed=1), Rows.drawn(shape[0] // 5, *shape[1:], seed=2)
    results: list[Result] = []
    print(f"{shape[0]} rows, {shape[1]} columns, {rows.X.nnz} stored numbers")
    for task in options.tasks.split(","):
        if task not in TASKS:
            parser.error(f"{task!r} is not one of {', '.join(TASKS)}")
        results += _race(task, rows, test, options.trees, options.repeats)
    if options.json:
        Path(options.json).write_text(json.dumps([asdict(one) for one in results], indent=2) + "\n")


def _number(text: str) -> int:
    units = {"k": 1_000, "M": 1_000_000}
    return int(float(text.rstrip("kM")) * units.get(text[-1], 1))


def _race(task: str, rows: Rows, test: Rows, n_trees: int, repeats: int) -> list[Result]:
    results = [Result(task, peer) for peer in PEERS]
    works = {peer: _work(task, peer, rows, test, n_trees) for peer in PEERS}
    for _ in range(repeats):
        for result in results:
            gc.collect()
            wall, cpu = time.perf_counter(), time.process_time()
            made = works[result.peer]()
            result.cpu.append(time.process_time() - cpu)
            result.wall.append(time.perf_counter() - wall)
            if hasattr(made, "predict"):
                result.nodes = _n_nodes(made)
                result.quality = float(made.score(test.X, test.numbers if "numbers" in task else test.labels))
    for result in results:
        result.ratio_wall = min(result.wall) / min(results[0].wall)
        result.ratio_cpu = min(result.cpu) / min(results[0].cpu)
        print(
            f"{task:<16}{result.peer:<9}{min(result.wall):>9.3f} s {min(result.cpu):>9.3f} s cpu"
            f"{result.nodes:>10} nodes   quality {result.quality:.4f}"
            f"   it / bough {result.ratio_wall:.1f} ({result.ratio_cpu:.1f} cpu)",
            flush=True,
        )
    return results


def _learner(task: str, peer: str, n_trees: int) -> Any:
    kind = "Regressor" if "numbers" in task else "Classifier"
    if task.startswith(("forest", "extra")):
        home = bough if peer == "bough" else ensemble
        name = "ExtraTrees" if task == "extra" else "RandomForest"
        # scikit-learn's regression forests look at all columns unless they are told otherwise.
        return getattr(home, name + kind)(n_trees, max_features="sqrt", n_jobs=THREADS, random_state=0)
    if peer == "bough":
        return getattr(bough, "Tree" + kind)(n_jobs=THREADS)
    return getattr(tree, "DecisionTree" + kind)(random_state=0)


def _work(task: str, peer: str, rows: Rows, test: Rows, n_trees: int) -> Callable[[], Any]:
    learner = _learner(task, peer, n_trees)
    y = rows.numbers if "numbers" in task else rows.labels
    if not task.endswith("predict"):
        return lambda: learner.fit(rows.X, y)
    # Predictions are timed of models that need no long fit.
    few = slice(0, min(len(y), 20_000))
    model = learner.fit(rows.X[few], y[few])
    return lambda: model.predict(test.X)


def _n_nodes(model: Any) -> int:
    if hasattr(model, "forest_"):
        return int(model.forest_.n_nodes)
    trees = getattr(model, "estimators_", [model])
    return sum(
        each.tree_.node_count if hasattr(each.tree_, "node_count") else each.tree_.n_nodes for each in trees
    )


if __name__ == "__main__":
    main()
