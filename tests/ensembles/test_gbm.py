"""Boosting as R's gbm does it, against the plain reference; what it refuses."""

import numpy as np
import pandas as pd
import pytest
from tests.ensembles import plain_gbm

import bough
from bough.errors import ParameterError, TargetError

RNG = np.random.default_rng(5)
N = 250
NUMBERS = RNG.normal(size=(N, 2))
LEVELS = RNG.integers(0, 6, N)
NUMBERS[RNG.random(N) < 0.15, 0] = np.nan
ROWS = np.column_stack([NUMBERS, LEVELS.astype(float)])
ROWS[RNG.random(N) < 0.05, 2] = np.nan
COLUMNS = [(ROWS[:, 0], 0), (ROWS[:, 1], 0), (ROWS[:, 2], 6)]
SCORE = np.nan_to_num(ROWS[:, 0], nan=1.0) + ROWS[:, 1] * (LEVELS % 2) + RNG.normal(size=N) * 0.3
WEIGHTS = RNG.integers(1, 4, N).astype(float)
LOSSES = {
    "gaussian": (plain_gbm.Gaussian(), SCORE),
    "laplace": (plain_gbm.Laplace(), SCORE),
    "quantile": (plain_gbm.Quantile(0.25), SCORE),
    "tdist": (plain_gbm.Student(5.0), SCORE),
    "poisson": (plain_gbm.Poisson(), np.floor(np.exp(np.clip(SCORE, -2, 2)))),
    "bernoulli": (plain_gbm.Bernoulli(), (SCORE > 0.3).astype(float)),
    "adaboost": (plain_gbm.AdaBoost(), (SCORE > 0.3).astype(float)),
    "huberized": (plain_gbm.Huberized(), (SCORE > 0.3).astype(float)),
}
ARGUMENTS = {"quantile": {"name": "quantile", "alpha": 0.25}, "tdist": {"name": "tdist", "df": 5.0}}
OF_CLASSES = ("bernoulli", "adaboost", "huberized", "multinomial")


def fitted(name, y, weight=None, n_jobs=1, **options):
    learner = bough.GradientBoostingClassifier if name in OF_CLASSES else bough.GradientBoostingRegressor
    given = {"n_trees": 12, "interaction_depth": 3, "n_minobsinnode": 8, "bag_fraction": 1.0} | options
    model = learner.like_gbm(
        distribution=ARGUMENTS.get(name, name), categorical_features=[2], n_jobs=n_jobs, **given
    )
    return model.fit(ROWS, y, sample_weight=weight)


