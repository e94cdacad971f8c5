"""The splits of one column that a node of a forest may take, each judged by the definition of its gain.

Statistics are class weights; or weight, sum, in which sums are of weight times y, measured from the mean of
the tree's sample (from 0 under Poisson); or under absolute error the weight of each value of y. Splits come
in the order in which equals are preferred.
"""

import math
from dataclasses import dataclass, replace

import numpy as np

NEAR = 1e-10  # numbers that differ by less are told apart only by rounding
_ROUNDING = 1e-12  # information below this share of the node's own is none


@dataclass(frozen=True)
class PlainSplit:
    """A split: below the cut, or with one of the levels, a row goes left."""

    column: int
    gain: float
    cut: float | None = None
    left: frozenset = frozenset()
    right: frozenset = frozenset()
    missing: int | None = None  # the branch of missing values; None: that of most weight
    turns: bool = False  # whether which branch is left is not said

    def mirrored(self):
        """Return a split of levels with its branches swapped."""
        missing = None if self.missing is None else 1 - self.missing
        return replace(self, left=self.right, right=self.left, missing=missing)


def gains(criterion, left, right, node_weight):
    """Return the value of each split from the statistics of its children, a row each; -inf where none is."""
    with np.errstate(all="ignore"):
        if criterion == "squared_error":
            wl, wr = left[:, 0], right[:, 0]
            apart = left[:, 1] * wr - right[:, 1] * wl
            return apart**2 / (wl * wr) / ((wl + wr) * node_weight)
        if criterion == "poisson":
            fall = _likelihood(left) + _likelihood(right) - _likelihood(left + right)
            eventless = (left[:, 1] <= 0) | (right[:, 1] <= 0)
            return np.where(eventless, -np.inf, np.maximum(0.0, fall) / node_weight)
        wl, wr = left.sum(axis=1), right.sum(axis=1)
        if criterion == "gini":
            apart = left * wr[:, None] - right * wl[:, None]
            return (apart**2).sum(axis=1) / (wl * wr) / ((wl + wr) * node_weight)
        assert criterion == "entropy"
        whole = _bits(left + right)
        saved = whole - _bits(left) - _bits(right)
        return np.where(saved > _ROUNDING * whole, saved, 0.0) / node_weight


def _bits(counts):
    weight = counts.sum(axis=1)
    return weight * np.log2(weight) - np.where(counts > 0, counts * np.log2(counts), 0.0).sum(axis=1)


def medians(weights, values):
    """Return the lower weighted median of the values under each row of weights."""
    below = np.cumsum(weights, axis=1)
    return values[np.argmax(2 * below >= below[:, -1:], axis=1)]


def deviation(weights, values):
    """Return the weighted sum of the distances of the values from their median, for each row of weights."""
    apart = np.abs(values - medians(weights, values)[:, None])
    return (weights * apart).sum(axis=1)


def _likelihood(moments):
    weight, total = moments.T
    return np.where(total > 0, total * np.log(total / weight), 0.0)


@dataclass(frozen=True)
class NodeRows:
    """The rows of a node: a row of statistics each, their cases, and what a child must have."""

    criterion: str
    statistics: np.ndarray
    cases: np.ndarray
    weight: float
    min_cases: float
    min_weight: float
    direction: int = 0  # of the answers of both children, as monotonic constraints have it
    bounds: tuple[float, float] = (-np.inf, np.inf)  # of these answers
    values: np.ndarray | None = None  # of y, ascending, under absolute error

    def least_gain(self):
        """Return what a split must exceed to gain anything: what rounding may make of none."""
        if self.criterion == "entropy":
            return 0.0  # it is taken off each gain
        if self.criterion == "squared_error":
            weight, total = self.statistics.T
            return 1e-26 * (total[weight > 0] ** 2 / weight[weight > 0]).sum() / self.weight
        if self.criterion == "poisson":
            rate = self.statistics[:, 1].sum() / self.weight
            return 1e-13 * rate * (1 + abs(math.log(rate))) if rate > 0 else 0.0
        if self.criterion == "absolute_error":
            return 1e-12 * deviation(self.statistics.sum(axis=0)[None], self.values)[0] / self.weight
        return 1e-26

    def pure_gain(self):
        """Return the gain of a split that leaves each side one class; no split of numbers is like that."""
        if self.criterion not in ("gini", "entropy"):
            return math.inf
        share = self.statistics.sum(axis=0) / self.weight
        if self.criterion == "gini":
            return 1 - (share**2).sum()
        return -sum(p * math.log2(p) for p in share if p > 0)

    def weight_of(self, statistics):
        """Return the weight that statistics stand for."""
        return statistics[:, 0] if self.criterion in ("squared_error", "poisson") else statistics.sum(axis=1)

    def judged(self, left, left_cases, total, total_cases):
        """Return the gain of each way to part `total`; -inf where that is not allowed."""
        right, right_cases = total - left, total_cases - left_cases
        if self.criterion == "absolute_error":
            whole, low, high = (deviation(each, self.values) for each in (total[None], left, right))
            value = (whole - low - high) / self.weight
        else:
            value = gains(self.criterion, left, right, self.weight)
        small = np.zeros(len(value), dtype=bool)
        for statistics, cases in ((left, left_cases), (right, right_cases)):
            small |= (cases < max(self.min_cases, 1)) | (self.weight_of(statistics) < self.min_weight)
        if self.direction:
            with np.errstate(all="ignore"):
                first, second = left[:, 1] / self.weight_of(left), right[:, 1] / self.weight_of(right)
            lower, upper = self.bounds
            small |= (first > second) if self.direction > 0 else (first < second)
            small |= np.minimum(first, second) < lower
            small |= np.maximum(first, second) > upper
        return np.where(small, -np.inf, value)


