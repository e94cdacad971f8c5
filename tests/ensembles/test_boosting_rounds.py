"""How many rounds boosting has: held-out rows, folds, refits, warm starts; and rounds that are left out."""

import numpy as np
import pytest
from sklearn.metrics import log_loss

import bough
from bough.data.table import Table
from bough.data.training import GivenRows
from bough.ensembles.boosting import fit_boosting
from bough.ensembles.boosting_rows import ValidationRows
from bough.errors import ParameterError, TargetError
from bough.learners.reading import read_for, read_training
from bough.progress import watched

RNG = np.random.default_rng(4)
N = 600
X = np.round(RNG.normal(size=(N, 4)), 1)
Y = X[:, 0] + X[:, 1] * X[:, 2] + RNG.normal(size=N)
CLASSES = np.array(["a", "b", "c"])[np.digitize(Y, [-0.5, 0.5])]


@pytest.mark.parametrize(
    "parameters",
    [
        {},
        {"early_stopping": True, "max_iter": 60},
        {"early_stopping": True, "cv": 3, "max_iter": 60, "loss": "absolute_error"},
        {"early_stopping": True, "max_iter": 60, "loss": "huber"},
        {"early_stopping": True, "max_iter": 60, "loss": "quantile", "quantile": [0.2, 0.7]},
    ],
    ids=str,
)
@pytest.mark.parametrize("unit", [2.0**-100, 2.0**200])
def test_the_unit_of_y_does_not_matter(parameters, unit):
    rows, y = X[:150], Y[:150]
    learner = bough.GradientBoostingRegressor(**parameters)
    np.testing.assert_array_equal(
        learner.fit(rows, y * unit).predict(rows) / unit, learner.fit(rows, y).predict(rows)
    )


def test_several_targets_stop_alike_in_any_unit():
    both = np.column_stack([Y, X[:, 3]])
    learner = bough.GradientBoostingRegressor(early_stopping=True, max_iter=60)
    np.testing.assert_array_equal(
        learner.fit(X, both * 2.0**-100).predict(X) * 2.0**100, learner.fit(X, both).predict(X)
    )


@pytest.mark.parametrize("y", [Y * 1e-200, np.column_stack([Y, X[:, 3]]) * 1e-200], ids=["one", "two"])
def test_numbers_whose_squares_are_0_are_refused(y):
    with pytest.raises(TargetError, match="the squares of its differences are beyond float64"):
        bough.GradientBoostingRegressor(max_iter=2).fit(X, y)


@pytest.mark.parametrize("draws", [{}, {"max_samples": 0.5, "level_features": 0.6, "random_state": 0}])
@pytest.mark.parametrize(
    ("learner", "y", "loss"),
    [
        (bough.GradientBoostingRegressor, Y, "squared_error"),
        (bough.GradientBoostingRegressor, Y, "absolute_error"),
        (bough.GradientBoostingClassifier, CLASSES, "log_loss"),
    ],
)
def test_a_warm_start_gives_the_model_of_one_fit(learner, y, loss, draws):
    at_once = learner(loss=loss, max_iter=12, **({"random_state": 0} | draws)).fit(X, y)
    step = learner(loss=loss, max_iter=5, warm_start=True, **({"random_state": 0} | draws)).fit(X, y)
    step.set_params(max_iter=12).fit(X, y)
    assert step.n_iter_ == 12
    assert step.model_ == at_once.model_


