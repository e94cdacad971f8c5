"""Growth from histograms: the exact tree where columns have few values, and the documented arithmetic."""

import numpy as np
import pytest

from bough import CARTClassifier, CARTRegressor, TreeClassifier, TreeRegressor, regrow
from bough.data.bins import Bins
from bough.data.table import Table
from bough.engines import binned, native
from bough.errors import ParameterError
from bough.growing.job import GrowingJob
from bough.learners.reading import read_training
from bough.learners.weighing import weighted

STRUCTURE = ("parent", "first_child", "column", "kind", "cut", "cut_below", "cut_above", "default_branch",
             "level_code", "level_branch", "cases")  # fmt: skip


def mixed_rows(n=3000, seed=0, missing=0.05):
    """Three numeric columns of few values, an ordinal-like and a nominal one, with missing values."""
    rng = np.random.default_rng(seed)
    numbers = np.round(rng.normal(size=(n, 3)), 1)
    levels = rng.integers(0, 6, n)
    score = numbers[:, 0] + numbers[:, 1] ** 2 + 0.7 * (levels % 3) + rng.normal(size=n)
    X = numbers.astype(object)
    X[rng.random(X.shape) < missing] = None
    names = np.array([*"abcdef"], dtype=object)[levels]
    names[rng.random(n) < missing] = None
    return np.column_stack([X, names]), score


def assert_same_structure(ours, exact):
    for name in STRUCTURE:
        np.testing.assert_array_equal(getattr(ours, name), getattr(exact, name), err_msg=name)
    for name in ("weight", "gain", "statistics", "risk"):
        np.testing.assert_allclose(
            getattr(ours, name), getattr(exact, name), rtol=1e-6, atol=1e-9, err_msg=name
        )


@pytest.mark.parametrize("missing", ["majority", "learned"])
@pytest.mark.parametrize("weights", [None, "whole", "fractions"])
@pytest.mark.parametrize("task", ["two classes", "five classes", "numbers", "best first", "one level"])
def test_the_tree_of_few_values_is_the_exact_one(missing, weights, task):
    X, score = mixed_rows()
    rng = np.random.default_rng(1)
    weight = {None: None, "whole": rng.integers(0, 4, len(X)), "fractions": rng.random(len(X))}[weights]
    parameters = {"missing": missing, "max_depth": 6, "min_samples_leaf": 5}
    if task == "numbers":
        learner, y = TreeRegressor(**parameters), score
    elif task == "best first":
        learner, y = TreeClassifier("entropy", max_leaf_nodes=23, missing=missing), score > 1
    elif task == "one level":
        learner, y = TreeClassifier(nominal="one_vs_rest", **parameters), score > 1
    else:
        y = np.digitize(score, [1.0] if task == "two classes" else [0, 1, 2, 3])
        learner = TreeClassifier(**parameters)
    exact = learner.fit(X, y, weight).tree_
    assert exact.n_leaves > 10
    assert_same_structure(learner.set_params(max_bins=255).fit(X, y, weight).tree_, exact)


def test_the_tree_does_not_depend_on_threads():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(20_000, 5))
    y = X[:, 0] * X[:, 1] + rng.normal(size=len(X))
    one, many = (TreeRegressor(max_bins=64, max_depth=8, n_jobs=n).fit(X, y).tree_ for n in (1, 3))
    assert one == many


def test_bins_are_the_values_of_an_exact_tree_of_codes():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(5000, 4))
    y = X[:, 0] + X[:, 1] * X[:, 2] + rng.normal(size=len(X)) > 0
    bins = Bins.of(Table.read(X), 40)
    codes = np.column_stack([bins.codes(name) for name in bins.table.schema.names]).astype(float)
    ours = TreeClassifier(max_bins=40, max_depth=6).fit(X, y).tree_
    exact = TreeClassifier(max_depth=6).fit(codes, y).tree_
    for name in ("first_child", "column", "statistics", "gain"):
        np.testing.assert_array_equal(getattr(ours, name), getattr(exact, name))
    for node in np.flatnonzero(ours.first_child >= 0):
        name = bins.table.schema.names[ours.column[node]]
        below, above = int(exact.cut_below[node]), int(exact.cut_above[node])
        assert ours.cut[node] == (bins.highest(name)[below] + bins.lowest(name)[above]) / 2


def test_the_example_of_the_architecture_page():
    X = np.array([1, 1, 2, 3, 5, 8, np.nan, 9])[:, np.newaxis]
    y = np.array([0.1, 0.3, 0.2, 1.1, 1.0, 1.3, 0.7, 1.2])
    tree = TreeRegressor(max_bins=3, missing="majority", max_depth=1).fit(X, y).tree_
    assert tree.cut[0] == 2.5
    assert f"{tree.gain[0]:.12f}" == "0.193392857143"
    assert tree.statistics[0, 0] == 0.73749999999999905
    assert tree.risk[0] == 1.618749999999997


