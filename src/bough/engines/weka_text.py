"""The text of a row as Weka writes it: some of its programs derive the seed of random numbers from it."""

from __future__ import annotations

import math

import numpy as np

import bough._core as _core
from bough.engines.rule_problem import RuleProblem

_QUOTED = set(" \"',{}%\\\n\r\t\x1e")
_ESCAPED = {
    "\\": "\\\\",
    "'": "\\'",
    '"': '\\"',
    "\n": "\\n",
    "\r": "\\r",
    "\t": "\\t",
    "%": "\\%",
    "\x1e": "\\u001E",
}


def row_seed(problem: RuleProblem, seed: int) -> int:
    """Return the seed that Weka makes of a seed and a row, which it draws: the hash of its text is added.

    The class is taken for the last column of the table.
    """
    row = _core.JavaShuffle(seed).below(problem.table.n_rows)
    words = [_value(problem, column, row) for column in range(len(problem.table.schema))]
    return java_hash(",".join([*words, _quoted(problem.target.classes[problem.target.codes[row]])])) + seed


def java_hash(text: str) -> int:
    """Return Java's hash of a text, a whole number of 32 bits.

    >>> java_hash("bough")
    93927593
    """
    hashed = 0
    for unit in np.frombuffer(text.encode("utf-16-le"), dtype="<u2").tolist():
        hashed = (31 * hashed + unit) & 0xFFFFFFFF
    return hashed - (hashed >> 31 << 32)


def number_text(value: float) -> str:
    """Return a number with at most six decimals, as Weka writes it.

    >>> number_text(2.0), number_text(-0.25), number_text(1 / 3)
    ('2', '-0.25', '0.333333')
    """
    if not abs(value) * 1e6 < 2.0**63:
        return np.format_float_scientific(value, trim="0", exp_digits=1).replace("e+", "E")
    units = math.floor(abs(value) * 1e6 + 0.5)
    text = f"{units // 10**6}.{units % 10**6:06d}".rstrip("0").rstrip(".")
    return f"-{text}" if value < 0 and units else text


def _value(problem: RuleProblem, column: int, row: int) -> str:
    value, described = problem.table.columns[column][row], problem.table.schema[column]
    if described.scale == "numeric":
        return "?" if math.isnan(value) else number_text(float(value))
    return "?" if value < 0 else _quoted(described.levels[value])


def _quoted(level: object) -> str:
    """Return the name of a level in quotation marks if Weka needs them."""
    text = str(level)
    if text not in ("", "?") and not _QUOTED & set(text):
        return text
    return "'" + "".join(_ESCAPED.get(each, each) for each in text) + "'"
