"""Criteria: a criterion computes the value of a split from the statistics of its children; larger is better.

Criteria of classification read the class weights of each child; those of regression read the weight, sum and
sum of squares of y in each child. The formulas are in the native core, so that every engine uses the same
code. p denotes the share of a class in a node:

| criterion           | value of a split                                                               |
|---------------------|--------------------------------------------------------------------------------|
| `misclassification` | decrease in the misclassification rate of the majority class                   |
| `gini`              | decrease in Gini impurity, 1 − Σ p²                                            |
| `entropy`           | information gain: decrease in −Σ p·log2 p, in bits                             |
| `deviance`          | decrease in −2 Σ p·ln p; half of it is the information gain in nats            |
| `gain_ratio`        | information gain divided by the entropy of the branch sizes                    |
| `chi_square`        | Pearson's statistic of the table children × classes                            |
| `twoing`            | l·r/4·(Σ abs(p left − p right))², with l and r the shares of the two children  |
| `generalized_gini`  | decrease in Σ C(j given i)·p_i·p_j, with C the loss of predicting j for class i |
| `squared_error`     | decrease in the variance of y                                                  |
| `absolute_error`    | decrease in the mean absolute deviation of y from its median                   |
| `poisson`           | decrease in half the mean Poisson deviance                                     |
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

import bough._core as _core
from bough.errors import ParameterError
from bough.types import Floats, Task

Criterion: TypeAlias = str | Callable[[Floats], npt.ArrayLike]
"""The name of a criterion, or a user-written function."""

Reads: TypeAlias = Literal["classes", "moments", "rates", "values"]
"""The statistics that a criterion reads: class weights; weight, sum and sum of squares of y, relative to the
middle of the node's range (moments) or to 0 (rates); or the weights of the distinct values of y."""

_RECORDS: dict[str, dict[str, Any]] = {record["name"]: record for record in _core.criteria()}
"""The records of the criteria in the native core, in its order."""

CRITERIA: dict[Task, tuple[str, ...]] = {
    "classification": tuple(n for n, record in _RECORDS.items() if record["task"] == "classification"),
    "regression": tuple(n for n, record in _RECORDS.items() if record["task"] == "regression"),
}
"""The criteria for each task."""

ALIASES = {"log_loss": "deviance", "friedman_mse": "squared_error"}
"""Other libraries' names for the same criteria."""

WITHOUT_IMPURITY = frozenset(name for name, record in _RECORDS.items() if not record["has_impurity"])
"""Criteria that evaluate a split as a whole and define no impurity of a single node."""


_READ_LOSSES = tuple(name for name, record in _RECORDS.items() if record["reads_losses"])


def reads_losses(criterion: object) -> bool:
    """Whether a criterion reads the losses of errors; under the others, losses alter the class weights.

    >>> reads_losses("generalized_gini"), reads_losses("gini")
    (True, False)
    """
    return isinstance(criterion, str) and criterion in _READ_LOSSES


def split_loss(criterion: object, loss_matrix: Floats | None) -> Floats | None:
    """Return the flattened loss matrix if the criterion reads it, and None otherwise.

    >>> split_loss("generalized_gini", np.array([[0.0, 5.0], [1.0, 0.0]]))
    array([0., 5., 1., 0.])
    >>> split_loss("gini", np.array([[0.0, 5.0], [1.0, 0.0]])) is None
    True
    """
    if loss_matrix is None or not reads_losses(criterion):
        return None
    return np.ascontiguousarray(loss_matrix, dtype=np.float64).ravel()


def criterion_named(name: str) -> str:
    """Return bough's name of a criterion; raise if the name is unknown.

    >>> criterion_named("gini"), criterion_named("log_loss"), criterion_named("friedman_mse")
    ('gini', 'deviance', 'squared_error')
    >>> criterion_named("ginny")
    Traceback (most recent call last):
    bough.errors.ParameterError: criterion is 'ginny'; it must be one of 'misclassification', 'gini',
    'entropy', 'deviance', 'gain_ratio', 'chi_square', 'twoing', 'generalized_gini', 'squared_error',
    'absolute_error', 'poisson', 'log_loss', 'friedman_mse', or a function you wrote.
    """
    known = (*_RECORDS, *ALIASES)
    if not isinstance(name, str) or name not in known:
        raise ParameterError.of(
            "criterion", name, f"one of {', '.join(map(repr, known))}, or a function you wrote"
        )
    return ALIASES.get(name, name)


def task_of(name: str) -> Task:
    """Return the task of a criterion.

    >>> task_of("gini"), task_of("poisson")
    ('classification', 'regression')
    """
    task: Task = _RECORDS[criterion_named(name)]["task"]
    return task


