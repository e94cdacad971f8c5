"""Base class of forest regressors, which predict the mean of their trees."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, cast

import numpy as np
import numpy.typing as npt
from sklearn.base import RegressorMixin
from sklearn.metrics import r2_score

from bough.data.several_targets import SeveralTargets
from bough.data.table import Table
from bough.data.training import Training
from bough.ensembles.inspection import InspectedForest
from bough.ensembles.intervals import (
    IntervalMethod,
    LeafRows,
    jackknife_error,
    predict_interval,
    predict_quantiles,
)
from bough.ensembles.monitoring import MonitoredRows, Sums
from bough.ensembles.out_of_bag import (
    check_out_of_bag,
    means_out_of_bag,
    warn_without_oob,
)
from bough.ensembles.sampling import check_flags
from bough.errors import ParameterError
from bough.growing.recipe import Recipe
from bough.tree.one_target import refuse_several
from bough.types import Floats


class ForestRegressorEstimator(RegressorMixin, InspectedForest):  # type: ignore[misc]
    """Base class of forest regressors."""

    oob_score_: float
    oob_prediction_: Floats
    oob_times_: npt.NDArray[np.uint32]
    oob_error_curve_: Floats
    oob_errors_: Floats
    bias_: Floats
    test_prediction_: Floats
    test_error_curve_: Floats
    _leaf_rows: LeafRows

    oob_score: Any
    replace: bool
    max_samples: Any
    bias_correction: bool
    quantiles: bool

    def _keep_rows(self, training: Training) -> None:
        if self.quantiles and not hasattr(self, "_leaf_rows"):
            target, weight = cast("Floats", training.target), training.weights.weight
            given = (training.table, target, weight, self.in_bag())
            self._leaf_rows = LeafRows.of(self.forest_, *given, self.n_jobs)

    def recipe(self) -> Recipe:
        """Return the recipe that these parameters define, without the parts that depend on the rows.

        >>> from bough import RandomForestRegressor
        >>> RandomForestRegressor().recipe().criterion
        'squared_error'
        """
        check_flags(self, "bootstrap", "replace", "seek", "warm_start", "bias_correction", "quantiles")
        for name in ("oob_score", "bias_correction"):
            if getattr(self, name) and not self.bootstrap:
                wanted = "False: Out of bag estimation only available if bootstrap=True"
                raise ParameterError.of(name, getattr(self, name), wanted)
        if (
            isinstance(self.criterion, str)
            and self.criterion == "absolute_error"
            and getattr(self, "nominal", "ordered") == "randomforest"
        ):
            raise ParameterError.of(
                "nominal", "randomforest", "'ordered' or 'subset' with criterion='absolute_error'"
            )
        settings = {"bias_correction": True} if self.bias_correction else {}
        return Recipe(self.criterion, **self._forest_parts("regression"), settings=settings)

    def predict(self, X: Any) -> Floats:
        """Return the mean over all trees of the mean of y in each row's leaf.

        >>> from bough import RandomForestRegressor
        >>> X, y = [[1.0], [2.0]] * 5, [10.0, 20.0] * 5
        >>> RandomForestRegressor(10, random_state=0).fit(X, y).predict([[0.0]])
        array([10.])
        """
        rows = self._readable(X)
        return self.forest_.predict(rows, self.n_jobs)

    def predict_quantiles(self, X: Any, quantiles: Any = (0.1, 0.5, 0.9)) -> Floats:
        """Return quantiles of y for each row (rows × quantiles); needs `quantiles=True` at fit.

        They are quantiles of the sampled rows that share a leaf with the row, over all trees: the quantile
        regression forest of Meinshausen (2006), ranger's quantreg.

        >>> from bough import RandomForestRegressor
        >>> model = RandomForestRegressor(5, max_depth=1, quantiles=True, bootstrap=False)
        >>> model.fit([[1.0], [1.0], [1.0], [9.0]], [10.0, 11.0, 12.0, 90.0]).predict_quantiles([[1.0]])
        array([[10., 11., 12.]])
        """
        return predict_quantiles(self, self._checked(X), quantiles)

    def predict_interval(self, X: Any, level: float = 0.9, method: IntervalMethod = "oob") -> Floats:
        """Return the lower and upper bounds of an interval for each row (rows × 2).

        "oob" is a prediction interval for y from the out-of-bag errors (needs `oob_score=True`; Zhang et al.
        2020). "quantile" is one from the quantiles of the leaves (needs `quantiles=True`). "jackknife" is a
        confidence interval for the expectation of y by the jackknife after the bootstrap (Wager, Hastie and
        Efron 2014).

        >>> from bough import RandomForestRegressor
        >>> X, y = [[float(x)] for x in range(50)], [float(x) for x in range(50)]
        >>> model = RandomForestRegressor(50, oob_score=True, random_state=0).fit(X, y)
        >>> low, high = model.predict_interval([[20.0]])[0]
        >>> low < 20 < high
        np.True_
        """
        table = self._checked(X)
        refuse_several(self.forest_, "predict_interval")
        return predict_interval(self, X, table, level, method)

    def predict_std(self, X: Any) -> Floats:
        """Return the standard error of each prediction by the jackknife after the bootstrap; ranger's se.

        >>> from bough import RandomForestRegressor
        >>> X, y = [[float(x)] for x in range(50)], [float(x) for x in range(50)]
        >>> RandomForestRegressor(200, random_state=0).fit(X, y).predict_std([[20.0]]).shape
        (1,)
        """
        table = self._checked(X)
        refuse_several(self.forest_, "predict_std")
        return jackknife_error(self, table)

    def staged_error(self, X: Any, y: Any) -> Floats:
        """Return the mean squared error on new rows after each tree.

        It is the error of R's randomForest on a test set (`xtest`, `test$mse`).

        >>> from bough import RandomForestRegressor
        >>> model = RandomForestRegressor(3, random_state=0).fit([[1.0], [2.0]] * 5, [10.0, 20.0] * 5)
        >>> model.staged_error([[0.0], [3.0]], [10.0, 22.0])[-1].item()
        2.0
        """
        table = self._checked(X)
        tallied = self._tally(table, y=self._truth(y, table.n_rows))
        return np.asarray(tallied["wrong"][:, 0] / tallied["seen"][:, 0])

    def _score_target_out_of_bag(self, table: Table, target: Any) -> None:
        """Set the out-of-bag results of one target."""
        tallied = self._tally(table, y=target, **self._samples.native())
        times = tallied["trees"]
        seen = times > 0
        check_out_of_bag(self, times, least=2)
        warn_without_oob(times)
        with np.errstate(invalid="ignore", divide="ignore"):
            prediction = tallied["share"][:, 0] / times
            self.oob_error_curve_ = tallied["wrong"][:, 0] / tallied["seen"][:, 0]
        if self.bias_correction:
            self.bias_ = bias_line(tallied, target)
            self.forest_ = replace(self.forest_, correction=tuple(self.bias_.tolist()))
        prediction = self.forest_.corrected(prediction)
        self.oob_times_ = self._samples.expanded(times)
        self.oob_prediction_ = self._samples.expanded(prediction)
        self.oob_errors_ = self._samples.expanded(target - prediction)
        score = self.oob_score if callable(self.oob_score) else r2_score
        self.oob_score_ = float(score(target[seen], prediction[seen]))

    def _score_targets_out_of_bag(self, table: Table, target: SeveralTargets) -> None:
        """Set the out-of-bag predictions of several targets, and their R², averaged over the targets."""
        prediction, times = means_out_of_bag(self, table)
        seen = times > 0
        self.oob_times_ = self._samples.expanded(times)
        self.oob_prediction_ = self._samples.expanded(prediction)
        self.oob_errors_ = self._samples.expanded(target.values - prediction)
        score = self.oob_score if callable(self.oob_score) else r2_score
        self.oob_score_ = float(score(target.values[seen], prediction[seen]))

    def _score_test(self, test: MonitoredRows) -> None:
        tallied = self._tally(test.table, y=test.truth)
        self.test_error_curve_ = tallied["wrong"][:, 0] / tallied["seen"][:, 0]
        self.test_prediction_ = self.forest_.corrected(tallied["share"][:, 0] / self.forest_.n_trees)


def bias_line(tallied: Sums, target: Floats) -> Floats:
    """Return intercept and slope of the regression of y on the out-of-bag predictions, from their sums.

    They are 0 and 1 if the predictions are constant, or differ by so little that their squares are 0.

    >>> bias_line({"share": np.array([[2.0], [6.0]]), "trees": np.array([2, 2])}, np.array([1.0, 5.0]))
    array([-1.,  2.])
    """
    seen = tallied["trees"] > 0
    x, y = tallied["share"][seen, 0] / tallied["trees"][seen], target[seen]
    if len(x) < 2 or x.var() == 0:
        return np.array([0.0, 1.0])
    slope = float(np.cov(x, y, bias=True)[0, 1] / x.var())
    return np.array([y.mean() - slope * x.mean(), slope])
