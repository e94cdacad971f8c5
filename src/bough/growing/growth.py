"""Growth is the loop that makes a tree: find a split for each new leaf, make it, look at its children.

It knows no rows. An engine fills the tables, search finds the splits, limits say where to stop.
"""

import heapq
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from bough.data.schema import Schema
from bough.errors import ParameterError, TableError
from bough.growing.engine import ContingencyTable, Engine, NodeStatistics, Routing
from bough.growing.missing import Missing
from bough.growing.recipe import Recipe
from bough.growing.search import Found, best_split, improvement
from bough.growing.surrogates import best_surrogates, higher_branch
from bough.tree import Tree
from bough.tree.alternatives import AlternativeSplit, AlternativeSplits
from bough.types import Floats

# When a row stays in a node that neither its split nor a surrogate can place.
_STAYS: Mapping[Missing, str] = {
    "majority": "never",
    "refuse": "never",
    "stop": "always",
    "surrogates_then_stop": "always",
    "surrogates_then_majority": "between equals",
}


def grow(engine: Engine, recipe: Recipe, *, target_name: str | None = None) -> Tree:
    """Grow a tree as the recipe says from the tables an engine fills.

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
    nursery = Nursery(engine.summarize([0]), recipe)
    frontier = Frontier(recipe.limits.max_leaf_nodes)
    fresh = [0]
    while fresh:
        leaves = [leaf for leaf in fresh if nursery.splittable(leaf)]
        for leaf, tables in zip(leaves, engine.tabulate(leaves), strict=True):
            _check_missing(tables, engine.schema, recipe)
            root, node = nursery.nodes[0], nursery.nodes[leaf]
            first = nursery.found.get(0)
            of_root = improvement(first.value, root, recipe) if first else 0.0
            found = best_split(tables, engine.schema, recipe, node, root, of_root)
            frontier.add(leaf, found, nursery.nodes[leaf].weight)
            if found is not None and recipe.keeps_surrogates:
                nursery.higher_branch[leaf] = higher_branch(tables[found.split.column], found.split)
        chosen = frontier.take()
        if recipe.keeps_surrogates:
            nursery.find_surrogates(engine, chosen)
        routings = nursery.split(chosen)
        nursery.note_sent(engine.route(routings))
        fresh = nursery.children(routings)
        nursery.nodes += engine.summarize(fresh)
    return nursery.tree(engine, target_name)


@dataclass
class Frontier:
    """The leaves a split was found for, and which of these splits are made next.

    Without a limit on the leaves all are made at once. With it, one at a time: the one that gains most for
    the whole tree, of equals the one of the leaf made first. A split with more branches than the limit leaves
    room for is passed over, and its node remains a leaf.

    >>> from bough.tree.split import Threshold
    >>> frontier = Frontier(max_leaves=2)
    >>> for leaf, value in ((1, 0.2), (2, 0.3)):
    ...     frontier.add(leaf, Found(value, value, Threshold(0, 1.5), default_branch=0), weight=4.0)
    >>> list(frontier.take()), list(frontier.take())
    ([2], [])
    """

    max_leaves: int | None = None
    n_leaves: int = 1
    waiting: list[tuple[float, int, Found]] = field(default_factory=list)

    def add(self, leaf: int, found: Found | None, weight: float) -> None:
        """Take a leaf in, if a split was found for it."""
        if found is not None:
            heapq.heappush(self.waiting, (-found.value * weight, leaf, found))

    def take(self) -> dict[int, Found]:
        """Give out the splits to be made next, by the leaf."""
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


class Nursery:
    """A tree while it grows: its nodes in the order they were made, and the splits made so far."""

    def __init__(self, root: Iterable[NodeStatistics], recipe: Recipe) -> None:
        self.recipe = recipe
        self.nodes = list(root)
        self.found: dict[int, Found] = {}
        self.higher_branch: dict[int, int] = {}
        self._surrogates: dict[int, list[AlternativeSplit]] = {}
        self._children: dict[int, range] = {}
        self._depth = [0]

    def splittable(self, leaf: int) -> bool:
        """Whether the recipe's limits let a leaf be split."""
        return self.recipe.limits.splittable(self.nodes[leaf], self._depth[leaf], self.nodes[0])

    def find_surrogates(self, engine: Engine, chosen: Mapping[int, Found]) -> None:
        """Find the surrogates of the splits to be made, by tables against their branches."""
        splits = {leaf: found.split for leaf, found in chosen.items()}
        for leaf, tables in zip(splits, engine.tabulate([*splits], against=splits), strict=True):
            higher = self.higher_branch[leaf]
            self._surrogates[leaf] = best_surrogates(tables, engine.schema, self.recipe, splits[leaf], higher)

    def note_sent(self, sent: Mapping[int, Floats]) -> None:
        """Keep how many cases each surrogate sent."""
        for leaf, cases in sent.items():
            spares = self._surrogates.get(leaf, [])
            for place, rows in enumerate(cases.tolist()):
                spares[place] = replace(spares[place], cases=rows)

    def split(self, chosen: dict[int, Found]) -> dict[int, Routing]:
        """Make room for the children of each leaf chosen and say where its rows go."""
        routings = {}
        for leaf, found in chosen.items():
            first, count = len(self._depth), found.split.n_branches
            self.found[leaf], self._children[leaf] = found, range(first, first + count)
            self._depth += [self._depth[leaf] + 1] * count
            surrogates = self._surrogates.get(leaf, []) if self.recipe.missing != "stop" else []
            routings[leaf] = Routing(found.split, self._fallback(found), first, tuple(surrogates))
        return routings

    def _fallback(self, found: Found) -> int:
        """Return where a row goes while the tree grows that neither the split nor a surrogate can place."""
        stays = _STAYS[self.recipe.missing]
        return -1 if stays == "always" or (stays == "between equals" and found.tied) else found.default_branch

    def _default_branch(self, node: int) -> int:
        """Return where such a row goes at prediction."""
        found, stays = self.found.get(node), _STAYS[self.recipe.missing]
        if found is None or stays == "always":
            return -1
        if stays == "never":
            return found.default_branch
        first, second = (self.nodes[child].cases for child in self._children[node])
        return -1 if first == second else int(first < second)

    def children(self, parents: Iterable[int]) -> list[int]:
        """Return the children of the nodes, those of each together."""
        return [child for parent in parents for child in self._children.get(parent, ())]

    def order(self) -> list[int]:
        """Return all nodes level by level, children in the order of their parents."""
        order, level = [0], [0]
        while level := self.children(level):
            order += level
        return order

    def tree(self, engine: Engine, target_name: str | None) -> Tree:
        """Return the finished tree, its nodes numbered level by level."""
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
            schema=engine.schema,
            task=recipe.task,
            classes=engine.classes,
            target_name=target_name,
            criterion=recipe.criterion_name,
            recipe=recipe.to_json(),
            surrogates=AlternativeSplits.of_nodes(surrogates) if any(surrogates) else None,
            follows_surrogates=recipe.missing != "stop",
        )


def _check_engine(engine: Engine, recipe: Recipe) -> None:
    if recipe.n_competitors or recipe.column_costs is not None or recipe.zero_rates:
        raise ParameterError("Competitors, costs of columns and rates of 0 are for bough's own criteria.")
    if engine.reads != recipe.reads:
        raise ParameterError(
            f"The engine sums {engine.reads!r}, and criterion {recipe.criterion_name!r} for {recipe.task} "
            f"reads {recipe.reads!r}; make the engine with reads={recipe.reads!r}."
        )


def _check_missing(tables: Sequence[ContingencyTable], schema: Schema, recipe: Recipe) -> None:
    if recipe.missing == "refuse":
        for table in tables:
            if table.missing_cases > 0:
                name = schema[table.column].name
                raise TableError(
                    f"Column {name!r} has missing values in {table.missing_cases:g} cases, and "
                    "missing='refuse' takes none. Fill them in, leave those rows out, or choose 'majority'."
                )
