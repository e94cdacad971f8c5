"""The leaf of a row as an SQL expression over the codes of its columns, which are called c0, c1 and so on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from bough.growing.coded import CodedRoute, CodedSplit

# More ranges of codes are written as a list.
_MOST_RANGES = 3


def codes_condition(split: CodedSplit, branch: int) -> str | None:
    """Return the condition that a row takes a branch, or None if no code does.

    >>> split = CodedSplit(2, np.array([0, 0, 1, 1, 0], np.int32), 2)
    >>> codes_condition(split, 0), codes_condition(split, 1)
    ('(c2 <= 1 OR c2 = 4)', 'c2 BETWEEN 2 AND 3')
    """
    codes = np.flatnonzero(split.branches == branch)
    if len(codes) == 0:
        return None
    name, last = f"c{split.column}", len(split.branches) - 1
    runs = np.split(codes, np.flatnonzero(np.diff(codes) > 1) + 1)
    if len(runs) > _MOST_RANGES:
        return f"{name} IN ({', '.join(map(str, codes.tolist()))})"
    tests = [_range(name, int(run[0]), int(run[-1]), last) for run in runs]
    return tests[0] if len(tests) == 1 else f"({' OR '.join(tests)})"


def _range(name: str, first: int, last: int, greatest: int) -> str:
    if first == last:
        return f"{name} = {first}"
    if first == 0:
        return f"{name} <= {last}"
    return f"{name} >= {first}" if last == greatest else f"{name} BETWEEN {first} AND {last}"


def branch_of(splits: Sequence[CodedSplit], otherwise: int) -> str:
    """Return the branch of a row by the first split that can route it, or else `otherwise`.

    >>> first = CodedSplit(0, np.array([0, 1, -1], np.int32), 2)
    >>> branch_of([first, CodedSplit(1, np.array([1, 0, -1], np.int32), 2)], -1)
    'CASE WHEN c0 = 0 THEN 0 WHEN c0 = 1 THEN 1 WHEN c1 = 1 THEN 0 WHEN c1 = 0 THEN 1 ELSE -1 END'
    """
    tests = [
        f"WHEN {test} THEN {branch}"
        for split in splits
        for branch in range(split.n_branches)
        if (test := codes_condition(split, branch)) is not None
    ]
    return f"CASE {' '.join(tests)} ELSE {otherwise} END" if tests else str(otherwise)


def decided_by(splits: Sequence[CodedSplit]) -> str:
    """Return the number of the first split that can route a row, or −1.

    >>> decided_by([CodedSplit(0, np.array([0, 1, -1], np.int32), 2)])
    'CASE WHEN c0 <= 1 THEN 0 ELSE -1 END'
    """
    known = [CodedSplit(each.column, np.where(each.branches < 0, -1, 0), 1) for each in splits]
    pairs = [(number, codes_condition(split, 0)) for number, split in enumerate(known)]
    tests = [f"WHEN {test} THEN {number}" for number, test in pairs if test is not None]
    return f"CASE {' '.join(tests)} ELSE -1 END" if tests else "-1"


def by_leaf(expressions: Mapping[int, str]) -> str:
    """Return the expression that belongs to the leaf of a row, found by bisection.

    >>> by_leaf({3: "a", 5: "b", 9: "c"})
    'CASE WHEN leaf < 5 THEN a ELSE CASE WHEN leaf < 9 THEN b ELSE c END END'
    """
    leaves = sorted(expressions)
    if len(leaves) == 1:
        return expressions[leaves[0]]
    middle = len(leaves) // 2
    below, above = ({leaf: expressions[leaf] for leaf in part} for part in (leaves[:middle], leaves[middle:]))
    return f"CASE WHEN leaf < {leaves[middle]} THEN {by_leaf(below)} ELSE {by_leaf(above)} END"


def leaf_of_row(start: int, routes: Mapping[int, CodedRoute], wanted: set[int]) -> str:
    """Return the leaf that a row of the leaf `start` has come to, −1 if that leaf is not wanted.

    >>> route = CodedRoute((CodedSplit(0, np.array([0, 0, 1, -1], np.int32), 2),), 1, 1)
    >>> leaf_of_row(0, {0: route}, {1, 2}), leaf_of_row(0, {0: route}, {1})
    ('CASE WHEN c0 <= 1 THEN 1 ELSE 2 END', 'CASE WHEN c0 <= 1 THEN 1 ELSE -1 END')
    """
    route = routes.get(start)
    if route is None:
        return str(start if start in wanted else -1)
    children = [leaf_of_row(route.first_child + branch, routes, wanted) for branch in range(route.n_branches)]
    stay = str(start if start in wanted else -1)
    if {*children, stay} == {"-1"}:
        return "-1"
    default = route.default_branch
    if len(route.splits) > 1:
        # The text of a child stands once, however many splits lead to it.
        cases = " ".join(f"WHEN {branch} THEN {child}" for branch, child in enumerate(children))
        return f"CASE {branch_of(route.splits, default)} {cases} ELSE {stay} END"
    tests = [
        f"WHEN {test} THEN {child}"
        for branch, child in enumerate(children)
        if branch != default and (test := codes_condition(route.splits[0], branch)) is not None
    ]
    otherwise = stay if default < 0 else children[default]
    return f"CASE {' '.join(tests)} ELSE {otherwise} END" if tests else otherwise
