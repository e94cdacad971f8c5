"""Recipes as JSON. Most default values are left out; objects that JSON cannot hold are recorded by name."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import asdict, fields
from functools import cache
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from bough.data.scales import Scales
from bough.errors import ParameterError
from bough.growing.combinations import Combinations
from bough.growing.criterion import ALIASES, CRITERIA
from bough.growing.draws import ColumnSampling, Ensemble, HashedRows, RowSampling
from bough.growing.grouping import grouping_from_json, grouping_to_json
from bough.growing.limits import Limits
from bough.growing.pruning import named_object, pruning_from_json, pruning_to_json

if TYPE_CHECKING:
    from bough.growing.recipe import Recipe

_ALWAYS = ("criterion", "task", "nominal", "missing", "max_exhaustive_levels", "limits", "arithmetic")
_OF_HASHES = ("rate", "replace", "row_key")
_OF_SURROGATES = ("n_surrogates", "agreement", "surrogate_rule")


def recipe_to_json(recipe: Recipe) -> dict[str, Any]:
    """Return the recipe as a dict for JSON."""
    data: dict[str, Any] = {
        "criterion": recipe.criterion_name,
        "task": recipe.task,
        "nominal": recipe.nominal,
        "missing": recipe.missing,
        "max_exhaustive_levels": recipe.max_exhaustive_levels,
        "limits": recipe.limits.to_json(),
        "arithmetic": recipe.arithmetic,
    }
    if recipe.keeps_surrogates:
        data |= {name: getattr(recipe, name) for name in _OF_SURROGATES}
    elif recipe.follows_surrogates:
        data["n_surrogates"] = 0
    default = "classes" if recipe.task == "classification" else "numbers"
    if recipe.response != default:
        data["response"] = recipe.response
    for name, default in _defaults(cast("Hashable", type(recipe))).items():
        value = getattr(recipe, name)
        if value is not None and not (type(value) is type(default) and bool(value == default)):
            data[_KEYS.get(name, name)] = _ENCODERS.get(name, _plain)(value)
    return data


@cache
def _defaults(kind: Any) -> dict[str, Any]:
    """Return the parts that are written only where they differ from their defaults, with these."""
    parts = [part for part in fields(kind) if part.name not in (*_ALWAYS, *_OF_SURROGATES, "response")]
    return {
        part.name: part.default_factory() if callable(part.default_factory) else part.default
        for part in parts
    }


def recipe_parts(data: Mapping[str, Any], objects: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of `Recipe` from a dict written by `recipe_to_json`."""
    known = objects if isinstance(objects, dict) else dict(objects)
    names = {key: name for name, key in _KEYS.items()}
    parts: dict[str, Any] = {}
    for key, value in data.items():
        name = names.get(key, key)
        if name == "pruning" and "method" not in value:
            continue  # Steps that a user applied to a finished tree are not part of its recipe.
        parts[name] = _DECODERS[name](value, known) if name in _DECODERS else value
    criterion = parts["criterion"]
    if "method" in parts:
        parts["criterion"] = type(parts["method"])
    elif criterion not in (*CRITERIA["classification"], *CRITERIA["regression"], *ALIASES):
        parts["criterion"] = named_object(criterion, known)
    return parts


_KEYS = {"pruning": "prune"}


def _plain(value: Any) -> Any:
    if isinstance(value, np.generic | np.ndarray):
        return value.tolist()
    if isinstance(value, Mapping):
        return {str(name): _plain(each) for name, each in value.items()}
    if isinstance(value, tuple | list):
        return [_plain(each) for each in value]
    return value


def _settings(value: Mapping[str, Any]) -> dict[str, Any]:
    """Write settings, of which functions and estimators are recorded by name."""
    named = {
        name: {"function": getattr(each, "__name__", type(each).__name__)}
        if callable(each)
        else {"object": type(each).__name__}
        for name, each in value.items()
        if callable(each) or hasattr(each, "fit")
    }
    return _plain(value | named)  # type: ignore[no-any-return,operator]


def _from_settings(value: dict[str, Any], objects: dict[str, Any]) -> dict[str, Any]:
    return {
        name: named_object(next(iter(each.values())), objects) if _is_named(each) else each
        for name, each in value.items()
    }


def _is_named(value: Any) -> bool:
    return isinstance(value, dict) and (set(value) == {"function"} or set(value) == {"object"})


