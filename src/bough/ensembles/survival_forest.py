"""Random forests of censored times (Ishwaran, Kogalur, Blackstone and Lauer 2008)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_is_fitted

from bough.data.training import Training
from bough.ensembles.forest import Forest
from bough.ensembles.growing import grow_forest
from bough.ensembles.parameters import DrawParameters
from bough.ensembles.row_samples import RowSamples
from bough.ensembles.sampling import read_n_estimators, sampling_of
from bough.errors import ParameterError, TargetError
from bough.growing.draws import ColumnSampling, Ensemble, read_max_features, read_seed
from bough.growing.limits import Limits
from bough.growing.missing import Missing, check_missing
from bough.growing.pruning import check_flag
from bough.growing.recipe import Recipe
from bough.learners.concordance import concordance
from bough.learners.estimator import ModelEstimator
from bough.learners.keyword_parameters import keyword_parameters
from bough.learners.parameters import SizeParameters
from bough.learners.reading import resolved
from bough.learners.survival_estimator import ScoredByConcordance
from bough.progress import watcher
from bough.tree.identifiers import identifier_levels, warn_of_identifiers
from bough.types import Floats

_MISSING: tuple[Missing, ...] = ("majority", "refuse")


@dataclass(frozen=True, eq=False)
class LeafTimes:
    """The training rows by leaf: times as ranks, weights in the sample of each tree, and leaves."""

    times: Floats
    """The distinct times of events, ascending."""
    place: npt.NDArray[np.intp]
    """Of each row: the number of these times up to its own."""
    event: Floats
    weight: Floats
    leaves: npt.NDArray[np.int32]

    def hazards(self, tree: int, drawn: npt.NDArray[Any]) -> Floats:
        """Return the cumulative hazard of each leaf of a tree at each event time (Nelson-Aalen).

        >>> rows = LeafTimes(np.array([1.0, 2.0]), np.array([1, 2]), np.ones(2), np.ones(2), np.zeros((2, 1)))
        >>> rows.hazards(0, np.ones(2))
        array([[0.5, 1.5]])
        """
        leaf, n_times = self.leaves[:, tree].astype(np.intp), len(self.times)
        shape = (int(leaf.max()) + 1, n_times + 1)
        cell = leaf * shape[1] + self.place
        weight = self.weight * drawn
        ended = np.bincount(cell, weight, minlength=shape[0] * shape[1]).reshape(shape)
        # Place p has the rows that leave at the event time p - 1 or after it, before the next one.
        at_risk = np.cumsum(ended[:, ::-1], axis=1)[:, ::-1][:, 1:]
        happened = self.event > 0
        events = np.bincount(cell[happened], weight[happened], minlength=shape[0] * shape[1])
        events = events.reshape(shape)[:, 1:]
        found = np.divide(events, at_risk, out=np.zeros_like(events), where=at_risk > 0)
        return np.cumsum(found, axis=1)


@keyword_parameters
class RandomForestSurvival(ScoredByConcordance, DrawParameters, SizeParameters, ModelEstimator):
    """Random forest for censored times: trees of samples of the rows, split by the log-rank test.

    Each tree is grown on a sample of the rows, and each node searches a sample of the columns for the split
    of the greatest log-rank statistic. The cumulative hazard of a leaf is the Nelson-Aalen estimate of its
    sampled rows, and that of a row the mean over all trees. `predict` returns the mortality of a row: its
    cumulative hazard summed over the times of all training rows, which is the number of events to expect if
    all rows were like it.

    `y` is a pair (time, status) or a table, as in `bough.CARTSurvival`. As there, scikit-learn does not count
    this estimator as a regressor.

    Parameters
    ----------
    oob_score
        Whether to predict each row by the trees that did not sample it (out-of-bag). Sets `oob_prediction_`
        and `oob_score_`, their concordance.
    missing
        "majority": a row with a missing value follows the branch of greater weight; "refuse": a missing value
        raises an error.

    Attributes
    ----------
    forest_
        The forest, a `bough.Forest` whose leaves predict the mortality; also `model_`.
    event_times_
        The distinct times of events.
    oob_prediction_, oob_score_
        The out-of-bag mortality of each row, NaN if every tree sampled it; its concordance.

    Examples
    --------
    >>> import bough
    >>> X, time = [[i % 2, i] for i in range(60)], [5.0 + i % 7 if i % 2 else 1.0 + i % 7 for i in range(60)]
    >>> model = bough.RandomForestSurvival(50, random_state=0).fit(X, (time, [1] * 60))
    >>> bool(model.predict([[0, 3]])[0] > model.predict([[1, 3]])[0])
    True

    """

    min_samples_split: int | float = 6
    min_samples_leaf: int | float = 3
    oob_score: bool = False
    missing: Missing = "majority"

    def recipe(self) -> Recipe:
        """Return the recipe that these parameters define, without the parts that depend on the rows.

        >>> RandomForestSurvival().recipe().response
        'times'
        """
        check_missing(self.missing, type(self).__name__, _MISSING)
        for name in ("bootstrap", "replace", "seek", "oob_score"):
            check_flag(name, getattr(self, name))
        read_n_estimators(self.n_estimators)
        if self.oob_score and not self.bootstrap:
            raise ParameterError.of("oob_score", True, "False if bootstrap is False: no row is out of bag")
        return Recipe(
            "poisson",
            nominal="ordered",
            limits=Limits(
                max_depth=self.max_depth,
                min_samples_split=self.min_samples_split,
                min_samples_leaf=self.min_samples_leaf,
            ),
            missing=self.missing,
            zero_rates=True,
            scales=self._scales(),
            settings={"split": "logrank"},
            response="times",
            task="regression",
        )

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Grow the forest on the rows of X and their times and statuses y.

        A row of weight 2 counts twice in every sample that contains it, a row of weight 0 is left out.

        >>> X, y = [[i] for i in range(30)], ([1.0 + i for i in range(30)], [1] * 30)
        >>> RandomForestSurvival(5, random_state=0).fit(X, y).forest_.n_trees
        5
        """
        recipe = self.recipe()
        training = self._read_training(recipe, X, y, sample_weight)
        if not np.asarray(training.target).any():
            raise TargetError("status is 0 for every row of positive weight; there must be an event.")
        n_rows, n_trees = training.table.n_rows, read_n_estimators(self.n_estimators)
        rows = sampling_of(self, n_rows)
        n_columns = len(training.table.schema)
        columns = ColumnSampling(read_max_features(self.max_features, n_columns), keep_searching=self.seek)
        recipe = replace(
            resolved(recipe, training),
            columns=columns,
            ensemble=Ensemble("forest", n_trees, rows),
            seed=read_seed(self.random_state),
        )
        assert recipe.seed is not None
        grown = grow_forest(
            training, recipe, seed=recipe.seed, n_trees=n_trees, n_jobs=self.n_jobs, progress=watcher()
        )
        self.forest_ = replace(grown, recipe=recipe.to_json())
        self._keep(training, RowSamples.of(training, rows, recipe.seed))
        used = np.flatnonzero(grown.importance() > 0)
        warn_of_identifiers(identifier_levels(training.table, used))
        return self

    def _keep(self, training: Training, samples: RowSamples) -> None:
        """Keep the rows of each leaf, and predict each row out of its bags if that is asked for."""
        time, event = training.exposure, np.asarray(training.target, dtype=np.float64)
        assert time is not None
        weight = training.weights.weight
        self.event_times_ = np.unique(time[event > 0])
        self._leaf_times = LeafTimes(
            self.event_times_,
            np.searchsorted(self.event_times_, time, side="right"),
            event,
            np.ones(len(time)) if weight is None else weight,
            self.forest_.apply(training.table, self.n_jobs),
        )
        self._samples = samples
        for name in ("oob_prediction_", "oob_score_"):
            self.__dict__.pop(name, None)
        if self.oob_score:
            sums = self.forest_.tally(training.table, self.n_jobs, **samples.native())
            seen = sums["trees"] > 0
            if not seen.any():
                raise ParameterError.of("oob_score", True, "False unless n_estimators is larger")
            with np.errstate(invalid="ignore", divide="ignore"):
                prediction = sums["share"][:, 0] / sums["trees"]
            self.oob_score_ = concordance(
                time[seen], event[seen], prediction[seen], None if weight is None else weight[seen]
            )
            self.oob_prediction_ = samples.expanded(prediction)

    @property
    def model_(self) -> Forest:
        """The model that predicts, which can be saved: the forest of mortalities.

        >>> X, y = [[i] for i in range(30)], ([1.0 + i for i in range(30)], [1] * 30)
        >>> RandomForestSurvival(5, random_state=0).fit(X, y).model_.model_kind
        'forest'
        """
        check_is_fitted(self)
        return self.forest_

    def predict(self, X: Any) -> Floats:
        """Return the mortality of each row; the greater it is, the earlier the event is to be expected.

        >>> X, y = [[i] for i in range(30)], ([1.0 + i for i in range(30)], [1] * 30)
        >>> model = RandomForestSurvival(5, random_state=0).fit(X, y)
        >>> model.predict([[2], [25]]).round()
        array([45., 10.])
        """
        return self.model_.predict(self._checked(X), self.n_jobs)

    def predict_cumulative_hazard(self, X: Any, times: Any = None) -> Floats:
        """Return the cumulative hazard of each row at some times (rows × times), by default at all events.

        >>> X, y = [[i] for i in range(30)], ([1.0 + i for i in range(30)], [1] * 30)
        >>> model = RandomForestSurvival(20, random_state=0).fit(X, y)
        >>> model.predict_cumulative_hazard([[2], [25]], times=[10]).round()
        array([[2.],
               [0.]])
        """
        leaves = self.model_.apply(self._checked(X), self.n_jobs)
        own, n_trees = self._leaf_times, self.forest_.n_trees
        drawn = self._samples.draws(n_trees)
        total = np.zeros((len(leaves), len(own.times)))
        for tree in range(n_trees):
            total += own.hazards(tree, drawn[:, tree])[leaves[:, tree]]
        total /= n_trees
        if times is None:
            return total
        wanted = np.asarray(times, dtype=np.float64)
        if wanted.ndim != 1 or not np.isfinite(wanted).all():
            raise ParameterError.of("times", times, "a list of finite numbers")
        place = np.searchsorted(own.times, wanted, side="right")
        return np.pad(total, ((0, 0), (1, 0)))[:, place]

    def predict_survival(self, X: Any, times: Any = None) -> Floats:
        """Return the probability that the event of each row comes after some times (rows × times).

        It is the exponential of the negative cumulative hazard.

        >>> X, y = [[i] for i in range(30)], ([1.0 + i for i in range(30)], [1] * 30)
        >>> RandomForestSurvival(20, random_state=0).fit(X, y).predict_survival([[25]], times=[0.5, 10])
        array([[1., 1.]])
        """
        return np.exp(-self.predict_cumulative_hazard(X, times))
