"""R's gbm: the same scores, losses, influences and trees, case by case."""

import numpy as np
import pandas as pd
import pytest
from tests.oracle.reference import cases, of_own_folder, read_data

import bough

CASES = cases("gbm")
LEARNERS = {
    "coxph": bough.GradientBoostingSurvival,
    **dict.fromkeys(("bernoulli", "adaboost", "huberized", "multinomial"), bough.GradientBoostingClassifier),
}
CLOSE = {"rtol": 1e-6, "atol": 1e-6}


def fitted(case):
    data, output = read_data(case.dataset), case.output
    name = output["distribution"]
    learner = LEARNERS.get(name, bough.GradientBoostingRegressor).like_gbm(
        distribution=output["distribution_args"] or name,
        n_trees=output["n_trees"],
        shrinkage=output["shrinkage"],
        interaction_depth=output["interaction_depth"],
        n_minobsinnode=output["n_minobsinnode"],
        bag_fraction=output["bag_fraction"],
    )
    X, y = data.X[output["var_names"]], data.y if name != "coxph" else (data.y, data.status)
    return learner.fit(X, y, sample_weight=output["weights"]), X


def like_gbm(scores):
    return scores[:, 0] if scores.shape[1] == 1 else scores


@pytest.mark.parametrize("case", CASES, ids=str)
def test_scores_and_losses_are_those_of_gbm(case):
    model, X = fitted(case)
    np.testing.assert_allclose(model.model_.start, case.output["init_f"], **CLOSE)
    np.testing.assert_allclose(like_gbm(model.model_.scores(X)), case.output["pred_link"], **CLOSE)
    if case.output.get("pred_link_10") is not None:
        some = like_gbm(model.model_.scores(X, n_rounds=10))
        np.testing.assert_allclose(some, case.output["pred_link_10"], **CLOSE)
    np.testing.assert_allclose(model.training_loss_, case.output["train_error"], **CLOSE)


@pytest.mark.parametrize(
    "case", [case for case in CASES if case.output.get("relative_influence_unscaled")], ids=str
)
def test_influences_are_those_of_gbm(case):
    model, X = fitted(case)
    theirs = [case.output["relative_influence_unscaled"].get(name, 0.0) for name in X.columns]
    total = sum(theirs)
    np.testing.assert_allclose(model.model_.importance() / total, np.array(theirs) / total, **CLOSE)


def follow(tree, node, theirs, at, X):
    """Compare the subtree of a node with that of gbm's node `at`."""
    assert tree.statistics[node, 0] == pytest.approx(theirs["prediction"][at], rel=1e-6, abs=1e-9)
    name = theirs["split_var"][at]
    if name is None:
        assert tree.is_leaf[node]
        return
    column = X[name]
    assert tree.schema[tree.column[node]].name == name
    assert tree.gain[node] * tree.weight[node] == pytest.approx(theirs["error_reduction"][at], rel=1e-6)
    if theirs["cat_direction"][at] is not None:
        levels = slice(*tree.level_start[node : node + 2])
        ours = dict(zip(tree.level_code[levels].tolist(), tree.level_branch[levels].tolist(), strict=True))
        present = column.cat.codes[column.notna()].unique()
        directions = dict(zip(sorted(present), theirs["cat_direction"][at], strict=True))
        assert {code: 2 * ours[code] - 1 for code in directions} == directions
    elif not isinstance(column.dtype, pd.CategoricalDtype):
        assert tree.cut[node] == theirs["split_code_pred"][at]
    children = [theirs[side][at] for side in ("left", "right", "missing")]
    for branch in range(tree.n_children[node]):
        follow(tree, tree.first_child[node] + branch, theirs, children[branch], X)
    if tree.n_children[node] == 2:
        # Missing values stop in the node, whose value is that of gbm's empty leaf.
        assert theirs["prediction"][children[2]] == pytest.approx(
            theirs["prediction"][at], rel=1e-9, abs=1e-12
        )


@pytest.mark.parametrize("case", CASES, ids=str)
def test_the_first_trees_are_those_of_gbm(case):
    model, X = fitted(case)
    for number, theirs in enumerate(case.output["first_trees"]):
        follow(model.model_.tree(number), 0, theirs, 0, X)


@of_own_folder
def test_cases_are_of_every_kind():
    kinds = {case.output["distribution"] for case in CASES}
    assert kinds >= {"gaussian", "bernoulli", "adaboost", "poisson", "laplace", "multinomial", "quantile"}
