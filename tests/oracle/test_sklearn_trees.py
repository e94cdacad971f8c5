"""Scikit-learn grows the same trees: node by node the same gain and, but for ties, the same partition."""

import math
from dataclasses import dataclass, field

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import bough

pytestmark = pytest.mark.slow

# The deviance is twice the entropy in nats, and scikit-learn's log loss is the entropy in bits.
UNITS = {"log_loss": 2 * math.log(2)}
CLASSES, NUMBERS = ("gini", "entropy", "log_loss"), ("squared_error", "absolute_error", "poisson")
CLOSE = 1e-9


@dataclass
class Tally:
    """How many nodes the trees had, how many were compared, and how often the walk ended at a tie."""

    nodes: int = 0
    compared: int = 0
    ties: int = 0

    def check(self):
        """See that the walks did not end before much was compared."""
        assert self.compared > 1000
        assert self.compared > 0.8 * self.nodes
        assert self.ties < self.compared / 10


@dataclass
class Walk:
    """Both trees, walked together over the rows they were grown on."""

    ours: bough.Tree
    theirs: object
    X: np.ndarray
    units: float
    limits: dict[str, float]
    tally: Tally
    rounding: float = 0.0
    met_tie: bool = False
    # Gains, times their weight, of splits that only one of the trees made.
    only_ours: list[float] = field(default_factory=list)
    only_theirs: list[float] = field(default_factory=list)

    def their_gain(self, node):
        tree = self.theirs
        children = [tree.children_left[node], tree.children_right[node]]
        share = tree.weighted_n_node_samples[children] / tree.weighted_n_node_samples[node]
        return self.units * (tree.impurity[node] - share @ tree.impurity[children])

    def compare(self, ours, theirs, rows):
        """Compare a node that both trees have, with the rows in it, and all below it."""
        self.compare_figures(ours, theirs, rows)
        we_split, they_split = not self.ours.is_leaf[ours], self.theirs.children_left[theirs] >= 0
        if we_split != they_split:
            self.compare_end(ours, theirs, we_split)
        if not (we_split and they_split):
            return
        assert self.ours.gain[ours] == pytest.approx(
            self.their_gain(theirs), rel=CLOSE, abs=self.slack(theirs)
        )
        split = self.ours.split(ours)
        left = split.branch(self.X[rows, split.column]) == 0
        their_left = self.X[rows, self.theirs.feature[theirs]] <= self.theirs.threshold[theirs]
        below = [self.theirs.children_left[theirs], self.theirs.children_right[theirs]]
        if (left == their_left).all() or (left != their_left).all():
            same = bool(left[0] == their_left[0])
            first, second = self.ours.children(ours)
            self.compare(first, below[0 if same else 1], rows[left])
            self.compare(second, below[1 if same else 0], rows[~left])
        else:
            self.tally.ties += 1
            self.met_tie = True

    def slack(self, theirs):
        """What rounding may take from a gain: it is a small difference of impurities, they of large sums."""
        return CLOSE * self.units * self.theirs.impurity[theirs] + self.rounding

    def compare_figures(self, ours, theirs, rows):
        self.tally.compared += 1
        assert self.ours.weight[ours] == pytest.approx(self.theirs.weighted_n_node_samples[theirs], rel=1e-12)
        assert len(rows) == self.theirs.n_node_samples[theirs]
        for position in range(max(1, len(self.ours.targets))):
            self.compare_answers(self.ours.target(position), position, ours, theirs)
        if self.ours.task == "classification":
            return
        risk = self.ours.risk[ours] / self.ours.weight[ours]
        halves = 2 if self.ours.criterion == "poisson" else 1
        scale = max(self.theirs.impurity[0], 1.0)
        assert risk == pytest.approx(halves * self.theirs.impurity[theirs], rel=CLOSE, abs=1e-12 * scale)

    def compare_answers(self, tree, position, ours, theirs):
        """Compare the class shares or the mean of one target."""
        values = self.theirs.value[theirs, position]
        if tree.task == "classification":
            # A class whose rows all weigh nothing is one of scikit-learn's, but not of ours.
            weighed = self.theirs.value[0, position] > 0
            shares = tree.statistics[ours] / tree.weight[ours]
            assert shares == pytest.approx(values[weighed], abs=1e-12)
        elif tree.criterion != "absolute_error":
            assert tree.statistics[ours, 0] == pytest.approx(values[0], rel=1e-12, abs=1e-12)

    def compare_end(self, ours, theirs, we_split):
        """Only one tree goes on: for no gain at all, one at the very limit, or equals and too few leaves."""
        gain = self.ours.gain[ours] if we_split else self.their_gain(theirs)
        weighted = gain * self.ours.weight[ours] / self.ours.weight[0]
        least = self.limits.get("min_impurity_decrease", 0.0) * self.units
        if abs(gain) <= self.slack(theirs) or (least and weighted == pytest.approx(least, rel=CLOSE)):
            return
        assert "max_leaf_nodes" in self.limits, f"only one tree splits node {ours}, which gains {gain}"
        (self.only_ours if we_split else self.only_theirs).append(weighted)

    def finish(self):
        """Where the leaves ran out, what one tree split and the other did not must have been equally good."""
        if (self.only_ours or self.only_theirs) and not self.met_tie:
            pairs = [(a, b) for a in self.only_ours for b in self.only_theirs]
            assert any(a == pytest.approx(b, rel=CLOSE) for a, b in pairs)


