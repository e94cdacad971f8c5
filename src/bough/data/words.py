"""Numbers, names and levels as text; everything that bough prints uses these functions."""

import math
from collections.abc import Iterable, Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal

import numpy as np

from bough.data.schema import Column, Level
from bough.data.times import cut_time_words

# The exact decimal form of a midpoint of two float32 values is long.
_FLOAT32_BITS = 33
_MANY_DECIMALS = 14
# A cut of so many digits is printed as it is.
_FEW_DIGITS = 6
_MOST_DIGITS = 17
# Statistics of this size are written with an exponent.
_LEAST_FIGURE, _GREATEST_FIGURE = 1e-4, 1e15
_GROUPED_FROM = 9999.5
# Less than this is an error of rounding.
_MOST_DECIMALS = 12
_LEAST_P_VALUE = 0.001


def number_words(value: float) -> str:
    """Return a number as a short decimal that stands for it, up to an error of rounding.

    A midpoint such as (0.1 + 0.2) / 2 is not exactly 0.15 in binary, but is written 0.15. Whole numbers and
    halves are always exact. A midpoint of float32 values is written as the shortest decimal that separates
    all float32 values in the same way.

    >>> number_words(2.45), number_words(12.5), number_words(3.0), number_words((0.1 + 0.2) / 2)
    ('2.45', '12.5', '3', '0.15')
    >>> number_words(123456789.5), number_words(float("-inf"))
    ('123456789.5', '-inf')
    >>> number_words((float(np.float32(1.9)) + float(np.float32(3.0))) / 2)
    '2.45'
    """
    value = float(value)
    if not math.isfinite(value) or _is_half(value):
        return _plain(value)
    numbers = (float(f"{value:.{digits}g}") for digits in range(_FEW_DIGITS, _MOST_DIGITS + 1))
    return _float32_words(value, next(each for each in numbers if abs(each - value) <= math.ulp(value)))


def cut_words(cut: float, neighbours: tuple[float, float] | None = None, *, closed: bool = False) -> str:
    """Return the cut of a threshold as a short decimal that separates the same two neighbours.

    The neighbours are the greatest training value that takes the first branch and the least that takes the
    second. A cut of at most six digits, up to rounding, is written as it is; any other as the shortest number
    that separates the neighbours, see `shortest_between`. Without neighbours the text is exact: the shortest
    decimal that is read as the same number, or for a midpoint of float32 values the shortest that separates
    all float32 values in the same way.

    >>> cut_words(15.00365925177657, (14.7, 15.3)), cut_words(15.00365925177657, (15.001, 15.00631))
    ('15', '15.004')
    >>> cut_words(2.45, (1.9, 3.0)), cut_words((0.1 + 0.2) / 2, (0.1, 0.2))
    ('2.45', '0.15')
    >>> cut_words(15.00365925177657), cut_words((0.1 + 0.2) / 2)
    ('15.00365925177657', '0.15000000000000002')
    """
    cut = float(cut)
    if not math.isfinite(cut):
        return str(cut)
    if neighbours is None or any(map(math.isnan, neighbours)):
        return _plain(cut) if _is_half(cut) else _float32_words(cut, cut, closed=closed)
    short = float(f"{cut:.{_FEW_DIGITS}g}")
    low, high = (
        _float32_neighbours(cut) if _looks_float32(cut) else (cut - math.ulp(cut), cut + math.ulp(cut))
    )
    if low <= short <= high and _separates(short, *neighbours, closed):
        return _plain(short)
    return _plain(shortest_between(cut, *neighbours, closed=closed))


def shortest_between(cut: float, below: float, above: float, *, closed: bool = False) -> float:
    """Return the number of the fewest digits that separates two values as the cut does.

    That is below < number <= above, for the test `x < cut`; with `closed` below <= number < above, for the
    test `x <= cut`. Among numbers of as few digits the nearest to the cut is taken.

    >>> shortest_between(2.4567, 2.4, 2.5), shortest_between(2.4567, 2.4, 2.5, closed=True)
    (2.5, 2.4)
    >>> shortest_between(0.001234, -0.5, 0.25), shortest_between(1234.567, 1234.0, 1235.0)
    (0.0, 1235.0)
    """
    if _separates(0.0, below, above, closed):
        return 0.0
    exact = Decimal(cut)
    for digits in range(1, _MOST_DIGITS + 1):
        unit = Decimal(1).scaleb(exact.adjusted() - digits + 1)
        roundings = [float(exact.quantize(unit, rounding)) for rounding in (ROUND_CEILING, ROUND_FLOOR)]
        found = [number for number in roundings if _separates(number, below, above, closed)]
        if found:
            return min(found, key=lambda number: abs(Decimal(number) - exact))
    return cut


def _separates(number: float, below: float, above: float, closed: bool) -> bool:
    if not math.isfinite(number):
        return False
    return below <= number < above if closed else below < number <= above


def _plain(value: float) -> str:
    return repr(value + 0.0).removesuffix(".0")


def _is_half(value: float) -> bool:
    return (2.0 * value).is_integer() and abs(value) < 2.0**53


def _float32_words(value: float, rounded: float, *, closed: bool = False) -> str:
    text = _plain(rounded)
    if len(text) > _MANY_DECIMALS and _looks_float32(value):
        neighbours = _float32_neighbours(value, closed=closed)
        return _plain(shortest_between(value, *neighbours, closed=closed))
    return text


