"""Discretizers: laws of each, figures of others where they have the same."""

import itertools
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import KBinsDiscretizer
from sklearn.utils.estimator_checks import parametrize_with_checks

import bough
from bough.discretizers.discretizer import interval_words
from bough.discretizers.unsupervised import best_clusters
from bough.errors import TableError

ALL = [
    bough.EqualWidthDiscretizer(),
    bough.EqualFrequencyDiscretizer(),
    bough.KMeansDiscretizer(),
    bough.MDLDiscretizer(),
]


@parametrize_with_checks(ALL)
def test_scikit_learns_checks(estimator, check):
    check(estimator)


@pytest.fixture(scope="module")
def iris():
    data = load_iris(as_frame=True)
    return data.data, data.target_names[data.target]


def test_mdl_cuts_iris_where_the_literature_does(iris):
    X, y = iris
    cuts = bough.MDLDiscretizer().fit(X, y).cuts_
    assert [each.round(3).tolist() for each in cuts] == [
        [5.55, 6.15],
        [2.95, 3.35],
        [2.45, 4.75],
        [0.8, 1.75],
    ]


def test_mdl_does_not_cut_noise():
    rng = np.random.default_rng(0)
    cuts = bough.MDLDiscretizer().fit(rng.normal(size=(200, 3)), rng.integers(0, 2, 200)).cuts_
    assert [len(each) for each in cuts] == [0, 0, 0]


def test_equal_width_is_that_of_scikit_learn(iris):
    X, _ = iris
    ours = bough.EqualWidthDiscretizer(4).fit(X)
    theirs = KBinsDiscretizer(4, strategy="uniform", encode="ordinal", subsample=None).fit(X)
    for cuts, edges in zip(ours.cuts_, theirs.bin_edges_, strict=True):
        assert cuts == pytest.approx(edges[1:-1])


@settings(max_examples=60, deadline=None)
@given(values=st.lists(st.integers(0, 60), min_size=2, max_size=60), bins=st.integers(2, 6))
def test_equal_frequency_parts_no_equals_and_is_as_even_as_one_cut_can_be(values, bins):
    numbers = np.array(values, float)[:, None]
    model = bough.EqualFrequencyDiscretizer(bins).fit(numbers)
    codes = model.transform(numbers).ravel()
    for value in set(values):
        assert len(set(codes[numbers.ravel() == value])) == 1
    assert len(model.cuts_[0]) <= bins - 1
    if bins == 2 and len(set(values)) > 1:
        below = [sum(each < value for each in values) for value in sorted(set(values))[1:]]
        least = min(abs(2 * each - len(values)) for each in below)
        assert abs(2 * (codes == 0).sum() - len(values)) == least


@settings(max_examples=50, deadline=None)
@given(points=st.lists(st.integers(-20, 20), min_size=2, max_size=9, unique=True), k=st.integers(1, 4))
def test_clusters_are_the_best_of_all(points, k):
    centres = np.sort(np.array(points, float))
    weight = np.arange(1.0, len(points) + 1)
    k = min(k, len(points))

    def cost(starts):
        parts = zip(starts, [*starts[1:], len(points)], strict=True)
        return sum(
            float((weight[a:b] * (centres[a:b] - np.average(centres[a:b], weights=weight[a:b])) ** 2).sum())
            for a, b in parts
        )

    least = min(cost([0, *rest]) for rest in itertools.combinations(range(1, len(points)), k - 1))
    assert cost(best_clusters(centres, weight, k).tolist()) == pytest.approx(least, abs=1e-9)


def test_many_values_are_clustered_in_groups():
    rng = np.random.default_rng(0)
    values = np.concatenate([rng.normal(0, 1, 20_000), rng.normal(100, 1, 20_000)])[:, None]
    [cuts] = bough.KMeansDiscretizer(2).fit(values).cuts_
    assert 10 < cuts[0] < 90


def test_an_interval_is_said_and_missing_stays_missing():
    frame = pd.DataFrame({"age": [1.0, 2.0, 3.0, np.nan, 9.0]})
    model = bough.EqualWidthDiscretizer(2, encode="interval").set_output(transform="pandas")
    shown = model.fit_transform(frame)
    assert shown.columns.tolist() == ["age"]
    assert shown["age"].isna().tolist() == [False, False, False, True, False]
    assert shown["age"].dropna().tolist() == ["< 5", "< 5", "< 5", ">= 5"]


