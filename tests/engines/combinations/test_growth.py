"""Trees whose splits combine columns: found, limited, said, saved and asked again."""

import numpy as np
import pandas as pd
import pytest
from tests.goldens import FOLDER

import bough
from bough.data.formula import Linear, Ratio, WideSchema
from bough.data.table import Table
from bough.data.target import read_classes
from bough.engines.combinations.engine import CombinationEngine
from bough.engines.combinations.ratios import ratios
from bough.errors import ParameterError, TableError
from bough.growing import growth
from bough.growing.combinations import Combinations
from bough.growing.recipe import Recipe
from bough.progress import watched
from bough.tree.routing import walk

KINDS = ["ratio", "bivariate", "linear", ("ratio", "bivariate", "linear")]


def iris():
    frame = pd.read_csv(FOLDER / "data" / "iris.csv")
    return frame.drop(columns="Species"), frame["Species"]


def drawn(seed, n, width=3):
    return np.random.default_rng(seed).uniform(1.0, 9.0, size=(n, width))


@pytest.mark.parametrize("seed", range(3))
def test_one_split_by_a_ratio_solves_what_depends_on_a_ratio(seed):
    X = drawn(seed, 200)
    y = np.where(X[:, 1] / X[:, 2] < 0.7, "low", "high")
    tree = bough.CARTClassifier(prune="none", combinations="ratio").fit(X, y).tree_
    assert tree.n_leaves == 2
    assert tree.formulas in ((Ratio(1, 2),), (Ratio(2, 1),))
    assert (tree.predict(X) == y).all()


@pytest.mark.parametrize("kinds", ["bivariate", "linear"])
@pytest.mark.parametrize("n", [200, 600])
def test_one_split_by_a_line_solves_what_depends_on_a_sum(kinds, n):
    X = np.round(drawn(0, n), 1)
    X = X[np.abs(X[:, 0] + X[:, 2] - 10) > 0.5]
    y = X[:, 0] + X[:, 2] > 10
    tree = bough.CARTClassifier(prune="none", combinations=kinds).fit(X, y).tree_
    assert tree.n_leaves == 2
    assert [formula.columns for formula in tree.formulas] == [(0, 2)]
    assert (tree.predict(X) == y).all()


@pytest.mark.parametrize("kinds", ["bivariate", "linear"])
def test_a_regression_tree_finds_the_line_too(kinds):
    X = drawn(1, 300)
    X = X[np.abs(X[:, 0] - 2 * X[:, 1]) > 0.5]
    y = np.where(X[:, 0] - 2 * X[:, 1] > 0, 5.0, 1.0)
    tree = bough.CARTRegressor(prune="none", combinations=kinds, max_depth=1).fit(X, y).tree_
    assert tree.risk[1:].sum() < 0.05 * tree.risk[0]
    assert tree.formulas[0].columns == (0, 1)


def test_three_columns_are_weighed_where_three_matter():
    X = drawn(2, 400, width=5)
    y = X[:, 0] + X[:, 2] - X[:, 4] > 5
    tree = bough.CARTClassifier(prune="none", combinations="linear", max_depth=1).fit(X, y).tree_
    assert tree.formulas[0].columns == (0, 2, 4)
    assert tree.risk[1:].sum() <= 0.02 * tree.weight[0]


def test_iris_in_words():
    X, y = iris()
    tree = bough.CARTClassifier(prune="none", combinations="bivariate", max_depth=2).fit(X, y).tree_
    assert tree.condition(3) == "0.41·Petal.Length + Petal.Width < 3.54"
    assert str(tree.rules()[1]).startswith(
        "Petal.Length >= 2.45 and 0.41·Petal.Length + Petal.Width < 3.54 -> versicolor"
    )
    assert tree.node(2).question == "0.41·Petal.Length + Petal.Width < 3.54?"
    assert tree.statistics[3].tolist() == [0, 47, 0]


def test_iris_is_offered_the_ratio_of_width_and_length():
    X, y = iris()
    tree = bough.CARTClassifier(prune="none", max_depth=2).fit(X, y).tree_
    offered = bough.combined_candidates(tree, X, y, node=2)
    ratio = next(each for each in offered if each.variable == "Petal.Width / Petal.Length")
    assert ratio.values == ("< 0.367", ">= 0.367")
    assert ratio.counts == ((0, 49, 19), (0, 1, 31))
    values = [each.criteria["gini"] for each in offered]
    assert values == sorted(values, reverse=True)
    assert offered[0].variable == "0.41·Petal.Length + Petal.Width"
    assert len(offered) == 12


