"""Every learner of the package: its model, its files and its recipe give what the learner gives."""

import inspect
import json
import re

import numpy as np
import pytest
from sklearn.base import BaseEstimator, clone, is_classifier

import bough
from bough.errors import BoughError, TableError
from bough.models.model import Model

RANDOM = np.random.default_rng(3)
N = 60
X = [
    [float(number), float(count), level]
    for number, count, level in zip(
        RANDOM.normal(size=N).round(1), RANDOM.integers(0, 5, N), RANDOM.choice(list("abc"), N), strict=True
    )
]
LEVELS = [[level, str(int(count))] for _, count, level in X]
SCORE = np.array([number + (level == "a") for number, _, level in X])
CLASSES = np.where(SCORE + RANDOM.normal(size=N) * 0.5 > 0.3, "yes", "no")
NUMBERS = (3 * SCORE + RANDOM.normal(size=N)).round(2)
TIMES = np.column_stack([np.abs(NUMBERS) + 0.1, CLASSES == "yes"])
GRADES, GROUPS = np.digitize(SCORE, [-0.5, 0.5, 1.2]), np.arange(N) // 6

OWN_ROWS = {
    "ID3Classifier": (LEVELS, CLASSES, {}),
    "IsolationForest": (X, None, {}),
    "UnsupervisedRandomForest": (X, None, {}),
    **dict.fromkeys(
        ("GradientBoostingRanker", "GBRankRanker", "RankBoostRanker"), (X, GRADES, {"groups": GROUPS})
    ),
}
NO_MODEL = {
    "UserTree": "grows by the functions of a user",
    "ModelTreeClassifier": "has leaves of scikit-learn, which no file can hold",
    "ModelTreeRegressor": "has leaves of scikit-learn, which no file can hold",
}
LEARNERS = [
    name
    for name in bough.__all__
    if inspect.isclass(getattr(bough, name))
    and issubclass(getattr(bough, name), BaseEstimator)
    and not hasattr(getattr(bough, name), "transform")
    and name not in NO_MODEL
]
SMALL = {"n_estimators": 4, "max_iter": 5, "random_state": 1}
OTHER = {
    "bootstrap": False,
    "categorical_features": [1, 2],
    "ccp_alpha": 0.01,
    "class_weight": "balanced",
    "column_costs": {"x0": 2.0},
    "confidence": 0.1,
    "contamination": 0.1,
    "cv": 3,
    "drop_rate": 0.3,
    "early_stopping": True,
    "growth": "level",
    "l2_regularization": 2.0,
    "learning_rate": 0.3,
    "loss_matrix": {("yes", "no"): 3.0},
    "max_bins": 6,
    "max_branches": 3,
    "max_depth": 3,
    "max_features": 0.5,
    "max_leaf_nodes": 5,
    "max_samples": 0.6,
    "min_impurity_decrease": 0.01,
    "min_samples_branch": 3,
    "min_samples_leaf": 4,
    "min_samples_split": 12,
    "min_weight_fraction_leaf": 0.1,
    "missing": "refuse",
    "monotonic_cst": {"x0": 1},
    "n_neighbors": 2,
    "ordinal_features": {"x2": ["b", "a", "c"]},
    "prior": "equal",
    "prune": "none",
    "random_state": 7,
    "replace": False,
    "ridge": 2.0,
    "significance": 0.3,
    "smoothing": "laplace",
    "splitter": "random",
    "top_samples": 0.3,
    "voting": "hard",
}

TOGETHER = {"max_bins": {"bootstrap": False}}
"""What a parameter needs besides, where a learner has it: forests on bins draw no rows by seed."""


def parameters_of(name):
    return inspect.signature(getattr(bough, name)).parameters


def rows_of(name):
    """Rows, target and further arguments of fit that a learner takes."""
    if name in OWN_ROWS:
        return OWN_ROWS[name]
    if name.endswith("Survival"):
        return X, TIMES, {}
    return X, CLASSES if is_classifier(getattr(bough, name)()) else NUMBERS, {}


def fitted(name, **changes):
    rows, y, given = rows_of(name)
    small = {each: value for each, value in SMALL.items() if each in parameters_of(name)}
    return getattr(bough, name)(**small | changes).fit(rows, y, **given)


def accepted(name, parameter, value):
    """The learner with this value of a parameter, None if it refuses the value by name."""
    besides = {
        each: value for each, value in TOGETHER.get(parameter, {}).items() if each in parameters_of(name)
    }
    try:
        return fitted(name, **{parameter: value} | besides)
    except BoughError as error:
        if parameter not in str(error):
            raise
        return None


def check_doors(learner, folder, endings=("json", "bough")):
    """The model, and the model from files, answer as the learner does."""
    rows, y, given = rows_of(type(learner).__name__)
    model = learner.model_
    assert isinstance(model, Model)
    loaded = []
    for ending in endings:
        model.save(folder / f"model.{ending}")
        loaded.append(bough.load(folder / f"model.{ending}"))
    doors = [model, *loaded]
    if getattr(learner, "n_estimators", 1) == 1 or not isinstance(learner, bough.C50Classifier):
        doors += [getattr(learner, name) for name in ("tree_", "forest_") if hasattr(learner, name)]
    for door in doors:
        assert door == model
        if isinstance(learner, bough.IsolationForest):  # its model predicts the score
            assert (-door.predict(rows) == learner.score_samples(rows)).all()
        elif hasattr(learner, "predict"):
            np.testing.assert_array_equal(door.predict(rows), learner.predict(rows))
        if hasattr(learner, "predict_proba"):
            np.testing.assert_array_equal(door.predict_proba(rows), learner.predict_proba(rows))
    assert bough.regrow(json.loads(json.dumps(model.recipe)), rows, y, **given) == model


@pytest.mark.parametrize("name", LEARNERS)
def test_model_files_and_recipe_give_what_the_learner_gives(name, tmp_path):
    check_doors(fitted(name), tmp_path)


@pytest.mark.parametrize("name", [name for name in LEARNERS if "random_state" in parameters_of(name)])
def test_so_they_do_where_no_seed_can_draw_again(name, tmp_path):
    if (learner := accepted(name, "random_state", None)) is not None:
        check_doors(learner, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("name", LEARNERS)
def test_so_they_do_with_other_parameters(name, tmp_path):
    taken = [each for each in OTHER if each in parameters_of(name)]
    learners = [learner for each in taken if (learner := accepted(name, each, OTHER[each])) is not None]
    assert learners or not taken
    for learner in learners:
        check_doors(learner, tmp_path, ("bough",))


def refusal(call):
    """The policy for missing values that the error of a call suggests."""
    with pytest.raises(TableError, match="missing='refuse' allows none") as refused:
        call()
    return re.search(r"or choose '(\w+)'", str(refused.value))[1]


PREDICTING = [name for name in LEARNERS if hasattr(getattr(bough, name), "predict")]


@pytest.mark.parametrize("name", [name for name in PREDICTING if "missing" in parameters_of(name)])
def test_a_refused_missing_value_is_refused_by_fit_and_predict_with_a_policy_that_the_learner_has(name):
    rows, y, given = rows_of(name)
    with_missing = [[None, *rows[0][1:]], *rows[1:]]
    learner = fitted(name, missing="refuse")
    for instead in (
        refusal(lambda: clone(learner).fit(with_missing, y, **given)),
        refusal(lambda: learner.predict(with_missing)),
    ):
        assert fitted(name, missing=instead).get_params()["missing"] == instead