LIMITS = st.one_of(
    st.just({}),
    st.fixed_dictionaries({"max_depth": st.integers(1, 4)}),
    st.fixed_dictionaries({"min_samples_leaf": st.integers(1, 6) | st.sampled_from([0.05, 0.12])}),
    st.fixed_dictionaries({"min_samples_split": st.integers(2, 12) | st.sampled_from([0.1, 0.33])}),
    st.fixed_dictionaries({"min_weight_fraction_leaf": st.sampled_from([0.03, 0.11, 0.21])}),
    st.fixed_dictionaries({"min_impurity_decrease": st.sampled_from([0.0023, 0.0137, 0.057])}),
    st.fixed_dictionaries({"max_leaf_nodes": st.integers(2, 12)}),
    st.fixed_dictionaries(
        {
            "max_depth": st.integers(2, 5),
            "min_samples_leaf": st.integers(1, 3),
            "min_samples_split": st.integers(2, 6),
            "max_leaf_nodes": st.integers(3, 12),
        }
    ),
)


@st.composite
def problems(draw):
    """Rows, a seed for their y, weights and limits that mean the same in both libraries.

    Values are multiples of 1/64, which float32 holds: scikit-learn casts to it.
    """
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n_rows = draw(st.integers(2, 90))
    kinds = draw(st.lists(st.sampled_from(["continuous", "few", "two"]), min_size=1, max_size=4))
    columns = {
        "continuous": lambda: np.rint(rng.normal(scale=4.0, size=n_rows) * 64) / 64,
        "few": lambda: rng.integers(0, 6, n_rows).astype(float),
        "two": lambda: rng.integers(0, 2, n_rows).astype(float),
    }
    X = np.column_stack([columns[kind]() for kind in kinds])
    limits = draw(LIMITS)
    counts_cases = any(name.startswith("min_samples") for name in limits)
    is_share = any(name.startswith("min_samples") and limits[name] < 1 for name in limits)
    # Scikit-learn counts rows, whatever they weigh; bough counts a row of weight 2 twice.
    kind = draw(st.sampled_from(["none"] if is_share else ["none", "fractions"] if counts_cases else WEIGHTS))
    return X, rng, drawn_weights(kind, rng, n_rows), limits


WEIGHTS = ["none", "fractions", "whole"]


def drawn_weights(kind, rng, n_rows):
    if kind == "none":
        return None
    whole = kind == "whole"
    weight = rng.integers(0, 4 if whole else 24, n_rows) / (1 if whole else 8)
    weight[0] = 1.0 if whole else 0.5625
    return weight


def signal(X, rng):
    return X[:, 0] - 2 * (X[:, -1] > np.median(X[:, -1])) + rng.normal(scale=1.5, size=len(X))


