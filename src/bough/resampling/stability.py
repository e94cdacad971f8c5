"""Stability: which splits come back, and how answers vary, when the tree is grown from the table drawn anew.

Each draw takes as many rows as there are, with replacement (Efron's bootstrap), and grows the same learner.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, field
from numbers import Integral
from typing import Any

import numpy as np
import numpy.typing as npt

from bough.data.table import Table
from bough.data.words import figure_words, name_words, share_words
from bough.errors import ParameterError
from bough.inspect.asked import asked_columns, asked_schema
from bough.inspect.rivals import Rival, rivals, rows_by_node
from bough.resampling.regrowth import regrower, tree_of
from bough.tree import Tree
from bough.tree.split import Threshold
from bough.types import Floats


@dataclass(frozen=True, eq=False)
class Stability:
    """What became of a tree's splits and answers in `n_draws` trees grown from the table drawn anew.

    Of node i, `returns[i]` is the share of draws in which the same column is asked at the same place, all
    nodes above it asking theirs; NaN at a leaf. `cuts[i]` are the cuts it then had. `disagreement[i]` is how
    often, on average over the node's rows, a draw's answer is not the tree's; in regression how far the
    answers of the draws lie around their mean (standard deviation). `varies` is the same for each row.
    `near_ties` are the nodes at which another column's best split is worth at least 1 − `margin` of the best.

    >>> from bough import TreeClassifier
    >>> X, y = [[i, i % 3] for i in range(30)], ["a"] * 15 + ["b"] * 15
    >>> steady = stability(TreeClassifier().fit(X, y), X, y, n_draws=20)
    >>> print(steady)
    20 trees from the table drawn anew: 2 leaves each, where the tree has 2
    answers agree with the tree's for 98.5% of rows
    <BLANKLINE>
    node  asks       comes back  cut in half of the draws
    0     x0 < 14.5      100.0%  14.5 to 14.5
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
        """How often the draws answer as the tree does; in regression, the R² of their answers' mean spread.

        Of numbers it is 1 − the variance among draws by the variance of the tree's answers over the rows.

        >>> from bough import TreeClassifier
        >>> X, y = [[1.0], [2.0], [3.0], [4.0]] * 5, ["a", "a", "b", "b"] * 5
        >>> stability(TreeClassifier().fit(X, y), X, y, n_draws=5).agreement
        1.0
        """
        if self.tree.task == "classification":
            return float(1 - self.varies.mean())
        spread = float(np.var(self._answers))
        return 1 - float(np.square(self.varies).mean()) / spread if spread > 0 else 1.0

    _answers: npt.NDArray[Any] = field(repr=False)

    def text(self) -> str:
        """Write how the trees grown anew compare, and for each inner node how often it comes back.

        >>> from bough import TreeRegressor
        >>> X, y = [[1.0], [2.0], [3.0], [4.0]] * 5, [1.0, 1.0, 5.0, 5.0] * 5
        >>> print(stability(TreeRegressor().fit(X, y), X, y, n_draws=5).text().splitlines()[-1])
        0     x0 < 2.5      100.0%  2.5 to 2.5
        """
        low, high = int(self.n_leaves.min()), int(self.n_leaves.max())
        leaves = f"{low} leaves each" if low == high else f"{low} to {high} leaves"
        drawn = f"{self.n_draws} trees from the table drawn anew"
        agreement = f"answers agree with the tree's for {share_words(self.agreement)} of rows"
        if self.tree.task == "regression":
            agreement = (
                f"agreement of answers, 1 − their variance among trees / among rows: {self.agreement:.3g}"
            )
        lines = [f"{drawn}: {leaves}, where the tree has {self.tree.n_leaves}", agreement]
        inner = np.flatnonzero(~self.tree.is_leaf)[:40].tolist()
        if not inner:
            return "\n".join(lines)
        cells = [("node", "asks", "comes back", "cut in half of the draws")]
        for node in inner:
            split = self.tree.split(node)
            asks = split.question(asked_schema(self.tree)).removesuffix("?") if split else ""
            tie = "  near tie" if node in self.near_ties else ""
            cells.append((str(node), asks, share_words(self.returns[node]), self._cut_words(node) + tie))
        ids, asked, back = (max(len(row[i]) for row in cells) for i in range(3))
        table = [f"{a:<{ids}}  {b:<{asked}}  {c:>{back}}  {d}".rstrip() for a, b, c, d in cells]
        return "\n".join([*lines, "", *table])

    def _cut_words(self, node: int) -> str:
        cuts = self.cuts.get(node)
        if cuts is None or not len(cuts):
            return ""
        low, high = np.quantile(cuts, [0.25, 0.75])
        return f"{figure_words(float(low), 4)} to {figure_words(float(high), 4)}"

    def __str__(self) -> str:
        return self.text()