def test_a_warm_start_refuses_other_columns_and_fewer_rounds():
    model = bough.GradientBoostingRegressor(max_iter=5, warm_start=True).fit(X, Y)
    with pytest.raises(ParameterError, match="max_iter is 3; it must be at least 5"):
        model.set_params(max_iter=3).fit(X, Y)
    with pytest.raises(ParameterError, match="X or y has other columns"):
        model.set_params(max_iter=7).fit(X[:, :3], Y)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({"loss": "squared_error"}, {"loss": "poisson"}),
        ({"loss": "squared_error"}, {"loss": "quantile", "quantile": [0.1, 0.9]}),
        ({"loss": "quantile", "quantile": [0.1, 0.9]}, {"quantile": [0.1, 0.5, 0.9]}),
        ({"loss": "quantile", "quantile": [0.1, 0.9]}, {"quantile": 0.5}),
    ],
)
def test_a_warm_start_refuses_a_loss_of_other_scores(before, after):
    y = np.abs(Y) + 1
    model = bough.GradientBoostingRegressor(max_iter=2, warm_start=True, **before).fit(X, y)
    with pytest.raises(ParameterError, match="if warm_start is True"):
        model.set_params(max_iter=4, **after).fit(X, y)


def test_a_warm_start_may_change_the_loss_of_the_same_scores():
    model = bough.GradientBoostingRegressor(max_iter=2, warm_start=True).fit(X, Y)
    assert model.set_params(max_iter=4, loss="absolute_error").fit(X, Y).n_iter_ == 4


def test_a_refit_is_the_fit_of_all_rows_by_the_rounds_that_held_out_rows_chose():
    stopped, refitted = (
        bough.GradientBoostingClassifier(early_stopping=True, refit=refit, random_state=0).fit(X, CLASSES)
        for refit in (False, True)
    )
    plain = bough.GradientBoostingClassifier(max_iter=stopped.n_iter_, random_state=0).fit(X, CLASSES)
    assert refitted.model_ == plain.model_
    np.testing.assert_array_equal(refitted.validation_loss_, stopped.validation_loss_)
    assert stopped.model_.tree(0).cases[0] < N == refitted.model_.tree(0).cases[0]
    assert bough.regrow(refitted.model_, X, CLASSES) == refitted.model_


def test_cross_validation_chooses_the_rounds_of_least_mean_loss():
    learner = bough.GradientBoostingClassifier(early_stopping=True, cv=3, max_iter=200, random_state=0)
    model = learner.fit(X, CLASSES)
    assert model.n_iter_ == 1 + model.validation_loss_.argmin() < 200
    plain = bough.GradientBoostingClassifier(max_iter=model.n_iter_, random_state=0).fit(X, CLASSES)
    assert model.model_ == plain.model_
    assert model.validation_loss_.min() < log_loss(CLASSES, np.full((N, 3), 1 / 3)) - 0.2


def test_the_loss_of_folds_is_that_of_rows_that_were_not_trained_on():
    noise = RNG.normal(size=N)
    model = bough.GradientBoostingRegressor(early_stopping=True, cv=5, random_state=0).fit(X, noise)
    assert model.n_iter_ <= 3
    assert model.validation_loss_.min() > 0.9 * noise.var() / 2


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"early_stopping": True, "cv": 1}, "cv is 1; it must be None or a whole number of at least 2"),
        ({"early_stopping": True, "cv": 601}, "cv is 601; it must be at most 600"),
        ({"early_stopping": True, "warm_start": True}, "warm_start is not supported with early_stopping"),
        (
            {"early_stopping": True, "variant": "gbm"},
            "early_stopping is True; it must be False if variant is 'gbm'",
        ),
        ({"warm_start": True, "drop_rate": 0.1}, "drop_rate is not supported with warm_start"),
        ({"drop_rate": 1.0}, "drop_rate is 1.0; it must be a number below 1"),
        ({"top_samples": 0.2}, "top_samples is 0.2; it must be 0, or less than max_samples"),
        ({"path_smoothing": -1}, "path_smoothing is -1"),
    ],
)
def test_settings_that_do_not_fit_each_other_are_refused(parameters, message):
    with pytest.raises(ParameterError, match=message):
        bough.GradientBoostingRegressor(**parameters).fit(X, Y)


