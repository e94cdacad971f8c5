"""Bagging (Breiman 1996): a learner is fitted to many samples of the rows, and predictions are averaged."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Self, TypeAlias, cast

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin, clone, is_classifier
from sklearn.metrics import accuracy_score, r2_score
from sklearn.utils.validation import check_is_fitted

from bough.data.readers.source import refuse_sparse
from bough.data.scales import Scales
from bough.data.schema import Level, Schema
from bough.data.table import Table
from bough.data.target import ClassTarget, classes_of
from bough.data.training import GivenRows, Training
from bough.engines.native import refuse_missing
from bough.ensembles.out_of_bag import check_out_of_bag
from bough.ensembles.parameters import BaggingParameters
from bough.ensembles.progress import CallbackSupport, progress_reports, with_callbacks
from bough.ensembles.row_samples import RowSamples
from bough.ensembles.sampling import (
    check_flags,
    check_voting,
    read_n_estimators,
    read_row_sampling,
)
from bough.errors import ParameterError
from bough.growing.draws import Ensemble, RowSampling, read_max_features, read_seed
from bough.growing.recipe import Recipe
from bough.growing.recipe_json import ensemble_to_json, scales_to_json
from bough.learners.conventions import ModelLearner, ModelUser, ProbabilityPredictor, read_as
from bough.learners.keyword_parameters import keyword_parameters
from bough.learners.reading import read_for
from bough.learners.tree import TreeClassifier, TreeRegressor
from bough.models.committee import Committee, Voting, some_columns
from bough.models.model import relative_importance
from bough.tree.answer import label_array
from bough.tree.identifiers import one_identifier_warning
from bough.types import Floats, Task

Learner: TypeAlias = "ModelLearner | BaggingEstimator"


class BaggingEstimator(BaggingParameters, CallbackSupport, ModelUser):  # type: ignore[misc]
    """Base class of bagging: many fits of one learner to samples of the rows.

    Attributes
    ----------
    model_
        The model that predicts: the models of all learners, which can be saved if each of them can.

    """

    estimators_: list[Learner]
    estimators_features_: list[npt.NDArray[np.intp]]
    n_features_in_: int
    oob_score_: float
    oob_decision_function_: Floats
    oob_prediction_: Floats
    classes_: npt.NDArray[Any]
    n_classes_: int
    model_: Committee
    _samples: RowSamples

    @abstractmethod
    def _default(self) -> Learner:
        """Return the learner to fit if none is given."""

    def _learner(self) -> Learner:
        return self._default() if self.estimator is None else self.estimator

    @property
    def feature_importances_(self) -> Floats:
        """Importance of each column: the mean of the learners' shares, 0 in learners without the column.

        A learner without any gain does not count, as in scikit-learn's forests. The gains themselves are
        `model_.importance()`.

        >>> from bough import BaggingClassifier
        >>> X, y = [[1.0, 7.0], [2.0, 7.0]] * 5, ["a", "b"] * 5
        >>> BaggingClassifier(random_state=0).fit(X, y).feature_importances_
        array([1., 0.])
        """
        check_is_fitted(self)
        return member_importance(self.model_)

    @property
    def estimators_samples_(self) -> list[npt.NDArray[np.intp]]:
        """The rows of each learner's sample, repeated as often as they were sampled.

        >>> from bough import BaggingRegressor
        >>> model = BaggingRegressor(n_estimators=1, bootstrap=False).fit([[1.0], [2.0]], [1.0, 2.0])
        >>> model.estimators_samples_
        [array([0, 1])]
        """
        check_is_fitted(self)
        samples, rows = self._samples.members(len(self.estimators_)), self._samples.rows
        return samples if rows is None else [rows[sample] for sample in samples]

    def _checked_learner(self) -> Learner:
        learner = self._learner()
        if not is_learner(learner):
            raise ParameterError.of(
                "estimator", learner, "one of bough's learners, or None for an unpruned tree"
            )
        if is_classifier(self) != is_classifier(learner):
            what = "classifier" if is_classifier(self) else "regressor"
            raise ParameterError.of("estimator", learner, f"a {what}, as this bagging is")
        return learner

    @with_callbacks  # type: ignore[untyped-decorator]
    def _fit(self, X: Any, y: Any, sample_weight: Any) -> Training:
        learner = self._checked_learner()
        refuse_sparse("X", X)
        scales = scales_of(learner)
        recipe = rows_recipe("classification" if is_classifier(self) else "regression", scales)
        training = read_for(self, recipe, GivenRows(X, y, sample_weight))
        sampling = self._sampling(training)
        existing = self._n_existing(training, sampling)
        seed = self._samples.seed if existing else read_seed(self.random_state)
        samples = RowSamples.of(training, sampling, seed)
        with one_identifier_warning():
            grown = self._grown(learner, training, samples, existing)
        self.estimators_ = [*(self.estimators_ if existing else []), *(member for member, _ in grown)]
        columns = [*(self.estimators_features_ if existing else []), *(own for _, own in grown)]
        self.estimators_features_, self._samples = columns, samples
        self.model_ = self._committee_of(training, scales.by_name(training.table.schema))
        return training

    def _sampling(self, training: Training) -> RowSampling:
        """Return how the rows of each learner are sampled; invalid parameters raise here."""
        table, target = training.table, training.target
        check_flags(self, "bootstrap", "replace", "warm_start")
        read_max_features(self.max_features, len(table.schema))
        sampling = read_row_sampling(
            table.n_rows,
            bootstrap=self.bootstrap,
            replace=self.replace,
            max_samples=self._sizes(target, table.n_rows),
            strata=None,
            classes=(target.classes, target.codes) if isinstance(target, ClassTarget) else None,
        )
        if self.oob_score and sampling.draw == "all":
            wanted = "False if bootstrap is False: Out of bag estimation only available if bootstrap=True"
            raise ParameterError.of("oob_score", self.oob_score, wanted)
        return sampling

    def _sizes(self, target: Any, n_rows: int) -> Any:
        """Return the number of rows to sample, as `max_samples` gives it."""
        return self.max_samples

    def _n_existing(self, training: Training, sampling: RowSampling) -> int:
        """Return the number of fitted learners that are kept; raise if warm_start cannot add to them."""
        is_warm = self.warm_start and hasattr(self, "estimators_")
        n, existing = read_n_estimators(self.n_estimators), len(self.estimators_) if is_warm else 0
        if existing > n:
            raise ParameterError.of(
                "n_estimators", n, f"at least {existing}, the number of fitted learners, with warm_start"
            )
        if existing:
            self._check_warm(training, sampling)
        if existing == n:
            warnings.warn(
                "Warm-start fitting without increasing n_estimators does not fit new ones.", stacklevel=4
            )
        return existing

    def _committee_of(self, training: Training, scales: Scales) -> Committee:
        """Return the models of all learners as one model, with the recipe of each."""
        columns = tuple(tuple(columns.tolist()) for columns in self.estimators_features_)
        committee = committee_of(
            [one.model_ for one in self.estimators_],
            training.table.schema,
            classes_of(training.target),
            columns,
            voting=getattr(self, "voting", "soft"),
            target_name=training.target_name,
        )
        recipe = {
            "task": committee.task,
            "ensemble": ensemble_to_json(Ensemble("bagging", len(self.estimators_), self._samples.sampling)),
            "columns": [list(own) for own in columns],
            "voting": committee.voting,
            "seed": self._samples.seed,
            "scales": scales_to_json(scales),
            "members": [member.recipe for member in committee.members],
        }
        return replace(committee, recipe=recipe)

    def _check_warm(self, training: Training, sampling: RowSampling) -> None:
        same = self.model_.schema == training.table.schema and self.model_.classes == classes_of(
            training.target
        )
        if not same or self._samples.n_rows != training.table.n_rows:
            raise ParameterError(
                "warm_start is True, but the rows, columns or classes differ from those of the fitted "
                "learners. Set warm_start=False, or give the same table."
            )
        if not self._samples.sampling.is_like(sampling):
            raise ParameterError(
                "warm_start is True, but bootstrap, replace or max_samples differ from those of the fitted "
                "learners. Set warm_start=False, or leave them unchanged."
            )

    def _grown(
        self, learner: Learner, training: Training, samples: RowSamples, existing: int
    ) -> list[tuple[Any, npt.NDArray[np.intp]]]:
        """Return the learners that are missing, each fitted to its sample, with their columns."""
        table, weight, n = training.table, training.weights.weight, read_n_estimators(self.n_estimators)
        n_columns, grown = len(table.schema), []
        some = read_max_features(self.max_features, n_columns)
        draws = samples.draws(n)
        with progress_reports(self, n - existing, self.verbose) as reports:
            for number in range(existing, n):
                drawn = draws[:, number].astype(np.float64)
                drawn = drawn if weight is None else drawn * weight
                numbers = np.random.default_rng([samples.seed, number])
                columns = np.sort(numbers.permutation(n_columns)[:some])
                own = learner_of_member(learner, self.n_jobs, partial(numbers.integers, 2**31))
                part = some_columns(table, tuple(columns.tolist()))
                grown.append((own.fit(part, training.target, sample_weight=drawn), columns))
                if reports is not None:
                    reports((number + 1 - existing) / (n - existing))
        return grown

    def _checked(self, X: Any) -> Table:
        check_is_fitted(self)
        table = read_as(self, X, self.model_.schema)
        if any(one.model_.recipe.get("missing") == "refuse" for one in self.estimators_[:1]):
            refuse_missing(table, "missing values or levels never seen", "majority")
        return table

    def _out_of_bag(self, table: Table) -> tuple[Floats, npt.NDArray[np.bool_]]:
        out = self._samples.draws(len(self.estimators_)) == 0
        total: Any = 0.0
        times = np.zeros(table.n_rows)
        for number in range(len(self.estimators_)):
            prediction = self.model_.member_prediction(number, table)
            counts = out[:, number].astype(np.float64)
            total = total + prediction * (counts[:, None] if prediction.ndim == 2 else counts)
            times += counts
        check_out_of_bag(self, times, least=1 if self.model_.classes else 2)
        if (times == 0).any():
            warnings.warn("Some rows were drawn by every learner and have no OOB scores.", stacklevel=4)
        with np.errstate(invalid="ignore"):
            mean = total / (times[:, None] if total.ndim == 2 else times)
        return mean, times > 0


@keyword_parameters
class BaggingClassifier(ClassifierMixin, ProbabilityPredictor, BaggingEstimator):  # type: ignore[misc]
    """Bagging classifier: predicts by the mean of the learners' class probabilities or by majority vote.

    Parameters
    ----------
    voting
        "soft": probabilities are the mean of those of the learners; "hard": each learner votes for one class,
        and probabilities are the shares of the votes.

    Examples
    --------
    >>> import bough
    >>> X, y = [["red"], ["red"], ["blue"], ["blue"]] * 5, ["yes", "yes", "no", "no"] * 5
    >>> learner = bough.BaggingClassifier(bough.ID3Classifier(), random_state=0)
    >>> learner.fit(X, y).predict([["blue"]])
    array(['no'], dtype='<U3')

    """

    voting: str = "soft"

    def _default(self) -> Learner:
        return TreeClassifier()

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the learners to the rows of X and the classes y.

        >>> from bough import BaggingClassifier
        >>> BaggingClassifier(random_state=0).fit([[1.0], [2.0]] * 9, ["a", "b"] * 9).predict([[3.0]])
        array(['b'], dtype='<U1')
        """
        check_voting(self.voting)
        training = self._fit(X, y, sample_weight)
        target = cast("ClassTarget", training.target)
        labels = label_array(target.classes)
        self.classes_, self.n_classes_ = labels, len(labels)
        if self.oob_score:
            shares, seen = self._out_of_bag(training.table)
            answer = self.classes_[np.nan_to_num(shares).argmax(axis=1)]
            self.oob_score_ = float(accuracy_score(labels[target.codes][seen], answer[seen]))
            self.oob_decision_function_ = self._samples.expanded(shares)
        return self


