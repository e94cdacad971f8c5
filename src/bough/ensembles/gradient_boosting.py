"""Gradient boosting (Friedman 2001): a sum of trees, each fitted to the gradients of a loss."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, replace
from numbers import Integral
from typing import Any, Literal, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from bough.data.bins import read_max_bins
from bough.data.scales import Scales
from bough.data.table import Table
from bough.data.target import ClassTarget, read_classes, read_numbers, read_weights
from bough.data.training import Training
from bough.ensembles.boosting import ValidationRows, fit_boosting
from bough.ensembles.progress import CallbackSupport, progress_reports, with_callbacks
from bough.errors import ParameterError, TargetError
from bough.growing.draws import Ensemble, read_seed
from bough.growing.limits import Limits, check_number
from bough.growing.monotonic import MonotonicConstraints
from bough.growing.pruning import check_choice
from bough.growing.recipe import Recipe
from bough.learners.conventions import check_lengths, note_columns, read_as
from bough.learners.parameters import ColumnParameters
from bough.learners.reading import read_training
from bough.models.gradient_boosted import GradientBoosted
from bough.models.model import relative_importance
from bough.progress import watched, watcher
from bough.tree.answer import label_array
from bough.types import Floats, Task

LOSSES: dict[Task, tuple[str, ...]] = {
    "classification": ("log_loss",),
    "regression": (
        "squared_error",
        "absolute_error",
        "huber",
        "quantile",
        "poisson",
        "gamma",
        "tweedie",
    ),
}
"""The losses of each task."""


@dataclass(eq=False, repr=False, kw_only=True)
class BoostingParameters(ColumnParameters):
    """Parameters that the classifier and the regressor share, with the names of HistGradientBoosting."""

    learning_rate: float = 0.1
    max_iter: int = 100
    max_leaf_nodes: int | None = 31
    max_depth: int | None = None
    min_samples_leaf: int = 20
    min_hessian: float = 1e-3
    min_gain: float = 0.0
    l1_regularization: float = 0.0
    l2_regularization: float = 0.0
    max_delta_step: float = 0.0
    max_samples: float = 1.0
    max_features: float = 1.0
    tree_features: float = 1.0
    level_features: float = 1.0
    max_bins: int = 255
    growth: Literal["leaf", "level"] = "leaf"
    level_smoothing: float = 10.0
    monotonic_cst: MonotonicConstraints | None = None
    interaction_cst: Any = None
    early_stopping: bool = False
    validation_fraction: float = 0.1
    n_iter_no_change: int = 10
    tol: float = 1e-7
    verbose: int = 0
    random_state: Any = None


class BoostingEstimator(BoostingParameters, CallbackSupport, BaseEstimator):  # type: ignore[misc]
    """Base class of gradient boosting. A subclass defines the loss and what is predicted."""

    model_: GradientBoosted
    validation_loss_: Floats
    n_features_in_: int

    @abstractmethod
    def recipe(self) -> Recipe:
        """Return the recipe that the parameters define; invalid parameters raise here."""

    def _recipe(self, task: Task, loss: dict[str, Any], class_weight: Any = None) -> Recipe:
        """Return the recipe of a loss; `loss` holds its name and settings."""
        check_choice("loss", loss["loss"], LOSSES[task])
        check_choice("growth", self.growth, ("leaf", "level"))
        if not isinstance(self.early_stopping, bool | np.bool_):
            raise ParameterError.of("early_stopping", self.early_stopping, "True or False")
        if not isinstance(self.verbose, Integral) or int(self.verbose) < 0:
            raise ParameterError.of("verbose", self.verbose, "a whole number of at least 0")
        check_number("min_samples_leaf", self.min_samples_leaf, 0.0, 2.0**53, above=True)
        numbers = _checked_numbers(self)
        stopping: dict[str, Any] = {}
        if self.early_stopping:
            stopping = {name: numbers[name] for name in ("n_iter_no_change", "tol")}
            stopping["validation_fraction"] = numbers["validation_fraction"]
        settings = {name: numbers[name] for name in _WRITTEN} | {
            name: numbers[name] for name, default in _DEFAULTS.items() if numbers[name] != default
        }
        if self.interaction_cst is not None:
            settings["interaction_cst"] = _groups(self.interaction_cst)
        return Recipe(
            "deviance" if task == "classification" else "squared_error",
            limits=Limits(
                max_depth=self.max_depth,
                max_leaf_nodes=self.max_leaf_nodes,
                min_samples_leaf=self.min_samples_leaf,
                min_gain=self.min_gain,
            ),
            missing="learned",
            class_weight=class_weight,
            max_bins=read_max_bins(self.max_bins),
            monotonic_cst=self.monotonic_cst,
            ensemble=Ensemble("gradient_boosting", numbers["max_iter"]),
            scales=Scales(self.categorical_features, self.ordinal_features),
            settings={"growth": self.growth, **loss, **settings, **stopping},
            task=task,
        )

    @with_callbacks  # type: ignore[untyped-decorator]
    def _fit(
        self, X: Any, y: Any, sample_weight: Any, X_val: Any, y_val: Any, sample_weight_val: Any
    ) -> Training:
        recipe = replace(self.recipe(), seed=read_seed(self.random_state))
        training = read_training(
            recipe,
            X,
            y,
            sample_weight,
            learner=type(self).__name__,
            seen=lambda X: note_columns(self, X),
        )
        validation = None
        if X_val is not None:
            validation = self._validation_rows(training, X_val, y_val, sample_weight_val)
            kept = {name: value for name, value in recipe.settings.items() if name != "validation_fraction"}
            stopping = {"n_iter_no_change": self.n_iter_no_change, "tol": self.tol}
            recipe = replace(recipe, settings=kept | stopping)
        with progress_reports(self, self.max_iter, self.verbose) as reports, watched(reports or watcher()):
            fitted = fit_boosting(recipe, training, validation, n_jobs=self.n_jobs)
        self.model_, self.validation_loss_ = fitted
        return training

    def _validation_rows(
        self, training: Training, X_val: Any, y_val: Any, sample_weight_val: Any
    ) -> ValidationRows:
        table = Table.fit_to(X_val, training.table.schema)
        if isinstance(training.target, ClassTarget):
            given = read_classes(y_val)
            unknown = [label for label in given.classes if label not in training.target.classes]
            if unknown:
                raise TargetError(f"y_val has the class {unknown[0]!r}, which y does not have.")
            order = np.array([training.target.classes.index(label) for label in given.classes], np.int32)
            target: npt.NDArray[Any] = order[given.codes]
        else:
            target = read_numbers(y_val)
        check_lengths(table, len(target))
        return ValidationRows(table, target, read_weights(sample_weight_val, table.n_rows).weight)

    @property
    def n_iter_(self) -> int:
        """The number of rounds of the model; early stopping may leave fewer than `max_iter`.

        >>> from bough import GradientBoostingRegressor
        >>> GradientBoostingRegressor(max_iter=7).fit([[1.0], [2.0]], [1.0, 2.0]).n_iter_
        7
        """
        check_is_fitted(self)
        return self.model_.n_rounds

    @property
    def feature_importances_(self) -> Floats:
        """Importance of each column: its share of the total gain of all splits; all 0 without any gain.

        >>> from bough import GradientBoostingRegressor
        >>> X, y = [[i, 7] for i in range(40)], [float(i > 20) for i in range(40)]
        >>> GradientBoostingRegressor(max_iter=7).fit(X, y).feature_importances_
        array([1., 0.])
        """
        check_is_fitted(self)
        return relative_importance(self.model_.importance())

    def __sklearn_tags__(self) -> Tags:
        """Declare to scikit-learn that missing values are accepted and sparse input is not."""
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = False
        return tags

    def _checked(self, X: Any) -> Table:
        check_is_fitted(self)
        return read_as(self, X, self.model_.schema)

    def staged_predict(self, X: Any) -> Iterator[npt.NDArray[Any]]:
        """Yield the predictions of each row after each round.

        >>> from bough import GradientBoostingRegressor
        >>> X, y = [[i] for i in range(40)], [float(i > 20) for i in range(40)]
        >>> model = GradientBoostingRegressor(max_iter=3).fit(X, y)
        >>> [prediction.round(2).tolist() for prediction in model.staged_predict([[30]])]
        [[0.52], [0.57], [0.6]]
        """
        table = self._checked(X)
        for scores in self.model_.staged_scores(table, self.n_jobs):
            yield self.model_.answers(scores)

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Return the prediction for each row.

        >>> from bough import GradientBoostingClassifier
        >>> X, y = [[i] for i in range(40)], ["low"] * 20 + ["high"] * 20
        >>> GradientBoostingClassifier(max_iter=5).fit(X, y).predict([[3], [30]])
        array(['low', 'high'], dtype='<U4')
        """
        table = self._checked(X)
        return self.model_.predict(table, self.n_jobs)


