"""Logistic model trees: the plain reference, pruning, doors, weights, and rows that are hard to fit."""

import dataclasses

import duckdb
import numpy as np
import pandas as pd
import pytest
from tests.learners import plain_logistic

import bough
import bough.example_models
import bough.pruning
from bough.engines.logistic import stratified_folds
from bough.errors import FormatError, ParameterError, TableError
from bough.tree.routing import rows_of_nodes

CLASSES = {2: ["no", "yes"], 3: ["a", "b", "c"]}


def sample(n, k, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3)).round(2)
    score = np.where(X[:, 0] > 0, 2 * X[:, 1], -2 * X[:, 1] + X[:, 2]) + 0.5 * rng.logistic(size=n)
    codes = np.digitize(score, [0.0] if k == 2 else [-1.0, 1.0])
    return X, np.array(CLASSES[k])[codes], codes


def scores_of(tree, node, k, p):
    """The coefficients of the scores of a node: of two classes, half of the log-odds each way."""
    found = np.zeros((k, p + 1))
    for place, label in enumerate(tree.classes if k > 2 else [tree.classes[1]]):
        model = tree.linear_model(node, label)
        found[place, 0] = model.intercept
        for term in model.terms:
            found[place, 1 + term.column] = term.coefficient
    if k == 2:
        found = np.array([-found[0] / 2, found[0] / 2])
    return found


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("weighted", [False, True])
def test_the_models_are_those_of_the_plain_reference(k, weighted):
    X, y, codes = sample(150, k)
    weight = np.random.default_rng(1).uniform(0.5, 2.0, 150) if weighted else np.ones(150)
    learner = bough.LogisticModelTreeClassifier(boosting_steps=7, prune="none", max_depth=3)
    tree = learner.fit(X, y, sample_weight=weight if weighted else None).tree_
    assert tree.n_nodes > 3
    rows = [each.astype(np.intp) for each in rows_of_nodes(tree, tree.apply(X))]
    models, errors = plain_logistic.node_models(X, codes, weight, k, tree.parent, rows, 7)
    for node in range(tree.n_nodes):
        assert scores_of(tree, node, k, 3) == pytest.approx(models[node], abs=1e-8)
    assert tree.risk == pytest.approx(np.array(errors), abs=1e-9)
    scores = np.array([models[end] @ [1, *x] for end, x in zip(tree.apply(X), X, strict=True)])
    assert tree.predict_proba(X) == pytest.approx(plain_logistic.softmax(scores), abs=1e-8)
    assert np.array_equal(tree.predict(X), np.array(CLASSES[k])[tree.predict_proba(X).argmax(axis=1)])


@pytest.mark.parametrize("k", [2, 3])
def test_the_number_of_steps_is_that_of_least_cross_validated_errors(k):
    X, _, _ = sample(120, k, seed=2)
    score = X.sum(axis=1) + np.random.default_rng(0).logistic(size=120)
    codes = np.digitize(score, [0.0] if k == 2 else [-1.0, 1.0])
    y = np.array(CLASSES[k])[codes]
    seed = bough.LogisticModelTreeClassifier().recipe().seed
    folds = stratified_folds(codes.astype(np.int32), np.random.default_rng(seed))
    chosen = plain_logistic.cross_validated_steps(X, codes, np.ones(120), np.zeros((120, k)), folds, 40)
    assert chosen > 0
    by_cv, given = (
        bough.LogisticModelTreeClassifier(
            prune="none", max_depth=2, max_boosting_steps=40, boosting_steps=steps
        )
        .fit(X, y)
        .tree_.leaf_models
        for steps in ("root", chosen)
    )
    assert by_cv == given


def test_steps_of_each_node_go_on_from_the_parent():
    X, y, _ = sample(300, 2)
    tree = (
        bough.LogisticModelTreeClassifier(boosting_steps="each_node", prune="none", max_depth=2)
        .fit(X, y)
        .tree_
    )
    root = bough.LogisticModelTreeClassifier(prune="none", max_depth=2).fit(X, y).tree_
    assert tree.linear_model(0) == root.linear_model(0)
    assert np.isfinite(tree.predict_proba(X)).all()


