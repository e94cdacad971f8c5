"""What is written about a chain of 5,000 nodes grows with the number of nodes, not with its square."""

import numpy as np
import pytest

import bough
from bough.rules import rule
from bough.tree.split import Threshold

DEPTH = 5000
BYTES_PER_NODE = 400


@pytest.fixture(scope="module")
def chain():
    splits = [Threshold(0, 0.5)]
    for depth in range(1, DEPTH + 1):
        splits += [None, Threshold(0, depth + 0.5) if depth < DEPTH else None]
    n = len(splits)
    below = DEPTH - np.arange(n) // 2 + (np.arange(n) % 2 == 0)
    return bough.Tree.from_splits(
        splits,
        schema=bough.Schema((bough.Column("x", "numeric"),)),
        task="regression",
        classes=(),
        target_name="y",
        criterion="squared_error",
        cases=np.where([split is None for split in splits], 1, below),
        statistics=np.arange(n, dtype=float)[:, None],
        risk=np.zeros(n),
        gain=[np.nan if split is None else 1.0 for split in splits],
    )


def test_the_chain_is_sound_and_deep(chain):
    chain.check()
    assert chain.depth == DEPTH
    np.testing.assert_array_equal(chain.predict([[0.0], [1.0], [1e6]]), [1.0, 3.0, 2.0 * DEPTH])


@pytest.mark.parametrize(
    "write",
    [
        lambda tree: tree.text(max_lines=None),
        bough.Tree.to_sql,
        bough.Tree.to_dot,
        lambda tree: tree.rules().text(max_lines=None),
        lambda tree: tree.report().html,
    ],
    ids=["text", "sql", "dot", "rules", "report"],
)
def test_the_size_of_what_is_written_is_linear(chain, write):
    assert len(write(chain)) < BYTES_PER_NODE * chain.n_nodes


def test_the_conditions_of_all_rules_are_merged_once_a_node(chain, monkeypatch):
    made = []
    condition_of = rule.condition_of
    monkeypatch.setattr(rule, "condition_of", lambda *given: made.append(given) or condition_of(*given))
    rules = list(chain.rules())
    assert len(rules) == chain.n_leaves
    assert len(made) < chain.n_nodes
    assert str(rules[-1]) == f"x >= {DEPTH - 0.5} -> {2 * DEPTH:,}"


def test_deep_nodes_name_their_depth_in_the_text(chain):
    lines = chain.text(max_lines=None).splitlines()
    assert max(map(len, lines)) < 220
    assert "[depth 61] x < 60.5" in "\n".join(lines)
    assert sum("[depth" in line for line in lines) == 2 * (DEPTH - 60)


def test_rules_of_a_slice_are_those_of_the_list():
    X = np.random.default_rng(0).normal(size=(200, 3))
    tree = bough.TreeClassifier().fit(X, X[:, 0] * X[:, 1] > 0).tree_
    rules = tree.rules()
    assert [rule.rule_of(tree, leaf) for leaf in rules.leaves] == list(rules)
    assert rules[5:1:-1] == [rules[5], rules[4], rules[3], rules[2]]
