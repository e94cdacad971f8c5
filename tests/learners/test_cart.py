from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.cart_tables import drawn

import bough
from bough import CARTClassifier, CARTRegressor
from bough.data.target import ClassTarget, read_weights
from bough.engines.native import grow_folds
from bough.growing.class_costs import class_costs
from bough.growing.job import GrowingJob
from bough.growing.weighted_target import WeightedTarget
from bough.tree.alternatives import ALTERNATIVE_ARRAYS

seeds = st.integers(0, 2**32 - 1)
CLASSES = ("gini", "entropy", "twoing")
NUMBERS = ("squared_error", "absolute_error", "poisson")


def assert_same_tree(ours, theirs, rtol=1e-9):
    for name in ("parent", "n_children", "column", "kind", "level_code", "level_branch", "default_branch"):
        np.testing.assert_array_equal(getattr(ours, name), getattr(theirs, name), err_msg=name)
    for name in ("cut", "weight", "cases", "statistics", "gain", "risk"):
        np.testing.assert_allclose(
            getattr(ours, name), getattr(theirs, name), rtol=rtol, atol=1e-9, err_msg=name
        )
    for kind in ("surrogates", "competitors"):
        for name, dtype in ALTERNATIVE_ARRAYS.items():
            mine, other = (getattr(getattr(tree, kind), name) for tree in (ours, theirs))
            if dtype is np.float64:
                np.testing.assert_allclose(mine, other, rtol=rtol, atol=1e-9, err_msg=f"{kind}.{name}")
            else:
                np.testing.assert_array_equal(mine, other, err_msg=f"{kind}.{name}")


@pytest.mark.parametrize("criterion", CLASSES)
@given(seed=seeds, k=st.integers(2, 3))
@settings(deadline=None, max_examples=20)
def test_a_weight_is_so_many_rows_also_for_spare_splits(criterion, seed, k):
    data = drawn(seed, 50, missing=0.15, n_classes=k)
    weight = data.whole_weights()
    model = CARTClassifier(criterion, min_samples_leaf=3, n_competitors=3, prune="none")
    weighted = model.fit(data.table, data.labels, weight).tree_
    table, labels = data.repeated(weight, data.labels)
    assert_same_tree(weighted, model.fit(table, labels).tree_)


@pytest.mark.parametrize("criterion", CLASSES)
@given(seed=seeds, k=st.integers(2, 3))
@settings(deadline=None, max_examples=20)
def test_a_weight_is_so_many_rows_also_where_classes_count_otherwise(criterion, seed, k):
    """Scales are quarters here: where rounding does not settle ties, the trees are the same."""
    data = drawn(seed, 50, missing=0.15, n_classes=k)
    weight = data.whole_weights()
    split_scale, class_scale = data.rng.integers(1, 9, (2, k)) / 4
    loss = data.rng.integers(1, 4, (k, k)) * (1 - np.eye(k))
    recipe = CARTClassifier(criterion, min_samples_leaf=3, n_competitors=3).recipe()

    def grown(table, labels, weight):
        target = ClassTarget(tuple(range(k)), labels.astype(np.int32))
        weights = read_weights(weight, len(labels))
        split_weight = split_scale[labels] * (1.0 if weight is None else weight)
        sample = WeightedTarget(target, weights, split_weight, class_scale, loss)
        return grow_folds(GrowingJob(table, sample, recipe, n_jobs=1))[0]

    weighted = grown(data.table, data.labels, weight)
    assert_same_tree(weighted, grown(*data.repeated(weight, data.labels), None))


@given(seeds, st.integers(2, 4))
@settings(deadline=None)
def test_stakes_take_a_weight_for_so_many_rows(seed, k):
    rng = np.random.default_rng(seed)
    codes, weight = np.append(np.arange(k), rng.integers(0, k, 20)), rng.integers(1, 4, 20 + k)
    loss, parts = rng.integers(1, 5, (k, k)) * (1 - np.eye(k)), rng.integers(1, 5, k)
    weighted, repeated = (
        class_costs(parts / parts.sum(), loss, ClassTarget(tuple(range(k)), these.astype(np.int32)), those)
        for these, those in (
            (codes, read_weights(weight, len(codes))),
            (np.repeat(codes, weight), read_weights(None, int(weight.sum()))),
        )
    )
    np.testing.assert_allclose(weighted.split_scale, repeated.split_scale, rtol=1e-14)
    np.testing.assert_allclose(weighted.class_scale, repeated.class_scale, rtol=1e-14)


@pytest.mark.parametrize("criterion", NUMBERS)
@given(seed=seeds)
@settings(deadline=None, max_examples=20)
def test_a_weight_is_so_many_rows_of_numbers(criterion, seed):
    data = drawn(seed, 50, missing=0.15)
    weight = data.whole_weights()
    y = data.events if criterion == "poisson" else data.numbers
    model = CARTRegressor(criterion, min_samples_leaf=3, n_competitors=3, prune="none")
    weighted = model.fit(data.table, y, weight).tree_
    table, repeated = data.repeated(weight, y)
    assert_same_tree(weighted, model.fit(table, repeated).tree_)


