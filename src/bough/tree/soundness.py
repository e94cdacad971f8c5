"""Checks that the arrays of a tree agree with each other and with its schema."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from bough.data.schema import Level
from bough.errors import FormatError, ParameterError
from bough.tree.answer import check_smoothing, expected_losses
from bough.tree.arrays import CUT_ARRAYS, TEST_ARRAYS
from bough.tree.c50 import MOST_DEPTH, c50_predictor
from bough.tree.nodes import Nodes
from bough.tree.one_target import every_target
from bough.tree.parts_soundness import check_alternatives, check_leaf_models, check_targets
from bough.tree.structure import family
from bough.types import Mask

WholeNumbers: TypeAlias = npt.NDArray[np.integer[Any]]

_LEAF, _THRESHOLD, _COMPLETE, _SUBSET, _ONE_VS_REST, _AT_MOST, _INTERVALS = range(7)
# The sum of the class weights may differ from the weight of the node by rounding.
_ROUNDING = 1e-6
# C4.5 sums 32-bit floats: two sums of n cases may differ by n of this. More than 1 % is no rounding.
_ROUNDING_OF_A_CASE, _MOST_ROUNDING = 2.0**-23, 0.01
_NO_BRANCH = "there is no such branch"


def check(tree: Nodes, *, weights_above_0: bool = True, tree_start: WholeNumbers | None = None) -> None:
    """Raise `FormatError` if the arrays of a tree are inconsistent; the error names the entry.

    `weights_above_0` is False for trees of boosting, whose weights are sums of hessians: these may be 0.
    With `tree_start` the nodes are those of several trees, which begin at these nodes; the last entry is the
    number of nodes. A sum of thousands of trees is checked by as many calls of numpy as one tree.

    >>> from bough.example_models import tennis_tree
    >>> check(tennis_tree())
    """
    check_task(tree.task, tree.classes)
    starts = np.array([0, tree.n_nodes]) if tree_start is None else tree_start.astype(np.int64)
    _check_shape(tree, starts)
    _check_formulas(tree)
    _check_kinds(tree)
    _check_thresholds(tree)
    _check_intervals(tree)
    _check_cut_arrays(tree)
    _check_answering(tree)
    _check_levels(tree)
    if tree.targets:
        _check_several(tree, starts[:-1])
    elif tree.target_risk is not None:
        raise FormatError("nodes.target_risk", "a tree of one target has none")
    else:
        _check_figures(tree, starts[:-1], weights_above_0)
    _check_tests(tree)
    _check_losses(tree)
    if tree.task == "classification":
        _check_scaled(tree)
    for name, alternatives in (("competitors", tree.competitors), ("surrogates", tree.surrogates)):
        if alternatives is not None:
            check_alternatives(alternatives, tree, name)
    if tree.arithmetic == "c5.0":
        try:
            c50_predictor([tree])
        except ValueError as error:
            raise FormatError("nodes", str(error)) from None


def _check_several(tree: Nodes, roots: WholeNumbers) -> None:
    check_targets(tree.targets, tree)
    for name in ("class_scale", "loss_matrix", "share", "leaf_models"):
        if getattr(tree, name) is not None:
            raise FormatError(name, "a tree of several targets has none")
    if (tree.target_risk is not None) != (tree.task == "regression"):
        raise FormatError("nodes.target_risk", "a tree of several numbers has it, and no other one")
    _refuse(
        "risk",
        tree.risk,
        ~np.isfinite(tree.risk) | (tree.risk < 0),
        "a finite number of at least 0 is wanted",
    )
    for each in every_target(tree):
        _check_figures(each, roots)


def _check_losses(tree: Nodes) -> None:
    k = len(tree.classes)
    for name, array, shape in (
        ("class_scale", tree.class_scale, (k,)),
        ("loss_matrix", tree.loss_matrix, (k, k)),
    ):
        if array is None:
            continue
        if tree.task == "regression":
            raise FormatError(name, "only a classification tree has it")
        if array.shape != shape:
            raise FormatError(name, f"has shape {array.shape}; {shape} is wanted")
        if not np.isfinite(array).all() or (array < 0).any():
            raise FormatError(name, "finite numbers of at least 0 are wanted")


def _refuse(name: str, array: npt.NDArray[Any], wrong: Mask, why: str) -> None:
    """Raise an error that names the first wrong entry, or the first row that has one."""
    if wrong.any():
        place = int(np.argwhere(wrong)[0, 0])
        raise FormatError(f"nodes.{name}[{place}]", f"{array[place].tolist()!r}, but {why}")


def _is_threshold(kind: npt.NDArray[np.uint8]) -> Mask:
    return np.asarray((kind == _THRESHOLD) | (kind == _AT_MOST))


def _has_levels(kind: npt.NDArray[np.uint8]) -> Mask:
    return np.asarray((kind >= _COMPLETE) & (kind <= _ONE_VS_REST))


def _check_shares(tree: Nodes, share: npt.NDArray[np.float64]) -> None:
    if share.shape != (tree.n_nodes,):
        raise FormatError("nodes.share", f"has shape {share.shape}; {(tree.n_nodes,)} is wanted")
    if tree.formulas:
        raise FormatError("formulas", "a tree with shares has none")
    if tree.interval_cut is not None:
        raise FormatError("nodes.interval_cut", "a tree with shares has none")
    for name in ("surrogates", "class_scale", "loss_matrix"):
        if getattr(tree, name) is not None and (name, tree.arithmetic) != ("loss_matrix", "c5.0"):
            raise FormatError(name, "a tree with shares has none")
    rounding = _rounding(tree)
    _refuse("share", share, ~((share >= 0) & (share <= 1 + rounding)), "a share is from 0 to 1")
    below = np.bincount(tree.parent[1:], share[1:], minlength=tree.n_nodes)
    apart = (tree.n_children > 0) & (np.abs(below - 1.0) > rounding)
    _refuse("share", share, apart, "the shares of a node's children must sum to 1")


def _rounding(tree: Nodes) -> float:
    """Return the share by which sums of weights may differ."""
    if tree.share is None:
        return _ROUNDING
    return max(_ROUNDING, min(_ROUNDING_OF_A_CASE * float(tree.cases[0]), _MOST_ROUNDING))


def check_task(task: object, classes: tuple[Level, ...]) -> None:
    """Raise `FormatError` if there is no such task, the classes do not fit it, or a class occurs twice.

    >>> check_task("regression", ("no", "yes"))
    Traceback (most recent call last):
    bough.errors.FormatError: At classes: a regression model has no classes
    """
    if not isinstance(task, str) or task not in ("classification", "regression"):
        raise FormatError("task", f"{task!r}; 'classification' or 'regression' is wanted")
    if task == "regression" and classes:
        raise FormatError("classes", "a regression model has no classes")
    if task == "classification" and not classes:
        raise FormatError("classes", "a classification model has at least one class")
    if len(set(classes)) < len(classes):
        raise FormatError("classes", "a class is listed twice")
    if any(label != label for label in classes):
        raise FormatError("classes", "NaN is a missing label and cannot be a class")


def check_counts(n_children: npt.NDArray[np.integer[Any]]) -> None:
    """Raise `FormatError` if the numbers of children do not describe one tree.

    >>> check_counts(np.array([2, 0, 1]))
    Traceback (most recent call last):
    bough.errors.FormatError: At nodes.n_children[2]: 1, but a node has no children or at least two
    """
    few = (n_children < 0) | (n_children == 1)
    _refuse("n_children", n_children, few, "a node has no children or at least two")
    n, below = len(n_children), n_children.astype(np.int64)
    if below.sum() != n - 1:
        raise FormatError("nodes.n_children", f"sum to {below.sum()}, but {n} nodes have {n - 1} children")
    # Nodes are numbered level by level, so node i + 1 is a child of one of the nodes 0 to i.
    late = np.cumsum(below)[:-1] <= np.arange(n - 1)
    _refuse("n_children", n_children[:-1], late, "then the next node has no parent")


def _check_shape(tree: Nodes, starts: WholeNumbers) -> None:
    n, count, first = tree.n_nodes, tree.n_children, tree.first_child
    if len(starts) == 2:
        check_counts(count)
    else:
        _check_counts_of_trees(count, starts)
    parent, first_child = family(count, starts[:-1])
    _refuse("first_child", first, first >= n, f"the tree has {n} nodes")
    _refuse("first_child", first, (count == 0) & (first != -1), "a node without children has -1 here")
    _refuse("first_child", first, first != first_child, "children must be in the order of their parents")
    _refuse("parent", tree.parent, tree.parent != parent, "children must be in the order of their parents")


def _check_counts_of_trees(count: WholeNumbers, starts: WholeNumbers) -> None:
    """Raise if one of the trees does not pass `check_counts`."""
    n_nodes = np.diff(starts)
    if starts[0] != 0 or starts[-1] != len(count) or (n_nodes < 1).any():
        raise FormatError("tree_start", f"it must increase from 0 to {len(count)}")
    few = (count < 0) | (count == 1)
    _refuse("n_children", count, few, "a node has no children or at least two")
    through = np.cumsum(count, dtype=np.int64)
    below = np.diff(np.append(0, through[starts[1:] - 1]))
    _refuse("n_children", below, below != n_nodes - 1, "the number of children is not that of the nodes")
    root = np.repeat(starts[:-1], n_nodes)
    late = through - (through[root] - count[root]) <= np.arange(len(count)) - root
    late[starts[1:] - 1] = False
    _refuse("n_children", count, late, "then the next node has no parent")


def _check_formulas(tree: Nodes) -> None:
    for number, formula in enumerate(tree.formulas):
        for column in formula.columns:
            if column >= len(tree.schema) or tree.schema[column].scale != "numeric":
                raise FormatError(
                    f"formulas[{number}]", f"column {column} is not a numeric column of the schema"
                )


def _check_kinds(tree: Nodes) -> None:
    kind, count, column = tree.kind, tree.n_children, tree.column
    _refuse("kind", kind, kind > _INTERVALS, "the kinds are numbered 0 to 6")
    wrong = (kind == _LEAF) != (count == 0)
    _refuse("kind", kind, wrong, "a node is a leaf if and only if it has no children")
    default = tree.default_branch
    binary = _is_threshold(kind) | (kind == _ONE_VS_REST)
    has_third = (count == 3) & (default == 2) & (kind != _AT_MOST)
    why = "a split of this kind has two branches, and perhaps a third for missing values"
    _refuse("n_children", count, binary & (count != 2) & ~has_third, why)
    leaf = kind == _LEAF
    _refuse("column", column, leaf & (column != -1), "a leaf has no split: -1 is wanted")
    n_columns = len(tree.wide_schema)
    outside = ~leaf & ((column < 0) | (column >= n_columns))
    _refuse(
        "column",
        column,
        outside,
        f"the schema has {len(tree.schema)} columns"
        + (f" and there are {len(tree.formulas)} formulas" if tree.formulas else ""),
    )
    _refuse("default_branch", default, leaf & (default != -1), "a leaf has no branches: -1 is wanted")
    _refuse("default_branch", default, ~leaf & ((default < -1) | (default >= count)), _NO_BRANCH)


def _check_thresholds(tree: Nodes) -> None:
    cut, threshold = tree.cut, _is_threshold(tree.kind)
    _refuse("cut", cut, threshold & np.isnan(cut), "a threshold has a cut")
    _refuse("cut", cut, ~threshold & ~np.isnan(cut), "only a threshold has a cut")
    cuts = threshold | (tree.kind == _INTERVALS)
    _refuse("kind", tree.kind, cuts & _of_scale(tree, "nominal"), "a nominal column has no thresholds")
    leveled = _has_levels(tree.kind)
    _refuse("kind", tree.kind, leveled & _of_scale(tree, "numeric"), "a numeric column has no levels")
    ordinal = threshold & _of_scale(tree, "ordinal")
    if not ordinal.any():
        return
    between = (np.floor(cut) + 0.5 == cut) & (cut > 0) & (cut < _level_counts(tree) - 1)
    apart = (cut == -np.inf) & (tree.default_branch == 0)
    _refuse("cut", cut, ordinal & ~between & ~apart, "an ordinal cut lies halfway between two level codes")
    at_most = ordinal & (tree.kind == _AT_MOST)
    _refuse("kind", tree.kind, at_most, "an at_most split needs a numeric column")


def _check_intervals(tree: Nodes) -> None:
    here, start, cuts = tree.kind == _INTERVALS, tree.interval_start, tree.interval_cut
    if start is None or cuts is None:
        if start is not None or cuts is not None or here.any():
            raise FormatError("nodes.interval_cut", "a split into intervals lists its cuts")
        return
    if cuts.ndim != 1 or start[0] != 0 or start[-1] != len(cuts) or (np.diff(start) < 0).any():
        raise FormatError("nodes.interval_start", f"it must increase from 0 to {len(cuts)}")
    counts = np.diff(start)
    _refuse("interval_start", start[:-1], here != (counts > 0), "only splits into intervals have cuts here")
    node = np.repeat(np.arange(tree.n_nodes), counts)
    falls = np.append(False, (cuts[1:] <= cuts[:-1]) & (node[1:] == node[:-1]))
    _refuse("interval_cut", cuts, np.isnan(cuts) | falls, "the cuts of a node must increase")
    below, above = tree.interval_below, tree.interval_above
    if (below is None) != (above is None):
        raise FormatError("nodes.interval_below", "interval_below and interval_above must both be given")
    if below is not None and above is not None:
        _refuse("interval_below", below, below >= cuts, "the cut sends this value down the later branch")
        _refuse("interval_above", above, above < cuts, "the cut sends this value down the earlier branch")
    coded = _of_scale(tree, "ordinal")[node]
    between = (np.floor(cuts) + 0.5 == cuts) & (cuts > 0) & (cuts < _level_counts(tree)[node] - 1)
    _refuse("interval_cut", cuts, coded & ~between, "an ordinal cut lies halfway between two level codes")
    # Missing values may have their own branch, which is the last.
    more, default = tree.n_children - counts - 1, tree.default_branch
    own = (more == 1) & (default == tree.n_children - 1)
    wrong = here & ~((more == 0) | own)
    _refuse(
        "n_children", tree.n_children, wrong, "there is one branch per interval, and one for missing at most"
    )


def _check_cut_arrays(tree: Nodes) -> None:
    threshold = _is_threshold(tree.kind)
    for name in CUT_ARRAYS:
        array = getattr(tree, name)
        if array is not None:
            _refuse(name, array, ~threshold & ~np.isnan(array), "only a threshold has such a number")
    _check_neighbours(tree)
    soft = [tree.cut_low, tree.cut_mid, tree.cut_high]
    if any(array is None for array in soft) and any(array is not None for array in soft):
        raise FormatError("nodes.cut_low", "cut_low, cut_mid and cut_high must all be given, or none of them")


def _check_neighbours(tree: Nodes) -> None:
    below, above = tree.cut_below, tree.cut_above
    if below is None or above is None:
        if below is not None or above is not None:
            raise FormatError("nodes.cut_below", "cut_below and cut_above must both be given, or neither")
        return
    closed = tree.kind == _AT_MOST
    low = np.where(closed, below > tree.cut, below >= tree.cut)
    high = np.where(closed, above <= tree.cut, above < tree.cut)
    _refuse("cut_below", below, low, "the cut sends this value down the second branch")
    _refuse("cut_above", above, high, "the cut sends this value down the first branch")


def _check_answering(tree: Nodes) -> None:
    try:
        check_smoothing(tree.smoothing)
    except ParameterError as error:
        raise FormatError("smoothing", str(error)) from None
    if tree.smoothing != "none" and tree.task == "regression":
        raise FormatError("smoothing", "only a classification tree has it")
    if tree.arithmetic not in ("bough", "c5.0"):
        raise FormatError("arithmetic", f"{tree.arithmetic!r}; 'bough' or 'c5.0' is wanted")
    if tree.arithmetic == "c5.0":
        wanted = (tree.task == "classification", tree.share is not None, not tree.formulas)
        if not all(wanted) or (tree.kind == _ONE_VS_REST).any() or (tree.kind == _INTERVALS).any():
            wanted_words = "a classification tree with shares, without formulas, one_vs_rest and intervals"
            raise FormatError("arithmetic", f"'c5.0' needs {wanted_words}")
        if tree.depth > MOST_DEPTH:
            raise FormatError("arithmetic", f"'c5.0' allows a depth of at most {MOST_DEPTH}")
        by_rank = (tree.kind == _THRESHOLD) & _of_scale(tree, "numeric")
        _refuse("kind", tree.kind, by_rank, "with C5.0's arithmetic a numeric column has at_most splits")
    if tree.leaf_models is not None:
        check_leaf_models(tree.leaf_models, tree)


def _of_scale(tree: Nodes, scale: str) -> Mask:
    """Whether the column of each node has the scale; of a leaf, whether the first one has it."""
    columns = np.array([column.scale == scale for column in tree.wide_schema.columns] or [False])
    return np.asarray(columns[np.maximum(tree.column, 0)])


def _level_counts(tree: Nodes) -> npt.NDArray[np.int64]:
    counts = np.array([len(column.levels) for column in tree.wide_schema.columns] or [0], dtype=np.int64)
    return counts[np.maximum(tree.column, 0)]


def _check_levels(tree: Nodes) -> None:
    start, code, branch = tree.level_start, tree.level_code, tree.level_branch
    _check_level_starts(tree)
    if not len(code) and not _has_levels(tree.kind).any():
        return
    node = np.repeat(np.arange(tree.n_nodes), np.diff(start))
    unknown = (code < 0) | (code >= _level_counts(tree)[node])
    _refuse("level_code", code, unknown, "the column has no such level")
    _refuse("level_branch", branch, (branch < 0) | (branch >= tree.n_children[node]), _NO_BRANCH)
    order = np.lexsort((code, node))
    again = (np.diff(node[order]) == 0) & (np.diff(code[order]) == 0)
    twice = np.zeros(len(code), dtype=np.bool_)
    twice[order[1:][again]] = True
    _refuse("level_code", code, twice, "the level is listed twice for the node")
    _check_level_kinds(tree, node)


def _check_level_starts(tree: Nodes) -> None:
    start, n = tree.level_start, tree.n_nodes
    if start[0] != 0:
        raise FormatError("nodes.level_start[0]", f"{start[0]}, but the levels start at 0")
    _refuse("level_start", start, np.append(False, start[1:] < start[:-1]), "it must not decrease")
    if start[n] != len(tree.level_code):
        got = len(tree.level_code)
        raise FormatError(f"nodes.level_start[{n}]", f"{start[n]}, but there are {got} level codes")
    without = ~_has_levels(tree.kind) & (start[1:] > start[:-1])
    _refuse("level_start", start, np.append(False, without), "the node before lists no levels")


def _check_level_kinds(tree: Nodes, node: WholeNumbers) -> None:
    """Check how many levels lead to each child; `node` is the node that each level is listed for."""
    levels_to = np.bincount(tree.first_child[node] + tree.level_branch, minlength=tree.n_nodes)
    kind_above = np.append(_LEAF, tree.kind[tree.parent[1:]])
    is_first = np.append(False, np.diff(tree.parent) > 0)
    # A branch without levels is allowed if it is the default branch, which takes the missing values.
    branch = np.arange(tree.n_nodes) - tree.first_child[tree.parent]
    unlisted = _has_levels(kind_above) & (levels_to == 0) & (tree.default_branch[tree.parent] != branch)
    one_only = (kind_above == _COMPLETE) | ((kind_above == _ONE_VS_REST) & is_first)
    for wrong, count in ((unlisted, "no level leads"), (one_only & (levels_to > 1), "several levels lead")):
        if wrong.any():
            child = int(np.flatnonzero(wrong)[0])
            raise FormatError(f"nodes.level_branch of node {tree.parent[child]}", f"{count} to node {child}")


def _check_scaled(tree: Nodes) -> None:
    """Raise unless the class weights, multiplied by `class_scale` and by losses, give probabilities."""
    if tree.class_scale is None and tree.loss_matrix is None:
        return
    with np.errstate(over="ignore", invalid="ignore"):
        scaled = tree.statistics if tree.class_scale is None else tree.statistics * tree.class_scale
        losses = expected_losses(tree.statistics, tree.class_scale, tree.loss_matrix)
        sums = scaled.sum(axis=1)
    if not np.isfinite(sums).all() or ((sums == 0) & (tree.weight > 0)).any():
        raise FormatError("class_scale", "the class weights times it must have finite sums above 0")
    if not np.isfinite(losses).all():
        raise FormatError("loss_matrix", "the expected losses are beyond float64")


def _check_tests(tree: Nodes) -> None:
    for name in TEST_ARRAYS:
        tests = getattr(tree, name)
        if tests is not None and tests.shape[1] != len(tree.schema):
            wanted = f"{len(tree.schema)} columns are wanted"
            raise FormatError(f"nodes.{name}", f"has {tests.shape[1]} columns; {wanted}")
    if tree.p_value is None:
        if tree.test_statistic is not None:
            raise FormatError("nodes.test_statistic", "only a tree with p-values has it")
        return
    wrong = ~np.isnan(tree.p_value) & ~(np.isfinite(tree.p_value) & (tree.p_value >= 0))
    _refuse("p_value", tree.p_value, wrong, "p-values are at least 0, or NaN")
    if tree.test_statistic is not None:
        untested = np.isnan(tree.p_value) != np.isnan(tree.test_statistic)
        wrong = untested | np.isinf(tree.test_statistic)
        words = "a finite statistic is wanted where there is a p-value, and NaN elsewhere"
        _refuse("test_statistic", tree.test_statistic, wrong, words)


def _check_figures(tree: Nodes, roots: WholeNumbers, weights_above_0: bool = True) -> None:
    weight, cases, statistics = tree.weight, tree.cases, tree.statistics
    for name, array in (("weight", weight), ("cases", cases)):
        _refuse(name, array, ~np.isfinite(array) | (array < 0), "a finite number of at least 0 is wanted")
        if (array[roots] == 0).any() and (weights_above_0 or name == "cases"):
            raise FormatError(f"nodes.{name}[0]", "0.0, but the root holds all cases")
    if tree.share is None:
        _refuse("cases", cases, cases != np.floor(cases), "cases are whole numbers")
    else:
        _check_shares(tree, tree.share)
    wrong = ~np.isfinite(statistics)
    if tree.task == "regression":
        held = (weight != 0) | (not weights_above_0)
        _refuse("statistics", statistics, wrong & held[:, np.newaxis], "a finite number is wanted")
    else:
        _refuse("statistics", statistics, wrong | (statistics < 0), "class weights are at least 0")
        # A product is much faster than `sum` over short rows.
        sums = statistics @ np.ones(statistics.shape[1])
        apart = np.abs(sums - weight) > _rounding(tree) * weight
        _refuse("statistics", statistics, apart, "the class weights must sum to the weight of the node")
    wrong = ~np.isfinite(tree.risk) | (tree.risk < 0)
    _refuse("risk", tree.risk, wrong, "a finite number of at least 0 is wanted")
    _refuse("gain", tree.gain, (tree.n_children == 0) & ~np.isnan(tree.gain), "a leaf has no gain")
