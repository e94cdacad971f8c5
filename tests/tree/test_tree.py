import copy
import dataclasses
import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from tests.hand_trees import shop_tree, weekday_tree
from tests.strategies import trees

from bough.data.schema import Column, Schema
from bough.data.table import Table
from bough.errors import ParameterError, SchemaError, TargetError
from bough.example_models import cars_tree, iris_tree, tennis_tree
from bough.tree import Tree
from bough.tree.split import Levels, Threshold


def test_regression_answers_with_means():
    cars = pd.DataFrame({"hp": [93.0, 110.0, 245.0], "cyl": [4.0, 6.0, 8.0]})
    assert cars_tree().predict(cars).round(4).tolist() == [26.6636, 18.2643, 13.4143]


def test_shape():
    tree = tennis_tree()
    assert (tree.n_nodes, tree.n_leaves, tree.depth) == (8, 5, 2)
    assert [list(tree.children(node)) for node in (0, 1, 2)] == [[1, 2, 3], [4, 5], []]
    assert tree.path(7) == [0, 3, 7]
    assert list(tree.walk()) == [0, 1, 4, 5, 2, 3, 6, 7]


@pytest.mark.parametrize("node", [-1, 8, 0.5])
def test_a_node_that_is_not_there_is_refused(node):
    tree = tennis_tree()
    for method in (tree.node, tree.children, tree.path, tree.split, tree.condition, tree.answer):
        with pytest.raises(ParameterError, match="from 0 to 7"):
            method(node)


def test_splits_come_back_as_they_went_in():
    tree = shop_tree()
    assert tree.split(0) == Levels(0, "one_vs_rest", (0, 1, 2), (0, 1, 1), 2)
    assert tree.split(2) == Threshold(1, 0.5)
    assert tree.split(1) is None


def test_a_missing_value_goes_by_default_or_stays():
    rows = np.array([[None, 2.0], [5.0, None]], dtype=object)
    assert iris_tree().apply(rows).tolist() == [4, 3]
    stays = tennis_tree().apply(np.array([["Sunny", "Hot", None, "Weak"]], dtype=object))
    assert stays.tolist() == [1]
    assert tennis_tree().predict(np.array([["Sunny", "Hot", None, "Weak"]], dtype=object)).tolist() == ["No"]


def test_a_level_never_seen_goes_where_missing_goes():
    tree = tennis_tree()
    assert tree.apply(np.array([["Fog", "Hot", "High", "Weak"]], dtype=object)).tolist() == [0]


def test_an_empty_node_answers_as_its_nearest_ancestor_that_is_not():
    shop = shop_tree()
    assert shop.answers()[8] == shop.answers()[4] == np.True_
    assert shop.class_weights()[8].tolist() == [0.0, 1.0]
    rain = weekday_tree()
    assert rain.answering.tolist() == [0, 1, 2, 0, 4, 5, 0, 0, 4, 9, 0, 0]
    assert rain.answer(11) == rain.answers()[11] == 2.0


def test_of_equal_classes_the_first_is_answered():
    assert iris_tree().answer(0) == "setosa"
    assert iris_tree().answer(2) == "versicolor"


def test_probabilities_are_shares_unless_smoothed():
    flower = [[5.0, 1.0]]
    tree = iris_tree()
    assert tree.predict_proba(flower).tolist() == [[0.0, 49 / 54, 5 / 54]]
    assert tree.predict_proba(flower, "laplace").tolist() == [[1 / 57, 50 / 57, 6 / 57]]
    assert tree.predict_proba(flower, 3).tolist() == [[1 / 57, 50 / 57, 6 / 57]]
    assert tree.predict_proba(flower, smoothing=30.0)[0] == pytest.approx([10 / 84, 59 / 84, 15 / 84])


def test_probabilities_of_an_empty_leaf_are_those_of_its_ancestor():
    row = np.array([["o", "many", 1.0]], dtype=object)
    assert shop_tree().apply(row).tolist() == [8]
    assert shop_tree().predict_proba(row).tolist() == [[0.0, 1.0]]


@pytest.mark.parametrize("smoothing", ["some", 0, -1.0, float("nan"), float("inf"), True, None])
def test_other_smoothing_is_refused(smoothing):
    with pytest.raises(ParameterError, match="smoothing is"):
        iris_tree().predict_proba([[5.0, 1.0]], smoothing)


def test_what_a_tree_of_the_other_task_cannot_say_is_refused():
    with pytest.raises(TargetError, match="predict_proba"):
        cars_tree().predict_proba([[4.0, 90.0]])
    with pytest.raises(TargetError, match="class_weights"):
        cars_tree().class_weights()
    with pytest.raises(TargetError, match="spread"):
        iris_tree().spread()


