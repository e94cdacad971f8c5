"""The file kind "linear_rules"."""

from __future__ import annotations

import itertools
from functools import partial
from typing import Any, get_args

import numpy as np

from bough.data.schema import Schema, members
from bough.errors import FormatError
from bough.models.encoding import Document
from bough.models.format import HEAD, Head, head_of, read_head
from bough.models.plain import array_from, entries, number, position, rows_from
from bough.rules.format import condition_from_json, condition_to_json
from bough.rules.linear_rules import LinearOrder, LinearRule, LinearRules, score_names
from bough.rules.rule_neighbours import RuleNeighbours
from bough.tree.leaf_models import LinearModel, Term

_OWN = ("default", "cases", "order", "substitutes", "rules")
_NEIGHBOURS = (
    *("rows", "y", "predicted", "mean", "deviation"),
    *("n_neighbours", "max_distance", "floor", "ceiling"),
)
_GREATEST = float(np.finfo(np.float32).max)
_RULE = ("conditions", "intercept", "terms", "cases", "mean", "deviation", "low", "high")


def document_of(rules: LinearRules) -> Document:
    """Return the rules as a document, without format and version.

    >>> from bough.example_models import cars_rules
    >>> document_of(cars_rules())["rules"][0]["terms"]
    [{'column': 1, 'coefficient': -0.2, 'substitute': 100.0, 'levels': []}]
    """
    return head_of(rules) | {
        "default": rules.default,
        "cases": rules.cases,
        "order": rules.order,
        "substitutes": list(rules.substitutes),
        "rules": [_rule_to_json(rule) for rule in rules],
        **({"member": list(rules.member)} if rules.member else {}),
        **({} if rules.neighbours is None else {"neighbours": rules.neighbours.document()}),
        **({"start": list(rules.start)} if rules.order == "sum" else {}),
    }


def _rule_to_json(rule: LinearRule) -> dict[str, Any]:
    return {
        "conditions": [condition_to_json(condition) for condition in rule.conditions],
        "intercept": rule.model.intercept,
        "terms": [
            {
                "column": term.column,
                "coefficient": term.coefficient,
                "substitute": term.substitute,
                "levels": list(term.codes),
                **({} if term.bounds is None else {"bounds": list(term.bounds)}),
            }
            for term in rule.model.terms
        ],
        **{name: getattr(rule, name) for name in ("cases", "mean", "deviation", "low", "high")},
    }


def from_document(document: object) -> LinearRules:
    """Return the rules of a document without format and version; raise `FormatError` if it is invalid.

    >>> from bough.example_models import cars_rules
    >>> document = document_of(cars_rules())
    >>> document["rules"][0]["terms"][0]["column"] = 7
    >>> from_document(document)
    Traceback (most recent call last):
    bough.errors.FormatError: At rules[0].terms[0].column: 7; a whole number from 0 to 1 is wanted
    """
    optional = ("provenance", "member", "neighbours", "start")
    fields = members(document, "the top", ("kind", *HEAD, *_OWN), optional)
    head = read_head(fields)
    if fields["order"] not in get_args(LinearOrder):
        raise FormatError("order", f"{fields['order']!r}; 'first', 'mean' or 'sum' is wanted")
    start = _start(fields, head)
    schema = head.schema
    scores = score_names(head.classes, head.target_name)
    substitutes = entries(fields["substitutes"], "substitutes", _number_or_none)
    if len(substitutes) != len(schema):
        raise FormatError("substitutes", f"has {len(substitutes)} entries; {len(schema)} are wanted")
    for place, (column, each) in enumerate(zip(schema.columns, substitutes, strict=True)):
        if column.scale != "numeric" and each is not None:
            position(int(each) if each.is_integer() else each, f"substitutes[{place}]", len(column.levels))
    n_rules = len(entries(fields["rules"], "rules", lambda rule, place: rule))
    member = _members(fields.get("member", []), n_rules, len(start) if start else n_rules)
    names = (scores[own] for own in member) if start and member else itertools.repeat(scores[0])
    return LinearRules(
        schema=schema,
        rules=entries(
            fields["rules"], "rules", lambda rule, place: _rule(rule, place, schema, next(names), bool(start))
        ),
        default=number(fields["default"], "default"),
        cases=number(fields["cases"], "cases"),
        order=fields["order"],
        substitutes=substitutes,
        member=member,
        neighbours=_neighbours(fields["neighbours"], schema) if "neighbours" in fields else None,
        classes=head.classes,
        start=start,
        target_name=head.target_name,
        recipe=head.recipe,
        provenance=head.provenance,
    )


