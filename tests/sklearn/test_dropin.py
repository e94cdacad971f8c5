"""The drop-in has scikit-learn's signatures, attributes and semantics, on bough's engine."""

import inspect
import pickle
import sys

import numpy as np
import pytest
import sklearn.ensemble
import sklearn.tree
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csc_array, csr_matrix
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_diabetes, make_classification
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV

import bough
import bough.sklearn as dropin

TREES = ("DecisionTreeClassifier", "DecisionTreeRegressor", "ExtraTreeClassifier", "ExtraTreeRegressor")
FORESTS = (
    "RandomForestClassifier",
    "RandomForestRegressor",
    "ExtraTreesClassifier",
    "ExtraTreesRegressor",
)
OTHERS = ("BaggingClassifier", "BaggingRegressor", "IsolationForest", "RandomTreesEmbedding")
BOOSTED = ("AdaBoostClassifier", "AdaBoostRegressor")
HIST = ("HistGradientBoostingClassifier", "HistGradientBoostingRegressor")


def theirs(name):
    return getattr(sklearn.tree if name in TREES else sklearn.ensemble, name)


def table(name, n_rows=300):
    X, y = (load_breast_cancer if "Classifier" in name else load_diabetes)(return_X_y=True)
    return X[:n_rows].astype(np.float32), y[:n_rows]


def distinct(seed, n_rows, n_columns):
    """A table in which no two splits can tie by chance."""
    return np.random.default_rng(seed).normal(size=(n_rows, n_columns)).astype(np.float32)


@pytest.mark.parametrize("name", TREES + FORESTS + OTHERS + BOOSTED + HIST)
def test_signature_and_defaults(name):
    ours, own = getattr(dropin, name), theirs(name)
    assert inspect.signature(ours) == inspect.signature(own)
    assert issubclass(ours, own)
    own_params, params = own().get_params(), ours().get_params()
    assert {key: str(value) for key, value in params.items()} == {
        key: str(value) for key, value in own_params.items()
    }


@pytest.mark.parametrize("name", TREES + FORESTS + OTHERS + BOOSTED + HIST)
def test_fitted_attributes(name):
    X, y = table(name)
    ours, own = (cls(random_state=0).fit(X, y) for cls in (getattr(dropin, name), theirs(name)))
    public = {key for key in vars(own) if not key.startswith("_")}
    assert public <= {key for key in vars(ours) if not key.startswith("_")}


@pytest.mark.parametrize("criterion", ["squared_error", "poisson"])
@given(st.integers(0, 10**6), st.integers(60, 160), st.integers(1, 3), st.data())
def test_regression_trees_are_those_of_scikit_learn(criterion, seed, n_rows, n_columns, data):
    X = distinct(seed, n_rows, n_columns)
    y = np.exp(X[:, 0] + 0.3 * np.random.default_rng(seed + 1).normal(size=n_rows))
    limits = {
        "max_depth": data.draw(st.sampled_from([2, 4])),
        "min_samples_leaf": data.draw(st.sampled_from([8, 0.15])),
    }
    ours, own = (
        cls(criterion=criterion, random_state=0, **limits).fit(X, y)
        for cls in (dropin.DecisionTreeRegressor, sklearn.tree.DecisionTreeRegressor)
    )
    for array in ("children_left", "children_right", "n_node_samples", "missing_go_to_left"):
        np.testing.assert_array_equal(getattr(ours.tree_, array), getattr(own.tree_, array), err_msg=array)
    for array in ("threshold", "value", "impurity", "weighted_n_node_samples"):
        np.testing.assert_allclose(
            getattr(ours.tree_, array), getattr(own.tree_, array), atol=1e-9, err_msg=array
        )
    new = distinct(seed + 2, 50, n_columns)
    np.testing.assert_array_equal(ours.apply(new), own.apply(new))
    np.testing.assert_array_equal(ours.decision_path(new).toarray(), own.decision_path(new).toarray())
    np.testing.assert_allclose(ours.feature_importances_, own.feature_importances_, atol=1e-9)


