"""Laws that any forest of any table obeys."""

import copy
import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone, is_classifier

import bough
from bough.models.tree_format import from_json, to_json

pytestmark = pytest.mark.slow

MODELS = [
    bough.RandomForestClassifier(6, max_features=2),
    bough.RandomForestClassifier(6, criterion="entropy", missing="majority", class_weight="balanced"),
    bough.ExtraTreesClassifier(6, bootstrap=True),
    bough.RandomSubspaceClassifier(6),
    bough.RandomForestRegressor(6, max_features=2),
    bough.ExtraTreesRegressor(6, bootstrap=True, missing="majority"),
]


@st.composite
def frames(draw, kinds=("numbers", "nominal", "ordinal", "none")):
    """Frames of columns of the given kinds, with ties and missing values."""
    n, rng = draw(st.integers(4, 60)), drawn_rng(draw)
    columns = {}
    for number in range(draw(st.integers(2, 4))):
        kind, most = draw(st.sampled_from(kinds)), draw(st.integers(0, 12))
        codes = rng.integers(-1, most + 1, n)
        if kind == "numbers":
            columns[f"c{number}"] = np.where(codes < 0, np.nan, codes / 4)
        elif kind == "none":
            columns[f"c{number}"] = np.full(n, np.nan)
        else:
            columns[f"c{number}"] = pd.Categorical.from_codes(codes, list("abcdefghijklm"), kind == "ordinal")
    return pd.DataFrame(columns)


def drawn_rng(draw):
    return np.random.default_rng(draw(st.integers(0, 2**32)))


def classes_of(draw, n, n_classes=3):
    return np.r_[np.arange(n_classes), drawn_rng(draw).integers(0, n_classes, n - n_classes)]


def target_for(model, draw, n):
    return classes_of(draw, n) if is_classifier(model) else drawn_rng(draw).integers(-99, 99, n) / 1.0


def fitted(model, X, y, **options):
    weight = options.pop("sample_weight", None)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*OOB.*")
        return clone(model).set_params(**{"random_state": 7, "n_jobs": 1, **options}).fit(X, y, weight)


def assert_same(one, other, up_to_rounding=()):
    """Check that two forests are the same to the last bit, but for some arrays."""
    for name in ("nodes", "leaf", "special", "gain", "cases", "tree_importance", "node_start"):
        mine, theirs = getattr(one.forest_, name), getattr(other.forest_, name)
        rtol = 1e-6 if name in up_to_rounding else 0
        np.testing.assert_allclose(mine, theirs, rtol=rtol, atol=rtol / 1e6, err_msg=name)


def said(model, X):
    return model.predict_proba(X) if is_classifier(model) else model.predict(X)


def said_by(tree, model, X):
    return tree.predict_proba(X) if is_classifier(model) else tree.predict(X)


models = pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)


@models
@settings(max_examples=12)
@given(frame=frames(), data=st.data())
def test_threads_do_not_matter(model, frame, data):
    y = target_for(model, data.draw, len(frame))
    one = fitted(model, frame, y)
    for n_jobs in (2, 3):
        many = fitted(model, frame, y, n_jobs=n_jobs)
        assert_same(one, many)
        np.testing.assert_array_equal(said(one, frame), said(many, frame))


@models
@settings(max_examples=12)
@given(frame=frames(), data=st.data())
def test_a_forest_says_the_mean_of_its_trees(model, frame, data):
    grown = fitted(model, frame, target_for(model, data.draw, len(frame)))
    rows = frame.sample(frac=1.0, random_state=data.draw(st.integers(0, 99)))
    rows = rows.assign(**{frame.columns[0]: frame.iloc[:, 0].array})  # rows not seen before
    trees = list(grown.forest_.trees)
    for tree in trees:
        tree.check()
    expected = np.mean([said_by(tree, grown, rows) for tree in trees], axis=0)
    np.testing.assert_allclose(said(grown, rows), expected, rtol=1e-12, atol=1e-13)
    np.testing.assert_array_equal(grown.apply(rows), np.stack([tree.apply(rows) for tree in trees], axis=1))


