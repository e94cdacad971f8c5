"""What every engine must do; a new engine joins `ENGINES`."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.engines.group_by_engine import GroupByEngine
from tests.laws.test_native import assert_same_tree, random_weights
from tests.laws.test_surrogates import random_problem

from bough.data.schema import Column, Schema
from bough.data.table import Table
from bough.data.target import ClassTarget, Weights, read_weights
from bough.engines import native
from bough.engines.memory import MemoryEngine
from bough.errors import ParameterError, TargetError
from bough.growing.engine import Engine, Routing
from bough.growing.growth import grow
from bough.growing.limits import Limits
from bough.growing.recipe import Recipe
from bough.tree.alternatives import AlternativeSplit
from bough.tree.split import Levels, Threshold

ENGINES = {"memory": MemoryEngine, "group_by": GroupByEngine}

SCHEMA = Schema((Column("age", "numeric"), Column("colour", "nominal", ("red", "green", "blue"))))
AGE = np.array([30.0, 20.0, np.nan, 20.0, 40.0, 30.0])
COLOUR = np.array([0, 2, 2, -1, 0, 2], dtype=np.int32)
TABLE = Table(SCHEMA, (AGE, COLOUR), 6)
CLASSES = ClassTarget(("no", "yes"), np.array([0, 1, 1, 1, 0, 1], dtype=np.int32))
NUMBERS = np.array([1.0, 2.0, 4.0, 8.0, 16.0, 32.0])


@pytest.fixture(params=ENGINES.values(), ids=ENGINES.keys())
def make(request):
    """Make an engine over the table above."""
    return lambda *args, **options: request.param(TABLE, *args, **options)


def tables(engine: Engine, leaf: int = 0):
    [tables] = list(engine.tabulate([leaf]))
    return tables


def test_class_weights_are_summed_by_value(make):
    age, colour = tables(make(CLASSES))
    assert age.values.tolist() == [20, 30, 40]
    assert age.statistics.tolist() == [[0, 2], [1, 1], [1, 0]]
    assert age.cases.tolist() == [2, 2, 1]
    assert age.missing.tolist() == [0, 1]
    assert age.missing_cases == 1
    assert colour.values.tolist() == [0, 2]
    assert colour.statistics.tolist() == [[2, 0], [0, 3]]
    assert age.weight == colour.weight == 6


def test_a_whole_weight_counts_cases_and_a_row_without_weight_is_absent(make):
    weights = read_weights([2, 0, 1, 1, 1, 1], 6)
    age, colour = tables(make(CLASSES, weights))
    assert age.statistics.tolist() == [[0, 1], [2, 1], [1, 0]]
    assert age.cases.tolist() == [1, 3, 1]
    assert colour.statistics.tolist() == [[3, 0], [0, 2]]


def test_fractions_are_summed_exactly(make):
    weights = read_weights([0.1] * 6, 6)
    engine = make(CLASSES, weights)
    age, _ = tables(engine)
    assert (age.statistics == np.rint(age.statistics)).all()
    assert age.cases.tolist() == [2, 2, 1]
    [node] = engine.summarize([0])
    assert node.weight == pytest.approx(0.6)
    assert node.statistics == pytest.approx([0.2, 0.4])
    assert node.cases == 6


@pytest.mark.parametrize("reads", ["moments", "rates"])
@pytest.mark.parametrize("weights", [None, [2, 1, 1, 3, 1, 1], [0.3, 0.7, 1.0, 2.5, 0.1, 0.2]])
def test_moments_of_numbers(make, reads, weights):
    w = np.ones(6) if weights is None else np.array(weights, float)
    engine = make(NUMBERS, read_weights(weights, 6), reads=reads)
    age, _ = tables(engine)
    assert (age.statistics[:, :2] == np.rint(age.statistics[:, :2])).all()
    for value, row in zip(age.values, age.grid.moments(age.statistics), strict=True):
        y, v = NUMBERS[value == AGE], w[value == AGE]
        assert row == pytest.approx([v.sum(), (v * y).sum(), (v * y * y).sum()])


@pytest.mark.parametrize("weights", [None, [0.3, 0.7, 1.0, 2.5, 0.1, 0.2]])
def test_values_of_numbers(make, weights):
    w = np.ones(6) if weights is None else np.array(weights, float)
    engine = make(NUMBERS, read_weights(weights, 6), reads="values")
    age, _ = tables(engine)
    assert age.grid.target(age.targets) == pytest.approx(NUMBERS)
    assert age.grid.weight(age.statistics[0]) == pytest.approx([0, w[1], 0, w[3], 0, 0])


@pytest.mark.parametrize("weights", [None, [2, 1, 1, 3, 1, 1], [0.3, 0.7, 1.0, 2.5, 0.1, 0.2]])
def test_a_summary_tells_answer_and_risk(make, weights):
    w = np.ones(6) if weights is None else np.array(weights, float)
    mean = (w * NUMBERS).sum() / w.sum()

    def summary(reads):
        return make(NUMBERS, read_weights(weights, 6), reads=reads).summarize([0])[0]

    node = summary("moments")
    assert node.statistics == pytest.approx([mean])
    assert node.risk == pytest.approx((w * (NUMBERS - mean) ** 2).sum())
    assert (node.lowest, node.highest) == (1.0, 32.0)
    node = summary("rates")
    assert node.statistics == pytest.approx([mean])
    deviance = 2 * w * (NUMBERS * np.log(NUMBERS / mean) - (NUMBERS - mean))
    assert node.risk == pytest.approx(deviance.sum())
    assert node.events == pytest.approx((w * NUMBERS).sum())
    node = summary("values")
    errors = [(w * np.abs(NUMBERS - y)).sum() for y in NUMBERS]
    assert node.risk == pytest.approx(min(errors))
    if weights is None:
        assert node.statistics == [6.0]


def test_classes_are_summarized(make):
    [node] = make(CLASSES).summarize([0])
    assert (node.weight, node.cases, node.risk, node.events) == (6, 6, 2, 4)
    assert node.statistics.tolist() == [2, 4]


def test_rows_go_where_the_split_sends_them_and_the_others_to_the_default(make):
    engine = make(CLASSES)
    engine.route({0: Routing(Threshold(0, 25.0), default_branch=0, first_child=1)})
    older, younger = tables(engine, 2)[0], tables(engine, 1)[0]
    assert older.values.tolist() == [30, 40]
    assert younger.values.tolist() == [20]
    assert younger.missing_cases == 1
    colours = Levels(1, "complete", (0, 1, 2), (0, 1, 2), 3)
    engine.route({2: Routing(colours, default_branch=0, first_child=5)})
    assert [node.cases for node in engine.summarize([5, 6, 7])] == [2, 0, 1]


def test_rows_without_a_default_stay(make):
    engine = make(CLASSES)
    engine.route({0: Routing(Threshold(0, 25.0), default_branch=-1, first_child=1)})
    assert [node.cases for node in engine.summarize([0, 1, 2])] == [1, 2, 3]


@pytest.mark.parametrize("target", [CLASSES, NUMBERS])
def test_an_empty_leaf_is_all_zeros(make, target):
    engine = make(target)
    engine.route({0: Routing(Threshold(0, 99.0), default_branch=0, first_child=1)})
    [node] = engine.summarize([2])
    assert (node.weight, node.cases, node.risk) == (0, 0, 0)
    assert not node.statistics.any()


def test_counts_of_events_must_be_counts(make):
    with pytest.raises(TargetError, match="negative"):
        make(-NUMBERS, reads="rates")
    with pytest.raises(TargetError, match="sum of y is not positive"):
        make(NUMBERS * 0, reads="rates")


def test_target_and_statistics_must_fit(make):
    with pytest.raises(ParameterError, match="holds classes"):
        make(CLASSES, reads="moments")
    with pytest.raises(ParameterError, match="holds numbers"):
        make(NUMBERS, reads="classes")
    with pytest.raises(TargetError, match="y has 5 rows and X has 6"):
        make(NUMBERS[:5])


def test_weights_too_small_for_the_grid_are_absent(make):
    weights = Weights(np.array([1e-300, 1.0, 1.0, 1.0, 1.0, 0.5]), None, whole=False)
    assert make(CLASSES, weights).summarize([0])[0].cases == 5


def test_extreme_targets_are_measured(make):
    y = np.array([-1.7e308, 1.7e308, 0.0, 1.0, 2.0, 3.0])
    [node] = make(y).summarize([0])
    assert node.statistics[0] == pytest.approx(1.0, abs=1e300)
    assert make(np.full(6, 5e-300) + np.arange(6) * 1e-305).summarize([0])[0].risk == 0.0


def test_the_page_on_engines_quotes_the_engine_tested_here():
    code = (Path(__file__).parent / "group_by_engine.py").read_text(encoding="utf-8")
    page = (Path(__file__).parents[2] / "docs" / "howto" / "add-an-engine.md").read_text(encoding="utf-8")
    assert code[code.index("import duckdb") :] in page


def test_tables_against_a_split_count_the_branch_of_each_row(make):
    """A row that the split cannot place adds nothing, but its value is listed."""
    engine = make(CLASSES, read_weights([2, 1, 1, 1, 3, 1], 6))
    colours = Levels(1, "subset", (0, 2), (0, 1), 2)
    [[age, colour]] = list(engine.tabulate([0], against={0: colours}))
    assert age.values.tolist() == [20, 30, 40]
    assert age.statistics.tolist() == age.branch_cases.tolist() == [[0, 1], [2, 1], [3, 0]]
    assert (age.missing.tolist(), age.missing_cases) == ([0, 1], 1)
    assert colour.statistics.tolist() == [[5, 0], [0, 3]]
    [[age, _]] = list(engine.tabulate([0], against={0: Levels(1, "subset", (2,), (1,), 2)}))
    assert age.values.tolist() == [20, 30, 40]
    assert age.statistics.tolist() == [[0, 1], [0, 1], [0, 0]]


def test_surrogates_send_what_the_split_cannot_place(make):
    engine = make(CLASSES, read_weights([1, 1, 1, 2, 1, 1], 6))
    twin = AlternativeSplit(Threshold(0, 25.0), turned=True, value=0.9, adjusted=0.8, cases=0.0)
    never = AlternativeSplit(Threshold(0, 35.0), turned=False, value=0.8, adjusted=0.7, cases=0.0)
    colours = Levels(1, "subset", (0,), (0,), 2)
    routing = Routing(colours, default_branch=-1, first_child=1, surrogates=(twin, never))
    sent = engine.route({0: routing})
    # Rows 1, 3 and 5 have another colour or none; their ages are 20, 20 and 30. Row 2 has neither.
    assert sent[0].tolist() == [4, 0]
    assert [node.cases for node in engine.summarize([0, 1, 2])] == [1, 3, 3]


@pytest.mark.slow
@pytest.mark.parametrize("engine", ENGINES.values(), ids=ENGINES.keys())
@pytest.mark.parametrize("criterion", ["gini", "squared_error", "poisson", "absolute_error"])
@settings(max_examples=16, deadline=None)
@given(seed=st.integers(0, 2**32 - 1))
def test_every_engine_grows_the_tree_of_the_native_one(engine, criterion, seed):
    rng = np.random.default_rng(seed)
    task = "classification" if criterion == "gini" else "regression"
    table, target = random_problem(rng, task)
    weights = (
        random_weights(rng, table.n_rows) if criterion != "absolute_error" else Weights(None, None, True)
    )
    recipe = Recipe(
        criterion,
        limits=Limits(max_depth=3, min_samples_leaf=2),
        missing=str(rng.choice(["majority", "learned", "own_level", "surrogates_then_majority"])),
        task=task,
    )
    grown = grow(engine(table, target, weights, reads=recipe.reads), recipe)
    known = native.grow(table, target, weights, recipe)
    assert_same_tree(known, grown)
    assert known.surrogates == grown.surrogates