@pytest.mark.parametrize(
    "limits",
    [
        {},
        {"max_depth": 4},
        {"min_samples_leaf": 7},
        {"min_samples_split": 0.2},
        {"min_weight_fraction_leaf": 0.05},
        {"max_leaf_nodes": 9},
        {"min_impurity_decrease": 0.01},
        {"ccp_alpha": 0.01},
        {"class_weight": "balanced", "max_depth": 3},
        {"criterion": "entropy", "max_depth": 4},
        {"criterion": "log_loss", "max_depth": 4},
    ],
    ids=str,
)
def test_classification_trees_are_as_good_as_scikit_learns(limits):
    X, y = make_classification(400, 6, n_informative=4, n_redundant=0, random_state=3)
    ours, own = (
        cls(random_state=0, **limits).fit(X, y)
        for cls in (dropin.DecisionTreeClassifier, sklearn.tree.DecisionTreeClassifier)
    )
    assert ours.tree_.n_leaves == pytest.approx(own.tree_.n_leaves, abs=2)
    assert (ours.predict(X) == own.predict(X)).mean() > 0.97


def test_a_row_on_the_midpoint_goes_left():
    model = dropin.DecisionTreeClassifier().fit([[1.0], [2.0]], [0, 1])
    assert model.tree_.threshold[0] == 1.5
    assert model.predict([[1.5], [np.nextafter(np.float32(1.5), np.float32(2))]]).tolist() == [0, 1]


def test_random_splits_separate_a_single_known_value_from_missing_ones():
    X, y = np.array([[np.nan], [1.0], [np.nan]]), np.array([0.0, 1.0, 0.0])
    rows = np.array([[0.0], [1.0], [2.0], [np.nan]])
    model = dropin.ExtraTreeRegressor(random_state=0).fit(X, y)
    assert model.predict(rows).tolist() == [1.0, 1.0, 0.0, 0.0]
    assert model.to_sklearn().predict(rows).tolist() == [1.0, 1.0, 0.0, 0.0]
    # Without missing values there is nothing to separate.
    assert dropin.ExtraTreeRegressor().fit(np.ones((3, 1)), y).tree_.node_count == 1


def test_values_are_rounded_to_float32_first():
    X, y = np.array([[1.0], [1.0 + 2**-40], [2.0]]), [0, 1, 1]
    ours, own = (
        cls().fit(X, y) for cls in (dropin.DecisionTreeClassifier, sklearn.tree.DecisionTreeClassifier)
    )
    assert ours.tree_.threshold[0] == own.tree_.threshold[0] == 1.5


@pytest.mark.parametrize("name", FORESTS)
def test_samples_are_those_of_scikit_learn(name):
    X, y = table(name)
    weight = np.random.default_rng(0).uniform(0.5, 2, len(y))
    for options in ({}, {"max_samples": 0.3}, {"max_samples": 25}):
        ours, own = (
            cls(5, bootstrap=True, random_state=3, **options).fit(X, y, sample_weight=weight)
            for cls in (getattr(dropin, name), theirs(name))
        )
        for mine, other in zip(ours.estimators_samples_, own.estimators_samples_, strict=True):
            np.testing.assert_array_equal(mine, other)
        for tree, other in zip(ours.estimators_, own.estimators_, strict=True):
            assert tree.random_state == other.random_state
            assert tree.tree_.n_node_samples[0] == other.tree_.n_node_samples[0]


def test_a_forest_that_draws_no_columns_is_that_of_scikit_learn():
    X = distinct(0, 200, 3)
    y = X[:, 0] + X[:, 1] ** 2
    ours, own = (
        cls(20, min_samples_leaf=10, random_state=1, oob_score=True).fit(X, y)
        for cls in (dropin.RandomForestRegressor, sklearn.ensemble.RandomForestRegressor)
    )
    new = distinct(1, 100, 3)
    np.testing.assert_allclose(ours.predict(new), own.predict(new), rtol=1e-9)
    np.testing.assert_allclose(ours.oob_prediction_, own.oob_prediction_, rtol=1e-9)
    np.testing.assert_allclose(ours.feature_importances_, own.feature_importances_, rtol=1e-6)
    np.testing.assert_array_equal(ours.apply(new), own.apply(new))