def walk(ours, theirs, X, weight, limits, tally, units=1.0, rounding=0.0):
    rows = np.arange(len(X)) if weight is None else np.flatnonzero(weight)
    both = Walk(ours.tree_, theirs.tree_, X, units, limits, tally, rounding)
    tally.nodes += both.ours.n_nodes
    both.compare(0, 0, rows)
    both.finish()


many = settings(
    max_examples=300, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)


@pytest.mark.parametrize("criterion", CLASSES)
def test_classification_trees_are_scikit_learns(criterion):
    tally, units = Tally(), UNITS.get(criterion, 1.0)

    @given(problem=problems(), n_classes=st.integers(2, 5))
    @many
    def agree(problem, n_classes):
        X, rng, weight, limits = problem
        y = np.floor(signal(X, rng) / 2).astype(int) % n_classes
        in_units = dict(limits)
        if "min_impurity_decrease" in limits:
            in_units["min_impurity_decrease"] = limits["min_impurity_decrease"] * units
        ours = bough.TreeClassifier(criterion, **in_units).fit(X, y, weight)
        theirs = DecisionTreeClassifier(criterion=criterion, random_state=0, **limits).fit(X, y, weight)
        walk(ours, theirs, X, weight, limits, tally, units)

    agree()
    tally.check()


@pytest.mark.parametrize("criterion", NUMBERS)
def test_regression_trees_are_scikit_learns(criterion):
    tally = Tally()

    @given(problem=problems(), rounded=st.booleans())
    @many
    def agree(problem, rounded):
        X, rng, weight, limits = problem
        y = signal(X, rng)
        y = np.rint(y) if rounded else y
        if criterion == "poisson":
            y = np.abs(y)
            y[0] += 1.0
        ours = bough.TreeRegressor(criterion, **limits).fit(X, y, weight)
        theirs = DecisionTreeRegressor(criterion=criterion, random_state=0, **limits).fit(X, y, weight)
        largest = np.abs(y).max() ** (2 if criterion == "squared_error" else 1)
        walk(ours, theirs, X, weight, limits, tally, rounding=1e-14 * largest)

    agree()
    tally.check()


@pytest.mark.parametrize("criterion", CLASSES)
def test_classification_trees_of_several_targets_are_scikit_learns(criterion):
    tally, units = Tally(), UNITS.get(criterion, 1.0)

    @given(problem=problems(), n_classes=st.lists(st.integers(1, 5), min_size=2, max_size=7))
    @many
    def agree(problem, n_classes):
        X, rng, weight, limits = problem
        limits.pop("min_impurity_decrease", None)
        y = np.stack([np.floor(signal(X, rng) / 2).astype(int) % k for k in n_classes], axis=1)
        ours = bough.TreeClassifier(criterion, **limits).fit(X, y, weight)
        theirs = DecisionTreeClassifier(criterion=criterion, random_state=0, **limits).fit(X, y, weight)
        walk(ours, theirs, X, weight, limits, tally, units)

    agree()
    tally.check()


@pytest.mark.parametrize("criterion", ["squared_error", "poisson"])
def test_regression_trees_of_several_targets_are_scikit_learns(criterion):
    tally = Tally()

    @given(problem=problems(), scales=st.lists(st.sampled_from([1.0, 0.03, 0.5]), min_size=2, max_size=7))
    @many
    def agree(problem, scales):
        X, rng, weight, limits = problem
        y = np.stack([scale * np.rint(2 * signal(X, rng)) for scale in scales], axis=1)
        if criterion == "poisson":
            y = np.abs(y) + 0.25
        ours = bough.TreeRegressor(criterion, **limits).fit(X, y, weight)
        theirs = DecisionTreeRegressor(criterion=criterion, random_state=0, **limits).fit(X, y, weight)
        largest = np.abs(y).max() ** (2 if criterion == "squared_error" else 1)
        walk(ours, theirs, X, weight, limits, tally, rounding=1e-14 * largest)

    agree()
    tally.check()
