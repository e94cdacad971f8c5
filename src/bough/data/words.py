"""Numbers, names and levels as text; everything that bough prints uses these functions."""

import math
from collections.abc import Callable, Sequence

import numpy as np

from bough.data.schema import Column, Level
from bough.data.times import cut_time_words

# The exact decimal form of a midpoint of two float32 values is long.
_FLOAT32_BITS = 33
_MANY_DECIMALS = 14


def number_words(value: float) -> str:
    """Return a cut as the shortest decimal that stands for the same threshold.

    A midpoint such as (0.1 + 0.2) / 2 is not exactly 0.15 in binary, but is written 0.15. Whole numbers and
    halves, the cuts between whole numbers, are always exact. A midpoint of float32 values is written as the
    shortest decimal that separates all float32 values in the same way.

    >>> number_words(2.45), number_words(12.5), number_words(3.0), number_words((0.1 + 0.2) / 2)
    ('2.45', '12.5', '3', '0.15')
    >>> number_words(123456789.5), number_words(float("-inf"))
    ('123456789.5', '-inf')
    >>> number_words((float(np.float32(1.9)) + float(np.float32(3.0))) / 2)
    '2.45'
    """
    value = float(value)
    if math.isfinite(value) and (2.0 * value).is_integer() and abs(value) < 2.0**53:
        return f"{value + 0.0:.1f}".removesuffix(".0")
    if not math.isfinite(value):
        return str(value)
    text = _shortest(value, lambda number: abs(number - value) <= math.ulp(value))
    if len(text) > _MANY_DECIMALS and _looks_float32(value):
        below, above = _float32_neighbours(value)
        text = _shortest(value, lambda number: below < number <= above)
    return text


def _shortest(value: float, same: Callable[[float], bool]) -> str:
    texts = (f"{value:.{digits}g}" for digits in range(6, 18))
    return next((text for text in texts if same(float(text))), repr(value))


def _looks_float32(value: float) -> bool:
    numerator, _ = abs(value).as_integer_ratio()
    bits = (numerator // (numerator & -numerator)).bit_length()
    limits = np.finfo(np.float32)
    return bits <= _FLOAT32_BITS and float(limits.tiny) <= abs(value) < float(limits.max)


def _float32_neighbours(value: float) -> tuple[float, float]:
    """Return the greatest float32 below the value and the least that is not."""
    above = np.float32(value)
    if float(above) < value:
        above = np.nextafter(above, np.float32(np.inf))
    return float(np.nextafter(above, np.float32(-np.inf))), float(above)


def threshold_words(
    column: Column, cut: float, neighbours: tuple[float, float] | None = None, *, closed: bool = False
) -> str:
    """Return a threshold on a column as text: a number, or what the column's unit makes of it.

    The test is `x < cut`, or `x <= cut` if closed. The values on both sides of the cut, if they are known,
    let a date with a time be short.

    >>> threshold_words(Column("age", "numeric"), 12.5)
    '12.5'
    >>> born = Column("born", "numeric", unit="date")
    >>> threshold_words(born, 19723.5), threshold_words(born, 19723.5, closed=True)
    ('2024-01-02', '2024-01-01')
    """
    if column.unit is None:
        return number_words(cut)
    return cut_time_words(column.unit, cut, neighbours, closed=closed)


def share_words(share: float) -> str:
    """Return a fraction as a percentage with one decimal.

    >>> share_words(3 / 14)
    '21.4%'
    """
    return f"{100 * share:.1f}%"


def figure_words(value: float, digits: int = 6) -> str:
    """Return a statistic, such as a mean or a sum of weights, in few digits; a count is never rounded.

    >>> figure_words(20.090625), figure_words(1234567.0), figure_words(0.1 + 0.2)
    ('20.0906', '1234567', '0.3')
    """
    value = float(value)
    if math.isfinite(value) and value.is_integer() and abs(value) < 1e15:
        return f"{value:.0f}"
    return f"{value:.{digits}g}"


def name_words(text: str) -> str:
    """Return a column name or a text level, quoted if it could be misread.

    >>> name_words("Petal.Length"), name_words("a, b"), name_words("")
    ('Petal.Length', "'a, b'", "''")
    """
    bare = text.isprintable() and text == text.strip() and text and not set(text) & set(",{}'\"")
    return text if bare else repr(text)


def level_words(level: Level) -> str:
    """Return a level or a class label as text.

    >>> level_words("s"), level_words(True), level_words(2), level_words(0.5)
    ('s', 'True', '2', '0.5')
    """
    if isinstance(level, str):
        return name_words(level)
    return number_words(level) if isinstance(level, float) else str(level)


def level_set_words(levels: Sequence[Level], most: int | None = None) -> str:
    """Return a set of levels in braces; only `most` levels are listed, then how many more there are.

    >>> level_set_words(["s", "a"]), level_set_words(["a", "b", "c", "d"], most=2)
    ('{s, a}', '{a, b, ... 2 more}')
    """
    shown = levels if most is None or len(levels) <= most else levels[:most]
    texts = [level_words(level) for level in shown]
    if len(shown) < len(levels):
        texts.append(f"... {len(levels) - len(shown)} more")
    return "{" + ", ".join(texts) + "}"
