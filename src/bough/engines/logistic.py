"""The engine of logistic model trees (Landwehr, Hall and Frank 2005).

The tree is grown by the criterion of the recipe. Then LogitBoost fits the scores of the classes in each node,
beginning with those of its parent, by lines in one column each. The sum of these lines is a linear model.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

import bough._core as _core
from bough.data.target import ClassTarget
from bough.engines import choice
from bough.engines.numeric_columns import Conditioning, NumericColumns
from bough.errors import TargetError
from bough.growing.job import GrowingJob
from bough.jobs import n_threads
from bough.progress import watcher
from bough.tree import Tree
from bough.tree.leaf_models import LeafModels, LinearModel
from bough.tree.routing import rows_of_nodes
from bough.types import Floats

FOLDS = 5
"""The number of folds that choose the number of steps; smaller nodes have the model of their parent."""


def grow_folds(job: GrowingJob) -> list[Tree]:
    """Grow a tree on all rows and on the rows outside each fold; see `bough.engines.choice.grow`.

    >>> from bough.growing.weighted_target import WeightedTarget
    >>> from bough.learners.logistic import LogisticModelTreeClassifier
    >>> from bough.learners.reading import read_training
    >>> recipe = LogisticModelTreeClassifier(boosting_steps=3).recipe()
    >>> rows = read_training(recipe, [[float(i)] for i in range(40)], ["a"] * 20 + ["b"] * 20)
    >>> [tree] = grow_folds(GrowingJob(rows.table, WeightedTarget(rows.target, rows.weights), recipe))
    >>> tree.linear_model(0).terms[0].coefficient > 0
    True
    """
    return [_grow(part) for part in job.parts()]


def _grow(job: GrowingJob) -> Tree:
    y = job.target.single
    if not isinstance(y, ClassTarget):
        raise TargetError("A logistic model tree predicts classes; y holds numbers.")
    plain = replace(job.recipe, settings={}, pruning=None)
    [tree] = choice.grow(replace(job, recipe=plain))
    tree = replace(tree, recipe=job.recipe.to_json())
    return tree if len(y.classes) < 2 else _with_models(job, y, tree)


def _with_models(job: GrowingJob, y: ClassTarget, tree: Tree) -> Tree:
    """Return the tree with the models of its nodes and the weight of the rows that they misclassify."""
    weight = job.target.weights.weight
    columns = NumericColumns.of(job.table, None, weight)
    n_classes = len(y.classes)
    n_scores = n_classes if n_classes > 2 else 1
    codes = np.ascontiguousarray(y.codes, dtype=np.int32)
    rows = _core.LogisticRows(np.ascontiguousarray(columns.values), codes, n_classes, weight)
    steps = _Steps(rows, codes, job)
    slopes = np.zeros((tree.n_nodes, n_scores, len(columns.columns)))
    intercepts, risk = np.zeros((tree.n_nodes, n_scores)), tree.risk.copy()
    of_nodes = rows_of_nodes(tree, tree.apply(job.table, job.n_jobs))
    for node, own in enumerate(of_nodes):
        if node:
            slopes[node], intercepts[node] = slopes[tree.parent[node]], intercepts[tree.parent[node]]
        n_steps = steps.of(node, own) if tree.cases[node] >= FOLDS else 0
        if n_steps:
            added, lines = rows.boost(own, n_steps)
            intercepts[node] += added
            slopes[node] += lines.reshape(n_scores, -1)
        risk[node] = rows.errors(own) if len(own) else 0.0
    models = [
        _model(columns, intercepts[node, score], slopes[node, score])
        for node in range(tree.n_nodes)
        for score in range(n_scores)
    ]
    return replace(tree, risk=risk, leaf_models=LeafModels.of_nodes(models))


class _Steps:
    """The number of steps of each node."""

    def __init__(self, rows: _core.LogisticRows, codes: npt.NDArray[np.int32], job: GrowingJob) -> None:
        self._rows, self._codes, self._threads = rows, codes, n_threads(job.n_jobs)
        self._wanted, self._most = (
            job.recipe.settings["boosting_steps"],
            int(job.recipe.settings["max_boosting_steps"]),
        )
        self._random = np.random.default_rng(job.recipe.seed)
        self._of_root = 0

    def of(self, node: int, rows: npt.NDArray[np.uint32]) -> int:
        if isinstance(self._wanted, int):
            return self._wanted
        if self._wanted == "root" and node:
            return self._of_root
        folds = stratified_folds(self._codes[rows], self._random)
        steps = self._rows.steps(rows, folds, self._most, self._threads, watcher())
        if node == 0:
            # Without any step the scores would not even tell which class is the most frequent.
            self._of_root = steps = max(steps, 1)
        return steps


def stratified_folds(codes: npt.NDArray[np.int32], random: np.random.Generator) -> npt.NDArray[np.int32]:
    """Return a fold for each row, such that each class is spread evenly over the folds.

    >>> stratified_folds(np.array([0, 0, 0, 0, 0, 1], np.int32), np.random.default_rng(0))[:5].tolist()
    [3, 4, 1, 0, 2]
    """
    order = random.permutation(len(codes))
    order = order[np.argsort(codes[order], kind="stable")]
    folds = np.empty(len(codes), dtype=np.int32)
    folds[order] = np.arange(len(codes)) % FOLDS
    return folds


def _model(columns: NumericColumns, intercept: float, slopes: Floats) -> LinearModel:
    used = np.flatnonzero(slopes).astype(np.int32)
    return columns.model(float(intercept), used, slopes[used], Conditioning(), 0.0)