def test_rounds_that_leave_out_all_others_are_equal_shares_of_the_first():
    model = bough.GradientBoostingRegressor(drop_rate=1 - 1e-12, max_iter=10, random_state=0).fit(X, Y).model_
    first = bough.GradientBoostingRegressor(max_iter=1, random_state=0).fit(X, Y).model_.tree(0)
    for tree in model.trees:
        np.testing.assert_array_equal(tree.cut, first.cut)
        np.testing.assert_allclose(tree.statistics, first.statistics / 10, rtol=1e-9)


def test_dropout_leaves_out_the_share_of_rounds_and_still_fits():
    parameters = {"max_iter": 40, "learning_rate": 0.3, "random_state": 0}
    model = bough.GradientBoostingRegressor(drop_rate=0.1, **parameters).fit(X, Y).model_
    plain = bough.GradientBoostingRegressor(**parameters).fit(X, Y).model_
    # Every tree that was left out has a smaller factor than at first.
    assert abs(model.tree(0).statistics).max() < abs(plain.tree(0).statistics).max()
    assert np.mean((model.predict(X) - Y) ** 2) < 0.5 * Y.var()


@pytest.mark.parametrize("y", [Y, CLASSES], ids=["numbers", "classes"])
def test_dropout_does_not_depend_on_threads_and_regrows(y):
    learner = bough.GradientBoostingRegressor if y is Y else bough.GradientBoostingClassifier
    one, three = (
        learner(drop_rate=0.2, max_iter=10, random_state=1, n_jobs=n).fit(X, y).model_ for n in (1, 3)
    )
    assert one == three == bough.regrow(one, X, y)


@pytest.mark.parametrize("y", [Y, CLASSES], ids=["numbers", "classes"])
def test_dropout_stops_at_the_model_that_as_many_rounds_give(y):
    learner = bough.GradientBoostingRegressor if y is Y else bough.GradientBoostingClassifier
    parameters = {"drop_rate": 0.3, "learning_rate": 0.5, "random_state": 0}
    stopped = learner(max_iter=80, n_iter_no_change=5, **parameters)
    stopped.fit(X[:400], y[:400], X_val=X[400:], y_val=y[400:])
    assert 1 < stopped.n_iter_ < 75
    plain = learner(max_iter=stopped.n_iter_, **parameters).fit(X[:400], y[:400])
    np.testing.assert_array_equal(stopped.model_.scores(X), plain.model_.scores(X))
    if y is Y:
        loss = np.mean((stopped.predict(X[400:]) - y[400:]) ** 2) / 2
    else:
        loss = log_loss(y[400:], stopped.predict_proba(X[400:]))
    assert stopped.validation_loss_.min() == pytest.approx(loss, rel=1e-9)


@pytest.mark.parametrize("stopping", [{"cv": 3}, {"refit": True}, {}], ids=str)
def test_dropout_chooses_rounds_by_rows_that_it_draws(stopping):
    parameters = {"drop_rate": 0.2, "learning_rate": 0.3, "random_state": 0}
    model = bough.GradientBoostingRegressor(early_stopping=True, max_iter=60, **parameters, **stopping)
    model.fit(X, Y)
    assert model.n_iter_ == 1 + model.validation_loss_.argmin() < 60
    assert bough.regrow(model.model_, X, Y) == model.model_
    if stopping:
        plain = bough.GradientBoostingRegressor(max_iter=model.n_iter_, **parameters).fit(X, Y)
        assert model.model_ == plain.model_
    if "cv" in stopping:
        low, high = model.predict_interval(X, level=0.8).T
        assert ((low <= Y) & (high >= Y)).mean() > 0.75


def test_without_dropout_rounds_nothing_changes():
    learner = bough.GradientBoostingRegressor(max_iter=6, drop_rate=1e-9, random_state=0)
    plain = bough.GradientBoostingRegressor(max_iter=6, random_state=0)
    np.testing.assert_array_equal(learner.fit(X, Y).predict(X), plain.fit(X, Y).predict(X))


