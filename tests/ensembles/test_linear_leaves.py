"""Linear models in the leaves of boosted trees."""

import duckdb
import numpy as np
import pandas as pd
import pytest

import bough
from bough.errors import FormatError, ParameterError
from bough.loading import from_document

RNG = np.random.default_rng(11)
N = 600
TABLE = pd.DataFrame(
    {
        "age": RNG.integers(18, 80, N).astype(float),
        "pay": RNG.normal(50, 12, N).round(2),
        "city": pd.Categorical(RNG.choice(["rome", "oslo", "lima"], N)),
    }
)
COST = np.where(TABLE["age"] > 50, 3.0 * TABLE["pay"], 90.0 + TABLE["age"]) + 9.0 * (TABLE["city"] == "oslo")
BUYS = np.where(COST + RNG.logistic(0, 10, N) > 140, "yes", "no")
TABLE.loc[::19, "pay"] = np.nan
GIVEN = {"linear_leaves": True, "max_iter": 8, "max_leaf_nodes": 5, "min_samples_leaf": 30}


def plain_slopes(X, columns, gradient, hessian, penalty):
    """The slopes of the second-order step of a leaf, with the means of its columns."""
    means = np.nanmean(X[:, columns], axis=0)
    filled = np.where(np.isnan(X[:, columns]), means, X[:, columns])
    centred = filled - hessian @ filled / hessian.sum()
    response = -gradient / hessian
    response = response - hessian @ response / hessian.sum()
    products = centred.T @ (hessian[:, None] * centred)
    products += np.diag(penalty[columns])
    return np.linalg.solve(products, centred.T @ (hessian * response)), means


@pytest.mark.parametrize("ridge", [0.0, 5.0])
@pytest.mark.parametrize("task", ["regression", "classification"])
def test_slopes_are_the_second_order_step_of_each_leaf(ridge, task):
    kind = bough.GradientBoostingRegressor if task == "regression" else bough.GradientBoostingClassifier
    y = COST if task == "regression" else BUYS
    model = kind(**GIVEN, ridge=ridge).fit(TABLE, y).model_
    X = TABLE[["age", "pay"]].to_numpy()
    scores = np.full(N, model.start[0])
    n_models = 0
    for number in range(model.n_trees):
        tree = model.tree(number)
        if task == "regression":
            gradient, hessian = scores - y, np.ones(N)
        else:
            share = 1 / (1 + np.exp(-scores))
            gradient, hessian = share - (y == "yes"), share * (1 - share)
        ends = tree.apply(TABLE)
        for leaf in np.unique(ends):
            rows = np.flatnonzero(ends == leaf)
            linear = tree.linear_model(leaf)
            if linear is None:
                continue
            n_models += 1
            columns = [term.column for term in linear.terms]
            slopes, means = plain_slopes(
                X[rows], columns, gradient[rows], hessian[rows], ridge * np.nanvar(X, axis=0)
            )
            assert [term.coefficient for term in linear.terms] == pytest.approx(0.1 * slopes, rel=1e-6)
            assert [term.substitute for term in linear.terms] == pytest.approx(means)
            assert linear.intercept + 0.1 * slopes @ means == pytest.approx(tree.answer(leaf))
        scores = scores + tree.predict(TABLE)
        assert model.scores(TABLE, number + 1)[:, 0] == pytest.approx(scores)
    assert n_models > 8


def test_linear_leaves_follow_slopes_with_fewer_trees():
    X = RNG.uniform(-1, 1, (2000, 3))
    y = np.where(X[:, 0] > 0, 5 * X[:, 1], -5 * X[:, 1] + X[:, 2])
    plain, linear = (
        bough.GradientBoostingRegressor(linear_leaves=flag, max_iter=30, max_leaf_nodes=4)
        .fit(X[:1000], y[:1000])
        .score(X[1000:], y[1000:])
        for flag in (False, True)
    )
    assert 1 - linear < 0.7 * (1 - plain)


