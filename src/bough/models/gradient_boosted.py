"""Gradient boosted models: a sum of trees, and the function that turns the sum into a prediction."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar, Literal, TypeAlias, cast

import numpy as np
import numpy.typing as npt

import bough._core as _core
from bough.data.schema import Level, Schema
from bough.data.several_targets import Target
from bough.data.table import Table
from bough.errors import ParameterError, TargetError
from bough.jobs import n_threads
from bough.models.encoding import Document
from bough.models.format import head_of
from bough.models.model import table_for
from bough.models.saved import SavedModel
from bough.models.targets import targets_document
from bough.tree import Tree
from bough.tree.answer import label_array
from bough.tree.arrays import ARRAYS as TREE_ARRAYS
from bough.tree.arrays import frozen
from bough.tree.lazy_methods import TO_SQL
from bough.tree.leaf_models import LeafModels
from bough.tree.model_answers import softmax
from bough.tree.one_target import position_of
from bough.types import Floats, Task

Link: TypeAlias = Literal[
    "identity", "quantiles", "log", "logit", "half_logit", "hinge", "softmax", "one_vs_all"
]
"""What a score is: the prediction itself, one of several quantiles, the logarithm of the prediction, the
logarithm of the odds of the second of two classes, half of that, twice its probability less 1 (within −1 and
1), one of several scores whose softmax are the class probabilities, or the logarithm of the odds of one class
against all others, whose probabilities are divided by their sum."""

_MANY_ROWS = 1000
"""From more rows on, steps that pass over them faster are worth more calls of numpy."""

OF_EACH_CLASS = ("softmax", "one_vs_all")
"""The links that have a score for each class, of which the greatest is predicted."""

_SPLITS = ("parent", "first_child", "n_children", "column", "kind", "cut")
_BRANCHES = ("default_branch", "level_start", "level_code", "level_branch", "weight", "cases", "gain")

ARRAYS: Mapping[str, type[np.generic]] = {
    "tree_start": np.int64,
    **{name: TREE_ARRAYS[name] for name in _SPLITS},
    **dict.fromkeys(("cut_below", "cut_above"), np.float64),
    **{name: TREE_ARRAYS[name] for name in _BRANCHES},
    "value": np.float64,
}
"""The arrays of all trees and their types; those of a tree are next to each other."""

OF_LEVELS = ("level_code", "level_branch")
"""The arrays that have an entry for each level that a split lists."""

OF_TREES = ("tree_start", "level_start")
"""The arrays that hold where trees and the levels of nodes start."""


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class GradientBoosted(SavedModel):
    """A sum of trees that predicts through a link.

    The score of a row is `start` plus the values of the leaves that it reaches. With several scores (the
    classes of a softmax), tree i adds to score i modulo their number. With several `targets` every leaf has a
    value for the score of each. With `leaf_models`, the linear models of all nodes, leaves add the values of
    these instead. `arrays` holds the nodes of all trees;
    `tree(i)` returns one as a `bough.Tree`, whose `weight` is the sum of the hessians and whose `gain` is the
    fall of the loss per unit of that weight.

    >>> import bough
    >>> X, y = [[float(i)] for i in range(40)], [i >= 20 for i in range(40)]
    >>> model = bough.GradientBoostingClassifier(max_iter=5, min_samples_leaf=5).fit(X, y).model_
    >>> model, model.predict([[3.0], [30.0]])
    (GradientBoosted(5 trees), array([False,  True]))
    """

    model_kind: ClassVar[str] = "gradient_boosted"
    to_sql = TO_SQL

    schema: Schema
    task: Task
    classes: tuple[Level, ...]
    target_name: str | None
    link: Link
    start: Floats
    arrays: Mapping[str, npt.NDArray[Any]]
    targets: tuple[Target, ...] = ()
    leaf_models: LeafModels | None = None
    recipe: dict[str, Any] = field(default_factory=dict)
    provenance: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.__dict__["start"] = frozen("start", self.start, np.float64)
        self.__dict__["arrays"] = {
            name: frozen(name, self.arrays[name], dtype) for name, dtype in ARRAYS.items()
        }

    def __repr__(self) -> str:
        return f"GradientBoosted({self.n_trees} trees)"

    @property
    def n_trees(self) -> int:
        """The number of trees.

        >>> from bough.example_models import boosted_cars
        >>> boosted_cars().n_trees
        20
        """
        return len(self.arrays["tree_start"]) - 1

    @property
    def n_scores(self) -> int:
        """The number of scores of a row: 1, or the number of classes if they are more than two.

        >>> from bough.example_models import boosted_cars
        >>> boosted_cars().n_scores
        1
        """
        return len(self.start)

    @property
    def n_rounds(self) -> int:
        """The number of rounds of boosting, each of which added a tree, or several, to every score.

        >>> from bough.example_models import boosted_cars
        >>> boosted_cars().n_rounds
        20
        """
        return self.n_trees // self._trees_in_round

    @property
    def _trees_in_round(self) -> int:
        return 1 if self.targets else trees_in_round(self.n_scores, self.recipe.get("settings"))

    def target(self, target: int | str) -> GradientBoosted:
        """Return the model of one of several targets, by name or position.

        >>> import bough
        >>> model = bough.GradientBoostingRegressor(max_iter=2, min_samples_leaf=1)
        >>> model = model.fit([[1.0], [2.0]], [[1.0, 5.0], [2.0, 6.0]]).model_
        >>> model.target("y1").predict([[1.0]]).round(2)
        array([5.4])
        """
        position = position_of(self, target)
        if not self.targets:
            return self
        value = np.ascontiguousarray(self.arrays["value"][:, position])
        return replace(
            self,
            target_name=self.targets[position].name,
            targets=(),
            start=self.start[[position]],
            arrays={**self.arrays, "value": value},
        )

    def tree(self, number: int) -> Tree:
        """Return one of the trees, whose predictions are what it adds to the score.

        >>> from bough.example_models import boosted_cars
        >>> tree = boosted_cars().tree(0)
        >>> tree.condition(1), tree.predict([[1.5, 4.0]]).round(3)
        ('wt < 2.26', array([0.998]))
        """
        if not -self.n_trees <= number < self.n_trees:
            raise ParameterError.of("number", number, f"a whole number below {self.n_trees}")
        number %= self.n_trees
        first, last = self.arrays["tree_start"][number : number + 2].tolist()
        of_class = f" of {self.classes[number % self.n_scores]}" if self.link in OF_EACH_CLASS else ""
        return self._nodes(first, last, f"score{of_class}")

    def all_nodes(self) -> Tree:
        """Return the nodes of all trees behind each other, with as many roots, for checks of all at once.

        >>> from bough.example_models import boosted_cars
        >>> nodes = boosted_cars().all_nodes()
        >>> np.flatnonzero(nodes.parent < 0)[:3]
        array([ 0,  5, 10])
        """
        start = self.arrays["tree_start"]
        root = np.repeat(start[:-1], np.diff(start))
        moved = {
            name: np.where(self.arrays[name] < 0, 0, root).astype(np.int32) + self.arrays[name]
            for name in ("parent", "first_child")
        }
        return self._nodes(0, int(start[-1]), "score", **moved)

    def _nodes(self, first: int, last: int, target_name: str, **moved: npt.NDArray[np.int32]) -> Tree:
        """Return some nodes as a tree, with other numbers of parents and children if they are given."""
        starts = self.arrays["level_start"][first : last + 1]
        of_nodes = [name for name in ARRAYS if name not in (*OF_TREES, *OF_LEVELS)]
        parts: dict[str, Any] = {name: self.arrays[name][first:last] for name in of_nodes} | moved
        value = parts.pop("value")
        levels: dict[str, Any] = {name: self.arrays[name][starts[0] : starts[-1]] for name in OF_LEVELS}
        several: dict[str, Any] = {}
        if self.targets:
            several = {"targets": self.targets, "target_risk": np.zeros(value.shape)}
        return Tree(
            schema=self.schema,
            task="regression",
            classes=(),
            target_name=self.target_name if self.targets else target_name,
            criterion="gradient",
            level_start=starts - starts[0],
            statistics=value if self.targets else value[:, np.newaxis],
            risk=np.zeros(last - first),
            leaf_models=None if self.leaf_models is None else self.leaf_models.take(np.arange(first, last)),
            **several,
            **levels,
            **parts,
        )

    @property
    def trees(self) -> tuple[Tree, ...]:
        """All trees.

        >>> from bough.example_models import boosted_cars
        >>> len(boosted_cars().trees)
        20
        """
        return tuple(map(self.tree, range(self.n_trees)))

    @cached_property
    def _native(self) -> _core.TreeSum:
        levels = [len(column.levels) for column in self.schema.columns]
        arrays = {**self.arrays, "value": self.arrays["value"].ravel()}
        models = None if self.leaf_models is None else self.leaf_models.given()
        return _core.TreeSum(arrays, self.n_scores, bool(self.targets), levels, models)

    def apply(self, X: Any, n_jobs: int | None = None) -> npt.NDArray[np.int32]:
        """Return the index of the leaf of each row in each tree (rows × trees).

        >>> from bough.example_models import boosted_cars
        >>> boosted_cars().apply([[2.0, 4.0]])[:, :5]
        array([[1, 3, 3, 3, 3]], dtype=int32)
        """
        table, starts = table_for(X, self.schema), self.arrays["tree_start"]
        numbers = np.arange(len(self.arrays["value"])) - np.repeat(starts[:-1], np.diff(starts))
        levels = [len(column.levels) for column in self.schema.columns]
        # The sum of one tree whose values are the numbers of its nodes is the number of the leaf.
        numbered = _core.TreeSum({**self.arrays, "value": numbers.astype(np.float64)}, 1, False, levels, None)
        leaves = np.empty((table.n_rows, self.n_trees), dtype=np.int32)
        columns, threads = table.native(), n_threads(n_jobs)
        for tree in range(self.n_trees):
            zeros = np.zeros((table.n_rows, 1))
            leaves[:, tree] = numbered.add(columns, table.n_rows, zeros, tree, tree + 1, threads)[:, 0]
        return leaves

    def _reads(self, X: npt.NDArray[Any]) -> bool:
        """Whether X is a matrix of the numbers of all columns, row by row, that is read as it is."""
        return (
            X.ndim == 2 and X.dtype == np.float64 and X.shape[1] == self._n_numbers and X.flags.c_contiguous
        )

    @cached_property
    def _n_numbers(self) -> int:
        """The number of columns if all are numeric and without a unit, else -1."""
        plain = all(column.scale == "numeric" and column.unit is None for column in self.schema.columns)
        return len(self.schema) if plain else -1

    @cached_property
    def _labels(self) -> npt.NDArray[Any]:
        return label_array(self.classes)

    def _add(self, table: Table, scores: Floats, first: int, last: int, n_jobs: int | None) -> Floats:
        return self._native.add(table.native(), table.n_rows, scores, first, last, n_threads(n_jobs))

    def scores(self, X: Any, n_rounds: int | None = None, n_jobs: int | None = None) -> Floats:
        """Return the scores of each row (rows × scores), from all rounds or only the first ones.

        >>> from bough.example_models import boosted_cars
        >>> boosted_cars().scores([[2.0, 4.0]], n_rounds=0).round(3)
        array([[20.091]])
        """
        rounds = self._rounds(n_rounds)
        if type(X) is np.ndarray and self._reads(X):
            # Of one row, reading a table or counting cores would take most of the time.
            threads = 1 if n_jobs is None and len(X) == 1 else n_threads(n_jobs)
            return self._native.add_matrix(X, self.start, rounds * self._trees_in_round, threads)
        table = table_for(X, self.schema)
        start = np.tile(self.start, (table.n_rows, 1))
        return self._add(table, start, 0, rounds * self._trees_in_round, n_jobs)

    def staged_scores(self, X: Any, n_jobs: int | None = None) -> Iterator[Floats]:
        """Yield the scores of each row after each round.

        >>> from bough.example_models import boosted_cars
        >>> [round(float(scores[0, 0]), 2) for scores in boosted_cars().staged_scores([[2.0, 4.0]])][:3]
        [21.09, 21.99, 22.79]
        """
        table, step = table_for(X, self.schema), self._trees_in_round
        scores = self.scores(table, 0, n_jobs)
        for tree in range(0, self.n_trees, step):
            scores = self._add(table, scores, tree, tree + step, n_jobs)
            yield scores

    def first_rounds(self, n_rounds: int) -> GradientBoosted:
        """Return the model of the first rounds alone; its recipe records their number.

        >>> from bough.example_models import boosted_cars
        >>> boosted_cars().first_rounds(3)
        GradientBoosted(3 trees)
        """
        n_trees = self._rounds(n_rounds) * self._trees_in_round
        n_nodes = int(self.arrays["tree_start"][n_trees])
        n_levels = int(self.arrays["level_start"][n_nodes])
        ends = {"tree_start": n_trees + 1, "level_start": n_nodes + 1} | dict.fromkeys(OF_LEVELS, n_levels)
        arrays = {name: values[: ends.get(name, n_nodes)] for name, values in self.arrays.items()}
        recipe = self.recipe
        if "ensemble" in recipe:
            recipe = {**recipe, "ensemble": {**recipe["ensemble"], "n_estimators": n_rounds}}
        return replace(self, arrays=arrays, recipe=recipe)

    def probabilities(self, scores: Floats) -> Floats:
        """Return the class probabilities (rows × classes) that belong to scores.

        >>> import bough
        >>> X, y = [[float(i)] for i in range(40)], [i >= 20 for i in range(40)]
        >>> model = bough.GradientBoostingClassifier(max_iter=5).fit(X, y).model_
        >>> model.probabilities(np.array([[0.0]]))
        array([[0.5, 0.5]])
        """
        if self.task == "regression":
            raise TargetError("predict_proba: this model predicts numbers and has no classes.")
        if self.link == "softmax":
            return softmax(scores)
        if self.link == "one_vs_all":
            shares = 1 / (1 + np.exp(np.clip(-scores, -700, 700)))
            return cast("Floats", shares / shares.sum(axis=1, keepdims=True))
        # The probability of either class, so that neither is computed as 1 minus the other. One array is
        # computed in place: with many rows, memory for each step would take longer than the step; with one
        # row, functions of numpy that are written in Python would.
        shares = np.empty((len(scores), 2))
        shares[:, 0] = scores[:, 0]
        np.negative(shares[:, 0], out=shares[:, 1])
        if self.link == "hinge":
            return (1 - np.clip(shares, -1, 1)) / 2
        if self.link == "half_logit":
            shares *= 2
        if len(scores) > _MANY_ROWS:
            np.clip(shares, -700, 700, out=shares)
        else:
            np.minimum(np.maximum(shares, -700, out=shares), 700, out=shares)
        np.exp(shares, out=shares)
        shares += 1
        np.divide(1, shares, out=shares)
        total = shares[:, 0] + shares[:, 1]
        if len(scores) > _MANY_ROWS:
            for each in shares.T:
                each /= total
        else:
            shares /= total[:, np.newaxis]
        return shares

    def answers(self, scores: Floats) -> npt.NDArray[Any]:
        """Return the classes or numbers that belong to scores.

        >>> from bough.example_models import boosted_cars
        >>> boosted_cars().answers(np.array([[21.5]]))
        array([21.5])
        """
        if self.task == "classification":
            codes = scores.argmax(axis=1) if self.link in OF_EACH_CLASS else scores[:, 0] > 0
            return self._labels[codes.astype(np.intp)]
        if self.link == "quantiles":
            # Sorting raises no pinball loss (Chernozhukov, Fernández-Val and Galichon 2010).
            return np.sort(scores, axis=1)
        if self.targets:
            return scores.copy()
        return np.exp(scores[:, 0]) if self.link == "log" else scores[:, 0].copy()

    @property
    def quantiles(self) -> tuple[float, ...]:
        """The quantiles that are predicted, a column each; empty if there are not several.

        >>> import bough
        >>> learner = bough.GradientBoostingRegressor(loss="quantile", quantile=[0.1, 0.9], max_iter=1)
        >>> learner.fit([[1.0], [2.0]], [1.0, 2.0]).model_.quantiles
        (0.1, 0.9)
        """
        return tuple(self.recipe["settings"]["quantile"]) if self.link == "quantiles" else ()

    def predict(self, X: Any, n_jobs: int | None = None) -> npt.NDArray[Any]:
        """Return the class or number of each row; of several targets or quantiles it has a column each.

        >>> from bough.example_models import boosted_cars
        >>> boosted_cars().predict([[2.0, 4.0]]).round(1)
        array([28.7])
        """
        return self.answers(self.scores(X, n_jobs=n_jobs))

    def predict_proba(self, X: Any, n_jobs: int | None = None) -> Floats:
        """Return the probability of each class for each row.

        >>> import bough
        >>> X, y = [[float(i)] for i in range(40)], [i >= 20 for i in range(40)]
        >>> model = bough.GradientBoostingClassifier(max_iter=5).fit(X, y).model_
        >>> model.predict_proba([[3.0]]).round(2)
        array([[0.7, 0.3]])
        """
        if self.task == "regression":
            raise TargetError("predict_proba: this model predicts numbers and has no classes.")
        return self.probabilities(self.scores(X, n_jobs=n_jobs))

    def _rounds(self, n_rounds: int | None) -> int:
        """Return a number of rounds, all by default; raise if there are not so many."""
        rounds = self.n_rounds if n_rounds is None else n_rounds
        if not 0 <= rounds <= self.n_rounds:
            raise ParameterError.of("n_rounds", n_rounds, f"a whole number from 0 to {self.n_rounds}")
        return rounds

    def importance(self, by: Literal["gain", "count"] = "gain", n_rounds: int | None = None) -> Floats:
        """Return the importance of each column in the first rounds: the gain of its splits, or their number.

        >>> from bough.example_models import boosted_cars
        >>> boosted_cars().importance(by="count"), boosted_cars().importance(by="count", n_rounds=5)
        (array([27., 13.]), array([5., 5.]))
        """
        if by not in ("gain", "count"):
            raise ParameterError.of("by", by, "'gain' or 'count'")
        split = self.arrays["first_child"] >= 0
        split[self.arrays["tree_start"][self._rounds(n_rounds) * self._trees_in_round] :] = False
        gain = (self.arrays["gain"] * self.arrays["weight"])[split] if by == "gain" else None
        counted = np.bincount(self.arrays["column"][split], gain, minlength=len(self.schema))
        return counted.astype(np.float64)

    def document(self) -> Document:
        """Return the model as a document, without format and version.

        >>> from bough.example_models import boosted_cars
        >>> boosted_cars().document()["link"]
        'identity'
        """
        targets = {"targets": targets_document(self.targets)} if self.targets else {}
        models = {} if self.leaf_models is None else {"leaf_models": self.leaf_models.given()}
        own = {"link": self.link, "start": self.start, "trees": dict(self.arrays)}
        return head_of(self) | targets | own | models


def link_of(loss: Any, n_classes: int, n_scores: int = 1) -> Link:
    """Return the link of a loss, which may be a function; `n_classes` is 0 in regression.

    >>> link_of("log_loss", 3), link_of("poisson", 0), link_of("quantile", 0, 3)
    ('softmax', 'log', 'quantiles')
    """
    if loss == "quantile" and n_scores > 1:
        return "quantiles"
    if loss == "log_loss" or (callable(loss) and n_classes):
        return "logit" if n_classes == 2 else "softmax"
    return _LINKS.get(loss, "identity")


_LINKS: dict[str, Link] = {
    "exponential": "half_logit",
    "huberized_hinge": "hinge",
    "multinomial": "softmax",
    "one_vs_all": "one_vs_all",
    "poisson": "log",
    "gamma": "log",
    "tweedie": "log",
    "cox": "log",
}


def trees_in_round(n_scores: int, settings: Any) -> int:
    """Return the number of trees of a round of boosting, given the settings of its recipe.

    It is one for each score. With a base class (`base_interval`), each other class adds a tree to its own
    score and subtracts it from that of the base class, and all other scores have a single leaf beside it.

    >>> trees_in_round(3, {}), trees_in_round(3, {"base_interval": 1})
    (3, 6)
    """
    has_base = n_scores > 1 and isinstance(settings, Mapping) and bool(settings.get("base_interval"))
    return n_scores * (n_scores - 1) if has_base else n_scores


def no_trees() -> dict[str, npt.NDArray[Any]]:
    """Return the arrays of a sum that has no trees.

    >>> len(no_trees()["tree_start"]) - 1
    0
    """
    return {name: np.zeros(int(name in OF_TREES), dtype) for name, dtype in ARRAYS.items()}


def joined_trees(
    first: Mapping[str, npt.NDArray[Any]], second: Mapping[str, npt.NDArray[Any]]
) -> dict[str, npt.NDArray[Any]]:
    """Return the arrays of the trees of two sums, one after the other.

    >>> from bough.example_models import boosted_cars
    >>> len(joined_trees(boosted_cars().arrays, boosted_cars().arrays)["tree_start"]) - 1
    40
    """
    joined = {name: np.concatenate([first[name], second[name]]) for name in ARRAYS if name not in OF_TREES}
    for name in OF_TREES:
        joined[name] = np.concatenate([first[name], second[name][1:] + first[name][-1]])
    return joined
