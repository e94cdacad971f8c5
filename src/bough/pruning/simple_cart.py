"""Cost-complexity pruning as Weka's SimpleCart does it.

Complexities are rounded to ten digits. Nodes of equal complexity are pruned one after the other, the one with
more leaves first, and of their errors on the held-out rows only the first is recorded. A split that does not
lower the training error is pruned at once.
"""

from __future__ import annotations

import dataclasses
import itertools
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

import bough._core as _core
from bough.data.target import ClassTarget
from bough.engines import quinlan
from bough.growing.pruning import SimpleCart
from bough.growing.recipe import Recipe
from bough.growing.weighted_target import WeightedTarget
from bough.pruning.collapse import collapsed
from bough.tree.answer import expected_losses
from bough.tree.labeled_rows import LabeledRows
from bough.types import Floats, Mask, Rows

if TYPE_CHECKING:
    from bough.tree import Tree

_ROUNDED = 1e10
_END = 1.0


def simple_cart(tree: Tree, rows: LabeledRows, pruning: SimpleCart) -> Tree:
    """Return the tree pruned with the complexity that cross-validation over `rows` chooses.

    >>> from bough import SimpleCartClassifier
    >>> X, y = [[i % 10] for i in range(60)], ["a" if i % 10 < 4 else "b" for i in range(60)]
    >>> SimpleCartClassifier().fit(X, y).tree_.n_leaves
    2
    """
    n_rows = rows.table.n_rows
    if tree.n_nodes == 1 or n_rows - 1 < pruning.cv:
        return _with_risk(tree)
    recipe = Recipe.from_json({name: part for name, part in tree.recipe.items() if name != "prune"})
    labels = np.ascontiguousarray(rows.answers, dtype=np.int32)
    # Weka leaves the last of the shuffled rows out of the folds.
    dealt = np.asarray(_core.stratified_rows(labels, n_rows - 1, pruning.cv, pruning.random_state))
    folds = [_fold_path(tree, rows, recipe, *parts) for parts in _folds(dealt, pruning.cv)]
    alphas = _Pruning(tree, n_rows).path()[0]
    errors = [_mean_error(folds, math.sqrt(low * high)) for low, high in itertools.pairwise(alphas)]
    best = _chosen(errors, n_rows, one_se=pruning.choose == "one_se")
    alpha = math.sqrt(alphas[best] * alphas[best + 1])
    step = {"by": "SimpleCart", "alpha": alpha}
    return _with_risk(collapsed(tree, _Pruning(tree, n_rows).leaves_at(alpha), step))


def _with_risk(tree: Tree) -> Tree:
    """Return the tree with the errors that its class weights state, which Weka's sums differ from."""
    return dataclasses.replace(tree, risk=expected_losses(tree.statistics, None, None).min(axis=1))


def _folds(dealt: npt.NDArray[np.uint32], n_folds: int) -> list[tuple[Rows, Rows]]:
    """Return the rows to grow on and the rows to test on, for each fold."""
    parts = np.array_split(dealt.astype(np.intp), n_folds)
    return [
        (np.concatenate([part for other, part in enumerate(parts) if other != fold]), parts[fold])
        for fold in range(n_folds)
    ]


def _fold_path(
    tree: Tree, rows: LabeledRows, recipe: Recipe, grown_on: Rows, tested_on: Rows
) -> tuple[list[float], list[float]]:
    """Return the complexities of a fold's tree and its errors on the rows of the fold."""
    target = WeightedTarget(ClassTarget(tree.classes, rows.answers), rows.weights)
    grown = quinlan.grow_in_order(rows.table, target, recipe, grown_on.astype(np.uint32))
    errors = _HeldOutErrors(grown, rows.take(tested_on))
    return _Pruning(grown, len(grown_on)).path(errors)


def _mean_error(folds: list[tuple[list[float], list[float]]], alpha: float) -> float:
    total = 0.0
    for fold in folds:  # `sum` compensates for rounding, which the program does not
        total += _error_at(fold, alpha)
    return total / len(folds)


def _error_at(fold: tuple[list[float], list[float]], alpha: float) -> float:
    alphas, errors = fold
    at = next((place for place, each in enumerate(alphas) if each > alpha), len(alphas))
    return errors[min(at - 1, len(errors) - 1)]


def _chosen(errors: list[float], n_rows: int, *, one_se: bool) -> int:
    """Return the position of the smallest tree of least error, or of the smallest within one deviation."""
    best = min(reversed(range(len(errors))), key=errors.__getitem__)
    if not one_se:
        return best
    least = errors[best]
    allowed = least + math.sqrt(least * (1 - least) / n_rows)
    return next(place for place in reversed(range(len(errors))) if errors[place] <= allowed)