@dataclass(eq=False, repr=False, kw_only=True)
class GradientBoostingClassifier(ClassifierMixin, BoostingEstimator):  # type: ignore[misc]
    """Gradient boosting classifier: a sum of trees on binned columns, fitted to the log-loss.

    Text and categorical columns need no encoding: a split divides their levels into two sets. Missing values
    need no imputation: each split learns the branch that they take. Parameters have the names of
    scikit-learn's HistGradientBoostingClassifier where it has them. The model does not depend on the number
    of threads.

    Parameters
    ----------
    loss
        "log_loss": logistic loss for two classes, multinomial loss for more, which grows a tree for each
        class in every round.
    learning_rate
        The factor of the values of all leaves.
    max_iter
        The number of rounds.
    max_leaf_nodes, max_depth
        The maximum number of leaves and the maximum depth of each tree; None for no limit.
    min_samples_leaf
        The minimum number of rows in a leaf. On large tables the search for a split estimates rows by
        their hessian, so that a few allowed splits may be passed over.
    min_hessian
        The minimum sum of the hessian in a leaf.
    min_gain
        A split must reduce the loss by more than half of this.
    l1_regularization, l2_regularization
        Penalties of the absolute and of the squared values of leaves.
    max_delta_step
        The maximum absolute value of a leaf before it is multiplied by `learning_rate`; 0 for no limit.
    max_samples
        The fraction of the rows that each round draws, without replacement.
    max_features, tree_features, level_features
        The fraction of the columns that each node, each tree and each level of a tree searches.
    max_bins
        The maximum number of bins of a numeric column; missing values have a bin of their own.
    growth
        "leaf" splits the leaf of greatest gain next; "level" grows level by level.
    level_smoothing
        The levels of a nominal column are ordered by gradient / (hessian + this), and this is added to
        `l2_regularization` where they are split.
    monotonic_cst
        Constraints on the probability of the second of two classes, by name or for each column: 1 if it must
        not fall as the column rises, −1 if it must not rise, 0 if it is free.
    interaction_cst
        Sets of columns, by name or position. Columns that meet on a path of a tree must be in one set
        together. Columns in no set form one more.
    early_stopping
        Whether a fraction of the rows is held out, and rounds stop when the loss on them no longer falls. The
        model keeps the rounds up to the lowest loss. With `X_val` in `fit`, rounds stop by these rows
        instead, whatever this is.
    validation_fraction, n_iter_no_change, tol
        The fraction of the rows to hold out, of each class; the number of rounds without a loss that is lower
        by more than `tol`, after which boosting stops.
    class_weight, categorical_features, ordinal_features, n_jobs
        As in `bough.CARTClassifier`.
    verbose
        If at least 1, a progress bar is shown.
    random_state
        Seed of all samples, and of the rounding of gradients on large tables.

    Attributes
    ----------
    model_
        The sum of trees, a `bough.GradientBoosted`.
    n_iter_
        The number of rounds of the model.
    validation_loss_
        The loss on the validation rows after each round; empty without such rows.

    Examples
    --------
    >>> import bough
    >>> X = [["red", i] for i in range(40)] + [["blue", i] for i in range(40)]
    >>> y = [color == "red" and i < 30 for color, i in X]
    >>> model = bough.GradientBoostingClassifier(max_iter=20).fit(X, y)
    >>> model.predict([["red", 3], ["blue", 3]])
    array([ True, False])

    """

    loss: str = "log_loss"
    class_weight: Any = None

    def recipe(self) -> Recipe:
        """Return the recipe that these parameters define; invalid parameters raise here.

        >>> GradientBoostingClassifier(learning_rate=0.05).recipe().settings["learning_rate"]
        0.05
        """
        return self._recipe("classification", {"loss": self.loss}, self.class_weight)

    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        X_val: Any = None,
        y_val: Any = None,
        sample_weight_val: Any = None,
    ) -> Self:
        """Fit the model to the rows of X and the classes y.

        `X_val`, `y_val` and `sample_weight_val` are rows that decide when boosting stops.

        >>> from bough import GradientBoostingClassifier
        >>> X, y = [[i] for i in range(40)], ["low"] * 20 + ["high"] * 20
        >>> GradientBoostingClassifier().fit(X, y, X_val=[[3], [30]], y_val=["low", "high"]).n_iter_
        92
        """
        training = self._fit(X, y, sample_weight, X_val, y_val, sample_weight_val)
        self.classes_ = label_array(training.target.classes)
        self.n_classes_ = len(self.classes_)
        return self

    def predict_proba(self, X: Any) -> Floats:
        """Return the probability of each class for each row.

        >>> from bough import GradientBoostingClassifier
        >>> X, y = [[i] for i in range(40)], ["low"] * 20 + ["high"] * 20
        >>> GradientBoostingClassifier(max_iter=5).fit(X, y).predict_proba([[3]]).round(2)
        array([[0.3, 0.7]])
        """
        table = self._checked(X)
        return self.model_.predict_proba(table, self.n_jobs)

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
        scores = self.model_.scores(table, n_jobs=self.n_jobs)
        return scores[:, 0] if self.model_.n_scores == 1 else scores


