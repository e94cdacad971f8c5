"""The scales that the caller requests for columns with `categorical_features` and `ordinal_features`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np

from bough.data.schema import Level, Scale
from bough.errors import ParameterError


class ScaleRequest(NamedTuple):
    """The scale and the levels that the caller requests for a column; None leaves them to its dtype."""

    scale: Scale | None = None
    levels: tuple[Level, ...] | None = None


def scale_requests(
    names: tuple[str, ...], categorical_features: Any, ordinal_features: Any
) -> dict[int, ScaleRequest]:
    """Return the requested scale of each column that a parameter names, by position.

    >>> scale_requests(("age", "size", "colour"), ["colour"], {"size": ["s", "l"]})
    {2: ScaleRequest(scale='nominal', levels=None), 1: ScaleRequest(scale='ordinal', levels=('s', 'l'))}
    """
    requests: dict[int, ScaleRequest] = {}
    if categorical_features is not None and not is_from_dtype(categorical_features):
        nominal = positions("categorical_features", categorical_features, names)
        requests = dict.fromkeys(nominal, ScaleRequest("nominal"))
    for position, request in _ordinal(ordinal_features, names).items():
        if position in requests:
            raise ParameterError(
                f"Column {names[position]!r} is in both categorical_features and ordinal_features; "
                "take it out of one."
            )
        requests[position] = request
    return requests


def positions(parameter: str, features: Any, names: tuple[str, ...]) -> list[int]:
    """Return the positions of columns that are given by name, by position, as a mask, or as "all".

    >>> names = ("age", "size", "colour")
    >>> positions("categorical_features", ["size", "colour"], names)
    [1, 2]
    >>> positions("categorical_features", [-1], names)
    [2]
    >>> positions("categorical_features", [True, False, True], names)
    [0, 2]
    >>> positions("categorical_features", "all", names)
    [0, 1, 2]
    >>> positions("categorical_features", ["sise"], names)
    Traceback (most recent call last):
    bough.errors.ParameterError: categorical_features has 'sise', which is not a column;
    the columns are 'age', 'size', 'colour'.
    """
    if isinstance(features, str) and features == "all":
        return list(range(len(names)))
    if isinstance(features, str) or not isinstance(features, Iterable):
        raise ParameterError.of(
            parameter,
            features,
            "a list of column names, a list of positions or a mask, such as ['colour'] or [0], or 'all'",
        )
    given = [_plain(item) for item in features]
    if given and all(isinstance(item, bool) for item in given):
        if len(given) != len(names):
            raise ParameterError(
                f"{parameter} is a mask of {len(given)} truth values; the table has {len(names)} columns. "
                "Give one truth value for each column."
            )
        return [position for position, is_in in enumerate(given) if is_in]
    return [_position(parameter, item, names) for item in given]


def is_from_dtype(features: Any) -> bool:
    """Return whether `categorical_features` leaves the scale of each column to its dtype.

    >>> is_from_dtype("from_dtype"), is_from_dtype(["colour"])
    (True, False)
    """
    return isinstance(features, str) and features == "from_dtype"


def _ordinal(features: Any, names: tuple[str, ...]) -> dict[int, ScaleRequest]:
    if features is None:
        return {}
    if not isinstance(features, Mapping):
        return dict.fromkeys(positions("ordinal_features", features, names), ScaleRequest("ordinal"))
    requests: dict[int, ScaleRequest] = {}
    for feature, levels in features.items():
        position = _position("ordinal_features", feature, names)
        if position in requests:
            raise ParameterError(f"ordinal_features has column {names[position]!r} twice; give it once.")
        requests[position] = ScaleRequest("ordinal", _levels(names[position], levels))
    return requests


def _levels(name: str, levels: Any) -> tuple[Level, ...]:
    if isinstance(levels, str) or not isinstance(levels, Iterable):
        raise ParameterError.of(f"ordinal_features[{name!r}]", levels, "a list of levels in increasing order")
    return tuple([_plain(level) for level in levels])


def _position(parameter: str, feature: Any, names: tuple[str, ...]) -> int:
    feature = _plain(feature)
    if isinstance(feature, str) and feature in names:
        return names.index(feature)
    if isinstance(feature, int) and not isinstance(feature, bool) and -len(names) <= feature < len(names):
        return feature % len(names)
    known = ", ".join(map(repr, names[:20])) + (", …" if len(names) > 20 else "")
    raise ParameterError(f"{parameter} has {feature!r}, which is not a column; the columns are {known}.")


def _plain(item: Any) -> Any:
    return item.item() if isinstance(item, np.generic) else item
