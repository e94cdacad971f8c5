"""SimpleCart: CART as Weka has it, with fractional rows and its own cost-complexity pruning."""

from __future__ import annotations

from typing import Any, Literal

from bough.growing.limits import Limits
from bough.growing.missing import BY_FRACTIONS, check_missing
from bough.growing.pruning import Pruning, SimpleCart, check_flag, pruning_of
from bough.growing.recipe import Recipe
from bough.learners.estimator import TreeClassifierEstimator
from bough.learners.keyword_parameters import keyword_parameters
from bough.learners.parameters import FractionalParameters, SmoothingParameters


@keyword_parameters
class SimpleCartClassifier(FractionalParameters, SmoothingParameters, TreeClassifierEstimator):
    """SimpleCart classification tree of Weka: binary splits by the Gini index, cost-complexity pruning.

    It differs from `bough.CARTClassifier` as Weka's program does: a row with a missing value goes down both
    branches in fractions, splits of no gain are not made, and pruning by cross-validation follows Weka's
    rules.

    Parameters
    ----------
    min_samples_leaf
        Least number of cases of each child, or fraction of all cases; Weka's -M. A node is split if it has
        twice as many.
    prune
        "minimum": the tree of least cross-validated error; "one_se": the smallest within one standard error,
        Weka's -A; "none": no pruning, Weka's -U; or any other method of `bough.pruning`.
    cv
        The number of folds.
    random_state
        The seed of Java's random generator, which shuffles the rows.
    heuristic
        Whether levels of nominal columns of more than four levels are ordered by their first principal
        component if there are three classes or more; otherwise all sets are tried, Weka's -H.

    Examples
    --------
    >>> import bough
    >>> X, y = [[i % 10] for i in range(60)], ["a" if i % 10 < 4 else "b" for i in range(60)]
    >>> bough.SimpleCartClassifier().fit(X, y).predict([[2], [7]])
    array(['a', 'b'], dtype='<U1')

    """

    min_samples_leaf: int | float = 2
    prune: Pruning | Literal["minimum", "one_se"] | str = "minimum"
    cv: int = 5
    random_state: int = 1
    heuristic: bool = True

    def recipe(self) -> Recipe:
        """Return the recipe that these parameters define; invalid parameters raise here.

        >>> SimpleCartClassifier(prune="one_se").recipe().pruning
        SimpleCart(choose='one_se', cv=5, random_state=1)
        """
        check_missing(self.missing, type(self).__name__, BY_FRACTIONS)
        check_flag("heuristic", self.heuristic)
        by_cv = SimpleCart(cv=self.cv, random_state=self.random_state)
        pruning: Any = pruning_of(self.prune, ("none", "minimum", "one_se"))
        if isinstance(self.prune, str) and self.prune in ("minimum", "one_se"):
            pruning = SimpleCart(self.prune, by_cv.cv, by_cv.random_state)  # type: ignore[arg-type]
        return Recipe(
            "gini",
            nominal="subset",
            limits=Limits(min_samples_leaf=self.min_samples_leaf),
            missing=self.missing,
            smoothing=self.smoothing,
            pruning=pruning,
            scales=self._scales(),
            arithmetic="weka",
            settings={"program": "SimpleCart", "heuristic": bool(self.heuristic)},
            task="classification",
        )
