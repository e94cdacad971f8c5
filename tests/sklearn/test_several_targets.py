"""Trees and forests of several targets part the rows as scikit-learn's tree does."""

import numpy as np
import pytest
import sklearn
import sklearn.tree

import bough.sklearn as dropin

N_COLUMNS = 5
VERSION = tuple(int(part) for part in sklearn.__version__.split(".")[:2])


def several(seed, n_rows, n_targets, classes):
    """A table of distinct numbers and its targets: numbers, or one of three classes each."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(n_rows, N_COLUMNS)).astype(np.float32)
    y = np.sin(X @ random.normal(size=(N_COLUMNS, n_targets))) + random.normal(size=(n_rows, n_targets)) / 2
    return X, np.digitize(y, [-0.5, 0.5]) if classes else y


def same_partition(leaves, others):
    """Whether two lists of leaves, one for each row, part the rows in the same way."""
    pairs = {*zip(leaves.tolist(), others.tolist(), strict=True)}
    return len(pairs) == len(set(leaves.tolist())) == len(set(others.tolist()))


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("classes", [False, True], ids=["numbers", "classes"])
@pytest.mark.parametrize("missing", [False, True], ids=["known", "missing"])
def test_large_nodes_of_a_forest_are_parted_as_in_a_tree(seed, classes, missing):
    # Nodes of more than 2,048 rows take their order from that of the whole table.
    if missing and VERSION < (1, 8):
        pytest.skip("scikit-learn counts rows with missing values in the wrong child of some nodes")
    X, y = several(seed, 6_000, 4, classes)
    if missing:
        X[np.random.default_rng(seed).random(X.shape) < 0.05] = np.nan
    weight = np.random.default_rng(seed + 9).integers(0, 3, len(X))
    kind = "Classifier" if classes else "Regressor"
    forest = getattr(dropin, f"RandomForest{kind}")(
        2, bootstrap=False, max_features=None, min_samples_leaf=200, random_state=0
    ).fit(X, y, sample_weight=weight)
    tree = getattr(sklearn.tree, f"DecisionTree{kind}")(min_samples_leaf=200, random_state=0)
    leaves = tree.fit(X, y, sample_weight=weight).apply(X)
    for own in forest.apply(X).T:
        assert same_partition(own[weight > 0], leaves[weight > 0])


@pytest.mark.parametrize("seed", range(30))
@pytest.mark.parametrize("limits", [{}, {"min_samples_leaf": 2}, {"min_weight_fraction_leaf": 0.2}], ids=str)
def test_few_rows_of_several_numbers_have_the_best_split(seed, limits):
    X, y = several(seed, 3 + seed % 5, 2 + seed % 6, classes=False)
    weight = np.random.default_rng(seed).integers(1, 4, len(X)) if seed % 2 else None
    ours, theirs = (
        cls(random_state=0, max_depth=1, **limits).fit(X, y, sample_weight=weight)
        for cls in (dropin.DecisionTreeRegressor, sklearn.tree.DecisionTreeRegressor)
    )
    np.testing.assert_allclose(
        ours.tree_.impurity @ ours.tree_.weighted_n_node_samples,
        theirs.tree_.impurity @ theirs.tree_.weighted_n_node_samples,
    )
