"""The file kind "rules", and the separate format that rules had in version 1."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import partial
from typing import Any

from bough.data.schema import Schema, members
from bough.errors import BoughError, FormatError
from bough.models import encoding
from bough.models.encoding import Document
from bough.models.format import HEAD, check_version, head_of, of_any_version, read_head
from bough.models.plain import entries, is_finite, number, position
from bough.rules.class_rule import ClassRule
from bough.rules.condition import Condition, Interval, LevelSet
from bough.rules.rule_set import RuleSet

OLD_FORMAT = "bough rules"
_OLD_VERSION = 1
_MOST = 1e300
_ROUNDING = 1e-6

_OWN = ("default", "priors", "cases", "order", "rules")
_INTERVAL = ("column", "low", "high", "missing", "above", "up_to")
_NEIGHBOURS = ("low_neighbours", "high_neighbours")
_LEVEL_SET = ("column", "levels", "admitted", "excluded", "missing")
_RULE = ("conditions", "class", "cover", "correct", "prior", "estimate")
_OF_LIST = ("distribution", "fractions")


def document_of(rules: RuleSet) -> Document:
    """Return the rule set as a document, without format and version.

    >>> from bough.example_models import tennis_rules
    >>> document_of(tennis_rules())["default"]
    1
    """
    return head_of(rules) | {
        "default": rules.classes.index(rules.default),
        "priors": list(rules.priors),
        "cases": rules.cases,
        "order": rules.order,
        "rules": [_rule_to_json(rules, rule) for rule in rules],
        **_given("default_distribution", rules.default_distribution),
    }


def _rule_to_json(rules: RuleSet, rule: ClassRule) -> dict[str, Any]:
    return {
        "conditions": [condition_to_json(condition) for condition in rule.conditions],
        "class": rules.classes.index(rule.answer),
        "cover": rule.cover,
        "correct": rule.correct,
        "prior": rule.prior,
        "estimate": rule.estimate,
        **_given("distribution", rule.distribution),
        **_given("fractions", rule.fractions or None),
    }


def _given(name: str, numbers: tuple[float, ...] | None) -> dict[str, list[float]]:
    return {} if numbers is None else {name: list(numbers)}


def to_json(rules: RuleSet) -> Document:
    """Return the rule set as dicts and lists that JSON can represent.

    >>> from bough.example_models import tennis_rules
    >>> to_json(tennis_rules())["version"]
    3
    """
    return encoding.to_json(document_of(rules))


def condition_to_json(condition: Condition) -> dict[str, Any]:
    """Return a condition as a dict that JSON can represent.

    >>> condition_to_json(LevelSet(2, (1,), (1,)))
    {'column': 2, 'levels': [1], 'admitted': [1], 'excluded': [], 'missing': False}
    """
    if isinstance(condition, Interval):
        bounds = {name: _bound_to_json(getattr(condition, name)) for name in ("low", "high")}
        return {
            "column": condition.column,
            **bounds,
            "missing": condition.missing,
            "above": condition.above,
            "up_to": condition.up_to,
            **{
                name: [_bound_to_json(each) for each in getattr(condition, name)]
                for name in _NEIGHBOURS
                if getattr(condition, name) is not None
            },
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
    """Return the rule set that `to_json` wrote; raise `FormatError` if the document is invalid.

    >>> from bough.example_models import tennis_rules
    >>> document = to_json(tennis_rules())
    >>> document["rules"][0]["class"] = 7
    >>> from_json(document)
    Traceback (most recent call last):
    bough.errors.FormatError: At rules[0].class: 7; a whole number from 0 to 1 is wanted
    """
    return of_any_version(document, RuleSet.model_kind, from_document, OLD_FORMAT, from_old)


def from_old(document: Mapping[str, Any]) -> RuleSet:
    """Return the rule set of a document of version 1.

    >>> from_old({"format": "bough rules", "version": 1})
    Traceback (most recent call last):
    bough.errors.FormatError: At the top: 'target' is missing
    """
    check_version(document, _OLD_VERSION)
    names = ("format", "version", "target", "classes", "schema", *_OWN)
    fields = members(document, "the top", names)
    new = {name: value for name, value in fields.items() if name not in ("format", "version")}
    return from_document({"kind": RuleSet.model_kind, "task": "classification", "recipe": {}, **new})


def from_document(document: object) -> RuleSet:
    """Return the rule set of a document without format and version.

    >>> from bough.example_models import tennis_rules
    >>> from_document(document_of(tennis_rules())) == tennis_rules()
    True
    """
    fields = members(document, "the top", ("kind", *HEAD, *_OWN), ("provenance", "default_distribution"))
    head = read_head(fields)
    if head.task != "classification":
        raise FormatError("task", f"{head.task!r}; rules predict classes")
    classes = head.classes
    try:
        return RuleSet(
            schema=head.schema,
            classes=classes,
            rules=entries(fields["rules"], "rules", partial(_rule, schema=head.schema, classes=classes)),
            default=classes[position(fields["default"], "default", len(classes))],
            priors=entries(fields["priors"], "priors", _number),
            cases=_number(fields["cases"], "cases"),
            order=fields["order"],
            default_distribution=_numbers(fields.get("default_distribution"), "default_distribution"),
            target_name=head.target_name,
            recipe=head.recipe,
            provenance=head.provenance,
        )
    except FormatError:
        raise
    except (BoughError, TypeError) as error:
        raise FormatError("the top", str(error)) from None


def _rule(data: object, place: str, schema: Schema, classes: tuple[Any, ...]) -> ClassRule:
    fields = members(data, place, _RULE, _OF_LIST)
    read = partial(condition_from_json, schema=schema)
    conditions = entries(fields["conditions"], f"{place}.conditions", read)
    answer = classes[position(fields["class"], f"{place}.class", len(classes))]
    cover, correct, prior = (
        _number(fields[name], f"{place}.{name}") for name in ("cover", "correct", "prior")
    )
    if correct > cover * (1 + _ROUNDING):
        raise FormatError(f"{place}.correct", f"{correct!r}, but the rule covers {cover!r}")
    estimate = None if fields["estimate"] is None else _number(fields["estimate"], f"{place}.estimate")
    distribution, fractions = (_numbers(fields.get(name), f"{place}.{name}") for name in _OF_LIST)
    return ClassRule(
        schema, conditions, answer, cover, correct, prior, estimate, distribution, fractions or ()
    )


def condition_from_json(data: object, place: str, schema: Schema) -> Condition:
    """Return the condition that `condition_to_json` wrote; raise `FormatError` if the data are invalid.

    >>> from bough.example_models import tennis_tree
    >>> written = condition_to_json(LevelSet(2, (1,), (1,)))
    >>> condition_from_json(written, "conditions[0]", tennis_tree().schema).admitted
    (1,)
    """
    is_interval = isinstance(data, dict) and "levels" not in data
    fields = members(
        data, place, _INTERVAL if is_interval else _LEVEL_SET, _NEIGHBOURS if is_interval else ()
    )
    column = position(fields["column"], f"{place}.column", len(schema))
    if (schema[column].scale == "numeric") != is_interval:
        raise FormatError(place, f"it does not fit column {schema[column].name!r}")
    for name in ("missing", "above", "up_to"):
        if type(fields.get(name, False)) is not bool:
            raise FormatError(f"{place}.{name}", f"{fields[name]!r}; true or false is wanted")
    if is_interval:
        low, high = (_bound(fields[name], f"{place}.{name}") for name in ("low", "high"))
        flags = (fields[name] for name in ("missing", "above", "up_to"))
        beside = (_neighbours(fields.get(name), f"{place}.{name}") for name in _NEIGHBOURS)
        return Interval(column, low, high, *flags, *beside)
    read = partial(position, n=len(schema[column].levels))
    codes, admitted, excluded = (
        entries(fields[name], f"{place}.{name}", read) for name in ("levels", "admitted", "excluded")
    )
    return LevelSet(column, codes, admitted, excluded, fields["missing"])


def _bound(value: object, place: str) -> float | None:
    if value is None or value in ("inf", "-inf"):
        return None if value is None else float(str(value))
    if not is_finite(value):
        raise FormatError(place, f"{value!r}; a number or null is wanted")
    return float(value)  # type: ignore[arg-type]


def _neighbours(pair: object, place: str) -> tuple[float, float] | None:
    if pair is None:
        return None
    bounds = entries(pair, place, lambda each, _: _bound(each, place))
    if len(bounds) != 2 or bounds[0] is None or bounds[1] is None:
        raise FormatError(place, f"{pair!r}; two numbers are wanted")
    return bounds[0], bounds[1]


def _number(value: object, place: str) -> float:
    return number(value, place, _MOST)


def _numbers(values: object, place: str) -> tuple[float, ...] | None:
    return None if values is None else entries(values, place, _number)
