"""The bough that is imported, asked by new names."""

import importlib
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from data_sets import DataSet
from renames import DEFAULTS, HOMES, MEMBERS, METHODS, PARAMETERS, VALUES, WORDS

import bough


@dataclass(frozen=True)
class Made:
    """An object of bough that is a parameter: a learner to bag, or a way of pruning with its settings."""

    name: str
    parameters: tuple[tuple[str, Any], ...]

    def __repr__(self) -> str:
        return f"{self.name}({','.join(f'{name}={value}' for name, value in self.parameters)})"


def learner_of(name: str, **parameters: Any) -> Any:
    """Return a learner that is not fitted; the old defaults hold for what is not given."""
    return public(name)(**{**DEFAULTS.get(name, {}), **parameters})


def made(name: str, **parameters: Any) -> Made:
    return Made(name, tuple(parameters.items()))


def public(name: str) -> Any:
    """Return a public name of bough."""
    if hasattr(bough, name):
        return getattr(bough, name)
    for home in HOMES:
        try:
            module = importlib.import_module(home)
        except ModuleNotFoundError:
            continue
        if hasattr(module, name):
            return getattr(module, name)
    raise LookupError(f"{name} is in neither bough nor {', '.join(HOMES)}; extend renames.HOMES.")


def spelled(
    owner: str, call: Callable[..., Any], arguments: dict[str, Any], data: DataSet, old_words: bool
) -> dict[str, Any]:
    """Return the arguments under the names, and with the values, that this build of a callable takes."""
    known = inspect.signature(call).parameters
    arguments = {**DEFAULTS.get(owner, {}), **arguments}
    if owner in MEMBERS:
        arguments = {"estimator": made(MEMBERS[owner]), **arguments}
    own = {}
    for name, value in arguments.items():
        value = resolved(value, data)
        old = PARAMETERS.get(owner, {}).get(name, name)
        if name not in known and old in known:
            translate = VALUES.get((owner, name))
            name, value = old, value if translate is None or value is None else translate(value)
        if old_words and isinstance(value, str):
            value = WORDS.get((owner, name), {}).get(value, value)
        own[name] = value
    return own


def resolved(value: Any, data: DataSet) -> Any:
    """Return the object that a parameter stands for."""
    if isinstance(value, Made):
        maker = public(value.name)
        return maker(**spelled(value.name, maker, dict(value.parameters), data, old_words=False))
    return data.argument(value)


def called(owner: str, call: Callable[..., Any], *rows: Any, data: DataSet, **arguments: Any) -> Any:
    """Call a function of bough with arguments by their new names."""
    return call(*rows, **spelled(owner, call, arguments, data, old_words=False))


def fitted(
    learner: str, data: DataSet, parameters: dict[str, Any], fit: dict[str, Any], door: str = ""
) -> Any:
    """Return the learner fitted; in the old words if the build refuses the new ones."""
    maker = public(learner)

    def attempt(old_words: bool) -> Any:
        make = getattr(maker, door) if door else maker
        model = make(**spelled(learner + (f".{door}" if door else ""), make, parameters, data, old_words))
        arguments = spelled(f"{learner}.fit", maker.fit, fit, data, old_words)
        return model.fit(data.X, **arguments) if data.y is None else model.fit(data.X, data.y, **arguments)

    try:
        return attempt(old_words=False)
    except bough.errors.ParameterError:
        if not any(owner in (learner, f"{learner}.{door}", f"{learner}.fit") for owner, _ in WORDS):
            raise
        return attempt(old_words=True)


def door_of(thing: Any, name: str) -> Any:
    """Return a method or property by its new name or an old one; None if the build has none of them."""
    for each in METHODS.get(name, (name,)):
        if hasattr(type(thing), each):
            return getattr(thing, each)
    return None