def statistics_of(criterion: Criterion, task: Task) -> Reads:
    """Return the statistics that an engine must sum for a criterion.

    >>> statistics_of("gini", "classification"), statistics_of("absolute_error", "regression")
    ('classes', 'values')
    """
    reads: Reads = "classes" if task == "classification" else "moments"
    if isinstance(criterion, str):
        reads = _RECORDS[criterion_named(criterion)]["statistics"]
    return reads


def value(
    name: str,
    children: npt.ArrayLike,
    *,
    node_weight: npt.ArrayLike | None = None,
    values: Any = None,
    loss_matrix: npt.ArrayLike | None = None,
) -> Any:
    """Return the value of a split from the statistics of its children, one row each; or of many splits.

    A node with 400 cases of each class can be split into 300/100 and 100/300 or into 200/400 and 200/0. Both
    splits misclassify a quarter of the cases; Gini prefers the second:

    >>> even, pure = [[300, 100], [100, 300]], [[200, 400], [200, 0]]
    >>> value("misclassification", [even, pure])
    array([0.25, 0.25])
    >>> value("gini", [even, pure]).round(4)
    array([0.125 , 0.1667])
    >>> value("entropy", [[21, 5], [8, 30]])  # doctest: +ELLIPSIS
    0.265...

    The squared error of the numbers 1, 2 | 5, 6, as (weight, sum, sum of squares) of each child:

    >>> value("squared_error", [[2, 3, 5], [2, 11, 61]])
    4.0

    `node_weight` is the weight of the node including the rows whose value is missing; the value is multiplied
    by the fraction of the weight that is known. `absolute_error` reads the weights of the distinct values of
    y, which `values` lists in ascending order:

    >>> value("absolute_error", [[1, 1, 0, 0], [0, 0, 1, 1]], values=[1, 2, 5, 6])
    1.5

    `generalized_gini` reads `loss_matrix`, the loss of each predicted class (column) for each true class
    (row). Here the classes b and c are easily confused at no cost, so that only a needs to be separated:

    >>> apart_a, apart_c = [[4, 0, 0], [0, 4, 4]], [[4, 4, 0], [0, 0, 4]]
    >>> loss = [[0, 1, 1], [1, 0, 0], [1, 0, 0]]
    >>> value("generalized_gini", [apart_a, apart_c], loss_matrix=loss).round(4)
    array([0.4444, 0.1111])
    """
    statistics = _rows(children, "children", dimensions=2)
    name = _readable(name, statistics.shape[-1], values)
    many = statistics if statistics.ndim == 3 else statistics[np.newaxis]
    if node_weight is None:
        weight = _weight(name, many).sum(axis=-1)
    else:
        weight = np.broadcast_to(np.asarray(node_weight, dtype=np.float64), len(many))
    loss = _loss(name, loss_matrix, many.shape[-1])
    result = _core.split_values(name, many, np.ascontiguousarray(weight), _values(values), loss)
    return result if statistics.ndim == 3 else float(result[0])


def impurity(
    name: str, counts: npt.ArrayLike, *, values: Any = None, loss_matrix: npt.ArrayLike | None = None
) -> Any:
    """Return the impurity of a node from its statistics, or of many nodes, one row each.

    >>> impurity("gini", [2, 2]), impurity("misclassification", [[300, 100], [200, 400]])
    (0.5, array([0.25      , 0.33333333]))
    >>> round(impurity("entropy", [29, 35]), 2)
    0.99
    >>> impurity("squared_error", [4, 14, 66])  # variance of 1, 2, 5, 6
    4.25
    >>> impurity("generalized_gini", [2, 2], loss_matrix=[[0, 5], [1, 0]])
    1.5
    >>> impurity("twoing", [2, 2])
    Traceback (most recent call last):
    bough.errors.ParameterError: criterion is 'twoing'; it must be one that measures a node, such as 'gini'.
    """
    statistics = _rows(counts, "counts", dimensions=1)
    name = _readable(name, statistics.shape[-1], values)
    if name in WITHOUT_IMPURITY:
        raise ParameterError.of("criterion", name, "one that measures a node, such as 'gini'")
    many = statistics if statistics.ndim == 2 else statistics[np.newaxis]
    if not (_weight(name, many) > 0).all():
        raise ParameterError.of("counts", counts, "the statistics of nodes that are not empty")
    result = _core.impurity(name, many, _values(values), _loss(name, loss_matrix, many.shape[-1]))
    return result if statistics.ndim == 2 else float(result[0])


