"""Cross-validated risks against the loop that defines them: fit without the fold, prune, predict, sum."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.cart_tables import drawn

from bough import CARTClassifier, CARTRegressor, CARTSurvival
from bough.errors import ParameterError
from bough.pruning import CrossValidatedPath

seeds = st.integers(0, 2**32 - 1)
N_FOLDS = 4


def middle_alphas(alphas):
    """The alpha at which the trees of folds stand for each tree of the path."""
    above = np.append(alphas[1:], 100 * alphas[-1])
    return np.sqrt(alphas * above)


def by_brute_force(model, fit, losses, folds, weight):
    """Sums and standard errors, from `fit(rows)` and `losses(tree, rows)`."""
    path = model.cp_table_
    sums, squares = np.zeros(len(path)), np.zeros(len(path))
    for fold in range(N_FOLDS):
        kept, left_out = np.flatnonzero(folds != fold), np.flatnonzero(folds == fold)
        tree = fit(kept)
        for place, alpha in enumerate(middle_alphas(path.alphas)):
            lost = losses(tree.pruned(alpha * weight[kept].sum() / weight.sum()), left_out)
            sums[place] += weight[left_out] @ lost
            squares[place] += weight[left_out] @ lost**2
    return sums, np.sqrt(np.maximum(squares - sums**2 / weight.sum(), 0))


def assert_risks(path, brute):
    np.testing.assert_allclose(path.cv_risk, brute[0], rtol=1e-9, atol=1e-9)
    # A standard error is the root of a difference, in which half of the digits may cancel.
    np.testing.assert_allclose(path.cv_error, brute[1], rtol=1e-6, atol=1e-6)


@given(seeds, st.booleans(), st.integers(2, 3))
@settings(deadline=None, max_examples=12)
def test_classification(seed, weighted, k):
    check_classification(seed, weighted, False, k)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("k", [2, 3])
def test_classification_with_losses(seed, k):
    """Scales that no float holds settle exact ties by rounding, so these seeds are fixed."""
    check_classification(seed, seed % 2 == 0, True, k)


def check_classification(seed, weighted, has_loss, k):
    data = drawn(seed, 60, missing=0.15, n_classes=k)
    weight = data.whole_weights() if weighted else np.ones(60)
    loss = 1 - np.eye(k)
    if has_loss:
        loss = data.rng.integers(1, 4, (k, k)) * (1 - np.eye(k))
    folds = data.rng.permutation(60) % N_FOLDS
    # Each class in two folds at least.
    for label in range(k):
        folds[np.flatnonzero(data.labels == label)[:2]] = [0, 1]

    def fit(rows, **parameters):
        parameters = {"prune": "none"} | parameters
        model = CARTClassifier(loss_matrix=loss if has_loss else None, min_samples_leaf=2, **parameters)
        return model.fit(data.table.take(rows), data.labels[rows], weight[rows])

    def losses(tree, rows):
        return loss[data.labels[rows], tree.predict(data.table.take(rows))]

    model = fit(np.arange(60), prune="one_se", cv=folds)
    if len(model.cp_table_) > 1:
        brute = by_brute_force(model, lambda rows: fit(rows).tree_, losses, folds, weight)
        assert_risks(model.cp_table_, brute)


def deviance(y, rate):
    with np.errstate(divide="ignore", invalid="ignore"):
        return 2 * (np.where(y > 0, y * np.log(y / rate), 0.0) - (y - rate))


NUMBER_LOSSES = {
    "squared_error": lambda y, answer: (y - answer) ** 2,
    "absolute_error": lambda y, answer: np.abs(y - answer),
    "poisson": deviance,
    "sqrt": lambda y, answer: (np.sqrt(y) - np.sqrt(answer)) ** 2,
}


@pytest.mark.parametrize("kind", NUMBER_LOSSES)
@given(seed=seeds, weighted=st.booleans())
@settings(deadline=None, max_examples=10)
def test_regression(kind, seed, weighted):
    data = drawn(seed, 60, missing=0.15)
    counts_events = kind in ("poisson", "sqrt")
    y = data.events if counts_events else data.numbers
    weight = data.whole_weights() if weighted else np.ones(60)
    exposure = data.rng.integers(1, 5, 60) / 2 if counts_events else None
    folds = data.rng.permutation(60) % N_FOLDS
    own = {"cv_error": "sqrt" if kind == "sqrt" else "deviance"} if counts_events else {}

    def fit(rows, **parameters):
        parameters = {"prune": "none"} | own | parameters
        model = CARTRegressor("poisson" if counts_events else kind, min_samples_leaf=4, **parameters)
        given_exposure = None if exposure is None else exposure[rows]
        return model.fit(data.table.take(rows), y[rows], weight[rows], exposure=given_exposure)

    def losses(tree, rows):
        exposed = np.ones(60) if exposure is None else exposure
        answers = tree.predict(data.table.take(rows))
        return exposed[rows] * NUMBER_LOSSES[kind](y[rows] / exposed[rows], answers)

    model = fit(np.arange(60), prune="one_se", cv=folds)
    assert_risks(model.cp_table_, by_brute_force(model, lambda rows: fit(rows).tree_, losses, folds, weight))


def path_of(cv_risk, cv_error):
    n = len(cv_risk)
    return CrossValidatedPath(
        alphas=np.arange(n, dtype=float),
        n_splits=np.arange(n)[::-1].astype(np.int32),
        n_leaves=np.arange(1, n + 1)[::-1].astype(np.int32),
        risk=np.arange(1.0, n + 1),
        complexity=np.zeros(1),
        cv_risk=np.array(cv_risk, dtype=float),
        cv_error=np.array(cv_error, dtype=float),
    )


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 3)), min_size=1, max_size=8))
def test_trees_are_chosen_as_defined(figures):
    risk, error = (np.array(column, dtype=float) for column in zip(*figures, strict=True))
    path = path_of(risk, error)
    least = max(i for i in range(len(path)) if risk[i] == risk.min())
    assert path.chosen("minimum") == least
    allowed = [i for i in range(len(path)) if risk[i] <= risk[least] + error[least]]
    assert path.chosen("one_se") == max(allowed)
    assert path.chosen("one_se") >= path.chosen("minimum")


def test_another_choice_is_refused():
    with pytest.raises(ParameterError, match="by is 'best'"):
        path_of([1.0], [0.0]).chosen("best")


def test_relative_figures_are_shares_of_the_root_s_risk():
    data = drawn(4, 80)
    path = CARTClassifier().fit(data.table, data.labels).cp_table_
    np.testing.assert_allclose(path.relative_cv_risk * path.risk[-1], path.cv_risk, rtol=1e-12)
    np.testing.assert_allclose(path.relative_cv_error * path.risk[-1], path.cv_error, rtol=1e-12)
    assert "xerror" in str(path)
    assert "xstd" in str(path)


@pytest.mark.parametrize("prune", ["one_se", "minimum"])
def test_the_learner_takes_the_chosen_tree(prune):
    data = drawn(5, 120)
    model = CARTClassifier(prune=prune).fit(data.table, data.labels)
    place = model.cp_table_.chosen(prune)
    assert model.tree_.n_leaves == model.cp_table_.n_leaves[place]
    alpha = float(model.cp_table_.alphas[place])
    assert (model.tree_.column == model.grown_tree_.pruned(alpha).column).all()


@pytest.mark.parametrize("prune", ["one_se", "minimum"])
@pytest.mark.parametrize("shrink", [0, 1])
def test_the_root_is_chosen_if_the_only_event_is_held_out(prune, shrink):
    rng = np.random.default_rng(0)
    X, time, events = rng.normal(size=(60, 2)), rng.exponential(size=60), np.zeros(60)
    events[5] = 1
    counts = CARTRegressor("poisson", prune=prune, shrink=shrink).fit(X, events)
    times = CARTSurvival(prune=prune, shrink=shrink).fit(X, np.c_[time, events])
    for model in (counts, times):
        assert model.tree_.n_nodes == 1
        assert np.isinf(model.cp_table_.cv_risk).all()
        assert np.isfinite(model.predict(X)).all()
    np.testing.assert_allclose(counts.predict(X), 1 / 60)


@pytest.mark.parametrize("exponent", [-400, -100, 100, 250, 400])
@pytest.mark.parametrize("criterion", ["squared_error", "absolute_error", "poisson"])
def test_the_unit_of_y_does_not_matter(criterion, exponent):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(80, 2))
    y = rng.poisson(np.exp(X[:, 0])) if criterion == "poisson" else X[:, 0]
    learner = CARTRegressor(criterion, shrink=0)
    plain = learner.fit(X, y).cp_table_
    found = learner.fit(X, np.ldexp(y, exponent)).cp_table_
    of_loss = exponent * (2 if criterion == "squared_error" else 1)
    np.testing.assert_array_equal(np.ldexp(plain.cv_risk, of_loss), found.cv_risk)
    np.testing.assert_array_equal(np.ldexp(plain.cv_error, of_loss), found.cv_error)


@pytest.mark.parametrize("weight", [1e-200, 1e200, 1e300])
def test_a_tree_is_chosen_whatever_the_weights_sum_to(weight):
    X = np.random.default_rng(1).normal(size=(80, 2))
    table = CARTRegressor().fit(X, X[:, 0], np.full(80, weight)).cp_table_
    assert np.isfinite(table.cv_error).all()
    assert 0 <= table.chosen("one_se") < len(table)