@pytest.mark.slow
@pytest.mark.parametrize("weight", [None, WEIGHTS], ids=["alike", "weighted"])
@pytest.mark.parametrize("name", LOSSES)
def test_boosting_follows_the_reference(name, weight):
    loss, y = LOSSES[name]
    own = np.ones(N) if weight is None else weight
    start, stages, curve, _ = plain_gbm.boost(COLUMNS, y, own, loss, 12, 3, 8, 0.1)
    model = fitted(name, y, weight)
    np.testing.assert_allclose(model.model_.start, start, rtol=1e-9)
    np.testing.assert_allclose(model.model_.scores(ROWS)[:, 0], stages[-1], rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(model.training_loss_, curve, rtol=1e-9)


def test_boosting_several_classes_follows_the_reference():
    y = np.digitize(SCORE, [-0.5, 0.8])
    stages, curve = plain_gbm.boost_classes(COLUMNS, y, 3, WEIGHTS, 12, 3, 8, 0.1)
    model = fitted("multinomial", y, WEIGHTS)
    np.testing.assert_allclose(model.model_.scores(ROWS), stages[-1], rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(model.training_loss_, curve, rtol=1e-9)


def test_the_model_does_not_depend_on_threads_and_is_kept_in_files(tmp_path):
    one, three = (fitted("gaussian", SCORE, n_jobs=n, bag_fraction=0.5, random_state=3) for n in (1, 3))
    assert one.model_ == three.model_
    one.model_.save(tmp_path / "model.json")
    assert bough.load(tmp_path / "model.json") == one.model_
    assert bough.regrow(one.model_, ROWS, SCORE) == one.model_


def test_each_round_draws_the_fraction_of_the_rows():
    model = fitted("gaussian", SCORE, bag_fraction=0.5, random_state=3).model_
    assert {tree.cases[0] for tree in model.trees} == {N // 2}
    trees = {tuple(tree.cut[tree.first_child >= 0].tolist()) for tree in model.trees}
    assert len(trees) > 6


def test_rows_that_lack_a_value_have_the_prediction_of_the_node():
    model = bough.GradientBoostingRegressor.like_gbm(n_trees=1, n_minobsinnode=2, bag_fraction=1.0)
    model.fit([[1.0], [2.0], [3.0], [4.0]], [1.0, 1.0, 5.0, 5.0])
    assert model.predict([[1.0], [4.0], [np.nan]]) == pytest.approx([2.8, 3.2, 3.0])


def one_tree(X, y, **options):
    given = {"n_trees": 1, "shrinkage": 1.0, "bag_fraction": 1.0} | options
    return bough.GradientBoostingRegressor.like_gbm(**given).fit(X, y)


# The numbers of the next six tests are those of gbm 2.1.8.1.
def test_scores_of_several_classes_are_constrained_alike():
    X = np.column_stack([np.arange(1.0, 13.0), [3, 1, 2] * 4])
    y = [0, 0, 1, 0, 0, 1, 2, 1, 2, 2, 0, 2]
    model = bough.GradientBoostingClassifier.like_gbm(
        distribution="multinomial",
        n_trees=4,
        interaction_depth=2,
        n_minobsinnode=2,
        shrinkage=0.5,
        bag_fraction=1.0,
        var_monotone=[1, -1],
    ).fit(X, y)
    losses = [1.098612288668, 0.717616185756, 0.562336979880, 0.464495142930]
    np.testing.assert_allclose(model.training_loss_, losses, rtol=1e-9)
    scores = [
        [-0.663570020735, -2.652523262985, -2.57090772635],
        [-0.663570020735, 0.869043233998, -2.09460054488],
        [2.311096947322, 0.869043233998, 1.93973030766],
    ]
    np.testing.assert_allclose(model.model_.scores([[1.0, 3], [6, 2], [12, 1]]), scores, rtol=1e-9)


def test_a_leaf_without_events_lowers_the_score_by_19():
    y = [0, 0, 0, 0, 0, 3, 4, 5, 4, 4]
    model = one_tree([[1.0]] * 5 + [[2.0]] * 5, y, distribution="poisson", n_minobsinnode=2).model_
    assert model.scores([[1.0], [2.0]])[:, 0] == pytest.approx([-18.3068528194400564, 1.3862943611198906])


def test_levels_that_no_row_has_do_not_reorder_ties_and_predict_like_missing_values():
    levels = [f"l{code:02d}" for code in range(15)]
    codes = [0, 2, 4, 5, 6, 7, 8, 9, 10, 11, 12, 14] * 2
    y = [1, 0, 1, 0, 1, 0, 2, 2, 1, 0, 1, 0] * 2
    model = one_tree(pd.DataFrame({"x": pd.Categorical.from_codes(codes, levels)}), y, n_minobsinnode=7)
    all_levels = pd.DataFrame({"x": pd.Categorical.from_codes(range(15), levels)})
    high, node = 9 / 7, 0.75
    theirs = [high, node, 0, node, high, 0, high, 0, high, high, high, 0, high, node, 0]
    assert model.predict(all_levels) == pytest.approx(theirs)


def test_an_ordered_level_in_the_middle_of_its_neighbours_goes_right():
    levels = list("abcdefg")
    codes = [0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 2, 2, 5, 5, 5, 5, 6, 6, 6, 6]
    z = [1.0, 1, 2, 2, 1, 1, 2, 2, 1, 1, 2, 2, 1, 1, 2, 2, 1, 1, 2, 2]
    y = [0 if second == 2 else 13 if code > 2 else 10 for code, second in zip(codes, z, strict=True)]
    X = pd.DataFrame({"x": pd.Categorical.from_codes(codes, levels, ordered=True), "z": z})
    model = one_tree(X, y, interaction_depth=2, n_minobsinnode=2)
    known = [0, 1, 2, 5, 6]
    rows = pd.DataFrame({"x": pd.Categorical.from_codes(known, levels, ordered=True), "z": 1.0})
    assert model.predict(rows) == pytest.approx([10.0, 10.0, 13.0, 13.0, 13.0])


@pytest.mark.parametrize(
    ("n_missing", "scores"), [(0, [-1.0, 3.0, 1.0]), (2, [0.0, 4.0, 2.0]), (3, [0.0, 4.0, 7.0])]
)
def test_a_root_that_is_not_split_has_the_cases_of_the_missing_leaf_before(n_missing, scores):
    X = [[1.0]] * 5 + [[2.0]] * 5 + [[np.nan]] * n_missing
    y = [0.0] * 5 + [4.0] * 5 + [7.0] * n_missing
    model = one_tree(X, y, distribution="laplace", n_trees=2, n_minobsinnode=3)
    assert model.predict([[1.0], [2.0], [np.nan]]) == pytest.approx(scores)


@pytest.mark.parametrize(
    ("x", "time", "status", "losses", "scores"),
    [
        ([3, 6, 3, 6, 6, 3, 5, 2, 4, 3, 2, 1], [8, 2, 1, 5, 8, 3, 8, 6, 2, 4, 3, 7],
         [1, 0, 0, 0, 0, 1, 0, 0, 0, 1, 1, 0], [2.12313057056982, 2.07387856304927, 2.05676470021515],
         [-3.01028686875826, 2.08860009158849, 2.0625, 0, -3.01028686875826, -3.01028686875826]),
        ([6, 3, 2, 6, 3, 5, 6, 1, 6, 2, 5, 1], [6, 5, 1, 5, 7, 2, 5, 6, 7, 6, 5, 6],
         [0, 0, 0, 1, 1, 0, 0, 0, 1, 1, 0, 1], [2.00777783405724, 1.96000127446779, 1.88362205703956],
         [0.00366452231704334, 0.5, -3.21355903962926, -1.33311452495533, -1.33311452495533,
          -0.333114524955335]),
    ],
    ids=["leaves without risk", "nearly singular"],
)  # fmt: skip
def test_steps_of_cox_are_those_of_gbm_where_the_hessian_is_nearly_singular(x, time, status, losses, scores):
    learner = bough.GradientBoostingSurvival.like_gbm(
        n_trees=3, interaction_depth=3, n_minobsinnode=1, shrinkage=1.0, bag_fraction=1.0
    )
    model = learner.fit(np.array(x, float)[:, None], (np.array(time), np.array(status)))
    np.testing.assert_allclose(model.training_loss_, losses, rtol=1e-9)
    rows = np.arange(1.0, 7.0)[:, None]
    np.testing.assert_allclose(model.model_.scores(rows)[:, 0], scores, rtol=1e-6, atol=1e-9)


def small_table():
    row = np.arange(1, 41)
    x, z = row % 7.0, row * 3 % 11.0
    return np.column_stack([x, z]), 2 * x + z + row * 13 % 5


# The numbers of the next three tests are those of gbm 2.1.8.1 after set.seed(7).
def test_the_rows_of_each_round_are_those_that_r_draws():
    X, y = small_table()
    model = bough.GradientBoostingRegressor.like_gbm(
        n_trees=5, interaction_depth=2, n_minobsinnode=3, shrinkage=0.5, random_state=7
    ).fit(X, y)
    losses = [10.6466358418367, 6.1567509034864, 5.1904694367945, 3.4770706807682, 2.7245405237324]
    np.testing.assert_allclose(model.training_loss_, losses, rtol=1e-12)
    assert model.predict(X[[0, 4]]) == pytest.approx([9.499872690077, 13.454237769442], rel=1e-12)


def test_the_trees_of_a_round_have_the_same_rows():
    X, y = small_table()
    classes = np.array(["a", "b", "c", "a"])[(y % 4).astype(int)]
    model = bough.GradientBoostingClassifier.like_gbm(
        distribution="multinomial",
        n_trees=3,
        interaction_depth=2,
        n_minobsinnode=3,
        shrinkage=0.5,
        bag_fraction=0.6,
        random_state=7,
    ).fit(X, classes)
    losses = [1.09861228866811, 0.87230607877871, 0.77470989425573]
    np.testing.assert_allclose(model.training_loss_, losses, rtol=1e-12)


def test_rows_of_weight_0_are_cases():
    X, y = small_table()
    model = bough.GradientBoostingRegressor.like_gbm(
        n_trees=3, interaction_depth=3, n_minobsinnode=4, shrinkage=0.5, bag_fraction=1.0
    ).fit(X, y, sample_weight=[0, 1, 2, 1, 0] * 8)
    losses = [8.6917968750000, 3.9599314357517, 2.1759228290679]
    np.testing.assert_allclose(model.training_loss_, losses, rtol=1e-12)
    assert model.predict(X[[0, 4]]) == pytest.approx([11.423283313908, 13.753855519481], rel=1e-12)


@pytest.mark.parametrize("name", ["laplace", "tdist", "gaussian", "poisson"])
def test_missing_values_of_weight_0_have_a_value(name):
    X, y = small_table()
    weight = np.where(X[:, 0] == 3, 0.0, 1.0)
    X[X[:, 0] == 3, 0] = np.nan
    model = bough.GradientBoostingRegressor.like_gbm(
        distribution=name, n_trees=4, interaction_depth=3, n_minobsinnode=2, bag_fraction=1.0
    )
    assert np.isfinite(model.fit(X, y, sample_weight=weight).predict(X)).all()


def test_a_class_of_weight_0_is_left_out_and_an_event_must_have_a_weight():
    X, y = small_table()
    classes = np.where(y > 20, "much", np.where(y > 10, "more", "less"))
    model = bough.GradientBoostingClassifier.like_gbm(n_minobsinnode=3)
    assert model.fit(X, classes, sample_weight=classes != "much").classes_.tolist() == ["less", "more"]
    survival = bough.GradientBoostingSurvival.like_gbm(n_minobsinnode=3)
    with pytest.raises(TargetError, match="No row has an event"):
        survival.fit(X, (y, y > 20), sample_weight=y <= 20)


@pytest.mark.parametrize("name", ["adaboost", "huberized"])
def test_probabilities_of_other_losses_are_shares(name):
    _, y = LOSSES[name]
    model = fitted(name, y)
    shares = model.predict_proba(ROWS)
    assert ((shares >= 0) & (shares <= 1)).all()
    np.testing.assert_allclose(shares.sum(axis=1), 1)
    assert ((shares[:, 1] > 0.5) == model.predict(ROWS).astype(bool)).all()


def cox_loss(score, time, status, weight):
    """The negative partial log-likelihood with Breslow's ties, and its gradient by differences."""
    at_risk = [weight[time >= each] @ np.exp(score[time >= each]) for each in time]
    return -(weight * status) @ (score - np.log(at_risk))


def test_one_round_of_cox_is_a_newton_step_in_each_leaf():
    time, status = 1 + np.floor(10 * RNG.exponential(np.exp(-SCORE))), (RNG.random(N) < 0.7).astype(float)
    model = bough.GradientBoostingSurvival(max_iter=1, max_leaf_nodes=4, learning_rate=1.0)
    tree = model.fit(ROWS, (time, status), sample_weight=WEIGHTS).model_.tree(0)
    leaf, score, step = tree.apply(ROWS), np.zeros(N), 1e-3

    def slope(row):
        up, down = score.copy(), score.copy()
        up[row] += step
        down[row] -= step
        losses = [cox_loss(each, time, status, WEIGHTS) for each in (up, score, down)]
        return (losses[0] - losses[2]) / (2 * step), (losses[0] - 2 * losses[1] + losses[2]) / step**2

    slopes = np.array([slope(row) for row in range(N)])
    for node in np.unique(leaf):
        gradient, hessian = slopes[leaf == node].sum(axis=0)
        assert tree.statistics[node, 0] == pytest.approx(-gradient / hessian, rel=1e-3)


def test_cox_of_gbm_lowers_the_loss_and_orders_times():
    time, status = RNG.exponential(np.exp(-SCORE)), (RNG.random(N) < 0.7).astype(float)
    learner = bough.GradientBoostingSurvival.like_gbm(n_trees=40, interaction_depth=2, bag_fraction=1.0)
    model = learner.fit(ROWS, (time, status))
    assert (np.diff(model.training_loss_) < 1e-9).all()
    assert model.score(ROWS, (time, status)) > 0.7
    own = cox_loss(model.model_.scores(ROWS)[:, 0], time, status, np.ones(N))
    assert model.training_loss_[-1] == pytest.approx(2 * own / status.sum(), rel=1e-9)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"distribution": "gamma"}, "distribution is 'gamma'; it must be one of 'gaussian'"),
        ({"distribution": {"name": "gaussian", "alpha": 0.5}}, "distribution has 'alpha'"),
        ({"interaction_depth": 0}, "interaction_depth is 0; it must be a whole number of at least 1"),
        ({"l2_regularization": 1.0}, "l2_regularization is 1.0; it must be 0.0 if variant is 'gbm'"),
        ({"early_stopping": True}, "early_stopping is True; it must be False if variant is 'gbm'"),
        ({"cv_folds": 5}, "like_gbm has no cv_folds; use early_stopping=True and cv"),
        ({"train_fraction": 0.5}, "like_gbm has no train_fraction; use X_val and y_val in fit"),
    ],
)
def test_options_that_gbm_does_not_have_are_refused(options, message):
    with pytest.raises(ParameterError, match=message.replace("(", r"\(")):
        bough.GradientBoostingRegressor.like_gbm(**options).fit(ROWS, SCORE)


def test_targets_that_do_not_fit_the_loss_are_refused():
    with pytest.raises(TargetError, match="y has 3 classes, but loss='exponential' is about two"):
        fitted("adaboost", np.digitize(SCORE, [-0.5, 0.8]))
    with pytest.raises(TargetError, match="No row has an event"):
        bough.GradientBoostingSurvival().fit(ROWS, (np.ones(N), np.zeros(N)))
