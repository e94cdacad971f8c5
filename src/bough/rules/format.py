"""The file format of a rule set: versioned JSON, specified in docs/format.md. Reading a file runs no code."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import Any

from bough.data.schema import Schema, levels_from_json, levels_to_json
from bough.errors import BoughError, FormatError
from bough.rules.class_rule import ClassRule
from bough.rules.condition import Condition, Interval, LevelSet
from bough.rules.rule_set import RuleSet

FORMAT = "bough rules"
VERSION = 1

_HEAD = ("format", "version", "target", "classes", "default", "priors", "cases", "order", "schema", "rules")
_INTERVAL = ("column", "low", "high", "missing", "above", "up_to")
_LEVEL_SET = ("column", "levels", "admitted", "excluded", "missing")
_RULE = ("conditions", "class", "cover", "correct", "prior", "estimate")


def to_json(rules: RuleSet) -> dict[str, Any]:
    """Return the rule set as plain dicts and lists that JSON can hold.

    >>> from bough.example_models import tennis_rules
    >>> to_json(tennis_rules())["default"]
    1
    """
    return {
        "format": FORMAT,
        "version": VERSION,
        "target": rules.target_name,
        "classes": levels_to_json(rules.classes),
        "default": rules.classes.index(rules.default),
        "priors": list(rules.priors),
        "cases": rules.cases,
        "order": rules.order,
        "schema": rules.schema.to_json(),
        "rules": [
            {
                "conditions": [_condition_to_json(condition) for condition in rule.conditions],
                "class": rules.classes.index(rule.answer),
                "cover": rule.cover,
                "correct": rule.correct,
                "prior": rule.prior,
                "estimate": rule.estimate,
            }
            for rule in rules
        ],
    }


def _condition_to_json(condition: Condition) -> dict[str, Any]:
    if isinstance(condition, Interval):
        bounds = {name: _bound_to_json(getattr(condition, name)) for name in ("low", "high")}
        return {
            "column": condition.column,
            **bounds,
            "missing": condition.missing,
            "above": condition.above,
            "up_to": condition.up_to,
        }
    return {
        "column": condition.column,
        "levels": list(condition.codes),
        "admitted": list(condition.admitted),
        "excluded": list(condition.excluded),
        "missing": condition.missing,
    }


def _bound_to_json(bound: float | None) -> float | str | None:
    return bound if bound is None or math.isfinite(bound) else str(bound)


def from_json(document: object) -> RuleSet:
    """Return the rule set that `to_json` wrote; what is not right is refused with the place that is wrong.

    >>> from bough.example_models import tennis_rules
    >>> document = to_json(tennis_rules())
    >>> document["rules"][0]["class"] = 7
    >>> from_json(document)
    Traceback (most recent call last):
    bough.errors.FormatError: At rules[0].class: 7; a whole number from 0 to 1 is wanted
    """
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise FormatError("format", f"these are no rules that bough wrote; {FORMAT!r} is wanted")
    if document.get("version") != VERSION:
        raise FormatError("version", f"{document.get('version')!r}; this bough reads version {VERSION}")
    fields = _members(document, "the top", _HEAD)
    schema = Schema.from_json(fields["schema"])
    classes = levels_from_json(fields["classes"], "classes")
    if not classes:
        raise FormatError("classes", "a rule set has at least one class")
    if fields["target"] is not None and type(fields["target"]) is not str:
        raise FormatError("target", f"{fields['target']!r}; a name or null is wanted")
    rules = [
        _rule(rule, f"rules[{number}]", schema, classes)
        for number, rule in enumerate(_list(fields["rules"], "rules"))
    ]
    priors = [_number(share, f"priors[{i}]") for i, share in enumerate(_list(fields["priors"], "priors"))]
    try:
        return RuleSet(
            schema=schema,
            classes=classes,
            rules=tuple(rules),
            default=classes[_position(fields["default"], "default", len(classes))],
            priors=tuple(priors),
            cases=_number(fields["cases"], "cases"),
            order=fields["order"],
            target_name=fields["target"],
        )
    except FormatError:
        raise
    except (BoughError, TypeError) as error:
        raise FormatError("the top", str(error)) from None


def _rule(data: object, place: str, schema: Schema, classes: tuple[Any, ...]) -> ClassRule:
    fields = _members(data, place, _RULE)
    conditions = [
        _condition(condition, f"{place}.conditions[{number}]", schema)
        for number, condition in enumerate(_list(fields["conditions"], f"{place}.conditions"))
    ]
    answer = classes[_position(fields["class"], f"{place}.class", len(classes))]
    cover, correct, prior = (
        _number(fields[name], f"{place}.{name}") for name in ("cover", "correct", "prior")
    )
    estimate = None if fields["estimate"] is None else _number(fields["estimate"], f"{place}.estimate")
    return ClassRule(schema, tuple(conditions), answer, cover, correct, prior, estimate)


def _condition(data: object, place: str, schema: Schema) -> Condition:
    is_interval = isinstance(data, dict) and "levels" not in data
    fields = _members(data, place, _INTERVAL if is_interval else _LEVEL_SET)
    column = _position(fields["column"], f"{place}.column", len(schema))
    if (schema[column].scale == "numeric") != is_interval:
        raise FormatError(place, f"it does not fit column {schema[column].name!r}")
    for name in ("missing", "above", "up_to"):
        if type(fields.get(name, False)) is not bool:
            raise FormatError(f"{place}.{name}", f"{fields[name]!r}; true or false is wanted")
    if is_interval:
        low, high = (_bound(fields[name], f"{place}.{name}") for name in ("low", "high"))
        return Interval(column, low, high, fields["missing"], fields["above"], fields["up_to"])
    n_levels = len(schema[column].levels)
    codes, admitted, excluded = (
        tuple(
            _position(code, f"{place}.{name}[{i}]", n_levels)
            for i, code in enumerate(_list(fields[name], f"{place}.{name}"))
        )
        for name in ("levels", "admitted", "excluded")
    )
    return LevelSet(column, codes, admitted, excluded, fields["missing"])


def _bound(value: object, place: str) -> float | None:
    if value is None or value in ("inf", "-inf"):
        return None if value is None else float(str(value))
    if type(value) not in (int, float) or not math.isfinite(value):  # type: ignore[arg-type]
        raise FormatError(place, f"{value!r}; a number or null is wanted")
    return float(value)  # type: ignore[arg-type]


def _number(value: object, place: str) -> float:
    if type(value) not in (int, float) or not 0 <= value < math.inf:  # type: ignore[operator]
        raise FormatError(place, f"{value!r}; a finite number of at least 0 is wanted")
    return float(value)  # type: ignore[arg-type]


def _position(value: object, place: str, n: int) -> int:
    if type(value) is not int or not 0 <= value < n:
        raise FormatError(place, f"{value!r}; a whole number from 0 to {n - 1} is wanted")
    return value


def _list(value: object, place: str) -> list[Any]:
    if type(value) is not list:
        raise FormatError(place, f"a list is wanted, got {type(value).__name__}")
    return value


def _members(data: object, place: str, names: tuple[str, ...]) -> Mapping[str, Any]:
    if not isinstance(data, dict):
        raise FormatError(place, f"an object is wanted, got {type(data).__name__}")
    for name in names:
        if name not in data:
            raise FormatError(place, f"{name!r} is missing")
    for name in data:
        if name not in names:
            raise FormatError(place, f"{name!r} is not known here")
    return data


def save(rules: RuleSet, path: str | PathLike[str]) -> None:
    """Write the rule set to a file, for `bough.load` to read.

    >>> import tempfile, bough
    >>> from bough.example_models import tennis_rules
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save(tennis_rules(), f"{folder}/tennis.json")
    ...     len(bough.load(f"{folder}/tennis.json"))
    5
    """
    text = json.dumps(to_json(rules), allow_nan=False, indent=1)
    Path(path).write_bytes(f"{text}\n".encode("ascii"))
