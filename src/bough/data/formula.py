"""Formulas: numbers computed from several numeric columns, which a split can use like a column.

The wide schema of a tree has the columns of the schema, then a computed column for each formula. The value of
a formula is missing where one of its columns is missing and where it would divide by 0.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from bough.data.schema import Column, Schema
from bough.data.words import name_words, number_words
from bough.errors import FormatError, ParameterError
from bough.types import Floats

Arrays: TypeAlias = Sequence[npt.NDArray[Any]]

_NOTHING = np.empty(0)
# A column name that contains one of these is quoted in the text of a formula.
_OPERATORS = set("+*/·<>=")


@dataclass(frozen=True)
class Linear:
    """A linear combination of columns; its value is missing where one of them is missing.

    >>> total = Linear((0, 2), (0.45, 1.0))
    >>> total.values([np.array([2.0, np.nan]), np.array([7.0, 7.0]), np.array([1.0, 1.0])])
    array([1.9, nan])
    """

    columns: tuple[int, ...]
    coefficients: tuple[float, ...]

    def __post_init__(self) -> None:
        _check_columns(self.columns, least=2)
        if len(self.coefficients) != len(self.columns):
            raise ParameterError.of("coefficients", self.coefficients, "one number for each column")
        if not all(type(each) is float and math.isfinite(each) and each != 0 for each in self.coefficients):
            raise ParameterError.of("coefficients", self.coefficients, "finite floats, none of them 0")

    def values(self, columns: Arrays) -> Floats:
        """Return the value of each row; the terms are added in the order of the formula.

        >>> Linear((0, 1), (1.0, -1.0)).values([np.array([np.inf, 3.0]), np.array([np.inf, 1.0])])
        array([nan,  2.])
        """
        with np.errstate(over="ignore", under="ignore", invalid="ignore"):
            total = self.coefficients[0] * columns[self.columns[0]].astype(np.float64)
            for column, coefficient in zip(self.columns[1:], self.coefficients[1:], strict=True):
                total = total + coefficient * columns[column].astype(np.float64)
        return np.asarray(total)

    def words(self, schema: Schema) -> str:
        """Return the formula as text; negative terms come last, and a coefficient of 1 is left out.

        >>> schema = Schema((Column("Petal.Length", "numeric"), Column("Petal.Width", "numeric")))
        >>> Linear((0, 1), (-1.0, 0.45)).words(schema)
        '0.45·Petal.Width - Petal.Length'
        """
        text = ""
        terms = sorted(zip(self.columns, self.coefficients, strict=True), key=lambda term: term[1] < 0)
        for column, coefficient in terms:
            sign = ("-" if coefficient < 0 else "") if not text else (" - " if coefficient < 0 else " + ")
            factor = "" if abs(coefficient) == 1 else f"{number_words(abs(coefficient))}·"
            text += f"{sign}{factor}{_operand(schema.shown[column].name)}"
        return text

    def to_json(self) -> dict[str, Any]:
        """Return the formula as a dict that JSON can represent.

        >>> Linear((0, 1), (1.0, 0.5)).to_json()
        {'kind': 'linear', 'columns': [0, 1], 'coefficients': [1.0, 0.5]}
        """
        return {"kind": "linear", "columns": [*self.columns], "coefficients": [*self.coefficients]}


@dataclass(frozen=True)
class Ratio:
    """One column divided by another; its value is missing where one of them is, or the divisor is 0.

    >>> Ratio(0, 1).values([np.array([1.0, 1.0, np.nan]), np.array([4.0, 0.0, 2.0])])
    array([0.25,  nan,  nan])
    """

    numerator: int
    denominator: int

    def __post_init__(self) -> None:
        _check_columns((self.numerator, self.denominator), least=2)

    @property
    def columns(self) -> tuple[int, ...]:
        """The columns that the formula uses.

        >>> Ratio(3, 2).columns
        (3, 2)
        """
        return self.numerator, self.denominator

    def values(self, columns: Arrays) -> Floats:
        """Return the value of each row.

        >>> Ratio(1, 0).values([np.array([4.0]), np.array([1.0])])
        array([0.25])
        """
        below = columns[self.denominator].astype(np.float64)
        with np.errstate(over="ignore", under="ignore", invalid="ignore", divide="ignore"):
            quotient = columns[self.numerator].astype(np.float64) / below
        return np.where(below == 0, np.nan, quotient)

    def words(self, schema: Schema) -> str:
        """Return the formula as text.

        >>> schema = Schema((Column("Petal.Length", "numeric"), Column("Petal.Width", "numeric")))
        >>> Ratio(1, 0).words(schema)
        'Petal.Width / Petal.Length'
        """
        return f"{_operand(schema[self.numerator].name)} / {_operand(schema[self.denominator].name)}"

    def to_json(self) -> dict[str, Any]:
        """Return the formula as a dict that JSON can represent.

        >>> Ratio(3, 2).to_json()
        {'kind': 'ratio', 'numerator': 3, 'denominator': 2}
        """
        return {"kind": "ratio", "numerator": self.numerator, "denominator": self.denominator}


Formula: TypeAlias = Linear | Ratio


def formula_inputs(formula: Formula, columns: Arrays, rows: Any) -> list[npt.NDArray[Any]]:
    """Return some rows of the columns that a formula uses, at their positions; other columns are empty.

    >>> formula_inputs(Ratio(2, 0), [np.array([4.0, 5.0]), np.array([6.0, 7.0]), np.array([8.0, 9.0])], [1])
    [array([5.]), array([], dtype=float64), array([9.])]
    """
    return [
        values[rows] if position in formula.columns else _NOTHING for position, values in enumerate(columns)
    ]


def drop_unused_formulas(
    column: npt.NDArray[Any], n_columns: int, formulas: Sequence[Formula]
) -> tuple[npt.NDArray[Any], tuple[Formula, ...]]:
    """Drop the formulas that no split uses, and renumber the columns of the splits.

    >>> drop_unused_formulas(np.array([3, 0, -1]), 2, [Ratio(0, 1), Ratio(1, 0)])
    (array([ 2,  0, -1]), (Ratio(numerator=1, denominator=0),))
    """
    used = np.unique(column[column >= n_columns]) - n_columns
    numbers = np.arange(n_columns + len(formulas) + 1)
    numbers[n_columns + used] = n_columns + np.arange(len(used))
    numbers[-1] = -1
    return numbers[column], tuple([formulas[number] for number in used.tolist()])


def _check_columns(columns: object, least: int) -> None:
    whole = isinstance(columns, tuple) and all(type(column) is int and column >= 0 for column in columns)
    if not whole or len(set(columns)) < max(least, len(columns)):  # type: ignore[arg-type,call-overload]
        raise ParameterError.of("columns", columns, f"positions of {least} different columns or more")


def _operand(name: str) -> str:
    return repr(name) if set(name) & _OPERATORS or " - " in name else name_words(name)


def formula_from_json(data: object, place: str) -> Formula:
    """Return the formula that `to_json` wrote; raise `FormatError` if the data are invalid.

    >>> formula_from_json({"kind": "ratio", "numerator": 3, "denominator": 2}, "formulas[0]")
    Ratio(numerator=3, denominator=2)
    >>> formula_from_json({"kind": "ratio", "numerator": 3, "denominator": 3}, "formulas[0]")
    Traceback (most recent call last):
    bough.errors.FormatError: At formulas[0]: columns is (3, 3); it must be positions of 2 different columns
    or more.
    """
    members = {"linear": {"columns", "coefficients"}, "ratio": {"numerator", "denominator"}}
    kind = data.get("kind") if isinstance(data, Mapping) else None
    if not isinstance(data, Mapping) or type(kind) is not str or kind not in members:
        raise FormatError(place, "an object whose kind is 'linear' or 'ratio' is wanted")
    if {*data} != members[kind] | {"kind"}:
        wanted = ", ".join(map(repr, sorted(members[kind])))
        raise FormatError(place, f"kind {kind!r} needs {wanted}, got {', '.join(map(repr, data))}")
    try:
        if kind == "ratio":
            return Ratio(data["numerator"], data["denominator"])
        columns, coefficients = data["columns"], data["coefficients"]
        if type(columns) is not list or type(coefficients) is not list:
            raise FormatError(place, "columns and coefficients are lists")
        return Linear(tuple(columns), tuple(coefficients))
    except ParameterError as error:
        raise FormatError(place, str(error)) from None


@dataclass(frozen=True)
class Computed(Column):
    """A numeric column that a formula computes; its name is the formula as text."""


@dataclass(frozen=True)
class WideSchema(Schema):
    """The columns of a schema, then a computed column for each formula; names need not be unique.

    >>> schema = Schema((Column("x", "numeric"), Column("y", "numeric")))
    >>> wide = WideSchema.of(schema, [Ratio(0, 1)])
    >>> wide.names, wide.narrow == schema
    (('x', 'y', 'x / y'), True)
    """

    formulas: tuple[Formula, ...] = ()

    def __post_init__(self) -> None:
        pass

    @classmethod
    def of(cls, schema: Schema, formulas: Sequence[Formula]) -> WideSchema:
        """Return the schema with a computed column added for each formula.

        >>> len(WideSchema.of(Schema((Column("x", "numeric"), Column("y", "numeric"))), [Ratio(0, 1)]))
        3
        """
        computed = [Computed(formula.words(schema), "numeric") for formula in formulas]
        return cls((*schema.columns, *computed), schema.labels, tuple(formulas))

    @property
    def narrow(self) -> Schema:
        """The schema without the computed columns.

        >>> WideSchema.of(Schema((Column("x", "numeric"), Column("y", "numeric"))), []).narrow.names
        ('x', 'y')
        """
        return Schema(self.columns[: len(self.columns) - len(self.formulas)], self.labels)

    def __getstate__(self) -> dict[str, Any]:
        return {**super().__getstate__(), "formulas": self.formulas}


def column_words(column: Column) -> str:
    """Return the name of a column, or the formula that computes it, as text.

    >>> column_words(Column("a, b", "numeric")), column_words(Computed("'a, b' / c", "numeric"))
    ("'a, b'", "'a, b' / c")
    """
    return column.name if isinstance(column, Computed) else name_words(column.name)
