"""A comparison: the error, size and time of each learner, and the p-value of its difference from the best."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from bough.data.lines import aligned
from bough.data.records import Records
from bough.data.whole_file import write_file
from bough.data.words import count_words, figure_column, figure_words, p_value_words
from bough.types import Floats


class Entry(NamedTuple):
    """The result of one learner.

    `error` is the mean error over all rows. `leaves` and `depth` are means over the folds; they are None for
    a learner without a single tree. `seconds` is the mean time of a fit. `p_value` is that of the paired test
    against the best learner, and None for the best. `losses` is the loss of each row, and `fold_errors` the
    error of each fold.
    """

    name: str
    error: float
    standard_error: float
    leaves: float | None
    depth: float | None
    seconds: float
    p_value: float | None
    losses: Floats
    fold_errors: Floats

    def __repr__(self) -> str:
        return f"<Entry: {self.name}, error {figure_words(self.error, 4)}>"

    def to_dict(self) -> dict[str, Any]:
        """Return the results as values that JSON can hold.

        >>> Entry("a", 0.1, 0.01, 3.0, 2.0, 0.5, None, np.zeros(1), np.zeros(1)).to_dict()["error"]
        0.1
        """
        names = ("name", "error", "standard_error", "leaves", "depth", "seconds", "p_value")
        return {name: getattr(self, name) for name in names}


@dataclass(frozen=True, eq=False)
class Comparison(Records):
    """The results of several learners on one table, lowest error first.

    `refused` contains the learners that could not fit the table, with the reasons.

    >>> from bough import compare, TreeClassifier, TreeClassifier
    >>> X, y = [[float(i)] for i in range(40)], ["a"] * 20 + ["b"] * 20
    >>> found = compare(X, y, {"stump": TreeClassifier(max_depth=1), "tree": TreeClassifier()}, cv=4)
    >>> [(entry.name, entry.error, entry.leaves) for entry in found]
    [('stump', 0.0, 2.0), ('tree', 0.0, 2.0), ('one answer for all', 0.5, None)]
    """

    measure: str
    n_rows: int
    n_folds: int
    entries: tuple[Entry, ...]
    refused: dict[str, str]
    seconds: float
    estimators: dict[str, Any] = field(repr=False)

    def __repr__(self) -> str:
        return f"<Comparison: {self.measure} of {len(self)} learners on {self.n_rows} rows>"

    def __iter__(self) -> Any:
        return iter(self.entries)

    def __len__(self) -> int:
        return len(self.entries)

    @property
    def best(self) -> str:
        """The name of the learner with the lowest error.

        >>> from bough import compare, TreeClassifier
        >>> X, y = [[float(i)] for i in range(40)], ["a"] * 20 + ["b"] * 20
        >>> compare(X, y, {"stump": TreeClassifier(max_depth=1)}, cv=4).best
        'stump'
        """
        return self.entries[0].name

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return a dict for each learner.

        >>> from bough import compare, TreeRegressor
        >>> X, y = [[float(i)] for i in range(10)], [0.0, 1.0] * 5
        >>> sorted(compare(X, y, {"cart": TreeRegressor()}, cv=2).to_dicts()[0])
        ['depth', 'error', 'leaves', 'name', 'p_value', 'seconds', 'standard_error']
        """
        return [entry.to_dict() for entry in self.entries]

    def text(self) -> str:
        """Return a table as text, with a line for each learner.

        >>> from bough import compare, TreeClassifier
        >>> X, y = [[float(i)] for i in range(40)], ["a"] * 20 + ["b"] * 20
        >>> print(compare(X, y, {"stump": TreeClassifier(max_depth=1)}, cv=4).text().splitlines()[0])
        error rate on 40 rows by 4-fold cross-validation
        """
        head = ("learner", self.measure, "± SE", "leaves", "depth", "seconds", "p against the best")
        table = aligned([head, *self._rows()], right=range(1, len(head) - 1))
        refused = [f"{name} was left out: {why}" for name, why in self.refused.items()]
        title = f"{self.measure} on {count_words(self.n_rows, 'row')} by {self.n_folds}-fold cross-validation"
        return "\n".join([title, "", *table, *([""] if refused else []), *refused])

    def _rows(self) -> Iterator[tuple[str, ...]]:
        errors = figure_column([entry.error for entry in self.entries], 4)
        spreads = figure_column([entry.standard_error for entry in self.entries], 2)
        seconds = figure_column([entry.seconds for entry in self.entries], 3)
        for entry, error, spread, time in zip(self.entries, errors, spreads, seconds, strict=True):
            size = ["-" if each is None else f"{each:.1f}" for each in (entry.leaves, entry.depth)]
            p_value = "" if entry.p_value is None else p_value_words(entry.p_value)
            yield entry.name, error, spread, *size, time, p_value

    def __str__(self) -> str:
        return self.text()

    def plot(self, ax: Any = None) -> Any:
        """Draw the errors with bars of ± 2 standard errors, and return the axes.

        >>> import matplotlib
        >>> matplotlib.use("agg")
        >>> from bough import compare, TreeClassifier
        >>> X, y = [[float(i)] for i in range(40)], ["a"] * 20 + ["b"] * 20
        >>> compare(X, y, {"stump": TreeClassifier(max_depth=1)}, cv=4).plot().get_xlabel()
        'error rate'
        >>> matplotlib.pyplot.close("all")
        """
        from bough.plot.axes import axes_for, colour

        ax = axes_for(ax, size=(6.5, 0.8 + 0.32 * len(self)))
        heights = np.arange(len(self))[::-1]
        errors = [entry.error for entry in self.entries]
        spans = [2 * entry.standard_error for entry in self.entries]
        ax.errorbar(errors, heights, xerr=spans, fmt="o", color=colour(0), ecolor="#b9bcc4", elinewidth=3)
        ax.set_yticks(heights, [entry.name for entry in self.entries])
        ax.set(xlabel=self.measure, title=f"{self.n_folds}-fold cross-validation, ± 2 standard errors")
        ax.spines[["top", "right"]].set_visible(False)
        return ax

    def save(self, path: str | PathLike[str]) -> Path:
        """Write the comparison as a single HTML file that needs no network, and return its path.

        >>> import tempfile
        >>> from bough import compare, TreeClassifier
        >>> X, y = [[float(i)] for i in range(40)], ["a"] * 20 + ["b"] * 20
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     compare(X, y, {"stump": TreeClassifier(max_depth=1)}, cv=4).save(f"{folder}/c.html").name
        'c.html'
        """
        target = Path(path)
        write_file(target, self._page().encode("ascii", errors="xmlcharrefreplace"))
        return target

    def _repr_html_(self) -> str:
        from bough.comparison.page import table_html

        return table_html(self)

    def _page(self) -> str:
        from bough.comparison.page import comparison_page

        return comparison_page(self)


def paired_p_value(errors: Floats, best: Floats, test_share: float) -> float:
    """Return the p-value of the corrected resampled t-test (Nadeau and Bengio 2003).

    `errors` and `best` are the errors of two learners in each fold, and `test_share` is the share of rows in
    a test set.

    >>> round(paired_p_value(np.array([0.3, 0.4, 0.2, 0.3]), np.array([0.1, 0.1, 0.1, 0.2]), 0.25), 3)
    0.096
    """
    from scipy.stats import t

    differences: npt.NDArray[Any] = errors - best
    n = len(differences)
    variance = float(differences.var(ddof=1)) if n > 1 else math.nan
    mean = float(differences.mean())
    if not variance > 0:
        return 1.0 if mean == 0 else 0.0
    # Training sets overlap, so the variance over folds is too small; the second term corrects it.
    scale = math.sqrt(variance * (1 / n + test_share / (1 - test_share)))
    return float(2 * t.sf(abs(mean) / scale, n - 1))
