"""Forests agree with R's randomForest and ranger: what they tell lies within the spread of the stored seeds.

The files hold means, and for most figures standard deviations, over twelve seeds. Ours are means over twelve
seeds; `assert_within` says the rule.
"""

import json
from functools import cache

import numpy as np
import pytest
from tests.oracle.reference import FOLDER, class_labels, of_own_folder, read_data

import bough

pytestmark = pytest.mark.slow

DATASETS = sorted(path.stem for path in FOLDER.glob("forest/*.json"))
N_SEEDS = 12
MOST_ERRORS = 4.5


def document(name):
    stored = json.loads((FOLDER / "forest" / f"{name}.json").read_text(encoding="utf-8"))
    levels = stored["class_levels"]
    return stored | {"class_levels": levels and class_labels(levels)}


def is_classes(name):
    return document(name)["class_levels"] is not None


CLASSES = [name for name in DATASETS if is_classes(name)]
NUMBERS = [name for name in DATASETS if not is_classes(name)]


@cache
def rows(name):
    data, used = read_data(name), document(name)["randomForest"]["rows_used0"]
    return data.X.iloc[used].reset_index(drop=True), data.y.iloc[used].reset_index(drop=True)


def in_words_of_bough(name, y):
    """Turn further arguments of randomForest into ours; its classwt are priors."""
    options = dict(document(name)["randomForest"]["extra_args"] or {})
    levels, ours = document(name)["class_levels"], {}
    if "classwt" in options:
        prior = np.array(options.pop("classwt"))
        weights = prior / prior.sum() * len(y) / [(y == level).sum() for level in levels]
        ours["class_weight"] = dict(zip(levels, weights, strict=True))
    if "cutoff" in options:
        ours["cutoff"] = dict(zip(levels, options.pop("cutoff"), strict=True))
    if "nodesize" in options:
        ours["min_samples_split"] = options.pop("nodesize") + 1
    for theirs, name_of_ours in (
        ("mtry", "max_features"),
        ("maxnodes", "max_leaf_nodes"),
        ("replace", "replace"),
        ("sampsize", "max_samples"),
    ):
        if theirs in options:
            ours[name_of_ours] = options.pop(theirs)
    assert not options
    return ours


def positions(name, forest):
    """Where the levels, in R's order, stand among the forest's classes."""
    return [
        [str(label) for label in forest.classes_].index(level) for level in document(name)["class_levels"]
    ]


@cache
def like_random_forest(name):
    """Forests as R's randomForest grows them, one a seed."""
    X, y = rows(name)
    stored = document(name)["randomForest"]
    options = {"max_features": stored["mtry"], "seek": False, "nominal": "randomforest", "oob_score": True}
    if is_classes(name):
        options |= {"voting": "hard"}
        learner = bough.RandomForestClassifier
    else:
        options |= {"min_samples_split": 6}
        learner = bough.RandomForestRegressor
    options |= in_words_of_bough(name, y)
    return [learner(stored["ntree"], random_state=seed, **options).fit(X, y) for seed in range(N_SEEDS)]


def assert_within(ours, mean, sd=None, case=0.0):
    """Hold the one rule that all figures are judged by; `ours` has an entry for each seed.

    The mean of our twelve seeds lies within 4.5 standard errors of the stored mean: those of the difference
    of two means over twelve seeds, which chance takes no figure of some thousand beyond. Where only the mean
    is stored, its deviation is taken to be that of our own seeds. Where seeds hardly differ, it is taken as
    no less than that of twelve seeds of which one has a case more. Long vectors must lie within two standard
    errors by their root mean square.
    """
    ours, mean = np.array(ours, dtype=float), np.array(mean, dtype=float)
    off = np.abs(ours.mean(axis=0) - mean)
    assert off.shape == mean.shape
    error = standard_error(ours, sd, case)
    assert (off <= MOST_ERRORS * error).all(), f"off by {(off / np.maximum(error, 1e-300)).max()} errors"
    far = off[error > 0] / error[error > 0]
    if far.size > 30:
        assert np.sqrt(np.square(far).mean()) < 2


