"""Labels that are counted have the classes and codes of `numpy.unique`."""

import numpy as np
import pytest
import sklearn

from bough.sklearn import DecisionTreeClassifier, RandomForestClassifier
from bough.sklearn.classes import checked_classes, classes_of


def _labels(dtype, seed):
    random = np.random.default_rng(seed)
    low = 0 if np.dtype(dtype).kind in "ub" else -3
    return (random.integers(low, 5, size=(random.integers(1, 60), random.integers(1, 4))) * 2).astype(dtype)


@pytest.mark.parametrize("dtype", ["int64", "int8", "uint8", "uint64", "float32", "float64", "bool"])
@pytest.mark.parametrize("seed", range(5))
def test_classes_are_those_of_unique(dtype, seed):
    y = _labels(dtype, seed)
    classes, codes = classes_of(y)
    for column, own, code in zip(y.T, classes, codes.T, strict=True):
        expected, inverse = np.unique(column, return_inverse=True)
        assert own.dtype == expected.dtype
        np.testing.assert_array_equal(own, expected)
        np.testing.assert_array_equal(code, inverse)


@pytest.mark.parametrize(
    "y",
    [
        np.array([[0.5], [1.5]]),
        np.array([["b"], ["a"]]),
        np.array([[10**18], [-(10**18)]]),
        np.array([[np.uint64(2**64 - 1)], [np.uint64(1)]]),
        np.array([[1e300], [2.0]]),
    ],
)
def test_other_labels_are_sorted(y):
    classes, codes = classes_of(y)
    expected, inverse = np.unique(y[:, 0], return_inverse=True)
    np.testing.assert_array_equal(classes[0], expected)
    np.testing.assert_array_equal(codes[:, 0], inverse)


def test_numbers_with_fractions_are_refused():
    with pytest.raises(ValueError, match="Unknown label type: continuous"):
        checked_classes(np.array([[0.5], [1.5], [2.5]]))


@pytest.mark.parametrize("learner", [DecisionTreeClassifier(), RandomForestClassifier(2)])
def test_a_warning_about_as_many_classes_as_rows(learner):
    if sklearn.__version__.startswith("1.6."):
        pytest.skip("scikit-learn warns since version 1.7")
    X = np.arange(30.0)[:, None]
    with pytest.warns(UserWarning, match="unique classes is greater than 50%"):
        learner.fit(X, np.arange(30))
