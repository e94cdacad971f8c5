"""How far a tree is from the best tree of its size, and the trees that are nearly as good as the best."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal, cast

import numpy as np

import bough._core as _core
from bough.data.target import ClassTarget
from bough.data.words import figure_words
from bough.engines.optimal import core_settings, grow_folds, problem_of, tree_of_nodes
from bough.errors import ParameterError
from bough.growing.job import GrowingJob
from bough.growing.limits import check_number
from bough.growing.pruning import check_choice
from bough.growing.recipe import Recipe
from bough.growing.weighted_target import WeightedTarget
from bough.learners.fitting import fit_tree
from bough.learners.optimal import OptimalTreeClassifier, OptimalTreeRegressor
from bough.learners.reading import read_training, resolved
from bough.learners.weighing import weighted
from bough.progress import watcher
from bough.tree import Tree
from bough.types import Floats, Task


@dataclass(frozen=True, eq=False, repr=False)
class Optimality:
    """The objective of a tree and a lower bound of that of every tree of its size.

    The objective is the share of misclassified weight, the mean loss or the mean squared error on the rows
    given, or the mean absolute error if the tree was grown by it. `gap` is the greatest possible improvement.
    If `proved`, the search was not stopped, and `lower_bound` is the objective of `best`, the best tree.
    `tree` is the given tree with these bounds recorded, so that its report states them.
    """

    tree: Tree
    best: Tree
    objective: float
    lower_bound: float
    proved: bool

    @property
    def gap(self) -> float:
        """The objective less the lower bound: no tree of this size improves on the given tree by more.

        >>> from bough import TreeClassifier
        >>> X, y = [[1.0], [2.0], [3.0], [4.0]], [0, 1, 1, 1]
        >>> optimality(TreeClassifier(max_depth=1).fit(X, y), X, y).gap
        0.0
        """
        return self.objective - self.lower_bound

    def __repr__(self) -> str:
        return f"<Optimality: {self}>"

    def __str__(self) -> str:
        state = "proved" if self.proved else "search stopped"
        objective, bound, gap = map(figure_words, (self.objective, self.lower_bound, self.gap))
        return f"objective {objective}, at least {bound} for any tree of this size ({state}): gap {gap}"


def optimality(
    tree: Any,
    X: Any,
    y: Any,
    sample_weight: Any = None,
    *,
    size: Literal["depth", "leaves"] = "depth",
    time_limit: float | None = 60.0,
    n_jobs: int | None = None,
) -> Optimality:
    """Return how far a tree is from the best tree of its depth, on the rows given.

    Parameters
    ----------
    tree
        A tree of any learner, or the learner fitted; its splits must have two branches.
    X, y, sample_weight
        The rows, usually those that the tree was grown on.
    size
        "depth": the best of all trees at most as deep; "leaves": among those, the best of all trees with at
        most as many leaves.
    time_limit
        The greatest time of the search in seconds; None for no limit.
    n_jobs
        The number of threads; None uses all cores.

    Examples
    --------
    >>> from bough import TreeClassifier
    >>> X = [[a, b] for a in range(4) for b in range(4)]
    >>> y = [(a < 2) ^ (b < 2) for a, b in X]
    >>> print(optimality(TreeClassifier(max_depth=1).fit(X, y), X, y))
    objective 0.5, at least 0.5 for any tree of this size (proved): gap 0

    """
    tree = getattr(tree, "tree_", tree)
    _check_tree(tree)
    if size not in ("depth", "leaves"):
        raise ParameterError.of("size", size, "'depth' or 'leaves'")
    limits: dict[str, Any] = {"max_depth": max(tree.depth, 1), "time_limit": time_limit, "n_jobs": n_jobs}
    if size == "leaves":
        limits["max_leaf_nodes"] = max(tree.n_leaves, 2)
    recipe = _recipe_like(tree, limits)
    training = read_training(recipe, X, y, sample_weight, learner="optimality")
    objective = _objective(tree, recipe, training)
    best = fit_tree(recipe, training, n_jobs=n_jobs).tree
    found = best.provenance["optimality"]
    lower = min(found["lower_bound"], objective)
    proved = bool(found["proved"])
    bounds = {"objective": objective, "lower_bound": lower, "proved": lower == objective}
    marked = replace(tree, provenance=tree.provenance | {"optimality": bounds})
    return Optimality(marked, best, objective, lower, proved)


def _check_tree(tree: object) -> None:
    if not isinstance(tree, Tree):
        raise ParameterError.of("tree", tree, "a tree, or a learner fitted that has one")
    if (tree.n_children > 2).any():
        node = int(np.argmax(tree.n_children > 2))
        raise ParameterError(
            f"Node {node} of the tree has {tree.n_children[node]} branches, but optimal trees are searched "
            "among those with two; grow the tree with nominal='subset'."
        )


def _recipe_like(tree: Tree, limits: dict[str, Any]) -> Recipe:
    """Return the recipe of an optimal tree with the losses of a tree."""
    if tree.task == "regression":
        absolute = tree.criterion == "absolute_error"
        return OptimalTreeRegressor(
            criterion="absolute_error" if absolute else "squared_error", **limits
        ).recipe()
    matrix = tree.loss_matrix
    losses = None
    if matrix is not None:
        pairs = [(i, j) for i in range(len(tree.classes)) for j in range(len(tree.classes)) if i != j]
        losses = {(tree.classes[i], tree.classes[j]): float(matrix[i, j]) for i, j in pairs}
    scale = tree.class_scale
    weight = None if scale is None else dict(zip(tree.classes, scale.tolist(), strict=True))
    return OptimalTreeClassifier(loss_matrix=losses, class_weight=weight, **limits).recipe()


def _objective(tree: Tree, recipe: Recipe, training: Any) -> float:
    """Return the mean loss of the predictions of a tree on its rows."""
    training, target = weighted(resolved(recipe, training), training)
    weight = target.weights.each(training.table.n_rows)
    answers = tree.predict(training.table)
    if not isinstance(target.target, ClassTarget):
        apart = np.abs(answers - target.target)
        errors = apart if recipe.criterion == "absolute_error" else apart**2
        return float(weight @ errors) / float(weight.sum())
    position = {label: code for code, label in enumerate(target.classes)}
    costs = target.error_costs()
    k = len(target.classes)
    matrix = 1.0 - np.eye(k) if costs is None else costs.reshape(k, k)
    predicted = np.array([position[label] for label in answers.tolist()], dtype=np.intp)
    return float(weight @ matrix[target.target.codes, predicted]) / float(weight.sum())


@dataclass(frozen=True, eq=False)
class NearlyOptimalTrees:
    """The trees whose objective is at most `bound`, also called the Rashomon set.

    `n_trees` counts all of them. `trees` lists the best, ascending by their `objectives`; it is `complete` if
    it lists all. `indispensable` names the columns that every nearly optimal tree uses.
    """

    n_trees: int
    trees: tuple[Tree, ...]
    objectives: Floats
    bound: float
    indispensable: tuple[str, ...]

    @property
    def complete(self) -> bool:
        """Whether all nearly optimal trees are listed."""
        return len(self.trees) == self.n_trees

    @property
    def best(self) -> Tree:
        """The first of the trees listed, an optimal tree."""
        return self.trees[0]

    def column_use(self) -> dict[str, float]:
        """Return the share of the trees listed that use each column.

        >>> X, y = [[1.0, 0.0], [2.0, 0.0], [3.0, 1.0]], [0, 0, 1]
        >>> nearly_optimal_trees(X, y, max_depth=1, margin=0.0).column_use()
        {'x0': 0.5, 'x1': 0.5}
        """
        uses = np.array([self._is_used(tree) for tree in self.trees])
        return dict(zip(self._names, uses.mean(axis=0).tolist(), strict=True))

    def importance(self) -> dict[str, tuple[float, float, float]]:
        """Return the lowest, mean and highest importance of each column over the trees listed.

        The importance in a tree is the column's share of the gain of all splits.

        >>> X, y = [[1.0, 0.0], [2.0, 0.0], [3.0, 1.0]], [0, 0, 1]
        >>> nearly_optimal_trees(X, y, max_depth=1, margin=0.0).importance()["x0"]
        (0.0, 0.5, 1.0)
        """
        shares = np.array([_shares(tree.importance()) for tree in self.trees])
        figures = np.stack([shares.min(axis=0), shares.mean(axis=0), shares.max(axis=0)], axis=1)
        return {
            name: (low, mean, high)
            for name, (low, mean, high) in zip(self._names, figures.tolist(), strict=True)
        }

    @property
    def _names(self) -> list[str]:
        return [column.name for column in self.best.schema.columns]

    @staticmethod
    def _is_used(tree: Tree) -> Floats:
        used = np.zeros(len(tree.schema))
        used[tree.column[tree.column >= 0]] = 1.0
        return used


def nearly_optimal_trees(
    X: Any,
    y: Any,
    sample_weight: Any = None,
    *,
    max_depth: int = 2,
    ccp_alpha: float = 0.01,
    min_samples_leaf: int | float = 1,
    margin: float = 0.05,
    max_trees: int = 1000,
    task: Task = "classification",
) -> NearlyOptimalTrees:
    """Return the trees whose objective is at most `margin` above the least, relatively.

    The objective is the share of misclassified weight, or in regression the mean squared error, plus
    `ccp_alpha` for each leaf. Two trees differ if a
    node splits another column or divides the rows otherwise. A split into two leaves counts only if it lowers
    the loss. The number of trees grows fast with the depth, and with a smaller `ccp_alpha`.

    Parameters
    ----------
    X, y, sample_weight
        The rows, their classes or numbers, and their weights.
    max_depth, ccp_alpha, min_samples_leaf
        As in `bough.OptimalTreeClassifier`.
    margin
        Trees of an objective up to (1 + margin) times the least are nearly optimal.
    max_trees
        How many trees are listed; all are counted.
    task
        "classification" or "regression".

    Examples
    --------
    >>> X, y = [[float(i), float(i % 4)] for i in range(12)], [0] * 6 + [1] * 6
    >>> found = nearly_optimal_trees(X, y, max_depth=2, margin=4.0)
    >>> found.n_trees, found.indispensable
    (14, ('x0',))

    """
    check_number("margin", margin, 0.0)
    if not isinstance(max_trees, int) or max_trees < 1:
        raise ParameterError.of("max_trees", max_trees, "a whole number of at least 1")
    limits: dict[str, Any] = {"max_depth": max_depth, "min_samples_leaf": min_samples_leaf}
    check_choice("task", task, ("classification", "regression"))
    learner = OptimalTreeClassifier if task == "classification" else OptimalTreeRegressor
    recipe = learner(ccp_alpha=ccp_alpha, **limits).recipe()
    training = read_training(recipe, X, y, sample_weight, learner="nearly_optimal_trees")
    recipe = resolved(recipe, training)
    training, target = weighted(recipe, training)
    table = training.table
    best = fit_tree(recipe, training).tree.provenance["optimality"]["objective"]
    problem, bound = problem_of(target, ccp_alpha), best * (1.0 + margin)
    found = _core.nearly_optimal(
        table.native(),
        table.n_rows,
        problem.target,
        core_settings(table, target, recipe, problem),
        (bound - ccp_alpha) * problem.weight / problem.unit,
        max_trees,
        watcher(),
    )
    if found["too_many"]:
        raise ParameterError(
            f"margin is {margin}: too many trees are within it to be counted. Lower it, raise ccp_alpha, or "
            "round the numbers of y."
        )
    name = training.target_name
    trees = tuple(tree_of_nodes(nodes, table, target, recipe, name) for _, nodes in found["trees"])
    values = [problem.objective(value, ccp_alpha) for value, _ in found["trees"]]
    needed = _indispensable(trees, int(found["count"]), table, target, recipe, bound)
    return NearlyOptimalTrees(int(found["count"]), trees, np.array(values), bound, needed)


def _indispensable(
    trees: tuple[Tree, ...], n_trees: int, table: Any, target: WeightedTarget, recipe: Recipe, bound: float
) -> tuple[str, ...]:
    """Return the columns that all nearly optimal trees use.

    If all are listed, these are the columns that every tree listed uses; otherwise those of them without
    which no tree reaches the bound.
    """
    used = np.logical_and.reduce([NearlyOptimalTrees._is_used(tree) for tree in trees])
    names = [column.name for column in table.schema.columns]
    candidates = [position for position, every in enumerate(used) if every]
    if len(trees) == n_trees:
        return tuple(names[position] for position in candidates)
    return tuple(
        names[position] for position in candidates if _least_without(position, table, target, recipe) > bound
    )


def _least_without(position: int, table: Any, target: WeightedTarget, recipe: Recipe) -> float:
    """Return the least objective of the trees that do not use a column."""
    columns = list(table.columns)
    columns[position] = np.zeros_like(columns[position])
    [tree] = grow_folds(GrowingJob(replace(table, columns=tuple(columns)), target, recipe))
    return cast("float", tree.provenance["optimality"]["objective"])


def _shares(importance: Floats) -> Floats:
    total = float(importance.sum())
    return importance / total if total > 0 else importance
