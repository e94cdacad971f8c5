"""REPTree: pruned on a fold, which is then fitted in; classes and numbers."""

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import KFold

import bough
from bough import _core
from bough.errors import ParameterError, TableError
from bough.learners.fitting import fit_tree
from bough.learners.reading import read_training


def weka_sort(values):
    """Utils.sort(double[]) of Weka 3.8: the order it leaves equal values in is its own."""
    order = list(range(len(values)))

    def swap(i, j):
        order[i], order[j] = order[j], order[i]

    def in_order(*pairs):
        for i, j in pairs:
            if values[order[i]] > values[order[j]]:
                swap(i, j)

    def sort(left, right):
        if right - left == 1:
            in_order((left, right))
        elif right - left == 2:
            in_order((left, left + 1), (left, right), (left + 1, right))
        elif right > left:
            middle = (left + right) // 2
            in_order((left, middle), (left, right), (middle, right))
            swap(middle, right - 1)
            pivot, low, high = values[order[right - 1]], left, right - 1
            while True:
                low, high = low + 1, high - 1
                while values[order[low]] < pivot:
                    low += 1
                while values[order[high]] > pivot:
                    high -= 1
                if low >= high:
                    break
                swap(low, high)
            swap(low, right - 1)
            sort(left, low - 1)
            sort(low + 1, right)

    sort(0, len(values) - 1)
    return order


def weka_root(X, y):
    """The column and the cut of the root of Weka's regression tree, summed in Weka's order."""

    def error(weight, total, square):
        return square - total * total / weight if weight > 0 else 0.0

    best_gain, best = 0.0, None
    for column in range(X.shape[1]):
        x = X[:, column].tolist()
        order = weka_sort(x)
        right = [0.0, 0.0, 0.0]
        for row in order:
            for k, part in enumerate((1.0, y[row], y[row] * y[row])):
                right[k] += part
        left, all_rows, least, cut = [0.0, 0.0, 0.0], error(*right), np.inf, None
        for row, following in pairwise(order):
            for k, part in enumerate((1.0, y[row], y[row] * y[row])):
                left[k] += part
                right[k] -= part
            if x[following] > x[row] and error(*left) + error(*right) < least:
                least, cut = error(*left) + error(*right), (x[row] + x[following]) / 2
        if all_rows - least > best_gain:
            best_gain, best = all_rows - least, (column, cut)
    return best


def weka_pruned(tree, table, codes, order):
    """Which nodes of a grown tree REPTree keeps as inner ones, by its own recursion."""
    errors = np.zeros(tree.n_nodes)
    answers = tree.answer_codes()

    def insert(row, weight, node):
        if answers[node] != codes[row]:
            errors[node] += weight
        if tree.is_leaf[node]:
            return
        split = tree.split(node)
        branch = int(split.branch(table.columns[tree.column[node]][[row]])[0])
        for k, child in enumerate(tree.children(node)):
            if branch == k:
                insert(row, weight, child)
            elif branch < 0 and tree.share[child] > 0:
                insert(row, weight * tree.share[child], child)

    kept = set()

    def prune(node):
        if tree.is_leaf[node]:
            return errors[node]
        below = 0.0
        for child in tree.children(node):
            below += prune(child)
        if below >= errors[node]:
            kept.difference_update(_below(tree, node))
            return errors[node]
        kept.add(node)
        return below

    for row in order:
        insert(row, 1.0, 0)
    prune(0)
    return len(kept)


def _below(tree, node):
    nodes = [node]
    for each in nodes:
        nodes += tree.children(each)
    return nodes


def steps(n_rows=300, seed=0, missing=0.0):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "number": rng.normal(size=n_rows),
            "noise": rng.normal(size=n_rows),
            "level": pd.Categorical(rng.choice(list("pqr"), n_rows)),
        }
    ).mask(rng.random((n_rows, 3)) < missing)
    signal = 5.0 * (X["number"].fillna(0) > 0) + (X["level"] == "p")
    return X, (signal + rng.normal(size=n_rows)).to_numpy()


