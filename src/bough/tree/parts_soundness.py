"""Checks that the alternative splits and the leaf models of a tree agree with its nodes."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from bough.errors import FormatError
from bough.tree.alternatives import ALTERNATIVE_ARRAYS, AlternativeSplits
from bough.tree.leaf_models import LEAF_MODEL_ARRAYS, LeafModels
from bough.tree.nodes import Nodes


def check_alternatives(alternatives: AlternativeSplits, tree: Nodes, name: str) -> None:
    """Raise `FormatError` if the alternative splits do not fit their tree; the error names the entry.

    >>> from bough.example_models import iris_tree
    >>> check_alternatives(AlternativeSplits.of_nodes([[]]), iris_tree(), "surrogates")
    Traceback (most recent call last):
    bough.errors.FormatError: At surrogates.start: has 2 entries, where 6 are wanted
    """
    n, n_listed = len(alternatives.column), len(alternatives.level_code)
    lengths = dict.fromkeys(ALTERNATIVE_ARRAYS, n) | {
        "start": tree.n_nodes + 1,
        "level_start": n + 1,
        "level_code": n_listed,
        "level_branch": n_listed,
    }
    alternatives.check_lengths(
        name, lengths | dict.fromkeys(alternatives.OPTIONAL.keys() & alternatives.given(), n)
    )
    alternatives.check_starts(name, "start", n)
    alternatives.check_starts(name, "level_start", n_listed)
    n_levels = np.array([len(column.levels) for column in tree.wide_schema.columns])
    is_nominal = np.array([column.scale == "nominal" for column in tree.wide_schema.columns])
    node = np.repeat(np.arange(tree.n_nodes), np.diff(alternatives.start))
    column, cut = alternatives.column, alternatives.cut
    many = tree.n_children[node] != (2 if name == "surrogates" else tree.n_children[node])
    _refuse(name, "start", many, "only a split in two has surrogates")
    _refuse(name, "column", (column < 0) | (column >= len(tree.wide_schema)), "there is no such column")
    _refuse(name, "cut", is_nominal[column] != np.isnan(cut), "a split of levels, and no other, has none")
    if alternatives.cut_below is not None and alternatives.cut_above is not None:
        _refuse(name, "cut_below", alternatives.cut_below >= cut, "the cut takes this value for greater")
        _refuse(name, "cut_above", alternatives.cut_above < cut, "the cut takes this value for less")
    _refuse(name, "turned", alternatives.turned > 1, "0 or 1 is wanted")
    _refuse(name, "turned", (alternatives.turned == 1) & np.isnan(cut), "only a threshold can be turned")
    for figure in ("value", "adjusted", "cases"):
        _refuse(name, figure, ~np.isfinite(getattr(alternatives, figure)), "a finite number is wanted")
    alternative = np.repeat(np.arange(len(column)), np.diff(alternatives.level_start))
    _refuse(
        name, "level_start", ~np.isnan(cut) & (np.diff(alternatives.level_start) > 0), "it lists no levels"
    )
    unknown = (alternatives.level_code < 0) | (alternatives.level_code >= n_levels[column[alternative]])
    _refuse(name, "level_code", unknown, "the column has no such level")
    outside = (alternatives.level_branch < 0) | (alternatives.level_branch > 1)
    _refuse(name, "level_branch", outside, "there is no such branch")


def _refuse(name: str, array: str, wrong: npt.NDArray[np.bool_], why: str) -> None:
    if wrong.any():
        raise FormatError(f"{name}.{array}[{int(np.argmax(wrong))}]", why)


def check_leaf_models(models: LeafModels, tree: Nodes) -> None:
    """Raise `FormatError` if the models do not fit their tree; the error names the entry.

    >>> from bough.example_models import cars_tree
    >>> models = LeafModels(intercept=[], start=[0], column=[], coefficient=[], substitute=[])
    >>> check_leaf_models(models, cars_tree())
    Traceback (most recent call last):
    bough.errors.FormatError: At leaf_models.intercept: has 0 entries, where 5 are wanted
    """
    if tree.task != "regression" or tree.share is not None:
        raise FormatError("leaf_models", "only a regression tree without shares has them")
    n, terms = tree.n_nodes, len(models.column)
    lengths = dict.fromkeys(LEAF_MODEL_ARRAYS, terms) | {"intercept": n, "start": n + 1}
    models.check_lengths("leaf_models", lengths)
    models.check_starts("leaf_models", "start", terms)
    numeric = np.array([column.scale == "numeric" for column in tree.wide_schema.columns] or [False])
    inside = (models.column >= 0) & (models.column < len(tree.wide_schema))
    if not (inside & numeric[np.where(inside, models.column, 0)]).all():
        raise FormatError("leaf_models.column", "a term must have a numeric column")
    for name in ("coefficient", "substitute"):
        if not np.isfinite(getattr(models, name)).all():
            raise FormatError(f"leaf_models.{name}", "finite numbers are wanted")
    if np.isinf(models.intercept).any():
        raise FormatError("leaf_models.intercept", "finite numbers are wanted, or null for no model")
