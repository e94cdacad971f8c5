"""Sweeps find what trying everything finds; the native ones and those for a user's criterion agree."""

import itertools
from dataclasses import replace

import numpy as np
import pytest

from bough import _core
from bough.engines.combinations.bivariate import best_line, best_lines
from bough.engines.combinations.linear import best_combination
from bough.engines.combinations.sweep import NodeRows, best_cut, best_step, combined, refined, standardized
from bough.growing import criterion
from bough.growing.search import ChildLimits


def ground_of(x, classes, least=1.0, own=False):
    """Rows of classes 0, 1, …, not standardized; with `own` Gini is as if the user had written it."""
    enough = ChildLimits(least, 0.0)

    def judge(children, cases):
        values = np.full(len(children), -np.inf)
        met = enough.met("threshold", cases, children.sum(axis=2))
        values[met] = criterion.value("gini", children[met]) if met.any() else []
        return values

    node_rows = NodeRows.of_classes(x, classes.tolist(), judge if own else "gini")
    return replace(node_rows, x=np.asfortranarray(x), scale=np.ones(x.shape[1]), enough=enough)


def gini_of(low, classes):
    """The value of a split by trying it, −inf where a side is empty."""
    counts = np.eye(max(classes) + 1)[classes]
    if not 0 < low.sum() < len(low):
        return -np.inf
    return criterion.value("gini", [counts[low].sum(axis=0), counts[~low].sum(axis=0)])


def rows(seed, n, width=2, kinds=3, whole=False):
    rng = np.random.default_rng(seed)
    x = rng.integers(0, 4, size=(n, width)).astype(float) if whole else rng.normal(size=(n, width))
    return x, rng.integers(0, kinds, size=n)


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("whole", [False, True])
def test_the_best_cut_is_the_best_of_all_cuts(seed, whole):
    x, classes = rows(seed, 20, whole=whole)
    found = best_cut(ground_of(x, classes), np.ascontiguousarray(x[:, 0]))
    best = max(gini_of(x[:, 0] < cut, classes) for cut in x[:, 0])
    assert found.value == pytest.approx(best, abs=1e-12)
    assert gini_of(x[:, 0] < found.cut, classes) == pytest.approx(best, abs=1e-12)


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("gamma", [-0.25, 0.0, 0.25, 1.0])
@pytest.mark.parametrize("whole", [False, True])
def test_the_best_step_is_the_best_of_all_steps_between_turns(seed, gamma, whole):
    x, classes = rows(seed, 15, whole=whole)
    v, cut = np.ascontiguousarray(x[:, 0]), 0.5
    step = best_step(ground_of(x, classes), v, cut, np.ascontiguousarray(x[:, 1]), gamma)
    slope = x[:, 1] + gamma
    turns = np.unique((v[slope != 0] - cut) / slope[slope != 0])
    deltas = (turns[:-1] + turns[1:]) / 2
    values = [gini_of(v - delta * slope < cut, classes) for delta in deltas]
    assert step.value == pytest.approx(max(values), abs=1e-12)
    assert gini_of(v - step.delta * slope < cut, classes) == pytest.approx(step.value, abs=1e-12)


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("whole", [False, True])
def test_the_best_line_of_a_small_node_is_the_best_of_all_lines(seed, whole):
    x, classes = rows(seed, 12, whole=whole)
    _, found = best_line(ground_of(x, classes))
    best = -np.inf
    for one, other in itertools.combinations(range(len(x)), 2):
        # Every split by a line is met by turning the line through two rows a little, either way.
        across, up = x[other] - x[one]
        if across == up == 0:
            continue
        for turn in (-1e-7, 1e-7):
            normal = np.array([-up - turn * across, across - turn * up])
            v = x @ normal
            cuts = np.unique(v)
            best = max([best, *(gini_of(v < cut, classes) for cut in cuts[1:])])
    assert found.value == pytest.approx(best, abs=1e-12)


def test_a_line_keeps_to_the_least_cases_of_a_child():
    x, classes = rows(3, 40, kinds=2)
    weights, cut = best_line(ground_of(x, classes, least=15.0))
    low = combined(x, weights) < cut.cut
    assert min(low.sum(), (~low).sum()) >= 15


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("n", [60, 3000])
@pytest.mark.parametrize("whole", [False, True])
def test_a_function_of_the_user_is_searched_as_the_native_criterion(seed, n, whole):
    x, classes = rows(seed, n, width=3, whole=whole)
    x = x - 1.5
    native, own = ground_of(x, classes), ground_of(x, classes, own=True)
    start = np.eye(3)[0]
    v = combined(x, start)
    assert best_cut(native, v) == best_cut(own, v)
    ours, theirs = refined(native, start, best_cut(native, v)), refined(own, start, best_cut(own, v))
    assert np.array_equal(ours[0], theirs[0])
    assert ours[1] == theirs[1]


