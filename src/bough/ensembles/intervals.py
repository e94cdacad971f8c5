"""Uncertainty of regression forests: quantiles from the leaves, and intervals around predictions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from numbers import Real
from statistics import NormalDist
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

import numpy as np
import numpy.typing as npt

from bough.data.table import Table
from bough.ensembles.forest import Forest
from bough.errors import ParameterError
from bough.jobs import n_threads
from bough.types import Floats

if TYPE_CHECKING:
    from bough.ensembles.regressor import ForestRegressorEstimator

IntervalMethod: TypeAlias = Literal["oob", "quantile", "jackknife"]

_NUMBERS_AT_ONCE = 4_000_000


@dataclass(frozen=True, eq=False)
class LeafRows:
    """The rows of each leaf of a forest, as ranks of their y, with their shares of the leaf's weight.

    >>> from bough import RandomForestRegressor
    >>> model = RandomForestRegressor(1, bootstrap=False, quantiles=True).fit([[1.0], [2.0]], [10.0, 20.0])
    >>> model._leaf_rows.rank
    array([0, 1], dtype=uint32)
    """

    start: npt.NDArray[np.int64]
    rank: npt.NDArray[np.uint32]
    share: npt.NDArray[np.float32]
    values: Floats

    @classmethod
    def of(
        cls,
        forest: Forest,
        table: Table,
        y: Floats,
        weight: Floats | None,
        in_bag: npt.NDArray[np.uint32],
        n_jobs: int | None,
    ) -> LeafRows:
        """Return the rows of every leaf.

        >>> from bough import RandomForestRegressor
        >>> model = RandomForestRegressor(1, bootstrap=False).fit([[1.0], [2.0]], [10.0, 20.0])
        >>> table, y = Table.read([[1.0], [2.0]]), np.array([10.0, 20.0])
        >>> LeafRows.of(model.forest_, table, y, None, model.in_bag(), 1).share
        array([1., 1.], dtype=float32)
        """
        values, rank = np.unique(y, return_inverse=True)
        leaves = forest.leaves(table, n_jobs)
        starts, ranks, shares = [np.zeros(1, dtype=np.int64)], [], []
        for tree in range(forest.n_trees):
            rows = np.flatnonzero(in_bag[:, tree])
            rows = rows[np.argsort(leaves[rows, tree], kind="stable")]
            leaf = leaves[rows, tree]
            drawn = in_bag[rows, tree] * (1.0 if weight is None else weight[rows])
            n_leaves = int(forest.leaf_start[tree + 1] - forest.leaf_start[tree])
            total = np.bincount(leaf, drawn, minlength=n_leaves)
            starts.append(starts[-1][-1] + np.cumsum(np.bincount(leaf, minlength=n_leaves)))
            ranks.append(rank[rows].astype(np.uint32))
            # A row stays a member of its leaf however small its share is.
            shares.append(np.maximum(drawn / total[leaf], np.finfo(np.float32).tiny).astype(np.float32))
        return cls(np.concatenate(starts), np.concatenate(ranks), np.concatenate(shares), values)


def predict_quantiles(model: ForestRegressorEstimator, table: Table, quantiles: Any) -> Floats:
    """Return quantiles of y for each row, from all training rows that share its leaves (Meinshausen 2006).

    >>> from bough import RandomForestRegressor
    >>> model = RandomForestRegressor(5, max_depth=1, quantiles=True, bootstrap=False)
    >>> model = model.fit([[1.0], [1.0], [1.0], [9.0]], [10.0, 11.0, 12.0, 90.0])
    >>> predict_quantiles(model, Table.read([[1.0]]), [0.5, 1.0])
    array([[11., 12.]])
    """
    wanted = list(quantiles) if np.iterable(quantiles) else [quantiles]
    if not wanted or not all(isinstance(each, Real) and 0 <= float(each) <= 1 for each in wanted):
        raise ParameterError.of("quantiles", quantiles, "a number from 0 to 1, or several")
    rows: LeafRows | None = getattr(model, "_leaf_rows", None)
    if rows is None:
        raise ParameterError.of(
            "quantiles", model.quantiles, "True at fit, so that the forest stores the rows of its leaves"
        )
    return model.forest_.native.quantiles(
        table.native_or_sparse(),
        table.n_rows,
        rows.start,
        rows.rank,
        rows.share,
        rows.values.tolist(),
        [float(each) for each in wanted],
        n_threads(model.n_jobs),
        None,
    )


def tree_predictions(forest: Forest, table: Table, n_jobs: int | None) -> Floats:
    """Return the prediction of each tree for each row (rows × trees).

    >>> from bough import RandomForestRegressor
    >>> model = RandomForestRegressor(2, bootstrap=False).fit([[1.0], [2.0]], [10.0, 20.0])
    >>> tree_predictions(model.forest_, Table.read([[0.0]]), 1)
    array([[10., 10.]])
    """
    leaves = forest.leaves(table, n_jobs)
    answers = np.empty(leaves.shape)
    for tree in range(forest.n_trees):
        own = forest.leaf[forest.leaf_start[tree] : forest.leaf_start[tree + 1], 0]
        answers[:, tree] = own[leaves[:, tree]]
    return answers


def jackknife_variance(answers: Floats, in_bag: npt.NDArray[np.uint32]) -> Floats:
    """Return the variance of the forest's predictions by the jackknife after the bootstrap.

    The prediction without a training row is the mean of the trees for which it is out of bag. The bias from
    the limited number of trees is subtracted (Wager, Hastie and Efron 2014): for a row that is out of bag for
    a fraction p of the trees, it is (1 − p)/p times the variance between trees divided by their number; the
    factor is e − 1 for bootstrap samples.

    >>> jackknife_variance(np.array([[1.0, 1.0]]), np.array([[1, 0], [0, 1]], np.uint32))
    array([0.])
    """
    n_rows, n_trees = in_bag.shape
    off = answers - answers.mean(axis=1, keepdims=True)
    variance, noise = np.zeros(len(answers)), 0.0
    for some in _parts(n_rows, n_trees):
        without = in_bag[some] == 0
        times = without.sum(axis=1)
        known = times > 0
        noise += float((n_trees / times[known] - 1).sum())
        shares = without[known] / times[known, None]
        for part in _parts(len(answers), len(shares)):
            variance[part] += ((shares @ off[part].T) ** 2).sum(axis=0)
    chance = noise * np.square(off).mean(axis=1) / n_trees
    return np.asarray(np.maximum(variance - chance, 0.0) * (n_rows - 1) / n_rows)


def _parts(n_rows: int, width: int) -> Iterator[slice]:
    """Yield slices of the rows that take little memory and allow an interruption between them."""
    step = max(1, _NUMBERS_AT_ONCE // max(1, width))
    return (slice(begin, begin + step) for begin in range(0, n_rows, step))


def jackknife_error(model: ForestRegressorEstimator, table: Table) -> Floats:
    """Return the standard error of the forest's prediction for each row.

    >>> from bough import RandomForestRegressor
    >>> X, y = [[float(x)] for x in range(50)], [float(x) for x in range(50)]
    >>> model = RandomForestRegressor(200, random_state=0).fit(X, y)
    >>> (jackknife_error(model, Table.read(X)) < 5).all()
    np.True_
    """
    if model._samples.sampling.draw == "all":
        wanted = "True: the jackknife compares trees that drew a row with trees that did not"
        raise ParameterError.of("bootstrap", model.bootstrap, wanted)
    answers = tree_predictions(model.forest_, table, model.n_jobs)
    return np.asarray(np.sqrt(jackknife_variance(answers, model.in_bag())))


def predict_interval(
    model: ForestRegressorEstimator, X: Any, table: Table, level: float, method: IntervalMethod
) -> Floats:
    """Return the lower and upper bounds of an interval for each row.

    >>> from bough import RandomForestRegressor
    >>> X, y = [[float(x)] for x in range(50)], [float(x) for x in range(50)]
    >>> model = RandomForestRegressor(50, oob_score=True, random_state=0).fit(X, y)
    >>> low, high = predict_interval(model, [[20.0]], Table.read([[20.0]]), 0.9, "oob")[0]
    >>> low < 20 < high
    np.True_
    """
    if not (isinstance(level, Real) and 0 < float(level) < 1):
        raise ParameterError.of("level", level, "a number between 0 and 1")
    if method not in get_args(IntervalMethod):
        raise ParameterError.of("method", method, "one of " + ", ".join(map(repr, get_args(IntervalMethod))))
    tail = (1 - float(level)) / 2
    if method == "quantile":
        return predict_quantiles(model, table, [tail, 1 - tail])
    centre = model.predict(X)
    if method == "oob":
        errors = getattr(model, "oob_errors_", None)
        if errors is None:
            raise ParameterError.of("oob_score", model.oob_score, "True at fit for intervals of method 'oob'")
        # The rank of a new error among n errors is uniform: it is below the k-th with probability k/(n + 1).
        known = errors[~np.isnan(errors)]
        if len(known) == 0:
            wanted = "given with more rows or trees for intervals of method 'oob': no row is out of bag"
            raise ParameterError.of("oob_score", model.oob_score, wanted)
        ends = np.quantile(known, [tail, 1 - tail], method="weibull")
        return np.asarray(centre[:, None] + ends)
    reach = NormalDist().inv_cdf(1 - tail) * jackknife_error(model, table)
    return np.column_stack([centre - reach, centre + reach])
