"""An evaluation: the true and the predicted values of rows, and all measures computed from them."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from bough.data.schema import Level
from bough.data.words import level_words
from bough.errors import ParameterError, TargetError
from bough.evaluation.confusion import Confusion
from bough.evaluation.curves import CalibrationCurve, GainsCurve, RocCurve
from bough.evaluation.measures import Measure, class_measures, number_measures
from bough.types import Floats


@dataclass(frozen=True, eq=False)
class Evaluation:
    r"""The measures of a model's predictions; `rows` describes the rows that were predicted.

    `target` and `answers` are the true and the predicted values: codes of `classes` or, in regression,
    numbers. `baseline` is the constant prediction that the model is compared with.

    >>> from bough import TreeClassifier, evaluate
    >>> X, y = [[1.0], [2.0], [3.0], [4.0]], ["a", "a", "b", "a"]
    >>> print(evaluate(TreeClassifier(max_depth=1).fit(X, y), X, y))
    On 4 rows of the table given:
    accuracy     0.75 ± 0.22 (one answer for all: 0.75)
    error rate   0.25 ± 0.22 (one answer for all: 0.25)
    log-loss     0.3466 ± 0.17
    Brier score  0.25 ± 0.12
    AUC of b     0.8333 ± 0.3
    <BLANKLINE>
    true \ predicted  a  b  precision  recall
    a                 3  0  0.75       1
    b                 1  0  nan        0
    """

    task: Literal["classification", "regression"]
    rows: str
    classes: tuple[Level, ...]
    target: npt.NDArray[Any] = field(repr=False)
    answers: npt.NDArray[Any] = field(repr=False)
    probabilities: Floats | None = field(repr=False)
    weight: Floats | None = field(repr=False)
    loss_matrix: Floats | None = field(repr=False)
    baseline: float

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

        >>> from bough import TreeRegressor, evaluate
        >>> model = TreeRegressor().fit([[1.0], [2.0]], [1.0, 2.0])
        >>> evaluate(model, [[1.0], [2.0]], [1.5, 2.0]).measures["mean squared error"].value
        0.125
        """
        if self.task == "regression":
            return number_measures(self.target, self.answers, self.weight, self.baseline)
        measures = class_measures(
            self.target, self.answers, self.probabilities, self.loss_matrix, self.weight, int(self.baseline)
        )
        if self.probabilities is not None and len(self.classes) > 1:
            shown = self.classes[1:] if len(self.classes) == 2 else self.classes
            for label in shown:
                curve = self.roc(label)
                if curve.n_positive and curve.n_negative:
                    measures[f"AUC of {level_words(label)}"] = Measure(curve.area, curve.area_error)
        return measures

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
        return Confusion.of(self.classes, self.target, self.answers, self.weight)

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
        """Return all measures as values that JSON can hold; infinite values are None.

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
        return figures

    def text(self) -> str:
        """Return the measures and the confusion matrix as text.

        >>> from bough import TreeRegressor, evaluate
        >>> model = TreeRegressor().fit([[1.0], [2.0]], [1.0, 2.0])
        >>> print(evaluate(model, [[1.0], [2.0]], [1.5, 2.0]))
        On 2 rows of the table given:
        R²                       -1 (one answer for all: -1)
        mean squared error       0.125 ± 0.088 (one answer for all: 0.125)
        root mean squared error  0.3536 ± 0.12 (one answer for all: 0.3536)
        mean absolute error      0.25 ± 0.18 (one answer for all: 0.25)
        """
        width = max(map(len, self.measures))
        noun = "row" if self.n_rows == 1 else "rows"
        lines = [f"On {self.n_rows} {noun} {self.rows}:"]
        lines += [f"{name:<{width}}  {measure.words()}" for name, measure in self.measures.items()]
        if self.task == "classification":
            lines += ["", self.confusion.text()]
        return "\n".join(lines)

    def __str__(self) -> str:
        return self.text()


def _finite(value: float | None) -> float | None:
    return None if value is None or not math.isfinite(value) else value