def stability(
    model: Any,
    X: Any,
    y: Any,
    *,
    n_draws: int = 50,
    margin: float = 0.05,
    seed: int = 0,
    sample_weight: Any = None,
    ranked: dict[int, list[Rival]] | None = None,
) -> Stability:
    """Grow the tree again from the rows drawn anew, and say which splits come back and how answers vary.

    The model is a fitted estimator of one tree, or a tree that its recipe gives from these very rows. A
    column whose best split at a node is worth at least 1 − `margin` of the best one's is a near tie; `ranked`
    is what `rivals` found, if that is known already.

    >>> from bough import TreeClassifier
    >>> X, y = [[1.0, 5.0], [2.0, 6.0], [3.0, 7.0], [4.0, 8.0]] * 5, ["a", "a", "b", "b"] * 5
    >>> found = stability(TreeClassifier().fit(X, y), X, y, n_draws=10)
    >>> found.root_columns, list(found.near_ties)
    ({'x0': 1.0}, [0])
    """
    if not (isinstance(n_draws, Integral) and not isinstance(n_draws, bool) and n_draws >= 1):
        raise ParameterError.of("n_draws", n_draws, "a whole number of at least 1")
    if not 0 <= margin < 1:
        raise ParameterError.of("margin", margin, "a share of at least 0 and below 1")
    tree = tree_of(model)
    regrow = regrower(model, X, y, sample_weight)
    if regrow is None:
        raise ParameterError(
            "This tree cannot be grown again: its recipe does not give it from these rows. "
            "Give the rows it was grown on, or the estimator that grew it."
        )
    table = Table.fit_to(X, tree.schema)
    tally = _Tally(tree, table, int(n_draws))
    rng = np.random.default_rng(seed)
    for _ in range(int(n_draws)):
        rows = rng.integers(0, table.n_rows, table.n_rows)
        tally.add(regrow(np.bincount(rows, minlength=table.n_rows).astype(np.float64)), X)
    if ranked is None:
        ranked = rivals(tree, table, y, sample_weight=sample_weight)
    return tally.summed(margin, _near_ties(ranked, margin))


class _Tally:
    """What is counted over the draws."""

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
        """Count one tree grown anew."""
        self.leaves.append(drawn.n_leaves)
        inner = np.flatnonzero(~drawn.is_leaf).tolist()
        self.used[sorted({column for node in inner for column in asked_columns(drawn, node)})] += 1
        root = asked_schema(drawn)[int(drawn.column[0])].name if drawn.n_nodes > 1 else "(no split)"
        self.roots[root] += 1
        answers = drawn.predict(self.table if drawn.schema == self.table.schema else X)
        if self.tree.task == "classification":
            self.different += answers != self.answers
        else:
            # About the tree's own answer, so that squares of large numbers lose no digits.
            away = answers - self.answers
            self.sums += [away, np.square(away)]
        self._match(drawn)

    def _match(self, drawn: Tree) -> None:
        """Count the nodes that ask the same column at the same place."""
        pending = [(0, 0)]
        while pending:
            ours, theirs = pending.pop()
            if self.tree.is_leaf[ours] or drawn.is_leaf[theirs]:
                continue
            if asked_columns(self.tree, ours) != asked_columns(drawn, theirs):
                continue
            self.back[ours] += 1
            split = drawn.split(theirs)
            if isinstance(split, Threshold):
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
    """Keep the nodes at which a second column comes near the best, with those that do."""
    near = {}
    for node, ranked in sorted(found.items()):
        if ranked and ranked[0].value > 0:
            close = [rival for rival in ranked if rival.value >= (1 - margin) * ranked[0].value]
            if len(close) > 1:
                near[node] = close
    return near