def standard_error(ours, sd=None, case=0.0):
    """Return the standard error of the difference of two means, each over the seeds."""
    own = ours.std(axis=0, ddof=1)
    spreads = [
        np.maximum(each, case / np.sqrt(N_SEEDS)) for each in (own, own if sd is None else np.array(sd))
    ]
    return np.sqrt(sum(np.square(spread.astype(float)) for spread in spreads) / N_SEEDS)


def assert_within_stored(ours, stored, case=0.0):
    assert_within(ours, stored["mean"], stored["sd"], case)


@of_own_folder
def test_files_are_found():
    assert len(CLASSES) >= 4
    assert len(NUMBERS) >= 2


def case_of_each_class(name):
    """What one case more makes of the error rates: of all rows, and of those of each class."""
    _, y = rows(name)
    return 1 / np.array([len(y), *[(y == level).sum() for level in document(name)["class_levels"]]])


@pytest.mark.parametrize("name", CLASSES)
def test_error_rates_out_of_bag(name):
    forests = like_random_forest(name)
    columns = [0, *(1 + position for position in positions(name, forests[0]))]
    ours = [forest.oob_error_curve_[-1, columns] for forest in forests]
    assert_within_stored(ours, document(name)["randomForest"]["oob_error"], case_of_each_class(name))


@pytest.mark.parametrize("name", CLASSES)
def test_error_after_each_tree(name):
    ours = [forest.oob_error_curve_[:, 0] for forest in like_random_forest(name)]
    stored = document(name)["randomForest"]["oob_error_curve_mean"]
    assert_within(ours, stored, case=case_of_each_class(name)[0])


@pytest.mark.parametrize("name", CLASSES)
def test_confusion(name):
    forests = like_random_forest(name)
    order = np.ix_(*[positions(name, forests[0])] * 2)
    ours = [forest.oob_confusion_[order] for forest in forests]
    assert_within(ours, document(name)["randomForest"]["confusion_mean_rows_true"], case=1.0)


@pytest.mark.parametrize("name", CLASSES)
def test_votes(name):
    stored = document(name)["randomForest"]
    # A row is out of the bags of 0.368 of the trees, each of which has a vote.
    case = np.e / stored["ntree"]
    forests = like_random_forest(name)
    ours = [forest.oob_votes_[:, positions(name, forest)] for forest in forests]
    # Trees are drawn independently, so that the votes of a row have the deviation of a share.
    mean = np.array(stored["oob_votes_mean"], dtype=float)
    assert_within(ours, mean, np.sqrt(mean * (1 - mean) * case), case=case)


@pytest.mark.parametrize("name", NUMBERS)
def test_squared_error_and_predictions_out_of_bag(name):
    stored = document(name)["randomForest"]
    forests = like_random_forest(name)
    assert_within_stored([[forest.oob_error_curve_[-1]] for forest in forests], stored["oob_mse"])
    assert_within_stored([[forest.oob_score_] for forest in forests], stored["oob_rsq"])
    assert_within([forest.oob_prediction_ for forest in forests], list(stored["oob_pred_mean"].values()))


@pytest.mark.parametrize("name", DATASETS)
def test_importance_by_impurity(name):
    key = "MeanDecreaseGini" if is_classes(name) else "IncNodePurity"
    ours = [forest.impurity_importance() for forest in like_random_forest(name)]
    assert_within_stored(ours, document(name)["randomForest"]["importance"][key])


@cache
def permuted(name):
    X, y = rows(name)
    return [forest.permutation_importance(X, y) for forest in like_random_forest(name)]


@pytest.mark.parametrize("name", DATASETS)
def test_importance_by_permutation_raw_and_scaled(name):
    stored = document(name)["randomForest"]
    key = "MeanDecreaseAccuracy" if is_classes(name) else "%IncMSE"
    assert_within_stored([found.mean for found in permuted(name)], stored["importance"][key])
    assert_within_stored([found.scaled for found in permuted(name)], stored["importance_scaled"][key])


@pytest.mark.parametrize("name", CLASSES)
def test_importance_by_permutation_of_each_class(name):
    stored = document(name)["randomForest"]
    order = positions(name, like_random_forest(name)[0])
    for position, level in zip(order, document(name)["class_levels"], strict=True):
        raw = [found.by_class[:, position] for found in permuted(name)]
        scaled = [found.by_class_scaled[:, position] for found in permuted(name)]
        assert_within_stored(raw, stored["importance"][level])
        assert_within_stored(scaled, stored["importance_scaled"][level])


