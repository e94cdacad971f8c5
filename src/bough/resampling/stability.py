"""Stability: how often the splits of a tree recur, and how its predictions vary, in bootstrap samples.

Each draw is a bootstrap sample: as many rows as the table has, drawn with replacement (Efron 1979).
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from bough.data.row_key import rows_of_model
from bough.data.table import Table
from bough.data.views import Part, TextTable, Viewed
from bough.data.words import figure_words, name_words, share_words, threshold_words
from bough.errors import ParameterError
from bough.growing.limits import check_whole
from bough.inspect.rivals import Rival, rivals
from bough.inspect.split_columns import split_columns, split_schema
from bough.resampling.regrowth import regrower, rows_with_events, tree_of
from bough.tree import Tree
from bough.tree.routing import rows_by_node
from bough.tree.split import IsMissing, Threshold
from bough.types import Floats


@dataclass(frozen=True, eq=False, repr=False)
class Stability(Viewed):
    """The stability of a tree, compared with trees grown from `n_draws` bootstrap samples.

    `returns[i]` is the share of bootstrap trees in which node i and all its ancestors split on the same
    columns as in the tree; NaN at a leaf. `cuts[i]` are the thresholds of these splits. `varies` is, for each
    row, the share of bootstrap trees whose prediction differs from the tree's; in regression, the standard
    deviation of the predictions. `disagreement[i]` is its mean over the rows of node i. `near_ties` are the
    nodes where the value of another column's best split is at least 1 - `margin` of the best.
    `root_columns` and `column_use` are the shares of bootstrap trees that split the root, or any node, on a
    column.

    >>> from bough import TreeClassifier
    >>> X, y = [[i / 2, i % 3] for i in range(30)], ["a"] * 15 + ["b"] * 15
    >>> found = stability(TreeClassifier().fit(X, y), X, y, n_draws=20)
    >>> print(found)
    20 trees grown from bootstrap samples: 2 leaves each; the tree has 2
    98.5% of predictions equal those of the tree
    <BLANKLINE>
    node  split      recurs  quartiles of the threshold
    0     x0 < 7.25  100.0%  7.25 to 7.25
    """

    tree: Tree
    n_draws: int
    margin: float
    returns: Floats
    cuts: dict[int, Floats] = field(repr=False)
    disagreement: Floats
    varies: Floats = field(repr=False)
    root_columns: dict[str, float]
    column_use: Floats
    n_leaves: npt.NDArray[np.intp] = field(repr=False)
    near_ties: dict[int, list[Rival]] = field(repr=False)

    @property
    def agreement(self) -> float:
        """Share of predictions of the bootstrap trees that equal those of the tree.

        In regression, it is 1 minus the variance of predictions among bootstrap trees, divided by the
        variance of the tree's predictions among rows.

        >>> from bough import TreeClassifier
        >>> X, y = [[1.0], [2.0], [3.0], [4.0]] * 5, ["a", "a", "b", "b"] * 5
        >>> stability(TreeClassifier().fit(X, y), X, y, n_draws=5).agreement
        1.0
        """
        if self.tree.task == "classification":
            return float(1 - self.varies.mean())
        variance = float(np.var(self._answers))
        return 1 - float(np.square(self.varies).mean()) / variance if variance > 0 else 1.0

    _answers: npt.NDArray[Any] = field(repr=False)

    def __repr__(self) -> str:
        return f"<Stability: {self.n_draws} trees, agreement {figure_words(self.agreement, 3)}>"

    def parts(self) -> list[Part]:
        """Return a summary, with a line for each inner node (at most 40).

        >>> from bough import TreeRegressor
        >>> X, y = [[1.0], [2.0], [3.0], [4.0]] * 5, [1.0, 1.0, 5.0, 5.0] * 5
        >>> print(stability(TreeRegressor().fit(X, y), X, y, n_draws=5).text().splitlines()[-1])
        0     x0 < 2.5  100.0%  2.5 to 2.5
        """
        low, high = int(self.n_leaves.min()), int(self.n_leaves.max())
        leaves = f"{low} leaves each" if low == high else f"{low} to {high} leaves"
        drawn = f"{self.n_draws} trees grown from bootstrap samples"
        agreement = f"{share_words(self.agreement)} of predictions equal those of the tree"
        if self.tree.task == "regression":
            measure = "agreement of predictions, 1 − variance among trees / among rows"
            agreement = f"{measure}: {figure_words(self.agreement, 3)}"
        first = f"{drawn}: {leaves}; the tree has {self.tree.n_leaves}\n{agreement}"
        inner = np.flatnonzero(~self.tree.is_leaf)[:40].tolist()
        if not inner:
            return [first]
        head = ("node", "split", "recurs", "quartiles of the threshold")
        return [first, TextTable(head, [self._cells(node) for node in inner], (2,))]

    def _cells(self, node: int) -> tuple[str, ...]:
        split = self.tree.split(node)
        words = split.question(split_schema(self.tree)).removesuffix("?") if split else ""
        tie = "  near tie" if node in self.near_ties else ""
        return str(node), words, share_words(self.returns[node]), self._cut_words(node) + tie

    def _cut_words(self, node: int) -> str:
        return " to ".join(self.cut_quartiles(node))

    def cut_quartiles(self, node: int) -> tuple[str, ...]:
        """Return the lower and the upper quartile of a split's threshold as text; none without thresholds.

        >>> from bough import TreeRegressor
        >>> X, y = [[1.0], [2.0], [3.0], [4.0]] * 5, [1.0, 1.0, 5.0, 5.0] * 5
        >>> stability(TreeRegressor().fit(X, y), X, y, n_draws=5).cut_quartiles(0)
        ('2.5', '2.5')
        """
        cuts, split = self.cuts.get(node), self.tree.split(node)
        if cuts is None or split is None or not len(cuts):
            return ()
        column = split_schema(self.tree)[split.column]
        quartiles = map(float, np.quantile(cuts, [0.25, 0.75]))
        if column.unit is not None:
            return tuple([threshold_words(column, each) for each in quartiles])
        return tuple([figure_words(each, 4) for each in quartiles])


def stability(
    model: Any,
    X: Any,
    y: Any,
    *,
    n_draws: int = 50,
    margin: float = 0.05,
    random_state: int | None = 0,
    sample_weight: Any = None,
    ranked: dict[int, list[Rival]] | None = None,
) -> Stability:
    """Grow the tree again from bootstrap samples and return how often its splits and predictions recur.

    The model is a fitted estimator of a single tree, or a tree that its recipe gives from these rows. A
    column is a near tie at a node if the value of its best split is at least 1 - `margin` of the best.
    `ranked` is the result of `bough.inspect.rivals.rivals`, if it is already known. `random_state` is the
    seed of the samples. For the Poisson criterion a sample without any event, which has no rate, is drawn
    again.

    >>> from bough import TreeClassifier
    >>> X, y = [[1.0, 5.0], [2.0, 6.0], [3.0, 7.0], [4.0, 8.0]] * 5, ["a", "a", "b", "b"] * 5
    >>> found = stability(TreeClassifier().fit(X, y), X, y, n_draws=10)
    >>> found.root_columns, list(found.near_ties)
    ({'x0': 1.0}, [0])
    """
    check_whole("n_draws", n_draws, 1)
    if random_state is not None:
        check_whole("random_state", random_state, 0, end=", or None")
    if not 0 <= margin < 1:
        raise ParameterError.of("margin", margin, "a share of at least 0 and below 1")
    tree = tree_of(model)
    regrow = regrower(model, X, y, sample_weight)
    if regrow is None:
        raise ParameterError(
            "This tree cannot be grown again: its recipe does not give the same tree from these rows. "
            "Pass the rows that it was grown on, or the fitted estimator."
        )
    table = rows_of_model(X, tree)
    tally = _Tally(tree, table, int(n_draws))
    rng, events = np.random.default_rng(random_state), rows_with_events(tree, y, sample_weight)
    for _ in range(int(n_draws)):
        rows = rng.integers(0, table.n_rows, table.n_rows)
        while events is not None and not events[rows].any():
            rows = rng.integers(0, table.n_rows, table.n_rows)
        tally.add(regrow(np.bincount(rows, minlength=table.n_rows).astype(np.float64)), X)
    if ranked is None:
        ranked = rivals(tree, table, y, sample_weight=sample_weight)
    return tally.summed(margin, _near_ties(ranked, margin))


class _Tally:
    """Counts over the bootstrap trees."""

    def __init__(self, tree: Tree, table: Table, n_draws: int) -> None:
        self.tree, self.table, self.n_draws = tree, table, n_draws
        self.answers = tree.predict(table)
        self.back = np.zeros(tree.n_nodes)
        self.cuts: dict[int, list[float]] = {}
        self.roots: Counter[str] = Counter()
        self.used = np.zeros(len(tree.schema))
        self.leaves: list[int] = []
        self.different = np.zeros(table.n_rows)
        self.sums = np.zeros((2, table.n_rows))

    def add(self, drawn: Tree, X: Any) -> None:
        """Add the counts of one bootstrap tree."""
        self.leaves.append(drawn.n_leaves)
        inner = np.flatnonzero(~drawn.is_leaf).tolist()
        self.used[sorted({column for node in inner for column in split_columns(drawn, node)})] += 1
        root = split_schema(drawn)[int(drawn.column[0])].name if drawn.n_nodes > 1 else "(no split)"
        self.roots[root] += 1
        answers = drawn.predict(self.table if drawn.schema == self.table.schema else X)
        if self.tree.task == "classification":
            self.different += answers != self.answers
        else:
            # Deviations from the tree's predictions avoid cancellation in the variance.
            deviation = answers - self.answers
            self.sums += [deviation, np.square(deviation)]
        self._match(drawn)

    def _match(self, drawn: Tree) -> None:
        """Count the nodes that split on the same columns as in the tree, as do all their ancestors."""
        pending = [(0, 0)]
        while pending:
            ours, theirs = pending.pop()
            if self.tree.is_leaf[ours] or drawn.is_leaf[theirs]:
                continue
            if split_columns(self.tree, ours) != split_columns(drawn, theirs):
                continue
            self.back[ours] += 1
            split = drawn.split(theirs)
            separates_missing = any(isinstance(each, IsMissing) for each in (split, self.tree.split(ours)))
            if isinstance(split, Threshold) and not separates_missing:
                self.cuts.setdefault(ours, []).append(split.cut)
            pending += zip(self.tree.children(ours), drawn.children(theirs), strict=False)

    def summed(self, margin: float, ties: dict[int, list[Rival]]) -> Stability:
        """Return the counts as shares."""
        if self.tree.task == "classification":
            varies = self.different / self.n_draws
        else:
            mean, square = self.sums / self.n_draws
            varies = np.sqrt(np.maximum(square - np.square(mean), 0.0))
        returns = np.where(self.tree.is_leaf, np.nan, self.back / self.n_draws)
        by_node = np.full(self.tree.n_nodes, math.nan)
        for node, rows in rows_by_node(self.tree, self.tree.apply(self.table)):
            if len(rows):
                by_node[node] = varies[rows].mean()
        return Stability(
            tree=self.tree,
            n_draws=self.n_draws,
            margin=margin,
            returns=returns,
            cuts={node: np.sort(cuts) for node, cuts in self.cuts.items()},
            disagreement=by_node,
            varies=varies,
            root_columns={name_words(name): n / self.n_draws for name, n in self.roots.most_common()},
            column_use=self.used / self.n_draws,
            n_leaves=np.array(self.leaves),
            near_ties=ties,
            _answers=self.answers,
        )


def _near_ties(found: dict[int, list[Rival]], margin: float) -> dict[int, list[Rival]]:
    """Return the nodes where several columns are within the margin of the best split, with their rivals."""
    near = {}
    for node, ranked in sorted(found.items()):
        if ranked and ranked[0].value > 0:
            close = [rival for rival in ranked if rival.value >= (1 - margin) * ranked[0].value]
            if len(close) > 1:
                near[node] = close
    return near
