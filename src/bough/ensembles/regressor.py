"""Forests that answer with a number: the mean of what their trees say."""

from __future__ import annotations

import warnings
from typing import Any, Self, cast

import numpy as np
import numpy.typing as npt
from sklearn.base import RegressorMixin
from sklearn.metrics import r2_score

from bough.ensembles.estimator import Floats, ForestEstimator, Prepared
from bough.ensembles.intervals import (
    IntervalMethod,
    LeafRows,
    jackknife_variance,
    predict_interval,
    predict_quantiles,
    tree_predictions,
)
from bough.ensembles.sampling import read_sample
from bough.errors import ParameterError, TargetError
from bough.learners.estimator import check_lengths, present_rows, required
from bough.readers import take
from bough.table import Table
from bough.target import check_events, check_reach, read_numbers, read_weights


class ForestRegressorEstimator(RegressorMixin, ForestEstimator):  # type: ignore[misc]
    """A learner whose trees answer with a number."""

    oob_score_: float
    oob_prediction_: Floats
    oob_times_: npt.NDArray[np.uint32]
    oob_error_curve_: Floats
    oob_errors_: Floats
    bias_: Floats
    _leaf_rows: LeafRows | None

    oob_score: Any
    replace: bool
    max_samples: Any
    bias_correction: bool
    quantiles: bool

    def fit(self, X: Any, y: Any, sample_weight: Any = None, strata: Any = None) -> Self:
        """Grow the forest for the numbers y of the rows of X.

        A weight of 2 is the row twice in every bag it is in, and a weight of 0 is the row absent. `strata`
        gives each row a stratum from which trees draw as `max_samples` says.

        >>> from bough import RandomForestRegressor
        >>> X, y = [[1.0], [2.0]] * 5, [10.0, 20.0] * 5
        >>> RandomForestRegressor(10, random_state=0).fit(X, y).predict([[3.0]])
        array([20.])
        """
        given = self._prepared(X, y, sample_weight, strata)
        if self._grow(given, y):
            if self.oob_score or self.bias_correction:
                self._score_out_of_bag(given)
            self._leaf_rows = self._found_rows(given) if self.quantiles else None
        return self

    def _prepared(self, X: Any, y: Any, sample_weight: Any, strata: Any) -> Prepared:
        for name in ("oob_score", "bias_correction"):
            if getattr(self, name) and not self.bootstrap:
                wanted = "False: Out of bag estimation only available if bootstrap=True"
                raise ParameterError.of(name, getattr(self, name), wanted)
        table = self._read_table(X)
        recipe = self._recipe(len(table.schema))
        target = read_numbers(required(self, y))
        check_lengths(table, len(target))
        n_given = table.n_rows
        weights = read_weights(sample_weight, n_given)
        if (rows := present_rows(weights)) is not None:
            table, weights, target = self._read_table(take(X, rows)), weights.take(rows), target[rows]
            strata = None if strata is None else np.asarray(strata)[rows]
        if recipe.criterion == "poisson":
            check_events(target)
        check_reach(target, weights, recipe.criterion)
        sample = read_sample(
            table.n_rows,
            bootstrap=self.bootstrap,
            replace=self.replace,
            max_samples=self.max_samples,
            strata=strata,
            classes=None,
        )
        return Prepared(table, target, weights, recipe, sample, rows, n_given)

    def _found_rows(self, given: Prepared) -> LeafRows:
        target = cast("Floats", given.target)
        return LeafRows.of(
            self.forest_, given.table, target, given.weights.weight, self.in_bag(), self.n_jobs
        )

    def predict(self, X: Any) -> Floats:
        """Return the mean over all trees of the mean of y where each row ends.

        >>> from bough import RandomForestRegressor
        >>> X, y = [[1.0], [2.0]] * 5, [10.0, 20.0] * 5
        >>> RandomForestRegressor(10, random_state=0).fit(X, y).predict([[0.0]])
        array([10.])
        """
        mean = self._tally(self._checked(X))["share"][:, 0] / self.forest_.n_trees
        if not self.bias_correction:
            return np.asarray(mean)
        return np.asarray(self.bias_[0] + self.bias_[1] * mean)

    def predict_quantiles(self, X: Any, quantiles: Any = (0.1, 0.5, 0.9)) -> Floats:
        """Return quantiles of y for each row (rows × quantiles); fit must have been told `quantiles=True`.

        All rows a tree drew that share the row's leaf count, over all trees: the quantile regression forest
        of Meinshausen (2006), ranger's quantreg.

        >>> from bough import RandomForestRegressor
        >>> model = RandomForestRegressor(5, max_depth=1, quantiles=True, bootstrap=False)
        >>> model.fit([[1.0], [1.0], [1.0], [9.0]], [10.0, 11.0, 12.0, 90.0]).predict_quantiles([[1.0]])
        array([[10., 11., 12.]])
        """
        return predict_quantiles(self, self._checked(X), quantiles)

    def predict_interval(self, X: Any, level: float = 0.9, method: IntervalMethod = "oob") -> Floats:
        """Return the ends of an interval for each row (rows × 2).

        "oob": y itself lies in it, judged by the errors out of bag (`oob_score=True`; Zhang et al. 2020);
        "quantile": y itself, by the quantiles of the leaves (`quantiles=True`); "jackknife": not y but its
        expectation, by the jackknife after the bootstrap (Wager, Hastie and Efron 2014).

        >>> from bough import RandomForestRegressor
        >>> X, y = [[float(x)] for x in range(50)], [float(x) for x in range(50)]
        >>> model = RandomForestRegressor(50, oob_score=True, random_state=0).fit(X, y)
        >>> low, high = model.predict_interval([[20.0]])[0]
        >>> low < 20 < high
        np.True_
        """
        return predict_interval(self, X, self._checked(X), level, method)

    def predict_std(self, X: Any) -> Floats:
        """Return the standard error of each prediction by the jackknife after the bootstrap; ranger's se.

        >>> from bough import RandomForestRegressor
        >>> X, y = [[float(x)] for x in range(50)], [float(x) for x in range(50)]
        >>> RandomForestRegressor(200, random_state=0).fit(X, y).predict_std([[20.0]]).shape
        (1,)
        """
        table = self._checked(X)
        answers = tree_predictions(self.forest_, table, self.n_jobs)
        return np.asarray(np.sqrt(jackknife_variance(answers, self.in_bag())))

    def staged_error(self, X: Any, y: Any) -> Floats:
        """Return the mean squared error on other rows after each tree.

        It is what R's randomForest follows on a test set while it grows (`xtest`, `test$mse`).

        >>> from bough import RandomForestRegressor
        >>> model = RandomForestRegressor(3, random_state=0).fit([[1.0], [2.0]] * 5, [10.0, 20.0] * 5)
        >>> model.staged_error([[0.0], [3.0]], [10.0, 22.0])[-1].item()
        2.0
        """
        table = self._checked(X)
        tallied = self._tally(table, y=self._truth(y, table.n_rows))
        return np.asarray(tallied["wrong"][:, 0] / tallied["seen"][:, 0])

    def _truth(self, y: Any, n_rows: int) -> Floats:
        target = read_numbers(y)
        if len(target) != n_rows:
            raise TargetError(f"y has {len(target)} entries and X {n_rows} rows; give one for each row.")
        return target

    def _out_of_bag(self, table: Table, target: Floats | None) -> dict[str, npt.NDArray[Any]]:
        return self._tally(table, sample=self._sample.native(), seed=self._seed, y=target)

    def _score_out_of_bag(self, given: Prepared) -> None:
        table, target = given.table, cast("Floats", given.target)
        self._check_training_rows(table)
        tallied = self._out_of_bag(table, target)
        times = tallied["trees"]
        seen = times > 0
        if not seen.all():
            warnings.warn(
                "Some inputs do not have OOB scores. This probably means too few trees were used to compute "
                "any reliable OOB estimates.",
                stacklevel=3,
            )
        with np.errstate(invalid="ignore", divide="ignore"):
            prediction = tallied["share"][:, 0] / times
            self.oob_error_curve_ = tallied["wrong"][:, 0] / tallied["seen"][:, 0]
        if self.bias_correction:
            self.bias_ = _line(prediction[seen], target[seen])
            prediction = self.bias_[0] + self.bias_[1] * prediction
        self.oob_times_, self.oob_prediction_ = self._expanded(times), self._expanded(prediction)
        self.oob_errors_ = self._expanded(target - prediction)
        score = self.oob_score if callable(self.oob_score) else r2_score
        self.oob_score_ = float(score(target[seen], prediction[seen])) if seen.sum() > 1 else float("nan")


def _line(x: Floats, y: Floats) -> Floats:
    """Return intercept and slope of the least-squares line; the identity where x does not vary."""
    if len(x) < 2 or np.ptp(x) == 0:
        return np.array([0.0, 1.0])
    slope = float(np.cov(x, y, bias=True)[0, 1] / x.var())
    return np.array([y.mean() - slope * x.mean(), slope])
