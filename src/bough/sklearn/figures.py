"""scikit-learn's figures of the nodes of a tree: impurity by its definitions, and values."""

from __future__ import annotations

import numpy as np

from bough.tree import Tree
from bough.types import Floats


def node_values(tree: Tree) -> Floats:
    """Return the class probabilities or the number of each node (nodes × targets × classes).

    >>> from bough.example_models import iris_tree
    >>> node_values(iris_tree())[2]
    array([[0. , 0.5, 0.5]])
    """
    if tree.task == "regression":
        return tree.statistics[:, :, None]
    return (tree.statistics / tree.statistics.sum(axis=1, keepdims=True))[:, None, :]


def impurities(tree: Tree) -> Floats:
    """Return the impurity of each node: Gini, entropy in bits, or the error of the mean, median or rate.

    >>> from bough.example_models import iris_tree
    >>> impurities(iris_tree()).round(3)
    array([0.667, 0.   , 0.5  , 0.168, 0.043])
    """
    if tree.task == "regression":
        # bough's risk is the deviance, scikit-learn's impurity half of it.
        return tree.risk / tree.weight / (2.0 if tree.criterion == "poisson" else 1.0)
    share = node_values(tree)[:, 0]
    if tree.criterion == "gini":
        return 1.0 - np.square(share).sum(axis=1)
    logarithm = np.log2(share, out=np.zeros_like(share), where=share > 0)
    return -(share * logarithm).sum(axis=1) + 0.0
