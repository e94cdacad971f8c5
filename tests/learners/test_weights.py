"""Weights: 2 is the row twice, 0 is the row absent; classes can be weighed too."""

import dataclasses

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

import bough
from bough.errors import ParameterError, WeightError

N_ROWS = 120
# Folds and what a surrogate must send each way are counted in rows, whatever these weigh.
GROWN = {"prune": "none", "missing": "majority"}
SURROGATES = {"prune": "none", "missing": "surrogates_then_majority"}
LEARNERS = [
    *(
        bough.CARTClassifier(criterion, **GROWN)
        for criterion in ("gini", "entropy", "twoing", "misclassification")
    ),
    bough.CARTClassifier("gini", min_samples_leaf=4, min_samples_split=11, **GROWN),
    bough.CARTClassifier("gini", min_samples_leaf=0.03, **GROWN),
    bough.CARTClassifier("gini", max_leaf_nodes=6, **GROWN),
    bough.CARTClassifier("gini", min_weight_fraction_leaf=0.04, **GROWN),
    bough.CARTClassifier("gini", min_improvement=0.1, **GROWN),
    bough.CARTClassifier("gini", class_weight="balanced", **GROWN),
    bough.CARTClassifier("gini", class_weight={"a": 0.25, "c": 2}, **GROWN),
    bough.TreeClassifier("chi_square", nominal="one_vs_rest", significance=0.2),
    bough.TreeClassifier("gain_ratio", nominal="complete", min_samples_leaf=3),
    bough.ID3Classifier(),
    bough.ID3Classifier(significance=0.5, min_samples_split=9),
    *(
        bough.CARTRegressor(criterion, **GROWN)
        for criterion in ("squared_error", "absolute_error", "poisson")
    ),
    bough.CARTRegressor("poisson", shrink=0, **GROWN),
    bough.CARTRegressor(min_samples_leaf=5, max_depth=4, **GROWN),
    bough.CARTRegressor("absolute_error", min_samples_leaf=0.05, **GROWN),
    bough.TreeRegressor("poisson", min_events=30),
    bough.TreeRegressor(nominal="complete", min_variance=0.4, max_leaf_nodes=9),
]
WITH_SURROGATES = [
    bough.CARTClassifier(**SURROGATES),
    bough.CARTClassifier("entropy", class_weight="balanced", **SURROGATES),
    bough.CARTRegressor(**SURROGATES),
    bough.CARTRegressor("poisson", **SURROGATES),
    bough.CARTClassifier(),
    bough.CARTRegressor(),
]


def told(model):
    """Tell a learner by the parameters that were set."""
    return str(model).replace("\n", "")


def rows(model, seed):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "colour": rng.choice(["red", "green", "blue", "white"], N_ROWS),
            "size": rng.choice(["S", "M", "L"], N_ROWS),
        }
    )
    if not isinstance(model, bough.ID3Classifier):
        X["width"] = rng.integers(0, 30, N_ROWS) / 2
        X.loc[rng.random(N_ROWS) < 0.1, "width"] = np.nan
    y = rng.integers(0, 4, N_ROWS) + (X["colour"] == "red")
    if isinstance(model, bough.CARTRegressor | bough.TreeRegressor):
        return X, y.astype(float), rng.integers(0, 4, N_ROWS)
    return X, y.map(dict(enumerate("aabcc"))), rng.integers(0, 4, N_ROWS)


@pytest.mark.parametrize("model", LEARNERS, ids=told)
def test_a_weight_is_so_many_rows(model):
    for seed in range(5):
        X, y, weight = rows(model, seed)
        many = np.repeat(np.arange(N_ROWS), weight)
        weighted = model.fit(X, y, weight).tree_
        repeated = model.fit(X.iloc[many], y.iloc[many]).tree_
        assert [weighted.split(node) for node in range(weighted.n_nodes)] == (
            [repeated.split(node) for node in range(repeated.n_nodes)]
        )
        assert weighted.schema == repeated.schema
        assert weighted.cases.tolist() == repeated.cases.tolist()
        assert weighted.statistics == pytest.approx(repeated.statistics, rel=1e-12)
        assert weighted.gain == pytest.approx(repeated.gain, nan_ok=True, rel=1e-9, abs=1e-12)
        assert weighted.risk == pytest.approx(repeated.risk, rel=1e-9, abs=1e-9)


