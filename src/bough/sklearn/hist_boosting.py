"""scikit-learn's histogram gradient boosting, boosted by bough.

The classes inherit scikit-learn's parameters, the checks of arguments, the encoding of categories, scoring
and `predict`. Only binning, the rounds, and the walk of a row down the trees are bough's.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import sklearn.ensemble
from sklearn.base import _fit_context, is_classifier
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import LabelEncoder
from sklearn.utils import check_random_state
from sklearn.utils._openmp_helpers import _openmp_effective_n_threads
from sklearn.utils.validation import (
    _check_monotonic_cst,
    _check_sample_weight,
    _check_y,
    check_consistent_length,
    check_is_fitted,
)

from bough.data.table import Table
from bough.data.target import ClassTarget, Weights, classes_of
from bough.data.training import Training
from bough.ensembles.boosting import fit_boosting
from bough.ensembles.gradient_boosting import GradientBoostingClassifier, GradientBoostingRegressor
from bough.growing.recipe import Recipe
from bough.models.gradient_boosted import GradientBoosted, link_of, no_trees
from bough.models.sklearn_boosting import bin_mapper, predictors
from bough.sklearn.early_stopping import CheckedRows, Stopping
from bough.sklearn.inheriting import converted
from bough.types import Floats

_LOSSES = {
    "HalfSquaredError": "squared_error",
    "AbsoluteError": "absolute_error",
    "PinballLoss": "quantile",
    "HalfPoissonLoss": "poisson",
    "HalfGammaLoss": "gamma",
    "HalfBinomialLoss": "log_loss",
    "HalfMultinomialLoss": "log_loss",
}
"""bough's names of scikit-learn's losses, by their classes."""

_MIN_HESSIAN, _MIN_SUPPORT = 1e-3, 10.0
"""scikit-learn's least sum of hessians of a leaf, and what it adds to those of a category before it sorts."""


