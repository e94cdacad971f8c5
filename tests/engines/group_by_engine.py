"""A toy engine: rows in DuckDB, where GROUP BY sums them. The how-to page on engines quotes this file."""

import duckdb
import numpy as np
import pyarrow as pa

from bough.data.sql import quote
from bough.growing.measure import MeasuredRows
from bough.tree.sql import branch_number


class GroupByEngine:
    """An engine whose rows lie in a database; see `bough.growing.engine.Engine`."""

    def __init__(self, table, target, weights=None, *, reads=None):
        self.schema, self._measured = table.schema, MeasuredRows.of(target, weights, table.n_rows, reads)
        self.classes, self.reads = self._measured.classes, self._measured.reads
        columns = {name: pa.array(table.values(name), from_pandas=True) for name in table.schema.names}
        own = {"#leaf": np.where(self._measured.weight > 0, 0, -1), "#cases": self._measured.cases}
        self._database = duckdb.connect()
        self._database.register("given", pa.table(columns | own))
        self._execute("CREATE TABLE rows AS SELECT * FROM given")

    def summarize(self, leaves):
        return [self._measured.summary(self._of_rows("rowid", leaf)) for leaf in leaves]

    def tabulate(self, leaves, against=None):
        for leaf in leaves:
            rows = self._of_rows("rowid", leaf)
            if against is None:
                terms = self._measured.terms(rows)
            else:
                branch = self._of_rows(branch_number([(against[leaf], False)], self.schema, -1), leaf)
                terms = self._measured.branch_terms(rows, branch, against[leaf].n_branches)
            added = {f"#{place}": numbers for place, numbers in enumerate(terms.by_row().T)}
            self._database.register("added", pa.table({"#row": rows} | added))
            yield [self._table(column, terms, added) for column in range(len(self.schema))]

    def route(self, routings):
        sent = {leaf: np.zeros(len(routing.surrogates)) for leaf, routing in routings.items()}
        for leaf, routing in routings.items():
            asked = [(routing.split, False), *((each.split, each.turned) for each in routing.surrogates)]
            for place in range(len(routing.surrogates)):
                before, after = (branch_number(asked[: place + n], self.schema, -1) for n in (1, 2))
                sent[leaf][place] = self._of_rows(
                    f'"#cases" * ({before} < 0 AND {after} >= 0)::INT', leaf
                ).sum()
            branch = branch_number(asked, self.schema, routing.default_branch)
            moved = f"CASE WHEN {branch} < 0 THEN {leaf} ELSE {routing.first_child} + {branch} END"
            self._execute(f'UPDATE rows SET "#leaf" = {moved} WHERE "#leaf" = {leaf}')
        return sent

    def _table(self, column, terms, added):
        name, levels = quote(self.schema[column].name), self.schema[column].levels
        sums = ", ".join(f"sum({quote(each)})" for each in added)
        groups = f'SELECT {name}, {sums} FROM rows JOIN added ON rows.rowid = "#row" GROUP BY {name}'
        found = {value: sums for value, *sums in self._execute(groups)}
        missing = found.pop(None, [0.0] * len(added))
        known = sorted((levels.index(value) if levels else value, sums) for value, sums in found.items())
        values = np.array([value for value, _ in known])
        return terms.table(column, values, np.array([*(sums for _, sums in known), missing]))

    def _of_rows(self, expression, leaf):
        ordered = f'SELECT {expression} FROM rows WHERE "#leaf" = {leaf} ORDER BY rowid'
        return np.array([value for (value,) in self._execute(ordered)], dtype=int)

    def _execute(self, statement):
        return self._database.execute(statement).fetchall()
