"""Ways of pruning as parameters: what a learner's `prune` may be, by name or with settings of its own."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import numpy.typing as npt

from bough import _core
from bough.errors import ParameterError
from bough.pruning.error_based import Estimate, check_confidence, prune_by_errors
from bough.pruning.mdl import mdl
from bough.pruning.pessimistic import pessimistic
from bough.pruning.reduced_error import prune_on
from bough.pruning.tuning import AnsweredRows, read_sample

if TYPE_CHECKING:
    from bough.tree import Tree


@dataclass(frozen=True, eq=False)
class ReducedError:
    """Prune on rows that the tree is not grown on: a tuning set (X, y), or a fold of the rows held out.

    One of `folds` parts is held out, with as even a share of each class as can be; rows are shuffled first by
    `seed`, or, if that is None, stay in their order. The rows are those Weka holds out: REPTree with a seed,
    J48 without one.

    >>> from bough import CARTClassifier
    >>> X, y = [[i] for i in range(30)], ["a", "b", "b"] * 10
    >>> CARTClassifier(prune=ReducedError(folds=5)).fit(X, y).get_n_leaves()
    1
    """

    folds: int = 3
    seed: int | None = 1
    tuning: tuple[Any, Any] | None = None
    greedy: bool = False
    backfit: bool = False

    def __post_init__(self) -> None:
        if not _is_whole(self.folds) or self.folds < 2:
            raise ParameterError.of("folds", self.folds, "a whole number of at least 2")
        if self.seed is not None and not (_is_whole(self.seed) and -(2**31) <= self.seed < 2**31):
            raise ParameterError.of("seed", self.seed, "a whole number of 32 bits, or None")
        if self.tuning is not None and not (isinstance(self.tuning, tuple) and len(self.tuning) == 2):
            raise ParameterError.of("tuning", type(self.tuning).__name__, "a pair (X, y), or None")

    def held_out(self, sample: AnsweredRows) -> npt.NDArray[np.bool_] | None:
        """Return which rows to hold out; None if a tuning set is given or there are fewer rows than folds.

        >>> from bough.data.table import Table
        >>> from bough.data.target import read_weights
        >>> table, codes = Table.read([[1.0]] * 4), np.array([0, 0, 1, 1], np.int32)
        >>> sample = AnsweredRows(table, codes, read_weights(None, 4))
        >>> ReducedError(folds=2, seed=None).held_out(sample)
        array([False,  True, False,  True])
        """
        n_rows = sample.table.n_rows
        if self.tuning is not None or n_rows < self.folds:
            return None
        labels = sample.answers if sample.answers.dtype == np.int32 else None
        fold = self.folds - 1 if self.seed is None else 0
        return np.asarray(_core.fold_of_rows(labels, n_rows, self.folds, fold, self.seed)).astype(np.bool_)

    def prune(self, tree: Tree, sample: AnsweredRows, held_out: npt.NDArray[np.bool_] | None) -> Tree:
        """Return the tree pruned on the tuning set or on the rows held out; as it is if there are none.

        >>> from bough.example_models import iris_tree
        >>> sample = read_sample(iris_tree(), [[4.7, 1.4]], ["versicolor"])
        >>> ReducedError().prune(iris_tree(), sample, np.array([True])).n_leaves
        2
        """
        if self.tuning is not None:
            sample = read_sample(tree, *self.tuning)
        elif held_out is None:
            return tree
        else:
            sample = sample.take(np.flatnonzero(held_out))
        return prune_on(tree, sample, greedy=self.greedy, backfit=self.backfit)


@dataclass(frozen=True)
class Pessimistic:
    """Prune by Quinlan's pessimistic errors of 1987, from the tree's own statistics.

    >>> from bough.example_models import iris_tree
    >>> Pessimistic(standard_errors=50).prune(iris_tree()).n_leaves
    1
    """

    standard_errors: float = 1.0

    def prune(self, tree: Tree, *_: object) -> Tree:
        """Return the pruned tree.

        >>> from bough.example_models import iris_tree
        >>> Pessimistic().prune(iris_tree()).n_leaves
        3
        """
        return pessimistic(tree, standard_errors=self.standard_errors)


@dataclass(frozen=True)
class ErrorBased:
    """Prune by the errors that C4.5 expects, with the rows the tree was grown on.

    >>> from bough import CARTClassifier
    >>> X, y = [[i] for i in range(12)], list("aaaaaaabbbab")
    >>> CARTClassifier(prune=ErrorBased(confidence=0.1)).fit(X, y).get_n_leaves()
    2
    """

    confidence: float = 0.25
    raising: bool = True
    estimate: Estimate = "c4.5"

    def __post_init__(self) -> None:
        check_confidence(self.confidence)

    def prune(self, tree: Tree, sample: AnsweredRows, *_: object) -> Tree:
        """Return the pruned tree.

        >>> from bough.example_models import iris_tree
        >>> sample = read_sample(iris_tree(), [[4.7, 1.4]] * 9, ["versicolor"] * 9)
        >>> ErrorBased().prune(iris_tree(), sample).n_leaves
        1
        """
        return prune_by_errors(
            tree, sample, confidence=self.confidence, raising=self.raising, estimate=self.estimate
        )


@dataclass(frozen=True)
class MinimumLength:
    """Prune to the tree that, with its exceptions, takes the fewest bits.

    >>> from bough.example_models import iris_tree
    >>> MinimumLength().prune(iris_tree()).n_leaves
    3
    """

    def prune(self, tree: Tree, *_: object) -> Tree:
        """Return the pruned tree.

        >>> from bough.example_models import tennis_tree
        >>> MinimumLength().prune(tennis_tree()).n_leaves
        1
        """
        return mdl(tree)


Pruning: TypeAlias = ReducedError | Pessimistic | ErrorBased | MinimumLength

_NAMES: dict[str, type[Pruning]] = {
    "reduced_error": ReducedError,
    "pessimistic": Pessimistic,
    "error_based": ErrorBased,
    "mdl": MinimumLength,
}


def pruning_of(prune: object, own: tuple[str, ...] = ("none",)) -> Pruning | None:
    """Return the way of pruning that a learner's parameter names; None for the words the learner has itself.

    >>> pruning_of("pessimistic"), pruning_of("none")
    (Pessimistic(standard_errors=1.0), None)
    >>> pruning_of("hard")
    Traceback (most recent call last):
    bough.errors.ParameterError: prune is 'hard'; it must be 'none', 'reduced_error', 'pessimistic',
    'error_based', 'mdl' or one of the classes of bough.pruning, such as ReducedError(folds=5).
    """
    if isinstance(prune, ReducedError | Pessimistic | ErrorBased | MinimumLength):
        return prune
    if isinstance(prune, str) and prune in own:
        return None
    if isinstance(prune, str) and prune in _NAMES:
        return _NAMES[prune]()
    names = ", ".join(map(repr, (*own, *_NAMES)))
    raise ParameterError.of(
        "prune", prune, f"{names} or one of the classes of bough.pruning, such as ReducedError(folds=5)"
    )


def _is_whole(value: object) -> bool:
    return isinstance(value, Integral) and not isinstance(value, bool)
