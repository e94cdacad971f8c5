"""A model grown again from the recipe that it records is the same model, over parameters of every learner."""

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import KFold

import bough
from bough.errors import ParameterError
from bough.growing.recipe import Recipe
from bough.pruning import ErrorBased, Pessimistic, ReducedError

pytestmark = pytest.mark.slow

RNG = np.random.default_rng(7)
N_ROWS = 160
COLOURS = np.array(["red", "green", "blue", "grey"], dtype=object)


def mixed_rows():
    numbers = RNG.normal(size=(N_ROWS, 3)).round(1)
    numbers[RNG.random((N_ROWS, 3)) < 0.05] = np.nan
    colours = COLOURS[RNG.integers(4, size=N_ROWS)]
    return [[*row, colour] for row, colour in zip(numbers.tolist(), colours.tolist(), strict=True)]


X = mixed_rows()
SCORE = np.array([(row[0] if row[0] == row[0] else 0.0) + (row[3] == "red") for row in X])
CLASSES = np.where(SCORE + RNG.normal(size=N_ROWS) > 0.3, "yes", "no")
THREE = np.array(["a", "b", "c"])[np.digitize(SCORE + RNG.normal(size=N_ROWS), [-0.5, 0.8])]
NUMBERS = (SCORE * 3 + RNG.normal(size=N_ROWS)).round(2)
EVENTS = RNG.poisson(np.exp(SCORE / 2))
WEIGHTS = RNG.integers(0, 4, size=N_ROWS).astype(float)
LEVELS = [[COLOURS[i % 4], COLOURS[(i * i) % 3], "x" if i % 5 else "y"] for i in range(N_ROWS)]
WITHOUT_GAPS = [[0.0 if value != value else value for value in row] for row in X]

