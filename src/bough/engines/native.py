"""The native engine: the whole loop of growth in C++, on columns sorted once.

It grows the tree that `bough.growth.grow` grows with `bough.engines.memory`, to the last bit of every split.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

import numpy as np
import numpy.typing as npt

from bough import _core
from bough.errors import TableError
from bough.jobs import n_threads
from bough.recipe import Recipe
from bough.table import Table
from bough.target import ClassTarget, Weights
from bough.tree import Tree

Progress = Callable[[float], None]

_watcher: ContextVar[Progress | None] = ContextVar("watcher", default=None)


@contextmanager
def watched(progress: Progress | None) -> Iterator[None]:
    """Within it, `progress` is called now and then by every growth with the share of its work done.

    >>> with watched(lambda share: print(f"{share:.0%}")):
    ...     pass
    """
    token = _watcher.set(progress)
    try:
        yield
    finally:
        _watcher.reset(token)


def watcher() -> Progress | None:
    """Return what `watched` set for the growth at hand, None if nothing.

    >>> watcher() is None
    True
    """
    return _watcher.get()


# No tree is deeper or has more leaves: its nodes are numbered by 32 bits.
_NO_LIMIT = 2**31 - 1


def grow(
    table: Table,
    target: ClassTarget | npt.NDArray[np.float64],
    weights: Weights,
    recipe: Recipe,
    *,
    target_name: str | None = None,
    n_jobs: int | None = None,
) -> Tree:
    """Grow a tree as the recipe says; its criterion must be one of bough's own.

    >>> from bough.target import read_classes, read_weights
    >>> table, y = Table.read([[15.0], [10.0], [5.0]]), read_classes(["yes", "no", "no"])
    >>> tree = grow(table, y, read_weights(None, 3), Recipe("gini", task="classification"))
    >>> tree.condition(1)
    'x0 < 12.5'
    """
    if recipe.missing == "refuse":
        refuse_missing(table)
    if isinstance(target, ClassTarget):
        classes, codes, numbers = target.classes, target.codes, None
    else:
        classes, codes, numbers = (), None, target
    arrays = _core.grow(
        table.native(),
        table.n_rows,
        len(classes),
        codes,
        numbers,
        weights.weight,
        weights.cases,
        recipe.criterion_name,
        recipe.nominal,
        recipe.max_exhaustive_levels,
        _native_limits(table, weights, recipe),
        n_threads(n_jobs),
        watcher(),
    )
    return Tree(
        schema=table.schema,
        task=recipe.task,
        classes=classes,
        target_name=target_name,
        criterion=recipe.criterion_name,
        recipe=recipe.to_json(),
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


def _native_limits(table: Table, weights: Weights, recipe: Recipe) -> dict[str, float]:
    limits = recipe.limits
    cases = float(table.n_rows if weights.cases is None else weights.cases.sum())
    return {
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
    }
