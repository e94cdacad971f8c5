"""Weka's SimpleCart: the same trees, cuts, shares, predictions and probabilities, case by case."""

import re

import numpy as np
import pytest
from tests.oracle.quinlan_trees import class_codes, in_order, near
from tests.oracle.reference import cases, of_own_folder, read_data

import bough

CASES = cases("weka/simplecart")


def fitted(case):
    data = read_data(case.dataset, ordered=False)
    words = case.output["effective_options"].split()
    option = {word: words[place + 1] for place, word in enumerate(words[:-1])}
    prune = "none" if "-U" in words else "one_se" if "-A" in words else "minimum"
    model = bough.SimpleCartClassifier(
        min_samples_leaf=int(float(option["-M"])),
        cv=int(option["-N"]),
        random_state=int(option["-S"]),
        heuristic="-H" not in words,
        prune=prune,
    )
    return model.fit(data.X, data.y), data


def compare(tree, node, theirs, levels):
    assert near(in_order(tree, tree.statistics[node], levels), theirs["distribution"])
    assert tree.is_leaf[node] == theirs["leaf"], f"node {node}"
    if theirs["leaf"]:
        return 1
    split = tree.split(node)
    column = tree.schema[split.column]
    assert column.name == theirs["attr"]
    assert near(tree.share[tree.children(node)], theirs["props"])
    if "threshold" in theirs:
        assert near(split.cut, theirs["threshold"])
    else:
        branches = split.branch(np.arange(len(column.levels), dtype=np.int32))
        ours = {column.levels[code] for code in np.flatnonzero(branches == 0)}
        assert ours == set(re.findall(r"\((.*?)\)(?:\||$)", theirs["left_values"]))
    below = zip(tree.children(node), theirs["children"], strict=True)
    return 1 + sum(compare(tree, child, other, levels) for child, other in below)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_the_tree_is_wekas(case):
    model, _ = fitted(case)
    tree = model.tree_
    n_nodes = compare(tree, 0, case.output["tree"], case.file["class_levels"])
    assert n_nodes == tree.n_nodes == case.output["size"]
    tree.check()


@pytest.mark.parametrize("case", CASES, ids=str)
def test_the_predictions_are_wekas(case):
    model, data = fitted(case)
    levels = case.file["class_levels"]
    assert class_codes(model.predict(data.X), levels) == case.output["pred_class_index"]
    ours = model.tree_.predict_proba(data.X.iloc[case.output["prob_rows"]])
    assert near(in_order(model.tree_, ours, levels), np.array(case.output["prob"]))


@of_own_folder
def test_there_are_cases_to_compare():
    assert len(CASES) >= 18
