"""Linear trees: the plain reference, weights, levels, missing values, threads, files and hard numbers."""

import math

import duckdb
import numpy as np
import pandas as pd
import pytest
from tests.learners import plain_linear_tree

import bough
from bough.errors import ParameterError, TableError, TargetError

RNG = np.random.default_rng(5)


def piecewise(n, p, seed=0, noise=0.1):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p)).round(2)
    bent = np.where(X[:, 0] > 0.3, 3.0 * X[:, 1] - 1.0, X[:, -1])
    return X, bent + noise * rng.normal(size=n)


def coefficients(tree, node, p):
    model, slopes = tree.linear_model(node), np.zeros(p)
    for term in model.terms:
        slopes[term.column] = term.coefficient
    return model.intercept, slopes


@pytest.mark.parametrize("ridge", [0.0, 0.1, 10.0])
@pytest.mark.parametrize("prune", ["m5", "none"])
@pytest.mark.parametrize("weighted", [False, True])
def test_the_tree_is_that_of_the_plain_reference(ridge, prune, weighted):
    for seed in range(3):
        X, y = piecewise(80, 2 + seed, seed)
        weight = np.random.default_rng(seed).uniform(0.2, 3.0, 80) if weighted else None
        learner = bough.LinearTreeRegressor(
            ridge=ridge, prune=prune, min_samples_leaf=10, max_depth=3, max_bins=None
        )
        tree = learner.fit(X, y, sample_weight=weight).tree_
        plain = plain_linear_tree.level_by_level(
            plain_linear_tree.grow(X, y, ridge=ridge, max_depth=3, weight=weight, prune=prune == "m5")
        )
        assert tree.n_nodes == len(plain)
        for number, node in enumerate(plain):
            assert tree.column[number] == node.column
            assert tree.cut[number] == pytest.approx(node.cut, nan_ok=True)
            intercept, slopes = coefficients(tree, number, X.shape[1])
            assert intercept == pytest.approx(node.intercept, abs=1e-8)
            assert slopes == pytest.approx(node.slopes, abs=1e-8)
            assert tree.risk[number] == pytest.approx(node.error, rel=1e-8)


def test_it_finds_the_break_that_means_do_not_show():
    x = np.linspace(-1, 1, 400)
    y = np.abs(x - 0.25)
    tree = bough.LinearTreeRegressor(ridge=0, max_bins=None).fit(x[:, None], y).tree_
    assert tree.n_leaves == 2
    assert tree.cut[0] == pytest.approx(0.25, abs=0.01)
    assert tree.predict([[3.0], [-3.0]]) == pytest.approx([2.75, 3.25])


def test_bins_move_a_cut_by_no_more_than_a_bin():
    X, y = piecewise(3000, 4)
    exact, binned = (
        bough.LinearTreeRegressor(max_bins=bins, max_depth=1).fit(X, y).tree_ for bins in (None, 32)
    )
    assert exact.column[0] == binned.column[0] == 0
    between = (X[:, 0] > min(exact.cut[0], binned.cut[0])) & (X[:, 0] <= max(exact.cut[0], binned.cut[0]))
    assert between.mean() <= 2 / 32


def test_a_weight_of_two_is_the_row_twice():
    X, y = piecewise(150, 3)
    weight = RNG.integers(1, 4, 150)
    repeated = np.repeat(np.arange(150), weight)
    once = bough.LinearTreeRegressor(min_samples_leaf=20).fit(X, y, sample_weight=weight)
    twice = bough.LinearTreeRegressor(min_samples_leaf=20).fit(X[repeated], y[repeated])
    assert once.tree_.n_nodes == twice.tree_.n_nodes
    assert np.array_equal(once.tree_.cut, twice.tree_.cut, equal_nan=True)
    assert once.predict(X) == pytest.approx(twice.predict(X), rel=1e-9)


def test_the_tree_does_not_depend_on_the_number_of_threads():
    X, y = piecewise(4000, 6)
    one, two = (bough.LinearTreeRegressor(n_jobs=n).fit(X, y).tree_ for n in (1, 2))
    assert one == two


def test_levels_and_missing_values_by_the_stated_rules():
    n = 600
    city = RNG.choice(["rome", "oslo", "lima"], n)
    age = RNG.normal(40, 10, n)
    y = np.where(city == "oslo", 3.0 * age, 50.0 - age) + RNG.normal(size=n)
    table = pd.DataFrame({"age": age, "city": pd.Categorical(city)})
    table.loc[::29, "age"] = np.nan
    model = bough.LinearTreeRegressor().fit(table, y)
    known = ~table["age"].isna()
    assert np.abs(model.predict(table[known]) - y[known]).mean() < 1.5
    tree = model.tree_
    assert "city" in tree.condition(1)
    mean = table["age"].mean()
    asked = pd.DataFrame(
        {"age": [np.nan, mean], "city": pd.Categorical(["oslo"] * 2, table["city"].cat.categories)}
    )
    missing, given = model.predict(asked)
    assert missing == pytest.approx(given)
    with pytest.raises(TableError, match="'imputed'"):
        bough.LinearTreeRegressor(missing="refuse").fit(table, y)


def test_a_saved_tree_is_the_same_and_its_sql_predicts_the_same(tmp_path):
    X, y = piecewise(500, 3)
    table = pd.DataFrame(X, columns=["a", "b", "c"])
    table.loc[::31, "b"] = np.nan
    tree = bough.LinearTreeRegressor().fit(table, y).tree_
    tree.save(tmp_path / "linear.json")
    assert bough.load(tmp_path / "linear.json") == tree
    with duckdb.connect() as database:
        database.register("numbers", table)
        answers = database.sql(f"SELECT {bough.export.to_sql(tree)} AS answer FROM numbers").df()["answer"]
    assert answers.to_numpy() == pytest.approx(tree.predict(table))