def _by_class(value: Any) -> Any:
    """Write a dict by class as pairs, because JSON keys are strings; other values are unchanged."""
    if isinstance(value, Mapping):
        return {"by_class": [[_plain(label), _plain(each)] for label, each in value.items()]}
    return _plain(value)


def _from_by_class(value: Any, _: dict[str, Any]) -> Any:
    return dict(map(tuple, value["by_class"])) if isinstance(value, dict) else value


def _losses(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {"by_pair": [[*map(_plain, pair), _plain(each)] for pair, each in value.items()]}
    return _plain(value)


def _from_losses(value: Any, _: dict[str, Any]) -> Any:
    if isinstance(value, dict):
        return {(true, answer): loss for true, answer, loss in value["by_pair"]}
    return value


def scales_to_json(scales: Scales) -> dict[str, Any]:
    """Return the scales that are not at their default as JSON can hold them.

    >>> scales_to_json(Scales(levels_only=True))
    {'levels_only': True}
    """
    written = {name: _plain(value) for name, value in scales.settings().items()}
    ordered = scales.ordinal_features
    if isinstance(ordered, Mapping):
        written["ordinal_features"] = {
            "levels": [[_plain(name), _plain(each)] for name, each in ordered.items()]
        }
    return written


def scales_from_json(value: dict[str, Any], _: object = None) -> Scales:
    """Return the scales that `scales_to_json` wrote.

    >>> scales_from_json({"levels_only": True}).levels_only
    True
    """
    ordered = value.get("ordinal_features")
    if isinstance(ordered, dict):
        value = value | {"ordinal_features": dict(map(tuple, ordered["levels"]))}
    return Scales(**value)


def ensemble_to_json(ensemble: Ensemble) -> dict[str, Any]:
    """Return what an ensemble draws as JSON can hold it; strata themselves are left out.

    >>> ensemble_to_json(Ensemble("forest", 10))
    {'kind': 'forest', 'n_estimators': 10, 'rows': {'draw': 'all', 'size': []}}
    """
    rows: dict[str, Any] = {"draw": ensemble.rows.draw, "size": list(ensemble.rows.size)}
    if isinstance(ensemble.rows, HashedRows):
        rows |= {name: getattr(ensemble.rows, name) for name in _OF_HASHES}
    strata = {} if ensemble.rows.stratum is None else {"strata": True}
    return {"kind": ensemble.kind, "n_estimators": ensemble.n_estimators, "rows": rows | strata}


def _from_ensemble(value: dict[str, Any], objects: dict[str, Any]) -> Ensemble:
    rows = value["rows"]
    if rows["draw"] == "given":
        raise ParameterError(
            "The rows of each tree were given by the caller and are not part of the recipe; fit a new forest."
        )
    if rows["draw"] == "hashed":
        hashed = HashedRows(**{name: rows[name] for name in _OF_HASHES})
        return Ensemble(value["kind"], value["n_estimators"], hashed)
    stratum = named_object("strata", objects) if rows.get("strata") else None
    sampling = RowSampling(rows["draw"], tuple(rows["size"]), stratum)
    return Ensemble(value["kind"], value["n_estimators"], sampling)


def _from_limits(value: dict[str, Any], _: dict[str, Any]) -> Limits:
    try:
        return Limits(**value)
    except TypeError:
        raise ParameterError(
            f"The recipe has limits that this version of bough does not have: {sorted(value)}."
        ) from None


_ENCODERS: dict[str, Any] = {
    "class_weight": _by_class,
    "prior": _by_class,
    "loss_matrix": _losses,
    "combinations": lambda plan: {name: _plain(value) for name, value in asdict(plan).items()},
    "grouping": grouping_to_json,
    "pruning": pruning_to_json,
    "columns": asdict,
    "ensemble": ensemble_to_json,
    "settings": _settings,
    "scales": scales_to_json,
    "method": lambda method: type(method).__name__,
}
_DECODERS: dict[str, Any] = {
    "class_weight": _from_by_class,
    "prior": _from_by_class,
    "loss_matrix": _from_losses,
    "limits": _from_limits,
    "settings": _from_settings,
    "combinations": lambda value, _: Combinations(**(value | {"kinds": tuple(value["kinds"])})),
    "grouping": grouping_from_json,
    "pruning": pruning_from_json,
    "columns": lambda value, _: ColumnSampling(**value),
    "ensemble": _from_ensemble,
    "scales": scales_from_json,
    "method": named_object,
}
