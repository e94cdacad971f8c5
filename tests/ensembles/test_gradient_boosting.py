"""Gradient boosting: its definition, its laws, and what it refuses."""

import itertools

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_matrix
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.metrics import log_loss, roc_auc_score
from tests.ensembles import plain_boosting

import bough
from bough.errors import ParameterError, TableError, TargetError

RNG = np.random.default_rng(0)
N = 600
X = np.round(RNG.normal(size=(N, 4)), 1)
SCORE = X[:, 0] + X[:, 1] * X[:, 2]
NUMBERS = SCORE + RNG.normal(size=N)
CLASSES = (NUMBERS > 0).astype(int)
LARGE = RNG.normal(size=(40_000, 5))
LARGE_SCORE = LARGE[:, 0] + LARGE[:, 1] * LARGE[:, 2]
LARGE_CLASSES = LARGE_SCORE + RNG.normal(size=len(LARGE)) > 0


@pytest.mark.parametrize("l2", [0.0, 3.0])
@pytest.mark.parametrize("task", ["numbers", "classes"])
def test_boosting_follows_its_definition(task, l2):
    parameters = {"max_iter": 8, "max_leaf_nodes": 6, "min_samples_leaf": 10, "l2_regularization": l2}
    if task == "numbers":
        model = bough.GradientBoostingRegressor(**parameters).fit(X, NUMBERS).model_
        y, loss, start = NUMBERS, plain_boosting.squared, NUMBERS.mean()
    else:
        model = bough.GradientBoostingClassifier(**parameters).fit(X, CLASSES).model_
        share = CLASSES.mean()
        y, loss, start = CLASSES, plain_boosting.logistic, np.log(share / (1 - share))
    score, splits = plain_boosting.boost(X, y, loss, start, 8, max_leaves=6, l2=l2, min_samples_leaf=10)
    np.testing.assert_allclose(model.scores(X)[:, 0], score, rtol=1e-9, atol=1e-9)
    for tree, wanted in zip(model.trees, splits, strict=True):
        inner = tree.first_child >= 0
        made = zip(tree.column[inner].tolist(), tree.cut[inner].tolist(), strict=True)
        assert sorted((column, round(cut, 9)) for column, cut in made) == sorted(
            (column, round(cut, 9)) for column, cut in wanted
        )


@pytest.mark.parametrize("rows", [600, 40_000])
@pytest.mark.parametrize("share", [1.0, 0.6])
def test_the_model_does_not_depend_on_threads(rows, share):
    learner = bough.GradientBoostingClassifier(max_iter=5, max_samples=share, random_state=1)
    one, three = (learner.set_params(n_jobs=n).fit(LARGE[:rows], LARGE_CLASSES[:rows]).model_ for n in (1, 3))
    assert one == three


@pytest.mark.parametrize(
    "parameters",
    [
        {"max_leaf_nodes": 255, "min_samples_leaf": 3},
        {"growth": "level"},
        {"max_leaf_nodes": None, "min_samples_leaf": 100},
        {"max_features": 0.5},
    ],
)
def test_the_model_does_not_depend_on_who_splits_a_leaf(parameters):
    # With small leaves and weights some splits leave too few rows and are refused after they were tried.
    rows, weight = 20_000, np.random.default_rng(3).uniform(0.1, 3, 20_000)
    learner = bough.GradientBoostingClassifier(max_iter=3, random_state=1, **parameters)
    one, *others = (
        learner.set_params(n_jobs=n).fit(LARGE[:rows], LARGE_CLASSES[:rows], sample_weight=weight).model_
        for n in (1, 2, 3, 5)
    )
    assert all(one == other for other in others)