@pytest.mark.parametrize("learner", [CARTClassifier(max_bins=50), CARTRegressor(max_bins=50)])
def test_cart_prunes_trees_of_bins_and_regrows_them(learner):
    X, score = mixed_rows(1000)
    y = score > 1 if isinstance(learner, CARTClassifier) else score
    fitted = learner.fit(X, y)
    assert fitted.tree_.recipe["max_bins"] == 50
    assert 1 < fitted.tree_.n_leaves < fitted.grown_tree_.n_leaves
    assert regrow(fitted.tree_, X, y) == fitted.tree_


@pytest.mark.parametrize(
    ("parameters", "named"),
    [
        ({"missing": "stop", "column_costs": [2.0]}, "column_costs"),
        ({"prior": "equal"}, "prior"),
        ({"n_competitors": 2}, "n_competitors"),
        ({"monotonic_cst": [1]}, "monotonic_cst"),
        ({"max_bins": 1}, "max_bins"),
    ],
)
def test_what_bins_do_not_support_is_refused_by_name(parameters, named):
    with pytest.raises(ParameterError, match=named):
        CARTClassifier(**({"max_bins": 20} | parameters)).fit([[1.0], [2.0]] * 5, [0, 1] * 5)


@pytest.mark.parametrize("missing", ["majority", "learned"])
@pytest.mark.parametrize("weights", [None, "whole", "fractions"])
@pytest.mark.parametrize("task", ["classes", "numbers"])
def test_the_loop_grows_the_tree_of_native_code(missing, weights, task):
    """The loop over histograms is the definition of binned growth; native code follows it to the byte."""
    X, score = mixed_rows(600)
    X[:, 2] = np.random.default_rng(4).normal(size=len(X))
    rng = np.random.default_rng(5)
    weight = {None: None, "whole": rng.integers(0, 4, len(X)), "fractions": rng.random(len(X))}[weights]
    y = np.digitize(score, [0, 1, 2]) if task == "classes" else score
    of_task = TreeClassifier if task == "classes" else TreeRegressor
    for limits in ({"max_depth": 6}, {"max_leaf_nodes": 9, "min_weight_fraction_leaf": 0.01}):
        recipe = of_task(max_bins=20, missing=missing, **limits).recipe()
        training, target = weighted(recipe, read_training(recipe, X, y, weight))
        job = GrowingJob(training.table, target, recipe)
        [by_native], [by_loop] = native.grow_folds(job), binned.grow_folds(job)
        assert by_native.n_leaves > 5
        assert by_native.to_json() == by_loop.to_json()


@pytest.mark.parametrize("policy", ["surrogates_then_majority", "surrogates_then_stop", "stop", "own_level"])
def test_other_policies_for_missing_values_grow_the_exact_tree_of_few_values(policy):
    X, score = mixed_rows(800)
    for learner, y in ((CARTClassifier(prune="none"), score > 1), (CARTRegressor(prune="none"), score)):
        learner.set_params(missing=policy, max_depth=5)
        exact = learner.fit(X, y).tree_
        ours = learner.set_params(max_bins=255).fit(X, y).tree_
        assert_same_structure(ours, exact)
        if exact.surrogates is not None:
            np.testing.assert_array_equal(ours.surrogates.cut, exact.surrogates.cut)
            np.testing.assert_array_equal(ours.surrogates.cases, exact.surrogates.cases)


def test_absolute_error_is_refused_on_bins():
    with pytest.raises(ParameterError, match="absolute_error"):
        CARTRegressor("absolute_error", max_bins=20).fit([[1.0], [2.0]] * 5, [0, 1] * 5)


def test_of_two_siblings_only_the_smaller_is_counted():
    """The histogram of the other is that of the parent less this one."""
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(300, 3)), rng.integers(0, 2, 300)
    recipe = TreeClassifier(max_bins=8, max_depth=4, missing="majority").recipe()
    training, target = weighted(recipe, read_training(recipe, X, y))
    rows, counted = binned.RowsInMemory.of(GrowingJob(training.table, target, recipe)), []
    histograms = rows.histograms
    rows.histograms = lambda leaves: counted.append([*leaves]) or histograms(leaves)
    tree = binned.grow(rows, recipe, None)
    cases = tree.cases.astype(int).tolist()
    assert_same_structure(tree, native.grow_folds(GrowingJob(training.table, target, recipe))[0])
    assert counted[0] == [0]
    assert counted[1] == [1 if cases[1] < cases[2] else 2]
    assert sum(map(len, counted)) < (~tree.is_leaf).sum()