@pytest.mark.parametrize("name", FORESTS)
def test_a_forest_answers_as_its_trees(name):
    X, y = table(name)
    model = getattr(dropin, name)(7, random_state=0, max_features=0.5).fit(X, y)
    assert all(type(tree).__module__ == "bough.sklearn.trees" for tree in model.estimators_)
    answer = "predict_proba" if "Classifier" in name else "predict"
    each = [getattr(tree, answer)(X) for tree in model.estimators_]
    np.testing.assert_allclose(getattr(model, answer)(X), np.mean(each, axis=0), rtol=1e-12)
    np.testing.assert_array_equal(model.apply(X), np.stack([tree.apply(X) for tree in model.estimators_], 1))
    indicator, starts = model.decision_path(X)
    assert indicator.shape == (len(X), starts[-1])
    importances = [tree.feature_importances_ for tree in model.estimators_]
    np.testing.assert_allclose(model.feature_importances_, np.mean(importances, axis=0), atol=1e-6)


@pytest.mark.parametrize("name", FORESTS)
def test_trees_taken_out_of_a_forest_do_not_count(name):
    X, y = table(name)
    model = getattr(dropin, name)(5, random_state=0).fit(X, y)
    last = model.estimators_[-1]
    model.estimators_ = [last]
    model.n_estimators = 1
    np.testing.assert_array_equal(model.predict(X), last_answer(model, last, X))


def last_answer(model, tree, X):
    answers = tree.predict(X)
    return model.classes_[answers.astype(int)] if hasattr(model, "classes_") else answers


@pytest.mark.parametrize("name", FORESTS)
def test_more_trees_in_several_steps_are_the_forest_at_once(name):
    X, y = table(name)
    cls = getattr(dropin, name)
    grown = cls(3, warm_start=True, random_state=0).fit(X, y)
    grown.set_params(n_estimators=8).fit(X, y)
    at_once = cls(8, random_state=0).fit(X, y)
    np.testing.assert_allclose(grown.predict(X), at_once.predict(X), rtol=1e-12)


@pytest.mark.parametrize("direction", [1, -1])
@pytest.mark.parametrize("name", TREES + FORESTS)
def test_predictions_keep_to_monotonic_constraints(name, direction):
    random = np.random.default_rng(0)
    X = random.normal(size=(200, 3)).astype(np.float32)
    noisy = direction * X[:, 1] + np.sin(X[:, 0]) + random.normal(size=200)
    classes = name.endswith("Classifier")
    model = getattr(dropin, name)(monotonic_cst=[0, direction, 0], random_state=0)
    model.fit(X, noisy > 0 if classes else noisy)
    line = np.repeat(X[:20], 50, axis=0)
    line[:, 1] = np.tile(np.linspace(-3, 3, 50), 20)
    predicted = model.predict_proba(line)[:, 1] if classes else model.predict(line)
    steps = direction * np.diff(predicted.reshape(20, 50), axis=1)
    assert steps.min() >= -1e-12
    assert steps.max() > 0


@pytest.mark.parametrize("n_jobs", [1, 2, -1])
def test_forests_do_not_depend_on_the_number_of_jobs(n_jobs):
    X, y = table("RandomForestClassifier")
    own = dropin.RandomForestClassifier(9, random_state=0).fit(X, y)
    model = dropin.RandomForestClassifier(9, random_state=0, n_jobs=n_jobs).fit(X, y)
    np.testing.assert_array_equal(model.predict_proba(X), own.predict_proba(X))


