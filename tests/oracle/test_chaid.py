"""R's CHAID, in its textbook version: the same splits, cases and adjusted p-values in every node.

A level without cases in a node is listed by R in the first group that it ties with, by bough in none; such
levels are left out of the comparison.
"""

import numpy as np
import pytest
from tests.oracle.reference import cases, of_own_folder, read_data

import bough

CASES = cases("chaid")


def wanted(case):
    """The textbook version: every p-value computed anew, where that made a difference."""
    anew = case.output["asymptotic_recompute"]
    return case.output["asymptotic"] if isinstance(anew, str) else anew


def fitted(case, **others):
    data, control = read_data(case.dataset), case.output["control"]
    model = bough.CHAIDClassifier(
        significance=control["alpha4"],
        significance_merge=control["alpha2"],
        significance_split_merged=control["alpha3"] if control["alpha3"] > 0 else None,
        min_samples_split=control["minsplit"],
        min_samples_leaf=control["minbucket"],
        min_node_fraction=control["minprob"],
        max_depth=1 if control["stump"] else (control["maxheight"] if control["maxheight"] > 0 else None),
        **others,
    )
    return model.fit(data.X, data.y), data


def present(data, tree, node, name):
    rows = [at for at, end in enumerate(tree.apply(data.X)) if node in tree.path(int(end))]
    return set(data.X[name].iloc[rows].dropna())


@pytest.mark.parametrize("case", CASES, ids=str)
def test_every_node_is_that_of_the_r_package(case):
    model, data = fitted(case)
    tree, pairs, seen = model.tree_, [(0, wanted(case)["tree"])], 0
    position = [tree.classes.index(label) for label in case.file["class_levels"]]
    while pairs:
        node, theirs = pairs.pop()
        seen += 1
        assert tree.cases[node] == theirs["n"]
        assert tree.statistics[node][position].tolist() == theirs["class_counts"]
        if "adj_p" in theirs:
            untested = dict.fromkeys(tree.schema.names, 1.0)
            p_values = untested | {k: v for k, v in tree.node(node).p_values.items() if v is not None}
            assert p_values == pytest.approx(theirs["adj_p"], rel=1e-9)
        children = theirs.get("children") or []
        assert tree.n_children[node] == len(children)
        if not children:
            continue
        name = tree.schema.names[tree.column[node]]
        assert name == theirs["var"]
        here = present(data, tree, node, name)
        for child, group in zip(tree.children(node), theirs["groups"], strict=True):
            assert present(data, tree, child, name) == here & set(group)
        pairs += zip(tree.children(node), children, strict=True)
    assert seen == tree.n_nodes
    tree.check()


@pytest.mark.parametrize("case", [case for case in CASES if "node" in wanted(case)], ids=str)
def test_rows_end_where_the_r_package_puts_them(case):
    model, data = fitted(case)
    ours, theirs = model.apply(data.X), np.array(wanted(case)["node"])
    assert len(set(zip(ours.tolist(), theirs.tolist(), strict=True))) == len(set(theirs)) == len(set(ours))


@of_own_folder
def test_there_are_cases():
    assert len(CASES) == 21
