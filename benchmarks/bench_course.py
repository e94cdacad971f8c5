"""Race learners of the course against public packages: seconds and quality on rows that were not fitted.

- isolation: `IsolationForest` against scikit-learn's, on rows of two clusters with outliers between them. Fit
  and scores of all rows are timed apart; quality is the area under the ROC curve of the outliers.
- rulefit: `RuleEnsembleRegressor` and `RuleEnsembleClassifier` against imodels' RuleFit, with about as many
  candidate rules as imodels is allowed, and each with its own defaults; quality is R² or the area.
- survival: `RandomForestSurvival` against scikit-survival's `RandomSurvivalForest`, as many trees with the
  same limits; quality is Harrell's concordance.

Both take turns, and the least time of each counts: of the clock, and of all processors. Data are drawn, or
come with scikit-learn and scikit-survival. Packages that are not installed are left out. Examples:

    python benchmarks/bench_course.py
    python benchmarks/bench_course.py --cases survival --sizes small --repeats 3 --n-jobs 1 --json course.json
"""

import argparse
import importlib.util
import json
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import is_classifier
from sklearn.datasets import load_breast_cancer, load_diabetes, make_friedman1
from sklearn.metrics import r2_score, roc_auc_score

import bough

SIZES = ("small", "large")


@dataclass(frozen=True)
class Race:
    """The same work of bough and of a peer; the result of `work` is judged, which is not timed."""

    name: str
    ours: Callable[[], Any]
    peer: Callable[[], Any]
    judge: Callable[[Any], float]


