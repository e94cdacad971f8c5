import numpy as np
import pytest

from bough import TreeClassifier
from bough.errors import ParameterError, TableError, TargetError
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


CLASSES = np.array(["a", "b", "a", "c", "c", "a"])


def counts(y, w):
    return np.array([w[y == label].sum() for label in "abc"])


def gini(y, w):
    return w.sum() - (counts(y, w) ** 2).sum() / w.sum()


def bits(y, w):
    each = counts(y, w)
    each = each[each > 0]
    return -(each * np.log2(each / w.sum())).sum()


def misclassified(y, w):
    return w.sum() - counts(y, w).max()


@pytest.mark.parametrize("weight", [None, [1, 2, 3, 1, 1, 2], [0.5, 0.25, 1.5, 1, 1, 0.125]])
@pytest.mark.parametrize(
    ("criterion", "error"),
    [
        ("gini", gini),
        ("generalized_gini", gini),
        ("entropy", bits),
        ("misclassification", misclassified),
        ("gain_ratio", misclassified),
        ("chi_square", misclassified),
        ("twoing", misclassified),
    ],
)
def test_the_error_of_classes_is_the_impurity_of_both_sides(criterion, error, weight):
    w = np.ones(6) if weight is None else np.array(weight, float)
    curve = cut_curve(X, CLASSES, criterion, weight)
    left = [sum(error(CLASSES[side], w[side]) for side in (cut > X, cut <= X)) for cut in curve.cuts]
    assert curve.errors == pytest.approx(left, abs=1e-9)
    assert curve.uncut == pytest.approx(error(CLASSES, w))
    if error is not misclassified:
        assert curve.values * w.sum() == pytest.approx(curve.uncut - curve.errors, abs=1e-9)
    grown = TreeClassifier(criterion, max_depth=1).fit(X[:, None], CLASSES, sample_weight=weight).tree_
    assert curve.best == grown.cut[0]


def test_the_criterion_follows_from_y():
    assert cut_curve(X, CLASSES).criterion == "gini"
    assert cut_curve(X, Y).criterion == "squared_error"
    assert cut_curve(X, [0, 1, 1, 0, 1, 0]).criterion == "squared_error"
    assert cut_curve(X, [0, 1, 1, 0, 1, 0], "entropy").uncut == 6.0


def test_a_constant_column_has_no_cut_for_classes():
    curve = cut_curve([1.0, 1.0], ["a", "b"])
    assert len(curve) == 0
    assert curve.uncut == 1.0


def test_fractions_are_no_classes():
    with pytest.raises(TargetError, match="Unknown label type: continuous"):
        cut_curve([1.0, 2.0], [0.5, 1.5], "gini")


def test_the_legend_covers_no_part_of_the_curve():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    ax = cut_curve(X, 1e4 * Y).plot()
    ax.figure.canvas.draw()
    assert ax.get_legend().get_window_extent().y0 >= ax.get_window_extent().y1
    labels = [label.get_text() for label in ax.get_yticklabels()]
    assert not ax.yaxis.get_offset_text().get_text()
    assert all("e" not in label for label in labels)
    matplotlib.pyplot.close(ax.figure)