EXACT = [each for each in LEARNERS if getattr(each, "class_weight", None) is None]


@pytest.mark.parametrize("model", [*EXACT, bough.C45Classifier(), bough.C50Classifier()], ids=told)
def test_a_weight_of_2_is_the_row_twice_to_the_last_bit(model):
    X, y, weight = rows(model, seed=6)
    many = np.repeat(np.arange(N_ROWS), weight)
    weighted = clone(model).fit(X, y, weight).tree_
    repeated = clone(model).fit(X.iloc[many], y.iloc[many]).tree_
    for part in dataclasses.fields(weighted):
        first, second = getattr(weighted, part.name), getattr(repeated, part.name)
        if part.name == "risk":  # errors of regression are summed row by row
            np.testing.assert_allclose(first, second, rtol=1e-12, atol=1e-12)
        elif isinstance(first, np.ndarray):
            np.testing.assert_array_equal(first, second, part.name)
    np.testing.assert_array_equal(weighted.predict(X), repeated.predict(X))


def test_a_weight_of_2_is_the_row_twice_up_to_rounding_in_survival_trees():
    X, y, weight = rows(bough.CARTRegressor(), seed=6)
    times = np.c_[1 + np.arange(N_ROWS) % 17 + y, y > 1]
    many = np.repeat(np.arange(N_ROWS), weight)
    learner = bough.CARTSurvival(**GROWN)
    weighted, repeated = learner.fit(X, times, weight).tree_, learner.fit(X.iloc[many], times[many]).tree_
    np.testing.assert_array_equal(weighted.cut, repeated.cut)
    np.testing.assert_array_equal(weighted.cases, repeated.cases)
    np.testing.assert_allclose(weighted.predict(X), repeated.predict(X), rtol=1e-12)


@pytest.mark.parametrize("model", [*LEARNERS, *WITH_SURROGATES], ids=told)
def test_a_row_without_weight_is_absent(model):
    X, y, weight = rows(model, seed=9)
    # a weight of 0.5 makes the weights fractions: each row is then one case
    weight = np.where(weight == 3, 0.5, weight)
    present = weight > 0
    with_zeros = model.fit(X, y, weight).tree_
    without = model.fit(X[present], y[present], weight[present]).tree_
    assert with_zeros == without


def test_a_level_only_rows_without_weight_have_was_not_seen():
    X = pd.DataFrame({"x": ["p", "q", "new"]})
    tree = bough.CARTClassifier().fit(X, [0, 1, 1], [1, 1, 0]).tree_
    assert tree.schema["x"].levels == ("p", "q")


@pytest.mark.parametrize("factor", [3, 0.5, 0.1])
def test_all_weights_times_a_number_leave_the_tree(factor):
    X, y, _ = rows(bough.CARTClassifier(), seed=3)
    for model in (
        bough.CARTClassifier(max_depth=4, prune="none"),
        bough.CARTRegressor(max_depth=4, prune="none"),
    ):
        target = y if isinstance(model, bough.CARTClassifier) else y.map(ord).astype(float)
        plain = model.fit(X, target).tree_
        heavy = model.fit(X, target, factor).tree_
        assert [heavy.split(node) for node in range(heavy.n_nodes)] == (
            [plain.split(node) for node in range(plain.n_nodes)]
        )
        assert heavy.weight == pytest.approx(plain.weight * factor)


