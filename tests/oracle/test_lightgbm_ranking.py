"""Measures of rankings are those of LightGBM, and LambdaMART learns as well as LightGBM's does."""

import numpy as np
import pytest

import bough
from bough.evaluation import mean_average_precision, ndcg

lightgbm = pytest.importorskip("lightgbm")

RNG = np.random.default_rng(5)
N_GROUPS, IN_GROUP = 150, 16
N = N_GROUPS * IN_GROUP
GROUPS = np.repeat(np.arange(N_GROUPS), IN_GROUP)
X = RNG.normal(size=(N, 5))
Y = np.digitize(X[:, 0] + X[:, 1] * X[:, 2] + RNG.normal(size=N), [0.5, 1.5, 2.5])
QUIET = {"verbosity": -1, "num_threads": 1, "deterministic": True}


def measured(metric, scores, k):
    """The measure that LightGBM computes from scores that no tree changes."""
    grades = Y if metric == "ndcg" else (Y > 0).astype(int)
    rows = lightgbm.Dataset(X, grades, group=[IN_GROUP] * N_GROUPS, init_score=scores, free_raw_data=False)
    found = {}
    settings = QUIET | {"objective": "lambdarank", "metric": metric, "eval_at": [k], "min_data_in_leaf": N}
    recorded = lightgbm.record_evaluation(found)
    lightgbm.train(settings, rows, 1, valid_sets=[rows], valid_names=["rows"], callbacks=[recorded])
    return found["rows"][f"{metric}@{k}"][0]


@pytest.mark.parametrize("k", [1, 3, 10, 16])
def test_measures_are_those_of_lightgbm(k):
    scores = RNG.normal(size=N)
    relevant = np.isin(GROUPS, GROUPS[Y > 0])
    assert relevant.all()
    assert measured("ndcg", scores, k) == pytest.approx(ndcg(Y, scores, GROUPS, k=k), rel=1e-6)
    assert measured("map", scores, k) == pytest.approx(
        mean_average_precision(Y, scores, GROUPS, k=k), rel=1e-6
    )


def test_lambdamart_ranks_as_well_as_lightgbm():
    train = GROUPS < 100
    ours = bough.GradientBoostingRanker(max_iter=100, truncation=10, random_state=0)
    ours.fit(X[train], Y[train], groups=GROUPS[train])
    theirs = lightgbm.LGBMRanker(n_estimators=100, lambdarank_truncation_level=10, **QUIET)
    theirs.fit(X[train], Y[train], group=[IN_GROUP] * 100)
    values = [ndcg(Y[~train], each.predict(X[~train]), GROUPS[~train], k=10) for each in (ours, theirs)]
    assert values[0] > values[1] - 0.02
