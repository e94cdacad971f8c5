"""The doors of a tree are its methods: bound to it, with the documentation of what they lead to."""

import inspect

import pytest

import bough
from bough.example_models import iris_tree
from bough.tree.doors import DOORS, TreeDoors


@pytest.mark.parametrize("name", DOORS)
def test_the_class_shows_the_function_behind_the_door(name):
    assert getattr(bough.Tree, name) is DOORS[name].load()
    assert inspect.getdoc(getattr(bough.Tree, name))


def test_the_stubs_for_type_checkers_are_those_of_the_table():
    source = inspect.getsource(TreeDoors)
    for name in DOORS:
        assert f"def {name}(" in source or f"{name}: Floats" in source


def test_a_value_is_computed_once_and_read_only():
    tree = iris_tree()
    assert tree.complexity is tree.complexity
    assert not tree.complexity.flags.writeable


def test_a_method_is_bound_to_the_tree():
    tree = iris_tree()
    assert tree.snip.__self__ is tree
    assert tree.to_sql() == bough.export.to_sql(tree)
