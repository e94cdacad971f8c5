"""Cost-complexity pruning: a leaf costs alpha, and a split must bring down the risk by more than it adds.

A node's subtree is worth R(t) − R(S), where S is the best of its pruned subtrees, for |S| − 1 leaves more.
The node's own alpha is the greatest such ratio; from there on it is best as a leaf (weakest-link pruning;
Breiman, Friedman, Olshen and Stone 1984, section 3.3).
"""

from __future__ import annotations

from numbers import Real
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

import numpy as np

from bough import _core
from bough.errors import ParameterError
from bough.pruning.collapse import along_paths, collapsed
from bough.pruning.path import CostComplexityPath, shares_of_risk
from bough.types import Floats

if TYPE_CHECKING:
    from bough.tree import Tree

PathMethod: TypeAlias = Literal["weakest_link", "rpart"]

# Risks are sums; what is less than this share apart differs by rounding alone.
_ROUNDING = 1e-12


def pruned(tree: Tree, alpha: float, *, relative: bool = False, method: PathMethod = "weakest_link") -> Tree:
    """Return the pruned tree with the least risk + alpha · leaves, and of equals the smallest.

    Relative, alpha is a share of the root's risk: the cp of rpart's prune.

    >>> from bough.example_models import iris_tree
    >>> [pruned(iris_tree(), alpha).n_leaves for alpha in (0, 43, 44, 50)]
    [3, 3, 2, 1]
    >>> pruned(iris_tree(), 0.44, relative=True).n_leaves
    2
    """
    if not isinstance(alpha, Real) or isinstance(alpha, bool) or not alpha >= 0:
        raise ParameterError.of("alpha", alpha, "a number of at least 0")
    complexity = _complexity(tree, method)
    if relative:
        complexity = shares_of_risk(complexity, float(tree.risk[0]))
    # JSON has no infinities; the format writes them so.
    noted = float(alpha) if np.isfinite(alpha) else "inf"
    step = {"by": "cost complexity", "alpha": noted, "relative": bool(relative), "method": method}
    return collapsed(tree, (complexity <= alpha) & ~tree.is_leaf, step)


def cost_complexity_path(tree: Tree, method: PathMethod = "weakest_link") -> CostComplexityPath:
    """Return the nested trees that are best for some alpha, from the whole one to the root.

    >>> from bough.example_models import cars_tree
    >>> print(cost_complexity_path(cars_tree()))
    alpha    CP         nsplit  leaves  risk     rel error
    0        0          2       3       292.086  0.259391
    109.772  0.0974841  1       2       401.858  0.356875
    724.189  0.643125   0       1       1126.05  1
    """
    complexity = _complexity(tree, method)
    inner = ~tree.is_leaf
    alphas = np.unique(np.append(0.0, complexity))
    place = np.searchsorted(alphas, complexity[inner])
    splits = np.bincount(place, minlength=len(alphas))
    leaves = np.bincount(place, tree.n_children[inner] - 1, minlength=len(alphas)).astype(np.int64)
    risks = np.bincount(place, _falls(tree)[inner], minlength=len(alphas))
    # The risk is summed up from the leaves that alpha 0 leaves, for the differences are less than it.
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
    """Return for each node the alpha from which on its subtree is gone; 0 at a leaf.

    "weakest_link" is exact: each tree it leads to is the best for its alpha. "rpart" is the shortcut that R's
    rpart takes. It looks at a subtree in one state only, that in which it collapses, so a node above that
    collapses earlier is given too low an alpha where the subtree is then still larger. Most trees have no
    such node, and there the two agree. Values that differ by rounding alone count as equal, the greatest.

    >>> from bough.example_models import iris_tree
    >>> complexities(iris_tree())
    array([50.,  0., 44.,  0.,  0.])
    """
    if method not in get_args(PathMethod):
        raise ParameterError.of("method", method, f"one of {', '.join(map(repr, get_args(PathMethod)))}")
    falls, noise = _falls(tree), _ROUNDING * np.abs(tree.risk)
    exact = method == "weakest_link"
    alphas = _core.weakest_links(tree.first_child, tree.n_children, falls, noise, exact, _ROUNDING)
    alphas[tree.is_leaf] = np.inf
    lowest = along_paths(tree.parent, alphas, np.minimum)
    lowest[tree.is_leaf] = 0.0
    return _level(lowest)


def _complexity(tree: Tree, method: PathMethod) -> Floats:
    # The tree remembers the exact ones, so that to prune it again is one comparison a node.
    return tree.complexity if method == "weakest_link" else complexities(tree, method)


def _level(values: Floats) -> Floats:
    """Replace values that differ by rounding alone by the greatest of them."""
    distinct, place = np.unique(values, return_inverse=True)
    is_last = np.append(np.diff(distinct) > _ROUNDING * distinct[1:], True)
    greatest: Floats = distinct[is_last][np.cumsum(is_last) - is_last][place]
    return greatest


def _falls(tree: Tree) -> Floats:
    """Return by how much the split of each node alone brings down the risk."""
    below = np.bincount(tree.parent[1:], tree.risk[1:], minlength=tree.n_nodes)
    return np.where(tree.is_leaf, 0.0, tree.risk - below)
