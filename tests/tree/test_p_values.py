"""The p-values that a tree keeps: in print-outs, in files and in pruned trees; and the cuts of intervals."""

import dataclasses
import json

import numpy as np
import pytest

import bough
from bough.data.words import p_value_words
from bough.errors import FormatError
from bough.models.tree_format import from_json, to_json
from bough.tree.split import Intervals


@pytest.fixture(scope="module")
def tree():
    rng = np.random.default_rng(0)
    age, colour = rng.uniform(0, 90, 400).round(1), rng.choice(list("rgb"), 400)
    y = np.where((age > 20) & (age < 50), "a", np.where(colour == "r", "b", "c"))
    X = np.column_stack([age.astype(object), colour.astype(object)])
    return bough.CHAIDClassifier().fit(X, y).tree_


def test_print_outs_show_them(tree):
    assert "p-value" in str(tree).splitlines()[2]
    node = tree.node(0)
    first = min(node.p_values, key=node.p_values.get)
    assert f"p-values: {first} {p_value_words(node.p_values[first])}, " in str(node)
    untested = dataclasses.replace(tree, p_value=np.full_like(tree.p_value, np.nan))
    assert "p-values: no column was tested" in str(untested.node(0))


@pytest.mark.parametrize("name", ["tree.json", "tree.bough"])
def test_files_keep_them_and_the_neighbours_of_cuts(tree, tmp_path, name):
    tree.save(tmp_path / name)
    again = bough.load(tmp_path / name)
    assert again == tree
    np.testing.assert_array_equal(again.p_value, tree.p_value)
    assert isinstance(again.split(0), Intervals)
    assert again.split(0).neighbours == tree.split(0).neighbours
    assert str(again) == str(tree)


def test_pruned_trees_keep_those_of_their_nodes(tree):
    node = int(np.flatnonzero(~tree.is_leaf)[-1])
    pruned = tree.snip(node)
    pruned.check()
    assert pruned.p_value.shape == (pruned.n_nodes, 2)
    np.testing.assert_array_equal(pruned.p_value[0], tree.p_value[0])
    assert pruned.split(0).neighbours == tree.split(0).neighbours


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("p_value", lambda rows: [row[:1] for row in rows], "has 1 columns; 2 columns are wanted"),
        ("p_value", lambda rows: rows[:-1], "a row for each node is wanted"),
        ("p_value", lambda rows: [[-0.5, 1.0], *rows[1:]], r"p_value\[0\]: .*p-values are at least 0"),
        ("interval_below", lambda cuts: cuts[:-1], "has shape"),
        ("interval_below", lambda cuts: [99.0, *cuts[1:]], r"interval_below\[0\]: 99.0"),
        ("interval_above", lambda cuts: [-1.0, *cuts[1:]], r"interval_above\[0\]: -1.0"),
    ],
)
def test_files_that_contradict_themselves_are_refused(tree, name, change, message):
    document = json.loads(json.dumps(to_json(tree)))
    document["nodes"][name] = change(document["nodes"][name])
    with pytest.raises(FormatError, match=message):
        from_json(document)


def test_neighbours_of_cuts_come_in_pairs(tree):
    with pytest.raises(FormatError, match="must both be given"):
        dataclasses.replace(tree, interval_above=None).check()


def test_a_path_is_true_of_a_value_between_the_printed_number_and_the_cut(tree):
    split = tree.split(0)
    for cut, (below, above) in zip(split.cuts, split.neighbours, strict=True):
        for value in (np.nextafter(cut, -np.inf), cut, (below + cut) / 2, (above + cut) / 2):
            words = split.narrowed_to(value).words(tree.schema, int(split.branch(np.array([value]))[0]))
            bounds = [float(word) for word in words.split() if word[0].isdigit()]
            low, high = (None, *bounds) if " < " in words and " <= " not in words else (*bounds, None)[:2]
            assert low is None or value >= low
            assert high is None or value < high