def test_classes_can_be_weighed():
    X, y = [[1.0], [1.0], [1.0], [2.0]], ["a", "a", "b", "b"]
    plain = bough.CARTClassifier(prune="none").fit(X, y)
    assert plain.predict([[1.0]]).tolist() == ["a"]
    heavy = bough.CARTClassifier(class_weight={"b": 3}, prune="none").fit(X, y)
    assert heavy.predict([[1.0]]).tolist() == ["b"]
    assert heavy.tree_.statistics[0].tolist() == [2, 6]
    # a class's weight is no number of cases
    assert heavy.tree_.cases[0] == 4
    assert heavy.predict_proba([[1.0]])[0] == pytest.approx([0.4, 0.6])


def test_balanced_classes_weigh_the_same():
    y = ["a"] * 6 + ["b"] * 2
    model = bough.CARTClassifier(class_weight="balanced").fit([[1.0]] * 8, y)
    assert model.tree_.statistics[0] == pytest.approx([4, 4])
    weighted = bough.CARTClassifier(class_weight="balanced").fit([[1.0]] * 8, y, [0, 0, 0, 1, 1, 1, 2, 2])
    assert weighted.tree_.statistics[0] == pytest.approx([3.5, 3.5])


def test_the_weights_of_rows_and_classes_are_multiplied():
    X, y, weight = [[1.0], [2.0], [3.0]], ["a", "b", "b"], [2.0, 1.0, 1.0]
    tree = bough.CARTClassifier(class_weight={"a": 0.5, "b": 1}).fit(X, y, weight).tree_
    assert tree.statistics[0].tolist() == [1, 2]
    assert tree.cases[0] == 4


def test_wrong_weights_are_refused():
    X, y = [[1.0], [2.0]], ["a", "b"]
    for weight in ([1.0], [1.0, -1.0], [1.0, np.nan], [0.0, 0.0], "heavy"):
        with pytest.raises(WeightError):
            bough.CARTClassifier().fit(X, y, weight)
    for class_weight in ("heavy", {"c": 1.0}, {"a": -1.0}, {"a": "x"}, 3):
        with pytest.raises(ParameterError, match="class_weight"):
            bough.CARTClassifier(class_weight=class_weight).fit(X, y)


def test_a_class_that_a_fold_lacks_may_be_weighed():
    model = bough.CARTClassifier(class_weight={"a": 1, "b": 2, "c": 3})
    assert model.fit([[1.0], [2.0]], ["a", "b"]).tree_.statistics[0].tolist() == [1, 2]


def test_labels_of_every_type_are_found_among_the_weights():
    for labels in (["1", "2"], [1, 2], [1.0, 2.0], [False, True]):
        tree = bough.CARTClassifier(class_weight={labels[0]: 5}).fit([[1.0], [2.0]], labels).tree_
        assert tree.statistics[0].tolist() == [5, 1]


# Each classifier, and what its parameters are called where the class "rare" does not exist.
CLASSIFIERS = [
    (bough.CARTClassifier(), {}),
    (bough.CARTClassifier(prior="equal"), {}),
    (bough.CARTClassifier(prior={"a": 0.2, "b": 0.3, "rare": 0.5}), {"prior": {"a": 0.4, "b": 0.6}}),
    (bough.CARTClassifier(prior=[0.2, 0.3, 0.5], prune="none"), {"prior": [0.4, 0.6]}),
    (
        bough.CARTClassifier(loss_matrix={("a", "b"): 3, ("rare", "a"): 9}),
        {"loss_matrix": {("a", "b"): 3}},
    ),
    (
        bough.CARTClassifier(loss_matrix=[[0, 3, 9], [1, 0, 9], [9, 9, 0]]),
        {"loss_matrix": [[0, 3], [1, 0]]},
    ),
    (
        bough.CARTClassifier(class_weight={"a": 1, "b": 2, "rare": 3}),
        {"class_weight": {"a": 1, "b": 2}},
    ),
    (bough.TreeClassifier(smoothing="laplace"), {}),
    (bough.ID3Classifier(), {}),
    (bough.C45Classifier(), {}),
    (bough.C45Classifier(variant="j48"), {}),
    (
        bough.C50Classifier(loss_matrix={("a", "b"): 3, ("rare", "a"): 9}),
        {"loss_matrix": {("a", "b"): 3}},
    ),
    (bough.C50Classifier(n_estimators=3, rules=True), {}),
    (bough.REPTreeClassifier(), {}),
    (bough.RandomForestClassifier(5, random_state=0), {}),
    (bough.ExtraTreesClassifier(5, random_state=0), {}),
]
BAGGED = bough.BaggingClassifier(bough.CARTClassifier(prior="equal"), 5, random_state=0)


