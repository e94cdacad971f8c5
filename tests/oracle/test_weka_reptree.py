"""Weka's REPTree: the same trees, cuts, shares, counts, predictions and probabilities, case by case."""

import numpy as np
import pytest
from tests.oracle.quinlan_trees import class_codes, compare_tree, in_order, near
from tests.oracle.reference import cases, of_own_folder, read_data

import bough
from bough import _core

CASES = cases("weka/reptree")


def fitted(case):
    data = read_data(case.dataset, ordered=False)
    words = case.output["effective_options"].split()
    option = {word: words[place + 1] for place, word in enumerate(words[:-1])}
    depth = int(option["-L"])
    parameters = {
        "min_samples_branch": int(option["-M"]),
        "cv": int(option["-N"]),
        "random_state": int(option["-S"]),
        "max_depth": None if depth < 0 else depth,
        "prune": "none" if "-P" in words else "reduced_error",
    }
    if data.task == "classification":
        return bough.REPTreeClassifier(**parameters).fit(data.X, data.y), data
    return bough.REPTreeRegressor(min_variance_fraction=float(option["-V"]), **parameters).fit(
        data.X, data.y
    ), data


@pytest.mark.parametrize("case", CASES, ids=str)
def test_the_tree_is_wekas(case):
    model, _ = fitted(case)
    tree, levels = model.tree_, case.file["class_levels"]

    def compare(node, theirs):
        if levels is None:
            weight = theirs["distribution"][1] + theirs["holdout_dist"][0]
        else:
            weight = sum(theirs["distribution"]) + sum(theirs["holdout_dist"])
        assert near(tree.weight[node], weight)
        if weight > 0 and theirs["class_probs"] is not None:
            ours = tree.statistics[node] / (1.0 if levels is None else tree.weight[node])
            assert near(ours if levels is None else in_order(tree, ours, levels), theirs["class_probs"])
        if not theirs["leaf"]:
            assert near(tree.share[tree.children(node)], theirs["prop"])

    assert compare_tree(tree, case.output["tree"], compare) == tree.n_nodes == case.output["size"]
    tree.check()


@pytest.mark.parametrize("case", CASES, ids=str)
def test_the_predictions_are_wekas(case):
    model, data = fitted(case)
    ours = model.predict(data.X)
    if data.task == "regression":
        assert near(ours, case.output["pred"])
    else:
        assert class_codes(ours, case.file["class_levels"]) == case.output["pred_class_index"]


@pytest.mark.parametrize("case", [case for case in CASES if "prob" in case.output], ids=str)
def test_the_probabilities_are_wekas(case):
    model, data = fitted(case)
    ours = model.tree_.predict_proba(data.X.iloc[case.output["prob_rows"]])
    assert near(in_order(model.tree_, ours, case.file["class_levels"]), np.array(case.output["prob"]))


@pytest.mark.parametrize("case", [case for case in CASES if "grow_rows" in case.output], ids=str)
def test_the_rows_grown_on_are_wekas_in_its_order(case):
    model, data = fitted(case)
    labels = data.y.cat.codes.to_numpy().astype(np.int32) if data.task == "classification" else None
    order = _core.grown_rows(labels, len(data.y), model.cv, model.random_state, True)
    assert order.tolist() == case.output["grow_rows"]


@of_own_folder
def test_there_are_cases_to_compare():
    assert len(CASES) >= 20
