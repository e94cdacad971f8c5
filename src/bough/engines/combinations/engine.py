"""The engine of splits on several columns: it computes new columns for each leaf and tabulates them too."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from bough.data.formula import Computed, Formula, Linear, Ratio, WideSchema, formula_inputs
from bough.data.schema import Schema
from bough.data.table import Table
from bough.data.target import ClassTarget, Weights
from bough.engines.combinations.bivariate import best_pair
from bough.engines.combinations.linear import best_combination
from bough.engines.combinations.sweep import Evaluate, NodeRows, standardized
from bough.engines.memory import MemoryEngine
from bough.growing.combinations import Combinations
from bough.growing.criterion import UserCriterion
from bough.growing.engine import ContingencyTable
from bough.growing.grid import scaled
from bough.growing.measure import RowTerms
from bough.growing.recipe import Recipe
from bough.growing.search import ChildLimits, ColumnProblem, best_of_column, real_statistics
from bough.progress import watcher
from bough.tree.split import Split
from bough.types import Floats, Rows


class CombinationEngine(MemoryEngine):
    """A memory engine with splits on several columns; see `bough.growing.engine.Engine`.

    Its contingency tables are those of the columns and then those of the combinations that are better than
    all of them: ratios, which are computed once, and the best line and linear combination of each leaf.

    >>> from bough.data.target import read_classes
    >>> table, y = Table.read([[1.0, 2.0], [2.0, 1.0], [3.0, 4.0], [4.0, 3.0]]), read_classes([0, 1, 0, 1])
    >>> recipe = Recipe("gini", task="classification")
    >>> engine = CombinationEngine(table, y, None, recipe, Combinations("ratio"), [Ratio(0, 1)])
    >>> [tables] = engine.tabulate([0])
    >>> engine.schema[tables[-1].column].name
    'x0 / x1'
    """

    def __init__(
        self,
        table: Table,
        target: ClassTarget | Floats,
        weights: Weights | None,
        recipe: Recipe,
        plan: Combinations,
        ratios: Sequence[Ratio],
        n_jobs: int | None = None,
    ) -> None:
        super().__init__(table, target, weights, reads=recipe.reads)
        self._recipe, self._plan = recipe, plan
        self._positions = plan.columns(table.schema)
        self._formulas: list[Formula] = [*ratios]
        self._columns = [*WideSchema.of(table.schema, ratios).columns]
        self._n_ratios = len(ratios)
        self._n_jobs = n_jobs
        self._done = 0.0

    @property
    def schema(self) -> Schema:
        """The columns of the table, and a computed column for each formula found so far."""
        return WideSchema(tuple(self._columns), formulas=tuple(self._formulas))

    @property
    def formulas(self) -> tuple[Formula, ...]:
        """The formulas found so far, in the order of the computed columns."""
        return tuple(self._formulas)

    @cached_property
    def _enough(self) -> ChildLimits:
        """The limits of the recipe on children, computed before the root is split."""
        [root], limits = self.summarize([0]), self._recipe.limits
        share = limits.min_weight_fraction_leaf * root.weight
        return ChildLimits.of(limits, root.cases, scaled(share, self._measured.weight_exponent))

    def tabulate(
        self, leaves: Sequence[int], against: Mapping[int, Split] | None = None
    ) -> Iterator[list[ContingencyTable]]:
        """Yield for each leaf the tables of the columns and of the combinations that are better than them.

        Tables by the branches of a split are those of the columns only.
        """
        if against is not None:
            yield from super().tabulate(leaves, against)
            return
        self._report(sum(len(self._rows[leaf]) for leaf in leaves))
        for leaf in leaves:
            rows = self._rows[leaf]
            terms = self._measured.terms(rows)
            simple = [self._table_of(column, rows, terms) for column in range(len(self._table.schema))]
            offered = self._offered(rows, terms, simple[0])
            yield simple + self._better(simple, offered)

    def _report(self, open_rows: int) -> None:
        if (progress := watcher()) is not None:
            self._done = max(self._done, 1 - open_rows / self._table.n_rows)
            progress(self._done)

    def _values(self, column: int, rows: Rows) -> npt.NDArray[Any]:
        n_columns = len(self._table.schema)
        if column < n_columns:
            return super()._values(column, rows)
        formula = self._formulas[column - n_columns]
        return formula.values(formula_inputs(formula, self._table.columns, rows))

    def _offered(self, rows: Rows, terms: RowTerms, first: ContingencyTable) -> list[ContingencyTable]:
        n_columns = len(self._table.schema)
        numbers = [*range(self._n_ratios)]
        for formula in self._found(self._node_rows(rows, terms, first)):
            numbers.append(len(self._formulas))
            self._formulas.append(formula)
            self._columns.append(Computed(formula.words(self._table.schema), "numeric"))
        return [self._table_of(n_columns + number, rows, terms) for number in numbers]

    def _found(self, node_rows: NodeRows | None) -> list[Linear]:
        """Return the best line in two columns and the best linear combination, of the kinds requested."""
        if node_rows is None:
            return []
        found: list[Linear | None] = []
        if "bivariate" in self._plan.kinds and (line := best_pair(node_rows, self._n_jobs)) is not None:
            found.append(node_rows.formula(line[0], line[1]))
        if "linear" in self._plan.kinds:
            best = best_combination(node_rows, self._plan.deletion)
            if best is not None:
                found.append(node_rows.formula(best[0], best[1]))
        return [formula for formula in found if formula is not None]

    def node_rows(self, leaf: int) -> NodeRows | None:
        """Return the rows of a leaf without missing values; None if there is nothing to search."""
        rows = self._rows[leaf]
        terms = self._measured.terms(rows)
        return self._node_rows(rows, terms, self._table_of(0, rows, terms))

    def _node_rows(self, rows: Rows, terms: RowTerms, table: ContingencyTable) -> NodeRows | None:
        if self._plan.kinds == ("ratio",):
            return None
        columns = [self._table.columns[position][rows].astype(np.float64) for position in self._positions]
        values = np.column_stack(columns)
        known = np.isfinite(values).all(axis=1)
        if known.sum() < 2:
            return None
        x, scale = standardized(values[known], terms.weight[known])
        varied = np.flatnonzero(scale > 0)
        if len(varied) < 2:
            return None
        return NodeRows(
            x=np.asfortranarray(x[:, varied]),
            columns=tuple([self._positions[position] for position in varied]),
            scale=scale[varied],
            statistics=np.ascontiguousarray(terms.by_row()[known, : terms.width]),
            cases=terms.cases[known],
            node_weight=table.weight,
            criterion=self._criterion(table),
            enough=self._enough,
        )

    def _criterion(self, table: ContingencyTable) -> str | Evaluate:
        """Return the name of the criterion, or a function that evaluates splits by a user-written one."""
        if isinstance(self._recipe.criterion, str):
            return self._recipe.criterion
        criterion = UserCriterion(self._recipe.criterion)

        def evaluate(children: Floats, cases: Floats) -> Floats:
            values = np.full(len(children), -np.inf)
            allowed = self._enough.met("threshold", cases, table.weights(children))
            if allowed.any():
                values[allowed] = criterion(real_statistics(table, children[allowed]))
            return values

        return evaluate

    def _better(
        self, simple: list[ContingencyTable], offered: list[ContingencyTable]
    ) -> list[ContingencyTable]:
        """Return the combinations that are better than every split on one column by the penalty."""
        schema = self.schema
        ranks = [found.rank for table in simple if (found := self._best(table, schema)) is not None]
        bound = max(ranks, default=-np.inf)
        bound += self._plan.penalty * abs(bound) if np.isfinite(bound) else 0.0
        refuse = self._recipe.missing == "refuse"
        return [
            table
            for table in offered
            if not (refuse and table.missing_cases > 0)
            and (found := self._best(table, schema)) is not None
            and found.rank > bound
        ]

    def _best(self, table: ContingencyTable, schema: Schema) -> Any:
        return best_of_column(ColumnProblem(table, schema[table.column], self._recipe, self._enough))
