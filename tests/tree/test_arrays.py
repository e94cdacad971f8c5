import dataclasses

import numpy as np
import pytest
from hypothesis import given
from tests.strategies import trees

from bough.data.schema import Schema
from bough.errors import FormatError
from bough.example_models import iris_tree
from bough.tree import Tree
from bough.tree.arrays import ARRAYS, OPTIONAL_ARRAYS, frozen, split_arrays


@given(trees())
def test_splits_come_back_from_the_arrays(tree):
    arrays = split_arrays([tree.split(node) for node in range(tree.n_nodes)])
    for name, array in arrays.items():
        assert array.dtype == {**ARRAYS, **OPTIONAL_ARRAYS}[name]
        assert np.array_equal(array, getattr(tree, name), equal_nan=array.dtype.kind == "f")


def test_an_array_of_another_layout_is_copied():
    wide = np.arange(6.0).reshape(2, 3).T
    assert frozen("statistics", wide, np.float64).flags.c_contiguous
    assert frozen("statistics", wide.astype(np.float32), np.float64).dtype == np.float64


@pytest.mark.parametrize(
    ("name", "values", "why"),
    [
        ("weight", [1.0], "has shape"),
        ("column", [0.5, -1, 1, -1, -1], "do not fit int32"),
        ("column", [2**40, -1, 1, -1, -1], "do not fit int32"),
        ("column", ["a"] * 5, "do not fit int32"),
        ("statistics", [[1.0, 2.0]] * 5, "has shape"),
        ("level_start", [0], "has shape"),
        ("level_branch", [0], "has shape"),
        ("kind", [300, 0, 1, 0, 0], "do not fit uint8"),
    ],
)
def test_arrays_that_cannot_be_a_tree_are_refused_when_it_is_built(name, values, why):
    with pytest.raises(FormatError, match=f"nodes.{name}: .*{why}"):
        dataclasses.replace(iris_tree(), **{name: values})


def test_a_tree_of_no_nodes_is_refused():
    none = {name: [] for name in ("cases", "statistics", "risk")}
    with pytest.raises(FormatError, match="at least one node"):
        Tree.from_splits(
            [], schema=Schema(()), task="regression", classes=(), target_name=None, criterion="mse", **none
        )
