"""Early stopping of the drop-in's histogram boosting scores the model of each round, and boosts once."""

import numpy as np
import pytest
from sklearn._loss.loss import HalfTweedieLoss
from sklearn.exceptions import NotFittedError
from sklearn.metrics import make_scorer, mean_absolute_error
from sklearn.utils.validation import check_is_fitted

import bough.sklearn as dropin
from bough.sklearn import early_stopping


def mixed(n_rows=600):
    """Rows with missing values and categories, of which some are rare, and a number for each."""
    random = np.random.default_rng(2)
    categories = np.minimum(random.geometric(0.2, size=n_rows), 30)
    X = np.column_stack([random.normal(size=(n_rows, 2)), categories])
    y = X[:, 0] + np.sin(X[:, 2]) + random.normal(size=n_rows) / 2
    X[random.random(X.shape) < 0.05] = np.nan
    return X, y


def losses(model, X, y, weight):
    """The loss of each round's predictions."""
    rounds = model._staged_raw_predict(X)
    raw = [scores[:, 0] if scores.shape[1] == 1 else scores for scores in rounds]
    return [model._loss(y_true=y, raw_prediction=each, sample_weight=weight) for each in raw]


@pytest.mark.parametrize("kind", ["numbers", "two", "three"])
@pytest.mark.parametrize("weighted", [False, True])
def test_scores_are_those_of_each_round(kind, weighted):
    # The validation rows have categories that no training row of positive weight has.
    X, y = mixed()
    weight = np.random.default_rng(3).integers(0, 3, len(y)).astype(float) if weighted else None
    parameters = {"early_stopping": True, "max_iter": 12, "categorical_features": [2], "tol": 0.0}
    if kind == "numbers":
        model = dropin.HistGradientBoostingRegressor(**parameters)
    else:
        model = dropin.HistGradientBoostingClassifier(**parameters)
        y = np.digitize(y, [0.0] if kind == "two" else [-0.5, 0.5]).astype(float)
    parts = [(part, y[rows], None if weight is None else weight[rows]) for part, rows in _halves(X)]
    model.fit(*parts[0], X_val=parts[1][0], y_val=parts[1][1], sample_weight_val=parts[1][2])
    for part, scores in zip(parts, (model.train_score_, model.validation_score_), strict=True):
        np.testing.assert_allclose(-scores[1:], losses(model, *part), rtol=1e-9)


def _halves(X):
    middle = len(X) // 2
    return [(X[:middle], slice(0, middle)), (X[middle:], slice(middle, None))]


@pytest.mark.parametrize("scoring", ["loss", "r2"])
def test_rows_are_boosted_once(scoring, monkeypatch):
    calls = []

    def counted(*args, **kwargs):
        calls.append(args)
        return fit_boosting(*args, **kwargs)

    fit_boosting = early_stopping.fit_boosting
    monkeypatch.setattr(early_stopping, "fit_boosting", counted)
    X, y = mixed()
    model = dropin.HistGradientBoostingRegressor(early_stopping=True, scoring=scoring, random_state=0)
    model.fit(X, y)
    assert 1 < model.n_iter_ < 100
    assert len(model.train_score_) == model.n_iter_ + 1
    assert len(calls) == 1


def test_a_scorer_of_ones_own_stops_where_the_same_one_by_name_does():
    X, y = mixed()
    own = make_scorer(mean_absolute_error, greater_is_better=False)
    fitted = [
        dropin.HistGradientBoostingRegressor(early_stopping=True, scoring=scoring, random_state=0).fit(X, y)
        for scoring in (own, "neg_mean_absolute_error")
    ]
    assert fitted[0].n_iter_ == fitted[1].n_iter_ < 100
    np.testing.assert_allclose(fitted[0].validation_score_, fitted[1].validation_score_, rtol=1e-12)


@pytest.mark.parametrize("scoring", ["loss", "r2"])
def test_a_warm_start_goes_on_with_the_scores(scoring):
    X, y = mixed()
    parameters = {"early_stopping": True, "scoring": scoring, "n_iter_no_change": 40, "random_state": 0}
    model = dropin.HistGradientBoostingRegressor(max_iter=6, warm_start=True, **parameters).fit(X, y)
    model.set_params(max_iter=15).fit(X, y)
    at_once = dropin.HistGradientBoostingRegressor(max_iter=15, **parameters).fit(X, y)
    np.testing.assert_array_equal(model.predict(X), at_once.predict(X))
    np.testing.assert_array_equal(model.validation_score_, at_once.validation_score_)