def test_rows_of_great_gradients_are_always_taken():
    y = np.where(np.arange(N) < 60, 10.0, 0.0) + 0.01 * RNG.normal(size=N)
    marked = np.column_stack([np.arange(N) < 60, RNG.normal(size=N)]).astype(float)
    learner = bough.GradientBoostingRegressor(
        max_iter=1, top_samples=0.1, max_samples=0.3, min_samples_leaf=1, random_state=0
    )
    tree = learner.fit(marked, y).model_.tree(0)
    assert tree.cases[0] < N / 2
    # The 60 rows have the greatest gradients: all of them are in the tree, unweighted.
    [leaf] = np.unique(tree.apply(marked[:60])[:1])
    low = tree.apply([[0.0, 0.0]])[0]
    while tree.parent[low] > 0:
        low = tree.parent[low]
    high = leaf
    while tree.parent[high] > 0:
        high = tree.parent[high]
    assert tree.cases[high] == 60
    # The others are weighed for all others.
    assert tree.weight[low] == pytest.approx(N - 60, rel=0.2)


def test_one_side_sampling_predicts_about_as_well_as_all_rows():
    learner = bough.GradientBoostingRegressor(top_samples=0.2, max_samples=0.5, random_state=0)
    sampled, whole = learner.fit(X[:400], Y[:400]), bough.GradientBoostingRegressor().fit(X[:400], Y[:400])
    errors = [np.mean((each.predict(X[400:]) - Y[400:]) ** 2) for each in (sampled, whole)]
    assert errors[0] < 1.25 * errors[1]


def test_path_smoothing_draws_values_towards_the_parent():
    smoothing = 30.0
    parameters = {"max_iter": 1, "learning_rate": 1.0, "max_leaf_nodes": 8, "min_samples_leaf": 5}
    tree = bough.GradientBoostingRegressor(path_smoothing=smoothing, **parameters).fit(X, Y).model_.tree(0)
    residual = Y - Y.mean()
    place, values = tree.apply(X), {0: residual.mean()}
    rows_of = {node: np.isin(place, leaves_below(tree, node)) for node in range(tree.n_nodes)}
    for node in range(1, tree.n_nodes):
        ratio = rows_of[node].sum() / smoothing
        own = residual[rows_of[node]].mean()
        values[node] = (own * ratio + values[int(tree.parent[node])]) / (ratio + 1)
    np.testing.assert_allclose(tree.statistics[:, 0], [values[i] for i in range(tree.n_nodes)], atol=1e-9)


def leaves_below(tree, node):
    if tree.is_leaf[node]:
        return [node]
    first = int(tree.first_child[node])
    return [leaf for child in (first, first + 1) for leaf in leaves_below(tree, child)]


def test_path_smoothing_splits_by_the_loss_of_the_smoothed_values():
    """On a single column, the root's split is the one of least loss among all, with smoothed values."""
    column, smoothing = X[:, :1], 40.0
    parameters = {"max_iter": 1, "learning_rate": 1.0, "max_leaf_nodes": 2, "min_samples_leaf": 1}
    model = bough.GradientBoostingRegressor(path_smoothing=smoothing, **parameters).fit(column, Y).model_
    residual, best = Y - Y.mean(), (np.inf, None)
    for cut in (np.unique(column)[1:] + np.unique(column)[:-1]) / 2:
        left = column[:, 0] < cut
        loss = 0.0
        for side in (left, ~left):
            ratio = side.sum() / smoothing
            value = residual[side].mean() * ratio / (ratio + 1)
            loss += ((residual[side] - value) ** 2).sum()
        best = min(best, (loss, cut))
    assert model.tree(0).cut[0] == pytest.approx(best[1])


