"""Rankings: LambdaMART's gradients, the measures of others, what is learned and what is refused."""

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import average_precision_score, ndcg_score
from tests.ensembles import plain_ranking as plain

import bough
from bough.errors import ParameterError, TargetError
from bough.evaluation import mean_average_precision, mean_reciprocal_rank, ndcg

RNG = np.random.default_rng(2)
N = 420
X = RNG.normal(size=(N, 4))
GROUPS = np.concatenate([np.repeat(np.arange(15), 2), RNG.integers(30, size=N - 30)])
RELEVANCE = X[:, 0] + X[:, 1] * X[:, 2] + RNG.normal(size=N) / 2
Y = np.digitize(RELEVANCE, [0.3, 1.0, 2.0])
LOSSES = ("ndcg", "map", "mrr", "pairwise")


@pytest.mark.parametrize("truncation", [None, 3])
@pytest.mark.parametrize("loss", LOSSES)
def test_gradients_are_those_of_lambdamart(loss, truncation):
    learner = bough.GradientBoostingRanker(
        loss=loss, truncation=truncation, max_iter=2, max_leaf_nodes=40, min_samples_leaf=1, min_hessian=0.0,
        learning_rate=0.5,
    )  # fmt: skip
    rows, grades, groups = X[:200], Y[:200], GROUPS[:200]
    model = learner.fit(rows, grades, groups=groups).model_
    for number, tree in enumerate(model.trees):
        scores = model.scores(rows, n_rounds=number)[:, 0]
        gradient, hessian = plain.gradients(grades, scores, groups, loss, truncation)
        leaf = tree.apply(rows)
        sums = [np.bincount(leaf, each, minlength=tree.n_nodes) for each in (gradient, hessian)]
        ends = np.unique(leaf)
        np.testing.assert_allclose(tree.weight[ends], sums[1][ends], rtol=1e-8, atol=1e-10)
        known = ends[sums[1][ends] > 1e-9]
        value = tree.statistics[known, 0]
        np.testing.assert_allclose(value, -0.5 * sums[0][known] / sums[1][known], rtol=1e-7, atol=1e-9)
        assert len(ends) > 20


def test_positions_can_be_weighted():
    weights = [1.0, 0.8, 0.1]
    learner = bough.GradientBoostingRanker(position_weights=weights, max_iter=1, min_samples_leaf=20)
    tree = learner.fit(X, Y, groups=GROUPS).model_.tree(0)
    _, hessian = plain.gradients(Y, np.zeros(N), GROUPS, "ndcg", None, weights)
    leaf = tree.apply(X)
    sums = np.bincount(leaf, hessian, minlength=tree.n_nodes)
    np.testing.assert_allclose(tree.weight[np.unique(leaf)], sums[np.unique(leaf)], rtol=1e-8)


@pytest.mark.parametrize("k", [None, 1, 3, 5, 100])
def test_ndcg_is_that_of_scikit_learn(k):
    scores = RNG.normal(size=N).round(1)
    wanted = []
    for group in np.unique(GROUPS):
        rows = group == GROUPS
        if Y[rows].any():
            wanted.append(ndcg_score([Y[rows]], [scores[rows]], k=k))
    assert ndcg(Y, scores, GROUPS, k=k, gain="linear") == pytest.approx(np.mean(wanted), rel=1e-12)


@pytest.mark.parametrize("k", [None, 2, 5])
def test_measures_are_their_definitions(k):
    scores = RNG.normal(size=N)
    orders = [
        Y[rows[np.argsort(-scores[rows])]].tolist()
        for rows in (np.flatnonzero(group == GROUPS) for group in np.unique(GROUPS))
    ]
    orders = [order for order in orders if any(order)]
    for ours, reference in (
        (ndcg, plain.ndcg),
        (mean_average_precision, plain.average_precision),
        (mean_reciprocal_rank, plain.reciprocal_rank),
    ):
        assert ours(Y, scores, GROUPS, k=k) == pytest.approx(np.mean([reference(each, k) for each in orders]))
    one = GROUPS[0] == GROUPS
    theirs = average_precision_score(Y[one] > 0, scores[one])
    assert mean_average_precision(Y[one], scores[one], GROUPS[one]) == pytest.approx(theirs)


@pytest.mark.parametrize("loss", LOSSES)
def test_a_ranker_learns_the_order_of_new_groups(loss):
    train = GROUPS < 20
    model = bough.GradientBoostingRanker(loss=loss, max_iter=60, min_samples_leaf=10)
    model.fit(X[train], Y[train], groups=GROUPS[train])
    found = bough.evaluate(model, X[~train], Y[~train], groups=GROUPS[~train])
    assert found.measures["NDCG"].value > found.measures["NDCG"].baseline + 0.1
    assert model.score(X[~train], Y[~train], groups=GROUPS[~train]) == found.measures["NDCG"].value
    assert {*found.measures} == {"NDCG", "NDCG@5", "NDCG@10", "MAP", "MRR"}


