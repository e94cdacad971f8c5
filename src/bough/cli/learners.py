"""The learners by their names on the command line."""

from __future__ import annotations

from enum import StrEnum
from typing import Any

from bough.catalogue import named
from bough.types import Task


class Learner(StrEnum):
    """The algorithms by their names on the command line."""

    cart = "cart"
    chaid = "chaid"
    id3 = "id3"
    c45 = "c4.5"
    j48 = "j48"
    c50 = "c50"
    reptree = "reptree"
    tree = "tree"
    optimal = "optimal"
    conditional = "conditional"
    simplecart = "simplecart"
    stump = "stump"
    oner = "oner"
    part = "part"
    ripper = "ripper"
    cubist = "cubist"
    linear = "linear"
    logistic = "logistic"
    m5 = "m5"
    m5rules = "m5rules"
    transform = "transform"
    boosting = "boosting"
    abcboost = "abcboost"
    ranking = "ranking"
    rankboost = "rankboost"
    gbrank = "gbrank"
    adaboost = "adaboost"
    logitboost = "logitboost"
    brownboost = "brownboost"
    forest = "forest"
    extratrees = "extratrees"
    bagging = "bagging"
    bagboo = "bagboo"
    rulefit = "rulefit"
    isle = "isle"
    groves = "groves"
    isolation = "isolation"


_ESTIMATORS = {
    (Learner.cart, "classification"): "CARTClassifier",
    (Learner.cart, "regression"): "CARTRegressor",
    (Learner.chaid, "classification"): "CHAIDClassifier",
    (Learner.chaid, "regression"): "CHAIDRegressor",
    (Learner.id3, "classification"): "ID3Classifier",
    (Learner.c45, "classification"): "C45Classifier",
    (Learner.j48, "classification"): "C45Classifier",
    (Learner.c50, "classification"): "C50Classifier",
    (Learner.reptree, "classification"): "REPTreeClassifier",
    (Learner.reptree, "regression"): "REPTreeRegressor",
    (Learner.tree, "classification"): "TreeClassifier",
    (Learner.tree, "regression"): "TreeRegressor",
    (Learner.optimal, "classification"): "OptimalTreeClassifier",
    (Learner.optimal, "regression"): "OptimalTreeRegressor",
    (Learner.conditional, "classification"): "ConditionalTreeClassifier",
    (Learner.conditional, "regression"): "ConditionalTreeRegressor",
    (Learner.simplecart, "classification"): "SimpleCartClassifier",
    (Learner.stump, "classification"): "DecisionStumpClassifier",
    (Learner.stump, "regression"): "DecisionStumpRegressor",
    (Learner.oner, "classification"): "OneRClassifier",
    (Learner.part, "classification"): "PARTClassifier",
    (Learner.ripper, "classification"): "RIPPERClassifier",
    (Learner.cubist, "regression"): "CubistRegressor",
    (Learner.linear, "regression"): "LinearTreeRegressor",
    (Learner.logistic, "classification"): "LogisticModelTreeClassifier",
    (Learner.m5, "regression"): "M5Regressor",
    (Learner.m5rules, "regression"): "M5RulesRegressor",
    (Learner.transform, "regression"): "TransformRegressor",
    (Learner.boosting, "classification"): "GradientBoostingClassifier",
    (Learner.boosting, "regression"): "GradientBoostingRegressor",
    (Learner.abcboost, "classification"): "ABCBoostClassifier",
    (Learner.ranking, "regression"): "GradientBoostingRanker",
    (Learner.rankboost, "regression"): "RankBoostRanker",
    (Learner.gbrank, "regression"): "GBRankRanker",
    (Learner.adaboost, "classification"): "AdaBoostClassifier",
    (Learner.adaboost, "regression"): "AdaBoostRegressor",
    (Learner.logitboost, "classification"): "LogitBoostClassifier",
    (Learner.brownboost, "classification"): "BrownBoostClassifier",
    (Learner.forest, "classification"): "RandomForestClassifier",
    (Learner.forest, "regression"): "RandomForestRegressor",
    (Learner.extratrees, "classification"): "ExtraTreesClassifier",
    (Learner.extratrees, "regression"): "ExtraTreesRegressor",
    (Learner.bagging, "classification"): "BaggingClassifier",
    (Learner.bagging, "regression"): "BaggingRegressor",
    (Learner.bagboo, "classification"): "BagBooClassifier",
    (Learner.bagboo, "regression"): "BagBooRegressor",
    (Learner.rulefit, "classification"): "RuleEnsembleClassifier",
    (Learner.rulefit, "regression"): "RuleEnsembleRegressor",
    (Learner.isle, "classification"): "ISLEClassifier",
    (Learner.isle, "regression"): "ISLERegressor",
    (Learner.groves, "classification"): "AdditiveGrovesClassifier",
    (Learner.groves, "regression"): "AdditiveGrovesRegressor",
    (Learner.isolation, "regression"): "IsolationForest",
}

RANKERS = (Learner.ranking, Learner.rankboost, Learner.gbrank)
"""The learners that need groups."""

WITHOUT_TARGET = (Learner.isolation,)
"""The learners that have no target."""

# Parameters that make an estimator the learner of another name.
_SETTINGS: dict[Learner, dict[str, Any]] = {Learner.j48: {"variant": "j48"}}

TASKS: tuple[Task, ...] = ("classification", "regression")


def estimator_of(learner: Learner, task: Task) -> Any:
    """Return the estimator of a learner with its default parameters; None if it does not have this task.

    >>> estimator_of(Learner.j48, "classification").variant, estimator_of(Learner.id3, "regression")
    ('j48', None)
    """
    if (learner, task) not in _ESTIMATORS:
        return None
    return named(_ESTIMATORS[learner, task])(**_SETTINGS.get(learner, {}))
