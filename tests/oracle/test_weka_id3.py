"""ID3 grows the trees of Weka's Id3, level by level and leaf by leaf."""

import numpy as np
import pytest
from tests.oracle.reference import cases, of_own_folder, read_data

import bough


def fitted(case):
    data = read_data(case.dataset, ordered=False)
    return bough.ID3Classifier().fit(data.X, data.y), data


def compare(tree, node, theirs, levels):
    """Compare a node and all below it; Weka numbers classes by their place among the levels of the target."""
    if not theirs["leaf"]:
        assert not tree.is_leaf[node], f"node {node} is a leaf, where Weka asks for {theirs['attr']!r}"
        column = tree.schema[int(tree.column[node])]
        assert column.name == theirs["attr"]
        assert tree.split(node).kind == "complete"
        assert len(tree.children(node)) == len(theirs["children"]) == len(column.levels)
        below = zip(tree.children(node), theirs["children"], strict=True)
        return 1 + sum(compare(tree, child, their_child, levels) for child, their_child in below)
    assert tree.is_leaf[node]
    # Weka gives no answer where no row came; ours answers as the parent.
    assert (tree.weight[node] == 0) == (theirs["class_index"] is None)
    if theirs["class_index"] is not None:
        assert tree.answer(node) == levels[theirs["class_index"]]
        shares = dict(zip(tree.classes, tree.statistics[node] / tree.weight[node], strict=True))
        assert [shares.get(level, 0.0) for level in levels] == pytest.approx(theirs["dist"], rel=1e-12)
    return 1


@pytest.mark.parametrize("case", cases("weka/id3"), ids=str)
def test_the_tree_is_wekas(case):
    model, _ = fitted(case)
    n_nodes = compare(model.tree_, 0, case.output["tree"], case.file["class_levels"])
    assert n_nodes == model.tree_.n_nodes


@pytest.mark.parametrize("case", cases("weka/id3"), ids=str)
def test_the_predictions_are_wekas(case):
    model, data = fitted(case)
    theirs = np.array(case.output["pred_class_index"])
    codes = {level: code for code, level in enumerate(case.file["class_levels"])}
    ours = np.array([codes[label] for label in model.predict(data.X)])
    answerless = model.tree_.weight[model.apply(data.X)] == 0
    assert (np.where(answerless, -1, ours) == theirs).all()


@pytest.mark.parametrize("case", cases("weka/id3"), ids=str)
def test_the_probabilities_are_wekas(case):
    model, data = fitted(case)
    rows, theirs = case.output["prob_rows"], np.array(case.output["prob"])
    place = {label: position for position, label in enumerate(model.classes_)}
    ours = np.zeros_like(theirs)
    probabilities = model.predict_proba(data.X.iloc[rows])
    for code, level in enumerate(case.file["class_levels"]):
        if level in place:
            ours[:, code] = probabilities[:, place[level]]
    ours[model.tree_.weight[model.apply(data.X.iloc[rows])] == 0] = 0.0
    assert ours == pytest.approx(theirs, rel=1e-12)


@of_own_folder
def test_there_are_cases_to_compare():
    assert len(cases("weka/id3")) >= 4
