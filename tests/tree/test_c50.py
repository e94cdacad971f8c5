"""Trees in C5.0's arithmetic: they hold all that its native core needs, and no more than it can go down."""

import dataclasses

import numpy as np
import pytest

import bough
from bough.data.schema import Column, Schema
from bough.errors import FormatError, ParameterError
from bough.loading import loads
from bough.models.encoding import to_zip
from bough.tree import Tree
from bough.tree.split import AtMost

RANDOM = np.random.default_rng(4)
N = 150
X = np.empty((N, 3), dtype=object)
X[:, 0] = RANDOM.normal(size=N).round(2)
X[:, 1] = RANDOM.choice(list("abcdef"), N)
X[:, 2] = np.where(RANDOM.random(N) < 0.3, None, RANDOM.choice(["S", "M", "L"], N))
Y = np.where(
    RANDOM.random(N) < 0.2, "no", np.where((X[:, 0].astype(float) > 0) ^ (X[:, 1] < "c"), "yes", "no")
)


def deep_tree(depth: int) -> Tree:
    """A chain of splits, each with a leaf on its left."""
    splits = [AtMost(0, 0.0)]
    for _ in range(depth - 1):
        splits += [None, AtMost(0, 0.0)]
    splits += [None, None]
    n = len(splits)
    inner = np.array([split is not None for split in splits])
    return Tree.from_splits(
        splits,
        schema=Schema((Column("x", "numeric"),)),
        task="classification",
        classes=("a", "b"),
        target_name=None,
        criterion="gain_ratio",
        cases=np.full(n, 4.0),
        statistics=np.full((n, 2), 2.0),
        risk=np.full(n, 2.0),
        share=np.append(1.0, np.full(n - 1, 0.5)),
        default_branch=np.where(inner, 0, -1),
        smoothing=1.0,
        arithmetic="c5.0",
    )


def test_a_tree_too_deep_for_recursion_is_refused():
    deep_tree(4000).check()
    assert deep_tree(4000).predict([[None]]).tolist() == ["a"]
    with pytest.raises(FormatError, match="a depth of at most 4000"):
        deep_tree(4001).check()
    with pytest.raises(ParameterError, match="a depth of at most 4000"):
        deep_tree(4001).predict([[None]])


def test_other_smoothing_can_still_be_asked_for():
    tree = bough.C50Classifier().fit(X[:, :2], Y).tree_
    raw = tree.predict_proba(X[:, :2], smoothing="none")
    ends = tree.apply(X[:, :2])
    shares = tree.statistics[ends] / tree.weight[ends, None]
    assert raw == pytest.approx(shares)


@pytest.mark.slow
def test_flipped_bytes_of_a_tree_are_refused_or_answer():
    sizes = {"x2": ["S", "M", "L"]}
    tree = bough.C50Classifier(fuzzy=True, ordinal_features=sizes, min_samples_branch=1).fit(X, Y).tree_
    assert loads(to_zip(tree.document())) == tree
    document, random, loaded = tree.document(), np.random.default_rng(8), 0
    nodes = document["nodes"]
    for _ in range(1500):
        name = random.choice([*nodes])
        flipped = bytearray(nodes[name].tobytes())
        if not flipped:
            continue
        flipped[random.integers(len(flipped))] ^= int(random.integers(1, 256))
        changed = np.frombuffer(bytes(flipped), dtype=nodes[name].dtype).reshape(nodes[name].shape)
        try:
            again = loads(to_zip(document | {"nodes": nodes | {name: changed}}))
        except FormatError:
            continue
        loaded += 1
        with np.errstate(all="ignore"):
            assert len(again.predict(X[:9])) == 9
            assert again.predict_proba(X[:9]).shape == (9, 2)
            again.apply(X[:9])
    assert loaded > 50


def test_equality_tells_arithmetics_apart():
    tree = bough.C50Classifier().fit(X, Y).tree_
    assert dataclasses.replace(tree, arithmetic="bough") != tree
