"""Stopping rules: when a leaf may not be split, and when a split gains too little."""

import math
from dataclasses import dataclass, fields
from numbers import Real
from typing import Any, TypeGuard

import numpy as np

import bough._core as _core
from bough.data.views import changed_fields
from bough.errors import ParameterError
from bough.growing.engine import NodeStatistics
from bough.types import Floats, is_whole

# As in scikit-learn, a decrease may miss the bound by a rounding error.
_ROUNDING = float(np.finfo(np.float64).eps)
_GREATEST = float(np.finfo(np.float64).max)
# The depth and the number of leaves that native code takes for none.
_NO_LIMIT = 2**31 - 1


@dataclass(frozen=True, repr=False)
class Limits:
    """Stopping rules of a tree. A leaf is split only if every rule allows it.

    | rule                       | a leaf is not split if                                                   |
    |----------------------------|--------------------------------------------------------------------------|
    | `max_depth`                | its depth is at least this                                               |
    | `min_samples_split`        | it has fewer cases, or less than this fraction of the root's             |
    | `min_samples_leaf`         | a child with any case would have fewer, or less than this fraction       |
    | `min_samples_branch`       | fewer than two children would have this many cases, or this fraction     |
    | `min_weight_fraction_leaf` | a child with any case would have less of the root's weight               |
    | `max_leaf_nodes`           | the tree would have more leaves; splits are made in order of their gain  |
    | `min_impurity_decrease`    | gain · weight / root weight is less                                      |
    | `min_gain`                 | the gain by the criterion is not above it                                |
    | `purity`                   | one class has at least this fraction of its weight                       |
    | `significance`             | the chi-square test of children against classes has a greater p-value    |
    | `min_variance`             | its risk per weight (for squared error the variance of y) is less        |
    | `min_events`               | the weight of the classes after the first, or the sum of y, is less      |
    | `min_risk`                 | its risk is at most this fraction of the root's                          |
    | `min_improvement`          | its best split improves at most by this fraction of the root's           |

    `min_samples_branch` is Quinlan's option -m: the other children of a complete split may be smaller. For
    splits with two children it is equivalent to `min_samples_leaf`. The improvement of a split is its gain
    times the weight of the node, for squared error divided by the node's risk.

    >>> Limits(max_depth=3, min_samples_leaf=5).min_samples_leaf
    5
    >>> Limits(max_depth=0)
    Traceback (most recent call last):
    bough.errors.ParameterError: max_depth is 0; it must be a whole number of at least 1, or None.
    """

    max_depth: int | None = None
    min_samples_split: int | float = 2
    min_samples_leaf: int | float = 1
    min_samples_branch: int | float = 1
    min_weight_fraction_leaf: float = 0.0
    max_leaf_nodes: int | None = None
    min_impurity_decrease: float = 0.0
    min_gain: float | None = None
    purity: float = 1.0
    significance: float | None = None
    min_variance: float = 0.0
    min_events: float = 0.0
    min_risk: float = 0.0
    min_improvement: float = 0.0

    def __repr__(self) -> str:
        return changed_fields(self)

    def __post_init__(self) -> None:
        for name, least in (("max_depth", 1), ("max_leaf_nodes", 2)):
            if getattr(self, name) is not None:
                check_whole(name, getattr(self, name), least, end=", or None")
        _check_cases("min_samples_split", self.min_samples_split, least=2, one=True)
        _check_cases("min_samples_leaf", self.min_samples_leaf, least=1, one=False)
        _check_cases("min_samples_branch", self.min_samples_branch, least=1, one=False)
        check_number("min_weight_fraction_leaf", self.min_weight_fraction_leaf, 0.0, 0.5)
        check_number("min_impurity_decrease", self.min_impurity_decrease, 0.0)
        check_number("min_variance", self.min_variance, 0.0)
        check_number("min_events", self.min_events, 0.0)
        check_number("min_risk", self.min_risk, 0.0)
        check_number("min_improvement", self.min_improvement, 0.0)
        check_number("purity", self.purity, 0.0, 1.0, above=True)
        if self.min_gain is not None:
            check_number("min_gain", self.min_gain, -math.inf, end=", or None")
        if self.significance is not None:
            check_number("significance", self.significance, 0.0, 1.0, above=True, end=", or None")

    @classmethod
    def of(cls, learner: Any) -> "Limits":
        """Return the limits that a learner has as parameters.

        >>> from bough import ID3Classifier
        >>> Limits.of(ID3Classifier(max_depth=3))
        Limits(max_depth=3)
        """
        return cls(**{name: getattr(learner, name) for name in _DEFAULTS if hasattr(learner, name)})

    def cases_to_split(self, root_cases: float) -> float:
        """Return the number of cases that a leaf needs to be split.

        >>> Limits(min_samples_split=0.05).cases_to_split(150)
        8.0
        """
        least = max(2.0, _cases(self.min_samples_split, root_cases))
        return max(least, 2.0 * self.cases_in_branch(root_cases))

    def cases_in_leaf(self, root_cases: float) -> float:
        """Return the number of cases that every nonempty child needs.

        >>> Limits(min_samples_leaf=5).cases_in_leaf(150)
        5.0
        """
        return _cases(self.min_samples_leaf, root_cases)

    def cases_in_branch(self, root_cases: float) -> float:
        """Return the number of cases that at least two children need.

        >>> Limits(min_samples_leaf=2, min_samples_branch=5).cases_in_branch(150)
        5.0
        """
        return max(self.cases_in_leaf(root_cases), _cases(self.min_samples_branch, root_cases))

    def native(self, root_cases: float) -> dict[str, Any]:
        """Return the rules that every native grower has, as its arguments.

        >>> Limits(min_samples_leaf=0.1).native(50.0)["min_cases_leaf"]
        5.0
        """
        return {
            "max_depth": _NO_LIMIT if self.max_depth is None else min(int(self.max_depth), _NO_LIMIT),
            "max_leaves": min(int(self.max_leaf_nodes or 0), _NO_LIMIT),
            "min_cases_split": self.cases_to_split(root_cases),
            "min_cases_leaf": self.cases_in_leaf(root_cases),
            "min_weight_fraction_leaf": self.min_weight_fraction_leaf,
            "min_decrease": self.min_impurity_decrease,
        }

    def splittable(self, node: NodeStatistics, depth: int, root: NodeStatistics) -> bool:
        """Whether a leaf at this depth may be split at all.

        >>> root = NodeStatistics(8.0, 8.0, np.array([6.0, 2.0]), risk=2.0, events=2.0)
        >>> Limits().splittable(root, 0, root), Limits(purity=0.75).splittable(root, 0, root)
        (True, False)
        """
        if self.max_depth is not None and depth >= self.max_depth:
            return False
        if node.cases < self.cases_to_split(root.cases):
            return False
        if node.is_pure(self.purity) or node.events < self.min_events:
            return False
        if self.min_risk > 0 and not node.risk > self.min_risk * root.risk:
            return False
        return not node.risk / node.weight < self.min_variance

    def worthwhile(
        self,
        value: float,
        node: NodeStatistics,
        root: NodeStatistics,
        children: Floats,
        improves: tuple[float, float] = (math.inf, 0.0),
    ) -> bool:
        """Whether a split of this gain, with these class weights in its children, gains enough.

        `improves` holds the improvement of the split and that of the root's split.

        >>> node = NodeStatistics(8.0, 8.0, np.array([4.0, 4.0]), risk=4.0, events=4.0)
        >>> children = np.array([[2.0, 0.0], [2.0, 4.0]])
        >>> Limits(min_gain=0.1).worthwhile(0.17, node, node, children)
        True
        >>> Limits(significance=0.05).worthwhile(0.17, node, node, children)
        False
        """
        if self.min_gain is not None and not value > self.min_gain:
            return False
        if self.min_improvement > 0 and not improves[0] > self.min_improvement * improves[1]:
            return False
        least = self.min_impurity_decrease
        # A bound of 0 is not checked, because a user-written criterion may be negative.
        if least > 0 and value * node.weight / root.weight + _ROUNDING < least:
            return False
        if self.significance is None:
            return True
        statistic, degrees = _core.pearson(np.ascontiguousarray(children))
        return bool(_core.chi_square_survival(statistic, degrees) <= self.significance)

    def to_json(self) -> dict[str, Any]:
        """Return the rules that differ from their defaults.

        >>> Limits(max_depth=3).to_json()
        {'max_depth': 3}
        """
        given = {name: getattr(self, name) for name in _DEFAULTS}
        return {
            name: value.item() if isinstance(value, np.generic) else value
            for name, value in given.items()
            if value != _DEFAULTS[name]
        }


