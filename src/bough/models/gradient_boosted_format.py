"""The document of a gradient boosted model, and the checks of one that was read."""

from __future__ import annotations

from typing import get_args

import numpy as np

from bough.data.schema import members
from bough.errors import FormatError
from bough.models.format import HEAD, read_head
from bough.models.gradient_boosted import (
    ARRAYS,
    OF_EACH_CLASS,
    OF_LEVELS,
    OF_TREES,
    GradientBoosted,
    Link,
)
from bough.models.plain import array_from, rows_from
from bough.models.targets import read_targets
from bough.tree.leaf_models import BOUND_ARRAYS, LEAF_MODEL_ARRAYS, LeafModels
from bough.tree.parts_soundness import check_terms
from bough.tree.soundness import check
from bough.types import Floats, Task


def from_document(document: object) -> GradientBoosted:
    """Return the model of a document without format and version; raise if the document is invalid.

    >>> from bough.example_models import boosted_cars
    >>> from_document(boosted_cars().document()) == boosted_cars()
    True
    """
    fields = members(
        document,
        "the top",
        ("kind", *HEAD, "link", "start", "trees"),
        ("provenance", "targets", "leaf_models"),
    )
    head = read_head(fields)
    if fields["link"] not in get_args(Link):
        raise FormatError("link", f"{fields['link']!r}; one of {', '.join(get_args(Link))} is wanted")
    start = array_from(fields["start"], "start", np.float64)
    targets = read_targets(fields["targets"]) if "targets" in fields else ()
    if targets and (fields["link"] != "identity" or len(start) != len(targets)):
        raise FormatError("targets", "several targets have the link 'identity' and a start each")
    _check_scores(head.task, len(head.classes), fields["link"], start[:1] if targets else start)
    held = members(fields["trees"], "trees", tuple(ARRAYS))
    arrays = {
        name: (rows_from if targets and name == "value" else array_from)(held[name], f"trees.{name}", dtype)
        for name, dtype in ARRAYS.items()
    }
    wanted = (len(arrays["parent"]), len(targets)) if targets else (len(arrays["parent"]),)
    if arrays["value"].shape != wanted:
        raise FormatError("trees.value", f"it has shape {arrays['value'].shape}; {wanted} is wanted")
    model = GradientBoosted(
        **head._asdict(),
        link=fields["link"],
        start=start,
        arrays=arrays,
        targets=targets,
        leaf_models=_models(fields["leaf_models"], len(arrays["parent"]))
        if "leaf_models" in fields
        else None,
    )
    check_trees(model)
    return model


def _models(document: object, n_nodes: int) -> LeafModels:
    held = members(document, "leaf_models", tuple(LEAF_MODEL_ARRAYS), tuple(BOUND_ARRAYS))
    types = {**LEAF_MODEL_ARRAYS, **BOUND_ARRAYS}
    arrays = {name: array_from(values, f"leaf_models.{name}", types[name]) for name, values in held.items()}
    models = LeafModels(**arrays)
    check_terms(models, n_nodes)
    return models


def _check_scores(task: Task, n_classes: int, link: str, start: Floats) -> None:
    is_of_numbers = link in ("identity", "log", "quantiles")
    of_two = not is_of_numbers and link not in OF_EACH_CLASS
    if is_of_numbers != (task == "regression") or (of_two and n_classes != 2):
        raise FormatError("link", f"{link!r} does not fit the task or the classes")
    wanted = n_classes if link in OF_EACH_CLASS else max(2, len(start)) if link == "quantiles" else 1
    if len(start) != wanted or not np.isfinite(start).all():
        raise FormatError("start", f"{wanted} finite numbers are wanted")


def check_trees(model: GradientBoosted) -> None:
    """Raise `FormatError` if the arrays of the trees are inconsistent.

    >>> from bough.example_models import boosted_cars
    >>> check_trees(boosted_cars())
    """
    lengths = {
        name: len(array) for name, array in model.arrays.items() if name not in (*OF_TREES, *OF_LEVELS)
    }
    if len(set(lengths.values())) > 1:
        raise FormatError("trees", f"the arrays of nodes differ in length: {lengths}")
    try:
        _ = model._native
    except ValueError as error:
        raise FormatError("trees", str(error)) from None
    try:
        check(model.all_nodes(), weights_above_0=False, tree_start=model.arrays["tree_start"])
    except FormatError:
        _check_one_by_one(model)


def _check_one_by_one(model: GradientBoosted) -> None:
    """Raise an error that names the tree, if one is inconsistent."""
    for number in range(model.n_trees):
        try:
            check(model.tree(number), weights_above_0=False)
        except FormatError as error:
            raise FormatError(f"trees.{number}.{error.place}", error.wrong) from None
