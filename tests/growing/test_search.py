import math

import numpy as np
import pytest

from bough import _core
from bough.data.schema import Column
from bough.growing import criterion
from bough.growing.column_split import midpoint, split_of
from bough.growing.engine import ContingencyTable
from bough.growing.enumeration import enumerate_candidates
from bough.growing.recipe import Recipe
from bough.growing.search import ChildLimits, ColumnProblem, best_of_column
from bough.tree.split import Levels, Threshold

NUMERIC = Column("x", "numeric")


def table(counts, values=None, missing=None) -> ContingencyTable:
    counts = np.array(counts, dtype=float)
    missing = np.zeros(counts.shape[1]) if missing is None else np.array(missing, dtype=float)
    values = np.arange(len(counts)) if values is None else values
    return ContingencyTable(
        0, np.array(values, float), counts, counts.sum(axis=1), missing, float(missing.sum()), "classes"
    )


def gini(children):
    weight = children.sum(axis=2, keepdims=True)
    left = (weight * (children / weight) ** 2).sum(axis=(1, 2)) / weight.sum(axis=(1, 2))
    shares = children.sum(axis=1) / children.sum(axis=(1, 2))[:, np.newaxis]
    return left - (shares**2).sum(axis=1)


def test_subsets_come_in_gray_code_order_with_the_first_level_first():
    listed = enumerate_candidates(table(np.eye(4)), "subset")
    sets = [tuple(np.flatnonzero(listed.branches(i) == 0)) for i in range(len(listed))]
    assert sets == [(0,), (0, 1), (0, 2, 3), (0, 3), (0, 1, 2), (0, 2), (0, 1, 3)]


def test_duration_is_cut_at_the_midpoints():
    durations = table([[1, 2], [1, 2], [2, 0]], values=[5, 10, 15])
    listed = enumerate_candidates(durations, "threshold")
    cuts = [split_of(durations, NUMERIC, "threshold", listed.branches(i)) for i in range(len(listed))]
    assert cuts == [Threshold(0, 7.5), Threshold(0, 12.5)]
    assert listed.statistics.tolist() == [[[1, 2], [3, 2]], [[2, 4], [2, 0]]]
    assert listed.cases.tolist() == [[3, 5], [6, 2]]


@pytest.mark.parametrize(
    ("below", "above", "cut"),
    [
        (5.0, 10.0, 7.5),
        (-math.inf, 1.0, 1.0),
        (1.0, math.inf, math.inf),
        (-math.inf, math.inf, math.inf),
        (1.5e308, 1.7e308, 1.6e308),
        (1.0, math.nextafter(1.0, 2.0), math.nextafter(1.0, 2.0)),
        (0.0, 5e-324, 5e-324),
    ],
)
def test_the_cut_lies_above_the_lower_value_and_not_above_the_upper(below, above, cut):
    assert midpoint(below, above) == cut
    assert below < midpoint(below, above) <= above


@pytest.mark.parametrize(
    ("codes", "cut"), [((0, 1), 0.5), ((0, 2), 1.5), ((0, 3), 1.5), ((1, 3), 2.5), ((1, 4), 2.5)]
)
def test_an_ordinal_cut_lies_between_two_levels(codes, cut):
    sizes = Column("size", "ordinal", tuple("abcde"))
    split = split_of(table(np.eye(2), values=codes), sizes, "threshold", np.array([0, 1], np.int32))
    assert split == Threshold(0, cut)


def test_a_complete_split_has_a_branch_for_every_level_of_the_column():
    levels = Column("colour", "nominal", ("red", "green", "blue"))
    recipe = Recipe("entropy", nominal="complete", task="classification")
    found = best_of_column(ColumnProblem(table([[2, 0], [1, 3]], values=[0, 2]), levels, recipe))
    assert found.split == Levels(0, "complete", (0, 1, 2), (0, 1, 2), 3)
    assert found.default_branch == 2
    assert found.value == pytest.approx(criterion.value("entropy", [[2, 0], [1, 3]]))


def test_a_subset_lists_the_levels_present():
    levels = Column("colour", "nominal", ("red", "green", "blue", "white"))
    found = best_of_column(
        ColumnProblem(
            table([[0, 2], [3, 0], [0, 2]], values=[0, 2, 3]), levels, Recipe("gini", task="classification")
        )
    )
    assert found.split == Levels(0, "subset", (0, 2, 3), (0, 1, 0), 2)
    assert found.default_branch == 0


