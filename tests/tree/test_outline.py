import dataclasses

import numpy as np
import pytest
from hypothesis import given
from tests.goldens import golden_text
from tests.hand_trees import shop_tree, weekday_tree
from tests.strategies import trees

import bough
from bough.data.schema import Column, Schema
from bough.errors import ParameterError
from bough.example_models import cars_tree, iris_tree, tennis_tree
from bough.tree import Tree
from bough.tree.outline import headline, outline
from bough.tree.split import Levels

GOLDENS = {
    "tennis": tennis_tree,
    "iris": iris_tree,
    "cars": cars_tree,
    "shop": shop_tree,
    "weekday": weekday_tree,
}


@pytest.mark.parametrize("name", GOLDENS)
def test_trees_print_as_stored(name):
    text = str(GOLDENS[name]()) + "\n"
    assert text == golden_text(f"{name}.txt", text)


@given(trees())
def test_every_node_has_one_line(tree):
    lines = outline(tree, max_lines=None, width=None).splitlines()
    shown = [int(line.split()[0]) for line in lines[3:]]
    assert shown == list(tree.walk())
    assert sum(line.endswith("  *") for line in lines) == tree.n_leaves


def chain(n_splits):
    """A tree that splits its second branch again and again."""
    from bough.tree.split import Threshold

    splits = [Threshold(0, 0.0)]
    for level in range(1, n_splits):
        splits += [None, Threshold(0, float(level))]
    n_nodes = 2 * n_splits + 1
    return Tree.from_splits(
        [*splits, None, None],
        schema=Schema((Column("x", "numeric"),)),
        task="regression",
        classes=(),
        target_name=None,
        criterion="squared_error",
        cases=np.arange(n_nodes, 0, -1),
        statistics=np.zeros((n_nodes, 1)),
        risk=np.zeros(n_nodes),
    )


def test_a_large_tree_shows_its_top_and_says_how_to_see_more():
    tree = chain(500)
    lines = str(tree).splitlines()
    assert len(lines) == 200 + 5
    assert (
        lines[-1] == "801 of 1001 nodes are not shown: tree.text(max_lines=1001) shows all, tree.node(i) one."
    )
    assert len(tree.text(max_lines=1001).splitlines()) == 1001 + 3
    assert "not shown" not in tree.text(max_lines=None)


def test_max_depth_shows_that_many_levels():
    lines = chain(500).text(max_depth=2).splitlines()
    assert [line.split()[0] for line in lines[3:-2]] == ["0", "1", "2", "3", "4"]
    assert lines[-1] == "996 of 1001 nodes are not shown: tree.text(max_depth=3) shows one level more."


@pytest.mark.parametrize("limits", [{"max_depth": -1}, {"max_lines": 0}])
def test_limits_that_show_nothing_are_refused(limits):
    with pytest.raises(ParameterError, match=next(iter(limits))):
        iris_tree().text(**limits)


def test_many_levels_and_many_classes_are_cut_short():
    towns = tuple(f"town{number}" for number in range(30))
    tree = Tree.from_splits(
        [Levels(0, "subset", tuple(range(30)), (0,) * 20 + (1,) * 10, 2), None, None],
        schema=Schema((Column("town", "nominal", towns),)),
        task="classification",
        classes=tuple(range(10)),
        target_name="digit",
        criterion="gini",
        cases=[100, 60, 40],
        statistics=[[10] * 10, [6] * 10, [4] * 10],
        risk=[90, 54, 36],
    )
    text = str(tree)
    assert "town in {town0, town1, town2, town3, town4, town5, town6, town7, ... 12 more}" in text
    assert "share  (* leaf)" in text
    assert text.count("10.0%") == 3


def test_the_headline_says_the_weight_where_it_is_not_the_cases():
    heavy = dataclasses.replace(cars_tree(), weight=cars_tree().cases * 0.5)
    assert headline(heavy) == "Regression tree for mpg: 3 leaves, depth 2, 32 cases, weight 16"
    assert repr(heavy) == f"<{headline(heavy)}>"


def test_a_median_is_called_so():
    assert "median" in str(weekday_tree())
    assert "mean" in str(cars_tree())


def rows_with_gaps_below():
    """Missing values belong to the smaller of the two branches of each column."""
    X = [[float(i), "u" if i < 3 else "v"] for i in range(12)]
    y = ["a"] * 3 + ["b"] * 9
    return [*X, [None, "u"], [1.0, None]], [*y, "a", "a"]


def test_a_learned_branch_that_is_not_the_largest_says_missing():
    X, y = rows_with_gaps_below()
    tree = bough.TreeClassifier().fit(X, y).tree_
    text = tree.text()
    assert "x0 < 2.5 or missing" in text
    assert "x0 >= 2.5 or missing" not in text
    assert text.endswith(
        'Missing values take the branch that says "or missing", and elsewhere the branch of greatest weight.'
    )
    assert tree.predict([[None, "v"]]).tolist() == ["a"]
    assert [rule.premise() for rule in tree.rules()] == ["x0 < 2.5 or missing", "x0 >= 2.5"]
    levels = bough.TreeClassifier().fit([[row[1]] for row in X], y).tree_
    assert "x0 = u or missing" in levels.text()
    assert levels.rules()[0].premise() == "x0 = u or missing"


