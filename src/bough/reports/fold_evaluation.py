"""Cross-validation of a tree for its report, by growing it again without each fold."""

from __future__ import annotations

import numpy as np

from bough.data.table import Table
from bough.data.target import ClassTarget
from bough.evaluation import Evaluation
from bough.evaluation.evaluate import folds, label_codes
from bough.resampling.regrowth import Regrow, rows_with_events
from bough.tree import Tree
from bough.types import Floats


def evaluate_by_folds(
    tree: Tree,
    regrow: Regrow,
    table: Table,
    target: ClassTarget | Floats,
    weight: Floats | None,
    n_folds: int,
) -> Evaluation | None:
    """Return the cross-validated evaluation: each row is predicted by a tree grown from the other folds.

    It is None for a Poisson tree if all events are in one fold, since none remain to grow a tree without it.

    >>> from bough import TreeRegressor
    >>> from bough.resampling.regrowth import regrower
    >>> X, y = [[1.0], [2.0], [3.0], [4.0]] * 3, [1.0, 1.0, 5.0, 5.0] * 3
    >>> model = TreeRegressor().fit(X, y)
    >>> rows, numbers = Table.fit_to(X, model.tree_.schema), np.array(y)
    >>> found = evaluate_by_folds(model.tree_, regrower(model, X, y), rows, numbers, None, 3)
    >>> found.measures["mean squared error"].value, found.rows
    (0.0, 'by 3-fold cross-validation')
    """
    by_class = isinstance(target, ClassTarget)
    truth = target.codes if isinstance(target, ClassTarget) else target
    parts = folds(truth, min(n_folds, table.n_rows), 0, by_class=by_class)
    answers = np.zeros(table.n_rows, dtype=np.intp if by_class else np.float64)
    shares = np.zeros((table.n_rows, len(tree.classes))) if by_class else None
    events = rows_with_events(tree, target, weight)
    if events is not None and not all(events[train].any() for train, _ in parts):
        return None
    for train, test in parts:
        fold_weight = np.zeros(table.n_rows)
        fold_weight[train] = 1.0
        grown = regrow(fold_weight)
        rows = _with_schema(table.take(test), grown)
        if shares is None:
            answers[test] = grown.predict(rows)
        else:
            codes = np.array([tree.classes.index(label) for label in grown.classes])
            shares[np.ix_(test, codes)] = grown.predict_proba(rows)
            answers[test] = label_codes(grown.predict(rows), tree.classes)
    words = f"by {len(parts)}-fold cross-validation"
    return Evaluation(tree.task, words, tree.classes, truth, answers, shares, weight, tree.loss_matrix)


def _with_schema(table: Table, tree: Tree) -> Table:
    """Return the rows with the schema of a tree grown from other rows, which may lack levels."""
    if table.schema == tree.schema:
        return table
    columns = []
    for own, other, values in zip(table.schema, tree.schema, table.columns, strict=True):
        if own.levels == other.levels:
            columns.append(values)
            continue
        lookup = np.append(other.level_codes(own.levels), np.int32(-1))
        columns.append(lookup[values])
    return Table(tree.schema, tuple(columns), table.n_rows)