CART = [
    {},
    {"criterion": "entropy", "max_depth": 4, "min_samples_leaf": 3},
    {"missing": "surrogates_then_stop", "n_surrogates": 2, "agreement": "known", "surrogate_rule": "rpart"},
    {"missing": "majority", "prune": "none", "min_improvement": 0.01, "n_competitors": 2},
    {"prune": "minimum", "cv": 5, "random_state": 3, "path": "rpart"},
    {"prune": "cp", "cp": 0.02, "cv": None},
    {"n_surrogates": 0, "agreement": "known"},
    {"ccp_alpha": 0.01},
    {"prune": "none", "ccp_alpha": 0.02},
    {"cv": np.arange(N_ROWS) % 4},
    {"column_costs": {"x0": 2.0}, "count": "rows", "max_leaf_nodes": 9},
    {"prune": ReducedError(cv=4, random_state=2)},
    {"combinations": ("ratio", "linear"), "missing": "majority", "prune": "none", "max_depth": 2},
    {"categorical_features": [3], "min_weight_fraction_leaf": 0.02},
]
CART_CLASSES = [
    {"class_weight": "balanced", "smoothing": "laplace"},
    {"class_weight": {"yes": 2, "no": 1}, "smoothing": 2.0},
    {"prior": "equal"},
    {"prior": {"yes": 0.3, "no": 0.7}, "loss_matrix": {("yes", "no"): 4}},
    {"loss_matrix": [[0, 1], [3, 0]], "prune": "minimum"},
    {"prune": Pessimistic(standard_errors=0.5)},
    {"prune": ErrorBased(confidence=0.1, subtree_raising=False)},
    {"prune": "mdl"},
]
FOREST = [
    {},
    {"max_features": 2, "min_samples_leaf": 3, "nominal": "subset"},
    {"bootstrap": False, "missing": "majority", "max_depth": 4},
    {"replace": False, "max_samples": 0.5, "seek": False},
    {"max_leaf_nodes": 8, "min_impurity_decrease": 0.001},
]
CASES = [
    *[(bough.CARTClassifier, each, X, CLASSES) for each in [*CART, *CART_CLASSES]],
    *[(bough.CARTRegressor, each, X, NUMBERS) for each in CART if each.get("criterion") is None],
    *[
        (bough.CARTRegressor, each | {"criterion": "poisson"}, X, EVENTS)
        for each in ({}, {"shrink": 0.5, "cv_error": "sqrt"}, {"shrink": 0, "prune": "cp", "cp": 0.01})
    ],
    (bough.CARTRegressor, {"criterion": "absolute_error", "cv": 4}, X, NUMBERS),
    *[
        (bough.TreeClassifier, each, X, THREE)
        for each in (
            {"criterion": "gain_ratio", "nominal": "complete", "purity": 0.9, "min_samples_branch": 3},
            {"criterion": "chi_square", "significance": 0.05, "nominal": "one_vs_rest"},
            {"criterion": "twoing", "max_exhaustive_levels": 3, "min_events": 4, "prune": "pessimistic"},
        )
    ],
    (bough.TreeRegressor, {"min_variance": 1.5, "min_gain": 0.01}, X, NUMBERS),
    *[
        (bough.CHAIDClassifier, each, X, THREE)
        for each in (
            {},
            {"exhaustive": True, "bonferroni": False, "class_weight": "balanced"},
            {"criterion": "likelihood_ratio", "significance_split_merged": 0.01, "max_bins": 5},
            {"missing": "majority", "significance": 0.2, "significance_merge": 0.1, "min_node_fraction": 0.1},
        )
    ],
    (bough.CHAIDRegressor, {"max_depth": 2, "min_samples_leaf": 3}, X, NUMBERS),
    (bough.TreeClassifier, {"max_branches": 4, "missing": "own_level"}, X, THREE),
    (bough.TreeRegressor, {"max_branches": 3, "branch_choice": "most", "max_depth": 3}, X, NUMBERS),
    *[
        (bough.ID3Classifier, each, LEVELS, CLASSES)
        for each in ({}, {"significance": 0.2, "max_depth": 2}, {"prune": "mdl", "class_weight": "balanced"})
    ],
    *[
        (bough.C45Classifier, each, X, THREE)
        for each in (
            {},
            {"variant": "j48", "nominal": "one_vs_rest", "confidence": 0.1},
            {"nominal": "subset", "criterion": "entropy", "min_samples_branch": 4, "subtree_raising": False},
            {"variant": "j48", "prune": "reduced_error", "smoothing": "laplace"},
            {"prune": "none", "class_weight": {"a": 2.0, "b": 1.0, "c": 1.0}},
        )
    ],
    *[
        (bough.REPTreeClassifier, each, X, THREE)
        for each in (
            {},
            {"prune": "none", "random_state": 5},
            {"cv": 5, "random_state": None, "max_depth": 3},
        )
    ],
    *[
        (bough.ConditionalTreeClassifier, each, X, THREE)
        for each in (
            {},
            {"significance": 0.5, "statistic": "maximum", "adjust": "none", "min_samples_leaf": 3},
            {"distribution": "monte_carlo", "n_resamples": 99, "random_state": 3, "smoothing": "laplace"},
            {"missing": "surrogates_then_majority", "n_surrogates": 2, "min_statistic": 2.0, "max_depth": 2},
        )
    ],
    (bough.ConditionalTreeRegressor, {"min_child_fraction": 0.1, "n_tries": 3}, X, NUMBERS),
    *[
        (bough.SimpleCartClassifier, each, X, THREE)
        for each in (
            {},
            {"prune": "one_se", "cv": 3, "random_state": 2},
            {"prune": "none", "heuristic": False},
        )
    ],
    (bough.DecisionStumpClassifier, {"smoothing": 1.0}, X, THREE),
    (bough.DecisionStumpRegressor, {}, X, NUMBERS),
    (bough.OneRClassifier, {"min_bucket": 3}, X, THREE),
    *[
        (bough.AdaBoostClassifier, each | {"n_estimators": 5}, X, THREE)
        for each in (
            {},
            {"variant": "real", "estimator": bough.C45Classifier()},
            {"variant": "discrete", "estimator": bough.TreeClassifier(max_depth=4), "learning_rate": 0.5},
            {"estimator": bough.RandomForestClassifier(3, max_depth=3), "random_state": 2},
        )
    ],
    *[
        (bough.AdaBoostRegressor, each | {"n_estimators": 5}, X, NUMBERS)
        for each in ({}, {"loss": "square", "random_state": 4}, {"bootstrap": False})
    ],
    (bough.LogitBoostClassifier, {"n_estimators": 3, "max_response": 3.0}, X, THREE),
    (bough.LogitBoostClassifier, {"estimator": bough.REPTreeRegressor(random_state=None)}, X, CLASSES),
    (bough.BrownBoostClassifier, {"target_error": 0.3, "n_estimators": 20}, X, CLASSES),
    (bough.PARTClassifier, {"confidence": 0.1, "nominal": "one_vs_rest"}, X, THREE),
    (bough.RIPPERClassifier, {"n_optimizations": 1, "random_state": 4, "check_error": False}, X, THREE),
    *[
        (bough.OptimalTreeClassifier, each | {"max_depth": 2}, X, THREE)
        for each in (
            {},
            {"ccp_alpha": 0.01, "min_samples_leaf": 5, "smoothing": "laplace"},
            {"max_leaf_nodes": 3, "class_weight": {"a": 2.0, "b": 1.0, "c": 1.0}, "max_exhaustive_levels": 2},
            {"loss_matrix": {("a", "b"): 3.0}, "time_limit": 1000.0, "on_interrupt": "raise"},
        )
    ],
    (bough.OptimalTreeRegressor, {"max_depth": 2, "ccp_alpha": 0.1}, X, NUMBERS),
    (bough.REPTreeRegressor, {"min_variance_fraction": 0.05, "min_samples_branch": 5}, X, NUMBERS),
    (bough.CubistRegressor, {"n_estimators": 2, "n_neighbors": 3, "unbiased": True}, X, NUMBERS),
    (bough.CubistRegressor, {"max_rules": 2, "extrapolation": 0.1}, X, NUMBERS),
    *[
        (bough.LinearTreeRegressor, each, X, NUMBERS)
        for each in ({}, {"ridge": 2.0, "prune": "none", "max_depth": 2})
    ],
    *[
        (bough.LogisticModelTreeClassifier, each | {"max_boosting_steps": 20}, X, THREE)
        for each in (
            {},
            {"boosting_steps": 4, "prune": "none"},
            {"boosting_steps": "each_node", "prune": "one_se"},
        )
    ],
    (bough.M5RulesRegressor, {"smoothing_constant": 5.0, "min_samples_split": 10}, X, NUMBERS),
    *[
        (bough.M5Regressor, each, X, NUMBERS)
        for each in (
            {},
            {"leaf": "constant", "prune": "none"},
            {"smoothing_constant": 0.0, "min_samples_split": 20, "min_deviation_fraction": 0.2},
        )
    ],
    *[
        (bough.RandomForestClassifier, each | {"n_estimators": 7, "random_state": 4}, X, THREE)
        for each in FOREST
    ],
    *[
        (bough.RandomForestRegressor, each | {"n_estimators": 7, "random_state": 4}, X, NUMBERS)
        for each in FOREST
    ],
    *[
        (bough.RandomForestRegressor, {"n_estimators": 30, "bias_correction": True} | each, X, NUMBERS)
        for each in ({}, {"replace": False, "max_samples": 0.6, "oob_score": True})
    ],
    (bough.RandomForestClassifier, {"n_estimators": 5, "class_weight": "balanced_subsample"}, X, THREE),
    (
        bough.RandomForestClassifier,
        {"n_estimators": 5, "voting": "hard", "cutoff": [0.2, 0.2, 0.6]},
        X,
        THREE,
    ),
    (bough.RandomForestClassifier, {"n_estimators": 5, "max_samples": {"yes": 20, "no": 30}}, X, CLASSES),
    (bough.ExtraTreesClassifier, {"n_estimators": 5}, X, THREE),
    (bough.ExtraTreesRegressor, {"n_estimators": 5, "max_features": 2}, X, NUMBERS),
    (bough.RandomSubspaceClassifier, {"n_estimators": 5, "max_features": 2}, X, THREE),
    *[
        (bough.BaggingClassifier, each | {"n_estimators": 3, "random_state": 2}, X, THREE)
        for each in (
            {},
            {"estimator": bough.C45Classifier(), "voting": "hard", "max_features": 3},
            {"estimator": bough.CARTClassifier(prior="equal"), "max_samples": {"a": 20, "b": 20, "c": 30}},
            {"estimator": bough.C50Classifier(n_estimators=2), "bootstrap": False},
            {"estimator": bough.RandomForestClassifier(3), "replace": False, "max_samples": 0.5},
        )
    ],
    *[
        (bough.GradientBoostingClassifier, each | {"max_iter": 6, "min_samples_leaf": 5}, X, THREE)
        for each in (
            {},
            {"early_stopping": True, "random_state": 3, "max_iter": 40},
            {"max_samples": 0.5, "max_features": 0.5, "tree_features": 0.8, "level_features": 0.7},
            {"growth": "level", "max_depth": 3, "max_leaf_nodes": None, "class_weight": "balanced"},
            {"interaction_cst": [["x0", "x3"], [1]], "l1_regularization": 0.5, "l2_regularization": 2.0},
        )
    ],
    *[
        (bough.GradientBoostingRegressor, each | {"max_iter": 6, "min_samples_leaf": 5}, X, NUMBERS)
        for each in (
            {"loss": "quantile", "quantile": 0.8},
            {"loss": "huber", "max_bins": 7, "min_gain": 0.1},
            {"monotonic_cst": {"x0": 1}, "max_delta_step": 0.5, "learning_rate": 0.3},
        )
    ],
    (bough.GradientBoostingRegressor, {"loss": "tweedie", "max_iter": 5}, X, EVENTS),
    (bough.BaggingRegressor, {"estimator": bough.CARTRegressor(cv=4), "n_estimators": 3}, X, NUMBERS),
    *[
        (bough.C50Classifier, each, X, THREE)
        for each in (
            {},
            {"n_estimators": 4, "nominal": "complete", "min_samples_branch": 3},
            {"rules": True, "bands": 4},
            {"winnow": True, "global_pruning": False, "confidence": 0.1},
            {"loss_matrix": {("a", "b"): 5}, "fuzzy": True},
            {"max_samples": 0.6, "random_state": 9, "n_estimators": 3, "early_stopping": False},
        )
    ],
]


