"""Figures of the training and test error of the trees of the cost-complexity path."""

from __future__ import annotations

from typing import Any

import numpy as np

from bough.evaluation import evaluate
from bough.plot.axes import axes_for, colour
from bough.resampling.regrowth import tree_of
from bough.tree import Tree
from bough.types import Floats


def size_curve(model: Any, X: Any, y: Any, X_test: Any, y_test: Any, *, ax: Any = None) -> Any:
    """Draw the training and test error of the nested pruned trees against their number of leaves.

    The error is the error rate or the mean squared error. The training error decreases with the size; the
    test error increases from some size on, where the tree overfits.

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
    for code, (words, features, target) in enumerate((("training", X, y), ("test", X_test, y_test))):
        errors, deviations = node_errors(trees, features, target)
        ax.plot(leaves, errors, marker=".", label=words, color=colour(code))
        if words == "test":
            low, high = errors - deviations, errors + deviations
            ax.fill_between(leaves, low, high, alpha=0.15, color=colour(code), lw=0)
            best = int(errors.argmin())
            ax.axvline(leaves[best], ls="--", color="gray", lw=1, label=f"minimum at {leaves[best]} leaves")
    ax.set(xscale="log", xlabel="leaves", ylabel=_error_words(tree), title="Error against size")
    ax.legend(frameon=False)
    return ax


def cp_curve(model: Any, X: Any = None, y: Any = None, *, ax: Any = None) -> Any:
    """Draw the risk of the nested pruned trees against the complexity parameter, and return the axes.

    The complexity parameter is rpart's cp, relative to the risk of the root. If the test set X and y is
    given, the test error is drawn too, with bars of one standard error.

    >>> import matplotlib
    >>> matplotlib.use("agg")
    >>> from bough.example_models import iris_tree
    >>> cp_curve(iris_tree()).get_xlabel()
    'cp, the complexity parameter relative to the risk of the root'
    >>> matplotlib.pyplot.close("all")
    """
    tree = tree_of(model)
    path = tree.cost_complexity_path()
    ax = axes_for(ax, size=(6.0, 4.2))
    # A tree is optimal between its cp and the next; it is drawn at their geometric mean, as in rpart.
    bounds = np.append(path.relative, max(1.0, float(path.relative[-1])) * 2)
    cp = np.sqrt(np.maximum(bounds[:-1], bounds[1] / 10 or 1e-6) * bounds[1:])
    ax.plot(cp, path.relative_risk, marker=".", color=colour(0), label="training")
    if X is not None and y is not None:
        errors, deviations = node_errors([tree.pruned(alpha) for alpha in path.alphas], X, y)
        base = errors[-1] or 1.0
        ax.errorbar(cp, errors / base, yerr=deviations / base, marker=".", color=colour(1), label="test")
    for x, risk, count in zip(cp, path.relative_risk, path.n_leaves, strict=True):
        if len(cp) <= 25:
            ax.annotate(str(count), (x, risk), (0, 6), textcoords="offset points", fontsize=7, ha="center")
    ax.set(
        xscale="log",
        xlabel="cp, the complexity parameter relative to the risk of the root",
        ylabel="error relative to the root",
    )
    ax.set_title("Cost-complexity path with the number of leaves")
    ax.invert_xaxis()
    ax.legend(frameon=False)
    return ax


def nested(tree: Tree) -> list[Tree]:
    """Return the nested trees of the cost-complexity path, smallest first.

    >>> from bough.example_models import iris_tree
    >>> [each.n_leaves for each in nested(iris_tree())]
    [1, 2, 3]
    """
    return [tree.pruned(alpha) for alpha in tree.cost_complexity_path().alphas[::-1]]


def node_errors(trees: list[Tree], X: Any, y: Any) -> tuple[Floats, Floats]:
    """Return the error of each tree on the given rows, and its standard error.

    >>> from bough.example_models import iris_tree
    >>> node_errors([iris_tree()], [[1.4, 0.2], [1.4, 0.2]], ["setosa", "virginica"])[0]
    array([0.5])
    """
    name = "error rate" if trees[0].task == "classification" else "mean squared error"
    found = [evaluate(tree, X, y).measures[name] for tree in trees]
    return np.array([each.value for each in found]), np.array([each.error for each in found])


def _error_words(tree: Tree) -> str:
    return "error rate" if tree.task == "classification" else "mean squared error"
