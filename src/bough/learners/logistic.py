"""Logistic model trees (Landwehr, Hall and Frank 2005): trees with logistic models in their nodes."""

from __future__ import annotations

from typing import Any, ClassVar, Literal, TypeAlias, get_args

from bough.errors import ParameterError
from bough.growing.draws import read_seed
from bough.growing.limits import Limits, check_whole
from bough.growing.missing import BY_FOREST, Missing, check_missing
from bough.growing.pruning import CostComplexity, PathChoice, check_choice
from bough.growing.recipe import Recipe
from bough.learners.estimator import TreeClassifierEstimator
from bough.learners.keyword_parameters import keyword_parameters
from bough.learners.parameters import SizeParameters
from bough.types import Smoothing

StepChoice: TypeAlias = Literal["root", "each_node"]
"""Where the number of boosting steps is cross-validated."""

LogisticPruning: TypeAlias = Literal["minimum", "one_se", "none"]
"""How a logistic model tree is pruned by cost complexity."""


@keyword_parameters
class LogisticModelTreeClassifier(SizeParameters, TreeClassifierEstimator):
    """Logistic model tree (LMT): a classification tree whose leaves predict by logistic models.

    The tree is grown by information gain. In each node LogitBoost goes on with the model of its parent: each
    step adds to the score of each class the line in one column that fits best, so that columns which do not
    help have no term. The tree is pruned by cost complexity, as in CART; where a single logistic model is
    best, only its root is left.

    A column with levels is used as an indicator for each level, of two levels for the second. In models,
    missing values are replaced by the mean of the column or its most frequent level.

    Parameters
    ----------
    boosting_steps
        The number of steps in each node. "root": it is chosen by cross-validation in the root and used in all
        nodes, as Landwehr, Hall and Frank do for speed; "each_node": it is chosen in each node.
    max_boosting_steps
        The greatest number of steps that is chosen.
    prune
        "minimum": the tree of least cross-validated error; "one_se": the smallest tree whose error is within
        one standard error of it; "none": no pruning.
    cv
        The folds that choose among the pruned trees: their number, the fold of each row, or a splitter.
    random_state
        The seed of the folds.
    missing
        How rows with a missing value are routed: "learned", "majority" or "refuse".

    Examples
    --------
    >>> import bough
    >>> X = [[i % 20, i % 7] for i in range(200)]
    >>> y = ["high" if (x + z > 14) == (x > 5) else "low" for x, z in X]
    >>> model = bough.LogisticModelTreeClassifier().fit(X, y)
    >>> print(model.tree_.rules()[0])
    x0 < 5.5 -> log-odds of low = -2.012 - 0.08806 × x1

    """

    smoothing: ClassVar[Smoothing] = "none"

    min_samples_split: int | float = 15
    min_samples_leaf: int | float = 2
    boosting_steps: int | StepChoice = "root"
    max_boosting_steps: int = 200
    prune: LogisticPruning = "minimum"
    cv: Any = 5
    random_state: Any = 0
    missing: Missing = "learned"

    def recipe(self) -> Recipe:
        """Return the recipe that these parameters define; invalid parameters raise here.

        >>> LogisticModelTreeClassifier(boosting_steps=10).recipe().settings["boosting_steps"]
        10
        """
        check_missing(self.missing, type(self).__name__, BY_FOREST)
        check_choice("prune", self.prune, get_args(LogisticPruning))
        check_whole("max_boosting_steps", self.max_boosting_steps, 1, 10_000)
        return Recipe(
            "entropy",
            limits=Limits(
                max_depth=self.max_depth,
                min_samples_split=self.min_samples_split,
                min_samples_leaf=self.min_samples_leaf,
            ),
            missing=self.missing,
            pruning=self._pruning(),
            seed=read_seed(self.random_state),
            scales=self._scales(),
            settings={
                "program": "logistic",
                "boosting_steps": self._steps(),
                "max_boosting_steps": int(self.max_boosting_steps),
            },
            task="classification",
        )

    def _pruning(self) -> CostComplexity | None:
        if self.prune == "none":
            return None
        choose: PathChoice = self.prune
        return CostComplexity(choose, cv=self.cv, random_state=self.random_state)

    def _steps(self) -> int | str:
        steps = self.boosting_steps
        if isinstance(steps, str):
            if steps not in get_args(StepChoice):
                raise ParameterError.of("boosting_steps", steps, "a number, 'root' or 'each_node'")
            return steps
        check_whole("boosting_steps", steps, 1, 10_000)
        return int(steps)
