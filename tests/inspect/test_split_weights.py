"""Candidates, rivals and reports follow the losses, priors and weights that the tree was grown with."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer

import bough
from bough.inspect.rivals import rivals

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def cancer():
    data = load_breast_cancer(as_frame=True)
    return data.data.filter(like="worst"), np.where(data.target == 0, "malignant", "benign")


RECIPES = [
    {"loss_matrix": {("malignant", "benign"): 10}},
    {"prior": "equal"},
    {"prior": {"benign": 0.1, "malignant": 0.9}, "loss_matrix": {("benign", "malignant"): 4}},
    {"class_weight": {"malignant": 5}},
    {"class_weight": "balanced"},
    {"column_costs": {"worst perimeter": 3.0}},
]


@pytest.mark.parametrize("parameters", RECIPES, ids=str)
@pytest.mark.parametrize("missing", [False, True])
def test_the_best_rival_and_candidate_are_the_split_of_the_tree(cancer, parameters, missing):
    X, y = cancer
    if missing:
        X = X.mask(np.random.default_rng(0).random(X.shape) < 0.05)
    tree = bough.CARTClassifier(**parameters).fit(X, y).tree_
    assert tree.n_leaves > 1
    for node, ranked in rivals(tree, X, y).items():
        assert ranked[0].chosen
        assert ranked[0].split == tree.split(node)
        assert ranked[0].value == pytest.approx(tree.gain[node], rel=1e-9)
        if "column_costs" not in parameters:
            listed = bough.candidates(tree, X, y, node=node)
            best = max(listed, key=lambda each: each.criteria["gini"])
            assert best.split == tree.split(node)
            assert best.criteria["gini"] == pytest.approx(tree.gain[node], rel=1e-9)


def test_candidates_count_cases_and_their_errors_are_losses(cancer):
    X, y = cancer
    tree = bough.CARTClassifier(loss_matrix={("malignant", "benign"): 10}).fit(X, y).tree_
    listed = bough.candidates(tree, X, y)
    best = max(listed, key=lambda each: each.criteria["gini"])
    assert best.counts == tuple(map(tuple, tree.statistics[[1, 2]]))
    assert best.errors == tree.risk[1] + tree.risk[2] == 8 * 10 + 49
    assert listed.text().splitlines()[0].split() == ["variable", "values", "benign", "malignant", "loss"]
    plain = max(bough.candidates(X, y), key=lambda each: each.criteria["gini"])
    assert plain.split != best.split


def test_the_report_marks_the_split_of_the_tree(cancer):
    X, y = cancer
    for parameters in RECIPES:
        model = bough.CARTClassifier(**parameters).fit(X, y)
        tree = model.tree_
        facts = bough.report(tree, X, y, n_draws=2, cv=3).facts
        for node, ranked in facts["rivals"].items():
            chosen = [words for _, words, _, is_chosen, is_same in ranked if is_chosen and is_same]
            assert chosen == [tree.condition(tree.children(int(node))[0])]
            assert facts["nodes"]["gain"][int(node)] == pytest.approx(ranked[0][2], rel=1e-5)
        # A saved tree is grown again by its recipe, so it is cross-validated as the learner is.
        assert facts["given"]["learned"]
        assert facts["judged"]["rows"] == "by 3-fold cross-validation"
        assert facts["judged"] == bough.report(model, X, y, n_draws=0, cv=3).facts["judged"]


def test_combined_candidates_follow_losses(cancer):
    X, y = cancer
    X = X[["worst perimeter", "worst area", "worst concave points"]]
    loss = {("malignant", "benign"): 10}
    tree = bough.CARTClassifier(loss_matrix=loss, max_depth=1, prune="none").fit(X, y).tree_
    best = bough.combined_candidates(tree, X, y, combinations="ratio")[0]
    counts = np.array(best.counts)
    assert counts.sum(axis=0).tolist() == tree.statistics[0].tolist()
    assert best.errors == np.minimum(counts[:, 1] * 10, counts[:, 0]).sum()


def test_rules_of_a_class_are_those_that_predict_it(cancer):
    X, y = cancer
    rules = bough.CARTClassifier(loss_matrix={("malignant", "benign"): 10}).fit(X, y).tree_.rules()
    for label in ("benign", "malignant"):
        assert [rule.leaf for rule in rules.for_class(label)] == [
            rule.leaf for rule in rules if rule.answer == label
        ]


def test_confidence_is_the_probability_that_the_model_predicts(cancer):
    X, y = cancer
    tree = bough.CARTClassifier(prior={"benign": 0.9, "malignant": 0.1}).fit(X, y).tree_
    shares, leaves = tree.predict_proba(X).max(axis=1), tree.apply(X)
    assert tree.confidence()[leaves] == pytest.approx(shares)
    for rule in tree.rules():
        assert rule.confidence == pytest.approx(tree.confidence()[rule.leaf])
    facts = bough.report(tree).facts
    assert facts["nodes"]["sure"] == pytest.approx(tree.confidence().tolist())