@pytest.mark.parametrize("missing", ["majority", "own_level", "refuse"])
def test_other_policies_print_no_learned_branch(missing):
    X, y = rows_with_gaps_below()
    if missing == "refuse":
        X, y = X[:12], y[:12]
    assert "or missing" not in bough.TreeClassifier(missing=missing).fit(X, y).tree_.text()


def test_a_learned_tree_of_complete_rows_prints_no_learned_branch():
    X, y = rows_with_gaps_below()
    assert "missing" not in bough.TreeClassifier().fit(X[:12], y[:12]).tree_.text()


def test_the_print_out_says_where_missing_values_go():
    rng = np.random.default_rng(4)
    X = rng.normal(size=(300, 3)).round(1)
    y = X[:, 0] + X[:, 1] + rng.normal(size=300) > 0.8
    X[rng.random((300, 3)) < 0.15] = np.nan
    tree = bough.TreeClassifier(max_depth=5).fit(X, y).tree_
    lines = {int(line.split()[0]): line for line in tree.text().split("\n") if line[:4].strip().isdigit()}
    marked = {node for node, line in lines.items() if "or missing" in line}
    assert marked
    for node in np.flatnonzero(~tree.is_leaf).tolist():
        children, to = tree.children(node), tree.node(node).missing_to
        said = [child for child in children if child in marked or "is missing" in lines[child]]
        assert said in ([], [to])
        if not said:
            assert to == max(children, key=lambda child: tree.weight[child])
    for rule in tree.rules():
        for condition in rule.conditions:
            meets = bool(condition.covers(np.array([np.nan]))[0])
            assert meets or "missing" not in condition.words(tree.schema)


def many_levels_tree(n_levels=100):
    """A tree that sends 99 of 100 levels with long names to one branch."""
    levels = [f"level of a long name {code}" for code in range(n_levels)]
    X = np.array([[levels[row % n_levels]] for row in range(2 * n_levels)], dtype=object)
    y = [200_000.5 if row % n_levels else 100.25 for row in range(2 * n_levels)]
    return bough.TreeRegressor(max_depth=1).fit(X, y).tree_


def test_a_hundred_levels_are_shortened_with_a_count_and_shown_on_request():
    tree = many_levels_tree()
    assert "... 91 more}" in tree.text()
    assert all(f"name {code}," in " ".join(tree.text(max_levels=None).split()) for code in range(1, 98))


@pytest.mark.parametrize("width", [70, 100])
def test_lines_fit_the_width_and_rules_keep_their_arrow_column(width):
    tree = many_levels_tree()
    for text in (tree.text(width=width), tree.rules().text(width=width, max_levels=None)):
        assert max(map(len, text.splitlines())) <= width
    rules = tree.rules().text(width=width).splitlines()
    assert len({line.index(" -> ") for line in rules if " -> " in line}) == 1


def test_digits_are_those_asked_for_and_equal_within_a_column():
    tree = cars_tree()
    means = [line.split()[-3 if line.endswith("*") else -2] for line in tree.text(digits=3).splitlines()[3:]]
    assert means == ["20.1", "26.7", "16.6", "18.3", "13.4"]
    assert "->  26.7  11 cases (34.4%), deviation 4.30" in tree.rules().text(digits=3)
    assert "100.2  " in many_levels_tree().text(digits=7)


@pytest.mark.parametrize("options", [{"digits": 0}, {"digits": 2.5}, {"max_levels": 0}, {"width": 5}])
def test_options_of_text_that_make_no_sense_are_refused(options):
    for shown in (cars_tree(), cars_tree().rules()):
        with pytest.raises(ParameterError, match=next(iter(options))):
            shown.text(**options)


@pytest.mark.parametrize("max_depth", [None, 1])
def test_lines_fit_the_width_and_the_marks_are_explained(max_depth):
    penguins = bough.datasets.penguins()
    tree = bough.CHAIDClassifier().fit(penguins.drop(columns="species"), penguins["species"]).tree_
    text = tree.text(max_depth=max_depth, width=80)
    assert max(map(len, text.splitlines())) <= 80
    assert "flipper_length_mm" in text.replace("\n", " ")
    assert not {"flipper_length_m", "m", "flipper_length", "_mm"} & set(text.split())
    assert "(* leaf)" in text if max_depth is None else "(* leaf, ... more below)" in text
    assert "(* leaf" in tree.text(max_depth=max_depth, width=None).splitlines()[2]


def test_linear_models_of_leaves_are_wrapped():
    penguins = bough.datasets.penguins().dropna(subset="body_mass_g")
    model = bough.M5Regressor().fit(penguins.drop(columns="body_mass_g"), penguins["body_mass_g"])
    assert max(map(len, model.tree_.text(width=80).splitlines())) <= 80