def test_scores_are_the_start_and_the_sum_of_the_trees():
    levels = RNG.choice([*"abcd"], N)
    rows = [[*numbers, level] for numbers, level in zip(X.tolist(), levels.tolist(), strict=True)]
    model = bough.GradientBoostingRegressor(max_iter=12).fit(rows, NUMBERS + (levels == "b")).model_
    by_tree = model.start[0] + sum(tree.predict(rows) for tree in model.trees)
    np.testing.assert_allclose(model.predict(rows), by_tree, rtol=1e-12)
    staged = list(bough.GradientBoostingRegressor(max_iter=12).fit(rows, NUMBERS).staged_predict(rows))
    assert len(staged) == 12
    assert any(tree.level_code.size for tree in model.trees)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_decisions_by_rounds_are_those_of_fewer_rounds(n_classes):
    y = np.digitize(NUMBERS, [-0.5, 0.5][: n_classes - 1])
    model = bough.GradientBoostingClassifier(max_iter=6).fit(X, y)
    staged = list(model.staged_decision_function(X))
    for n_rounds, decisions in enumerate(staged, 1):
        fewer = bough.GradientBoostingClassifier(max_iter=n_rounds).fit(X, y)
        np.testing.assert_array_equal(decisions, fewer.decision_function(X))
    assert len(staged) == 6


def test_rounded_gradients_of_large_tables_are_as_good_as_scikit_learns():
    half = len(LARGE) // 2
    ours = bough.GradientBoostingClassifier(max_iter=60).fit(LARGE[:half], LARGE_CLASSES[:half])
    theirs = HistGradientBoostingClassifier(max_iter=60, early_stopping=False)
    theirs.fit(LARGE[:half], LARGE_CLASSES[:half])
    losses = [log_loss(LARGE_CLASSES[half:], each.predict_proba(LARGE[half:])) for each in (ours, theirs)]
    assert losses[0] < losses[1] + 0.01


@pytest.mark.parametrize("name", ["max_features", "level_features", "tree_features"])
def test_a_node_searches_a_column_at_least(name):
    learner = bough.GradientBoostingRegressor(max_iter=10, **{name: 1e-9})
    assert all(tree.n_leaves > 2 for tree in learner.fit(X, NUMBERS).model_.trees)
    trees = bough.GradientBoostingRegressor(max_iter=10).fit(X[:, :1], NUMBERS).model_.trees
    assert learner.fit(X[:, :1], NUMBERS).model_.trees == trees


def test_a_node_searches_only_columns_that_may_meet():
    learner = bough.GradientBoostingRegressor(max_iter=10, max_features=1e-9, interaction_cst=[{0, 1}])
    for tree in learner.fit(X, NUMBERS).model_.trees:
        used = set(tree.column[~tree.is_leaf].tolist())
        assert used <= {0, 1} or not used & {0, 1}


@pytest.mark.parametrize("rows", [600, 40_000])
def test_every_leaf_has_the_rows_it_needs(rows):
    learner = bough.GradientBoostingClassifier(max_iter=20, min_samples_leaf=37)
    model = learner.fit(LARGE[:rows], LARGE_CLASSES[:rows]).model_
    assert min(tree.cases[tree.is_leaf].min() for tree in model.trees) >= 37
    assert all(tree.cases[0] == rows for tree in model.trees)


def test_monotonic_constraints_hold_everywhere():
    model = bough.GradientBoostingRegressor(monotonic_cst=[1, 0, 0, -1]).fit(X, NUMBERS)
    for column, sign in ((0, 1), (3, -1)):
        for row in X[:20]:
            line = np.repeat(row[np.newaxis], 40, axis=0)
            line[:, column] = np.linspace(-3, 3, 40)
            assert (sign * np.diff(model.predict(line)) >= 0).all()


def test_columns_that_share_no_set_never_meet_on_a_path():
    model = bough.GradientBoostingRegressor(interaction_cst=[[0], ["x1", "x2"]]).fit(X, NUMBERS).model_
    for tree in model.trees:
        for leaf in np.flatnonzero(tree.is_leaf):
            path, node = set(), leaf
            while node > 0:
                node = tree.parent[node]
                path.add(int(tree.column[node]))
            assert path <= {0} or path <= {1, 2} or path <= {3}