def with_rare_class(learner):
    """Return rows of which the last 3 alone are of class "rare"."""
    rng = np.random.default_rng(4)
    letters = rng.choice(["u", "v", "w"], (60, 2))
    numbers = rng.normal(size=(60, 2)).round(1)
    X = pd.DataFrame(letters if isinstance(learner, bough.ID3Classifier) else numbers, columns=["p", "q"])
    y = np.where(rng.random(60) < 0.3 + 0.4 * (numbers[:, 0] > 0), "a", "b").astype(object)
    y[-3:] = "rare"
    return X, y


@pytest.mark.parametrize(
    ("learner", "parameters"),
    [*CLASSIFIERS, (BAGGED, {})],
    ids=[told(each) for each, _ in CLASSIFIERS] + ["bagged"],
)
def test_a_class_without_weight_is_not_a_class(learner, parameters):
    X, y = with_rare_class(learner)
    weight = np.r_[np.ones(57), np.zeros(3)]
    model = clone(learner).fit(X, y, weight)
    assert model.classes_.tolist() == ["a", "b"] == sorted(model.model_.classes)
    without = clone(learner).set_params(**parameters).fit(X[:57], y[:57])
    np.testing.assert_array_equal(model.predict_proba(X), without.predict_proba(X))
    assert bough.regrow(model.model_, X, y, weight) == model.model_
    if isinstance(learner, bough.RandomForestClassifier):
        assert model.permutation_importance(X, y).mean.shape == (2,)


@pytest.mark.parametrize("learner", [each for each, _ in CLASSIFIERS], ids=told)
def test_a_sample_that_lacks_a_class_gives_it_probability_and_no_nan(learner, tmp_path):
    X, y = with_rare_class(learner)
    y = np.r_[y[:58], y[:2]]
    bagged = bough.BaggingClassifier(learner, 6, random_state=0).fit(X, y)
    drawn = [(y[sample] == "rare").any() for sample in bagged.estimators_samples_]
    assert set(drawn) == {False, True}
    shares = bagged.predict_proba(X)
    np.testing.assert_allclose(shares.sum(axis=1), 1)
    assert shares[57, 2] > 0
    bagged.model_.save(tmp_path / "bagged.json")
    assert bough.load(tmp_path / "bagged.json") == bagged.model_ == bough.regrow(bagged.model_, X, y)


def test_a_sample_without_a_class_can_be_compared_with_the_tree_of_all_rows():
    X, y = with_rare_class(None)
    model = bough.CARTClassifier(prior="equal").fit(X, y)
    found = bough.stability(model, X, y, n_draws=20, random_state=0)
    assert found.n_draws == 20


COUNTING = [
    bough.CARTClassifier(),
    bough.CARTRegressor(),
    bough.CHAIDClassifier(),
    bough.CHAIDRegressor(),
    bough.DecisionStumpClassifier(),
    bough.DecisionStumpRegressor(),
    bough.OneRClassifier(),
    bough.PARTClassifier(),
    bough.RIPPERClassifier(),
    bough.SimpleCartClassifier(),
]


def noisy_line(learner):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 2))
    y = X[:, 0] + 0.3 * rng.normal(size=200)
    return X, y if type(learner).__name__.endswith("Regressor") else np.where(y > 0, "up", "down")


