"""Trees part the rows of random tables as scikit-learn's do, up to splits that are equally good."""

from dataclasses import dataclass

import numpy as np
import pytest
import sklearn
import sklearn.tree
from scipy.sparse import csc_matrix, csr_matrix

import bough.sklearn as dropin
from bough.models.sklearn_tree import impurity_decreases
from bough.sklearn.tree_view import TreeView

KINDS = ("monotonic", "several", "sparse", "several_sparse", "missing")


@dataclass(frozen=True)
class Case:
    """A table, its target, the class of the tree and its parameters."""

    X: object
    y: np.ndarray
    weight: np.ndarray | None
    name: str
    parameters: dict

    def fitted(self, module):
        model = getattr(module, self.name)(random_state=0, **self.parameters)
        return model.fit(self.X, self.y, sample_weight=self.weight)


def case_of(kind, seed):
    """A random case of a kind: one of its columns may have few values, so that splits tie."""
    random = np.random.default_rng([KINDS.index(kind), seed])
    n_rows, n_columns = int(random.integers(20, 400)), int(random.integers(1, 7))
    n_targets = int(random.integers(2, 5)) if "several" in kind else 1
    X = random.normal(size=(n_rows, n_columns)).astype(np.float32)
    if random.random() < 0.5:
        X[:, 0] = random.integers(0, 6, n_rows)
    y = np.sin(X @ random.normal(size=(n_columns, n_targets))) + random.normal(size=(n_rows, n_targets)) / 2
    classes = random.random() < 0.5
    if classes:
        y = np.digitize(y, [0.0] if kind == "monotonic" else [-0.5, 0.5])
    parameters = {"min_samples_leaf": int(random.integers(1, 12)), "max_depth": int(random.integers(2, 7))}
    if kind == "monotonic":
        parameters["monotonic_cst"] = random.integers(-1, 2, n_columns).tolist()
    if "sparse" in kind:
        X = np.where(random.random(X.shape) < 0.7, np.float32(0), X)
        X = (csr_matrix if random.random() < 0.5 else csc_matrix)(X)
    if kind == "missing":
        X[random.random(X.shape) < 0.1] = np.nan
    weight = random.integers(0, 4, n_rows).astype(float) if random.random() < 0.5 else None
    name = f"DecisionTree{'Classifier' if classes else 'Regressor'}"
    return Case(X, y if n_targets > 1 else y[:, 0], weight, name, parameters)


def decreases(tree):
    """By how much each split decreases weight times impurity; NaN at leaves."""
    if isinstance(tree, TreeView):
        own = np.empty(tree.node_count)
        own[tree.positions] = impurity_decreases(tree.tree)
        return np.where(tree.children_left >= 0, own, np.nan)
    weighted = tree.weighted_n_node_samples * tree.impurity
    below = weighted[tree.children_left] + weighted[tree.children_right]
    return np.where(tree.children_left >= 0, weighted - below, np.nan)


def first_difference(case):
    """Return the pair of nodes, of bough and scikit-learn, whose splits differ in quality; None if none do.

    Where two splits are equally good but part the rows in different ways, the nodes below are not compared.
    """
    models = case.fitted(dropin), case.fitted(sklearn.tree)
    trees = [model.tree_ for model in models]
    paths = [csc_matrix(model.decision_path(case.X)).toarray().astype(bool) for model in models]
    counts = np.ones(case.X.shape[0], dtype=bool) if case.weight is None else case.weight > 0
    scale = trees[1].weighted_n_node_samples[0] * max(trees[1].impurity[0], 1e-12)
    gains = [decreases(tree) / scale for tree in trees]
    pairs = [(0, 0)]
    while pairs:
        nodes = pairs.pop()
        if not np.isclose(gains[0][nodes[0]], gains[1][nodes[1]], rtol=0, atol=1e-9, equal_nan=True):
            return nodes
        if np.isnan(gains[0][nodes[0]]):
            continue
        children = [
            (tree.children_left[node], tree.children_right[node])
            for tree, node in zip(trees, nodes, strict=True)
        ]
        left = [path[counts, own[0]] for path, own in zip(paths, children, strict=True)]
        if (left[0] == left[1]).all():
            pairs += zip(*children, strict=True)
    return None


# Before version 1.8 scikit-learn counts rows with missing values in the wrong child of some nodes.
VERSION = tuple(int(part) for part in sklearn.__version__.split(".")[:2])
OF_THIS_VERSION = KINDS if VERSION >= (1, 8) else KINDS[:-1]


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("kind", OF_THIS_VERSION)
def test_rows_are_parted_as_by_scikit_learn(kind, seed):
    assert first_difference(case_of(kind, seed)) is None


def test_other_splits_are_noticed(monkeypatch):
    case = case_of("several", 0)
    worse = case.fitted(dropin).set_params(max_features=1, random_state=1)
    models = {dropin: worse.fit(case.X, case.y, case.weight), sklearn.tree: case.fitted(sklearn.tree)}
    monkeypatch.setattr(Case, "fitted", lambda _, module: models[module])
    assert first_difference(case) is not None


@pytest.mark.parametrize("seed", range(10))
def test_importances_and_pruning_keep_to_scikit_learns_impurity_under_constraints(seed):
    case = case_of("monotonic", seed)
    ours, theirs = case.fitted(dropin), case.fitted(sklearn.tree)
    if not np.array_equal(ours.tree_.feature, theirs.tree_.feature):
        pytest.skip("the trees differ by a tie")
    np.testing.assert_allclose(ours.feature_importances_, theirs.feature_importances_, atol=1e-9)
    paths = [model.cost_complexity_pruning_path(case.X, case.y, case.weight) for model in (ours, theirs)]
    np.testing.assert_allclose(paths[0].ccp_alphas, paths[1].ccp_alphas, atol=1e-9)
    np.testing.assert_allclose(paths[0].impurities, paths[1].impurities, atol=1e-9)


def test_pruned_trees_keep_the_impurity_of_their_nodes():
    random = np.random.default_rng(0)
    X = random.normal(size=(200, 3)).astype(np.float32)
    y = np.exp(X[:, 0] + random.normal(size=200) / 2)
    parameters = {"criterion": "poisson", "ccp_alpha": 0.01, "max_depth": 4, "random_state": 0}
    ours, theirs = (
        module.DecisionTreeRegressor(**parameters).fit(X, y).tree_ for module in (dropin, sklearn.tree)
    )
    np.testing.assert_allclose(ours.impurity, theirs.impurity, atol=1e-9)