@pytest.mark.parametrize(("word", "most"), [("pairwise", 2), ("no_interactions", 1)])
def test_words_for_sets_of_columns_are_those_of_scikit_learn(word, most):
    model = bough.GradientBoostingRegressor(interaction_cst=word, max_iter=20).fit(X, NUMBERS).model_
    paths = [len({tree.column[node] for node in path}) for tree in model.trees for path in paths_of(tree)]
    assert max(paths) == most
    sets = [[0], [1], [2], [3]] if most == 1 else list(itertools.combinations(range(4), 2))
    listed = bough.GradientBoostingRegressor(interaction_cst=sets, max_iter=20).fit(X, NUMBERS)
    np.testing.assert_array_equal(model.predict(X), listed.predict(X))


def paths_of(tree):
    """The nodes above each leaf."""
    for leaf in np.flatnonzero(tree.is_leaf):
        path, node = [], leaf
        while node > 0:
            node = tree.parent[node]
            path.append(node)
        yield path


def test_sparse_tables_and_columns_of_too_many_levels_are_refused():
    with pytest.raises(ParameterError, match=r"GradientBoostingRegressor reads dense tables; use X\.toarray"):
        bough.GradientBoostingRegressor().fit(csr_matrix(X), NUMBERS)
    levels = pd.DataFrame({"id": np.arange(65_535).astype(str)})
    with pytest.raises(TableError, match="Group its rare levels, or choose a tree or a forest"):
        bough.GradientBoostingRegressor().fit(levels, np.arange(65_535.0))


def test_one_column_alone_may_be_pairwise():
    one = bough.GradientBoostingRegressor(interaction_cst="pairwise", max_iter=5).fit(X[:, :1], NUMBERS)
    free = bough.GradientBoostingRegressor(max_iter=5).fit(X[:, :1], NUMBERS)
    np.testing.assert_array_equal(one.predict(X[:, :1]), free.predict(X[:, :1]))


def test_missing_values_take_the_better_branch():
    rows = X.copy()
    rows[CLASSES == 1, 0] = np.nan
    model = bough.GradientBoostingClassifier(max_iter=30).fit(rows, CLASSES)
    assert (model.predict(rows) == CLASSES).all()


def test_many_levels_are_split_into_sets():
    rng = np.random.default_rng(4)
    levels, effect = rng.integers(0, 300, 7000), rng.normal(size=300)
    y = effect[levels] + rng.normal(size=7000) > 0
    model = bough.GradientBoostingClassifier(categorical_features=[0], max_iter=30)
    model.fit(levels[:6000, np.newaxis], y[:6000])
    assert (model.predict(levels[6000:, np.newaxis]) == y[6000:]).mean() > 0.7


@pytest.mark.parametrize("several", [False, True])
def test_levels_of_few_rows_are_taken_together(several):
    rng = np.random.default_rng(5)
    common, rare = rng.integers(0, 4, 400), rng.integers(4, 204, 400)
    levels = np.where(rng.random(400) < 0.5, common, rare)
    y = np.where(levels < 4, levels % 2, rng.random(400))
    targets = np.column_stack([y, -y]) if several else y

    def sides(level_smoothing):
        """Return the branches of the rare levels in the first split."""
        learner = bough.GradientBoostingRegressor(
            categorical_features=[0], max_iter=3, level_smoothing=level_smoothing
        )
        tree = learner.fit(levels[:, np.newaxis], targets).model_.tree(0)
        is_rare = np.array([level >= 4 for level in tree.schema.columns[0].levels])
        listed = slice(tree.level_start[0], tree.level_start[1])
        return set(tree.level_branch[listed][is_rare[tree.level_code[listed]]].tolist())

    assert len(sides(8.0)) == 1
    assert len(sides(0.0)) == 2


