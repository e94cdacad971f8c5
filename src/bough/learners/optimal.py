"""Optimal trees: the tree of least training loss among all trees within limits of depth and leaves."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias, get_args

from bough.errors import ParameterError
from bough.growing.limits import Limits, check_number
from bough.growing.missing import Missing, check_missing
from bough.growing.pruning import check_choice, check_flag
from bough.growing.recipe import Recipe
from bough.learners.estimator import TreeClassifierEstimator, TreeRegressorEstimator
from bough.learners.fitting import Fitted
from bough.learners.keyword_parameters import keyword_parameters
from bough.learners.parameters import ClassParameters
from bough.progress import showing_bounds

OnInterrupt: TypeAlias = Literal["keep", "raise"]
"""Whether Ctrl-C ends the search with the best tree so far, or raises KeyboardInterrupt."""

BY_SEARCH: tuple[Missing, ...] = ("learned", "refuse")
"""The policies for missing values of optimal trees."""

_MOST_DEPTH = 30
_MOST_SECONDS = 1e9
_MOST_EXHAUSTIVE = 12


@keyword_parameters
class OptimalTreeParameters:
    """Parameters that the optimal classifier and regressor share, and what the search has found.

    Parameters
    ----------
    max_depth
        The greatest number of splits on a path. The time of a proof grows with the depth by large factors;
        depths of 3 and 4 are usual.
    max_leaf_nodes
        The greatest number of leaves; None for no limit.
    ccp_alpha
        The cost of a leaf in the objective: a split is made only if the share of loss falls by more.
    min_samples_leaf
        The least number of cases of every leaf; a fraction is of all cases.
    max_exhaustive_levels
        Of a nominal column with at most this many levels, every subset is a candidate; of one with more, each
        level against all others. At most 12; the number of subsets doubles with each level.
    missing
        "learned": the rows of a node whose value is missing all go to one side, the one that loses less;
        "refuse": a missing value raises an error.
    time_limit
        The greatest time of the search in seconds; None for no limit.
    on_interrupt
        "keep": Ctrl-C ends the search and `fit` returns with the best tree so far; "raise": it raises
        KeyboardInterrupt.
    verbose
        Whether both bounds are shown on the terminal during the search.

    Attributes
    ----------
    tree_
        The best tree found.
    objective_, lower_bound_, gap_
        The objective of the tree, the greatest lower bound that was proved for every tree within the limits,
        and their difference.
    proved_
        Whether the tree is proved to be optimal.

    """

    max_depth: int = 3
    max_leaf_nodes: int | None = None
    ccp_alpha: float = 0.0
    min_samples_leaf: int | float = 1
    max_exhaustive_levels: int = 5
    missing: Missing = "learned"
    time_limit: float | None = None
    on_interrupt: OnInterrupt = "keep"
    verbose: bool = False

    def _fit(self, X: Any, y: Any, sample_weight: Any, exposure: Any = None) -> None:
        check_flag("verbose", self.verbose)
        if not self.verbose:
            super()._fit(X, y, sample_weight, exposure)  # type: ignore[misc]
            return
        with showing_bounds("Searching the best tree"):
            super()._fit(X, y, sample_weight, exposure)  # type: ignore[misc]

    def _keep(self, fitted: Fitted) -> None:
        super()._keep(fitted)  # type: ignore[misc]
        found = fitted.tree.provenance["optimality"]
        self.objective_: float = found["objective"]
        self.lower_bound_: float = found["lower_bound"]
        self.gap_ = self.objective_ - self.lower_bound_
        self.proved_: bool = found["proved"]


@keyword_parameters
class OptimalTreeClassifier(OptimalTreeParameters, ClassParameters, TreeClassifierEstimator):
    """Classification tree of least training loss among all trees within the limits, with a proof.

    The search minimizes the objective: the share of misclassified weight, or the mean loss by `loss_matrix`,
    plus `ccp_alpha` for each leaf. Every threshold of a numeric or ordinal column is a candidate. It starts
    from a good tree and improves it, and raises a lower bound at the same time; when both meet, the tree is
    proved to be optimal. Stopped before, by `time_limit` or Ctrl-C, it keeps the best tree so far, and `gap_`
    tells by how much a better tree could at most improve the objective.

    A proved tree does not depend on `n_jobs`. Among equally good trees, the one that the search finds first
    is kept; its order depends on the rows alone. A tiny `ccp_alpha` such as 1e-6 makes it the one of fewest
    leaves. A search that was stopped depends on the machine.

    Parameters
    ----------
    loss_matrix
        The losses of errors, as in `bough.CARTClassifier`; None if every error costs 1.

    Examples
    --------
    >>> import bough
    >>> X = [[a, b] for a in range(4) for b in range(4)]
    >>> y = [(a < 2) ^ (b < 2) for a, b in X]
    >>> model = bough.OptimalTreeClassifier(max_depth=2).fit(X, y)
    >>> model.objective_, model.lower_bound_, model.proved_
    (0.0, 0.0, True)

    """

    loss_matrix: Any = None

    def recipe(self) -> Recipe:
        """Return the recipe that these parameters define; invalid parameters raise here.

        >>> OptimalTreeClassifier(max_depth=4).recipe().limits.max_depth
        4
        """
        return Recipe(
            "misclassification",
            loss_matrix=self.loss_matrix,
            **self._class_parts(),
            **_parts(self),
        )


@keyword_parameters
class OptimalTreeRegressor(OptimalTreeParameters, TreeRegressorEstimator):
    """Regression tree of least mean error among all trees within the limits, with a proof.

    The objective is the mean squared or absolute error on the training rows plus `ccp_alpha` for each leaf.
    Differences of less than 1e-10 of the variance count as ties. A proof takes longer than in classification.

    Parameters
    ----------
    criterion
        "squared_error", or "absolute_error": leaves predict medians, and the time of the search grows with
        the number of different values of y.

    Examples
    --------
    >>> import bough
    >>> X, y = [[i] for i in range(9)], [1.0, 1.0, 1.0, 5.0, 5.0, 5.0, 2.0, 2.0, 2.0]
    >>> model = bough.OptimalTreeRegressor(max_depth=2, max_leaf_nodes=3).fit(X, y)
    >>> model.objective_, model.proved_, model.tree_.n_leaves
    (0.0, True, 3)

    """

    criterion: Literal["squared_error", "absolute_error"] = "squared_error"

    def recipe(self) -> Recipe:
        """Return the recipe that these parameters define; invalid parameters raise here.

        >>> OptimalTreeRegressor(ccp_alpha=0.5).recipe().settings["ccp_alpha"]
        0.5
        """
        check_choice("criterion", self.criterion, ("squared_error", "absolute_error"))
        return Recipe(self.criterion, task="regression", **_parts(self))


def _parts(learner: OptimalTreeClassifier | OptimalTreeRegressor) -> dict[str, Any]:
    """Return the parts of the recipe that the optimal classifier and regressor share."""
    check_missing(learner.missing, type(learner).__name__, BY_SEARCH)
    check_choice("on_interrupt", learner.on_interrupt, get_args(OnInterrupt))
    check_number("ccp_alpha", learner.ccp_alpha, 0.0)
    limits = Limits(
        max_depth=learner.max_depth,
        max_leaf_nodes=learner.max_leaf_nodes,
        min_samples_leaf=learner.min_samples_leaf,
    )
    if learner.max_depth is None or learner.max_depth > _MOST_DEPTH:
        raise ParameterError.of("max_depth", learner.max_depth, f"a whole number from 1 to {_MOST_DEPTH}")
    levels = learner.max_exhaustive_levels
    if isinstance(levels, int) and levels > _MOST_EXHAUSTIVE:
        raise ParameterError.of("max_exhaustive_levels", levels, f"at most {_MOST_EXHAUSTIVE}")
    settings: dict[str, Any] = {"program": "optimal", "ccp_alpha": float(learner.ccp_alpha)}
    if learner.time_limit is not None:
        wanted = " (seconds), or None"
        check_number("time_limit", learner.time_limit, 0.0, _MOST_SECONDS, above=True, end=wanted)
        settings["time_limit"] = float(learner.time_limit)
    if learner.on_interrupt != "keep":
        settings["on_interrupt"] = learner.on_interrupt
    return {
        "limits": limits,
        "max_exhaustive_levels": levels,
        "missing": learner.missing,
        "scales": learner._scales(),
        "settings": settings,
    }
