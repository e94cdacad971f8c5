"""The table of the candidate splits of a node, to be printed, indexed or converted to a data frame."""

from __future__ import annotations

import itertools
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar, cast

import numpy as np

from bough.data.formula import column_words
from bough.data.lazy_sequence import LazySequence
from bough.data.records import Records, rows_of_parts
from bough.data.schema import Level, Schema
from bough.data.views import Part, TextTable, html_view, text_view
from bough.data.words import figure_column, level_set_words, level_words
from bough.errors import ParameterError
from bough.growing.column_split import CandidateKind
from bough.growing.criterion import criterion_named
from bough.growing.engine import ContingencyTable
from bough.growing.enumeration import Candidates
from bough.growing.placement import NOWHERE, Placement
from bough.tree.split import Intervals, IsMissing, Split, Threshold, takes_only_missing
from bough.types import Floats


@dataclass(frozen=True)
class Candidate:
    """A candidate split: its children, its errors, and the value of every criterion.

    `values` describes the values of each child. `counts` are the class weights of each child; in regression,
    `means` are the means of y. `child_errors` is the misclassified weight of each child, or its sum of
    squared errors, and `errors` is their total; with losses or priors it is the least expected loss of a
    prediction. `missing` is the weight of the cases whose value is missing. They are in no child, unless the
    missing policy of the model is "learned" or "own_level": then the values of their child are "missing" or
    end in "or missing". A criterion that does not apply is NaN.
    """

    variable: str
    kind: CandidateKind
    split: Split = field(repr=False)
    values: tuple[str, ...]
    weights: tuple[float, ...]
    counts: tuple[tuple[float, ...], ...]
    means: tuple[float, ...]
    child_errors: tuple[float, ...]
    errors: float
    missing: float
    criteria: dict[str, float]


@dataclass(frozen=True, eq=False)
class Block:
    """The candidates of one column, as arrays.

    `cut` is the threshold of the only candidate, if it is not the midpoint of two values. `costs` is the loss
    of each predicted class (column) for each class (row); by default every error costs 1. `placed` says which
    branch the missing values take; by default they take none.
    """

    schema: Schema
    table: ContingencyTable
    listed: Candidates
    criteria: dict[str, Floats]
    cut: float | None = None
    costs: Floats | None = None
    placed: Placement = NOWHERE

    @cached_property
    def child_errors(self) -> Floats:
        """The misclassified weight of each child, or its sum of squared errors."""
        statistics, grid = self.listed.statistics, self.table.grid
        if self.costs is not None:
            return np.asarray(grid.weight((statistics @ self.costs).min(axis=2)))
        if self.table.reads == "classes":
            return np.asarray(grid.weight(statistics.sum(axis=2) - statistics.max(axis=2)))
        return np.asarray(grid.squared_error(statistics))

    def candidate(self, i: int) -> Candidate:
        """Return candidate i of the column."""
        table, column = self.table, self.schema.shown[self.table.column]
        branches = self.listed.branches(i)
        split, missing = self.placed.split(table, column, self.listed.kind, branches)
        if self.cut is not None:
            split = replace(cast("Threshold", split), cut=self.cut)
        statistics = self.listed.statistics[i]
        weights = table.grid.weight(table.weights(statistics))
        by_class = table.reads == "classes"
        # A complete split has a branch for every level; the candidate lists only those with rows.
        present: Sequence[int] = range(len(statistics))
        if self.listed.kind == "complete":
            present = [*table.values.astype(int).tolist(), *([missing] if missing >= 0 else [])]
        return Candidate(
            variable=column.name,
            kind=self.listed.kind,
            split=split,
            values=tuple(_child_words(split, self.schema, branch, missing) for branch in present),
            weights=tuple(weights.tolist()),
            counts=tuple(map(tuple, table.grid.weight(statistics).tolist())) if by_class else (),
            means=() if by_class else tuple(table.grid.target(statistics[:, 1] / statistics[:, 0]).tolist()),
            child_errors=tuple(self.child_errors[i].tolist()),
            errors=float(self.child_errors[i].sum()),
            missing=float(table.grid.weight(table.weights(table.missing))),
            criteria={name: float(values[i]) for name, values in self.criteria.items()},
        )


def _child_words(split: Split, schema: Schema, branch: int, missing: int) -> str:
    """Return the condition of a child without the name of the column; `missing` is that of missing values."""
    if branch == missing and takes_only_missing(split, branch):
        return "missing"
    return _known_words(split, schema, branch) + (" or missing" if branch == missing else "")


def _known_words(split: Split, schema: Schema, branch: int) -> str:
    schema = schema.shown
    column = schema[split.column]
    if isinstance(split, IsMissing):
        return "known"
    if isinstance(split, Threshold):
        if column.scale == "ordinal":
            return f"{('<=', '>')[branch]} {level_words(column.levels[int(split.cut)])}"
        return f"{('<', '>=')[branch]} {split.cut_words(column)}"
    if isinstance(split, Intervals):
        words = split.words(schema, branch)
        return words.removeprefix(f"{column_words(column)} ")
    first, levels = split.levels(schema, 0), split.levels(schema, branch)
    if split.kind == "one_vs_rest" and branch == 1:
        return f"not {level_words(first[0])}" if first else "known"
    if len(levels) == 1 and (split.kind != "subset" or len(column.levels) == 2):
        return level_words(levels[0])
    return level_set_words(levels)


