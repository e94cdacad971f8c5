"""An evaluation: the true and the predicted values of rows, and all measures computed from them."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from bough.data.labels import Labels
from bough.data.ranking import Groups
from bough.data.schema import Level
from bough.data.views import Part, TextTable, Viewed
from bough.data.words import count_words, figure_words, level_words, share_words
from bough.errors import ParameterError, TargetError
from bough.evaluation.confusion import Confusion
from bough.evaluation.curves import CalibrationCurve, GainsCurve, RocCurve
from bough.evaluation.measures import (
    LEAST_PROBABILITY,
    Measure,
    class_measures,
    decimals_of_measures,
    number_measures,
    quantile_measures,
    ranking_measures,
)
from bough.learners.ranking_measures import Gain
from bough.tree.costs import loss_matrix_text
from bough.types import Floats

# The share of the rows that the lift is computed for.
_TOP = 0.1
# A class is rare below this fraction of an equal share of the rows.
_RARE = 0.4


def sort_key(label: Level) -> tuple[str, Any]:
    """Return a key that sorts classes, those of text after numbers and truth values.

    >>> sorted(["b", "a", 2], key=sort_key)
    [2, 'a', 'b']
    """
    return ("text" if isinstance(label, str) else "number", label)


@dataclass(frozen=True, eq=False, repr=False)
class Evaluation(Viewed):
    r"""The measures of a model's predictions; `rows` describes the rows that were predicted.

    `target` and `answers` are the true and the predicted values: codes of `classes` or, in regression,
    numbers. With `groups`, the numbers are grades and scores of a ranking within each group; with several
    `quantiles`, the answers have a column for each. Baselines are those of constant predictions; they depend
    on the rows alone, not on the model.

    >>> from bough import TreeClassifier, evaluate
    >>> X, y = [[1.0], [2.0], [3.0], [4.0]], ["a", "a", "b", "a"]
    >>> print(evaluate(TreeClassifier(max_depth=1).fit(X, y), X, y))
    On 4 rows of the table given:
    accuracy           0.75 ± 0.22 (one answer for all: 0.75)
    error rate         0.25 ± 0.22 (one answer for all: 0.25)
    balanced accuracy  0.50 ± 0.00 (one answer for all: 0.50)
    log-loss           0.35 ± 0.17 (one answer for all: 0.56)
    Brier score        0.25 ± 0.12 (one answer for all: 0.38)
    AUC of b           0.83 ± 0.30 (one answer for all: 0.50)
    <BLANKLINE>
    true \ predicted  a  b  precision  recall
    a                 3  0      0.750   1.000
    b                 1  0          -   0.000
    """

    task: Literal["classification", "regression"]
    rows: str
    classes: tuple[Level, ...]
    target: npt.NDArray[Any] = field(repr=False)
    answers: npt.NDArray[Any] = field(repr=False)
    probabilities: Floats | None = field(repr=False)
    weight: Floats | None = field(repr=False)
    loss_matrix: Floats | None = field(default=None, repr=False)
    groups: Groups | None = field(default=None, repr=False)
    gain: Gain = "exponential"
    labels: Labels | None = field(default=None, repr=False)
    quantiles: tuple[float, ...] = ()

    def __repr__(self) -> str:
        name, measure = next(iter(self.measures.items()))
        return f"<Evaluation: {name} {measure.words()} on {count_words(self.n_rows, 'row')} {self.rows}>"

    @property
    def n_rows(self) -> int:
        """The number of rows.

        >>> from bough import TreeRegressor, evaluate
        >>> evaluate(TreeRegressor().fit([[1.0], [2.0]], [1.0, 2.0]), [[1.0]], [1.5]).n_rows
        1
        """
        return len(self.target)

    @cached_property
    def measures(self) -> dict[str, Measure]:
        """All measures by name, with their standard errors and baselines, if any.

        The risk comes first if there is a loss matrix. If a class is `rare`, the measures that tell something
        then come before accuracy: AUC, log-loss, lift and balanced accuracy.

        >>> from bough import TreeRegressor, evaluate
        >>> model = TreeRegressor().fit([[1.0], [2.0]], [1.0, 2.0])
        >>> evaluate(model, [[1.0], [2.0]], [1.5, 2.0]).measures["mean squared error"].value
        0.125
        """
        if self.groups is not None:
            return ranking_measures(self.target, self.answers, self.groups, self.gain)
        if self.quantiles:
            return quantile_measures(self.target, self.answers, self.weight, self.quantiles)
        if self.task == "regression":
            mean = float(np.average(self.target, weights=self.weight))
            return number_measures(self.target, self.answers, self.weight, mean)
        k = len(self.classes)
        measures = class_measures(
            self.target, self.answers, self.probabilities, self.loss_matrix, self.weight, k
        )
        measures |= self._areas()
        first = ["risk"]
        if self.rare is not None:
            if self.probabilities is not None:
                measures |= self._lift(self.rare)
            first += [name for name in measures if name.startswith("AUC ")] + ["log-loss"]
            first += [name for name in measures if name.startswith("lift ")] + ["balanced accuracy"]
        return {name: measures[name] for name in first if name in measures} | measures

    def _areas(self) -> dict[str, Measure]:
        """Return the area under the ROC curve of each class; of two classes, of the rare or last one."""
        if self.probabilities is None or len(self.classes) < 2:
            return {}
        of_two = self.classes[1] if self.rare is None else self.rare
        shown = self.classes if len(self.classes) > 2 else (of_two,)
        curves = {f"AUC of {self._words(label)}": self.roc(label) for label in shown}
        return {
            name: Measure(curve.area, curve.area_error, 0.5)
            for name, curve in curves.items()
            if curve.n_positive and curve.n_negative
        }

    def _lift(self, label: Level) -> dict[str, Measure]:
        share, positives = self.gains(label).found_in(_TOP), self.roc(label).n_positive
        error = math.sqrt(share * (1 - share) / positives) / _TOP
        return {f"lift of {self._words(label)} in the top 10%": Measure(share / _TOP, error, 1.0)}

    @cached_property
    def rare(self) -> Level | None:
        """The rarest class that occurs, if it has less than 40% of an equal share of the rows, else None.

        Of two classes, a rare one has less than 20% of the rows.

        >>> from bough import TreeClassifier, evaluate
        >>> model = TreeClassifier().fit([[1.0], [2.0]], ["a", "b"])
        >>> evaluate(model, [[1.0]] * 9 + [[2.0]], ["a"] * 9 + ["b"]).rare
        'b'
        """
        if self.task == "regression":
            return None
        shares, present = self._shares, np.flatnonzero(self._shares > 0)
        rarest = present[int(shares[present].argmin())]
        return self.classes[rarest] if shares[rarest] < _RARE / len(present) else None

    @property
    def _shares(self) -> Floats:
        sums = np.bincount(self.target, self.weight, minlength=len(self.classes))
        return np.asarray(sums / sums.sum())

    @property
    def constant(self) -> Level:
        """The constant prediction of the baseline: the class that costs least, or the mean.

        Without losses that is the most frequent class; the first one, sorted, wins a tie.

        >>> from bough import TreeClassifier, evaluate
        >>> model = TreeClassifier().fit([[1.0], [2.0]], ["a", "b"])
        >>> evaluate(model, [[1.0], [2.0], [2.0]], ["a", "b", "b"]).constant
        'b'
        """
        if self.task == "regression":
            return float(np.average(self.target, weights=self.weight))
        shares = self._shares
        costs = 1.0 - shares if self.loss_matrix is None else shares @ self.loss_matrix
        return min(self.classes, key=lambda label: (costs[self.classes.index(label)], sort_key(label)))

    def notes(self) -> list[str]:
        """Return remarks on the measures: a rare class, the costs of errors, and probabilities of 0.

        >>> from bough import TreeClassifier, evaluate
        >>> model = TreeClassifier().fit([[1.0], [2.0]], ["a", "b"])
        >>> for note in evaluate(model, [[1.0], [2.0], [2.0]], ["a", "b", "a"]).notes():
        ...     print(note)
        1 row has probability 0 of its true class, which counts as 2.2e-16 in the log-loss; smoothing, such as
        smoothing="laplace", avoids this.
        """
        if self.task == "regression":
            return []
        notes = []
        if self.rare is not None:
            share = float(self._shares[self.classes.index(self.rare)])
            constant = share_words(float(self._shares.max()))
            notes.append(
                f"{self._words(self.rare)} is rare, {share_words(share)} of the rows: accuracy tells little, "
                f"since a constant answer is right in {constant} of the rows."
            )
        if self.loss_matrix is not None:
            notes.append(loss_matrix_text(tuple(map(self._label, self.classes)), self.loss_matrix))
            best = f"The constant answer that costs least is {self._words(self.constant)}"
            notes.append(f"{best}: {figure_words(self.measures['risk'].baseline or 0.0, 4)} per row.")
        if self.probabilities is not None:
            of_truth = self.probabilities[np.arange(self.n_rows), self.target]
            n_zero = int((of_truth < LEAST_PROBABILITY).sum())
            whose = "row has probability 0 of its" if n_zero == 1 else "rows have probability 0 of their"
            if n_zero:
                notes.append(
                    f"{n_zero} {whose} true class, which counts as {LEAST_PROBABILITY:.2g} in the log-loss; "
                    'smoothing, such as smoothing="laplace", avoids this.'
                )
        return notes

    @cached_property
    def confusion(self) -> Confusion:
        """The confusion matrix.

        >>> from bough import TreeClassifier, evaluate
        >>> model = TreeClassifier().fit([[1.0], [2.0]], ["a", "b"])
        >>> evaluate(model, [[1.0], [1.2]], ["a", "b"]).confusion.counts
        array([[1., 0.],
               [1., 0.]])
        """
        if self.task == "regression":
            raise TargetError("Regression has no confusion matrix; see measures.")
        return Confusion.of(self.classes, self.target, self.answers, self.weight, self.labels)

    def _label(self, label: Level) -> Level:
        return label if self.labels is None else self.labels.class_words(label) or label

    def _words(self, label: Level) -> str:
        return level_words(self._label(label))

    def roc(self, label: Level | None = None) -> RocCurve:
        """Return the ROC curve of a class, by default the last one.

        >>> from bough import TreeClassifier, evaluate
        >>> model = TreeClassifier().fit([[1.0], [2.0]], ["a", "b"])
        >>> evaluate(model, [[1.0], [2.0]], ["a", "b"]).roc("b").area
        1.0
        """
        return RocCurve.of(*self._scores(label), self.weight)

    def gains(self, label: Level | None = None) -> GainsCurve:
        """Return the gains and lift curve of a class, by default the last one.

        >>> from bough import TreeClassifier, evaluate
        >>> model = TreeClassifier().fit([[1.0], [2.0]], ["a", "b"])
        >>> evaluate(model, [[1.0], [2.0]], ["a", "b"]).gains("b").lift
        array([2., 1.])
        """
        return GainsCurve.of(*self._scores(label), self.weight)

    def calibration(self, label: Level | None = None, n_bins: int = 10) -> CalibrationCurve:
        """Return the calibration curve of a class, by default the last one.

        >>> from bough import TreeClassifier, evaluate
        >>> model = TreeClassifier().fit([[1.0], [2.0]], ["a", "b"])
        >>> evaluate(model, [[1.0], [2.0]], ["a", "b"]).calibration("b").observed
        array([0., 1.])
        """
        return CalibrationCurve.of(*self._scores(label), self.weight, n_bins)

    def _scores(self, label: Level | None) -> tuple[Floats, npt.NDArray[np.bool_]]:
        if self.probabilities is None:
            raise TargetError("There are no probabilities: the model is a regressor or has no predict_proba.")
        label = self.classes[-1] if label is None else label
        if label not in self.classes:
            raise ParameterError.of("label", label, f"one of {', '.join(map(repr, self.classes))}")
        code = self.classes.index(label)
        return self.probabilities[:, code], self.target == code

    def to_dict(self) -> dict[str, Any]:
        """Return all measures, the confusion matrix and the notes, as values that JSON can hold.

        >>> from bough import TreeRegressor, evaluate
        >>> model = TreeRegressor().fit([[1.0], [2.0]], [1.0, 2.0])
        >>> evaluate(model, [[1.0]], [1.5]).to_dict()["measures"]["mean absolute error"]
        {'value': 0.5, 'error': 0.0, 'baseline': 0.0}
        """
        figures: dict[str, Any] = {"task": self.task, "rows": self.rows, "n_rows": self.n_rows}
        figures["measures"] = {
            name: {key: _finite(value) for key, value in measure._asdict().items()}
            for name, measure in self.measures.items()
        }
        if self.task == "classification":
            figures["confusion"] = self.confusion.to_dict()
            figures["rare"] = self.rare
            if self.loss_matrix is not None:
                figures["loss_matrix"] = self.loss_matrix.tolist()
        return figures | {"constant": self.constant, "notes": self.notes()}

    def text(self) -> str:
        """Return the measures and the confusion matrix as text.

        >>> from bough import TreeRegressor, evaluate
        >>> model = TreeRegressor().fit([[1.0], [2.0]], [1.0, 2.0])
        >>> print(evaluate(model, [[1.0], [2.0]], [1.5, 2.0]))
        On 2 rows of the table given:
        R²                       -1 (one answer for all: 0)
        mean squared error       0.125 ± 0.088 (one answer for all: 0.062)
        root mean squared error  0.35 ± 0.12 (one answer for all: 0.25)
        mean absolute error      0.25 ± 0.18 (one answer for all: 0.25)
        """
        first, *others = super().text().split("\n\n")
        return "\n\n".join([f"{first}\n{others[0]}", *others[1:]])

    def parts(self) -> list[Part]:
        """Return what is shown of the evaluation: its measures, the confusion matrix and notes.

        >>> from bough import TreeRegressor, evaluate
        >>> model = TreeRegressor().fit([[1.0], [2.0]], [1.0, 2.0])
        >>> evaluate(model, [[1.0], [2.0]], [1.5, 2.0]).parts()[0]
        'On 2 rows of the table given:'
        """
        confusion = [] if self.task == "regression" else self.confusion.parts()
        return [self._headline(), self._measures(), *confusion, *self.notes()]

    def _headline(self) -> str:
        return f"On {count_words(self.n_rows, 'row')} {self.rows}:"

    def _measures(self) -> TextTable:
        decimals = decimals_of_measures(self.measures)
        return TextTable(
            (), [(name, measure.words(decimals[name])) for name, measure in self.measures.items()]
        )


def _finite(value: float | None) -> float | None:
    return None if value is None or not math.isfinite(value) else value
