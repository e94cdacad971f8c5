import numpy as np
import pytest
from sklearn.datasets import load_diabetes, load_iris
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from tests.courses import mushrooms, shop, tennis

from bough.data.table import Table
from bough.data.target import read_classes, read_numbers, read_weights
from bough.engines.memory import MemoryEngine
from bough.errors import ParameterError, TableError
from bough.growing.growth import grow
from bough.growing.limits import Limits
from bough.growing.recipe import Recipe
from bough.tree.split import Levels, Threshold


def classify(X, y, criterion="gini", weight=None, nominal="subset", missing="majority", **limits):
    table = Table.read(X)
    engine = MemoryEngine(table, read_classes(y), read_weights(weight, table.n_rows))
    return grow(engine, Recipe(criterion, nominal, Limits(**limits), missing, task="classification"))


def regress(X, y, criterion="squared_error", weight=None, **limits):
    table = Table.read(X)
    recipe = Recipe(criterion, limits=Limits(**limits), task="regression")
    engine = MemoryEngine(table, read_numbers(y), read_weights(weight, table.n_rows), reads=recipe.reads)
    return grow(engine, recipe)


def test_the_shop_is_told_apart_by_its_first_column_first():
    tree = classify(*shop(), criterion="misclassification")
    tree.check()
    assert tree.condition(1) == "referrer = s"
    assert tree.risk[tree.is_leaf].sum() == 0
    # referrer, num.visits and duration all leave 2 errors: the first column wins
    assert tree.split(0) == Levels(0, "subset", (0, 1, 2), (0, 1, 1), 2)
    assert tree.gain[0] == 2 / 8


def test_tennis_grows_into_the_tree_of_the_textbook():
    X, y = tennis()
    tree = classify(X, y, "entropy", nominal="complete")
    tree.check()
    assert [tree.condition(node) for node in tree.walk() if tree.is_leaf[node]] == [
        "Outlook = Overcast",
        "Wind = Strong",
        "Wind = Weak",
        "Humidity = High",
        "Humidity = Normal",
    ]
    assert tree.gain[0] == pytest.approx(0.247, abs=5e-4)
    assert (tree.predict(X) == y).all()


def test_a_branch_no_row_took_is_empty_and_answers_as_its_parent():
    X = np.array([["p", "u"], ["p", "v"], ["q", "u"], ["q", "v"], ["q", "w"]], dtype=object)
    tree = classify(X, ["b", "a", "c", "c", "c"], "entropy", nominal="complete")
    tree.check()
    [empty] = np.flatnonzero(tree.weight == 0)
    assert tree.condition(empty) == "x1 = w"
    assert tree.parent[empty] == 1
    assert tree.answer(empty) == tree.answer(1) == "a"
    assert (tree.rows[empty], tree.risk[empty], tree.is_leaf[empty]) == (0, 0, True)


def test_mushrooms_are_asked_for_their_colour_first():
    X, y = mushrooms()
    tree = classify(X, y, "entropy", nominal="complete")
    # colour and points leave the same entropy: the first column wins
    assert tree.split(0).column == 0
    assert (tree.predict(X) == y).all()


def test_missing_values_go_with_most_of_the_known_weight():
    X = np.array([[1.0], [2.0], [3.0], [np.nan], [np.nan]])
    tree = classify(X, [0, 1, 1, 0, 0])
    assert tree.split(0) == Threshold(0, 1.5)
    assert tree.default_branch[0] == 1
    assert tree.statistics.tolist()[:3] == [[3, 2], [1, 0], [2, 2]]
    # gained for the three known cases: the gini of 1 against 2, for three fifths of the node
    assert tree.gain[0] == pytest.approx(4 / 9 * 3 / 5)


def test_ties_of_the_default_go_to_the_lowest_branch():
    assert classify([[1.0], [2.0]], [0, 1]).default_branch.tolist() == [0, -1, -1]


def test_missing_values_can_be_refused():
    with pytest.raises(TableError, match="Column 'x1' has missing values in 1 cases"):
        classify([[1.0, 2.0], [2.0, None]], [0, 1], missing="refuse")
    assert classify([[1.0, 2.0], [2.0, 3.0]], [0, 1], missing="refuse").n_leaves == 2