@pytest.mark.parametrize("task", ["regression", "two classes", "three classes"])
def test_a_saved_model_is_the_same_and_its_sql_predicts_the_same(task, tmp_path):
    kind = bough.GradientBoostingRegressor if task == "regression" else bough.GradientBoostingClassifier
    y = (
        COST
        if task == "regression"
        else BUYS
        if task == "two classes"
        else np.where(TABLE["age"] > 65, "old", BUYS)
    )
    learner = kind(**GIVEN).fit(TABLE, y)
    model = learner.model_
    for ending in ("json", "bough"):
        model.save(tmp_path / f"model.{ending}")
        loaded = bough.load(tmp_path / f"model.{ending}")
        assert loaded == model
        assert np.array_equal(loaded.predict(TABLE), model.predict(TABLE))
    with duckdb.connect() as database:
        database.register("people", TABLE.assign(city=TABLE["city"].astype(object)))
        answers = database.sql(f"SELECT {bough.export.to_sql(model)} AS answer FROM people").df()["answer"]
    if task == "regression":
        assert answers.to_numpy() == pytest.approx(model.predict(TABLE))
    else:
        assert (answers.to_numpy(dtype=object) == model.predict(TABLE)).all()
    assert bough.regrow(model, TABLE, y) == model
    plain = kind(**GIVEN | {"linear_leaves": False}).fit(TABLE, y).model_
    assert plain != model
    assert " × age" in str(model.tree(0)) or " × pay" in str(model.tree(0))


def test_slopes_end_at_the_values_of_the_training_rows(tmp_path):
    learner = bough.GradientBoostingRegressor(**GIVEN).fit(TABLE, COST)
    model = learner.model_
    inside = TABLE.iloc[:40].assign(age=TABLE["age"].max(), pay=TABLE["pay"].min())
    beyond = inside.assign(age=1e6, pay=-1e300)
    expected = model.predict(inside)
    assert np.array_equal(model.predict(beyond), expected)
    assert np.array_equal(list(learner.staged_predict(beyond))[-1], expected)
    assert model.start[0] + sum(tree.predict(beyond) for tree in model.trees) == pytest.approx(expected)
    model.save(tmp_path / "model.json")
    assert np.array_equal(bough.load(tmp_path / "model.json").predict(beyond), expected)
    with duckdb.connect() as database:
        database.register("people", beyond.assign(city=beyond["city"].astype(object)))
        answers = database.sql(f"SELECT {bough.export.to_sql(model)} AS answer FROM people").df()["answer"]
    assert answers.to_numpy() == pytest.approx(expected)


def test_rows_that_are_held_out_have_bounded_slopes_too():
    """The loss that stops growth is that of the model on the rows."""
    held = TABLE.iloc[:100].assign(age=1e6)
    learner = bough.GradientBoostingRegressor(**GIVEN, early_stopping=True, n_iter_no_change=8)
    learner.fit(TABLE.iloc[100:], COST[100:], X_val=held, y_val=COST[:100])
    errors = np.square(learner.predict(held) - COST[:100]).mean()
    assert min(learner.validation_loss_) == pytest.approx(errors / 2)


def test_a_row_of_weight_2_is_the_row_twice():
    weight = RNG.integers(1, 4, N)
    repeated = np.repeat(np.arange(N), weight)
    learner = bough.GradientBoostingRegressor(
        **{**GIVEN, "min_samples_leaf": 1, "max_leaf_nodes": 4}, ridge=2.0
    )
    weighted = learner.fit(TABLE, COST, sample_weight=weight).predict(TABLE)
    twice = learner.fit(TABLE.iloc[repeated], COST[repeated]).predict(TABLE)
    np.testing.assert_allclose(weighted, twice, rtol=1e-9)


def test_the_model_does_not_depend_on_the_number_of_threads():
    one, two = (
        bough.GradientBoostingRegressor(**GIVEN, n_jobs=n, random_state=0).fit(TABLE, COST).model_
        for n in (1, 2)
    )
    assert one == two


