"""Digests of values: equal if and only if the values are the same to the bit.

Numbers are compared as int64 or float64, whatever the width of their array, and every NaN is the same NaN.
In records, such as dicts and dataclasses, numbers and words have a digest each: a text that is worded anew
does not hide a number that changed.
"""

import dataclasses
import hashlib
import json
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from renames import FIELDS

_KINDS = {"b": np.int64, "i": np.int64, "u": np.int64, "f": np.float64}


def digest(value: Any) -> str:
    """Return the sha256 of an array, number, text, or sequence of these."""
    summed = hashlib.sha256()
    for part in _parts(value):
        summed.update(part)
    return summed.hexdigest()


def is_plain(value: Any) -> bool:
    """Whether `digest` can be taken: arrays, numbers, texts, and lists of these."""
    if isinstance(value, list | tuple):
        return all(map(is_plain, value))
    return (
        value is None
        or isinstance(value, np.ndarray | np.generic | int | float | str)
        or hasattr(value, "tocsr")
    )


def _parts(value: Any) -> Iterator[bytes]:
    if hasattr(value, "tocsr"):
        value = value.toarray()
    if isinstance(value, list | tuple):
        yield f"list {len(value)};".encode()
        for each in value:
            yield from _parts(each)
    elif value is None or isinstance(value, str):
        yield f"text {value!r};".encode()
    else:
        yield from _array_parts(np.asarray(value))


def _array_parts(array: np.ndarray) -> Iterator[bytes]:
    if array.dtype.kind in _KINDS:
        kind = "float" if array.dtype.kind == "f" else "int"
        array = np.ascontiguousarray(array, dtype=_KINDS[array.dtype.kind])
        if kind == "float":
            array = np.where(np.isnan(array), np.nan, array)
        yield f"{kind} {array.shape};".encode()
        yield array.tobytes()
    else:
        yield f"texts {array.shape};".encode()
        yield json.dumps([repr(each) for each in array.ravel().tolist()]).encode()


def digests_of(name: str, value: Any) -> dict[str, str]:
    """Return the digests of a value: of a plain one itself, of a record its numbers and its words."""
    if is_plain(value):
        return {name: digest(value)}
    numbers: list[Any] = []
    words: list[str] = []
    _part(value, numbers, words)
    return {name: digest(numbers), f"{name}.words": digest(words)}


def _part(value: Any, numbers: list[Any], words: list[str]) -> None:
    if isinstance(value, str):
        words.append(value)
    elif isinstance(value, Mapping):
        for key, each in value.items():
            _part(key, numbers, words)
            _part(each, numbers, words)
    elif isinstance(value, list | tuple):
        for each in value:
            _part(each, numbers, words)
    elif dataclasses.is_dataclass(value):
        for each in dataclasses.fields(value):
            _part(getattr(value, each.name), numbers, words)
    elif is_plain(value):
        numbers.append(value)
    elif hasattr(value, "__iter__"):
        _part(list(value), numbers, words)
    else:
        words.append(type(value).__name__)


def arrays_of(thing: Any, prefix: str = "") -> Iterator[tuple[str, np.ndarray]]:
    """Yield every array of a frozen record under its new name, and those of the records within it."""
    if dataclasses.is_dataclass(thing):
        named = [(each.name, getattr(thing, each.name)) for each in dataclasses.fields(thing)]
    else:
        named = [pair for pair in vars(thing).items() if not pair[0].startswith("_")]
    for name, value in named:
        path = f"{prefix}{FIELDS.get(name, name)}"
        if isinstance(value, np.ndarray):
            yield FIELDS.get(path, path), value
        elif dataclasses.is_dataclass(value) and any(True for _ in arrays_of(value)):
            yield from arrays_of(value, f"{path}.")
