"""The part that all boosting learners share: fitting, predictions by stages, importance."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_is_fitted

from bough.data.partitions.partitions import is_partitioned
from bough.data.target import classes_of
from bough.data.training import GivenRows, Training
from bough.ensembles.boosting import BoostingFit, fit_boosting
from bough.ensembles.boosting_parameters import BoostingParameters
from bough.ensembles.boosting_target import check_same_scores
from bough.ensembles.boosting_validation import read_validation
from bough.ensembles.gbm import seed_of_r
from bough.ensembles.progress import CallbackSupport, progress_reports, with_callbacks
from bough.errors import ParameterError
from bough.growing.draws import read_seed
from bough.growing.recipe import Recipe
from bough.learners.conventions import ModelLearner, note_schema
from bough.learners.reading import read_for
from bough.models.gradient_boosted import GradientBoosted
from bough.progress import watched, watcher
from bough.types import Floats


class BoostingEstimator(BoostingParameters, CallbackSupport, ModelLearner):  # type: ignore[misc]
    """Base class of gradient boosting. A subclass defines the loss and what is predicted.

    Attributes
    ----------
    model_
        The sum of trees, a `bough.GradientBoosted`.
    n_iter_
        The number of rounds of the model; of the mean of several sums of trees, the rounds of all of them.
    validation_loss_
        The loss on the validation rows after each round; empty without such rows.
    training_loss_
        With `variant="gbm"` the mean loss of the rows after each round, as gbm reports it; else empty.

    """

    _predicts_in_threads: ClassVar[bool] = True

    model_: GradientBoosted
    validation_loss_: Floats
    training_loss_: Floats
    n_features_in_: int

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
        """Fit the model to the rows of X and their y: classes, numbers, or a pair of times and statuses.

        A row of weight 2 counts twice; those that sum to 1 or less are shares, scaled to a mean of 1.
        `X_val`, `y_val` and `sample_weight_val` are rows that decide when boosting stops.

        >>> from bough import GradientBoostingClassifier
        >>> X, y = [[i] for i in range(40)], ["low"] * 20 + ["high"] * 20
        >>> GradientBoostingClassifier().fit(X, y, X_val=[[3], [30]], y_val=["low", "high"]).n_iter_
        92
        """
        validation = GivenRows(X_val, y_val, sample_weight_val)
        self._fit(GivenRows(X, y, sample_weight), validation)
        return self

    def _keep(self, fitted: BoostingFit, training: Training | None) -> None:
        """Set the attributes of the model; `training` is None on a cluster."""
        self.model_ = fitted.model
        self.validation_loss_, self.training_loss_ = fitted.validation_loss, fitted.training_loss

    @with_callbacks  # type: ignore[untyped-decorator]
    def _fit(self, given: GivenRows, given_for_validation: GivenRows) -> None:
        recipe = self.recipe()
        read = seed_of_r if recipe.arithmetic == "gbm" else read_seed
        recipe = replace(recipe, seed=read(self.random_state))
        if is_partitioned(given.X, given.y):
            self._fit_on_cluster(recipe, given, given_for_validation.X)
            return
        training = read_for(self, recipe, given)
        validation = read_validation(recipe, training, given_for_validation)
        if validation is not None:
            if recipe.arithmetic == "gbm":
                raise ParameterError("X_val is given, but variant='gbm' does not stop by validation rows.")
            if self.warm_start:
                raise ParameterError("X_val is given, but with warm_start rounds do not stop.")
            settings = {
                name: value
                for name, value in recipe.settings.items()
                if name not in ("validation_fraction", "cv", "refit", "auto")
            }
            stopping = {"n_iter_no_change": self.n_iter_no_change, "tol": self.tol}
            recipe = replace(recipe, settings=settings | stopping)
        assert recipe.ensemble is not None
        n_rounds = recipe.ensemble.n_estimators
        before = self._before(training, recipe) if self.warm_start else None
        if before is not None:
            recipe = replace(recipe, seed=before.recipe.get("seed"))
        showing = progress_reports(self, n_rounds, self.verbose, unit="rounds")
        with showing as reports, watched(reports or watcher()):
            report = None if reports is None else reports.report_errors
            fitted = fit_boosting(
                recipe, training, validation, before=before, n_jobs=self.n_jobs, report=report
            )
        self._keep(fitted, training)

    def _fit_on_cluster(self, recipe: Recipe, given: GivenRows, X_val: Any) -> None:
        from bough.ensembles.boosting_on_cluster import fit_boosting_on_cluster

        for name, is_given in (("X_val", X_val is not None), ("warm_start", self.warm_start)):
            if is_given:
                raise ParameterError(
                    f"{name} is not supported on a cluster; leave it out, or read the table into memory."
                )
        assert recipe.ensemble is not None
        n_rounds = recipe.ensemble.n_estimators
        showing = progress_reports(self, n_rounds, self.verbose, unit="rounds")
        with showing as reports, watched(reports or watcher()):
            model = fit_boosting_on_cluster(
                recipe, given.X, given.y, given.sample_weight, type(self).__name__, n_jobs=self.n_jobs
            )
        self._keep(BoostingFit(model, np.empty(0), np.empty(0), None), None)
        note_schema(self, model.schema)

    def _before(self, training: Training, recipe: Recipe) -> GradientBoosted | None:
        """Return the model that a warm start adds rounds to; raise if the rows do not fit it."""
        model: GradientBoosted | None = getattr(self, "model_", None)
        if model is None:
            return None
        classes = classes_of(training.target)
        if model.schema != training.table.schema or model.classes != classes:
            raise ParameterError(
                "warm_start is True, but X or y has other columns, levels or classes than the model has. Fit "
                "with warm_start=False."
            )
        assert recipe.ensemble is not None
        n_rounds = recipe.ensemble.n_estimators
        if model.n_rounds > n_rounds:
            wanted = f"at least {model.n_rounds}, the rounds of the model, if warm_start is True"
            raise ParameterError.of("max_iter", n_rounds, wanted)
        if model.targets:
            raise ParameterError(
                "warm_start is True, but y has several columns, to which no rounds are added."
            )
        check_same_scores(model, recipe, len(classes))
        return model

    @property
    def n_iter_(self) -> int:
        """The number of rounds of the model; early stopping may leave fewer than `max_iter`.

        >>> from bough import GradientBoostingRegressor
        >>> GradientBoostingRegressor(max_iter=7).fit([[1.0], [2.0]], [1.0, 2.0]).n_iter_
        7
        """
        check_is_fitted(self)
        return self.model_.n_rounds

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
