"""Leaf models: linear functions of the columns that predict instead of the mean of a leaf.

A term is a coefficient times a number: the value of a numeric column or a formula, or an indicator that a
nominal or ordinal column has one of some levels. A number may have bounds, so that a slope ends at the
values that it was fitted to. Trees store the models of all nodes in arrays, `LeafModels`;
`LinearModel` is one of them, which rules use too.

A tree of numbers has one model a node. In a tree of classes the models are the scores of the classes, whose
softmax gives the probabilities; of two classes only the second has one, its log-odds.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, TypeAlias

import numpy as np
import numpy.typing as npt

from bough.data.formula import column_words
from bough.data.schema import Column, Schema
from bough.data.words import figure_words, level_set_words, level_words
from bough.tree.arrays import ArrayGroup, ranges_of
from bough.types import Floats

ValuesOf: TypeAlias = Callable[[int, npt.NDArray[np.intp]], npt.NDArray[Any]]

# As many digits as Weka and Cubist print.
_DIGITS = 4

LEAF_MODEL_ARRAYS: Mapping[str, type[np.generic]] = {
    "intercept": np.float64,
    "start": np.int64,
    "column": np.int32,
    "coefficient": np.float64,
    "substitute": np.float64,
}
"""The arrays of leaf models and their types."""

BOUND_ARRAYS: Mapping[str, type[np.generic]] = {"lowest": np.float64, "highest": np.float64}
"""The arrays of leaf models whose terms have bounds."""

LEVEL_ARRAYS: Mapping[str, type[np.generic]] = {"level_start": np.int64, "level_code": np.int32}
"""The arrays of leaf models that have terms of levels."""


@dataclass(frozen=True)
class Term:
    """A coefficient times a column, or times 1 where a column has one of the levels `codes`, otherwise 0.

    `substitute` is used in place of a value, or of the 0 or 1, that is missing. With `bounds`, the lowest and
    the highest value, a value beyond them counts as the nearest of the two.

    >>> schema = Schema((Column("age", "numeric"), Column("size", "ordinal", ("S", "M", "L"))))
    >>> print(Term(0, 2.5, 40.0).words(schema), Term(1, -3.0, 0.0, (1, 2)).words(schema), sep=", ")
    2.5 × age, 3 if size in {M, L}
    """

    column: int
    coefficient: float
    substitute: float
    codes: tuple[int, ...] = ()
    bounds: tuple[float, float] | None = None

    def values(self, values: npt.NDArray[Any]) -> Floats:
        """Return what the coefficient is multiplied by, from the values or codes of the column.

        >>> Term(0, 2.0, 0.5, (1, 2)).values(np.array([0, 1, -1], dtype=np.int32))
        array([0. , 1. , 0.5])
        >>> Term(0, 2.0, 0.5, bounds=(0.0, 9.0)).values(np.array([3.0, 12.0, np.nan]))
        array([3. , 9. , 0.5])
        """
        if not self.codes:
            numbers = values.astype(np.float64)
            inside = numbers if self.bounds is None else np.clip(numbers, *self.bounds)
            return np.where(np.isfinite(numbers), inside, self.substitute)
        return np.where(values < 0, self.substitute, np.isin(values, self.codes).astype(np.float64))

    def words(self, schema: Schema, most: int | None = None) -> str:
        """Return the term without its sign as text; at most `most` levels are listed.

        >>> Term(0, -1.0, 0.0).words(Schema((Column("age", "numeric"),)))
        'age'
        """
        column: Column = schema.shown[self.column]
        size, name = abs(self.coefficient), column_words(column)
        if self.codes:
            levels = [column.levels[code] for code in self.codes]
            if len(levels) == 1:
                return f"{figure_words(size, _DIGITS)} if {name} = {level_words(levels[0])}"
            return f"{figure_words(size, _DIGITS)} if {name} in {level_set_words(levels, most)}"
        number = figure_words(size, _DIGITS)
        return name if number == "1" else f"{number} × {name}"


@dataclass(frozen=True)
class LinearModel:
    """An intercept plus terms.

    >>> schema = Schema((Column("age", "numeric"), Column("size", "ordinal", ("S", "M", "L"))))
    >>> model = LinearModel(3.1, (Term(0, 2.0, 40.0), Term(1, -1.5, 0.0, (2,))))
    >>> print(model.words(schema))
    3.1 + 2 × age - 1.5 if size = L
    """

    intercept: float
    terms: tuple[Term, ...] = ()

    def words(self, schema: Schema, most: int | None = None) -> str:
        """Return the model as text; at most `most` levels of a term are listed.

        >>> LinearModel(-1.0).words(Schema(()))
        '-1'
        """
        text = figure_words(self.intercept, _DIGITS)
        for term in self.terms:
            text += f" {'-' if term.coefficient < 0 else '+'} {term.words(schema, most)}"
        return text

    def answers(self, values_of: ValuesOf, rows: npt.NDArray[np.intp]) -> Floats:
        """Return the prediction for some rows; `values_of` returns the values of a column in these rows.

        >>> LinearModel(1.0, (Term(0, 2.0, 5.0),)).answers(lambda column, rows: np.array([3.0, np.nan]),
        ...                                                np.arange(2))
        array([ 7., 11.])
        """
        sums = np.full(len(rows), self.intercept)
        with np.errstate(over="ignore", invalid="ignore"):
            for term in self.terms:
                sums += term.coefficient * term.values(values_of(term.column, rows))
        return sums


@dataclass(frozen=True, eq=False, kw_only=True)
class LeafModels(ArrayGroup):
    """The linear model of each node: `intercept[i]` plus the sum of its terms.

    With k scores a node, the models of node i are those from k · i up to but excluding k · (i + 1); what
    follows is for k = 1. The terms of node i are the entries `start[i]` to `start[i + 1]`. A term is a
    coefficient times the value of a column, or times `substitute` where the value is missing or infinite.
    With `lowest` and `highest`, a value beyond the bounds of its term counts as the nearest of them. A term
    of a column with levels is a coefficient times 1 where the column has one of the levels
    `level_code[level_start[j]]` to `level_code[level_start[j + 1]]`, otherwise 0. A node whose intercept is
    NaN has no model and predicts from its statistics.

    >>> from dataclasses import replace
    >>> from bough.example_models import cars_tree
    >>> models = LeafModels(
    ...     intercept=[np.nan, 45.0, np.nan, np.nan, np.nan], start=[0, 0, 1, 1, 1, 1], column=[1],
    ...     coefficient=[-0.2], substitute=[80.0])
    >>> replace(cars_tree(), leaf_models=models).predict([[4.0, 100.0], [4.0, None], [8.0, 200.0]]).round(1)
    array([25. , 29. , 13.4])
    """

    ARRAYS: ClassVar[Mapping[str, type[np.generic]]] = LEAF_MODEL_ARRAYS
    OPTIONAL: ClassVar[Mapping[str, type[np.generic]]] = {**BOUND_ARRAYS, **LEVEL_ARRAYS}

    intercept: Floats
    start: npt.NDArray[np.int64]
    column: npt.NDArray[np.int32]
    coefficient: Floats
    substitute: Floats
    lowest: Floats | None = None
    highest: Floats | None = None
    level_start: npt.NDArray[np.int64] | None = None
    level_code: npt.NDArray[np.int32] | None = None

    @classmethod
    def of_nodes(cls, models: Sequence[LinearModel | None]) -> LeafModels:
        """Return the models of all nodes, None for a node without one.

        >>> LeafModels.of_nodes([None, LinearModel(1.0, (Term(0, 2.0, 0.0),))]).start
        array([0, 0, 1])
        """
        terms = [term for model in models if model is not None for term in model.terms]
        counts = [0 if model is None else len(model.terms) for model in models]
        own: dict[str, Any] = {}
        bounds = [term.bounds for term in terms if term.bounds is not None]
        if bounds:
            own["lowest"], own["highest"] = np.array(bounds, dtype=np.float64).T
        if any(term.codes for term in terms):
            own["level_start"] = np.cumsum([0, *(len(term.codes) for term in terms)])
            own["level_code"] = np.array([code for term in terms for code in term.codes], dtype=np.int32)
        return cls(
            intercept=np.array([np.nan if model is None else model.intercept for model in models]),
            start=np.cumsum([0, *counts]),
            column=np.array([term.column for term in terms], dtype=np.int32),
            coefficient=np.array([term.coefficient for term in terms], dtype=np.float64),
            substitute=np.array([term.substitute for term in terms], dtype=np.float64),
            **own,
        )

    def model(self, node: int) -> LinearModel | None:
        """Return the model of a node, or None if it has none.

        >>> LeafModels.of_nodes([None, LinearModel(1.0)]).model(1)
        LinearModel(intercept=1.0, terms=())
        """
        if np.isnan(self.intercept[node]):
            return None
        places = range(int(self.start[node]), int(self.start[node + 1]))
        return LinearModel(float(self.intercept[node]), tuple(map(self._term, places)))

    def _term(self, place: int) -> Term:
        codes: tuple[int, ...] = ()
        if self.level_start is not None and self.level_code is not None:
            codes = tuple(self.level_code[self.level_start[place] : self.level_start[place + 1]].tolist())
        bounds = None
        if self.lowest is not None and self.highest is not None:
            bounds = float(self.lowest[place]), float(self.highest[place])
        number, substitute = float(self.coefficient[place]), float(self.substitute[place])
        return Term(int(self.column[place]), number, substitute, codes, bounds)

    def take(self, nodes: npt.NDArray[np.intp], n_scores: int = 1) -> LeafModels:
        """Return the models of some nodes, in that order.

        >>> models = LeafModels(intercept=[1.0, 2.0], start=[0, 1, 1], column=[0], coefficient=[3.0],
        ...                     substitute=[0.0])
        >>> models.take(np.array([1])).intercept
        array([2.])
        """
        nodes = (nodes[:, None] * n_scores + np.arange(n_scores)).ravel()
        start, terms = ranges_of(self.start, nodes)
        own: dict[str, Any] = {name: array[terms] for name, array in self._of_terms().items()}
        if self.level_start is not None and self.level_code is not None:
            own["level_start"], listed = ranges_of(self.level_start, terms)
            own["level_code"] = self.level_code[listed]
        return LeafModels(intercept=self.intercept[nodes], start=start, **own)

    def _of_terms(self) -> dict[str, npt.NDArray[Any]]:
        """Return the arrays with an entry for each term."""
        apart = ("intercept", "start", *LEVEL_ARRAYS)
        return {name: array for name, array in self.given().items() if name not in apart}

    def times(self, factor: float) -> LeafModels:
        """Return the models whose answers are multiplied by a number.

        >>> halves = LeafModels.of_nodes([LinearModel(1.0, (Term(0, 2.0, 5.0),))]).times(0.5)
        >>> halves.model(0) == LinearModel(0.5, (Term(0, 1.0, 5.0),))
        True
        """
        return replace(self, intercept=self.intercept * factor, coefficient=self.coefficient * factor)

    @classmethod
    def joined(cls, parts: Sequence[LeafModels]) -> LeafModels:
        """Return the models of the nodes of several groups, which have no terms of levels, in their order.

        >>> first = LeafModels.of_nodes([None, LinearModel(1.0, (Term(0, 2.0, 5.0),))])
        >>> LeafModels.joined([first, first]).start
        array([0, 0, 1, 1, 2])
        """
        assert all(part.level_start is None for part in parts)
        names = ("intercept", *parts[0]._of_terms())
        values: dict[str, Any] = {
            name: np.concatenate([getattr(part, name) for part in parts]) for name in names
        }
        counts = np.concatenate([np.diff(part.start) for part in parts])
        return cls(start=np.concatenate([[0], np.cumsum(counts)]), **values)

    def answers(self, values_of: ValuesOf, nodes: npt.NDArray[Any], otherwise: Floats) -> Floats:
        """Return the prediction of the model of each row's node; `otherwise` where the node has no model.

        `values_of` returns the values of a column in some rows. Tables in memory are predicted natively;
        this is the definition, and is used for formulas and sparse tables.

        >>> models = LeafModels(intercept=[7.0] * 5, start=[0] * 6, column=[], coefficient=[], substitute=[])
        >>> models.answers(lambda column, rows: np.zeros(len(rows)), np.array([1]), np.array([0.0]))
        array([7.])
        """
        answers = otherwise.copy()
        for node in np.unique(nodes).tolist():
            model = self.model(node)
            if model is not None:
                rows = np.flatnonzero(nodes == node)
                given = model.answers(values_of, rows)
                answers[rows] = np.where(np.isfinite(given), given, answers[rows])
        return answers