@pytest.mark.parametrize("name", DATASETS)
def test_proximity_out_of_bag(name):
    X, y = rows(name)
    stored = document(name)["randomForest"]["proximity_seed1"]
    near = np.array([forest.proximity(X, oob=True, sparse=False) for forest in like_random_forest(name)])
    pairs = ~np.eye(len(y), dtype=bool)
    assert_within(near[:, pairs].mean(axis=1), stored["mean"])
    if "mean_same_class" in stored:
        same = y.to_numpy()[:, None] == y.to_numpy()
        assert_within(near[:, same & pairs].mean(axis=1), stored["mean_same_class"])
        assert_within(near[:, ~same].mean(axis=1), stored["mean_diff_class"])


@pytest.mark.parametrize("name", DATASETS)
def test_size_of_trees(name):
    stored = document(name)["randomForest"]
    ours = np.array([forest.forest_.n_nodes / stored["ntree"] for forest in like_random_forest(name)])
    if is_classes(name):
        return assert_within(ours, stored["mean_tree_size"])
    # R splits nodes of constant y on rounding noise, so that its trees of numbers are a little larger.
    slack = MOST_ERRORS * standard_error(ours)
    assert 0.97 * stored["mean_tree_size"] - slack <= ours.mean() <= stored["mean_tree_size"] + slack
    return None


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
    return [learner(stored["num_trees"], random_state=seed, **options).fit(X, y) for seed in range(N_SEEDS)]


def error(forest):
    return np.atleast_1d(forest.oob_error_curve_[-1])[:1]


@pytest.mark.parametrize("name", DATASETS)
def test_ranger_error_out_of_bag(name):
    stored = document(name)["ranger"]
    _, y = rows(name)
    forests = like_ranger(name, extra=False)
    assert_within_stored([error(forest) for forest in forests], stored["oob_error"], 1 / len(y))
    if is_classes(name):
        order = np.ix_(*[positions(name, forests[0])] * 2)
        confusions = [forest.oob_confusion_[order] for forest in forests]
        assert_within(confusions, stored["confusion_mean_rows_true"], case=1.0)
    else:
        assert_within_stored([[forest.oob_score_] for forest in forests], stored["r_squared"])


@pytest.mark.parametrize("name", DATASETS)
def test_ranger_error_of_extra_trees(name):
    _, y = rows(name)
    ours = [error(forest) for forest in like_ranger(name, extra=True)]
    assert_within_stored(ours, document(name)["ranger"]["oob_error_extratrees"], 1 / len(y))


@pytest.mark.parametrize("name", DATASETS)
def test_ranger_importance(name):
    X, y = rows(name)
    stored = document(name)["ranger"]
    forests = like_ranger(name, extra=False)
    assert_within_stored([forest.impurity_importance() for forest in forests], stored["impurity"])
    found = [forest.permutation_importance(X, y).mean for forest in forests]
    assert_within_stored(found, stored["permutation"])


@pytest.mark.parametrize("name", DATASETS)
def test_ranger_debiased_importance(name):
    X, y = rows(name)
    found = [forest.debiased_importance(X, y) for forest in like_ranger(name, extra=False)]
    assert_within_stored(found, document(name)["ranger"]["impurity_corrected"])


@pytest.mark.parametrize("name", CLASSES)
def test_ranger_brier_score_of_probabilities(name):
    X, y = rows(name)
    stored = document(name)["ranger"]
    scores = []
    for seed in range(N_SEEDS):
        forest = bough.RandomForestClassifier(
            stored["num_trees"],
            max_features=stored["mtry"],
            min_samples_split=11,
            seek=False,
            oob_score=True,
            random_state=seed,
        ).fit(X, y)
        truth = y.to_numpy()[:, None] == forest.classes_
        # ranger takes the mean square of what the probability of the true class lacks.
        scores.append([np.square(1 - forest.oob_decision_function_[truth]).mean()])
    assert_within_stored(scores, stored["oob_brier_probability_forest"])