class _Pruning:
    """A tree while it is pruned, its nodes in preorder: each subtree is a range of them."""

    def __init__(self, tree: Tree, n_rows: int) -> None:
        self.order = np.array([*tree.walk()])
        place = np.empty(tree.n_nodes, dtype=np.intp)
        place[self.order] = np.arange(tree.n_nodes)
        self.parent = np.where(self.order == 0, -1, place[np.maximum(tree.parent[self.order], 0)])
        self.n_rows = n_rows
        self.own_error = tree.risk[self.order]
        n = tree.n_nodes
        self.children = [[int(place[child]) for child in tree.children(node)] for node in self.order.tolist()]
        self.end = np.arange(1, n + 1)
        self.leaves = np.where(tree.n_children[self.order] == 0, 1, 0)
        self.error = self.own_error.copy()
        for node in range(n - 1, -1, -1):
            self.set_error(node)
            if node == 0:
                break
            parent = self.parent[node]
            self.end[parent] = max(self.end[parent], self.end[node])
            self.leaves[parent] += self.leaves[node]
        self.inner = tree.n_children[self.order] > 0
        self.alpha = np.full(n, np.inf)
        self.cut: list[int] = []

    def path(self, errors: _HeldOutErrors | None = None) -> tuple[list[float], list[float]]:
        """Prune to the root; return the complexities from 0 to 1 and the error of the tree at each."""
        self.set_alphas()
        alphas, found = [0.0], [errors.of(self) if errors else 0.0]
        before = math.inf
        while self.inner.any():
            node = self.weakest()
            alpha = float(self.alpha[node])
            self.make_leaf(node)
            if alpha != before:
                alphas.append(alpha)
                found.append(errors.of(self) if errors else 0.0)
            before = alpha
            self.set_alphas()
        return [*alphas, _END], found

    def leaves_at(self, alpha: float) -> Mask:
        """Return a mask of the nodes of the tree that become leaves at a complexity."""
        self.set_alphas()
        while self.inner.any():
            node = self.weakest()
            if self.alpha[node] > alpha:
                break
            self.make_leaf(node)
            self.set_alphas()
        chosen = np.zeros(len(self.order), dtype=np.bool_)
        chosen[self.order[self.cut]] = True
        return chosen

    def reached(self) -> list[int]:
        """Return the nodes of the tree as it is now, each before its children."""
        found, stack = [], [0]
        while stack:
            node = stack.pop()
            found.append(node)
            if self.inner[node]:
                stack += self.children[node]
        return found

    def weakest(self) -> int:
        """Return the inner node of least complexity, with the most leaves, the first in preorder."""
        least = self.alpha[self.inner].min()
        tied = np.flatnonzero(self.inner & (self.alpha == least))
        return int(tied[self.leaves[tied].argmax()])

    def make_leaf(self, node: int) -> None:
        """Make a node a leaf, and add the change to the nodes above it."""
        fewer = self.leaves[node] - 1
        self.inner[node : self.end[node]] = False
        self.cut.append(node)
        self.error[node] = self.own_error[node]
        self.leaves[node] = 1
        at = int(self.parent[node])
        while at >= 0:
            self.set_error(at)
            self.leaves[at] -= fewer
            at = int(self.parent[at])

    def set_error(self, node: int) -> None:
        """Sum the errors below an inner node anew: whether a split lowers them may hang on the last bit."""
        if self.children[node]:
            first, second = self.children[node]
            self.error[node] = self.error[first] + self.error[second]

    def set_alphas(self) -> None:
        """Compute the complexity of each inner node; splits that do not lower the error become leaves."""
        inner = np.flatnonzero(self.inner)
        lower = self.own_error[inner] - self.error[inner]
        share = lower / self.n_rows / np.maximum(self.leaves[inner] - 1, 1)
        self.alpha[inner] = np.floor(share * _ROUNDED + 0.5) / _ROUNDED
        for node in inner[lower <= 0].tolist():
            if self.inner[node]:
                self.make_leaf(node)


@dataclass(frozen=True, eq=False)
class _Arrivals:
    """The rows that come to a node: their places among the rows of the parent, and the fraction of each."""

    n_rows: int
    place: Rows
    fraction: Floats


class _HeldOutErrors:
    """The share of held-out rows, by weight, that a tree while it is pruned gets wrong."""

    def __init__(self, tree: Tree, rows: LabeledRows) -> None:
        self.weight, self.truth = rows.weight, rows.answers
        order = np.array([*tree.walk()])
        total = tree.statistics[order].cumsum(axis=1)[:, -1:]
        self.probability = np.divide(
            tree.statistics[order], total, out=np.zeros_like(tree.statistics), where=total > 0
        )
        self.arrivals = _arrivals(tree, order, rows)

    def of(self, pruning: _Pruning) -> float:
        """Return the error rate with the leaves of a tree as it is now."""
        shares: dict[int, Floats] = {}
        for node in reversed(pruning.reached()):
            of_node = np.zeros((self.arrivals[node].n_rows, self.probability.shape[1]))
            if pruning.inner[node]:
                # Summed from the leaves up, as Weka does: rounding decides between classes of equal shares.
                for child in pruning.children[node]:
                    here = self.arrivals[child]
                    of_node[here.place] += here.fraction[:, None] * shares.pop(child)
            else:
                of_node += self.probability[node]
            shares[node] = of_node
        wrong = shares[0].argmax(axis=1) != self.truth
        return float(self.weight[wrong].sum() / self.weight.sum())


def _arrivals(tree: Tree, order: Rows, rows: LabeledRows) -> list[_Arrivals]:
    share = tree.share
    assert share is not None
    n_rows = rows.table.n_rows
    arrived = {0: (np.arange(n_rows), _Arrivals(n_rows, np.arange(n_rows), np.ones(n_rows)))}
    for node in order.tolist():
        own, _ = arrived[node]
        split = tree.split(node)
        if split is None:
            continue
        branch = split.branch(rows.table.columns[split.column][own])
        for side, child in enumerate(tree.children(node)):
            part = np.where(branch < 0, share[child], branch == side)
            place = np.flatnonzero(part > 0)
            arrived[child] = (own[place], _Arrivals(len(place), place, part[place]))
    return [arrived[node][1] for node in order.tolist()]