def _start(fields: dict[str, Any], head: Head) -> tuple[float, ...]:
    """Return the scores that rules are added to; raise if they do not fit the order or the classes."""
    if fields["order"] != "sum":
        if head.task != "regression":
            raise FormatError("task", f"{head.task!r}; linear rules predict numbers")
        return ()
    start = entries(fields.get("start", []), "start", number)
    wanted = len(head.classes) if len(head.classes) > 2 else 1
    if len(start) != wanted:
        raise FormatError("start", f"has {len(start)} entries; {wanted} are wanted")
    return start


def _rule(data: object, place: str, schema: Schema, name: str, adds: bool) -> LinearRule:
    fields = members(data, place, _RULE)
    read = partial(condition_from_json, schema=schema)
    conditions = entries(fields["conditions"], f"{place}.conditions", read)
    terms = entries(fields["terms"], f"{place}.terms", partial(_term, schema=schema))
    cases, mean, deviation = (number(fields[own], f"{place}.{own}") for own in ("cases", "mean", "deviation"))
    low, high = (_number_or_none(fields[own], f"{place}.{own}") for own in ("low", "high"))
    model = LinearModel(number(fields["intercept"], f"{place}.intercept"), terms)
    return LinearRule(schema, conditions, model, cases, mean, deviation, low, high, name, adds)


def _members(data: object, n_rules: int, n_members: int) -> tuple[int, ...]:
    numbers = entries(data, "member", partial(position, n=n_members))
    if numbers and (len(numbers) != n_rules or sorted(numbers) != list(numbers)):
        raise FormatError("member", f"{n_rules} numbers that do not fall are wanted")
    return numbers


def _neighbours(data: object, schema: Schema) -> RuleNeighbours:
    fields = members(data, "neighbours", _NEIGHBOURS)
    rows = rows_from(fields["rows"], "neighbours.rows")
    y, predicted = (array_from(fields[name], f"neighbours.{name}") for name in ("y", "predicted"))
    n = len(rows)
    if n < 1 or rows.shape[1:] != (len(schema),) or len(y) != n or len(predicted) != n:
        raise FormatError("neighbours.rows", "a row of all columns for each y is wanted")
    for name, array in (("rows", rows), ("y", y), ("predicted", predicted)):
        if not (np.abs(array) <= _GREATEST).all():
            raise FormatError(f"neighbours.{name}", "finite numbers of 32 bits are wanted")
    for place, column in enumerate(schema.columns):
        codes = rows[:, place]
        if column.scale != "numeric" and not np.isin(codes, np.arange(len(column.levels))).all():
            raise FormatError("neighbours.rows", f"column {place} holds a code that is none of a level")
    mean, deviation = (entries(fields[name], f"neighbours.{name}", number) for name in ("mean", "deviation"))
    if len(mean) != len(schema) or len(deviation) != len(schema):
        raise FormatError("neighbours.mean", "a number for each column is wanted")
    figures = [number(fields[name], f"neighbours.{name}") for name in ("max_distance", "floor", "ceiling")]
    count = position(fields["n_neighbours"], "neighbours.n_neighbours", 10)
    if count < 1 or min(deviation, default=0.0) < 0:
        raise FormatError("neighbours", "at least one neighbour, and deviations of at least 0 are wanted")
    return RuleNeighbours(schema, rows, y, predicted, mean, deviation, count, *figures)


def _term(data: object, place: str, schema: Schema) -> Term:
    fields = members(data, place, ("column", "coefficient", "substitute", "levels"), ("bounds",))
    own = position(fields["column"], f"{place}.column", len(schema))
    column = schema[own]
    codes = entries(fields["levels"], f"{place}.levels", partial(position, n=len(column.levels)))
    if (column.scale == "numeric") != (not codes):
        raise FormatError(f"{place}.levels", "a term lists levels unless its column is numeric")
    if any(first >= second for first, second in itertools.pairwise(codes)):
        raise FormatError(f"{place}.levels", "the levels of a term must increase")
    numbers = [number(fields[name], f"{place}.{name}") for name in ("coefficient", "substitute")]
    bounds = _bounds(fields["bounds"], f"{place}.bounds", codes) if "bounds" in fields else None
    return Term(own, numbers[0], numbers[1], codes, bounds)


def _bounds(data: object, place: str, codes: tuple[int, ...]) -> tuple[float, float]:
    bounds = entries(data, place, number)
    if codes or len(bounds) != 2 or bounds[0] > bounds[1]:
        raise FormatError(place, "a term of a number has two, the lower one first")
    return bounds[0], bounds[1]


def _number_or_none(data: object, place: str) -> float | None:
    return None if data is None else number(data, place)