@np.errstate(all="ignore")
def cut_above_middle(low, high):
    """Return the least float above the middle of two numbers, or a double where no float parts them."""
    middle = (low + high) / 2
    if not math.isfinite(middle):
        middle = low / 2 + high / 2
    if not low < middle <= high:
        middle = high
    if middle == high:
        near = float(np.float32(high))
        return near if low < near <= high else high
    above = np.float32(middle)
    if float(above) <= middle:
        above = np.nextafter(above, np.float32(np.inf))
    return float(above) if float(above) <= high else float(np.nextafter(middle, high))


def threshold_splits(node, column, values, scale, learned):
    """Return the cuts of a column of numbers or ordered levels: gains, and a function that makes a split."""

    def told(below, above):
        if len(below) == 0:
            return {"cut": -np.inf}
        low, high = below[-1], above[0]
        return {
            "cut": cut_above_middle(low, high) if scale == "numeric" else math.floor((low + high) / 2) + 0.5
        }

    return _cuts(node, column, values, learned, scale == "numeric", told)


def order_splits(node, column, codes, ranks, learned):
    """Return the cuts of levels in the order of their ranks; of no levels, rows without one go left alone."""
    level_of = np.argsort(ranks)

    def told(below, above):
        left, right = (frozenset(level_of[side.astype(int)].tolist()) for side in (below, above))
        return {"left": left, "right": right}

    return _cuts(node, column, np.where(codes < 0, np.nan, ranks[codes]), learned, True, told)


def _cuts(node, column, values, learned, alone, told):
    """Return the cuts of values in their order, each as it is told of what is below and what is above.

    Cuts come from low to high with missing values on the right, then with them on the left; of the latter
    the first has them alone on the left, if that may be.
    """
    known = ~np.isnan(values)
    present, group = np.unique(values[known], return_inverse=True)
    if len(present) == 0:
        return np.empty(0), None
    statistics = _summed(group, len(present), node.statistics[known])
    cases = _summed(group, len(present), node.cases[known])
    below, below_cases = np.cumsum(statistics, axis=0)[:-1], np.cumsum(cases)[:-1]
    of_known, cases_known = statistics.sum(axis=0), cases.sum()
    missing = node.statistics[~known].sum(axis=0)
    missing_cases = node.cases[~known].sum()
    whole, whole_cases = of_known + missing, cases_known + missing_cases

    def split(i, n_below, branch=None):
        return PlainSplit(column, value[i], missing=branch, **told(present[:n_below], present[n_below:]))

    if known.all() or not learned:
        value = node.judged(below, below_cases, of_known, cases_known)
        return value, lambda i: split(i, i + 1)
    apart = missing[None] if alone else np.empty((0, len(missing)))
    apart_cases = np.full(len(apart), missing_cases)
    value = np.concatenate(
        [
            node.judged(below, below_cases, whole, whole_cases),
            node.judged(apart, apart_cases, whole, whole_cases),
            node.judged(below + missing, below_cases + missing_cases, whole, whole_cases),
        ]
    )

    def split_of(i):
        if i < len(below):
            return split(i, i + 1, 1)
        return split(i, i - len(below) - len(apart) + 1, 0)

    return value, split_of


