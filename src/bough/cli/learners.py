"""The learners by their names on the command line."""

from __future__ import annotations

from enum import StrEnum
from typing import Any, Literal, Self

from bough.catalogue import HOMES, named
from bough.types import Task

_SUFFIXES = {"classification": "Classifier", "regression": "Regressor", "survival": "Survival"}


class Learner(StrEnum):
    """The algorithms: their names on the command line, those of their estimators, and what they are.

    The name of an estimator is completed by its task, such as `CARTClassifier`. The summary is a line that
    fits a terminal.
    """

    def __new__(cls, name: str, estimator: str = "", summary: str = "") -> Self:
        """Return the algorithm of a name."""
        learner = str.__new__(cls, name)
        learner._value_, learner._estimator, learner.summary = name, estimator, summary
        return learner

    _estimator: str
    summary: str

    cart = "cart", "CART", "binary splits, surrogates, pruned by cross-validation"
    chaid = "chaid", "CHAID", "splits into groups of levels by significance tests"
    id3 = "id3", "ID3", "a branch for each level, by information gain"
    c45 = "c4.5", "C45", "Quinlan's C4.5: gain ratio, error-based pruning"
    j48 = "j48", "C45", "C4.5 as Weka's J48 computes it"
    c50 = "c50", "C50", "Quinlan's C5.0: a tree or rules, single or boosted"
    reptree = "reptree", "REPTree", "Weka's REPTree: fast, pruned on rows set aside"
    tree = "tree", "Tree", "criterion, splits, limits and pruning chosen freely"
    optimal = "optimal", "OptimalTree", "the tree of least loss among all of a depth, with a proof"
    conditional = "conditional", "ConditionalTree", "columns chosen without bias by permutation tests"
    simplecart = "simplecart", "SimpleCart", "Weka's SimpleCart: binary splits, pruned by folds"
    stump = "stump", "DecisionStump", "the one best split"
    oner = "oner", "OneR", "OneR: rules on the single best column"
    part = "part", "PART", "PART: a list of rules from partial C4.5 trees"
    ripper = "ripper", "RIPPER", "RIPPER: short rules for each class but the largest"
    cubist = "cubist", "Cubist", "Cubist: rules with linear models, committees, neighbours"
    linear = "linear", "LinearTree", "a tree whose splits are judged by linear models"
    logistic = "logistic", "LogisticModelTree", "a tree with logistic models in its leaves (LMT)"
    m5 = "m5", "M5", "a tree with linear models in its leaves (M5')"
    m5rules = "m5rules", "M5Rules", "a list of rules with linear models, from M5 trees"
    transform = "transform", "Transform", "stages of transformed columns (Pednault 2006)"
    boosting = "boosting", "GradientBoosting", "gradient boosting on binned columns"
    abcboost = "abcboost", "ABCBoost", "boosting of several classes against a base class"
    ranking = "ranking", "GradientBoostingRanker", "ranks rows within groups: LambdaMART"
    rankboost = "rankboost", "RankBoostRanker", "ranks rows within groups: RankBoost"
    gbrank = "gbrank", "GBRankRanker", "ranks rows within groups: GBRank"
    adaboost = "adaboost", "AdaBoost", "AdaBoost of any learner by weights of rows"
    logitboost = "logitboost", "LogitBoost", "LogitBoost of any regressor"
    brownboost = "brownboost", "BrownBoost", "BrownBoost: two classes, gives up rows that look wrong"
    forest = "forest", "RandomForest", "random forest"
    extratrees = "extratrees", "ExtraTrees", "forest of extremely randomized trees"
    bagging = "bagging", "Bagging", "a committee of any learner on samples of the rows"
    bagboo = "bagboo", "BagBoo", "bagging of boosted trees"
    rulefit = "rulefit", "RuleEnsemble", "few rules and linear terms chosen by the lasso (RuleFit)"
    isle = "isle", "ISLE", "few small trees chosen by the lasso"
    groves = "groves", "AdditiveGroves", "bagged sums of a few large trees"
    isolation = "isolation", "IsolationForest", "outliers of rows without a target"

    def estimator_name(self, task: Task | Literal["survival"]) -> str | None:
        """Return the name of the estimator for a task; None if there is none.

        >>> Learner.cart.estimator_name("survival"), Learner.id3.estimator_name("regression")
        ('CARTSurvival', None)
        """
        if (name := f"{self._estimator}{_SUFFIXES[task]}") in HOMES:
            return name
        # Rankers and isolation forests have no task in their names.
        return self._estimator if task == "regression" and self._estimator in HOMES else None


SURVIVAL = {learner: name for learner in Learner if (name := learner.estimator_name("survival"))}
"""The learners that take times until an event, with the estimators that do."""

RANKERS = (Learner.ranking, Learner.rankboost, Learner.gbrank)
"""The learners that need groups."""

WITHOUT_TARGET = (Learner.isolation,)
"""The learners that have no target."""

# Parameters that make an estimator the learner of another name.
_SETTINGS: dict[Learner, dict[str, Any]] = {Learner.j48: {"variant": "j48"}}

TASKS: tuple[Task, ...] = ("classification", "regression")


def estimator_of(learner: Learner, task: Task, *, survival: bool = False) -> Any:
    """Return the estimator of a learner with its default parameters; None if it does not have this task.

    With `survival` it is that for times until an event.

    >>> estimator_of(Learner.j48, "classification").variant, estimator_of(Learner.id3, "regression")
    ('j48', None)
    """
    name = learner.estimator_name("survival" if survival else task)
    return None if name is None else named(name)(**_SETTINGS.get(learner, {}))