def test_all_rows_are_in_the_tree_in_the_end():
    X, y = steps()
    assert bough.REPTreeRegressor().fit(X, y).tree_.weight[0] == 300
    assert bough.REPTreeRegressor().fit(X, y).tree_.statistics[0, 0] == pytest.approx(y.mean())
    assert bough.REPTreeClassifier().fit(X, y > 2).tree_.statistics[0].sum() == 300


def test_pruning_takes_out_what_noise_put_in():
    X, y = steps()
    grown, pruned = (bough.REPTreeRegressor(prune=prune).fit(X, y) for prune in ("none", "reduced_error"))
    assert pruned.get_n_leaves() < grown.get_n_leaves() / 4
    X_new, y_new = steps(seed=1)
    assert pruned.score(X_new, y_new) > grown.score(X_new, y_new)


def test_the_seed_chooses_the_fold():
    X, y = steps()
    trees = [bough.REPTreeRegressor(random_state=seed).fit(X, y).tree_ for seed in (1, 1, 2)]
    assert trees[0] == trees[1]
    assert trees[0] != trees[2]


@pytest.mark.parametrize("prune", ["none", "reduced_error", "error_based", "mdl", "pessimistic"])
def test_classification_trees_are_sound_under_every_pruning(prune):
    X, y = steps(missing=0.1)
    model = bough.REPTreeClassifier(prune=prune).fit(X, np.where(y > 2, "high", "low"))
    model.tree_.check()
    assert model.predict_proba(X).sum(axis=1) == pytest.approx(1.0)


def test_incomplete_rows_get_a_mean_of_the_branches():
    X, y = steps(missing=0.1)
    model = bough.REPTreeRegressor().fit(X, y)
    model.tree_.check()
    empty = X.iloc[:1].mask(np.ones((1, 3), dtype=bool))
    assert model.predict(empty)[0] == pytest.approx(y.mean(), abs=0.5)


def test_limits_hold():
    X, y = steps()
    assert bough.REPTreeRegressor(max_depth=2, prune="none").fit(X, y).get_depth() == 2
    assert bough.REPTreeRegressor(min_variance_fraction=1.0, prune="none").fit(X, y).get_n_leaves() <= 3
    few = bough.REPTreeRegressor(min_samples_branch=40, prune="none").fit(X[["number"]], y).tree_
    inner = np.flatnonzero(~few.is_leaf)
    assert all(sorted(few.weight[few.children(node)])[-2] >= 40 for node in inner)


def test_numbers_far_from_zero_lose_no_digits():
    X, y = steps()
    near, far = (bough.REPTreeRegressor(prune="none").fit(X, y + shift).tree_ for shift in (0.0, 1e9))
    assert far.column.tolist()[:3] == near.column.tolist()[:3]
    assert far.risk[0] == pytest.approx(near.risk[0], rel=1e-5)


def test_a_tree_may_be_very_deep():
    y = 1.3 ** np.arange(500)
    X = np.arange(500.0)[:, None]
    model = bough.REPTreeRegressor(min_variance_fraction=0.0, min_samples_branch=1, prune="none").fit(X, y)
    assert model.get_depth() > 100
    labels = np.arange(500) % 2
    for prune in ("reduced_error", "mdl", "pessimistic", "error_based"):
        bough.REPTreeClassifier(min_samples_branch=1, prune=prune).fit(X, labels).predict(X)


def test_any_number_of_threads_grows_the_same_tree():
    X, y = steps(n_rows=20000)
    assert (
        bough.REPTreeRegressor(n_jobs=1).fit(X, y).tree_ == bough.REPTreeRegressor(n_jobs=2).fit(X, y).tree_
    )


def test_bad_parameters_are_named():
    X, y = steps(n_rows=20)
    for parameters, message in (
        ({"cv": 1}, "cv is 1"),
        ({"random_state": 2**40}, "random_state is"),
        ({"min_variance_fraction": -1.0}, "min_variance_fraction is -1.0"),
        ({"missing": "majority"}, "missing is 'majority'; REPTreeRegressor supports 'fractional', 'refuse'"),
        ({"prune": "hard"}, "prune is 'hard'"),
    ):
        with pytest.raises(ParameterError, match=message):
            bough.REPTreeRegressor(**parameters).fit(X, y)


