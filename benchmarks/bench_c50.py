"""Race C5.0's boosting against its single tree: ten trials may take twelve times as long, not more.

The two take turns, and the least time of each counts.

    python benchmarks/bench_c50.py --rows 10k,100k --runs 3
"""

import argparse
import time
from collections.abc import Sequence

import bough
from data import noisy_rows

TRIALS = 10
MOST = 12.0


def main(arguments: Sequence[str] | None = None) -> None:
    """Time both on each number of rows, and print the ratio."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", type=_counts, default=[10_000, 100_000], help="such as 10k,100k")
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args(arguments)
    models = {
        "one tree": bough.C50Classifier(),
        f"{TRIALS} trials": bough.C50Classifier(trials=TRIALS, early_stopping=False),
        "rules": bough.C50Classifier(rules=True),
    }
    print(f"{'rows':>9}  {'model':<10}{'best s':>10}  {'times one tree':>14}")
    for n_rows in options.rows:
        data = noisy_rows(n_rows, "float32")
        best = dict.fromkeys(models, float("inf"))
        for _ in range(options.runs):
            for name, model in models.items():
                start = time.perf_counter()
                model.fit(data.X, data.labels)
                best[name] = min(best[name], time.perf_counter() - start)
        for name, seconds in best.items():
            print(f"{n_rows:>9}  {name:<10}{seconds:>10.3f}  {seconds / best['one tree']:>14.2f}")


def _counts(text: str) -> list[int]:
    units = {"k": 1_000, "M": 1_000_000}
    return [int(each.rstrip("kM")) * units.get(each[-1], 1) for each in text.split(",")]


if __name__ == "__main__":
    main()
