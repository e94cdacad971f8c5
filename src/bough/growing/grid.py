"""A grid on which sums are exact: weights and targets are rounded to multiples of a power of two.

Whole numbers below 2**53 add in float64 without rounding. Therefore a sum does not depend on the order of its
terms, on the number of threads or on the engine, and the statistics of a node minus those of one child equal
those of the other child.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from bough.data.target import Weights
from bough.types import Floats

_BITS = 52
# With a larger exponent the squares of an almost constant target would overflow.
_MOST = 1000


@dataclass(frozen=True, eq=False)
class Grid:
    """The units of the whole numbers of one node.

    A weight w stands for w / 2**weight_exponent, a target q for origin + q / 2**exponent.

    >>> grid = Grid(weight_exponent=1, origin=10.0, exponent=2)
    >>> grid.weight(3.0), grid.target(2.0)
    (1.5, 10.5)
    """

    weight_exponent: int = 0
    origin: float = 0.0
    exponent: int = 0

    def weight(self, weight: Any) -> Any:
        """Return a weight, or an array of weights, in real units.

        >>> Grid(weight_exponent=2).weight(np.array([1.0, 4.0]))
        array([0.25, 1.  ])
        """
        return scaled(weight, -self.weight_exponent)

    def target(self, q: Any) -> Any:
        """Return a target, or an array of targets, in real units.

        >>> Grid(origin=1.0, exponent=1).target(np.array([-2.0, 1.0]))
        array([0. , 1.5])
        """
        return self.origin + scaled(q, -self.exponent)

    def moments(self, statistics: Floats) -> Floats:
        """Convert (weight, sum, sum of squares) of the target from the grid to real units.

        >>> Grid(origin=1.0, exponent=1).moments(np.array([2.0, -1.0, 5.0]))  # y = 0 and 1.5
        array([2.  , 1.5 , 2.25])
        """
        weight = self.weight(statistics[..., 0])
        total = self.weight(scaled(statistics[..., 1], -self.exponent))
        squares = self.weight(scaled(statistics[..., 2], -2 * self.exponent))
        origin = self.origin
        return np.stack(
            [weight, total + origin * weight, squares + 2 * origin * total + origin * origin * weight],
            axis=-1,
        )

    def squared_error(self, statistics: Floats) -> Any:
        """Return the sum of squared deviations from the mean in real units; 0 if the weight is 0.

        >>> float(Grid(origin=1.0, exponent=1).squared_error(np.array([2.0, -1.0, 5.0])))
        1.125
        """
        weight, total, squares = statistics[..., 0], statistics[..., 1], statistics[..., 2]
        within = squares - total * total / np.where(weight > 0, weight, 1.0)
        return self.weight(scaled(np.maximum(within, 0.0), -2 * self.exponent))


def scaled(value: Any, exponent: int) -> Any:
    """Return value · 2**exponent: exact, or 0 or infinite if the result is out of range.

    >>> scaled(3.0, -1), scaled(1.0, 2000)
    (1.5, inf)
    """
    with np.errstate(over="ignore", under="ignore"):
        result = np.ldexp(value, exponent)
    return result if isinstance(value, np.ndarray) else float(result)


@dataclass(frozen=True, eq=False)
class GridWeights:
    """The weights of the rows as whole numbers, in units of 2**-exponent."""

    weight: Floats
    exponent: int
    whole: bool


def grid_weights(weights: Weights, n_rows: int) -> GridWeights:
    """Round weights to a grid so fine that their sum uses all bits of a float64.

    Whole weights are unchanged. Others are rounded to multiples of 2**-e, with e such that the total lies
    between 2**(51 - e) and 2**(52 - e); a weight that rounds to 0 is treated as 0.

    >>> from bough.data.target import read_weights
    >>> grid_weights(read_weights([2, 1], 2), 2).weight
    array([2., 1.])
    >>> grid = grid_weights(read_weights([0.5, 0.25], 2), 2)
    >>> grid.exponent, grid.weight / 2.0**grid.exponent
    (52, array([0.5 , 0.25]))
    """
    if weights.weight is None:
        return GridWeights(np.ones(n_rows), 0, whole=True)
    # A sequential sum, as in the native core: np.sum adds pairwise and could round to another power of two.
    total = float(np.cumsum(weights.weight)[-1])
    if weights.whole and total < 2.0**_BITS:
        return GridWeights(weights.weight, 0, whole=True)
    exponent = _BITS - math.frexp(total)[1]
    return GridWeights(np.rint(scaled(weights.weight, exponent)), exponent, whole=False)


def target_exponent(weight: float, radius: float) -> int:
    """Return the e for which weight · radius · 2**e lies between 2**51 and 2**52, at most 1000.

    >>> target_exponent(4.0, 1.0)
    49
    """
    weight_part, weight_exponent = math.frexp(weight)
    radius_part, radius_exponent = math.frexp(radius)
    exponent = weight_exponent + radius_exponent + math.frexp(weight_part * radius_part)[1]
    return min(_BITS - exponent, _MOST)
