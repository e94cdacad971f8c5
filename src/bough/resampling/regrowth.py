"""Regrowth: a tree is grown again by the same learner or recipe, from the same rows with other weights."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from bough.data.row_key import rows_of_model
from bough.data.scales import Scales
from bough.data.table import Table
from bough.data.target import read_classes, read_numbers
from bough.ensembles.regrow import regrow
from bough.errors import BoughError, ParameterError
from bough.inspect.split_weights import recipe_of
from bough.tree import Tree
from bough.tree.identifiers import one_identifier_warning
from bough.tree.one_target import refuse_several
from bough.tree.structure import Structure
from bough.types import Floats

Regrow: TypeAlias = Callable[[Floats], Tree]
"""A function that returns the tree for given weights of the rows; rows of weight 0 are left out."""


def tree_of(model: Any) -> Tree:
    """Return the tree of a model, which is a tree or a fitted estimator of a single tree.

    >>> from bough.example_models import iris_tree
    >>> tree_of(iris_tree()).n_leaves
    3
    """
    tree = model if isinstance(model, Tree) else getattr(model, "tree_", None)
    if not isinstance(tree, Tree):
        got = f"{type(model).__name__} without a tree_"
        raise ParameterError(f"model is a {got}; it must be a Tree or a fitted estimator of a single tree.")
    refuse_several(tree, "model")
    if not is_one_tree(model):
        name = type(model).__name__
        raise ParameterError(f"model is a {name} that predicts by several trees or by rules; pass its tree_.")
    return tree


def is_one_tree(model: Any) -> bool:
    """Return whether a model predicts by a single tree, not by several trees or by rules.

    >>> from bough.example_models import iris_tree
    >>> is_one_tree(iris_tree()), is_one_tree(len)
    (True, False)
    """
    if isinstance(model, Tree):
        return True
    several = len(getattr(model, "trees_", ())) > 1 or hasattr(model, "rules_")
    return isinstance(getattr(model, "tree_", None), Tree) and not several


def regrower(model: Any, X: Any, y: Any, sample_weight: Any = None) -> Regrow | None:
    """Return a function that grows the model again from weighted rows, or None if that is not possible.

    An estimator is cloned and fitted. A tree is grown by its recipe, provided that the recipe gives the same
    tree from these rows; it does not if the tree was pruned afterwards.

    >>> from bough import TreeClassifier
    >>> X, y = [[1.0], [2.0], [3.0]], ["a", "b", "b"]
    >>> tree = TreeClassifier().fit(X, y).tree_
    >>> regrower(tree, X, y)(np.array([0.0, 1.0, 1.0])).n_leaves
    1
    >>> regrower(tree.snip(0), X, y) is None
    True
    """
    own = None if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)

    def weighted(weight: Floats) -> Floats:
        return weight if own is None else weight * own

    # A sample that lacks a class is still fitted with all classes of y.
    target = read_classes(y) if tree_of(model).classes else y
    if not isinstance(model, Tree):
        rows = _read_once(model, X)
        return lambda weight: _refitted(model, rows, target, weighted(weight))
    recipe = recipe_of(model)
    if recipe is None:
        return None
    # The table has its scales already.
    table, unscaled = rows_of_model(X, model), replace(recipe, scales=Scales())

    def grown(weight: Floats) -> Tree:
        tree: Tree = regrow(unscaled, table, target, weighted(weight))
        return tree

    try:
        same = _same_splits(grown(np.ones(table.n_rows)), model)
    except BoughError:
        # The rows are not those that the tree was grown on.
        return None
    return grown if same else None


def rows_with_events(tree: Tree, y: Any, sample_weight: Any = None) -> npt.NDArray[np.bool_] | None:
    """Return a mask of the rows with events, of which a Poisson tree needs one to grow; else None.

    >>> from bough import TreeRegressor
    >>> tree = TreeRegressor(criterion="poisson").fit([[1.0], [2.0]], [0, 3]).tree_
    >>> rows_with_events(tree, [0, 3])
    array([False,  True])
    """
    if tree.criterion != "poisson":
        return None
    events = read_numbers(y) > 0
    return events if sample_weight is None else events & (np.asarray(sample_weight) > 0)


def _read_once(model: Any, X: Any) -> Any:
    """Return X as a table, unless parameters of the estimator determine how its columns are read."""
    if getattr(model, "row_key", None) is not None:
        return X
    if getattr(model, "categorical_features", 0) != "from_dtype":
        return X
    if getattr(model, "ordinal_features", None) is not None:
        return X
    return Table.fit_to(X, tree_of(model).schema)


def _refitted(model: Any, X: Any, y: Any, weight: Floats) -> Tree:
    from sklearn.base import clone

    with one_identifier_warning(silent=True):
        tree: Tree = clone(model).fit(X, y, sample_weight=weight).tree_
    return tree


def _same_splits(first: Structure, second: Tree) -> bool:
    names = ("n_children", "column", "kind", "cut", "level_code", "level_branch")
    pairs = ((getattr(first, name), getattr(second, name)) for name in names)
    return all(np.array_equal(a, b, equal_nan=a.dtype.kind == "f") for a, b in pairs)
