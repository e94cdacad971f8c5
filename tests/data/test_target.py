"""Classes are read in their order, numbers must be finite, and a weight of k is the row k times."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst
from sklearn.exceptions import DataConversionWarning

from bough.data.target import read_classes, read_numbers, read_weights
from bough.errors import TargetError, WeightError

LABELS = ["yes", "no", "yes"]


@pytest.mark.parametrize(
    "y",
    [
        LABELS,
        tuple(LABELS),
        np.array(LABELS),
        np.array(LABELS, dtype=object),
        pd.Series(LABELS, index=[5, 3, 1]),
        pd.Series(LABELS, dtype=object),
        pl.Series(LABELS),
        pl.Series(LABELS, dtype=pl.Categorical),
        pa.array(LABELS),
        pa.chunked_array([LABELS[:1], LABELS[1:]]),
    ],
    ids=lambda y: type(y).__module__ + " " + str(getattr(y, "dtype", type(y).__name__)),
)
def test_classes_are_sorted_whatever_library_holds_them(y):
    target = read_classes(y)
    assert target.classes == ("no", "yes")
    assert target.codes.tolist() == [1, 0, 1]
    assert target.codes.dtype == np.int32


@pytest.mark.parametrize(
    "y",
    [
        pd.Series(pd.Categorical(LABELS, ["maybe", "yes", "no"])),
        pd.Series(pd.Categorical(LABELS, ["maybe", "yes", "no"], ordered=True)),
        pl.Series(LABELS, dtype=pl.Enum(["maybe", "yes", "no"])),
        pa.DictionaryArray.from_arrays([1, 2, 1], ["maybe", "yes", "no"]),
    ],
    ids=["pandas", "pandas ordered", "polars", "pyarrow"],
)
def test_classes_of_a_categorical_keep_its_order_without_unused_ones(y):
    target = read_classes(y)
    assert target.classes == ("yes", "no")
    assert target.codes.tolist() == [0, 1, 0]


@pytest.mark.parametrize(
    ("y", "classes"),
    [
        (np.array([3, 1, 3]), "(1, 3)"),
        (np.array([3, 1, 3], dtype=np.uint8), "(1, 3)"),
        (np.array([3, 1, 3], dtype=object), "(1, 3)"),
        ([3, 1, 3], "(1, 3)"),
        (np.array([3.0, 1.0, 3.0]), "(1.0, 3.0)"),
        (np.array([2**53, -(2**53), 2**53]), f"({-(2**53)}, {2**53})"),
        (np.array([True, False, True]), "(False, True)"),
        (pd.Series([3, 1, 3], dtype="Int64"), "(1, 3)"),
        (pl.Series([3, 1, 3]), "(1, 3)"),
    ],
)
def test_classes_keep_the_type_of_the_labels(y, classes):
    target = read_classes(y)
    assert repr(target.classes) == classes
    assert target.codes.tolist() == [1, 0, 1]


def test_a_class_no_row_has_is_no_class():
    target = read_classes([True, True])
    assert target.classes == (True,)
    assert target.codes.tolist() == [0, 0]


@given(st.lists(st.integers(-(2**53), 2**53), min_size=1))
def test_integer_labels_are_coded_as_numpy_codes_them(labels):
    classes, codes = np.unique(labels, return_inverse=True)
    target = read_classes(np.array(labels))
    assert list(target.classes) == classes.tolist()
    assert target.codes.tolist() == codes.tolist()


@given(
    npst.arrays(np.float32, st.integers(1, 20), elements=st.integers(-1000, 1000).map(lambda k: k * 2.0**20))
)
def test_whole_labels_in_narrow_floats_are_coded_as_numpy_codes_them(labels):
    classes, codes = np.unique(labels + 0, return_inverse=True)
    target = read_classes(labels)
    assert list(target.classes) == classes.tolist()
    assert target.codes.tolist() == codes.tolist()


@given(st.lists(st.text(st.characters(codec="utf-8")), min_size=1))
def test_codes_stand_for_the_labels_they_were_read_from(labels):
    target = read_classes(labels)
    assert [target.classes[code] for code in target.codes] == labels


@pytest.mark.parametrize(
    "y",
    [
        ["yes", None, "no"],
        [1, None, 2],
        np.array([1.0, np.nan, 2.0]),
        pd.Series(["yes", None, "no"]),
        pd.Series(pd.Categorical(["yes", None, "no"])),
        pl.Series([True, None, False]),
        pa.array([1, None, 2]),
    ],
)
def test_missing_labels_are_refused_with_their_row(y):
    with pytest.raises(TargetError, match=r"Input y contains NaN\. Row 1 has no value"):
        read_classes(y)


def test_continuous_labels_are_refused():
    with pytest.raises(ValueError, match=r"Unknown label type: continuous\. y holds 1\.5 in row 1"):
        read_classes(np.array([1.0, 1.5]))


def test_infinite_labels_are_refused():
    with pytest.raises(TargetError, match="Input y contains infinity"):
        read_classes(np.array([1.0, np.inf]))


@pytest.mark.parametrize("read", [read_classes, read_numbers])
@pytest.mark.parametrize(
    "y", [np.array([[1], [2]]), [[1], [2]], pd.DataFrame({"y": [1, 2]}), pl.DataFrame({"y": [1, 2]})]
)
def test_a_column_vector_is_read_with_a_warning(read, y):
    with pytest.warns(
        DataConversionWarning, match="A column-vector y was passed when a 1d array was expected"
    ):
        target = read(y)
    flat = read([1, 2])
    assert repr(target) == repr(flat)


@pytest.mark.parametrize("read", [read_classes, read_numbers])
@pytest.mark.parametrize(
    ("y", "message"),
    [
        (None, "y should be a 1d array, one value for each row; got None"),
        ("yes", "y should be a 1d array.* got 'yes'"),
        (3, "y should be a 1d array.* got 3"),
        (np.float64(3), "y should be a 1d array"),
        (np.zeros((3, 2)), r"y should be a 1d array.* got an array of shape \(3, 2\)"),
        (np.zeros((3, 1, 1)), r"y should be a 1d array.* shape \(3, 1, 1\)"),
        (pd.DataFrame({"a": [1], "b": [2]}), r"y should be a 1d array.* shape \(1, 2\)"),
        ([], "y is empty"),
        (np.array([1j, 2j]), "Complex data not supported"),
        (scipy.sparse.csr_array(np.eye(2)), "y is a sparse csr_array"),
        ([1, "a"], "Column 'y' mixes int and str"),
        (np.array(["2026-01-01"], dtype="M8[D]"), r"Column 'y' holds dates"),
        ([2**60], "Column 'y' holds 1152921504606846976, beyond"),
    ],
)
def test_what_is_no_target_is_refused(read, y, message):
    with pytest.raises(TargetError, match=message):
        read(y)


@pytest.mark.parametrize(
    "y",
    [
        [1, 2.5],
        np.array([1, 2.5], dtype=np.float32),
        np.array([[1, 0], [2.5, 0]])[:, 0],
        pd.Series([1, 2.5]),
        pl.Series([1.0, 2.5]),
        pa.array([1, 2.5]),
    ],
)
def test_numbers_are_contiguous_float64(y):
    numbers = read_numbers(y)
    assert numbers.tolist() == [1.0, 2.5]
    assert numbers.dtype == np.float64
    assert numbers.flags.c_contiguous


@pytest.mark.parametrize(
    ("y", "message"),
    [
        ([1.0, np.nan], r"Input y contains NaN\. Row 1"),
        ([1.0, None], r"Input y contains NaN\. Row 1"),
        ([1.0, -np.inf], r"Input y contains infinity or a value too large for dtype\('float64'\)\. Row 1"),
        (["1", "2"], "y is text, but numbers are to be predicted"),
        ([True, False], "y is truth values, but numbers"),
        (pd.Series(pd.Categorical([1, 2])), "y is a categorical of numbers, but numbers"),
        (pl.Series([None], dtype=pl.String), "y is text"),
    ],
)
def test_what_is_no_finite_number_is_refused(y, message):
    with pytest.raises(TargetError, match=message):
        read_numbers(y)


@pytest.mark.parametrize(
    "weight", [None, 1, 1.0, [1, 1, 1], np.ones(3), pd.Series([1, 1, 1]), [True, True, True]]
)
def test_weights_of_one_are_no_weights(weight):
    weights = read_weights(weight, 3)
    assert weights.weight is None
    assert weights.cases is None
    assert weights.whole


@pytest.mark.parametrize(
    "weight",
    [
        [2, 0, 1],
        np.array([2.0, 0.0, 1.0]),
        np.array([2.0, 0.0, 1.0], dtype=np.float32),
        np.array([2, 0, 1], dtype=np.uint8),
        pd.Series([2, 0, 1], index=[9, 8, 7]),
        pl.Series([2, 0, 1]),
        pa.array([2, 0, 1]),
    ],
    ids=lambda weight: type(weight).__module__,
)
def test_whole_weights_count_cases(weight):
    weights = read_weights(weight, 3)
    assert weights.whole
    assert weights.weight.tolist() == weights.cases.tolist() == [2.0, 0.0, 1.0]
    assert weights.weight.dtype == np.float64


def test_a_number_weighs_every_row():
    assert read_weights(2, 3).weight.tolist() == [2.0, 2.0, 2.0]
    assert read_weights(np.float32(0.5), 2).weight.tolist() == [0.5, 0.5]


def test_a_mask_of_rows_is_weights():
    assert read_weights(np.array([True, False]), 2).cases.tolist() == [1.0, 0.0]


@given(npst.arrays(np.float64, st.integers(1, 20), elements=st.integers(0, 3) | st.floats(0, 1e6)))
def test_a_row_that_weighs_anything_is_a_case(weight):
    if not weight.any():
        with pytest.raises(WeightError, match="zero for every row"):
            read_weights(weight, len(weight))
        return
    weights = read_weights(weight, len(weight))
    assert weights.whole == all(float(value).is_integer() for value in weight)
    got = np.ones(len(weight)) if weights.weight is None else weights.weight
    cases = np.ones(len(weight)) if weights.cases is None else weights.cases
    np.testing.assert_array_equal(got, weight)
    np.testing.assert_array_equal(cases, weight if weights.whole else weight > 0)


@pytest.mark.parametrize(
    ("weight", "message"),
    [
        ([1, -1, 1], "holds -1.0 in row 1; a weight must be a finite number of at least 0"),
        ([1, 1, np.nan], "holds nan in row 2"),
        ([1, 1, None], "holds nan in row 2"),
        ([np.inf, 1, 1], "holds inf in row 0"),
        (-2, "holds -2.0 in row 0"),
        (float("nan"), "holds nan in row 0"),
        ([0, 0, 0], "zero for every row"),
        (0, "zero for every row"),
        ([1e308, 1e308, 1], "sums to infinity"),
        ([1, 1], r"sample_weight\.shape == \(2,\), expected \(3,\)"),
        (np.ones((3, 1)), r"sample_weight\.shape == \(3, 1\), expected \(3,\)"),
        (np.ones((3, 2)), r"sample_weight\.shape == \(3, 2\), expected \(3,\)"),
        (pd.DataFrame({"w": [1, 1, 1]}), r"sample_weight\.shape == \(3, 1\), expected \(3,\)"),
        (["a", "b", "c"], "text or categories"),
        ([1, "b", 2], "'sample_weight' mixes int and str"),
        ("balanced", "sample_weight is a str"),
        ({0: 1}, "sample_weight is a dict"),
        (np.array([1j, 1, 1]), "Complex data not supported"),
    ],
)
def test_what_is_no_weight_is_refused(weight, message):
    with pytest.raises(WeightError, match=message):
        read_weights(weight, 3)