def test_a_tree_grows_on_intervals(iris):
    X, y = iris
    model = make_pipeline(bough.MDLDiscretizer(), bough.TreeClassifier())
    assert model.fit(X, y).score(X, y) > 0.94
    by_level = make_pipeline(bough.MDLDiscretizer(encode="interval"), bough.ID3Classifier())
    assert by_level.fit(X, y).score(X, y) > 0.94


def test_what_is_wrong_is_refused():
    with pytest.raises(bough.BoughError, match="n_bins is 1"):
        bough.EqualWidthDiscretizer(1).fit([[1.0], [2.0]])
    with pytest.raises(bough.BoughError, match="encode is 'onehot'"):
        bough.EqualWidthDiscretizer(encode="onehot").fit([[1.0], [2.0]])
    with pytest.raises(bough.BoughError, match="requires y"):
        bough.MDLDiscretizer().fit([[1.0], [2.0]])
    with pytest.raises(bough.BoughError, match="X has 2 rows and y has 3"):
        bough.MDLDiscretizer().fit([[1.0], [2.0]], ["a", "b", "c"])


@pytest.mark.parametrize("model", ALL[:3], ids=lambda model: type(model).__name__)
def test_a_column_of_one_value_or_none_has_no_cut(model):
    assert model.fit([[1.0, np.nan], [1.0, np.nan]]).transform([[5.0, 1.0]]).tolist() == [[0.0, 0.0]]


PENGUINS = Path(__file__).parents[2] / "examples" / "penguins.csv"
NUMERIC = ["bill_length_mm", "bill_depth_mm", "flipper_length_mm", "body_mass_g", "year"]


@pytest.mark.parametrize("encode", ["ordinal", "interval"])
@pytest.mark.parametrize("model", ALL, ids=lambda model: type(model).__name__)
def test_numbers_of_a_mixed_table_are_cut_and_other_columns_pass(model, encode):
    frame = pd.read_csv(PENGUINS)
    X, y = frame.drop(columns="species"), frame["species"]
    model = clone(model).set_params(encode=encode).fit(X, y)
    cut = model.transform(X)
    assert list(cut) == list(X) == model.get_feature_names_out().tolist()
    pd.testing.assert_frame_equal(cut[["island", "sex"]], X[["island", "sex"]])
    for name in NUMERIC:
        assert cut[name].cat.ordered
        assert (cut[name].isna() == X[name].isna()).all()
        # Intervals rise with the numbers.
        ends = X[name].groupby(cut[name], observed=True).agg(["min", "max"])
        assert (ends["max"].to_numpy()[:-1] < ends["min"].to_numpy()[1:]).all()
    pipeline = make_pipeline(model, bough.ID3Classifier()).fit(X, y)
    assert pipeline.score(X, y) > 0.9
    for other in (pl.from_pandas(X), pa.Table.from_pandas(X), pl.from_pandas(X).lazy()):
        theirs = make_pipeline(clone(model), bough.ID3Classifier()).fit(other, y)
        assert (theirs.predict(other) == pipeline.predict(X)).all()


def test_a_mixed_array_gives_an_array_of_objects():
    rows = [[1.0, "a", True], [None, None, False], [9.0, "c", True]]
    model = bough.EqualWidthDiscretizer(2).fit(rows)
    assert model.transform([*rows, [9.0, "new", None]]).tolist() == [
        [0, "a", True],
        [None, None, False],
        [1, "c", True],
        [1, "new", None],
    ]
    worded = model.set_params(encode="interval").transform(np.array(rows, dtype=object))
    assert worded[:, 0].tolist() == ["< 5", None, ">= 5"]


@pytest.mark.parametrize("model", ALL, ids=lambda model: type(model).__name__)
def test_infinity_is_refused_by_column_and_row(model):
    X, y = pd.DataFrame({"a": ["x", "y", "z"], "b": [1.0, 2.0, np.inf]}), [0, 1, 1]
    with pytest.raises(TableError, match="Column 'b' holds infinity in row 2"):
        model.fit(X, y)
    fitted = model.fit(X[:2], y[:2])
    with pytest.raises(TableError, match="Column 'b' holds infinity in row 0"):
        fitted.transform(X[2:])


def test_intervals_are_short_and_distinct():
    X = pd.DataFrame({"length": [1.0, 2.8, 3.4, 4.6]})
    found = bough.EqualWidthDiscretizer(3, encode="interval").fit_transform(X)
    assert sorted(set(np.asarray(found).ravel().tolist())) == ["2.2 to < 3.4", "< 2.2", ">= 3.4"]
    near = np.array([0.3, 0.1 + 0.2])
    assert len(set(interval_words(near, bough.Column("x", "numeric")))) == 3
