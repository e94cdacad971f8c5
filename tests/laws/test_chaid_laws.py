"""Laws of CHAID: what groups are, when they stay apart, and what may not matter."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from scipy import stats

import bough
import bough._core as core
from bough.errors import ParameterError
from bough.tree.split import Intervals, IsMissing, Levels, Threshold, ThresholdWithMissing

ORDERS = ("nominal", "ordinal", "floating")
TESTS = ("pearson", "likelihood_ratio", "f")


@st.composite
def level_tables(draw, test=None, max_rows=7):
    """The statistics and cases of a column's levels: class weights, or moments of y."""
    n_rows = draw(st.integers(2, max_rows))
    test = draw(st.sampled_from(TESTS)) if test is None else test
    cases = np.array(draw(st.lists(st.integers(2, 40), min_size=n_rows, max_size=n_rows)), dtype=np.float64)
    if test == "f":
        mean = np.array(draw(st.lists(st.integers(-9, 9), min_size=n_rows, max_size=n_rows)))
        return test, np.column_stack([cases, cases * mean, cases * mean * mean + 4 * cases]), cases
    share = np.array(draw(st.lists(st.integers(0, 10), min_size=n_rows, max_size=n_rows))) / 10
    first = np.rint(cases * share)
    third = np.minimum(cases - first, draw(st.integers(0, 5)))
    return test, np.column_stack([first, cases - first - third, third]), cases


def merged(test, order, statistics, cases, merge=0.05, split=None, **settings):
    tested, log_p, log_multiplier, group = core.merge_levels(
        test,
        order,
        statistics,
        cases,
        math.log(merge),
        -math.inf if split is None else math.log(split),
        **settings,
    )
    return tested, log_p, log_multiplier, np.asarray(group)


def p_of(test, statistics, cases, group):
    """The p-value of groups, as scipy computes it."""
    n_groups = group.max() + 1
    sums = np.zeros((n_groups, statistics.shape[1]))
    np.add.at(sums, group, statistics)
    if test == "f":
        total = sums.sum(axis=0)
        within = (sums[:, 2] - sums[:, 1] ** 2 / sums[:, 0]).sum()
        between = total[2] - total[1] ** 2 / total[0] - within
        free = cases.sum() - n_groups
        if free <= 0 or between <= 1e-9:
            return 1.0
        return stats.f.sf(between / (n_groups - 1) / (within / free), n_groups - 1, free)
    sums = sums[:, sums.sum(axis=0) > 0]
    if sums.shape[1] < 2 or n_groups < 2:
        return 1.0
    kind = None if test == "pearson" else "log-likelihood"
    return stats.chi2_contingency(sums, correction=False, lambda_=kind).pvalue


def may_merge(order, first, second, last):
    """Whether two groups, as sets of rows, may be merged."""
    if order == "nominal" or (order == "floating" and {last} in (first, second)):
        return True
    known = [each - {last} if order == "floating" else each for each in (first, second)]
    low, high = sorted(known, key=min)
    return max(low) + 1 == min(high)


def groups_of(group):
    return [{*np.flatnonzero(group == each).tolist()} for each in range(group.max() + 1)]


@given(level_tables(), st.sampled_from(ORDERS), st.booleans())
def test_groups_partition_the_levels_and_ordered_ones_are_ranges(table, order, exhaustive):
    _, _, _, group = merged(table[0], order, *table[1:], exhaustive=exhaustive)
    assert sorted(set(group.tolist())) == list(range(group.max() + 1))
    known = group[:-1] if order == "floating" else group
    if order != "nominal":
        assert (np.diff(known) >= 0).all()
        assert (np.diff(known) <= 1).all()


