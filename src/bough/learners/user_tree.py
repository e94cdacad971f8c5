"""A learner that grows a tree by a user-written method and prunes it as CART does."""

from __future__ import annotations

from dataclasses import field
from typing import Any, Self, cast

import numpy as np
from sklearn.utils.validation import check_is_fitted

from bough.data.target import read_weights
from bough.errors import ParameterError, TargetError
from bough.growing.limits import Limits
from bough.growing.missing import WITHOUT_SURROGATES, Missing, check_missing
from bough.growing.recipe import Recipe
from bough.learners.conventions import required
from bough.learners.cost_complexity import CostComplexityEstimator
from bough.learners.fitting import Fitted
from bough.learners.keyword_parameters import keyword_parameters
from bough.learners.reading import read_own
from bough.learners.user_method import CheckedMethod, UserMethod
from bough.models.model import relative_importance
from bough.types import Floats


@keyword_parameters
class UserTree(CostComplexityEstimator):
    """A binary tree grown by a method you write, pruned by 10-fold cross-validation and the 1-SE rule.

    The method defines what a node predicts and how a split is scored; see `bough.UserMethod`. Stopping rules,
    weights, nominal columns, missing values and cost-complexity pruning work as in CART, with the risk that
    the method defines; unless it is "none", `prune` needs the method's `error`. Growth is a Python loop, so
    it takes seconds where CART takes milliseconds.

    A method may predict anything, so scikit-learn counts this estimator neither as a regressor nor as a
    classifier; its `score` is minus the mean of the method's `error`.

    Parameters
    ----------
    method
        A `bough.UserMethod`.
    missing
        "majority": a row that lacks the value a split needs is routed to the branch of greater weight.
        "refuse": a missing value raises an error.
    min_impurity_decrease
        The smallest score of a split, divided by the root's weight.
    min_improvement
        The smallest score of a split, as a fraction of the score of the root's best split.

    Attributes
    ----------
    tree_
        The pruned tree. If nodes predict several numbers, it holds the first of them.
    answers_
        The prediction of each node of `tree_`: a number, or a row of numbers.

    Examples
    --------
    >>> import bough
    >>> class Median(bough.UserMethod):
    ...     def evaluate(self, y, weight):
    ...         median = np.median(np.repeat(y, weight.astype(int)))
    ...         return median, (weight * abs(y - median)).sum()
    >>> model = bough.UserTree(Median(), max_depth=1, prune="none")
    >>> model.fit([["a"], ["a"], ["b"], ["c"]], [1, 2, 7, 8]).predict([["a"], ["b"]])
    array([1.5, 7.5])

    """

    method: UserMethod = field(kw_only=False)
    missing: Missing = "majority"

    def recipe(self) -> Recipe:
        """Return the recipe that these parameters define; it records the method by name.

        >>> class Mine(UserMethod):
        ...     pass
        >>> UserTree(Mine(), prune="none").recipe().criterion_name
        'Mine'
        """
        checked = CheckedMethod(self.method)
        check_missing(self.missing, type(self).__name__, WITHOUT_SURROGATES)
        pruning = self._pruning()
        if self.ccp_alpha is None and self.prune != "none" and self.cv is not None and not checked.has_error:
            raise ParameterError(
                f"prune is {self.prune!r}, which cross-validates, but {checked.name} has no "
                "error(y, answer). Write it, or choose prune='none', prune='cp' with cv=None, or ccp_alpha."
            )
        return Recipe(
            # The recipe records the name of a callable criterion.
            cast("Any", type(self.method)),
            limits=Limits.of(self),
            missing=self._missing(),
            count=self.count,
            pruning=pruning,
            scales=self._scales(),
            response="own",
            method=self.method,
            task="regression",
        )

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the tree to the rows of X and the target y, which the method's `init` reads.

        A weight of 2 is equivalent to the row given twice, a weight of 0 to the row left out.

        >>> class Mean(UserMethod):
        ...     def evaluate(self, y, weight):
        ...         mean = np.average(y, weights=weight)
        ...         return mean, (weight * (y - mean) ** 2).sum()
        >>> UserTree(Mean(), prune="none").fit([[1], [2]], [3, 7]).tree_.n_leaves
        2
        """
        self._fit(X, y, sample_weight)
        return self

    def _keep(self, fitted: Fitted) -> None:
        super()._keep(fitted)
        assert fitted.answers is not None
        self.answers_: Floats = fitted.answers

    @property
    def model_(self) -> Any:
        """The model that predicts: the tree, or this learner itself if it predicts several numbers for a row.

        >>> class Mean(UserMethod):
        ...     def evaluate(self, y, weight):
        ...         return y.mean(), y.var() * len(y)
        >>> UserTree(Mean(), prune="none", max_depth=1).fit([[1], [2], [3]], [3, 4, 9]).model_.n_leaves
        2
        """
        return self.tree_ if self.answers_.ndim == 1 else self

    @property
    def feature_importances_(self) -> Floats:
        """Importance of each column: its share of the total gain of the tree's splits.

        >>> class Range(UserMethod):
        ...     def evaluate(self, y, weight):
        ...         return [y.min(), y.max()], y.max() - y.min()
        >>> UserTree(Range(), prune="none").fit([[1, 7], [2, 7], [3, 7]], [3, 4, 9]).feature_importances_
        array([1., 0.])
        """
        check_is_fitted(self)
        return relative_importance(self.tree_.importance())

    def predict(self, X: Any) -> Floats:
        """Return the prediction for each row: a number, or a row of numbers.

        >>> class Range(UserMethod):
        ...     def evaluate(self, y, weight):
        ...         return [y.min(), y.max()], y.max() - y.min()
        >>> UserTree(Range(), prune="none", max_depth=1).fit([[1], [2], [3]], [3, 4, 9]).predict([[1]])
        array([[3., 4.]])
        """
        table = self._checked(X)
        return self.answers_[self.tree_.apply(table, self.n_jobs)]

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return minus the mean of the method's `error` over the rows; 0 is perfect.

        >>> class Mean(UserMethod):
        ...     def evaluate(self, y, weight):
        ...         return y.mean(), ((y - y.mean()) ** 2).sum()
        ...     def error(self, y, answer):
        ...         return (y - answer) ** 2
        >>> UserTree(Mean(), max_depth=1, prune="none").fit([[1], [2]], [3, 7]).score([[1], [2]], [3, 9])
        -2.0
        """
        answers, method = self.predict(X), CheckedMethod(self.method)
        target = read_own(required(type(self).__name__, y))
        weight = read_weights(sample_weight, len(target)).each(len(target))
        if len(target) != len(answers):
            raise TargetError(f"X has {len(answers)} rows and y has {len(target)}; give one y for each row.")
        return -float(np.average(method.error(method.init(target, weight), answers), weights=weight))