@pytest.mark.parametrize(
    "early", [{"early_stopping": True}, {"early_stopping": True, "cv": 3}, {"max_samples": 0.5}]
)
def test_stopping_and_draws_of_rows_keep_the_models_of_their_trees(early):
    model = bough.GradientBoostingRegressor(**GIVEN | {"max_iter": 20}, **early, random_state=0).fit(
        TABLE, COST
    )
    assert len(model.model_.leaf_models.intercept) == len(model.model_.arrays["parent"])
    assert model.score(TABLE, COST) > 0.5


@pytest.mark.parametrize("X", [[[1e300], [-1e300]], [[np.inf], [1.0]], [[5e-324], [0.0]], [[1.0], [1.0]]])
def test_scores_are_numbers_however_hard_the_rows_are(X):
    rows = [[value] for [value] in X for _ in range(40)] + [[float(i)] for i in range(80)]
    y = [float(i % 7) for i in range(len(rows))]
    model = bough.GradientBoostingRegressor(linear_leaves=True, max_iter=5, min_samples_leaf=5).fit(rows, y)
    for asked in (rows, [[np.nan], [np.inf], [-np.inf], [1e308]]):
        assert np.isfinite(model.predict(asked)).all()


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"linear_leaves": 1}, "linear_leaves is 1"),
        ({"ridge": -1.0}, "ridge is -1"),
        ({"loss": "absolute_error"}, "linear_leaves is True; it must be False with loss='absolute_error'"),
        ({"warm_start": True}, "warm_start is not supported with linear_leaves"),
        ({"drop_rate": 0.1}, "drop_rate is not supported with linear_leaves"),
        ({"monotonic_cst": {"age": 1}}, "monotonic_cst is not supported with linear_leaves"),
        ({"variant": "gbm"}, "if variant is 'gbm', which has none"),
    ],
)
def test_what_linear_leaves_do_not_support_is_refused_by_name(parameters, words):
    with pytest.raises(ParameterError, match=words):
        bough.GradientBoostingRegressor(**{"linear_leaves": True} | parameters).fit(TABLE, COST)


def test_several_targets_are_refused():
    with pytest.raises(ParameterError, match="linear_leaves is True, which is defined for one target"):
        bough.GradientBoostingRegressor(linear_leaves=True).fit(TABLE, np.column_stack([COST, COST]))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"column": 9}, "column"),
        ({"coefficient": np.nan}, "coefficient"),
        ({"start": 10**6}, "start"),
        ({"lowest": np.nan}, "lowest"),
        ({"lowest": 1e9}, "lowest"),
    ],
)
def test_wrong_models_in_a_file_are_refused(change, words):
    document = bough.GradientBoostingRegressor(**GIVEN).fit(TABLE, COST).model_.document()
    models = {name: np.array(array) for name, array in document["leaf_models"].items()}
    for name, value in change.items():
        models[name][0] = value
    with pytest.raises(FormatError, match=words):
        from_document(document | {"leaf_models": models})


@pytest.mark.parametrize("n_leaves", [6, 100])
def test_rows_are_predicted_alike_alone_and_together(n_leaves):
    rng = np.random.default_rng(4)
    table = pd.DataFrame(rng.normal(size=(4000, 12)), columns=list("abcdefghijkl"))
    table["word"] = rng.choice(["x", "y", "z"], 4000)
    y = table["a"] + table["b"] * table["c"] + (table["word"] == "x") * table["d"]
    table.iloc[::7, 0] = np.nan
    table.iloc[3, 1] = np.inf
    model = bough.GradientBoostingRegressor(
        linear_leaves=True, max_iter=20, max_leaf_nodes=n_leaves, min_samples_leaf=5, max_features=0.1
    ).fit(table, y)
    # Trees of few terms are read in another way than those of many.
    assert (np.diff(model.model_.leaf_models.start).max() > 8) == (n_leaves == 100)
    alone = np.concatenate([model.predict(table.iloc[[row]]) for row in range(40)])
    assert np.array_equal(model.predict(table)[:40], alone)
