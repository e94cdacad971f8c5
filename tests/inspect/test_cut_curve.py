import numpy as np
import pytest

from bough.errors import ParameterError, TableError
from bough.inspect.cut_curve import cut_curve

X = np.array([3.0, 1.0, 2.0, 5.0, 4.0, 3.0])
Y = np.array([2.0, 1.0, 4.0, 8.0, 9.0, 3.0])


def squared(y, w):
    return (w * (y - (w * y).sum() / w.sum()) ** 2).sum()


def absolute(y, w):
    return min((w * np.abs(y - middle)).sum() for middle in y)


def deviance(y, w):
    mean = (w * y).sum() / w.sum()
    return 2 * (w * (y * np.log(y / mean) - (y - mean))).sum()


@pytest.mark.parametrize("weight", [None, [1, 2, 3, 1, 1, 2], [0.5, 0.25, 1.5, 1, 1, 0.1]])
@pytest.mark.parametrize(
    ("criterion", "error"), [("squared_error", squared), ("absolute_error", absolute), ("poisson", deviance)]
)
def test_the_error_left_is_that_of_both_sides(criterion, error, weight):
    w = np.ones(6) if weight is None else np.array(weight, float)
    curve = cut_curve(X, Y, criterion, weight)
    assert curve.cuts.tolist() == [1.5, 2.5, 3.5, 4.5]
    left = [sum(error(Y[side], w[side]) for side in (cut > X, cut <= X)) for cut in curve.cuts]
    assert curve.errors == pytest.approx(left, abs=1e-9)
    assert curve.uncut == pytest.approx(error(Y, w))
    assert curve.best == curve.cuts[np.argmin(left)]


def test_missing_x_are_left_out():
    more = cut_curve([*X, np.nan], [*Y, 1000.0])
    assert (more.errors == cut_curve(X, Y).errors).all()
    weighted = cut_curve([*X, np.nan], [*Y, 1000.0], sample_weight=[1, 2, 1, 1, 1, 1, 5])
    assert weighted.uncut == pytest.approx(squared(Y, np.array([1, 2, 1, 1, 1, 1])))


def test_a_constant_column_has_no_cut():
    curve = cut_curve([1.0, 1.0], [1.0, 2.0])
    assert len(curve) == 0
    assert curve.to_dicts() == []
    with pytest.raises(ParameterError, match="only one distinct value"):
        _ = curve.best


def test_a_side_without_events_is_out_of_the_question():
    curve = cut_curve([1.0, 2.0, 3.0], [0.0, 1.0, 5.0], "poisson")
    assert curve.errors[0] == np.inf
    assert curve.best == 2.5


def test_it_becomes_a_frame():
    curve = cut_curve(X, Y)
    assert curve.to_pandas()["error"].tolist() == curve.errors.tolist()
    assert curve.to_polars()["cut"].to_list() == curve.cuts.tolist()


@pytest.mark.parametrize("x", [["a", "b"], [[1.0], [2.0]], [np.nan, np.nan], [1.0]])
def test_what_is_no_column_of_numbers_is_refused(x):
    with pytest.raises(TableError):
        cut_curve(x, [1.0, 2.0])


def test_a_criterion_for_classes_is_refused():
    with pytest.raises(ParameterError, match="criterion is 'gini'"):
        cut_curve(X, Y, "gini")