def model_of(learner):
    return next(getattr(learner, name) for name in ("model_", "forest_", "tree_") if hasattr(learner, name))


def label(case):
    learner, parameters, _, _ = case
    return f"{learner.__name__}({', '.join(f'{name}={value!r}' for name, value in parameters.items())})"[:80]


@pytest.mark.parametrize("weights", [None, WEIGHTS], ids=["unweighted", "weighted"])
@pytest.mark.parametrize(("learner", "parameters", "rows", "y"), CASES, ids=map(label, CASES))
def test_a_recipe_regrows_the_same_model(learner, parameters, rows, y, weights):
    model = model_of(learner(**parameters).fit(rows, y, sample_weight=weights))
    recorded = json.loads(json.dumps(model.recipe))
    objects = {}
    is_forest = "Forest" in learner.__name__
    if is_forest and parameters.get("max_samples") and isinstance(parameters["max_samples"], dict):
        objects["strata"] = np.unique(y, return_inverse=True)[1].astype(np.int32)
    assert bough.regrow(recorded, rows, y, weights, objects=objects) == model


@pytest.mark.parametrize("seed", [3, None, np.random.RandomState(1)])
def test_a_forest_without_a_target_regrows(seed, tmp_path):
    rng = np.random.default_rng(0)
    rows = pd.DataFrame({"x": rng.normal(size=60), "level": rng.choice(3, size=60)})
    learner = bough.UnsupervisedRandomForest(4, categorical_features=["level"], random_state=seed)
    forest = learner.fit(rows).forest_
    forest.save(tmp_path / "forest.bough")
    loaded = bough.load(tmp_path / "forest.bough")
    assert bough.regrow(loaded, rows) == forest == loaded
    assert bough.regrow(forest.recipe | {"synthetic_seed": 99}, rows) != forest


