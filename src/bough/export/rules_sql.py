"""SQL of a rule set: the class of the first rule that fires, or the class of most votes."""

from __future__ import annotations

import math
import sys

import numpy as np

from bough.data.schema import Schema
from bough.data.sql import literal, quote
from bough.data.times import Unit, time_sql
from bough.errors import ParameterError
from bough.export.boosted_sql import greatest
from bough.rules.class_rule import ClassRule
from bough.rules.condition import Condition, Interval
from bough.rules.rule_set import RuleSet
from bough.rules.voting import by_distribution
from bough.tree.sql import is_one_of

_GREATEST = repr(sys.float_info.max)

# The condition that a number is neither NULL nor NaN, which is greater than every number.
_KNOWN = f"0e0 + {{name}} <= {_GREATEST} OR 0e0 - {{name}} <= -{_GREATEST}"


def rules_sql(rules: RuleSet) -> str:
    """Return an SQL expression for the prediction of a rule set.

    >>> from bough.example_models import tennis_rules
    >>> from dataclasses import replace
    >>> print(rules_sql(replace(tennis_rules(), order="first", rules=tennis_rules().rules[:2])))
    CASE
      WHEN "Outlook" IN ('Sunny') AND "Humidity" IN ('High') THEN 'No'
      WHEN "Outlook" IN ('Rain') AND "Wind" IN ('Strong') THEN 'No'
      ELSE 'Yes'
    END
    """
    if any(rule.fractions for rule in rules):
        raise ParameterError(
            "SQL export needs rules that fire or do not; these take fractions of rows with missing values. "
            "If there are none, export the rules with fractions=()."
        )
    if rules.order == "vote":
        return _by_vote(rules)
    if not rules.rules:
        return literal(rules.default)
    # One row for each rule, which it alone fires for, and a last one for which none does.
    alone = np.eye(len(rules) + 1, len(rules))
    codes = by_distribution(rules, alone, rules.default_distribution).codes.tolist()
    *answers, default = [literal(rules.classes[code]) for code in codes]
    tests = [f"  WHEN {_premise(rule)} THEN {answer}" for rule, answer in zip(rules, answers, strict=True)]
    return "\n".join(["CASE", *tests, f"  ELSE {default}", "END"])


def _by_vote(rules: RuleSet) -> str:
    """Return the class of most votes; of equals the default class, then the first."""
    order = [rules.default, *(label for label in rules.classes if label != rules.default)]
    sums = []
    for label in order:
        votes = [
            f"CASE WHEN {_premise(rule)} THEN {rule.vote} ELSE 0 END"
            for rule in rules
            if rule.answer == label
        ]
        sums.append("\n  + ".join(votes or ["0"]))
    return greatest(sums, order)


def _premise(rule: ClassRule) -> str:
    tests = [condition_sql(condition, rule.schema) for condition in rule.conditions]
    return " AND ".join(tests) if tests else "TRUE"


def condition_sql(condition: Condition, schema: Schema) -> str:
    """Return the SQL of a condition; it is true for the rows that meet it, and for no others.

    >>> from bough.data.schema import Column
    >>> print(condition_sql(Interval(0, low=2.0, high=5.0), Schema((Column("x", "numeric"),))))
    0e0 - "x" <= -2.0e0 AND 0e0 + "x" < 5.0e0
    """
    if isinstance(condition, Interval):
        return _interval_sql(condition, schema)
    column = schema[condition.column]
    if condition.missing:
        # Missing values and levels that are not known here meet the condition.
        others = [level for code, level in enumerate(column.levels) if code not in condition.admitted]
        return f"NOT COALESCE({is_one_of(column.name, tuple(others))}, FALSE)" if others else "TRUE"
    admitted = tuple([column.levels[code] for code in condition.admitted])
    return is_one_of(column.name, admitted) if admitted else "FALSE"


def _interval_sql(interval: Interval, schema: Schema) -> str:
    column = schema[interval.column]
    name = quote(column.name)
    known = f"{name} IS NOT NULL" if column.unit is not None else _KNOWN.format(name=name)
    if interval.high == -math.inf:
        tests = ["FALSE"]
    else:
        tests = []
        if interval.low is not None and interval.low != -math.inf:
            tests.append(_bound(interval.low, name, column.unit, above=True, strict=interval.above))
        if interval.high is not None and interval.high != math.inf:
            tests.append(_bound(interval.high, name, column.unit, above=False, strict=not interval.up_to))
    inside = " AND ".join(tests or [f"({known})"])
    return f"({inside} OR NOT COALESCE({known}, FALSE))" if interval.missing else inside


def _bound(cut: float, name: str, unit: Unit | None, *, above: bool, strict: bool) -> str:
    if unit is not None:
        closed = strict if above else not strict
        operator = (">" if strict else ">=") if above else ("<" if strict else "<=")
        return f"{name} {operator} {time_sql(unit, cut, closed=closed)}"
    operator = "<" if strict else "<="
    # NaN is greater than every number, and so is its negative.
    return f"0e0 - {name} {operator} {literal(-cut)}" if above else f"0e0 + {name} {operator} {literal(cut)}"
