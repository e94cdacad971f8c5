"""Conditional inference trees (Hothorn, Hornik and Zeileis 2006): columns are chosen by permutation tests."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias, get_args

from bough.growing.draws import read_seed
from bough.growing.limits import Limits, check_number, check_whole
from bough.growing.missing import Missing, check_missing
from bough.growing.pruning import check_choice
from bough.growing.recipe import Recipe
from bough.learners.estimator import TreeClassifierEstimator, TreeRegressorEstimator
from bough.learners.keyword_parameters import keyword_parameters
from bough.learners.parameters import SmoothingParameters
from bough.learners.survival_estimator import SurvivalTreeEstimator

Distribution: TypeAlias = Literal["asymptotic", "monte_carlo"]
"""The distribution that gives p-values: the limit for many rows, or random permutations of the rows."""

TestStatistic: TypeAlias = Literal["quadratic", "maximum"]
"""How a linear statistic of several entries becomes one number: a quadratic form, or the greatest entry."""

Adjustment: TypeAlias = Literal["bonferroni", "none"]
"""Whether p-values of a node are adjusted for the number of columns tested."""

BY_TESTS: tuple[Missing, ...] = ("majority", "surrogates_then_majority", "refuse")
"""The policies for missing values of conditional inference trees."""

_MOST = 2**31 - 1


@keyword_parameters
class ConditionalTreeParameters:
    """Parameters that the conditional inference trees share.

    Parameters
    ----------
    significance
        A node is split if the smallest adjusted p-value is below this; partykit's 1 − `mincriterion`.
    adjust
        "bonferroni" adjusts the p-values of a node for the number of columns tested; "none" does not.
    distribution
        "asymptotic" takes p-values from the limiting distribution; "monte_carlo" from `n_resamples` random
        permutations, drawn with the seed `random_state`.
    statistic
        "quadratic" sums the deviations of all levels and classes as chi-square does; "maximum" takes the
        greatest standardized deviation.
    split_statistic
        The same choice for the two-sample statistic that decides where a column is split.
    min_statistic
        If not None, columns are chosen by their statistics instead of p-values, and a node is split if the
        greatest exceeds this.
    n_resamples
        Number of permutations of Monte Carlo tests.
    random_state
        Seed of the permutations of Monte Carlo tests.
    max_depth
        The greatest number of splits on a path; None sets no limit.
    min_samples_split
        Least number of cases, or fraction of all cases, of a node that is split.
    min_samples_leaf
        Least number of cases, or fraction of all cases, of each child.
    min_child_fraction
        Each child has at least this fraction of the cases of its parent; partykit's `minprob`.
    n_tries
        If the best column has no split that the limits allow, the next significant column is tried, up to
        this number of columns; partykit's `splittry`.
    missing
        "majority": a row with a missing value follows the branch of greatest weight, of equals the last.
        "surrogates_then_majority": it follows a surrogate split if one can route it. "refuse": a missing
        value raises an error. A column is tested on the rows whose value is known.
    n_surrogates
        The number of surrogates kept; they are chosen by tests of the other columns against the branches.
    max_exhaustive_levels
        With three classes or more, nominal columns of up to this many levels are searched exhaustively;
        beyond, levels are ordered by their first principal component. Numbers and two classes are searched in
        the order of their means, which finds the best split.

    """

    significance: float = 0.05
    adjust: Adjustment = "bonferroni"
    distribution: Distribution = "asymptotic"
    statistic: TestStatistic = "quadratic"
    split_statistic: TestStatistic = "quadratic"
    min_statistic: float | None = None
    n_resamples: int = 9999
    random_state: Any = 0
    max_depth: int | None = None
    min_samples_split: int | float = 20
    min_samples_leaf: int | float = 7
    min_child_fraction: float = 0.01
    n_tries: int = 2
    missing: Missing = "majority"
    n_surrogates: int = 3
    max_exhaustive_levels: int = 20

    def _parts(self) -> dict[str, Any]:
        """Return the parts of the recipe that do not depend on the target."""
        check_number("significance", self.significance, 0.0, 1.0, above=True)
        check_choice("adjust", self.adjust, get_args(Adjustment))
        check_choice("distribution", self.distribution, get_args(Distribution))
        check_choice("statistic", self.statistic, get_args(TestStatistic))
        check_choice("split_statistic", self.split_statistic, get_args(TestStatistic))
        check_missing(self.missing, type(self).__name__, BY_TESTS)
        check_number("min_child_fraction", self.min_child_fraction, 0.0, 0.5)
        if self.min_statistic is not None:
            check_number("min_statistic", self.min_statistic, 0.0, above=True, end=", or None")
        for name in ("n_resamples", "n_tries"):
            check_whole(name, getattr(self, name), 1, _MOST)
        resampled = self.distribution == "monte_carlo"
        return {
            "nominal": "subset",
            "limits": Limits(
                max_depth=self.max_depth,
                min_samples_split=self.min_samples_split,
                min_samples_leaf=self.min_samples_leaf,
            ),
            "missing": self.missing,
            "n_surrogates": self.n_surrogates,
            "max_exhaustive_levels": self.max_exhaustive_levels,
            "seed": read_seed(self.random_state) if resampled else None,
            "scales": self._scales(),  # type: ignore[attr-defined]
            "settings": {
                "program": "conditional",
                "significance": float(self.significance),
                "adjust": self.adjust,
                "statistic": self.statistic,
                "split_statistic": self.split_statistic,
                "min_statistic": None if self.min_statistic is None else float(self.min_statistic),
                "n_resamples": int(self.n_resamples) if resampled else 0,
                "min_child_fraction": float(self.min_child_fraction),
                "n_tries": int(self.n_tries),
            },
        }


@keyword_parameters
class ConditionalTreeClassifier(ConditionalTreeParameters, SmoothingParameters, TreeClassifierEstimator):
    """Conditional inference tree for classes: unbiased in the choice of columns, and not pruned.

    In each node, the independence of every column and the target is tested by a permutation test. If the
    smallest adjusted p-value is below `significance`, the node is split on that column, where the two-sample
    statistic is greatest; otherwise it is a leaf. Unlike CART, columns with many distinct values are not
    preferred, and growth stops by itself. The tests of every node are kept: `tree_.tests_of(node)`.

    The method is that of R's `partykit::ctree`, whose statistics and p-values are reproduced.

    Examples
    --------
    >>> import bough
    >>> X = [[i % 10, i % 7] for i in range(60)]
    >>> model = bough.ConditionalTreeClassifier().fit(X, ["a" if i % 10 < 4 else "b" for i in range(60)])
    >>> print(model.tree_.node(0))
    node 0, the root: all
      60 cases (100.0%), answer b: a 24, b 36
      asks x0 <= 3? -> node 1 if x0 <= 3, node 2 if x0 > 3; missing goes to node 2
      p-values: x0 1.1e-10, x1 0.996

    """

    def recipe(self) -> Recipe:
        """Return the recipe that these parameters define; invalid parameters raise here.

        >>> ConditionalTreeClassifier(statistic="maximum").recipe().settings["statistic"]
        'maximum'
        """
        return Recipe("gini", smoothing=self.smoothing, task="classification", **self._parts())


@keyword_parameters
class ConditionalTreeRegressor(ConditionalTreeParameters, TreeRegressorEstimator):
    """Conditional inference tree for numbers: unbiased in the choice of columns, and not pruned.

    Examples
    --------
    >>> import bough
    >>> X, y = [[i % 10, i % 7] for i in range(60)], [1.0 if i % 10 < 4 else 3.0 for i in range(60)]
    >>> bough.ConditionalTreeRegressor().fit(X, y).predict([[3, 0], [8, 0]])
    array([1., 3.])

    """

    def recipe(self) -> Recipe:
        """Return the recipe that these parameters define; invalid parameters raise here.

        >>> ConditionalTreeRegressor(adjust="holm").recipe()
        Traceback (most recent call last):
        bough.errors.ParameterError: adjust is 'holm'; it must be one of 'bonferroni', 'none'.
        """
        return Recipe("squared_error", task="regression", **self._parts())


@keyword_parameters
class ConditionalTreeSurvival(ConditionalTreeParameters, SurvivalTreeEstimator):
    """Conditional inference tree for censored times: tests of log-rank scores.

    The score of a row is its status minus the cumulative hazard at its time, the Nelson-Aalen estimate from
    all rows (`bough.logrank_scores`). Columns and splits are chosen by tests of these scores. A leaf predicts
    the hazard relative to that of all rows, as `bough.CARTSurvival` does.

    `y` is a pair (time, status) or a table, as in `bough.CARTSurvival`.

    Examples
    --------
    >>> import bough
    >>> X, time = [[i % 2] for i in range(40)], [5.0 + i / 40 if i % 2 else 1.0 + i / 40 for i in range(40)]
    >>> model = bough.ConditionalTreeSurvival().fit(X, (time, [1] * 40))
    >>> model.predict([[0], [1]]).round(2)
    array([3.13, 0.59])

    """

    def recipe(self) -> Recipe:
        """Return the recipe that these parameters define; invalid parameters raise here.

        >>> ConditionalTreeSurvival().recipe().response
        'times'
        """
        return Recipe("poisson", zero_rates=True, response="times", task="regression", **self._parts())