@pytest.mark.parametrize("name", TREES + FORESTS + BOOSTED + ("BaggingClassifier", "BaggingRegressor"))
def test_to_sklearn_answers_the_same(name):
    X, y = table(name)
    model = getattr(dropin, name)(random_state=0).fit(X, y)
    own = model.to_sklearn()
    assert type(own) is theirs(name)
    answer = "predict_proba" if "Classifier" in name else "predict"
    new = X[::-1] * np.float32(1.01)
    np.testing.assert_allclose(getattr(own, answer)(new), getattr(model, answer)(new), rtol=1e-12)
    if name in TREES:
        assert "|---" in sklearn.tree.export_text(own)
        assert sklearn.tree.export_text(model) == sklearn.tree.export_text(own)


@pytest.mark.parametrize(
    "learner",
    [
        bough.TreeClassifier(max_depth=4),
        bough.CARTClassifier(),
        bough.RandomForestClassifier(7, random_state=0),
        bough.TreeRegressor("absolute_error", min_samples_leaf=5),
        bough.ExtraTreesRegressor(7, random_state=0),
    ],
    ids=lambda learner: type(learner).__name__,
)
def test_our_own_learners_become_those_of_scikit_learn(learner):
    X, y = table(type(learner).__name__)
    model = clone(learner).fit(X, y)
    own = model.to_sklearn()
    np.testing.assert_allclose(own.predict(X), model.predict(X), rtol=1e-12)
    np.testing.assert_allclose(own.feature_importances_, model.feature_importances_, atol=1e-6)


def test_plot_tree_draws_the_drop_in():
    pyplot = pytest.importorskip("matplotlib.pyplot")
    X, y = table("DecisionTreeClassifier")
    model = dropin.DecisionTreeClassifier(max_depth=3).fit(X, y)
    drawn = sklearn.tree.plot_tree(model)
    assert len(drawn) >= model.tree_.node_count
    pyplot.close("all")


@pytest.mark.parametrize("name", TREES + FORESTS + OTHERS + BOOSTED + HIST)
def test_pickles(name):
    X, y = table(name)
    model = getattr(dropin, name)(random_state=0).fit(X, y)
    again = pickle.loads(pickle.dumps(model))
    answer = "transform" if name == "RandomTreesEmbedding" else "predict"
    ours, read = (getattr(each, answer)(X) for each in (model, again))
    assert (ours != read).sum() == 0


def test_search_over_drop_ins_and_clones():
    X, y = table("DecisionTreeClassifier")
    search = GridSearchCV(dropin.DecisionTreeClassifier(random_state=0), {"max_depth": [1, 3]}, cv=3)
    assert search.fit(X, y).best_score_ > 0.85


@pytest.mark.parametrize("name", TREES + FORESTS + HIST)
def test_unfitted(name):
    with pytest.raises(NotFittedError):
        getattr(dropin, name)().predict([[1.0]])


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("DecisionTreeClassifier", {"max_depth": 0}),
        ("DecisionTreeRegressor", {"criterion": "gini"}),
        ("RandomForestClassifier", {"n_estimators": 0}),
        ("RandomForestRegressor", {"max_samples": -1}),
        ("IsolationForest", {"contamination": 0.7}),
        ("HistGradientBoostingClassifier", {"max_bins": 300}),
        ("HistGradientBoostingRegressor", {"interaction_cst": [{0, 99}]}),
    ],
)
def test_errors_of_parameters_are_those_of_scikit_learn(name, wrong):
    X, y = table(name)
    errors = []
    for cls in (getattr(dropin, name), theirs(name)):
        with pytest.raises(ValueError, match=f"{next(iter(wrong))}|Interaction constraints") as caught:
            cls(**wrong).fit(X, y)
        errors.append(str(caught.value))
    assert errors[0] == errors[1]


