import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.strategies import levels, trees

from bough.tree.answer import deviation, label_array, shares
from bough.tree.structure import answering_nodes


@given(trees())
def test_an_answering_node_is_the_nearest_ancestor_with_weight(tree):
    for node, answering in enumerate(answering_nodes(tree.parent, tree.weight)):
        assert answering == next(above for above in tree.path(node)[::-1] if tree.weight[above] > 0)


@given(levels.map(tuple))
def test_labels_keep_value_and_type(labels):
    array = label_array(labels)
    values = array.tolist()
    assert tuple(values) == labels
    assert [*map(type, values)] == [*map(type, labels)]


@given(
    st.lists(st.floats(0, 1e9), min_size=2, max_size=5).filter(lambda weights: sum(weights) > 1e-3),
    st.sampled_from(["none", "laplace", 0.5, 2]),
)
def test_probabilities_sum_to_one_and_none_is_below_zero(weights, smoothing):
    prior = np.arange(1.0, len(weights) + 1)
    probabilities = shares(np.array([weights]), prior, smoothing)
    assert probabilities.sum() == pytest.approx(1.0)
    assert (probabilities >= 0).all()
    if smoothing != "none":
        assert (probabilities > 0).all()


def test_deviation_is_in_the_measure_of_the_criterion():
    risk, weight = np.array([8.0, 0.0]), np.array([2.0, 0.0])
    assert np.array_equal(deviation(risk, weight, "squared_error"), [2.0, np.nan], equal_nan=True)
    assert np.array_equal(deviation(risk, weight, "absolute_error"), [4.0, np.nan], equal_nan=True)
