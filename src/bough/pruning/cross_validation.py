"""Cross-validation of the cost-complexity path: the risk of each pruned tree on held-out rows.

See Breiman, Friedman, Olshen and Stone (1984), sections 3.4 and 11.5. The tree grown without a fold has other
alphas than the full tree. It is pruned at the geometric mean of the alphas between which a tree of the full
tree's path is optimal.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias, get_args

import numpy as np
import numpy.typing as npt

import bough._core as _core
from bough.growing.pruning import PathChoice, PathMethod, check_choice
from bough.jobs import mapped, n_threads
from bough.pruning.cost_complexity import complexities, cost_complexity_path
from bough.pruning.path import CostComplexityPath
from bough.pruning.row_losses import RowLosses
from bough.types import Floats, Ints

if TYPE_CHECKING:
    from bough.data.table import Table
    from bough.tree import Tree

LossKind: TypeAlias = Literal["classes", "squared", "absolute", "poisson", "roots"]

_ROWS_FOR_THREADS = 1000
_LEAST_SHARE = float(np.finfo(np.float64).tiny)
# Fewer cases have no variance.
_LEAST_CASES = 2.0


@dataclass(frozen=True, eq=False)
class HeldOutLoss:
    """The loss that compares predictions with the true target of held-out rows.

    `truth` is the number or the class code of each row. For "classes", predicting j for class i has the loss
    `cost[i, j]`. "poisson" is the deviance and "roots" the squared difference of square roots; both compare
    rates and multiply the loss of a row by its `exposure`. All losses are multiplied by 4**`power`.
    """

    kind: LossKind
    truth: Floats
    cost: Floats | None = None
    exposure: Floats | None = None
    power: int = 0

    def scaled(self, power: int) -> HeldOutLoss:
        """Return the same losses times 4**power, to the bit: target and costs are scaled by a power of two.

        >>> HeldOutLoss("squared", np.array([3.0])).scaled(2).truth
        array([12.])
        """
        cost = None if self.cost is None else np.ldexp(self.cost, 2 * power)
        truth = self.truth if self.kind == "classes" else np.ldexp(self.truth, self._exponent(power))
        return replace(self, truth=truth, cost=cost, power=power)

    def _exponent(self, power: int) -> int:
        """Return the power of two of the target that multiplies losses by 4**power."""
        return power if self.kind == "squared" else 2 * power

    def sums(
        self,
        tree: Tree,
        method: PathMethod,
        ends: Ints,
        rows: npt.NDArray[np.intp],
        weight: Floats,
        alphas: Floats,
    ) -> tuple[Floats, Floats]:
        """Return for each alpha the weighted sums of the losses of some rows and of their squares.

        `ends` are the nodes that the rows are routed to in the unpruned tree; predictions are those of the
        tree pruned at alpha.
        """
        if self.kind == "classes":
            answers = tree.answer_codes().astype(np.float64)
        else:
            answers = np.ldexp(tree.answers(), self._exponent(self.power))
        return _core.held_out_losses(
            tree.parent,
            complexities(tree, method),
            answers,
            ends,
            self.truth[rows],
            weight,
            None if self.exposure is None else self.exposure[rows],
            alphas.tolist(),
            self.kind,
            self.cost,
        )


# rpart's factor beyond the largest alpha, where the trees of all folds are pruned to their roots.
_BEYOND = 10.0


@dataclass(frozen=True, eq=False, repr=False)
class CrossValidatedPath(CostComplexityPath):
    """A cost-complexity path with the cross-validated risk of each tree and its standard error.

    >>> from bough import CARTClassifier
    >>> X, y = [[i] for i in range(20)], [0] * 10 + [1] * 10
    >>> path = CARTClassifier().fit(X, y).cp_table_
    >>> path.n_leaves, path.chosen("one_se")
    (array([2, 1], dtype=int32), 0)
    """

    cv_risk: Floats
    cv_error: Floats

    @property
    def relative_cv_risk(self) -> Floats:
        """The cross-validated risk as a fraction of the root's risk: rpart's xerror.

        >>> from bough import CARTClassifier
        >>> path = CARTClassifier().fit([[i] for i in range(20)], [0] * 10 + [1] * 10).cp_table_
        >>> path.relative_cv_risk
        array([0.1, 1. ])
        """
        return self.cv_risk / self.risk[-1] if self.risk[-1] > 0 else np.zeros(len(self))

    @property
    def relative_cv_error(self) -> Floats:
        """The standard error of the cross-validated risk as a fraction of the root's risk: rpart's xstd.

        >>> from bough import CARTClassifier
        >>> path = CARTClassifier().fit([[i] for i in range(20)], [0] * 10 + [1] * 10).cp_table_
        >>> path.relative_cv_error.round(3)
        array([0.097, 0.224])
        """
        return self.cv_error / self.risk[-1] if self.risk[-1] > 0 else np.zeros(len(self))

    def chosen(self, by: PathChoice = "one_se") -> int:
        """Return the index of the tree that a rule chooses.

        "minimum" chooses the tree of minimum cross-validated risk, the smallest one in a tie. "one_se"
        chooses the smallest tree whose risk is at most the minimum plus its standard error. If all risks are
        infinite, as where the only event is held out, both choose the root.

        >>> from bough import CARTClassifier
        >>> path = CARTClassifier().fit([[i] for i in range(20)], [0] * 10 + [1] * 10).cp_table_
        >>> path.chosen("minimum")
        0
        """
        check_choice("by", by, get_args(PathChoice))
        last = len(self) - 1
        best = last - int(np.argmin(self.cv_risk[::-1]))
        if by == "minimum":
            return best
        if np.isinf(self.cv_risk[best]):
            return best
        bound = self.cv_risk[best] + self.cv_error[best]
        return int(np.flatnonzero(self.cv_risk <= bound)[-1])

    def plot(self, ax: Any = None) -> Any:
        """Plot the cross-validated risk of each tree with its standard error; returns the matplotlib axes.

        The dotted line is one standard error above the minimum; the marked tree is the smallest below it.

        >>> import matplotlib
        >>> matplotlib.use("Agg")
        >>> from bough import CARTClassifier
        >>> path = CARTClassifier().fit([[i] for i in range(20)], [0] * 10 + [1] * 10).cp_table_
        >>> path.plot().get_xlabel()
        'leaves'
        """
        from bough.pruning.plot import plot_path

        return plot_path(self, ax)

    def _frame(self) -> dict[str, list[Any]]:
        return super()._frame() | {
            "xerror": self.relative_cv_risk.tolist(),
            "xstd": self.relative_cv_error.tolist(),
        }

    def __repr__(self) -> str:
        return f"<CrossValidatedPath: {len(self)} trees of {self.n_leaves[0]} to {self.n_leaves[-1]} leaves>"


def cross_validated(
    tree: Tree,
    fold_trees: Sequence[Tree],
    cv: npt.NDArray[np.int32],
    table: Table,
    sample_weight: Floats | None,
    held_out_loss: HeldOutLoss | RowLosses,
    *,
    cp: float = 0.0,
    method: PathMethod = "weakest_link",
    n_jobs: int | None = None,
) -> CrossValidatedPath:
    """Return the path of a tree with cross-validated risks, from the trees grown without each fold.

    `cv` is the fold of each row, and `fold_trees[i]` the tree grown without fold i. `held_out_loss` is the
    loss of predictions. `cp` is the complexity parameter, a fraction of the root's risk, with which the tree
    was already pruned.
    """
    total = float(len(cv) if sample_weight is None else sample_weight.sum())

    def of_fold(fold: int, alphas: Floats, units: LossUnits) -> tuple[Floats, Floats] | None:
        rows = np.flatnonzero(cv == fold)
        if len(rows) == 0:
            return None
        own = np.ones(len(rows)) if sample_weight is None else sample_weight[rows]
        held_out = float(len(rows) if sample_weight is None else own.sum())
        ends = fold_trees[fold].apply(table.take(rows), 1)
        # The share is 0 if the other rows have next to no weight; an infinite alpha stays infinite.
        scaled = alphas * max((total - held_out) / total, _LEAST_SHARE)
        losses = held_out_loss.scaled(units.power)
        return losses.sums(fold_trees[fold], method, ends, rows, own * units.weight**2, scaled)

    # A user-written function may not be thread-safe, and few rows take less time than a thread's start.
    in_threads = isinstance(held_out_loss, HeldOutLoss) and len(cv) >= _ROWS_FOR_THREADS
    threads = n_threads(n_jobs) if in_threads else 1
    return validated_path(tree, total, len(fold_trees), of_fold, cp=cp, method=method, n_threads=threads)


class LossUnits(NamedTuple):
    """Powers of two that bring weights and losses to about 1, so that their squares are within float64.

    Weights are multiplied by the square of `weight`, and losses by 4**`power`.
    """

    weight: float
    power: int


def validated_path(
    tree: Tree,
    total: float,
    n_folds: int,
    of_fold: Callable[[int, Floats, LossUnits], tuple[Floats, Floats] | None],
    *,
    cp: float = 0.0,
    method: PathMethod = "weakest_link",
    n_threads: int = 1,
) -> CrossValidatedPath:
    """Return the path of a tree with the risks that held-out rows have under the trees of the folds.

    `total` is the weight of all rows. `of_fold` is called with a fold, the alphas of the path and the
    units, and returns the weighted sums of the losses and of their squares for each alpha, or None if the
    fold has no rows.

    Standard errors take weights for numbers of cases. Weights that sum to less than two cases, such as shares
    of the whole, are taken to sum to the number of cases instead.
    """
    path = cost_complexity_path(tree, method)
    of_path = np.append(max(cp, 0.0) * tree.risk[0], path.alphas[1:])
    alphas = _geometric_means(of_path)
    unit = math.ldexp(1.0, -(math.frexp(total)[1] // 2))
    # A risk of 0 says nothing of the losses: rows of next to no weight beside others may have great ones.
    power = (math.frexp(tree.weight[0])[1] - math.frexp(tree.risk[0])[1]) // 2 if tree.risk[0] > 0 else 0
    units = LossUnits(unit, power)
    sums, squares = np.zeros(len(alphas)), np.zeros(len(alphas))
    for found in mapped(lambda fold: of_fold(fold, alphas, units), range(n_folds), n_threads):
        if found is not None:
            sums, squares = sums + found[0], squares + found[1]
    endless = np.isinf(sums)
    finite = np.where(endless, 0.0, sums)
    with np.errstate(over="ignore", invalid="ignore"):
        variance = np.maximum(squares - finite * finite / (total * unit**2), 0.0)
    variance = np.where(np.isnan(variance), np.inf, variance)  # of squares beyond float64
    risk = np.ldexp(sums / unit**2, -2 * power)
    error = np.ldexp(np.sqrt(np.where(endless, np.nan, variance)) / unit, -2 * power)
    if total < _LEAST_CASES <= tree.cases[0]:
        error = error * math.sqrt(total) / math.sqrt(tree.cases[0])
    fields = {name: getattr(path, name) for name in ("n_splits", "n_leaves", "risk", "complexity")}
    return CrossValidatedPath(alphas=of_path, **fields, cv_risk=risk, cv_error=error)


def _geometric_means(alphas: Floats) -> Floats:
    """Return for each tree of the path the geometric mean of the alphas for which it is optimal."""
    if alphas[-1] == 0:  # the tree consists of its root only
        return np.array([np.inf])
    above = np.append(alphas[1:], alphas[-1] * _BEYOND**2)
    means: Floats = np.sqrt(alphas) * np.sqrt(above)
    return means
