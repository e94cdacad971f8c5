"""Cubist: the core learns the rules; this module builds the model from them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

import bough._core as _core
from bough.data.table import Table
from bough.data.training import Training
from bough.data.words import name_words
from bough.engines.weight_range import repeated_rows
from bough.errors import TableError, TargetError, WeightError
from bough.growing.recipe import Recipe
from bough.progress import watcher
from bough.rules.condition import Condition, Interval, LevelSet, merged
from bough.rules.linear_rules import LinearRule, LinearRules
from bough.rules.rule_neighbours import RuleNeighbours, native_columns
from bough.tree.leaf_models import LinearModel, Term
from bough.types import Floats


def learn(recipe: Recipe, training: Training) -> LinearRules:
    """Learn rules from training rows.

    >>> from bough.learners.cubist import CubistRegressor
    >>> from bough.learners.reading import read_training
    >>> recipe = CubistRegressor().recipe()
    >>> rows = read_training(recipe, [[float(i)] for i in range(20)], [2.0 * i + 1 for i in range(20)])
    >>> str(learn(recipe, rows)[0])
    'always -> y = 1 + 2 × x0'
    """
    table, y = training.table, training.target
    if not isinstance(y, np.ndarray):
        raise TargetError("Cubist predicts one number; y holds classes or has several columns.")
    if not training.weights.whole:
        raise WeightError("sample_weight holds fractions; CubistRegressor needs numbers of cases.")
    if training.weights.cases is not None:
        repeated = repeated_rows(np.arange(table.n_rows), training.weights.cases)
        table, y = table.take(repeated), y[repeated]
    _check_range(table, y)
    settings = recipe.settings
    found = _core.learn_cubist(
        native_columns(table.schema, table.columns),
        y.astype(np.float32),
        {
            "n_committees": int(settings["n_estimators"]),
            "max_rules": int(settings["max_rules"]),
            "unbiased": bool(settings["unbiased"]),
            "extrapolation": float(settings["extrapolation"]),
        },
        watcher(),
    )
    target = name_words(training.target_name) if training.target_name else "y"
    rules, member = [], []
    for number, committee in enumerate(found["committee"]):
        rules += [_rule(table, found, each, float(settings["extrapolation"]), target) for each in committee]
        member += [number] * len(committee)
    made = LinearRules(
        schema=table.schema,
        rules=tuple(rules),
        default=_digits(found["global_mean"], 7),
        cases=float(table.n_rows),
        order="mean",
        substitutes=_substitutes(table, found),
        member=tuple(member),
        target_name=training.target_name,
        recipe=recipe.to_json(),
    )
    n_neighbours = int(settings["n_neighbors"])
    if not n_neighbours:
        return made
    return replace(made, neighbours=_neighbours(made, table, y, found, n_neighbours))


def _check_range(table: Table, y: Floats) -> None:
    """Raise if numbers are beyond what Cubist's 32-bit numbers hold."""
    greatest = float(np.finfo(np.float32).max) / 4
    if np.abs(y).max() > greatest:
        raise TargetError(
            "y holds numbers beyond 8e37, which Cubist cannot use. Divide it by its greatest one."
        )
    for column, values in zip(table.schema.columns, table.columns, strict=True):
        if column.scale == "numeric" and (np.abs(values[~np.isnan(values)]) > greatest).any():
            raise TableError(
                f"Column {column.name!r} holds numbers beyond 8e37, which Cubist cannot use. Scale it, or "
                "leave it out."
            )


def _digits(value: float, digits: int) -> float:
    """Return a 32-bit number after it was printed with some digits, as in Cubist's model files."""
    return float(np.float32(f"{float(value):.{digits}g}"))


def _substitutes(table: Table, found: dict[str, Any]) -> tuple[float | None, ...]:
    return tuple(
        _digits(mean, 7) if column.scale == "numeric" else (float(mode) if mode >= 0 else None)
        for column, mean, mode in zip(table.schema.columns, found["mean"], found["mode"], strict=True)
    )


def _rule(
    table: Table, found: dict[str, Any], each: dict[str, Any], extrapolation: float, target: str
) -> LinearRule:
    low, high = (np.float32(_digits(each[name], 6)) for name in ("low", "high"))
    reach = np.float32(extrapolation) * (high - low)
    lowest, highest = low - reach, high + reach
    terms = tuple(
        Term(column, float(coefficient), _digits(found["mean"][column], 7))
        for column, coefficient in enumerate(each["model"][1:])
        if coefficient != 0
    )
    return LinearRule(
        schema=table.schema,
        conditions=merged([_condition(table, found, part) for part in each["conditions"]]),
        model=LinearModel(float(each["model"][0]) + 0.0, terms),
        cases=float(each["cover"]),
        mean=float(each["mean"]),
        deviation=float(each["error"]),
        low=0.0 if lowest < 0 <= low else float(lowest),
        high=0.0 if highest > 0 >= high else float(highest),
        target=target,
    )


def _condition(table: Table, found: dict[str, Any], part: tuple[Any, ...]) -> Condition:
    column, cut, above, codes = part
    if table.schema[column].scale != "numeric":
        return LevelSet(column, tuple(codes), tuple(codes))
    values = table.columns[column].astype(np.float64)
    # The mean in place of missing values is a value of the column too, and a cut may lie at it.
    known = np.unique(np.where(np.isnan(values), _digits(found["mean"][column], 7), values))
    # The cut is a 32-bit number; the values that it takes for at most itself are the same in 64 bits.
    limit = np.float32(_digits(cut, 8))
    inside = known[known.astype(np.float32) <= limit]
    outside = known[known.astype(np.float32) > limit]
    exact = float(inside[-1]) if len(inside) else float(limit)
    neighbours = (exact, float(outside[0])) if len(inside) and len(outside) else None
    if above:
        return Interval(column, low=exact, above=True, low_neighbours=neighbours)
    return Interval(column, high=exact, up_to=True, high_neighbours=neighbours)


def _neighbours(
    rules: LinearRules, table: Table, y: Floats, found: dict[str, Any], n_neighbours: int
) -> RuleNeighbours:
    completed = rules.completed(table)
    return RuleNeighbours(
        schema=table.schema,
        rows=np.column_stack([values.astype(np.float64) for values in completed.columns]),
        y=y.astype(np.float64),
        predicted=rules.predict(table),
        mean=tuple(_digits(mean, 7) for mean in found["mean"]),
        deviation=tuple(_digits(deviation, 7) for deviation in found["deviation"]),
        n_neighbours=n_neighbours,
        max_distance=float(np.float32(f"{found['max_distance']:.1f}")),
        floor=_digits(found["floor"], 7),
        ceiling=_digits(found["ceiling"], 7),
    )