def test_candidates_of_a_regression_and_of_a_line_of_many():
    X, y = drawn(3, 80), None
    y = X[:, 0] + X[:, 1] + X[:, 2]
    offered = bough.combined_candidates(X, y, combinations="linear")
    assert [each.split.column for each in offered] == [3]
    assert len(offered[0].means) == 2


@pytest.mark.parametrize("kinds", KINDS)
def test_a_split_of_one_column_is_kept_where_a_combination_is_no_better(kinds):
    X, y = iris()
    tree = bough.CARTClassifier(prune="none", combinations=kinds, max_depth=1).fit(X, y).tree_
    assert tree.condition(1) == "Petal.Length < 2.45"
    assert tree.formulas == ()


@pytest.mark.parametrize("kinds", KINDS)
def test_a_large_penalty_leaves_splits_of_one_column(kinds):
    X, y = iris()
    tree = bough.CARTClassifier(prune="none", combinations=kinds, combination_penalty=100.0).fit(X, y).tree_
    plain = bough.CARTClassifier(prune="none", missing="majority").fit(X, y).tree_
    assert tree.formulas == ()
    assert np.array_equal(tree.cut, plain.cut, equal_nan=True)
    assert np.array_equal(tree.column, plain.column)


def test_every_combination_made_beats_the_best_split_of_one_column_by_the_penalty():
    X, y = iris()
    tree = (
        bough.CARTClassifier(prune="none", combinations=("bivariate", "linear"), combination_penalty=0.1)
        .fit(X, y)
        .tree_
    )
    assert tree.formulas
    for node in np.flatnonzero(tree.column >= 4):
        alone = bough.candidates(tree, X, y, node=int(node))
        simple = max(each.criteria["gini"] for each in alone if each.split.column < 4)
        assert tree.gain[node] > 1.1 * simple


def test_ratios_grow_the_same_tree_natively_and_in_the_loop():
    X, y = iris()
    table, target = Table.read(X), read_classes(y)
    quotients = ratios(table, range(4))
    recipe = Recipe("gini", task="classification")
    engine = CombinationEngine(table, target, None, recipe, Combinations("ratio"), quotients)
    loop = growth.grow(engine, recipe)
    wide = WideSchema.of(table.schema, quotients)
    native = bough.CARTClassifier(prune="none", combinations="ratio").fit(X, y).tree_
    names = [wide[column].name for column in loop.column[loop.column >= 0]]
    assert names == [native.wide_schema[column].name for column in native.column[native.column >= 0]]
    assert np.array_equal(loop.statistics, native.statistics)
    assert np.array_equal(loop.gain, native.gain, equal_nan=True)


@pytest.mark.parametrize("kinds", KINDS)
@pytest.mark.parametrize("seed", range(3))
def test_native_routing_is_the_walk_and_files_keep_the_tree(kinds, seed, tmp_path):
    rng = np.random.default_rng(seed)
    X = rng.normal(3.0, 1.0, size=(150, 4))
    X[rng.random(X.shape) < 0.1] = np.nan
    X[0, 0], X[1, 1], X[2, 2] = np.inf, -np.inf, 0.0
    y = np.nan_to_num(X[:, 0]) + np.nan_to_num(X[:, 1]) > 6
    tree = bough.CARTClassifier(prune="none", combinations=kinds).fit(X, y).tree_
    tree.check()
    rows = np.vstack([X, rng.normal(3.0, 2.0, size=(100, 4)), np.full((1, 4), np.nan), np.zeros((1, 4))])
    table = Table.fit_to(rows, tree.schema)
    assert np.array_equal(tree.apply(rows), walk(tree, table))
    ends = tree.apply(X)
    assert np.array_equal(np.bincount(ends, minlength=tree.n_nodes)[tree.is_leaf], tree.cases[tree.is_leaf])
    for rule in tree.rules():
        assert np.array_equal(rule.covers(rows), tree.apply(rows) == rule.leaf)
    tree.save(tmp_path / "tree.json")
    loaded = bough.load(tmp_path / "tree.json")
    assert loaded == tree
    assert np.array_equal(loaded.predict_proba(rows), tree.predict_proba(rows))


def test_rows_are_computed_in_parts_without_a_seam(monkeypatch):
    X, y = iris()
    tree = bough.CARTClassifier(prune="none", combinations=("ratio", "linear")).fit(X, y).tree_
    ends = tree.apply(X)
    monkeypatch.setattr("bough.tree.routing._MOST_CELLS", 1)
    monkeypatch.setattr("bough.tree.routing._LEAST_ROWS", 7)
    assert np.array_equal(tree.apply(X), ends)


