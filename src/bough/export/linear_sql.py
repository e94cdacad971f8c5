"""SQL of linear models, and of rules that end in them."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import numpy as np

from bough.data.schema import Schema
from bough.data.sql import literal, quote
from bough.errors import ParameterError
from bough.export.boosted_sql import greatest
from bough.export.rules_sql import condition_sql
from bough.rules.condition import Condition, Interval
from bough.rules.linear_rules import LinearRule, LinearRules
from bough.tree.leaf_models import LinearModel, Term
from bough.tree.sql import is_one_of

_GREATEST = literal(sys.float_info.max)


def model_sql(model: LinearModel, schema: Schema) -> str:
    """Return an SQL expression for the value of a linear model.

    >>> from bough.data.schema import Column
    >>> print(model_sql(LinearModel(3.5, (Term(0, -2.0, 40.0),)), Schema((Column("age", "numeric"),))))
    3.5e0 + -2.0e0 *
    CASE WHEN 0e0 + "age" <= 1.7976931348623157e+308 AND 0e0 - "age" <= 1.7976931348623157e+308
    THEN CAST("age" AS DOUBLE PRECISION) ELSE 40.0e0 END
    """
    return " + ".join([literal(model.intercept), *(_term_sql(term, schema) for term in model.terms)])


def _term_sql(term: Term, schema: Schema) -> str:
    column, factor = schema[term.column], literal(term.coefficient)
    substitute = literal(float(term.substitute))
    if column.unit is not None:
        raise ParameterError(
            f"SQL export cannot write a linear term of {column.name!r}, which holds values of the unit "
            f"{column.unit!r}. Fit the tree to a column of numbers instead."
        )
    if term.codes:
        inside = tuple(column.levels[code] for code in term.codes)
        outside = tuple(level for code, level in enumerate(column.levels) if code not in term.codes)
        zero = f" WHEN {is_one_of(column.name, outside)} THEN 0e0" if outside else ""
        return f"{factor} * CASE WHEN {is_one_of(column.name, inside)} THEN 1e0{zero} ELSE {substitute} END"
    return f"{factor} * {_number(column.name, term.substitute, term.bounds)}"


def _number(name: str, substitute: float, bounds: tuple[float, float] | None = None) -> str:
    """Return an SQL expression for a number within bounds; if missing or infinite, for its substitute."""
    # NaN is greater than every number in DuckDB and PostgreSQL, and NULL in SQLite.
    known = f"0e0 + {quote(name)} <= {_GREATEST} AND 0e0 - {quote(name)} <= {_GREATEST}"
    number, otherwise = f"CAST({quote(name)} AS DOUBLE PRECISION)", literal(float(substitute))
    if bounds is not None:
        low, high = map(literal, bounds)
        number = f"CASE WHEN {number} < {low} THEN {low} WHEN {number} > {high} THEN {high} ELSE {number} END"
    return f"CASE WHEN {known} THEN {number} ELSE {otherwise} END"


def linear_rules_sql(rules: LinearRules) -> str:
    """Return an SQL expression for the prediction of linear rules; neighbours cannot be written.

    >>> from bough.example_models import cars_rules
    >>> print(linear_rules_sql(cars_rules())[:58])
    CASE WHEN CASE WHEN 0e0 + "cyl" <= 1.7976931348623157e+308
    """
    if rules.neighbours is not None:
        raise ParameterError(
            "SQL cannot write rules whose predictions are corrected by neighbours. Fit with n_neighbors=0."
        )
    if rules.order == "sum":
        return _sum_sql(rules)
    numbers = rules.member or (0,) * len(rules)
    members = [
        _member_sql(rules, [rule for rule, number in zip(rules, numbers, strict=True) if number == each])
        for each in sorted(set(numbers)) or [0]
    ]
    if len(members) == 1:
        return members[0]
    return "(" + "\n  + ".join(f"({each})" for each in members) + f") / {literal(float(len(members)))}"


def _sum_sql(rules: LinearRules) -> str:
    """Return the prediction of rules that are added: a score, or the class of the greatest one."""
    # Without the cast PostgreSQL would add decimal numbers.
    scores = [[f"CAST({literal(start)} AS DOUBLE PRECISION)"] for start in rules.start]
    for rule, number in zip(rules, rules.member or (0,) * len(rules), strict=True):
        tests = [condition_sql(condition, rules.schema) for condition in rule.conditions]
        answer = _answer_sql(rule)
        scores[number].append(
            f"CASE WHEN {' AND '.join(tests)} THEN {answer} ELSE 0e0 END" if tests else answer
        )
    sums = ["(" + "\n  + ".join(parts) + ")" for parts in scores]
    if not rules.classes:
        return sums[0]
    if len(sums) > 1:
        return greatest(sums, rules.classes)
    first, second = map(literal, rules.classes)
    return f"CASE WHEN {sums[0]} > 0e0 THEN {second} ELSE {first} END"


def _member_sql(rules: LinearRules, own: Sequence[LinearRule]) -> str:
    default = literal(rules.default)
    tests = [
        " AND ".join(_condition_sql(condition, rules) for condition in rule.conditions) or "TRUE"
        for rule in own
    ]
    answers = [_answer_sql(rule) for rule in own]
    if not own:
        return default
    if rules.order == "first":
        cases = [f"WHEN {test} THEN {answer}" for test, answer in zip(tests, answers, strict=True)]
        return "\n".join(["CASE " + cases[0], *cases[1:], f"ELSE {default} END"])
    pairs = [*zip(tests, answers, strict=True)]
    if tests == ["TRUE"]:
        return answers[0]
    total = " + ".join(f"CASE WHEN {test} THEN {answer} ELSE 0e0 END" for test, answer in pairs)
    fired = " + ".join(f"CASE WHEN {test} THEN 1e0 ELSE 0e0 END" for test in tests)
    return f"COALESCE(({total}) / NULLIF({fired}, 0e0), {default})"


def _answer_sql(rule: LinearRule) -> str:
    answer = model_sql(rule.model, rule.schema)
    bounds = [("<", rule.low), (">", rule.high)]
    cases = [f"WHEN {answer} {sign} {literal(b)} THEN {literal(b)}" for sign, b in bounds if b is not None]
    return f"CASE {' '.join(cases)} ELSE {answer} END" if cases else answer


def _condition_sql(condition: Condition, rules: LinearRules) -> str:
    """Return a condition on the values of a row after missing ones are replaced by the substitutes."""
    column, substitute = rules.schema[condition.column], rules.substitutes[condition.column]
    if column.scale == "numeric" and isinstance(condition, Interval):
        if column.unit is not None:
            raise ParameterError(
                f"SQL export cannot write a condition of linear rules on {column.name!r}, which holds values "
                f"of the unit {column.unit!r}. Fit the rules to a column of numbers instead."
            )
        value = _number(column.name, 0.0 if substitute is None else substitute)
        bounds = [
            (">" if condition.above else ">=", condition.low),
            ("<=" if condition.up_to else "<", condition.high),
        ]
        return " AND ".join(f"{value} {sign} {literal(float(b))}" for sign, b in bounds if b is not None)
    covered = condition.covers(np.arange(len(column.levels), dtype=np.int32))
    inside, outside = (
        tuple(level for level, kept in zip(column.levels, mask, strict=True) if kept)
        for mask in (covered.tolist(), (~covered).tolist())
    )
    if substitute is not None and covered[int(substitute)]:
        return f"CASE WHEN {is_one_of(column.name, outside)} THEN FALSE ELSE TRUE END" if outside else "TRUE"
    return is_one_of(column.name, inside) if inside else "FALSE"
