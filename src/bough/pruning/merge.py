"""Merging removes splits that do not change any prediction."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bough.pruning.collapse import collapsed
from bough.tree.model_answers import models_of

if TYPE_CHECKING:
    from bough.tree import Tree


def merged(tree: Tree) -> Tree:
    """Return the tree with a node as a leaf wherever all its descendants predict the same as it does.

    Predictions do not change, but class probabilities may. Numbers are the same only if they are equal.

    >>> from bough import TreeClassifier
    >>> tree = TreeClassifier().fit([[1], [2], [3], [3], [3]], ["a", "b", "b", "b", "a"]).tree_
    >>> tree.n_leaves, merged(tree).n_leaves
    (3, 2)
    """
    answers = tree.answer_codes() if tree.classes and not tree.targets else tree.answers()
    parent = tree.parent.tolist()
    differs = np.asarray(answers != answers[tree.parent])
    if tree.targets:
        differs = np.asarray(differs.any(axis=1))
    if tree.leaf_models is not None:
        models = [models_of(tree, node) for node in range(tree.n_nodes)]
        differs |= np.array([models[node] != models[above] for node, above in enumerate(parent)])
    differs[0] = False
    varied = np.zeros(tree.n_nodes, dtype=np.bool_).tolist()
    for node in range(tree.n_nodes - 1, 0, -1):
        if varied[node] or differs[node]:
            varied[parent[node]] = True
    return collapsed(tree, ~np.array(varied, dtype=np.bool_) & ~tree.is_leaf, {"by": "merge"})