def remaining(
    name: str, children: npt.ArrayLike, *, values: Any = None, loss_matrix: npt.ArrayLike | None = None
) -> float:
    """Return the impurity after a split: the weighted mean impurity of its children.

    Of the two splits of 400 against 400 cases, the second leaves the larger sum of squared shares:

    >>> 1 - remaining("gini", [[300, 100], [100, 300]])
    0.625
    >>> round(1 - remaining("gini", [[200, 400], [200, 0]]), 3)
    0.667

    The entropy of a mushroom's edibility once its colour is known, and once its size is:

    >>> remaining("entropy", [[1, 1], [0, 2], [0, 1]]), round(remaining("entropy", [[1, 2], [0, 2]]), 2)
    (0.4, 0.55)
    """
    statistics = _rows(children, "children", dimensions=2)
    weight = _weight(criterion_named(name), statistics)
    filled = statistics[weight > 0]
    if statistics.ndim != 2 or len(filled) == 0:
        raise ParameterError.of(
            "children", children, "one row of statistics for each child, not all of them empty"
        )
    impurities = impurity(name, filled, values=values, loss_matrix=loss_matrix)
    return float((impurities * weight[weight > 0]).sum() / weight.sum())


@dataclass(frozen=True)
class UserCriterion:
    """A user-written criterion, whose return value is checked.

    The function receives the statistics of m splits, an array of shape (m, children, k): k class weights, or
    k = 3 for (weight, sum, sum of squares) of y. It returns m numbers, larger for a better split; −inf
    forbids a split.

    >>> def balance(children):
    ...     return -np.ptp(children.sum(axis=2), axis=1)
    >>> UserCriterion(balance)(np.array([[[3.0, 1.0], [0.0, 4.0]]]))
    array([-0.])
    >>> UserCriterion(np.sum)(np.array([[[3.0, 1.0], [0.0, 4.0]]]))
    Traceback (most recent call last):
    bough.errors.ParameterError: criterion 'sum' returned an array of shape () and type float64 for 1 splits;
    it must return one number for each split, here an array of shape (1,).
    """

    function: Callable[[Floats], npt.ArrayLike]

    @property
    def name(self) -> str:
        """The function's own name.

        >>> UserCriterion(np.ptp).name
        'ptp'
        """
        return str(getattr(self.function, "__name__", type(self.function).__name__))

    def __call__(self, children: Floats) -> Floats:
        """Return the value of each split."""
        result = np.asarray(self.function(children.copy()))
        if result.shape != (len(children),) or result.dtype.kind not in "fiu":
            raise ParameterError(
                f"criterion {self.name!r} returned an array of shape {result.shape} and type {result.dtype} "
                f"for {len(children)} splits; it must return one number for each split, "
                f"here an array of shape ({len(children)},)."
            )
        if np.isnan(result).any():
            position = int(np.flatnonzero(np.isnan(result))[0])
            raise ParameterError(
                f"criterion {self.name!r} returned NaN for the children {children[position].tolist()}; "
                "it must return a number, or -inf to forbid a split."
            )
        return result.astype(np.float64)


def _rows(statistics: npt.ArrayLike, name: str, dimensions: int) -> Floats:
    """Read an array of statistics with `dimensions` axes, or one more for many splits or nodes."""
    try:
        rows = np.ascontiguousarray(statistics, dtype=np.float64)
    except (TypeError, ValueError):
        raise ParameterError.of(name, statistics, "numbers, the same number in each row") from None
    if rows.ndim not in (dimensions, dimensions + 1) or rows.size == 0:
        raise ParameterError.of(
            name, statistics, f"{dimensions} axes of numbers, or {dimensions + 1} for many"
        )
    if not (np.isfinite(rows).all() and (rows[..., 0] >= 0).all()):
        raise ParameterError.of(name, statistics, "finite numbers, none of the weights negative")
    return rows


def _readable(name: str, width: int, values: Any) -> str:
    name = criterion_named(name)
    reads = statistics_of(name, task_of(name))
    if (reads == "values") != (values is not None):
        raise ParameterError.of("values", values, "given for 'absolute_error', and for it alone")
    if reads == "values" and np.shape(values) != (width,):
        raise ParameterError.of("values", values, f"the {width} distinct numbers of y, ascending")
    if reads in ("moments", "rates") and width != 3:
        raise ParameterError(
            f"{name!r} reads (weight, sum, sum of squares) of y, got rows of {width} statistics."
        )
    return name


def _weight(name: str, statistics: Floats) -> Floats:
    moments = statistics_of(name, task_of(name)) in ("moments", "rates")
    return statistics[..., 0] if moments else statistics.sum(axis=-1)


def _values(values: Any) -> Floats | None:
    return None if values is None else np.ascontiguousarray(values, dtype=np.float64)


def _loss(name: str, loss_matrix: npt.ArrayLike | None, n_classes: int) -> Floats | None:
    if loss_matrix is None:
        return None
    if not reads_losses(name):
        wanted = ", ".join(map(repr, _READ_LOSSES))
        raise ParameterError.of("loss_matrix", loss_matrix, f"given for {wanted} alone")
    loss = np.asarray(loss_matrix, dtype=np.float64)
    if loss.shape != (n_classes, n_classes) or not (np.isfinite(loss) & (loss >= 0)).all():
        wanted = f"{n_classes} rows of {n_classes} finite numbers of at least 0"
        raise ParameterError.of("loss_matrix", loss_matrix, wanted)
    return split_loss(name, loss)
