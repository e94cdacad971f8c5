"""REPTree of Weka: growth by information gain or variance, reduced-error pruning and backfitting."""

from __future__ import annotations

from typing import Any

from bough.growing.limits import Limits, check_number
from bough.growing.missing import BY_FRACTIONS, check_missing
from bough.growing.pruning import Pruning, ReducedError, pruning_of
from bough.growing.recipe import Recipe
from bough.learners.estimator import TreeClassifierEstimator, TreeRegressorEstimator
from bough.learners.keyword_parameters import keyword_parameters
from bough.learners.parameters import ClassParameters, FractionalParameters


@keyword_parameters
class REPTreeParameters(FractionalParameters):
    """Parameters that the REPTree classifier and regressor share.

    Parameters
    ----------
    min_samples_branch
        At least two branches of a split must have this many cases, or this fraction of all cases; Weka's -M.
    max_depth
        The greatest number of splits on a path.
    cv
        One of so many folds is held out for pruning.
    random_state
        A whole number that seeds Java's random generator, which shuffles the rows first; None keeps their
        order.
    prune
        "reduced_error", which finally adds the held-out rows to the leaves (backfitting); "none"; or any
        other method of `bough.pruning`.

    """

    min_samples_branch: float = 2
    max_depth: int | None = None
    cv: int = 3
    random_state: int | None = 1
    prune: Pruning | str = "reduced_error"


@keyword_parameters
class REPTreeClassifier(REPTreeParameters, ClassParameters, TreeClassifierEstimator):
    """REPTree classification tree: grown by information gain, pruned on held-out rows, as in Weka.

    Nominal columns get one branch for each level. A row with a missing value goes down all branches with
    fractional weights.

    Examples
    --------
    >>> import bough
    >>> X, y = [[i % 10] for i in range(60)], ["a" if i % 10 < 4 else "b" for i in range(60)]
    >>> print(bough.REPTreeClassifier().fit(X, y).tree_.rules()[0])
    x0 < 3.5 -> a

    """

    def recipe(self) -> Recipe:
        """Return the recipe that these parameters define; invalid parameters raise here.

        >>> REPTreeClassifier().recipe().criterion
        'entropy'
        """
        return Recipe(
            "entropy",
            **self._class_parts(),
            **reptree_parts(self),
        )


@keyword_parameters
class REPTreeRegressor(REPTreeParameters, TreeRegressorEstimator):
    """REPTree regression tree: grown by squared error, pruned on held-out rows, as in Weka.

    Parameters
    ----------
    min_variance_fraction
        A node is split only if the variance of y in it is at least this fraction of the variance of y in all
        rows.

    Examples
    --------
    >>> import bough
    >>> X, y = [[i % 10] for i in range(60)], [1.0 if i % 10 < 4 else 3.0 for i in range(60)]
    >>> bough.REPTreeRegressor().fit(X, y).predict([[2], [7], [None]])
    array([1. , 3. , 2.2])

    """

    min_variance_fraction: float = 1e-3

    def recipe(self) -> Recipe:
        """Return the recipe that these parameters define; invalid parameters raise here.

        >>> REPTreeRegressor().recipe().criterion
        'squared_error'
        """
        check_number("min_variance_fraction", self.min_variance_fraction, 0.0)
        return Recipe(
            "squared_error",
            task="regression",
            **reptree_parts(self, min_variance_fraction=float(self.min_variance_fraction)),
        )


def reptree_parts(learner: REPTreeClassifier | REPTreeRegressor, **settings: Any) -> dict[str, Any]:
    """Return the parts of the recipe that the REPTree classifier and regressor share.

    >>> reptree_parts(REPTreeClassifier())["seed"]
    1
    """
    check_missing(learner.missing, type(learner).__name__, BY_FRACTIONS)
    reduced_error = ReducedError(cv=learner.cv, random_state=learner.random_state, backfit=True)
    own = reduced_error if isinstance(learner.prune, str) and learner.prune == "reduced_error" else None
    return {
        "nominal": "complete",
        "limits": Limits(min_samples_branch=learner.min_samples_branch, max_depth=learner.max_depth),
        "missing": learner.missing,
        "pruning": pruning_of(learner.prune, ("none", "reduced_error")) or own,
        "seed": learner.random_state,
        "scales": learner._scales(),
        "arithmetic": "weka",
        "settings": {"program": "REPTree", "cv": learner.cv, **settings},
    }
