"""Stored cases of rpart fitted anew by bough's own learners, in rpart's layout."""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import numpy as np
from tests.oracle.plain_rpart import PlainColumn, Problem
from tests.oracle.plain_rpart_methods import Anova, Classes, Poisson
from tests.oracle.reference import Case
from tests.oracle.rpart_frame import Frame, Record, columns_of, problem_of

from bough import CARTClassifier, CARTRegressor, Column, Schema, Table, Tree
from bough.pruning import complexities
from bough.tree.alternatives import AlternativeSplit
from bough.tree.split import Levels, Threshold

CONTROLS = (
    "minsplit",
    "minbucket",
    "cp",
    "maxcompete",
    "maxsurrogate",
    "usesurrogate",
    "surrogatestyle",
    "maxdepth",
)


@cache
def native_frame(case: Case) -> Frame:
    """Fit a stored case by CARTClassifier or CARTRegressor."""
    return learned_frame(problem_of(case), columns_of(case.dataset, case.file["na_rows"]))


def learned_frame(problem: Problem, probes: list[PlainColumn]) -> Frame:
    """Fit by CARTClassifier or CARTRegressor; `probes` are the rows to be answered after it."""
    model = fitted(problem)
    tree = model.tree_
    numbers = rpart_numbers(tree, problem)
    complexity = complexities(tree, "rpart")
    if tree.risk[0] > 0:
        complexity = complexity / tree.risk[0]
    nodes = {
        number: _node_record(tree, node, numbers, float(complexity[node])) for node, number in numbers.items()
    }
    ends = [numbers[node] for node in tree.apply(table_of(probes)).tolist()]
    return Frame(
        nodes=nodes,
        cptable=_cp_table(model.cp_table_) if hasattr(model, "cp_table_") else [],
        importance=_importance(tree),
        where=[numbers[node] for node in tree.apply(table_of(problem.columns)).tolist()],
        na_node=ends,
        na_yval=[nodes[end]["yval"] for end in ends],
    )


def fitted(problem: Problem) -> Any:
    """Return the learner that fits the problem."""
    options: dict[str, Any] = {name: getattr(problem.control, name) for name in CONTROLS}
    options |= {"xval": 0 if problem.groups is None else problem.groups, "cost": problem.cost, "n_jobs": 1}
    X, method, weight = table_of(problem.columns), problem.method, problem.weight
    if isinstance(method, Classes):
        # Places of classes as labels: sorted, they stand in their order.
        loss = None if (method.loss == 1.0 - np.eye(method.n_classes)).all() else method.loss
        model = CARTClassifier.like_rpart(prior=method.prior, loss=loss, split=method.split, **options)
        return model.fit(X, method.y, weight)
    if isinstance(method, Anova):
        return CARTRegressor.like_rpart(method="anova", **options).fit(X, method.y, weight)
    error = "deviance" if method.by_deviance else "sqrt"
    model = CARTRegressor.like_rpart(method="poisson", shrink=method.shrink, error=error, **options)
    return model.fit(X, method.events, weight, exposure=method.time)


def table_of(columns: list[PlainColumn]) -> Table:
    """Return plain columns as a table."""
    scales = ["ordinal" if each.ordered else "nominal" if each.levels else "numeric" for each in columns]
    schema = Schema(
        tuple(Column(each.name, scale, each.levels) for each, scale in zip(columns, scales, strict=True))
    )
    values = [
        np.where(np.isnan(each.values), -1, each.values - each.ordered).astype(np.int32)
        if each.levels
        else each.values
        for each in columns
    ]
    return Table(schema, tuple(values), len(values[0]))


def means(tree: Tree, node: int, problem: Problem, inside: np.ndarray) -> list[float]:
    """What orders the children of a node: means over its rows whose value of the split is known."""
    split, method = tree.split(node), problem.method
    branch = split.branch(table_of(problem.columns).columns[split.column])
    weight, y = problem.weight, method.y if isinstance(method, Anova | Classes) else method.events
    if isinstance(method, Classes) and tree.class_scale is not None:
        weight = weight * np.asarray(tree.class_scale)[method.y]
    base = weight * method.time if isinstance(method, Poisson) else weight
    sides = [inside & (branch == side) for side in (0, 1)]
    return [float((weight * y)[side].sum() / base[side].sum()) for side in sides]