@dataclass(eq=False, repr=False, kw_only=True)
class GradientBoostingRegressor(RegressorMixin, BoostingEstimator):  # type: ignore[misc]
    """Gradient boosting regressor: a sum of trees on binned columns, fitted to a loss of numbers.

    Parameters are those of `bough.GradientBoostingClassifier` except those about classes, and:

    Parameters
    ----------
    loss
        "squared_error"; "absolute_error" (leaves have medians); "huber", squared up to the `quantile` of the
        absolute residuals and linear beyond; "quantile", which predicts the `quantile` of y; and, with the
        logarithm of the prediction as score, "poisson", "gamma" and "tweedie".
    quantile
        The quantile of "quantile" (default 0.5) and of "huber" (default 0.9).
    power
        The power of the mean that the variance of "tweedie" is proportional to, between 1 and 2.

    Examples
    --------
    >>> import bough
    >>> X, y = [[i] for i in range(60)], [float(i % 20) for i in range(60)]
    >>> bough.GradientBoostingRegressor(min_samples_leaf=3).fit(X, y).predict([[5], [35]]).round(1)
    array([ 5. , 14.9])

    """

    loss: str = "squared_error"
    quantile: float | None = None
    power: float = 1.5

    def recipe(self) -> Recipe:
        """Return the recipe that these parameters define; invalid parameters raise here.

        >>> GradientBoostingRegressor(loss="quantile", quantile=0.9).recipe().settings["quantile"]
        0.9
        """
        check_choice("loss", self.loss, LOSSES["regression"])
        loss: dict[str, Any] = {"loss": self.loss}
        if self.loss in ("quantile", "huber"):
            share = (0.5 if self.loss == "quantile" else 0.9) if self.quantile is None else self.quantile
            check_number("quantile", share, 0.0, 1.0, above=True)
            loss["quantile"] = float(share)
        elif self.quantile is not None:
            raise ParameterError.of(
                "quantile", self.quantile, "None unless the loss is 'quantile' or 'huber'"
            )
        if self.loss == "tweedie":
            check_number("power", self.power, 1.0, 2.0)
            loss["power"] = float(self.power)
        return self._recipe("regression", loss)

    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        X_val: Any = None,
        y_val: Any = None,
        sample_weight_val: Any = None,
    ) -> Self:
        """Fit the model to the rows of X and the numbers y.

        `X_val`, `y_val` and `sample_weight_val` are rows that decide when boosting stops.

        >>> from bough import GradientBoostingRegressor
        >>> GradientBoostingRegressor(min_samples_leaf=1).fit([[1.0], [2.0]], [1.0, 2.0]).predict([[3.0]])
        array([1.99998672])
        """
        self._fit(X, y, sample_weight, X_val, y_val, sample_weight_val)
        return self


