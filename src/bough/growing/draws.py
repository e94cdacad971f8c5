"""Settings of an ensemble: number of models, sampling of rows for each, sampling of columns at each node."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

import bough._core as _core
from bough.errors import ParameterError
from bough.growing.hashed_draws import RowDraw, row_keys
from bough.growing.limits import is_number
from bough.types import Keys, is_whole

Draw: TypeAlias = Literal["all", "with_replacement", "without_replacement", "given", "hashed"]
EnsembleKind: TypeAlias = Literal[
    "forest",
    "boosting",
    "gradient_boosting",
    "bagging",
    "adaboost",
    "adaboost_r2",
    "logitboost",
    "brownboost",
    "rankboost",
    "gbrank",
    "additive_groves",
    "transform_regression",
    "isolation_forest",
]

_DRAWN_AT_ONCE = 10_000_000


@dataclass(frozen=True)
class RowSampling:
    """How rows are sampled for each tree: all, or a number from each stratum, with or without replacement.

    >>> RowSampling("with_replacement", (3,)).native()
    {'draw': 'with_replacement', 'size': [3], 'stratum': None}
    """

    draw: Draw = "all"
    size: tuple[int, ...] = ()
    stratum: npt.NDArray[np.int32] | None = None

    def native(self) -> dict[str, Any]:
        """Return the settings as arguments of the native code.

        >>> RowSampling().native()["draw"]
        'all'
        """
        return {"draw": self.draw, "size": list(self.size), "stratum": self.stratum}

    def is_like(self, other: RowSampling) -> bool:
        """Whether both settings sample the same rows from the same seed.

        >>> RowSampling("with_replacement", (3,)).is_like(RowSampling("with_replacement", (2,)))
        False
        """
        if (self.draw, self.size) != (other.draw, other.size):
            return False
        if self.stratum is None or other.stratum is None:
            return self.stratum is other.stratum
        return np.array_equal(self.stratum, other.stratum)

    def draws(self, n_rows: int, seed: int, n_trees: int) -> npt.NDArray[np.uint32]:
        """Return how often each row is in the bag of each tree (rows × trees); R's `inbag`.

        >>> RowSampling("with_replacement", (3,)).draws(3, seed=1, n_trees=2).sum(axis=0)
        array([3, 3], dtype=uint64)
        """
        drawn = np.empty((n_rows, n_trees), dtype=np.uint32)
        # Several calls, so that Ctrl-C is checked between them.
        step = max(1, _DRAWN_AT_ONCE // max(1, n_rows))
        for first in range(0, n_trees, step):
            some = _core.draws(self.native(), n_rows, seed, first, min(step, n_trees - first))
            drawn[:, first : first + step] = some
        return drawn

    def rows(self, n_rows: int, seed: int, n_trees: int) -> list[npt.NDArray[np.intp]]:
        """Return the rows in the bag of each tree, repeated as often as they were sampled.

        >>> RowSampling("all", (2,)).rows(2, seed=1, n_trees=1)
        [array([0, 1])]
        """
        return [np.repeat(np.arange(n_rows), counts) for counts in self.draws(n_rows, seed, n_trees).T]


@dataclass(frozen=True, kw_only=True)
class GivenDraws(RowSampling):
    """Samples that the caller drew: how often each tree has each row (trees × rows), or its weight there.

    Whole numbers (uint32) are numbers of draws, float64 are weights. Each row is one case of a tree, however
    often it was drawn. The first sample is that of tree `first_tree`.

    >>> GivenDraws(drawn=np.array([[2, 0, 1]], dtype=np.uint32)).native()["counts"]
    array([[2, 0, 1]], dtype=uint32)
    """

    draw: Draw = "given"
    drawn: npt.NDArray[Any]
    first_tree: int = 0

    def native(self) -> dict[str, Any]:
        """Return the samples as arguments of the native code.

        >>> GivenDraws(drawn=np.array([[0.5, 1.0]])).native()["counts"] is None
        True
        """
        whole = self.drawn.dtype == np.uint32
        counts, weights = (self.drawn, None) if whole else (None, self.drawn)
        return {"draw": "given", "counts": counts, "weights": weights, "first_tree": self.first_tree}


@dataclass(frozen=True, kw_only=True)
class HashedRows(RowSampling):
    """Samples that follow from hashes of the rows, each for itself, so that their order does not matter.

    A row is drawn `rate` times on average or, without `replace`, once with this probability. `keys` are the
    hashes of the column `row_key`, once the rows are read, and `n_trees` is the number of samples. A tree
    for which no row of positive weight is drawn has all rows; `counts` marks the rows of positive weight.

    >>> rows = HashedRows(rate=0.5, row_key="id").keyed(["a", "b", "c"], seed=0, n_trees=2)
    >>> rows.draws(3, seed=0, n_trees=2)
    array([[0, 1],
           [2, 1],
           [1, 0]], dtype=uint32)
    """

    draw: Draw = "hashed"
    rate: float = 1.0
    replace: bool = True
    row_key: str | None = None
    keys: Keys | None = None
    n_trees: int = 0
    counts: npt.NDArray[np.bool_] | None = None

    def keyed(
        self, values: Iterable[object], seed: int, n_trees: int, weight: npt.NDArray[np.float64] | None = None
    ) -> HashedRows:
        """Return the sampling of rows with these values of the key and these weights.

        >>> HashedRows().keyed(["a"], seed=0, n_trees=1).keys.shape
        (1,)
        """
        counts = None if weight is None else weight > 0
        return dataclasses.replace(self, keys=row_keys(values, seed), n_trees=n_trees, counts=counts)

    def of_tree(self, number: int) -> RowDraw:
        """Return how the rows of a tree are drawn.

        >>> HashedRows(rate=0.5, replace=False).of_tree(3).most
        1
        """
        return RowDraw.of(number, self.rate, replace=self.replace)

    def native(self) -> dict[str, Any]:
        """Return the samples as arguments of the native code.

        >>> HashedRows(rate=0.1).keyed(["a"], seed=0, n_trees=5).native()["counts"].T
        array([[1, 1, 1, 1, 1]], dtype=uint32)
        """
        if self.keys is None:
            raise ParameterError(
                "The samples of trees follow from keys of rows that are not in memory. Fit the forest to a "
                "table in memory to inspect them."
            )
        drawn = np.array(
            [self.of_tree(number).counts(self.keys) for number in range(self.n_trees)], dtype=np.uint32
        )
        counted = drawn if self.counts is None else drawn[:, self.counts]
        drawn[~counted.any(axis=1)] = 1
        return GivenDraws(drawn=drawn).native()

    def is_like(self, other: RowSampling) -> bool:
        """Whether both settings sample the same rows from the same seed.

        >>> HashedRows().is_like(HashedRows(rate=0.5))
        False
        """
        return isinstance(other, HashedRows) and (self.rate, self.replace, self.row_key) == (
            other.rate,
            other.replace,
            other.row_key,
        )

    def draws(self, n_rows: int, seed: int, n_trees: int) -> npt.NDArray[np.uint32]:
        """Return how often each row is in the bag of each tree (rows × trees).

        >>> HashedRows().keyed(["a", "b"], seed=0, n_trees=3).draws(2, seed=0, n_trees=3).shape
        (2, 3)
        """
        counts: npt.NDArray[np.uint32] = self.native()["counts"]
        return np.ascontiguousarray(counts[:n_trees].T)


def random_numbers(random_state: Any) -> np.random.RandomState:
    """Return the generator that `random_state` stands for.

    >>> random_numbers(0).randint(100)
    44
    >>> random_numbers(-1)
    Traceback (most recent call last):
    bough.errors.ParameterError: random_state is -1;
    it must be None, a whole number from 0 to 2**32 - 1, or a numpy RandomState.
    """
    from sklearn.utils import check_random_state

    try:
        generator: np.random.RandomState = check_random_state(random_state)
    except ValueError:
        wanted = "None, a whole number from 0 to 2**32 - 1, or a numpy RandomState"
        raise ParameterError.of("random_state", random_state, wanted) from None
    return generator


@dataclass(frozen=True)
class ColumnSampling:
    """Which columns are searched for a split at each node.

    Each node samples `max_features` of the columns; each tree is first restricted to a sample of
    `tree_features` columns (0: all columns). `max_features` is as given to the learner until the number of
    columns is known. With `keep_searching`, a node tries further columns, one by one,
    until one can be split. With `random_splits`, one random split of each column is tried instead of the
    best one.

    >>> ColumnSampling(3).tree_features
    0
    """

    max_features: Any = 1
    tree_features: int = 0
    keep_searching: bool = True
    random_splits: bool = False


@dataclass(frozen=True)
class Ensemble:
    """The kind of an ensemble, the number of its models, and how rows are sampled for each.

    >>> Ensemble("forest", 100).rows.draw
    'all'
    """

    kind: EnsembleKind
    n_estimators: int = 1
    rows: RowSampling = RowSampling()


def read_max_features(max_features: Any, n_columns: int) -> int:
    """Return the number of columns for `max_features`: a name as in scikit-learn, a number or a fraction.

    >>> read_max_features("sqrt", 28), read_max_features(0.3, 10), read_max_features(None, 10)
    (5, 3, 10)
    >>> read_max_features("auto", 28)
    Traceback (most recent call last):
    bough.errors.ParameterError: max_features is 'auto'; it must be 'sqrt', 'log2', None, a whole number from
    1 to the 28 columns, or a fraction in (0, 1].
    """
    if max_features is None:
        return n_columns
    if isinstance(max_features, str) and max_features in ("sqrt", "log2"):
        root = math.sqrt(n_columns) if max_features == "sqrt" else math.log2(n_columns)
        return max(1, int(root))
    many = number_of(max_features, n_columns)
    if many is None:
        wanted = f"'sqrt', 'log2', None, a whole number from 1 to the {n_columns} columns"
        raise ParameterError.of("max_features", max_features, f"{wanted}, or a fraction in (0, 1]")
    return many


def number_of(share: Any, n: int) -> int | None:
    """Return how many of n a whole number or a fraction in (0, 1] stands for; None for another value.

    >>> number_of(3, 10), number_of(0.25, 10), number_of(11, 10)
    (3, 2, None)
    """
    if is_whole(share):
        return int(share) if 1 <= share <= n else None
    return max(1, int(float(share) * n)) if is_number(share) and 0 < share <= 1 else None


def read_seed(random_state: Any) -> int:
    """Return the seed of a model, drawn from `random_state`.

    >>> read_seed(0) == read_seed(0)
    True
    """
    # A generator takes longer to make than a small table to read.
    return _seed_of_number(random_state) if type(random_state) is int else _drawn_seed(random_state)


def _drawn_seed(random_state: Any) -> int:
    return int(random_numbers(random_state).randint(np.iinfo(np.int32).max))


@lru_cache(maxsize=1024)
def _seed_of_number(number: int) -> int:
    return _drawn_seed(number)
