"""The cut curve: the error of a split for each threshold of one column."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

import bough._core as _core
from bough.data.records import Records
from bough.data.schema import Column, Schema
from bough.data.table import Table
from bough.data.target import ClassTarget, read_classes, read_numbers, read_weights
from bough.data.training import taken
from bough.data.words import figure_words, number_words
from bough.engines.memory import MemoryEngine
from bough.errors import ParameterError, TableError, TargetError
from bough.growing.column_split import midpoint
from bough.growing.criterion import WITHOUT_IMPURITY, criterion_named, statistics_of, task_of
from bough.growing.engine import ContingencyTable
from bough.growing.enumeration import enumerate_candidates
from bough.growing.search import real_value
from bough.types import Floats


@dataclass(frozen=True, eq=False)
class CutCurve(Records):
    """The error of the two children for each threshold of a column.

    `cuts` are the thresholds, ascending. `errors` is the sum of squared errors of the two children; under
    absolute error the sum of absolute deviations from their medians, and under Poisson their deviance. If y
    holds classes, it is the impurity of the children times their weight. Under "misclassification" this is
    the misclassified weight, which is also used for "gain_ratio", "chi_square" and "twoing": they evaluate a
    split as a whole. `uncut` is the error without a split, and `values` is the value of the criterion for
    each threshold. Under Poisson, a threshold with a child without events has an infinite error.
    """

    criterion: str
    cuts: Floats
    errors: Floats
    values: Floats
    uncut: float

    def __len__(self) -> int:
        return len(self.cuts)

    def __repr__(self) -> str:
        return f"<CutCurve: {self.criterion} of {len(self)} thresholds>"

    @property
    def best(self) -> float:
        """The threshold with the lowest error; ties go to the lowest threshold.

        >>> cut_curve([1, 2, 3, 4], [5.0, 5.0, 9.0, 8.0]).best
        2.5
        """
        if len(self) == 0:
            raise ParameterError("There is no threshold, because the column has only one distinct value.")
        return float(self.cuts[self.values.argmax()])

    def plot(self, ax: Any = None) -> Any:
        """Draw the error against the threshold, mark the best threshold, and return the axes.

        Requires matplotlib.

        >>> import matplotlib
        >>> matplotlib.use("agg")
        >>> cut_curve([1, 2, 3], [5.0, 5.0, 9.0]).plot().get_xlabel()
        'cut'
        >>> matplotlib.pyplot.close("all")
        """
        from matplotlib import pyplot as plt

        if ax is None:
            _, ax = plt.subplots(layout="constrained")
        ax.plot(self.cuts, self.errors, marker=".", label=f"split ({self.criterion})")
        ax.axhline(self.uncut, linestyle=":", color="gray", label="no split")
        if len(self):
            best = f"best cut, {number_words(self.best)}"
            ax.axvline(self.best, linestyle="--", color="tab:red", label=best)
        ax.set(xlabel="cut", ylabel="error")
        ax.yaxis.set_major_formatter(lambda value, _: figure_words(value, 4))
        # Above the axes, where it covers no part of the curve.
        ax.legend(loc="lower left", bbox_to_anchor=(0.0, 1.0), ncols=3, frameon=False, fontsize="small")
        return ax

    def to_dicts(self) -> list[dict[str, float]]:
        """Return a dict for each threshold.

        >>> cut_curve([1, 2], [5.0, 7.0]).to_dicts()
        [{'cut': 1.5, 'error': 0.0, 'value': 1.0}]
        """
        rows = zip(self.cuts.tolist(), self.errors.tolist(), self.values.tolist(), strict=True)
        return [{"cut": cut, "error": error, "value": value} for cut, error, value in rows]

    def _frame(self) -> dict[str, Floats]:
        return {"cut": self.cuts, "error": self.errors, "value": self.values}


def cut_curve(x: npt.ArrayLike, y: Any, criterion: str | None = None, sample_weight: Any = None) -> CutCurve:
    """Return the error of a split of x for each threshold, the midpoints of neighbouring values.

    y is read as classes under a criterion of classification and as numbers under one of regression. Without
    a criterion, numbers are evaluated by "squared_error" and other values, as classes, by "gini". Rows in
    which x is missing are left out.

    >>> curve = cut_curve([1, 2, 3, 4], [5.0, 5.0, 9.0, 8.0])
    >>> curve.cuts, curve.errors
    (array([1.5, 2.5, 3.5]), array([ 8.66666667,  0.5       , 10.66666667]))
    >>> curve.uncut
    12.75
    >>> classes = cut_curve([1, 2, 3, 4], ["no", "no", "yes", "no"])
    >>> classes.errors.round(3), classes.uncut, classes.best
    (array([1.333, 1.   , 1.333]), 1.5, 2.5)
    """
    values = _column(x)
    name, target = _read_target(y, criterion)
    weights = read_weights(sample_weight, len(values))
    known = ~np.isnan(values)
    n_targets = len(target.codes) if isinstance(target, ClassTarget) else len(target)
    if n_targets != len(values):
        raise TableError(f"x has {len(values)} rows and y has {n_targets}; give one y for each x.")
    table = Table(Schema((Column("x", "numeric"),)), (values[known],), int(known.sum()))
    reads = statistics_of(name, task_of(name))
    engine = MemoryEngine(table, taken(target, known), weights.take(known), reads=reads)
    [[column]] = list(engine.tabulate([0]))
    children = np.empty((0, 2, column.statistics.shape[1]))
    if len(column) > 1:
        children = enumerate_candidates(column, "threshold").statistics
    node_weight = np.full(len(children), column.weight)
    gains = real_value(name, _core.split_values(name, children, node_weight, column.targets), column.grid)
    if isinstance(target, ClassTarget):
        uncut, errors = _impurities(name, column, children)
    else:
        uncut = engine.summarize([0])[0].risk
        # The Poisson criterion is half the deviance.
        decrease = gains * column.grid.weight(column.weight) * (2.0 if name == "poisson" else 1.0)
        errors = np.maximum(uncut - decrease, 0.0)
    cuts = [
        midpoint(*pair) for pair in zip(column.values[:-1].tolist(), column.values[1:].tolist(), strict=True)
    ]
    return CutCurve(name, np.array(cuts), errors, gains, uncut)


def _read_target(y: Any, criterion: str | None) -> tuple[str, ClassTarget | Floats]:
    """Return the name of the criterion, and y as classes or numbers."""
    if criterion is not None:
        name = criterion_named(criterion)
        return name, read_classes(y) if task_of(name) == "classification" else read_numbers(y)
    try:
        return "squared_error", read_numbers(y)
    except TargetError:
        return "gini", read_classes(y)


def _impurities(name: str, column: ContingencyTable, children: Floats) -> tuple[float, Floats]:
    """Return the impurity times the weight of the node, and of the two children of each split."""
    whole_splits = name in WITHOUT_IMPURITY or name == "gain_ratio"
    measured = "misclassification" if whole_splits else name

    def weighted(counts: Floats) -> Floats:
        sizes = np.asarray(column.grid.weight(counts.sum(axis=-1)))
        return np.asarray(_core.impurity(measured, np.ascontiguousarray(counts)) * sizes)

    node = column.statistics.sum(axis=0, keepdims=True)
    return float(weighted(node)[0]), weighted(children[:, 0]) + weighted(children[:, 1])


def _column(x: npt.ArrayLike) -> Floats:
    try:
        values = np.asarray(x, dtype=np.float64)
    except (TypeError, ValueError):
        raise TableError("x is not numeric; a cut curve needs a numeric column.") from None
    if values.ndim != 1 or np.isnan(values).all():
        raise TableError(f"x has shape {values.shape}; it must be one column with some known numbers.")
    return values
