"""Collapsing a node turns it into a leaf: its descendants are removed and the remaining nodes renumbered.

The remaining nodes keep their statistics and therefore their predictions, and stay in breadth-first order.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from bough.data.formula import drop_unused_formulas
from bough.tree.arrays import CUT_ARRAYS, INTERVAL_ARRAYS, TEST_ARRAYS
from bough.tree.model_answers import n_scores
from bough.tree.structure import family
from bough.types import Ints

if TYPE_CHECKING:
    from bough.tree import Tree


def along_paths(parent: Ints, values: npt.NDArray[Any], combine: np.ufunc) -> npt.NDArray[Any]:
    """Combine the values of all nodes on the path from the root to each node, including both ends.

    `combine` must be idempotent, as minimum and logical_or are, because values are combined repeatedly.

    >>> along_paths(np.array([-1, 0, 0, 2, 2]), np.array([5, 7, 3, 4, 1]), np.minimum)
    array([5, 5, 3, 3, 1])
    """
    ancestor = np.maximum(parent, 0)
    # Each value combines the nodes from its own up to just below `ancestor`; each round doubles that length.
    while ancestor.any():
        values = combine(values, values[ancestor])
        ancestor = ancestor[ancestor]
    combined: npt.NDArray[Any] = combine(values, values[0])
    return combined


def collapsed(tree: Tree, chosen: npt.NDArray[np.bool_], step: dict[str, Any]) -> Tree:
    """Return the tree with the chosen nodes as leaves; `step` describes the pruning and joins the recipe.

    >>> from bough.example_models import iris_tree
    >>> tree = collapsed(iris_tree(), np.array([False, False, True, False, False]), {"by": "hand"})
    >>> tree.n_leaves, tree.recipe
    (2, {'prune': {'steps': [{'by': 'hand'}]}})
    """
    chosen_above = along_paths(tree.parent, chosen, np.logical_or)[tree.parent]
    chosen_above[0] = False
    kept = ~chosen_above
    is_leaf = (chosen | tree.is_leaf)[kept]
    n_listed = np.diff(tree.level_start)
    stay_listed = np.repeat(kept & ~chosen, n_listed)
    n_children = np.where(is_leaf, 0, tree.n_children[kept])
    parent, first_child = family(n_children)
    nodes = np.flatnonzero(kept)
    column = np.where(is_leaf, -1, tree.column[kept])
    competitors = None if tree.competitors is None else tree.competitors.take(nodes, is_leaf)
    surrogates = None if tree.surrogates is None else tree.surrogates.take(nodes, is_leaf)
    formulas = tree.formulas
    if competitors is None and surrogates is None:
        column, formulas = drop_unused_formulas(column, len(tree.schema), tree.formulas)
    return dataclasses.replace(
        tree,
        recipe=with_step(tree.recipe, step),
        parent=parent,
        first_child=first_child,
        n_children=n_children,
        column=column,
        formulas=formulas,
        kind=np.where(is_leaf, 0, tree.kind[kept]),
        cut=np.where(is_leaf, np.nan, tree.cut[kept]),
        level_start=np.append(0, np.cumsum(np.where(is_leaf, 0, n_listed[kept]))),
        level_code=tree.level_code[stay_listed],
        level_branch=tree.level_branch[stay_listed],
        default_branch=np.where(is_leaf, -1, tree.default_branch[kept]),
        weight=tree.weight[kept],
        cases=tree.cases[kept],
        statistics=tree.statistics[kept],
        risk=tree.risk[kept],
        gain=np.where(is_leaf, np.nan, tree.gain[kept]),
        competitors=competitors,
        surrogates=surrogates,
        leaf_models=None if tree.leaf_models is None else tree.leaf_models.take(nodes, n_scores(tree)),
        **_optional_arrays(tree, kept, is_leaf),
    )


def _optional_arrays(
    tree: Tree, kept: npt.NDArray[np.bool_], is_leaf: npt.NDArray[np.bool_]
) -> dict[str, Any]:
    arrays: dict[str, Any] = {} if tree.share is None else {"share": tree.share[kept]}
    for name in ("target_risk", *TEST_ARRAYS):
        if getattr(tree, name) is not None:
            arrays[name] = getattr(tree, name)[kept]
    for name in CUT_ARRAYS:
        if getattr(tree, name) is not None:
            arrays[name] = np.where(is_leaf, np.nan, getattr(tree, name)[kept])
    if tree.interval_start is not None and tree.interval_cut is not None:
        inner = np.zeros(tree.n_nodes, dtype=np.bool_)
        inner[np.flatnonzero(kept)[~is_leaf]] = True
        counts = np.diff(tree.interval_start)
        arrays["interval_start"] = np.append(0, np.cumsum(np.where(is_leaf, 0, counts[kept])))
        for name in INTERVAL_ARRAYS:
            if getattr(tree, name) is not None:
                arrays[name] = getattr(tree, name)[np.repeat(inner, counts)]
    return arrays


def with_step(recipe: dict[str, Any], step: dict[str, Any]) -> dict[str, Any]:
    """Return the recipe with one more pruning step.

    >>> with_step({"criterion": "gini"}, {"by": "hand"})
    {'criterion': 'gini', 'prune': {'steps': [{'by': 'hand'}]}}
    """
    earlier = recipe.get("prune")
    prune = earlier if isinstance(earlier, dict) else {}
    steps = prune.get("steps")
    return recipe | {"prune": prune | {"steps": [*(steps if isinstance(steps, list) else []), step]}}


def snipped(tree: Tree, *nodes: int) -> Tree:
    """Return the tree with the given nodes as leaves; nodes are given by their numbers in this tree.

    >>> from bough.example_models import tennis_tree
    >>> [str(rule) for rule in snipped(tennis_tree(), 1, 3).rules()]
    ['Outlook = Sunny -> No', 'Outlook = Overcast -> Yes', 'Outlook = Rain -> Yes']
    """
    known = [tree.known(node) for node in nodes]
    chosen = np.zeros(tree.n_nodes, dtype=np.bool_)
    chosen[known] = True
    return collapsed(tree, chosen, {"by": "snip", "nodes": known})
