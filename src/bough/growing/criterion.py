"""A criterion turns the statistics of a split's children into one number: the larger, the better the split.

Criteria for classes read the class weights of each child; those for numbers read the weight, sum and sum of
squares of y in each child. The formulas are in the native core, so that every engine uses the same code:

| criterion           | value of a split                                                               |
|---------------------|--------------------------------------------------------------------------------|
| `misclassification` | fall in the share of cases the majority class gets wrong                       |
| `gini`              | fall in 1 − Σ share²                                                           |
| `entropy`           | information gain: fall in −Σ share·log2 share, in bits                          |
| `deviance`          | fall in −2 Σ share·ln share, the log-likelihood; half of it is the gain in nats |
| `gain_ratio`        | information gain over the information of the branch itself                     |
| `chi_square`        | Pearson's statistic of the table children × classes                            |
| `twoing`            | p·q/4·(Σ abs(difference of the shares))²; two children only                    |
| `squared_error`     | fall in the variance of y                                                      |
| `absolute_error`    | fall in the mean distance of y from its median                                 |
| `poisson`           | fall in half the mean Poisson deviance                                         |
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from bough import _core
from bough.errors import ParameterError
from bough.types import Floats

Task: TypeAlias = Literal["classification", "regression"]
Criterion: TypeAlias = str | Callable[[Floats], npt.ArrayLike]
"""A criterion's name, or a function the user wrote."""

Reads: TypeAlias = Literal["classes", "moments", "rates", "values"]
"""The statistics a criterion reads: class weights; weight, sum and sum of squares of y, measured from the
middle of the node (moments) or from 0 (rates); or the weights of the distinct values of y."""

_RECORDS: dict[str, dict[str, Any]] = {record["name"]: record for record in _core.criteria()}
"""What the core knows of each criterion, in the order of its list."""

CRITERIA: dict[Task, tuple[str, ...]] = {
    "classification": tuple(n for n, record in _RECORDS.items() if record["task"] == "classification"),
    "regression": tuple(n for n, record in _RECORDS.items() if record["task"] == "regression"),
}
"""The criteria for each task."""

ALIASES = {"log_loss": "deviance"}
"""Other libraries' names for the same criteria."""

WITHOUT_IMPURITY = frozenset(name for name, record in _RECORDS.items() if not record["has_impurity"])
"""Criteria that evaluate a split as a whole: there is no impurity of one node that they lower."""


def criterion_named(name: str) -> str:
    """Return the name bough uses for a criterion, or refuse the name.

    >>> criterion_named("gini"), criterion_named("log_loss")
    ('gini', 'deviance')
    >>> criterion_named("ginny")
    Traceback (most recent call last):
    bough.errors.ParameterError: criterion is 'ginny'; it must be one of 'misclassification', 'gini',
    'entropy', 'deviance', 'gain_ratio', 'chi_square', 'twoing', 'squared_error', 'absolute_error', 'poisson',
    'log_loss', or a function you wrote.
    """
    known = (*_RECORDS, *ALIASES)
    if not isinstance(name, str) or name not in known:
        raise ParameterError.of(
            "criterion", name, f"one of {', '.join(map(repr, known))}, or a function you wrote"
        )
    return ALIASES.get(name, name)


def task_of(name: str) -> Task:
    """Return the task a criterion serves.

    >>> task_of("gini"), task_of("poisson")
    ('classification', 'regression')
    """
    task: Task = _RECORDS[criterion_named(name)]["task"]
    return task


def statistics_of(criterion: Criterion, task: Task) -> Reads:
    """Return which statistics an engine must sum for a criterion.

    >>> statistics_of("gini", "classification"), statistics_of("absolute_error", "regression")
    ('classes', 'values')
    """
    reads: Reads = "classes" if task == "classification" else "moments"
    if isinstance(criterion, str):
        reads = _RECORDS[criterion_named(criterion)]["statistics"]
    return reads