@pytest.mark.parametrize("learner", COUNTING, ids=told)
@pytest.mark.parametrize("weight", [1 / 200, 1e-5, 1e-40, 1e-150])
def test_weights_that_sum_to_less_than_two_cases_count_as_shares_of_all(learner, weight):
    X, y = noisy_line(learner)
    unit, tiny = (clone(learner).fit(X, y, sample_weight=w) for w in (None, np.full(200, weight)))
    assert len(np.unique(unit.predict(X))) > 1
    of_unit, of_tiny = unit.predict(X), tiny.predict(X)
    assert of_tiny == pytest.approx(of_unit) if of_unit.dtype == float else (of_tiny == of_unit).all()
    if hasattr(unit, "rules_"):
        covers = [[rule.cover for rule in model.rules_] for model in (unit, tiny)]
        assert covers[1] == pytest.approx([cover * weight for cover in covers[0]], rel=1e-6, abs=0)
    else:
        assert tiny.tree_.weight == pytest.approx(unit.tree_.weight * weight, rel=1e-6, abs=0)
        assert tiny.tree_.gain == pytest.approx(unit.tree_.gain, nan_ok=True)
        tiny.tree_.check()


@pytest.mark.parametrize("learner", COUNTING, ids=told)
@pytest.mark.parametrize("weight", [1e20, 1e37, 1e100])
def test_huge_weights_leave_something_to_answer_by(learner, weight):
    X, y = noisy_line(learner)
    model = clone(learner).fit(X, y, sample_weight=np.full(200, weight))
    assert len(np.unique(model.predict(X))) > 1


# Learners that add constants to sums of weights, square them, or test by them.
BY_SUMS = [
    bough.AdditiveGrovesRegressor(n_estimators=3, max_grove_size=2, min_leaf_fraction=0.1, random_state=0),
    bough.ConditionalTreeClassifier(),
    bough.ConditionalTreeRegressor(),
    bough.LinearTreeRegressor(),
    bough.M5Regressor(),
    bough.M5RulesRegressor(),
    bough.OptimalTreeRegressor(max_depth=2),
    bough.TransformRegressor(random_state=0),
]


@pytest.mark.parametrize("learner", BY_SUMS, ids=told)
@pytest.mark.parametrize("exponent", [-890, -100, 100, 700, 980])
def test_a_common_factor_beyond_numbers_of_cases_leaves_the_answers(learner, exponent):
    X, y = noisy_line(learner)
    of_unit, scaled = (clone(learner).fit(X, y, sample_weight=w) for w in (None, np.full(200, 2.0**exponent)))
    expected, answers = of_unit.predict(X), scaled.predict(X)
    assert len(np.unique(expected)) > 1
    assert answers == pytest.approx(expected) if expected.dtype == float else (answers == expected).all()
    if hasattr(scaled, "tree_"):
        assert scaled.tree_.weight == pytest.approx(of_unit.tree_.weight * 2.0**exponent, abs=0)
        scaled.tree_.check()


def test_chaid_counts_rows_where_weights_are_beyond_numbers_of_cases():
    learner = bough.CHAIDRegressor()
    X, y = noisy_line(learner)
    of_unit, scaled = (clone(learner).fit(X, y, sample_weight=w) for w in (None, np.full(200, 2.0**980)))
    assert scaled.predict(X) == pytest.approx(of_unit.predict(X))


@pytest.mark.parametrize(
    "learner",
    [
        bough.RandomForestRegressor(n_estimators=3, random_state=0),
        bough.RandomForestClassifier(n_estimators=3, random_state=0),
        bough.OptimalTreeRegressor(max_depth=2),
    ],
    ids=told,
)
def test_weights_of_any_range_give_finite_answers(learner):
    X, y = noisy_line(learner)
    model = clone(learner).fit(X, y, sample_weight=np.where(np.arange(200) % 2, 1e-300, 1e300))
    answers = model.predict(X)
    assert len(np.unique(answers)) > 1
    assert np.isfinite(answers if answers.dtype == float else model.predict_proba(X)).all()


