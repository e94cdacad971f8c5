"""Fits in the layout of rpart's stored cases, whatever grew the tree; how a stored case is fitted anew."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from tests.oracle.plain_rpart import LEFT, RIGHT, Control, Fit, PlainColumn, PlainSplit, Problem, fit
from tests.oracle.plain_rpart_cv import share
from tests.oracle.plain_rpart_growth import PlainNode
from tests.oracle.plain_rpart_methods import Anova, Classes, Poisson
from tests.oracle.reference import Case, read_data, read_schema

from bough.data.survival import rescaled_times

Record = dict[str, Any]


@dataclass(frozen=True, eq=False)
class Frame:
    """A fit in the words of the stored cases: nodes by rpart's number, each with its splits.

    A node has `id`, `n`, `wt`, `dev`, `yval`, `complexity`, `primary` (None at a leaf), `competitors` and
    `surrogates`; for classes `class_counts`, `class_probs` and `nodeprob`, for rates `yval2`. A split has
    `var`, `count`, `improve` or else `agree` and `adj`, and `threshold` and `left`, or else `levels_left` and
    `levels_right`. The rows of `cptable` are CP, nsplit, rel error, xerror and xstd. `tied` says whether in
    growth, that of the folds included, two splits of a node ever were equally good but for rounding.
    """

    nodes: dict[int, Record]
    cptable: list[list[float]]
    importance: dict[str, float]
    where: list[int]
    na_node: list[int]
    na_yval: list[float]
    tied: bool = False


@cache
def frame_of(case: Case, *, mistaken: bool = True) -> Frame:
    """Fit a stored case anew by the plain reference, with rpart's mistakes in cross-validation or without."""
    return plain_frame(problem_of(case), columns_of(case.dataset, case.file["na_rows"]), mistaken=mistaken)


def plain_frame(problem: Problem, probes: list[PlainColumn], *, mistaken: bool = True) -> Frame:
    """Fit by the plain reference; `probes` are the rows to be answered after it."""
    fitted = fit(problem, mistaken=mistaken)
    nodes = {number: _node_record(node, fitted) for number, node in fitted.nodes.items()}
    ends, where = fitted.ends(probes).tolist(), fitted.where()
    return Frame(
        nodes=nodes,
        cptable=fitted.cptable,
        importance=fitted.importance(),
        where=where.tolist(),
        na_node=ends,
        na_yval=[nodes[end]["yval"] for end in ends],
        tied=fitted.tied,
    )


def problem_of(case: Case) -> Problem:
    """What rpart was asked in a stored case, without the rows of which no column is known."""
    data, output = read_data(case.dataset), case.output
    keep = data.X.notna().any(axis=1).to_numpy()
    X = data.X[keep]
    weight = np.array(output.get("weights") or np.ones(len(keep)), dtype=float)[keep]
    groups = np.array(case.file["xval_groups"])
    records = X.astype(object).where(X.notna(), None).to_dict("records")
    return Problem(
        columns_of(case.dataset, records),
        _method_of(case, weight, keep),
        weight,
        Control(**output["control"]),
        output.get("cost"),
        groups[keep] if len(groups) == len(keep) else groups,
    )


def _method_of(case: Case, weight: np.ndarray, keep: np.ndarray) -> Anova | Classes | Poisson:
    data, method = read_data(case.dataset), case.output["method"]
    parms = dict(case.output.get("parms") or {})
    target = data.y[keep]
    if method == "class":
        return Classes(target.cat.codes.to_numpy().astype(int), weight, len(target.cat.categories), **parms)
    y = target.to_numpy(dtype=float)
    if method == "anova":
        return Anova(y, weight)
    error = parms.get("method", "deviance")
    shrink = parms.get("shrink", 1.0 if error == "deviance" else 0.0)
    if data.status is None:
        return Poisson(np.ones(len(y)), y, weight, shrink, error)
    events = data.status[keep].to_numpy(dtype=float)
    return Poisson(rescaled_times(y, events) if method == "exp" else y, events, weight, shrink, error)


def columns_of(dataset: str, records: list[Record]) -> list[PlainColumn]:
    """Rows of a stored table as plain columns."""
    columns = []
    for each in read_schema(dataset)["columns"]:
        if each["role"] != "feature":
            continue
        ordered, levels = each["type"] == "ordinal", tuple(each.get("levels", ()))
        codes = {level: code + ordered for code, level in enumerate(levels)}
        cells = [record[each["name"]] for record in records]
        numbers = [np.nan if cell is None else codes[cell] if codes else float(cell) for cell in cells]
        columns.append(PlainColumn(each["name"], np.array(numbers, dtype=float), levels, ordered))
    return columns


def _node_record(node: PlainNode, fitted: Fit) -> Record:
    method, root = fitted.problem.method, fitted.root
    record = {
        "id": node.id,
        "n": len(node.rows),
        "wt": node.weight,
        "dev": node.risk,
        "yval": float(node.answer[0]),
        "complexity": share(node.complexity, root),
        "primary": _split_record(node.primary, fitted) if node.primary else None,
        "competitors": [_split_record(split, fitted) for split in node.competitors],
        "surrogates": [_split_record(split, fitted) for split in node.surrogates],
    }
    if isinstance(method, Classes):
        counts = node.answer[1:-1]
        record["class_counts"] = counts.tolist()
        record["class_probs"] = (counts * method.unit / node.answer[-1]).tolist()
        record["nodeprob"] = float(node.answer[-1] / root.answer[-1])
    if isinstance(method, Poisson):
        record["yval2"] = node.answer.tolist()
    return record


def _split_record(split: PlainSplit, fitted: Fit) -> Record:
    column = fitted.problem.columns[split.column]
    record: Record = {"var": column.name, "count": split.count}
    if split.adj is None:
        record["improve"] = split.improve
    else:
        record |= {"agree": split.improve, "adj": split.adj}
    if not column.levels:
        return record | {"threshold": split.cut, "left": "<" if split.below == LEFT else ">="}
    codes = np.arange(len(column.levels)) + 0.75 * column.ordered
    sides = split.side(codes)
    for name, side in (("levels_left", LEFT), ("levels_right", RIGHT)):
        levels = zip(column.levels, sides, strict=True)
        record[name] = [level for level, goes in levels if goes == side]
    return record
