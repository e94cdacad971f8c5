"""Error against size: of the nested trees of the cost-complexity path, on rows learned from and on others."""

from __future__ import annotations

from typing import Any

import numpy as np

from bough.evaluation import evaluate
from bough.plot.axes import axes_for, colour
from bough.resampling.regrowth import tree_of
from bough.tree import Tree
from bough.types import Floats


def size_curve(model: Any, X: Any, y: Any, X_test: Any, y_test: Any, *, ax: Any = None) -> Any:
    """Draw the error of the nested pruned trees against their leaves, on rows learned from and on others.

    The error is the share answered wrong, or the mean squared error. A tree that goes on growing fits the
    rows it learns from better and better, and other rows from some size on worse: it overfits.

    >>> import matplotlib
    >>> matplotlib.use("agg")
    >>> import bough
    >>> X, y = [[1.0], [2.0], [3.0], [4.0]], ["a", "b", "b", "a"]
    >>> size_curve(bough.TreeClassifier().fit(X, y), X, y, X, y).get_xlabel()
    'leaves'
    >>> matplotlib.pyplot.close("all")
    """
    tree = tree_of(model)
    trees = nested(tree)
    leaves = [each.n_leaves for each in trees]
    ax = axes_for(ax, size=(6.0, 4.2))
    for code, (words, features, target) in enumerate((("learned from", X, y), ("held out", X_test, y_test))):
        errors, spreads = errors_of(trees, features, target)
        ax.plot(leaves, errors, marker=".", label=words, color=colour(code))
        if words == "held out":
            ax.fill_between(leaves, errors - spreads, errors + spreads, alpha=0.15, color=colour(code), lw=0)
            best = int(errors.argmin())
            ax.axvline(leaves[best], ls="--", color="gray", lw=1, label=f"least at {leaves[best]} leaves")
    ax.set(xscale="log", xlabel="leaves", ylabel=_error_words(tree), title="Error against size")
    ax.legend(frameon=False)
    return ax


def cp_curve(model: Any, X: Any = None, y: Any = None, *, ax: Any = None) -> Any:
    """Draw the risk of the nested pruned trees against the price of a leaf, and return the axes.

    The price is rpart's cp, a share of the root's risk. With X and y, rows held out, their error is drawn
    beside it, with a band of one standard error.

    >>> import matplotlib
    >>> matplotlib.use("agg")
    >>> from bough.example_models import iris_tree
    >>> cp_curve(iris_tree()).get_xlabel()
    'cp: price of a leaf by the risk of the root'
    >>> matplotlib.pyplot.close("all")
    """
    tree = tree_of(model)
    path = tree.cost_complexity_path()
    ax = axes_for(ax, size=(6.0, 4.2))
    # A tree is the best one from its cp to the next: drawn at their geometric mean, as rpart does.
    bounds = np.append(path.relative, max(1.0, float(path.relative[-1])) * 2)
    price = np.sqrt(np.maximum(bounds[:-1], bounds[1] / 10 or 1e-6) * bounds[1:])
    ax.plot(price, path.relative_risk, marker=".", color=colour(0), label="learned from")
    if X is not None and y is not None:
        errors, spreads = errors_of([tree.pruned(alpha) for alpha in path.alphas], X, y)
        base = errors[-1] or 1.0
        ax.errorbar(price, errors / base, yerr=spreads / base, marker=".", color=colour(1), label="held out")
    for x, y_place, count in zip(price, path.relative_risk, path.n_leaves, strict=True):
        if len(price) <= 25:
            ax.annotate(str(count), (x, y_place), (0, 6), textcoords="offset points", fontsize=7, ha="center")
    ax.set(
        xscale="log", xlabel="cp: price of a leaf by the risk of the root", ylabel="error by that of the root"
    )
    ax.set_title("Cost complexity (leaves at each point)")
    ax.invert_xaxis()
    ax.legend(frameon=False)
    return ax


def nested(tree: Tree) -> list[Tree]:
    """Return the nested trees of the cost-complexity path, the root alone first.

    >>> from bough.example_models import iris_tree
    >>> [each.n_leaves for each in nested(iris_tree())]
    [1, 2, 3]
    """
    return [tree.pruned(alpha) for alpha in tree.cost_complexity_path().alphas[::-1]]


def errors_of(trees: list[Tree], X: Any, y: Any) -> tuple[Floats, Floats]:
    """Return the error of each tree on rows, and its standard error.

    >>> from bough.example_models import iris_tree
    >>> errors_of([iris_tree()], [[1.4, 0.2], [1.4, 0.2]], ["setosa", "virginica"])[0]
    array([0.5])
    """
    name = "error rate" if trees[0].task == "classification" else "mean squared error"
    found = [evaluate(tree, X, y).measures[name] for tree in trees]
    return np.array([each.value for each in found]), np.array([each.error for each in found])


def _error_words(tree: Tree) -> str:
    return "error rate" if tree.task == "classification" else "mean squared error"
