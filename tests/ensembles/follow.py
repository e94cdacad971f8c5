"""Growing the plain tree beside a native one: it must find what the native tree has, node by node.

Where two splits gain the same up to rounding, the plain tree takes the native one's, so that the trees stay
comparable below. Where gains are ratios of whole numbers, they are compared exactly: the split that was seen
first, and in a column the lowest cut, must have won.
"""

from fractions import Fraction

import numpy as np
from tests.ensembles.plain_forest import PlainGrower

from bough.tree.arrays import KINDS

LEAF, SUBSET = KINDS.index("leaf"), KINDS.index("subset")


class Follower:
    """Finds the native node that lies where a plain one does, and takes its split."""

    def __init__(self, tree, grower):
        self.tree, self.grower = tree, grower
        self.ties_met = 0

    def node_at(self, path):
        """Return the number of the native node that lies on a path."""
        node = 0
        for branch in path:
            assert self.tree.n_children[node] == 2, f"no native node at {path}"
            node = int(self.tree.first_child[node]) + branch
        return node

    def choose(self, ties, plain):
        """Return the native split, which must be one of the ties."""
        number = self.node_at(plain.path)
        assert self.tree.kind[number] != LEAF, f"native leaf at {plain.path}, {ties[0]} was found"
        for place, split in enumerate(ties):
            for turned in (split, split.mirrored()) if split.turns else (split,):
                if self._is(number, turned):
                    self.ties_met += len(ties) > 1
                    self._check_order(ties, place, plain)
                    return turned
        raise AssertionError(f"at {plain.path} native has {self._told(number)}, plain {ties}")

    def _told(self, number):
        tree = self.tree
        told = {name: getattr(tree, name)[number] for name in ("column", "cut", "default_branch", "gain")}
        return f"{told}, levels {self._sides(number)}"

    def _sides(self, number):
        tree = self.tree
        listed = slice(int(tree.level_start[number]), int(tree.level_start[number + 1]))
        code, branch = tree.level_code[listed], tree.level_branch[listed]
        return [frozenset(code[branch == side].tolist()) for side in (0, 1)]

    def _is(self, number, split):
        tree = self.tree
        if tree.column[number] != split.column or (tree.kind[number] == SUBSET) != (split.cut is None):
            return False
        if split.missing is not None and tree.default_branch[number] != split.missing:
            return False
        if split.cut is not None:
            return tree.cut[number] == split.cut
        left, right = self._sides(number)
        return split.left <= left and split.right <= right

    def _check_order(self, ties, place, plain):
        """Check that nothing seen before gains as much, where that can be told exactly."""
        if place == 0 or not self.grower.counts_whole():
            return
        taken = self.grower.exact_gain(plain, ties[place])
        for other, split in enumerate(ties):
            if split.column == ties[place].column and split.turns:
                continue  # which of equal subsets of one column is taken is not said
            gain = self.grower.exact_gain(plain, split)
            better = gain > taken or (gain == taken and other < place)
            assert not better, f"at {plain.path} native took {ties[place]}, plain {split}"


class FollowedGrower(PlainGrower):
    """A plain grower that can tell the gain of a split exactly, if all it needs are whole numbers."""

    def counts_whole(self):
        """Whether gains are ratios of whole numbers."""
        whole = np.array_equal(self.weight, np.floor(self.weight))
        return self.criterion == "gini" and self.is_classes and whole

    def exact_gain(self, node, split):
        """Return the fall in Gini impurity per weight of the node as a fraction."""
        values = self.columns[split.column][node.rows]
        missing = values < 0 if split.cut is None else np.isnan(self._numbers(split.column, values))
        right = np.isin(values, list(split.right)) if split.cut is None else values >= split.cut
        if split.missing is not None:
            right, missing = np.where(missing, split.missing == 1, right), np.zeros_like(missing)
        sides = [self.statistics[node.rows[~missing & side]].sum(axis=0) for side in (~right, right)]
        low, high = ([int(count) for count in side] for side in sides)
        apart = [a * sum(high) - b * sum(low) for a, b in zip(low, high, strict=True)]
        return Fraction(sum(d * d for d in apart), sum(low) * sum(high) * (sum(low) + sum(high)))


def check_same(tree, root, follower, is_classes):
    """Check that a native tree has the nodes of a plain one: splits, default branches, figures and gains."""
    stack, met = [root], 0
    while stack:
        plain = stack.pop()
        number = follower.node_at(plain.path)
        met += 1
        np.testing.assert_allclose(tree.weight[number], plain.weight, rtol=1e-9)
        np.testing.assert_allclose(tree.cases[number], plain.cases, rtol=1e-6)
        # Inner nodes answer as their leaves together, which is not as their rows where leaves are bounded,
        # and of medians only nearly.
        bounded = plain.split is not None and follower.grower.recipe.monotonic_cst is not None
        if is_classes and not bounded:
            np.testing.assert_allclose(tree.statistics[number], plain.statistics, rtol=1e-9, atol=1e-12)
        elif not bounded and (plain.split is None or follower.grower.criterion != "absolute_error"):
            np.testing.assert_allclose(tree.statistics[number, 0], plain.statistics[0], rtol=1e-9, atol=1e-12)
        if plain.split is None:
            assert tree.kind[number] == LEAF, f"native splits at {plain.path}: {follower._told(number)}"
            continue
        assert tree.default_branch[number] == plain.default_branch, plain.path
        np.testing.assert_allclose(tree.gain[number], plain.split.gain, rtol=1e-6)
        stack += plain.children
    assert met == len(tree.parent)