def test_losses_of_scikit_learn_that_bough_has_not_stop_early():
    X, y = mixed()
    model = dropin.HistGradientBoostingRegressor(
        loss=HalfTweedieLoss(power=1.2), early_stopping=True, random_state=0
    )
    assert 1 < model.fit(X, np.exp(y)).n_iter_ < 100


def test_errors_of_scoring_are_raised(monkeypatch):
    X, y = mixed()
    model = dropin.HistGradientBoostingRegressor(early_stopping=True)

    def fails(*_):
        raise RuntimeError("no score")

    monkeypatch.setattr(type(model), "_check_early_stopping_loss", fails)
    monkeypatch.setattr(early_stopping.Stopping, "_stops_at_start", lambda _: False)
    with pytest.raises(RuntimeError, match="no score"):
        model.fit(X, y)


def interrupt(learner, n_rounds, monkeypatch, error):
    """Let the scores that scikit-learn computes for each round raise after some rounds."""
    n_left = [n_rounds]

    def failing(plain):
        def scored(*args, **kwargs):
            n_left[0] -= 1
            if n_left[0] < 0:
                raise error
            return plain(*args, **kwargs)

        return scored

    for name in ("_check_early_stopping_loss", "_check_early_stopping_scorer"):
        monkeypatch.setattr(type(learner), name, failing(getattr(type(learner), name)))


@pytest.mark.parametrize("error", [KeyboardInterrupt, ValueError("no score")])
@pytest.mark.parametrize("scoring", ["loss", "r2", make_scorer(mean_absolute_error)])
def test_a_warm_start_that_fails_leaves_the_learner_as_it_was(scoring, error, monkeypatch):
    X, y = mixed()
    parameters = {"early_stopping": True, "scoring": scoring, "n_iter_no_change": 40, "random_state": 0}
    model = dropin.HistGradientBoostingRegressor(max_iter=5, warm_start=True, **parameters).fit(X, y)
    before = vars(model).copy() | {"max_iter": 12}
    model.set_params(max_iter=12)
    with monkeypatch.context() as patched:
        interrupt(model, 4, patched, error)
        with pytest.raises(error if isinstance(error, type) else type(error)):
            model.fit(X, y)
    assert vars(model).keys() == before.keys()
    assert all(vars(model)[name] is before[name] for name in before)
    assert (model.n_iter_, len(model.train_score_), len(model.validation_score_)) == (5, 6, 6)
    model.fit(X, y)
    at_once = dropin.HistGradientBoostingRegressor(max_iter=12, **parameters).fit(X, y)
    np.testing.assert_array_equal(model.validation_score_, at_once.validation_score_)
    np.testing.assert_array_equal(model.predict(X), at_once.predict(X))


@pytest.mark.parametrize("scoring", ["loss", "r2", make_scorer(mean_absolute_error)])
def test_a_first_fit_that_fails_leaves_the_learner_unfitted(scoring, monkeypatch):
    X, y = mixed()
    model = dropin.HistGradientBoostingRegressor(early_stopping=True, scoring=scoring, warm_start=True)
    before = vars(model).copy()
    interrupt(model, 4, monkeypatch, KeyboardInterrupt)
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, y)
    assert vars(model) == before
    with pytest.raises(NotFittedError):
        check_is_fitted(model)


@pytest.mark.parametrize("scoring", ["loss", "r2", make_scorer(mean_absolute_error, greater_is_better=False)])
def test_the_recipe_records_the_rounds_that_were_made(scoring):
    X, y = mixed()
    model = dropin.HistGradientBoostingRegressor(early_stopping=True, scoring=scoring, random_state=0)
    for _ in range(2):
        assert 1 < model.fit(X, y).n_iter_ < 100
        assert model.model_.recipe["ensemble"]["n_estimators"] == model.n_iter_
        model.set_params(validation_fraction=None, tol=0.01)
