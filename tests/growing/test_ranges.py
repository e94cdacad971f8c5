"""The best split into ranges or groups: equal to exhaustive search on small tables, fast on large ones."""

import itertools
import math
import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.interrupts import ctrl_c_after

import bough
import bough._core as core
from bough.data.schema import Column
from bough.errors import ParameterError, TableError
from bough.growing.bins import bin_of_each, highest_of_bins
from bough.growing.engine import ContingencyTable
from bough.growing.grouping import ADDITIVE, Merging, Ranges, grouping_from_json, grouping_to_json
from bough.growing.ranges import best_grouped
from bough.growing.recipe import Recipe
from bough.growing.search import ColumnProblem
from bough.tree.split import Intervals, IsMissing, Levels, Threshold

CLASS_CRITERIA = [name for name in ADDITIVE if name not in ("squared_error", "poisson")]
OF_ENTROPY = {"gain_ratio": "entropy"}


@st.composite
def class_tables(draw, max_rows=6):
    n_rows, n_classes = draw(st.integers(2, max_rows)), draw(st.integers(2, 4))
    counts = draw(
        st.lists(
            st.lists(st.integers(0, 9), min_size=n_classes, max_size=n_classes),
            min_size=n_rows,
            max_size=n_rows,
        )
    )
    statistics = np.array(counts, dtype=np.float64)
    statistics[:, 0] += statistics.sum(axis=1) == 0
    return statistics


@st.composite
def moment_tables(draw, max_rows=6):
    n_rows = draw(st.integers(2, max_rows))
    weight = np.array(draw(st.lists(st.integers(1, 9), min_size=n_rows, max_size=n_rows)), dtype=np.float64)
    mean = np.array(draw(st.lists(st.integers(-20, 20), min_size=n_rows, max_size=n_rows)))
    return np.column_stack([weight, weight * mean, weight * mean * mean + weight])


def ranges(n_rows, n_groups):
    """The group of each row, for every partition into ranges."""
    for cuts in itertools.combinations(range(1, n_rows), n_groups - 1):
        yield np.searchsorted(cuts, np.arange(n_rows), side="right")


def partitions(n_rows, n_groups):
    """The group of each row, for every partition into groups."""
    for groups in itertools.product(range(n_groups), repeat=n_rows):
        first = [groups.index(each) for each in dict.fromkeys(groups)]
        if len(first) == n_groups and list(dict.fromkeys(groups)) == sorted(set(groups)):
            yield np.array(groups)


def value(criterion, statistics, groups):
    sums = np.zeros((groups.max() + 1, statistics.shape[1]))
    np.add.at(sums, groups, statistics)
    weight = (
        statistics[:, 0].sum()
        if statistics.shape[1] == 3 and criterion == "squared_error"
        else (statistics.sum())
    )
    return core.split_values(criterion, sums[None], np.array([weight]))[0]


def best(criterion, statistics, orders, max_groups, **limits):
    weight = statistics[:, 0] if criterion == "squared_error" else statistics.sum(axis=1)
    return core.best_partitions(
        criterion, statistics, np.asarray(weight), orders, float(weight.sum()), max_groups, **limits
    )


def check_best(criterion, statistics, orders, candidates):
    values, groups = best(criterion, statistics, orders, len(statistics))
    assert len(values) == len(statistics) - 1
    for number, (found, group) in enumerate(zip(values, groups, strict=True)):
        ranked = OF_ENTROPY.get(criterion, criterion)
        wanted = max(value(ranked, statistics, each) for each in candidates(len(statistics), number + 2))
        assert value(ranked, statistics, group) == pytest.approx(wanted, abs=1e-9)
        assert found == pytest.approx(value(criterion, statistics, group), abs=1e-9)


@pytest.mark.parametrize("criterion", CLASS_CRITERIA)
@given(class_tables())
def test_ranges_of_classes_are_those_of_exhaustive_search(criterion, statistics):
    check_best(criterion, statistics, np.arange(len(statistics), dtype=np.int32)[None], ranges)


@given(moment_tables())
def test_ranges_of_numbers_are_those_of_exhaustive_search(statistics):
    check_best("squared_error", statistics, np.arange(len(statistics), dtype=np.int32)[None], ranges)


@pytest.mark.parametrize("criterion", ["gini", "entropy", "chi_square"])
@given(class_tables(max_rows=5))
def test_groups_of_levels_are_those_of_exhaustive_search(criterion, statistics):
    check_best(criterion, statistics, None, partitions)


