"""Which rows a page judges the tree by: those held out, else all by cross-validation, else those given."""

from __future__ import annotations

from typing import Any

import numpy as np

from bough.data.table import Table
from bough.data.target import ClassTarget
from bough.evaluation import Evaluation, evaluate
from bough.evaluation.evaluate import folds, label_codes
from bough.resampling.regrowth import Regrow
from bough.tree import Tree
from bough.types import Floats


def judged_by_folds(
    tree: Tree,
    regrow: Regrow,
    table: Table,
    target: ClassTarget | Floats,
    weight: Floats | None,
    n_folds: int,
) -> Evaluation:
    """Answer for each row by a tree grown without it.

    >>> from bough import TreeRegressor
    >>> from bough.resampling.regrowth import regrower
    >>> X, y = [[1.0], [2.0], [3.0], [4.0]] * 3, [1.0, 1.0, 5.0, 5.0] * 3
    >>> model = TreeRegressor().fit(X, y)
    >>> rows, numbers = Table.fit_to(X, model.tree_.schema), np.array(y)
    >>> found = judged_by_folds(model.tree_, regrower(model, X, y), rows, numbers, None, 3)
    >>> found.measures["mean squared error"].value, found.rows
    (0.0, 'by 3-fold cross-validation')
    """
    by_class = isinstance(target, ClassTarget)
    truth = target.codes if isinstance(target, ClassTarget) else target
    places = folds(truth, min(n_folds, table.n_rows), 0, by_class=by_class)
    answers = np.zeros(table.n_rows, dtype=np.intp if by_class else np.float64)
    shares = np.zeros((table.n_rows, len(tree.classes))) if by_class else None
    for train, test in places:
        kept = np.zeros(table.n_rows)
        kept[train] = 1.0
        grown = regrow(kept)
        own = _as(table.take(test), grown)
        if shares is None:
            answers[test] = grown.predict(own)
        else:
            where = np.array([tree.classes.index(label) for label in grown.classes])
            shares[np.ix_(test, where)] = grown.predict_proba(own)
            answers[test] = label_codes(grown.predict(own), tree.classes)
    root = tree.answer(0)
    baseline = tree.classes.index(root) if by_class else float(root)
    rows_words = f"by {len(places)}-fold cross-validation"
    return Evaluation(tree.task, rows_words, tree.classes, truth, answers, shares, weight, None, baseline)


def judged_directly(tree: Tree, X: Any, y: Any, weight: Floats | None, rows: str) -> Evaluation:
    """Hold the tree's answers for a table against the truth.

    >>> from bough.example_models import iris_tree
    >>> judged_directly(iris_tree(), [[1.4, 0.2]], ["setosa"], None, "held out").measures["accuracy"].value
    1.0
    """
    return evaluate(tree, X, y, sample_weight=weight, rows=rows)


def _as(table: Table, tree: Tree) -> Table:
    """Return the rows under the schema of a tree grown from some of them, which may lack levels."""
    if table.schema == tree.schema:
        return table
    columns = []
    for ours, theirs, values in zip(table.schema, tree.schema, table.columns, strict=True):
        if ours.levels == theirs.levels:
            columns.append(values)
            continue
        lookup = np.append(theirs.level_codes(ours.levels), np.int32(-1))
        columns.append(lookup[values])
    return Table(tree.schema, tuple(columns), table.n_rows)
