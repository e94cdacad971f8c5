"""Where a fit and a stored case of rpart part because two splits tie exactly."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import pairwise
from types import SimpleNamespace
from typing import Any

from tests.oracle.reference import Case
from tests.oracle.rpart_agreement import (
    answers_differ,
    competitors_differ,
    complexities_differ,
    ends_differ,
    importances_differ,
    nodes_differ,
    primaries_differ,
    probes_differ,
    prunings_differ,
    sizes_differ,
    surrogates_differ,
    tables_differ,
)
from tests.oracle.rpart_frame import Frame, Record

OF_NODES = (
    nodes_differ,
    sizes_differ,
    answers_differ,
    primaries_differ,
    competitors_differ,
    surrogates_differ,
)
OF_TREES = (
    complexities_differ,
    tables_differ,
    prunings_differ,
    importances_differ,
    ends_differ,
    probes_differ,
)

CLOSE = 1e-9


def ties(frame: Frame, case: Case) -> list[int]:
    """The nodes, nearest to the root, where the fit made another split that improves just as much."""
    stored = {node["id"]: node for node in case.output["nodes"]}
    found, waiting = [], [1]
    while waiting:
        number = waiting.pop()
        ours, theirs = frame.nodes.get(number), stored.get(number)
        if not (ours and theirs and ours["primary"] and theirs.get("primary")):
            continue
        if _another(ours["primary"], theirs["primary"]):
            found.append(number)
        else:
            waiting += [2 * number, 2 * number + 1]
    return found


def _another(ours: Record, theirs: Record) -> bool:
    if not math.isclose(ours["improve"], theirs["improve"], rel_tol=CLOSE):
        return False
    if ours["var"] != theirs["var"]:
        return True
    if "threshold" in theirs:
        return not math.isclose(ours["threshold"], theirs["threshold"], rel_tol=CLOSE)
    return {frozenset(ours[name]) for name in _SIDES} != {frozenset(theirs[name] or ()) for name in _SIDES}


_SIDES = ("levels_left", "levels_right")


def up_to_ties(frame: Frame, case: Case) -> tuple[Frame, Any]:
    """Return the fit and the case without the nodes below ties, and with the ties themselves as leaves.

    Competitors are put in one order where they improve the same. What a Tree does not hold is left out: the
    number of rows a split was judged by, which way round a competitor goes, and the events of a rate.
    """
    tied = set(ties(frame, case))
    ours = {
        number: _told(node, number in tied)
        for number, node in frame.nodes.items()
        if not _below(number, tied)
    }
    stored = [
        _told(node, node["id"] in tied) for node in case.output["nodes"] if not _below(node["id"], tied)
    ]
    output = case.output | {"nodes": stored}
    return replace(frame, nodes=ours), SimpleNamespace(output=output, file=case.file)


def one_way_round(nodes: dict[int, Record]) -> dict[int, Record]:
    """Return the nodes numbered so that each split sends low values, or its first level, to the left.

    Which side rpart calls left hangs on means that may tie.
    """
    turned: dict[int, Record] = {}
    waiting = [(1, 1)]
    while waiting:
        old, new = waiting.pop()
        node = dict(nodes[old])
        turned[new] = node | {"id": new}
        if not node["primary"]:
            continue
        swap = _is_turned(node["primary"])
        if swap:
            node["primary"] = _turned(node["primary"])
            node["surrogates"] = [_turned(split) for split in node["surrogates"]]
            turned[new] = node | {"id": new}
        waiting += [(2 * old + swap, 2 * new), (2 * old + 1 - swap, 2 * new + 1)]
    return turned


def _is_turned(split: Record) -> bool:
    if "threshold" in split:
        return split["left"] == ">="
    return min(split["levels_left"]) > min(split["levels_right"])


def _turned(split: Record) -> Record:
    if "threshold" in split:
        return split | {"left": "<" if split["left"] == ">=" else ">="}
    return split | {"levels_left": split["levels_right"], "levels_right": split["levels_left"]}


def distinct_cps(table: list[list[float]]) -> list[list[float]]:
    """Return a cp table with one row, the first, of those whose CPs differ by rounding alone.

    rpart tells two alphas apart that are equal but for rounding; the greater then leaves the smaller tree.
    """
    kept: list[list[float]] = []
    for row in table:
        if not kept or not math.isclose(row[0], kept[-1][0], rel_tol=CLOSE, abs_tol=1e-12):
            kept.append(row)
    return kept


def with_cptable(case: Case, table: list[list[float]]) -> Any:
    """Return the case with another cp table, and without the prunings at CPs that two of its rows share."""
    stored = case.output["cptable"]
    twice = [row[0] for row, below in pairwise(stored) if math.isclose(row[0], below[0], rel_tol=CLOSE)]
    prune = {
        name: each
        for name, each in (case.output["prune"] or {}).items()
        if not any(math.isclose(each["cp"], cp, rel_tol=CLOSE) for cp in twice)
    }
    return SimpleNamespace(output=case.output | {"cptable": table, "prune": prune}, file=case.file)


def with_distinct_cps(case: Case) -> Any:
    """Return the case with a cp table of distinct CPs."""
    return with_cptable(case, distinct_cps(case.output["cptable"]))


def _below(number: int, tied: set[int]) -> bool:
    while number > 1:
        number //= 2
        if number in tied:
            return True
    return False


def _told(node: Record, is_tied: bool) -> Record:
    told = {name: value for name, value in node.items() if name != "yval2"}
    if is_tied:
        return told | {"primary": None, "competitors": [], "surrogates": []}
    if node.get("primary"):
        told["primary"] = _without(node["primary"], "count")
    told["competitors"] = _in_one_order([_either_way(split) for split in node.get("competitors") or []])
    return told


def _in_one_order(splits: list[Record]) -> list[Record]:
    """Those that improve the same by name; the last ones may go on beyond the list, so they are left out."""
    if not splits:
        return []
    last = splits[-1]["improve"]
    kept = [split for split in splits if not math.isclose(split["improve"], last, rel_tol=CLOSE)]
    return sorted(kept, key=lambda split: (float(f"{-split['improve']:.8g}"), split["var"]))


def _either_way(split: Record) -> Record:
    free = _without(split, "left")
    if "levels_left" in split:
        sides = sorted(sorted(split[name] or []) for name in _SIDES)
        free |= dict(zip(_SIDES, sides, strict=True))
    return free


def _without(record: Record, name: str) -> Record:
    return {key: value for key, value in record.items() if key != name}