_DEFAULTS: dict[str, Any] = {each.name: each.default for each in fields(Limits)}


def _cases(limit: int | float, root_cases: float) -> float:
    if not is_whole(limit):
        return float(math.ceil(limit * root_cases))
    # A limit beyond float64 exceeds any number of cases.
    return float(limit) if limit <= _GREATEST else math.inf


def is_number(value: object) -> TypeGuard[float]:
    """Whether a value is a finite number that a float can hold; True and False are none.

    >>> is_number(0.5), is_number(10**400), is_number("0.5")
    (True, False, False)
    """
    # math.isfinite raises for integers beyond float64.
    is_real = type(value) in (int, float) or (isinstance(value, Real) and not isinstance(value, bool))
    return is_real and -_GREATEST <= value <= _GREATEST  # type: ignore[operator]


def _check_cases(name: str, value: Any, least: int, one: bool) -> None:
    """Raise unless the value is a number of cases or a fraction; `one` allows the fraction 1.0."""
    if is_whole(value):
        is_valid = value >= least
    else:
        is_valid = is_number(value) and (0.0 < value < 1.0 or (one and value == 1.0))
    if not is_valid:
        raise ParameterError.of(
            name, value, f"a whole number of at least {least}, or a fraction of the cases"
        )


def check_whole(name: str, value: Any, least: int, most: int | None = None, *, end: str = "") -> None:
    """Raise unless the value is a whole number from `least` to `most`.

    >>> check_whole("max_bins", 1, 2, 1000)
    Traceback (most recent call last):
    bough.errors.ParameterError: max_bins is 1; it must be a whole number from 2 to 1000.
    """
    if not is_whole(value) or value < least or (most is not None and value > most):
        between = f"of at least {least}" if most is None else f"from {least} to {most}"
        raise ParameterError.of(name, value, f"a whole number {between}{end}")


def is_auto(value: Any) -> bool:
    """Whether a parameter is left to the learner by the word "auto"; arrays and numbers are not.

    >>> is_auto("auto"), is_auto(0.1)
    (True, False)
    """
    return isinstance(value, str) and value == "auto"


def check_number(
    name: str, value: Any, least: float, most: float = math.inf, *, above: bool = False, end: str = ""
) -> None:
    """Raise unless the value is a finite number between `least` (exclusive if `above`) and `most`.

    >>> check_number("purity", 2, 0.0, 1.0, above=True)
    Traceback (most recent call last):
    bough.errors.ParameterError: purity is 2; it must be a finite number above 0 and at most 1.
    """
    if not is_number(value) or not (least < value if above else least <= value) or value > most:
        floor = "" if least == -math.inf else f" {'above' if above else 'of at least'} {least:g}"
        ceiling = "" if most == math.inf else f" and at most {most:g}"
        raise ParameterError.of(name, value, f"a finite number{floor}{ceiling}{end}")