@pytest.mark.parametrize("learner", [bough.REPTreeClassifier, bough.REPTreeRegressor])
def test_missing_values_are_refused_where_asked(learner):
    X, y = [[float(i)] for i in range(30)], [0] * 15 + [1] * 15
    model = learner(missing="refuse").fit(X, y)
    assert (model.tree_.recipe["missing"], learner().fit(X, y).tree_.recipe["missing"]) == (
        "refuse",
        "fractional",
    )
    for refused in (
        lambda: learner(missing="refuse").fit([*X[:-1], [None]], y),
        lambda: model.predict([[None]]),
    ):
        with pytest.raises(TableError, match=r"missing='refuse' allows none.*'fractional'"):
            refused()


def test_a_splitter_is_refused_by_name():
    with pytest.raises(ParameterError, match=r"cv is KFold.*; it must be a whole number of at least 2"):
        bough.REPTreeClassifier(cv=KFold(3)).fit([[1.0], [2.0]], [0, 1])


def test_the_sort_of_the_reference_is_wekas():
    assert weka_sort([1.0] * 5) == [0, 3, 2, 1, 4]
    assert weka_sort([1.0] * 2) == [0, 1]
    assert weka_sort([3.0, 1.0, 2.0, 1.0]) == [1, 3, 2, 0]


@pytest.mark.parametrize("seed", range(60))
def test_ties_of_partitions_are_decided_by_wekas_order_of_equal_values(seed):
    rng = np.random.default_rng(seed)
    x = rng.integers(0, 4, 40).astype(float)
    X, y = np.column_stack([x, -x, 5.0 - x]), rng.normal(size=40).round(1)
    order = np.asarray(_core.grown_rows(None, 40, 3, 1, False))
    tree = bough.REPTreeRegressor(prune="none", min_variance_fraction=0.0).fit(X, y).tree_
    assert (tree.column[0], tree.cut[0]) == weka_root(X[order], y[order])


@pytest.mark.parametrize("seed", range(60))
def test_pruning_adds_parts_of_rows_in_wekas_order_and_allows_no_slack(seed):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame({name: pd.Categorical(rng.choice(list("pqr"), 90)) for name in "abcd"})
    X = X.mask(rng.random(X.shape) < 0.3)
    y = rng.choice(list("xy"), 90)
    recipe = bough.REPTreeClassifier().recipe()
    training = read_training(recipe, X, y)
    fitted = fit_tree(recipe, training)
    codes = (y == "y").astype(np.int32)
    order = np.asarray(_core.grown_rows(codes, 90, 3, 1, False))[:30]
    inner = np.sum(~fitted.tree.is_leaf)
    assert inner == weka_pruned(fitted.grown, training.table, codes, order)


def test_limits_on_fractional_cases_count_them_as_the_split_did():
    """Weka prints 10 nodes: it sums the 4 cases with b = p, a >= 9.5 and c >= 4 to a little less than 4."""
    a = [7, 12, 4, 23, 16, None, None, 9, 19, 27, 24, None, None, None, 1, 17, None]
    a += [26, 2, 14, 3, 11, 8, 6, 10, 22, 5, 25, 20, 13, 18, 21, 15]
    levels, numbers = "ppprrprqppprpprqpqrrprrrqrppqpppr", "430533100550012310221201543132551"
    X = pd.DataFrame({"a": pd.Series(a, dtype=float), "b": list(levels), "c": [float(c) for c in numbers]})
    tree = bough.REPTreeClassifier(prune="none").fit(X, list("230023213032000110220020220300002")).tree_
    assert tree.n_nodes == 10
    [small] = np.flatnonzero(tree.is_leaf & (np.abs(tree.weight - 4.0) < 1e-9))
    assert (tree.statistics[small] > 0.5).sum() == 2
