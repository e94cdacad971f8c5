"""M5Rules: each rule is the leaf of most cases of an M5 tree of the rows that no rule covers yet."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import bough._core as _core
from bough.data.training import Training
from bough.data.words import name_words
from bough.engines.m5 import m5_options
from bough.engines.numeric_columns import Conditioning, NumericColumn, NumericColumns
from bough.engines.weight_range import weights_as_cases
from bough.errors import TargetError
from bough.growing.recipe import Recipe
from bough.progress import watcher
from bough.rules.condition import Condition, Interval, LevelSet, merged
from bough.rules.linear_rules import LinearRule, LinearRules


def learn(recipe: Recipe, training: Training) -> LinearRules:
    """Learn rules from training rows.

    >>> from bough.learners.m5 import M5RulesRegressor
    >>> from bough.learners.reading import read_training
    >>> recipe = M5RulesRegressor().recipe()
    >>> X, y = [[float(i)] for i in range(40)], [abs(i - 20.0) for i in range(40)]
    >>> len(learn(recipe, read_training(recipe, X, y)))
    3
    """
    y, weights, table = training.target, weights_as_cases(training.weights), training.table
    if not isinstance(y, np.ndarray):
        raise TargetError("M5Rules predicts one number; y holds classes or has several columns.")
    of_y = Conditioning.of(y)
    scaled = of_y.apply(y)
    made = NumericColumns.of(table, scaled, weights.weight)
    cases = weights.n_cases(table.n_rows)
    found = _core.learn_m5_rules(
        np.ascontiguousarray(made.values),
        np.ascontiguousarray(scaled),
        weights.weight,
        weights.cases,
        m5_options(recipe, cases),
        watcher(),
    )
    target = name_words(training.target_name) if training.target_name else "y"
    rules = []
    for each in found:
        mean = of_y.center + math.ldexp(each["mean"], -of_y.exponent)
        model = made.model(each["intercept"], each["column"], each["coefficient"], of_y, mean)
        conditions = merged([_condition(training, made, part) for part in each["conditions"]])
        deviation = math.ldexp(math.sqrt(each["risk"] / each["weight"]), -of_y.exponent)
        rules.append(
            LinearRule(table.schema, conditions, model, each["cases"], mean, deviation, target=target)
        )
    weight = weights.each(table.n_rows)
    return LinearRules(
        schema=table.schema,
        rules=tuple(rules),
        default=float((y * weight).sum() / weight.sum()),
        cases=cases,
        order="first",
        substitutes=_substitutes(training, made),
        target_name=training.target_name,
        recipe=recipe.to_json(),
    )


def _condition(training: Training, made: NumericColumns, part: tuple[Any, ...]) -> Condition:
    position, cut, below, above, is_above = part
    column: NumericColumn = made.columns[position]
    if column.codes:
        n_levels = len(training.table.schema[column.source].levels)
        outside = tuple(code for code in range(n_levels) if code not in column.codes)
        codes = column.codes if is_above else outside
        return LevelSet(column.source, codes, codes)
    cut, neighbours = made.cut(training.table, position, cut, below, above)
    if is_above:
        return Interval(column.source, low=cut, above=True, low_neighbours=neighbours)
    return Interval(column.source, high=cut, up_to=True, high_neighbours=neighbours)


def _substitutes(training: Training, made: NumericColumns) -> tuple[float | None, ...]:
    """Return the mean or the most frequent level of each column that has two values."""
    found: list[float | None] = [None] * len(training.table.schema)
    for each in made.columns:
        if not each.codes:
            found[each.source] = each.substitute
    for position, column in enumerate(training.table.schema.columns):
        if column.scale != "numeric" and column.levels:
            codes = training.table.columns[position]
            weight = training.weights.weight
            known = codes >= 0
            counts = np.bincount(
                codes[known], None if weight is None else weight[known], minlength=len(column.levels)
            )
            found[position] = float(counts.argmax())
    return tuple(found)
