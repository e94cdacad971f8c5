"""The lasso path: against its definition, and what holds at its solutions."""

import numpy as np
import pytest
from sklearn.linear_model import lasso_path as sklearn_path
from tests.ensembles.plain_lasso import answers, plain_lasso, target_of

from bough.ensembles.lasso import Design, lasso_path, lasso_settings, scale_of
from bough.errors import ParameterError

pytestmark = pytest.mark.slow

RNG = np.random.default_rng(3)
N, INDICATORS, NUMBERS = 120, 6, 3
RULES = RNG.random((INDICATORS, N)) < np.linspace(0.1, 0.7, INDICATORS)[:, None]
TERMS = RNG.normal(size=(NUMBERS, N)) + 2.0
X = np.vstack([RULES, TERMS]).T.astype(float)
SIGNAL = X @ np.array([1.5, 0, 0, -1, 0, 0.3, 0.5, 0, 0])
DESIGN = Design.of([np.flatnonzero(rule) for rule in RULES], TERMS)
WEIGHT = RNG.integers(1, 4, size=N).astype(float)


def target(n_classes):
    noisy = SIGNAL + RNG.normal(size=N)
    return (
        noisy
        if n_classes == 0
        else np.digitize(noisy, np.quantile(noisy, np.arange(1, n_classes) / n_classes)).astype(float)
    )


def dense(path, number):
    terms = path.terms(number)
    coefficients = np.zeros((X.shape[1], len(terms.intercept)))
    coefficients[terms.column, terms.score] = terms.coefficient
    return terms.intercept, coefficients


@pytest.mark.parametrize("weight", [None, WEIGHT])
@pytest.mark.parametrize("n_classes", [0, 2, 3])
def test_the_path_is_that_of_the_definition(n_classes, weight):
    y = target(n_classes)
    path = lasso_path(DESIGN, y, weight, n_classes=n_classes, n_penalties=6, tolerance=1e-12)
    assert len(path.penalties) == 6
    assert len(path.terms(0).column) <= 1
    for number in (2, 4):
        intercept, coefficients = plain_lasso(
            X, y, path.penalties[number], n_classes=n_classes, weight=weight
        )
        found_intercept, found = dense(path, number)
        # Of several classes, the scores are known up to a constant.
        centred = found_intercept - found_intercept.mean() if n_classes > 2 else found_intercept
        wanted = intercept - intercept.mean() if n_classes > 2 else intercept
        np.testing.assert_allclose(found, coefficients, atol=2e-4)
        np.testing.assert_allclose(centred, wanted, atol=2e-3)


@pytest.mark.parametrize("n_classes", [0, 2, 3])
def test_no_column_could_lower_the_loss_by_more_than_its_penalty(n_classes):
    y = target(n_classes)
    path = lasso_path(DESIGN, y, n_classes=n_classes, tolerance=1e-10)
    for number, penalty in enumerate(path.penalties):
        intercept, coefficients = dense(path, number)
        residual = target_of(y, n_classes) - answers(intercept + X @ coefficients, n_classes)
        slopes = X.T @ residual / N
        used = coefficients != 0
        np.testing.assert_allclose(residual.mean(axis=0), 0, atol=1e-4)
        np.testing.assert_allclose(
            slopes[used], penalty * np.sign(coefficients[used]), atol=1e-4 * path.penalties[0]
        )
        assert np.abs(slopes).max() <= penalty * 1.01 + 1e-4 * path.penalties[0]


def test_the_path_is_that_of_scikit_learn():
    y = target(0)
    path = lasso_path(DESIGN, y, tolerance=1e-12)
    _, wanted, _ = sklearn_path(X - X.mean(axis=0), y - y.mean(), alphas=path.penalties, tol=1e-10)
    found = np.column_stack([dense(path, number)[1] for number in range(len(path.penalties))])
    np.testing.assert_allclose(found, wanted, atol=1e-5)


def test_weights_count_as_repeated_rows_and_the_number_of_threads_does_not_matter():
    y, again = target(0), np.repeat(np.arange(N), WEIGHT.astype(int))
    repeated = Design.of([np.flatnonzero(rule[again]) for rule in RULES], TERMS[:, again])
    path = lasso_path(DESIGN, y, WEIGHT, tolerance=1e-12)
    other = lasso_path(repeated, y[again], tolerance=1e-12)
    np.testing.assert_allclose(dense(path, 50)[1], dense(other, 50)[1], atol=1e-6)
    folds = (np.arange(N, dtype=np.int32) % 5, 5)
    one, two = (lasso_path(DESIGN, y, WEIGHT, folds=folds, n_jobs=n_jobs) for n_jobs in (1, 2))
    assert (one.held_out == two.held_out).all()
    assert (one.coefficient == two.coefficient).all()


def test_the_loss_of_a_fold_is_that_of_the_model_of_the_other_rows():
    y, fold = target(0), np.arange(N, dtype=np.int32) % 4
    path = lasso_path(DESIGN, y, folds=(fold, 4), tolerance=1e-12)
    kept = fold != 2
    rows = np.cumsum(kept) - 1
    others = Design.of([rows[np.flatnonzero(rule & kept)] for rule in RULES], TERMS[:, kept])
    alone = lasso_path(others, y[kept], penalties=path.penalties.tolist(), tolerance=1e-12)
    for number in (0, 20, 60):
        intercept, coefficients = dense(alone, number)
        error = y[~kept] - (intercept + X[~kept] @ coefficients)[:, 0]
        np.testing.assert_allclose(path.held_out[2, number], np.mean(error**2) / 2, rtol=1e-6)


def test_the_rule_of_one_standard_error_has_fewer_terms_and_a_bound_is_kept():
    y = target(0)
    folds = (np.arange(N, dtype=np.int32) % 5, 5)
    path = lasso_path(DESIGN, y, folds=folds)
    assert len(path.terms(path.chosen("one_se")).column) <= len(path.terms(path.chosen("best")).column)
    few = lasso_path(DESIGN, y, folds=folds, max_terms=2)
    assert max(len(few.terms(number).column) for number in range(len(few.penalties))) == 2


def test_a_target_without_variance_has_no_terms_and_separable_classes_end_the_path():
    assert len(lasso_path(DESIGN, np.full(N, 7.0)).column) == 0
    y = RULES[2].astype(float)
    path = lasso_path(DESIGN, y, n_classes=2)
    assert np.isfinite(path.coefficient).all()
    assert np.isfinite(path.intercept).all()
    assert path.loss[-1] < 0.02 * path.loss[0]


def test_a_column_adds_to_the_score_that_it_may_add_to():
    only = np.arange(X.shape[1], dtype=np.int32) % 3
    design = Design(DESIGN.starts, DESIGN.rows, DESIGN.numbers, only)
    path = lasso_path(design, target(3), n_classes=3)
    assert len(path.column) > 0
    assert (only[path.column] == path.score).all()


@pytest.mark.parametrize(
    ("cv", "rule", "max_terms", "name"),
    [
        (1, "best", None, "cv"),
        ("5", "best", None, "cv"),
        (5, "least", None, "rule"),
        (5, "best", 0, "max_terms"),
    ],
)
def test_invalid_settings_are_refused_by_name(cv, rule, max_terms, name):
    with pytest.raises(ParameterError, match=name):
        lasso_settings(cv, rule, max_terms)


def test_numbers_are_scaled_by_a_power_of_two():
    assert scale_of(np.array([1e300, -3.0])) > 1e300
    assert scale_of(np.array([0.3])) == 0.5
