"""Fitting one tree: compute the weights, grow the tree, prune it.

Every learner of one tree, every ensemble of such learners and `bough.regrow` call `fit_tree`; they differ
only in the recipe.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from bough.data.several_targets import SeveralTargets
from bough.data.table import Table
from bough.data.target import ClassTarget
from bough.data.training import Training
from bough.engines import choice, quinlan
from bough.engines.binned import RowsInMemory
from bough.engines.weight_range import unscaled, workable_weights
from bough.errors import ParameterError
from bough.growing.job import GrowingJob
from bough.growing.pruning import CostComplexity, ReducedError
from bough.growing.recipe import Recipe
from bough.growing.weighted_target import WeightedTarget
from bough.learners.folds import Folds, read_folds
from bough.learners.hashed_folds import grow_with_hashed_folds
from bough.learners.reading import resolved
from bough.learners.user_growth import UserGrown, grow_by_method
from bough.learners.user_method import CheckedMethod
from bough.learners.weighing import weighted
from bough.pruning.cost_complexity import cost_complexity_path
from bough.pruning.cross_validation import CrossValidatedPath, HeldOutLoss, LossKind, cross_validated
from bough.pruning.methods import held_out_rows, prune
from bough.pruning.row_losses import RowLosses
from bough.tree import Tree
from bough.tree.labeled_rows import LabeledRows
from bough.tree.model_answers import model_answers, model_scores
from bough.tree.one_target import every_target
from bough.types import Floats

# The largest number of trees of the path that are recorded if pruning leaves only the root.
_MOST_OF_PATH = 12


class Fitted(NamedTuple):
    """A pruned tree, the unpruned tree, and the cross-validated path if there is one.

    `answers` holds the predictions of the nodes of the pruned tree if a user's method computes them, and
    `largest` is the tree before any pruning; `grown` is pruned already as far as `cp` demands.
    """

    tree: Tree
    grown: Tree
    path: CrossValidatedPath | None = None
    answers: Floats | None = None
    largest: Tree | None = None


class Grown(NamedTuple):
    """The tree of all rows, then the tree without each fold.

    `answers` holds the predictions of their nodes if a user's method computes them.
    """

    trees: list[Tree]
    answers: list[Floats] | None = None


def fit_tree(recipe: Recipe, training: Training, *, n_jobs: int | None = None) -> Fitted:
    """Fit a tree to training rows by a recipe.

    >>> from bough.learners.reading import read_training
    >>> recipe = Recipe("gini", task="classification")
    >>> fit_tree(recipe, read_training(recipe, [[1.0], [2.0]], ["a", "b"])).tree.n_leaves
    2
    """
    recipe = resolved(recipe, training)
    return with_smoothing(recipe, _fit_resolved(recipe, training, n_jobs))


def with_smoothing(recipe: Recipe, fitted: Fitted) -> Fitted:
    """Return the trees with the smoothing of the recipe, and a tree left as its root with larger ones."""
    is_constant = fitted.tree.n_nodes == 1 and fitted.tree.leaf_models is None
    if is_constant and fitted.largest is not None and fitted.largest.n_nodes > 1:
        fitted = fitted._replace(tree=_with_larger_trees(fitted.tree, fitted.largest, fitted.path))
    if recipe.smoothing == "none":
        return fitted
    tree, grown = (replace(each, smoothing=recipe.smoothing) for each in (fitted.tree, fitted.grown))
    return fitted._replace(tree=tree, grown=grown)


def _fit_resolved(recipe: Recipe, training: Training, n_jobs: int | None) -> Fitted:
    training, target = weighted(recipe, training)
    if isinstance(recipe.pruning, CostComplexity):
        return _by_cost_complexity(recipe, recipe.pruning, training, target, n_jobs)
    weights, factor = workable_weights(target.weights, recipe)
    if weights is not target.weights:
        target = replace(target, weights=weights)
    rows = LabeledRows(training.table, target.answers, target.weights)
    held_out = held_out_rows(recipe.pruning, rows) if isinstance(recipe.pruning, ReducedError) else None
    grown = _grow(recipe, training, target, None, held_out, n_jobs)
    tree = grown.trees[0]
    if recipe.pruning is not None:
        tree = prune(recipe.pruning, tree, rows, held_out)
    if factor != 1.0:
        gains_sum = recipe.arithmetic != "bough"
        pruned, before = (unscaled(each, factor, gains_sum=gains_sum) for each in (tree, grown.trees[0]))
        return Fitted(pruned, before, largest=before)
    return _fitted(tree, grown)


def _by_cost_complexity(
    recipe: Recipe, pruning: CostComplexity, training: Training, target: WeightedTarget, n_jobs: int | None
) -> Fitted:
    if pruning.sampling == "hash":
        return _by_hashed_folds(recipe, pruning, training, target, n_jobs)
    folds = _folds(pruning, training, target)
    recipe, pruning = _with_drawn_folds(recipe, pruning, training, folds)
    # Every split below a node of such low risk would be pruned at this cp.
    growing = recipe.with_limits(min_risk=float(pruning.cp)) if pruning.cp > 0 else recipe
    grown = _grow(growing, training, target, folds, None, n_jobs)

    def validated(tree: Tree) -> CrossValidatedPath:
        assert folds is not None
        return cross_validated(
            tree,
            grown.trees[1:],
            folds,
            training.table,
            target.weights.weight,
            _held_out_loss(recipe, pruning, target, grown, training.table),
            cp=pruning.cp,
            method=pruning.path,
            n_jobs=n_jobs,
        )

    return pruned_by_cost_complexity(pruning, grown, None if folds is None else validated)


def _by_hashed_folds(
    recipe: Recipe, pruning: CostComplexity, training: Training, target: WeightedTarget, n_jobs: int | None
) -> Fitted:
    if recipe.max_bins is None:
        raise ParameterError.of("max_bins", None, "given with sampling='hash', such as max_bins=64")
    if pruning.row_key is not None and training.row_keys is None:
        raise ParameterError.of("row_key", pruning.row_key, "a column of X, which must be a frame")
    job = GrowingJob(training.table, target, recipe, None, training.target_name, n_jobs)
    rows = RowsInMemory.of(job)
    if pruning.validates:
        keys = None if training.row_keys is None else training.row_keys.tolist()
        rows = rows.in_folds(int(pruning.cv), int(pruning.random_state), keys)
    trees, validated = grow_with_hashed_folds(recipe, pruning, rows, training.target_name)
    return pruned_by_cost_complexity(pruning, Grown(trees), validated)


def pruned_by_cost_complexity(
    pruning: CostComplexity, grown: Grown, validated: Callable[[Tree], CrossValidatedPath] | None = None
) -> Fitted:
    """Return the tree pruned by cost complexity; `validated` returns its path with cross-validated risks.

    >>> from bough.example_models import iris_tree
    >>> pruned_by_cost_complexity(CostComplexity("cp", cp=0.5), Grown([iris_tree()])).tree.n_leaves
    1
    """
    tree = grown.trees[0]
    if pruning.cp > 0 or pruning.choose == "cp":
        tree = tree.pruned(pruning.cp, relative=True, method=pruning.path)
    if pruning.ccp_alpha is not None:
        pruned = tree.pruned(pruning.ccp_alpha * float(tree.weight[0]), method=pruning.path)
        return _fitted(pruned, grown, tree)
    if validated is None:
        return _fitted(tree, grown, tree)
    path = validated(tree)
    if pruning.choose not in ("one_se", "minimum"):
        return _fitted(tree, grown, tree, path)
    alpha = float(path.alphas[path.chosen(pruning.choose)])
    return _fitted(tree.pruned(alpha, method=pruning.path), grown, tree, path)


def _folds(pruning: CostComplexity, training: Training, target: WeightedTarget) -> Folds | None:
    if pruning.ccp_alpha is not None or pruning.cv is None:
        return None
    if pruning.folds is not None:
        return np.asarray(pruning.folds, dtype=np.int32)[training.rows]
    # Of several targets the first decides which rows are alike.
    truth = target.target.of(0) if isinstance(target.target, SeveralTargets) else target.target
    return read_folds(pruning.cv, truth, training.rows, training.n_given, pruning.random_state)


def _with_drawn_folds(
    recipe: Recipe, pruning: CostComplexity, training: Training, folds: Folds | None
) -> tuple[Recipe, CostComplexity]:
    """Record the folds in the recipe if `random_state` is not a number that can draw them again."""
    is_number = isinstance(pruning.cv, Integral)
    if folds is None or not is_number or isinstance(pruning.random_state, Integral):
        return recipe, pruning
    drawn = np.full(training.n_given, -1, dtype=np.int32)
    drawn[training.rows] = folds
    pruning = replace(pruning, folds=tuple(drawn.tolist()), random_state=None)
    return replace(recipe, pruning=pruning), pruning


def _grow(
    recipe: Recipe,
    training: Training,
    target: WeightedTarget,
    folds: Folds | None,
    held_out: npt.NDArray[np.bool_] | None,
    n_jobs: int | None,
) -> Grown:
    """Grow a tree on all rows that are not held out, and one on the rows outside each fold."""
    table, name = training.table, training.target_name
    if recipe.arithmetic != "bough":
        return Grown([quinlan.grow(table, target, recipe, held_out, target_name=name, n_jobs=n_jobs)])
    if held_out is not None:
        rows = np.flatnonzero(~held_out)
        table, target = table.take(rows), target.take(rows)
    if recipe.method is not None:
        grown = _grow_by_method(recipe, table, target, folds, name)
        return Grown([each.tree for each in grown], [each.answers for each in grown])
    return Grown(choice.grow(GrowingJob(table, target, recipe, folds, name, n_jobs)))


def _grow_by_method(
    recipe: Recipe, table: Table, target: WeightedTarget, folds: Folds | None, name: str | None
) -> list[UserGrown]:
    n_folds = 0 if folds is None else int(folds.max(initial=-1)) + 1
    kept = [np.arange(table.n_rows), *(np.flatnonzero(folds != fold) for fold in range(n_folds))]
    return [grow_by_method(table.take(rows), target.take(rows), recipe, name) for rows in kept]


def _held_out_loss(
    recipe: Recipe, pruning: CostComplexity, target: WeightedTarget, grown: Grown, table: Table
) -> HeldOutLoss | RowLosses:
    """Return the loss that compares predictions with the target of held-out rows."""
    if grown.answers is not None:
        return _loss_of_method(CheckedMethod(recipe.method), target, grown)
    truth = target.target
    if isinstance(truth, SeveralTargets):
        return RowLosses(partial(_loss_of_targets, truth, recipe.criterion_name))
    if grown.trees[0].leaf_models is not None:
        return RowLosses(partial(_loss_of_models, table, truth))
    if isinstance(truth, ClassTarget):
        k = len(truth.classes)
        cost = 1.0 - np.eye(k) if target.loss_matrix is None else target.loss_matrix
        if target.class_scale is not None:
            cost = cost * target.class_scale[:, None]
        return HeldOutLoss("classes", truth.codes.astype(np.float64), np.ascontiguousarray(cost))
    if recipe.criterion == "poisson":
        kind: LossKind = "roots" if pruning.error == "sqrt" else "poisson"
        return HeldOutLoss(kind, truth, exposure=_exposure(target))
    return HeldOutLoss("absolute" if recipe.criterion == "absolute_error" else "squared", truth)


def _exposure(target: WeightedTarget) -> Floats | None:
    if target.split_weight is None:
        return None
    weight = target.weights.weight
    return target.split_weight if weight is None else target.split_weight / weight


def _loss_of_targets(
    truth: SeveralTargets,
    criterion: str,
    tree: Tree,
    nodes: npt.NDArray[np.int32],
    rows: npt.NDArray[np.intp],
) -> Floats:
    """Return the mean over the targets of the loss of each row that ends at a node."""
    losses = []
    for position, one in enumerate(every_target(tree)):
        y = truth.values[rows, position]
        if one.classes:
            losses.append((one.answer_codes()[nodes] != y).astype(np.float64))
            continue
        off = y - one.answers()[nodes]
        if criterion == "poisson":
            with np.errstate(divide="ignore", invalid="ignore"):
                logarithm = np.where(y > 0, y * np.log(y / (y - off)), 0.0)
            losses.append(2.0 * (logarithm - off))
        else:
            losses.append(np.abs(off) if criterion == "absolute_error" else off * off)
    mean: Floats = np.mean(losses, axis=0)
    return mean


def _loss_of_models(
    table: Table,
    truth: ClassTarget | Floats,
    tree: Tree,
    nodes: npt.NDArray[np.int32],
    rows: npt.NDArray[np.intp],
) -> Floats:
    """Return whether the models of nodes misclassify rows, or the squares of their errors."""
    if isinstance(truth, ClassTarget):
        answers = model_scores(tree, table.take(rows), nodes).argmax(axis=1)
        return np.asarray(answers != truth.codes[rows], dtype=np.float64)
    return (truth[rows] - model_answers(tree, table.take(rows), nodes)) ** 2


def _loss_of_method(method: CheckedMethod, target: WeightedTarget, grown: Grown) -> RowLosses:
    numbers = target.numbers
    assert numbers is not None
    assert grown.answers is not None
    answers = {id(tree): each for tree, each in zip(grown.trees, grown.answers, strict=True)}

    def loss(tree: Tree, nodes: npt.NDArray[np.int32], rows: npt.NDArray[np.intp]) -> Floats:
        return method.error(numbers[rows], answers[id(tree)][nodes])

    return RowLosses(loss)


def _fitted(
    tree: Tree, grown: Grown, unpruned: Tree | None = None, path: CrossValidatedPath | None = None
) -> Fitted:
    answers = None
    if grown.answers is not None:
        answers = grown.answers[0][_nodes_before_pruning(tree, grown.trees[0])]
    before = grown.trees[0] if unpruned is None else unpruned
    if before is not tree:
        before = replace(before, recipe=_without_pruning(before.recipe))
    return Fitted(tree, before, path, answers, grown.trees[0])


def _with_larger_trees(tree: Tree, largest: Tree, path: CrossValidatedPath | None) -> Tree:
    """Return a tree that was pruned to its root with a record of the larger trees; see `tree.root_only`."""
    if path is None or len(path) == 1:
        listed, best = cost_complexity_path(largest), 0
    else:
        listed, best = path, path.chosen("minimum")
    columns: list[npt.NDArray[Any]] = [listed.n_leaves, listed.relative_risk]
    if isinstance(listed, CrossValidatedPath):
        columns += [listed.relative_cv_risk, listed.relative_cv_error]
    spread = np.linspace(0, len(columns[0]) - 1, _MOST_OF_PATH).round().astype(np.intp)
    trees = [[_recorded(column[row]) for column in columns] for row in np.union1d(spread, [best]).tolist()]
    if len(columns) == 2 and listed.n_leaves[0] < largest.n_leaves:
        # The path begins with the smallest tree of the least risk, which may be far smaller.
        whole = float(largest.risk[0])
        risk = float(largest.risk[largest.is_leaf].sum()) / whole if whole > 0 else 0.0
        trees.insert(0, [largest.n_leaves, _recorded(risk)])
    record = {"leaves": largest.n_leaves, "path": trees}
    prune = tree.recipe.get("prune", {}) | {"left_root": record}
    return replace(tree, recipe=tree.recipe | {"prune": prune})


def _recorded(figure: Any) -> float | None:
    """Return a figure with six digits, or None if it is infinite or unknown, which JSON cannot represent."""
    if isinstance(figure, Integral):
        return int(figure)
    return float(f"{figure:.6g}") if np.isfinite(figure) else None


def _without_pruning(recipe: dict[str, Any]) -> dict[str, Any]:
    """Leave out the pruning that a tree has not gone through yet; steps already made stay."""
    steps = recipe.get("prune", {}).get("steps")
    kept = {name: part for name, part in recipe.items() if name != "prune"}
    return kept | ({"prune": {"steps": steps}} if steps else {})


def _nodes_before_pruning(pruned: Tree, grown: Tree) -> npt.NDArray[np.intp]:
    """Return for each node of the pruned tree its index in the unpruned tree."""
    before = np.zeros(pruned.n_nodes, dtype=np.intp)
    for node in range(pruned.n_nodes):
        children = pruned.children(node)
        if children:
            first = int(grown.first_child[before[node]])
            before[children[0] : children[-1] + 1] = np.arange(first, first + len(children))
    return before