OF_MANY_TREES = [
    bough.GradientBoostingClassifier(max_iter=5),
    bough.GradientBoostingRegressor(max_iter=5),
    bough.RandomForestClassifier(n_estimators=3, random_state=0),
    bough.RandomForestRegressor(n_estimators=3, random_state=0),
    bough.ExtraTreesRegressor(n_estimators=3, random_state=0),
]


@pytest.mark.parametrize("learner", OF_MANY_TREES, ids=told)
@pytest.mark.parametrize("exponent", [-900, -500, -20, 500, 900])
def test_a_common_factor_of_all_weights_leaves_the_answers_of_many_trees(learner, exponent):
    X, y = noisy_line(learner)
    of_unit, scaled = (clone(learner).fit(X, y, sample_weight=w) for w in (None, np.full(200, 2.0**exponent)))
    expected = of_unit.predict(X)
    assert len(np.unique(expected)) > 1
    assert (scaled.predict(X) == expected).all()
    np.testing.assert_allclose(scaled.feature_importances_, of_unit.feature_importances_, rtol=1e-6)


@pytest.mark.parametrize("n_targets", [1, 2])
@pytest.mark.parametrize("factor", [1e3, 1e9, 1e12, 1e14])
def test_mean_and_risk_of_a_row_that_outweighs_all_others(factor, n_targets):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(200, 4)), rng.normal(size=(200, n_targets))
    weight = np.where(np.arange(200) == 100, factor, 1.0)
    tree = bough.TreeRegressor(max_depth=2).fit(X, y.squeeze(), sample_weight=weight).tree_
    mean = np.average(y, axis=0, weights=weight)
    np.testing.assert_allclose(tree.statistics[0], mean, atol=5e-7 * np.ptp(y))
    assert tree.risk[0] == pytest.approx((weight @ (y - mean) ** 2).mean(), rel=1e-5)


@pytest.mark.parametrize("prune", ["one_se", "minimum"])
@pytest.mark.parametrize("factor", [1e12, 1e16, 1e30])
@pytest.mark.parametrize("scale", [1.0, 1e120])
def test_a_row_that_outweighs_all_others_does_not_stop_pruning(scale, factor, prune):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(200, 4)), scale * rng.normal(size=200)
    weight = np.where(np.arange(200) == 100, factor, 1.0)
    model = bough.CARTRegressor(prune=prune, random_state=1).fit(X, y, sample_weight=weight)
    assert np.isfinite(model.predict(X)).all()
    assert not np.isnan(model.cp_table_.cv_error).any()


@pytest.mark.parametrize("learner", [bough.RandomForestClassifier(2), bough.CARTClassifier()], ids=told)
@pytest.mark.parametrize("weight", [None, [1.0, 2.0, 0.0, 0.0]])
def test_class_weights_that_leave_no_row_are_refused_by_their_name(learner, weight):
    X, y, none = [[1.0], [2.0], [3.0], [4.0]], [0, 0, 1, 1], {0: 0, 1: 0 if weight is None else 1}
    with pytest.raises(ParameterError, match=r"class_weight is {0: 0, 1: .}; it must be such that"):
        clone(learner).set_params(class_weight=none).fit(X, y, sample_weight=weight)


@pytest.mark.parametrize("prior", ["equal", {"a": 1.0}])
def test_the_prior_of_a_single_class_changes_nothing(prior):
    X, y = np.arange(8.0).reshape(-1, 1), ["a"] * 8
    np.testing.assert_array_equal(bough.CARTClassifier(prior=prior).fit(X, y).predict_proba(X), 1.0)


@pytest.mark.parametrize(
    "learner",
    [bough.CubistRegressor(), bough.ConditionalTreeRegressor(distribution="monte_carlo", n_resamples=9)],
    ids=told,
)
def test_more_cases_than_can_be_rows_are_refused(learner):
    X, y = noisy_line(learner)
    with pytest.raises(WeightError, match="sample_weight counts 2e\\+14 cases"):
        clone(learner).fit(X, y, sample_weight=np.full(200, 1e12))
