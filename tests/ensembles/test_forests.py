"""Laws of forests: what a forest is does not depend on threads, and it says what its trees say together."""

import contextlib
import dataclasses
import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone, is_regressor
from sklearn.tree import DecisionTreeRegressor

import bough
from bough.data.table import Table
from bough.ensembles.forest import _wide
from bough.errors import ParameterError, TableError, TargetError


def mixed_rows(n=600, seed=0, n_classes=2):
    """Numbers, levels, an ordinal column and missing values, with classes that depend on all of them."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "x": rng.normal(size=n).round(2),
            "single": rng.normal(size=n).astype(np.float32),
            "colour": pd.Categorical(rng.choice(list("abcdefg"), n)),
            "plane": pd.Categorical([f"n{number}" for number in rng.integers(0, 90, n)]),
            "size": pd.Categorical(rng.choice(["s", "m", "l"], n), categories=["s", "m", "l"], ordered=True),
        }
    )
    signal = frame["x"] + frame["colour"].isin(["a", "d"]) - 0.5 * (frame["size"] == "l") + rng.normal(size=n)
    for name in ("x", "colour", "size"):
        frame.loc[rng.random(n) < 0.1, name] = None
    return frame, pd.qcut(signal, n_classes, labels=False).to_numpy(), signal.to_numpy()


LEARNERS = [
    bough.RandomForestClassifier(12, random_state=1),
    bough.ExtraTreesClassifier(12, random_state=1),
    bough.RandomSubspaceClassifier(12, random_state=1),
    bough.RandomForestRegressor(12, max_features=2, random_state=1),
    bough.RandomForestRegressor(12, criterion="absolute_error", max_features=2, random_state=1),
    bough.ExtraTreesRegressor(12, criterion="absolute_error", max_features=2, random_state=1),
    bough.ExtraTreesRegressor(12, random_state=1),
]


def fitted(learner, n_classes=3, **options):
    X, classes, numbers = mixed_rows(n_classes=n_classes)
    from sklearn.base import clone

    learner = clone(learner).set_params(**options)
    return learner.fit(X, numbers if is_regressor(learner) else classes), X


@pytest.mark.parametrize("learner", LEARNERS, ids=lambda each: type(each).__name__)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_same_forest_grows_on_any_number_of_threads(learner, n_classes):
    one, _ = fitted(learner, n_classes, n_jobs=1)
    three, _ = fitted(learner, n_classes, n_jobs=3)
    for name in ("nodes", "leaf", "special", "gain", "tree_importance"):
        np.testing.assert_array_equal(getattr(one.forest_, name), getattr(three.forest_, name))


@pytest.mark.parametrize("learner", LEARNERS, ids=lambda each: type(each).__name__)
@pytest.mark.parametrize("missing", ["learned", "majority"])
def test_a_forest_says_what_its_trees_say_together(learner, missing):
    model, X = fitted(learner, missing=missing)
    trees = list(model.forest_.trees)
    for tree in trees:
        tree.check()
    if is_regressor(model):
        expected = np.mean([tree.predict(X) for tree in trees], axis=0)
        np.testing.assert_allclose(model.predict(X), expected, rtol=1e-12)
    else:
        expected = np.mean([tree.predict_proba(X) for tree in trees], axis=0)
        np.testing.assert_allclose(model.predict_proba(X), expected, rtol=1e-12, atol=1e-14)
        np.testing.assert_array_equal(model.predict(X), model.classes_[expected.argmax(axis=1)])
    np.testing.assert_array_equal(model.apply(X), np.stack([tree.apply(X) for tree in trees], axis=1))


@pytest.mark.parametrize("n_classes", [2, 3])
def test_votes_stop_only_where_the_answer_cannot_change(n_classes):
    X, y, _ = mixed_rows(n_classes=n_classes)
    for voting in ("soft", "hard"):
        model = bough.RandomForestClassifier(40, voting=voting, random_state=0).fit(X, y)
        np.testing.assert_array_equal(model.predict(X), model.predict_proba(X).argmax(axis=1))


@pytest.mark.parametrize("n_rows", [200, 5000])
@pytest.mark.parametrize("weighted", [False, True])
def test_one_tree_of_all_rows_and_columns_parts_them_as_cart_does(n_rows, weighted):
    rng = np.random.default_rng(n_rows)
    X = rng.normal(size=(n_rows, 4)).round(1)
    weight = rng.integers(1, 4, n_rows) if weighted else None
    options = {"bootstrap": False, "max_features": None}
    for classes in (2, 3):
        y = rng.integers(0, classes, n_rows) + (X[:, 0] > 0)
        forest = bough.RandomForestClassifier(1, **options).fit(X, y, sample_weight=weight)
        cart = bough.TreeClassifier().fit(X, y, sample_weight=weight)
        assert forest.forest_.n_nodes == cart.tree_.n_nodes
        np.testing.assert_allclose(forest.predict_proba(X), cart.predict_proba(X))
        np.testing.assert_allclose(forest.feature_importances_, cart.feature_importances_, rtol=1e-6)
    y = X @ [1, 2, 0, 0] + rng.normal(size=n_rows)
    forest = bough.RandomForestRegressor(1, min_samples_leaf=5, **options).fit(X, y, sample_weight=weight)
    cart = bough.TreeRegressor(min_samples_leaf=5).fit(X, y, sample_weight=weight)
    assert forest.forest_.n_nodes == cart.tree_.n_nodes
    np.testing.assert_allclose(forest.predict(X), cart.predict(X), rtol=1e-9)


@pytest.mark.parametrize("criterion", ["squared_error", "absolute_error", "poisson"])
def test_one_tree_of_all_rows_and_columns_parts_them_as_scikit_learns_does(criterion):
    # Weights drawn at random leave no two splits of larger nodes tied.
    for seed in range(12):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(int(rng.integers(40, 400)), 4)).astype(np.float32)
        y, weight = np.exp(X[:, 0] + rng.normal(size=len(X))), rng.uniform(0.5, 2, size=len(X))
        settings = {"criterion": criterion, "min_samples_leaf": 6, "max_depth": 6, "random_state": 0}
        ours = bough.RandomForestRegressor(1, bootstrap=False, max_features=None, **settings).fit(
            X, y, weight
        )
        theirs = DecisionTreeRegressor(**settings).fit(X, y, weight)
        assert len(np.unique(ours.predict(X))) > 4
        np.testing.assert_allclose(ours.predict(X), theirs.predict(X), rtol=1e-9)


@pytest.mark.parametrize("learner", [bough.RandomForestRegressor, bough.ExtraTreesRegressor])
def test_friedman_mse_is_squared_error(learner):
    frame, _, y = mixed_rows()
    named = learner(3, criterion="friedman_mse", random_state=2).fit(frame, y)
    assert named.forest_ == learner(3, random_state=2).fit(frame, y).forest_
    tree = bough.TreeRegressor("friedman_mse", max_depth=3).fit(frame, y)
    assert tree.tree_ == bough.TreeRegressor(max_depth=3).fit(frame, y).tree_


@pytest.mark.parametrize("learner", [bough.RandomForestRegressor, bough.ExtraTreesRegressor])
def test_leaves_under_absolute_error_hold_medians_and_their_deviations(learner):
    frame, _, y = mixed_rows()
    model = learner(2, criterion="absolute_error", bootstrap=False, min_samples_leaf=4, random_state=5)
    tree = model.fit(frame, y).forest_.trees[1]
    leaf = model.apply(frame)[:, 1]
    for node in np.unique(leaf):
        own = y[leaf == node]
        assert tree.statistics[node, 0] == np.median(own)
        assert tree.risk[node] == pytest.approx(np.abs(own - np.median(own)).sum())
    assert tree.risk[0] == pytest.approx(np.abs(y - np.median(y)).sum(), rel=1e-5)


def test_trees_added_to_a_forest_are_those_it_would_have_had():
    X, y, _ = mixed_rows()
    whole = bough.RandomForestClassifier(40, random_state=3, oob_score=True).fit(X, y)
    with pytest.warns(UserWarning, match="OOB"):
        parts = bough.RandomForestClassifier(4, random_state=3, warm_start=True, oob_score=True).fit(X, y)
    parts.set_params(n_estimators=40).fit(X, y)
    np.testing.assert_array_equal(whole.forest_.nodes, parts.forest_.nodes)
    assert whole.oob_score_ == parts.oob_score_
    with pytest.warns(UserWarning, match="Warm-start"):
        parts.fit(X, y)
    with pytest.raises(ParameterError, match="n_estimators is 2"):
        parts.set_params(n_estimators=2).fit(X, y)
    with pytest.raises(ParameterError, match="warm_start"):
        parts.set_params(n_estimators=50).fit(X[:100], y[:100])


def test_a_forest_survives_pickling_and_is_smaller_than_its_trees():
    model, X = fitted(LEARNERS[0])
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    assert not again.forest_.nodes.flags.writeable
    assert model.forest_.nbytes < len(pickle.dumps(list(model.forest_.trees)))


def test_wide_nodes_answer_as_narrow_ones():
    model, X = fitted(LEARNERS[0])
    table, wide = Table.fit_to(X, model.forest_.schema), _wide(model.forest_)
    assert wide.wide
    np.testing.assert_array_equal(wide.apply(table), model.forest_.apply(table))
    assert wide.joined(model.forest_).n_trees == 24


@pytest.mark.parametrize("array", ["nodes", "leaf", "special", "node_start", "leaf_start", "special_start"])
def test_damaged_arrays_are_refused(array):
    forest = fitted(LEARNERS[0])[0].forest_
    rng = np.random.default_rng(0)
    for _ in range(20):
        values = getattr(forest, array).copy()
        place = rng.integers(values.size)
        if array == "leaf":
            values = values[:-1]
        elif array == "nodes":
            values[place] ^= np.uint64(1) << np.uint64(rng.integers(10, 32))
        else:
            values.flat[place] += 7
        damaged = dataclasses.replace(forest, **{array: values})
        # Some changes make another sound forest; none may lead outside the arrays.
        with contextlib.suppress(ValueError):
            damaged.leaves(Table(forest.schema, tuple(np.zeros(1, c.dtype) for c in _columns(forest)), 1))


def _columns(forest):
    return [np.zeros(0, np.float64 if c.scale == "numeric" else np.int32) for c in forest.schema.columns]


def test_numbers_closer_than_floats_can_tell_are_parted():
    X = np.array([[1.0], [1.0 + 1e-12], [1.0 + 2e-12]] * 4)
    model = bough.RandomForestRegressor(5, bootstrap=False).fit(X, X[:, 0] * 1e12 % 10)
    assert len(set(model.predict(X[:3]))) == 3
    np.testing.assert_array_equal(model.apply(X)[:, 0], model.forest_.trees[0].apply(X))


def test_infinities_and_missing_values_are_values():
    X = np.array([[-np.inf], [0.0], [np.inf], [np.nan]] * 10)
    y = np.array([0, 1, 2, 3] * 10)
    model = bough.RandomForestClassifier(20, bootstrap=False).fit(X, y)
    np.testing.assert_array_equal(model.predict(X), y)
    known = bough.RandomForestClassifier(20, bootstrap=False).fit(X, X[:, 0] != X[:, 0])
    np.testing.assert_array_equal(known.predict(X), np.isnan(X[:, 0]))
    text = np.array([["a"], [None]] * 10, dtype=object)
    known = bough.RandomForestClassifier(20, bootstrap=False).fit(text, [0, 1] * 10)
    np.testing.assert_array_equal(known.predict(text), [0, 1] * 10)
    with pytest.raises(TableError, match="missing='refuse'"):
        bough.RandomForestClassifier(5, missing="refuse").fit(X, y)


def test_limits_hold_in_every_tree():
    X, y, numbers = mixed_rows()
    for tree in bough.RandomForestClassifier(5, max_leaf_nodes=7, random_state=0).fit(X, y).forest_.trees:
        assert tree.n_leaves == 7
    for tree in bough.RandomForestRegressor(5, max_depth=3, random_state=0).fit(X, numbers).forest_.trees:
        assert tree.depth == 3
    for tree in bough.RandomForestRegressor(5, min_samples_leaf=20).fit(X, numbers).forest_.trees:
        assert tree.cases[tree.is_leaf].min() >= 20
    for learner in (bough.ExtraTreesClassifier, bough.RandomForestClassifier):
        model = learner(5, min_weight_fraction_leaf=0.1, bootstrap=True).fit(X, y)
        for tree in model.forest_.trees:
            assert tree.weight[tree.is_leaf].min() >= 0.1 * tree.weight[0]


def test_a_tree_of_a_subspace_uses_only_its_columns():
    X, y, _ = mixed_rows()
    model = bough.RandomSubspaceClassifier(10, max_features=2, random_state=0).fit(X, y)
    for tree in model.forest_.trees:
        assert len(set(tree.column[tree.column >= 0])) <= 2


def test_weights_of_nothing_leave_rows_out():
    X, y, _ = mixed_rows()
    weight = np.r_[np.ones(500), np.zeros(100)]
    model = bough.RandomForestClassifier(40, random_state=0, oob_score=True).fit(X, y, sample_weight=weight)
    assert np.isnan(model.oob_decision_function_[500:]).all()
    assert not np.isnan(model.oob_decision_function_[:500]).any()
    assert model.permutation_importance(X, y, by_case=True).by_case.shape == (600, 5)


def test_balanced_subsamples_weigh_classes_alike():
    X, y, _ = mixed_rows()
    y = np.where(np.arange(600) < 60, 1, 0)
    model = bough.RandomForestClassifier(5, class_weight="balanced_subsample", random_state=0).fit(X, y)
    for tree in model.forest_.trees:
        np.testing.assert_allclose(tree.statistics[0], tree.weight[0] / 2)


@pytest.mark.parametrize("learner", [bough.RandomForestClassifier, bough.ExtraTreesClassifier])
def test_decision_path_has_the_path_of_every_tree(learner):
    X, classes, _ = mixed_rows(200)
    model = learner(7, max_depth=4, random_state=0).fit(X, classes)
    indicator, starts = model.decision_path(X)
    assert indicator.shape == (200, starts[-1])
    assert starts.tolist() == np.cumsum([0, *(tree.n_nodes for tree in model.estimators_)]).tolist()
    ends = model.apply(X)
    for t, tree in enumerate(model.estimators_):
        own = indicator[:, starts[t] : starts[t + 1]]
        assert (own != tree.decision_path(X)).nnz == 0
        assert (own[np.arange(200), ends[:, t]] == 1).all()


def test_a_forest_is_ready_to_predict_after_fit_and_load(tmp_path):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    fitted = bough.RandomForestClassifier(5, random_state=0).fit(X, X[:, 0] > 0)
    fitted.model_.save(tmp_path / "forest.bough")
    for forest in (fitted.forest_, bough.load(tmp_path / "forest.bough")):
        assert {"native", "_n_numbers", "_labels"} <= vars(forest).keys()
        assert forest.predict(X[:1]) == fitted.predict(X)[0]


FAR_APART = [
    bough.RandomForestRegressor(5, random_state=0),
    bough.RandomForestRegressor(5, criterion="poisson", random_state=0),
    bough.ExtraTreesRegressor(5, random_state=0),
    bough.RandomForestClassifier(5, random_state=0),
    bough.ExtraTreesClassifier(5, random_state=0),
]


@pytest.mark.parametrize("learner", FAR_APART, ids=str)
@pytest.mark.parametrize("n_targets", [1, 2])
@pytest.mark.parametrize("factor", [1e13, 1e15, 1e17, 1e100, 1e300])
def test_weights_far_apart_give_finite_gains(learner, n_targets, factor):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 4))
    y = np.abs(X[:, [0]] + rng.normal(size=(200, n_targets))).squeeze()
    if not is_regressor(learner):
        y = np.digitize(y, [0.5, 1.0])
    for weight in (np.where(rng.random(200) < 0.5, 1.0, factor), factor ** rng.random(200)):
        model = clone(learner).fit(X, y, sample_weight=weight)
        for tree in model.forest_.trees:
            assert np.isfinite(tree.gain[~tree.is_leaf]).all()
            assert (tree.weight > 0).all()
        assert model.feature_importances_.sum() == pytest.approx(1)
        assert np.isfinite(model.predict(X)).all()


ON_BINS = [
    bough.RandomForestClassifier(5, bootstrap=False, max_bins=16),
    bough.RandomForestRegressor(5, bootstrap=False, max_bins=16),
]


@pytest.mark.parametrize("learner", [*FAR_APART, *ON_BINS], ids=str)
def test_forests_of_huge_weights_are_loaded_again(learner, tmp_path):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(100, 4)), rng.integers(0, 3, 100)
    model = clone(learner).fit(X, y, sample_weight=np.full(100, 1e300))
    model.model_.save(tmp_path / "forest.bough")
    assert bough.load(tmp_path / "forest.bough") == model.model_
    assert model.model_.trees[0].cases[0] == 100


OF_NUMBERS = [
    bough.RandomForestRegressor(3, random_state=0),
    bough.ExtraTreesRegressor(3, random_state=0),
    bough.RandomForestRegressor(3, bootstrap=False, max_bins=16),
]


@pytest.mark.parametrize("learner", OF_NUMBERS[:2], ids=str)
@pytest.mark.parametrize("n_targets", [1, 2])
def test_means_of_leaves_lie_among_their_numbers_however_far_these_are_from_others(learner, n_targets):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 4))
    y = np.exp(20 * X[:, [0]] + rng.normal(size=(300, n_targets))).squeeze()
    model = clone(learner).set_params(min_samples_leaf=2).fit(X, y)
    answers = model.predict(X)
    assert (answers >= y.min(axis=0)).all()
    assert (answers <= y.max(axis=0)).all()


def test_a_mean_that_is_next_to_nothing_beside_others_is_that_of_its_numbers():
    X, y = [[0.0]] * 3 + [[1.0]], [1.0, 2.0, 6.0, 1e20]
    model = bough.ExtraTreesRegressor(1, min_samples_leaf=1, random_state=0).fit(X, y)
    assert model.predict([[0.0], [1.0]]).tolist() == [3.0, 1e20]


@pytest.mark.parametrize(
    "learner", [*OF_NUMBERS, bough.ExtraTreesRegressor(3, criterion="absolute_error")], ids=str
)
@pytest.mark.parametrize("scale", [1e25, 1e100])
def test_trees_of_forests_of_huge_numbers_have_finite_gains_and_are_loaded_again(learner, scale, tmp_path):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(100, 4))
    model = clone(learner).fit(X, scale * X[:, 0])
    tree = model.forest_.trees[0]
    assert np.isfinite(tree.gain[~tree.is_leaf]).all()
    tree.save(tmp_path / "tree.json")
    assert bough.load(tmp_path / "tree.json") == tree


@pytest.mark.parametrize("n_targets", [1, 2])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("forest", [bough.RandomForestRegressor, bough.ExtraTreesRegressor])
def test_no_leaf_of_a_forest_of_amounts_is_without_events(forest, weighted, n_targets):
    """What is left of a sum of numbers that are not whole is no event."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(800, 6))
    amounts = np.round(np.exp(rng.normal(size=(800, n_targets)) + X[:, [0]]), 2)
    y = np.where(rng.random((800, n_targets)) < 0.7, 0.0, amounts).squeeze()
    weight = rng.random(800) + 0.1 if weighted else None
    model = forest(5, criterion="poisson", random_state=0).fit(X, y, sample_weight=weight)
    for tree in model.forest_.trees:
        assert tree.is_leaf.sum() > 40
        assert (tree.statistics[tree.is_leaf] > 0).all()


@pytest.mark.parametrize("learner", OF_NUMBERS[:2], ids=str)
@pytest.mark.parametrize("n_targets", [1, 2])
@pytest.mark.parametrize(
    ("held", "beyond", "weight"), [(1e-145, 1e-160, 1.0), (1e140, 1e145, 1.0), (1e110, 1e125, 2.0**40)]
)
def test_numbers_whose_squares_are_beyond_floats_are_refused(learner, n_targets, held, beyond, weight):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(1000, 3)), rng.normal(size=(1000, n_targets)).squeeze()
    weights = np.full(1000, weight)
    expected = clone(learner).fit(X, y).forest_.n_nodes
    assert clone(learner).fit(X, held * y, sample_weight=weights).forest_.n_nodes > 0.9 * expected
    with pytest.raises(TargetError, match=r"y goes from -.* to .*Multiply it by a power of ten"):
        clone(learner).fit(X, beyond * y, sample_weight=weights)
