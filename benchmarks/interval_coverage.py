"""How often intervals of 90 % hold a new number: those of errors out of bag, and those of leaves' quantiles.

Run as a program, it prints a table: `python interval_coverage.py [REPEATS]`.
"""

import sys

import numpy as np
import numpy.typing as npt

import bough

LEVEL = 0.9
METHODS = ("oob", "quantile")
Floats = npt.NDArray[np.float64]


def rows(rng: np.random.Generator, n_rows: int, kind: str) -> tuple[Floats, Floats]:
    """Draw rows: a line in two columns with even noise or noise that a third rules, or noise alone."""
    X = rng.normal(size=(n_rows, 4))
    noise = rng.normal(size=n_rows)
    if kind == "noise alone":
        return X, noise
    return X, 3 * X[:, 0] + X[:, 1] + noise * (0.3 + np.abs(X[:, 2]) if kind == "uneven noise" else 1.0)


def coverage(kind: str, n_rows: int, leaf: int, repeats: int) -> str:
    """Judge forests of new rows each time, and return a line of the table."""
    held: dict[str, list[float]] = {method: [] for method in METHODS}
    for repeat in range(repeats):
        rng = np.random.default_rng(repeat)
        X, y = rows(rng, n_rows, kind)
        fresh, truth = rows(rng, 1000, kind)
        options = {"min_samples_leaf": leaf, "max_features": 2, "oob_score": True, "quantiles": True}
        model = bough.RandomForestRegressor(200, random_state=repeat, **options).fit(X, y)
        for method in METHODS:
            low, high = model.predict_interval(fresh, LEVEL, method).T
            held[method].append(float(((low <= truth) & (truth <= high)).mean()))
    cells = [f"{np.mean(each):.3f} ± {np.std(each) / np.sqrt(repeats):.3f}" for each in held.values()]
    return f"| {kind} | {n_rows} | {leaf} | {' | '.join(cells)} |"


def main() -> None:
    """Judge every combination."""
    repeats = int(sys.argv[1]) if len(sys.argv) > 1 else 60
    print("| rows from | rows | min_samples_leaf | oob | quantile |\n|---|---|---|---|---|")
    for kind in ("even noise", "uneven noise", "noise alone"):
        for n_rows in (60, 150, 600):
            for leaf in (1, 5, 10):
                print(coverage(kind, n_rows, leaf, repeats), flush=True)


if __name__ == "__main__":
    main()
