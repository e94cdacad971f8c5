"""Laws of growth: a tree depends on nothing it should not depend on, and keeps within its limits."""

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from bough.data.schema import Column, Schema
from bough.data.table import Table
from bough.data.target import ClassTarget, read_weights
from bough.engines.memory import MemoryEngine
from bough.growing.criterion import CRITERIA
from bough.growing.growth import grow
from bough.growing.limits import Limits
from bough.growing.recipe import Recipe
from bough.growing.search import ColumnProblem, best_of_column

pytestmark = pytest.mark.slow

laws = settings(max_examples=50, deadline=None, derandomize=True)

SCHEMA = Schema(
    (
        Column("number", "numeric"),
        Column("size", "ordinal", ("S", "M", "L", "XL")),
        Column("colour", "nominal", ("red", "green", "blue", "white")),
        Column("other", "numeric"),
    )
)
NOMINAL = st.sampled_from(["subset", "complete", "one_vs_rest"])
CLASS_CRITERIA = st.sampled_from(["misclassification", "gini", "entropy", "gain_ratio", "chi_square"])
NUMBER_CRITERIA = st.sampled_from(CRITERIA["regression"])


@st.composite
def problems(draw, missing=True):
    """A table, a target of classes or numbers, and a recipe for it."""
    n = draw(st.integers(2, 24))
    lowest = -1 if missing else 0

    def listed(strategy):
        return draw(st.lists(strategy, min_size=n, max_size=n))

    known = st.integers(-4, 4).map(float)
    numbers = st.one_of(known, st.just(math.nan)) if missing else known
    columns = (
        np.array(listed(numbers)),
        np.array(listed(st.integers(lowest, 3)), np.int32),
        np.array(listed(st.integers(lowest, 3)), np.int32),
        np.array(listed(numbers), np.float32),
    )
    nominal = draw(NOMINAL)
    if draw(st.booleans()):
        codes = np.array(listed(st.integers(0, 2)), np.int32)
        target = ClassTarget(("a", "b", "c"), codes)
        recipe = Recipe(draw(CLASS_CRITERIA), nominal, task="classification")
    else:
        target = np.array(listed(st.integers(0, 9).map(lambda y: y / 4)))
        assume(target.any())
        recipe = Recipe(draw(NUMBER_CRITERIA), nominal, task="regression")
    return Table(SCHEMA, columns, n), target, recipe


def grown(table, target, recipe, weights=None, limits=None):
    if limits is not None:
        recipe = Recipe(recipe.criterion, recipe.nominal, limits, task=recipe.task)
    engine = MemoryEngine(table, target, read_weights(weights, table.n_rows), reads=recipe.reads)
    return grow(engine, recipe)


def taken(table, target, rows):
    columns = tuple(column[rows] for column in table.columns)
    if isinstance(target, ClassTarget):
        target = ClassTarget(target.classes, target.codes[rows])
    else:
        target = target[rows]
    return Table(table.schema, columns, len(rows)), target


def same_shape(one, other):
    names = ("first_child", "column", "kind", "level_code", "level_branch", "default_branch")
    same = all(np.array_equal(getattr(one, name), getattr(other, name)) for name in names)
    return same and np.array_equal(one.cut, other.cut, equal_nan=True)


def same_figures(one, other, times=1.0):
    assert (one.weight == times * other.weight).all()
    assert (one.cases == times * other.cases).all()
    factor = times if one.task == "classification" else 1.0
    assert one.statistics == pytest.approx(factor * other.statistics, rel=1e-12)
    assert one.risk == pytest.approx(times * other.risk, rel=1e-9, abs=1e-9)


@given(problems())
@laws
def test_a_tree_is_sound_and_its_rows_come_to_where_they_were_counted(problem):
    table, target, recipe = problem
    tree = grown(table, target, recipe)
    tree.check()
    reached = np.bincount(tree.apply(table), minlength=tree.n_nodes)
    assert (reached[tree.is_leaf] == tree.cases[tree.is_leaf]).all()
    assert not reached[~tree.is_leaf].any()


