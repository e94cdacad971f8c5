"""The grid of a fit on bins: one unit for the weights and one for y, shared by all nodes and trees.

It is defined in the page on architecture. A real number becomes a whole number by a power of two and floor,
so that sums are the same in numpy, in C++ and in a database, in any order of the rows.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from bough.errors import TargetError
from bough.growing.engine import NodeStatistics
from bough.growing.grid import Grid, scaled, target_exponent
from bough.types import Floats

_MOST_WEIGHT = 2.0**52
_LEAST_RADIUS = 1e-290


def check_spread(lowest: float, highest: float) -> None:
    """Raise if the values of y differ by so little that the finest grid does not tell them apart.

    >>> check_spread(0.0, 1e-305)
    Traceback (most recent call last):
    bough.errors.TargetError: y lies between 0.0 and 1e-305, too close for max_bins; multiply y by a power of
    10, or leave max_bins out.
    """
    if 0 < highest / 2 - lowest / 2 < _LEAST_RADIUS:
        raise TargetError(
            f"y lies between {lowest!r} and {highest!r}, too close for max_bins; multiply y by a power of "
            "10, or leave max_bins out."
        )


@dataclass(frozen=True)
class FitGrid:
    """The units of weights, of the sums of y and of the sums of its squares.

    A row of whole weight w adds w · floor(d · 2**exponent) to the sum of y, where d is y less `origin`, and
    w · floor(d² · 2**squares_exponent) to the squares. If weights are fractions, w is part of the products.

    >>> FitGrid.of_weights(8, whole=True, total=8.0, greatest=1.0).with_target(8.0, 0.1, 1.3)
    FitGrid(weight_exponent=0, whole=True, origin=0.7000000000000001, exponent=49, squares_exponent=50)
    """

    weight_exponent: int = 0
    whole: bool = True
    origin: float = 0.0
    exponent: int = 0
    squares_exponent: int = 0

    @classmethod
    def of_weights(cls, n_rows: int, *, whole: bool, total: float, greatest: float) -> FitGrid:
        """Return the grid of weights, given their number, whether all are whole, their sum and the greatest.

        >>> FitGrid.of_weights(2, whole=False, total=0.75, greatest=0.5).weight_exponent
        51
        """
        if whole and total < _MOST_WEIGHT:
            return cls()
        return cls(target_exponent(float(n_rows), greatest), whole=False)

    def with_target(self, total_weight: float, lowest: float, highest: float) -> FitGrid:
        """Return the grid with the units of a y of this range, given the sum of the whole weights.

        >>> FitGrid().with_target(4.0, 2.0, 2.0).exponent
        0
        """
        check_spread(lowest, highest)
        origin, radius = lowest / 2 + highest / 2, highest / 2 - lowest / 2
        if not radius > 0:
            return replace(self, origin=origin)
        return replace(
            self,
            origin=origin,
            exponent=target_exponent(total_weight, radius),
            squares_exponent=target_exponent(total_weight, radius * radius),
        )

    @property
    def of_node(self) -> Grid:
        """The units of weights and of sums, as contingency tables have them.

        >>> FitGrid(weight_exponent=3, exponent=5).of_node.exponent
        5
        """
        return Grid(self.weight_exponent, self.origin, self.exponent)

    def whole_weights(self, weight: Floats) -> Floats:
        """Return weights as whole numbers; a row whose weight becomes 0 is absent.

        >>> FitGrid(weight_exponent=2, whole=False).whole_weights(np.array([0.3, 2.0]))
        array([1., 8.])
        """
        return weight if self.whole else np.floor(scaled(weight, self.weight_exponent))

    def terms(self, y: Floats, weight: Floats) -> tuple[Floats, Floats]:
        """Return what each row adds to the sum of y and to the squares; weights are whole numbers.

        >>> FitGrid(origin=1.0, exponent=2, squares_exponent=3).terms(np.array([1.3, 2.0]), np.ones(2))
        (array([1., 4.]), array([0., 8.]))
        """
        d = y - self.origin
        if self.whole:
            steps, squares = scaled(d, self.exponent), scaled(d * d, self.squares_exponent)
            return weight * np.floor(steps), weight * np.floor(squares)
        product = weight * d
        sums = np.floor(scaled(product, self.exponent))
        return sums, np.floor(scaled(product * d, self.squares_exponent))

    def squares_in_steps(self, squares: Floats) -> Floats:
        """Return sums of squares in the square of the unit of sums, as criteria read them.

        >>> FitGrid(exponent=2, squares_exponent=3).squares_in_steps(np.array([8.0]))
        array([16.])
        """
        return np.asarray(scaled(squares, 2 * self.exponent - self.squares_exponent))

    def number_summary(
        self, weight: float, total: float, squares: float, cases: float, lowest: float, highest: float
    ) -> NodeStatistics:
        """Return the statistics of a node from its sums and the extremes of y.

        >>> FitGrid(exponent=1, squares_exponent=2).number_summary(2.0, 4.0, 16.0, 2.0, 0.0, 2.0).risk
        2.0
        """
        mean, risk = lowest, 0.0
        if lowest != highest:
            mean = self.origin + scaled(total / weight, -self.exponent)
            off = scaled(total, -self.exponent)
            within = scaled(squares, -self.squares_exponent) - off * (off / weight)
            risk = scaled(max(0.0, within), -self.weight_exponent)
        real_weight = scaled(weight, -self.weight_exponent)
        return NodeStatistics(real_weight, cases, np.array([mean]), risk, 0.0, lowest, highest)
