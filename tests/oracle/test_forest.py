"""Forests agree with R's randomForest and ranger: what they tell lies within the spread of the stored seeds.

The files hold means and standard deviations over twelve seeds. Ours are means over a few seeds, and must lie
within three standard deviations of the stored mean; where all stored seeds agree, within one case.
"""

import json
from functools import cache

import numpy as np
import pytest
from tests.oracle.reference import FOLDER, read_data

import bough

DATASETS = sorted(path.stem for path in FOLDER.glob("forest/*.json"))
SEEDS = range(4)


def document(name):
    return json.loads((FOLDER / "forest" / f"{name}.json").read_text(encoding="utf-8"))


def is_classes(name):
    return document(name)["class_levels"] is not None


CLASSES = [name for name in DATASETS if is_classes(name)]
NUMBERS = [name for name in DATASETS if not is_classes(name)]


@cache
def rows(name):
    data, used = read_data(name), document(name)["randomForest"]["rows_used0"]
    return data.X.iloc[used].reset_index(drop=True), data.y.iloc[used].reset_index(drop=True)


def class_weight(name, y):
    """R's classwt are priors."""
    options = document(name)["randomForest"]["extra_args"]
    if not options:
        return None
    prior = np.array(options["classwt"]) / np.sum(options["classwt"])
    levels = document(name)["class_levels"]
    return {level: p * len(y) / (y == level).sum() for level, p in zip(levels, prior, strict=True)}


@cache
def like_random_forest(name):
    """Forests as R's randomForest grows them, one a seed."""
    X, y = rows(name)
    stored = document(name)["randomForest"]
    options = {"max_features": stored["mtry"], "seek": False, "oob_score": True}
    if is_classes(name):
        options |= {"voting": "hard", "class_weight": class_weight(name, y)}
        learner = bough.RandomForestClassifier
    else:
        options |= {"min_samples_split": 6}
        learner = bough.RandomForestRegressor
    return [learner(stored["ntree"], random_state=seed, **options).fit(X, y) for seed in SEEDS]


def mean(values):
    return np.mean(list(values), axis=0)


def assert_within(ours, stored, case=0.0):
    expected, sd = np.array(stored["mean"]), np.array(stored["sd"])
    off = np.abs(ours - expected)
    allowed = np.where(sd > 0, 3 * sd, case)
    assert (off <= allowed).all(), f"off by {off / np.maximum(sd, 1e-300)} sd: {ours} is not {expected}"


def test_files_are_found():
    assert len(CLASSES) >= 4
    assert len(NUMBERS) >= 2


@pytest.mark.parametrize("name", CLASSES)
def test_error_rates_out_of_bag(name):
    stored = document(name)["randomForest"]["oob_error"]
    _, y = rows(name)
    levels = document(name)["class_levels"]
    forests = like_random_forest(name)
    assert [str(label) for label in forests[0].classes_] == levels
    ours = mean(forest.oob_error_curve_[-1] for forest in forests)
    case = 1 / np.array([len(y), *[(y == level).sum() for level in levels]])
    assert_within(ours, stored, case)


@pytest.mark.parametrize("name", CLASSES)
def test_error_after_each_tree(name):
    stored = np.array(document(name)["randomForest"]["oob_error_curve_mean"])
    ours = mean(forest.oob_error_curve_[:, 0] for forest in like_random_forest(name))
    final_sd = document(name)["randomForest"]["oob_error"]["sd"][0]
    # The curves are stored as means alone. Early points scatter more than the last, and a few trees leave out
    # only a few rows.
    off = np.abs(ours - stored)
    assert off[100:].max() < 4 * final_sd
    assert off[10:100].max() < 7 * final_sd


@pytest.mark.parametrize("name", CLASSES)
def test_confusion(name):
    stored = np.array(document(name)["randomForest"]["confusion_mean_rows_true"])
    forests = like_random_forest(name)
    ours = mean(forest.oob_confusion_ for forest in forests)
    _, y = rows(name)
    assert ours.sum() == len(y)
    spread = np.std([forest.oob_confusion_ for forest in forests], axis=0, ddof=1)
    assert (np.abs(ours - stored) <= 3 * spread + 1.0).all()


@pytest.mark.parametrize("name", CLASSES)
def test_votes(name):
    stored = np.array(document(name)["randomForest"]["oob_votes_mean"])
    votes = [forest.oob_votes_ for forest in like_random_forest(name)]
    ours = mean(votes)
    assert np.corrcoef(ours.ravel(), stored.ravel())[0, 1] > 0.995
    # A share of about 184 votes has a standard error of at most 0.037; of thousands, one is far out.
    assert np.abs(ours - stored).mean() < 0.02
    assert np.abs(ours - stored).max() < 0.13


@pytest.mark.parametrize("name", NUMBERS)
def test_squared_error_and_predictions_out_of_bag(name):
    stored = document(name)["randomForest"]
    forests = like_random_forest(name)
    assert_within(mean([forest.oob_error_curve_[-1]] for forest in forests), stored["oob_mse"])
    assert_within(mean([forest.oob_score_] for forest in forests), stored["oob_rsq"])
    expected = np.array(list(stored["oob_pred_mean"].values()))
    ours = mean(forest.oob_prediction_ for forest in forests)
    assert np.corrcoef(ours, expected)[0, 1] > 0.995


