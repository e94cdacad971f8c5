"""How a fit is compared with a stored case of rpart: an aspect a function, each saying what differs.

Each returns lines such as "node 5, surrogate 2 (age): adj is 0.25, rpart has 0.5"; none if all agrees.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from tests.oracle.reference import Case
from tests.oracle.rpart_frame import Frame, Record

RELATIVE = 1e-9
# A risk of nothing but rounding is none.
OF_THE_ROOT = 1e-12

# rpart's own files leave out the competitors of trees with more nodes.
MOST_NODES_WITH_COMPETITORS = 150


def nodes_differ(frame: Frame, case: Case) -> Iterator[str]:
    """The numbers of the nodes, and which of them are split."""
    theirs = _theirs(case)
    for number in sorted(frame.nodes.keys() ^ theirs.keys()):
        yield f"node {number} is {'not there in' if number in frame.nodes else 'there only in'} rpart's tree"
    for number, ours, stored in _pairs(frame, case):
        if (ours["primary"] is None) != (not stored.get("primary")):
            yield f"node {number} is {'split' if stored.get('primary') else 'a leaf'} in rpart's tree"


def sizes_differ(frame: Frame, case: Case) -> Iterator[str]:
    """Rows and weight of each node."""
    for number, ours, stored in _pairs(frame, case):
        yield from _fields(f"node {number}", ours, stored, ("n", "wt"))


def answers_differ(frame: Frame, case: Case) -> Iterator[str]:
    """Risk and answer of each node."""
    names = ("dev", "yval", "class_counts", "class_probs", "nodeprob", "yval2")
    for number, ours, stored in _pairs(frame, case):
        yield from _fields(f"node {number}", ours, stored, names, _theirs(case)[1]["dev"])


def primaries_differ(frame: Frame, case: Case) -> Iterator[str]:
    """The split of each inner node."""
    for number, ours, stored in _pairs(frame, case):
        if ours["primary"] and stored.get("primary"):
            yield from _split_differs(f"node {number}, split", ours["primary"], stored["primary"])


def competitors_differ(frame: Frame, case: Case) -> Iterator[str]:
    """The splits that came next, in their order."""
    if len(_theirs(case)) <= MOST_NODES_WITH_COMPETITORS:
        yield from _lists_differ(frame, case, "competitors")


def surrogates_differ(frame: Frame, case: Case) -> Iterator[str]:
    """The splits that stand in where the first is not known, in their order."""
    yield from _lists_differ(frame, case, "surrogates")


def complexities_differ(frame: Frame, case: Case) -> Iterator[str]:
    """The complexity of each inner node."""
    for number, ours, stored in _pairs(frame, case):
        if stored.get("primary"):
            yield from _fields(f"node {number}", ours, stored, ("complexity",), 1.0)


def leaf_complexities_differ(frame: Frame, case: Case) -> Iterator[str]:
    """The complexity that rpart shows at a leaf: what its subtree had before it was found too little."""
    for number, ours, stored in _pairs(frame, case):
        if not stored.get("primary"):
            yield from _fields(f"leaf {number}", ours, stored, ("complexity",), 1.0)


def tables_differ(frame: Frame, case: Case) -> Iterator[str]:
    """CP, splits and relative error of the cp table."""
    yield from _table_differs(frame, case, {"CP": 0, "nsplit": 1, "rel error": 2})


def cross_validations_differ(frame: Frame, case: Case) -> Iterator[str]:
    """Cross-validated errors of the cp table."""
    yield from _table_differs(frame, case, {"xerror": 3, "xstd": 4})


def prunings_differ(frame: Frame, case: Case) -> Iterator[str]:
    """The nodes that are left at each stored cp."""
    stored = case.output["prune"]
    for prune in stored.values() if stored else ():
        kept, waiting = set(), [1]
        while waiting:
            number = waiting.pop()
            kept.add(number)
            node = frame.nodes[number]
            if node["primary"] and node["complexity"] > prune["cp"]:
                waiting += [2 * number, 2 * number + 1]
        if kept != set(prune["nodes"]):
            yield f"at cp {prune['cp']} nodes {sorted(kept)} are left, in rpart {sorted(prune['nodes'])}"


def importances_differ(frame: Frame, case: Case) -> Iterator[str]:
    """The importance of each column."""
    stored = case.output["variable_importance"] or {}
    for name in sorted(frame.importance.keys() | stored.keys()):
        yield from _fields("importance", frame.importance, stored | {name: stored.get(name)}, (name,))


def ends_differ(frame: Frame, case: Case) -> Iterator[str]:
    """Where each row ended in growth."""
    yield from _lists_of_ends("row", frame.where, case.output["where"])


def probes_differ(frame: Frame, case: Case) -> Iterator[str]:
    """Where rows with missing values end after the fit, and what they are answered."""
    stored = case.output["na_pred"]
    yield from _lists_of_ends("probe", frame.na_node, stored["node"])
    yield from _fields("probes", {"yval": frame.na_yval}, stored, ("yval",))


ASPECTS = (
    nodes_differ,
    sizes_differ,
    answers_differ,
    primaries_differ,
    competitors_differ,
    surrogates_differ,
    complexities_differ,
    leaf_complexities_differ,
    tables_differ,
    cross_validations_differ,
    prunings_differ,
    importances_differ,
    ends_differ,
    probes_differ,
)


def _theirs(case: Case) -> dict[int, Record]:
    return {node["id"]: node for node in case.output["nodes"]}


def _pairs(frame: Frame, case: Case) -> Iterator[tuple[int, Record, Record]]:
    for number, stored in _theirs(case).items():
        if number in frame.nodes:
            yield number, frame.nodes[number], stored


def _lists_differ(frame: Frame, case: Case, name: str) -> Iterator[str]:
    for number, ours, stored in _pairs(frame, case):
        names = [[split["var"] for split in splits] for splits in (ours[name], stored.get(name) or [])]
        if names[0] != names[1]:
            yield f"node {number}: {name} are {names[0]}, rpart has {names[1]}"
            continue
        for place, pair in enumerate(zip(ours[name], stored.get(name) or [], strict=True), 1):
            yield from _split_differs(f"node {number}, {name} {place} ({pair[0]['var']})", *pair)


def _split_differs(place: str, ours: Record, stored: Record) -> Iterator[str]:
    if ours["var"] != stored["var"]:
        yield f"{place}: column is {ours['var']!r}, rpart has {stored['var']!r}"
        return
    yield from _fields(place, ours, stored, ("count", "improve", "agree", "adj", "threshold", "left"))
    for name in ("levels_left", "levels_right"):
        if name in stored and set(ours.get(name) or ()) != set(stored[name] or ()):
            yield f"{place}: {name} is {ours.get(name)}, rpart has {stored[name]}"


def _table_differs(frame: Frame, case: Case, names: dict[str, int]) -> Iterator[str]:
    stored = case.output["cptable"]
    if len(frame.cptable) != len(stored):
        yield f"the table has {len(frame.cptable)} rows, rpart's {len(stored)}"
        return
    for place, (ours, theirs) in enumerate(zip(frame.cptable, stored, strict=True)):
        rows = [{name: row[column] for name, column in names.items()} for row in (ours, theirs)]
        yield from _fields(f"table row {place}", *rows, tuple(names), 1.0)


def _lists_of_ends(noun: str, ours: list[int], stored: list[int]) -> Iterator[str]:
    if len(ours) != len(stored):
        yield f"{len(ours)} {noun}s, rpart has {len(stored)}"
        return
    for place, (end, theirs) in enumerate(zip(ours, stored, strict=True)):
        if end != theirs:
            yield f"{noun} {place} ends at node {end}, in rpart at {theirs}"


def _fields(
    place: str, ours: Record, stored: Record, names: tuple[str, ...], scale: float = 0.0
) -> Iterator[str]:
    """Compare the fields that are stored; differences of rounding beside `scale` are none."""
    for name in names:
        if name in stored and not _same(ours.get(name), stored[name], OF_THE_ROOT * abs(scale)):
            yield f"{place}: {name} is {ours.get(name)}, rpart has {stored[name]}"


def _same(ours: Any, theirs: Any, slack: float) -> bool:
    if isinstance(theirs, list):
        pairs = zip(ours, theirs, strict=False)
        return len(ours) == len(theirs) and all(_same(*pair, slack) for pair in pairs)
    if theirs in ("<", ">="):
        return bool(ours == theirs)
    if ours is None or theirs is None or isinstance(theirs, str):
        # The files write NaN as null and infinities as words.
        return ours is not None and str(float(ours)) == str(float(theirs or "nan"))
    return math.isclose(ours, theirs, rel_tol=RELATIVE, abs_tol=slack)
