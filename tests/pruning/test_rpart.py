"""Cost-complexity pruning agrees with R's rpart, node for node and row for row."""

from itertools import pairwise

import numpy as np
import pytest
from tests.oracle.reference import cases
from tests.pruning.rpart_trees import read_tree

CASES = cases("rpart")


def rows_of(table):
    """The rows of a stored cptable without those that rounding alone parts from the row before."""
    rows = [row[:3] for row in table]
    return rows[:1] + [row for before, row in pairwise(rows) if before[0] - row[0] > 1e-12 * before[0]]


def prunes_of(stored):
    """The stored prunes but those whose cp lies between two complexities that rounding alone parts."""
    prunes = stored.output["prune"]
    complexities = np.array([node["complexity"] for node in stored.output["nodes"]])
    return [
        prune
        for prune in (prunes.values() if prunes else ())
        if not np.any(np.abs(complexities - prune["cp"]) <= 1e-12 * prune["cp"])
    ]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_the_complexity_of_each_inner_node_is_rparts(case):
    stored = read_tree(case)
    tree = stored.tree
    path = tree.cost_complexity_path(method="rpart")
    theirs = np.array([stored.nodes[number]["complexity"] for number in stored.ids])
    inner = ~tree.is_leaf
    assert path.complexity[inner] / tree.risk[0] == pytest.approx(theirs[inner], rel=1e-12)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_the_table_is_rparts(case):
    stored = read_tree(case)
    path = stored.tree.cost_complexity_path(method="rpart")
    ours = path.to_pandas()[["CP", "nsplit", "rel error"]].to_numpy()[::-1]
    theirs = np.array(rows_of(stored.output["cptable"]), dtype=float)
    assert ours.shape == theirs.shape
    assert ours[:-1, 0] == pytest.approx(theirs[:-1, 0], rel=1e-12)
    # rpart did not look below the cp it was told to grow to; the stored tree is best from 0 up to there.
    assert ours[-1, 0] == 0
    assert ours[:, 1].tolist() == theirs[:, 1].tolist()
    assert ours[:, 2] == pytest.approx(theirs[:, 2], rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_the_pruned_trees_are_rparts(case):
    stored = read_tree(case)
    for prune in prunes_of(stored):
        pruned = stored.tree.pruned(prune["cp"], relative=True, method="rpart")
        pruned.check()
        ids = stored.ids_of(pruned)
        assert sorted(ids) == sorted(prune["nodes"])
        assert pruned.risk.tolist() == [stored.nodes[number]["dev"] for number in ids]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_the_weakest_link_is_rparts_or_better(case):
    tree = read_tree(case).tree
    exact, rpart = tree.cost_complexity_path(), tree.cost_complexity_path(method="rpart")
    assert (exact.complexity >= rpart.complexity * (1 - 1e-12)).all()
    for alpha in np.concatenate([exact.alphas, rpart.alphas]):
        ours, theirs = (
            path.risk[place] + alpha * path.n_leaves[place]
            for path in (exact, rpart)
            for place in [np.searchsorted(path.alphas, alpha, side="right") - 1]
        )
        assert ours <= theirs * (1 + 1e-12)


def test_rpart_gives_a_node_too_low_an_alpha_where_a_subtree_had_yet_to_collapse():
    [case] = [case for case in CASES if (case.dataset, case.name) == ("kyphosis", "info_cp0")]
    tree = read_tree(case).tree
    # 17 errors at the root, 12 in 4 leaves, 14 in the 3 that remain when the lowest split has gone.
    assert tree.cost_complexity_path(method="rpart").alphas.tolist() == [0.0, 1.5]
    assert tree.cost_complexity_path().alphas.tolist() == pytest.approx([0.0, 5 / 3])
    assert tree.pruned(1.6).n_leaves == 4


def test_there_are_cases_to_compare():
    assert len(CASES) >= 30
