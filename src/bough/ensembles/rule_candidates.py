"""The candidates of a rule ensemble: the nodes of boosted trees as rules, and linear terms."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from bough.data.table import Table
from bough.data.training import Training
from bough.ensembles.lasso import Design
from bough.models.gradient_boosted import GradientBoosted
from bough.rules.linear_rules import LinearRule
from bough.rules.rule import rules_of
from bough.tree.leaf_models import LinearModel, Term
from bough.types import Floats

# The mean standard deviation of rules of any support (Friedman and Popescu 2008, section 5).
_DEVIATION_OF_RULE = 0.4


class CandidateRule(NamedTuple):
    """A rule that may be selected: the number of a tree, a node of it, and the training rows it covers."""

    tree: int
    node: int
    rows: npt.NDArray[np.intp]


@dataclass(frozen=True)
class LinearTerm:
    """A column whose values are limited to `low` and `high`; missing ones are replaced by `mean`."""

    column: int
    low: float
    high: float
    mean: float
    deviation: float

    def values(self, values: npt.NDArray[Any]) -> Floats:
        """Return the limited values.

        >>> LinearTerm(0, 1.0, 3.0, 2.0, 1.0).values(np.array([0.0, np.nan, 9.0]))
        array([1., 2., 3.])
        """
        numbers = values.astype(np.float64)
        return np.clip(np.where(np.isfinite(numbers), numbers, self.mean), self.low, self.high)


def candidate_rules(model: GradientBoosted, table: Table) -> list[CandidateRule]:
    """Return a rule for each node below the root of each tree.

    Of rules that cover the same rows, or those that the other does not, the first is taken; one that covers
    all rows or none is no rule.

    >>> from bough.example_models import boosted_cars
    >>> model = boosted_cars()
    >>> rules = candidate_rules(model, Table.fit_to([[2.0, 4.0], [3.0, 6.0], [3.5, 8.0]], model.schema))
    >>> [(rule.tree, rule.node, rule.rows.tolist()) for rule in rules]
    [(0, 1, [0]), (0, 3, [1]), (0, 4, [2])]
    """
    leaves = model.apply(table)
    starts = model.arrays["tree_start"]
    found: list[CandidateRule] = []
    seen: set[bytes] = set()
    for tree in range(model.n_trees):
        parent = model.arrays["parent"][starts[tree] : starts[tree + 1]]
        inside = leaves[:, tree] == np.arange(len(parent))[:, None]
        # Children follow their parents, so that the rows of all descendants have been added to a node.
        for node in range(len(parent) - 1, 0, -1):
            inside[parent[node]] |= inside[node]
        for node in range(1, len(parent)):
            covered = inside[node]
            key = np.packbits(covered ^ covered[0]).tobytes()
            if key not in seen:
                seen.add(key)
                found.append(CandidateRule(tree, node, np.flatnonzero(covered)))
    return [rule for rule in found if 0 < len(rule.rows) < table.n_rows]


def linear_terms(table: Table, weight: Floats | None, share: float) -> list[LinearTerm]:
    """Return a term for each column of numbers that varies; a share of the values is limited on either side.

    >>> linear_terms(Table.read([[1.0], [3.0]]), None, 0.0)
    [LinearTerm(column=0, low=1.0, high=3.0, mean=2.0, deviation=1.0)]
    """
    terms = []
    for position, column in enumerate(table.schema.columns):
        if column.scale != "numeric" or column.unit is not None:
            continue
        numbers = table.columns[position].astype(np.float64)
        known = np.isfinite(numbers)
        own = None if weight is None else weight[known]
        term = _limited(position, numbers[known], own, share)
        if term is not None:
            terms.append(term)
    return terms


def _limited(column: int, values: Floats, weight: Floats | None, share: float) -> LinearTerm | None:
    """Return the term of a column given its known values; None if they do not vary."""
    if len(values) < 2:
        return None
    weight = np.ones(len(values)) if weight is None else weight
    order = np.argsort(values, kind="stable")
    below = np.cumsum(weight[order]) / weight.sum()
    last = len(values) - 1
    low, high = (
        float(values[order[min(int(np.searchsorted(below, each)), last)]]) for each in (share, 1 - share)
    )
    limited = np.clip(values, low, high)
    # Halves, since the difference of two numbers may be beyond the range.
    centre = float(np.average(limited / 2, weights=weight)) * 2
    with np.errstate(over="ignore"):
        deviation = float(np.sqrt(np.average((limited - centre) ** 2, weights=weight)))
    if not (0 < deviation < np.inf and low < high):
        return None
    return LinearTerm(column, low, high, centre, deviation)


def design_of(rules: list[CandidateRule], terms: list[LinearTerm], table: Table) -> Design:
    """Return the rules and the terms as columns; terms have the standard deviation of an average rule.

    >>> table = Table.read([[1.0], [2.0], [3.0]])
    >>> design_of([], linear_terms(table, None, 0.0), table).numbers.round(2)
    array([[0.49, 0.98, 1.47]])
    """
    numbers = [factor_of(term) * term.values(table.columns[term.column]) for term in terms]
    return Design.of([rule.rows for rule in rules], np.array(numbers).reshape(len(terms), table.n_rows))


def factor_of(term: LinearTerm) -> float:
    """Return the factor that gives a term the standard deviation of an average rule.

    >>> factor_of(LinearTerm(0, 1.0, 3.0, 2.0, 0.8))
    0.5
    """
    return _DEVIATION_OF_RULE / term.deviation


def rule_of_node(
    model: GradientBoosted, rule: CandidateRule, coefficient: float, training: Training, target: str
) -> LinearRule:
    """Return a candidate as a rule that adds its coefficient.

    >>> from bough.data.target import read_weights
    >>> from bough.example_models import boosted_cars
    >>> model, rows = boosted_cars(), [[2.0, 4.0], [3.0, 6.0], [3.0, 8.0], [4.0, 8.0]]
    >>> table = Table.fit_to(rows, model.schema)
    >>> training = Training(table, np.ones(4), read_weights(None, 4), np.arange(4), 4)
    >>> rule = rule_of_node(model, CandidateRule(0, 1, np.array([0])), 2.0, training, "mpg")
    >>> print(rule, rule.support(), sep="; ")
    wt < 2.26 -> mpg + 2; 1 case, importance 0.866
    """
    found = next(iter(rules_of(model.tree(rule.tree), {rule.node})))
    weight = training.weights.each(training.table.n_rows)
    cases = training.weights.cases_of_each(training.table.n_rows)
    share = float(weight[rule.rows].sum() / weight.sum())
    return LinearRule(
        model.schema,
        found.conditions,
        LinearModel(coefficient),
        float(cases[rule.rows].sum()),
        coefficient * share,
        abs(coefficient) * float(np.sqrt(share * (1 - share))),
        target=target,
        adds=True,
    )


def rule_of_term(term: LinearTerm, slope: float, training: Training, target: str) -> LinearRule:
    """Return a linear term as a rule without conditions.

    >>> from bough.data.target import read_weights
    >>> training = Training(Table.read([[1.0], [3.0]]), np.ones(2), read_weights(None, 2), np.arange(2), 2)
    >>> rule = rule_of_term(LinearTerm(0, 1.0, 3.0, 2.0, 1.0), -0.5, training, "mpg")
    >>> print(rule, rule.support(), sep="; ")
    always -> mpg - 0.5 × x0, x0 from 1 to 3; 2 cases, importance 0.5
    """
    weight = training.weights.each(training.table.n_rows)
    cases = training.weights.cases_of_each(training.table.n_rows)
    added = slope * term.values(training.table.columns[term.column])
    mean = float(np.average(added, weights=weight))
    low, high = sorted((slope * term.low, slope * term.high))
    return LinearRule(
        training.table.schema,
        (),
        LinearModel(0.0, (Term(term.column, slope, term.mean),)),
        float(cases.sum()),
        mean,
        float(np.sqrt(np.average((added - mean) ** 2, weights=weight))),
        low,
        high,
        target,
        adds=True,
    )