@given(problems())
@laws
def test_a_parent_is_the_sum_of_its_children(problem):
    tree = grown(*problem)
    for node in np.flatnonzero(~tree.is_leaf):
        children = list(tree.children(int(node)))
        assert tree.weight[children].sum() == tree.weight[node]
        assert tree.cases[children].sum() == tree.cases[node]
        if tree.task == "classification":
            assert (tree.statistics[children].sum(axis=0) == tree.statistics[node]).all()
        elif tree.criterion != "absolute_error":
            total = (tree.weight[children] * tree.statistics[children, 0]).sum()
            assert total == pytest.approx(tree.weight[node] * tree.statistics[node, 0])
        assert tree.risk[children].sum() <= tree.risk[node] * (1 + 1e-9) + 1e-9


@given(problems(), st.data())
@laws
def test_tripled_weights_leave_the_tree(problem, data):
    table, target, recipe = problem
    weights = data.draw(st.lists(st.integers(1, 3), min_size=table.n_rows, max_size=table.n_rows))
    single = grown(table, target, recipe, weights)
    triple = grown(table, target, recipe, [3 * weight for weight in weights], Limits(min_samples_split=6))
    times = 3 if recipe.criterion == "chi_square" else 1
    assert triple.gain[0] == pytest.approx(times * single.gain[0], rel=1e-12, abs=1e-12, nan_ok=True)
    # Where logarithms or quotients are summed, rounding can make splits that tie trade places.
    sums_whole_numbers = recipe.criterion in ("misclassification", "absolute_error")
    binary = recipe.criterion in ("gini", "squared_error") and recipe.nominal != "complete"
    if sums_whole_numbers or binary:
        assert same_shape(triple, single)
        same_figures(triple, single, times=3)


@given(problems(), st.data())
@laws
def test_a_weight_of_two_is_the_row_twice(problem, data):
    table, target, recipe = problem
    times = data.draw(st.lists(st.integers(1, 3), min_size=table.n_rows, max_size=table.n_rows))
    rows = np.repeat(np.arange(table.n_rows), times)
    weighted, repeated = grown(table, target, recipe, times), grown(*taken(table, target, rows), recipe)
    assert same_shape(weighted, repeated)
    assert np.array_equal(weighted.gain, repeated.gain, equal_nan=True)
    same_figures(weighted, repeated)


@given(problems(), st.data())
@laws
def test_a_row_without_weight_is_absent(problem, data):
    table, target, recipe = problem
    size = st.sampled_from([0, 1, 2] if data.draw(st.booleans()) else [0.0, 0.3, 1.7])
    weights = np.array(data.draw(st.lists(size, min_size=table.n_rows, max_size=table.n_rows)))
    rows = np.flatnonzero(weights)
    assume(len(rows) > 0 and (isinstance(target, ClassTarget) or target[rows].any()))
    fewer, less = taken(table, target, rows)
    assert grown(table, target, recipe, weights) == grown(fewer, less, recipe, weights[rows])


@given(problems(), st.permutations(range(4)))
@laws
def test_the_order_of_columns_matters_only_in_ties(problem, order):
    table, target, recipe = problem
    shuffled = Table(
        Schema(tuple(table.schema[place] for place in order)),
        tuple(table.columns[place] for place in order),
        table.n_rows,
    )
    one, other = (grown(each, target, recipe, limits=Limits(max_depth=1)) for each in (table, shuffled))
    assert np.array_equal(one.gain[:1], other.gain[:1], equal_nan=True)
    engine = MemoryEngine(table, target, reads=recipe.reads)
    [tables] = list(engine.tabulate([0]))
    found = [best_of_column(ColumnProblem(each, SCHEMA[each.column], recipe)) for each in tables]
    ranks = sorted((each.rank for each in found if each), reverse=True)
    if one.n_nodes > 1 and len({*ranks[:2]}) == len(ranks[:2]):
        assert order[other.column[0]] == one.column[0]
        assert (one.apply(table) == other.apply(shuffled)).all()


