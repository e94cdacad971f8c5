"""Hypothesis strategies for what bough is made of: schemas, tables that fit them, splits and sound trees."""

import numpy as np
from hypothesis import strategies as st

from bough.data.schema import Column, Schema
from bough.data.table import Table
from bough.tree import Tree
from bough.tree.alternatives import AlternativeSplit, AlternativeSplits
from bough.tree.split import (
    Intervals,
    IsMissing,
    Levels,
    Split,
    Threshold,
    ThresholdWithMissing,
    takes_only_missing,
)

names = st.text(min_size=1, max_size=8)
numbers = st.floats(allow_nan=False)
levels = st.one_of(
    st.lists(st.text(max_size=6), min_size=1, max_size=6, unique=True),
    st.lists(st.booleans(), min_size=1, max_size=2, unique=True),
    st.lists(st.one_of(st.integers(-(2**70), 2**70), numbers), min_size=1, max_size=6, unique=True),
)
finite = st.floats(allow_nan=False, allow_infinity=False)
plain_values = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), finite, st.text()),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(), inner, max_size=3)),
    max_leaves=8,
)


@st.composite
def schemas(draw: st.DrawFn, max_columns: int = 4) -> Schema:
    """Schemas of columns of all scales; nominal and ordinal ones have text, truth values or numbers."""
    columns = []
    for name in draw(st.lists(names, min_size=1, max_size=max_columns, unique=True)):
        scale = draw(st.sampled_from(["numeric", "ordinal", "nominal"]))
        columns.append(Column(name, scale, () if scale == "numeric" else tuple(draw(levels))))
    return Schema(tuple(columns))


@st.composite
def tables(draw: st.DrawFn, schema: Schema, max_rows: int = 12) -> Table:
    """Tables of a schema, missing values and infinities among them."""
    n_rows = draw(st.integers(1, max_rows))
    columns = []
    for column in schema.columns:
        if column.scale == "numeric":
            width = draw(st.sampled_from([32, 64]))
            values = st.one_of(st.integers(-3, 3).map(float), st.floats(width=width))
            columns.append(
                np.array(draw(st.lists(values, min_size=n_rows, max_size=n_rows)), f"f{width // 8}")
            )
        else:
            codes = st.integers(-1, len(column.levels) - 1)
            columns.append(np.array(draw(st.lists(codes, min_size=n_rows, max_size=n_rows)), np.int32))
    return Table(schema, tuple(columns), n_rows)


@st.composite
def splits(draw: st.DrawFn, schema: Schema) -> Split | None:
    """Splits on a column of a schema; None if the column drawn has too few levels to part."""
    position = draw(st.integers(0, len(schema) - 1))
    column = schema[position]
    if column.scale != "nominal" and draw(st.integers(0, 5)) == 0:
        return IsMissing(position)
    threshold = draw(st.sampled_from([Threshold, Threshold, ThresholdWithMissing]))
    if column.scale == "numeric" and draw(st.integers(0, 3)) == 0:
        several = st.sets(st.integers(-3, 3).map(float) | finite, min_size=1, max_size=4)
        return Intervals(position, tuple(sorted(draw(several))), draw(st.booleans()))
    if column.scale == "numeric":
        cuts = numbers.filter(lambda cut: cut > -np.inf)
        return threshold(position, draw(st.one_of(st.integers(-3, 3).map(float), cuts)))
    n_levels = len(column.levels)
    if n_levels < 2:
        return None
    if column.scale == "ordinal" and draw(st.integers(0, 3)) == 0:
        several = st.sets(st.integers(0, n_levels - 2), min_size=1)
        return Intervals(position, tuple(cut + 0.5 for cut in sorted(draw(several))), draw(st.booleans()))
    if column.scale == "ordinal" and draw(st.booleans()):
        return threshold(position, draw(st.integers(0, n_levels - 2)) + 0.5)
    kind = draw(st.sampled_from(["complete", "subset", "one_vs_rest"]))
    codes = draw(st.lists(st.integers(0, n_levels - 1), min_size=2, unique=True))
    if kind == "complete":
        branches = draw(st.permutations(range(len(codes))))
    elif kind == "one_vs_rest":
        branches = [0] + [1] * (len(codes) - 1)
    else:
        branches = [
            0,
            1,
            *draw(st.lists(st.integers(0, 1), min_size=len(codes) - 2, max_size=len(codes) - 2)),
        ]
    n_branches = max(branches) + 1 + (draw(st.integers(0, 3)) == 0)
    return Levels(position, kind, tuple(codes), tuple(branches), n_branches)


