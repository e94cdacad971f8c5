"""Rows of numbers: the training rows as the core fits linear models to them, and the tree that it grows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from bough.data.bins import last_of_bins
from bough.data.table import Table
from bough.data.target import ClassTarget
from bough.engines.numeric_columns import Conditioning, NumericColumns
from bough.errors import TargetError
from bough.growing.job import GrowingJob
from bough.tree import Tree
from bough.tree.leaf_models import LeafModels
from bough.tree.split import AtMost, Levels, Split
from bough.types import Floats


@dataclass(frozen=True, eq=False)
class NumericRows:
    """Columns of numbers and y, shifted and scaled, with the weights and numbers of cases of the rows."""

    table: Table
    columns: NumericColumns
    y: Floats
    of_y: Conditioning
    weight: Floats | None
    case_counts: Floats | None

    @classmethod
    def of(cls, job: GrowingJob, learner: str) -> NumericRows:
        """Return the rows of a job; raise if y holds classes."""
        y, weights = job.target.single, job.target.weights
        if isinstance(y, ClassTarget):
            raise TargetError(f"{learner} predicts numbers; y holds classes.")
        of_y = Conditioning.of(y)
        scaled = np.ascontiguousarray(of_y.apply(y))
        columns = NumericColumns.of(job.table, scaled, weights.weight)
        return cls(job.table, columns, scaled, of_y, weights.weight, weights.cases)

    @property
    def values(self) -> Floats:
        """The columns, one in each row."""
        return np.ascontiguousarray(self.columns.values)

    @property
    def cases(self) -> float:
        """The number of cases of all rows."""
        return float(self.table.n_rows if self.case_counts is None else self.case_counts.sum())

    def codes(self, max_bins: int | None) -> npt.NDArray[np.int32]:
        """Return the bin of each row in each column, by the rule of `bough.data.bins`; None: one a value."""
        codes = np.empty(self.columns.values.shape, dtype=np.int32)
        counts = np.ones(self.table.n_rows) if self.case_counts is None else self.case_counts
        for place, values in enumerate(self.columns.values):
            distinct, code = np.unique(values, return_inverse=True)
            if max_bins is not None and len(distinct) > max_bins:
                of_value = np.bincount(code, counts).astype(np.int64)
                code = np.searchsorted(last_of_bins(of_value, max_bins), code)
            codes[place] = code
        return codes

    def tree(self, job: GrowingJob, arrays: dict[str, Any]) -> Tree:
        """Return the tree whose nodes the core has returned as arrays."""
        nodes = range(len(arrays["column"]))
        means = self.of_y.center + np.ldexp(arrays["mean"], -self.of_y.exponent)
        start = arrays["term_start"]
        models = [
            self.columns.model(
                float(arrays["intercept"][node]),
                arrays["term_column"][start[node] : start[node + 1]],
                arrays["coefficient"][start[node] : start[node + 1]],
                self.of_y,
                float(means[node]),
            )
            for node in nodes
        ]
        return Tree.from_splits(
            [self._split(arrays, node) for node in nodes],
            default_branch=[self._default_branch(arrays, node) for node in nodes],
            gain=arrays["gain"],
            weight=arrays["weight"],
            cases=arrays["cases"],
            statistics=means[:, None],
            risk=np.ldexp(arrays["risk"], -2 * self.of_y.exponent),
            schema=self.table.schema,
            task=job.recipe.task,
            classes=(),
            target_name=job.target_name,
            criterion=job.recipe.criterion_name,
            recipe=job.recipe.to_json(),
            leaf_models=LeafModels.of_nodes(models),
        )

    def _split(self, arrays: dict[str, Any], node: int) -> Split | None:
        position = int(arrays["column"][node])
        if position < 0:
            return None
        column = self.columns.columns[position]
        if column.codes:
            n_levels = len(self.table.schema[column.source].levels)
            inside = set(column.codes)
            branches = tuple(int(code in inside) for code in range(n_levels))
            return Levels(column.source, "subset", tuple(range(n_levels)), branches, 2)
        beside = (float(arrays[name][node]) for name in ("cut", "below", "above"))
        cut, neighbours = self.columns.cut(self.table, position, *beside)
        return AtMost(column.source, cut, neighbours)

    def _default_branch(self, arrays: dict[str, Any], node: int) -> int:
        position = int(arrays["column"][node])
        if position < 0:
            return -1
        column = self.columns.columns[position]
        substitute = column.conditioning.apply(np.array([column.substitute]))[0]
        return int(substitute > arrays["cut"][node])
