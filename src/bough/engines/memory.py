"""The reference engine: rows in memory, grouped by numpy. Other engines are tested against it."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from bough.data.schema import Schema
from bough.data.table import Table, is_missing
from bough.data.target import ClassTarget, Weights
from bough.errors import ParameterError
from bough.growing import growth
from bough.growing.criterion import Reads
from bough.growing.engine import ContingencyTable, NodeStatistics, Routing
from bough.growing.job import GrowingJob
from bough.growing.measure import MeasuredRows, RowTerms
from bough.tree import Tree
from bough.tree.split import Split
from bough.types import Floats, Rows


class MemoryEngine:
    """An engine over a table in memory; see `bough.growing.engine.Engine`.

    In regression, `reads` selects the statistics to sum: "moments" for squared error and user-written
    criteria, "rates" for Poisson, "values" for absolute error.

    >>> from bough.data.target import read_classes
    >>> engine = MemoryEngine(Table.read([[15.0], [10.0], [5.0]]), read_classes(["yes", "no", "no"]))
    >>> engine.summarize([0])[0].statistics
    array([2., 1.])
    >>> [[duration]] = list(engine.tabulate([0]))
    >>> duration.values, duration.statistics
    (array([ 5., 10., 15.]), array([[1., 0.], [1., 0.], [0., 1.]]))
    """

    def __init__(
        self,
        table: Table,
        target: ClassTarget | Floats,
        weights: Weights | None = None,
        *,
        reads: Reads | None = None,
    ) -> None:
        self._table = table
        self._measured = MeasuredRows.of(target, weights, table.n_rows, reads)
        self._rows: dict[int, Rows] = {0: self._measured.present}
        self.classes, self.reads = self._measured.classes, self._measured.reads

    @property
    def schema(self) -> Schema:
        """The columns that can be split on."""
        return self._table.schema

    def rows(self, leaf: int) -> Rows:
        """Return the positions of the rows in a leaf, ascending; rows of weight 0 are in no leaf.

        >>> from bough.data.target import read_numbers
        >>> MemoryEngine(Table.read([[1.0], [2.0]]), read_numbers([3, 4])).rows(0)
        array([0, 1])
        """
        return self._rows[leaf]

    def summarize(self, leaves: Sequence[int]) -> list[NodeStatistics]:
        """Return the statistics of each leaf; a leaf without rows has statistics of 0."""
        return [self._measured.summary(self._rows[leaf]) for leaf in leaves]

    def tabulate(
        self, leaves: Sequence[int], against: Mapping[int, Split] | None = None
    ) -> Iterator[list[ContingencyTable]]:
        """Yield for each leaf the contingency tables of all columns, in the order of the schema."""
        for leaf in leaves:
            rows = self._rows[leaf]
            if against is None:
                terms = self._measured.terms(rows)
            else:
                split = against[leaf]
                branch = split.branch(self._values(split.column, rows))
                terms = self._measured.branch_terms(rows, branch, split.n_branches)
            yield [self._table_of(column, rows, terms) for column in range(len(self._table.schema))]

    def route(self, routings: Mapping[int, Routing]) -> dict[int, Floats]:
        """Route the rows of each leaf to its children; return the cases that each surrogate routed."""
        sent = {}
        for leaf, routing in routings.items():
            rows = self._rows[leaf]
            branch, decided_by = routing.branch([self._values(column, rows) for column in routing.columns])
            cases = self._measured.cases[rows]
            sent[leaf] = np.array(
                [cases[decided_by == number].sum() for number in range(1, len(routing.columns))]
            )
            order = np.argsort(branch, kind="stable")
            starts = np.searchsorted(branch[order], np.arange(routing.split.n_branches))
            self._rows[leaf], *parts = np.split(rows[order], starts)
            self._rows.update(enumerate(parts, start=routing.first_child))
        return sent

    def _table_of(self, column: int, rows: Rows, terms: RowTerms) -> ContingencyTable:
        n_levels = len(self._table.schema[column].levels) if column < len(self._table.schema) else 0
        if 0 < n_levels < len(rows) and not terms.by_branch:
            codes, level_sums = terms.by_level(self._table.columns[column], rows, n_levels)
            return terms.table(column, codes, level_sums)
        values = self._values(column, rows)
        known = ~is_missing(values)
        distinct, position = np.unique(values[known], return_inverse=True)
        group = np.full(len(rows), len(distinct))
        group[known] = position
        return terms.table(column, distinct, terms.summed(group, len(distinct) + 1))

    def _values(self, column: int, rows: Rows) -> npt.NDArray[Any]:
        return self._table.columns[column][rows]


def grow_folds(job: GrowingJob) -> list[Tree]:
    """Grow a tree on all rows and one on the rows outside each fold; see `bough.engines.choice.grow`.

    >>> from bough.data.target import read_classes, read_weights
    >>> from bough.growing.recipe import Recipe
    >>> from bough.growing.weighted_target import WeightedTarget
    >>> table, y = Table.read([[15.0], [10.0], [5.0]]), read_classes(["yes", "no", "no"])
    >>> target, recipe = WeightedTarget(y, read_weights(None, 3)), Recipe("gini", task="classification")
    >>> job = GrowingJob(table, target, recipe, np.array([0, 1, 1], np.int32))
    >>> [tree.n_leaves for tree in grow_folds(job)]
    [2, 1, 1]
    """
    target, recipe = job.target, job.recipe
    if target.split_weight is not None or target.loss_matrix is not None or target.prior_events > 0:
        raise ParameterError(
            "Priors, losses, exposures and shrinkage need one of bough's own criteria and splits in two "
            "(no max_branches)."
        )
    engines = [
        MemoryEngine(part.table, part.target.single, part.target.weights, reads=recipe.reads)
        for part in job.parts()
    ]
    return [growth.grow(engine, recipe, target_name=job.target_name) for engine in engines]
