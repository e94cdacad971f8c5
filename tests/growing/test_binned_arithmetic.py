"""The arithmetic of binned growth as the page on architecture defines it: a plain reference, and its laws.

Nothing of it is in the package yet. Whatever grows on bins must agree with these few lines to the last bit.
"""

import math
from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bough import _core
from bough.growing.column_split import midpoint
from bough.growing.grid import target_exponent

PAGE = (Path(__file__).parents[2] / "docs" / "architecture.md").read_text(encoding="utf-8")


def bins(values, cases, max_bins):
    """Return the lowest and the highest value of each bin of a column's known values."""
    distinct, place = np.unique(values[~np.isnan(values)] + 0.0, return_inverse=True)
    upto = np.cumsum(np.bincount(place, cases[~np.isnan(values)])).astype(int).tolist()
    if len(distinct) <= max_bins:
        return distinct, distinct
    ranks = [-(-k * upto[-1] // max_bins) for k in range(1, max_bins + 1)]
    ends = np.unique(np.searchsorted(upto, ranks))
    return distinct[np.append(0, ends[:-1] + 1)], distinct[ends]


def codes(values, highest):
    """Return the bin of each value; the missing ones have the code after the last bin."""
    return np.where(np.isnan(values), len(highest), np.searchsorted(highest, values))


def weight_grid(weight):
    """Return the weights as whole numbers of 2**-exponent, and the exponent."""
    if (weight == np.floor(weight)).all() and weight.sum() < 2.0**52:
        return weight, 0
    exponent = target_exponent(float(len(weight)), float(weight.max()))
    return np.floor(np.ldexp(weight, exponent)), exponent


def sums_grid(y, weight, whole):
    """Return what each row adds to the sum of y and of its square, on grids of their own; and the grids."""
    origin, radius = y.min() / 2 + y.max() / 2, y.max() / 2 - y.min() / 2
    most = float(weight.sum())
    e, f = target_exponent(most, radius), target_exponent(most, radius * radius)
    d = y - origin
    if whole:
        return weight * np.floor(np.ldexp(d, e)), weight * np.floor(np.ldexp(d * d, f)), (origin, e, f)
    return np.floor(np.ldexp(weight * d, e)), np.floor(np.ldexp(weight * d * d, f)), (origin, e, f)


def histogram(code, n_codes, *terms):
    return np.stack([np.bincount(code, term, n_codes) for term in terms], axis=1)


def mean_and_risk(sums, grid, weight_exponent=0):
    """Return the mean of y and the sum of its squared errors from the three sums of a node."""
    (weight, total, squares), (origin, e, f) = sums, grid
    centre = math.ldexp(total, -e)
    risk = max(0.0, math.ldexp(squares, -f) - centre * (centre / weight))
    return origin + math.ldexp(total / weight, -e), math.ldexp(risk, -weight_exponent)


X = np.array([1.0, 1.0, 2.0, 3.0, 5.0, 8.0, np.nan, 9.0])
Y = np.array([0.1, 0.3, 0.2, 1.1, 1.0, 1.3, 0.7, 1.2])


def test_the_example_on_the_page_is_what_the_definition_gives():
    lowest, highest = bins(X, np.ones(8), 3)
    code = codes(X, highest)
    terms, squares, grid = sums_grid(Y, np.ones(8), True)
    table = histogram(code, len(highest) + 1, np.ones(8), terms, squares)
    lines = [f"code of each row: {' '.join(map(str, code))}"]
    lines += [f"origin {grid[0]:.17g}, e = {grid[1]}, f = {grid[2]}"]
    names = [f"{low:g} to {high:g}" for low, high in zip(lowest, highest, strict=True)] + ["missing"]
    lines += [
        f"| {bin_} | {name} | {row[0]:.0f} | {row[1]:.0f} | {row[2]:.0f} |"
        for bin_, (name, row) in enumerate(zip(names, table, strict=True))
    ]
    value, branches = _core.best_split(
        "threshold", "squared_error", table[:-1], table[:-1, 0], 8.0, 1.0, 0.0, 12, None
    )
    last = int(np.flatnonzero(branches == 0)[-1])
    cut = midpoint(highest[last], lowest[last + 1])
    lines += [f"cut {cut:g}, gain {math.ldexp(value, -2 * grid[1]):.12g}"]
    mean, risk = mean_and_risk(table.sum(axis=0), grid)
    lines += [f"mean {mean:.17g}, risk {risk:.17g}"]
    for line in lines:
        assert line in PAGE
    assert mean == pytest.approx(Y.mean(), rel=1e-14)
    assert risk == pytest.approx(((Y - Y.mean()) ** 2).sum(), rel=1e-13)


numbers = st.one_of(st.integers(-5, 5).map(float), st.floats(-1e6, 1e6), st.just(math.nan))
columns = st.lists(numbers, min_size=1, max_size=40).map(np.array).filter(lambda x: not np.isnan(x).all())


@settings(deadline=None, max_examples=100)
@given(values=columns, max_bins=st.integers(2, 9))
def test_bins_are_at_most_as_many_as_asked_and_hold_their_values(values, max_bins):
    lowest, highest = bins(values, np.ones(len(values)), max_bins)
    known = values[~np.isnan(values)]
    distinct = np.unique(known + 0.0)
    assert len(highest) == len(distinct) if len(distinct) <= max_bins else len(highest) <= max_bins
    code = codes(known, highest)
    for bin_ in range(len(highest)):
        assert known[code == bin_].min() == lowest[bin_]
        assert known[code == bin_].max() == highest[bin_]


@settings(deadline=None, max_examples=100)
@given(values=columns, max_bins=st.integers(2, 9), data=st.data())
def test_a_case_counted_twice_is_the_row_twice_and_the_order_of_rows_cannot_be_seen(values, max_bins, data):
    cases = np.array(data.draw(st.lists(st.integers(1, 4), min_size=len(values), max_size=len(values))))
    rows = np.array(data.draw(st.permutations(np.repeat(np.arange(len(values)), cases).tolist())))
    ours, theirs = bins(values, cases, max_bins), bins(values[rows], np.ones(len(rows)), max_bins)
    np.testing.assert_array_equal(ours, theirs)


def ordered_key(values):
    """Return whole numbers of 64 bits in the order of the values."""
    bits = (values + 0.0).view(np.uint64)
    return np.where(bits >> 63, ~bits, bits | np.uint64(1 << 63))


@settings(deadline=None, max_examples=60)
@given(values=columns, max_bins=st.integers(2, 9))
def test_the_same_bins_come_from_counts_of_keys_that_partitions_add_up(values, max_bins):
    """Four passes of 16 bits find the key of a rank; a pass adds up the counts of all partitions."""
    known = values[~np.isnan(values)]
    parts = [ordered_key(known[start::3].copy()) for start in range(3)]
    if len(np.unique(known)) <= max_bins:
        return
    found = set()
    for k in range(1, max_bins + 1):
        rank, prefix = -(-k * len(known) // max_bins), 0
        for shift in (48, 32, 16, 0):
            held = [part[part >> np.uint64(shift) >> np.uint64(16) == prefix] for part in parts]
            cells = [
                np.bincount((part >> np.uint64(shift) & np.uint64(0xFFFF)).astype(int), minlength=2**16)
                for part in held
            ]
            upto = np.cumsum(np.sum(cells, axis=0))
            cell = int(np.searchsorted(upto, rank))
            rank -= int(upto[cell - 1]) if cell else 0
            prefix = (prefix << 16) | cell
        found.add(prefix)
    _, highest = bins(values, np.ones(len(values)), max_bins)
    assert sorted(found) == ordered_key(highest.copy()).tolist()


targets = st.lists(st.floats(-1e9, 1e9), min_size=2, max_size=30).map(np.array)


@settings(deadline=None, max_examples=60)
@given(y=targets, data=st.data(), whole=st.booleans())
def test_sums_stay_exact_and_a_database_has_the_same(y, data, whole):
    one = st.integers(1, 9).map(float) if whole else st.floats(0.01, 9.0)
    weight, exponent = weight_grid(np.array(data.draw(st.lists(one, min_size=len(y), max_size=len(y)))))
    whole = exponent == 0
    terms, squares, (origin, e, f) = sums_grid(y, weight, whole)
    for added in (weight, terms, squares):
        assert (added == np.floor(added)).all()
        assert math.fsum(np.abs(added)) < 2.0**53
    d = "(y - $c)" if whole else "(w * (y - $c))"
    add = "CAST(w AS BIGINT) *" if whole else ""
    query = f"""SELECT CAST(sum(CAST(w AS BIGINT)) AS BIGINT),
        CAST(sum({add} CAST(floor({d} * $e) AS BIGINT)) AS BIGINT),
        CAST(sum({add} CAST(floor({d} * (y - $c) * $f) AS BIGINT)) AS BIGINT) FROM rows"""
    connection = duckdb.connect()
    connection.register("rows", pa.table({"y": y, "w": weight}))
    grid = {"c": origin, "e": math.ldexp(1.0, min(e, 1000)), "f": math.ldexp(1.0, min(f, 1000))}
    [found] = connection.execute(query, grid).fetchall()
    assert found == (int(weight.sum()), int(terms.sum()), int(squares.sum()))


@settings(deadline=None, max_examples=60)
@given(y=targets, data=st.data())
def test_a_whole_weight_is_the_row_as_many_times(y, data):
    times = np.array(data.draw(st.lists(st.integers(1, 4), min_size=len(y), max_size=len(y))))
    weighted, repeated = (
        sums_grid(y, times * 1.0, True),
        sums_grid(np.repeat(y, times), np.ones(times.sum()), True),
    )
    assert weighted[2] == repeated[2]
    assert [terms.sum() for terms in weighted[:2]] == [terms.sum() for terms in repeated[:2]]


@settings(deadline=None, max_examples=60)
@given(y=targets)
def test_mean_and_risk_come_from_the_sums(y):
    terms, squares, grid = sums_grid(y, np.ones(len(y)), True)
    mean, risk = mean_and_risk((float(len(y)), terms.sum(), squares.sum()), grid)
    # Floor takes less than a step from every row; the rest is the rounding of numpy's own mean.
    rounding = 1e-14 * np.abs(y).max()
    assert -rounding <= y.mean() - mean <= math.ldexp(1.0, -grid[1]) + rounding
    assert abs(risk - ((y - y.mean()) ** 2).sum()) <= 1e-12 * len(y) * np.ptp(y) ** 2
