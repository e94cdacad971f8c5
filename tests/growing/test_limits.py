import numpy as np
import pytest

from bough.errors import ParameterError
from bough.growing.engine import NodeStatistics
from bough.growing.limits import Limits


def node(*counts: float, cases: float | None = None) -> NodeStatistics:
    statistics = np.array(counts, dtype=float)
    weight = float(statistics.sum())
    return NodeStatistics(
        weight, weight if cases is None else cases, statistics, weight - max(counts), weight - counts[0]
    )


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("max_depth", [0, -1, 1.5, True, "3"]),
        ("max_leaf_nodes", [1, 0, 2.5]),
        ("min_samples_split", [1, 0, -2, 0.0, 1.5, None, "2"]),
        ("min_samples_leaf", [0, -1, 1.0, 0.0, float("nan")]),
        ("min_weight_fraction_leaf", [-0.1, 0.6, None]),
        ("min_impurity_decrease", [-1.0, float("inf")]),
        ("min_gain", [float("nan"), "much"]),
        ("purity", [0.0, 1.1]),
        ("significance", [0.0, 2.0]),
        ("min_variance", [-1.0]),
        ("min_events", [-1.0, True]),
    ],
)
def test_a_wrong_limit_is_refused_by_name(name, wrong):
    for value in wrong:
        with pytest.raises(ParameterError, match=f"{name} is "):
            Limits(**{name: value})


def test_fractions_are_of_the_roots_cases_rounded_up():
    limits = Limits(min_samples_split=0.1, min_samples_leaf=0.04)
    assert limits.cases_in_leaf(101) == 5
    assert limits.cases_to_split(101) == 11
    assert Limits(min_samples_leaf=0.3).cases_to_split(10) == 6


ROOT = node(60, 40)


@pytest.mark.parametrize(
    ("limits", "leaf", "depth", "may"),
    [
        (Limits(), node(1, 1), 9, True),
        (Limits(), node(2, 0), 0, False),
        (Limits(max_depth=2), node(5, 5), 1, True),
        (Limits(max_depth=2), node(5, 5), 2, False),
        (Limits(min_samples_split=11), node(5, 5), 0, False),
        (Limits(min_samples_split=10), node(5, 5), 0, True),
        (Limits(min_samples_split=10), node(5, 5, cases=9), 0, False),
        (Limits(min_samples_leaf=6), node(5, 5), 0, False),
        (Limits(purity=0.8), node(8, 2), 0, False),
        (Limits(purity=0.81), node(8, 2), 0, True),
        (Limits(min_events=3), node(8, 2), 0, False),
        (Limits(min_events=2), node(8, 2), 0, True),
    ],
)
def test_a_leaf_is_splittable_if_every_limit_lets_it_be(limits, leaf, depth, may):
    assert limits.splittable(leaf, depth, ROOT) is may


def test_numbers_stop_when_equal_or_when_their_variance_is_small():
    def numbers(lowest, highest, risk):
        return NodeStatistics(4.0, 4.0, np.array([1.0]), risk, 0.0, lowest, highest)

    root = numbers(0.0, 9.0, 100.0)
    assert Limits().splittable(numbers(1.0, 2.0, 1.0), 0, root)
    assert not Limits().splittable(numbers(1.0, 1.0, 0.0), 0, root)
    assert not Limits(min_variance=0.3).splittable(numbers(1.0, 2.0, 1.0), 0, root)
    assert Limits(min_variance=0.25).splittable(numbers(1.0, 2.0, 1.0), 0, root)


def test_a_split_must_gain_enough():
    leaf, children = node(10, 10), np.array([[9.0, 1.0], [1.0, 9.0]])
    assert Limits().worthwhile(0.0, leaf, ROOT, children)
    assert not Limits(min_gain=0.0).worthwhile(0.0, leaf, ROOT, children)
    assert Limits(min_gain=0.0).worthwhile(1e-9, leaf, ROOT, children)
    # 0.5 for a fifth of the weight is a decrease of 0.1 of the whole
    assert Limits(min_impurity_decrease=0.1).worthwhile(0.5, leaf, ROOT, children)
    assert not Limits(min_impurity_decrease=0.11).worthwhile(0.5, leaf, ROOT, children)


def test_significance_is_that_of_pearsons_test():
    leaf = node(10, 10)
    # chi-square 3.2 on one degree of freedom: p = 0.0736
    children = np.array([[7.0, 3.0], [3.0, 7.0]])
    assert not Limits(significance=0.0736).worthwhile(1.0, leaf, ROOT, children)
    assert Limits(significance=0.0737).worthwhile(1.0, leaf, ROOT, children)


def test_only_limits_that_were_set_are_told():
    assert Limits().to_json() == {}
    told = Limits(max_depth=np.int64(3), min_samples_leaf=0.1).to_json()
    assert told == {"max_depth": 3, "min_samples_leaf": 0.1}
    assert type(told["max_depth"]) is int
