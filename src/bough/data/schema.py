"""The `Schema` of a table: the name and the scale of each column, and its levels unless it is numeric."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import repeat
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
import numpy.typing as npt

from bough.data.labels import Labels
from bough.data.times import UNITS, Unit
from bough.data.views import Part, TextTable, html_view
from bough.errors import FormatError, SchemaError

Scale: TypeAlias = Literal["numeric", "ordinal", "nominal"]
Level: TypeAlias = str | bool | int | float
KindOfLevels: TypeAlias = Literal["text", "truth values", "numbers"]

MISSING_CODE = -1
"""The code of a missing value, and of a value that is not a level of its column."""

_MOST_SHOWN, _MOST_LEVELS = 100, 8
_SCALES: tuple[str, ...] = get_args(Scale)
_KIND_OF_TYPE: dict[type, KindOfLevels] = {
    str: "text",
    bool: "truth values",
    int: "numbers",
    float: "numbers",
}


def kind_of(levels: Iterable[object]) -> KindOfLevels | None:
    """Return the kind of the levels, "text", "truth values" or "numbers"; None if there are no levels.

    >>> kind_of(["s", "m"]), kind_of([False, True]), kind_of([1, 2.5]), kind_of([])
    ('text', 'truth values', 'numbers', None)
    >>> kind_of(["s", 1])
    Traceback (most recent call last):
    bough.errors.SchemaError: levels must be all text, all truth values or all numbers, got int and str.
    """
    types = set(map(type, levels))
    kinds = {_KIND_OF_TYPE.get(type_) for type_ in types}
    if None in kinds or len(kinds) > 1:
        got = " and ".join(sorted(type_.__name__ for type_ in types))
        raise SchemaError(f"levels must be all text, all truth values or all numbers, got {got}.")
    return next(iter(kinds), None)


@dataclass(frozen=True)
class Column:
    """A column: its name, its scale and, unless it is numeric, its levels.

    Level codes are positions in `levels`. The levels of an ordinal column are in increasing order. Levels are
    all text, all truth values or all numbers. The numbers of a numeric column may stand for dates, times or
    durations; `unit` then says which, and thresholds are written as such.

    >>> size = Column("size", "ordinal", ("small", "medium", "large"))
    >>> size.level_code("large"), size.level_code("huge"), size.level_code(None)
    (2, -1, -1)
    """

    name: str
    scale: Scale
    levels: tuple[Level, ...] = ()
    unit: Unit | None = None

    def __repr__(self) -> str:
        unit = "" if self.unit is None else f", unit={self.unit!r}"
        return f"Column(name={self.name!r}, scale={self.scale!r}, levels={self.levels!r}{unit})"

    def __post_init__(self) -> None:
        if type(self.name) is not str or not self.name:
            raise SchemaError(f"A column's name must be a string that is not empty, got {self.name!r}.")
        if self.scale not in _SCALES:
            scales = ", ".join(map(repr, _SCALES))
            raise SchemaError(f"Column {self.name!r} has scale {self.scale!r}; the scales are {scales}.")
        if self.levels or type(self.levels) is not tuple:
            self._check_levels()
        if self.unit is not None and (self.scale != "numeric" or self.unit not in UNITS):
            units = ", ".join(map(repr, UNITS))
            raise SchemaError(
                f"Column {self.name!r} has unit {self.unit!r}; only a numeric column has one, of {units}."
            )

    def _check_levels(self) -> None:
        if type(self.levels) is not tuple:
            raise SchemaError(f"Column {self.name!r}: levels must be a tuple, got {self.levels!r}.")
        if self.scale == "numeric":
            raise SchemaError(f"Column {self.name!r} is numeric, so it has no levels, got {self.levels!r}.")
        try:
            kind = kind_of(self.levels)
        except SchemaError as error:
            raise SchemaError(f"Column {self.name!r}: {error}") from None
        if kind == "numbers" and any(map(math.isnan, self.levels)):  # type: ignore[arg-type]
            raise SchemaError(f"Column {self.name!r}: NaN is a missing value and cannot be a level.")
        if len(set(self.levels)) < len(self.levels):
            raise SchemaError(f"Column {self.name!r} has the level {_repeated(self.levels)!r} twice.")

    @cached_property
    def kind(self) -> KindOfLevels | None:
        """The kind of the levels, "text", "truth values" or "numbers"; None if there are no levels.

        >>> Column("size", "ordinal", ("small", "large")).kind
        'text'
        """
        return kind_of(self.levels[:1])

    @cached_property
    def _codes(self) -> dict[Level, int]:
        return {level: code for code, level in enumerate(self.levels)}

    def __getstate__(self) -> dict[str, Any]:
        return {"name": self.name, "scale": self.scale, "levels": self.levels, "unit": self.unit}

    def level_code(self, value: object) -> int:
        """Return the code of a level, or −1 for a missing value and a value that is not a level.

        A value of another kind than the levels raises `SchemaError`: 1 is neither "1" nor True.

        >>> Column("windy", "nominal", (False, True)).level_code(True)
        1
        >>> Column("windy", "nominal", (False, True)).level_code("yes")
        Traceback (most recent call last):
        bough.errors.SchemaError: Column 'windy' has truth values for levels, got 'yes', which is a str.
        """
        if isinstance(value, np.generic):
            value = value.item()
        if value is None or (isinstance(value, float) and math.isnan(value)):
            return MISSING_CODE
        if self.kind is not None and _KIND_OF_TYPE.get(type(value)) != self.kind:
            raise SchemaError(
                f"Column {self.name!r} has {self.kind} for levels, "
                f"got {value!r}, which is a {type(value).__name__}."
            )
        return self._codes.get(value, MISSING_CODE)  # type: ignore[call-overload, no-any-return]

    def level_codes(self, levels: Sequence[Level]) -> npt.NDArray[np.int32]:
        """Return the codes of many levels, all of the column's kind.

        >>> Column("size", "ordinal", ("small", "large")).level_codes(["large", "huge"])
        array([ 1, -1], dtype=int32)
        """
        return np.fromiter(map(self._codes.get, levels, repeat(MISSING_CODE)), np.int32, len(levels))

    def summary(self) -> str:
        """Return the unit or the first levels as text.

        >>> Column("size", "ordinal", ("small", "large")).summary()
        'small, large'
        """
        if not self.levels:
            return self.unit or ""
        more = f", ... {len(self.levels) - _MOST_LEVELS} more" if len(self.levels) > _MOST_LEVELS else ""
        return ", ".join(map(str, self.levels[:_MOST_LEVELS])) + more

    def to_json(self) -> dict[str, Any]:
        """Return the column as a dict that JSON can represent; levels keep their types.

        >>> Column("size", "ordinal", (1, 2)).to_json()
        {'name': 'size', 'scale': 'ordinal', 'levels': [1, 2]}
        >>> Column("age", "numeric").to_json()
        {'name': 'age', 'scale': 'numeric'}
        >>> Column("born", "numeric", unit="date").to_json()
        {'name': 'born', 'scale': 'numeric', 'unit': 'date'}
        """
        if self.scale == "numeric":
            unit = {} if self.unit is None else {"unit": self.unit}
            return {"name": self.name, "scale": self.scale, **unit}
        return {"name": self.name, "scale": self.scale, "levels": levels_to_json(self.levels)}

    @classmethod
    def from_json(cls, data: object, place: str = "column") -> Column:
        """Return the column that `to_json` wrote; `place` is its position in the file, for error messages.

        >>> Column.from_json({"name": "age", "scale": "numeric"})
        Column(name='age', scale='numeric', levels=())
        """
        fields = members(data, place, ("name", "scale"), ("levels", "unit"))
        levels = levels_from_json(fields.get("levels", []), f"{place}.levels")
        try:
            return cls(fields["name"], fields["scale"], levels, fields.get("unit"))
        except SchemaError as error:
            raise FormatError(place, str(error)) from None


@dataclass(frozen=True)
class Schema:
    """The columns of a table in their order; no two share a name.

    >>> schema = Schema((Column("age", "numeric"), Column("size", "ordinal", ("small", "large"))))
    >>> schema.names, len(schema), schema["size"] is schema[1]
    (('age', 'size'), 2, True)
    """

    columns: tuple[Column, ...]
    labels: Labels | None = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        if type(self.columns) is not tuple or not all(isinstance(column, Column) for column in self.columns):
            raise SchemaError(f"A schema is made of a tuple of Columns, got {self.columns!r}.")
        if len(set(self.names)) < len(self.columns):
            raise SchemaError(f"Two columns are named {_repeated(self.names)!r}; rename one of them.")

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names of the columns in their order.

        >>> Schema((Column("age", "numeric"), Column("pay", "numeric"))).names
        ('age', 'pay')
        """
        return tuple([column.name for column in self.columns])

    @cached_property
    def _positions(self) -> dict[str, int]:
        return {name: position for position, name in enumerate(self.names)}

    def __getstate__(self) -> dict[str, Any]:
        return {"columns": self.columns, "labels": self.labels}

    def labelled(self, labels: Labels | None) -> Schema:
        """Return the schema with labels; equality and the reading of rows do not depend on them.

        >>> Schema((Column("age", "numeric"),)).labelled(Labels({"age": "Age in years"})).shown.names
        ('Age in years',)
        """
        made = replace(self, labels=labels)
        # Labels that are the same are found here.
        _ = made.shown
        return made

    @cached_property
    def shown(self) -> Schema:
        """The schema as print-outs show it: with labels for names and levels.

        >>> schema = Schema((Column("sex", "nominal", (0, 1)),))
        >>> schema.shown is schema, schema.labelled(Labels(levels={"sex": {0: "female"}})).shown[0].levels
        (True, ('female', '1'))
        """
        if self.labels is None:
            return self
        return replace(
            self, columns=tuple(_shown(column, self.labels) for column in self.columns), labels=None
        )

    def class_label(self, label: Level) -> Level:
        """Return the label of a class of the target, or the class itself if it has none.

        >>> Schema((), Labels(classes={1: "yes"})).class_label(1)
        'yes'
        """
        text = None if self.labels is None else self.labels.class_words(label)
        return label if text is None else text

    def target_label(self, name: str | None) -> str | None:
        """Return the label of the target, or its name if it has none.

        >>> Schema((), Labels(target="Survived")).target_label("y")
        'Survived'
        """
        return name if self.labels is None or self.labels.target is None else self.labels.target

    def parts(self) -> list[Part]:
        """Return a table of the columns, at most 100, for notebooks.

        >>> Schema((Column("age", "numeric"),)).parts()[0].rows
        [('age', 'numeric', '')]
        """
        rows = [(column.name, column.scale, column.summary()) for column in self.shown.columns[:_MOST_SHOWN]]
        hidden = len(self.columns) - _MOST_SHOWN
        more: list[Part] = [f"{hidden} more columns are not shown."] if hidden > 0 else []
        return [TextTable(("column", "scale", "levels"), rows), *more]

    def _repr_html_(self) -> str:
        return html_view(self.parts())

    def __len__(self) -> int:
        return len(self.columns)

    def __iter__(self) -> Iterator[Column]:
        return iter(self.columns)

    def __getitem__(self, key: int | str) -> Column:
        return self.columns[self.position(key) if isinstance(key, str) else key]

    def position(self, name: str) -> int:
        """Return the position of the column of this name.

        >>> Schema((Column("age", "numeric"), Column("pay", "numeric"))).position("pay")
        1
        """
        try:
            return self._positions[name]
        except KeyError:
            raise SchemaError(
                f"There is no column {name!r}; the columns are {', '.join(map(repr, self.names))}."
            ) from None

    def to_json(self) -> dict[str, Any]:
        """Return the schema as a dict that JSON can represent.

        >>> Schema((Column("age", "numeric"),)).to_json()
        {'columns': [{'name': 'age', 'scale': 'numeric'}]}
        """
        labels = {} if self.labels is None else {"labels": self.labels.to_json()}
        return {"columns": [column.to_json() for column in self.columns], **labels}

    @classmethod
    def from_json(cls, data: object, place: str = "schema") -> Schema:
        """Return the schema that `to_json` wrote; raise `FormatError` if the dict is invalid.

        >>> Schema.from_json({"columns": [{"name": "age", "scale": "numeric"}]}).names
        ('age',)
        >>> Schema.from_json({"columns": [{"name": "age"}]})
        Traceback (most recent call last):
        bough.errors.FormatError: At schema.columns[0]: 'scale' is missing
        """
        fields = members(data, place, ("columns",), ("labels",))
        columns = fields["columns"]
        if not isinstance(columns, list):
            raise FormatError(f"{place}.columns", f"must be a list, got {type(columns).__name__}")
        try:
            schema = cls(
                tuple(
                    Column.from_json(column, f"{place}.columns[{position}]")
                    for position, column in enumerate(columns)
                )
            )
        except SchemaError as error:
            raise FormatError(f"{place}.columns", str(error)) from None
        if "labels" not in fields:
            return schema
        try:
            return schema.labelled(Labels.from_json(fields["labels"], f"{place}.labels"))
        except SchemaError as error:
            raise FormatError(f"{place}.labels", str(error)) from None


