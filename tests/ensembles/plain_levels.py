"""The order in which a tree of a forest cuts the levels of a nominal column, drawn by its definition.

Sums are taken row by row and level by level, so that they are rounded as in the native code: where levels
differ by nothing else, rounding decides which comes first.
"""

import math

CODES_KEPT = 2  # a column of so few levels is cut in the order of its codes


def total_of(numbers):
    """Return the sum of numbers, added one after the other."""
    total = 0.0
    for number in numbers:
        total += number
    return total


class LevelTargets:
    """What the levels of a tree are ordered by: a number of each of its rows, measured from their mean.

    The mean is taken from each number; from whole ones only when they are added up.
    """

    def __init__(self, values, weights, whole):
        n, total = len(values), total_of(weights)
        mean = total_of(w * v for w, v in zip(weights, values, strict=True)) / total
        self.weights = [w * (n / total) for w in weights]
        self.values = values if whole else [v - mean for v in values]
        self.mean = mean if whole else 0.0

    def ranks(self, codes, n_levels, stream):
        """Return the rank of each level, from a mean drawn of what the rows tell of it."""
        weight, total, squares = [0.0] * n_levels, [0.0] * n_levels, 0.0
        known = [row for row in zip(codes, self.weights, self.values, strict=True) if row[0] >= 0]
        for code, w, v in known:
            weight[code] += w
            total[code] += w * v
            squares += w * v * v
        known_weight = total_of(w for _, w, _ in known)
        known_total = total_of(w * v for _, w, v in known)
        squares += self.mean * (self.mean * known_weight - 2 * known_total)
        total = [t - self.mean * w for t, w in zip(total, weight, strict=True)]
        present = [level for level in range(n_levels) if weight[level] > 0]
        within, spread = _variances(
            [weight[level] for level in present], [total[level] for level in present], squares
        )
        score = [_bell(stream) for _ in range(n_levels)]
        if spread > 0:
            for level in present:
                known = weight[level] + within / spread
                score[level] = total[level] / known + score[level] * math.sqrt(within / known)
        ranks = [0] * n_levels
        for rank, level in enumerate(sorted(range(n_levels), key=lambda level: score[level])):
            ranks[level] = rank
        return ranks


def _variances(weight, total, squares):
    """Return the variance within levels and that of their means: moments of the one-way layout."""
    if not weight:
        return 0.0, 0.0
    n, all_weight = len(weight), total_of(weight)
    between = total_of(t * t / w for t, w in zip(total, weight, strict=True))
    crowding = total_of(w * w for w in weight)
    within = max(0.0, squares - between) / (all_weight - n) if all_weight > n else squares / all_weight
    freedom = all_weight - crowding / all_weight
    return within, (between - (n - 1) * within) / freedom if freedom > 0 else 0.0


def _bell(stream):
    """Return a number of mean 0 and deviation 1: four uniform ones of 16 bits, added."""
    bits = stream.next()
    total = sum(bits >> shift & 0xFFFF for shift in (0, 16, 32, 48))
    return (total / 65536 - 2 + 2.0 / 65536) * math.sqrt(3)