def test_pruning_takes_the_tree_of_least_cross_validated_error():
    X, y, _ = sample(400, 2)
    folds = np.arange(400) % 5
    learner = bough.LogisticModelTreeClassifier(boosting_steps=5, cv=folds)
    tree = learner.fit(X, y).tree_
    full = bough.LogisticModelTreeClassifier(boosting_steps=5, prune="none").fit(X, y).tree_
    assert 1 < tree.n_leaves < full.n_leaves
    grown = [
        bough.LogisticModelTreeClassifier(boosting_steps=5, prune="none").fit(X[folds != f], y[folds != f])
        for f in range(5)
    ]

    def errors(alpha):
        """Cross-validated errors if each tree is pruned at its share of alpha."""
        wrong = 0
        for f, each in enumerate(grown):
            pruned = each.tree_.pruned(alpha * 0.8)
            wrong += (pruned.predict(X[folds == f]) != y[folds == f]).sum()
        return wrong

    path = bough.pruning.cost_complexity_path(full)
    means = [*np.sqrt(path.alphas[:-1] * path.alphas[1:]), np.inf]
    found = [errors(alpha) for alpha in means]
    best = len(found) - 1 - int(np.argmin(found[::-1]))
    assert tree.n_leaves == path.n_leaves[best]


def test_it_beats_a_tree_of_constants_where_a_line_divides_the_classes():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(600, 4))
    y = np.where(X.sum(axis=1) > 0, "up", "down")
    model = bough.LogisticModelTreeClassifier().fit(X[:300], y[:300])
    tree = bough.CARTClassifier().fit(X[:300], y[:300])
    assert model.score(X[300:], y[300:]) > tree.score(X[300:], y[300:]) + 0.05
    assert model.tree_.n_leaves <= 3


def table(n=300, seed=0):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {"age": rng.normal(40, 10, n), "city": pd.Categorical(rng.choice(["rome", "oslo", "lima"], n))}
    )
    odds = np.where(frame["city"] == "oslo", 0.3, -0.3) * (frame["age"] - 40)
    y = np.where(odds + rng.logistic(size=n) > 0, "buys", "leaves")
    frame.loc[::17, "age"] = np.nan
    frame.loc[::23, "city"] = np.nan
    return frame, y


@pytest.mark.parametrize("k", [2, 3])
def test_a_saved_tree_is_the_same_and_its_sql_predicts_the_same(k, tmp_path):
    frame, y = table()
    if k == 3:
        y = np.where(frame["age"] > 48, "moves", y)
    tree = bough.LogisticModelTreeClassifier(prune="none", max_depth=2).fit(frame, y).tree_
    for ending in ("json", "bough"):
        tree.save(tmp_path / f"lmt.{ending}")
        loaded = bough.load(tmp_path / f"lmt.{ending}")
        assert loaded == tree
        assert np.array_equal(loaded.predict_proba(frame), tree.predict_proba(frame))
    with duckdb.connect() as database:
        database.register("people", frame.assign(city=frame["city"].astype(object)))
        answers = database.sql(f"SELECT {bough.export.to_sql(tree)} AS answer FROM people").df()["answer"]
    assert np.array_equal(answers.to_numpy(dtype=object), tree.predict(frame).astype(object))
    regrown = bough.regrow(tree, frame, y)
    assert regrown == tree


def test_the_text_names_the_terms():
    frame, y = table()
    tree = bough.LogisticModelTreeClassifier().fit(frame, y).tree_
    assert "log-odds of leaves = " in str(tree)
    assert "log-odds of leaves = " in str(tree.rules())
    three = (
        bough.LogisticModelTreeClassifier(max_depth=1)
        .fit(frame, np.where(frame["age"] > 48, "moves", y))
        .tree_
    )
    assert "score of moves = " in str(three)
    with pytest.raises(ParameterError, match="label is None; it must be one of the classes"):
        three.linear_model(0)