@keyword_parameters
class BaggingRegressor(RegressorMixin, BaggingEstimator):  # type: ignore[misc]
    """Bagging regressor: predicts the mean of the learners' predictions.

    Examples
    --------
    >>> import bough
    >>> X, y = [[1.0], [2.0]] * 9, [10.0, 20.0] * 9
    >>> bough.BaggingRegressor(random_state=0).fit(X, y).predict([[0.0]])
    array([10.])

    """

    def _default(self) -> Learner:
        return TreeRegressor()

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the learners to the rows of X and the numbers y.

        >>> from bough import BaggingRegressor
        >>> BaggingRegressor(random_state=0).fit([[1.0], [2.0]] * 9, [10.0, 20.0] * 9).predict([[3.0]])
        array([20.])
        """
        training = self._fit(X, y, sample_weight)
        if self.oob_score:
            prediction, seen = self._out_of_bag(training.table)
            target = cast("Floats", training.target)
            self.oob_score_ = float(r2_score(target[seen], prediction[seen]))
            self.oob_prediction_ = self._samples.expanded(prediction)
        return self


def learner_of_member(learner: Any, n_jobs: int | None, seed: Callable[[], Any]) -> Any:
    """Return a copy of a learner that reads the columns of a table with the scales that they have.

    A learner whose `random_state` is None gets a seed.

    >>> own = learner_of_member(TreeClassifier(categorical_features=[0]), 2, lambda: 7)
    >>> own.n_jobs, own.random_state
    (2, 7)
    """
    own = clone(learner)
    scales = {"categorical_features": "from_dtype", "ordinal_features": None}
    parameters = own.get_params()
    own.set_params(
        **{
            name: scales[name.rpartition("__")[2]]
            for name in parameters
            if name.rpartition("__")[2] in scales
        }
    )
    if parameters.get("random_state", 0) is None:
        own.set_params(random_state=int(seed()))
    return own.set_params(n_jobs=n_jobs) if parameters.get("n_jobs") is None else own


def member_importance(committee: Committee) -> Floats:
    """Return the mean of the members' shares of importance; members without any gain do not count.

    >>> from bough import BaggingRegressor
    >>> member_importance(BaggingRegressor(n_estimators=2).fit([[1.0], [2.0]] * 9, [1.0, 2.0] * 9).model_)
    array([1.])
    """
    shares = [relative_importance(member.importance()) for member in committee.members]
    return relative_importance(committee.averaged(shares))


def is_learner(estimator: Any) -> bool:
    """Whether an estimator is one of bough's learners, which can be a member of an ensemble.

    >>> is_learner(BaggingClassifier()), is_learner("cart")
    (True, False)
    """
    by_recipe = isinstance(estimator, BaggingEstimator) or callable(getattr(estimator, "recipe", None))
    return by_recipe and isinstance(estimator, BaseEstimator)


def scales_of(learner: Any) -> Scales:
    """Return how a learner reads columns; bagging reads them as its own learner does.

    >>> scales_of(BaggingClassifier(TreeClassifier(categorical_features=["x0"]))).categorical_features
    ['x0']
    """
    if isinstance(learner, BaggingEstimator):
        return scales_of(learner._checked_learner())
    scales: Scales = learner.recipe().scales
    return scales


def rows_recipe(task: Task, scales: Scales) -> Recipe:
    """Return the recipe by which bagging reads its rows; the learners weigh and check them by their own.

    >>> rows_recipe("regression", Scales()).response
    'numbers'
    """
    return Recipe("gini" if task == "classification" else "absolute_error", task=task, scales=scales)


def committee_of(
    members: Sequence[Any],
    schema: Schema,
    classes: tuple[Level, ...],
    columns: tuple[tuple[int, ...], ...],
    *,
    voting: Voting,
    target_name: str | None,
) -> Committee:
    """Return models as one model; there are no classes where numbers are predicted.

    >>> from bough.example_models import iris_tree
    >>> tree = iris_tree()
    >>> committee_of([tree], tree.schema, tree.classes, ((0, 1),), voting="soft", target_name=None)
    Committee(1 members)
    """
    return Committee(
        schema=schema,
        task="classification" if classes else "regression",
        classes=classes,
        target_name=target_name,
        members=tuple(members),
        columns=columns,
        voting=voting,
    )