def test_levels_without_effect_do_little_harm():
    rng = np.random.default_rng(6)
    x, levels, noise = rng.normal(size=8000), rng.integers(0, 1000, 8000), rng.normal(size=8000)
    y, rows, train = x + noise > 0, np.column_stack([x, levels]), np.arange(8000) < 6000
    with_levels = bough.GradientBoostingClassifier(categorical_features=[1], max_iter=100)
    without = bough.GradientBoostingClassifier(max_iter=100)
    found = with_levels.fit(rows[train], y[train]).predict_proba(rows[~train])[:, 1]
    alone = without.fit(rows[train, :1], y[train]).predict_proba(rows[~train, :1])[:, 1]
    assert roc_auc_score(y[~train], found) > roc_auc_score(y[~train], alone) - 0.01


LEVELS_BY_CHANCE = np.random.default_rng(7).integers(0, 40, 6000)
NOISE = np.random.default_rng(8).random(6000) < 0.3


def same_trees(one, other):
    return all(np.array_equal(one.arrays[name], other.arrays[name], equal_nan=True) for name in one.arrays)


@pytest.mark.parametrize("penalty", [0.5, 1.0])
def test_a_split_of_levels_loses_the_gain_of_chance(penalty):
    def gain(level_penalty):
        """Return the gain of the first split, from gain per hessian."""
        learner = bough.GradientBoostingClassifier(
            categorical_features=[0], max_iter=1, max_leaf_nodes=2, level_penalty=level_penalty
        )
        tree = learner.fit(LEVELS_BY_CHANCE[:, np.newaxis], NOISE).model_.tree(0)
        return tree.gain[0] * tree.weight[0]

    hessian = np.bincount(LEVELS_BY_CHANCE) * NOISE.mean() * (1 - NOISE.mean())
    by_chance = 2 / np.pi * np.sqrt(hessian).sum() ** 2 / hessian.sum() - 5
    assert gain(0.0) - gain(penalty) == pytest.approx(penalty * by_chance)


DRAWN = np.random.default_rng(8).random(24_000)


@pytest.mark.parametrize(
    ("loss", "y", "weight", "variance"),
    [
        ("log_loss", DRAWN < 0.3, None, 1),
        ("log_loss", DRAWN < 0.3, 2.0, 1),
        ("log_loss", np.digitize(DRAWN, [0.3, 0.8]), None, 2 / 3),
        ("one_vs_all", np.digitize(DRAWN, [0.3, 0.8]), None, 1),
        ("poisson", np.floor(1 / (0.05 + DRAWN)), None, 1),  # y varies by more than its mean
        ("poisson", 1.0 * (DRAWN < 0.3), None, None),  # by less: 1 less the mean
    ],
)
@pytest.mark.parametrize("n_rows", [6000, 24_000])
def test_the_gain_of_chance_is_in_units_of_the_variance_of_gradients(loss, y, weight, variance, n_rows):
    levels, y = np.random.default_rng(7).integers(0, 40, n_rows), y[:n_rows]
    kind = bough.GradientBoostingRegressor if loss == "poisson" else bough.GradientBoostingClassifier

    def gain(level_penalty):
        learner = kind(
            loss=loss,
            categorical_features=[0],
            max_iter=1,
            max_leaf_nodes=2,
            level_penalty=level_penalty,
        )
        weights = None if weight is None else np.full(n_rows, weight)
        tree = learner.fit(levels[:, np.newaxis], y, sample_weight=weights).model_.tree(0)
        return tree.gain[0] * tree.weight[0]

    by_chance = 2 / np.pi * np.sqrt(np.bincount(levels)).sum() ** 2 / n_rows - 5
    wanted = 0.5 * by_chance * (1 - y.mean() if variance is None else variance)
    assert gain(0.0) - gain(0.5) == pytest.approx(wanted, rel=0.01)


@pytest.mark.parametrize("loss", ["log_loss", "one_vs_all", "poisson"])
@pytest.mark.parametrize("n_rows", [6000, 24_000])
def test_levels_that_do_not_matter_are_split_less(loss, n_rows):
    rng = np.random.default_rng(9)
    rows = np.column_stack([rng.normal(size=n_rows), rng.integers(0, 150, n_rows)])
    y = rng.poisson(np.exp(rows[:, 0] / 2)) if loss == "poisson" else rows[:, 0] + rng.normal(size=n_rows) > 0
    kind = bough.GradientBoostingRegressor if loss == "poisson" else bough.GradientBoostingClassifier

    def share(level_penalty):
        """Return the share of the splits that are of levels."""
        learner = kind(loss=loss, categorical_features=[1], max_iter=20, level_penalty=level_penalty)
        arrays = learner.fit(rows, y).model_.arrays
        return np.mean(arrays["column"][arrays["first_child"] >= 0] == 1)

    assert share(1.0) < 0.6 * share(0.0)