@given(level_tables(), st.sampled_from(ORDERS), st.sampled_from([0.01, 0.05, 0.3]))
def test_groups_that_may_merge_differ_significantly(table, order, merge):
    test, statistics, cases = table
    _, _, _, group = merged(test, order, statistics, cases, merge)
    groups, last = groups_of(group), len(cases) - 1
    if len(groups) == 2:
        return
    for first, second in itertools.combinations(groups, 2):
        if may_merge(order, first, second, last):
            rows = sorted(first | second)
            side = np.array([int(row in second) for row in rows])
            p = p_of(test, statistics[rows], cases[rows], side)
            assert p <= merge * (1 + 1e-6)


@given(level_tables(), st.sampled_from(ORDERS), st.booleans())
def test_the_p_value_is_that_of_the_groups(table, order, exhaustive):
    test, statistics, cases = table
    tested, log_p, log_multiplier, group = merged(test, order, statistics, cases, exhaustive=exhaustive)
    assert tested
    assert math.exp(log_p) == pytest.approx(p_of(test, statistics, cases, group), rel=1e-7, abs=1e-12)
    n, r = len(cases), group.max() + 1
    if log_p == 0:
        wanted = 1
    elif exhaustive:
        wanted = n * (n * n - 1) / 6 if order == "nominal" else n * (n - 1) / 2
    elif order == "nominal":
        # Kass (1980), formula 3.2: the number of partitions of n levels into r groups.
        terms = [(-1) ** i * (r - i) ** n / (math.factorial(i) * math.factorial(r - i)) for i in range(r)]
        wanted = sum(terms)
    elif order == "ordinal":
        wanted = math.comb(n - 1, r - 1)
    else:
        wanted = math.comb(n - 2, r - 2) + r * math.comb(n - 2, r - 1)
    assert math.exp(log_multiplier) == pytest.approx(wanted, rel=1e-9)


@given(level_tables(), st.sampled_from(ORDERS), st.integers(1, 30))
def test_exhaustive_merging_is_at_least_as_significant(table, order, least):
    plain = merged(table[0], order, *table[1:], min_cases=float(least))
    best = merged(table[0], order, *table[1:], min_cases=float(least), exhaustive=True)
    assert best[0] >= plain[0]
    if plain[0]:
        assert best[1] <= plain[1]


@given(level_tables(), st.integers(1, 60), st.booleans())
def test_groups_that_are_too_small_are_not_tested(table, least, exhaustive):
    tested, _, _, group = merged(
        table[0], "nominal", *table[1:], min_cases=float(least), exhaustive=exhaustive
    )
    if tested:
        assert np.bincount(group, table[2]).min() >= least


@given(level_tables(max_rows=6), st.randoms(use_true_random=False))
def test_the_order_of_nominal_levels_does_not_matter_but_for_ties(table, random):
    test, statistics, cases = table
    pairs = [
        p_of(test, statistics[[i, j]], cases[[i, j]], np.array([0, 1]))
        for i, j in itertools.combinations(range(len(cases)), 2)
    ]
    if any(abs(p - q) < 1e-9 for p, q in itertools.combinations(pairs, 2)):
        return
    shuffled = list(range(len(cases)))
    random.shuffle(shuffled)
    ours = merged(test, "nominal", statistics, cases)
    theirs = merged(test, "nominal", np.ascontiguousarray(statistics[shuffled]), cases[shuffled])
    assert ours[1] == pytest.approx(theirs[1], rel=1e-9, abs=1e-9)
    back = {frozenset(shuffled[row] for row in each) for each in groups_of(theirs[3])}
    assert {frozenset(each) for each in groups_of(ours[3])} == back


@hypothesis_settings(deadline=None)
@given(level_tables(max_rows=9), st.sampled_from(ORDERS))
def test_splitting_merged_groups_again_ends_with_none_that_differ(table, order):
    test, statistics, cases = table
    _, _, _, group = merged(test, order, statistics, cases, 0.05, split=0.02)
    assert sorted(set(group.tolist())) == list(range(group.max() + 1))
    if order != "nominal":
        known = group[:-1] if order == "floating" else group
        assert (np.diff(known) >= 0).all()


