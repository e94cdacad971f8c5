"""Times rescaled to a hazard of 1."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.oracle.reference import cases, read_data

from bough.data.survival import rescaled_times
from bough.errors import TargetError, WeightError

SURVIVAL = [case for case in cases("rpart") if "exp_scaled_time" in case.output]

observations = st.lists(
    st.tuples(st.integers(1, 30), st.booleans(), st.integers(1, 3)), min_size=1, max_size=40
).filter(lambda rows: any(event for _, event, _ in rows))


@pytest.mark.parametrize("case", SURVIVAL, ids=str)
def test_the_times_are_rparts(case):
    data = read_data(case.dataset)
    ours = rescaled_times(data.y, data.status)
    assert ours == pytest.approx(np.array(case.output["exp_scaled_time"]), rel=1e-10)


def test_there_are_times_to_compare():
    assert SURVIVAL


@given(observations)
def test_the_times_add_up_to_the_events(rows):
    time, status, weight = (np.array(column, dtype=float) for column in zip(*rows, strict=True))
    assert rescaled_times(time, status).sum() == pytest.approx(status.sum(), rel=1e-12)
    assert (rescaled_times(time, status, weight) * weight).sum() == pytest.approx((status * weight).sum())


@given(observations)
def test_the_order_of_the_times_stays_and_their_unit_does_not_matter(rows):
    time, status, _ = (np.array(column, dtype=float) for column in zip(*rows, strict=True))
    ours = rescaled_times(time, status)
    assert (np.diff(ours[np.argsort(time)]) >= 0).all()
    assert rescaled_times(time * 365.25, status) == pytest.approx(ours, rel=1e-12)


@given(observations)
def test_a_weight_of_two_is_the_row_twice(rows):
    time, status, weight = (np.array(column, dtype=float) for column in zip(*rows, strict=True))
    times = weight.astype(int)
    repeated = rescaled_times(np.repeat(time, times), np.repeat(status, times))
    assert np.repeat(rescaled_times(time, status, weight), times) == pytest.approx(repeated, rel=1e-12)


def test_many_events_are_rescaled_as_well():
    time = np.arange(1.0, 5001.0)
    ours = rescaled_times(time, np.ones(5000))
    assert ours.sum() == pytest.approx(5000)
    assert ours[0] == pytest.approx(1 / 5000, rel=0.01)


def test_times_apart_by_rounding_alone_are_one_time():
    time = np.array([0.3, 0.1 + 0.2, 1.0, 2.0])
    assert rescaled_times(time, [1, 1, 1, 1]) == pytest.approx(rescaled_times([0.3, 0.3, 1, 2], [1, 1, 1, 1]))


@pytest.mark.parametrize(
    ("time", "status", "weight", "words"),
    [
        ([0.0, 1.0], [1, 0], None, "time is 0 in a row; it must be greater than 0"),
        ([1.0, 2.0], [1, 2], None, "status is 2 in a row; it must be 1"),
        ([1.0, 2.0], [0, 0], None, "there must be an event"),
        ([1.0, 2.0], [1, 0], [0.0, 1.0], "there must be an event"),
        ([1.0, 2.0], [1], None, "time has 2 rows and status 1"),
        ([1.0, np.nan], [1, 0], None, "time is nan in row 1; it must be greater than 0. Leave the row out"),
        ([1.0, 2.0], [np.inf, 0], None, "status is inf in row 0"),
        (["a", "b"], [1, 0], None, "time is list; it must be a column of numbers"),
        ([1.0, 2.0], 1, None, "status is int; it must be a column of numbers"),
        ([], [], None, "time is list; it must be a column of numbers"),
        ([[1.0], [2.0]], [1, 0], None, "time is list; it must be a column of numbers"),
    ],
)
def test_what_cannot_be_rescaled_is_said(time, status, weight, words):
    with pytest.raises(TargetError, match=words):
        rescaled_times(time, status, weight)


def test_the_status_may_be_truth_values():
    ours = rescaled_times([1.0, 2.0, 3.0], [True, False, True])
    assert ours.tolist() == rescaled_times([1.0, 2.0, 3.0], [1, 0, 1]).tolist()


def test_a_weight_for_each_row_is_wanted():
    with pytest.raises(WeightError):
        rescaled_times([1.0, 2.0], [1, 0], [1.0])
