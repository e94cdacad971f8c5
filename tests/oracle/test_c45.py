"""C4.5 release 8: the same trees, grown and pruned, expected errors and predictions, case by case."""

from dataclasses import replace

import numpy as np
import pytest
from tests.oracle.quinlan_trees import asks_at_most, class_codes, compare_tree, in_order, near
from tests.oracle.reference import cases, of_own_folder, read_data

import bough
from bough.pruning import expected_errors

CASES = [case for case in cases("c45") if "pruned" in case.output]
STAGES = {"unpruned": "none", "pruned": "error_based"}


def options_of(words):
    """Read the options: -s subsets, -g gain, -m least cases, -c confidence in percent; -p changes no tree."""
    words = words.split()
    options = {}
    for place, word in enumerate(words):
        if word == "-s":
            options["nominal"] = "subset"
        elif word == "-g":
            options["criterion"] = "entropy"
        elif word == "-m":
            options["min_samples_branch"] = int(words[place + 1])
        elif word == "-c":
            options["confidence"] = int(words[place + 1]) / 100
    return options


def fitted(case, stage):
    data = read_data(case.dataset, ordered=False)
    options = options_of(case.output["options"])
    return bough.C45Classifier(prune=STAGES[stage], **options).fit(data.X, data.y), data


@pytest.mark.parametrize("stage", STAGES)
@pytest.mark.parametrize("case", CASES, ids=str)
def test_the_tree_is_release_8s(case, stage):
    model, _ = fitted(case, stage)
    tree, levels = model.tree_, case.file["class_levels"]

    def compare(node, theirs):
        assert near(tree.weight[node], theirs["items"])
        if theirs["items"] > 0:
            assert near(in_order(tree, tree.statistics[node], levels), theirs["class_dist"])

    assert compare_tree(tree, case.output[stage], compare) == tree.n_nodes
    assert asks_at_most(tree)
    tree.check()


@pytest.mark.parametrize("case", CASES, ids=str)
def test_the_expected_errors_are_release_8s(case):
    model, _ = fitted(case, "pruned")
    tree = model.tree_
    wanted = np.zeros(tree.n_nodes)
    weight, risk = tree.weight.copy(), tree.risk.copy()

    def note(node, theirs):
        # The figure is the difference of two floats. Where cases are fractions, sums of them depend on their
        # order in the last digit, and so would the difference in more than that: it is asked of the
        # program's own sums.
        items = np.float32(theirs["items"])
        if theirs["leaf"] and items > 0:
            weight[node], risk[node] = items, items - np.float32(max(theirs["class_dist"]))
            wanted[node] = theirs["errors"]

    compare_tree(tree, case.output["pruned"], note)
    errors = expected_errors(replace(tree, weight=weight, risk=risk), confidence=model.confidence)
    assert near(errors[wanted > 0], wanted[wanted > 0])


@pytest.mark.parametrize("stage", STAGES)
@pytest.mark.parametrize("case", CASES, ids=str)
def test_the_predictions_are_release_8s(case, stage):
    model, data = fitted(case, stage)
    ours = class_codes(model.predict(data.X), case.file["class_levels"])
    theirs = np.array(case.output[f"pred_class_index_{stage}"])
    assert (np.array(ours) == theirs).all()


@pytest.mark.parametrize("case", CASES, ids=str)
def test_the_class_weights_of_rows_are_release_8s(case):
    model, data = fitted(case, "pruned")
    rows, theirs = case.output["prob_rows"], np.array(case.output["class_sum"])
    ours = model.tree_.predict_proba(data.X.iloc[rows])
    assert near(in_order(model.tree_, ours, case.file["class_levels"]), theirs)
    assert ours.sum(axis=1) == pytest.approx(1.0)


@of_own_folder
def test_there_are_cases_to_compare():
    assert len(CASES) >= 60
