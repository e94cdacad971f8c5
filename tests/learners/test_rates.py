"""CART for rates: events that came in a time of exposure."""

import numpy as np
import pytest

import bough
from bough.errors import ParameterError, TargetError

rng = np.random.default_rng(8)
X = rng.normal(size=(100, 2)).round(1)
EXPOSURE = rng.uniform(0.5, 3.0, 100)
EVENTS = rng.poisson(EXPOSURE * np.where(X[:, 0] > 0, 3.0, 0.5)).astype(float)


def test_a_leaf_answers_with_events_by_exposure():
    model = bough.CARTRegressor("poisson", shrink=0, max_depth=2, prune="none")
    tree = model.fit(X, EVENTS, exposure=EXPOSURE).tree_
    inside = tree.decision_path(X).toarray().astype(bool)
    for node in range(tree.n_nodes):
        events, exposure = EVENTS[inside[:, node]], EXPOSURE[inside[:, node]]
        rate = events.sum() / exposure.sum()
        assert tree.answer(node) == pytest.approx(rate)
        came = events > 0
        logs = np.where(came, events * np.log(np.where(came, events, 1) / (rate * exposure)), 0.0)
        assert tree.risk[node] == pytest.approx(2 * (logs - events + rate * exposure).sum())
        assert tree.weight[node] == inside[:, node].sum()


def test_a_rate_is_shrunk_towards_that_of_all_rows():
    model = bough.CARTRegressor("poisson", shrink=0.5, max_depth=1, prune="none")
    tree = model.fit(X, EVENTS, exposure=EXPOSURE).tree_
    of_all = EVENTS.sum() / EXPOSURE.sum()
    inside = tree.apply(X) == 1
    rate = (EVENTS[inside].sum() + 4) / (EXPOSURE[inside].sum() + 4 / of_all)
    assert tree.answer(0) == pytest.approx(of_all)
    assert tree.answer(1) == pytest.approx(rate)


def test_an_exposure_of_1_is_none():
    learner = bough.CARTRegressor("poisson", cp=0.01, prune="cp")
    with_ones, without = learner.fit(X, EVENTS, exposure=np.ones(100)).tree_, learner.fit(X, EVENTS).tree_
    assert with_ones.n_nodes == without.n_nodes
    assert with_ones.predict(X) == pytest.approx(without.predict(X))


def test_the_unit_of_exposure_does_not_matter_but_to_the_rates():
    learner = bough.CARTRegressor("poisson")
    years, months = (learner.fit(X, EVENTS, exposure=unit * EXPOSURE).tree_ for unit in (1, 16))
    assert years.n_nodes == months.n_nodes
    assert years.predict(X) == pytest.approx(16 * months.predict(X))
    assert years.risk == pytest.approx(months.risk)


def test_rows_of_no_weight_take_their_exposure_with_them():
    weight = np.arange(100) % 3
    learner, kept = bough.CARTRegressor("poisson", prune="none", max_depth=3), weight > 0
    whole = learner.fit(X, EVENTS, weight, exposure=EXPOSURE).tree_
    part = learner.fit(X[kept], EVENTS[kept], weight[kept], exposure=EXPOSURE[kept]).tree_
    assert whole == part


def test_a_leaf_may_be_without_events():
    x, events = [[1], [2], [3], [4]], [0, 0, 3, 1]
    bare, shrunk = (
        bough.CARTRegressor("poisson", shrink=shrink, prune="none", max_depth=1).fit(x, events)
        for shrink in (0, 1)
    )
    assert bare.tree_.condition(1) == shrunk.tree_.condition(1) == "x0 < 2.5"
    assert bare.predict([[1], [4]]).tolist() == [0.0, 2.0]
    assert (shrunk.tree_.answers() > 0).all()


def test_a_rate_of_zero_loses_infinitely_much_where_an_event_came():
    x = np.arange(20.0)[:, None]
    events = np.where(x[:, 0] < 10, 0.0, 2.0)
    events[3] = 1.0
    model = bough.CARTRegressor("poisson", shrink=0, cv=np.arange(20) % 10, prune="minimum")
    table = model.fit(x, events).cp_table_
    assert np.isinf(table.cv_risk[0])
    assert np.isnan(table.cv_error[0])
    assert np.isfinite(table.cv_risk[-1])
    assert np.isfinite(table.cv_risk[table.chosen("minimum")])
    assert model.tree_.n_leaves == table.n_leaves[table.chosen("minimum")]


@pytest.mark.parametrize(
    ("exposure", "words"),
    [
        (np.ones(99), "exposure has 99 entries; give one for each of 100 rows"),
        (np.ones(101), "exposure has 101 entries; give one for each of 100 rows"),
        (np.append(0.0, np.ones(99)), "exposure holds 0.0 in row 0"),
        (np.append(np.nan, np.ones(99)), "exposure holds nan in row 0"),
        (["a"] * 100, "exposure holds text"),
        (np.full(100, 1e-320), "beyond"),
    ],
)
def test_wrong_exposures_are_named(exposure, words):
    with pytest.raises(TargetError, match=words):
        bough.CARTRegressor("poisson").fit(X, EVENTS, exposure=exposure)


def test_only_rates_have_an_exposure():
    with pytest.raises(ParameterError, match="exposure"):
        bough.CARTRegressor().fit(X, EVENTS, exposure=EXPOSURE)
    for wrong in ({"shrink": np.inf}, {"shrink": True}, {"cv_error": "log"}):
        with pytest.raises(ParameterError, match=next(iter(wrong))):
            bough.CARTRegressor("poisson", **wrong).fit(X, EVENTS)