def test_one_level_against_the_rest():
    levels = Column("colour", "nominal", ("red", "green", "blue"))
    recipe = Recipe("gini", nominal="one_vs_rest", task="classification")
    found = best_of_column(ColumnProblem(table([[1, 1], [1, 1], [4, 0]]), levels, recipe))
    assert found.split == Levels(0, "one_vs_rest", (0, 1, 2), (1, 1, 0), 2)
    assert len(enumerate_candidates(table(np.eye(2)), "one_vs_rest")) == 1
    assert len(enumerate_candidates(table(np.eye(3)), "one_vs_rest")) == 3


def test_a_column_of_one_value_has_no_split():
    assert (
        best_of_column(ColumnProblem(table([[2, 3]]), NUMERIC, Recipe("gini", task="classification"))) is None
    )


def test_missing_cases_dilute_the_value_but_not_the_choice():
    known, some = table([[2, 0], [0, 2]]), table([[2, 0], [0, 2]], missing=[2, 2])
    recipe = Recipe("gini", task="classification")
    assert best_of_column(ColumnProblem(known, NUMERIC, recipe)).value == 0.5
    assert best_of_column(ColumnProblem(some, NUMERIC, recipe)).value == 0.25


@pytest.mark.parametrize("kind", ["subset", "complete", "one_vs_rest", "threshold"])
def test_a_function_the_user_wrote_is_judged_as_the_native_one(kind):
    scale = "ordinal" if kind == "threshold" else "nominal"
    column = Column("x", scale, tuple("abcdefg"))
    nominal = "subset" if kind == "threshold" else kind
    rng = np.random.default_rng(5)
    for _ in range(20):
        counts = rng.integers(0, 9, (7, 3)) + 1
        both = [
            best_of_column(
                ColumnProblem(
                    table(counts), column, Recipe(each, nominal, task="classification"), ChildLimits(4)
                )
            )
            for each in ("gini", gini)
        ]
        assert both[0].split == both[1].split
        assert both[0].value == pytest.approx(both[1].value)


def test_a_function_may_refuse_every_split():
    def never(children):
        return np.full(len(children), -np.inf)

    assert (
        best_of_column(ColumnProblem(table(np.eye(3)), NUMERIC, Recipe(never, task="classification"))) is None
    )
    limits = ChildLimits(cases=5)
    assert (
        best_of_column(ColumnProblem(table(np.eye(3)), NUMERIC, Recipe(gini, task="classification"), limits))
        is None
    )


@pytest.mark.parametrize("n_classes", [2, 3])
def test_many_levels_are_listed_in_the_order_of_shares_and_hold_the_native_best(n_classes):
    counts = np.random.default_rng(1).integers(1, 30, (15, n_classes)).astype(float)
    listed = enumerate_candidates(table(counts), "subset", max_exhaustive=12)
    branches = np.array([listed.branches(i) for i in range(len(listed))])
    assert len(np.unique(branches, axis=0)) == len(listed)
    assert (branches[:, 0] == 0).all()
    for side in (0, 1):
        assert (listed.statistics[:, side] == (branches == side) @ counts).all()
    column = Column("x", "nominal", tuple("abcdefghijklmno"))
    found = best_of_column(ColumnProblem(table(counts), column, Recipe("gini", task="classification")))
    assert found.value == pytest.approx(criterion.value("gini", listed.statistics).max())


def test_limits_count_cases_and_weight():
    limits = ChildLimits(cases=2, weight=3.0)
    cases, weights = np.array([[2.0, 2.0], [1.0, 3.0], [2.0, 2.0]]), np.array([[3.0, 3.0], [3, 3], [2, 4]])
    assert limits.met("threshold", cases, weights).tolist() == [True, False, False]


def test_a_complete_split_needs_two_large_children_and_no_small_one_with_cases():
    cases = np.array([[5.0, 4.0, 1.0], [5.0, 1.0, 1.0], [5.0, 4.0, 0.0]])
    two = ChildLimits(cases=3)
    every = ChildLimits(cases=3, leaf_cases=2)
    assert two.met("complete", cases, cases).tolist() == [True, False, True]
    assert every.met("complete", cases, cases).tolist() == [False, False, True]
    for limits in (two, every):
        for row, met in zip(cases, limits.met("complete", cases, cases), strict=True):
            present = row[row > 0]
            counts = np.column_stack([present, np.zeros(len(present))])
            branches = _core.best_split(
                "complete",
                "gini",
                counts,
                present,
                present.sum(),
                limits.cases,
                min_cases_leaf=limits.leaf_cases,
            )[1]
            assert (len(branches) > 0) == met
