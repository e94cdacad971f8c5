"""RankBoost and GBRank: their papers' definitions, files, and what they learn and refuse."""

import numpy as np
import pytest
from tests.ensembles import plain_ranking as plain

import bough
from bough.errors import ParameterError, TargetError

RNG = np.random.default_rng(4)
N = 150
X = RNG.normal(size=(N, 3))
GROUPS = RNG.integers(12, size=N)
Y = np.digitize(X[:, 0] + X[:, 1] ** 2 / 2 + RNG.normal(size=N) / 2, [0.0, 1.0])
TREE = {"max_depth": 3, "min_samples_leaf": 20}


def test_rankboost_is_that_of_freund_and_others():
    model = bough.RankBoostRanker(n_estimators=15).fit(X, Y, groups=GROUPS)
    found, alphas, rs = plain.rankboost(X, Y, GROUPS, 15)
    np.testing.assert_allclose(model.correlations_, rs, rtol=1e-9)
    np.testing.assert_allclose(model.estimator_weights_, alphas, rtol=1e-9)
    wanted = np.array(alphas) @ np.array(found)
    # A ranking of 0 and 1 is only known up to a constant.
    ours = model.predict(X) * sum(alphas)
    np.testing.assert_allclose(ours - ours.mean(), wanted - wanted.mean(), atol=1e-9)


def test_gbrank_is_that_of_zheng_and_others():
    def fit(rows, targets):
        return bough.TreeRegressor(**TREE).fit(rows, targets).predict

    learner = bough.GBRankRanker(
        bough.TreeRegressor(**TREE), n_estimators=6, learning_rate=2.0, pair_margin=0.5
    )
    model = learner.fit(X, Y, groups=GROUPS)
    h = plain.gbrank(X, Y, GROUPS, fit, 6, 0.5, 2.0)
    # The paper divides the sum of the regressors, times the rate, by one more than their number.
    np.testing.assert_allclose(model.predict(X) * 2.0 * 6 / 7, h, rtol=1e-6, atol=1e-9)
    assert model.wrong_pairs_[0] == 1


@pytest.mark.parametrize("learner", [bough.RankBoostRanker, bough.GBRankRanker])
def test_pair_rankers_order_new_groups_and_keep_in_files(learner, tmp_path):
    train = GROUPS < 8
    model = learner(n_estimators=20).fit(X[train], Y[train], groups=GROUPS[train])
    found = bough.evaluate(model, X[~train], Y[~train], groups=GROUPS[~train])
    assert found.measures["NDCG"].value > found.measures["NDCG"].baseline + 0.05
    assert model.score(X[~train], Y[~train], groups=GROUPS[~train]) == found.measures["NDCG"].value
    model.model_.save(tmp_path / "ranker.json")
    assert bough.load(tmp_path / "ranker.json") == model.model_
    assert bough.regrow(model.model_, X[train], Y[train], groups=GROUPS[train]) == model.model_
    with pytest.raises(ParameterError, match="groups is None"):
        bough.evaluate(model.model_, X, Y)


@pytest.mark.parametrize(
    "inner", [bough.C45Classifier(), bough.RandomForestClassifier(3, max_depth=3)], ids=repr
)
def test_rankboost_takes_any_classifier(inner):
    model = bough.RankBoostRanker(inner, n_estimators=5, random_state=0).fit(X, Y, groups=GROUPS)
    assert model.score(X, Y, groups=GROUPS) > 0.8


@pytest.mark.parametrize("learner", [bough.RankBoostRanker(), bough.GBRankRanker()], ids=repr)
def test_what_cannot_be_ranked_is_refused(learner):
    with pytest.raises(ParameterError, match="groups is None"):
        learner.fit(X, Y)
    with pytest.raises(TargetError, match="has this row alone"):
        learner.fit(X, Y, groups=np.arange(N))
    with pytest.raises(TargetError, match="the same for all rows"):
        learner.fit(X, np.ones(N), groups=GROUPS)
    with pytest.raises(TargetError, match="at least 0"):
        learner.fit(X, Y - 1, groups=GROUPS)
    with pytest.raises(ParameterError, match="pair_margin"):
        bough.GBRankRanker(pair_margin=0).fit(X, Y, groups=GROUPS)
