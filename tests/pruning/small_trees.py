"""Small trees on noisy rows, and all the trees that can be made of one by pruning."""

import itertools

import numpy as np

import bough


def noisy(seed, n_rows=60, n_classes=2):
    """Rows whose class one column tells, but for a third of them."""
    rng = np.random.default_rng(seed)
    X = np.column_stack([rng.integers(0, 4, n_rows), rng.normal(size=n_rows).round(1)]).astype(float)
    y = np.where(rng.random(n_rows) < 0.33, rng.integers(0, n_classes, n_rows), X[:, 0] % n_classes)
    return X, y.astype(int)


def small_tree(seed, max_leaf_nodes=7, n_classes=2):
    X, y = noisy(seed, n_classes=n_classes)
    return bough.CARTClassifier(max_leaf_nodes=max_leaf_nodes, prune="none").fit(X, y).tree_


def all_prunings(tree):
    """Every tree that collapsing some inner nodes gives, the whole one first."""
    inner = np.flatnonzero(~tree.is_leaf).tolist()
    seen = {}
    for size in range(len(inner) + 1):
        for nodes in itertools.combinations(inner, size):
            pruned = tree.snip(*nodes)
            seen.setdefault(tuple(pruned.n_children.tolist()) + tuple(pruned.cases.tolist()), pruned)
    return list(seen.values())
