"""Optimal trees are as good as the best of all trees, and the bounds they report are true."""

import numpy as np
import pandas as pd
import pytest
from tests.exhaustive_trees import Exhaustive, absolute_leaf, class_leaf, squared_leaf
from tests.interrupts import ctrl_c_after

import bough
from bough.errors import ParameterError


def drawn_table(rng, n, kinds, missing):
    """Columns of few values, so that there are ties; kinds: n numeric, o ordinal, c nominal."""
    columns, frame = [], {}
    for position, kind in enumerate(kinds):
        if kind == "c":
            codes = rng.integers(0, 4, n)
            codes[rng.random(n) < missing] = -1
            frame[f"x{position}"] = pd.Categorical.from_codes(codes, list("abcd"))
            columns.append(codes)
        else:
            values = rng.integers(0, 6, n).astype(float)
            values[rng.random(n) < missing] = np.nan
            frame[f"x{position}"] = values
            columns.append(values)
    return columns, pd.DataFrame(frame)


def nominal(kinds):
    return [position for position, kind in enumerate(kinds) if kind == "c"]


def loss_of(model, X, y, losses):
    """The loss of a fitted model on its training rows, by its predictions."""
    codes = np.searchsorted(model.classes_, model.predict(X))
    return losses[np.arange(len(y)), codes].sum()


CASES = [
    (seed, kinds, missing, n_classes, depth)
    for seed, (kinds, missing, n_classes, depth) in enumerate(
        [
            ("nn", 0.0, 2, 1),
            ("nn", 0.0, 2, 2),
            ("nnn", 0.0, 2, 3),
            ("nn", 0.2, 2, 2),
            ("nn", 0.2, 2, 3),
            ("nc", 0.0, 2, 2),
            ("nc", 0.15, 2, 2),
            ("cc", 0.0, 2, 2),
            ("nn", 0.0, 3, 2),
            ("nn", 0.1, 3, 3),
            ("nc", 0.1, 4, 2),
        ]
        * 3
    )
]


@pytest.mark.parametrize(("seed", "kinds", "missing", "n_classes", "depth"), CASES)
def test_classifier_equals_the_best_of_all_trees(seed, kinds, missing, n_classes, depth):
    rng = np.random.default_rng(seed)
    n = 14 if depth == 3 else 24
    columns, X = drawn_table(rng, n, kinds, missing)
    y = rng.integers(0, n_classes, n)
    losses = 1.0 - np.eye(n_classes)[y]
    best = Exhaustive(columns, class_leaf(y, losses), nominal=nominal(kinds)).best(np.arange(n), depth)
    model = bough.OptimalTreeClassifier(max_depth=depth).fit(X, y)
    assert model.proved_
    assert model.objective_ * n == pytest.approx(best)
    assert loss_of(model, X, y, 1.0 - np.eye(n_classes)[y][:, model.classes_]) == best
    assert model.tree_.risk[model.tree_.first_child < 0].sum() == best


