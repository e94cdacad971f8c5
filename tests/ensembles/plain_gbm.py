"""Multiple additive regression trees as R's gbm grows them, in numpy: the reference of the native ones.

`X` is a list of columns: an array of numbers, or of codes with their number of levels. Missing values are
NaN. All sums run over the rows in gbm's order, since rounding decides between splits of equal improvement.
"""

from dataclasses import dataclass, field

import numpy as np


def running(start, terms):
    """The sums of a start and the first terms, added one by one."""
    return np.add.accumulate(np.concatenate([[start], terms]))


def total(terms):
    return running(0.0, terms)[-1]


def improvement(wl, wr, wm, sl, sr, sm):
    """By how much three children reduce the squared error of their node."""
    with np.errstate(divide="ignore", invalid="ignore"):
        both = wl * wr * (sl / wl - sr / wr) ** 2
        if wm == 0:
            return both / (wl + wr)
        both += wl * wm * (sl / wl - sm / wm) ** 2
        both += wr * wm * (sr / wr - sm / wm) ** 2
        return both / (wl + wr + wm)


@dataclass
class Leaf:
    sum: float
    weight: float
    cases: int
    value: float = 0.0
    best: tuple = (0.0,)
    split: tuple | None = None
    children: list = field(default_factory=list)

    def __post_init__(self):
        self.value = self.sum / self.weight


def search(leaf, X, z, w, rows, least):
    """The best split of a leaf: its improvement, column, threshold or levels, and the sums of its sides."""
    best = (0.0,)
    for column, (values, n_levels) in enumerate(X):
        own = values[rows]
        absent = rows[np.isnan(own)]
        sm, wm = total(w[absent] * z[absent]), total(w[absent])
        right = running(leaf.sum, -w[absent] * z[absent])[-1], running(leaf.weight, -w[absent])[-1]
        known = rows[~np.isnan(own)]
        if n_levels:
            codes = values[known].astype(int)
            groups = [known[codes == level] for level in range(n_levels)]
            sums = np.array([total(w[each] * z[each]) for each in groups])
            weights = np.array([total(w[each]) for each in groups])
            cases = np.array([len(each) for each in groups])
            means = np.divide(sums, weights, out=np.full(n_levels, np.inf), where=weights != 0)
            order = np.argsort(means, kind="stable")[: np.count_nonzero(weights)]
            steps = [(sums[level], weights[level], cases[level]) for level in order[:-1]]
            cuts = [order[: i + 1] for i in range(len(order) - 1)]
        else:
            known = known[np.argsort(values[known], kind="stable")]
            steps = list(zip(w[known] * z[known], w[known], [1] * len(known), strict=True))[:-1]
            own = values[known]
            differs = own[1:] != own[:-1]
            cuts = [0.5 * (a + b) if each else None
                    for a, b, each in zip(own[:-1], own[1:], differs, strict=True)]  # fmt: skip
        left, (sr, wr), n_left = [0.0, 0.0], right, 0
        for (s, weight, n), cut in zip(steps, cuts, strict=True):
            left = [left[0] + s, left[1] + weight]
            sr, wr, n_left = sr - s, wr - weight, n_left + n
            if cut is None or n_left < least or len(known) - n_left < least:
                continue
            gain = improvement(left[1], wr, wm, left[0], sr, sm)
            if gain > best[0]:
                sides = Leaf(left[0], left[1], n_left), Leaf(sr, wr, len(known) - n_left)
                apart = Leaf(sm, wm, len(absent)) if len(absent) else Leaf(leaf.sum, leaf.weight, 0)
                best = (gain, column, cut, (*sides, apart))
    return best


def branches(values, n_levels, cut):
    """The child of each row: 0 left, 1 right, 2 missing."""
    left = np.isin(values, cut) if n_levels else values < cut
    return np.where(np.isnan(values), 2, np.where(left, 0, 1))