def _shown(column: Column, labels: Labels) -> Column:
    """Return a column with its labels for its name and levels."""
    texts = labels.levels.get(column.name)
    levels: tuple[Level, ...] = column.levels
    if texts is not None:
        levels = tuple([texts.get(level, str(level)) for level in levels])
    return replace(column, name=labels.columns.get(column.name, column.name), levels=levels)


def levels_to_json(levels: Sequence[Level]) -> list[Any]:
    """Return levels as values that JSON can represent; an infinity becomes {"float": "inf"}.

    >>> levels_to_json(("a", "b")), levels_to_json((1, 2.0, float("-inf")))
    (['a', 'b'], [1, 2.0, {'float': '-inf'}])
    """
    return [
        {"float": str(level)} if isinstance(level, float) and math.isinf(level) else level for level in levels
    ]


def levels_from_json(data: object, place: str = "levels") -> tuple[Level, ...]:
    """Return the levels that `levels_to_json` wrote, with their types.

    >>> levels_from_json([1, 2.0, {"float": "inf"}])
    (1, 2.0, inf)
    """
    if not isinstance(data, list):
        raise FormatError(place, f"must be a list, got {type(data).__name__}")
    levels = tuple([_infinity(level) if isinstance(level, dict) else level for level in data])
    for position, level in enumerate(levels):
        if type(level) not in _KIND_OF_TYPE:
            raise FormatError(
                f"{place}[{position}]", f"{level!r} is not a level; levels are strings, booleans and numbers"
            )
    return levels


def _infinity(data: dict[str, Any]) -> Any:
    return float(data["float"]) if data in ({"float": "inf"}, {"float": "-inf"}) else data


def _repeated(items: Sequence[Level]) -> Level:
    return next(item for item, count in Counter(items).items() if count > 1)


def members(data: object, place: str, names: Iterable[str], optional: Iterable[str] = ()) -> dict[str, Any]:
    """Return an object; raise `FormatError` if it lacks one of `names` or has others than `optional`.

    >>> members({"low": 1}, "rules[0]", ["low", "high"])
    Traceback (most recent call last):
    bough.errors.FormatError: At rules[0]: 'high' is missing
    """
    if not isinstance(data, dict):
        raise FormatError(place, f"an object is wanted, got {type(data).__name__}")
    wanted = tuple(names)
    for name in wanted:
        if name not in data:
            raise FormatError(place, f"{name!r} is missing")
    known = {*wanted, *optional}
    for name in data:
        if name not in known:
            raise FormatError(place, f"{name!r} is not known here")
    return data
