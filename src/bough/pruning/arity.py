"""Rewriting a tree with splits in two only, or with as few splits as one column in a row needs.

Both rewritings keep the regions of the leaves and therefore every prediction.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

import bough._core as _core
from bough.errors import ParameterError
from bough.growing.criterion import CRITERIA
from bough.pruning.collapse import with_step
from bough.tree.alternatives import AlternativeSplits
from bough.tree.answer import expected_losses
from bough.tree.arrays import INTERVAL_ARRAYS, TEST_ARRAYS, split_arrays
from bough.tree.split import (
    AtMost,
    Intervals,
    IsMissing,
    Levels,
    Neighbours,
    Split,
    Threshold,
    ThresholdWithMissing,
)
from bough.types import Floats

if TYPE_CHECKING:
    from bough.tree import Tree


@dataclass(eq=False)
class _Planned:
    """A node of the rewritten tree: one of the tree's own, or a new one that joins several of them.

    `nodes` are the nodes whose rows it holds. `split` is None at a leaf.
    """

    nodes: tuple[int, ...]
    split: Split | None
    default: int
    children: list[_Planned]

    @property
    def is_new(self) -> bool:
        return len(self.nodes) > 1


@dataclass(frozen=True, eq=False)
class _Branches:
    """The branches of a split on one column: what leads to each child, and the child of missing values.

    Of a numeric or ordinal column, `children` are those of the ranges between the `cuts`; of a nominal one,
    `codes` holds the levels of each child. `default` is None where such rows stop at the node.
    """

    column: int
    children: tuple[int, ...]
    cuts: tuple[float, ...] | None
    codes: tuple[tuple[int, ...], ...] | None
    default: int | None
    neighbours: Mapping[float, Neighbours] = field(default_factory=dict)

    @property
    def all_children(self) -> tuple[int, ...]:
        """The children, with that of missing values last if it has no others."""
        alone = self.default is not None and self.default not in self.children
        return (*self.children, *((self.default,) if alone and self.default is not None else ()))


def binarized(tree: Tree) -> Tree:
    """Return the tree with splits in two only: the same leaves, regions and predictions.

    A split in more branches becomes several splits of the same column, of which each divides the branches in
    half.

    >>> from bough.example_models import tennis_tree
    >>> tree = binarized(tennis_tree())
    >>> tree.n_leaves == tennis_tree().n_leaves, int(tree.n_children.max())
    (True, 2)
    """
    _check(tree, "binarized")

    def planned(node: int) -> _Planned:
        branches = _branches(tree, node)
        if branches is None or tree.n_children[node] == 2:
            return _kept(tree, node, planned)
        kids = {child: planned(child) for child in branches.all_children}
        top = _halved(tree, branches, kids, is_top=True)
        return dataclasses.replace(top, nodes=(node,))

    return _rebuilt(tree, planned(0), "binarized")


def collapsed(tree: Tree) -> Tree:
    """Return the tree with successive splits of one column joined: the same leaves, regions and predictions.

    Splits stay apart where a row could stop between them, where a surrogate routes rows, and where an empty
    leaf predicts as the node between them.

    >>> from bough.example_models import tennis_tree
    >>> collapsed(binarized(tennis_tree())).n_nodes == tennis_tree().n_nodes
    True
    """
    _check(tree, "collapsed")

    def planned(node: int) -> _Planned:
        own = _branches(tree, node)
        joined = own
        while joined is not None:
            wider = next(_absorbed(tree, joined), None)
            if wider is None:
                break
            joined = wider
        if joined is None or joined is own:
            return _kept(tree, node, planned)
        split, order = _split_of(joined)
        default = -1 if joined.default is None else order.index(joined.default)
        return _Planned((node,), split, default, [planned(child) for child in order])

    return _rebuilt(tree, planned(0), "collapsed")


def _check(tree: Tree, method: str) -> None:
    if tree.share is not None or tree.leaf_models is not None or tree.arithmetic != "bough":
        raise ParameterError(f"{method}() does not support trees with fractional rows or models in leaves.")
    if tree.criterion == "absolute_error" and method == "binarized" and (tree.n_children > 2).any():
        raise ParameterError("binarized() does not support medians, which cannot be computed from branches.")


def _kept(tree: Tree, node: int, planned: Any) -> _Planned:
    children = [planned(child) for child in tree.children(node)]
    return _Planned((node,), tree.split(node), int(tree.default_branch[node]), children)


def _branches(tree: Tree, node: int) -> _Branches | None:
    """Return the branches of a node, or None for a leaf and for a cut that is no least value of a branch."""
    split, children, branch = tree.split(node), tree.children(node), int(tree.default_branch[node])
    if split is None or (isinstance(split, AtMost) and split.cut == math.inf):
        return None
    default = children[branch] if branch >= 0 else None
    if isinstance(split, Levels):
        pairs = [*zip(split.codes, split.branches, strict=True)]
        listed = [tuple(code for code, way in pairs if way == number) for number in range(len(children))]
        known = [number for number in range(len(children)) if listed[number]]
        codes = tuple(listed[number] for number in known)
        return _Branches(split.column, tuple(children[number] for number in known), None, codes, default)
    if isinstance(split, IsMissing):
        return _Branches(split.column, (children[1],), (), None, default)
    if isinstance(split, Intervals):
        cuts, beside = split.cuts, split.neighbours or ()
    else:
        cuts = (math.nextafter(split.cut, math.inf) if isinstance(split, AtMost) else split.cut,)
        beside = (split.neighbours,) if split.neighbours else ()
    neighbours = dict(zip(cuts, beside, strict=False))
    return _Branches(split.column, tuple(children[: len(cuts) + 1]), cuts, None, default, neighbours)


def _absorbed(tree: Tree, outer: _Branches) -> Iterator[_Branches]:
    """Yield the branches with a child's own branches in its place, for each child that allows it."""
    for child in outer.all_children:
        inner = _branches(tree, child)
        if inner is None or inner.column != outer.column or (inner.cuts is None) != (outer.cuts is None):
            continue
        if tree.surrogates_of(int(tree.parent[child])) or tree.surrogates_of(child):
            continue
        empty = tree.weight[tree.children(child)] == 0
        if tree.weight[child] > 0 and empty.any():
            continue
        joined = (
            _joined_ranges(outer, inner, child)
            if outer.cuts is not None
            else _joined_levels(outer, inner, child)
        )
        # Every child must be reached, and no row may stop at the node that is left out.
        reached = joined is not None and set(tree.children(child)) <= set(joined.all_children)
        if joined is not None and reached:
            yield joined