def _looks_float32(value: float) -> bool:
    numerator, _ = abs(value).as_integer_ratio()
    bits = (numerator // (numerator & -numerator)).bit_length() if numerator else 0
    limits = np.finfo(np.float32)
    return bits <= _FLOAT32_BITS and float(limits.tiny) <= abs(value) < float(limits.max)


def _float32_neighbours(value: float, *, closed: bool = False) -> tuple[float, float]:
    """Return the greatest float32 for which `x < value`, or `x <= value` if closed, and the next."""
    above = np.float32(value)
    if float(above) < value or (closed and float(above) == value):
        above = np.nextafter(above, np.float32(np.inf))
    return float(np.nextafter(above, np.float32(-np.inf))), float(above)


def threshold_words(
    column: Column, cut: float, neighbours: tuple[float, float] | None = None, *, closed: bool = False
) -> str:
    """Return a threshold on a column as text: a short number, or what the column's unit makes of it.

    The test is `x < cut`, or `x <= cut` if closed; see `cut_words` for the neighbours, which let a date with
    a time be short too.

    >>> threshold_words(Column("age", "numeric"), 12.5)
    '12.5'
    >>> born = Column("born", "numeric", unit="date")
    >>> threshold_words(born, 19723.5), threshold_words(born, 19723.5, closed=True)
    ('2024-01-02', '2024-01-01')
    """
    if column.unit is None:
        return cut_words(cut, neighbours, closed=closed)
    return cut_time_words(column.unit, cut, neighbours, closed=closed)


def share_words(share: float, decimals: int = 1) -> str:
    """Return a fraction as a percentage.

    >>> share_words(3 / 14), share_words(3 / 14, decimals=2)
    ('21.4%', '21.43%')
    """
    return f"{100 * share:.{decimals}f}%"


def figure_words(value: float, digits: int = 6, decimals: int | None = None) -> str:
    """Return a statistic, such as a mean or a sum of weights, in few digits.

    The digits before the point are never rounded, and are grouped if there are five or more. `decimals` sets
    the number of digits after the point, see `decimals_of`; by default trailing zeros are left out. With more
    than 12 decimals the number has an exponent.

    >>> figure_words(20.090625), figure_words(1234567.0), figure_words(0.1 + 0.2), figure_words(180577.4, 4)
    ('20.0906', '1,234,567', '0.3', '180,577')
    >>> figure_words(4.3, decimals=3), figure_words(0.0000123456, 3)
    ('4.300', '1.23e-05')
    >>> figure_words(1.25e-20, 4, decimals=23), figure_words(0.0, decimals=23)
    ('1.25e-20', '0')
    """
    value = float(value)
    if decimals is not None and decimals > _MOST_DECIMALS:
        return f"{value:.{digits}g}"
    if not math.isfinite(value) or abs(value) >= _GREATEST_FIGURE:
        return f"{value:.{digits}g}"
    if decimals is None:
        if 0 < abs(value) < _LEAST_FIGURE:
            return f"{value:.{digits}g}"
        decimals = decimals_of([value], digits)
    text = f"{value:,.{decimals}f}" if abs(value) >= _GROUPED_FROM else f"{value:.{decimals}f}"
    return text.removeprefix("-") if not text.strip("-0.") else text


def decimals_of(values: Iterable[float], digits: int = 6) -> int:
    """Return the number of decimals with which all values of a column are written.

    The greatest value has `digits` digits, and no value ends in more zeros than another needs.

    >>> decimals_of([26.6636363, 4.3]), decimals_of([11.0, 7.0]), decimals_of([1234.5, 0.25], 4)
    (4, 0, 0)
    """
    finite = [abs(float(value)) for value in values if math.isfinite(value)]
    greatest = max(finite, default=0.0)
    if greatest == 0 or all(value.is_integer() for value in finite):
        return 0
    most = min(max(digits - 1 - math.floor(math.log10(greatest)), 0), _MOST_DECIMALS)
    ends = (f"{value:.{most}f}".rstrip("0").partition(".")[2] for value in finite)
    return max(map(len, ends))


def figure_column(values: Iterable[float | None], digits: int = 6) -> list[str]:
    """Return the numbers of a column as text, all with the same number of decimals; None is empty.

    >>> figure_column([26.6636363, 4.3, 180577.0], 3), figure_column([0.5, None, 0.25])
    (['27', '4', '180,577'], ['0.50', '', '0.25'])
    """
    cells = list(values)
    decimals = decimals_of((value for value in cells if value is not None), digits)
    return ["" if value is None else figure_words(value, digits, decimals) for value in cells]


def error_words(value: float, error: float | None) -> str:
    """Return a value and its standard error as text; the error has two digits, the value as many decimals.

    >>> error_words(0.92413, 0.01306), error_words(1234.56, 12.3), error_words(0.25, None)
    ('0.924 ± 0.013', '1235 ± 12', '0.25')
    """
    if error is None or not math.isfinite(error) or error <= 0:
        return figure_words(value, 4) + ("" if error is None else f" ± {figure_words(error)}")
    decimals = max(1 - math.floor(math.log10(error)), 0)
    return f"{figure_words(value, decimals=decimals)} ± {figure_words(error, decimals=decimals)}"


def p_value_words(p_value: float) -> str:
    """Return a p-value with three decimals; one below 0.001 with two digits and an exponent.

    >>> p_value_words(0.0213), p_value_words(2.34e-9), p_value_words(0.0)
    ('0.021', '2.3e-09', '0')
    """
    return f"{p_value:.3f}" if p_value >= _LEAST_P_VALUE else f"{p_value:.2g}"


def count_words(n: float, one: str, many: str | None = None) -> str:
    """Return a number of things as text.

    >>> count_words(1, "case"), count_words(12345, "row"), count_words(2, "leaf", "leaves")
    ('1 case', '12,345 rows', '2 leaves')
    """
    return f"{figure_words(n)} {one if n == 1 else many or one + 's'}"


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