_WRITTEN = ("learning_rate", "min_hessian", "level_smoothing")
_DEFAULTS = {
    "l1_regularization": 0.0,
    "l2_regularization": 0.0,
    "max_delta_step": 0.0,
    "max_samples": 1.0,
    "max_features": 1.0,
    "tree_features": 1.0,
    "level_features": 1.0,
}
_WHOLE = ("max_iter", "n_iter_no_change")
_SHARES = ("max_samples", "max_features", "tree_features", "level_features", "validation_fraction")
_POSITIVE = ("learning_rate",)
_NUMBERS = ("min_hessian", "min_gain", "l1_regularization", "l2_regularization", "max_delta_step",
            "level_smoothing", "tol")  # fmt: skip
_MOST = 2**31 - 1


def _checked_numbers(learner: BoostingParameters) -> dict[str, Any]:
    """Return the parameters that are numbers; raise for one that is not, or is out of range."""
    numbers: dict[str, Any] = {}
    for name in _WHOLE:
        value = getattr(learner, name)
        is_whole = isinstance(value, Integral) and not isinstance(value, bool)
        if not (is_whole and 1 <= value <= _MOST):
            raise ParameterError.of(name, value, f"a whole number from 1 to {_MOST}")
        numbers[name] = int(value)
    for name in (*_SHARES, *_POSITIVE, *_NUMBERS):
        most = 1.0 if name in _SHARES else np.inf
        check_number(name, getattr(learner, name), 0.0, most, above=name not in _NUMBERS)
        numbers[name] = float(getattr(learner, name))
    if numbers["validation_fraction"] == 1:
        raise ParameterError.of("validation_fraction", 1.0, "a number between 0 and 1")
    return numbers


def _groups(interaction_cst: Any) -> list[list[Any]]:
    """Return sets of columns as lists."""
    if isinstance(interaction_cst, str):
        raise ParameterError.of("interaction_cst", interaction_cst, "a list of sets of columns, or None")
    try:
        groups = [sorted(group, key=str) for group in interaction_cst]
    except TypeError:
        raise ParameterError.of("interaction_cst", interaction_cst, "a list of sets of columns") from None
    return groups
