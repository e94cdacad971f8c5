import dataclasses
import math

import numpy as np
import pytest
from tests.hand_trees import shop_tree, weekday_tree

from bough.errors import FormatError
from bough.example_models import cars_tree, iris_tree, tennis_tree

NAN = math.nan


def changed(tree, name, place, value):
    array = getattr(tree, name).copy()
    array[place] = value
    return dataclasses.replace(tree, **{name: array})


@pytest.mark.parametrize("build", [iris_tree, cars_tree, tennis_tree, shop_tree, weekday_tree])
def test_trees_built_by_hand_are_sound(build):
    build().check()


@pytest.mark.parametrize(
    ("build", "name", "place", "value", "message"),
    [
        (iris_tree, "n_children", 0, 1, r"n_children\[0\]: 1, but a node has no children or at least two"),
        (iris_tree, "n_children", 1, 2, r"n_children: sum to 6"),
        (iris_tree, "n_children", 3, -2, r"n_children\[3\]: -2"),
        (iris_tree, "first_child", 2, 17, r"first_child\[2\]: 17, but the tree has 5 nodes"),
        (iris_tree, "first_child", 2, 2, r"first_child\[2\]: 2, but children must be in the order"),
        (iris_tree, "first_child", 1, 1, r"first_child\[1\]: 1, but a node without children"),
        (iris_tree, "parent", 4, 0, r"parent\[4\]: 0"),
        (iris_tree, "parent", 0, 0, r"parent\[0\]: 0"),
        (iris_tree, "kind", 0, 7, r"kind\[0\]: 7, but the kinds are numbered"),
        (iris_tree, "kind", 0, 0, r"kind\[0\]: 0, but a node is a leaf if and only if"),
        (iris_tree, "kind", 1, 1, r"kind\[1\]: 1, but a node is a leaf if and only if"),
        (tennis_tree, "kind", 0, 4, r"n_children\[0\]: 3, but a split of this kind has two"),
        (tennis_tree, "kind", 1, 1, r"cut\[1\]: nan, but a threshold has a cut"),
        (iris_tree, "kind", 0, 2, r"cut\[0\]: 2.45, but only a threshold has a cut"),
        (iris_tree, "column", 0, 2, r"column\[0\]: 2, but the schema has 2 columns"),
        (iris_tree, "column", 0, -1, r"column\[0\]: -1, but the schema has 2 columns"),
        (iris_tree, "column", 1, 0, r"column\[1\]: 0, but a leaf has no split"),
        (shop_tree, "column", 2, 0, r"kind\[2\]: 1, but a nominal column has no thresholds"),
        (shop_tree, "column", 0, 2, r"kind\[0\]: 4, but a numeric column has no levels"),
        (shop_tree, "cut", 2, 1.0, r"cut\[2\]: 1.0, but an ordinal cut lies halfway"),
        (shop_tree, "cut", 2, 2.5, r"cut\[2\]: 2.5, but an ordinal cut lies halfway"),
        (shop_tree, "cut", 2, -0.5, r"cut\[2\]: -0.5, but an ordinal cut lies halfway"),
        (shop_tree, "cut", 2, math.inf, r"cut\[2\]: inf, but an ordinal cut lies halfway"),
        (iris_tree, "default_branch", 0, 2, r"default_branch\[0\]: 2, but there is no such branch"),
        (iris_tree, "default_branch", 0, -2, r"default_branch\[0\]: -2, but there is no such branch"),
        (iris_tree, "default_branch", 1, 0, r"default_branch\[1\]: 0, but a leaf has no branches"),
        (tennis_tree, "level_start", 0, 1, r"level_start\[0\]: 1, but the levels start at 0"),
        (tennis_tree, "level_start", 2, 2, r"level_start\[2\]: 2, but it must not decrease"),
        (tennis_tree, "level_start", 8, 9, r"level_start\[8\]: 9, but there are 7 level codes"),
        (tennis_tree, "level_start", 3, 6, r"level_start\[3\]: 6, but the node before lists no levels"),
        (tennis_tree, "level_code", 2, 3, r"level_code\[2\]: 3, but the column has no such level"),
        (tennis_tree, "level_code", 2, -1, r"level_code\[2\]: -1, but the column has no such level"),
        (tennis_tree, "level_code", 2, 1, r"level_code\[2\]: 1, but the level is listed twice"),
        (tennis_tree, "level_branch", 2, 3, r"level_branch\[2\]: 3, but there is no such branch"),
        (tennis_tree, "level_branch", 2, 1, r"level_branch of node 0: no level leads to node 3"),
        (shop_tree, "level_branch", 1, 0, r"level_branch of node 0: several levels lead to node 1"),
        (iris_tree, "weight", 1, -1.0, r"weight\[1\]: -1.0, but a finite number of at least 0"),
        (iris_tree, "weight", 1, math.inf, r"weight\[1\]: inf"),
        (iris_tree, "weight", 0, 0.0, r"weight\[0\]: 0.0, but the root holds all cases"),
        (iris_tree, "cases", 1, 1.5, r"cases\[1\]: 1.5, but cases are whole numbers"),
        (iris_tree, "cases", 1, NAN, r"cases\[1\]: nan"),
        (iris_tree, "statistics", (3, 0), -1.0, r"statistics\[3\]: .*class weights are at least 0"),
        (iris_tree, "statistics", (3, 0), 1.0, r"statistics\[3\]: .*sum to the weight"),
        (iris_tree, "statistics", (3, 0), NAN, r"statistics\[3\]: "),
        (cars_tree, "statistics", (3, 0), NAN, r"statistics\[3\]: \[nan\], but a finite number"),
        (iris_tree, "risk", 2, NAN, r"risk\[2\]: nan"),
        (iris_tree, "gain", 1, 0.5, r"gain\[1\]: 0.5, but a leaf has no gain"),
    ],
)
def test_what_is_not_sound_is_refused_with_its_place(build, name, place, value, message):
    with pytest.raises(FormatError, match=f"nodes.{message}"):
        changed(build(), name, place, value).check()


def test_nodes_without_a_parent_are_refused():
    # Three nodes and two children in all, but they hang below the last node.
    tree = iris_tree()
    odd = dataclasses.replace(tree, n_children=np.array([0, 2, 2, 0, 0]))
    with pytest.raises(FormatError, match=r"nodes.n_children\[0\]: 0, but then the next node"):
        odd.check()


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"classes": ("a", "b", "a")}, "classes: a class is listed twice"),
        ({"classes": ("a", "b", NAN)}, "classes: NaN"),
    ],
)
def test_classes_that_are_none_are_refused(fields, message):
    with pytest.raises(FormatError, match=message):
        dataclasses.replace(iris_tree(), **fields).check()


def test_a_task_that_is_none_is_refused():
    with pytest.raises(FormatError, match="task: 'ranking'"):
        dataclasses.replace(cars_tree(), task="ranking").check()
    with pytest.raises(FormatError, match="classes: a regression model has no classes"):
        dataclasses.replace(cars_tree(), classes=("a",)).check()
    with pytest.raises(FormatError, match="classes: a classification model"):
        dataclasses.replace(cars_tree(), task="classification", statistics=np.zeros((5, 0))).check()
