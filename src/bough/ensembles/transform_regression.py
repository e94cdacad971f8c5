"""Transform regression (Pednault 2006): linear regression trees that transform columns, in stages.

A stage transforms every column by a linear tree of this column and of what the last stage predicts, which is
fitted to the residuals. A linear tree of all transforms and the last stage is fitted to y. All of these trees
are members of one chain.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, cast

import numpy as np
import numpy.typing as npt

from bough.data.scales import Scales
from bough.data.table import Table
from bough.data.training import Training
from bough.ensembles.bagging import committee_of
from bough.ensembles.boosting_rows import BoostingRows
from bough.growing.recipe import Recipe
from bough.learners.fitting import fit_tree
from bough.learners.reading import resolved
from bough.models.committee import LEAST_SHARE, Committee, some_columns, with_output
from bough.progress import Progress, unwatched
from bough.types import Floats

# Fewer rows are not divided to choose the number of stages.
_LEAST_TO_DIVIDE = 10
_STOPPING = ("validation_fraction", "n_iter_no_change", "refit")


class TransformFit(NamedTuple):
    """The chain, and the mean squared error on the rows held out after each stage; empty without any."""

    model: Committee
    validation_errors: Floats


def fit_transform_regression(
    recipe: Recipe, training: Training, *, n_jobs: int | None = None, report: Progress = unwatched
) -> TransformFit:
    """Fit the stages to training rows; rows held out choose their number if the recipe says so.

    >>> from bough import TransformRegressor
    >>> from bough.learners.reading import read_training
    >>> recipe = TransformRegressor(max_iter=2, early_stopping=False).recipe()
    >>> training = read_training(recipe, [[i % 9, i] for i in range(90)], [float(i % 9) for i in range(90)])
    >>> fit_transform_regression(recipe, training).model
    Committee(6 members)
    """
    recipe = resolved(recipe, training)
    settings, ensemble = recipe.settings, recipe.ensemble
    assert ensemble is not None
    share, n_rows = settings.get("validation_fraction"), training.table.n_rows
    if share is None or n_rows < _LEAST_TO_DIVIDE:
        return TransformFit(_fitted(recipe, training, None, n_jobs, report)[0], np.empty(0))
    held_out = BoostingRows.of(training).drawn(share, recipe.seed)
    model, errors = _fitted(recipe, training, held_out, n_jobs, report)
    if settings["refit"]:
        own = {name: value for name, value in settings.items() if name not in _STOPPING}
        again = replace(
            recipe, settings=own, ensemble=replace(ensemble, n_estimators=int(errors.argmin()) + 1)
        )
        model = _fitted(again, training, None, n_jobs, report)[0]
    return TransformFit(model, errors)


def _fitted(
    recipe: Recipe,
    training: Training,
    held_out: npt.NDArray[np.bool_] | None,
    n_jobs: int | None,
    report: Progress,
) -> tuple[Committee, Floats]:
    """Return the chain of all stages, or of those up to the lowest error on rows held out; and the errors."""
    assert recipe.ensemble is not None
    chain, n_stages = _Chain.of(recipe, training, held_out, n_jobs), recipe.ensemble.n_estimators
    errors, ends = list[float](), list[int]()
    for number in range(n_stages):
        chain.add_stage()
        ends.append(len(chain.members))
        report((number + 1) / n_stages)
        if held_out is not None:
            errors.append(chain.error(held_out))
            if number - int(np.argmin(errors)) >= recipe.settings["n_iter_no_change"]:
                break
    kept = ends[int(np.argmin(errors))] if errors else ends[-1]
    return chain.model(kept), np.array(errors)


@dataclass(eq=False)
class _Chain:
    """The members so far, the columns that each reads, and a table that has what all of them predict."""

    recipe: Recipe
    training: Training
    table: Table
    rows: npt.NDArray[np.intp]
    n_jobs: int | None
    members: list[Any] = field(default_factory=list)
    columns: list[tuple[int, ...]] = field(default_factory=list)
    weights: list[float] = field(default_factory=list)
    stages: list[int] = field(default_factory=list)
    """The position in the table of what each stage predicts."""

    @classmethod
    def of(
        cls, recipe: Recipe, training: Training, held_out: npt.NDArray[np.bool_] | None, n_jobs: int | None
    ) -> _Chain:
        n_rows = training.table.n_rows
        rows = np.arange(n_rows) if held_out is None else np.flatnonzero(~held_out)
        return cls(recipe, training, training.table, rows, n_jobs)

    @property
    def _y(self) -> Floats:
        return cast("Floats", self.training.target)

    @property
    def _predicted(self) -> Floats:
        return np.asarray(self.table.columns[self.stages[-1]]) if self.stages else np.zeros(len(self._y))

    def add_stage(self) -> None:
        """Add the transforms of all columns, and the tree that reads them."""
        residual = self._y - self._predicted
        last, columns = self.stages[-1:], range(len(self.training.table.schema))
        transforms = [self._add((column, *last), residual) for column in columns]
        self.stages.append(self._add((*last, *transforms), self._y))

    def _add(self, columns: tuple[int, ...], target: Floats) -> int:
        """Fit a member to some columns of the table; return the position of the column that it predicts."""
        own = replace(self.recipe, ensemble=None, seed=None, scales=Scales())
        table = some_columns(self.table, columns)
        tree = fit_tree(
            own, replace(self.training, table=table, target=target).take(self.rows), n_jobs=self.n_jobs
        ).tree
        answers = np.asarray(tree.predict(table, self.n_jobs), np.float64)
        self.weights.append(self._explained(target, answers))
        self.members.append(tree)
        self.columns.append(columns)
        self.table = with_output(self.table, len(self.members) - 1, answers)
        return len(self.table.schema) - 1

    def _explained(self, target: Floats, answers: Floats) -> float:
        """Return by how much a member lowers the mean squared error of a constant."""
        target, answers = target[self.rows], answers[self.rows]
        weight = self.training.weights.weight
        weight = None if weight is None else weight[self.rows]
        mean = np.average(target, weights=weight)
        fall = (target - mean) ** 2 - (target - answers) ** 2
        return max(float(np.average(fall, weights=weight)), LEAST_SHARE)

    def error(self, rows: npt.NDArray[np.bool_]) -> float:
        """Return the mean squared error of the last stage on some rows."""
        weight = self.training.weights.weight
        off = (self._y - self._predicted)[rows] ** 2
        return float(np.average(off, weights=None if weight is None else weight[rows]))

    def model(self, n_members: int) -> Committee:
        """Return the chain of the first members."""
        committee = committee_of(
            self.members[:n_members],
            self.training.table.schema,
            (),
            tuple(self.columns[:n_members]),
            voting="chain",
            target_name=self.training.target_name,
        )
        return replace(committee, weights=tuple(self.weights[:n_members]), recipe=self.recipe.to_json())