def test_survival_trees_regrow():
    y = (np.abs(NUMBERS) + 0.1, (CLASSES == "yes").astype(int))
    tree = bough.CARTSurvival(shrink=0.5, count="rows", cv=5).fit(X, y, sample_weight=WEIGHTS).tree_
    assert bough.regrow(tree, X, y, WEIGHTS) == tree


def test_exposure_is_given_again():
    exposure = RNG.uniform(1, 3, size=N_ROWS)
    tree = bough.CARTRegressor("poisson").fit(X, EVENTS, exposure=exposure).tree_
    assert bough.regrow(tree, X, EVENTS, exposure=exposure) == tree


class Deviation(bough.UserMethod):
    def evaluate(self, y, weight):
        mean = np.average(y, weights=weight)
        return mean, (weight * np.abs(y - mean)).sum()

    def error(self, y, answer):
        return np.abs(y - answer)


def gain_of_squares(children):
    weights = children.sum(axis=2, keepdims=True)
    return (children**2 / np.maximum(weights, 1)).sum(axis=(1, 2))


@pytest.mark.parametrize(
    ("learner", "name", "object_", "y"),
    [
        (bough.UserTree(Deviation(), cv=4, max_depth=3), "Deviation", Deviation(), NUMBERS),
        (bough.TreeClassifier(gain_of_squares, max_depth=3), "gain_of_squares", gain_of_squares, CLASSES),
        (bough.CARTClassifier(cv=KFold(4), max_depth=3), "KFold", KFold(4), CLASSES),
        (
            bough.CARTClassifier(prune=ReducedError(tuning=(X[:50], CLASSES[:50]))),
            "tuning",
            (X[:50], CLASSES[:50]),
            CLASSES,
        ),
    ],
    ids=["method", "criterion", "splitter", "tuning set"],
)
def test_what_a_file_cannot_hold_must_be_supplied_by_name(learner, name, object_, y):
    rows = WITHOUT_GAPS
    tree = learner.fit(rows, y).tree_
    recorded = json.loads(json.dumps(tree.recipe))
    with pytest.raises(ParameterError, match=name):
        bough.regrow(recorded, rows, y)
    assert bough.regrow(recorded, rows, y, objects={name: object_}) == tree


