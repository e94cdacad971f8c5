"""A tree in scikit-learn's terms: its arrays, and a real scikit-learn estimator that predicts the same.

scikit-learn numbers nodes depth first, bough level by level. A row goes left in scikit-learn if its value is
at most the threshold, in bough if it is below the cut. scikit-learn rounds values to float32 before it
compares them.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from bough.errors import ParameterError
from bough.tree import Tree
from bough.tree.answer import label_array, shares
from bough.tree.arrays import KINDS
from bough.tree.one_target import every_target
from bough.types import Floats

LEAF, UNDEFINED = -1, -2
"""scikit-learn's children of a leaf, and its feature and threshold."""

_CRITERIA = {
    "gini": "gini",
    "entropy": "entropy",
    "deviance": "log_loss",
    "squared_error": "squared_error",
    "absolute_error": "absolute_error",
    "poisson": "poisson",
}


def depth_first_positions(tree: Tree) -> npt.NDArray[np.int64]:
    """Return the position of each node if a node is followed by its left subtree, then by its right one.

    >>> from bough import TreeRegressor
    >>> X = [[each] for each in range(4)]
    >>> depth_first_positions(TreeRegressor().fit(X, [1.0, 2.0, 11.0, 12.0]).tree_)
    array([0, 1, 4, 2, 3, 5, 6])
    """
    size = np.ones(tree.n_nodes, dtype=np.int64)
    starts = np.searchsorted(tree.node_depths, np.arange(tree.depth + 2))
    levels = [np.arange(start, end, 2) for start, end in pairwise(starts[1:])]
    for left in reversed(levels):
        size[tree.parent[left]] += size[left] + size[left + 1]
    position = np.zeros(tree.n_nodes, dtype=np.int64)
    for left in levels:
        position[left] = position[tree.parent[left]] + 1
        position[left + 1] = position[left] + size[left]
    return position


def node_values(tree: Tree) -> Floats:
    """Return the class probabilities or the number that each node predicts (nodes × targets × classes).

    >>> from bough.example_models import iris_tree
    >>> node_values(iris_tree())[2]
    array([[0. , 0.5, 0.5]])
    """
    if tree.targets and tree.task == "classification":
        values = [node_values(each) for each in every_target(tree)]
        most = max(each.shape[2] for each in values)
        padded = [np.pad(each, ((0, 0), (0, 0), (0, most - each.shape[2]))) for each in values]
        return np.concatenate(padded, axis=1)
    statistics = tree.statistics[tree.answering]
    if tree.task == "regression":
        return statistics[:, :, None]
    weights = statistics if tree.class_scale is None else statistics * tree.class_scale
    return shares(weights, weights[0], tree.smoothing)[:, None, :]


def impurities(tree: Tree) -> Floats:
    """Return the impurity of each node: Gini, entropy in bits, or the error of the mean, median or rate.

    That of several targets is the mean of theirs.

    >>> from bough.example_models import iris_tree
    >>> impurities(iris_tree()).round(3)
    array([0.667, 0.   , 0.5  , 0.168, 0.043])
    """
    if tree.task == "regression":
        # bough's risk is the deviance, scikit-learn's impurity half of it.
        return tree.risk / tree.weight / (2.0 if tree.criterion == "poisson" else 1.0)
    if tree.targets:
        return np.asarray(np.mean([impurities(each) for each in every_target(tree)], axis=0))
    share = tree.statistics / tree.statistics.sum(axis=1, keepdims=True)
    if tree.criterion in ("entropy", "deviance", "gain_ratio"):
        logarithm = np.log2(share, out=np.zeros_like(share), where=share > 0)
        return np.asarray(0.0 - (share * logarithm).sum(axis=1))
    return np.asarray(1.0 - np.square(share).sum(axis=1))


