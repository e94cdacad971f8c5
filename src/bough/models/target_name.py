"""The name of the target of a model, given after fitting: arrays have no names."""

from __future__ import annotations

from dataclasses import replace
from typing import Any


def with_target_name(model: Any, name: str) -> Any:
    """Return the model with this name of its target.

    >>> from bough.example_models import iris_tree
    >>> with_target_name(iris_tree(), "kind").target_name
    'kind'
    """
    if model.model_kind != "boosted":
        return replace(model, target_name=name)
    return replace(model, members=tuple([with_target_name(member, name) for member in model.members]))
