"""Stored cases of rpart fitted anew by bough's own learners, in rpart's layout."""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import numpy as np
from tests.oracle.plain_rpart import PlainColumn, Problem
from tests.oracle.plain_rpart_methods import Anova, Classes
from tests.oracle.reference import Case
from tests.oracle.rpart_frame import Frame, Record, columns_of, problem_of

from bough import CARTClassifier, CARTRegressor, Column, Schema, Table, Tree
from bough.pruning import complexities
from bough.tree.alternatives import Spare
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
    numbers = rpart_numbers(tree)
    complexity = complexities(tree, "rpart")
    if tree.risk[0] > 0:
        complexity = complexity / tree.risk[0]
    nodes = {
        number: _node_record(tree, node, number, float(complexity[node])) for node, number in numbers.items()
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


def means(tree: Tree) -> np.ndarray:
    """What orders the children of a node: the lower goes left."""
    if tree.task == "regression":
        return tree.statistics[:, 0]
    weights = tree.statistics if tree.class_scale is None else tree.statistics * tree.class_scale
    return weights @ np.arange(weights.shape[1]) / weights.sum(axis=1)


def rpart_numbers(tree: Tree) -> dict[int, int]:
    """The number that rpart gives each node: the children of i are 2i and 2i + 1, the lower one first."""
    numbers, lower = {0: 1}, means(tree)
    for node in range(tree.n_nodes):
        if tree.n_children[node]:
            first, second = tree.children(node)
            if lower[first] > lower[second]:
                first, second = second, first
            numbers[first], numbers[second] = 2 * numbers[node], 2 * numbers[node] + 1
    return numbers


def _node_record(tree: Tree, node: int, number: int, complexity: float) -> Record:
    record: Record = {
        "id": number,
        "n": float(tree.rows[node]),
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
        lower = means(tree)[list(tree.children(node))]
        flipped = bool(lower[0] > lower[1])
        own = Spare(tree.split(node), False, float(tree.gain[node]), math.nan, math.nan)
        record["primary"] = _split_record(tree, own, flipped) | _improve(tree, node, own.value)
        record["competitors"] = [
            _split_record(tree, spare, None) | _improve(tree, node, spare.value) | {"count": spare.rows}
            for spare in tree.competitors_of(node)
        ]
        record["surrogates"] = [
            _split_record(tree, spare, flipped)
            | {"agree": spare.value, "adj": spare.adjusted, "count": spare.rows}
            for spare in tree.surrogates_of(node)
        ]
    return record


def _improve(tree: Tree, node: int, gain: float) -> Record:
    scales = {"entropy": math.log(2.0), "poisson": 2.0, "squared_error": 1.0 / tree.risk[node]}
    scale = scales.get(tree.criterion, 1.0)
    return {"improve": gain * float(tree.weight[node]) * scale}


def _split_record(tree: Tree, spare: Spare, flipped: bool | None) -> Record:
    """What the split sends left, where rpart's left is the second branch if flipped; None: any way round."""
    column, split = tree.schema[spare.split.column], spare.split
    record: Record = {"var": column.name}
    if isinstance(split, Threshold) and column.scale == "numeric":
        turned = spare.turned != bool(flipped)
        return (
            record
            | {"threshold": split.cut}
            | ({"left": ">=" if turned else "<"} if flipped is not None else {})
        )
    codes = np.arange(len(column.levels), dtype=np.int32)
    ways = spare.branch(codes)
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