def test_refining_never_makes_a_combination_worse():
    for seed in range(20):
        x, classes = rows(seed, 80, width=4)
        node_rows = ground_of(x, classes)
        start = best_cut(node_rows, np.ascontiguousarray(x[:, 1]))
        weights, found = refined(node_rows, np.eye(4)[1], start)
        assert found.value >= start.value
        assert best_cut(node_rows, combined(x, weights)) == found


def test_columns_that_do_not_matter_are_deleted():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(300, 6))
    classes = (x[:, 1] + x[:, 4] > 0).astype(int)
    places, _, found = best_combination(ground_of(x, classes), deletion=0.2)
    assert places == (1, 4)
    assert found.value > 0.45
    assert best_combination(ground_of(x, (x[:, 2] > 0).astype(int)), deletion=0.2) is None


def test_the_less_is_deleted_the_more_columns_stay():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(300, 3))
    node_rows = ground_of(x, (x[:, 0] + x[:, 1] + 0.2 * x[:, 2] > 0).astype(int))
    assert best_combination(node_rows, deletion=0.0)[0] == (0, 1, 2)
    assert best_combination(node_rows, deletion=0.5)[0] == (0, 1)


def test_the_lines_are_the_same_on_any_number_of_threads():
    x, classes = rows(5, 50, width=5)
    pairs = [*itertools.combinations(range(5), 2)]
    node_rows = ground_of(x, classes)
    one, three = best_lines(node_rows, pairs, n_jobs=1), best_lines(node_rows, pairs, n_jobs=3)
    assert all(np.array_equal(a[0], b[0]) and a[1] == b[1] for a, b in zip(one, three, strict=True))


def test_a_constant_column_and_one_out_of_range_have_no_scale():
    values = np.array([[1.0, -1e308, 3.0], [1.0, 1e308, 3.0], [1.0, 1e308, 4.0]])
    _, scale = standardized(values, np.ones(3))
    assert scale.tolist() == [0.0, 0.0, 1.0]


def test_a_weight_of_two_is_standardized_as_two_rows():
    values, weight = np.random.default_rng(0).normal(size=(9, 2)), np.arange(1.0, 10.0)
    x, scale = standardized(values, weight)
    repeats = weight.astype(int)
    rows_of_one = standardized(np.repeat(values, repeats, axis=0), np.ones(45))
    assert np.array_equal(np.repeat(x, repeats, axis=0), rows_of_one[0])
    assert np.array_equal(scale, rows_of_one[1])


def test_a_combination_whose_coefficient_overflows_is_no_formula():
    x, classes = rows(0, 10)
    node_rows = ground_of(x, classes)
    wild = replace(node_rows, scale=np.array([1e300, 1e-300]))
    assert wild.formula((0, 1), np.array([1.0, 1.0])) is None


def test_native_sweeps_refuse_arrays_that_do_not_go_together():
    two, three = np.ones((2, 2)), np.ones(3)
    task = ("gini", two, np.ones(2), 2.0, 1.0, 0.0)
    for call in (
        lambda: _core.best_cut(*task, three),
        lambda: _core.best_cut("gini", two, three, 2.0, 1.0, 0.0, np.ones(2)),
        lambda: _core.best_step(*task, np.ones(2), 0.0, three, 0.0),
        lambda: _core.best_angle(*task, np.ones(2), three),
        lambda: _core.best_cut("absolute_error", *task[1:], np.ones(2)),
        lambda: _core.best_cut("squared_error", np.ones((2, 1)), *task[2:], np.ones(2)),
    ):
        with pytest.raises(ValueError, match=r"a row|swept|columns"):
            call()


def test_sweeping_nothing_finds_nothing():
    task = ("gini", np.ones((0, 2)), np.ones(0), 2.0, 1.0, 0.0)
    none = np.ones(0)
    assert _core.best_cut(*task, none)[0] == -np.inf
    assert _core.best_angle(*task, none, none)[0] == -np.inf
    assert _core.best_step(*task, none, 0.0, none, 0.0)[0] == -np.inf