def test_iris_is_grown_as_sklearn_grows_it():
    X, y = load_iris(return_X_y=True)
    for limits in ({}, {"max_depth": 2}, {"min_samples_leaf": 10}, {"min_impurity_decrease": 0.01}):
        for criterion in ("gini", "entropy"):
            ours = classify(X, y, criterion, **limits)
            theirs = DecisionTreeClassifier(criterion=criterion, random_state=0, **limits).fit(X, y)
            assert ours.n_leaves == theirs.get_n_leaves()
            assert ours.depth == theirs.get_depth()
            assert np.allclose(ours.risk[ours.is_leaf].sum(), (1 - theirs.predict_proba(X).max(axis=1)).sum())


@pytest.mark.parametrize("criterion", ["squared_error", "absolute_error", "poisson"])
@pytest.mark.parametrize("weighted", [False, True])
def test_diabetes_is_predicted_as_sklearn_predicts_it(criterion, weighted):
    X, y = load_diabetes(return_X_y=True)
    X, y = X[:150], y[:150]
    weight = np.random.default_rng(0).random(150) + 0.1 if weighted else None
    limits = {"max_depth": 3, "min_samples_leaf": 5}
    ours = regress(X, y, criterion, weight, **limits)
    ours.check()
    theirs = DecisionTreeRegressor(criterion=criterion, random_state=0, **limits).fit(X, y, weight)
    assert ours.predict(X) == pytest.approx(theirs.predict(X))


@pytest.mark.parametrize("leaves", [2, 5, 12])
def test_with_a_limit_on_leaves_the_best_splits_come_first_as_in_sklearn(leaves):
    X, y = load_diabetes(return_X_y=True)
    ours = regress(X, y, max_leaf_nodes=leaves)
    ours.check()
    theirs = DecisionTreeRegressor(max_leaf_nodes=leaves, random_state=0).fit(X, y)
    assert ours.n_leaves == leaves
    assert ours.predict(X) == pytest.approx(theirs.predict(X))


def test_a_split_into_more_leaves_than_are_left_is_passed_over():
    X = np.array([["a", "u"], ["b", "u"], ["c", "v"], ["d", "v"]], dtype=object)
    tree = classify(X, ["0", "1", "2", "3"], "entropy", nominal="complete", max_leaf_nodes=3)
    # the first column is the better one, but needs four leaves, and a node has only its best split
    assert tree.n_leaves == 1
    assert classify(X, ["0", "1", "2", "3"], "entropy", nominal="complete", max_leaf_nodes=4).n_leaves == 4


def test_no_gain_at_all_still_splits_unless_a_gain_is_wanted():
    X, y = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], [0, 1, 1, 0]
    assert classify(X, y).n_leaves == 4
    assert classify(X, y, min_gain=0.0).n_leaves == 1
    assert classify(X, y, significance=0.9).n_leaves == 1


def test_a_criterion_the_user_wrote_grows_a_tree():
    def fewest_squares(children):
        weight, total, squares = np.moveaxis(children, 2, 0)
        return -(squares - total * total / weight).sum(axis=1)

    X, y = load_diabetes(return_X_y=True)
    X, y = X[:100, :4], y[:100]
    mine = regress(X, y, fewest_squares, max_depth=3)
    known = regress(X, y, max_depth=3)
    assert mine.criterion == "fewest_squares"
    assert (mine.column == known.column).all()
    assert np.array_equal(mine.cut, known.cut, equal_nan=True)


def test_a_criterion_the_user_wrote_chooses_subsets_of_classes():
    def purest(children):
        return (children.max(axis=2) / children.sum(axis=2)).max(axis=1)

    tree = classify(*shop(), criterion=purest, max_depth=1)
    assert tree.condition(1) == "referrer = s"


def test_an_engine_that_sums_something_else_is_refused():
    engine = MemoryEngine(Table.read([[1.0], [2.0]]), np.array([1.0, 2.0]))
    with pytest.raises(ParameterError, match="make the engine with reads='rates'"):
        grow(engine, Recipe("poisson", task="regression"))


def test_a_tree_tells_its_recipe():
    tree = classify(*shop(), max_depth=1)
    assert tree.recipe["limits"] == {"max_depth": 1}
    assert tree.recipe["nominal"] == "subset"
    assert tree.criterion == "gini"


def test_infinities_are_values_like_others():
    X = np.array([[-np.inf], [0.0], [np.inf], [np.inf]])
    tree = classify(X, [0, 1, 2, 2])
    assert (tree.predict(X) == [0, 1, 2, 2]).all()
    assert tree.split(0) == Threshold(0, np.inf)
