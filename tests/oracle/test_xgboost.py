"""XGBoost's exact method: from its own margins before a tree, boosting makes the splits of that tree.

Columns have at most 255 distinct values, so that each value is a bin. Where the gains of two splits are
within 1e-5 of each other, single precision decides in XGBoost, and either split will do.
"""

import json

import numpy as np
import pytest

import bough

xgboost = pytest.importorskip("xgboost")

RNG = np.random.default_rng(11)
N = 800
X = np.round(RNG.normal(size=(N, 5)), 1)
SCORE = X[:, 0] + X[:, 1] * X[:, 2]
Y = SCORE + RNG.normal(size=N)
GAPS = np.where(RNG.random(X.shape) < 0.2, np.nan, X)
WEIGHT = RNG.integers(1, 4, N).astype(float)
ROUNDS = (0, 1, 4, 11)
pytestmark = pytest.mark.slow


def squared(margin, y):
    return margin - y, np.ones(len(y))


def logistic(margin, y):
    share = 1 / (1 + np.exp(-margin))
    return share - y, share * (1 - share)


def poisson(margin, y):
    return np.exp(margin) - y, np.exp(margin + 0.7)


LOSSES = {
    "reg:squarederror": (squared, Y),
    "binary:logistic": (logistic, (Y > 0).astype(float)),
    "count:poisson": (poisson, np.floor(np.exp(np.clip(Y, -2, 2)))),
}
SETTINGS = {
    "plain": ({"lambda": 1.0}, {"l2_regularization": 1.0}),
    "heavy": ({"lambda": 10.0, "min_child_weight": 8}, {"l2_regularization": 10.0, "min_hessian": 8.0}),
    "sparse": ({"lambda": 0.5, "alpha": 2.0}, {"l2_regularization": 0.5, "l1_regularization": 2.0}),
    "stingy": ({"lambda": 1.0, "gamma": 3.0}, {"l2_regularization": 1.0, "min_gain": 3.0}),
    "bounded": ({"lambda": 1.0, "max_delta_step": 0.3}, {"l2_regularization": 1.0, "max_delta_step": 0.3}),
}


def gain(gradient, hessian, rows, left, ours):
    """By how much a split of some rows lowers twice the loss to second order."""

    def score(some):
        g, h = gradient[some].sum(), hessian[some].sum() + ours["l2_regularization"]
        size = max(0.0, abs(g) - ours.get("l1_regularization", 0.0)) / h
        most = ours.get("max_delta_step", 0.0)
        value = -np.sign(g) * (min(size, most) if most else size)
        return -(2 * g * value + h * value**2 + 2 * ours.get("l1_regularization", 0.0) * abs(value))

    return score(rows[left]) + score(rows[~left]) - score(rows)


def compare(tree, node, theirs, rows, data, gradient, hessian, ours):
    """Compare the splits below two nodes; return the number of splits that agree."""
    own_left = theirs_left = None
    if not tree.is_leaf[node]:
        own_left = np.isin(tree.apply(data[rows]), below(tree, int(tree.first_child[node])))
    if "children" in theirs:
        values = data[rows, int(theirs["split"][1:])]
        left = values < np.float32(theirs["split_condition"])
        theirs_left = np.where(np.isnan(values), theirs["missing"] == theirs["yes"], left)
    if own_left is None and theirs_left is None:
        return 0
    if own_left is None or theirs_left is None:
        made = theirs_left if own_left is None else own_left
        assert gain(gradient, hessian, rows, made, ours) < 1e-5 + ours.get("min_gain", 0.0) * 1.00001
        return 0
    if (own_left != theirs_left).any():
        gains = [gain(gradient, hessian, rows, left, ours) for left in (own_left, theirs_left)]
        assert gains[0] == pytest.approx(gains[1], rel=1e-5)
        return 0
    children = {child["nodeid"]: child for child in theirs["children"]}
    sides = ((rows[own_left], children[theirs["yes"]]), (rows[~own_left], children[theirs["no"]]))
    first = int(tree.first_child[node])
    return 1 + sum(
        compare(tree, first + i, child, some, data, gradient, hessian, ours)
        for i, (some, child) in enumerate(sides)
    )


def below(tree, node):
    if tree.is_leaf[node]:
        return [node]
    first = int(tree.first_child[node])
    return [leaf for child in (first, first + 1) for leaf in below(tree, child)]


@pytest.mark.parametrize("data", [X, GAPS], ids=["known", "missing"])
@pytest.mark.parametrize("weight", [None, WEIGHT], ids=["alike", "weighted"])
@pytest.mark.parametrize("settings", SETTINGS)
@pytest.mark.parametrize("objective", LOSSES)
def test_every_tree_has_the_splits_of_the_exact_method(objective, settings, weight, data):
    loss, y = LOSSES[objective]
    theirs, ours = SETTINGS[settings]
    if objective == "count:poisson":
        # XGBoost bounds the steps of counts, multiplies their hessian by e to the bound, and has a formula of
        # its own for the gain of bounded steps with alpha.
        if settings in ("bounded", "sparse"):
            pytest.skip("XGBoost's gains are not those of the loss here")
        theirs, ours = theirs | {"max_delta_step": 0.7}, ours | {"max_delta_step": 0.7}
    rows = xgboost.DMatrix(data, y, weight=weight)
    fixed = {"tree_method": "exact", "max_depth": 5, "eta": 0.3, "base_score": 0.5, "nthread": 1}
    booster = xgboost.train(fixed | {"objective": objective, "min_child_weight": 0.001} | theirs, rows, 12)
    dumped = booster.get_dump(dump_format="json")
    agreed = 0
    for number in ROUNDS:
        margin = booster[:number].predict(rows, output_margin=True) if number else start_of(objective)
        gradient, hessian = loss(np.asarray(margin, dtype=np.float64) + np.zeros(N), y)
        learner = bough.GradientBoostingRegressor(
            loss=lambda y, score, g=gradient, h=hessian: (g, h),
            max_iter=1,
            max_leaf_nodes=None,
            max_depth=5,
            growth="level",
            min_samples_leaf=1,
            **ours,
        )
        tree = learner.fit(data, y, sample_weight=weight).model_.tree(0)
        own = np.ones(N) if weight is None else weight
        agreed += compare(
            tree, 0, json.loads(dumped[number]), np.arange(N), data, own * gradient, own * hessian, ours
        )
    assert agreed >= 10


def start_of(objective):
    return {"reg:squarederror": 0.5, "binary:logistic": 0.0, "count:poisson": np.log(0.5)}[objective]