@pytest.mark.parametrize(
    "stopping", [{"early_stopping": True}, {"early_stopping": True, "cv": 3}, {"max_samples": 0.5}]
)
def test_the_bar_shows_the_validation_loss_and_changes_nothing(stopping, capsys):
    plain = bough.GradientBoostingRegressor(max_iter=12, random_state=0, **stopping).fit(X, Y)
    shown = bough.GradientBoostingRegressor(max_iter=12, random_state=0, verbose=2, **stopping).fit(X, Y)
    assert shown.model_ == plain.model_
    told = capsys.readouterr().err
    assert "12/12" in told
    assert ("rounds: validation loss" in told) == ("early_stopping" in stopping)
    if "early_stopping" in stopping and "cv" not in stopping:
        for n_rounds, loss in enumerate(plain.validation_loss_, start=1):
            assert f"{n_rounds} rounds: validation loss {loss:.4g}" in told


def test_the_bar_of_several_targets_shows_their_loss(capsys):
    learner = bough.GradientBoostingRegressor(max_iter=5, early_stopping=True, random_state=0, verbose=2)
    model = learner.fit(X, np.column_stack([Y, -Y]))
    assert f"5 rounds: validation loss {model.validation_loss_[4]:.4g}" in capsys.readouterr().err


@pytest.mark.parametrize("stopping", [{"early_stopping": True, "cv": 3}, {"max_iter": "auto"}, {}])
def test_progress_goes_on_from_fold_to_fold(stopping):
    shares = []
    with watched(shares.append):
        bough.GradientBoostingRegressor(**{"max_iter": 30, **stopping}).fit(X, Y)
    assert shares == sorted(shares)


@pytest.mark.parametrize("n_classes", [0, 2, 3])
def test_boosting_ends_when_it_is_told_to_and_shows_the_scores_of_all_rows(n_classes):
    y = np.digitize(Y, [0.5] if n_classes == 2 else [-0.5, 0.5]) if n_classes else Y
    kind = bough.GradientBoostingClassifier if n_classes else bough.GradientBoostingRegressor
    recipe = kind(max_iter=20, min_samples_leaf=5, early_stopping=False).recipe()
    training = read_training(recipe, X[:200], y[:200])
    held_out = ValidationRows(Table.fit_to(X[200:], training.table.schema), y[200:])
    shown = []

    def ends_after(n_rounds, scores):
        shown.append(scores.T.copy())
        return n_rounds == 4

    fitted = fit_boosting(recipe, training, held_out, ends_after=ends_after)
    assert fitted.model.n_rounds == len(shown) == 4
    assert len(fitted.validation_loss) == 0
    for own, staged in zip(shown, fitted.model.staged_scores(X), strict=True):
        np.testing.assert_allclose(own, staged, rtol=1e-12, atol=1e-12)
    plain = kind(max_iter=4, min_samples_leaf=5, early_stopping=False).fit(X[:200], y[:200])
    np.testing.assert_array_equal(plain.model_.scores(X), fitted.model.scores(X))


def test_the_recipe_records_the_rounds_after_which_boosting_was_ended():
    recipe = bough.GradientBoostingRegressor(max_iter=20).recipe()
    training = read_training(recipe, X, Y)
    first = fit_boosting(recipe, training, ends_after=lambda n_rounds, _: n_rounds == 4).model
    assert first.recipe["ensemble"]["n_estimators"] == first.n_rounds == 4
    # The rounds that the function is given are those of the call.
    more = fit_boosting(recipe, training, before=first, ends_after=lambda n_rounds, _: n_rounds == 3).model
    assert more.recipe["ensemble"]["n_estimators"] == more.n_rounds == 7


@pytest.mark.parametrize(
    "stopping", [{"early_stopping": True, "cv": 3}, {"early_stopping": True}, {"max_iter": "auto"}, {}]
)
def test_a_function_that_ends_boosting_is_refused_where_it_has_no_place(stopping):
    learner = bough.GradientBoostingRegressor(**{"max_iter": 20, **stopping})
    recipe = learner.recipe()
    y = Y if stopping else np.column_stack([Y, -Y])
    training = read_for(learner, recipe, GivenRows(X, y, None))
    with pytest.raises(ParameterError, match="ends_after is given, but"):
        fit_boosting(recipe, training, ends_after=lambda *_: False)