@pytest.mark.parametrize(("n_rows", "penalty"), [(20_000, 0.0), (20_001, 1.0)])
def test_large_tables_pay_for_chance(n_rows, penalty):
    rng = np.random.default_rng(10)
    rows, y = rng.integers(0, 60, (n_rows, 1)), rng.random(n_rows) < 0.5
    learner = bough.GradientBoostingClassifier(categorical_features=[0], max_iter=2)
    assert learner.get_params()["level_penalty"] == "auto"
    found = learner.fit(rows, y).model_
    assert bough.regrow(found, rows, y) == found
    assert same_trees(found, learner.set_params(level_penalty=penalty).fit(rows, y).model_)
    assert not same_trees(found, learner.set_params(level_penalty=1 - penalty).fit(rows, y).model_)


@pytest.mark.parametrize("wrong", [-1, "none", float("nan")])
def test_a_wrong_penalty_of_levels_is_refused(wrong):
    with pytest.raises(ParameterError, match=r"level_penalty is .* of at least 0, or 'auto'"):
        bough.GradientBoostingClassifier(level_penalty=wrong).fit(X, CLASSES)


def test_few_levels_and_other_losses_pay_nothing_for_chance():
    rows = np.column_stack([X[:, 0], np.arange(len(X)) % 6])
    learner = bough.GradientBoostingClassifier(categorical_features=[1], max_iter=20)
    with_penalty = learner.set_params(level_penalty=1.0).fit(rows, CLASSES).model_
    assert same_trees(with_penalty, learner.set_params(level_penalty=0.0).fit(rows, CLASSES).model_)
    levels = LEVELS_BY_CHANCE[:, np.newaxis]
    for loss in ("squared_error", "huber", "gamma"):
        learner = bough.GradientBoostingRegressor(loss=loss, categorical_features=[0], max_iter=3)
        first = learner.fit(levels, 1.0 + NOISE).model_
        assert "level_penalty" not in first.recipe["settings"]
        assert first == learner.set_params(level_penalty=0.0).fit(levels, 1.0 + NOISE).model_


def test_models_regrow_with_their_penalty_of_levels_and_older_ones_without():
    rows = LEVELS_BY_CHANCE[:, np.newaxis]
    learner = bough.GradientBoostingClassifier(categorical_features=[0], max_iter=3)
    models = [learner.set_params(level_penalty=each).fit(rows, NOISE).model_ for each in (0.0, 0.3, 1.0)]
    assert [each.recipe["settings"].get("level_penalty") for each in models] == [None, 0.3, 1.0]
    assert all(bough.regrow(each, rows, NOISE) == each for each in models)
    assert models[0] != models[2]


def test_early_stopping_keeps_the_round_of_least_loss():
    learner = bough.GradientBoostingClassifier(early_stopping=True, max_iter=400, random_state=0)
    model = learner.fit(X, CLASSES)
    assert model.n_iter_ == 1 + model.validation_loss_.argmin()
    assert len(model.validation_loss_) == model.n_iter_ + 10


def test_a_validation_table_stops_boosting_and_the_recipe_says_so():
    learner = bough.GradientBoostingClassifier(max_iter=400, random_state=0)
    model = learner.fit(X[:400], CLASSES[:400], X_val=X[400:], y_val=CLASSES[400:])
    assert model.n_iter_ < 400
    assert bough.regrow(model.model_, X[:400], CLASSES[:400]) == model.model_
    loss = log_loss(CLASSES[400:], model.predict_proba(X[400:]))
    assert loss == pytest.approx(model.validation_loss_.min(), rel=1e-9)