def value(
    name: str, children: npt.ArrayLike, *, node_weight: npt.ArrayLike | None = None, values: Any = None
) -> Any:
    """Return the value of a split from the statistics of its children, a row a child; or of many splits.

    400 against 400 cases can part as 300/100 and 100/300 or as 200/400 and 200/0. Both leave a quarter of the
    cases wrong; Gini prefers the second:

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

    `node_weight` is the weight of the node with its missing cases: what is gained for the known cases counts
    in proportion to their share of the node. `absolute_error` reads the weights of the distinct numbers,
    which `values` gives in ascending order:

    >>> value("absolute_error", [[1, 1, 0, 0], [0, 0, 1, 1]], values=[1, 2, 5, 6])
    1.5
    """
    statistics = _rows(children, "children", dimensions=2)
    name = _readable(name, statistics.shape[-1], values)
    many = statistics if statistics.ndim == 3 else statistics[np.newaxis]
    if node_weight is None:
        weight = _weight(name, many).sum(axis=-1)
    else:
        weight = np.broadcast_to(np.asarray(node_weight, dtype=np.float64), len(many))
    result = _core.split_values(name, many, np.ascontiguousarray(weight), _values(values))
    return result if statistics.ndim == 3 else float(result[0])


def impurity(name: str, counts: npt.ArrayLike, *, values: Any = None) -> Any:
    """Return the impurity of a node from its statistics, or of many nodes, a row each.

    >>> impurity("gini", [2, 2]), impurity("misclassification", [[300, 100], [200, 400]])
    (0.5, array([0.25      , 0.33333333]))
    >>> round(impurity("entropy", [29, 35]), 2)
    0.99
    >>> impurity("squared_error", [4, 14, 66])  # variance of 1, 2, 5, 6
    4.25
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
    result = _core.impurity(name, many, _values(values))
    return result if statistics.ndim == 2 else float(result[0])


def remaining(name: str, children: npt.ArrayLike, *, values: Any = None) -> float:
    """Return the impurity a split leaves: the mean impurity of its children by weight.

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
        raise ParameterError.of("children", children, "one row of statistics a child, not all of them empty")
    impurities = impurity(name, filled, values=values)
    return float((impurities * weight[weight > 0]).sum() / weight.sum())


@dataclass(frozen=True)
class UserCriterion:
    """A function the user wrote, called with its answer checked.

    It gets the statistics of m splits, an array of shape (m, children, k): k class weights, or k = 3 for
    (weight, sum, sum of squares) of y. It returns m numbers, the larger the better; −inf refuses a split.

    >>> def balance(children):
    ...     return -np.ptp(children.sum(axis=2), axis=1)
    >>> UserCriterion(balance)(np.array([[[3.0, 1.0], [0.0, 4.0]]]))
    array([-0.])
    >>> UserCriterion(np.sum)(np.array([[[3.0, 1.0], [0.0, 4.0]]]))
    Traceback (most recent call last):
    bough.errors.ParameterError: criterion 'sum' returned an array of shape () and type float64 for 1 splits;
    it must return one number a split, here an array of shape (1,).
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
                f"for {len(children)} splits; it must return one number a split, "
                f"here an array of shape ({len(children)},)."
            )
        if np.isnan(result).any():
            place = int(np.flatnonzero(np.isnan(result))[0])
            raise ParameterError(
                f"criterion {self.name!r} returned NaN for the children {children[place].tolist()}; "
                "it must return a number, -inf for a split that must not be made."
            )
        return result.astype(np.float64)


def _rows(statistics: npt.ArrayLike, name: str, dimensions: int) -> Floats:
    """Read statistics of `dimensions` axes, or one more where there are many."""
    try:
        rows = np.ascontiguousarray(statistics, dtype=np.float64)
    except (TypeError, ValueError):
        raise ParameterError.of(name, statistics, "numbers, as many in each row") from None
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
