"""How much memory forests take beyond the data, at the peak of each piece of work, in processes of their own.

`python forest_memory.py [ROWS] [TREES] [--json FILE]` prints a table; with `PEER WORK ROWS TREES` it is one
such process.
"""

import argparse
import json
import pickle
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from memory import since, start_mark

from data import noisy_rows

THREADS = 2
WORK = {
    "bough": ("fit", "fit with oob_score", "fit, watched", "predict_proba", "permutation_importance", "file"),
    "sklearn": ("fit", "fit with oob_score", "predict_proba", "file"),
}


def forest(peer: str, n_trees: int, **options: Any) -> Any:
    """Return a forest that is not grown yet."""
    if peer == "bough":
        from bough import RandomForestClassifier
    else:
        from sklearn.ensemble import RandomForestClassifier
    return RandomForestClassifier(n_trees, n_jobs=THREADS, random_state=0, **options)


def measured(peer: str, work: str, n_rows: int, n_trees: int) -> float:
    """Megabytes at the peak of the work; of "file", the size of the pickled forest."""
    small, large = noisy_rows(1000, "float32", seed=1), noisy_rows(n_rows, "float32")
    X, y = large.X, large.labels
    # A first small forest loads the libraries and starts their threads.
    forest(peer, 10).fit(small.X, small.labels).predict_proba(small.X)
    if work.startswith("fit"):
        options = {"oob_score": work != "fit"} | ({"verbose": 1} if "watched" in work else {})
        before = start_mark()
        forest(peer, n_trees, **options).fit(X, y)
        return since(before)
    model = forest(peer, n_trees).fit(X, y)
    if work == "file":
        return len(pickle.dumps(model)) / 2**20
    pieces: dict[str, Callable[[], Any]] = {
        "predict_proba": lambda: model.predict_proba(X),
        "permutation_importance": lambda: model.permutation_importance(X, y),
    }
    before = start_mark()
    pieces[work]()
    return since(before)


def main() -> None:
    """Measure every piece of work of every peer."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("rows", nargs="?", default="100000")
    parser.add_argument("trees", nargs="?", default="100")
    parser.add_argument("--json", metavar="FILE", help="write the results here too")
    options = parser.parse_args()
    results = []
    print("| peer | work | MB |\n|---|---|---|")
    for peer, works in WORK.items():
        for work in works:
            command = [sys.executable, __file__, peer, work, options.rows, options.trees]
            run = subprocess.run(command, capture_output=True, text=True, check=True)
            results.append({"peer": peer, "work": work, "megabytes": float(run.stdout.split()[-1])})
            print(f"| {peer} | {work} | {results[-1]['megabytes']:.0f} |", flush=True)
    if options.json:
        Path(options.json).write_text(json.dumps(results, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) == 5 and sys.argv[1] in WORK:
        print(measured(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])))
    else:
        main()
