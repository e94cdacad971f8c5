"""The target of a tree, a class or a number per row, and the sample weights."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np
import numpy.typing as npt

from bough.data.readers import vector_of
from bough.data.readers.scale import code_numbers
from bough.data.readers.source import Coded, Numbers
from bough.data.schema import Level, kind_of
from bough.errors import TableError, TargetError, WeightError
from bough.types import Floats, Task

MOST_NUMBERED_CLASSES = 10
"""A target with at most this many different numbers, all of them whole, has classes; see `task_of_target`."""

LEAST = 2.0**-900
"""Sums below this are so close to the smallest float64 that their parts lose precision."""

LEAST_RANGE, MOST_RANGE = 2.0**-485, 2.0**500
"""The squares of smaller differences lose precision, those of greater ones may overflow."""


@dataclass(frozen=True, eq=False)
class ClassTarget:
    """The classes, and for each row the position of its class among them.

    A tree predicts the first of classes that tie. Every class of a target that was read occurs; in a sample
    of its rows a class may be lacking.

    >>> read_classes(["yes", "no", "yes"])
    ClassTarget(classes=('no', 'yes'), codes=array([1, 0, 1], dtype=int32))
    """

    classes: tuple[Level, ...]
    codes: npt.NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.codes)

    def sorted(self) -> ClassTarget:
        """Return the target with its classes sorted, which is the order in every learner and model.

        scikit-learn's scores take `classes_` for sorted; in another order they would be computed for the
        wrong class.

        >>> ClassTarget(("yes", "no"), np.array([0, 1, 0], np.int32)).sorted()
        ClassTarget(classes=('no', 'yes'), codes=array([1, 0, 1], dtype=int32))
        """
        order = sorted(range(len(self.classes)), key=self.classes.__getitem__)
        code = np.empty(len(order), dtype=np.int32)
        code[order] = np.arange(len(order), dtype=np.int32)
        return ClassTarget(tuple([self.classes[place] for place in order]), code[self.codes])

    def codes_in(self, classes: Sequence[Level], refusal: str) -> npt.NDArray[np.int32]:
        """Return the class of each row as a code of other classes.

        Raise if these lack a class that the target has; the text of the error has `{label}` for the class and
        `{classes}` for the others.

        >>> read_classes(["yes", "yes"]).codes_in(("no", "yes"), "{label} is none of {classes}.")
        array([1, 1], dtype=int32)
        """
        code_of = {label: code for code, label in enumerate(classes)}
        for label in self.classes:
            if label not in code_of:
                known = ", ".join(map(repr, classes))
                raise TargetError(refusal.format(label=repr(label), classes=known))
        return np.array([code_of[label] for label in self.classes], dtype=np.int32)[self.codes]

    def occurring(self) -> ClassTarget:
        """Return the target without the classes that no row has.

        >>> ClassTarget(("a", "b", "c"), np.array([0, 2], np.int32)).occurring()
        ClassTarget(classes=('a', 'c'), codes=array([0, 1], dtype=int32))
        """
        used = np.bincount(self.codes, minlength=len(self.classes)) > 0
        if used.all():
            return self
        kept = np.cumsum(used, dtype=np.int32) - np.int32(1)
        classes = tuple([self.classes[code] for code in np.flatnonzero(used)])
        return ClassTarget(classes, kept[self.codes])


def classes_of(target: object) -> tuple[Level, ...]:
    """Return the classes of a target; none of one of numbers, or of several targets.

    >>> classes_of(read_classes(["yes", "no"])), classes_of(np.ones(2))
    (('no', 'yes'), ())
    """
    return target.classes if isinstance(target, ClassTarget) else ()


@dataclass(frozen=True, eq=False)
class Weights:
    """The weight of each row and the number of cases that it counts as; None if that is 1 for every row.

    A weight of 2 has the effect of the row occurring twice, and a weight of 0 of the row being absent. If all
    weights are whole numbers (`whole`), they are numbers of cases; otherwise each row of positive weight is
    one case.

    >>> read_weights([2, 0, 1], n_rows=3)
    Weights(weight=array([2., 0., 1.]), cases=array([2., 0., 1.]), whole=True)
    >>> read_weights([0.5, 0, 1], n_rows=3)
    Weights(weight=array([0.5, 0. , 1. ]), cases=array([1., 0., 1.]), whole=False)
    """

    weight: Floats | None
    cases: Floats | None
    whole: bool

    def each(self, n_rows: int) -> Floats:
        """Return the weight of each row, which is 1 where none is given.

        >>> Weights(None, None, whole=True).each(2)
        array([1., 1.])
        """
        return np.ones(n_rows) if self.weight is None else self.weight

    def cases_of_each(self, n_rows: int) -> Floats:
        """Return the number of cases of each row.

        >>> read_weights([0.5, 3], 2).cases_of_each(2)
        array([1., 1.])
        """
        return np.ones(n_rows) if self.cases is None else self.cases

    def n_cases(self, n_rows: int) -> float:
        """Return the number of cases of all rows.

        >>> read_weights([0.5, 3], 2).n_cases(2), read_weights([1, 3], 2).n_cases(2)
        (2.0, 4.0)
        """
        return float(n_rows if self.cases is None else self.cases.sum())

    def take(self, rows: npt.NDArray[Any]) -> Weights:
        """Return the weights of some rows, by their positions or a mask.

        >>> read_weights([2, 0, 1], n_rows=3).take(np.array([0, 2])).weight
        array([2., 1.])
        """
        weight, cases = (None if each is None else each[rows] for each in (self.weight, self.cases))
        return Weights(weight, cases, self.whole)


def task_of_target(y: Any) -> Task:
    """Return the task that a target asks for where neither a model nor the caller determines it.

    Text, truth values, categories, and up to 10 different whole numbers are classes; other numbers are
    predicted as numbers.

    >>> [task_of_target(y) for y in (list("ab"), [0.0, 1.0, 1.0], [0.5, 1.0], [*range(30)])]
    ['classification', 'classification', 'regression', 'regression']
    """
    raw = _read_target(y)
    if isinstance(raw, Coded):
        return "classification"
    known = raw.values[~np.isnan(raw.values)]
    is_whole = bool(np.isfinite(known).all() and (known == np.floor(known)).all())
    return "classification" if is_whole and len(np.unique(known)) <= MOST_NUMBERED_CLASSES else "regression"


def read_classes(y: Any) -> ClassTarget:
    """Read a class per row.

    Classes are sorted or, if y is categorical, in the order of its categories; unused categories are dropped.
    Learners sort them in either case: see `ClassTarget.sorted`. A `ClassTarget` is returned as it is.

    >>> read_classes(np.array([3, 1, 3])).classes
    (1, 3)
    >>> read_classes([0.5, 1.5])
    Traceback (most recent call last):
    bough.errors.TargetError: Unknown label type: continuous. y holds 0.5 in row 0, but classes are
    text, truth values or whole numbers. Grow a regression tree, or cut y into classes.
    """
    if isinstance(y, ClassTarget):
        return y
    raw = _read_target(y)
    if isinstance(raw, Numbers):
        _check_labels(raw.values)
        raw = code_numbers(raw)
    _refuse_missing(raw.codes < 0)
    return ClassTarget(raw.levels, raw.codes).occurring()


def read_numbers(y: Any) -> Floats:
    """Read a finite number per row, as float64.

    >>> read_numbers([1, 2.5])
    array([1. , 2.5])
    >>> read_numbers(["low", "high"])
    Traceback (most recent call last):
    bough.errors.TargetError: y is text, but numbers are to be predicted. Turn it into numbers, or grow a
    classification tree.
    """
    raw = _read_target(y)
    if isinstance(raw, Coded):
        kind = kind_of(raw.levels[:1]) or "text"
        got = "a categorical of numbers" if kind == "numbers" else kind
        raise TargetError(
            f"y is {got}, but numbers are to be predicted. Turn it into numbers, or grow a "
            "classification tree."
        )
    _refuse_missing(np.isnan(raw.values))
    _refuse_infinite(raw.values)
    return np.ascontiguousarray(raw.values, dtype=np.float64)


def read_weights(sample_weight: Any, n_rows: int) -> Weights:
    """Read a weight per row; None gives every row the weight 1, and a number gives every row that weight.

    >>> read_weights(None, n_rows=3)
    Weights(weight=None, cases=None, whole=True)
    >>> read_weights([1, -1, 1], n_rows=3)
    Traceback (most recent call last):
    bough.errors.WeightError: sample_weight holds -1.0 in row 1; a weight must be a finite number of at
    least 0. Give 0 to leave a row out.
    """
    if sample_weight is None:
        return Weights(None, None, whole=True)
    if isinstance(sample_weight, Real):
        weight = np.full(n_rows, _one_weight(sample_weight))
    else:
        weight = _read_weight_column(sample_weight, n_rows)
    _check_weights(weight)
    if (weight == 1).all():
        return Weights(None, None, whole=True)
    if np.array_equal(weight, np.floor(weight)):
        return Weights(weight, weight, whole=True)
    return Weights(weight, None if weight.all() else (weight > 0).astype(np.float64), whole=False)


def read_exposure(exposure: Any) -> Floats:
    """Read the exposure of each row, a finite number above 0: how long it was observed for events.

    >>> read_exposure([1, 2.5])
    array([1. , 2.5])
    >>> read_exposure([1, 0])
    Traceback (most recent call last):
    bough.errors.TargetError: exposure holds 0.0 in row 1; it must be a finite number above 0.
    """
    try:
        vector = vector_of("exposure", exposure)
        if vector is None or len(vector.shape) != 1:
            raise TargetError("exposure should be a 1d array, one number for each row.")
        raw = vector.read()
    except TableError as error:
        raise TargetError(str(error)) from None
    if not isinstance(raw, Numbers):
        raise TargetError("exposure holds text or categories; give a number for each row.")
    values = np.ascontiguousarray(raw.values, dtype=np.float64)
    wrong = ~(np.isfinite(values) & (values > 0))
    if wrong.any():
        row = int(np.argmax(wrong))
        raise TargetError(
            f"exposure holds {values[row].item()!r} in row {row}; it must be a finite number above 0."
        )
    return values


def check_total(weights: Weights) -> None:
    """Raise `WeightError` if the sum of the weights is too small to distinguish them.

    >>> check_total(read_weights([1e-300, 2e-300], 2))
    Traceback (most recent call last):
    bough.errors.WeightError: sample_weight sums to 3e-300, too little to distinguish the weights.
    Divide all weights by the greatest of them.
    """
    if weights.weight is not None and (total := float(weights.weight.sum())) < LEAST:
        raise WeightError(
            f"sample_weight sums to {total!r}, too little to distinguish the weights. "
            "Divide all weights by the greatest of them."
        )


def check_events(y: Floats) -> None:
    """Raise `TargetError` if y is not a number of events: if it has negative values, or none above 0.

    >>> check_events(np.array([2.0, -1.0]))
    Traceback (most recent call last):
    bough.errors.TargetError: Some value(s) of y are negative, such as -1.0; 'poisson' is for numbers of
    events, 0 or more. Choose 'squared_error'.
    """
    if (y < 0).any():
        raise TargetError(
            f"Some value(s) of y are negative, such as {y[y < 0][0]}; 'poisson' is for numbers of events, "
            "0 or more. Choose 'squared_error'."
        )
    if not (y > 0).any():
        raise TargetError("The sum of y is not positive: without any event there is no rate for 'poisson'.")


def check_reach(y: Floats, weights: Weights, criterion: object) -> None:
    """Raise `TargetError` if the range of y makes the sum of errors infinite or, for Poisson, y is too small.

    >>> check_reach(np.array([0.0, 1e200]), read_weights(None, 2), "squared_error")
    Traceback (most recent call last):
    bough.errors.TargetError: y goes from 0.0 to 1e+200: its errors sum to infinity.
    Divide y by its greatest magnitude.
    """
    low, high = float(y.min()), float(y.max())
    # Weights that are not whole numbers are stored as multiples of 2**-52 of their sum.
    total = max(2.0**53, float(len(y) if weights.weight is None else weights.weight.sum()))
    if criterion == "absolute_error":
        errors = high - low
    elif criterion == "poisson":
        errors = 3000.0 * high  # twice the greatest logarithm of a ratio of two numbers
    else:
        # A user's own criterion gets sums of squares around 0, not around the mean.
        span = high - low if isinstance(criterion, str) else 2.0 * max(-low, high)
        errors = span * span
    if not math.isfinite(errors * total):
        raise TargetError(
            f"y goes from {low!r} to {high!r}: its errors sum to infinity. "
            "Divide y by its greatest magnitude."
        )
    if criterion == "poisson" and (least := float(y[y > 0].min())) < LEAST:
        raise TargetError(
            f"y holds {least!r}, too little for a number of events. Multiply all y, or set it to 0."
        )


def check_squares(y: Floats, total: float) -> None:
    """Raise `TargetError` if float64 cannot hold the squares of differences of y times `total`, all weight.

    >>> check_squares(np.array([0.0, 1e-200]), 2.0)
    Traceback (most recent call last):
    bough.errors.TargetError: y goes from 0.0 to 1e-200: the squares of its differences are beyond float64.
    Multiply it by a power of ten, so that its range is about 1.
    """
    columns = np.reshape(y, (len(y), -1))
    ranges = np.ptp(columns, axis=0)
    widest, scale = float(ranges.max()), max(1.0, total)
    if 0 < widest < LEAST_RANGE or widest * scale * scale > MOST_RANGE:
        column = columns[:, np.argmax(ranges)]
        raise TargetError(
            f"y goes from {float(column.min())!r} to {float(column.max())!r}: the squares of its differences "
            "are beyond float64. Multiply it by a power of ten, so that its range is about 1."
        )


def check_rates(rates: Floats, weight: Floats, exposure: Floats) -> None:
    """Raise `TargetError` if the event rates, or their sum weighted by exposure, overflow float64.

    >>> check_rates(np.array([np.inf, 1.0]), np.array([1e-309, 1.0]), np.array([1e-309, 1.0]))
    Traceback (most recent call last):
    bough.errors.TargetError: exposure goes from 1e-309 to 1.0: the rates of events, or their sum, are beyond
    float64. Give it in another unit.
    """
    with np.errstate(over="ignore"):
        total = float(weight.sum())
    try:
        holds = math.isfinite(total) and total >= LEAST
        check_reach(rates, Weights(weight if holds else None, None, False), "poisson")
    except TargetError:
        holds = False
    if not holds:
        raise TargetError(
            f"exposure goes from {exposure.min().item()!r} to {exposure.max().item()!r}: the rates of "
            "events, or their sum, are beyond float64. Give it in another unit."
        )


def _read_target(y: Any) -> Numbers | Coded:
    if isinstance(y, Numbers | Coded):
        return y
    try:
        vector = None if y is None else vector_of("y", y)
        if vector is None or len(vector.shape) == 0:
            raise TargetError(f"y should be a 1d array, one value for each row; got {y!r} instead.")
        if len(vector.shape) > 2 or (len(vector.shape) == 2 and vector.shape[1] != 1):
            raise TargetError(
                f"y should be a 1d array, one value for each row; got an array of shape {vector.shape} "
                "instead. Grow one tree for each column, or choose a learner of several targets, such as "
                "TreeClassifier, TreeRegressor, CART or a forest."
            )
        if vector.shape[0] == 0:
            raise TargetError("y is empty: 0 sample(s), while a minimum of 1 is required.")
        raw = vector.read()
    except TableError as error:
        raise TargetError(str(error)) from None
    if len(vector.shape) == 2:
        _warn_column_vector()
    return raw


def _warn_column_vector() -> None:
    from sklearn.exceptions import DataConversionWarning

    warnings.warn(
        "A column-vector y was passed when a 1d array was expected. "
        "Please change the shape of y to (n_samples,), for example using ravel().",
        DataConversionWarning,
        stacklevel=4,
    )


def _check_labels(values: npt.NDArray[Any]) -> None:
    _refuse_missing(np.isnan(values))
    _refuse_infinite(values)
    fractional = values != np.floor(values)
    if fractional.any():
        row = int(np.argmax(fractional))
        raise TargetError(
            f"Unknown label type: continuous. y holds {values[row].item()!r} in row {row}, but classes are "
            "text, truth values or whole numbers. Grow a regression tree, or cut y into classes."
        )


def _refuse_missing(missing: npt.NDArray[np.bool_]) -> None:
    if missing.any():
        first, many = int(np.argmax(missing)), int(missing.sum())
        which = "has no value" if many == 1 else f"is the first of {many} rows without a value"
        raise TargetError(f"Input y contains NaN. Row {first} {which}; leave such rows out.")


def _refuse_infinite(values: npt.NDArray[Any]) -> None:
    infinite = np.isinf(values)
    if infinite.any():
        raise TargetError(
            "Input y contains infinity or a value too large for dtype('float64'). "
            f"Row {int(np.argmax(infinite))} holds the first; leave such rows out, or cap their values."
        )


def _one_weight(weight: Real) -> float:
    try:
        return float(weight)
    except OverflowError:
        raise WeightError("sample_weight is a number that float64 cannot hold; scale it down.") from None


def _read_weight_column(sample_weight: Any, n_rows: int) -> Floats:
    try:
        vector = vector_of("sample_weight", sample_weight)
        if vector is None:
            raise WeightError(
                f"sample_weight is a {type(sample_weight).__name__}; give a number, or one for each row."
            )
        if vector.shape != (n_rows,):
            raise WeightError(
                f"sample_weight.shape == {vector.shape}, expected ({n_rows},)! Give one weight for each row."
            )
        raw = vector.read()
    except TableError as error:
        raise WeightError(str(error)) from None
    if isinstance(raw, Numbers):
        return np.ascontiguousarray(raw.values, dtype=np.float64)
    if raw.levels == (False, True):
        return np.where(raw.codes < 0, np.nan, raw.codes)
    raise WeightError("sample_weight holds text or categories; give a number for each row.")


def _check_weights(weight: Floats) -> None:
    wrong = ~(np.isfinite(weight) & (weight >= 0))
    if wrong.any():
        row = int(np.argmax(wrong))
        raise WeightError(
            f"sample_weight holds {weight[row].item()!r} in row {row}; a weight must be a finite number of "
            "at least 0. Give 0 to leave a row out."
        )
    if not weight.any():
        raise WeightError(
            "sample_weight is zero for every row; at least one row must have a positive weight."
        )
    with np.errstate(over="ignore"):
        total = weight.sum()
    if not np.isfinite(total):
        raise WeightError("sample_weight sums to infinity; divide all weights by the greatest of them.")