@pytest.mark.parametrize("name", DATASETS)
def test_importance_by_impurity(name):
    key = "MeanDecreaseGini" if is_classes(name) else "IncNodePurity"
    ours = mean(forest.impurity_importance() for forest in like_random_forest(name))
    assert_within(ours, document(name)["randomForest"]["importance"][key])


@cache
def permuted(name):
    X, y = rows(name)
    return [forest.permutation_importance(X, y) for forest in like_random_forest(name)]


@pytest.mark.parametrize("name", DATASETS)
def test_importance_by_permutation_raw_and_scaled(name):
    stored = document(name)["randomForest"]
    key = "MeanDecreaseAccuracy" if is_classes(name) else "%IncMSE"
    assert_within(mean(found.mean for found in permuted(name)), stored["importance"][key])
    assert_within(mean(found.scaled for found in permuted(name)), stored["importance_scaled"][key])


@pytest.mark.parametrize("name", CLASSES)
def test_importance_by_permutation_of_each_class(name):
    stored = document(name)["randomForest"]
    for position, level in enumerate(document(name)["class_levels"]):
        raw = mean(found.by_class[:, position] for found in permuted(name))
        scaled = mean(found.by_class_scaled[:, position] for found in permuted(name))
        assert_within(raw, stored["importance"][level])
        assert_within(scaled, stored["importance_scaled"][level])


@pytest.mark.parametrize("name", DATASETS)
def test_proximity_out_of_bag(name):
    X, y = rows(name)
    stored = document(name)["randomForest"]["proximity_seed1"]
    near = np.array([forest.proximity(X, oob=True, sparse=False) for forest in like_random_forest(name)])
    pairs = ~np.eye(len(y), dtype=bool)
    of_seeds = near[:, pairs].mean(axis=1)
    # One seed is stored, so its own spread is allowed for, as ours show it.
    assert of_seeds.mean() == pytest.approx(stored["mean"], rel=0.05)
    if "mean_same_class" in stored:
        same = y.to_numpy()[:, None] == y.to_numpy()
        assert near[:, same & pairs].mean() == pytest.approx(stored["mean_same_class"], rel=0.05)
        assert near[:, ~same].mean() == pytest.approx(stored["mean_diff_class"], rel=0.1)


@pytest.mark.parametrize("name", DATASETS)
def test_size_of_trees(name):
    ours = mean(forest.forest_.n_nodes / 500 for forest in like_random_forest(name))
    assert ours == pytest.approx(document(name)["randomForest"]["mean_tree_size"], rel=0.015)


@cache
def like_ranger(name, extra):
    X, y = rows(name)
    stored = document(name)["ranger"]
    options = {
        "max_features": stored["mtry"],
        "min_samples_split": stored["min_node_size"] + 1,
        "seek": False,
        "oob_score": True,
        "bootstrap": True,
    }
    if is_classes(name):
        learner = bough.ExtraTreesClassifier if extra else bough.RandomForestClassifier
        options["voting"] = "hard"
    else:
        learner = bough.ExtraTreesRegressor if extra else bough.RandomForestRegressor
    return [learner(stored["num_trees"], random_state=seed, **options).fit(X, y) for seed in SEEDS]


def error(forest):
    return np.atleast_1d(forest.oob_error_curve_[-1])[:1]


@pytest.mark.parametrize("name", DATASETS)
def test_ranger_error_out_of_bag(name):
    stored = document(name)["ranger"]
    _, y = rows(name)
    assert_within(mean(map(error, like_ranger(name, extra=False))), stored["oob_error"], 1 / len(y))


@pytest.mark.parametrize("name", DATASETS)
def test_ranger_error_of_extra_trees(name):
    stored = document(name)["ranger"]
    _, y = rows(name)
    assert_within(mean(map(error, like_ranger(name, extra=True))), stored["oob_error_extratrees"], 1 / len(y))


@pytest.mark.parametrize("name", DATASETS)
def test_ranger_importance(name):
    X, y = rows(name)
    stored = document(name)["ranger"]
    forests = like_ranger(name, extra=False)
    assert_within(mean(forest.impurity_importance() for forest in forests), stored["impurity"])
    found = mean(forest.permutation_importance(X, y).mean for forest in forests)
    assert_within(found, stored["permutation"])


@pytest.mark.parametrize("name", DATASETS)
def test_ranger_debiased_importance(name):
    X, y = rows(name)
    found = mean(forest.debiased_importance(X, y) for forest in like_ranger(name, extra=False))
    assert_within(found, document(name)["ranger"]["impurity_corrected"])


@pytest.mark.parametrize("name", CLASSES)
def test_ranger_brier_score_of_probabilities(name):
    X, y = rows(name)
    stored = document(name)["ranger"]
    truth = y.to_numpy()[:, None] == np.array(document(name)["class_levels"])
    scores = []
    for seed in SEEDS:
        forest = bough.RandomForestClassifier(
            stored["num_trees"],
            max_features=stored["mtry"],
            min_samples_split=11,
            seek=False,
            oob_score=True,
            random_state=seed,
        ).fit(X, y)
        # ranger takes the mean square of what the probability of the true class lacks.
        scores.append([np.square(1 - forest.oob_decision_function_[truth]).mean()])
    assert_within(mean(scores), stored["oob_brier_probability_forest"])
