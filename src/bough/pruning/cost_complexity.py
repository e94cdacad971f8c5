"""Cost-complexity pruning: minimize risk + alpha · leaves.

For a node t and a pruned subtree S rooted at t, the decrease in risk for each additional leaf is
(R(t) − R(S)) / (|S| − 1). The node's alpha is the greatest such ratio; for any alpha from there on it is best
as a leaf (weakest-link pruning; Breiman, Friedman, Olshen and Stone 1984, section 3.3).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, get_args

import numpy as np

import bough._core as _core
from bough.growing.limits import check_number
from bough.growing.pruning import PathMethod, check_choice
from bough.pruning.collapse import along_paths, collapsed
from bough.pruning.path import CostComplexityPath, shares_of_risk
from bough.types import Floats

if TYPE_CHECKING:
    from bough.tree import Tree

# Risks whose relative difference is smaller are treated as equal.
_ROUNDING = 1e-12


def pruned(
    tree: Tree, ccp_alpha: float, *, relative: bool = False, method: PathMethod = "weakest_link"
) -> Tree:
    """Return the pruned tree that minimizes risk + ccp_alpha · leaves; the smallest tree wins a tie.

    If `relative`, `ccp_alpha` is a fraction of the root's risk, as is the cp of rpart's prune.

    >>> from bough.example_models import iris_tree
    >>> [pruned(iris_tree(), alpha).n_leaves for alpha in (0, 43, 44, 50)]
    [3, 3, 2, 1]
    >>> pruned(iris_tree(), 0.44, relative=True).n_leaves
    2
    """
    if ccp_alpha != math.inf:
        check_number("ccp_alpha", ccp_alpha, 0.0, end=", or infinity")
    complexity = _complexity(tree, method)
    if relative:
        complexity = shares_of_risk(complexity, float(tree.risk[0]))
    # JSON has no infinities; the file format writes them as text.
    alpha = float(ccp_alpha) if np.isfinite(ccp_alpha) else "inf"
    step = {"by": "cost complexity", "alpha": alpha, "relative": bool(relative), "method": method}
    return collapsed(tree, (complexity <= ccp_alpha) & ~tree.is_leaf, step)


def cost_complexity_path(tree: Tree, method: PathMethod = "weakest_link") -> CostComplexityPath:
    """Return the sequence of nested trees that are optimal for some alpha, from the full tree to the root.

    >>> from bough.example_models import cars_tree
    >>> print(cost_complexity_path(cars_tree()))
      alpha        CP  nsplit  leaves     risk  rel error
      0.000  0.000000       2       3   292.09    0.25939
    109.772  0.097484       1       2   401.86    0.35687
    724.189  0.643125       0       1  1126.05    1.00000
    """
    complexity = _complexity(tree, method)
    inner = ~tree.is_leaf
    alphas = np.unique(np.append(0.0, complexity))
    position = np.searchsorted(alphas, complexity[inner])
    splits = np.bincount(position, minlength=len(alphas))
    leaves = np.bincount(position, tree.n_children[inner] - 1, minlength=len(alphas)).astype(np.int64)
    risks = np.bincount(position, _risk_decreases(tree)[inner], minlength=len(alphas))
    # Start from the risk of the tree for alpha 0 and add differences, which are smaller and lose no digits.
    in_first = complexity > 0
    is_end = ~in_first & np.append(True, in_first[tree.parent[1:]])
    risk = float(tree.risk[is_end].sum()) + np.cumsum(np.append(0.0, risks[1:]))
    risk[-1] = tree.risk[0]
    return CostComplexityPath(
        alphas=alphas,
        n_splits=(splits.sum() - np.cumsum(splits)).astype(np.int32),
        n_leaves=(1 + leaves.sum() - np.cumsum(leaves)).astype(np.int32),
        risk=risk,
        complexity=complexity,
    )


def complexities(tree: Tree, method: PathMethod = "weakest_link") -> Floats:
    """Return for each node the smallest alpha for which its subtree is pruned; 0 at a leaf.

    "weakest_link" is exact: each tree of the path is optimal for its alpha. "rpart" is the shortcut of R's
    rpart, which considers each subtree only as it is at its own alpha. If an ancestor is pruned before that,
    the subtree is still larger then, and the alpha of the ancestor comes out too low. Most trees have no such
    node, and the two methods agree. Values that differ by rounding are replaced by the greatest of them.

    >>> from bough.example_models import iris_tree
    >>> complexities(iris_tree())
    array([50.,  0., 44.,  0.,  0.])
    """
    check_choice("method", method, get_args(PathMethod))
    decreases, noise = _risk_decreases(tree), _ROUNDING * np.abs(tree.risk)
    exact = method == "weakest_link"
    alphas = _core.weakest_links(tree.first_child, tree.n_children, decreases, noise, exact, _ROUNDING)
    alphas[tree.is_leaf] = np.inf
    lowest = along_paths(tree.parent, alphas, np.minimum)
    lowest[tree.is_leaf] = 0.0
    return _merge_rounded(lowest)


def _complexity(tree: Tree, method: PathMethod) -> Floats:
    # The tree caches its exact complexities.
    return tree.complexity if method == "weakest_link" else complexities(tree, method)


def _merge_rounded(values: Floats) -> Floats:
    """Replace values that differ only by rounding by the greatest of them."""
    distinct, position = np.unique(values, return_inverse=True)
    is_last = np.append(np.diff(distinct) > _ROUNDING * distinct[1:], True)
    greatest: Floats = distinct[is_last][np.cumsum(is_last) - is_last][position]
    return greatest


def _risk_decreases(tree: Tree) -> Floats:
    """Return the decrease in risk by the split of each node alone."""
    below = np.bincount(tree.parent[1:], tree.risk[1:], minlength=tree.n_nodes)
    return np.where(tree.is_leaf, 0.0, tree.risk - below)
