from dataclasses import replace

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.strategies import tables, trees

from bough.data.table import Table
from bough.tree.arrays import KINDS
from bough.tree.routing import path_matrix, route, routed_values, walk


def end_of(tree, table, row):
    node = 0
    while (split := tree.split(node)) is not None:
        alternatives = tree.surrogates_of(node) if tree.follows_surrogates else []
        asked = [
            (split.column, split),
            *((alternative.split.column, alternative) for alternative in alternatives),
        ]
        said = [int(each.branch(table.columns[column][row : row + 1])[0]) for column, each in asked]
        branch = next((branch for branch in said if branch >= 0), int(tree.default_branch[node]))
        if branch < 0:
            break
        node = tree.children(node)[branch]
    return node


@given(st.data())
@settings(deadline=None)
def test_rows_end_where_each_alone_would(data):
    tree = data.draw(trees())
    table = data.draw(tables(tree.schema))
    ends = [end_of(tree, table, row) for row in range(table.n_rows)]
    assert walk(tree, table).tolist() == ends
    assert route(tree, table, n_jobs=2).tolist() == ends


@given(st.data())
@settings(deadline=None)
def test_values_of_any_type_and_width_are_those_of_the_node_where_a_row_ends(data):
    tree = data.draw(trees())
    table = data.draw(tables(tree.schema))
    ends, n = walk(tree, table), tree.n_nodes
    number = np.arange(n)
    for values in (
        number * 0.5,
        number,
        number.astype(np.int32),
        number % 2 == 0,
        number.astype("<U4"),
        number.astype("<U3"),
        number.astype(object),
        np.column_stack([number, -number, number * 2]),
        np.asfortranarray(np.column_stack([number, -number])),
    ):
        found = routed_values(tree, table, values, n_jobs=2)
        assert found.dtype == values.dtype
        assert found.shape == (len(ends), *values.shape[1:])
        assert (found == values[ends]).all()


@given(st.data())
def test_the_path_matrix_marks_the_path_of_each_row(data):
    tree = data.draw(trees())
    ends = walk(tree, data.draw(tables(tree.schema)))
    matrix = path_matrix(tree, ends)
    assert matrix.shape == (len(ends), tree.n_nodes)
    assert matrix.has_canonical_format
    for row, end in enumerate(ends):
        assert np.flatnonzero(matrix[row].toarray()).tolist() == tree.path(end)


@given(st.data())
@settings(deadline=None)
def test_cuts_that_belong_below_are_routed_as_each_row_alone_would_go(data):
    tree = data.draw(trees())
    numeric = [
        node
        for node in np.flatnonzero(tree.kind == KINDS.index("threshold"))
        if tree.schema[tree.column[node]].scale == "numeric" and tree.n_children[node] == 2
    ]
    kind = tree.kind.copy()
    kind[numeric] = KINDS.index("at_most")
    tree = replace(tree, kind=kind)
    table = data.draw(tables(tree.schema))
    with np.errstate(over="ignore"):
        columns = [
            np.append(values, cuts.astype(values.dtype))
            for values, cuts in zip(table.columns, _cuts_asked(tree), strict=True)
        ]
    n_rows = max(map(len, columns))
    table = Table(tree.schema, tuple(np.resize(values, n_rows) for values in columns), n_rows)
    ends = [end_of(tree, table, row) for row in range(n_rows)]
    assert walk(tree, table).tolist() == ends
    assert route(tree, table, n_jobs=2).tolist() == ends


def _cuts_asked(tree):
    """The cuts of each numeric column: values that stand just on them."""
    for place, column in enumerate(tree.schema):
        cuts = tree.cut[(tree.column == place) & ~np.isnan(tree.cut)]
        yield cuts if column.scale == "numeric" else np.empty(0)