def test_answers_keep_the_type_of_the_labels():
    assert shop_tree().answers().dtype == np.bool_
    labels = dataclasses.replace(iris_tree(), classes=(1, 2, 3))
    assert labels.answers().dtype.kind == "i"
    mixed = dataclasses.replace(iris_tree(), classes=(1, 2.5, True))
    assert [type(label) for label in mixed.answers()] == [int, int, float, float, bool]


def test_decision_path_is_sklearns_matrix():
    matrix = iris_tree().decision_path([[1.4, 0.2], [5.1, 1.9]])
    assert matrix.format == "csr"
    assert matrix.toarray().tolist() == [[1, 1, 0, 0, 0], [1, 0, 1, 0, 1]]


@pytest.mark.parametrize(
    "row",
    [
        {"Petal.Width": 1.9, "Petal.Length": 5.1},
        [5.1, 1.9],
        (5.1, 1.9),
        np.array([5.1, 1.9]),
        [[5.1, 1.9]],
        pd.DataFrame({"Petal.Width": [1.9], "Petal.Length": [5.1]}),
    ],
)
def test_the_path_of_a_row_in_words(row):
    assert iris_tree().path_of(row) == ["Petal.Length >= 2.45", "Petal.Width >= 1.75"]


def test_the_path_of_a_row_says_where_a_value_was_wanting():
    assert shop_tree().path_of({"referrer": None, "num.visits": "once", "duration": 1.0}) == [
        "referrer is missing or new here, so as if referrer is not s",
        "num.visits <= once",
        "referrer is missing or new here, so the row stays",
    ]


def test_the_path_of_a_row_with_other_columns_is_refused():
    with pytest.raises(SchemaError, match=r"'Sepal.Length'"):
        iris_tree().path_of({"Petal.Width": 1.9, "Petal.Length": 5.1, "Sepal.Length": 1.0})


def test_the_path_of_two_rows_is_refused():
    with pytest.raises(ParameterError, match="one row"):
        iris_tree().path_of([[5.1, 1.9], [1.4, 0.2]])


def test_a_table_of_the_same_schema_is_taken_as_it_is():
    tree = iris_tree()
    table = Table(iris_tree().schema, (np.array([1.4]), np.array([0.2])), 1)
    assert tree.apply(table).tolist() == [1]


def test_arrays_are_read_only_and_not_copied():
    fields = {field.name: getattr(iris_tree(), field.name) for field in dataclasses.fields(Tree)}
    weight = fields["weight"] = np.array(fields["weight"])
    tree = Tree(**fields)
    assert np.shares_memory(tree.weight, weight)
    assert weight.flags.writeable
    for name in ("weight", "parent", "statistics", "level_code"):
        with pytest.raises(ValueError, match="read-only"):
            getattr(tree, name)[...] = 0
    with pytest.raises(dataclasses.FrozenInstanceError):
        tree.weight = weight


def test_equal_trees_are_equal_and_others_are_not():
    assert iris_tree() == iris_tree()
    assert hash(iris_tree()) == hash(iris_tree())
    assert iris_tree() != cars_tree()
    assert iris_tree() != "iris"
    assert iris_tree() != dataclasses.replace(iris_tree(), cut=[2.5, np.nan, 1.75, np.nan, np.nan])
    assert dataclasses.replace(iris_tree(), classes=(0, 1, 2)) != dataclasses.replace(
        iris_tree(), classes=(False, True, 2)
    )


@given(trees())
def test_pickle_and_copy_keep_a_tree(tree):
    tree.answers()
    for again in (pickle.loads(pickle.dumps(tree)), copy.deepcopy(tree), copy.copy(tree)):
        assert again == tree
        assert not again.weight.flags.writeable
        assert "_answers" not in vars(again)


@given(trees())
def test_drawn_trees_are_sound(tree):
    tree.check()
    assert tree.n_leaves == sum(tree.split(node) is None for node in range(tree.n_nodes))
    assert tree.depth == max(len(tree.path(node)) for node in range(tree.n_nodes)) - 1
    assert sorted(tree.walk()) == list(range(tree.n_nodes))


def test_a_tree_of_one_leaf_answers_the_same_always():
    tree = Tree.from_splits(
        [None],
        schema=Schema((Column("x", "numeric"),)),
        task="regression",
        classes=(),
        target_name="y",
        criterion="squared_error",
        rows=[3],
        statistics=[[2.0]],
        risk=[6.0],
    )
    assert (tree.depth, tree.n_leaves) == (0, 1)
    assert tree.predict([[1.0], [np.nan]]).tolist() == [2.0, 2.0]
    assert tree.decision_path([[1.0]]).toarray().tolist() == [[1]]
    assert tree.path_of([1.0]) == []
    assert [str(rule) for rule in tree.rules()] == ["always -> 2"]
