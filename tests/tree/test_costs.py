"""Costs of errors: what is printed follows from the loss matrix and the class weights."""

import numpy as np
import pytest

import bough
from bough.tree.costs import answer_costs, expected_cost


@pytest.fixture(scope="module")
def drawn():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 3))
    return X, np.where(X[:, 0] + rng.normal(size=300) > 1, "ill", "well")


def test_the_answer_costs_least_and_the_risk_is_its_cost(drawn):
    X, y = drawn
    for parameters in ({}, {"prior": "equal"}):
        tree = (
            bough.CARTClassifier(loss_matrix={("ill", "well"): 4}, prune="minimum", **parameters)
            .fit(X, y)
            .tree_
        )
        costs = answer_costs(tree)
        scale = np.ones(2) if tree.class_scale is None else tree.class_scale
        mass = (tree.statistics * scale).sum(axis=1)
        assert (costs.argmin(axis=1) == tree.answer_codes()).all()
        assert costs.min(axis=1) * mass == pytest.approx(tree.risk)
        expected = expected_cost(tree)
        assert expected.tree == pytest.approx(tree.risk[tree.is_leaf].sum() / mass[0])
        assert expected.constant == pytest.approx(tree.risk[0] / mass[0])
        assert expected.answer == tree.answer(0)


def test_expected_cost_is_the_mean_cost_of_the_training_rows(drawn):
    X, y = drawn
    model = bough.CARTClassifier(loss_matrix={("ill", "well"): 4}, prune="minimum").fit(X, y)
    answers = model.predict(X)
    cost = np.where(answers == y, 0.0, np.where(y == "ill", 4.0, 1.0)).mean()
    assert expected_cost(model.tree_).tree == pytest.approx(cost)


def test_print_out_rules_and_nodes_show_costs(drawn):
    X, y = drawn
    tree = bough.CARTClassifier(loss_matrix={("ill", "well"): 4}, prune="none", max_depth=1).fit(X, y).tree_
    ill, well = tree.statistics[1]
    as_ill, as_well = f"{well / (ill + well):.2f}", f"{4 * ill / (ill + well):.2f}"
    text = tree.text()
    assert "cost as ill/well" in text
    assert f"{as_ill}/{as_well}" in text.splitlines()[4]
    matrix = "Costs of errors:\ntrue \\ answer  ill  well\nill              0     4\nwell             1     0"
    for shown in (text, tree.rules().text()):
        assert matrix in shown
        assert expected_cost(tree).words() in shown
    assert tree.rules()[0].costs == pytest.approx(
        {"ill": well / (ill + well), "well": 4 * ill / (ill + well)}
    )
    assert "cost as ill " in str(tree.node(1))
    plain = bough.TreeClassifier(max_depth=1).fit(X, y).tree_
    assert "cost" not in plain.text() + plain.rules().text() + str(plain.node(1))
