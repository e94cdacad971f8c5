import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bough.data.target import read_weights
from bough.growing.grid import Grid, grid_weights, scaled, target_exponent

positive = st.floats(1e-300, 1e300)


@given(st.lists(positive, min_size=1, max_size=8))
def test_weights_on_the_grid_are_whole_and_close(weights):
    weights.append(0.5)
    grid = grid_weights(read_weights(weights, len(weights)), len(weights))
    assert (grid.weight == np.rint(grid.weight)).all()
    assert grid.weight.sum() < 2.0**53
    back = np.ldexp(grid.weight, -grid.exponent)
    assert np.abs(back - weights).max() <= sum(weights) * 2.0**-52


def test_whole_weights_stay_unless_their_sum_would_round():
    assert grid_weights(read_weights([3, 1], 2), 2).exponent == 0
    large = grid_weights(read_weights([1e300, 1e300], 2), 2)
    assert not large.whole
    assert large.weight.sum() < 2.0**53


@given(positive, positive)
def test_targets_fill_the_grid(weight, radius):
    exponent = target_exponent(weight, radius)
    parts = math.frexp(weight), math.frexp(radius)
    bits = math.log2(parts[0][0] * parts[1][0]) + parts[0][1] + parts[1][1] + exponent
    assert exponent == 1000 or 51 - 1e-9 <= bits <= 52
    if 0 < weight * radius < math.inf and weight * radius > 1e-290:
        assert exponent == min(52 - math.frexp(weight * radius)[1], 1000)


def test_real_units_come_back():
    y, weight = np.array([1.25, 3.0, 8.5]), np.array([0.5, 1.0, 2.0])
    grid = Grid(weight_exponent=1, origin=2.0, exponent=3)
    w, q = weight * 2, (y - 2.0) * 8
    sums = np.array([w.sum(), (w * q).sum(), (w * q * q).sum()])
    assert grid.moments(sums) == pytest.approx([weight.sum(), (weight * y).sum(), (weight * y * y).sum()])
    mean = (weight * y).sum() / weight.sum()
    assert grid.squared_error(sums) == pytest.approx((weight * (y - mean) ** 2).sum())


def test_scaling_out_of_range_is_silent():
    assert scaled(1.0, -5000) == 0.0
    assert scaled(np.array([1.0]), 5000)[0] == np.inf
