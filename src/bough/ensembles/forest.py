"""A forest: many trees packed into a few arrays, one for the nodes of all trees, one for their leaves."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, cached_property
from operator import attrgetter
from typing import Any, ClassVar, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

import bough._core as _core
from bough.data.lazy_sequence import LazySequence
from bough.data.row_key import recorded_row_key, without_row_key
from bough.data.schema import Level, Schema
from bough.data.several_targets import Target
from bough.data.table import Table
from bough.ensembles.soundness import check
from bough.ensembles.unpack import WIDE_COLUMN_BITS, AllNodes, all_nodes, tree_arrays, widened
from bough.errors import TargetError
from bough.jobs import n_threads
from bough.models.model import table_for
from bough.models.saved import SavedModel
from bough.tree import Tree
from bough.tree.answer import label_array
from bough.tree.lazy_methods import TO_SQL
from bough.tree.one_target import joined_answers, position_of, statistics_of
from bough.types import Floats, Task

ForestVoting: TypeAlias = Literal["soft", "hard"]

_LISTS = ("nodes", "gain", "leaf", "leaf_totals", "cases", "special", "tree_importance")
_STARTS = ("node_start", "leaf_start", "special_start")
_OF_EACH_TREE = ("schema", "task", "classes", "target_name", "targets", "criterion", "recipe")
_FEW_ROWS = 16
_FLOATS = (np.dtype(np.float32), np.dtype(np.float64))
_SCALE_AND_UNIT = attrgetter("scale", "unit")


@cache
def _threads_of_checks() -> int:
    """Return the threads that check the nodes of a large forest; counting them takes as long as a row."""
    return n_threads(None)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Forest(SavedModel):
    """Trees of one schema and one target whose predictions are combined; `trees[i]` is one of them.

    The midpoint of two values goes to the left branch, as in randomForest, ranger and scikit-learn; the
    stored threshold, below which values go left, is therefore the next greater float. With two classes a
    forest takes about 22 bytes for each node: 8 for the split, 4 for its gain, and for a leaf the class
    weights and cases. A regression forest takes 26, because a leaf stores mean, weight, risk and cases.

    >>> from bough import RandomForestClassifier
    >>> X, y = [[1.0], [2.0], [3.0]], ["a", "b", "b"]
    >>> forest = RandomForestClassifier(10, random_state=0).fit(X, y).forest_
    >>> forest
    Forest(10 trees, 26 nodes)
    >>> print(forest.trees[1].rules()[0])
    x0 < 1.5000001 -> a
    """

    model_kind: ClassVar[str] = "forest"
    to_sql = TO_SQL

    schema: Schema
    task: Task
    classes: tuple[Level, ...]
    target_name: str | None
    criterion: str
    recipe: dict[str, Any]
    wide: bool
    column_bits: int
    nodes: npt.NDArray[np.uint64]
    gain: npt.NDArray[np.float32]
    leaf: Floats
    """The class weights or the mean of each leaf; those of several targets side by side."""
    leaf_totals: Floats
    """The weight and the risk of each leaf of a regression forest, with several targets a risk for each; no
    rows in a classification forest."""
    cases: npt.NDArray[np.float32]
    special: npt.NDArray[np.uint32]
    node_start: npt.NDArray[np.int64]
    leaf_start: npt.NDArray[np.int64]
    special_start: npt.NDArray[np.int64]
    tree_importance: Floats
    """The total gain of the splits on each column in each tree (trees × columns)."""
    voting: ForestVoting = "soft"
    """Whether trees contribute class probabilities ("soft") or one vote each ("hard")."""
    cutoff: tuple[float, ...] | None = None
    """The number by which probabilities or votes of each class are divided before the maximum is taken."""
    correction: tuple[float, float] | None = None
    """Intercept and slope of the bias correction of a regression forest."""
    targets: tuple[Target, ...] = ()
    """The targets if they are several; `classes` and `target_name` are then those of the first."""
    provenance: dict[str, Any] = dataclasses.field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in (*_LISTS, *_STARTS):
            getattr(self, name).setflags(write=False)

    def __repr__(self) -> str:
        return f"Forest({self.n_trees} trees, {self.n_nodes} nodes)"

    @property
    def n_trees(self) -> int:
        """The number of trees.

        >>> from bough import RandomForestRegressor
        >>> RandomForestRegressor(5).fit([[1.0], [2.0]], [1.0, 2.0]).forest_.n_trees
        5
        """
        return len(self.node_start) - 1

    @property
    def n_nodes(self) -> int:
        """The total number of nodes of all trees.

        >>> from bough import RandomForestRegressor
        >>> RandomForestRegressor(5, bootstrap=False).fit([[1.0], [2.0]], [1.0, 2.0]).forest_.n_nodes
        15
        """
        return int(self.node_start[-1])

    @property
    def nbytes(self) -> int:
        """The size of all arrays in bytes.

        >>> from bough import RandomForestRegressor
        >>> RandomForestRegressor(5).fit([[1.0], [2.0]], [1.0, 2.0]).forest_.nbytes < 1000
        True
        """
        return sum(getattr(self, name).nbytes for name in (*_LISTS, *_STARTS))

    @property
    def trees(self) -> Sequence[Tree]:
        """The trees, each unpacked when it is accessed.

        >>> from bough import RandomForestRegressor
        >>> len(RandomForestRegressor(5).fit([[1.0], [2.0]], [1.0, 2.0]).forest_.trees)
        5
        """
        return _Trees(self)

    def words(self, number: int) -> npt.NDArray[np.uint64]:
        """Return the packed nodes of one tree.

        >>> from bough import RandomForestRegressor
        >>> model = RandomForestRegressor(5, bootstrap=False).fit([[1.0], [2.0]], [1.0, 2.0])
        >>> len(model.forest_.words(0))
        3
        """
        each = 2 if self.wide else 1
        return self.nodes[each * self.node_start[number] : each * self.node_start[number + 1]]

    @cached_property
    def native(self) -> _core.Forest:
        """The forest as an object of the native code; it checks the nodes when it first predicts many rows.

        >>> from bough import RandomForestRegressor
        >>> forest = RandomForestRegressor(5).fit([[1.0], [2.0]], [1.0, 2.0]).forest_
        >>> forest.native is forest.native
        True
        """
        return _core.Forest(
            self.nodes,
            self.wide,
            self.column_bits,
            self._leaf_means,
            self.special,
            self.node_start,
            self.leaf_start,
            self.special_start,
            [len(column.levels) for column in self.schema.columns],
            0 if self.targets else len(self.classes),
            _threads_of_checks(),
        )

    @property
    def _leaf_means(self) -> Floats:
        """The numbers of each leaf that are averaged over the trees, if targets are several."""
        if not self.targets or self.task == "regression":
            return self.leaf
        # Every target of a leaf has the weight of its rows.
        weight = self.leaf[:, : len(self.classes)].sum(axis=1, keepdims=True)
        return np.ascontiguousarray(self.leaf / weight)

    def target(self, target: int | str) -> Forest:
        """Return the forest of one of several targets, by name or position: it has all that forests have.

        >>> from bough import RandomForestRegressor
        >>> forest = RandomForestRegressor(2).fit([[1.0], [2.0]], [[1.0, 5.0], [2.0, 6.0]]).forest_
        >>> forest.target("y1").predict([[1.0]]).shape
        (1,)
        """
        position = position_of(self, target)
        if not self.targets:
            return self
        totals, of = self.leaf_totals, self.targets[position]
        return dataclasses.replace(
            self,
            targets=(),
            classes=of.classes,
            target_name=of.name,
            leaf=statistics_of(self, position, self.leaf),
            leaf_totals=totals if of.classes else np.ascontiguousarray(totals[:, [0, 1 + position]]),
        )

    def reads(self, X: Any) -> bool:
        """Whether X is a matrix of few rows of numbers that is predicted as it is.

        Of one row, reading a table and checking all nodes would take most of the time.

        >>> from bough import RandomForestRegressor
        >>> RandomForestRegressor(2).fit([[1.0], [2.0]], [1.0, 2.0]).forest_.reads(np.array([[1.0]]))
        True
        """
        return (
            type(X) is np.ndarray
            and X.ndim == 2
            and 0 < len(X) <= _FEW_ROWS
            and X.dtype in _FLOATS
            and X.shape[1] == self._n_numbers
            and X.flags.c_contiguous
        )

    def prepare(self) -> None:
        """Make what a prediction needs, so that the first row need not wait for it.

        `fit` and `bough.load` call this. If a row of numbers can be predicted as it is, a row of zeros is
        predicted too, so that the code and the upper nodes are in memory.

        >>> from bough import RandomForestRegressor
        >>> RandomForestRegressor(2).fit([[1.0], [2.0]], [1.0, 2.0]).forest_.prepare()
        """
        for made in ("native", "_n_numbers", "_labels"):
            getattr(self, made)
        if self._n_numbers > 0 and self.n_trees > 0:
            with suppress(ValueError):  # invalid nodes are reported where they are asked about
                self.predict(np.zeros((1, self._n_numbers), dtype=np.float32))

    @cached_property
    def _labels(self) -> npt.NDArray[Any]:
        """The classes as an array of their type."""
        return label_array(self.classes)

    @cached_property
    def _n_numbers(self) -> int:
        """The number of columns if few rows of numbers can be predicted as they are, else -1."""
        plain = set(map(_SCALE_AND_UNIT, self.schema.columns)) <= {("numeric", None)}
        return len(self.schema) if plain and self.voting == "soft" else -1

    def tally(self, table: Table, n_jobs: int | None = None, **options: Any) -> dict[str, npt.NDArray[Any]]:
        """Return sums over the trees for each row; `options` select which sums are computed.

        >>> from bough import RandomForestRegressor
        >>> forest = RandomForestRegressor(2, bootstrap=False).fit([[1.0], [2.0]], [1.0, 2.0]).forest_
        >>> forest.tally(Table.read([[0.0]]))["share"]
        array([[2.]])
        """
        arguments: dict[str, Any] = {
            "shares": True,
            "votes": False,
            "decide": False,
            "label": None,
            "y": None,
            "by_votes": False,
            "cutoff": [],
            "sample": None,
            "seed": 0,
            "first_tree": 0,
            "n_threads": n_threads(n_jobs),
            "progress": None,
        } | options
        return self.native.tally(table.native_or_sparse(), table.n_rows, **arguments)

    def predict(self, X: Any, n_jobs: int | None = None) -> npt.NDArray[Any]:
        """Return the class of the greatest mean probability or of most votes, or the mean prediction.

        Probabilities and votes are divided by their cutoff. Prediction of a row stops early once the
        remaining trees cannot change its class. Several targets have a column each.

        >>> from bough import RandomForestClassifier
        >>> model = RandomForestClassifier(10, random_state=0)
        >>> forest = model.fit([[1.0], [2.0]] * 5, ["a", "b"] * 5).forest_
        >>> forest.predict([[0.0], [3.0]])
        array(['a', 'b'], dtype='<U1')
        """
        if self.targets:
            means = self._means_by_target(X, n_jobs)
            if self.task == "regression":
                return np.hstack(means)
            labels = [label_array(target.classes) for target in self.targets]
            return joined_answers(
                [own[shares.argmax(axis=1)] for own, shares in zip(labels, means, strict=True)]
            )
        if self.task == "regression":
            return self.corrected(self._sums(X, n_jobs)[:, 0] / self.n_trees)
        sums = self._sums(X, n_jobs, decide=self.cutoff is None)
        if self.cutoff is not None:
            sums = sums / self.cutoff
        return np.asarray(self._labels[sums.argmax(axis=1)])

    def predict_proba(self, X: Any, n_jobs: int | None = None) -> Any:
        """Return the mean of the trees' class probabilities, or with hard voting the shares of votes.

        Of several targets it is a list with an array for each.

        >>> from bough import RandomForestClassifier
        >>> model = RandomForestClassifier(10, random_state=0)
        >>> forest = model.fit([[1.0], [2.0]] * 5, ["a", "b"] * 5).forest_
        >>> forest.predict_proba([[0.0]])
        array([[1., 0.]])
        """
        if self.task == "regression":
            raise TargetError("predict_proba: this forest predicts numbers and has no classes.")
        if self.targets:
            return self._means_by_target(X, n_jobs)
        return self._sums(X, n_jobs) / self.n_trees

    def _means_by_target(self, X: Any, n_jobs: int | None) -> list[Floats]:
        """Return the class shares, or the means, of each of several targets."""
        return by_target(self.targets, self._sums(X, n_jobs) / self.n_trees)

    def _sums(self, X: Any, n_jobs: int | None, *, decide: bool = False) -> Floats:
        if self.reads(X):
            return self.native.sums_of_few(X)
        table = table_for(without_row_key(X, recorded_row_key(self.recipe), self.schema), self.schema)
        hard = self.voting == "hard"
        sums = self.tally(table, n_jobs, shares=not hard, votes=hard, decide=decide)
        return sums["vote" if hard else "share"]

    def corrected(self, mean: Floats) -> Floats:
        """Apply the bias correction to predictions, if there is one.

        >>> from bough import RandomForestRegressor
        >>> forest = RandomForestRegressor(2).fit([[1.0], [2.0]], [1.0, 2.0]).forest_
        >>> dataclasses.replace(forest, correction=(1.0, 2.0)).corrected(np.array([3.0]))
        array([7.])
        """
        if self.correction is None:
            return mean
        return np.asarray(self.correction[0] + self.correction[1] * mean)

    def importance(self) -> Floats:
        """Return the total gain · weight of the splits on each column, averaged over the trees.

        >>> from bough import RandomForestClassifier
        >>> model = RandomForestClassifier(5, bootstrap=False).fit([[1.0, 7.0], [2.0, 7.0]], ["a", "b"])
        >>> model.forest_.importance()
        array([1., 0.])
        """
        return np.asarray(self.tree_importance.mean(axis=0))

    def check(self) -> None:
        """Raise if the arrays of the forest are inconsistent; `bough.load` calls this.

        >>> from bough import RandomForestRegressor
        >>> forest = RandomForestRegressor(2).fit([[1.0], [2.0]], [1.0, 2.0]).forest_
        >>> dataclasses.replace(forest, gain=forest.gain[1:].copy()).check()  # doctest: +ELLIPSIS
        Traceback (most recent call last):
        bough.errors.FormatError: At trees.gain: has shape ...
        """
        check(self)
        self.prepare()

    def document(self) -> dict[str, Any]:
        """Return the forest as a document of dicts, lists and arrays, as a file stores it.

        >>> from bough import RandomForestRegressor
        >>> RandomForestRegressor(2).fit([[1.0], [2.0]], [1.0, 2.0]).forest_.document()["voting"]
        'soft'
        """
        from bough.ensembles.forest_format import document_of

        return document_of(self)

    def to_sklearn(self) -> Any:
        """Return a fitted `RandomForestClassifier` or `RandomForestRegressor` of scikit-learn.

        It predicts the same, as far as `bough.Tree.to_sklearn` says. Forests that vote, or whose predictions
        are corrected or have cutoffs, are refused.

        >>> from bough import RandomForestRegressor
        >>> forest = RandomForestRegressor(5, bootstrap=False).fit([[1.0], [2.0]], [1.0, 2.0]).forest_
        >>> forest.to_sklearn().predict([[0.0]])
        array([1.])
        """
        from bough.ensembles.sklearn_forest import to_sklearn

        return to_sklearn(self)

    def leaves(self, table: Table, n_jobs: int | None = None) -> npt.NDArray[np.uint32]:
        """Return the leaf of each row in each tree (rows × trees), numbered among the leaves of the tree.

        >>> from bough import RandomForestRegressor
        >>> model = RandomForestRegressor(2, bootstrap=False).fit([[1.0], [2.0]], [1.0, 2.0])
        >>> model.forest_.leaves(Table.read([[0.0], [3.0]]))
        array([[0, 0],
               [1, 1]], dtype=uint32)
        """
        return self.native.leaves(table.native_or_sparse(), table.n_rows, n_threads(n_jobs), None)

    def apply(self, table: Table, n_jobs: int | None = None) -> npt.NDArray[np.int32]:
        """Return the index of the leaf of each row in each tree (rows × trees), numbered among all nodes.

        >>> from bough import RandomForestRegressor
        >>> model = RandomForestRegressor(2, bootstrap=False).fit([[1.0], [2.0]], [1.0, 2.0])
        >>> model.forest_.apply(Table.read([[3.0]]))
        array([[2, 2]], dtype=int32)
        """
        numbers = self.all_nodes.numbers.astype(np.int32)
        return self.all_nodes.at_leaves(numbers, self.leaves(table, n_jobs))

    @cached_property
    def all_nodes(self) -> AllNodes:
        """The depths, cases and numberings of the nodes of all trees; computed at first access.

        >>> from bough import RandomForestRegressor
        >>> RandomForestRegressor(1, bootstrap=False).fit([[1.0], [2.0]], [1.0, 2.0]).forest_.all_nodes.depth
        array([0, 1, 1])
        """
        return all_nodes(self)

    def joined(self, *more: Forest) -> Forest:
        """Return a forest of the trees of this forest and of others of the same kind.

        >>> from bough import RandomForestRegressor
        >>> forest = RandomForestRegressor(2).fit([[1.0], [2.0]], [1.0, 2.0]).forest_
        >>> forest.joined(forest, forest).n_trees
        6
        """
        if not more:
            return self
        wide = any(each.wide for each in (self, *more))
        parts = [each if each.wide == wide else _wide(each) for each in (self, *more)]
        arrays: dict[str, Any] = {
            name: np.concatenate([getattr(each, name) for each in parts]) for name in _LISTS
        }
        for name in _STARTS:
            starts = [getattr(each, name) for each in parts]
            before = np.cumsum([0, *(start[-1] for start in starts[:-1])])
            ends = [start[1:] + offset for start, offset in zip(starts, before, strict=True)]
            arrays[name] = np.concatenate([np.zeros(1, dtype=np.int64), *ends])
        return dataclasses.replace(parts[0], **arrays)


class _Trees(LazySequence[Tree]):
    """The trees of a forest, each unpacked when it is accessed."""

    _plural: ClassVar[str] = "trees"

    def __init__(self, forest: Forest) -> None:
        self._forest = forest

    def __len__(self) -> int:
        return self._forest.n_trees

    def _item(self, position: int) -> Tree:
        arrays: dict[str, Any] = tree_arrays(self._forest, position)
        return Tree(**{name: getattr(self._forest, name) for name in _OF_EACH_TREE}, **arrays)


def by_target(targets: tuple[Target, ...], values: Floats) -> list[Floats]:
    """Return the columns of each of several targets: one for each class, or one for a number.

    >>> by_target((Target("a"), Target("b")), np.array([[1.0, 2.0]]))
    [array([[1.]]), array([[2.]])]
    """
    ends = np.cumsum([max(1, len(target.classes)) for target in targets])
    return np.split(values, ends[:-1], axis=1)


def _wide(forest: Forest) -> Forest:
    nodes = widened(forest.nodes, forest.column_bits)
    return dataclasses.replace(forest, wide=True, column_bits=WIDE_COLUMN_BITS, nodes=nodes)
