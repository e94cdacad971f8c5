"""Monotonic constraints of trees and forests, sampled columns and random splits of single trees."""

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import bough
from bough.errors import ParameterError, TableError

OURS = {"classification": bough.TreeClassifier, "regression": bough.TreeRegressor}
FORESTS = {
    "classification": (bough.RandomForestClassifier, bough.ExtraTreesClassifier),
    "regression": (bough.RandomForestRegressor, bough.ExtraTreesRegressor),
}
THEIRS = {"classification": DecisionTreeClassifier, "regression": DecisionTreeRegressor}
TASKS = tuple(OURS)


def table(seed, task, n_columns=4, n_rows=150):
    random = np.random.default_rng(seed)
    X = random.normal(size=(random.integers(5, n_rows), n_columns)).astype(np.float32)
    y = X[:, 0] * random.normal() + random.normal(size=len(X))
    if task == "classification":
        y = (y > np.median(y)).astype(int)
    return random, X, y


def answers(model, X):
    return model.predict_proba(X)[:, 1] if hasattr(model, "predict_proba") else model.predict(X)


@pytest.mark.parametrize("task", TASKS)
def test_constrained_trees_part_rows_as_scikit_learns(task):
    # Weights drawn at random leave no two splits of larger nodes tied; nodes of two or three rows may be.
    for seed in range(40):
        random, X, y = table(seed, task)
        weight, directions = random.uniform(0.5, 2, size=len(y)), random.integers(-1, 2, size=X.shape[1])
        settings = {"max_depth": int(random.integers(1, 8)), "min_samples_leaf": int(random.integers(3, 6))}
        ours = OURS[task](monotonic_cst=directions, **settings).fit(X, y, weight)
        theirs = THEIRS[task](monotonic_cst=directions, random_state=0, **settings).fit(X, y, weight)
        np.testing.assert_allclose(answers(ours, X), answers(theirs, X), rtol=1e-9, atol=1e-12)
        whole = FORESTS[task][0](
            3, bootstrap=False, max_features=None, monotonic_cst=directions, random_state=0, **settings
        )
        np.testing.assert_allclose(
            answers(whole.fit(X, y, weight), X), answers(theirs, X), rtol=1e-9, atol=1e-12
        )


@pytest.mark.parametrize("kind", ["best", "random", "forest", "extra trees"])
@pytest.mark.parametrize("criterion", ["gini", "entropy", "squared_error", "poisson"])
def test_answers_follow_the_direction(criterion, kind):
    task = "classification" if criterion in ("gini", "entropy") else "regression"
    constrained = 0
    for seed in range(15):
        random, X, y = table(seed, task, n_columns=3)
        given = {"monotonic_cst": {"x0": 1, "x2": -1}, "criterion": criterion, "random_state": seed}
        if kind in ("best", "random"):
            model = OURS[task](splitter=kind, **given)
        else:
            model = FORESTS[task][kind == "extra trees"](10, **given)
        model.fit(X, np.exp(y) if criterion == "poisson" else y)
        rows = np.repeat(random.normal(size=(20, 3)), 30, axis=0)
        for column, direction in ((0, 1), (2, -1)):
            moved = rows.copy()
            moved[:, column] = np.tile(np.linspace(-3, 3, 30), 20)
            steps = np.diff(answers(model, moved).reshape(20, 30), axis=1) * direction
            assert steps.min() >= -1e-12
            constrained += (steps > 0).any()
    assert constrained > 10


@pytest.mark.parametrize("task", TASKS)
def test_weights_of_two_give_the_same_constrained_tree(task):
    # Rows of unit weight and weighted rows are searched by different scans.
    for seed in range(25):
        random, X, y = table(seed, task, n_rows=1500)
        X = np.round(X, int(random.integers(0, 4)))
        model = OURS[task](monotonic_cst=random.integers(-1, 2, size=X.shape[1]))
        once, twice = (model.fit(X, y, weight).tree_ for weight in (None, np.full(len(y), 2.0)))
        np.testing.assert_array_equal(once.column, twice.column)
        np.testing.assert_array_equal(once.cut, twice.cut)


@pytest.mark.parametrize("kind", [0, 1], ids=["forest", "extra trees"])
@pytest.mark.parametrize("task", TASKS)
def test_a_constrained_forest_grows_again_from_its_recipe(task, kind):
    _, X, y = table(2, task, n_rows=2000)
    model = FORESTS[task][kind](5, monotonic_cst=[1, 0, -1, 0], random_state=4, max_leaf_nodes=9).fit(X, y)
    assert model.forest_.recipe["monotonic_cst"] == {"x0": 1, "x2": -1}
    by_name = FORESTS[task][kind](
        5, monotonic_cst={"x2": -1, "x0": 1}, random_state=4, max_leaf_nodes=9, n_jobs=1
    )
    assert by_name.fit(X, y).forest_ == model.forest_ == bough.regrow(model.forest_, X, y)
    free = FORESTS[task][kind](5, monotonic_cst=[0, 0, 0, 0], random_state=4, max_leaf_nodes=9).fit(X, y)
    assert free.forest_ != model.forest_
    assert free.forest_ == bough.regrow({**model.forest_.recipe, "monotonic_cst": None}, X, y)


