"""M5' as Weka computes it, written plainly: one list of rows for each node, in Weka's order of rows.

Weka shuffles the rows by Java's random numbers, and each node sorts its rows by every column in turn with an
unstable quicksort. The order of rows decides how sums are rounded, and with collinear columns that decides
which of them is dropped, so the order is followed.
"""

import math
from dataclasses import dataclass, field

import numpy as np

SMALL = 1e-10


@dataclass
class Column:
    """A column of numbers: a numeric column, or the indicator that a nominal one has one of some levels."""

    source: int
    values: np.ndarray
    levels: tuple[int, ...] = ()
    substitute: float = 0.0


@dataclass
class Node:
    rows: list[int]
    parent: "Node | None" = None
    column: int = -1
    cut: float = math.nan
    children: list["Node"] = field(default_factory=list)
    columns: list[int] = field(default_factory=list)
    coefficients: dict[int, float] = field(default_factory=dict)
    intercept: float = math.nan
    rmse: float = math.nan
    parameters: int = 1

    def predict(self, X, row):
        value = 0.0
        for column, coefficient in sorted(self.coefficients.items()):
            value += coefficient * X[column].values[row]
        return value + self.intercept

    def leaf(self, X, row):
        node = self
        while node.children:
            node = node.children[int(X[node.column].values[row] > node.cut)]
        return node


class JavaRandom:
    def __init__(self, seed):
        self.state = (seed ^ 0x5DEECE66D) & ((1 << 48) - 1)

    def below(self, bound):
        while True:
            self.state = (self.state * 0x5DEECE66D + 0xB) & ((1 << 48) - 1)
            bits = self.state >> 17
            if bound & -bound == bound:
                return (bound * bits) >> 31
            value = bits % bound
            if bits - value + (bound - 1) < 1 << 31:
                return value


def shuffled(n):
    rows, random = list(range(n)), JavaRandom(1)
    for last in range(n - 1, 0, -1):
        other = random.below(last + 1)
        rows[last], rows[other] = rows[other], rows[last]
    return rows


