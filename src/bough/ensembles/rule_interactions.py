"""Interaction strengths of rules that are added (Friedman and Popescu 2008, section 8)."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from bough.data.table import Table
from bough.rules.linear_rules import LinearRule, LinearRules
from bough.types import Floats


def interactions(rules: LinearRules, table: Table) -> Floats:
    """Return the strengths H² of all pairs of columns, and of each column with all others on the diagonal.

    The scores are a sum of rules, and each condition of a rule is about one column. The partial dependence
    of a rule on some columns is therefore whether their conditions hold, times the share of the rows for
    which the others do. The strengths of several scores are summed before they are divided.

    >>> from dataclasses import replace
    >>> from bough.example_models import cars_rules
    >>> added = replace(cars_rules(), order="sum", start=(0.0,))
    >>> interactions(added, Table.fit_to([[4, 100], [8, 200], [4, 90]], added.schema)).shape
    (2, 2)
    """
    n = len(rules.schema)
    columns = [_columns(rule) for rule in rules]
    held = [_held(rule, table) for rule in rules]
    numbers = rules.member or (0,) * len(rules)
    strengths = np.zeros((n, n))
    everything = range(n)
    whole = _centred(rules, held, numbers, everything)
    alone = [_centred(rules, held, numbers, (j,)) for j in everything]
    for j in everything:
        rest = _centred(rules, held, numbers, [k for k in everything if k != j])
        strengths[j, j] = _share(whole - alone[j] - rest, whole)
        for k in range(j):
            if any(j in each and k in each for each in columns):
                both = _centred(rules, held, numbers, (j, k))
                strengths[j, k] = strengths[k, j] = _share(both - alone[j] - alone[k], both)
    return strengths


def _columns(rule: LinearRule) -> set[int]:
    return {condition.column for condition in rule.conditions}


def _held(rule: LinearRule, table: Table) -> dict[int, Floats]:
    """Return, for each column of a rule, whether its condition holds, or the value of its term."""
    found: dict[int, Floats] = {
        condition.column: condition.covers(table.columns[condition.column]).astype(np.float64)
        for condition in rule.conditions
    }
    rows = np.arange(table.n_rows)
    if rule.model.terms:
        # A linear term is a rule without conditions: its value is what it adds.
        found[rule.model.terms[0].column] = rule.answers(table, rows)
    return found


def _centred(
    rules: LinearRules, held: list[dict[int, Floats]], numbers: Collection[int], columns: Collection[int]
) -> Floats:
    """Return the partial dependence of each score on some columns, at each row, less its mean."""
    n_rows = len(next(iter(held[0].values()))) if held and held[0] else 1
    total = np.zeros((len(rules.start), n_rows))
    for rule, own, number in zip(rules, held, numbers, strict=True):
        if not any(column in columns for column in own):
            continue
        factor = np.ones(n_rows)
        others = np.ones(n_rows)
        for column, values in own.items():
            if column in columns:
                factor = factor * values
            else:
                others = others * values
        size = 1.0 if rule.model.terms else rule.model.intercept
        total[number] += size * float(others.mean()) * factor
    return np.asarray(total - total.mean(axis=1, keepdims=True))


def _share(part: Floats, whole: Floats) -> float:
    """Return the share of a variance; 0 if there is none."""
    variance = float(np.square(whole).sum())
    return float(np.square(part).sum()) / variance if variance > 0 else 0.0