class BoughHistBoosting:
    """The parts of histogram boosting that bough replaces; a mixin before scikit-learn's class.

    `model_` is the sum of trees as bough's model. Its columns are those of scikit-learn's preprocessing,
    which encodes categories and places them first.
    """

    model_: GradientBoosted

    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def fit(
        self: Any,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        X_val: Any = None,
        y_val: Any = None,
        sample_weight_val: Any = None,
    ) -> Any:
        """Boost trees on the rows of X and the target y; rounds may stop by the scores of X_val and y_val.

        >>> HistGradientBoostingRegressor(max_iter=5).fit([[1.0], [2.0]], [1.0, 2.0]).n_iter_
        5
        """
        started, before = time.perf_counter(), vars(self).copy()
        try:
            self._fit(self._checked_training(X, y, sample_weight), (X_val, y_val, sample_weight_val))
        except BaseException:
            # An error, also one of the user's scorer, or Ctrl-C leaves the learner as it was.
            vars(self).clear()
            vars(self).update(before)
            raise
        if self.verbose:
            n_leaves = int((self.model_.arrays["first_child"] < 0).sum())
            seconds = time.perf_counter() - started
            print(f"Fit {self.model_.n_trees} trees in {seconds:.3f} s, ({n_leaves} total leaves)")
        return self

    def _fit(self: Any, training: CheckedRows, given: tuple[Any, Any, Any]) -> None:
        """Boost checked rows; `given` are X, y and weights of rows to validate on, or None."""
        validation = self._checked_validation(*given)
        rng = check_random_state(self.random_state)
        goes_on = self.warm_start and self._is_fitted()
        if not goes_on:
            self._random_seed = rng.randint(np.iinfo(np.uint32).max, dtype="u8")
        self._validate_parameters()
        directions = _check_monotonic_cst(self, self.monotonic_cst)
        if self.is_categorical_ is not None and np.any(directions[self.is_categorical_]):
            raise ValueError("Categorical features cannot have monotonic constraints.")
        self._n_features = training.X.shape[1]
        groups = self._check_interaction_cst(self._n_features)
        self._loss = self._get_loss(training.weight) if isinstance(self.loss, str) else self.loss
        auto = self.early_stopping == "auto"
        self.do_early_stopping_ = len(training.y) > 10_000 if auto else self.early_stopping
        self._use_validation_data = self.validation_fraction is not None or validation is not None
        if self.do_early_stopping_ and self._use_validation_data and validation is None:
            training, validation = self._divided(training)
        if goes_on and self.max_iter < self.n_iter_:
            raise ValueError(
                f"max_iter={self.max_iter} must be larger than or equal to n_iter_={self.n_iter_} when "
                "warm_start==True"
            )
        self._in_fit = True  # predict is given rows that are preprocessed already
        try:
            self._boost(self._recipe(directions, groups), training, validation, goes_on)
        finally:
            # scikit-learn's scoring leaves a method in the object.
            self.__dict__.pop("_raw_predict", None)
            del self._in_fit

    def _checked_training(self: Any, X: Any, y: Any, sample_weight: Any) -> CheckedRows:
        X, _ = self._preprocess_X(X, reset=True)
        y = self._encode_y(_check_y(y, estimator=self))
        check_consistent_length(X, y)
        if sample_weight is not None:
            sample_weight = _check_sample_weight(sample_weight, X, dtype=np.float64)
            self._fitted_with_sw = True
        return CheckedRows(X, y, self._finalize_sample_weight(sample_weight, y))

    def _checked_validation(self: Any, X: Any, y: Any, sample_weight: Any) -> CheckedRows | None:
        if X is None and y is None:
            return None
        if y is None:
            raise ValueError("X_val is provided, but y_val was not provided.")
        if X is None:
            raise ValueError("y_val is provided, but X_val was not provided.")
        if self.early_stopping is False:
            raise ValueError(
                "X_val and y_val are passed to fit while at the same time early_stopping is False. When "
                "passing X_val and y_val to fit, early_stopping should be set to either 'auto' or True."
            )
        X = self._preprocess_X(X, reset=False)
        y = self._encoded_for_validation(_check_y(y, estimator=self))
        check_consistent_length(X, y)
        if sample_weight is not None:
            sample_weight = _check_sample_weight(sample_weight, X, dtype=np.float64)
        return CheckedRows(X, y, sample_weight)

    def _encoded_for_validation(self: Any, y: Any) -> Any:
        if hasattr(self, "_encode_y_val"):
            return self._encode_y_val(y)
        # Before version 1.7 scikit-learn takes no rows to validate on, and has no method for their classes.
        if not is_classifier(self):
            return self._encode_y(y)
        encoder = LabelEncoder()
        encoder.classes_ = self.classes_
        return encoder.transform(y).astype(np.float64)

    def _divided(self: Any, rows: CheckedRows) -> tuple[CheckedRows, CheckedRows]:
        """Return rows to train on and rows to validate on."""
        given = [rows.X, rows.y] if rows.weight is None else [rows.X, rows.y, rows.weight]
        parts = train_test_split(
            *given,
            test_size=self.validation_fraction,
            stratify=rows.y if is_classifier(self) else None,
            random_state=self._random_seed,
        )
        weights = (None, None) if rows.weight is None else parts[4:]
        return CheckedRows(parts[0], parts[2], weights[0]), CheckedRows(parts[1], parts[3], weights[1])

    def _recipe(self: Any, directions: Any, groups: Any) -> Recipe:
        """Return bough's recipe of the parameters, with columns as preprocessing arranges them."""
        order = np.arange(self._n_features)
        if self.is_categorical_ is not None:
            order = np.concatenate([order[self.is_categorical_], order[~self.is_categorical_]])
        place = np.argsort(order)
        loss: Any = self.loss if isinstance(self.loss, str) else _LOSSES.get(type(self.loss).__name__)
        given: dict[str, Any] = {"loss": _own_loss(self.loss) if loss is None else loss}
        if loss == "quantile":
            given["quantile"] = self._loss.closs.quantile
        own = GradientBoostingClassifier if is_classifier(self) else GradientBoostingRegressor
        # The hessians of several classes are greater in bough by this factor, which is made up for.
        n_scores = self.n_trees_per_iteration_
        factor = n_scores / (n_scores - 1) if n_scores > 1 else 1.0
        recipe = own(
            **given,
            learning_rate=self.learning_rate * factor,
            min_hessian=_MIN_HESSIAN * factor,
            level_smoothing=_MIN_SUPPORT * factor,
            level_penalty=0.0,
            max_iter=self.max_iter,
            max_leaf_nodes=self.max_leaf_nodes,
            max_depth=self.max_depth,
            min_samples_leaf=self.min_samples_leaf,
            l2_regularization=self.l2_regularization * factor,
            max_features=self.max_features,
            max_bins=self.max_bins,
            monotonic_cst=[int(each) for each in directions[order]] if np.any(directions) else None,
            interaction_cst=None if groups is None else [[int(place[i]) for i in group] for group in groups],
        ).recipe()
        settings = {**recipe.settings, "level_l2": 0.0}
        return replace(recipe, seed=int(self._random_seed), settings=settings)

    def _boost(
        self: Any, recipe: Recipe, training: CheckedRows, validation: CheckedRows | None, goes_on: bool
    ) -> None:
        """Boost up to `max_iter` rounds, or until early stopping; sets `model_` and the scores."""
        rows = self._training_rows(training)
        if goes_on:
            self.train_score_, self.validation_score_ = [*self.train_score_], [*self.validation_score_]
        else:
            self.model_ = self._start(recipe, rows, training)
            self.train_score_, self.validation_score_ = [], []
        if self.model_.n_rounds < self.max_iter:
            if self.do_early_stopping_:
                first = self.model_.n_rounds + 1 if goes_on else 0
                self.model_ = Stopping(self, training, validation).boost(recipe, rows, first)
            else:
                n_threads = _openmp_effective_n_threads()
                self.model_ = fit_boosting(recipe, rows, before=self.model_, n_jobs=n_threads).model
        self.train_score_ = np.asarray(self.train_score_)
        self.validation_score_ = np.asarray(self.validation_score_)

    def _training_rows(self: Any, rows: CheckedRows) -> Training:
        """Return the rows of positive weight as training rows of bough."""
        kept = np.arange(len(rows.y)) if rows.weight is None else np.flatnonzero(rows.weight)
        X, y, weight = rows.X, rows.y, rows.weight
        if len(kept) < len(y):
            X, y, weight = X[kept], y[kept], None if weight is None else weight[kept]
        n_nominal = 0 if self.is_categorical_ is None else int(self.is_categorical_.sum())
        table = Table.read(X, categorical_features=list(range(n_nominal)))
        target: Any = y
        if is_classifier(self):
            classes = range(max(2, len(self.classes_)))
            target = ClassTarget(tuple(classes), y.astype(np.int32))
        weights = Weights(None, None, whole=True)
        if weight is not None:
            weight = np.ascontiguousarray(weight)
            whole = bool((weight == np.floor(weight)).all())
            weights = Weights(weight, weight if whole else None, whole=whole)
        return Training(table, target, weights, kept, len(rows.y))

    def _start(self: Any, recipe: Recipe, rows: Training, training: CheckedRows) -> GradientBoosted:
        """Return the model without trees, which predicts scikit-learn's baseline."""
        start = self._loss.fit_intercept_only(y_true=training.y, sample_weight=training.weight)
        self._baseline_prediction = np.reshape(start, (1, -1))
        classes = classes_of(rows.target)
        return GradientBoosted(
            schema=rows.table.schema,
            task=recipe.task,
            classes=classes,
            target_name=None,
            link=link_of(recipe.settings["loss"], len(classes)),
            start=self._baseline_prediction[0],
            arrays=no_trees(),
        )

    def _is_fitted(self) -> bool:
        return hasattr(self, "model_")

    @property
    def n_iter_(self) -> int:
        """The number of rounds.

        >>> HistGradientBoostingRegressor(max_iter=5).fit([[1.0], [2.0]], [1.0, 2.0]).n_iter_
        5
        """
        check_is_fitted(self)
        return self.model_.n_rounds

    @property
    def _predictors(self) -> list[list[Any]]:
        """The trees as objects of scikit-learn, a list for each round."""
        return predictors(self.model_)

    def _raw_predict(self: Any, X: Any, n_threads: int | None = None) -> Floats:
        check_is_fitted(self)
        if not getattr(self, "_in_fit", False):
            X = self._preprocess_X(X, reset=False)
        scores: Floats = self.model_.scores(X, n_jobs=_openmp_effective_n_threads(n_threads))
        return scores

    def _staged_raw_predict(self: Any, X: Any) -> Any:
        check_is_fitted(self)
        X = self._preprocess_X(X, reset=False)
        yield from self.model_.staged_scores(X, _openmp_effective_n_threads())

    def to_sklearn(self: Any) -> Any:
        """Return an object of scikit-learn's own class, with its own trees, that predicts the same.

        >>> model = HistGradientBoostingRegressor(min_samples_leaf=1).fit([[1.0], [2.0]], [1.0, 2.0])
        >>> model.to_sklearn().predict([[0.0]]).round(3)
        array([1.])
        """
        check_is_fitted(self)
        made = converted(self)
        del made.model_
        made._predictors = self._predictors
        made._bin_mapper = bin_mapper(self.model_.schema, self.max_bins)
        return made


