"""Missingness: the patterns of missing values of a table, and the columns that predict them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from bough.data.readers.source import refuse_sparse
from bough.data.table import Table, is_missing
from bough.data.views import Part, TextTable, Viewed
from bough.data.words import count_words, error_words, figure_words, name_words, share_words
from bough.errors import ParameterError
from bough.missing_values.mcar import LittleTest, little_test
from bough.models.model import used_columns
from bough.tree import Tree
from bough.tree.identifiers import one_identifier_warning
from bough.types import Floats, Mask

WARNING = "Whether values are missing not at random cannot be determined from the table."


@dataclass(frozen=True, eq=False)
class MissingnessExplanation:
    """A tree that predicts from the other columns whether the value of a column is missing.

    `area` is its cross-validated area under the ROC curve, and `area_error` the standard error. `columns` are
    the columns that the tree splits on, with their importance, if the area exceeds 0.5 by two standard
    errors; otherwise it is empty.
    """

    column: str
    tree: Tree = field(repr=False)
    area: float
    area_error: float
    columns: dict[str, float]

    @property
    def explained(self) -> bool:
        """Whether other columns predict it better than chance.

        >>> found = missingness([[i, None if i < 20 else 1.0] for i in range(60)]).explain("x1")
        >>> found.explained, found.columns
        (True, {'x0': 1.0})
        """
        return bool(self.columns)

    def words(self) -> str:
        """Return the result as a sentence.

        >>> found = missingness([[i, None if i < 20 else 1.0] for i in range(60)]).explain("x1")
        >>> found.words()
        'x1 is not missing completely at random: x0 predicts it (area under ROC 0.962 ± 0.031)'
        """
        name = name_words(self.column)
        area = f"area under ROC {error_words(self.area, self.area_error)}"
        if not self.explained:
            return f"{name}: no other column predicts whether it is missing ({area})"
        names = ", ".join(map(name_words, self.columns))
        verb = "predicts" if len(self.columns) == 1 else "predict"
        return f"{name} is not missing completely at random: {names} {verb} it ({area})"


@dataclass(frozen=True, eq=False, repr=False)
class Missingness(Viewed):
    """The missing values of a table; `indicators` is True where a value is missing.

    >>> found = missingness([[1.0, None], [2.0, 3.0], [None, None], [4.0, 5.0]])
    >>> found.shares, found.complete
    (array([0.25, 0.5 ]), 0.5)
    """

    table: Table = field(repr=False)
    indicators: Mask = field(repr=False)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns.

        >>> missingness([[1.0, None]]).names
        ('x0', 'x1')
        """
        return self.table.schema.names

    @property
    def shares(self) -> Floats:
        """The share of rows in which each column is missing.

        >>> missingness([[1.0, None], [2.0, 3.0]]).shares
        array([0. , 0.5])
        """
        return np.asarray(self.indicators.mean(axis=0))

    @property
    def complete(self) -> float:
        """The share of rows without missing values, which complete-case analysis keeps.

        >>> missingness([[1.0, None], [2.0, 3.0]]).complete
        0.5
        """
        return float((~self.indicators.any(axis=1)).mean())

    @property
    def complete_by_chance(self) -> float:
        """The expected share of complete rows if values were missing independently in each column.

        >>> rows = [[None if i == j else 1.0 for j in range(20)] for i in range(20)]
        >>> round(missingness(rows).complete_by_chance, 2)  # 20 columns, each missing in 5 % of rows
        0.36
        """
        return float(np.prod(1 - self.shares))

    @property
    def hidden(self) -> list[str]:
        """The columns that are missing in every row.

        >>> missingness([[1.0, None], [2.0, None]]).hidden
        ['x1']
        """
        return [name for name, share in zip(self.names, self.shares, strict=True) if share == 1]

    def available(self, *columns: str | int) -> float:
        """Return the share of rows in which all of these columns are known (available-case analysis).

        >>> found = missingness([[1.0, None, 1.0], [2.0, 3.0, None], [3.0, 4.0, 5.0]])
        >>> round(found.available("x0", "x1"), 3), round(found.complete, 3)
        (0.667, 0.333)
        """
        positions = [self._position(column) for column in columns]
        return float((~self.indicators[:, positions].any(axis=1)).mean())

    def patterns(self) -> list[tuple[int, tuple[str, ...]]]:
        """Return the patterns of missing values, most frequent first: the number of rows and the columns.

        >>> missingness([[1.0, None], [2.0, 3.0], [4.0, None]]).patterns()
        [(2, ('x1',)), (1, ())]
        """
        kinds, counts = np.unique(self.indicators, axis=0, return_counts=True)
        order = np.argsort(-counts, kind="stable")
        return [(int(counts[each]), self._named(kinds[each])) for each in order]

    def mcar(self) -> LittleTest:
        """Return Little's test (1988) that the numeric columns are missing completely at random.

        >>> rng = np.random.default_rng(0)
        >>> rows = rng.normal(size=(300, 2))
        >>> rows[rows[:, 0] > 0.5, 1] = np.nan
        >>> missingness(rows).mcar().p_value < 0.001
        True
        """
        numeric = [
            values.astype(np.float64)
            for column, values in zip(self.table.schema, self.table.columns, strict=True)
            if column.scale == "numeric"
        ]
        numbers = np.column_stack(numeric) if numeric else np.empty((self.table.n_rows, 0))
        return little_test(np.where(np.isfinite(numbers), numbers, np.nan))

    def explain(self, column: str | int, *, max_depth: int = 3, cv: int = 10) -> MissingnessExplanation:
        """Grow a tree that predicts from the other columns whether the value of a column is missing.

        The other columns may have missing values, too.

        >>> rows = [["low" if i % 3 else "high", None if i % 3 else 1.0] for i in range(60)]
        >>> found = missingness(rows).explain("x1")
        >>> [str(rule) for rule in found.tree.rules()]
        ['x0 = high -> known', 'x0 = low -> missing']
        """
        from bough.evaluation.evaluate import cross_validated
        from bough.learners.tree import TreeClassifier

        position = self._position(column)
        here = self.indicators[:, position]
        others = [each for each in range(len(self.names)) if each != position]
        if here.all() or not here.any() or not others:
            what = "always" if here.all() else "never"
            raise ParameterError(
                f"Column {self.names[position]!r} is {what} missing, or it is the only column. "
                "Choose a column that is sometimes missing, of a table with other columns."
            )
        rows = _columns(self.table, others)
        labels = np.where(here, "missing", "known")
        least = max(5, self.table.n_rows // 100)
        # Only the known values of other columns may explain it: patterns of missing values are shown apart.
        learner = TreeClassifier(
            max_depth=max_depth,
            min_samples_leaf=min(least, max(1, self.table.n_rows // 4)),
            missing="majority",
        )
        folds = min(cv, int(here.sum()), int((~here).sum()))
        with one_identifier_warning(silent=True):
            tree = _named_tree(learner.fit(rows, labels).tree_, self.names[position])
            if folds < 2:
                return MissingnessExplanation(self.names[position], tree, 0.5, 0.0, {})
            curve = cross_validated(learner, rows, labels, cv=folds).roc("missing")
        columns = used_columns(tree) if curve.area - 2 * curve.area_error > 0.5 else {}
        return MissingnessExplanation(self.names[position], tree, curve.area, curve.area_error, columns)

    @cached_property
    def touched(self) -> list[str]:
        """The columns that are missing in some rows but not in all.

        >>> missingness([[1.0, None, None], [2.0, 3.0, None]]).touched
        ['x1']
        """
        return [name for name, share in zip(self.names, self.shares, strict=True) if 0 < share < 1]

    def __repr__(self) -> str:
        complete = figure_words(int(np.count_nonzero(~self.indicators.any(axis=1))))
        return f"<Missingness: {complete} of {count_words(self.table.n_rows, 'row')} are complete>"

    def parts(self) -> list[Part]:
        """Return a summary: the shares of missing values and the columns that predict them.

        >>> print(missingness([[i, None if i < 20 else 1.0] for i in range(60)]))
        60 rows, 2 columns; 40 (66.7%) are complete, complete-case analysis loses 20 (33.3%)
        <BLANKLINE>
        column  missing  share
        x1           20  33.3%
        <BLANKLINE>
        x1 is not missing completely at random: x0 predicts it (area under ROC 0.962 ± 0.031)
        <BLANKLINE>
        Whether values are missing not at random cannot be determined from the table.
        """
        n_rows = self.table.n_rows
        complete = int(np.count_nonzero(~self.indicators.any(axis=1)))
        head = f"{count_words(n_rows, 'row')}, {count_words(len(self.names), 'column')}"
        kept, lost = (f"{figure_words(n)} ({share_words(n / n_rows)})" for n in (complete, n_rows - complete))
        first = f"{head}; {kept} are complete, complete-case analysis loses {lost}"
        if not self.indicators.any():
            return [first, "There are no missing values."]
        counts = zip(self.indicators.sum(axis=0).tolist(), self.names, strict=True)
        ranked = sorted(((n, name) for n, name in counts if n), key=lambda pair: -pair[0])
        rows = [(name_words(name), figure_words(n), share_words(n / n_rows)) for n, name in ranked]
        parts: list[Part] = [first, TextTable(("column", "missing", "share"), rows, (1, 2))]
        if self.hidden:
            parts.append(f"Missing in every row: {', '.join(map(name_words, self.hidden))}")
        if len(self.names) == 1:
            name = name_words(self.names[0])
            parts.append(f"{name} is missing in some rows, and there is no other column to predict it.")
        elif self.touched:
            parts.append("\n".join(self.explain(name).words() for name in self.touched))
        return [*parts, WARNING]

    def _position(self, column: str | int) -> int:
        return (
            self.table.schema.position(column) if isinstance(column, str) else range(len(self.names))[column]
        )

    def _named(self, kind: Mask) -> tuple[str, ...]:
        return tuple(name for name, missing in zip(self.names, kind, strict=True) if missing)


def missingness(X: Any, **scales: Any) -> Missingness:
    """Return the missing values of a table; `scales` are the keyword arguments of `Table.read`.

    >>> missingness([[1.0, "a"], [None, None]]).indicators
    array([[False, False],
           [ True,  True]])
    """
    refuse_sparse("X", X)
    table = X if isinstance(X, Table) else Table.read(X, **scales)
    return Missingness(table, np.column_stack([*map(is_missing, table.columns)]))


def _columns(table: Table, positions: Sequence[int]) -> Table:
    from bough.data.schema import Schema

    schema = Schema(tuple(table.schema[position] for position in positions))
    return Table(schema, tuple(table.columns[position] for position in positions), table.n_rows)


def _named_tree(tree: Tree, name: str) -> Tree:
    from dataclasses import replace

    return replace(tree, target_name=name)
