"""Conditional inference trees: statistics by their definition, unbiased choice of columns, and laws."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import bough
from bough.data.table import Table
from bough.data.target import Weights, read_classes
from bough.errors import ParameterError, TableError
from bough.growing.measure import MeasuredRows
from bough.growing.search import value_of_branches

LEARNER = bough.ConditionalTreeClassifier


def table(seed, n=200, missing=0.0):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "number": rng.normal(size=n),
            "few": rng.integers(0, 4, n).astype(float),
            "level": pd.Categorical.from_codes(rng.integers(0, 4, n), list("abcd")),
            "grade": pd.Categorical.from_codes(rng.integers(0, 5, n), list("vwxyz"), ordered=True),
        }
    )
    for name in X:
        X.loc[rng.random(n) < missing, name] = None
    score = X["number"].fillna(0) + (X["level"] == "b") + rng.normal(size=n)
    return X, score.to_numpy(), rng


def influence(y):
    """The transformation of y: the number itself, or an indicator of each class."""
    if y.dtype.kind == "f":
        return y[:, None]
    return (y[:, None] == np.unique(y)).astype(float)


def transformed(column):
    """The transformation of a column: the number, the rank of a level, or an indicator of each level."""
    if column.dtype != "category":
        return column.to_numpy()[:, None]
    codes = column.cat.codes.to_numpy()
    if column.cat.ordered:
        return codes[:, None].astype(float)
    return (codes[:, None] == np.arange(len(column.cat.categories))).astype(float)


def moments(x, h):
    """The linear statistic less its mean, and its covariance under all permutations (Strasser and Weber)."""
    n, deviation = len(x), h - h.mean(axis=0)
    covariance_h = deviation.T @ deviation / n
    sums = x.sum(axis=0)
    covariance = np.kron(covariance_h, n * x.T @ x - np.outer(sums, sums)) / (n - 1)
    return (x.T @ deviation).T.ravel(), covariance


@pytest.mark.parametrize("kind", ["classes", "three", "numbers"])
def test_quadratic_statistics_are_those_of_the_definition(kind):
    X, score, _ = table(1)
    y = score if kind == "numbers" else np.digitize(score, [0.5] if kind == "classes" else [0.0, 1.0])
    learner = bough.ConditionalTreeRegressor if kind == "numbers" else LEARNER
    tree = learner(adjust="none").fit(X, y).tree_
    for test in tree.tests_of(0):
        x, h = transformed(X.iloc[:, test.column]), influence(y)
        t, covariance = moments(x, h)
        inverse = np.linalg.pinv(covariance, rcond=1e-8, hermitian=True)
        rank = np.linalg.matrix_rank(covariance, tol=1e-8 * np.abs(covariance).max(), hermitian=True)
        assert test.statistic == pytest.approx(t @ inverse @ t, rel=1e-8)
        assert test.p_value == pytest.approx(stats.chi2.sf(test.statistic, rank), rel=1e-8)


@pytest.mark.parametrize("kind", ["classes", "three", "numbers"])
def test_maximum_statistics_are_those_of_the_definition_and_their_p_values_those_of_the_normal(kind):
    X, score, rng = table(2)
    y = score if kind == "numbers" else np.digitize(score, [0.5] if kind == "classes" else [0.0, 1.0])
    learner = bough.ConditionalTreeRegressor if kind == "numbers" else LEARNER
    tree = learner(adjust="none", statistic="maximum").fit(X, y).tree_
    for test in tree.tests_of(0):
        t, covariance = moments(transformed(X.iloc[:, test.column]), influence(y))
        scale = np.sqrt(np.diag(covariance))
        assert test.statistic == pytest.approx(np.max(np.abs(t / scale)), rel=1e-8)
        draws = rng.multivariate_normal(np.zeros(len(t)), covariance, size=40_000) / scale
        simulated = (np.abs(draws).max(axis=1) >= test.statistic).mean()
        assert test.p_value == pytest.approx(simulated, abs=0.012)


def test_monte_carlo_p_values_approach_the_asymptotic_ones():
    X, score, _ = table(3)
    y = np.digitize(score, [0.5])
    asymptotic, drawn = (
        LEARNER(adjust="none", max_depth=1, **options).fit(X, y).tree_.p_value[0]
        for options in ({}, {"distribution": "monte_carlo", "n_resamples": 4000})
    )
    assert drawn == pytest.approx(asymptotic, abs=0.04)


def test_monte_carlo_depends_on_the_seed_alone():
    X, score, _ = table(4)
    learner = LEARNER(distribution="monte_carlo", n_resamples=200, random_state=7)
    first, again = (learner.set_params(n_jobs=jobs).fit(X, score > 0).tree_ for jobs in (1, 2))
    assert first == again
    other = learner.set_params(random_state=8).fit(X, score > 0).tree_
    assert (other.p_value[0] != first.p_value[0]).any()


def test_bonferroni_is_one_minus_the_power_of_one_minus_p():
    X, score, _ = table(5)
    plain, adjusted = (
        LEARNER(adjust=how).fit(X, score > 0).tree_.p_value[0] for how in ("none", "bonferroni")
    )
    assert adjusted == pytest.approx(1 - (1 - plain) ** 4, rel=1e-9)


def test_a_node_is_split_if_and_only_if_its_smallest_p_value_is_below_the_level():
    for seed in range(5):
        X, score, _ = table(seed, n=400)
        tree = LEARNER(significance=0.2, min_samples_leaf=1, min_child_fraction=0.0).fit(X, score > 0).tree_
        for node in range(tree.n_nodes):
            tests = tree.tests_of(node)
            if tests:
                assert (min(test.p_value for test in tests) < 0.2) == (not tree.is_leaf[node])


def test_the_order_of_rows_does_not_matter():
    X, score, rng = table(6, missing=0.1)
    order = rng.permutation(len(X))
    first = LEARNER(significance=0.5).fit(X, score > 0).tree_
    second = LEARNER(significance=0.5).fit(X.iloc[order], (score > 0)[order]).tree_
    assert first.column.tolist() == second.column.tolist()
    assert second.test_statistic == pytest.approx(first.test_statistic, rel=1e-9, nan_ok=True)
    assert first.apply(X)[order].tolist() == second.apply(X.iloc[order]).tolist()


def test_a_weight_of_two_is_the_row_twice():
    X, score, rng = table(7, missing=0.1)
    weight = rng.integers(1, 3, len(X))
    repeated = np.repeat(np.arange(len(X)), weight)
    for learner, y in ((LEARNER, score > 0), (bough.ConditionalTreeRegressor, score)):
        weighted = learner().fit(X, y, sample_weight=weight).tree_
        twice = learner().fit(X.iloc[repeated], y[repeated]).tree_
        assert weighted.column.tolist() == twice.column.tolist()
        assert weighted.cases.tolist() == twice.cases.tolist()
        assert weighted.p_value == pytest.approx(twice.p_value, rel=1e-7, nan_ok=True)


def test_scaling_a_column_or_the_target_changes_no_test():
    X, score, _ = table(8)
    plain = bough.ConditionalTreeRegressor().fit(X, score).tree_
    scaled = bough.ConditionalTreeRegressor().fit(X.assign(number=X["number"] * 1e200), score * 1e-100).tree_
    assert scaled.test_statistic == pytest.approx(plain.test_statistic, rel=1e-9, nan_ok=True)


def test_infinite_values_count_as_the_greatest_finite_one():
    X, score, _ = table(9)
    number = X["number"].to_numpy().copy()
    number[3] = np.inf
    clipped = np.minimum(number, number[np.isfinite(number)].max())
    infinite, finite = (
        LEARNER().fit(X.assign(number=each), score > 0).tree_.test_statistic[0] for each in (number, clipped)
    )
    assert infinite == pytest.approx(finite, rel=1e-12)


def test_missing_values_follow_surrogates_if_asked():
    X, score, _ = table(10, n=600, missing=0.02)
    X["copy"] = X["number"]
    X.loc[::5, "number"] = np.nan
    tree = LEARNER(missing="surrogates_then_majority").fit(X, score > 0).tree_
    assert tree.surrogates_of(0)
    tree.check()
    with pytest.raises(TableError, match="missing='refuse'"):
        LEARNER(missing="refuse").fit(X, score > 0)


def test_of_equal_columns_the_last_is_split_as_in_partykit():
    x = np.arange(40.0) + 0.5
    tree = bough.ConditionalTreeRegressor().fit(np.column_stack([x, x]), (x >= 20) + np.sin(x) / 9).tree_
    assert tree.split(0).column == 1


def test_surrogates_route_values_up_to_the_lower_neighbour_and_rows_without_values_are_kept():
    v = np.array([*range(1, 41), *[np.nan] * 4])
    w = np.array([*range(1, 41), np.nan, np.nan, 20.3, 20.6])
    y = np.array([0.0] * 20 + [1.0] * 22 + [0.0, 1.0]) + np.sin(np.arange(1, 45)) / 9
    model = bough.ConditionalTreeRegressor(missing="surrogates_then_majority", n_surrogates=1)
    tree = model.fit(np.column_stack([v, w]), y).tree_
    assert tree.cases[0] == 44
    [surrogate] = tree.surrogates_of(0)
    assert surrogate.split.neighbours == (20.0, 20.3)
    # partykit sends both rows whose v is missing and whose w is above 20 to the second branch.
    assert tree.apply(np.column_stack([v, w]))[42:].tolist() == [2, 2]


def test_many_levels_of_two_classes_are_split_as_well_as_by_trying_all_sets():
    rng = np.random.default_rng(11)
    levels, y = rng.integers(0, 12, 600), rng.integers(0, 2, 600)
    y = np.where(rng.random(600) < 0.4, levels % 3 == 0, y).astype(int)
    X = pd.DataFrame({"level": pd.Categorical.from_codes(levels, [f"l{i:02}" for i in range(12)])})
    exhaustive, ordered = (
        LEARNER(max_exhaustive_levels=most, max_depth=1).fit(X, y).tree_ for most in (12, 2)
    )
    assert ordered.split(0) == exhaustive.split(0)


def chosen_columns(learner, n_tables):
    """How often each of five columns of 2, 4, 10, 20 and many values is chosen, where none matters."""
    chosen = np.zeros(5)
    for seed in range(n_tables):
        rng = np.random.default_rng(seed)
        X = np.column_stack([*(rng.integers(0, k, 100) for k in (2, 4, 10, 20)), rng.normal(size=100)])
        tree = learner.fit(X, rng.integers(0, 2, 100)).tree_
        if tree.n_nodes > 1:
            chosen[tree.column[0]] += 1
    return chosen


@pytest.mark.filterwarnings("ignore::bough.errors.IdentifierWarning")
def test_columns_are_chosen_without_bias_where_cart_prefers_many_values():
    unbiased = chosen_columns(LEARNER(significance=1.0, max_depth=1, min_samples_leaf=1), 400)
    biased = chosen_columns(bough.CARTClassifier(max_depth=1, prune="none", min_samples_leaf=1), 400)
    assert unbiased.sum() == biased.sum() == 400
    assert stats.chisquare(unbiased).pvalue > 0.01
    assert stats.chisquare(biased).pvalue < 1e-20
    assert biased[4] > 5 * biased[0]


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"significance": 0}, "significance is 0"),
        ({"distribution": "exact"}, "distribution is 'exact'"),
        ({"statistic": "sum"}, "statistic is 'sum'"),
        ({"split_statistic": 3}, "split_statistic is 3"),
        ({"n_resamples": 0}, "n_resamples is 0"),
        ({"min_statistic": -1.0}, "min_statistic is -1.0"),
        ({"min_child_fraction": 0.7}, "min_child_fraction is 0.7"),
        ({"n_tries": True}, "n_tries is True"),
        ({"missing": "learned"}, "missing is 'learned'"),
        ({"distribution": "monte_carlo", "n_resamples": 9}, "permutes cases"),
    ],
)
def test_what_cannot_be_done_is_refused_by_name(parameters, words):
    X, score, _ = table(12)
    with pytest.raises(ParameterError, match=words):
        LEARNER(**parameters).fit(X, score > 0, sample_weight=np.linspace(0.5, 1.5, len(X)))


def test_a_survival_tree_tests_log_rank_scores():
    rng = np.random.default_rng(13)
    group = rng.integers(0, 2, 120)
    time, status = rng.exponential(1 + 2 * group) + 0.1, rng.random(120) < 0.8
    tree = bough.ConditionalTreeSurvival().fit(group[:, None], (time, status)).tree_
    scores = bough.logrank_scores(time, status)
    assert scores.sum() == pytest.approx(0, abs=1e-9)
    t, covariance = moments(group[:, None].astype(float), scores[:, None])
    assert tree.tests_of(0)[0].statistic == pytest.approx(t[0] ** 2 / covariance[0, 0], rel=1e-9)


def rows_by_node(tree, X):
    """The rows of each node, as prediction routes them."""
    at, rows = tree.apply(X), [[] for _ in range(tree.n_nodes)]
    for row, leaf in enumerate(at):
        for node in tree.path(int(leaf)):
            rows[node].append(row)
    return [np.array(each, dtype=np.intp) for each in rows]


@pytest.mark.parametrize("missing", ["majority", "surrogates_then_majority"])
@pytest.mark.parametrize("weighting", ["none", "cases", "fractions"])
@pytest.mark.parametrize("kind", ["classes", "three", "numbers"])
def test_nodes_show_what_a_plain_reference_measures(kind, weighting, missing):
    X, score, rng = table(20, n=400, missing=0.15)
    X["grade"] = X["grade"].where(X["grade"] != "w")  # a level without cases
    weight = {"cases": rng.integers(1, 4, 400).astype(float), "fractions": rng.random(400) + 0.1}.get(
        weighting
    )
    y = score if kind == "numbers" else np.digitize(score, [0.5] if kind == "classes" else [0.0, 1.0])
    learner = bough.ConditionalTreeRegressor if kind == "numbers" else LEARNER
    tree = learner(significance=0.9, adjust="none", missing=missing).fit(X, y, sample_weight=weight).tree_
    whole = weighting != "fractions"
    target = score if kind == "numbers" else read_classes(y)
    measured = MeasuredRows.of(target, Weights(weight, weight if whole else None, whole=whole), 400)
    columns = Table.read(X).columns
    own = np.ones(400) if weight is None else weight
    assert tree.n_leaves > 5
    for node, rows in enumerate(rows_by_node(tree, X)):
        wanted = measured.summary(rows)
        assert tree.weight[node] == pytest.approx(own[rows].sum(), rel=1e-13)
        assert tree.cases[node] == wanted.cases
        assert tree.statistics[node].tolist() == wanted.statistics.tolist()
        assert tree.risk[node] == wanted.risk
        split = tree.split(node)
        if split is None:
            continue
        branch = split.branch(columns[split.column][rows])
        weights = [own[rows][branch == side].sum() for side in (0, 1)]
        assert tree.default_branch[node] == int(weights[1] >= weights[0])
        group = np.where(branch < 0, 2, branch).astype(np.intp)
        value, _ = value_of_branches(tree.criterion, measured, rows, group, 2)
        assert tree.gain[node] == pytest.approx(value, rel=1e-13)


def test_surrogates_agree_with_the_split_as_often_as_they_say():
    X, score, _ = table(21, n=400, missing=0.2)
    tree = LEARNER(significance=0.5, missing="surrogates_then_majority").fit(X, score > 0).tree_
    columns, rows = Table.read(X).columns, rows_by_node(tree, X)
    seen = 0
    for node in range(tree.n_nodes):
        split = tree.split(node)
        if split is None:
            continue
        own = split.branch(columns[split.column][rows[node]])
        routed = own.copy()
        for surrogate in tree.surrogates.of(node):
            sides = surrogate.branch(columns[surrogate.split.column][rows[node]])
            both = (own >= 0) & (sides >= 0)
            assert surrogate.value == np.mean(own[both] == sides[both])
            newly = (routed < 0) & (sides >= 0)
            assert surrogate.cases == newly.sum()
            routed[newly] = sides[newly]
            seen += 1
        routed[routed < 0] = tree.default_branch[node]
        for side, child in enumerate(tree.children(node)):
            assert rows[node][routed == side].tolist() == rows[child].tolist()
    assert seen > 10
