"""Gradient boosting (Friedman 2001): a sum of trees, each fitted to the gradients of a loss."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.metrics import d2_pinball_score
from sklearn.utils import Tags

from bough.data.training import Training
from bough.engines.weight_range import weights_as_cases
from bough.ensembles.boosting import BoostingFit
from bough.ensembles.boosting_estimator import BoostingEstimator
from bough.ensembles.boosting_parameters import boosting_recipe, options_of_gbm
from bough.errors import ParameterError
from bough.growing.limits import check_number
from bough.growing.recipe import Recipe
from bough.learners.conventions import ProbabilityPredictor
from bough.learners.keyword_parameters import keyword_parameters
from bough.learners.parameters import ClassWeightParameters
from bough.tree.answer import label_array
from bough.types import Floats

# Losses whose y is at least 0.
_OF_POSITIVE = ("poisson", "gamma", "tweedie")


@keyword_parameters
class BoostingClassifier(
    ClassifierMixin,  # type: ignore[misc]
    ProbabilityPredictor,
    ClassWeightParameters,
    BoostingEstimator,
):
    """Base class of gradient boosting of classes."""

    class_weight: Any = None

    def _keep(self, fitted: BoostingFit, training: Training | None) -> None:
        super()._keep(fitted, training)
        self.classes_ = label_array(self.model_.classes)
        self.n_classes_ = len(self.classes_)

    def staged_predict_proba(self, X: Any) -> Iterator[Floats]:
        """Yield the class probabilities of each row after each round.

        >>> from bough import GradientBoostingClassifier
        >>> X, y = [[i] for i in range(40)], ["low"] * 20 + ["high"] * 20
        >>> model = GradientBoostingClassifier(max_iter=2).fit(X, y)
        >>> [shares.round(2).tolist() for shares in model.staged_predict_proba([[3]])]
        [[[0.45, 0.55]], [[0.41, 0.59]]]
        """
        table = self._checked(X)
        for scores in self.model_.staged_scores(table, self.n_jobs):
            yield self.model_.probabilities(scores)

    def decision_function(self, X: Any) -> Floats:
        """Return the scores of each row: the log-odds of the second of two classes, or one for each class.

        >>> from bough import GradientBoostingClassifier
        >>> X, y = [[i] for i in range(40)], ["low"] * 20 + ["high"] * 20
        >>> GradientBoostingClassifier(max_iter=1).fit(X, y).decision_function([[3]]).round(2)
        array([0.2])
        """
        table = self._checked(X)
        return self._as_decisions(self.model_.scores(table, n_jobs=self.n_jobs))

    def staged_decision_function(self, X: Any) -> Iterator[Floats]:
        """Yield the scores of each row after each round.

        >>> from bough import GradientBoostingClassifier
        >>> X, y = [[i] for i in range(40)], ["low"] * 20 + ["high"] * 20
        >>> model = GradientBoostingClassifier(max_iter=2).fit(X, y)
        >>> [scores.round(2).tolist() for scores in model.staged_decision_function([[3]])]
        [[0.2], [0.38]]
        """
        table = self._checked(X)
        for scores in self.model_.staged_scores(table, self.n_jobs):
            yield self._as_decisions(scores)

    def _as_decisions(self, scores: Floats) -> Floats:
        return scores[:, 0] if self.model_.n_scores == 1 else scores


@keyword_parameters
class GradientBoostingClassifier(BoostingClassifier):
    """Gradient boosting classifier: a sum of trees on binned columns, fitted to the log-loss.

    Text and categorical columns need no encoding: a split divides their levels into two sets. Missing values
    need no imputation: each split learns the branch that they take. Parameters have the names of
    scikit-learn's HistGradientBoostingClassifier where it has them. The model does not depend on the number
    of threads.

    Parameters
    ----------
    loss
        "log_loss": logistic loss for two classes, multinomial loss for more, which grows a tree for each
        class in every round. "one_vs_all": the logistic loss of each class against all others, whose
        probabilities are divided by their sum. "exponential", for two classes, is the loss of AdaBoost.
        With `variant="gbm"` also "multinomial" for any number of classes, and "huberized_hinge" for two. Or a
        function of y (0 or 1) and the scores, the log-odds of the second class, that returns the gradient and
        the hessian of each row. For early stopping it needs an attribute `values`, a function that returns
        the losses.

    Examples
    --------
    >>> import bough
    >>> X = [["red", i] for i in range(40)] + [["blue", i] for i in range(40)]
    >>> y = [color == "red" and i < 30 for color, i in X]
    >>> model = bough.GradientBoostingClassifier(max_iter=20).fit(X, y)
    >>> model.predict([["red", 3], ["blue", 3]])
    array([ True, False])

    """

    loss: Any = "log_loss"

    @classmethod
    def like_gbm(cls, **options: Any) -> Self:
        """Return a learner that boosts as R's gbm does with these options.

        The options have gbm's names and defaults, with underscores for dots: `distribution` ("bernoulli",
        "adaboost", "huberized" or "multinomial"), `n_trees`, `interaction_depth`, `n_minobsinnode`,
        `shrinkage`, `bag_fraction` and `var_monotone`. With a `bag_fraction` below 1 and a whole number as
        `random_state`, the rows of each round are those that gbm draws after `set.seed(random_state)`. Other
        names are parameters of the learner.

        >>> GradientBoostingClassifier.like_gbm(n_trees=60, shrinkage=0.05).learning_rate
        0.05
        """
        return cls(**options_of_gbm(options, "classes", "bernoulli"))

    def recipe(self) -> Recipe:
        """Return the recipe that these parameters define; invalid parameters raise here.

        >>> GradientBoostingClassifier(learning_rate=0.05).recipe().settings["learning_rate"]
        0.05
        """
        return boosting_recipe(self, "classes", {"loss": self.loss}, self.class_weight)


@keyword_parameters
class GradientBoostingRegressor(RegressorMixin, BoostingEstimator):  # type: ignore[misc]
    """Gradient boosting regressor: a sum of trees on binned columns, fitted to a loss of numbers.

    If y has several columns, every leaf has a value for each, and splits minimize the sum of their squared
    errors; columns of y on different scales should be scaled before. This needs the loss "squared_error" and
    leaves out some parameters, which are refused by name.

    Parameters
    ----------
    loss
        "squared_error"; "absolute_error" (leaves have medians); "huber", squared up to the `quantile` of the
        absolute residuals and linear beyond; "quantile", which predicts the `quantile` of y; and, with the
        logarithm of the prediction as score, "poisson", "gamma" and "tweedie". With `variant="gbm"`:
        "squared_error", "absolute_error", "quantile", "poisson" and "student". Or a function of y and the
        predictions that returns the gradient and the hessian of each row, as in the classifier.
    quantile
        The quantile of "quantile" (default 0.5) and of "huber" (default 0.9). With several quantiles, in
        ascending order, "quantile" predicts a column for each; they are sorted in each row, so that they
        never cross.
    power
        The power of the mean that the variance of "tweedie" is proportional to, between 1 and 2.
    degrees
        The degrees of freedom of "student", Student's t distribution.

    Examples
    --------
    >>> import bough
    >>> X, y = [[i] for i in range(60)], [float(i % 20) for i in range(60)]
    >>> bough.GradientBoostingRegressor(min_samples_leaf=3).fit(X, y).predict([[5], [35]]).round(1)
    array([ 5. , 14.9])

    """

    _several_targets: ClassVar[bool] = True
    loss: Any = "squared_error"
    quantile: Any = None
    power: float = 1.5
    degrees: float = 4.0

    @classmethod
    def like_gbm(cls, **options: Any) -> Self:
        """Return a learner that boosts as R's gbm does with these options.

        The options are those of `GradientBoostingClassifier.like_gbm`; `distribution` is "gaussian" (the
        default), "laplace", "poisson", or a dict such as {"name": "quantile", "alpha": 0.8} or
        {"name": "tdist", "df": 4}.

        >>> GradientBoostingRegressor.like_gbm(distribution="laplace").loss
        'absolute_error'
        """
        return cls(**options_of_gbm(options, "numbers", "gaussian"))

    def recipe(self) -> Recipe:
        """Return the recipe that these parameters define; invalid parameters raise here.

        >>> GradientBoostingRegressor(loss="quantile", quantile=0.9).recipe().settings["quantile"]
        0.9
        """
        if not (isinstance(self.loss, str) or callable(self.loss)):
            raise ParameterError.of("loss", self.loss, "the name of a loss, or a function of y and scores")
        loss: dict[str, Any] = {"loss": self.loss}
        if self.loss in ("quantile", "huber"):
            loss["quantile"] = self._checked_quantile()
        elif self.quantile is not None:
            raise ParameterError.of(
                "quantile", self.quantile, "None unless the loss is 'quantile' or 'huber'"
            )
        if self.loss == "tweedie":
            check_number("power", self.power, 1.0, 2.0)
            loss["power"] = float(self.power)
        if self.loss == "student":
            check_number("degrees", self.degrees, 0.0, above=True)
            loss["degrees"] = float(self.degrees)
        return boosting_recipe(self, "numbers", loss)

    def _checked_quantile(self) -> float | list[float]:
        """Return the quantile of the loss, or its ascending quantiles; raise if one is out of range."""
        several = isinstance(self.quantile, list | tuple | np.ndarray)
        if self.quantile is None:
            return 0.5 if self.loss == "quantile" else 0.9
        for share in self.quantile if several else [self.quantile]:
            check_number("quantile", share, 0.0, 1.0, above=True)
        if not several:
            if self.variant == "gbm" and self.quantile == 1:
                raise ParameterError.of("quantile", self.quantile, "a number below 1 if variant is 'gbm'")
            return float(self.quantile)
        ascending = [float(share) for share in self.quantile]
        is_ascending = all(a < b for a, b in pairwise(ascending))
        if self.loss != "quantile" or self.variant == "gbm" or len(ascending) < 2 or not is_ascending:
            wanted = "a number, or two or more ascending ones if the loss is 'quantile' and variant 'bough'"
            raise ParameterError.of("quantile", self.quantile, wanted)
        return ascending

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the coefficient of determination, or for several quantiles their mean D² of pinball loss.

        >>> X, y = [[i] for i in range(60)], [float(i % 20) for i in range(60)]
        >>> model = GradientBoostingRegressor(loss="quantile", quantile=[0.1, 0.9], min_samples_leaf=5)
        >>> round(model.fit(X, y).score(X, y), 2)
        0.7
        """
        if self.loss != "quantile" or not isinstance(self.quantile, list | tuple | np.ndarray):
            return float(super().score(X, y, sample_weight))
        saved = [
            d2_pinball_score(y, predicted, sample_weight=sample_weight, alpha=share)
            for predicted, share in zip(self.predict(X).T, self.quantile, strict=True)
        ]
        return float(np.mean(saved))

    def _keep(self, fitted: BoostingFit, training: Training | None) -> None:
        super()._keep(fitted, training)
        self._misses = None
        if training is not None and fitted.out_of_fold is not None and not self.model_.targets:
            answers = self.model_.answers(fitted.out_of_fold)
            misses = _misses(np.asarray(training.target), answers)
            order, weight = np.argsort(misses), weights_as_cases(training.weights).weight
            cases = np.ones(len(order)) if weight is None else weight[order]
            # From the smallest miss on, with the number of cases up to each.
            self._misses = misses[order], np.cumsum(cases)

    def __sklearn_tags__(self) -> Tags:
        """Declare to scikit-learn that y may have several columns."""
        tags = super().__sklearn_tags__()
        is_squared = isinstance(self.loss, str) and self.loss == "squared_error"
        tags.target_tags.multi_output = is_squared and self.variant == "bough"
        return tags

    def predict_interval(self, X: Any, level: float = 0.9) -> Floats:
        """Return an interval for the y of each row (rows × 2) that holds it with a probability of `level`.

        The model must have been fitted with `early_stopping` and `cv`: the interval is the prediction, or the
        lowest and the highest of several quantiles, widened by so much that it would have held a share
        `level` of the rows as predicted without their fold (Vovk 2015; Romano, Patterson and Candès 2019); a
        row of weight 2 counts twice. With the losses "poisson", "gamma" and "tweedie" none begins below 0.
        Where the quantiles, drawn together for a low `level`, would cross, the interval is a point.
        Coverage refers to new rows of the same distribution, on average over all of them.

        >>> X, y = [[i % 20] for i in range(200)], [float(i % 20 + i % 3) for i in range(200)]
        >>> model = GradientBoostingRegressor(early_stopping=True, cv=5, random_state=0).fit(X, y)
        >>> model.predict_interval([[10]], level=0.8).round(1)
        array([[ 9.8, 12.2]])
        """
        table = self._checked(X)
        check_number("level", level, 0.0, 1.0, above=True)
        if self._misses is None:
            raise ParameterError(
                "predict_interval needs predictions of rows that were not trained on: fit with "
                "early_stopping=True and cv, and with one column of y."
            )
        answers = self.model_.predict(table, self.n_jobs).reshape(table.n_rows, -1)
        misses, cases = self._misses
        place = int(np.searchsorted(cases, level * (cases[-1] + 1)))
        width = misses[place] if place < len(misses) else np.inf
        low, high = answers[:, 0] - width, answers[:, -1] + width
        if self.loss in _OF_POSITIVE:
            low = np.maximum(low, 0.0)
        # Quantiles that are drawn together for a lower level must not pass each other.
        crossed = low > high
        low[crossed] = high[crossed] = (low[crossed] + high[crossed]) / 2
        return np.column_stack([low, high])


def _misses(y: Floats, answers: Floats) -> Floats:
    """Return by how much each y lies outside of its prediction, or of its outermost quantiles."""
    answers = answers.reshape(len(y), -1)
    return np.maximum(answers[:, 0] - y, y - answers[:, -1])
