"""Fits in the layout of rpart's stored cases: one record whatever grew the tree."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from tests.oracle import plain_rpart
from tests.oracle.plain_rpart import Control, PlainColumn, Problem
from tests.oracle.plain_rpart_methods import Anova, Classes, Poisson
from tests.oracle.reference import Case, read_data, read_schema

Record = dict[str, Any]


@dataclass(frozen=True, eq=False)
class Frame:
    """A fit, in the words of the stored cases: nodes by number, each with its splits."""

    nodes: dict[int, Record]
    cptable: list[list[float]]
    importance: dict[str, float]
    where: list[int]
    na_node: list[int]
    na_yval: list[float]
    scaled_time: list[float] | None = field(default=None)


def frame_of(case: Case) -> Frame:
    """Fit a stored case anew."""
    problem = problem_of(case)
    fit = plain_rpart.fit(problem)
    nodes = {number: _node_record(node, fit) for number, node in fit.nodes.items()}
    probes = columns_of(case.dataset, case.file["na_rows"])
    ends = fit.ends(probes).tolist()
    where = fit.where()
    return Frame(
        nodes=nodes,
        cptable=fit.cptable,
        importance=fit.importance(),
        where=where[where > 0].tolist(),
        na_node=ends,
        na_yval=[nodes[end]["yval"] for end in ends],
    )


def problem_of(case: Case) -> Problem:
    """What rpart was asked in a stored case."""
    data, output = read_data(case.dataset), case.output
    n = len(data.X)
    weight = np.array(output.get("weights") or np.ones(n), dtype=float)
    records = data.X.astype(object).where(data.X.notna(), None).to_dict("records")
    return Problem(
        columns_of(case.dataset, records),
        _method_of(case, data, weight),
        weight,
        Control(**output["control"]),
        output.get("cost"),
        np.array(case.file["xval_groups"]),
    )


def _method_of(case: Case, data: Any, weight: np.ndarray) -> Any:
    output = case.output
    parms = dict(output.get("parms") or {})
    if output["method"] == "class":
        return Classes(data.y.cat.codes.to_numpy().astype(int), weight, len(data.y.cat.categories), **parms)
    y = data.y.to_numpy(dtype=float)
    if output["method"] == "anova":
        return Anova(y, weight)
    error = parms.get("method", "deviance")
    shrink = parms.get("shrink", 1.0 if error == "deviance" else 0.0)
    if data.status is None:
        return Poisson(np.ones(len(y)), y, weight, shrink, error)
    time = case.file["cases"]["default"]["exp_scaled_time"] if output["method"] == "exp" else y
    return Poisson(np.array(time), data.status.to_numpy(dtype=float), weight, shrink, error)


def columns_of(dataset: str, records: list[Record]) -> list[PlainColumn]:
    """Rows of a stored table as plain columns; rpart codes ordered levels from 1."""
    columns = []
    for each in read_schema(dataset)["columns"]:
        if each["role"] != "feature":
            continue
        cells = [record[each["name"]] for record in records]
        shift = 1 if each["type"] == "ordinal" else 0
        codes = {level: code + shift for code, level in enumerate(each.get("levels", ()))}
        numbers = [np.nan if cell is None else codes[cell] if codes else float(cell) for cell in cells]
        counts = (0, len(codes)) if each["type"] == "ordinal" else (len(codes), 0)
        columns.append(PlainColumn(each["name"], np.array(numbers, dtype=float), *counts))
    return columns


def _node_record(node: Any, fit: plain_rpart.Fit) -> Record:
    method, root = fit.problem.method, fit.root
    record = {
        "id": node.id,
        "n": len(node.rows),
        "wt": node.weight,
        "dev": node.risk,
        "yval": float(node.answer[0]),
        "complexity": node.complexity / root.risk,
        "primary": _split_record(node.primary, fit) if node.primary else None,
        "competitors": [_split_record(split, fit) for split in node.competitors],
        "surrogates": [_split_record(split, fit) for split in node.surrogates],
    }
    if isinstance(method, Classes):
        counts = node.answer[1:-1]
        record["class_counts"] = counts.tolist()
        record["class_probs"] = (counts * method.unit / node.answer[-1]).tolist()
        record["nodeprob"] = node.answer[-1] / root.answer[-1]
    if isinstance(method, Poisson):
        record["yval2"] = node.answer.tolist()
    return record


def _split_record(split: plain_rpart.PlainSplit, fit: plain_rpart.Fit) -> Record:
    record: Record = {"var": fit.problem.columns[split.column].name, "count": split.count}
    if split.adj is None:
        record["improve"] = split.improve
    else:
        record |= {"agree": split.improve, "adj": split.adj}
    n_ordered = fit.problem.columns[split.column].n_ordered
    if n_ordered:
        return record | {"sides": split.side(np.arange(n_ordered) + 0.75).tolist()}
    if split.cut is not None:
        return record | {"threshold": split.cut, "left": "<" if split.below == plain_rpart.LEFT else ">="}
    return record | {"sides": list(split.sides)}