@pytest.mark.parametrize("n", [600, 300_000])  # bins are found by sorting, or by counting
def test_validation_rows_between_two_bins_go_where_predictions_go(n):
    rng = np.random.default_rng(3)
    rows = 8.0 * rng.integers(0, 6, size=(n, 2))
    y = rows[:, 0] + rows[:, 1] + rng.normal(size=n)
    between = rng.uniform(-9, 50, size=(200, 2))
    learner = bough.GradientBoostingRegressor(max_iter=9, random_state=0)
    model = learner.fit(rows, y, X_val=between, y_val=between.sum(axis=1))
    losses = [np.mean((answers - between.sum(axis=1)) ** 2) / 2 for answers in model.staged_predict(between)]
    np.testing.assert_allclose(model.validation_loss_[: model.n_iter_], losses, rtol=1e-9)


@pytest.mark.parametrize(
    ("parameters", "given"),
    [({"min_samples_leaf": 0.1}, {}), ({}, {"sample_weight_val": np.linspace(0.5, 2.0, len(X) - 400)})],
)
def test_validation_rows_choose_the_rounds_and_change_no_tree(parameters, given):
    learner = bough.GradientBoostingClassifier(max_iter=20, random_state=0, **parameters)
    model = learner.fit(X[:400], CLASSES[:400], X_val=X[400:], y_val=CLASSES[400:], **given).model_
    assert bough.regrow(model, X[:400], CLASSES[:400]) == model


@pytest.mark.parametrize("loss", ["absolute_error", "quantile", "huber", "poisson", "gamma", "tweedie"])
def test_each_loss_falls_on_the_training_rows(loss):
    y = np.abs(NUMBERS) + 0.1
    quantile = 0.8 if loss == "quantile" else None
    model = bough.GradientBoostingRegressor(loss=loss, quantile=quantile).fit(X, y)
    first, *_, last = model.staged_predict(X)
    assert np.abs(last - y).mean() < np.abs(first - y).mean()
    if loss == "quantile":
        assert 0.7 < (y <= model.predict(X)).mean() < 0.9


