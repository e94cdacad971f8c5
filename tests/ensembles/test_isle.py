"""ISLE and post-processing: against a plain one, the thinning that the paper claims, ways in and out."""

import numpy as np
import pytest
from sklearn.datasets import make_friedman1
from tests.ensembles import plain_boosting
from tests.ensembles.plain_lasso import plain_lasso

import bough
from bough.ensembles.sampled_growth import grow_sampled_trees
from bough.ensembles.weighted_trees import predictions
from bough.errors import BoughError, ParameterError
from bough.learners.reading import read_training

pytestmark = pytest.mark.slow

X, Y = make_friedman1(700, noise=1.0, random_state=0)
TRAIN, TEST = slice(0, 350), slice(350, 700)
CLASSES = np.where(np.median(Y) < Y, "yes", "no")
THREE = np.array(["a", "b", "c"])[np.digitize(Y, np.quantile(Y, [0.3, 0.6]))]
SMALL = {"n_estimators": 30, "cv": 3}


def error(model):
    return np.mean((model.predict(X[TEST]) - Y[TEST]) ** 2)


@pytest.mark.parametrize("memory", [0.0, 0.3, 1.0])
def test_each_tree_is_grown_on_what_the_remembered_ones_leave(memory):
    learner = bough.ISLERegressor(n_estimators=4, max_samples=1.0, memory=memory)
    recipe = learner.recipe()
    grown = grow_sampled_trees(recipe, read_training(recipe, X[TRAIN], Y[TRAIN]))
    remembered = np.full(350, Y[TRAIN].mean())
    for tree in grown.trees:
        alone = bough.GradientBoostingRegressor(
            max_iter=1, learning_rate=1.0, max_leaf_nodes=6, min_samples_leaf=5
        ).fit(X[TRAIN], Y[TRAIN] - remembered)
        wanted = alone.predict(X[TRAIN])
        np.testing.assert_allclose(tree.predict(X[TRAIN]), wanted - alone.model_.start[0], atol=1e-3)
        remembered = remembered + memory * tree.predict(X[TRAIN])


@pytest.mark.parametrize("memory", [0.0, 0.3, 1.0])
def test_trees_are_plain_ones(memory):
    rows, y = X[TRAIN].round(2), Y[TRAIN]
    recipe = bough.ISLERegressor(n_estimators=4, max_samples=1.0, memory=memory).recipe()
    grown = grow_sampled_trees(recipe, read_training(recipe, rows, y))
    remembered = np.full(len(y), y.mean())
    for tree in grown.trees:
        leaves, _ = plain_boosting.grow(rows, remembered - y, np.ones(len(y)), 6, 0.0, 5)
        wanted = np.empty(len(y))
        for inside, value in leaves:
            wanted[inside] = value
        np.testing.assert_allclose(tree.predict(rows), wanted, rtol=1e-6, atol=1e-6)
        remembered = remembered + memory * wanted


def test_weights_are_those_of_the_lasso():
    learner = bough.ISLERegressor(**SMALL).fit(X[TRAIN], Y[TRAIN])
    recipe = learner.recipe()
    training = read_training(recipe, X[TRAIN], Y[TRAIN])
    columns = predictions(grow_sampled_trees(recipe, training), training.table).T
    penalty = learner.path_.penalties[learner.path_.chosen("best")] * _scale(columns)
    intercept, coefficients = plain_lasso(columns, Y[TRAIN], penalty, steps=20_000)
    np.testing.assert_allclose(
        learner.predict(X[TRAIN]), (intercept + columns @ coefficients)[:, 0], atol=0.02
    )
    assert abs(learner.model_.n_trees - np.count_nonzero(coefficients)) <= 3


def _scale(columns):
    """The power of two by which columns are divided before their penalty counts."""
    return 2.0 ** np.ceil(np.log2(np.abs(columns).max()))


def test_few_trees_have_about_the_error_of_all():
    forest = bough.RandomForestRegressor(200, max_leaf_nodes=12, max_samples=0.3, random_state=0)
    forest.fit(X[TRAIN], Y[TRAIN])
    few = bough.postprocess(forest, X[TRAIN], Y[TRAIN])
    assert few.n_trees <= 120
    assert error(few) < error(forest)
    boosted = bough.GradientBoostingRegressor(max_iter=200, max_leaf_nodes=6).fit(X[TRAIN], Y[TRAIN])
    fewer = bough.postprocess(boosted, X[TRAIN], Y[TRAIN], max_terms=80)
    assert fewer.n_trees <= 80
    assert error(fewer) < 1.15 * error(boosted)


