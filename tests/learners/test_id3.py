"""ID3: levels only, each column once on a path, and Quinlan's chi-square stop."""

import numpy as np
import pandas as pd
import pytest
from tests.courses import tennis

import bough
from bough.errors import TableError


def noise(n_rows=400, seed=0):
    """Levels that have nothing to do with the classes."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame({name: rng.choice(list("pqrs"), n_rows) for name in ("first", "second", "third")})
    return X, rng.integers(0, 2, n_rows)


def test_numbers_are_refused_with_advice():
    X = pd.DataFrame({"colour": ["red", "blue"], "age": [31, 44]})
    with pytest.raises(
        TableError, match=r"Column 'age' is numeric.* Discretize it.*categorical_features.*CARTClassifier"
    ):
        bough.ID3Classifier().fit(X, [0, 1])
    tree = bough.ID3Classifier(categorical_features=["age"]).fit(X[["age"]], [0, 1]).tree_
    assert [tree.condition(child) for child in tree.children(0)] == ["age = 31", "age = 44"]


def test_all_numbers_can_be_said_to_be_levels():
    model = bough.ID3Classifier(categorical_features="all").fit([[3, 1], [3, 2], [4, 2]], [0, 1, 1])
    assert model.tree_.schema["x0"].levels == (3, 4)
    assert model.predict([[3, 1], [4, 2]]).tolist() == [0, 1]


def test_a_column_comes_once_on_a_path():
    X, y = noise()
    tree = bough.ID3Classifier().fit(X.mask(np.random.default_rng(1).random(X.shape) < 0.1), y).tree_
    assert tree.depth == 3
    for leaf in np.flatnonzero(tree.is_leaf):
        asked = [int(tree.column[node]) for node in tree.path(leaf)[:-1]]
        assert len(asked) == len(set(asked))


def test_every_level_has_a_branch_and_empty_ones_answer_as_their_parent():
    X, y = tennis()
    X["Outlook"] = pd.Categorical(X["Outlook"], ["Overcast", "Rain", "Snow", "Sunny"])
    model = bough.ID3Classifier().fit(X, y)
    tree = model.tree_
    assert [tree.condition(child) for child in tree.children(0)][2] == "Outlook = Snow"
    snow = X[:1].assign(Outlook="Snow")
    assert tree.weight[model.apply(snow)].tolist() == [0]
    assert model.predict(snow).tolist() == ["Yes"]
    assert model.predict_proba(snow)[0] == pytest.approx([5 / 14, 9 / 14])


def test_ordered_levels_are_split_completely_too():
    sizes = pd.Categorical(["S", "M", "L"] * 2, ["S", "M", "L"], ordered=True)
    for model in (
        bough.ID3Classifier().fit(pd.DataFrame({"size": sizes}), list("abaaba")),
        bough.ID3Classifier(ordinal_features={"size": ["S", "M", "L"]}).fit(
            pd.DataFrame({"size": list(sizes)}), list("abaaba")
        ),
    ):
        tree = model.tree_
        assert [tree.condition(child) for child in tree.children(0)] == ["size = S", "size = M", "size = L"]
        assert model.predict(pd.DataFrame({"size": sizes[:3]})).tolist() == ["a", "b", "a"]


def test_where_no_column_gains_the_node_is_a_leaf():
    X, y = [["p", "u"], ["p", "v"], ["q", "u"], ["q", "v"]], [0, 1, 1, 0]
    assert bough.ID3Classifier().fit(X, y).get_n_leaves() == 1


def test_the_chi_square_test_stops_what_is_chance():
    X, y = noise()
    assert bough.ID3Classifier().fit(X, y).get_n_leaves() > 30
    assert bough.ID3Classifier(significance=1e-3).fit(X, y).get_n_leaves() == 1
    X["third"] = np.where(y == 1, "p", "q")
    tree = bough.ID3Classifier(significance=1e-3).fit(X, y).tree_
    assert tree.depth == 1
    assert tree.schema[int(tree.column[0])].name == "third"


def test_the_test_is_pearsons():
    # 7 of 10 against 3 of 10: chi-square is 3.2 on one degree of freedom, p = 0.0736
    X, y = [["p"]] * 10 + [["q"]] * 10, [0] * 7 + [1] * 3 + [0] * 3 + [1] * 7
    assert bough.ID3Classifier(significance=0.0737).fit(X, y).get_n_leaves() == 2
    assert bough.ID3Classifier(significance=0.0736).fit(X, y).get_n_leaves() == 1


def test_depth_and_cases_limit_it_as_others():
    X, y = noise()
    assert bough.ID3Classifier(max_depth=2).fit(X, y).get_depth() == 2
    tree = bough.ID3Classifier(min_samples_split=40).fit(X, y).tree_
    assert tree.cases[~tree.is_leaf].min() >= 40


def test_a_table_that_was_fitted_is_predicted():
    X = pd.DataFrame({"size": pd.Categorical(["s", "l", "s"], ["s", "l"], ordered=True), "empty": [None] * 3})
    table = bough.Table.read(X)
    assert [column.scale for column in table.schema] == ["ordinal", "numeric"]
    model = bough.ID3Classifier().fit(table, ["a", "b", "a"])
    assert model.predict(table).tolist() == ["a", "b", "a"]