def test_a_weight_of_two_is_the_row_twice():
    weights = RNG.integers(1, 3, N)
    learner = bough.GradientBoostingRegressor(max_iter=10, min_samples_leaf=1, max_leaf_nodes=6)
    weighted = learner.fit(X, NUMBERS, weights).predict(X)
    twice = learner.fit(np.repeat(X, weights, axis=0), np.repeat(NUMBERS, weights)).predict(X)
    np.testing.assert_allclose(weighted, twice, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize(
    ("parameters", "named"),
    [
        ({"loss": "hinge"}, "loss"),
        ({"learning_rate": 0}, "learning_rate"),
        ({"max_iter": 0}, "max_iter"),
        ({"max_bins": 1}, "max_bins"),
        ({"max_samples": 1.5}, "max_samples"),
        ({"growth": "depth"}, "growth"),
        ({"l2_regularization": -1}, "l2_regularization"),
        ({"interaction_cst": [["x9"]]}, "interaction_cst"),
        (
            {"interaction_cst": "triples"},
            "interaction_cst is 'triples'; it must be a list of sets of columns",
        ),
        ({"monotonic_cst": [2, 0, 0, 0]}, "monotonic_cst"),
        ({"early_stopping": "auto"}, "early_stopping"),
        ({"validation_fraction": 1.0}, "validation_fraction"),
        ({"quantile": 0.5}, "quantile"),
    ],
)
def test_wrong_parameters_are_refused_by_name(parameters, named):
    with pytest.raises(ParameterError, match=named):
        bough.GradientBoostingRegressor(**parameters).fit(X, NUMBERS)


def test_targets_that_a_loss_cannot_have_are_refused():
    with pytest.raises(TargetError, match="one class only"):
        bough.GradientBoostingClassifier().fit(X, ["a"] * N)
    with pytest.raises(ParameterError, match="3 classes"):
        bough.GradientBoostingClassifier(monotonic_cst=[1, 0, 0, 0]).fit(X, np.arange(N) % 3)
    with pytest.raises(TargetError, match="y_val has the class"):
        bough.GradientBoostingClassifier().fit(X, CLASSES, X_val=X[:2], y_val=[0, 7])
    with pytest.raises(TargetError, match="loss='poisson'"):
        bough.GradientBoostingRegressor(loss="poisson").fit(X, NUMBERS)
    with pytest.raises(TargetError, match="above 0"):
        bough.GradientBoostingRegressor(loss="gamma").fit(X, np.maximum(NUMBERS, 0))


@pytest.mark.parametrize(
    "loss", ["squared_error", "absolute_error", "huber", "quantile", "poisson", "gamma", "tweedie"]
)
def test_a_constant_target_is_predicted_by_every_loss(loss):
    constant = bough.GradientBoostingRegressor(loss=loss, max_iter=5).fit(X, np.full(N, 3.5))
    np.testing.assert_allclose(constant.predict(X), 3.5, rtol=1e-12)


@pytest.mark.parametrize("n_rows", [40, 600, 1023, 1100])
@pytest.mark.parametrize(
    "parameters", [{}, {"max_samples": 0.7}, {"l1_regularization": 0.1}, {"monotonic_cst": [1, 0, 0, 0, 0]}]
)
def test_gaps_of_a_validation_row_do_not_change_the_trees(n_rows, parameters):
    # In a small table, rows are kept in the order of columns without gaps; other columns are summed by code.
    rng = np.random.default_rng(n_rows)
    rows = rng.normal(size=(n_rows, 5))
    rows[:, 3] = np.round(rows[:, 3])
    y = rows[:, 0] + (rows[:, 1] > 0) * rows[:, 3] + rng.normal(size=n_rows)
    learner = bough.GradientBoostingRegressor(max_iter=8, random_state=0, **parameters)
    with_gaps = learner.fit(rows, y, X_val=np.full((1, 5), np.nan), y_val=y[:1]).model_
    plain = learner.fit(rows, y).model_.first_rounds(with_gaps.n_rounds)
    for name, values in plain.arrays.items():
        np.testing.assert_array_equal(values, with_gaps.arrays[name], err_msg=name)


def test_the_trees_of_several_classes_are_named_after_them():
    model = bough.GradientBoostingClassifier(max_iter=3).fit(X, np.digitize(SCORE, [-1, 1])).model_
    assert model.n_trees == 9
    assert model.tree(4).target_name == "score of 1"
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1)


def test_a_matrix_of_numbers_is_predicted_as_the_table_it_is():
    rows = X.copy()
    rows[::5, 1] = np.nan
    rows[3, 0], rows[4, 0] = np.inf, -np.inf
    for model in (
        bough.GradientBoostingClassifier(max_iter=7).fit(rows, np.digitize(NUMBERS, [-1, 1])).model_,
        bough.GradientBoostingRegressor(max_iter=7).fit(rows, NUMBERS).model_,
    ):
        table = bough.Table.fit_to(rows, model.schema)
        for some in (rows, rows[:1], rows[::2], np.asfortranarray(rows), rows.astype(np.float32)):
            given = table if some is rows else bough.Table.fit_to(some, model.schema)
            np.testing.assert_array_equal(model.scores(some), model.scores(given))
        np.testing.assert_array_equal(model.scores(rows, n_rounds=3), model.scores(table, n_rounds=3))
        assert model.scores(rows[:0]).shape == (0, model.n_scores)


def mixed_rows(n):
    rng = np.random.default_rng(5)
    rows = pd.DataFrame(
        {
            "number": rng.normal(size=n),
            "skewed": np.exp(3 * rng.normal(size=n)),
            "few": rng.integers(0, 3, n).astype(np.float32),
            "level": pd.Categorical(rng.choice([*"abcdefg"], n)),
            "many": pd.Categorical(rng.integers(0, 400, n).astype(str)),
            "grade": pd.Categorical(rng.integers(0, 9, n), ordered=True),
        }
    )
    for name in ("number", "level", "grade"):
        rows.loc[rng.random(n) < 0.1, name] = None
    rows.loc[[5, 6], "skewed"] = [np.inf, -np.inf]
    known = rows["number"].fillna(0) + np.log(rows["skewed"].clip(0.1, 10)) + rows["few"]
    return rows, known + (rows["level"] == "b") + 0.3 * rng.normal(size=n)


