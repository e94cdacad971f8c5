"""The cp table of R's rpart, slowly: the trees best for some cp, and their cross-validated errors."""

from __future__ import annotations

import numpy as np
from tests.oracle.plain_rpart_surrogates import LEFT, UNKNOWN


def distinct_alphas(root, alpha):
    """The alphas at which the tree changes, from the greatest down to that it was grown to."""
    return sorted({max(node.complexity, alpha) for node in root.walk()}, reverse=True)


def cp_table(root, alphas):
    """Rows of CP, splits and risk relative to the root's: the tree that remains at each alpha."""
    return [[share(alpha, root), *_remains(root, alpha)] for alpha in alphas]


def share(risk, root):
    """A risk as a share of the root's; 0 if it has none."""
    return risk / root.risk if root.risk > 0 else 0.0


def _remains(root, alpha):
    kept, risk = 0, 0.0
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if node.children and node.complexity > alpha:
            kept += 1
            waiting += node.children
        else:
            risk += node.risk
    return kept, share(risk, root)


def cross_validated(grower, root, alphas, alpha, groups):
    """Columns xerror and xstd: each row is answered by the tree grown without its group.

    The tree of a row of the table is that for the geometric mean of its alpha and the one above. Alphas are
    risks, so they are scaled by the weight that a fold's tree has of the whole.
    """
    weight = grower.weight
    typical = [10 * alphas[0], *np.sqrt(np.array(alphas[1:]) * np.array(alphas[:-1]))]
    total = float(weight.sum())
    sums, squares = np.zeros(len(alphas)), np.zeros(len(alphas))
    errors = np.zeros(len(alphas))
    for group in sorted(set(groups)):
        rows = np.flatnonzero(groups != group)
        share = float(weight[rows].sum()) / total
        tree = grower.tree(rows, alpha * share)
        for row in np.flatnonzero(groups == group):
            errors = errors_down(grower, tree, row, np.array(typical) * share, errors)
            sums += errors * weight[row]
            squares += errors**2 * weight[row]
    with np.errstate(invalid="ignore"):
        deviation = np.sqrt(squares - sums**2 / total)
    return sums / root.risk, deviation / root.risk


def errors_down(grower, node, row, alphas, before):
    """The errors of a row for falling alphas: it goes down while the node is split at that alpha."""
    errors = before.copy()
    for i, alpha in enumerate(alphas):
        while node.children and node.complexity > alpha:
            child = child_of(grower, node, row)
            if child is None:
                return errors
            node = child
        errors[i] = grower.method.error(row, node.answer)
    return errors


def child_of(grower, node, row):
    """The child that a row goes to, or None."""
    control = grower.control
    splits = [node.primary, *(node.surrogates if control.usesurrogate > 0 else [])]
    for split in splits:
        side = int(split.side(grower.columns[split.column].values[row : row + 1])[0])
        if side != UNKNOWN:
            return node.children[0 if side == LEFT else 1]
    if control.usesurrogate < 2:
        return None
    return node.children[0 if node.default == LEFT else 1]
