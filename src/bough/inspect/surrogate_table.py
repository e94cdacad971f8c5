"""The surrogates that a split could have, to print, to index and to hand to pandas or polars."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, overload

from bough.data.words import figure_words
from bough.errors import ParameterError
from bough.tree.split import Split


@dataclass(frozen=True)
class Surrogate:
    """One split of another column, and how well it stands in for the split of the node.

    `values` says which values each of its two sides takes; `counts` is the weight of the rows of that side
    that the node's own split sends to its first and second child. Where the node's own value is missing, a
    row of a side goes where most of the side's rows go: `ways` gives the child, 0 or 1, of each side.

    `errors` is the weight that is so sent astray. `agreement` is the share that is not; `adjusted` is the
    share saved of the errors made by sending every row with the most: 0 or less where both sides go one way.
    `sum_of_squares` is the mean over rows of p² + (1 − p)², p being the share of their side that goes to the
    first child: 1 where the sides are pure. It tells surrogates of as many errors apart. Rows in which the
    surrogate's own value is missing weigh `missing`.
    """

    variable: str
    split: Split = field(repr=False)
    values: tuple[str, str]
    counts: tuple[tuple[float, float], tuple[float, float]]
    ways: tuple[int, int]
    errors: float
    agreement: float
    adjusted: float
    sum_of_squares: float
    missing: float


@dataclass(frozen=True)
class SurrogateTable(Sequence[Surrogate]):
    """The surrogates of a node's split: the other columns in their order, the cuts of each ascending.

    `children` are the numbers of the node's children, and `conditions` what takes a row to each.
    """

    children: tuple[int, int]
    conditions: tuple[str, str]
    surrogates: tuple[Surrogate, ...] = field(repr=False)

    def __len__(self) -> int:
        return len(self.surrogates)

    @overload
    def __getitem__(self, index: int) -> Surrogate: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Surrogate, ...]: ...
    def __getitem__(self, index: int | slice) -> Surrogate | tuple[Surrogate, ...]:
        return self.surrogates[index]

    def of_columns(self) -> list[Surrogate]:
        """Return the best surrogate of each column, the best column first.

        The best agrees most, then has the largest sum of squares, then comes first. A tree that keeps
        surrogates takes the first of those that agree most, whatever their sums of squares.

        >>> from bough.inspect.surrogates import surrogates
        >>> from bough.example_models import iris_tree
        >>> flowers = [[1.4, 0.2], [1.3, 0.2], [5.1, 1.9], [4.5, 1.5], [5.0, 0.2]]
        >>> [each.variable for each in surrogates(iris_tree(), flowers).of_columns()]
        ['Petal.Width']
        """
        best: dict[str, Surrogate] = {}
        for each in sorted(self.surrogates, key=_merit, reverse=True):
            best.setdefault(each.variable, each)
        return list(best.values())

    def best(self) -> Surrogate:
        """Return the best surrogate of all.

        >>> from bough.inspect.surrogates import surrogates
        >>> from bough.example_models import iris_tree
        >>> flowers = [[1.4, 0.2], [1.3, 0.2], [5.1, 1.9], [4.5, 1.5], [5.0, 0.2]]
        >>> surrogates(iris_tree(), flowers).best().values
        ('< 0.85', '>= 0.85')
        """
        if not self.surrogates:
            raise ParameterError("No split of another column sends two cases each way, so there is no best.")
        return self.of_columns()[0]

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return a dict for each surrogate; what differs from side to side is a list.

        >>> from bough.inspect.surrogates import surrogates
        >>> from bough.example_models import iris_tree
        >>> flowers = [[1.4, 0.2], [1.3, 0.2], [5.1, 1.9], [4.5, 1.5], [5.0, 0.2]]
        >>> surrogates(iris_tree(), flowers).to_dicts()[0]["goes to"]
        [1, 2]
        """
        return [
            {
                "variable": each.variable,
                "values": list(each.values),
                **{name: list(side) for name, side in self._counts(each).items()},
                "errors": each.errors,
                "agreement": each.agreement,
                "adjusted": each.adjusted,
                "sum of squares": each.sum_of_squares,
                "missing": each.missing,
                "goes to": [self.children[way] for way in each.ways],
            }
            for each in self
        ]

    def to_pandas(self) -> Any:
        """Return a pandas DataFrame with one row for each side of each surrogate.

        >>> from bough.inspect.surrogates import surrogates
        >>> from bough.example_models import iris_tree
        >>> flowers = [[1.4, 0.2], [1.3, 0.2], [5.1, 1.9], [4.5, 1.5], [5.0, 0.2]]
        >>> surrogates(iris_tree(), flowers).to_pandas()[["variable", "values", "errors"]]
              variable   values  errors
        0  Petal.Width   < 0.85     1.0
        1  Petal.Width  >= 0.85     1.0
        """
        import pandas as pd

        return pd.DataFrame(list(self._rows()))

    def to_polars(self) -> Any:
        """Return a polars DataFrame with one row for each side of each surrogate.

        >>> from bough.inspect.surrogates import surrogates
        >>> from bough.example_models import iris_tree
        >>> flowers = [[1.4, 0.2], [1.3, 0.2], [5.1, 1.9], [4.5, 1.5], [5.0, 0.2]]
        >>> surrogates(iris_tree(), flowers).to_polars()["goes to"].to_list()
        [1, 2]
        """
        import polars as pl

        return pl.DataFrame(list(self._rows()), infer_schema_length=None)

    def _rows(self) -> Iterator[dict[str, Any]]:
        for number, each in enumerate(self.to_dicts()):
            for side in (0, 1):
                here = {
                    name: value[side] if isinstance(value, list) else value for name, value in each.items()
                }
                yield {"surrogate": number, **here}

    def _counts(self, surrogate: Surrogate) -> dict[str, tuple[float, ...]]:
        return dict(zip(self._names, zip(*surrogate.counts, strict=True), strict=True))

    @property
    def _names(self) -> list[str]:
        return [f"node {child}" for child in self.children]

    def text(self, *, every: bool = False) -> str:
        """Write the best surrogate of each column, or every one in the order of columns, a line a side.

        >>> from bough.inspect.surrogates import surrogates
        >>> from bough.example_models import iris_tree
        >>> flowers = [[1.4, 0.2], [1.3, 0.2], [5.1, 1.9], [4.5, 1.5], [5.0, 0.2]]
        >>> print(surrogates(iris_tree(), flowers).text())
        node 1: Petal.Length < 2.45; node 2: Petal.Length >= 2.45
        <BLANKLINE>
        variable     values   node 1  node 2  errors  agreement  adjusted  squares  goes to
        Petal.Width  < 0.85   2       1       1       0.8        0.5       0.7333   node 1
                     >= 0.85  0       2                                             node 2
        """
        shown = self.surrogates if every else self.of_columns()
        if not shown:
            return "no surrogates"
        figures = ("errors", "agreement", "adjusted", "squares")
        lines = [["variable", "values", *self._names, *figures, "goes to"]]
        lines += [line for each in shown for line in self._lines(each)]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        heading = "; ".join(map("{}: {}".format, self._names, self.conditions))
        text = ["  ".join(map(str.ljust, line, widths)).rstrip() for line in lines]
        return "\n".join([heading, "", *text])

    def _lines(self, each: Surrogate) -> Iterator[list[str]]:
        figures = (each.errors, each.agreement, each.adjusted, each.sum_of_squares)
        words = [figure_words(figure, digits=4) for figure in figures]
        for side in (0, 1):
            counts = map(figure_words, each.counts[side])
            goes_to = f"node {self.children[each.ways[side]]}"
            name, whole = ("", [""] * len(words)) if side else (each.variable, words)
            yield [name, each.values[side], *counts, *whole, goes_to]

    def __str__(self) -> str:
        return self.text()


def _merit(surrogate: Surrogate) -> tuple[float, float]:
    # Equal sums that were added up in another order differ by rounding.
    return round(surrogate.agreement, 12), round(surrogate.sum_of_squares, 12)