@given(moment_tables(max_rows=5))
def test_groups_of_levels_by_their_means_are_those_of_exhaustive_search(statistics):
    order = np.argsort(statistics[:, 1] / statistics[:, 0], kind="stable").astype(np.int32)
    check_best("squared_error", statistics, order[None], partitions)


@given(class_tables(), st.integers(1, 12))
def test_every_range_has_enough_cases(statistics, least):
    order = np.arange(len(statistics), dtype=np.int32)[None]
    values, groups = best("gini", statistics, order, 4, min_cases=float(least))
    for found, group in zip(values, groups, strict=True):
        if found > -math.inf:
            assert np.bincount(group, statistics.sum(axis=1)).min() >= least


def test_a_thousand_values_take_less_than_50_milliseconds():
    rng = np.random.default_rng(0)
    statistics = rng.integers(0, 20, (1000, 3)).astype(np.float64) + 1.0
    order, took = np.arange(1000, dtype=np.int32)[None], []
    for _ in range(5):
        start = time.process_time()
        best("entropy", statistics, order, 5)
        took.append(time.process_time() - start)
    assert min(took) < 0.05


def bands(n_rows=300, *, noise=0.05, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.uniform(0, 30, n_rows)
    y = ((x > 10) & (x < 20)) ^ (rng.uniform(size=n_rows) < noise)
    return x.reshape(-1, 1), np.where(y, "in", "out")


@pytest.mark.parametrize("criterion", ["gini", "entropy", "gain_ratio", "chi_square", "deviance"])
def test_the_number_of_ranges_is_chosen(criterion):
    X, y = bands()
    tree = bough.TreeClassifier(criterion, max_branches=6, max_depth=1).fit(X, y).tree_
    split = tree.split(0)
    assert isinstance(split, Intervals)
    assert any(abs(cut - 10) < 0.5 for cut in split.cuts)
    assert any(abs(cut - 20) < 0.5 for cut in split.cuts)
    if criterion in ("entropy", "chi_square", "gini", "deviance"):
        assert len(split.cuts) == 2


def test_description_length_splits_noise_into_nothing():
    rng = np.random.default_rng(1)
    X, y = rng.uniform(size=(400, 3)), rng.integers(0, 2, 400)
    assert bough.TreeClassifier("entropy", max_branches=5).fit(X, y).tree_.n_leaves == 1
    numbers = rng.normal(size=400)
    assert bough.TreeRegressor(max_branches=5).fit(X, numbers).tree_.n_leaves == 1


def test_as_many_ranges_as_asked_for():
    X, y = bands()
    tree = bough.TreeClassifier("gini", max_branches=5, branch_choice="most", max_depth=1).fit(X, y).tree_
    assert tree.n_children[0] == 5


def test_steps_of_a_number_are_found():
    x = np.repeat(np.arange(12), 10)
    y = np.repeat([5.0, 1.0, 9.0, 3.0], 30) + np.tile([0.1, -0.1], 60)
    for criterion in ("squared_error", "poisson"):
        tree = bough.TreeRegressor(criterion, max_branches=8, max_depth=1).fit(x.reshape(-1, 1), y).tree_
        assert tree.split(0) == Intervals(0, (2.5, 5.5, 8.5))


def test_levels_are_grouped():
    levels = np.array(list("abcdef") * 30)
    y = np.where(np.isin(levels, ["a", "d"]), "x", np.where(np.isin(levels, ["b", "e"]), "y", "z"))
    tree = bough.TreeClassifier("entropy", max_branches=6).fit(levels.reshape(-1, 1), y).tree_
    assert tree.split(0) == Levels(0, "subset", (0, 1, 2, 3, 4, 5), (0, 1, 2, 0, 1, 2), 3)


@pytest.mark.parametrize("missing", ["learned", "own_level", "majority"])
def test_missing_values_follow_the_policy(missing):
    X, y = bands(noise=0.0)
    X[:40], y[:40] = np.nan, "in"
    tree = bough.TreeClassifier("gini", max_branches=4, missing=missing).fit(X, y).tree_
    [answer] = tree.predict([[np.nan]])
    assert answer == ("out" if missing == "majority" else "in")
    assert tree.split(0).n_branches == (4 if missing == "own_level" else 3)
    tree.check()


def test_a_recipe_of_ranges_regrows():
    X, y = bands()
    tree = bough.TreeClassifier("gain_ratio", max_branches=4, min_samples_leaf=5).fit(X, y).tree_
    assert tree.recipe["grouping"] == {"kind": "ranges", "max_branches": 4, "choose": "criterion"}
    assert bough.regrow(tree, X, y) == tree
    assert tree.cases[tree.is_leaf].min() >= 5


@given(st.sets(st.integers(0, 99), min_size=1, max_size=40), st.integers(2, 12))
def test_bins_hold_about_as_many_cases(values, max_bins):
    values = np.array(sorted(values), dtype=np.float64)
    highest = highest_of_bins(values, np.ones(len(values)), max_bins)
    assert len(highest) == min(max_bins, len(values))
    counts = np.bincount(bin_of_each(values, highest))
    assert counts.max() - counts.min() <= 1


def test_bad_settings_are_refused_by_name():
    X, y = bands()
    for settings, named in (
        ({"max_branches": 1}, "max_branches"),
        ({"max_branches": 3, "branch_choice": "best"}, "branch_choice"),
        ({"max_branches": 3, "missing": "surrogates_then_stop"}, "missing"),
        ({"max_branches": 3, "max_features": 1}, "columns"),
        ({"max_branches": 3, "criterion": "twoing"}, "criterion"),
    ):
        with pytest.raises(ParameterError, match=named):
            bough.TreeClassifier(**settings).fit(X, y)
    with pytest.raises(ParameterError, match="grouping"):
        grouping_from_json({"kind": "clusters"})
    for grouping in (Ranges(7, "most"), Merging(exhaustive=True, max_bins=4)):
        assert grouping_from_json(grouping_to_json(grouping)) == grouping


def test_too_many_levels_are_refused_by_name():
    X, y = [[f"row {i}"] for i in range(1100)], [i % 2 for i in range(1100)]
    for learner in (bough.TreeClassifier(max_branches=3), bough.CHAIDClassifier()):
        with pytest.raises(TableError, match="Column 'x0' has 1100 levels"):
            learner.fit(X, y)


def test_other_kinds_of_splits_are_searched_as_ever():
    counts = np.array([[5.0, 0.0], [0.0, 5.0], [0.0, 4.0]])
    table = ContingencyTable(0, np.arange(3.0), counts, counts.sum(axis=1), np.zeros(2), 0.0, "classes")
    column = Column("size", "nominal", ("S", "M", "L"))
    recipe = Recipe("gini", nominal="one_vs_rest", grouping=Ranges(), task="classification")
    assert best_grouped(ColumnProblem(table, column, recipe)).split.kind == "one_vs_rest"
    assert isinstance(
        best_grouped(
            ColumnProblem(table, Column("x", "numeric"), Recipe("gini", task="classification"))
        ).split,
        Threshold,
    )
    assert not isinstance(best_grouped(ColumnProblem(table, column, recipe)).split, IsMissing)


def test_more_levels_than_all_groups_can_be_tried_for_are_grouped_in_order():
    rng = np.random.default_rng(0)
    level = rng.integers(0, 20, 600)
    y = (level % 3 + (rng.random(600) < 0.1)) % 3
    X = np.array([f"v{each:02}" for each in level])[:, None]
    model = bough.TreeClassifier("entropy", max_branches=3, max_exhaustive_levels=24, max_depth=1).fit(X, y)
    assert model.tree_.n_leaves == 3
    assert model.score(X, y) > 0.85


@pytest.mark.parametrize(
    "learner", [bough.CHAIDClassifier(), bough.TreeClassifier("entropy", max_branches=3)]
)
def test_an_ordinal_column_of_too_many_levels_is_refused_by_name(learner):
    grade = np.arange(4001.0)
    y = (grade > 2000).astype(int)
    with pytest.raises(TableError, match="Column 'x0' has 4001 levels in a node; at most 4000"):
        learner.set_params(ordinal_features=[0]).fit(grade[:, None], y)


def test_ctrl_c_ends_a_search_for_ranges():
    counts = np.random.default_rng(0).integers(1, 9, (4000, 2)).astype(float)
    order = np.arange(4000, dtype=np.int32)[None]
    with pytest.raises(KeyboardInterrupt), ctrl_c_after(0.3) as sent:
        core.best_partitions("entropy", counts, counts.sum(axis=1), order, counts.sum(), 1000)
    assert time.process_time() - sent[0] < 3
