"""What a row adds is what its group's sums are made of, whoever sums."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bough.data.target import ClassTarget, read_weights
from bough.growing.grid import Grid
from bough.growing.measure import MeasuredRows, NumberSums, class_summary

READS = ["classes", "moments", "rates", "values"]


def random_rows(rng, reads):
    n = int(rng.integers(2, 30))
    weight = [None, rng.integers(0, 4, n), rng.random(n) + 0.01][rng.integers(3)]
    if weight is not None:
        weight[0] = 1
    target = rng.integers(1, 6, n) / 4
    if reads == "classes":
        target = ClassTarget(("a", "b", "c"), rng.integers(0, 3, n).astype(np.int32))
    return MeasuredRows.of(target, read_weights(weight, n), n, reads)


@pytest.mark.parametrize("reads", READS)
@settings(deadline=None, max_examples=40)
@given(seed=st.integers(0, 2**32 - 1))
def test_groups_are_the_sums_of_their_rows_in_any_order(reads, seed):
    rng = np.random.default_rng(seed)
    measured = random_rows(rng, reads)
    rows = measured.present
    terms = measured.terms(rows)
    group = rng.integers(0, 4, len(rows))
    summed, by_row = terms.summed(group, 4), terms.by_row()
    exact = [place for place in range(summed.shape[1]) if reads in ("classes", "values") or place != 2]
    for each in range(4):
        mine = rng.permutation(np.flatnonzero(group == each))
        assert by_row[mine][:, exact].sum(axis=0).tolist() == summed[each, exact].tolist()
        np.testing.assert_allclose(by_row[mine].sum(axis=0), summed[each], rtol=1e-12)
    table = terms.table(0, np.arange(3.0), summed)
    assert table.cases.sum() + table.missing_cases == measured.cases[rows].sum()
    assert table.weight == measured.weight[rows].sum()
    assert table.branch_cases is None


@settings(deadline=None, max_examples=40)
@given(seed=st.integers(0, 2**32 - 1))
def test_branches_have_the_weight_and_the_cases_of_their_rows(seed):
    rng = np.random.default_rng(seed)
    measured = random_rows(rng, "classes")
    rows = measured.present
    branch = rng.integers(-1, 2, len(rows)).astype(np.int32)
    group = rng.integers(0, 3, len(rows))
    terms = measured.branch_terms(rows, branch, 2)
    table = terms.table(0, np.arange(2.0), terms.summed(group, 3))
    for value in (0, 1):
        for side in (0, 1):
            here = rows[(group == value) & (branch == side)]
            assert table.statistics[value, side] == measured.weight[here].sum()
            assert table.branch_cases[value, side] == measured.cases[here].sum()


@settings(deadline=None, max_examples=40)
@given(seed=st.integers(0, 2**32 - 1))
def test_a_summary_of_classes_needs_their_sums_alone(seed):
    rng = np.random.default_rng(seed)
    measured = random_rows(rng, "classes")
    rows, grid = measured.present, Grid(measured.weight_exponent)
    sums = measured.terms(rows).by_row().sum(axis=0)
    ours, theirs = class_summary(sums[:3], float(sums[3]), grid), measured.summary(rows)
    assert ours.statistics.tolist() == theirs.statistics.tolist()
    names = ("weight", "cases", "risk", "events")
    assert [getattr(ours, name) for name in names] == [getattr(theirs, name) for name in names]


@pytest.mark.parametrize("reads", ["moments", "rates"])
@settings(deadline=None, max_examples=40)
@given(seed=st.integers(0, 2**32 - 1))
def test_the_mean_of_numbers_needs_their_sums_alone(reads, seed):
    rng = np.random.default_rng(seed)
    measured = random_rows(rng, reads)
    rows = measured.present
    terms, node = measured.terms(rows), measured.summary(rows)
    weight, total, _, cases = terms.by_row().sum(axis=0).tolist()
    sums = NumberSums(weight, total, cases, node.lowest, node.highest)
    assert sums.mean(terms.grid) == node.statistics[0]
    again = sums.summary(terms.grid, reads, node.statistics[0], node.risk)
    assert (again.weight, again.cases, again.events) == (node.weight, node.cases, node.events)