def _default(outer: _Branches, inner: _Branches, child: int) -> int | None:
    return inner.default if outer.default == child else outer.default


def _joined_ranges(outer: _Branches, inner: _Branches, child: int) -> _Branches | None:
    assert outer.cuts is not None
    assert inner.cuts is not None
    if child not in outer.children or (outer.default == child and inner.default is None):
        return None
    place = outer.children.index(child)
    low = outer.cuts[place - 1] if place > 0 else -math.inf
    high = outer.cuts[place] if place < len(outer.cuts) else math.inf
    if any(not low < cut < high for cut in inner.cuts):
        return None
    cuts = outer.cuts[:place] + inner.cuts + outer.cuts[place:]
    children = outer.children[:place] + inner.children + outer.children[place + 1 :]
    neighbours = {**outer.neighbours, **inner.neighbours}
    return _Branches(outer.column, children, cuts, None, _default(outer, inner, child), neighbours)


def _joined_levels(outer: _Branches, inner: _Branches, child: int) -> _Branches | None:
    assert outer.codes is not None
    assert inner.codes is not None
    way = {code: to for to, codes in zip(outer.children, outer.codes, strict=True) for code in codes}
    inside = {code: to for to, codes in zip(inner.children, inner.codes, strict=True) for code in codes}
    own = [code for code, to in way.items() if to == child]
    stops = inner.default is None and (outer.default == child or not set(own) <= inside.keys())
    if stops:
        return None
    for code in own:
        way[code] = inside.get(code, inner.default)  # type: ignore[assignment]
    if outer.default == child:
        way = inside | way
    default = _default(outer, inner, child)
    children = tuple(dict.fromkeys(way[code] for code in sorted(way)))
    codes = tuple(tuple(sorted(code for code, to in way.items() if to == each)) for each in children)
    return _Branches(outer.column, children, None, codes, default)


