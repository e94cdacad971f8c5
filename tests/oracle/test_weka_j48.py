"""Weka's J48: the same trees, cuts, counts, gains, predictions and probabilities, case by case."""

import numpy as np
import pytest
from tests.oracle.quinlan_trees import asks_at_most, class_codes, compare_tree, in_order, near
from tests.oracle.reference import cases, of_own_folder, read_data

import bough
from bough.data.table import Table
from bough.data.target import read_weights
from bough.pruning import ReducedError
from bough.pruning.methods import held_out_rows
from bough.tree.labeled_rows import LabeledRows

CASES = cases("weka/j48")


def parameters_of(words):
    """Read J48's options; its own defaults are ours."""
    words = words.split()
    parameters = {}
    if "-U" in words:
        parameters["prune"] = "none"
    if "-B" in words:
        parameters["nominal"] = "one_vs_rest"
    if "-S" in words:
        parameters["subtree_raising"] = False
    if "-A" in words:
        parameters["smoothing"] = "laplace"
    if "-M" in words:
        parameters["min_samples_branch"] = int(words[words.index("-M") + 1])
    if "-C" in words:
        parameters["confidence"] = float(np.float32(words[words.index("-C") + 1]))
    if "-R" in words:
        folds = int(words[words.index("-N") + 1])
        parameters["prune"] = "reduced_error" if folds == 3 else ReducedError(cv=folds, random_state=None)
    return parameters


def fitted(case):
    data = read_data(case.dataset, ordered=False)
    parameters = parameters_of(case.output["effective_options"])
    return bough.C45Classifier(variant="j48", **parameters).fit(data.X, data.y), data


@pytest.mark.parametrize("case", CASES, ids=str)
def test_the_tree_is_wekas(case):
    model, _ = fitted(case)
    tree, levels = model.tree_, case.file["class_levels"]

    def compare(node, theirs):
        if theirs.get("empty"):
            assert tree.weight[node] == 0
            return
        assert near(tree.weight[node], theirs["total"])
        assert near(in_order(tree, tree.statistics[node], levels), theirs["class_dist"])

    assert compare_tree(tree, case.output["tree"], compare) == tree.n_nodes == case.output["size"]
    assert tree.n_leaves == case.output["num_leaves"]
    assert asks_at_most(tree)
    tree.check()


@pytest.mark.parametrize("case", CASES, ids=str)
def test_the_gains_are_wekas(case):
    model, _ = fitted(case)
    tree = model.tree_

    def compare(node, theirs):
        if not theirs["leaf"]:
            assert near(tree.gain[node], theirs["info_gain"])

    compare_tree(tree, case.output["tree"], compare)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_the_predictions_are_wekas(case):
    model, data = fitted(case)
    ours = class_codes(model.predict(data.X), case.file["class_levels"])
    assert ours == case.output["pred_class_index"]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_the_probabilities_are_wekas(case):
    model, data = fitted(case)
    ours = model.tree_.predict_proba(data.X.iloc[case.output["prob_rows"]], model.smoothing)
    assert near(in_order(model.tree_, ours, case.file["class_levels"]), np.array(case.output["prob"]))


@pytest.mark.parametrize("case", [case for case in CASES if "prune_rows" in case.output], ids=str)
def test_the_rows_held_out_are_wekas(case):
    model, data = fitted(case)
    labels = data.y.cat.codes.to_numpy().astype(np.int32)
    rows = LabeledRows(Table.read(data.X), labels, read_weights(None, len(labels)))
    held_out = held_out_rows(model._pruning(), rows)
    assert np.flatnonzero(held_out).tolist() == sorted(case.output["prune_rows"])


@of_own_folder
def test_there_are_cases_to_compare():
    assert len(CASES) >= 100