def test_the_tree_does_not_depend_on_the_number_of_threads():
    X, y, _ = sample(400, 3)
    one, two = (bough.LogisticModelTreeClassifier(n_jobs=n).fit(X, y).tree_ for n in (1, 2))
    assert one == two


def test_a_weight_of_two_is_the_row_twice():
    X, y, _ = sample(120, 2)
    weight = np.random.default_rng(0).integers(1, 4, 120)
    repeated = np.repeat(np.arange(120), weight)
    given = {"boosting_steps": 6, "prune": "none", "max_depth": 2}
    once = bough.LogisticModelTreeClassifier(**given).fit(X, y, sample_weight=weight)
    twice = bough.LogisticModelTreeClassifier(**given).fit(X[repeated], y[repeated])
    assert once.predict_proba(X) == pytest.approx(twice.predict_proba(X), abs=1e-7)


HARD = {
    "constant x": ([[1.0]] * 30, [0, 1] * 15),
    "one class": ([[float(i)] for i in range(30)], ["a"] * 30),
    "one row of a class": ([[float(i)] for i in range(30)], ["a"] * 29 + ["b"]),
    "separable": ([[float(i)] for i in range(30)], [0] * 15 + [1] * 15),
    "two rows": ([[1.0], [2.0]], ["a", "b"]),
    "missing": ([[float(i), None] for i in range(30)], [0, 1, 1] * 10),
    "wide": (np.random.default_rng(0).normal(size=(12, 60)), [0, 1] * 6),
    "scales": (np.random.default_rng(0).normal(size=(90, 3)) * [1e-300, 1.0, 1e300], [0, 1, 2] * 30),
    "huge": ([[1.7e308], [-1.7e308], *([float(i)] for i in range(40))], [0, 1] * 21),
    "tiny": ([[5e-324 * i] for i in range(40)], [0, 1] * 20),
    "many classes": ([[float(i % 40)] for i in range(200)], [i % 40 for i in range(200)]),
}


@pytest.mark.parametrize("name", HARD)
@pytest.mark.filterwarnings("ignore::bough.errors.IdentifierWarning")
def test_probabilities_are_numbers_however_hard_the_rows_are(name):
    X, y = HARD[name]
    for prune in ("minimum", "none"):
        model = bough.LogisticModelTreeClassifier(prune=prune, cv=2, max_boosting_steps=60).fit(X, y)
        model.tree_.check()
        strange = np.full((3, len(X[0])), [[np.nan], [np.inf], [-np.inf]])
        for rows in (X, strange):
            shares = model.predict_proba(rows)
            assert np.isfinite(shares).all()
            assert shares.sum(axis=1) == pytest.approx(1.0)


def test_infinite_values_are_refused_by_the_name_of_the_column():
    with pytest.raises(TableError, match="Column 'x0' holds infinite values"):
        bough.LogisticModelTreeClassifier().fit([[np.inf], [1.0], [2.0]], ["a", "b", "b"])


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"boosting_steps": 0}, "boosting_steps is 0"),
        ({"boosting_steps": "leaf"}, "boosting_steps is 'leaf'"),
        ({"max_boosting_steps": 0}, "max_boosting_steps is 0"),
        ({"prune": "m5"}, "prune is 'm5'"),
        ({"missing": "imputed"}, "LogisticModelTreeClassifier supports"),
    ],
)
def test_bad_parameters_are_refused_by_name(parameters, words):
    with pytest.raises(ParameterError, match=words):
        bough.LogisticModelTreeClassifier(**parameters).fit([[1.0], [2.0]], ["a", "b"])


def test_models_of_classes_are_checked():
    tree = bough.example_models.logistic_tree()
    tree.check()
    with pytest.raises(FormatError, match="intercept: has 2 entries, where 3 are wanted"):
        dataclasses.replace(tree, leaf_models=tree.leaf_models.take(np.array([0, 1]))).check()
    with pytest.raises(FormatError, match="without shares, class scales and losses"):
        dataclasses.replace(tree, class_scale=np.array([1.0, 2.0])).check()
