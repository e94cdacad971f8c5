"""A sparse table grows the tree of the dense table of the same numbers, to the bit."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from bough import (
    CARTClassifier,
    CARTRegressor,
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
    TreeClassifier,
    TreeRegressor,
)
from bough.errors import BoughError

pytestmark = pytest.mark.slow

VALUES = {
    "few": st.sampled_from([0.0, 0.0, 0.0, 1.0, 2.0, -1.0, -0.0]),
    "floats": st.one_of(st.just(0.0), st.just(0.0), st.floats(width=32, allow_nan=False)),
    # Doubles that round to the same float, to zero or to infinity.
    "doubles": st.sampled_from([0.0, 0.0, 1.0, 1.0 + 1e-12, -1.0 - 1e-12, 1e-300, -1e-300, 1e300, np.inf]),
}


@st.composite
def tables(draw, missing=True):
    """Draw the numbers of a table with many zeros."""
    values = VALUES[draw(st.sampled_from(sorted(VALUES)))]
    if missing and draw(st.booleans()):
        values = st.one_of(values, values, st.just(np.nan))
    shape = (draw(st.integers(1, 40)), draw(st.integers(1, 5)))
    return draw(hnp.arrays(np.float64, shape, elements=values))


def weights_of(draw, n):
    return draw(
        st.one_of(
            st.none(),
            hnp.arrays(np.float64, n, elements=st.sampled_from([0.0, 1.0, 2.0])),
            hnp.arrays(np.float64, n, elements=st.floats(0.1, 3)),
        )
    )


def as_sparse(draw, X):
    return draw(st.sampled_from([sp.csr_matrix, sp.csr_array, sp.csc_matrix, sp.csc_array]))(X)


CLASSIFIERS = [
    lambda n_jobs: TreeClassifier(n_jobs=n_jobs),
    lambda n_jobs: TreeClassifier("entropy", missing="majority", min_samples_leaf=2, n_jobs=n_jobs),
    lambda n_jobs: TreeClassifier("gain_ratio", missing="own_level", significance=0.5, n_jobs=n_jobs),
    lambda n_jobs: TreeClassifier(max_leaf_nodes=4, n_jobs=n_jobs),
    lambda n_jobs: TreeClassifier(max_features=2, splitter="random", random_state=1, n_jobs=n_jobs),
    lambda n_jobs: TreeClassifier(max_features=0.5, random_state=1, n_jobs=n_jobs),
    lambda n_jobs: CARTClassifier(missing="majority", n_competitors=2, cv=2, random_state=0, n_jobs=n_jobs),
]
REGRESSORS = [
    lambda n_jobs: TreeRegressor(n_jobs=n_jobs),
    lambda n_jobs: TreeRegressor(missing="majority", min_samples_leaf=2, n_jobs=n_jobs),
    lambda n_jobs: TreeRegressor(missing="own_level", n_jobs=n_jobs),
    lambda n_jobs: TreeRegressor("absolute_error", n_jobs=n_jobs),
    lambda n_jobs: TreeRegressor("poisson", max_depth=3, n_jobs=n_jobs),
    lambda n_jobs: TreeRegressor(splitter="random", random_state=1, n_jobs=n_jobs),
    lambda n_jobs: CARTRegressor(missing="majority", cv=2, random_state=0, n_jobs=n_jobs),
]


def check_same(learner, X, S, y, weight):
    """Fit to both tables; the models and their answers must be the same, or both are refused."""
    try:
        dense = learner(1).fit(X, y, weight)
    except BoughError:
        with pytest.raises(BoughError):
            learner(1).fit(S, y, weight)
        return
    for n_jobs in (1, 3):
        sparse = learner(n_jobs).fit(S, y, weight)
        assert sparse.model_ == dense.model_
    np.testing.assert_array_equal(dense.apply(S), dense.apply(X))
    np.testing.assert_array_equal(sparse.predict(X), dense.predict(S))


@pytest.mark.filterwarnings("ignore:Column")
@given(st.data(), tables(), st.sampled_from(CLASSIFIERS))
def test_classification_trees(data, X, learner):
    most = data.draw(st.sampled_from([1, 2, 35]))
    y = data.draw(hnp.arrays(np.int64, len(X), elements=st.integers(0, most)))
    check_same(learner, X, as_sparse(data.draw, X), y, weights_of(data.draw, len(X)))


@pytest.mark.filterwarnings("ignore:Column")
@given(st.data(), tables(), st.sampled_from(REGRESSORS))
def test_regression_trees(data, X, learner):
    y = data.draw(hnp.arrays(np.float64, len(X), elements=st.floats(0, 9, width=16)))
    check_same(learner, X, as_sparse(data.draw, X), y, weights_of(data.draw, len(X)))


SEVERAL = [
    lambda n_jobs: TreeClassifier(n_jobs=n_jobs),
    lambda n_jobs: TreeClassifier("entropy", missing="own_level", min_samples_leaf=2, n_jobs=n_jobs),
    lambda n_jobs: TreeClassifier(max_leaf_nodes=4, missing="majority", n_jobs=n_jobs),
    lambda n_jobs: TreeClassifier(splitter="random", random_state=1, n_jobs=n_jobs),
    lambda n_jobs: TreeRegressor(n_jobs=n_jobs),
    lambda n_jobs: TreeRegressor("poisson", max_depth=3, n_jobs=n_jobs),
    lambda n_jobs: CARTRegressor(missing="majority", cv=2, random_state=0, n_jobs=n_jobs),
    lambda n_jobs: RandomForestClassifier(3, random_state=0, n_jobs=n_jobs),
    lambda n_jobs: ExtraTreesClassifier(3, criterion="entropy", random_state=0, n_jobs=n_jobs),
]


@pytest.mark.filterwarnings("ignore:Column")
@given(st.data(), tables(), st.sampled_from(SEVERAL), st.sampled_from([1, 40]))
def test_trees_and_forests_of_several_targets(data, X, learner, most):
    y = data.draw(hnp.arrays(np.int64, (len(X), 3), elements=st.integers(0, most)))
    weight = data.draw(
        st.one_of(st.none(), hnp.arrays(np.float64, len(X), elements=st.sampled_from([0.0, 1.0, 2.0])))
    )
    check_same(learner, X, as_sparse(data.draw, X), y, weight)


@given(st.data(), tables(missing=False), st.sampled_from([1, -1]))
def test_monotonic_constraints(data, X, direction):
    y = data.draw(hnp.arrays(np.float64, len(X), elements=st.floats(-9, 9, width=16)))
    check_same(lambda n: TreeRegressor(monotonic_cst={"x0": direction}), X, sp.csr_array(X), y, None)


FORESTS = [
    lambda n_jobs, **kw: RandomForestClassifier(3, random_state=0, n_jobs=n_jobs, **kw),
    lambda n_jobs, **kw: RandomForestClassifier(3, criterion="entropy", random_state=0, n_jobs=n_jobs, **kw),
    lambda n_jobs, **kw: ExtraTreesClassifier(3, random_state=0, n_jobs=n_jobs, **kw),
    lambda n_jobs, **kw: ExtraTreesClassifier(3, max_features=1, random_state=0, n_jobs=n_jobs, **kw),
]


@given(
    st.data(),
    tables(),
    st.sampled_from(FORESTS),
    st.sampled_from(["learned", "majority"]),
    st.sampled_from([1, 2, 35]),
)
def test_classification_forests(data, X, learner, missing, most):
    y = data.draw(hnp.arrays(np.int64, len(X), elements=st.integers(0, most)))
    weight = data.draw(
        st.one_of(st.none(), hnp.arrays(np.float64, len(X), elements=st.sampled_from([0.0, 1.0, 2.0])))
    )
    least = data.draw(st.sampled_from([1, 2]))
    check_same(
        lambda n_jobs: learner(n_jobs, missing=missing, min_samples_leaf=least),
        X,
        as_sparse(data.draw, X),
        y,
        weight,
    )


@given(st.data(), tables(), st.sampled_from([RandomForestRegressor, ExtraTreesRegressor]))
def test_regression_forests_where_sums_are_exact(data, X, learner):
    # Numbers whose mean is a whole number: then no sum of a forest rounds.
    y = np.repeat(data.draw(hnp.arrays(np.float64, len(X), elements=st.integers(-8, 8))), 2)
    y[1::2] *= -1
    X = np.vstack([X, X[::-1]])
    check_same(
        lambda n_jobs: learner(3, bootstrap=False, max_features=2, random_state=0, n_jobs=n_jobs),
        X,
        as_sparse(data.draw, X),
        y,
        None,
    )


@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("density", [0.02, 0.3])
@pytest.mark.parametrize(
    "learner", [TreeClassifier(), RandomForestClassifier(5, random_state=0), ExtraTreesClassifier(5)]
)
def test_many_sparse_rows_end_where_dense_ones_do(learner, density, dtype, missing):
    random = np.random.default_rng(1)
    numbers = random.normal(size=(1500, 60)) * (random.random((1500, 60)) < density)
    if missing:
        numbers[random.random(numbers.shape) < 0.01] = np.nan
    numbers = numbers.astype(dtype)
    y = np.nansum(numbers[:, :20], axis=1) + random.normal(size=1500) / 2 > 0
    model = learner.fit(numbers[:700], y[:700])
    for rows in (numbers, numbers[:65], numbers[-63:]):
        sparse = sp.csr_array(rows)
        assert (model.predict_proba(sparse) == model.predict_proba(rows)).all()
        assert (model.apply(sparse) == model.apply(rows)).all()
