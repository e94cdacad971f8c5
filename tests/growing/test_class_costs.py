import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.cart_tables import drawn

from bough import CARTClassifier
from bough.data.target import ClassTarget, read_weights
from bough.growing.class_costs import read_loss, read_prior, stakes_of

seeds = st.integers(0, 2**32 - 1)


def draw_prior(rng, k):
    parts = rng.integers(1, 6, k)
    return parts / parts.sum()


def draw_loss(rng, k):
    loss = rng.integers(1, 6, (k, k)).astype(float)
    np.fill_diagonal(loss, 0.0)
    return loss


@given(seeds, st.integers(2, 4), st.booleans(), st.booleans(), st.booleans())
@settings(deadline=None, max_examples=40)
def test_the_answer_is_the_class_of_least_expected_loss(seed, k, has_prior, has_loss, weighted):
    data = drawn(seed, 50, missing=0.1, n_classes=k)
    prior = draw_prior(data.rng, k) if has_prior else None
    loss = draw_loss(data.rng, k) if has_loss else None
    model = CARTClassifier(prior=prior, loss=loss, min_samples_leaf=4, prune="none")
    model.fit(data.table, data.labels, data.rng.random(50) + 0.1 if weighted else None)
    expected = model.predict_proba(data.table) @ (1 - np.eye(k) if loss is None else loss)
    lost = expected[np.arange(50), model.predict(data.table)]
    np.testing.assert_allclose(lost, expected.min(axis=1), rtol=0, atol=1e-12)


@given(seeds, st.integers(2, 3))
@settings(deadline=None, max_examples=25)
def test_a_leaf_gives_each_class_its_prior_times_its_share_of_the_class(seed, k):
    data = drawn(seed, 60, n_classes=k)
    prior = draw_prior(data.rng, k)
    model = CARTClassifier(prior=prior, max_depth=2, prune="none").fit(data.table, data.labels)
    ends, totals = model.tree_.apply(data.table), np.bincount(data.labels)
    for node in np.unique(ends):
        parts = prior * np.bincount(data.labels[ends == node], minlength=k) / totals
        probabilities = model.predict_proba(data.table)[ends == node]
        np.testing.assert_allclose(probabilities, np.tile(parts / parts.sum(), (len(probabilities), 1)))


@given(seeds, st.integers(2, 4))
@settings(deadline=None, max_examples=25)
def test_on_balanced_classes_equal_priors_and_unit_losses_change_nothing(seed, k):
    data = drawn(seed, 15 * k, missing=0.1, n_classes=k)
    assert (np.bincount(data.labels) == 15).all()
    plain = CARTClassifier(prune="none").fit(data.table, data.labels).tree_
    for stakes in ({"prior": "equal"}, {"loss": 1 - np.eye(k)}, {"prior": "equal", "loss": 1 - np.eye(k)}):
        tree = CARTClassifier(prune="none", **stakes).fit(data.table, data.labels).tree_
        for name in ("parent", "column", "cut", "level_code", "level_branch", "default_branch"):
            np.testing.assert_array_equal(getattr(tree, name), getattr(plain, name), err_msg=name)
        np.testing.assert_allclose(tree.risk, plain.risk, rtol=1e-12)


@given(seeds, st.integers(2, 3))
@settings(deadline=None, max_examples=25)
def test_priors_as_in_the_rows_change_nothing(seed, k):
    data = drawn(seed, 60, n_classes=k)
    shares = np.bincount(data.labels) / 60
    plain = CARTClassifier(prune="none").fit(data.table, data.labels).tree_
    tree = CARTClassifier(prune="none", prior=shares).fit(data.table, data.labels).tree_
    np.testing.assert_array_equal(tree.column, plain.column)
    np.testing.assert_array_equal(tree.cut, plain.cut)


@pytest.mark.parametrize("names", [("ill", "well"), ("well", "ill")])
def test_sequences_go_by_the_sorted_classes_whatever_their_order_in_the_tree(names):
    place = {name: number for number, name in enumerate(names)}
    prior = read_prior([0.3, 0.7], names)
    assert (prior[place["ill"]], prior[place["well"]]) == (0.3, 0.7)
    loss = read_loss([[0, 5], [2, 0]], names)
    assert loss[place["ill"], place["well"]] == 5
    assert loss[place["well"], place["ill"]] == 2
    np.testing.assert_array_equal(loss, read_loss({("ill", "well"): 5, ("well", "ill"): 2}, names))


def test_costly_classes_are_found_more_often():
    data = drawn(3, 300)
    found = []
    for cost in (0.2, 1, 10):
        model = CARTClassifier(loss={(1, 0): cost}, min_samples_leaf=20, prune="none")
        found.append(int((model.fit(data.table, data.labels).predict(data.table) == 1).sum()))
    assert found[0] < found[1] < found[2]


def test_the_scales_are_altered_priors():
    target = ClassTarget(("a", "b", "c"), np.array([0, 0, 1, 2, 2, 2], np.int32))
    weight = np.array([1.0, 2.0, 3.0, 1.0, 2.0, 1.0])
    loss = np.array([[0, 1, 2], [3, 0, 1], [1, 1, 0]])
    stakes = stakes_of([0.5, 0.3, 0.2], loss, target, read_weights(weight, 6))
    shares = np.array([3, 3, 4]) / 10
    altered = np.array([0.5 * 3, 0.3 * 4, 0.2 * 2])
    np.testing.assert_allclose(stakes.split_scale, altered / altered.sum() / shares, rtol=1e-15)
    np.testing.assert_allclose(stakes.class_scale, np.array([0.5, 0.3, 0.2]) / shares, rtol=1e-15)


def test_without_stakes_nothing_is_scaled():
    target = ClassTarget(("a", "b"), np.array([0, 1], np.int32))
    stakes = stakes_of(None, None, target, read_weights(None, 2))
    assert stakes.split_scale is stakes.class_scale is stakes.loss is None
