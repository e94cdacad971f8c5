"""A stored case of rates (methods poisson and exp of rpart) fitted by bough's own learners, as a Frame.

Which child is the left one is rpart's own affair: bough numbers children by the values they hold. So nodes
are numbered as the stored tree has them where it makes the same split.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import pandas as pd
from tests.oracle.reference import Case, read_data
from tests.oracle.rpart_frame import Frame, Record

import bough
from bough.pruning import complexities


def fitted(case: Case):
    """The learner fitted to a stored case."""
    data, output = read_data(case.dataset), case.output
    parms = dict(output.get("parms") or {})
    if "method" in parms:
        parms["error"] = parms.pop("method")
    options = output["control"] | parms
    options["xval"] = np.array(case.file["xval_groups"])
    if output["method"] == "exp":
        return bough.CARTSurvival.like_rpart(**options).fit(data.X, (data.y, data.status))
    learner = bough.CARTRegressor.like_rpart(method="poisson", **options)
    if data.status is None:
        return learner.fit(data.X, data.y)
    return learner.fit(data.X, data.status, exposure=data.y)


@cache
def native_frame(case: Case) -> Frame:
    """Fit a stored case and tell it in rpart's layout; without importances and complexities of leaves."""
    model = fitted(case)
    tree, X = model.tree_, read_data(case.dataset).X
    stored = {node["id"]: node for node in case.output["nodes"]}
    number, swapped = _numbers(tree, stored)
    ends = tree.apply(X)
    is_in = tree.decision_path(X).toarray().astype(bool)
    complexity = complexities(tree, "rpart") / tree.risk[0]
    data = read_data(case.dataset)
    events = (data.y if data.status is None else data.status).to_numpy(dtype=float)
    nodes = {}
    for node in range(tree.n_nodes):
        known = X[is_in[:, node]].notna().sum()
        nodes[number[node]] = {
            "id": number[node],
            "n": float(tree.rows[node]),
            "wt": float(tree.weight[node]),
            "dev": float(tree.risk[node]),
            "yval": float(tree.answers()[node]),
            "yval2": [float(tree.answers()[node]), float(events[is_in[:, node]].sum())],
            "complexity": float(complexity[node]),
            **_splits(tree, node, swapped[node], known, stored.get(number[node], {})),
        }
    table = model.cp_table_.to_pandas()[["CP", "nsplit", "rel error", "xerror", "xstd"]][::-1]
    probes = pd.DataFrame(case.file["na_rows"])[list(X.columns)].astype(X.dtypes.to_dict())
    found = tree.apply(probes)
    return Frame(
        nodes,
        table.to_numpy().tolist(),
        {},
        [number[end] for end in ends],
        [number[end] for end in found],
        tree.answers()[found].tolist(),
    )


def _numbers(tree, stored) -> tuple[list[int], list[bool]]:
    """rpart's number of each node, and whether rpart's left child is bough's second."""
    number, swapped = [1] * tree.n_nodes, [False] * tree.n_nodes
    for node in range(tree.n_nodes):
        split = tree.split(node)
        if split is None:
            continue
        primary = (stored.get(number[node]) or {}).get("primary") or {}
        swapped[node] = _is_swapped(split, tree.schema, primary)
        for branch, child in enumerate(tree.children(node)):
            number[child] = 2 * number[node] + (branch != swapped[node])
    return number, swapped


def _is_swapped(split, schema, primary: Record) -> bool:
    if isinstance(split, bough.Threshold):
        levels = schema[split.column].levels
        if levels:
            return levels[0] in (primary.get("levels_right") or ())
        return primary.get("left") == ">="
    levels = schema[split.column].levels
    pairs = zip(split.codes, split.branches, strict=True)
    first = {levels[code] for code, side in pairs if side == 0}
    return bool(first & set(primary.get("levels_right") or ()))


def _splits(tree, node, swapped, known, stored) -> Record:
    split = tree.split(node)
    if split is None:
        return {"primary": None, "competitors": [], "surrogates": []}
    # rpart's improvement is the whole fall in deviance, and bough's gain half of its mean.
    scale = 2 * tree.weight[node]
    primary = _words(split, False, swapped, tree.schema) | {"improve": float(tree.gain[node]) * scale}
    primary["count"] = int(known[primary["var"]])
    theirs = {each["var"]: each for each in stored.get("competitors") or []}
    competitors = []
    for spare in tree.competitors_of(node):
        name = tree.schema[spare.split.column].name
        turned = _is_swapped(spare.split, tree.schema, theirs.get(name, {}))
        words = _words(spare.split, False, turned, tree.schema)
        competitors.append(words | {"improve": spare.value * scale, "count": int(spare.rows)})
    surrogates = [
        _words(spare.split, spare.turned, swapped, tree.schema)
        | {"agree": spare.value, "adj": spare.adjusted, "count": int(spare.rows)}
        for spare in tree.surrogates_of(node)
    ]
    return {"primary": primary, "competitors": competitors, "surrogates": surrogates}


def _words(split, turned: bool, swapped: bool, schema) -> Record:
    column = schema[split.column]
    record: Record = {"var": column.name}
    flipped = turned != swapped
    if isinstance(split, bough.Threshold):
        if not column.levels:
            return record | {"threshold": split.cut, "left": ">=" if flipped else "<"}
        sides = [int(code > split.cut) for code in range(len(column.levels))]
        pairs = list(zip(column.levels, sides, strict=True))
    else:
        pairs = [(column.levels[code], side) for code, side in zip(split.codes, split.branches, strict=True)]
    for name, side in (("levels_left", int(flipped)), ("levels_right", 1 - int(flipped))):
        record[name] = [level for level, goes in pairs if goes == side]
    return record
