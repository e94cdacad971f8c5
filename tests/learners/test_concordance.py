"""Harrell's concordance index."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bough.errors import TargetError
from bough.learners.concordance import concordance

observations = st.lists(
    st.tuples(st.integers(1, 6), st.booleans(), st.integers(0, 4), st.integers(1, 3)), min_size=2, max_size=30
)


def by_pairs(time, status, risk, weight):
    """The definition, pair by pair."""
    right = known = 0.0
    for i in range(len(time)):
        for j in range(len(time)):
            outlasts = time[j] > time[i] or (time[j] == time[i] and not status[j])
            if status[i] and outlasts:
                known += weight[i] * weight[j]
                right += weight[i] * weight[j] * ((risk[i] > risk[j]) + (risk[i] == risk[j]) / 2)
    return right / known if known else None


@given(observations)
def test_it_is_the_fraction_of_comparable_pairs_ordered_correctly(rows):
    time, status, risk, weight = (np.array(column, dtype=float) for column in zip(*rows, strict=True))
    expected = by_pairs(time, status, risk, weight)
    if expected is None:
        with pytest.raises(TargetError, match="No two rows are comparable"):
            concordance(time, status, risk, weight)
        return
    assert concordance(time, status, risk, weight) == pytest.approx(expected, rel=1e-12)
    assert concordance(time, status, -risk, weight) == pytest.approx(1 - expected, abs=1e-12)
    assert concordance(np.repeat(time, 2), np.repeat(status, 2), np.repeat(risk, 2)) == pytest.approx(
        by_pairs(np.repeat(time, 2), np.repeat(status, 2), np.repeat(risk, 2), np.ones(2 * len(time)))
    )


def test_risks_must_be_as_many_as_times():
    with pytest.raises(TargetError, match="risk has 1 rows and time 2"):
        concordance([1, 2], [1, 1], [0.5])
