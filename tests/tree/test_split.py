import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.strategies import schemas, splits, tables

from bough.data.schema import Column, Schema
from bough.errors import ParameterError
from bough.tree.split import Intervals, Levels, Threshold

SCHEMA = Schema(
    (
        Column("Petal.Length", "numeric"),
        Column("size", "ordinal", ("small", "medium", "large")),
        Column("referrer", "nominal", ("s", "a", "o")),
    )
)


def test_threshold_sends_below_to_0_and_the_rest_to_1():
    values = np.array([-np.inf, 2.4499, 2.45, np.inf, np.nan])
    assert Threshold(0, 2.45).branch(values).tolist() == [0, 0, 1, 1, -1]


def test_infinite_cuts_part_the_infinities_from_the_rest():
    values = np.array([-np.inf, 0.0, np.inf])
    assert Threshold(0, np.inf).branch(values).tolist() == [0, 0, 1]
    assert Threshold(0, -np.inf).branch(values).tolist() == [1, 1, 1]


def test_the_cut_is_not_rounded_to_the_width_of_the_column():
    # float32(0.1) is 0.100000001..., so it is not below 0.1; rounded to float32 the cut would equal it.
    value = np.array([0.1], dtype=np.float32)
    just_above = float(value[0]) + 1e-12
    assert Threshold(0, just_above).branch(value).tolist() == [0]
    assert Threshold(0, float(value[0])).branch(value).tolist() == [1]


def test_an_ordinal_threshold_works_on_codes():
    assert Threshold(1, 0.5).branch(np.array([-1, 0, 1, 2], dtype=np.int32)).tolist() == [-1, 0, 1, 1]


def test_a_cut_that_is_no_number_is_refused():
    with pytest.raises(ParameterError, match="cut is nan"):
        Threshold(0, float("nan"))


def test_levels_not_listed_cannot_be_said():
    split = Levels(2, "complete", codes=(2, 0), branches=(0, 1), n_branches=2)
    assert split.branch(np.array([0, 1, 2, -1, 99], dtype=np.int32)).tolist() == [1, -1, 0, -1, -1]


@pytest.mark.parametrize(
    ("codes", "branches", "n_branches", "named"),
    [
        ((0, 1), (0,), 2, "codes"),
        ((0, 0), (0, 1), 2, "codes"),
        ((), (), 2, "codes"),
        ((-1, 0), (0, 1), 2, "codes"),
        ((0, 1), (0, 2), 2, "branches"),
        ((0, 1), (0, -1), 2, "branches"),
    ],
)
def test_levels_that_make_no_split_are_refused(codes, branches, n_branches, named):
    with pytest.raises(ParameterError, match=f"^{named} is"):
        Levels(2, "subset", codes, branches, n_branches)


def test_an_unknown_kind_is_refused():
    with pytest.raises(ParameterError, match="kind is 'some'"):
        Levels(2, "some", (0, 1), (0, 1), 2)


@pytest.mark.parametrize(
    ("split", "words"),
    [
        (Threshold(0, 2.45), ["Petal.Length < 2.45", "Petal.Length >= 2.45"]),
        (Threshold(0, 12.5), ["Petal.Length < 12.5", "Petal.Length >= 12.5"]),
        (Threshold(1, 0.5), ["size <= small", "size > small"]),
        (Threshold(1, 1.5), ["size <= medium", "size > medium"]),
        (Levels(2, "complete", (0, 2), (0, 1), 2), ["referrer = s", "referrer = o"]),
        (Levels(2, "subset", (0, 1, 2), (0, 0, 1), 2), ["referrer in {s, a}", "referrer = o"]),
        (Levels(2, "one_vs_rest", (0, 1, 2), (0, 1, 1), 2), ["referrer = s", "referrer is not s"]),
    ],
)
def test_each_branch_has_its_words(split, words):
    assert [split.words(SCHEMA, branch) for branch in range(split.n_branches)] == words


def test_a_branch_that_is_not_there_has_no_words():
    for split in (Threshold(0, 1.0), Levels(2, "complete", (0, 1), (0, 1), 2)):
        with pytest.raises(ParameterError, match="branch is 2"):
            split.words(SCHEMA, 2)


@pytest.mark.parametrize(
    ("split", "question"),
    [
        (Threshold(0, 2.45), "Petal.Length < 2.45?"),
        (Threshold(1, 0.5), "size <= small?"),
        (Levels(2, "complete", (0, 1, 2), (0, 1, 2), 3), "referrer?"),
        (Levels(2, "complete", (0, 1), (0, 1), 2), "referrer?"),
        (Levels(2, "subset", (0, 1, 2), (0, 0, 1), 2), "referrer in {s, a}?"),
        (Levels(2, "subset", (0, 1, 2), (0, 1, 2), 3), "referrer?"),
        (Levels(2, "one_vs_rest", (0, 1), (0, 1), 2), "referrer = s?"),
    ],
)
def test_each_split_asks_a_question(split, question):
    assert split.question(SCHEMA) == question


def test_long_sets_of_levels_can_be_cut_short():
    schema = Schema((Column("town", "nominal", tuple("abcdef")),))
    split = Levels(0, "subset", tuple(range(6)), (0, 0, 0, 0, 0, 1), 2)
    assert split.words(schema, 0, most=2) == "town in {a, b, ... 3 more}"


@given(st.data())
def test_a_branch_is_what_its_definition_says_value_by_value(data):
    schema = data.draw(schemas())
    split = data.draw(splits(schema))
    if split is None:
        return
    values = data.draw(tables(schema)).columns[split.column]
    for value, branch in zip(values.tolist(), split.branch(values).tolist(), strict=True):
        if isinstance(split, Levels):
            assert branch == dict(zip(split.codes, split.branches, strict=True)).get(value, -1)
        elif value != value or (values.dtype.kind == "i" and value == -1):
            assert branch == -1
        elif isinstance(split, Intervals):
            assert branch == sum(value >= cut for cut in split.cuts)
        else:
            assert branch == (value >= split.cut)


def test_splits_are_values():
    assert Threshold(0, 2.45) == Threshold(0, 2.45) != Threshold(1, 2.45)
    assert len({Levels(0, "complete", (0, 1), (0, 1), 2), Levels(0, "complete", (0, 1), (0, 1), 2)}) == 1
