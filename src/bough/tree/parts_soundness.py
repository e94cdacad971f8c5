"""Checks that the alternative splits, the leaf models and the targets of a tree agree with its nodes."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from bough.data.several_targets import Target
from bough.errors import FormatError
from bough.tree.alternatives import ALTERNATIVE_ARRAYS, AlternativeSplits
from bough.tree.leaf_models import BOUND_ARRAYS, LEAF_MODEL_ARRAYS, LeafModels
from bough.tree.model_answers import n_scores
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


def check_terms(models: LeafModels, n_models: int) -> None:
    """Raise `FormatError` if the arrays of the models do not fit their number, or each other.

    >>> check_terms(LeafModels(intercept=[], start=[0], column=[], coefficient=[], substitute=[]), 5)
    Traceback (most recent call last):
    bough.errors.FormatError: At leaf_models.intercept: has 0 entries, where 5 are wanted
    """
    terms = len(models.column)
    lengths = dict.fromkeys(LEAF_MODEL_ARRAYS, terms) | {"intercept": n_models, "start": n_models + 1}
    models.check_lengths("leaf_models", lengths)
    models.check_starts("leaf_models", "start", terms)
    if (models.lowest is None) != (models.highest is None):
        raise FormatError("leaf_models.lowest", "it needs highest, and highest needs it")
    if models.lowest is not None and models.highest is not None:
        models.check_lengths("leaf_models", dict.fromkeys(BOUND_ARRAYS, terms))
        bounded = np.isfinite(models.lowest) & np.isfinite(models.highest) & (models.lowest <= models.highest)
        _refuse("leaf_models", "lowest", ~bounded, "finite numbers, lowest not above highest, are wanted")


def check_leaf_models(models: LeafModels, tree: Nodes) -> None:
    """Raise `FormatError` if the models do not fit their tree; the error names the entry.

    >>> from bough.example_models import cars_tree
    >>> models = LeafModels(intercept=[], start=[0], column=[], coefficient=[], substitute=[])
    >>> check_leaf_models(models, cars_tree())
    Traceback (most recent call last):
    bough.errors.FormatError: At leaf_models.intercept: has 0 entries, where 5 are wanted
    """
    if tree.share is not None or tree.loss_matrix is not None or tree.class_scale is not None:
        raise FormatError("leaf_models", "only a tree without shares, class scales and losses has them")
    check_terms(models, tree.n_nodes * n_scores(tree))
    if ((models.column < 0) | (models.column >= len(tree.wide_schema))).any():
        raise FormatError("leaf_models.column", "there is no such column")
    _check_levels_of_terms(models, tree)
    for name in ("coefficient", "substitute"):
        if not np.isfinite(getattr(models, name)).all():
            raise FormatError(f"leaf_models.{name}", "finite numbers are wanted")
    if np.isinf(models.intercept).any():
        raise FormatError("leaf_models.intercept", "finite numbers are wanted, or null for no model")


def _check_levels_of_terms(models: LeafModels, tree: Nodes) -> None:
    """Raise `FormatError` unless terms of columns with levels list some of these, and no others do."""
    columns, terms = tree.wide_schema.columns, len(models.column)
    has_levels = np.array([columns[column].scale != "numeric" for column in models.column], dtype=np.bool_)
    counts = np.zeros(terms, dtype=np.int64)
    if (models.level_start is None) != (models.level_code is None):
        raise FormatError("leaf_models.level_start", "it needs level_code, and level_code needs it")
    if models.level_start is not None and models.level_code is not None:
        models.check_lengths("leaf_models", {"level_start": terms + 1})
        models.check_starts("leaf_models", "level_start", len(models.level_code))
        counts = np.diff(models.level_start)
        n_levels = np.array([len(columns[column].levels) for column in models.column], dtype=np.int64)
        codes, term = models.level_code, np.repeat(np.arange(terms), counts)
        _refuse(
            "leaf_models", "level_code", (codes < 0) | (codes >= n_levels[term]), "there is no such level"
        )
        falls = (np.diff(codes) <= 0) & (np.diff(term) == 0)
        _refuse("leaf_models", "level_code", np.append(False, falls), "the levels of a term must increase")
    _refuse(
        "leaf_models",
        "column",
        has_levels != (counts > 0),
        "a term lists levels unless its column is numeric",
    )


def check_targets(targets: tuple[Target, ...], model: Any) -> None:
    """Raise `FormatError` if several targets contradict each other, or the task and classes of their model.

    >>> from bough.example_models import iris_tree
    >>> check_targets((Target("Species"), Target("Species")), iris_tree())
    Traceback (most recent call last):
    bough.errors.FormatError: At targets: a name is listed twice
    """
    if len({target.name for target in targets}) < len(targets):
        raise FormatError("targets", "a name is listed twice")
    for number, (_, classes) in enumerate(targets):
        if bool(classes) != (model.task == "classification"):
            raise FormatError(f"targets[{number}].classes", f"they do not fit the task {model.task!r}")
        if len(set(classes)) < len(classes) or any(label != label for label in classes):
            raise FormatError(f"targets[{number}].classes", "a class is listed twice, or is NaN")
    first = (model.target_name, [*map(type, model.classes)], model.classes)
    if first != (targets[0].name, [*map(type, targets[0].classes)], targets[0].classes):
        raise FormatError("targets[0]", "target and classes at the top must be those of the first target")