def level_splits(node, column, codes, learned, max_exhaustive):
    """Return the sets of levels that may be the best; missing values are a level of their own if learned."""
    levels, group = np.unique(codes[codes >= 0], return_inverse=True)
    statistics = _summed(group, len(levels), node.statistics[codes >= 0])
    cases = _summed(group, len(levels), node.cases[codes >= 0])
    missing = learned and bool((codes < 0).any())
    if missing:
        levels = np.append(levels, -1)
        statistics = np.vstack([statistics, node.statistics[codes < 0].sum(axis=0)])
        cases = np.append(cases, node.cases[codes < 0].sum())
    if len(levels) < 2:
        return np.empty(0), None
    inside = _subsets(node, statistics, max_exhaustive)
    total, total_cases = statistics.sum(axis=0), cases.sum()
    value = node.judged(inside @ statistics, inside @ cases, total, total_cases)

    def split(i):
        left = frozenset(levels[inside[i] > 0].tolist())
        right = frozenset(levels.tolist()) - left
        branch = (0 if -1 in left else 1) if missing else None
        return PlainSplit(column, value[i], None, left - {-1}, right - {-1}, branch, turns=True)

    return value, split


def randomforest_splits(node, column, codes, n_levels, learned, mean):
    """Return the splits of a column's levels as R's randomForest tries them, absent levels included.

    Missing values are a last level if learned. With at most 10 levels and classes, the sets are the bit masks
    from 1 to 2^(k-1) - 1, in this order; else they are heads of the order of the share of the first class,
    which is 0 in an absent level, or of the mean, which is that of all rows, `mean`, in an absent level.
    """
    missing = learned and bool((codes < 0).any())
    n = n_levels + missing
    kept = codes >= (0 if not missing else -1)
    group = np.where(codes[kept] < 0, n_levels, codes[kept])
    statistics = _summed(group, n, node.statistics[kept])
    cases = _summed(group, n, node.cases[kept])
    if (cases > 0).sum() < 2:
        return np.empty(0), None
    is_classes = node.criterion not in ("squared_error", "poisson")
    if is_classes and n_levels <= 10:
        inside = (np.arange(1, 2 ** (n - 1))[:, None] >> np.arange(n) & 1).astype(float)
    else:
        inside = _sets_below_cuts(statistics, cases > 0, is_classes, mean)
    value = node.judged(inside @ statistics, inside @ cases, statistics.sum(axis=0), cases.sum())
    first = int(np.flatnonzero(cases > 0)[0])

    def split(i):
        left, right = (frozenset(np.flatnonzero(inside[i] == side).tolist()) for side in (1, 0))
        if first in right:
            left, right = right, left
        branch = int(n_levels in right) if missing else None
        return PlainSplit(column, value[i], None, left - {n_levels}, right - {n_levels}, branch)

    return value, split


def _sets_below_cuts(statistics, present, is_classes, mean):
    """Return the levels whose share or mean lies below each cut; where rounding decides, both ways."""
    centre = np.full(len(statistics), 0.0 if is_classes else mean)
    total = statistics[present].sum(axis=1) if is_classes else statistics[present, 0]
    centre[present] = statistics[present, 0] / total if is_classes else statistics[present, 1] / total
    distinct = np.unique(centre[present])
    cuts = (distinct[1:] + distinct[:-1]) / 2
    sets = [
        np.where(present, centre < cut, centre + slack < cut) for cut in cuts for slack in (-NEAR, 0, NEAR)
    ]
    return np.array(sets, dtype=float).reshape(-1, len(statistics))


def _summed(group, n_groups, values):
    total = np.zeros((n_groups, *values.shape[1:]))
    np.add.at(total, group, values)
    return total


def _heads(order):
    """Return the first one, two, … of an order of groups, each as a row of zeros and ones."""
    inside = np.zeros((len(order) - 1, len(order)))
    for i in range(len(order) - 1):
        inside[i, order[: i + 1]] = 1
    return inside


def _subsets(node, statistics, max_exhaustive):
    """Return all subsets of the groups where they are few and classes many; else heads of a few orders."""
    n = len(statistics)
    weight = node.weight_of(statistics)[:, None]
    if node.criterion == "absolute_error":
        return _heads(np.argsort(medians(statistics, node.values), kind="stable"))
    if node.criterion in ("squared_error", "poisson"):
        return _heads(np.argsort(statistics[:, 1] / statistics[:, 0], kind="stable"))
    present = statistics.sum(axis=0) > 0
    share = (statistics / weight)[:, present]
    if statistics.shape[1] <= 2 or (n > max_exhaustive and present.sum() <= 2):
        return _heads(np.argsort(share[:, 0], kind="stable"))
    if n <= max_exhaustive:
        numbers = np.arange(1, 2 ** (n - 1))
        return (numbers[:, None] >> np.arange(n) & 1).astype(float)
    off = share - (share * weight).sum(axis=0) / weight.sum()
    axis = np.linalg.eigh((off * weight).T @ off)[1][:, -1]
    return np.vstack([_heads(np.argsort(key, kind="stable")) for key in (*share.T, off @ axis)])