def impurity_decreases(tree: Tree) -> Floats:
    """Return by how much the split of each node decreases weight · impurity; 0 at leaves.

    Where monotonic constraints limit the answers of nodes, their impurities are those of the limited answers.
    scikit-learn's are not, and neither are the gains of splits, which are read instead.

    >>> from bough.example_models import iris_tree
    >>> impurity_decreases(iris_tree()).round(2)
    array([50.  ,  0.  , 38.97,  0.  ,  0.  ])
    """
    if tree.recipe.get("monotonic_cst"):
        return np.where(tree.is_leaf, 0.0, tree.weight * tree.gain)
    weighted = tree.weight * impurities(tree)
    below = np.bincount(tree.parent[1:], weighted[1:], minlength=tree.n_nodes)
    return np.where(tree.is_leaf, 0.0, weighted - below)


def thresholds(tree: Tree) -> Floats:
    """Return the greatest number that goes left at each split; −2 at a leaf.

    It separates the training values next to a cut also after they have been rounded to float32, unless they
    become equal.

    >>> from bough.example_models import iris_tree
    >>> thresholds(iris_tree())
    array([ 2.45, -2.  ,  1.75, -2.  , -2.  ])
    """
    at_most = tree.kind == KINDS.index("at_most")
    greatest = np.where(at_most, tree.cut, np.nextafter(tree.cut, -np.inf))
    if tree.cut_below is not None and tree.cut_above is not None:
        low = tree.cut_below.astype(np.float32).astype(np.float64)
        high = np.nextafter(tree.cut_above.astype(np.float32).astype(np.float64), -np.inf)
        greatest = np.where(low <= high, np.clip(greatest, low, high), greatest)
    return np.where(tree.is_leaf, float(UNDEFINED), greatest)


def sklearn_arrays(tree: Tree) -> dict[str, npt.NDArray[Any]]:
    """Return the arrays of scikit-learn's `tree_`, with nodes in its order.

    >>> from bough.example_models import iris_tree
    >>> arrays = sklearn_arrays(iris_tree())
    >>> arrays["children_left"], arrays["feature"]
    (array([ 1, -1,  3, -1, -1]), array([ 0, -2,  1, -2, -2]))
    """
    position = depth_first_positions(tree)
    first = np.maximum(tree.first_child, 0)
    second = np.minimum(first + 1, tree.n_nodes - 1)
    arrays = {
        "children_left": np.where(tree.is_leaf, LEAF, position[first]),
        "children_right": np.where(tree.is_leaf, LEAF, position[second]),
        "feature": np.where(tree.is_leaf, UNDEFINED, tree.column).astype(np.int64),
        "threshold": thresholds(tree),
        "impurity": impurities(tree),
        "n_node_samples": tree.cases.astype(np.int64),
        "weighted_n_node_samples": np.asarray(tree.weight),
        "missing_go_to_left": (tree.default_branch == 0).astype(np.uint8),
        "value": node_values(tree),
    }
    order = np.argsort(position)
    return {name: np.ascontiguousarray(array[order]) for name, array in arrays.items()}


def check_convertible(tree: Tree) -> None:
    """Raise `ParameterError` if scikit-learn's trees cannot express a tree; the error names what it is.

    >>> from bough.example_models import tennis_tree
    >>> check_convertible(tennis_tree())
    Traceback (most recent call last):
    bough.errors.ParameterError: to_sklearn: node 0 splits 'Outlook' by its levels, which scikit-learn's
    trees cannot do. Encode the column as numbers before fit.
    """
    kinds = np.array([KINDS[kind] for kind in tree.kind])
    inner = ~tree.is_leaf
    binary = np.isin(kinds, ("threshold", "at_most")) & (tree.n_children == 2)
    if (inner & ~binary).any():
        node = int(np.argmax(inner & ~binary))
        name = tree.wide_schema.names[tree.column[node]]
        how = "into more than two branches" if kinds[node] in ("threshold", "intervals") else "by its levels"
        raise ParameterError(
            f"to_sklearn: node {node} splits {name!r} {how}, which scikit-learn's trees cannot do. "
            "Encode the column as numbers before fit."
        )
    lacking = {
        "splits on combinations of columns": bool(tree.formulas),
        "linear models in its leaves": tree.leaf_models is not None,
        "losses of errors": tree.loss_matrix is not None,
        "fractional rows": tree.share is not None,
        "C5.0's arithmetic": tree.arithmetic != "bough",
    }
    for what, there in lacking.items():
        if there:
            raise ParameterError(f"to_sklearn: the tree has {what}, which scikit-learn's trees do not have.")