@given(problems(missing=False), st.sampled_from([np.exp, lambda x: x**3, lambda x: 1e6 * x + 7]))
@laws
def test_a_monotone_transform_of_the_numbers_leaves_the_partition(problem, transform):
    table, target, recipe = problem
    number, size, colour, other = table.columns
    bent = Table(SCHEMA, (transform(number), size, colour, transform(other)), table.n_rows)
    one, two = grown(table, target, recipe), grown(bent, target, recipe)
    assert (one.apply(table) == two.apply(bent)).all()
    assert np.array_equal(one.gain, two.gain, equal_nan=True)


LIMITS = st.builds(
    Limits,
    max_depth=st.one_of(st.none(), st.integers(1, 4)),
    min_samples_split=st.one_of(st.integers(2, 8), st.floats(0.05, 1.0)),
    min_samples_leaf=st.one_of(st.integers(1, 5), st.floats(0.01, 0.4)),
    min_weight_fraction_leaf=st.sampled_from([0.0, 0.1, 0.3]),
    max_leaf_nodes=st.one_of(st.none(), st.integers(2, 6)),
    min_impurity_decrease=st.sampled_from([0.0, 0.01, 0.1]),
    min_gain=st.sampled_from([None, 0.0, 0.05]),
    min_risk=st.sampled_from([0.0, 0.05, 0.3]),
    min_improvement=st.sampled_from([0.0, 0.1, 0.5]),
)


def improves(tree, node):
    improved = tree.gain[node] * tree.weight[node]
    return improved / tree.risk[node] if tree.criterion == "squared_error" else improved


@given(problems(), LIMITS)
@laws
def test_a_grown_tree_respects_every_limit(problem, limits):
    table, target, recipe = problem
    tree = grown(table, target, recipe, limits=limits)
    n = table.n_rows
    if limits.max_depth is not None:
        assert tree.depth <= limits.max_depth
    if limits.max_leaf_nodes is not None:
        assert tree.n_leaves <= limits.max_leaf_nodes
    for node in np.flatnonzero(~tree.is_leaf):
        children = list(tree.children(int(node)))
        assert tree.cases[node] >= limits.cases_to_split(n)
        rows, weight = tree.cases[children], tree.weight[children]
        large = (rows >= limits.cases_in_leaf(n)) & (weight >= limits.min_weight_fraction_leaf * n)
        assert large.sum() >= 2 if tree.kind[node] == 2 else large.all()
        assert tree.gain[node] * tree.weight[node] / n + 1e-12 >= limits.min_impurity_decrease
        assert limits.min_gain is None or tree.gain[node] > limits.min_gain
        if limits.min_risk:
            assert tree.risk[node] > limits.min_risk * tree.risk[0]
        if limits.min_improvement:
            assert improves(tree, node) > limits.min_improvement * improves(tree, 0)


@given(problems(), st.floats(0.4, 1.0), st.floats(0.01, 1.0), st.integers(0, 6))
@laws
def test_limits_of_classes_stop_where_they_say(problem, purity, significance, events):
    table, target, recipe = problem
    if recipe.task == "regression":
        return
    limits = Limits(purity=purity, significance=significance, min_events=events)
    tree = grown(table, target, recipe, limits=limits)
    for node in np.flatnonzero(~tree.is_leaf):
        assert tree.statistics[node].max() < purity * tree.weight[node]
        assert tree.statistics[node, 1:].sum() >= events
    unlimited = grown(table, target, recipe)
    assert tree.n_nodes <= unlimited.n_nodes


@given(problems(), st.integers(2, 8))
@laws
def test_fewer_leaves_are_a_part_of_the_whole_tree(problem, leaves):
    table, target, recipe = problem
    part, whole = grown(table, target, recipe, limits=Limits(max_leaf_nodes=leaves)), grown(*problem)
    pairs = [(0, 0)]
    while pairs:
        node, of_whole = pairs.pop()
        assert np.array_equal(part.statistics[node], whole.statistics[of_whole])
        if not part.is_leaf[node]:
            assert part.split(node) == whole.split(of_whole)
            pairs += zip(part.children(node), whole.children(of_whole), strict=True)
