"""How trees of C4.5, J48 and REPTree are compared with ours, node by node."""

import numpy as np
import pytest

from bough.tree.split import AtMost, Threshold

TIGHT = 1e-6


def near(value, theirs):
    return value == pytest.approx(theirs, rel=TIGHT, abs=TIGHT)


def in_order(tree, values, levels):
    """Return figures of our classes in the order of the program's class levels, 0 for those without rows."""
    place = {label: code for code, label in enumerate(tree.classes)}
    values = np.asarray(values)
    return np.stack(
        [values[..., place[level]] if level in place else np.zeros(values.shape[:-1]) for level in levels],
        axis=-1,
    )


def compare_split(tree, node, theirs):
    """Compare the column, the cut or the levels of each branch."""
    split = tree.split(node)
    column = tree.schema[split.column]
    assert column.name == theirs["attr"]
    assert split.n_branches == len(theirs["children"])
    if "cut" in theirs or "threshold" in theirs:
        cut = theirs.get("cut", theirs.get("threshold"))
        assert isinstance(split, Threshold)
        assert near(split.cut, cut)
        return
    branches = split.branch(np.arange(len(column.levels), dtype=np.int32))
    if theirs["split"] == "subset":
        for branch, levels in enumerate(theirs["subsets"]):
            assert {column.levels[code] for code in np.flatnonzero(branches == branch)} == set(levels)
    elif theirs["split"] == "nominal_binary":
        assert [column.levels[code] for code in np.flatnonzero(branches == 0)] == [theirs["value"]]
    else:
        assert branches.tolist() == list(range(len(column.levels)))


def compare_tree(tree, theirs, compare_figures, node=0):
    """Compare a node and all below it; return the number of nodes compared."""
    compare_figures(node, theirs)
    assert tree.is_leaf[node] == theirs["leaf"], f"node {node}"
    if theirs["leaf"]:
        return 1
    compare_split(tree, node, theirs)
    below = zip(tree.children(node), theirs["children"], strict=True)
    return 1 + sum(compare_tree(tree, theirs_below, compare_figures, child) for child, theirs_below in below)


def asks_at_most(tree):
    """Whether every cut of the tree asks for values up to it."""
    splits = [tree.split(node) for node in np.flatnonzero(~tree.is_leaf)]
    return all(isinstance(split, AtMost) for split in splits if isinstance(split, Threshold))


def class_codes(labels, levels):
    place = {level: code for code, level in enumerate(levels)}
    return [place[label] for label in labels]