@given(seeds)
@settings(deadline=None, max_examples=15)
def test_limits_that_count_rows_take_a_weight_for_one_row(seed):
    data = drawn(seed, 50)
    model = CARTClassifier(min_samples_leaf=5, count="rows", prune="none")
    tree = model.fit(data.table, data.labels, data.whole_weights()).tree_
    assert tree.cases[0] == 50
    assert tree.cases[tree.is_leaf].min() >= 5


def large(task, n_rows=9000):
    data = drawn(11, n_rows, missing=0.1, n_classes=3)
    return data.table, data.labels if task == "classification" else data.numbers


@pytest.mark.parametrize("task", ["classification", "regression"])
def test_the_number_of_threads_changes_nothing(task):
    X, y = large(task)
    learner = CARTClassifier if task == "classification" else CARTRegressor
    models = [learner(min_samples_leaf=20, n_competitors=2, n_jobs=n).fit(X, y) for n in (1, 2, 4)]
    for model in models[1:]:
        assert model.grown_tree_ == models[0].grown_tree_
        assert model.tree_ == models[0].tree_
        for name in ("alphas", "risk", "cv_risk", "cv_error"):
            mine, first = (getattr(each.cp_table_, name) for each in (model, models[0]))
            np.testing.assert_array_equal(mine, first, err_msg=name)


@pytest.mark.parametrize("missing", ["stop", "surrogates_then_stop", "surrogates_then_majority", "majority"])
@pytest.mark.parametrize("learner", [CARTClassifier, CARTRegressor])
def test_where_rows_without_a_value_go_does_not_depend_on_how_the_table_is_searched(learner, missing):
    """Pairs of rows have a way of their own through the native code, which a limit shuts."""
    data = drawn(7, 200)
    X = np.column_stack(data.table.columns[:3])
    y = data.labels if learner is CARTClassifier else data.numbers
    quick = learner(prune="none", missing=missing).fit(X, y).tree_
    slow = learner(prune="none", missing=missing, min_improvement=1e-300).fit(X, y).tree_
    np.testing.assert_array_equal(quick.column, slow.column)
    np.testing.assert_array_equal(quick.default_branch, slow.default_branch)


@pytest.mark.parametrize(
    ("missing", "stays"), [("stop", True), ("surrogates_then_stop", True), ("majority", False)]
)
def test_rows_stay_only_where_the_recipe_says_so(missing, stays):
    data = drawn(8, 100)
    tree = CARTClassifier(prune="none", missing=missing).fit(data.table, data.labels).tree_
    assert ((tree.default_branch[~tree.is_leaf] < 0) == stays).all()


@given(seeds)
@settings(deadline=None, max_examples=20)
def test_a_column_of_enormous_cost_is_never_split(seed):
    data = drawn(seed, 80)
    free = CARTRegressor(min_samples_leaf=5, prune="none").fit(data.table, data.numbers).tree_
    first = free.schema.names[int(free.column[0])]
    model = CARTRegressor(min_samples_leaf=5, prune="none", column_costs={first: 1e12})
    tree = model.fit(data.table, data.numbers).tree_
    assert int(free.column[0]) not in tree.column[~tree.is_leaf]


@given(seeds, st.sampled_from([1.5, 2.0, 10.0]))
@settings(deadline=None, max_examples=20)
def test_costs_of_all_columns_alike_change_gains_alone(seed, cost):
    data = drawn(seed, 60, missing=0.1)
    plain = CARTClassifier(prune="none").fit(data.table, data.labels).tree_
    tree = CARTClassifier(prune="none", column_costs=[cost] * 4).fit(data.table, data.labels).tree_
    np.testing.assert_array_equal(tree.column, plain.column)
    np.testing.assert_array_equal(tree.cut, plain.cut)
    np.testing.assert_allclose(tree.gain * cost, plain.gain, rtol=1e-12)


@pytest.mark.parametrize(
    ("criterion", "task"), [("gini", "classification"), ("entropy", "classification"), ("squared_error", "")]
)
@given(seed=seeds)
@settings(deadline=None, max_examples=15)
def test_competitors_are_the_best_candidates_of_the_other_columns(criterion, task, seed):
    data = drawn(seed, 50)
    learner = CARTClassifier if task else CARTRegressor
    y = data.labels if task else data.numbers
    model = learner(criterion, n_competitors=5, prune="none", max_depth=2).fit(data.table, y)
    tree = model.tree_
    for node in np.flatnonzero(~tree.is_leaf).tolist():
        best: dict[str, float] = {}
        for candidate in bough.candidates(tree, data.table, y, node=node):
            value = candidate.criteria[criterion]
            best[candidate.variable] = max(value, best.get(candidate.variable, -np.inf))
        own = tree.schema.names[int(tree.column[node])]
        found = {
            tree.schema.names[alternative.split.column]: alternative.value
            for alternative in tree.competitors_of(node)
        }
        assert own not in found
        others = {name: value for name, value in best.items() if name != own and value > 1e-12}
        assert found.keys() >= others.keys()
        for name, value in found.items():
            assert value == pytest.approx(best[name], rel=1e-9, abs=1e-12)
        values = [alternative.value for alternative in tree.competitors_of(node)]
        assert values == sorted(values, reverse=True)
        assert all(value <= tree.gain[node] * (1 + 1e-12) for value in values)