@pytest.mark.parametrize("seed", range(12))
def test_weights_losses_leaf_sizes_and_the_cost_of_leaves(seed):
    rng = np.random.default_rng(100 + seed)
    n, k = 20, 2 + seed % 2
    columns, X = drawn_table(rng, n, "nnn" if seed % 3 else "nc", 0.1)
    y = np.concatenate([np.arange(k), rng.integers(0, k, n - k)])
    whole = seed % 4 < 2
    weight = rng.integers(1, 4, n).astype(float) if whole else rng.random(n) + 0.1
    matrix = rng.integers(1, 4, (k, k)).astype(float) * (1 - np.eye(k))
    alpha, least = (0.0, 0.03)[seed % 2], (1, 3)[seed // 2 % 2]
    losses = weight[:, None] * matrix[y]
    cases = weight if whole else np.ones(n)
    reference = Exhaustive(
        columns,
        class_leaf(y, losses),
        nominal=[] if seed % 3 else [1],
        split_cost=alpha * weight.sum(),
        min_cases=least,
        cases=cases,
    )
    best = reference.best(np.arange(n), 2)
    model = bough.OptimalTreeClassifier(
        max_depth=2, loss_matrix=matrix, ccp_alpha=alpha, min_samples_leaf=least
    ).fit(X, y, sample_weight=weight)
    assert model.proved_
    assert model.objective_ == pytest.approx(best / weight.sum() + alpha, abs=1e-9)
    risk = model.tree_.risk[model.tree_.first_child < 0].sum()
    assert model.objective_ == pytest.approx(risk / weight.sum() + alpha * model.tree_.n_leaves, abs=1e-9)
    assert model.tree_.cases.min() >= least


@pytest.mark.parametrize("leaves", [2, 3, 4, 5, 6, 7])
@pytest.mark.parametrize("seed", range(2))
def test_limits_of_leaves(leaves, seed):
    rng = np.random.default_rng(200 + seed)
    columns, X = drawn_table(rng, 13, "nn", 0.0)
    y = rng.integers(0, 2, 13)
    best = Exhaustive(columns, class_leaf(y, 1.0 - np.eye(2)[y])).best(np.arange(13), 3, leaves)
    model = bough.OptimalTreeClassifier(max_depth=3, max_leaf_nodes=leaves).fit(X, y)
    assert model.objective_ * 13 == pytest.approx(best)
    assert model.tree_.n_leaves <= leaves


@pytest.mark.parametrize(
    ("seed", "kinds", "missing", "depth"),
    [
        (seed, kinds, missing, depth)
        for seed in range(4)
        for kinds, missing, depth in [("nn", 0.0, 2), ("nn", 0.2, 2), ("nc", 0.1, 2), ("nn", 0.0, 3)]
    ],
)
def test_regressor_equals_the_best_of_all_trees(seed, kinds, missing, depth):
    rng = np.random.default_rng(300 + seed)
    n = 14 if depth == 3 else 22
    columns, X = drawn_table(rng, n, kinds, missing)
    y, weight = rng.normal(50, 10, n), rng.random(n) + 0.2
    alpha = (0.0, 2.0)[seed % 2]
    reference = Exhaustive(
        columns, squared_leaf(y, weight), nominal=nominal(kinds), split_cost=alpha * weight.sum()
    )
    best = reference.best(np.arange(n), depth)
    model = bough.OptimalTreeRegressor(max_depth=depth, ccp_alpha=alpha).fit(X, y, sample_weight=weight)
    assert model.proved_
    assert model.objective_ == pytest.approx(best / weight.sum() + alpha)
    error = np.average((model.predict(X) - y) ** 2, weights=weight)
    assert model.objective_ == pytest.approx(error + alpha * model.tree_.n_leaves)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize(("kinds", "missing", "depth"), [("nn", 0.0, 2), ("nc", 0.2, 2), ("nn", 0.1, 3)])
def test_the_absolute_error_equals_that_of_the_best_of_all_trees(seed, kinds, missing, depth):
    rng = np.random.default_rng(400 + seed)
    n = 12 if depth == 3 else 18
    columns, X = drawn_table(rng, n, kinds, missing)
    y = rng.normal(50, 10, n) if seed % 2 else rng.integers(0, 4, n).astype(float)
    weight = rng.random(n) + 0.2 if seed % 3 else np.ones(n)
    alpha, least = (0.0, 0.3)[seed // 3], 1 + seed % 3
    reference = Exhaustive(
        columns,
        absolute_leaf(y, weight),
        nominal=nominal(kinds),
        split_cost=alpha * weight.sum(),
        min_cases=least,
    )
    best = reference.best(np.arange(n), depth)
    model = bough.OptimalTreeRegressor(
        criterion="absolute_error", max_depth=depth, ccp_alpha=alpha, min_samples_leaf=least
    ).fit(X, y, sample_weight=weight)
    assert model.proved_
    assert model.objective_ == pytest.approx(best / weight.sum() + alpha)
    error = np.average(np.abs(model.predict(X) - y), weights=weight)
    assert model.objective_ == pytest.approx(error + alpha * model.tree_.n_leaves)
    assert bough.regrow(model.tree_, X, y, weight) == model.tree_


def test_the_gap_of_a_tree_by_absolute_error():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    y = np.abs(X[:, 0]) + X[:, 1] * X[:, 2]
    greedy = bough.TreeRegressor("absolute_error", max_depth=2).fit(X, y)
    found = bough.optimality(greedy, X, y)
    assert found.proved
    assert found.objective == pytest.approx(np.abs(greedy.predict(X) - y).mean())
    best = bough.OptimalTreeRegressor(criterion="absolute_error", max_depth=2).fit(X, y)
    assert found.lower_bound == pytest.approx(best.objective_)
    assert found.gap >= 0


def test_too_many_values_under_absolute_error_are_refused():
    y = np.arange(4000.0)
    with pytest.raises(bough.errors.TargetError, match="4000 different values in 4000 rows"):
        bough.OptimalTreeRegressor(criterion="absolute_error").fit(y[:, None], y)
    with pytest.raises(ParameterError, match="criterion is 'poisson'"):
        bough.OptimalTreeRegressor(criterion="poisson").fit(y[:, None], y)


def hard_table(n=400, p=6):
    rng = np.random.default_rng(5)
    X = rng.normal(size=(n, p))
    return X, (X[:, 0] * X[:, 1] + 0.8 * rng.normal(size=n) > 0).astype(int)


def test_a_stopped_search_reports_true_bounds():
    X, y = hard_table()
    proved = bough.OptimalTreeClassifier(max_depth=3, n_jobs=1).fit(X, y)
    assert proved.proved_
    assert proved.gap_ == 0
    stopped = bough.OptimalTreeClassifier(max_depth=3, n_jobs=1, time_limit=1e-9).fit(X, y)
    assert not stopped.proved_
    assert stopped.lower_bound_ <= proved.objective_ <= stopped.objective_
    assert stopped.gap_ == stopped.objective_ - stopped.lower_bound_
    assert np.mean(stopped.predict(X) != y) == pytest.approx(stopped.objective_)


@pytest.mark.parametrize("depth", [3, 4, 5])
def test_a_proved_tree_does_not_depend_on_threads(depth):
    # Rounded values and few rows give many equally good trees.
    X, y = hard_table(150, 3) if depth < 5 else hard_table(60, 2)
    X = X.round(depth % 2)
    one, three = (bough.OptimalTreeClassifier(max_depth=depth, n_jobs=n).fit(X, y) for n in (1, 3))
    assert one.proved_
    assert one.tree_ == three.tree_


@pytest.mark.parametrize("depth", [4, 5])
def test_a_search_without_memory_for_answers_proves_the_same_objective(monkeypatch, depth):
    X, y = hard_table(60, 2)
    stored = bough.OptimalTreeClassifier(max_depth=depth, n_jobs=1).fit(X, y)
    for limit in (0, 20_000):
        monkeypatch.setattr("bough.engines.optimal.CACHE_BYTES", limit)
        one, three = (bough.OptimalTreeClassifier(max_depth=depth, n_jobs=n).fit(X, y) for n in (1, 3))
        assert one.proved_
        assert one.objective_ == stored.objective_
        assert one.tree_ == three.tree_


def test_a_deeper_or_larger_tree_is_no_worse():
    X, y = hard_table(150, 3)
    by_depth = [bough.OptimalTreeClassifier(max_depth=d).fit(X, y).objective_ for d in (1, 2, 3, 4)]
    assert by_depth == sorted(by_depth, reverse=True)
    greedy = bough.TreeClassifier(max_depth=3).fit(X, y)
    assert by_depth[2] <= np.mean(greedy.predict(X) != y)


def test_a_weight_of_two_is_the_row_twice():
    X, y = hard_table(80, 2)
    weight = 1 + np.arange(80) % 2
    weighted = bough.OptimalTreeClassifier(max_depth=2).fit(X, y, sample_weight=weight)
    repeated = bough.OptimalTreeClassifier(max_depth=2).fit(np.repeat(X, weight, 0), np.repeat(y, weight))
    assert weighted.objective_ == repeated.objective_


def test_a_table_without_any_split_gives_a_leaf():
    model = bough.OptimalTreeClassifier().fit([[1.0], [1.0], [1.0]], ["a", "b", "b"])
    assert model.tree_.n_leaves == 1
    assert model.objective_ == pytest.approx(1 / 3)
    assert bough.OptimalTreeRegressor().fit([[1.0], [2.0]], [3.0, 3.0]).tree_.n_leaves == 1


def test_regrow_saves_and_loads(tmp_path):
    X, y = hard_table(100, 2)
    model = bough.OptimalTreeClassifier(max_depth=2, ccp_alpha=0.01).fit(X, y)
    assert bough.regrow(model.tree_, X, y) == model.tree_
    model.tree_.save(tmp_path / "tree.json")
    loaded = bough.load(tmp_path / "tree.json")
    assert loaded == model.tree_
    assert loaded.provenance["optimality"]["proved"] is True


@pytest.mark.parametrize("most", [2, 5])
def test_trees_of_levels_and_missing_values_are_sound_and_predict_as_loaded(tmp_path, most):
    rng = np.random.default_rng(7)
    _, X = drawn_table(rng, 40, "ncc", 0.3)
    y = rng.integers(0, 2, 40)
    tree = bough.OptimalTreeClassifier(max_depth=3, max_exhaustive_levels=most).fit(X, y).tree_
    tree.check()
    tree.save(tmp_path / "tree.json")
    assert (bough.load(tmp_path / "tree.json").predict(X) == tree.predict(X)).all()
    kinds = {type(tree.split(node)).__name__ for node in range(tree.n_nodes)}
    assert "Levels" in kinds
    assert tree.rules()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("max_depth", None),
        ("max_depth", 31),
        ("ccp_alpha", -1),
        ("time_limit", 0),
        ("on_interrupt", "stop"),
        ("max_exhaustive_levels", 13),
        ("missing", "majority"),
        ("min_samples_leaf", 0),
    ],
)
def test_bad_parameters_are_refused_by_name(name, value):
    with pytest.raises(ParameterError, match=name):
        bough.OptimalTreeClassifier(**{name: value}).fit([[1.0], [2.0]], [0, 1])