@pytest.mark.parametrize("random_state", [None, np.random.RandomState(5)], ids=["None", "RandomState"])
def test_folds_that_no_seed_can_draw_again_are_recorded(random_state):
    tree = bough.CARTClassifier(random_state=random_state).fit(X, CLASSES).tree_
    assert len(tree.recipe["prune"]["folds"]) == N_ROWS
    assert bough.regrow(json.loads(json.dumps(tree.recipe)), X, CLASSES) == tree


def test_a_recipe_is_the_same_after_json():
    for learner, parameters, _, _ in CASES:
        if "cv" not in parameters and "prune" not in parameters and "Bagging" not in learner.__name__:
            recipe = learner(**parameters).recipe()
            written = json.loads(json.dumps(recipe.to_json()))
            assert Recipe.from_json(written).to_json() == recipe.to_json()


def test_a_forest_records_how_it_splits_levels():
    forest = bough.RandomForestClassifier(3, nominal="ordered").fit(X, CLASSES).forest_
    assert forest.recipe["nominal"] == "ordered"


def test_what_is_no_recipe_is_refused():
    with pytest.raises(ParameterError, match="recipe is"):
        bough.regrow({"trees": 3}, X, CLASSES)


@pytest.mark.parametrize(
    "estimator",
    [bough.IsolationForest(5), bough.RandomForestRegressor(3), bough.ExtraTreesRegressor(3)],
    ids=str,
)
def test_the_recipe_of_a_forest_before_fit_is_refused(estimator):
    with pytest.raises(ParameterError, match="fit the estimator and regrow its model"):
        bough.regrow(estimator.recipe(), [[number] for number in range(20)], list(range(20)))