@dataclass(frozen=True, eq=False)
class CandidateTable(LazySequence[Candidate], Records):
    """The candidate splits of a node, in the order of the columns.

    Thresholds are ascending. In a split into subsets the first level is always in the first child, and each
    split differs from the one before by one level (Gray code).
    """

    _plural: ClassVar[str] = "candidates"

    classes: tuple[Level, ...]
    criteria: tuple[str, ...]
    blocks: tuple[Block, ...] = field(repr=False)

    @cached_property
    def _starts(self) -> list[int]:
        return list(itertools.accumulate((len(block.listed) for block in self.blocks), initial=0))

    def __len__(self) -> int:
        return self._starts[-1]

    def _item(self, position: int) -> Candidate:
        block = bisect_right(self._starts, position) - 1
        return self.blocks[block].candidate(position - self._starts[block])

    def best(self, criterion: str) -> Candidate:
        """Return the candidate with the largest value of a criterion; ties go to the first.

        >>> from bough.inspect.candidates import candidates
        >>> candidates([["s", 15], ["s", 10], ["o", 5], ["a", 5]], ["y", "y", "n", "y"]).best("gini").values
        ('{a, s}', '{o}')
        """
        name = criterion_named(criterion)
        if name not in self.criteria:
            raise ParameterError.of("criterion", criterion, f"one of {', '.join(map(repr, self.criteria))}")
        values = np.concatenate([[], *(block.criteria[name] for block in self.blocks)])
        if np.isnan(values).all():
            raise ParameterError(f"The criterion {name!r} applies to no candidate of this node.")
        return self[int(np.nanargmax(values))]

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return a dict for each candidate; the values of its children are lists.

        >>> from bough.inspect.candidates import candidates
        >>> table = candidates([[5.0], [10.0]], ["no", "yes"])
        >>> {key: table.to_dicts()[0][key] for key in ("variable", "values", "no", "yes", "errors", "gini")}
        {'variable': 'x0', 'values': ['< 7.5', '>= 7.5'], 'no': [1.0, 0.0], 'yes': [0.0, 1.0], 'errors': 0.0,
         'gini': 0.5}
        """
        return [
            {
                "variable": each.variable,
                "kind": each.kind,
                "values": list(each.values),
                **{name: list(figures) for name, figures in self._child_figures(each).items()},
                "errors": each.errors,
                "missing": each.missing,
                **each.criteria,
            }
            for each in self
        ]

    def _frame(self) -> list[dict[str, Any]]:
        return rows_of_parts(self.to_dicts(), "candidate")

    def _child_figures(self, candidate: Candidate) -> dict[str, Sequence[float]]:
        if not self.classes:
            figures = {"weight": candidate.weights, "mean": candidate.means}
            return {**figures, "squared errors": candidate.child_errors}
        taken = {"candidate", "variable", "kind", "values", "errors", "missing", *self.criteria}
        labels = [level_words(label) for label in self.classes]
        names = [f"class {label}" if label in taken else label for label in labels]
        return dict(zip(names, zip(*candidate.counts, strict=True), strict=True))

    def text(self, *criteria: str, max_candidates: int | None = 100) -> str:
        """Return the table as text: a line for each child, and a column for each of the given criteria.

        >>> from bough.inspect.candidates import candidates
        >>> print(candidates([["s", 15], ["s", 10], ["a", 5]], ["yes", "yes", "no"]).text("gini"))
        variable  values   no  yes  errors  gini
        x0        a        1   0    0       0.444444
                  s        0   2
        x1        < 7.5    1   0    0       0.444444
                  >= 7.5   0   2
        x1        < 12.5   1   1    1       0.111111
                  >= 12.5  0   1
        """
        return text_view(self._parts(criteria, max_candidates)).replace("\n\n...", "\n...")

    def _parts(self, criteria: Sequence[str], max_candidates: int | None) -> list[Part]:
        names = [criterion_named(name) for name in criteria]
        shown = len(self) if max_candidates is None else min(max_candidates, len(self))
        lines = [line for candidate in self[:shown] for line in self._lines(candidate, names)]
        if not lines:
            return ["no candidates"]
        errors = "errors" if self.blocks[0].costs is None else "loss"
        head = ["variable", "values", *self._child_figures(self[0]), errors, *names]
        words, figures = zip(*lines, strict=True)
        columns = [*zip(*words, strict=True), *map(figure_column, zip(*figures, strict=True))]
        grid = TextTable(head, [*zip(*columns, strict=True)], range(2, len(head)))
        more = [f"... and {len(self) - shown} more candidates"] if shown < len(self) else []
        return [grid, *more]

    def _repr_html_(self) -> str:
        return html_view(self._parts((), 100))

    def _lines(
        self, candidate: Candidate, names: Sequence[str]
    ) -> Iterator[tuple[tuple[str, str], list[float | None]]]:
        """Yield the words and the numbers of each child; those of the whole split are with the first."""
        figures = self._child_figures(candidate).values()
        whole = [candidate.errors, *(candidate.criteria[name] for name in names)]
        for child, words in enumerate(candidate.values):
            own = whole if child == 0 else [None] * len(whole)
            yield ("" if child else candidate.variable, words), [*(each[child] for each in figures), *own]

    def __str__(self) -> str:
        return self.text()