def test_the_report_states_the_proof_or_the_gap():
    X, y = hard_table()
    proved = bough.OptimalTreeClassifier(max_depth=2).fit(X, y)
    stopped = bough.OptimalTreeClassifier(max_depth=3, time_limit=1e-9).fit(X, y)
    assert f"objective {proved.objective_:.6g}, proved optimal" in bough.report(proved.tree_).html
    assert f"gap {stopped.gap_:.3g}" in bough.report(stopped.tree_).html
    marked = bough.optimality(bough.TreeClassifier(max_depth=2).fit(X, y), X, y)
    assert f"gap {marked.gap:.3g}" in bough.report(marked.tree).html
    pruned = stopped.tree_.pruned(1000.0)
    assert pruned.n_leaves < stopped.tree_.n_leaves
    assert f"gap {stopped.gap_:.3g}" not in bough.report(pruned).html


def test_choose_tries_depth_and_the_cost_of_leaves():
    X, y = hard_table(60, 2)
    chosen = bough.choose(bough.OptimalTreeClassifier(), X, y, cv=3)
    assert set(chosen.parameters) == {"max_depth", "ccp_alpha"}
    assert len(chosen.comparison) == 12 + 1


def test_progress_sees_both_bounds_close():
    from bough.progress import watched_bounds

    X, y = hard_table(300, 5)
    seen = []
    with watched_bounds(lambda lower, objective: seen.append((lower, objective))):
        model = bough.OptimalTreeClassifier(max_depth=3, n_jobs=1).fit(X, y)
    lowers, objectives = zip(*seen, strict=True)
    assert list(lowers) == sorted(lowers)
    assert list(objectives) == sorted(objectives, reverse=True)
    assert seen[-1] == pytest.approx((model.lower_bound_, model.objective_))