HARD = {
    "constant x": ([[1.0]] * 40, np.arange(40.0)),
    "constant y": (np.arange(40.0)[:, None], [7.0] * 40),
    "missing": ([[float(i), None] for i in range(40)], np.arange(40.0) ** 2),
    "one row": ([[1.0]], [3.0]),
    "equal columns": (np.column_stack([np.arange(80.0)] * 5), np.arange(80.0) ** 2),
    "sums of columns": (
        np.column_stack([RNG.normal(size=(90, 2)), np.zeros((90, 1))])
        @ np.array([[1, 0, 1], [0, 1, 1], [0, 0, 0]]),
        RNG.normal(size=90),
    ),
    "fewer rows than columns": (RNG.normal(size=(12, 60)), np.arange(12.0)),
    "many columns": (RNG.normal(size=(130, 60)), np.arange(130.0)),
    "scales": (RNG.normal(size=(90, 3)) * [1e-300, 1.0, 1e300], np.arange(90.0)),
    "huge": ([[1.7e308], [-1.7e308], *([float(i)] for i in range(40))], [1e120, -1e120, *np.arange(40.0)]),
    "tiny": ([[5e-324 * i] for i in range(40)], np.arange(40.0)),
    "far from 0": (np.arange(60.0)[:, None] + 1e12, np.abs(np.arange(60.0) - 30)),
    "outlier": ([[1e15], *([float(i)] for i in range(60))], np.arange(61.0)),
}


@pytest.mark.parametrize("name", HARD)
@pytest.mark.parametrize("ridge", [0.0, 0.1])
@pytest.mark.filterwarnings("ignore::bough.errors.IdentifierWarning")
def test_predictions_are_numbers_however_hard_the_rows_are(name, ridge):
    X, y = HARD[name]
    for leaf in ("auto", 1):
        model = bough.LinearTreeRegressor(ridge=ridge, min_samples_leaf=leaf, prune="none").fit(X, y)
        model.tree_.check()
        predicted = model.predict(X)
        assert np.isfinite(predicted).all()
        assert np.abs(predicted).max() <= 10 * max(np.abs(y).max(), 1)
        strange = np.full((3, len(X[0])), [[np.nan], [np.inf], [-np.inf]])
        assert np.isfinite(model.predict(strange)).all()


@pytest.mark.parametrize("scale", [1e-140, 1e-12, 1e9, 1e140])
@pytest.mark.parametrize("offset", [0.0, 1e6])
def test_scales_and_offsets_change_nothing_but_the_numbers(scale, offset):
    X, y = piecewise(300, 2)
    plain = bough.LinearTreeRegressor().fit(X, y)
    moved = bough.LinearTreeRegressor().fit((X + offset) * scale, y)
    assert moved.tree_.n_leaves == plain.tree_.n_leaves
    assert moved.predict((X + offset) * scale) == pytest.approx(plain.predict(X), abs=1e-5)
    high = bough.LinearTreeRegressor().fit(X, (y + offset) * scale)
    assert high.predict(X) / scale - offset == pytest.approx(plain.predict(X), abs=1e-5)


def test_infinite_values_are_refused_by_the_name_of_the_column():
    with pytest.raises(TableError, match="Column 'x0' holds infinite values"):
        bough.LinearTreeRegressor().fit([[math.inf], [1.0], [2.0]], [1.0, 2.0, 3.0])


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"ridge": -1}, "ridge is -1"),
        ({"ridge": math.nan}, "ridge is nan"),
        ({"prune": "one_se"}, "prune is 'one_se'"),
        ({"max_bins": 1}, "max_bins is 1"),
        ({"min_samples_leaf": "most"}, "min_samples_leaf is 'most'"),
        ({"max_depth": 0}, "max_depth is 0"),
        ({"missing": "majority"}, "LinearTreeRegressor supports 'imputed', 'refuse'"),
    ],
)
def test_bad_parameters_are_refused_by_name(parameters, words):
    with pytest.raises(ParameterError, match=words):
        bough.LinearTreeRegressor(**parameters).fit([[1.0], [2.0]], [1.0, 2.0])


def test_classes_are_refused():
    with pytest.raises(TargetError):
        bough.LinearTreeRegressor().fit([[1.0], [2.0]], ["a", "b"])


def test_the_report_draws_effects_and_partial_residuals():
    X, y = piecewise(300, 3)
    model = bough.LinearTreeRegressor(max_depth=1).fit(X, y)
    facts = bough.report(model, X, y, n_draws=0, cv=0).facts["models"]
    tree, ends = model.tree_, model.tree_.apply(X)
    for leaf in np.flatnonzero(tree.is_leaf).tolist():
        [[intercept, terms]] = facts["by_node"][leaf]
        assert intercept == tree.linear_model(leaf).intercept
        own = X[ends == leaf]
        for column, coefficient, _, _, _, effect, bounds in terms:
            assert bounds is None
            assert effect == pytest.approx(abs(coefficient) * own[:, column].std(), rel=1e-5)
        for place, values, partial in facts["residuals"][str(leaf)]:
            line = terms[place][1] * np.array(values)
            errors = (y - tree.predict(X))[ends == leaf]
            assert all(np.abs(errors - each).min() < 1e-4 for each in np.array(partial) - line)
    assert bough.report(tree).facts["models"]["residuals"] == {}