def test_patch_and_unpatch():
    module = type(sklearn)("module_that_imported_before")
    module.RandomForestClassifier = original = sklearn.ensemble.RandomForestClassifier
    sys.modules[module.__name__] = module
    try:
        dropin.patch()
        assert sklearn.ensemble.RandomForestClassifier is dropin.RandomForestClassifier
        assert module.RandomForestClassifier is dropin.RandomForestClassifier
        X, y = table("RandomForestClassifier")
        own = dropin.RandomForestClassifier(3, random_state=0).fit(X, y).to_sklearn()
        assert type(own) is original
        dropin.patch()
    finally:
        dropin.unpatch()
        del sys.modules[module.__name__]
    assert sklearn.ensemble.RandomForestClassifier is original
    assert module.RandomForestClassifier is original


def test_patch_of_one_class():
    dropin.patch("ExtraTreeClassifier")
    try:
        assert sklearn.tree.ExtraTreeClassifier is dropin.ExtraTreeClassifier
        assert sklearn.tree.DecisionTreeClassifier is not dropin.DecisionTreeClassifier
    finally:
        dropin.unpatch()


def test_patch_of_an_unknown_name():
    with pytest.raises(bough.errors.ParameterError, match="SVC"):
        dropin.patch("SVC")


@pytest.mark.parametrize("name", [*TREES, *FORESTS, *OTHERS])
@pytest.mark.parametrize("container", [csr_matrix, csc_array])
def test_long_indices_of_sparse_tables(name, container):
    random = np.random.default_rng(0)
    X = container(random.normal(size=(60, 8)).astype(np.float32) * (random.random((60, 8)) < 0.3))
    long = X.copy()
    long.indices, long.indptr = X.indices.astype(np.int64), X.indptr.astype(np.int64)
    y = random.integers(0, 2, 60)
    answer = "transform" if name == "RandomTreesEmbedding" else "predict"
    short, wide = (
        getattr(getattr(dropin, name)(random_state=0).fit(each, y), answer)(each) for each in (X, long)
    )
    assert (short != wide).sum() == 0


@pytest.mark.parametrize("name", ["BaggingClassifier", "BaggingRegressor", "IsolationForest"])
@pytest.mark.parametrize("options", [{}, {"max_features": 0.5}], ids=str)
def test_bagging_does_not_depend_on_the_number_of_jobs(name, options):
    X, y = table(name)
    one, two = (
        getattr(dropin, name)(n_estimators=5, random_state=0, n_jobs=n_jobs, **options).fit(X, y)
        for n_jobs in (1, 2)
    )
    answer = {"IsolationForest": "score_samples", "BaggingRegressor": "predict"}.get(name, "predict_proba")
    np.testing.assert_array_equal(getattr(one, answer)(X), getattr(two, answer)(X))
    assert two.n_jobs == 2
    assert vars(one).keys() == vars(two).keys()
    grown_together = {id(tree.tree_.forest) for tree in two.estimators_ if hasattr(tree.tree_, "forest")}
    assert options or len(grown_together) == 1


def test_an_embedding_can_be_fitted_again():
    X, _ = table("RandomTreesEmbedding")
    model = dropin.RandomTreesEmbedding(5, random_state=0)
    assert (model.fit_transform(X) != model.fit_transform(X)).sum() == 0


@pytest.mark.parametrize("name", BOOSTED)
def test_adaboost_weighs_its_trees_as_scikit_learn_does(name):
    ours, theirs = (
        getattr(module, name)(n_estimators=10, random_state=0) for module in (bough.sklearn, sklearn.ensemble)
    )
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 2))
    y = X[:, 0] + X[:, 1] ** 2 + rng.normal(size=300)
    if name == "AdaBoostClassifier":
        y = y > 1
    else:
        ours.estimator, theirs.estimator = (
            module.DecisionTreeRegressor(max_depth=2, min_samples_leaf=30)
            for module in (bough.sklearn, sklearn.tree)
        )
    ours.fit(X, y)
    theirs.fit(X, y)
    np.testing.assert_allclose(ours.estimator_weights_, theirs.estimator_weights_, rtol=1e-9)
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X), rtol=1e-9)
