"""Surrogate splits of R's rpart, slowly: the split of another column that best repeats the primary one."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

LEFT, RIGHT, UNKNOWN = -1, 1, 0


@dataclass(frozen=True, eq=False)
class PlainSplit:
    """A split in two: below a cut to the `below` side, or each level to its side; 0 is to neither.

    `improve` is the gain, or for a surrogate the agreement. `count` is how many rows were known, or for a
    surrogate how many it has sent.
    """

    column: int
    improve: float
    count: int
    cut: float | None = None
    below: int = LEFT
    sides: tuple[int, ...] = ()
    adj: float | None = None

    def side(self, values):
        """The side of each value."""
        if self.cut is not None:
            return np.where(np.isnan(values), UNKNOWN, np.where(values < self.cut, self.below, -self.below))
        codes = np.where(np.isnan(values), len(self.sides), values).astype(int)
        return np.array([*self.sides, UNKNOWN])[codes]


def surrogates(columns, weight, rows, primary, control):
    """Return the surrogates of a split, best agreement first, and the side of most known weight."""
    sides = primary.side(columns[primary.column].values[rows])
    wanted = [float(weight[rows][sides == side].sum()) for side in (LEFT, RIGHT)]
    default = int(np.sign(wanted[1] - wanted[0]))
    found = []
    for position, column in enumerate(columns):
        values = column.values[rows]
        # Rows that the primary split does not know have no say, but their values are places for a cut.
        known = ~np.isnan(values)
        if position == primary.column or not known.any():
            continue
        search = _of_levels if column.n_levels else _of_cuts
        result = search(values[known], sides[known], weight[rows][known], column.n_levels)
        if result is None:
            continue
        split, agree = replace(result[0], column=position), result[1]
        base = wanted
        if control.surrogatestyle == 1:
            base = [float(weight[rows][known][sides[known] == side].sum()) for side in (LEFT, RIGHT)]
        share, majority = agree / sum(base), max(base) / sum(base)
        adj = (share - majority) / (1 - majority)
        if adj > 1e-10:
            found.append(replace(split, improve=share, adj=adj))
    found.sort(key=lambda split: -split.improve)
    return found[: control.maxsurrogate], default


def _of_cuts(values, sides, weight, _n_levels):
    """Try each cut both ways; at least two rows of positive weight must be on either side."""
    order = np.argsort(values, kind="stable")
    values, sides, weight = values[order], sides[order], weight[order]
    goes_left, goes_right = weight * (sides == LEFT), weight * (sides == RIGHT)
    below = np.cumsum(goes_left), np.cumsum(goes_right)
    whole = below[0][-1], below[1][-1]
    n_below = np.cumsum((weight > 0) & (sides != UNKNOWN))
    best, split = max(whole), None
    for i in range(len(values) - 1):
        if values[i] == values[i + 1] or n_below[i] < 2 or n_below[-1] - n_below[i] < 2:
            continue
        cut = (values[i] + values[i + 1]) / 2
        for side, agree in (
            (RIGHT, below[1][i] + whole[0] - below[0][i]),
            (LEFT, below[0][i] + whole[1] - below[1][i]),
        ):
            if agree > best:
                best, split = agree, PlainSplit(-1, 0.0, 0, cut=cut, below=side)
                break
    return None if split is None else (split, best)


def _of_levels(values, sides, weight, n_levels):
    """Send each level where most of its weight goes; ties go where most of all the weight goes."""
    codes = values.astype(int)
    left = np.bincount(codes, weight * (sides == LEFT), minlength=n_levels)
    right = np.bincount(codes, weight * (sides == RIGHT), minlength=n_levels)
    mostly = LEFT if left.sum() > right.sum() else RIGHT
    goes = np.where(left > right, LEFT, np.where(right > left, RIGHT, mostly))
    goes[(left == 0) & (right == 0)] = UNKNOWN
    disagree = (weight > 0) & (goes[codes] == -sides) & (sides != UNKNOWN)
    if disagree.sum() < 2:
        return None
    agree = float(np.where(goes == LEFT, left, right).sum())
    return PlainSplit(-1, 0.0, 0, sides=tuple(int(side) for side in goes)), agree