@pytest.mark.parametrize(
    "parameters",
    [
        {},
        {"max_leaf_nodes": 200, "min_samples_leaf": 1},
        {"max_leaf_nodes": 400, "min_samples_leaf": 1, "max_iter": 3},  # more leaves than 8 bits
        {"max_bins": 2000, "max_iter": 60},  # more cuts than 8 bits
        {"min_samples_leaf": 400},  # trees of one leaf
        {"variant": "gbm", "max_leaf_nodes": 6},  # three children, or rows that stop where a value is missing
    ],
    ids=str,
)
def test_many_rows_are_answered_as_each_row_alone(parameters):
    rows, y = mixed_rows(700)
    rows.loc[[5, 6], "skewed"] = [1e9, -1e9]
    learner = bough.GradientBoostingRegressor(**({"max_iter": 12, "random_state": 0} | parameters))
    model = learner.fit(rows.iloc[:500], y[:500]).model_
    rows.loc[[5, 6], "skewed"] = [np.inf, -np.inf]
    alone = [model.scores(rows.iloc[i : i + 1])[0, 0] for i in range(0, 700, 3)]
    np.testing.assert_array_equal(model.scores(rows)[::3, 0], alone)


@pytest.mark.parametrize("kind", ["classes", "targets", "quantiles"])
def test_many_rows_have_the_scores_of_each_row_alone(kind):
    rows, y = mixed_rows(700)
    rows.loc[[5, 6], "skewed"] = [1e9, -1e9]
    if kind == "classes":
        model = bough.GradientBoostingClassifier(max_iter=13).fit(rows, np.digitize(y, [-1, 1, 2]))
    elif kind == "targets":
        model = bough.GradientBoostingRegressor(max_iter=13).fit(rows, np.column_stack([y, -2 * y, y**2]))
    else:
        model = bough.GradientBoostingRegressor(loss="quantile", quantile=[0.2, 0.7], max_iter=13)
        model.fit(rows, y)
    alone = [model.model_.scores(rows.iloc[i : i + 1])[0] for i in range(0, 700, 3)]
    np.testing.assert_array_equal(model.model_.scores(rows)[::3], alone)


def test_a_training_part_without_events_is_refused():
    X, y = np.arange(40.0).reshape(-1, 1), np.zeros(40)
    y[3] = 1.0
    refused = []
    for seed in range(12):
        model = bough.GradientBoostingRegressor(
            loss="poisson",
            early_stopping=True,
            validation_fraction=0.5,
            random_state=seed,
            max_iter=3,
            min_samples_leaf=2,
        )
        try:
            assert np.isfinite(model.fit(X, y).predict(X)).all()
        except bough.BoughError as error:
            refused.append(str(error))
    assert 0 < len(refused) < 12
    assert all("y is 0 in every row that is not held out" in words for words in refused)


def test_cuts_lie_between_levels_that_training_rows_have(tmp_path):
    for seed in range(40):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(10, 60))
        levels = pd.Categorical(rng.choice(list("abcdef"), n), categories=list("abcdef"), ordered=True)
        X = pd.DataFrame({"level": levels, "x": rng.normal(size=n)})
        X.loc[rng.random(n) < 0.4, "level"] = None
        options = {"early_stopping": True, "validation_fraction": 0.3, "max_iter": 4, "min_samples_leaf": 1}
        model = bough.GradientBoostingRegressor(random_state=seed, **options).fit(X, rng.normal(size=n))
        model.model_.save(tmp_path / "model.json")
        assert bough.load(tmp_path / "model.json") == model.model_
