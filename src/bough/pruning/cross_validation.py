"""Cross-validation of the cost-complexity path: what each pruned tree loses on rows it has not seen.

Breiman, Friedman, Olshen and Stone (1984), sections 3.4 and 11.5. A fold's tree is pruned at the geometric
mean of the alphas between which a tree of the path is the best, for its own path has other alphas.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

import numpy as np
import numpy.typing as npt

from bough import _core
from bough.errors import ParameterError
from bough.jobs import n_threads
from bough.pruning.cost_complexity import PathMethod, complexities, cost_complexity_path
from bough.pruning.path import CostComplexityPath
from bough.pruning.row_losses import RowLosses
from bough.tree.structure import Ints
from bough.types import Floats

if TYPE_CHECKING:
    from bough.data.table import Table
    from bough.tree import Tree

Choice: TypeAlias = Literal["one_se", "minimum"]
"""Which tree of the path is taken: the smallest whose risk is within one standard error of the least, or
the one of the least."""

LossKind: TypeAlias = Literal["classes", "squared", "absolute", "poisson", "roots"]


@dataclass(frozen=True, eq=False)
class HeldOutLoss:
    """How the answer of a tree is held against what is true of the rows.

    `truth` is a number a row, or the place of its class. Of "classes", answering j for i loses `cost[i, j]`;
    "poisson" is the deviance and "roots" the squared difference of square roots, both of rates, for which
    each row counts as often as its `exposure` says.
    """

    kind: LossKind
    truth: Floats
    cost: Floats | None = None
    exposure: Floats | None = None

    def sums(
        self,
        tree: Tree,
        method: PathMethod,
        ends: Ints,
        rows: npt.NDArray[np.intp],
        weight: Floats,
        alphas: Floats,
    ) -> tuple[Floats, Floats]:
        """Return for each alpha the weighted sum of the losses of some rows, and of their squares.

        The rows end at the nodes `ends`; they are answered by the tree pruned at alpha.
        """
        answers = tree.answer_codes().astype(np.float64) if self.kind == "classes" else tree.answers()
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


# rpart's factor: above the largest alpha every tree of every fold is its root.
_BEYOND = 10.0


@dataclass(frozen=True, eq=False, repr=False)
class CrossValidatedPath(CostComplexityPath):
    """The nested trees with the risk that cross-validation found for each, and its standard error.

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
        """The cross-validated risk as a share of the root's risk: rpart's xerror.

        >>> from bough import CARTClassifier
        >>> path = CARTClassifier().fit([[i] for i in range(20)], [0] * 10 + [1] * 10).cp_table_
        >>> path.relative_cv_risk
        array([0.1, 1. ])
        """
        return self.cv_risk / self.risk[-1] if self.risk[-1] > 0 else np.zeros(len(self))

    @property
    def relative_cv_error(self) -> Floats:
        """The standard error of the cross-validated risk as a share of the root's risk: rpart's xstd.

        >>> from bough import CARTClassifier
        >>> path = CARTClassifier().fit([[i] for i in range(20)], [0] * 10 + [1] * 10).cp_table_
        >>> path.relative_cv_error.round(3)
        array([0.097, 0.224])
        """
        return self.cv_error / self.risk[-1] if self.risk[-1] > 0 else np.zeros(len(self))

    def chosen(self, by: Choice = "one_se") -> int:
        """Return which tree of the path is chosen.

        "minimum" takes the tree of least cross-validated risk, of equals the smallest. "one_se" takes the
        smallest tree whose risk is at most that plus its standard error: it is hardly worse, and simpler.

        >>> from bough import CARTClassifier
        >>> path = CARTClassifier().fit([[i] for i in range(20)], [0] * 10 + [1] * 10).cp_table_
        >>> path.chosen("minimum")
        0
        """
        if by not in get_args(Choice):
            raise ParameterError.of("by", by, f"one of {', '.join(map(repr, get_args(Choice)))}")
        last = len(self) - 1
        best = last - int(np.argmin(self.cv_risk[::-1]))
        if by == "minimum":
            return best
        bar = self.cv_risk[best] + self.cv_error[best]
        return int(np.flatnonzero(self.cv_risk <= bar)[-1])

    def plot(self, ax: Any = None) -> Any:
        """Draw the cross-validated risk of each tree with its standard error; returns the matplotlib axes.

        The dotted line is one standard error above the least risk; the marked tree is the smallest below it.

        >>> import matplotlib
        >>> matplotlib.use("Agg")
        >>> from bough import CARTClassifier
        >>> path = CARTClassifier().fit([[i] for i in range(20)], [0] * 10 + [1] * 10).cp_table_
        >>> path.plot().get_xlabel()
        'leaves'
        """
        from bough.pruning.plot import plot_path

        return plot_path(self, ax)

    def _columns(self) -> dict[str, list[Any]]:
        return super()._columns() | {
            "xerror": self.relative_cv_risk.tolist(),
            "xstd": self.relative_cv_error.tolist(),
        }

    def __repr__(self) -> str:
        return f"<CrossValidatedPath: {len(self)} trees of {self.n_leaves[0]} to {self.n_leaves[-1]} leaves>"


def cross_validated(
    tree: Tree,
    fold_trees: Sequence[Tree],
    folds: npt.NDArray[np.int32],
    table: Table,
    weight: Floats | None,
    loss: HeldOutLoss | RowLosses,
    *,
    least: float = 0.0,
    method: PathMethod = "weakest_link",
    n_jobs: int | None = None,
) -> CrossValidatedPath:
    """Return the path of a tree with cross-validated risks, from the trees grown without each fold.

    `loss` says what an answer loses on a row. `least` is the alpha, as a share of the root's risk, at
    which the tree was pruned already; from there on the whole tree is the best.
    """
    path = cost_complexity_path(tree, method)
    of_path = np.append(max(least, 0.0) * tree.risk[0], path.alphas[1:])
    alphas = _tested(of_path)
    total = float(len(folds) if weight is None else weight.sum())
    sums, squares = np.zeros(len(alphas)), np.zeros(len(alphas))

    def of_fold(fold: int) -> tuple[Floats, Floats] | None:
        rows = np.flatnonzero(folds == fold)
        if len(rows) == 0:
            return None
        held_out = float(len(rows) if weight is None else weight[rows].sum())
        ends = fold_trees[fold].apply(table.take(rows), 1)
        own = np.ones(len(rows)) if weight is None else weight[rows]
        scaled = alphas * ((total - held_out) / total)
        return loss.sums(fold_trees[fold], method, ends, rows, own, scaled)

    # A function of the user's own need not bear being called by several threads at once.
    n_workers = n_threads(n_jobs) if isinstance(loss, HeldOutLoss) else 1
    with ThreadPoolExecutor(n_workers) as pool:
        for found in pool.map(of_fold, range(len(fold_trees))):
            if found is not None:
                sums, squares = sums + found[0], squares + found[1]
    with np.errstate(invalid="ignore"):
        error = np.sqrt(np.maximum(squares - sums * sums / total, 0.0))
    fields = {name: getattr(path, name) for name in ("n_splits", "n_leaves", "risk", "complexity")}
    return CrossValidatedPath(alphas=of_path, **fields, cv_risk=sums, cv_error=error)


def _tested(alphas: Floats) -> Floats:
    """Return for each tree of the path an alpha from the middle of those for which it is the best."""
    if alphas[-1] == 0:  # the tree is its root
        return np.array([np.inf])
    above = np.append(alphas[1:], alphas[-1] * _BEYOND**2)
    tested: Floats = np.sqrt(alphas) * np.sqrt(above)
    return tested
