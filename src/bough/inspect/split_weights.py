"""The weights with which the recipe of a tree evaluates splits: class weights, priors and losses applied."""

from __future__ import annotations

import numpy as np

from bough.data.target import ClassTarget, Weights
from bough.errors import BoughError
from bough.growing.class_costs import class_costs
from bough.growing.criterion import CRITERIA, reads_losses
from bough.growing.recipe import Recipe
from bough.learners.reading import with_class_weights
from bough.tree import Tree
from bough.types import Floats


def recipe_of(tree: Tree) -> Recipe | None:
    """Return the recipe that a tree records, or None if its criterion or arithmetic is not bough's.

    >>> from bough import TreeClassifier
    >>> recipe_of(TreeClassifier(max_depth=2).fit([[1.0], [2.0]], ["a", "b"]).tree_).limits.max_depth
    2
    """
    if tree.criterion not in CRITERIA[tree.task] or tree.recipe.get("arithmetic", "bough") != "bough":
        return None
    try:
        recipe = Recipe.from_json({"task": tree.task, "criterion": tree.criterion} | tree.recipe)
    except (BoughError, TypeError, KeyError):
        return None
    return recipe if recipe.ensemble is None else None


def node_weights(tree: Tree, target: ClassTarget | Floats, weights: Weights) -> Weights:
    """Return the weights of rows in the nodes of a tree: those given, times the class weights of the recipe.

    >>> from bough import TreeClassifier
    >>> from bough.data.target import read_classes, read_weights
    >>> X, y = [[1.0], [2.0], [3.0]], ["a", "b", "b"]
    >>> tree = TreeClassifier(class_weight={"a": 3}).fit(X, y).tree_
    >>> node_weights(tree, read_classes(y), read_weights(None, 3)).weight
    array([3., 1., 1.])
    """
    recipe = recipe_of(tree)
    if recipe is None or recipe.class_weight is None or not isinstance(target, ClassTarget):
        return weights
    return with_class_weights(recipe.class_weight, weights, target)


def split_weights(tree: Tree, target: ClassTarget | Floats, weights: Weights) -> Weights:
    """Return the weights with which the tree evaluates splits of rows, given their weights in the nodes.

    The factors of the classes are those of the rows that the tree was grown on; classes that it does not know
    keep their weight.

    >>> from bough import CARTClassifier
    >>> from bough.data.target import read_classes, read_weights
    >>> X, y = [[1.0], [2.0], [3.0], [4.0]], ["a", "b", "b", "b"]
    >>> tree = CARTClassifier(loss_matrix={("a", "b"): 6}, prune="none").fit(X, y).tree_
    >>> split_weights(tree, read_classes(y), read_weights(None, 4)).weight.round(3)
    array([2.667, 0.444, 0.444, 0.444])
    """
    recipe = recipe_of(tree)
    if recipe is None or not isinstance(target, ClassTarget):
        return weights
    k = len(tree.classes)
    root = ClassTarget(tree.classes, np.arange(k, dtype=np.int32))
    of_root = Weights(tree.statistics[0], None, whole=False)
    costs = class_costs(recipe.prior, recipe.loss_matrix, root, of_root)
    scale = costs.class_scale if reads_losses(recipe.criterion) else costs.split_scale
    if scale is None:
        return weights
    factor = np.append(scale, np.ones(len(target.classes) - k))[target.codes]
    own = factor if weights.weight is None else factor * weights.weight
    return Weights(own, weights.cases, whole=False)


def error_costs(tree: Tree) -> Floats | None:
    """Return the loss of each answer (column) for a case of each class (row), scaled by the priors.

    It is None if every error costs 1.

    >>> from bough import CARTClassifier
    >>> X, y = [[1.0], [2.0], [3.0], [4.0]], ["a", "b", "b", "b"]
    >>> error_costs(CARTClassifier(prior="equal", prune="none").fit(X, y).tree_).round(3)
    array([[0.   , 2.   ],
           [0.667, 0.   ]])
    """
    if tree.class_scale is None and tree.loss_matrix is None:
        return None
    loss = 1.0 - np.eye(len(tree.classes)) if tree.loss_matrix is None else tree.loss_matrix
    return loss if tree.class_scale is None else loss * tree.class_scale[:, None]
