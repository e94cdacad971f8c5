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

SURVIVAL = {
    Learner.cart: "CARTSurvival",
    Learner.conditional: "ConditionalTreeSurvival",
    Learner.forest: "RandomForestSurvival",
    Learner.boosting: "GradientBoostingSurvival",
}
"""The learners that take times until an event, with the estimators that do."""

RANKERS = (Learner.ranking, Learner.rankboost, Learner.gbrank)
"""The learners that need groups."""

WITHOUT_TARGET = (Learner.isolation,)
"""The learners that have no target."""

SUMMARIES = {
    Learner.cart: "binary splits, surrogates, pruned by cross-validation",
    Learner.chaid: "splits into groups of levels by significance tests",
    Learner.id3: "a branch for each level, by information gain",
    Learner.c45: "Quinlan's C4.5: gain ratio, error-based pruning",
    Learner.j48: "C4.5 as Weka's J48 computes it",
    Learner.c50: "Quinlan's C5.0: a tree or rules, single or boosted",
    Learner.reptree: "Weka's REPTree: fast, pruned on rows set aside",
    Learner.tree: "criterion, splits, limits and pruning chosen freely",
    Learner.optimal: "the tree of least loss among all of a depth, with a proof",
    Learner.conditional: "columns chosen without bias by permutation tests",
    Learner.simplecart: "Weka's SimpleCart: binary splits, pruned by folds",
    Learner.stump: "the one best split",
    Learner.oner: "OneR: rules on the single best column",
    Learner.part: "PART: a list of rules from partial C4.5 trees",
    Learner.ripper: "RIPPER: short rules for each class but the largest",
    Learner.cubist: "Cubist: rules with linear models, committees, neighbours",
    Learner.linear: "a tree whose splits are judged by linear models",
    Learner.logistic: "a tree with logistic models in its leaves (LMT)",
    Learner.m5: "a tree with linear models in its leaves (M5')",
    Learner.m5rules: "a list of rules with linear models, from M5 trees",
    Learner.transform: "stages of transformed columns (Pednault 2006)",
    Learner.boosting: "gradient boosting on binned columns",
    Learner.abcboost: "boosting of several classes against a base class",
    Learner.ranking: "ranks rows within groups: LambdaMART",
    Learner.rankboost: "ranks rows within groups: RankBoost",
    Learner.gbrank: "ranks rows within groups: GBRank",
    Learner.adaboost: "AdaBoost of any learner by weights of rows",
    Learner.logitboost: "LogitBoost of any regressor",
    Learner.brownboost: "BrownBoost: two classes, gives up rows that look wrong",
    Learner.forest: "random forest",
    Learner.extratrees: "forest of extremely randomized trees",
    Learner.bagging: "a committee of any learner on samples of the rows",
    Learner.bagboo: "bagging of boosted trees",
    Learner.rulefit: "few rules and linear terms chosen by the lasso (RuleFit)",
    Learner.isle: "few small trees chosen by the lasso",
    Learner.groves: "bagged sums of a few large trees",
    Learner.isolation: "outliers of rows without a target",
}
"""What each learner is, in a line that fits a terminal."""

# Parameters that make an estimator the learner of another name.
_SETTINGS: dict[Learner, dict[str, Any]] = {Learner.j48: {"variant": "j48"}}

TASKS: tuple[Task, ...] = ("classification", "regression")


def estimator_of(learner: Learner, task: Task, *, survival: bool = False) -> Any:
    """Return the estimator of a learner with its default parameters; None if it does not have this task.

    With `survival` it is that for times until an event.

    >>> estimator_of(Learner.j48, "classification").variant, estimator_of(Learner.id3, "regression")
    ('j48', None)
    """
    if survival:
        return named(SURVIVAL[learner])() if learner in SURVIVAL else None
    if (learner, task) not in _ESTIMATORS:
        return None
    return named(_ESTIMATORS[learner, task])(**_SETTINGS.get(learner, {}))
