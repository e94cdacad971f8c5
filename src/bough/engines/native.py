"""The native engine: the whole loop of growth in C++, on columns sorted once.

It grows the tree that `bough.growing.growth.grow` grows with `bough.engines.memory`, bit for bit.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from bough import _core
from bough.data.schema import Level
from bough.data.table import Table
from bough.data.target import ClassTarget, Weights
from bough.errors import TableError
from bough.growing.recipe import Recipe, column_costs
from bough.jobs import n_threads
from bough.progress import watcher
from bough.tree import Tree
from bough.tree.alternatives import SpareSplits
from bough.types import Floats

# No tree is deeper or has more leaves: its nodes are numbered by 32 bits.
_NO_LIMIT = 2**31 - 1


_FALLBACKS = {
    "majority": "heaviest",
    "refuse": "heaviest",
    "stop": "stay",
    "surrogates_then_stop": "stay",
    "surrogates_then_majority": "larger",
}


@dataclass(frozen=True, eq=False)
class Sample:
    """What the rows are to teach: the target of each, what each weighs, and what errors cost.

    `split_weight` is what the rows weigh when splits are judged, where that differs from what they weigh in
    the nodes. `class_scale` and `loss` say how a node answers; see `bough.Tree`. A Poisson rate is shrunk as
    if `prior_events` had come at the root's rate.
    """

    target: ClassTarget | Floats
    weights: Weights
    split_weight: Floats | None = None
    class_scale: Floats | None = None
    loss: Floats | None = None
    prior_events: float = 0.0

    @property
    def classes(self) -> tuple[Level, ...]:
        """The classes; none where numbers are predicted."""
        return self.target.classes if isinstance(self.target, ClassTarget) else ()

    def take(self, rows: npt.NDArray[Any]) -> Sample:
        """Return the sample of some rows, by their positions or a mask; what errors cost stays."""
        target = self.target
        return replace(
            self,
            target=ClassTarget(target.classes, target.codes[rows])
            if isinstance(target, ClassTarget)
            else target[rows],
            weights=self.weights.take(rows),
            split_weight=None if self.split_weight is None else self.split_weight[rows],
        )

    def arrays(self, folds: npt.NDArray[np.int32] | None) -> dict[str, npt.NDArray[Any] | None]:
        """Return the arrays as the native engine reads them."""
        target, weight = self.target, self.weights.weight
        own = None
        if self.split_weight is not None:
            own = np.ones(len(self.split_weight)) if weight is None else weight
            weight = self.split_weight
        return {
            "label": target.codes if isinstance(target, ClassTarget) else None,
            "y": None if isinstance(target, ClassTarget) else target,
            "weight": weight,
            "own": own,
            "cases": self.weights.cases,
            "loss": self._costs(),
            "fold": folds,
        }

    def _costs(self) -> Floats | None:
        if self.class_scale is None and self.loss is None:
            return None
        k = len(self.classes)
        loss = 1.0 - np.eye(k) if self.loss is None else self.loss
        scale = np.ones(k) if self.class_scale is None else self.class_scale
        return np.ascontiguousarray((loss * scale[:, None]).ravel())


def grow(
    table: Table,
    target: ClassTarget | Floats,
    weights: Weights,
    recipe: Recipe,
    *,
    target_name: str | None = None,
    n_jobs: int | None = None,
) -> Tree:
    """Grow a tree as the recipe says; its criterion must be one of bough's own.

    >>> from bough.data.target import read_classes, read_weights
    >>> table, y = Table.read([[15.0], [10.0], [5.0]]), read_classes(["yes", "no", "no"])
    >>> tree = grow(table, y, read_weights(None, 3), Recipe("gini", task="classification"))
    >>> tree.condition(1)
    'x0 < 12.5'
    """
    return grow_folds(table, Sample(target, weights), recipe, None, target_name=target_name, n_jobs=n_jobs)[0]


def grow_folds(
    table: Table,
    sample: Sample,
    recipe: Recipe,
    folds: npt.NDArray[np.int32] | None = None,
    *,
    target_name: str | None = None,
    n_jobs: int | None = None,
) -> list[Tree]:
    """Grow the tree of all rows, then for each fold the tree of the rows outside it.

    Folds are numbered from 0; a row of fold −1 is in every tree. The columns are sorted once for all trees.

    >>> from bough.data.target import read_classes, read_weights
    >>> table, y = Table.read([[15.0], [10.0], [5.0]]), read_classes(["yes", "no", "no"])
    >>> sample, recipe = Sample(y, read_weights(None, 3)), Recipe("gini", task="classification")
    >>> trees = grow_folds(table, sample, recipe, np.array([0, 1, 1], np.int32))
    >>> [tree.n_leaves for tree in trees]
    [2, 1, 1]
    """
    if recipe.missing == "refuse":
        refuse_missing(table)
    grown = _core.grow(
        table.native(),
        table.n_rows,
        len(sample.classes),
        sample.arrays(folds),
        _native_recipe(table, sample, recipe),
        0 if folds is None else int(folds.max(initial=-1)) + 1,
        n_threads(n_jobs),
        watcher(),
    )
    return [_tree(arrays, table, sample, recipe, target_name) for arrays in grown]


def _tree(
    arrays: dict[str, Any], table: Table, sample: Sample, recipe: Recipe, target_name: str | None
) -> Tree:
    competitors, surrogates = arrays.pop("competitors"), arrays.pop("surrogates")
    return Tree(
        schema=table.schema,
        task=recipe.task,
        classes=sample.classes,
        target_name=target_name,
        criterion=recipe.criterion_name,
        recipe=recipe.to_json(),
        competitors=None if competitors is None else SpareSplits(**competitors),
        surrogates=None if surrogates is None else SpareSplits(**surrogates),
        follows_surrogates=recipe.missing != "stop",
        class_scale=sample.class_scale,
        loss=sample.loss,
        **arrays,
    )


def refuse_missing(table: Table, what: str = "missing values") -> None:
    """Refuse a table that has missing values; of a table to predict, levels never seen are coded alike.

    >>> refuse_missing(Table.read([[1.0], [None]]))
    Traceback (most recent call last):
    bough.errors.TableError: Column 'x0' has missing values in 1 rows, and missing='refuse' takes none.
    Fill them in, leave those rows out, or choose 'majority'.
    """
    for column, values in zip(table.schema.columns, table.columns, strict=True):
        missing = np.isnan(values) if column.scale == "numeric" else values < 0
        if missing.any():
            raise TableError(
                f"Column {column.name!r} has {what} in {int(missing.sum())} rows, and missing='refuse' takes "
                "none. Fill them in, leave those rows out, or choose 'majority'."
            )


def _native_recipe(table: Table, sample: Sample, recipe: Recipe) -> dict[str, Any]:
    limits, weights = recipe.limits, sample.weights
    cases = float(table.n_rows if weights.cases is None else weights.cases.sum())
    return {
        "criterion": recipe.criterion_name,
        "nominal": recipe.nominal,
        "max_exhaustive": recipe.max_exhaustive_levels,
        "fallback": _FALLBACKS[recipe.missing],
        "surrogates": recipe.n_surrogates if recipe.keeps_surrogates else 0,
        "surrogates_astray": recipe.surrogate_rule == "rpart",
        "surrogates_decide": recipe.missing != "stop",
        "agreement_of_known": recipe.agreement == "known",
        "competitors": recipe.n_competitors,
        "price": column_costs(recipe.costs, table.schema),
        "zero_rates": recipe.zero_rates,
        "prior_events": sample.prior_events,
        "max_depth": _NO_LIMIT if limits.max_depth is None else min(int(limits.max_depth), _NO_LIMIT),
        "max_leaves": min(int(limits.max_leaf_nodes or 0), _NO_LIMIT),
        "min_cases_split": limits.cases_to_split(cases),
        "min_cases_leaf": limits.cases_in_leaf(cases),
        "min_weight_fraction_leaf": limits.min_weight_fraction_leaf,
        "min_decrease": limits.min_impurity_decrease,
        "min_gain": -np.inf if limits.min_gain is None else limits.min_gain,
        "purity": limits.purity,
        "significance": 1.0 if limits.significance is None else limits.significance,
        "min_variance": limits.min_variance,
        "min_events": limits.min_events,
        "min_risk": limits.min_risk,
        "min_share": limits.min_improvement,
    }