def isolation(size: str, n_jobs: int) -> Iterator[Race]:
    """Yield races of isolation forests."""
    from sklearn.ensemble import IsolationForest

    shapes = [(1_000, 5), (10_000, 20)] if size == "small" else [(100_000, 20), (1_000_000, 20)]
    for n_rows, n_columns in shapes:
        rng = np.random.default_rng(0)
        X = rng.normal(size=(n_rows, n_columns))
        X[: n_rows // 2] += 4.0
        is_outlier = rng.random(n_rows) < 0.02
        X[is_outlier] = rng.uniform(-4, 8, size=(is_outlier.sum(), n_columns))
        own = bough.IsolationForest(100, random_state=0, n_jobs=n_jobs)
        peer = IsolationForest(n_estimators=100, random_state=0, n_jobs=n_jobs)
        area = partial(_area_of_outliers, X, is_outlier)
        yield Race(f"isolation fit {n_rows}x{n_columns}", partial(own.fit, X), partial(peer.fit, X), area)
        fitted = own.fit(X), peer.fit(X)
        yield Race(
            f"isolation scores {n_rows}x{n_columns}",
            partial(fitted[0].score_samples, X),
            partial(fitted[1].score_samples, X),
            lambda scores, truth=is_outlier: float(roc_auc_score(truth, -scores)),
        )


def _area_of_outliers(X: Any, is_outlier: Any, model: Any) -> float:
    return float(roc_auc_score(is_outlier, -model.score_samples(X)))


def rulefit(size: str, n_jobs: int) -> Iterator[Race]:
    """Yield races of rule ensembles."""
    from imodels import RuleFitClassifier, RuleFitRegressor

    n_rules = 300 if size == "small" else 1000
    # A tree of four leaves on average has about six nodes below the root.
    trees = {"n_estimators": n_rules // 6, "n_jobs": n_jobs}
    tables = {
        "diabetes": (*load_diabetes(return_X_y=True), bough.RuleEnsembleRegressor, RuleFitRegressor),
        "friedman": (
            *make_friedman1(2000, noise=1.0, random_state=0),
            bough.RuleEnsembleRegressor,
            RuleFitRegressor,
        ),
        "breast_cancer": (
            *load_breast_cancer(return_X_y=True),
            bough.RuleEnsembleClassifier,
            RuleFitClassifier,
        ),
    }
    for name, (X, y, own, peer) in tables.items():
        order = np.random.default_rng(0).permutation(len(y))
        train, test = order[::2], order[1::2]
        judge = partial(_quality, X[test], y[test])
        kinds = {
            f"{n_rules} rules": (own(**trees), peer(max_rules=n_rules, random_state=0)),
            "defaults": (own(n_jobs=n_jobs), peer(random_state=0)),
        }
        for kind, (ours, theirs) in kinds.items():
            yield Race(
                f"rulefit {name} {kind}",
                partial(ours.fit, X[train], y[train]),
                partial(theirs.fit, X[train], y[train]),
                judge,
            )


def _quality(X: Any, y: Any, model: Any) -> float:
    if is_classifier(model):
        return float(roc_auc_score(y, model.predict_proba(X)[:, 1]))
    return float(r2_score(y, model.predict(X)))


def survival(size: str, n_jobs: int) -> Iterator[Race]:
    """Yield races of survival forests."""
    from sksurv.ensemble import RandomSurvivalForest

    for name, X, y, train, test in _times(size):
        ours = bough.RandomForestSurvival(
            100, min_samples_split=6, min_samples_leaf=3, random_state=0, n_jobs=n_jobs
        )
        theirs = RandomSurvivalForest(
            100, min_samples_split=6, min_samples_leaf=3, random_state=0, n_jobs=n_jobs
        )
        yield Race(
            f"survival {name}",
            partial(ours.fit, X[train], y[train]),
            partial(theirs.fit, X[train], y[train]),
            partial(_concordance, X[test], y[test]),
        )


def _times(size: str) -> Iterator[tuple[str, Any, Any, Any, Any]]:
    """Yield tables of censored times: features, times with statuses, rows to fit and rows to judge."""
    from sksurv.datasets import load_gbsg2
    from sksurv.preprocessing import OneHotEncoder

    X, y = load_gbsg2()
    X = OneHotEncoder().fit_transform(X.astype(dict.fromkeys(X.select_dtypes("object"), "category")))
    order = np.random.default_rng(0).permutation(len(y))
    yield "GBSG2", X.to_numpy(dtype=float), y, order[::2], order[1::2]
    n_rows = 2_000 if size == "small" else 5_000
    rng = np.random.default_rng(1)
    drawn = rng.normal(size=(2 * n_rows, 10))
    hazard = np.exp(drawn[:, 0] + np.where(drawn[:, 1] > 0, drawn[:, 2], -drawn[:, 3]))
    event, end = rng.exponential(1 / hazard), rng.exponential(2.0, 2 * n_rows)
    times = np.empty(2 * n_rows, dtype=[("event", bool), ("time", float)])
    times["event"], times["time"] = event <= end, np.minimum(event, end)
    yield f"drawn {n_rows}x10", drawn, times, np.arange(n_rows), np.arange(n_rows, 2 * n_rows)


def _concordance(X: Any, y: Any, model: Any) -> float:
    from sksurv.metrics import concordance_index_censored

    event, time_name = y.dtype.names
    return float(concordance_index_censored(y[event], y[time_name], model.predict(X))[0])


CASES = {
    "isolation": (isolation, "sklearn"),
    "rulefit": (rulefit, "imodels"),
    "survival": (survival, "sksurv"),
}


def timed(work: Callable[[], Any]) -> tuple[float, float, Any]:
    """Return the seconds of the clock and of all processors that some work takes, and its result."""
    start, of_processors = time.perf_counter(), time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = work()
    return time.perf_counter() - start, time.process_time() - of_processors, result


def measured(race: Race, repeats: int) -> dict[str, Any]:
    """Return the least times of both and the quality of what they gave."""
    clock, processor, quality = {}, {}, {}
    for repeat in range(repeats):
        for name, work in (("bough", race.ours), ("peer", race.peer)):
            wall, cpu, result = timed(work)
            clock[name] = min(wall, clock.get(name, wall))
            processor[name] = min(cpu, processor.get(name, cpu))
            if repeat == 0:
                quality[name] = race.judge(result)
    return {"race": race.name, "clock": clock, "processor": processor, "quality": quality}


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the races and print the seconds, the ratios and the quality of both."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--cases", default=",".join(CASES))
    parser.add_argument("--sizes", default="small", help=", ".join(SIZES))
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--n-jobs", type=int, default=1, help="threads of both; imodels has one")
    parser.add_argument("--json", type=Path, default=None)
    options = parser.parse_args(arguments)
    print(f"{'race':<36}{'bough':>9}{'peer':>9}{'ratio':>7}{'CPU':>9}{'peer':>9}{'ratio':>7}{'quality':>16}")
    found = []
    for case in options.cases.split(","):
        races, package = CASES[case]
        if importlib.util.find_spec(package) is None:
            print(f"{case}: {package} is not installed")
            continue
        for size in options.sizes.split(","):
            for race in races(size, options.n_jobs):
                found.append(measured(race, options.repeats))
                _print(found[-1])
    if options.json is not None:
        options.json.write_text(json.dumps(found, indent=1), encoding="utf-8")


def _print(row: dict[str, Any]) -> None:
    cells = ""
    for kind in ("clock", "processor"):
        own, peer = row[kind]["bough"], row[kind]["peer"]
        cells += f"{own:>9.3f}{peer:>9.3f}{peer / max(own, 1e-9):>7.1f}"
    quality = f"{row['quality']['bough']:.3f} / {row['quality']['peer']:.3f}"
    print(f"{row['race']:<36}{cells}{quality:>16}", flush=True)


if __name__ == "__main__":
    main()
