"""The trees of a model, each as a column of a linear model, and sums of trees with new weights."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from bough.data.table import Table
from bough.ensembles.forest import Forest
from bough.errors import ParameterError
from bough.models.committee import Committee
from bough.models.gradient_boosted import (
    ARRAYS,
    OF_LEVELS,
    OF_TREES,
    GradientBoosted,
    no_trees,
)
from bough.tree import Tree
from bough.tree.arrays import KINDS
from bough.types import Floats

_KINDS = {KINDS.index(kind) for kind in ("leaf", "threshold", "subset", "one_vs_rest")}

ArraysByName = Mapping[str, npt.NDArray[Any]]


@dataclass(frozen=True, eq=False)
class TreeTerm:
    """One tree as a column of a linear model: its arrays, `value` for each node, and the score it adds to."""

    arrays: ArraysByName
    score: int

    def scaled(self, coefficient: float) -> ArraysByName:
        """Return the arrays with all values times a coefficient.

        >>> from bough.example_models import boosted_cars
        >>> term = terms_of(boosted_cars())[0]
        >>> bool((term.scaled(2.0)["value"] == 2 * term.arrays["value"]).all())
        True
        """
        return {**self.arrays, "value": coefficient * self.arrays["value"]}


def terms_of(model: Any) -> list[TreeTerm]:
    """Return the trees of a forest, of a sum of trees, or of a committee of trees, as terms.

    A tree of classes gives a term for each class but the first of two: the share of the class in each node.

    >>> from bough.example_models import boosted_cars
    >>> len(terms_of(boosted_cars()))
    20
    """
    if getattr(model, "targets", ()):
        raise ParameterError.of("model", model, "a model of one target; model.target(name) is one")
    if isinstance(model, GradientBoosted):
        return _terms_of_sum(model)
    if isinstance(model, Forest):
        schemas = [(tree, np.arange(len(model.schema))) for tree in model.trees]
    elif isinstance(model, Committee) and all(isinstance(member, Tree) for member in model.members):
        schemas = [
            (tree, np.array(columns)) for tree, columns in zip(model.members, model.columns, strict=True)
        ]
    else:
        raise ParameterError.of("model", model, "a forest, a gradient boosted model or a committee of trees")
    hard = getattr(model, "voting", "soft") == "hard"
    n_scores = len(model.classes) if len(model.classes) > 2 else 1
    found = []
    for tree, columns in schemas:
        arrays = _arrays_of_tree(tree, columns)
        values = _node_values(tree, model.classes, hard=hard)
        found += [
            TreeTerm({**arrays, "value": np.ascontiguousarray(each)}, score)
            for score, each in enumerate(values[:, -n_scores:].T)
        ]
    return found


def _terms_of_sum(model: GradientBoosted) -> list[TreeTerm]:
    if model.leaf_models is not None:
        raise ParameterError.of("model", model, "a model whose leaves are values, not linear models")
    if model.link in ("log", "quantiles"):
        raise ParameterError.of("model", model, "a model of classes, or of numbers by the squared error")
    starts, level_starts = model.arrays["tree_start"], model.arrays["level_start"]
    found = []
    for number in range(model.n_trees):
        first, last = starts[number : number + 2].tolist()
        own = {
            name: values[first:last]
            for name, values in model.arrays.items()
            if name not in (*OF_TREES, *OF_LEVELS)
        }
        levels = slice(level_starts[first], level_starts[last])
        own |= {name: model.arrays[name][levels] for name in OF_LEVELS}
        own["level_start"] = level_starts[first : last + 1] - level_starts[first]
        own["tree_start"] = np.array([0, last - first])
        found.append(TreeTerm(own, number % model.n_scores))
    return found


def _arrays_of_tree(tree: Tree, columns: npt.NDArray[np.intp]) -> dict[str, npt.NDArray[Any]]:
    """Return the arrays of a tree as those of a sum; `columns` are the positions of its columns."""
    is_binary = not (tree.n_children > 2).any() and set(np.unique(tree.kind).tolist()) <= _KINDS
    if tree.formulas or tree.share is not None or tree.surrogates is not None or not is_binary:
        raise ParameterError(
            "postprocess needs trees of binary splits on single columns, without surrogates and without "
            "fractions of rows. Fit the model with learners of such trees, such as TreeClassifier."
        )
    nowhere = np.full(tree.n_nodes, np.nan)
    arrays = {
        "tree_start": np.array([0, tree.n_nodes]),
        "cut_below": nowhere if tree.cut_below is None else tree.cut_below,
        "cut_above": nowhere if tree.cut_above is None else tree.cut_above,
    }
    arrays |= {name: getattr(tree, name) for name in ARRAYS if name not in (*arrays, "value")}
    inner = tree.column >= 0
    return {**arrays, "column": np.where(inner, columns[np.where(inner, tree.column, 0)], tree.column)}


def _node_values(tree: Tree, classes: Sequence[Any], *, hard: bool) -> Floats:
    """Return what each node predicts: the share of each class of the model or its vote, or a number."""
    if tree.task == "regression":
        return np.asarray(tree.statistics[tree.answering, :1])
    counts = tree.statistics[tree.answering]
    shares = counts / counts.sum(axis=1, keepdims=True)
    ordered = np.zeros((tree.n_nodes, len(classes)))
    ordered[:, [classes.index(label) for label in tree.classes]] = shares
    return np.eye(len(classes))[ordered.argmax(axis=1)] if hard else ordered


def summed(terms: Sequence[TreeTerm]) -> ArraysByName:
    """Return the arrays of all trees, one after the other.

    >>> from bough.example_models import boosted_cars
    >>> len(summed(terms_of(boosted_cars()))["tree_start"])
    21
    """
    arrays = {
        name: np.concatenate([no_trees()[name], *(term.arrays[name] for term in terms)])
        for name in ARRAYS
        if name not in OF_TREES
    }
    for name in OF_TREES:
        sizes = np.concatenate([[0], *(np.diff(term.arrays[name]) for term in terms)])
        arrays[name] = np.cumsum(sizes)
    return arrays


def predictions(model: GradientBoosted, table: Table, n_jobs: int | None = None) -> Floats:
    """Return what each tree of a sum adds to its score for each row (trees × rows).

    >>> from bough.example_models import boosted_cars
    >>> predictions(boosted_cars(), Table.fit_to([[2.0, 4.0]], boosted_cars().schema)).shape
    (20, 1)
    """
    leaves, starts = model.apply(table, n_jobs), model.arrays["tree_start"]
    found = np.empty((model.n_trees, table.n_rows))
    for number in range(model.n_trees):
        found[number] = model.arrays["value"][starts[number] + leaves[:, number]]
    return found


def leaf_of(value: float) -> ArraysByName:
    """Return the arrays of a tree that is one leaf.

    >>> leaf_of(0.0)["n_children"]
    array([0], dtype=int32)
    """
    arrays = {name: np.zeros(1, dtype) for name, dtype in ARRAYS.items() if name not in OF_LEVELS}
    nothing = {name: np.full(1, np.nan) for name in ("cut", "cut_below", "cut_above", "gain")}
    none = {name: np.full(1, -1, np.int32) for name in ("parent", "first_child", "column", "default_branch")}
    starts = {"tree_start": np.array([0, 1]), "level_start": np.array([0, 0])}
    levels = {name: no_trees()[name] for name in OF_LEVELS}
    ones = {name: np.ones(1) for name in ("weight", "cases")}
    return {**arrays, **nothing, **none, **starts, **levels, **ones, "value": np.array([value])}


def joined(parts: Sequence[ArraysByName]) -> ArraysByName:
    """Return the arrays of several sums, one after the other.

    >>> len(joined([leaf_of(1.0), leaf_of(2.0)])["value"])
    2
    """
    return summed([TreeTerm(part, 0) for part in parts])
