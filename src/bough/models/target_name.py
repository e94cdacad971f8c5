"""The name of the target of a model, given after fitting: arrays have no names."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from bough.data.words import name_words


def with_target_name(model: Any, name: str) -> Any:
    """Return the model with this name of its target.

    >>> from bough.example_models import iris_tree
    >>> with_target_name(iris_tree(), "kind").target_name
    'kind'
    >>> from bough.example_models import cars_rules
    >>> print(with_target_name(cars_rules(), "consumption")[0].conclusion())
    consumption = 46 - 0.2 × hp
    """
    if model.model_kind == "linear_rules" and not model.classes:
        # Each rule prints what it predicts.
        named = tuple([replace(rule, target=name_words(name)) for rule in model.rules])
        return replace(model, rules=named, target_name=name)
    if model.model_kind != "boosted":
        return replace(model, target_name=name)
    return replace(model, members=tuple([with_target_name(member, name) for member in model.members]))