def test_no_rows_are_no_trouble():
    X, y = iris()
    tree = bough.CARTClassifier(prune="none", combinations="bivariate").fit(X, y).tree_
    assert tree.apply(Table.fit_to(X, tree.schema).take(np.arange(0))).tolist() == []


@pytest.mark.parametrize("kinds", KINDS)
@pytest.mark.parametrize(
    "limits",
    [
        {"max_depth": 2},
        {"min_samples_leaf": 20},
        {"min_samples_split": 60},
        {"max_leaf_nodes": 4},
        {"min_weight_fraction_leaf": 0.2},
        {"min_impurity_decrease": 0.05},
    ],
)
def test_limits_hold(kinds, limits):
    X, y = drawn(5, 150), None
    y = (X[:, 0] * X[:, 1] + X[:, 2] > 25).astype(int)
    tree = bough.CARTClassifier(prune="none", combinations=kinds, **limits).fit(X, y).tree_
    assert tree.depth <= limits.get("max_depth", 99)
    assert tree.cases[tree.is_leaf].min() >= limits.get("min_samples_leaf", 1)
    assert tree.cases[~tree.is_leaf].min() >= limits.get("min_samples_split", 2)
    assert tree.n_leaves <= limits.get("max_leaf_nodes", 999)
    assert tree.weight[tree.is_leaf].min() >= 150 * limits.get("min_weight_fraction_leaf", 0)
    worth = (tree.gain * tree.weight / tree.weight[0])[~tree.is_leaf]
    assert worth.min() >= limits.get("min_impurity_decrease", 0)


@pytest.mark.parametrize("criterion", ["gini", "entropy", "twoing", "gain_ratio", "chi_square", "deviance"])
def test_every_criterion_of_classes_finds_the_line(criterion):
    X = drawn(6, 120)
    X = X[np.abs(X[:, 0] - X[:, 1]) > 0.4]
    y = X[:, 0] > X[:, 1]
    for kinds in ("bivariate", "linear"):
        assert bough.CARTClassifier(criterion, prune="none", combinations=kinds).fit(X, y).tree_.n_leaves == 2


def test_poisson_and_a_criterion_of_ones_own_are_served():
    X = drawn(7, 80)
    y = np.where(X[:, 0] > X[:, 1], 6.0, 1.0)
    assert (
        bough.CARTRegressor("poisson", shrink=0, prune="none", combinations="linear", max_depth=1)
        .fit(X, y)
        .tree_.formulas
    )

    def gini(children):
        return bough.growing.criterion.value("gini", children)

    kept = bough.CARTClassifier(gini, prune="none", combinations=("ratio", "linear")).fit(X, y > 3).tree_
    assert kept.n_leaves == 2
    assert kept.formulas


@pytest.mark.parametrize("kinds", KINDS)
@pytest.mark.parametrize("n", [60, 250])
def test_weights_are_rows_repeated(kinds, n):
    X = np.round(drawn(8, n), 2)
    y, weight = (X[:, 0] + X[:, 1] > 10).astype(int), np.arange(n) % 4
    learner = bough.CARTClassifier(prune="none", combinations=kinds, max_depth=3)
    weighted = learner.fit(X, y, weight).tree_
    assert weighted == learner.fit(np.repeat(X, weight, axis=0), np.repeat(y, weight)).tree_


@pytest.mark.parametrize("kinds", KINDS)
def test_the_tree_is_the_same_on_any_number_of_threads(kinds):
    X, y = iris()
    one = bough.CARTClassifier(prune="none", combinations=kinds, n_jobs=1).fit(X, y).tree_
    assert one == bough.CARTClassifier(prune="none", combinations=kinds, n_jobs=3).fit(X, y).tree_


def test_missing_refused_leaves_out_ratios_that_would_be_missing():
    X, y = np.array([[1.0, 0.0], [2.0, 0.0], [0.0, 3.0], [0.0, 4.0], [5.0, 5.0]]), [0, 1, 0, 1, 0]
    tree = bough.CARTClassifier(prune="none", combinations="ratio", missing="refuse").fit(X, y).tree_
    assert tree.formulas == ()
    X[0, 0] = np.nan
    with pytest.raises(TableError, match="missing='refuse'"):
        bough.CARTClassifier(prune="none", combinations="linear", missing="refuse").fit(X, y)