def grow(X, z, w, n_splits, least):
    """The root of a tree, its leaves, and the leaf of each row."""
    root = Leaf(total(w * z), total(w), len(z))
    leaves, place = [root], np.zeros(len(z), dtype=int)
    root.best = search(root, X, z, w, np.arange(len(z)), least)
    for _ in range(n_splits):
        at = int(np.argmax([leaf.best[0] for leaf in leaves]))
        if leaves[at].best[0] == 0:
            break
        leaf = leaves[at]
        _, column, cut, leaf.children = leaf.best
        leaf.split = column, cut
        taken = np.flatnonzero(place == at)
        branch = branches(X[column][0][taken], X[column][1], cut)
        leaves[at] = leaf.children[0]
        leaves += leaf.children[1:]
        place[taken[branch == 1]] = len(leaves) - 2
        place[taken[branch == 2]] = len(leaves) - 1
        for child in (at, len(leaves) - 2, len(leaves) - 1):
            leaves[child].best = search(leaves[child], X, z, w, np.flatnonzero(place == child), least)
    return root, leaves, place


def adjust(node, least):
    """Give inner nodes the means of their children, and leaves for few missing values that of the others."""
    if node.split is None:
        return
    left, right, apart = node.children
    adjust(left, least)
    adjust(right, least)
    if apart.split is None and apart.cases < least:
        node.value = (left.weight * left.value + right.weight * right.value) / (left.weight + right.weight)
        apart.value = node.value
        return
    adjust(apart, least)
    node.value = sum(each.weight * each.value for each in node.children) / sum(
        each.weight for each in node.children
    )


def median(values, weight):
    if len(values) < 2:
        return values[0] if len(values) else 0.0
    order = np.argsort(values, kind="stable")
    half, reached = 0.5 * total(weight), running(0.0, weight[order])[1:]
    at = int(np.argmax(reached >= half))
    if reached[at] > half or at + 1 == len(order):
        return values[order[at]]
    return 0.5 * (values[order[at]] + values[order[at + 1]])


def location(values, weight, degrees):
    """The location of Student's t, by iterated weights."""
    centre = median(values, weight)
    scale = max(1.4826 * median(np.abs(values - centre), weight), 1e-8)
    for _ in range(50):
        distance = np.maximum(np.abs(values - centre) / scale, 1e-8)
        share = weight * (distance / (degrees + distance**2)) / distance
        before, centre = centre, total(share * values) / total(share)
        change = abs(centre - before)
        if (change / abs(before) if change > 1e-8 else change) < 1e-8:
            break
    return centre


def ratio(numerator, denominator):
    return numerator / denominator if denominator != 0 else 0.0


def sign_of(y):
    return 2 * y - 1


class Gaussian:
    def start(self, y, w):
        return total(w * y) / total(w)

    def response(self, y, f):
        return y - f

    def loss(self, y, f):
        return (y - f) ** 2

    value = None


class Bernoulli:
    def start(self, y, w):
        ones = total(w * y)
        return np.log(ones / (total(w) - ones))

    def response(self, y, f):
        return y - 1 / (1 + np.exp(-f))

    def loss(self, y, f):
        return -2 * (y * f - np.log(1 + np.exp(f)))

    def value(self, y, f, z, w):
        return ratio(total(w * z), total(w * (y - z) * (1 - y + z)))


class AdaBoost:
    def start(self, y, w):
        return 0.5 * np.log(total(w[y == 1]) / total(w[y == 0]))

    def response(self, y, f):
        return -sign_of(y) * np.exp(-sign_of(y) * f)

    def loss(self, y, f):
        return np.exp(-sign_of(y) * f)

    def value(self, y, f, z, w):
        return ratio(total(w * -z), total(w * np.exp(-sign_of(y) * f)))


class Huberized:
    def start(self, y, w):
        return total(w[y == 1]) / total(w[y == 0])

    def response(self, y, f):
        s = sign_of(y)
        return np.where(s * f < -1, -4 * s, np.where(1 - s * f < 0, 0, -2 * s * (1 - s * f)))

    def loss(self, y, f):
        s = sign_of(y)
        return np.where(s * f < -1, -4 * s * f, np.where(1 - s * f < 0, 0, (1 - s * f) ** 2))

    def value(self, y, f, z, w):
        return ratio(total(w * -z), total(w * self.loss(y, f)))