def to_sklearn(tree: Tree) -> Any:
    """Return a fitted `DecisionTreeClassifier` or `DecisionTreeRegressor` of scikit-learn.

    It predicts the same for rows without missing values whose numbers float32 can hold. Missing values follow
    the default branch; scikit-learn has no surrogates. A tree that scikit-learn cannot express is refused.

    >>> from bough.example_models import cars_tree
    >>> cars_tree().to_sklearn().tree_.threshold
    array([  5. ,  -2. , 192.5,  -2. ,  -2. ])
    """
    # `bough.sklearn.patch` replaces the classes elsewhere, but not in the module that defines them.
    from sklearn.tree._classes import DecisionTreeClassifier, DecisionTreeRegressor

    check_convertible(tree)
    criterion = {"criterion": _CRITERIA[tree.criterion]} if tree.criterion in _CRITERIA else {}
    of_classes = tree.task == "classification"
    estimator = DecisionTreeClassifier(**criterion) if of_classes else DecisionTreeRegressor(**criterion)
    describe(estimator, tree)
    estimator.max_features_ = len(tree.schema)
    estimator.tree_ = cython_tree(tree)
    return estimator


def describe(estimator: Any, model: Any) -> None:
    """Set the attributes of a fitted scikit-learn estimator that the schema and the classes of a model imply.

    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from bough.example_models import iris_tree
    >>> estimator = DecisionTreeClassifier()
    >>> describe(estimator, iris_tree())
    >>> estimator.n_classes_, estimator.feature_names_in_.tolist()
    (3, ['Petal.Length', 'Petal.Width'])
    """
    names = model.schema.names
    estimator.n_features_in_, estimator.n_outputs_ = len(names), max(1, len(model.targets))
    if any(name != f"x{position}" for position, name in enumerate(names)):
        estimator.feature_names_in_ = np.array(names, dtype=object)
    if model.task == "classification":
        labels = [label_array(target.classes) for target in model.targets]
        estimator.classes_ = labels or label_array(model.classes)
        estimator.n_classes_ = n_classes(model) if labels else len(model.classes)


def n_classes(model: Any) -> npt.NDArray[np.intp]:
    """Return the number of classes of each target, 1 for a number.

    >>> from bough.example_models import iris_tree
    >>> n_classes(iris_tree())
    array([3])
    """
    classes = [target.classes for target in model.targets] or [model.classes]
    return np.array([max(1, len(each)) for each in classes], dtype=np.intp)


def cython_tree(tree: Tree) -> Any:
    """Return scikit-learn's own tree object for a tree that has passed `check_convertible`.

    >>> from bough.example_models import iris_tree
    >>> cython_tree(iris_tree()).predict(np.array([[1.4, 0.2]], dtype=np.float32))
    array([[1., 0., 0.]])
    """
    from sklearn.tree._tree import NODE_DTYPE
    from sklearn.tree._tree import Tree as CythonTree

    arrays = sklearn_arrays(tree)
    values = arrays.pop("value")
    nodes = np.zeros(tree.n_nodes, dtype=NODE_DTYPE)
    renamed = {"children_left": "left_child", "children_right": "right_child"}
    for name, array in arrays.items():
        nodes[renamed.get(name, name)] = array
    made = CythonTree(len(tree.schema), n_classes(tree), values.shape[1])
    made.__setstate__({"max_depth": tree.depth, "node_count": tree.n_nodes, "nodes": nodes, "values": values})
    return made