def _split_of(branches: _Branches) -> tuple[Split, tuple[int, ...]]:
    """Return the split with these branches, and its children in their order."""
    order = branches.all_children
    alone = len(order) > len(branches.children)
    if branches.codes is not None:
        ways = [(code, way) for way, codes in enumerate(branches.codes) for code in codes]
        codes, to = zip(*sorted(ways), strict=True)
        return Levels(branches.column, "subset", codes, to, len(order)), order
    cuts = branches.cuts or ()
    if not cuts:
        return IsMissing(branches.column), order[::-1]
    if len(cuts) == 1:
        of_kind = ThresholdWithMissing if alone else Threshold
        return of_kind(branches.column, cuts[0], branches.neighbours.get(cuts[0])), order
    known = tuple([branches.neighbours[cut] for cut in cuts if cut in branches.neighbours])
    return Intervals(branches.column, cuts, alone, known if len(known) == len(cuts) else None), order


def _halved(tree: Tree, branches: _Branches, kids: dict[int, _Planned], *, is_top: bool) -> _Planned:
    """Return binary splits that lead to the children of a split in more branches."""
    children = branches.all_children
    if len(children) == 1:
        return kids[children[0]]
    halves = _halves(tree, branches)
    if branches.default is not None:
        default = int(branches.default in halves[1].all_children)
    else:
        # Below the first split no row comes whose value is missing, if it does not stop there already.
        first, second = (tree.weight[list(half.all_children)].sum() for half in halves)
        default = -1 if is_top else int(second > first)
    parts = [_halved(tree, half, kids, is_top=False) for half in halves]
    return _Planned(children, _dividing(branches, halves), default, parts)