def sort_rows(rows, values):
    """Weka's quicksort of instances: the pivot is the middle one, and equal values may change places."""
    ranges = [(0, len(rows) - 1)]
    while ranges:
        left, right = ranges.pop()
        if left >= right:
            continue
        pivot, low, high = values[rows[(left + right) // 2]], left, right
        while low < high:
            while values[rows[low]] < pivot and low < high:
                low += 1
            while values[rows[high]] > pivot and low < high:
                high -= 1
            if low < high:
                rows[low], rows[high] = rows[high], rows[low]
                low, high = low + 1, high - 1
        if low == high and values[rows[high]] > pivot:
            high -= 1
        ranges += [(left, high), (high + 1, right)]


def sort_levels(means):
    """Weka's quicksort of numbers; returns the order."""
    values, order = list(means), list(range(len(means)))

    def swap(i, j):
        values[i], values[j] = values[j], values[i]
        order[i], order[j] = order[j], order[i]

    def sort(left, right):
        if right - left < 1:
            return
        if right - left == 1:
            if values[left] > values[right]:
                swap(left, right)
            return
        middle = (left + right) // 2
        for i, j in ((left, middle), (left, right), (middle, right)):
            if values[i] > values[j]:
                swap(i, j)
        if right - left == 2:
            return
        swap(middle, right - 1)
        pivot, i, j = values[right - 1], left, right - 1
        while True:
            i += 1
            while values[i] < pivot:
                i += 1
            j -= 1
            while values[j] > pivot:
                j -= 1
            if i >= j:
                break
            swap(i, j)
        swap(i, right - 1)
        sort(left, i - 1)
        sort(i + 1, right)

    sort(0, len(values) - 1)
    return order


def numeric_columns(columns, y):
    """Replace missing values by the mean or the mode, and nominal columns by ordered indicators.

    `columns` are float arrays with NaN, or pairs of codes (-1: missing) and the number of levels.
    """
    made = []
    for source, column in enumerate(columns):
        if isinstance(column, tuple):
            made += indicators(source, *column, y)
            continue
        known = ~np.isnan(column)
        mean = sequential_sum(column[known]) / known.sum() if known.any() else 0.0
        made.append(Column(source, np.where(known, column, mean), (), mean))
    return [column for column in made if len(set(column.values.tolist())) > 1]


def indicators(source, codes, n_levels, y):
    if n_levels == 0:
        return []
    counts = np.bincount(codes[codes >= 0], minlength=n_levels)
    mode = int(counts.argmax())
    codes = np.where(codes < 0, mode, codes)
    sums, counts = [0.0] * n_levels, [0] * n_levels
    for code, value in zip(codes.tolist(), y.tolist(), strict=True):
        sums[code] += value
        counts[code] += 1
    overall = sequential_sum(sums) / sum(counts)
    means = [total / n if n else overall for total, n in zip(sums, counts, strict=True)]
    order = sort_levels(means)
    return [
        Column(source, np.isin(codes, order[k:]).astype(float), tuple(order[k:]), float(mode in order[k:]))
        for k in range(1, n_levels)
    ]


def sequential_sum(values):
    total = 0.0
    for value in values:
        total += value
    return total


def deviation(values):
    n, total, squares = 0, 0.0, 0.0
    for value in values:
        n, total, squares = n + 1, total + value, squares + value * value
    return math.sqrt(abs((squares - total * total / n) / n)) if n > 1 else 0.0


def best_cut(rows, values, y):
    """Return the impurity reduction and the cut of a column whose rows are sorted; none: -1e20 and NaN."""
    n = len(rows)
    if n < 4:
        return -1e20, math.nan
    margin = max(n // 5, 1)
    root = deviation(y[row] for row in rows) ** 2
    left = [0.0, 0.0]
    right = [0.0, 0.0]
    for place, row in enumerate(rows):
        side = left if place < margin else right
        side[0] += y[row]
        side[1] += y[row] * y[row]
    best, cut = -1e20, math.nan
    for i in range(margin, n - margin - 1):
        value = y[rows[i]]
        left = [left[0] + value, left[1] + value * value]
        right = [right[0] - value, right[1] - value * value]
        a, b = values[rows[i]], values[rows[i + 1]]
        if a - b < SMALL and b - a < SMALL:
            continue
        n_left, n_right = float(i + 1), float(n - i - 1)
        parts = [abs(m * s[1] - s[0] * s[0]) / (m * m) for m, s in ((n_left, left), (n_right, right))]
        value = root**0.2 - n_left / n * parts[0] ** 0.2 - n_right / n * parts[1] ** 0.2
        if value > best:
            best, cut = value, (a + b) * 0.5
    return best, cut


class M5:
    def __init__(self, columns, y, least=4.0, regression=False, prune=True, smooth=True):
        self.y = np.asarray(y, dtype=float)
        self.X = numeric_columns(columns, self.y)
        self.least, self.regression = least, regression
        rows = shuffled(len(self.y))
        self.deviation = deviation(self.y[row] for row in rows)
        self.root = self.grow(rows, None)
        self.prune(self.root) if prune else self.fit_all(self.root)
        if smooth:
            self.smooth(self.root)

    def predict(self):
        return [self.root.leaf(self.X, row).predict(self.X, row) for row in range(len(self.y))]

    def grow(self, rows, parent):
        node = Node(rows, parent)
        if len(rows) < self.least or deviation(self.y[row] for row in rows) < self.deviation * 0.05:
            return node
        best, split, cut = -1e20, -1, math.nan
        for place, column in enumerate(self.X):
            sort_rows(rows, column.values)
            value, its_cut = best_cut(rows, column.values, self.y)
            if value > best + 1e-6 and abs(value - best) > 1e-6:
                best, split, cut = value, place, its_cut
        if split < 0:
            return node
        node.column, node.cut = split, cut
        values = self.X[split].values
        for above in (False, True):
            node.children.append(self.grow([row for row in rows if (values[row] > cut) == above], node))
        if not self.regression:
            node.columns = sorted({split}.union(*(child.columns for child in node.children)))
        return node

    def fit(self, node):
        node.coefficients, node.intercept = Regression(self.X, self.y, node.rows, node.columns).fit()

    def error(self, node, predict):
        return math.sqrt(
            sequential_sum((predict(row) - self.y[row]) ** 2 for row in node.rows) / len(node.rows)
        )

    def fit_all(self, node):
        for child in node.children:
            self.fit_all(child)
        self.fit(node)
        node.rmse = self.error(node, lambda row: node.predict(self.X, row))
        node.parameters = 0 if node.children else 1

    def prune(self, node):
        for child in node.children:
            self.prune(child)
        self.fit(node)
        node.rmse = self.error(node, lambda row: node.predict(self.X, row))
        if not node.children:
            return
        below = self.error(node, lambda row: node.leaf(self.X, row).predict(self.X, row))
        own = sum(coefficient != 0 for coefficient in node.coefficients.values()) + 1
        all_below = sum(child.parameters for child in node.children) + 1
        adjusted = node.rmse * factor(len(node.rows), own)
        if adjusted <= below * factor(len(node.rows), all_below) or adjusted < self.deviation * 1e-5:
            node.children, node.parameters = [], own
        else:
            node.rmse, node.parameters = below, all_below

    def smooth(self, node):
        for child in node.children:
            self.smooth(child)
        if node.children:
            return
        coefficients, intercept = dict(node.coefficients), node.intercept
        at = node
        while at.parent is not None:
            n, above = len(at.rows), at.parent
            for column in coefficients.keys() | above.coefficients.keys():
                own, theirs = coefficients.get(column, 0.0), above.coefficients.get(column, 0.0)
                coefficients[column] = own * n / (n + 15.0) + 15.0 * theirs / (n + 15.0)
            intercept = intercept * n / (n + 15.0) + 15.0 * above.intercept / (n + 15.0)
            at = above
        node.coefficients, node.intercept = coefficients, intercept


def factor(n, parameters):
    return 10.0 if n <= parameters else (n + 2.0 * parameters) / (n - parameters)


class Regression:
    """Linear regression with a slight ridge; columns are dropped while Akaike's criterion falls."""

    def __init__(self, X, y, rows, columns):
        self.n, self.y = len(rows), [y[row] for row in rows]
        self.columns, self.values = (
            columns,
            [[float(X[column].values[row]) for row in rows] for column in columns],
        )
        self.means = [sequential_sum(each) / self.n for each in self.values]
        self.deviations = [math.sqrt(variance(each)) for each in self.values]
        self.mean, self.deviation = sequential_sum(self.y) / self.n, math.sqrt(variance(self.y))
        self.scaled = [
            [(value - mean) / spread for value in each] if spread else each
            for each, mean, spread in zip(self.values, self.means, self.deviations, strict=True)
        ]

    def fit(self):
        chosen = [place for place in range(len(self.columns)) if self.deviations[place] != 0]
        solution = self.solve(chosen)
        while True:
            sizes = self.standardized(chosen, solution)
            above = [(size, -place) for place, size in enumerate(sizes) if size > 1.5]
            if not above:
                break
            del chosen[-max(above)[1]]
            solution = self.solve(chosen)
        full, parameters = self.squared_error(chosen, solution), len(chosen) + 1
        akaike, n_now = float(self.n - parameters + 2 * parameters), parameters
        while chosen:
            n_now -= 1
            sizes = self.standardized(chosen, solution)
            fewer = [*chosen]
            del fewer[sizes.index(min(sizes))]
            without = self.solve(fewer)
            ratio = self.squared_error(fewer, without)
            now = (ratio / full if full else math.inf) * (self.n - parameters) + 2 * n_now
            if not now < akaike:
                break
            akaike, chosen, solution = now, fewer, without
        coefficients, intercept = solution
        return {self.columns[place]: c for place, c in zip(chosen, coefficients, strict=True)}, intercept

    def standardized(self, chosen, solution):
        spreads = [self.deviations[place] for place in chosen]
        if self.deviation == 0:
            return [0.0] * len(chosen)
        return [abs(c * s / self.deviation) for c, s in zip(solution[0], spreads, strict=True)]

    def solve(self, chosen):
        matrix = [
            [
                sequential_sum(a * b for a, b in zip(self.scaled[i], self.scaled[j], strict=True))
                for j in chosen
            ]
            for i in chosen
        ]
        for place in range(len(chosen)):
            matrix[place][place] += 1e-8
        right = [sequential_sum(a * b for a, b in zip(self.scaled[i], self.y, strict=True)) for i in chosen]
        coefficients = solve(matrix, right)
        intercept = self.mean
        for place, column in enumerate(chosen):
            coefficients[place] /= self.deviations[column]
            intercept -= coefficients[place] * self.means[column]
        return coefficients, intercept

    def squared_error(self, chosen, solution):
        coefficients, intercept = solution
        total = 0.0
        for row in range(self.n):
            value = 0.0
            for column, coefficient in zip(chosen, coefficients, strict=True):
                value += coefficient * self.values[column][row]
            total += (value + intercept - self.y[row]) ** 2
        return total


def variance(values):
    n, total, squares = 0, 0.0, 0.0
    for value in values:
        n, total, squares = n + 1, total + value, squares + value * value
    return max((squares - total * total / n) / (n - 1), 0.0) if n > 1 else 0.0


def solve(matrix, right):
    """Gaussian elimination by columns with partial pivoting, in the order of operations of JAMA."""
    n = len(right)
    lower = [row[:] for row in matrix]
    order = list(range(n))
    for j in range(n):
        column = [lower[i][j] for i in range(n)]
        for i in range(n):
            s = 0.0
            for k in range(min(i, j)):
                s += lower[i][k] * column[k]
            column[i] -= s
            lower[i][j] = column[i]
        pivot = j
        for i in range(j + 1, n):
            if abs(column[i]) > abs(column[pivot]):
                pivot = i
        if pivot != j:
            lower[pivot], lower[j] = lower[j], lower[pivot]
            order[pivot], order[j] = order[j], order[pivot]
        if lower[j][j] != 0.0:
            for i in range(j + 1, n):
                lower[i][j] /= lower[j][j]
    x = [right[i] for i in order]
    for k in range(n):
        for i in range(k + 1, n):
            x[i] -= x[k] * lower[i][k]
    for k in reversed(range(n)):
        x[k] /= lower[k][k]
        for i in range(k):
            x[i] -= x[k] * lower[i][k]
    return x
