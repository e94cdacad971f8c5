"""The loop that grows a tree: find a split for each new leaf, make it, continue with the children.

The loop does not see the rows. An engine fills the contingency tables, `search` finds the best splits and
`limits` decides when to stop.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol, runtime_checkable

import numpy as np

from bough.data.schema import Schema
from bough.errors import ParameterError, TableError
from bough.growing.class_costs import read_loss_matrix
from bough.growing.criterion import reads_losses
from bough.growing.drawn_search import LevelOrders, best_of_drawn
from bough.growing.engine import ContingencyTable, Engine, NodeStatistics, Routing
from bough.growing.grouping import Merging, Ranges
from bough.growing.hashed_draws import child_key
from bough.growing.merging import MergingSearch
from bough.growing.missing import Missing
from bough.growing.ranges import best_grouped
from bough.growing.recipe import Recipe
from bough.growing.search import ColumnSearch, Found, best_of_column, best_split, improvement
from bough.growing.surrogates import best_surrogates, higher_branch
from bough.tree import Tree
from bough.tree.alternatives import AlternativeSplit, AlternativeSplits
from bough.types import Floats

# When a row stops at a node because neither the split nor a surrogate can route it.
_STOPS: Mapping[Missing, str] = {
    "majority": "never",
    "refuse": "never",
    "learned": "never",
    "own_level": "never",
    "floating_level": "never",
    "stop": "always",
    "surrogates_then_stop": "always",
    "surrogates_then_majority": "between equals",
}


def grow(engine: Engine, recipe: Recipe, *, target_name: str | None = None) -> Tree:
    """Grow a tree by a recipe from the contingency tables of an engine.

    >>> from bough.engines.memory import MemoryEngine
    >>> from bough.data.table import Table
    >>> from bough.data.target import read_classes
    >>> X, y = [["s", 15.0], ["s", 10.0], ["o", 10.0], ["a", 5.0]], ["yes", "yes", "no", "no"]
    >>> engine = MemoryEngine(Table.read(X), read_classes(y))
    >>> tree = grow(engine, Recipe("gini", task="classification"))
    >>> tree.condition(1), tree.condition(2)
    ('x0 in {a, o}', 'x0 = s')
    """
    _check_engine(engine, recipe)
    loss_matrix = None
    if recipe.loss_matrix is not None and reads_losses(recipe.criterion):
        loss_matrix = read_loss_matrix(recipe.loss_matrix, engine.classes)
    growing = GrowingTree(engine.summarize([0]), recipe)
    _grow_leaves(engine, growing, loss_matrix)
    return growing.tree(engine, target_name)


def grow_subtree(engine: Engine, recipe: Recipe, start: SubtreeStart) -> GrowingTree:
    """Grow the subtree of a node whose rows are all those of an engine."""
    growing = GrowingTree(engine.summarize([0]), recipe, start)
    _grow_leaves(engine, growing, None)
    return growing


def _grow_leaves(engine: Engine, growing: GrowingTree, loss_matrix: Floats | None) -> None:
    recipe, queue = growing.recipe, SplitQueue(growing.recipe.limits.max_leaf_nodes)
    merging = MergingSearch(recipe) if isinstance(recipe.grouping, Merging) else None
    new_leaves = [0]
    while new_leaves:
        leaves = [leaf for leaf in new_leaves if growing.splittable(leaf)]
        if isinstance(engine, SubtreeEngine) and recipe.limits.max_leaf_nodes is None:
            grown = engine.subtrees({leaf: growing.start(leaf) for leaf in leaves}, recipe)
            for leaf, subtree in grown.items():
                growing.graft(leaf, subtree)
            leaves = [leaf for leaf in leaves if leaf not in grown]
        for leaf, tables in zip(leaves, engine.tabulate(leaves), strict=True):
            _check_missing(tables, engine.schema, recipe)
            if merging is not None:
                root, node = growing.root, growing.nodes[leaf]
                found, growing.p_values[leaf] = merging.best(tables, engine.schema, node, root)
            else:
                found = growing.best_split(leaf, tables, engine.schema, loss_matrix)
            queue.add(leaf, found, growing.nodes[leaf].weight)
            if found is not None and recipe.keeps_surrogates:
                growing.higher_branch[leaf] = higher_branch(tables[found.split.column], found.split)
        chosen = queue.take()
        if recipe.keeps_surrogates:
            growing.find_surrogates(engine, chosen)
        routings = growing.split(chosen)
        growing.record_surrogate_cases(engine.route(routings))
        new_leaves = growing.children(routings)
        growing.nodes += engine.summarize(new_leaves)


@dataclass(frozen=True)
class SubtreeStart:
    """What a node must know of its tree to be grown apart: the root, the gain there, and its own depth.

    `improvement_of_root` is None if the node is the root itself. `key` decides which columns the node draws,
    and `orders` are those of the levels; the root draws them.
    """

    root: NodeStatistics
    cases: float
    depth: int = 0
    improvement_of_root: float | None = None
    key: int = 0
    orders: LevelOrders | None = None


@runtime_checkable
class SubtreeEngine(Protocol):
    """Protocol of engines that can grow the subtrees of small nodes apart, all levels at once."""

    def subtrees(self, starts: Mapping[int, SubtreeStart], recipe: Recipe) -> Mapping[int, GrowingTree]:
        """Return the subtrees of some of the given leaves; the others are grown level by level."""


@dataclass
class SplitQueue:
    """The splits found and not made yet, in the order in which they will be made.

    Without `max_leaves`, `take` returns all of them. With it, `take` returns one split at a time: the one
    with the greatest gain for the whole tree, the leaf made first in a tie. A split that would exceed the
    number of leaves is skipped, and its node remains a leaf.

    >>> from bough.tree.split import Threshold
    >>> queue = SplitQueue(max_leaves=2)
    >>> for leaf, value in ((1, 0.2), (2, 0.3)):
    ...     queue.add(leaf, Found(value, value, Threshold(0, 1.5), default_branch=0), weight=4.0)
    >>> list(queue.take()), list(queue.take())
    ([2], [])
    """

    max_leaves: int | None = None
    n_leaves: int = 1
    waiting: list[tuple[float, int, Found]] = field(default_factory=list)

    def add(self, leaf: int, found: Found | None, weight: float) -> None:
        """Add the split found for a leaf, if there is one."""
        if found is not None:
            heapq.heappush(self.waiting, (-found.value * weight, leaf, found))

    def take(self) -> dict[int, Found]:
        """Remove and return the splits to make next, by leaf."""
        if self.max_leaves is None:
            taken = {leaf: found for _, leaf, found in sorted(self.waiting, key=lambda entry: entry[1])}
            self.waiting.clear()
            return taken
        while self.waiting:
            _, leaf, found = heapq.heappop(self.waiting)
            n_leaves = self.n_leaves + found.split.n_branches - 1
            if n_leaves <= self.max_leaves:
                self.n_leaves = n_leaves
                return {leaf: found}
        return {}


class GrowingTree:
    """An unfinished tree: its nodes in the order they were made, and the splits made so far."""

    def __init__(
        self, first: Iterable[NodeStatistics], recipe: Recipe, start: SubtreeStart | None = None
    ) -> None:
        self.recipe = recipe
        self.nodes = list(first)
        self.found: dict[int, Found] = {}
        self.higher_branch: dict[int, int] = {}
        self.p_values: dict[int, Floats] = {}
        self._surrogates: dict[int, list[AlternativeSplit]] = {}
        self._children: dict[int, range] = {}
        self._start = start or SubtreeStart(self.nodes[0], self.nodes[0].cases, key=recipe.seed or 0)
        self._depth = [self._start.depth]
        self._keys = [self._start.key]
        self._orders = self._start.orders

    @property
    def root(self) -> NodeStatistics:
        """The root of the whole tree."""
        return self._start.root

    def improvement_of_root(self) -> float:
        """Return by how much the split of the root improves the tree, 0 if it has none."""
        if self._start.improvement_of_root is not None:
            return self._start.improvement_of_root
        first = self.found.get(0)
        return improvement(first.value, self.root, self.recipe) if first else 0.0

    def start(self, leaf: int) -> SubtreeStart:
        """Return what is needed to grow the subtree of a leaf apart."""
        of_root = None if leaf == 0 else self.improvement_of_root()
        if self._start.improvement_of_root is not None:
            of_root = self._start.improvement_of_root
        return SubtreeStart(
            self.root, self.nodes[leaf].cases, self._depth[leaf], of_root, self._keys[leaf], self._orders
        )

    def best_split(
        self, leaf: int, tables: Sequence[ContingencyTable], schema: Schema, loss_matrix: Floats | None
    ) -> Found | None:
        """Return the best split of a leaf, of the columns that it draws if the recipe says so."""
        recipe, node, of_root = self.recipe, self.nodes[leaf], self.improvement_of_root()
        of_column: ColumnSearch = best_grouped if isinstance(recipe.grouping, Ranges) else best_of_column
        if recipe.nominal == "ordered":
            # The first leaf that is searched is the root.
            self._orders = self._orders or LevelOrders.drawn(tables, schema, self._keys[leaf])
            of_column = self._orders.best_of_column

        def search(some: Sequence[ContingencyTable]) -> Found | None:
            return best_split(some, schema, recipe, node, self.root, of_root, loss_matrix, of_column)

        if recipe.columns is None:
            return search(tables)
        return best_of_drawn(tables, recipe.columns, self._keys[leaf], search)

    def graft(self, leaf: int, subtree: GrowingTree) -> None:
        """Put a subtree in the place of a leaf; its nodes are numbered after those made so far."""
        offset = len(self.nodes) - 1
        for name in ("found", "higher_branch", "p_values", "_surrogates"):
            own, grown = getattr(self, name), getattr(subtree, name)
            own.update({node + offset if node else leaf: each for node, each in grown.items()})
        for node, children in subtree._children.items():
            moved = range(children.start + offset, children.stop + offset)
            self._children[node + offset if node else leaf] = moved
        self.nodes += subtree.nodes[1:]
        self._depth += subtree._depth[1:]
        self._keys += subtree._keys[1:]

    def splittable(self, leaf: int) -> bool:
        """Whether the recipe's limits allow a leaf to be split."""
        return self.recipe.limits.splittable(self.nodes[leaf], self._depth[leaf], self.root)

    def find_surrogates(self, engine: Engine, chosen: Mapping[int, Found]) -> None:
        """Find surrogates of the splits to make, from contingency tables of values by branches."""
        splits = {leaf: found.split for leaf, found in chosen.items()}
        for leaf, tables in zip(splits, engine.tabulate([*splits], against=splits), strict=True):
            higher = self.higher_branch[leaf]
            self._surrogates[leaf] = best_surrogates(tables, engine.schema, self.recipe, splits[leaf], higher)

    def record_surrogate_cases(self, sent: Mapping[int, Floats]) -> None:
        """Record the number of cases that each surrogate routed."""
        for leaf, cases in sent.items():
            surrogates = self._surrogates.get(leaf, [])
            for position, routed in enumerate(cases.tolist()):
                surrogates[position] = replace(surrogates[position], cases=routed)

    def split(self, chosen: dict[int, Found]) -> dict[int, Routing]:
        """Create the children of each chosen leaf and return the routing of its rows."""
        routings = {}
        for leaf, found in chosen.items():
            first, count = len(self._depth), found.split.n_branches
            self.found[leaf], self._children[leaf] = found, range(first, first + count)
            self._depth += [self._depth[leaf] + 1] * count
            self._keys += [child_key(self._keys[leaf], branch) for branch in range(count)]
            surrogates = self._surrogates.get(leaf, []) if self.recipe.missing != "stop" else []
            routings[leaf] = Routing(found.split, self._fallback(found), first, tuple(surrogates))
        return routings

    def _fallback(self, found: Found) -> int:
        """Return the branch, during growth, of a row that neither the split nor a surrogate can route."""
        stops = _STOPS[self.recipe.missing]
        return -1 if stops == "always" or (stops == "between equals" and found.tied) else found.default_branch

    def _default_branch(self, node: int) -> int:
        """Return the branch of such a row at prediction."""
        found, stops = self.found.get(node), _STOPS[self.recipe.missing]
        if found is None or stops == "always":
            return -1
        if stops == "never":
            return found.default_branch
        first, second = (self.nodes[child].cases for child in self._children[node])
        return -1 if first == second else int(first < second)

    def children(self, parents: Iterable[int]) -> list[int]:
        """Return the children of all given nodes, grouped by parent."""
        return [child for parent in parents for child in self._children.get(parent, ())]

    def _p_values(self, order: Sequence[int], n_columns: int) -> Floats | None:
        """Return the adjusted p-value of each column in each node, NaN where it was not tested."""
        if not isinstance(self.recipe.grouping, Merging):
            return None
        untested = np.full(n_columns, np.nan)
        return np.array([self.p_values.get(node, untested) for node in order])

    def order(self) -> list[int]:
        """Return all nodes in breadth-first order."""
        order, level = [0], [0]
        while level := self.children(level):
            order += level
        return order

    def tree(self, engine: Engine, target_name: str | None) -> Tree:
        """Return the finished tree, with its nodes numbered in breadth-first order."""
        order, recipe = self.order(), self.recipe
        surrogates = [self._surrogates.get(node, []) for node in order]
        nodes = [self.nodes[node] for node in order]
        found = [self.found.get(node) for node in order]
        return Tree.from_splits(
            [each.split if each else None for each in found],
            default_branch=[self._default_branch(node) for node in order],
            gain=[each.value if each else np.nan for each in found],
            weight=[node.weight for node in nodes],
            cases=[node.cases for node in nodes],
            statistics=[node.statistics for node in nodes],
            risk=[node.risk for node in nodes],
            **recipe.head(engine.schema, engine.classes, target_name),
            surrogates=AlternativeSplits.of_nodes(surrogates) if any(surrogates) else None,
            p_value=self._p_values(order, len(engine.schema)),
            follows_surrogates=recipe.missing != "stop",
        )


def _check_engine(engine: Engine, recipe: Recipe) -> None:
    if recipe.n_competitors or recipe.column_costs is not None or recipe.zero_rates:
        raise ParameterError("n_competitors, column_costs and zero_rates need one of bough's own criteria.")
    if engine.reads != recipe.reads:
        raise ParameterError(
            f"The engine sums {engine.reads!r}, but criterion {recipe.criterion_name!r} for {recipe.task} "
            f"reads {recipe.reads!r}; make the engine with reads={recipe.reads!r}."
        )


def _check_missing(tables: Sequence[ContingencyTable], schema: Schema, recipe: Recipe) -> None:
    if recipe.missing == "refuse":
        for table in tables:
            if table.missing_cases > 0:
                name = schema[table.column].name
                raise TableError(
                    f"Column {name!r} has missing values in {table.missing_cases:g} cases, but "
                    "missing='refuse' allows none. Impute them, leave those rows out, or choose 'majority'."
                )