class Poisson:
    def start(self, y, w):
        return np.log(total(w * y) / total(w))

    def response(self, y, f):
        return y - np.exp(f)

    def loss(self, y, f):
        return -2 * (y * f - np.exp(f))

    def value(self, y, f, z, w):
        if not len(y):
            return 0.0
        above, below = total(w * y), total(w * np.exp(f))
        step = -19.0 if above == 0 else 0.0 if below == 0 else np.log(above / below)
        return max(min(step, 19 - f.max()), -19 - f.min())


class Laplace:
    def start(self, y, w):
        return median(y, w)

    def response(self, y, f):
        return np.where(y - f > 0, 1.0, -1.0)

    def loss(self, y, f):
        return np.abs(y - f)

    def value(self, y, f, z, w):
        return median(y - f, w)


@dataclass
class Quantile:
    alpha: float

    def start(self, y, w):
        return np.sort(y)[int(len(y) * self.alpha)] if self.alpha < 1 else y.max()

    def response(self, y, f):
        return np.where(y > f, self.alpha, -(1 - self.alpha))

    def loss(self, y, f):
        return np.where(y > f, self.alpha * (y - f), (1 - self.alpha) * (f - y))

    def value(self, y, f, z, w):
        return self.start(y - f, w)


@dataclass
class Student:
    degrees: float

    def start(self, y, w):
        return location(y, w, self.degrees)

    def response(self, y, f):
        return 2 * (y - f) / (self.degrees + (y - f) ** 2)

    def loss(self, y, f):
        return np.log(self.degrees + (y - f) ** 2)

    def value(self, y, f, z, w):
        return location(y - f, w, self.degrees)


# Leaves of these with too few rows keep the mean of the response until they are adjusted.
NEEDS_CASES = (Laplace, Quantile, Student)


def fit_leaves(leaves, place, loss, y, f, z, w, least):
    for i, leaf in enumerate(leaves):
        if loss.value is None or (isinstance(loss, NEEDS_CASES) and leaf.cases < least):
            continue
        own = place == i
        leaf.value = loss.value(y[own], f[own], z[own], w[own])


def boost(X, y, w, loss, n_rounds, n_splits, least, shrinkage):
    """The start, the scores and the training loss after each round, and the roots of all trees."""
    w = w * len(w) / total(w)
    start = loss.start(y, w)
    f, curve, trees, stages = np.full(len(y), start), [], [], []
    for _ in range(n_rounds):
        z = loss.response(y, f)
        root, leaves, place = grow(X, z, w, n_splits, least)
        fit_leaves(leaves, place, loss, y, f, z, w, least)
        adjust(root, least)
        f = f + shrinkage * np.array([leaf.value for leaf in leaves])[place]
        curve.append(total(w * loss.loss(y, f)) / total(w))
        trees.append(root)
        stages.append(f)
    return start, stages, curve, trees


def boost_classes(X, y, n_classes, w, n_rounds, n_splits, least, shrinkage):
    """The scores (rows x classes) and the training loss after each round, with a tree for each class."""
    w = w * len(w) / total(w)
    f, curve, stages = np.zeros((len(y), n_classes)), [], []
    for _ in range(n_rounds):
        shares = np.exp(f)
        shares /= running_rows(shares)
        f, before = f.copy(), f
        for k in range(n_classes):
            z = (y == k) - shares[:, k]
            root, leaves, place = grow(X, z, w, n_splits, least)
            for i, leaf in enumerate(leaves):
                own = z[place == i]
                if leaf.cases >= least:
                    below = total(w[place == i] * np.abs(own) * (1 - np.abs(own)))
                    leaf.value = total(w[place == i] * own) / (below if below > 0 else 1e-8)
            adjust(root, least)
            f[:, k] = before[:, k] + shrinkage * np.array([leaf.value for leaf in leaves])[place]
        curve.append(-total(w * np.log(shares[np.arange(len(y)), y])) / total(w))
        stages.append(f)
    return stages, curve


def running_rows(shares):
    return np.add.accumulate(shares, axis=1)[:, -1:]
