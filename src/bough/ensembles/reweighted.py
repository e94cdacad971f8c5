"""The base class of learners whose members are fitted one after another to weighted rows."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from typing import Any, ClassVar, cast

import numpy as np
import numpy.typing as npt
from sklearn.base import ClassifierMixin, is_classifier, is_regressor
from sklearn.utils.validation import check_is_fitted

from bough.data.readers.source import refuse_sparse
from bough.data.target import ClassTarget
from bough.data.training import GivenRows, Training
from bough.ensembles.bagging import (
    is_learner,
    learner_of_member,
    member_importance,
    rows_recipe,
    scales_of,
)
from bough.ensembles.parameters import ReweightingParameters
from bough.ensembles.progress import CallbackSupport, progress_reports, with_callbacks
from bough.ensembles.reweighting import Reweighting, fit_reweighted
from bough.ensembles.sampling import check_verbose, read_n_estimators
from bough.errors import ParameterError
from bough.growing.draws import Ensemble, EnsembleKind, read_seed
from bough.growing.recipe import Recipe, Response
from bough.growing.recipe_json import ensemble_to_json, scales_to_json
from bough.learners.conventions import ModelLearner, ProbabilityPredictor
from bough.learners.reading import read_for
from bough.models.committee import Committee
from bough.progress import unwatched
from bough.tree.answer import label_array
from bough.tree.identifiers import one_identifier_warning
from bough.types import Floats, Task


class ReweightedEstimator(ReweightingParameters, CallbackSupport, ModelLearner):  # type: ignore[misc]
    """Base class of learners whose members are fitted one after another to weighted rows.

    A subclass names the kind of its ensemble and defines the settings and the default learner.

    Attributes
    ----------
    model_
        The committee of all learners' models.

    """

    _kind: ClassVar[EnsembleKind]
    _members: ClassVar[Task] = "classification"
    """The task of the members."""
    _response: ClassVar[Response | None] = None

    model_: Committee
    estimators_: list[Any]
    n_features_in_: int

    @abstractmethod
    def _default(self) -> Any:
        """Return the learner to use if none is given."""

    @abstractmethod
    def _settings(self) -> dict[str, Any]:
        """Return the checked parameters that the recipe records."""

    def recipe(self) -> Recipe:
        """Return the recipe of the rounds; each member has a recipe of its own. Invalid parameters raise.

        >>> from bough import AdaBoostClassifier
        >>> AdaBoostClassifier(n_estimators=7).recipe().ensemble.n_estimators
        7
        """
        rows = rows_recipe(
            "classification" if is_classifier(self) else "regression", scales_of(self._learner())
        )
        return Recipe(
            rows.criterion,
            scales=rows.scales,
            ensemble=Ensemble(self._kind, read_n_estimators(self.n_estimators)),
            settings=self._settings(),
            response=self._response,
            task=rows.task,
        )

    def _learner(self) -> Any:
        learner = self._default() if self.estimator is None else self.estimator
        if not is_learner(learner):
            raise ParameterError.of("estimator", learner, "one of bough's learners, or None for the default")
        if not (is_classifier if self._members == "classification" else is_regressor)(learner):
            what = "classifier" if self._members == "classification" else "regressor"
            raise ParameterError.of("estimator", learner, f"a {what}")
        check_verbose(self.verbose)
        return learner

    @with_callbacks  # type: ignore[untyped-decorator]
    def _fit(self, X: Any, y: Any, sample_weight: Any, groups: Any = None) -> dict[str, Floats]:
        """Fit the members; return the figures of the rounds."""
        recipe, learner = self.recipe(), self._learner()
        refuse_sparse("X", X)
        training = read_for(self, recipe, GivenRows(X, y, sample_weight, groups=groups))
        assert recipe.ensemble is not None
        seed, made = read_seed(self.random_state), list[Any]()
        seeds = np.random.RandomState(seed)

        def fit(number: int, target: Any, weight: Floats) -> Any:
            own = learner_of_member(learner, self.n_jobs, lambda: int(seeds.randint(np.iinfo(np.int32).max)))
            made.append(own.fit(training.table, target, sample_weight=weight))
            return made[-1].model_

        n_rounds = recipe.ensemble.n_estimators
        recorded = {
            "task": recipe.task,
            "response": recipe.response,
            "ensemble": ensemble_to_json(recipe.ensemble),
            "settings": dict(recipe.settings),
            "seed": seed,
            "scales": scales_to_json(recipe.scales.by_name(training.table.schema)),
        }
        with progress_reports(self, n_rounds, self.verbose) as reports, one_identifier_warning():
            numbers = np.random.RandomState(seed)
            job = Reweighting(training, dict(recipe.settings), n_rounds, numbers, fit, reports or unwatched)
            self.model_, figures = fit_reweighted(recorded, job)
        self.estimators_ = made[: len(self.model_.members)]
        self._note(training)
        return {name: np.array(values) for name, values in figures.items()}

    def _note(self, training: Training) -> None:
        """Set attributes that follow from the training rows."""

    @property
    def estimator_weights_(self) -> Floats:
        """The weight of each member.

        >>> from bough import AdaBoostRegressor
        >>> X, y = [[1.0], [2.0]] * 9, [10.0, 20.0] * 9
        >>> AdaBoostRegressor(random_state=0).fit(X, y).estimator_weights_
        array([1.])
        """
        check_is_fitted(self)
        return np.array(self.model_.weights)

    @property
    def feature_importances_(self) -> Floats:
        """Importance of each column: the mean of the members' shares, by the weights of the members.

        >>> from bough import AdaBoostClassifier
        >>> X, y = [[1.0, 7.0], [2.0, 7.0]] * 5, ["a", "b"] * 5
        >>> AdaBoostClassifier().fit(X, y).feature_importances_
        array([1., 0.])
        """
        check_is_fitted(self)
        return member_importance(self.model_)

    def staged_predict(self, X: Any) -> Iterator[npt.NDArray[Any]]:
        """Yield the predictions for each row after each round.

        >>> from bough import AdaBoostClassifier
        >>> X, y = [[1.0], [2.0], [3.0], [4.0]], ["a", "b", "a", "b"]
        >>> model = AdaBoostClassifier(n_estimators=3).fit(X, y)
        >>> [labels.tolist() for labels in model.staged_predict([[3.0]])]
        [['b'], ['a'], ['a']]
        """
        table = self._checked(X)
        for combined in self.model_.staged(table):
            yield self.model_.answers(combined)


class ReweightedClassifier(ClassifierMixin, ProbabilityPredictor, ReweightedEstimator):  # type: ignore[misc]
    """Base class of those that predict classes."""

    classes_: npt.NDArray[Any]
    n_classes_: int

    def _note(self, training: Training) -> None:
        self.classes_ = label_array(cast("ClassTarget", training.target).classes)
        self.n_classes_ = len(self.classes_)

    def staged_predict_proba(self, X: Any) -> Iterator[Floats]:
        """Yield the probability of each class after each round.

        >>> from bough import LogitBoostClassifier
        >>> model = LogitBoostClassifier(n_estimators=2).fit([[1.0], [2.0]] * 9, ["a", "b"] * 9)
        >>> [shares.round(3).tolist() for shares in model.staged_predict_proba([[3.0]])]
        [[[0.119, 0.881]], [[0.042, 0.958]]]
        """
        table = self._checked(X)
        yield from self.model_.staged(table)

    def decision_function(self, X: Any) -> Floats:
        """Return how clearly the learners decide: of two classes a number above 0 for the second.

        With more classes there is a number for each. AdaBoost's are scikit-learn's, between −2 and 2 of two
        classes; those of `variant="real"` and of LogitBoost are the scores whose softmax the probabilities
        are, and BrownBoost's the sum of the learners' weighted votes.

        >>> from bough import AdaBoostClassifier
        >>> AdaBoostClassifier().fit([[1.0], [2.0]] * 9, ["a", "b"] * 9).decision_function([[1.0], [2.0]])
        array([-2.,  2.])
        """
        *_, last = self.staged_decision_function(X)
        return last

    def staged_decision_function(self, X: Any) -> Iterator[Floats]:
        """Yield what `decision_function` returns, after each round.

        >>> from bough import LogitBoostClassifier
        >>> model = LogitBoostClassifier(n_estimators=2).fit([[1.0], [2.0]] * 9, ["a", "b"] * 9)
        >>> [scores.round(2).tolist() for scores in model.staged_decision_function([[3.0]])]
        [[2.0], [3.14]]
        """
        table = self._checked(X)
        yield from self.model_.decisions(table)