@models
@settings(max_examples=12)
@given(frame=frames(), data=st.data())
def test_leaves_hold_the_rows_of_the_bag(model, frame, data):
    y = target_for(model, data.draw, len(frame))
    grown = fitted(model, frame, y)
    bag, ends = grown.in_bag(), grown.apply(frame)
    for number, tree in enumerate(grown.forest_.trees):
        drawn = np.bincount(ends[:, number], bag[:, number], len(tree.parent))
        np.testing.assert_array_equal(tree.cases[tree.is_leaf], drawn[tree.is_leaf])
        if not is_classifier(model):
            total = np.bincount(ends[:, number], bag[:, number] * y, len(tree.parent))
            mean = total[tree.is_leaf] / drawn[tree.is_leaf]
            np.testing.assert_allclose(tree.statistics[tree.is_leaf, 0], mean, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("model", [MODELS[0], MODELS[2], MODELS[4]], ids=lambda model: type(model).__name__)
@settings(max_examples=12)
@given(frame=frames(), data=st.data())
def test_out_of_bag_is_the_sum_over_trees_that_did_not_draw_a_row(model, frame, data):
    y = target_for(model, data.draw, len(frame))
    grown = fitted(model, frame, y, oob_score=True, n_estimators=20)
    out = grown.in_bag() == 0
    each = np.stack([said_by(tree, grown, frame) for tree in grown.forest_.trees], axis=1)
    weight = out[..., None] if each.ndim == 3 else out
    spoke = out.any(axis=1)
    expected = (each * weight).sum(axis=1)[spoke] / weight.sum(axis=1)[spoke]
    found = grown.oob_decision_function_ if is_classifier(model) else grown.oob_prediction_
    np.testing.assert_allclose(found[spoke], expected, rtol=1e-12, atol=1e-12)
    assert np.isnan(found[~spoke]).all()


@models
@settings(max_examples=6)
@given(frame=frames(), data=st.data())
def test_forests_and_their_trees_come_back_from_bytes(model, frame, data):
    grown = fitted(model, frame, target_for(model, data.draw, len(frame)))
    for again in (pickle.loads(pickle.dumps(grown)), copy.deepcopy(grown)):
        assert_same(grown, again)
        np.testing.assert_array_equal(said(grown, frame), said(again, frame))
    tree = grown.forest_.trees[0]
    assert from_json(to_json(tree)) == tree


counting = pytest.mark.parametrize(
    "model",
    [bough.RandomForestClassifier(4, max_features=2), bough.ExtraTreesClassifier(4)],
    ids=["best", "random"],
)
whole = {"bootstrap": False}  # of all rows, so that their order and number decide nothing else


@pytest.mark.parametrize(
    "model",
    [bough.RandomForestClassifier(4, max_features=2), bough.ExtraTreesClassifier(4)],
    ids=["best", "random"],
)
@settings(max_examples=25)
@given(frame=frames(), data=st.data())
def test_the_order_of_rows_does_not_matter_where_classes_are_counted(model, frame, data):
    y = classes_of(data.draw, len(frame), data.draw(st.sampled_from([2, 3])))
    order = drawn_rng(data.draw).permutation(len(frame))
    one, other = fitted(model, frame, y, **whole), fitted(model, frame.iloc[order], y[order], **whole)
    assert_same(one, other)


@pytest.mark.parametrize(
    "model",
    [bough.RandomForestClassifier(4, max_features=2), bough.ExtraTreesClassifier(4)],
    ids=["best", "random"],
)
@settings(max_examples=25)
@given(frame=frames(kinds=("numbers", "ordinal")), data=st.data())
def test_a_whole_weight_is_the_row_so_many_times(model, frame, data):
    y = classes_of(data.draw, len(frame), data.draw(st.sampled_from([2, 3])))
    times = drawn_rng(data.draw).integers(1, 4, len(y))
    weighed = fitted(model, frame, y, sample_weight=times, **whole)
    rows = np.repeat(np.arange(len(y)), times)
    repeated = fitted(model, frame.iloc[rows], y[rows], **whole)
    assert_same(weighed, repeated, up_to_rounding=("gain", "tree_importance"))


@pytest.mark.parametrize("model", MODELS[4:], ids=lambda model: type(model).__name__)
@settings(max_examples=12)
@given(frame=frames(), data=st.data())
def test_numbers_of_another_unit_grow_the_same_forest(model, frame, data):
    y = target_for(model, data.draw, len(frame))
    one, other = fitted(model, frame, y), fitted(model, frame, 64 * y)
    np.testing.assert_array_equal(one.forest_.nodes, other.forest_.nodes)
    np.testing.assert_array_equal(64 * one.predict(frame), other.predict(frame))


@settings(max_examples=25)
@given(frame=frames(kinds=("numbers",)), data=st.data())
def test_only_the_order_of_numbers_matters(frame, data):
    y = classes_of(data.draw, len(frame))
    model = bough.RandomForestClassifier(4, max_features=2)
    one = fitted(model, frame, y, **whole)
    other = fitted(model, np.exp(frame), y, **whole)
    np.testing.assert_array_equal(one.apply(frame), other.apply(np.exp(frame)))


@models
@settings(max_examples=6)
@given(frame=frames(), data=st.data())
def test_columns_of_one_value_or_none_are_never_split(model, frame, data):
    dull = frame.assign(one=3.0, none=np.nan)
    grown = fitted(model, dull, target_for(model, data.draw, len(frame)))
    for tree in grown.forest_.trees:
        assert tree.column.max() < frame.shape[1]
