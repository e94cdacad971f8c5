"""Base class of forest classifiers, which predict by mean class probabilities or by majority vote."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import ClassifierMixin

from bough.data.several_targets import SeveralTargets
from bough.data.table import Table
from bough.ensembles.forest import by_target
from bough.ensembles.inspection import InspectedForest
from bough.ensembles.monitoring import MonitoredRows, Sums
from bough.ensembles.out_of_bag import (
    check_out_of_bag,
    means_out_of_bag,
    warn_without_oob,
)
from bough.ensembles.proximity import prototypes, proximity
from bough.ensembles.sampling import check_flags, check_voting
from bough.errors import ParameterError
from bough.growing.recipe import Recipe
from bough.learners.conventions import ProbabilityPredictor
from bough.tree.answer import label_array
from bough.tree.one_target import joined_answers, refuse_several
from bough.types import Floats


class ForestClassifierEstimator(ClassifierMixin, ProbabilityPredictor, InspectedForest):  # type: ignore[misc]
    """Base class of forest classifiers."""

    classes_: npt.NDArray[Any] | list[npt.NDArray[Any]]
    n_classes_: int | list[int]
    oob_score_: float
    oob_decision_function_: Floats | list[Floats]
    oob_votes_: Floats
    oob_times_: npt.NDArray[np.uint32]
    oob_error_curve_: Floats
    oob_confusion_: npt.NDArray[np.int64]
    test_decision_function_: Floats
    test_votes_: Floats
    test_error_curve_: Floats
    test_confusion_: npt.NDArray[np.int64]

    class_weight: Any
    voting: str
    cutoff: Any
    oob_score: Any
    replace: bool
    max_samples: Any

    def recipe(self) -> Recipe:
        """Return the recipe that these parameters define, without the parts that depend on the rows.

        >>> from bough import RandomForestClassifier
        >>> RandomForestClassifier(nominal="subset").recipe().nominal
        'subset'
        """
        self._check_choices()
        named = isinstance(self.class_weight, str)
        if named and self.class_weight not in ("balanced", "balanced_subsample"):
            wanted = "None, 'balanced', 'balanced_subsample' or a dict from class to weight"
            raise ParameterError.of("class_weight", self.class_weight, wanted)
        return Recipe(
            self.criterion,
            max_exhaustive_levels=getattr(self, "max_exhaustive_levels", 12),
            class_weight=self.class_weight,
            settings={"voting": self.voting} if self.voting != "soft" else {},
            **self._forest_parts("classification"),
        )

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Return the class of the greatest mean probability, or of most votes, each divided by its cutoff.

        Prediction of a row stops early once the remaining trees cannot change its class.

        >>> from bough import RandomForestClassifier
        >>> X, y = [[1.0], [2.0]] * 5, ["a", "b"] * 5
        >>> RandomForestClassifier(10, random_state=0).fit(X, y).predict([[0.0]])
        array(['a'], dtype='<U1')
        """
        rows = self._readable(X)
        return self.forest_.predict(rows, self.n_jobs)

    def predict_proba(self, X: Any) -> Any:
        """Return the mean of the trees' class probabilities, in the order of `classes_`.

        With `voting="hard"` it is the fraction of the trees that vote for each class. Of several targets it
        is a list with an array for each.

        >>> from bough import RandomForestClassifier
        >>> model = RandomForestClassifier(10, random_state=0).fit([[1.0], [2.0]] * 5, ["a", "b"] * 5)
        >>> model.predict_proba([[0.0]])
        array([[1., 0.]])
        """
        rows = self._readable(X)
        return self.forest_.predict_proba(rows, self.n_jobs)

    def votes(self, X: Any) -> Floats:
        """Return the fraction of the trees that vote for each class, in the order of `classes_`; R's `votes`.

        >>> from bough import RandomForestClassifier
        >>> RandomForestClassifier(10, random_state=0).fit([[1.0], [2.0]] * 5, ["a", "b"] * 5).votes([[0.0]])
        array([[1., 0.]])
        """
        table = self._checked(X)
        refuse_several(self.forest_, "votes")
        sums = self._tally(table, shares=False, votes=True)["vote"]
        return sums / self.forest_.n_trees

    def prototypes(self, X: Any, y: Any, *, n_neighbors: int | None = None) -> dict[Any, dict[str, Any]]:
        """Return a typical row of each class, from proximities; R's `classCenter`.

        For each class, the row with the most rows of the class among its `n_neighbors` nearest (R's nNbr) is
        found; the prototype holds the medians and the most frequent levels of these neighbours.

        >>> from bough import RandomForestClassifier
        >>> X, y = [[1.0], [1.2], [1.4], [5.0], [5.2]], ["a", "a", "a", "b", "b"]
        >>> RandomForestClassifier(50, random_state=0).fit(X, y).prototypes(X, y, n_neighbors=2)["b"]
        {'x0': 5.1}
        """
        table = self._checked(X)
        codes = self._truth(y, table.n_rows)
        classes = self.forest_.classes
        found = prototypes(proximity(self, table, False, False), codes, table, len(classes), n_neighbors)
        return dict(zip(classes, found, strict=True))

    def staged_error(self, X: Any, y: Any) -> Floats:
        """Return the error rate on new rows after each tree: of all rows, then of each class of `classes_`.

        It is the error of R's randomForest on a test set (`xtest`, `test$err.rate`).

        >>> from bough import RandomForestClassifier
        >>> model = RandomForestClassifier(3, random_state=0).fit([[1.0], [2.0]] * 5, ["a", "b"] * 5)
        >>> model.staged_error([[0.0], [3.0]], ["a", "a"])[-1]
        array([0.5, 0.5, nan])
        """
        table = self._checked(X)
        label = self._truth(y, table.n_rows)
        return self._curve(self._tally(table, votes=True, **self._error_options(label)))

    def _answers(self, sums: Sums) -> npt.NDArray[np.intp]:
        """Return the predicted class code of each row from the sums over the trees."""
        scores, cutoff = sums["vote" if self.forest_.voting == "hard" else "share"], self.forest_.cutoff
        return np.asarray((scores / cutoff if cutoff else scores).argmax(axis=1))

    def _error_options(self, label: npt.NDArray[np.int32]) -> dict[str, Any]:
        forest = self.forest_
        return {"label": label, "by_votes": forest.voting == "hard", "cutoff": list(forest.cutoff or ())}

    def _curve(self, tallied: dict[str, npt.NDArray[Any]]) -> Floats:
        seen, wrong = tallied["seen"], tallied["wrong"]
        rate: Floats = np.divide(wrong, seen, out=np.full_like(wrong, np.nan), where=seen > 0)
        return rate

    def _score_target_out_of_bag(self, table: Table, target: Any) -> None:
        """Set the out-of-bag results of one target."""
        options = self._samples.native() | self._error_options(target.codes)
        tallied = self._tally(table, votes=True, **options)
        times = tallied["trees"]
        check_out_of_bag(self, times, least=1)
        warn_without_oob(times)
        shares, votes = self._shares_and_votes(tallied)
        self.oob_times_ = self._samples.expanded(times)
        self.oob_decision_function_ = self._samples.expanded(shares)
        self.oob_votes_ = self._samples.expanded(votes)
        self.oob_error_curve_ = self._curve(tallied)
        self.oob_confusion_ = self._confusion(tallied, target.codes)
        seen = times > 0
        if callable(self.oob_score):
            labels = label_array(target.classes)
            answers = self._answers(tallied)[seen]
            self.oob_score_ = float(self.oob_score(labels[target.codes[seen]], labels[answers]))
        else:
            self.oob_score_ = float(np.trace(self.oob_confusion_) / seen.sum())

    def _score_targets_out_of_bag(self, table: Table, target: SeveralTargets) -> None:
        """Set the out-of-bag probabilities of several targets, and the mean of their accuracies."""
        means, times = means_out_of_bag(self, table)
        shares = by_target(target.targets, means)
        seen, labels = times > 0, [label_array(each.classes) for each in target.targets]
        self.oob_times_ = self._samples.expanded(times)
        self.oob_decision_function_ = [self._samples.expanded(each) for each in shares]
        answers = np.stack([each[seen].argmax(axis=1) for each in shares], axis=1)
        if callable(self.oob_score):
            truth, predicted = (
                joined_answers([own[codes[:, t]] for t, own in enumerate(labels)])
                for codes in (target.values[seen], answers)
            )
            self.oob_score_ = float(self.oob_score(truth, predicted))
        else:
            self.oob_score_ = float((answers == target.values[seen]).mean())

    def _score_test(self, test: MonitoredRows) -> None:
        tallied = self._tally(test.table, votes=True, **self._error_options(test.truth))
        self.test_decision_function_, self.test_votes_ = self._shares_and_votes(tallied)
        self.test_error_curve_ = self._curve(tallied)
        self.test_confusion_ = self._confusion(tallied, test.truth)

    def _shares_and_votes(self, tallied: Sums) -> tuple[Floats, Floats]:
        """Return mean probabilities and shares of votes in the order of `classes_`; NaN without any tree."""
        with np.errstate(invalid="ignore"):
            shares, votes = (tallied[each] / tallied["trees"][:, None] for each in ("share", "vote"))
        return shares, votes

    def _confusion(self, tallied: Sums, truth: npt.NDArray[np.int32]) -> npt.NDArray[np.int64]:
        """Return the confusion matrix: true classes as rows, predicted classes as columns."""
        k, seen = len(self.forest_.classes), tallied["trees"] > 0
        answers = self._answers(tallied)
        return np.bincount(truth[seen] * k + answers[seen], minlength=k * k).reshape(k, k)

    def _check_choices(self) -> None:
        check_voting(self.voting)
        check_flags(self, "bootstrap", "replace", "seek", "warm_start")
        if self.oob_score and not self.bootstrap:
            raise ParameterError.of(
                "oob_score",
                self.oob_score,
                "False if bootstrap is False: Out of bag estimation only available if bootstrap=True",
            )