def test_the_model_is_saved_regrown_and_the_same_for_any_number_of_threads(tmp_path):
    learner = bough.GradientBoostingRanker(max_iter=5, truncation=5, random_state=0)
    model = learner.set_params(n_jobs=1).fit(X, Y, groups=GROUPS).model_
    assert learner.set_params(n_jobs=3).fit(X, Y, groups=GROUPS).model_ == model
    model.save(tmp_path / "ranker.json")
    assert bough.load(tmp_path / "ranker.json") == model
    assert bough.regrow(model, X, Y, groups=GROUPS) == model
    with pytest.raises(ParameterError, match="groups is None"):
        bough.regrow(model, X, Y)


def test_ids_may_be_anything_and_rows_of_a_group_apart():
    names = np.array([f"query {group}" for group in GROUPS])
    learner = bough.GradientBoostingRanker(max_iter=5)
    by_number = learner.fit(X, Y, groups=GROUPS).predict(X)
    np.testing.assert_array_equal(learner.fit(X, Y, groups=names).predict(X), by_number)
    order = GROUPS.argsort(kind="stable")
    sorted_rows = learner.fit(X[order], Y[order], groups=GROUPS[order]).predict(X)
    np.testing.assert_allclose(sorted_rows, by_number, rtol=1e-9)
    frame = pd.DataFrame(X, columns=[*"abcd"]).assign(query=names)
    model = learner.fit(frame, Y, groups="query")
    assert model.model_.schema.names == ("a", "b", "c", "d")
    np.testing.assert_array_equal(model.predict(frame.drop(columns="query")), by_number)
    assert 0.5 < model.score(frame, Y, groups="query") <= 1


@pytest.mark.parametrize("loss", LOSSES)
def test_early_stopping_holds_out_whole_groups(loss):
    learner = bough.GradientBoostingRanker(
        loss=loss, early_stopping=True, max_iter=200, random_state=0, validation_fraction=0.3
    )
    model = learner.fit(X, Y, groups=GROUPS)
    assert model.n_iter_ == 1 + model.validation_loss_.argmin() < 200
    assert bough.regrow(model.model_, X, Y, groups=GROUPS) == model.model_


def test_the_validation_loss_is_one_less_the_measure():
    # Few distinct values, so that each of them is a bin of the training rows.
    train, rows = GROUPS < 20, X.round()
    held_out = {"X_val": rows[~train], "y_val": Y[~train], "groups_val": GROUPS[~train]}
    for loss, measure in (("ndcg", ndcg), ("map", mean_average_precision), ("mrr", mean_reciprocal_rank)):
        learner = bough.GradientBoostingRanker(loss=loss, max_iter=40, truncation=4)
        model = learner.fit(rows[train], Y[train], groups=GROUPS[train], **held_out)
        found = measure(Y[~train], model.predict(rows[~train]), GROUPS[~train], k=4)
        assert model.validation_loss_[model.n_iter_ - 1] == pytest.approx(1 - found, rel=1e-9)


@pytest.mark.parametrize("loss", LOSSES)
def test_validation_rows_of_weight_0_are_left_out(loss):
    first, rest, weight = np.arange(N) < 300, np.arange(N) >= 300, np.arange(N) % 3 > 0
    kept = rest & weight

    def losses(rows, **given):
        learner = bough.GradientBoostingRanker(loss=loss, max_iter=5, min_samples_leaf=5)
        val = {"X_val": X[rows], "y_val": Y[rows], "groups_val": GROUPS[rows]}
        return learner.fit(X[first], Y[first], groups=GROUPS[first], **val, **given).validation_loss_

    weighed = losses(rest, sample_weight_val=weight[rest].astype(float))
    np.testing.assert_allclose(weighed, losses(kept), rtol=1e-12)


def test_cross_validation_ranks_each_group_in_its_fold():
    learner = bough.GradientBoostingRanker(max_iter=20)
    found = bough.evaluation.cross_validated(learner, X, Y, cv=3, groups=GROUPS)
    assert len(np.unique(found.groups)) == len(np.unique(GROUPS))
    assert found.measures["NDCG"].value > found.measures["NDCG"].baseline
    assert "NDCG@5" in found.text()


def test_rankers_are_compared_with_regressors_by_ndcg():
    learners = {
        "ranker": bough.GradientBoostingRanker(max_iter=10),
        "tree": bough.TreeRegressor(max_depth=2),
        "rankboost": bough.RankBoostRanker(n_estimators=10),
    }
    found = bough.compare(X, Y, learners, task="regression", cv=3, groups=GROUPS)
    errors = {entry.name: entry.error for entry in found}
    assert found.measure == "1 − NDCG"
    assert max(errors["ranker"], errors["rankboost"], errors["tree"]) < errors["one answer for all"]
    assert f"on {N} rows" in str(found)