def test_fewer_competitors_are_the_first_of_more():
    data = drawn(2, 80, missing=0.1)
    few, many = (
        CARTClassifier(prune="none", n_competitors=n).fit(data.table, data.labels).tree_ for n in (1, 3)
    )
    for node in np.flatnonzero(~few.is_leaf).tolist():
        assert few.competitors_of(node) == many.competitors_of(node)[:1]


@given(seeds, st.sampled_from([0.0, 0.01, 0.05, 0.3]))
@settings(deadline=None, max_examples=20)
def test_cp_prunes_the_whole_tree(seed, cp):
    data = drawn(seed, 80, missing=0.1)
    whole = CARTClassifier(prune="none").fit(data.table, data.labels).tree_
    model = CARTClassifier(prune="cp", cp=cp, cv=None).fit(data.table, data.labels)
    pruned = whole.pruned(cp, relative=True)
    np.testing.assert_array_equal(model.tree_.column, pruned.column)
    np.testing.assert_array_equal(model.tree_.cut, pruned.cut)
    assert model.tree_ == model.grown_tree_
    assert not hasattr(model, "cp_table_")


@given(seeds, st.sampled_from([0.0, 0.01, 0.1]))
@settings(deadline=None, max_examples=20)
def test_ccp_alpha_is_the_price_of_a_leaf_per_unit_of_weight(seed, alpha):
    data = drawn(seed, 80)
    weight = data.whole_weights()
    whole = CARTRegressor(prune="none").fit(data.table, data.numbers, weight).tree_
    tree = CARTRegressor(ccp_alpha=alpha).fit(data.table, data.numbers, weight).tree_
    np.testing.assert_array_equal(tree.column, whole.pruned(alpha * weight.sum()).column)


@pytest.mark.parametrize(
    "costs", [{}, {"prior": "equal"}, {"prior": "equal", "loss_matrix": {(0, 1): 3.0}}], ids=str
)
def test_rows_without_any_value_are_left_out_and_said_so(costs):
    data = drawn(3, 40)
    X = pd.DataFrame(np.column_stack(data.table.columns[:2]), columns=["a", "b"])
    X.iloc[[4, 9]] = np.nan
    folds = np.arange(40) % 4
    with pytest.warns(UserWarning, match=r"2 rows have no value in any column \(the first is row 4\)"):
        model = CARTClassifier(cv=folds, **costs).fit(X, data.labels)
    kept = ~X.isna().all(axis=1).to_numpy()
    other = CARTClassifier(cv=folds[kept], **costs).fit(X[kept], data.labels[kept])
    # The folds that each recipe records are those of its own rows.
    assert replace(model.tree_, recipe=other.tree_.recipe) == other.tree_
    np.testing.assert_array_equal(model.cp_table_.cv_risk, other.cp_table_.cv_risk)


def test_given_folds_follow_the_rows_that_weigh_anything():
    data = drawn(3, 60)
    weight = (np.arange(60) % 5 > 0).astype(float)
    folds, kept = np.arange(60) % 4, np.flatnonzero(weight)
    ours = CARTClassifier(cv=folds).fit(data.table, data.labels, weight)
    theirs = CARTClassifier(cv=folds[kept]).fit(data.table.take(kept), data.labels[kept])
    np.testing.assert_array_equal(ours.cp_table_.cv_risk, theirs.cp_table_.cv_risk)


def test_shrinkage_draws_rates_towards_that_of_all_rows():
    data = drawn(6, 100)
    root = data.events.mean()
    trees = [
        CARTRegressor("poisson", shrink=shrink, max_depth=2, prune="none").fit(data.table, data.events).tree_
        for shrink in (0.0, 1.0, 0.1)
    ]
    distances = [np.abs(tree.statistics[tree.is_leaf, 0] - root).max() for tree in trees]
    assert distances[0] > distances[1] > distances[2]


def test_exposure_of_one_each_is_none():
    data = drawn(6, 100)
    plain = CARTRegressor("poisson").fit(data.table, data.events)
    exposed = CARTRegressor("poisson").fit(data.table, data.events, exposure=np.ones(100))
    np.testing.assert_array_equal(plain.predict(data.table), exposed.predict(data.table))
    np.testing.assert_allclose(plain.cp_table_.cv_risk, exposed.cp_table_.cv_risk, rtol=1e-12)


def test_options_of_rpart_take_its_defaults():
    model = CARTClassifier.like_rpart()
    assert (model.min_samples_split, model.min_samples_leaf, model.max_depth) == (20, 7, 30)
    assert (model.cp, model.cv, model.prune, model.path) == (0.01, 10, "cp", "rpart")
    assert CARTClassifier.like_rpart(minbucket=4).min_samples_split == 12
    assert CARTClassifier.like_rpart(xval=0).cv is None
    assert CARTRegressor.like_rpart(method="poisson", error="sqrt").shrink == 0.0