def test_a_row_that_lacks_a_column_follows_the_majority_and_is_told_so():
    X = np.round(drawn(9, 90, width=2), 1)
    tree = bough.CARTClassifier(prune="none", combinations="linear").fit(X, X[:, 0] + X[:, 1] > 11).tree_
    name = tree.wide_schema[2].name
    said = tree.path_of({"x0": 3.0, "x1": None})[0]
    assert said.startswith(f"{name} is missing or new here, so as if {name} < ")


def test_importance_is_shared_by_the_columns_of_a_formula():
    X = drawn(10, 200)
    model = bough.CARTClassifier(prune="none", combinations="ratio").fit(X, X[:, 0] / X[:, 1] < 1.5)
    assert model.feature_importances_.tolist() == [0.5, 0.5, 0.0]


def test_pruned_and_merged_trees_answer_as_before():
    X, y = iris()
    tree = bough.CARTClassifier(prune="none", combinations=("ratio", "linear")).fit(X, y).tree_
    for alpha in tree.cost_complexity_path().alphas:
        pruned = tree.pruned(float(alpha))
        pruned.check()
        asked = {*(pruned.column - len(pruned.schema)).tolist()}
        assert all(number in asked for number in range(len(pruned.formulas)))
        assert np.array_equal(pruned.apply(X), walk(pruned, Table.fit_to(X, pruned.schema)))
    assert bough.Tree.from_json(tree.merged().to_json()) == tree.merged()


def test_the_recipe_says_what_was_sought():
    X, y = iris()
    tree = (
        bough.CARTClassifier(prune="none", combinations="ratio", combination_features=["Petal.Length", 3])
        .fit(X, y)
        .tree_
    )
    assert tree.recipe["combinations"] == {
        "kinds": ["ratio"],
        "features": ["Petal.Length", "Petal.Width"],
        "penalty": 0.0,
        "deletion": 0.2,
    }
    assert {column for formula in tree.formulas for column in formula.columns} <= {2, 3}


def test_more_ratios_than_memory_holds_are_refused(monkeypatch):
    monkeypatch.setattr("bough.engines.combinations.growth._MOST_CELLS", 899)
    X, y = iris()
    with pytest.raises(ParameterError, match="6 ratios of 150 rows need 0 GiB"):
        bough.CARTClassifier(prune="none", combinations="ratio").fit(X, y)
    monkeypatch.setattr("bough.engines.combinations.growth._MOST_CELLS", 900)
    bough.CARTClassifier(prune="none", combinations="ratio").fit(X, y)


def test_progress_is_told_and_rises():
    X, y = iris()
    told = []
    with watched(told.append):
        bough.CARTClassifier(prune="none", combinations="linear").fit(X, y)
    assert told == sorted(told)
    assert told[-1] == 1.0


def test_an_interrupt_in_the_middle_gets_out():
    X, y = iris()

    def interrupt(share):
        raise KeyboardInterrupt

    with watched(interrupt), pytest.raises(KeyboardInterrupt):
        bough.CARTClassifier(prune="none", combinations="bivariate").fit(X, y)


def test_only_a_tree_that_has_formulas_writes_them():
    X, y = iris()
    tree = bough.CARTClassifier(prune="none", combinations="bivariate").fit(X, y).tree_
    document = tree.to_json()
    assert document["formulas"][0] == tree.formulas[0].to_json()
    assert "formulas" not in bough.CARTClassifier(prune="none").fit(X, y).tree_.to_json()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"formulas": None}, "formulas: a list is wanted"),
        ({"formulas": []}, r"nodes.column\[2\]"),
        ({"formulas": [{"kind": "ratio", "numerator": 0, "denominator": 9}] * 3}, r"formulas\[0\]: column 9"),
    ],
)
def test_a_file_whose_formulas_are_wrong_is_refused(change, message):
    X, y = iris()
    document = bough.CARTClassifier(prune="none", combinations="bivariate").fit(X, y).tree_.to_json() | change
    with pytest.raises(bough.errors.FormatError, match=message):
        bough.Tree.from_json(document)


def test_a_formula_of_a_nominal_column_is_not_sound():
    X = np.array([[1.0, 2.0, "s"], [2.0, 1.0, "t"]], dtype=object)
    tree = bough.CARTClassifier(prune="none", missing="majority").fit(X, [0, 1]).tree_
    document = tree.to_json() | {"formulas": [Linear((0, 2), (1.0, 1.0)).to_json()]}
    with pytest.raises(bough.errors.FormatError, match="column 2 is not a numeric column"):
        bough.Tree.from_json(document)
