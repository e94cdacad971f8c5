"""The growth of a forest in steps, after each of which the error of some rows is reported."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from bough.data.schema import Level
from bough.data.table import Table
from bough.data.target import ClassTarget, read_classes, read_numbers
from bough.ensembles.forest import Forest
from bough.ensembles.growing import grow_forest
from bough.ensembles.prepared import Prepared
from bough.ensembles.progress import ProgressReports
from bough.ensembles.row_samples import RowSamples
from bough.errors import TargetError
from bough.growing.recipe import Recipe
from bough.jobs import n_threads

Sums = dict[str, npt.NDArray[Any]]

# While errors are monitored, a forest grows in at most this many steps.
_STEPS = 20


@dataclass(frozen=True, eq=False)
class MonitoredRows:
    """Rows whose error is monitored while a forest grows, with the sums of their predictions so far.

    They are a test set, or the training rows: these have `samples`, and only trees whose sample lacks a row
    predict it.
    """

    name: str
    table: Table
    truth: npt.NDArray[Any]
    samples: RowSamples | None = None
    sums: Sums = field(default_factory=dict)

    def add(self, forest: Forest, first_tree: int, n_jobs: int | None) -> None:
        """Add the predictions of some trees to the sums."""
        bags = {} if self.samples is None else self.samples.native()
        added = forest.tally(self.table, n_jobs, votes=True, first_tree=first_tree, **bags)
        for name in ("share", "vote", "trees"):
            self.sums[name] = added[name] if name not in self.sums else self.sums[name] + added[name]

    def error(self, recipe: Recipe) -> float:
        """Return the error of the trees so far: the misclassification rate, or the mean squared error."""
        seen = self.sums["trees"] > 0
        if not seen.any():
            return float("nan")
        if recipe.task == "classification":
            cutoff = recipe.settings.get("cutoff")
            scores = self.sums["vote" if recipe.settings.get("voting") == "hard" else "share"][seen]
            answers = (scores / cutoff if cutoff else scores).argmax(axis=1)
            return float((answers != self.truth[seen]).mean())
        answers = self.sums["share"][seen, 0] / self.sums["trees"][seen]
        return float(np.square(self.truth[seen] - answers).mean())


def grown_in_steps(
    given: Prepared,
    before: Forest | None,
    monitored: Sequence[MonitoredRows],
    *,
    n_jobs: int | None,
    reports: ProgressReports | None,
) -> Forest:
    """Grow the trees that a forest lacks: all at once, or in several steps if errors are monitored."""
    assert given.recipe.ensemble is not None
    assert given.recipe.seed is not None
    existing, wanted = 0 if before is None else before.n_trees, given.recipe.ensemble.n_estimators
    step = _step(wanted - existing, n_threads(n_jobs)) if monitored else wanted - existing
    parts = [] if before is None else [before]
    for rows in monitored:
        for forest in parts:
            rows.add(forest, 0, n_jobs)
    for first in range(existing, wanted, step):
        many = min(step, wanted - first)
        forest = grow_forest(
            given.training,
            given.recipe,
            seed=given.recipe.seed,
            first_tree=first,
            n_trees=many,
            n_jobs=n_jobs,
            progress=None if reports is None else reports.part(first - existing, many),
        )
        parts.append(forest)
        for rows in monitored:
            rows.add(forest, first, n_jobs)
        if reports is not None and monitored:
            errors = {f"{rows.name} error": rows.error(given.recipe) for rows in monitored}
            reports.report_errors(first + many, errors)
    return Forest.joined(*parts)


def _step(n_trees: int, n_threads: int) -> int:
    """Return the number of trees to grow in a step while errors are monitored, a multiple of the threads."""
    least = -(-n_trees // _STEPS)
    return -(-least // n_threads) * n_threads


def read_truth(
    y: Any,
    n_rows: int,
    classes: tuple[Level, ...],
    *,
    names: tuple[str, str] = ("y", "X"),
    rows: npt.NDArray[np.intp] | None = None,
) -> npt.NDArray[Any]:
    """Return the target of new rows, or of some of them: codes of these classes, or numbers without classes.

    >>> read_truth(["b", "a"], 2, ("a", "b"))
    array([1, 0], dtype=int32)
    >>> read_truth([2.5], 2, ())
    Traceback (most recent call last):
    bough.errors.TargetError: y has 1 entries and X 2 rows; give one for each row.
    """
    given: Any = read_classes(y) if classes else read_numbers(y)
    n_given = len(given.codes) if classes else len(given)
    if n_given != n_rows:
        raise TargetError(
            f"{names[0]} has {n_given} entries and {names[1]} {n_rows} rows; give one for each row."
        )
    if not classes:
        return np.asarray(given if rows is None else given[rows])
    if rows is not None:
        given = ClassTarget(given.classes, given.codes[rows]).occurring()
    refusal = "{label}, a class the forest was not grown on; leave out its rows. The forest has the classes"
    return np.asarray(given.codes_in(classes, f"{names[0]} holds {refusal} {{classes}}."))
