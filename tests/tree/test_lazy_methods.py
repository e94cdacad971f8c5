"""The lazy methods of a tree are bound to it and have the documentation of their functions."""

import inspect
from pathlib import Path

import pytest

import bough
from bough.example_models import iris_tree
from bough.tree.lazy_methods import LAZY_METHODS, LazyTreeMethods


@pytest.mark.parametrize("name", LAZY_METHODS)
def test_on_the_class_a_lazy_method_is_its_function(name):
    assert getattr(bough.Tree, name) is LAZY_METHODS[name].load()
    assert inspect.getdoc(getattr(bough.Tree, name))


def test_the_stubs_for_type_checkers_are_those_of_the_table():
    source = Path(inspect.getfile(LazyTreeMethods)).with_suffix(".pyi").read_text()
    for name in LAZY_METHODS:
        assert f"def {name}(" in source or f"{name}: Floats" in source


def test_a_value_is_computed_once_and_read_only():
    tree = iris_tree()
    assert tree.complexity is tree.complexity
    assert not tree.complexity.flags.writeable


def test_a_method_is_bound_to_the_tree():
    tree = iris_tree()
    assert tree.snip.__self__ is tree
    assert tree.to_sql() == bough.export.to_sql(tree)