@st.composite
def trees(draw: st.DrawFn, max_splits: int = 6) -> Tree:
    """Sound trees of both tasks, of all kinds of splits, with empty nodes and alternative splits."""
    schema = draw(schemas())
    found: list[Split | None] = []
    open_nodes = 1
    while open_nodes:
        n_inner = sum(split is not None for split in found)
        split = draw(splits(schema)) if n_inner < max_splits and draw(st.booleans()) else None
        found.append(split)
        open_nodes += (split.n_branches if split else 0) - 1
    classes = tuple(draw(levels)) if draw(st.booleans()) else ()
    return Tree.from_splits(
        found,
        schema=schema,
        task="classification" if classes else "regression",
        classes=classes,
        target_name=draw(st.none() | names),
        criterion=draw(
            st.sampled_from(["gini", "entropy"] if classes else ["squared_error", "absolute_error"])
        ),
        recipe=draw(st.dictionaries(st.text(), plain_values, max_size=3)),
        surrogates=draw(st.none() | alternative_splits(schema, found)),
        competitors=draw(st.none() | alternative_splits(schema, found)),
        follows_surrogates=draw(st.booleans()),
        **draw(figures(found, len(classes))),
    )


@st.composite
def alternative_splits(draw: st.DrawFn, schema: Schema, found: list[Split | None]) -> AlternativeSplits:
    """At most two splits for each node that has two branches."""
    alternatives: list[list[AlternativeSplit]] = [[] for _ in found]
    for node, split in enumerate(found):
        if split is None or split.n_branches != 2:
            continue
        for other in draw(st.lists(splits(schema), max_size=2)):
            is_cut = isinstance(other, Threshold)
            if (
                other is None
                or isinstance(other, Intervals)
                or is_cut == (schema[other.column].scale == "nominal")
            ):
                continue
            if isinstance(other, ThresholdWithMissing):
                other = Threshold(other.column, other.cut)
            if not is_cut:
                branches = tuple(branch % 2 for branch in other.branches)
                other = Levels(other.column, "subset", other.codes, branches, 2)
            turned = is_cut and draw(st.booleans())
            alternatives[node].append(AlternativeSplit(other, turned, draw(st.floats(0.0, 1.0)), 0.5, 3.0))
    return AlternativeSplits.of_nodes(alternatives)


def default_branches(split: Split | None) -> st.SearchStrategy[int]:
    """The default branches that a split allows: where a branch takes only missing values, that one."""
    n_branches = split.n_branches if split else 0
    only_missing = [branch for branch in range(n_branches) if takes_only_missing(split, branch)]
    return st.sampled_from(only_missing) if only_missing else st.integers(-1, n_branches - 1)


@st.composite
def figures(draw: st.DrawFn, found: list[Split | None], n_classes: int) -> dict[str, np.ndarray]:
    """The figures of each node: its cases, weight and statistics; any node but the root may be empty."""
    n_nodes = len(found)
    amounts = st.one_of(st.integers(0, 9).map(float), st.floats(0.0, 1e6))
    is_empty = np.array([False, *draw(st.lists(st.booleans(), min_size=n_nodes - 1, max_size=n_nodes - 1))])
    width = max(n_classes, 1)
    drawn = draw(st.lists(amounts, min_size=n_nodes * width, max_size=n_nodes * width))
    statistics = np.array(drawn).reshape(n_nodes, width)
    if n_classes:
        statistics[:, 0] += 1.0
        statistics[is_empty] = 0.0
        weight = statistics.sum(axis=1)
    else:
        weight = np.where(is_empty, 0.0, draw(st.floats(0.5, 10.0)))
        statistics[is_empty] = np.nan
    defaults = [draw(default_branches(split)) for split in found]
    gains = [draw(st.floats(0.0, 1.0)) if split else np.nan for split in found]
    return {
        "weight": weight,
        "cases": np.where(is_empty, 0.0, np.ceil(weight)),
        "statistics": statistics,
        "risk": weight / 2,
        "gain": np.array(gains),
        "default_branch": np.array(defaults),
    }