@pytest.mark.parametrize("on_interrupt", ["keep", "raise"])
def test_an_interrupt_keeps_the_best_tree_or_raises(on_interrupt):
    X, y = hard_table(2000, 12)
    model = bough.OptimalTreeClassifier(max_depth=5, on_interrupt=on_interrupt, time_limit=60)
    if on_interrupt == "raise":
        with pytest.raises(KeyboardInterrupt), ctrl_c_after(0.5):
            model.fit(X, y)
        return
    with ctrl_c_after(0.5):
        model.fit(X, y)
    assert not model.proved_
    assert 0 <= model.lower_bound_ <= model.objective_
    assert np.mean(model.predict(X) != y) == pytest.approx(model.objective_)


@pytest.mark.parametrize("seed", range(6))
def test_columns_of_two_values_that_contain_each_other(seed):
    rng = np.random.default_rng(400 + seed)
    values = rng.integers(0, 5, (18, 2))
    X = np.column_stack([values[:, [column]] >= np.arange(1, 5) for column in (0, 1)]).astype(float)
    X[:, 3] = X[:, 2]
    X[:, 6] = rng.integers(0, 2, 18)
    y = rng.integers(0, 2 + seed % 2, 18)
    losses = 1.0 - np.eye(3)[y]
    best = Exhaustive(list(X.T), class_leaf(y, losses)).best(np.arange(18), 2)
    model = bough.OptimalTreeClassifier(max_depth=2).fit(X, y)
    assert model.objective_ * 18 == pytest.approx(best)
    assert (model.predict(X) != y).sum() == best
