"""Large models as files: size, and the time to save and to load, of bough's zip, its JSON and a pickle.

    python benchmarks/bench_files.py

The least processor time of several runs is printed, in milliseconds.
"""

import argparse
import pickle
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import bough


def models(n_rows: int) -> dict[str, Any]:
    """Fit the models to random rows."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_rows, 10))
    y = X[:, 0] * X[:, 1] + rng.normal(size=n_rows)
    fitted = {
        "tree": bough.TreeRegressor().fit(X, y),
        "forest of classes, 100 trees": bough.RandomForestClassifier(100, random_state=0).fit(X, y > 0),
        "forest of numbers, 60 trees": bough.RandomForestRegressor(60, random_state=0).fit(X, y),
        "boosting, 2,000 trees": bough.GradientBoostingRegressor(max_iter=2000, max_leaf_nodes=31).fit(X, y),
        "isolation forest, 300 trees": bough.IsolationForest(300, random_state=0).fit(X),
    }
    return {name: learner.model_ for name, learner in fitted.items()}


def least(work: Callable[[], object], n_runs: int) -> float:
    """Return the least processor time of some runs in milliseconds."""
    times = []
    for _ in range(n_runs):
        begun = time.process_time()
        work()
        times.append(time.process_time() - begun)
    return min(times) * 1000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rows", type=int, default=20_000)
    parser.add_argument("--runs", type=int, default=5)
    asked = parser.parse_args()
    print(f"{'model':30}{'file':>8}{'MB':>8}{'save':>8}{'load':>8}")
    with tempfile.TemporaryDirectory() as folder:
        for name, model in models(asked.rows).items():
            path = Path(folder) / "model.pickle"
            ways = {
                "zip": (lambda p, m=model: m.save(p), bough.load),
                "json": (lambda p, m=model: m.save(p), bough.load),
                "pickle": (lambda p, m=model: p.write_bytes(pickle.dumps(m)), _unpickled),
            }
            for way, (save, load) in ways.items():
                path = Path(folder) / f"model.{way}"
                saved, loaded = (
                    least(lambda work=work, path=path: work(path), asked.runs) for work in (save, load)
                )
                size = path.stat().st_size / 1e6
                print(f"{name:30}{way:>8}{size:8.1f}{saved:8.1f}{loaded:8.1f}", flush=True)


def _unpickled(path: Path) -> Any:
    return pickle.loads(path.read_bytes())


if __name__ == "__main__":
    main()
