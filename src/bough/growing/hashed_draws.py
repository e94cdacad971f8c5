"""Draws that follow from hashes: the rows of a tree by their keys, the columns of a node by its path.

Nothing depends on the order of rows or on where they are, so that a forest is the same in memory and on a
cluster. Both use the finalizer of SplitMix64 (Steele, Lea and Flood 2014).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal, localcontext
from hashlib import md5

import numpy as np
import numpy.typing as npt

from bough.types import Keys

_STEP = 0x9E3779B97F4A7C15
_ROUNDS = ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB), (31, 1))
_MASK = 2**64 - 1


def mixed(number: int) -> int:
    """Return a number of 64 bits, each of which depends on all bits of the given one.

    >>> hex(mixed(1))
    '0x5692161d100b05e5'
    """
    number &= _MASK
    for shift, factor in _ROUNDS:
        number = (number ^ (number >> shift)) * factor & _MASK
    return number


def key_text(value: object) -> str:
    """Return the text of a key, which is the same for missing values of any kind.

    >>> key_text(np.int64(7)), key_text(None), key_text(float("nan"))
    ('7', 'None', 'None')
    """
    if isinstance(value, str):
        return value
    # NaN and pandas' missing values do not equal themselves.
    same = value == value
    return str(value) if isinstance(same, bool | np.bool_) and same else "None"


def row_keys(values: Iterable[object], seed: int) -> Keys:
    """Return the first 64 bits of the MD5 hash of the text of each value, after the seed.

    >>> row_keys(["a", "b"], seed=0)
    array([ 177448428635963756, 9106674637766557781], dtype=uint64)
    """
    texts = map(key_text, values)
    digests = b"".join(md5(f"{seed}:{text}".encode(), usedforsecurity=False).digest()[:8] for text in texts)
    return np.frombuffer(digests, dtype=">u8").astype(np.uint64)


@dataclass(frozen=True)
class RowDraw:
    """How often the rows of a tree are drawn: `number` is that of the tree.

    A row is drawn as often as its 32 bits reach a bound. With replacement the bounds are those of a Poisson
    distribution, so that a row is drawn `rate` times on average; otherwise it is drawn once at most.
    """

    number: int
    bounds: tuple[int, ...]

    @classmethod
    def of(cls, number: int, rate: float, *, replace: bool) -> RowDraw:
        """Return the draw of a tree, given the mean number of times that a row is drawn.

        >>> RowDraw.of(0, 0.5, replace=False).bounds
        (2147483648,)
        >>> RowDraw.of(0, 1.0, replace=True).bounds[:2]
        (1580030168, 3160060337)
        """
        with localcontext(prec=50):
            share = Decimal(rate)
            if not replace:
                return cls(number, (int((1 - share) * 2**32),))
            bounds = []
            term = total = (-share).exp()
            while (1 - total) * 2**33 > 1:
                bounds.append(int(total * 2**32))
                term *= share / len(bounds)
                total += term
            return cls(number, tuple(bounds))

    @property
    def most(self) -> int:
        """The greatest number of times that a row is drawn.

        >>> RowDraw.of(0, 1.0, replace=True).most
        12
        """
        return len(self.bounds)

    def counts(self, keys: Keys) -> npt.NDArray[np.uint32]:
        """Return how often each row is drawn.

        >>> keys = row_keys(map(str, range(8)), seed=0)
        >>> RowDraw.of(0, 1.0, replace=True).counts(keys)
        array([2, 1, 0, 1, 1, 0, 1, 7], dtype=uint32)
        """
        number = keys + np.uint64((self.number + 1) * _STEP & _MASK)
        for shift, factor in _ROUNDS:
            number = (number ^ (number >> np.uint64(shift))) * np.uint64(factor)
        upper = (number >> np.uint64(32)).astype(np.int64)
        return np.searchsorted(np.array(self.bounds, dtype=np.int64), upper, side="right").astype(np.uint32)


def tree_key(seed: int, number: int) -> int:
    """Return the key of the root of a tree.

    >>> tree_key(0, 0) == tree_key(0, 1)
    False
    """
    return mixed(mixed(seed + _STEP) + number)


def child_key(key: int, branch: int) -> int:
    """Return the key of a child of a node.

    >>> child_key(7, 0) == child_key(7, 1)
    False
    """
    return mixed(key + (branch + 1) * _STEP)


def column_order(key: int, n_columns: int) -> list[int]:
    """Return the columns in the order in which the node of a key draws them.

    >>> column_order(7, 4)
    [2, 3, 0, 1]
    """
    return sorted(range(n_columns), key=lambda column: (mixed(key ^ mixed(column + 1)), column))