def test_isle_has_a_lower_error_than_a_forest_of_as_many_trees():
    learner = bough.ISLERegressor().fit(X[TRAIN], Y[TRAIN])
    n_trees = learner.model_.n_trees
    assert n_trees < 250
    forest = bough.RandomForestRegressor(n_trees, random_state=0).fit(X[TRAIN], Y[TRAIN])
    assert error(learner) < error(forest)


@pytest.mark.parametrize(
    "learner",
    [
        bough.RandomForestClassifier(20, max_leaf_nodes=8, random_state=0),
        bough.RandomForestClassifier(20, max_leaf_nodes=8, voting="hard", random_state=0),
        bough.ExtraTreesClassifier(20, max_leaf_nodes=8, random_state=0),
        bough.GradientBoostingClassifier(max_iter=20, max_leaf_nodes=4),
        bough.BaggingClassifier(bough.TreeClassifier(max_depth=3), 10, max_features=0.5, random_state=0),
        bough.AdaBoostClassifier(n_estimators=10),
    ],
)
@pytest.mark.parametrize("target", [CLASSES, THREE])
def test_any_forest_or_boosted_model_is_thinned_and_saved(learner, target, tmp_path):
    learner.fit(X[TRAIN], target[TRAIN])
    few = bough.postprocess(learner, X[TRAIN], target[TRAIN], cv=3)
    assert few.model_kind == "gradient_boosted"
    assert (few.predict(X[TEST]) == target[TEST]).mean() > 0.6
    few.save(tmp_path / "few.json")
    assert bough.load(tmp_path / "few.json") == few
    assert "CASE" in bough.export.to_sql(few)


def test_a_postprocessed_model_regrows_and_rows_of_weight_0_do_not_count():
    forest = bough.RandomForestRegressor(10, max_leaf_nodes=6, random_state=0).fit(X[TRAIN], Y[TRAIN])
    few = bough.postprocess(forest, X[TRAIN], Y[TRAIN])
    assert bough.regrow(few, X[TRAIN], Y[TRAIN]) == few
    weight = (np.arange(700) < 350).astype(float)
    assert bough.postprocess(forest, X, Y, weight) == few


@pytest.mark.parametrize("target", [Y, CLASSES, THREE])
def test_doors_of_isle(target, tmp_path):
    learner = (bough.ISLERegressor if target is Y else bough.ISLEClassifier)(**SMALL)
    model = learner.fit(X[TRAIN], target[TRAIN]).model_
    model.save(tmp_path / "isle.zip")
    loaded = bough.load(tmp_path / "isle.zip")
    assert loaded == model
    np.testing.assert_array_equal(loaded.predict(X[TEST]), learner.predict(X[TEST]))
    assert bough.regrow(model, X[TRAIN], target[TRAIN]) == model
    assert bough.report(learner, X[TRAIN], target[TRAIN]).facts["tiles"]


@pytest.mark.parametrize(
    "given", [{"memory": 1.5}, {"n_estimators": 0}, {"max_samples": 0}, {"max_leaf_nodes": 0}, {"rule": "se"}]
)
def test_bad_parameters_are_refused_by_name(given):
    with pytest.raises(ParameterError, match=next(iter(given))):
        bough.ISLERegressor(**given).fit(X, Y)


def test_models_without_weights_of_trees_are_refused():
    rows, numbers = X[:60], np.exp(Y[:60] / 10)
    poisson = bough.GradientBoostingRegressor(loss="poisson", max_iter=3).fit(rows, numbers)
    for model in (
        poisson,
        bough.CARTRegressor().fit(rows, numbers).tree_,
        bough.GradientBoostingRegressor(linear_leaves=True, max_iter=3).fit(rows, numbers),
        bough.CubistRegressor().fit(rows, numbers),
    ):
        with pytest.raises(BoughError):
            bough.postprocess(model, rows, numbers)
    with pytest.raises(BoughError, match="class"):
        bough.postprocess(
            bough.RandomForestClassifier(3).fit(X[TRAIN], CLASSES[TRAIN]), X[TRAIN], THREE[TRAIN]
        )


@pytest.mark.parametrize("learner", [bough.ISLERegressor, bough.RuleEnsembleClassifier])
def test_the_error_for_a_text_as_max_samples_names_auto(learner):
    with pytest.raises(ParameterError, match="max_samples is 'x'; it must be 'auto' or a number above 0"):
        learner(max_samples="x").fit([[1.0], [2.0]] * 10, [1, 2] * 10)