@pytest.mark.parametrize(
    ("order", "first", "second", "plain", "again"),
    [
        ("ordinal", [9, 5, 18, 24, 27], [12, 20, 27, 21, 8], [0, 0, 0, 0, 1], [0, 0, 0, 1, 2]),
        ("nominal", [28, 21, 5, 22, 10], [12, 20, 9, 29, 27], [0, 1, 1, 1, 1], [0, 1, 2, 1, 2]),
        ("floating", [15, 16, 25, 26, 9], [5, 15, 13, 2, 14], [0, 0, 0, 1, 0], [0, 0, 0, 1, 2]),
        ("floating", [22, 18, 13, 16, 22], [6, 25, 10, 22, 11], [0, 1, 1, 1, 1], [0, 1, 1, 1, 0]),
    ],
)
def test_a_merged_group_is_split_again(order, first, second, plain, again):
    counts = np.column_stack([first, second]).astype(np.float64)
    cases = counts.sum(axis=1)
    assert merged("pearson", order, counts, cases)[3].tolist() == plain
    assert merged("pearson", order, counts, cases, split=0.045)[3].tolist() == again


@pytest.mark.parametrize(("x", "degrees"), [(0.3, 1), (3.8, 1), (50.0, 7), (0.0, 4), (5000.0, 4), (1e5, 40)])
def test_logarithms_of_tails_reach_beyond_float64(x, degrees):
    wanted = stats.chi2.logsf(x, degrees)
    if degrees % 2 == 0 and x > 1000:
        # The tail of an even number of degrees is a Poisson probability.
        terms = [k * math.log(x / 2) - math.lgamma(k + 1) for k in range(degrees // 2)]
        wanted = -x / 2 + np.logaddexp.reduce(terms)
    assert core.chi_square_log_survival(x, degrees) == pytest.approx(wanted, rel=1e-9)
    for free in (1.5, 8, 3000):
        ours = core.f_log_survival(x, degrees, free)
        if ours > -600:
            assert math.exp(ours) == pytest.approx(stats.f.sf(x, degrees, free), rel=1e-8)
        else:
            assert stats.f.sf(x, degrees, free) < 1e-250


def data_of(seed, n_rows=400):
    rng = np.random.default_rng(seed)
    colour, size, age = rng.integers(0, 5, n_rows), rng.integers(0, 4, n_rows), rng.normal(40, 12, n_rows)
    chance = 0.15 + 0.5 * (colour % 2) + 0.25 * (age > 45)
    y = rng.uniform(size=n_rows) < chance
    X = np.empty((n_rows, 3), dtype=object)
    X[:, 0], X[:, 1], X[:, 2] = np.array(list("rgbyk"))[colour], np.array(list("SMLX"))[size], age
    X[rng.uniform(size=n_rows) < 0.1, 2] = None
    X[rng.uniform(size=n_rows) < 0.1, 0] = None
    return X, np.where(y, "yes", "no")


def learner(**settings):
    return bough.CHAIDClassifier(ordinal_features={"x1": ["S", "M", "L", "X"]}, **settings)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("settings", [{}, {"exhaustive": True}, {"significance_split_merged": 0.04}], ids=str)
def test_the_order_of_rows_and_weights_do_not_matter(seed, settings):
    X, y = data_of(seed)
    model = learner(**settings).fit(X, y)
    rows = np.random.default_rng(seed).permutation(len(y))
    assert learner(**settings).fit(X[rows], y[rows]).tree_ == model.tree_
    weight = np.random.default_rng(seed).integers(0, 3, len(y))
    repeated = learner(**settings).fit(np.repeat(X, weight, axis=0), np.repeat(y, weight))
    weighted = learner(**settings).fit(X, y, sample_weight=weight)
    assert weighted.tree_ == repeated.tree_
    for tree in (model.tree_, weighted.tree_):
        tree.check()
        binary = tree.binarized()
        assert (binary.predict(X) == tree.predict(X)).all()
        assert (binary.collapsed().predict(X) == tree.predict(X)).all()


def test_missing_values_join_any_range():
    age = np.repeat(np.arange(10.0), 30)
    y = np.where(age < 3, "a", np.where(age < 7, "b", "c"))
    for answer, expected in (("a", 0), ("b", 1), ("c", 2), ("d", 3)):
        X = np.append(age, np.full(40, np.nan)).reshape(-1, 1)
        tree = bough.CHAIDClassifier().fit(X, np.append(y, [answer] * 40)).tree_
        assert tree.split(0) == Intervals(0, (2.5, 6.5), has_missing_branch=expected == 3)
        assert tree.default_branch[0] == expected
        assert tree.predict([[np.nan]]) == [answer]


def test_kinds_of_splits():
    rng = np.random.default_rng(3)
    value, y = rng.normal(size=200), np.array(["n", "y"] * 100)
    apart = np.where(y == "y", np.nan, value).reshape(-1, 1)
    assert bough.CHAIDClassifier().fit(apart, y).tree_.split(0) == IsMissing(0)
    two = bough.CHAIDClassifier().fit((y == "y").astype(float).reshape(-1, 1), y).tree_.split(0)
    assert two == Threshold(0, 0.5)
    three = np.where(np.arange(200) % 10 < 3, np.nan, y == "y").reshape(-1, 1)
    third = np.where(np.isnan(three[:, 0]), "m", y)
    assert bough.CHAIDClassifier().fit(three, third).tree_.split(0) == ThresholdWithMissing(0, 0.5)
    levels = np.where(np.arange(200) % 10 < 3, None, y.astype(object)).reshape(-1, 1)
    split = bough.CHAIDClassifier().fit(levels, third).tree_.split(0)
    assert split == Levels(0, "subset", (0, 1), (0, 1), 3)


def test_deciles_are_made_once():
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(2000, 1))
    y = np.floor(X[:, 0] * 10).astype(int) % 5
    tree = bough.CHAIDClassifier(max_bins=10).fit(X, y).tree_
    cuts = [cut for node in range(tree.n_nodes) if (split := tree.split(node)) for cut in split.cuts]
    edges = np.quantile(X[:, 0], np.arange(1, 10) / 10)
    assert all(np.abs(edges - cut).min() < 0.005 for cut in cuts)
    assert tree.depth == 1
    assert tree.n_leaves <= 10


def test_the_regressor_tests_means():
    rng = np.random.default_rng(5)
    level = rng.integers(0, 6, 600)
    y = np.array([0.0, 0.0, 5.0, 5.0, 9.0, 0.0])[level] + rng.normal(size=600)
    X = np.column_stack([np.array(list("abcdef"))[level], rng.integers(0, 3, 600).astype(str)])
    tree = bough.CHAIDRegressor().fit(X, y).tree_
    assert tree.split(0) == Levels(0, "subset", (0, 1, 2, 3, 4, 5), (0, 0, 1, 1, 2, 0), 3)
    groups = [y[np.isin(level, each)] for each in ([0, 1, 5], [2, 3], [4])]
    p = stats.f_oneway(*groups).pvalue
    assert tree.p_value[0, 0] == pytest.approx(p * 90, rel=1e-6, abs=1e-300)
    assert tree.p_value[0, 1] > 0.05


def test_bad_parameters_are_refused_by_name():
    X, y = data_of(0)
    for settings in (
        {"significance": 0},
        {"significance_merge": 2},
        {"significance_split_merged": 0.5},
        {"significance_split_merged": 0.01, "exhaustive": True},
        {"exhaustive": "yes"},
        {"bonferroni": None},
        {"min_node_fraction": -1},
        {"min_samples_leaf": 0},
        {"max_bins": 1},
        {"missing": "learned"},
        {"criterion": "gini"},
    ):
        with pytest.raises(ParameterError, match=next(iter(settings))):
            learner(**settings).fit(X, y)