def _own_loss(loss: Any) -> Callable[[Floats, Floats], tuple[Floats, Floats]]:
    """Return a loss of scikit-learn as the function of y and scores that bough takes."""

    def gradients(y: Floats, score: Floats) -> tuple[Floats, Floats]:
        gradient, hessian = loss.gradient_hessian(y_true=y.astype(np.float64), raw_prediction=score)
        return gradient, np.broadcast_to(hessian, gradient.shape)

    return gradients


class HistGradientBoostingClassifier(BoughHistBoosting, sklearn.ensemble.HistGradientBoostingClassifier):  # type: ignore[misc]
    """scikit-learn's `HistGradientBoostingClassifier`, boosted by bough.

    >>> X, y = [[float(i)] for i in range(40)], ["a"] * 20 + ["b"] * 20
    >>> HistGradientBoostingClassifier().fit(X, y).predict([[30.0]])
    array(['b'], dtype='<U1')
    """


class HistGradientBoostingRegressor(BoughHistBoosting, sklearn.ensemble.HistGradientBoostingRegressor):  # type: ignore[misc]
    """scikit-learn's `HistGradientBoostingRegressor`, boosted by bough.

    >>> X, y = [[float(i)] for i in range(40)], [1.0] * 20 + [3.0] * 20
    >>> HistGradientBoostingRegressor().fit(X, y).predict([[30.0]]).round(3)
    array([3.])
    """