def rpart_numbers(tree: Tree, problem: Problem) -> dict[int, int]:
    """The number that rpart gives each node: the children of i are 2i and 2i + 1, the lower one first."""
    numbers, ends = {0: 1}, tree.apply(table_of(problem.columns))
    inside = {0: np.ones(len(ends), dtype=bool)}
    for node in range(tree.n_nodes):
        if not tree.n_children[node]:
            continue
        children = tree.children(node)
        for child in children:
            inside[child] = np.isin(ends, _below(tree, child))
        first, second = children
        lower, upper = means(tree, node, problem, inside[node])
        if lower > upper:
            first, second = second, first
        numbers[first], numbers[second] = 2 * numbers[node], 2 * numbers[node] + 1
    return numbers


def _below(tree: Tree, node: int) -> list[int]:
    """Return a node and all nodes below it."""
    found = [node]
    for each in found:
        found += tree.children(each)
    return found


def _node_record(tree: Tree, node: int, numbers: dict[int, int], complexity: float) -> Record:
    record: Record = {
        "id": numbers[node],
        "n": float(tree.cases[node]),
        "wt": float(tree.weight[node]),
        "dev": float(tree.risk[node]),
        "complexity": complexity,
        "primary": None,
        "competitors": [],
        "surrogates": [],
    }
    if tree.task == "classification":
        weights = tree.statistics if tree.class_scale is None else tree.statistics * tree.class_scale
        record["yval"] = float(tree.answer_codes()[node] + 1)
        record["class_counts"] = tree.statistics[node].tolist()
        record["class_probs"] = (weights[node] / weights[node].sum()).tolist()
        record["nodeprob"] = float(weights[node].sum() / weights[0].sum())
    else:
        record["yval"] = float(tree.statistics[node, 0])
    if tree.n_children[node]:
        first, second = (numbers[child] for child in tree.children(node))
        flipped = first > second
        own = AlternativeSplit(tree.split(node), False, float(tree.gain[node]), math.nan, math.nan)
        record["primary"] = _split_record(tree, own, flipped) | _improve(tree, node, own.value)
        record["competitors"] = [
            _split_record(tree, alternative, None)
            | _improve(tree, node, alternative.value)
            | {"count": alternative.cases}
            for alternative in tree.competitors_of(node)
        ]
        record["surrogates"] = [
            _split_record(tree, alternative, flipped)
            | {"agree": alternative.value, "adj": alternative.adjusted, "count": alternative.cases}
            for alternative in tree.surrogates_of(node)
        ]
    return record


def _improve(tree: Tree, node: int, gain: float) -> Record:
    scales = {"entropy": math.log(2.0), "poisson": 2.0, "squared_error": 1.0 / tree.risk[node]}
    scale = scales.get(tree.criterion, 1.0)
    return {"improve": gain * float(tree.weight[node]) * scale}


def _split_record(tree: Tree, alternative: AlternativeSplit, flipped: bool | None) -> Record:
    """What the split sends left, where rpart's left is the second branch if flipped; None: any way round."""
    column, split = tree.schema[alternative.split.column], alternative.split
    record: Record = {"var": column.name}
    if isinstance(split, Threshold) and column.scale == "numeric":
        turned = alternative.turned != bool(flipped)
        return (
            record
            | {"threshold": split.cut}
            | ({"left": ">=" if turned else "<"} if flipped is not None else {})
        )
    codes = np.arange(len(column.levels), dtype=np.int32)
    ways = alternative.branch(codes)
    if isinstance(split, Levels):
        ways = np.where(np.isin(codes, split.codes), ways, -1)
    sides = [
        [level for level, way in zip(column.levels, ways, strict=True) if way == side] for side in (0, 1)
    ]
    if flipped:
        sides.reverse()
    return record | {"levels_left": sides[0], "levels_right": sides[1]}


def _importance(tree: Tree) -> dict[str, float]:
    scale = {"entropy": math.log(2.0), "poisson": 2.0}.get(tree.criterion, 1.0)
    values = tree.importance(surrogates=True) * scale
    return {name: value for name, value in zip(tree.schema.names, values.tolist(), strict=True) if value > 0}


def _cp_table(path: Any) -> list[list[float]]:
    columns = (
        path.relative,
        path.n_splits,
        path.relative_risk,
        path.relative_cv_risk,
        path.relative_cv_error,
    )
    return [list(row) for row in zip(*(column.tolist()[::-1] for column in columns), strict=True)]