def test_rows_without_weight_are_left_out():
    weight = (RNG.random(N) < 0.7).astype(float)
    weight[GROUPS == 3] = 0
    learner = bough.GradientBoostingRanker(max_iter=4)
    kept = weight > 0
    weighted = learner.fit(X, Y, weight, groups=GROUPS).predict(X)
    np.testing.assert_array_equal(weighted, learner.fit(X[kept], Y[kept], groups=GROUPS[kept]).predict(X))


def test_what_cannot_be_ranked_is_refused():
    learner = bough.GradientBoostingRanker(max_iter=2)
    with pytest.raises(ParameterError, match="groups is None"):
        learner.fit(X, Y)
    with pytest.raises(ParameterError, match="no id in row 4"):
        learner.fit(X, Y, groups=[*GROUPS[:4].tolist(), None, *GROUPS[5:].tolist()])
    with pytest.raises(ParameterError, match=f"id for each of {N} rows"):
        learner.fit(X, Y, groups=GROUPS[:-1])
    alone = GROUPS.copy()
    alone[7] = 1000
    with pytest.raises(TargetError, match="The group of row 7 has this row alone"):
        learner.fit(X, Y, groups=alone)
    with pytest.raises(TargetError, match="the same for all rows of each group"):
        learner.fit(X, np.ones(N), groups=GROUPS)
    with pytest.raises(TargetError, match="at least 0"):
        learner.fit(X, Y - 1, groups=GROUPS)
    with pytest.raises(TargetError, match="gain='linear'"):
        learner.fit(X, Y * 100, groups=GROUPS)
    with pytest.raises(TargetError, match="groups is 'query', but X has no column names"):
        learner.fit(X, Y, groups="query")
    with pytest.raises(ParameterError, match="groups is None"):
        bough.evaluate(learner.fit(X, Y, groups=GROUPS), X, Y)
    with pytest.raises(ParameterError, match="this model predicts classes"):
        bough.evaluate(bough.TreeClassifier().fit(X, Y), X, Y, groups=GROUPS)
    equal = bough.GradientBoostingRanker(position_weights=np.ones(N))
    with pytest.raises(ParameterError, match="position_weights gives all"):
        equal.fit(X, Y, groups=GROUPS)
    with pytest.raises(TargetError, match="No group has a row"):
        ndcg(np.zeros(N), X[:, 0], GROUPS)


@pytest.mark.parametrize(
    "parameters",
    [
        {"loss": "log_loss"},
        {"truncation": 0},
        {"position_weights": [0.5, 1.0]},
        {"position_weights": [1.0], "loss": "map"},
        {"gain": "cubic"},
        {"variant": "gbm"},
    ],
)
def test_wrong_parameters_are_refused_by_name(parameters):
    with pytest.raises(ParameterError, match=next(iter(parameters))):
        bough.GradientBoostingRanker(**parameters).fit(X, Y, groups=GROUPS)


def test_too_few_groups_to_hold_any_out_are_groups():
    learner = bough.GradientBoostingRanker(early_stopping=True)
    with pytest.raises(ParameterError, match="too few groups to hold any out"):
        learner.fit(X[:40], Y[:40], groups=np.zeros(40))


RANKERS = (bough.GradientBoostingRanker, bough.RankBoostRanker, bough.GBRankRanker)


@pytest.mark.parametrize("learner", RANKERS)
@pytest.mark.parametrize("infinity", [np.inf, -np.inf])
def test_an_infinite_id_of_a_group_is_refused_by_name_and_row(learner, infinity):
    ids = np.where(np.arange(40) == 7, infinity, GROUPS[:40])
    with pytest.raises(ParameterError, match=f"groups is {infinity} in row 7; an id is a finite number"):
        learner().fit(X[:40], Y[:40], groups=ids)


def test_an_infinite_id_of_validation_rows_is_refused_by_name_and_row():
    learner, ids = bough.GradientBoostingRanker(), np.where(np.arange(len(X)) == 3, np.inf, GROUPS)
    with pytest.raises(ParameterError, match="groups_val is inf in row 3"):
        learner.fit(X, Y, groups=GROUPS, X_val=X, y_val=Y, groups_val=ids)


@pytest.mark.parametrize("name", ["nan", "inf"])
def test_folds_refuse_ids_that_are_not_finite(name):
    ids = np.where(np.arange(40) == 5, float(name), GROUPS[:40])
    with pytest.raises(ParameterError, match=f"groups is {name} in row 5"):
        bough.cross_validated(bough.TreeRegressor(), X[:40], Y[:40], groups=ids)