def test_unconstrained_columns_answer_within_the_bounds_of_their_ancestors():
    X = [[0, 0], [0, 0], [0, 1], [1, 0], [1, 1], [1, 1]]
    y = [0.0, 0.0, 9.0, 4.0, 8.0, 8.0]
    free = bough.TreeRegressor(max_depth=2).fit(X, y)
    assert free.predict([[0, 1]])[0] > free.predict([[1, 1]])[0]
    bounded = bough.TreeRegressor(max_depth=2, monotonic_cst={"x0": 1}).fit(X, y)
    assert bounded.predict([[0, 1]])[0] <= bounded.predict([[1, 1]])[0]


@pytest.mark.parametrize("settings", [{"max_features": 1}, {"splitter": "random"}, {"max_features": "sqrt"}])
@pytest.mark.parametrize("criterion", ["gini", "squared_error", "absolute_error"])
def test_drawn_trees_do_not_depend_on_threads_and_grow_again(criterion, settings):
    task = "classification" if criterion == "gini" else "regression"
    _, X, y = table(3, task, n_rows=9000)
    levels = np.array(list("abcd"))[np.abs(X[:, 3]).astype(int) % 4]
    rows = [[*map(float, row[:3]), level] for row, level in zip(X, levels, strict=True)]
    trees = [
        OURS[task](criterion, max_depth=6, random_state=5, n_jobs=n_jobs, **settings).fit(rows, y).tree_
        for n_jobs in (1, 3)
    ]
    assert trees[0] == trees[1]
    assert bough.regrow(trees[0].recipe, rows, y) == trees[0]
    other = OURS[task](criterion, max_depth=6, random_state=6, **settings).fit(rows, y).tree_
    assert other != trees[0]


def test_a_node_searches_no_more_columns_than_asked_for_unless_none_can_be_split():
    random = np.random.default_rng(0)
    X = np.column_stack([np.zeros((400, 3)), random.normal(size=(400, 2))])
    y = X[:, 3] + 0.01 * random.normal(size=400)
    roots = {
        int(bough.TreeRegressor(max_features=1, random_state=seed, max_depth=1).fit(X, y).tree_.column[0])
        for seed in range(40)
    }
    # Column 3 is best, column 4 is taken where it alone is drawn; constant columns do not count.
    assert roots == {3, 4}


@pytest.mark.parametrize("task", TASKS)
def test_drawn_cuts_lie_within_the_values_of_their_node(task):
    _, X, y = table(7, task, n_rows=2000)
    model = OURS[task](splitter="random", random_state=1).fit(X, y)
    tree = model.tree_
    paths = np.asarray(model.decision_path(X).todense()).astype(bool)
    midpoints = 0
    for node in np.flatnonzero(tree.first_child >= 0):
        values = np.sort(X[paths[:, node], tree.column[node]].astype(float))
        assert values[0] < tree.cut[node] <= values[-1]
        at = np.searchsorted(values, tree.cut[node])
        midpoints += tree.cut[node] == (values[at - 1] + values[at]) / 2
    assert midpoints < 0.2 * (tree.first_child >= 0).sum()


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"monotonic_cst": [1]}, "monotonic_cst has shape 1 but the input data X has 2 features"),
        ({"monotonic_cst": {"z": 1}}, "monotonic_cst names 'z'"),
        ({"monotonic_cst": [2, 0]}, r"monotonic_cst\['x0'\] is 2"),
        ({"monotonic_cst": "up"}, "monotonic_cst is 'up'"),
        ({"monotonic_cst": [0, 1]}, "constrains 'x1', whose levels have no order"),
        ({"max_features": 3}, "max_features is 3"),
        ({"splitter": "worst"}, "splitter is 'worst'"),
        ({"max_features": 1, "random_state": -1}, "random_state is -1"),
        ({"criterion": lambda parts: 0.0, "max_features": 1}, "needs one of bough's own criteria"),
    ],
)
def test_bad_parameters(settings, message):
    X, y = [[1.0, "a"], [2.0, "b"]], ["no", "yes"]
    with pytest.raises(ParameterError, match=message):
        bough.TreeClassifier(**settings).fit(X, y)
    if "monotonic_cst" in settings:
        with pytest.raises(ParameterError, match=message):
            bough.RandomForestClassifier(2, **settings).fit(X, y)


def test_constraints_refuse_what_they_cannot_keep():
    X, y = [[1.0], [2.0], [3.0]], ["a", "b", "c"]
    for learner in (bough.TreeClassifier, *FORESTS["classification"]):
        with pytest.raises(ParameterError, match="3 classes"):
            learner(monotonic_cst=[1]).fit(X, y)
    for learner in (bough.TreeRegressor, *FORESTS["regression"]):
        with pytest.raises(TableError, match="'x0' has missing values, but monotonic_cst"):
            learner(monotonic_cst=[1]).fit([[1.0], [None]], [1.0, 2.0])
    with pytest.raises(ParameterError, match="absolute_error"):
        bough.TreeRegressor("absolute_error", monotonic_cst=[1]).fit(X, [1.0, 2.0, 3.0])
    with pytest.raises(ParameterError, match="prior or loss_matrix"):
        bough.CARTClassifier(monotonic_cst=[1], prior="equal").fit(X, ["a", "b", "b"])