def _halves(tree: Tree, branches: _Branches) -> tuple[_Branches, _Branches]:
    """Return two halves of the branches; empty children, or the child of missing values, are apart first."""
    children = branches.all_children
    first = children[: len(children) // 2]
    if branches.cuts is None:
        empty = tuple(child for child in children if tree.weight[child] == 0)
        if 0 < len(empty) < len(children):
            first = empty
    elif len(children) > len(branches.children):
        first = children[-1:]
    elif (tree.weight[list(children)] == 0).any():
        raise ParameterError("binarized() does not support ranges without cases; refit or prune the tree.")
    return _part(branches, first), _part(branches, [child for child in children if child not in first])


def _part(branches: _Branches, children: Sequence[int]) -> _Branches:
    """Return the branches that lead to some of the children, which are neighbouring ranges."""
    kept = [place for place, child in enumerate(branches.children) if child in children]
    cuts = branches.cuts
    return _Branches(
        branches.column,
        tuple(branches.children[place] for place in kept),
        None if cuts is None else (cuts[kept[0] : kept[-1]] if kept else ()),
        None if branches.codes is None else tuple(branches.codes[place] for place in kept),
        branches.default if branches.default in children else None,
        branches.neighbours,
    )


def _dividing(branches: _Branches, halves: tuple[_Branches, _Branches]) -> Split:
    """Return the split in two that separates the halves."""
    if branches.codes is None:
        if not halves[0].children:
            return IsMissing(branches.column)
        assert branches.cuts is not None
        cut = branches.cuts[len(halves[0].children) - 1]
        return Threshold(branches.column, cut, branches.neighbours.get(cut))
    ways = [(code, way) for way, half in enumerate(halves) for codes in half.codes or () for code in codes]
    codes, to = zip(*sorted(ways), strict=True)
    return Levels(branches.column, "subset", codes, to, 2)


def _rebuilt(tree: Tree, root: _Planned, method: str) -> Tree:
    """Return the tree of the planned nodes, numbered level by level."""
    order, level = [root], [root]
    while level := [child for parent in level for child in parent.children]:
        order += level
    first = np.array([each.nodes[0] for each in order])
    figures = {name: getattr(tree, name)[first] for name in ("weight", "cases", "statistics", "risk", "gain")}
    tests = {name: getattr(tree, name)[first] for name in TEST_ARRAYS if getattr(tree, name) is not None}
    for place, each in enumerate(order):
        if each.is_new:
            for name, value in _joint_figures(tree, each.nodes).items():
                figures[name][place] = value
            for array in tests.values():
                array[place] = np.nan
    splits = [each.split for each in order]
    arrays: dict[str, Any] = dict.fromkeys(
        ("interval_start", *INTERVAL_ARRAYS, "cut_below", "cut_above")
    ) | split_arrays(splits)
    for place, each in enumerate(order):
        if each.split is not tree.split(each.nodes[0]) or each.is_new:
            begin, many = int(arrays["first_child"][place]), int(arrays["n_children"][place])
            figures["gain"][place] = _gain(tree, figures, place, slice(begin, begin + many))
    alternatives: dict[str, Any] = {
        name: _alternatives(tree, name, order) for name in ("surrogates", "competitors")
    }
    return dataclasses.replace(
        tree,
        recipe=with_step(tree.recipe, {"by": method}),
        default_branch=np.array([each.default if each.split else -1 for each in order]),
        **tests,
        **arrays,
        **figures,
        **alternatives,
    )


def _alternatives(tree: Tree, name: str, order: list[_Planned]) -> AlternativeSplits | None:
    if getattr(tree, name) is None:
        return None
    listed = getattr(tree, f"{name}_of")
    return AlternativeSplits.of_nodes([[] if each.is_new else listed(each.nodes[0]) for each in order])


def _joint_figures(tree: Tree, nodes: Sequence[int]) -> dict[str, Any]:
    """Return the figures of a node that joins several, from theirs."""
    held = list(nodes)
    weight, risk = tree.weight[held], float(tree.risk[held].sum())
    total = float(weight.sum())
    joint: dict[str, Any] = {"weight": total, "cases": float(tree.cases[held].sum())}
    if tree.task == "classification":
        joint["statistics"] = tree.statistics[held].sum(axis=0)
        losses = expected_losses(joint["statistics"][np.newaxis], tree.class_scale, tree.loss_matrix)
        return joint | {"risk": float(losses.min())}
    known = weight > 0
    means = tree.statistics[held, 0][known]
    mean = float((means * weight[known]).sum() / total) if total > 0 else 0.0
    return joint | {"statistics": np.array([mean]), "risk": risk + _between(tree, means, weight[known], mean)}


def _between(tree: Tree, means: Floats, weight: Floats, mean: float) -> float:
    if tree.criterion == "poisson":
        terms = np.where(means > 0, means * np.log(np.where(means > 0, means, 1.0) / (mean or 1.0)), 0.0)
        return max(0.0, 2 * float((weight * (terms - (means - mean))).sum()))
    return float((weight * (means - mean) ** 2).sum())


def _gain(tree: Tree, figures: dict[str, Any], node: int, children: slice) -> float:
    """Return the gain of a rewritten split, NaN where it does not follow from the statistics."""
    weight = figures["weight"]
    if tree.task == "regression":
        if tree.criterion != "squared_error" or not weight[node] > 0:
            return math.nan
        return max(0.0, float(figures["risk"][node] - figures["risk"][children].sum()) / float(weight[node]))
    known = tree.criterion in CRITERIA["classification"] and tree.class_scale is None
    if not known or tree.loss_matrix is not None or not weight[node] > 0:
        return math.nan
    statistics = np.ascontiguousarray(figures["statistics"][children][np.newaxis])
    return float(_core.split_values(tree.criterion, statistics, weight[node : node + 1])[0])
