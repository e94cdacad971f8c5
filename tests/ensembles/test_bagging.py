"""Bagging draws all that its members need."""

import numpy as np
import pytest

import bough
from bough.errors import FormatError, ParameterError
from bough.loading import from_document


@pytest.mark.parametrize("learner", [bough.REPTreeRegressor(random_state=None), None])
def test_members_are_seeded_by_the_bagging(learner):
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(120, 3)), rng.normal(size=120)
    models = [bough.BaggingRegressor(learner, 3, random_state=5).fit(X, y).model_ for _ in range(2)]
    assert models[0] == models[1]


INNER = (
    bough.BaggingRegressor(n_estimators=2),
    bough.BagBooRegressor(bough.GradientBoostingRegressor(max_iter=2), 2),
    bough.AdaBoostRegressor(n_estimators=2),
    bough.M5RulesRegressor(),
    bough.RuleEnsembleRegressor(n_estimators=3),
)


@pytest.mark.parametrize("inner", INNER, ids=lambda inner: type(inner).__name__)
def test_any_learner_can_be_bagged_saved_and_regrown(inner, tmp_path):
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(60, 3)), rng.normal(size=60)
    model = bough.BaggingRegressor(inner, 2, random_state=5).fit(X, y)
    model.model_.save(tmp_path / "model.json")
    assert bough.load(tmp_path / "model.json") == model.model_
    assert bough.regrow(model.model_, X, y) == model.model_


@pytest.mark.parametrize("inner", ["cart", bough.CARTRegressor, bough.CARTClassifier()], ids=repr)
def test_what_cannot_be_bagged_is_refused(inner):
    with pytest.raises(ParameterError, match="estimator is"):
        bough.BaggingRegressor(inner).fit([[1.0], [2.0]], [1.0, 2.0])


@pytest.mark.parametrize("weight", [0, -1, True, None, float("inf"), 10**400])
def test_a_wrong_weight_of_a_member_in_a_file_is_refused(weight):
    learner = bough.BaggingClassifier(bough.TreeClassifier(max_depth=1), 2, random_state=0)
    document = learner.fit([[0.0], [1.0], [2.0]], [0, 0, 1]).model_.document()
    with pytest.raises(FormatError, match=r"weights\[1\]"):
        from_document(document | {"weights": [1.0, weight]})
