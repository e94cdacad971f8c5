"""Rows with missing values go down all branches; the native walk is that of a short Python one."""

import numpy as np
import pandas as pd
import pytest

import bough
from bough.errors import FormatError
from bough.example_models import iris_tree
from bough.models.tree_format import from_json, to_json


def mixed(seed, n_rows=200, missing=0.2):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "number": rng.normal(size=n_rows),
            "few": rng.integers(0, 5, n_rows).astype(np.float32),
            "level": pd.Categorical(rng.choice(list("pqrst"), n_rows)),
            "size": pd.Categorical(rng.choice(list("SML"), n_rows), list("SML"), ordered=True),
        }
    ).mask(rng.random((n_rows, 4)) < missing)
    return X, rng.choice(list("abc"), n_rows)


def parts(tree, table, row, node=0, part=1.0):
    """Yield each node where a part of a row ends, and the part."""
    split = tree.split(node)
    if split is None:
        yield node, part
        return
    branch = int(split.branch(table.columns[split.column][[row]])[0])
    children = tree.children(node)
    if branch >= 0:
        yield from parts(tree, table, row, children[branch], part)
        return
    for child in children:
        yield from parts(tree, table, row, child, part * tree.share[child])


@pytest.mark.parametrize("parameters", [{"variant": "c4.5", "nominal": "subset"}, {"variant": "j48"}])
def test_the_native_walk_is_the_plain_one(parameters):
    X, y = mixed(0)
    tree = bough.C45Classifier(prune="none", min_samples_branch=1, **parameters).fit(X, y).tree_
    table = tree._table(mixed(1)[0])
    native = tree.predict_proba(table)
    shares = tree.class_weights() / tree.class_weights().sum(axis=1, keepdims=True)
    for row in range(table.n_rows):
        plain = sum(part * shares[node] for node, part in parts(tree, table, row))
        assert native[row] == pytest.approx(plain, rel=1e-12)
    assert native.sum(axis=1) == pytest.approx(1.0)
    assert (tree.predict_proba(table, n_jobs=2) == native).all()


def nested(tree, table, row, shares, node=0):
    """Average the branches of each split whose value is missing, as Weka's programs do."""
    split = tree.split(node)
    if split is None:
        return shares[node]
    branch = int(split.branch(table.columns[split.column][[row]])[0])
    children = tree.children(node)
    if branch >= 0:
        return nested(tree, table, row, shares, children[branch])
    total = np.zeros(shares.shape[1])
    for child in children:
        if tree.share[child] > 0:
            total += tree.share[child] * nested(tree, table, row, shares, child)
    return total


@pytest.mark.parametrize("learner", [bough.REPTreeClassifier, bough.SimpleCartClassifier])
def test_reptree_and_simple_cart_average_at_each_split_to_the_bit(learner):
    X, y = mixed(0)
    tree = learner(prune="none").fit(X, y).tree_
    table = tree._table(mixed(1, missing=0.5)[0])
    native = tree.predict_proba(table)
    shares = tree.class_weights() / tree.class_weights().sum(axis=1, keepdims=True)
    for row in range(table.n_rows):
        assert native[row].tolist() == nested(tree, table, row, shares).tolist()
    assert (tree.predict_proba(table, n_jobs=2) == native).all()


def test_a_level_never_seen_is_spread_as_a_missing_value():
    model = bough.C45Classifier(prune="none").fit(pd.DataFrame({"c": list("aabbcc") * 3}), list("001122") * 3)
    new, missing = model.predict_proba(pd.DataFrame({"c": ["z", None]}))
    assert new == pytest.approx([1 / 3] * 3)
    assert missing == pytest.approx([1 / 3] * 3)


def test_numbers_are_put_together_in_shares():
    tree = bough.REPTreeRegressor(prune="none").fit([[0.0]] * 6 + [[1.0]] * 3, [3.0] * 6 + [9.0] * 3).tree_
    assert tree.predict([[None]]) == pytest.approx(5.0)


def test_shares_survive_the_file_and_collapsing():
    X, y = mixed(2)
    tree = bough.C45Classifier().fit(X, y).tree_
    assert from_json(to_json(tree)) == tree
    assert from_json(to_json(iris_tree())).share is None
    unpruned = bough.C45Classifier(prune="none").fit(X, y).tree_
    snipped = unpruned.snip(1)
    snipped.check()
    assert snipped.share[: len(unpruned.children(0)) + 1].tolist() == (
        unpruned.share[: len(unpruned.children(0)) + 1].tolist()
    )


def test_shares_that_do_not_sum_to_one_are_refused():
    from dataclasses import replace

    sound = replace(iris_tree(), share=[1.0, 0.5, 0.5, 0.25, 0.75])
    sound.check()
    for share, message in (
        ([1.0, 0.5, 0.4, 0.25, 0.75], r"nodes.share\[0\]: 1.0, but the shares .* sum to 1"),
        ([1.0, -0.5, 1.5, 0.25, 0.75], r"nodes.share\[1\]: -0.5, but a share is from 0 to 1"),
        ([1.0, 0.5], r"nodes.share: has shape \(2,\); \(5,\) is wanted"),
    ):
        with pytest.raises(FormatError, match=message):
            replace(iris_tree(), share=share).check()


def test_trees_with_and_without_shares_differ():
    from dataclasses import replace

    spread = replace(iris_tree(), share=[1.0, 0.5, 0.5, 0.25, 0.75])
    assert spread != iris_tree()
    assert iris_tree() != spread
