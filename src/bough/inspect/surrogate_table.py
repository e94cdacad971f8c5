"""The table of possible surrogates of a split, to be printed, indexed or converted to a data frame."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, overload

from bough.data.records import Records, rows_of_parts
from bough.data.views import Part, TextTable, html_view, text_view
from bough.data.words import figure_column
from bough.errors import ParameterError
from bough.tree.split import Split


@dataclass(frozen=True)
class Surrogate:
    """A split on another column and its agreement with the primary split of the node.

    `values` describes the values of its two sides. `counts` holds, for each side, the weight that the primary
    split sends to the first and to the second child. The surrogate routes a side to the child to which the
    primary split sends most of it; `ways` is this child, 0 or 1, for each side.

    `errors` is the weight that the surrogate routes to another child than the primary split does.
    `agreement` is the share of the weight that both route to the same child. `adjusted` is the improvement
    over sending every row with the majority: 0 or less if both sides go to the same child. `sum_of_squares`
    is the mean over rows of p² + (1 - p)², p being the share of their side that the primary split sends to
    the first child; it is 1 for pure sides and ranks surrogates of equal errors. `missing` is the weight of
    the rows in which the value of the surrogate is missing.
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
class SurrogateTable(Sequence[Surrogate], Records):
    """The possible surrogates of a split, in the order of the columns and with ascending thresholds.

    `children` are the numbers of the node's children, and `conditions` are their conditions.
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
        """Return the best surrogate of each column, best column first.

        Surrogates are ranked by agreement, then by the sum of squares, then by their order. The surrogates
        that a tree keeps are ranked by agreement and order only.

        >>> from bough.inspect.surrogates import surrogates
        >>> from bough.example_models import iris_tree
        >>> flowers = [[1.4, 0.2], [1.3, 0.2], [5.1, 1.9], [4.5, 1.5], [5.0, 0.2]]
        >>> [each.variable for each in surrogates(iris_tree(), flowers).of_columns()]
        ['Petal.Width']
        """
        best: dict[str, Surrogate] = {}
        for each in sorted(self.surrogates, key=_rank, reverse=True):
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
            raise ParameterError(
                "There is no surrogate: no split on another column has two cases on each side."
            )
        return self.of_columns()[0]

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return a dict for each surrogate; the values of its sides are lists.

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

    def _frame(self) -> list[dict[str, Any]]:
        return rows_of_parts(self.to_dicts(), "surrogate")

    def _counts(self, surrogate: Surrogate) -> dict[str, tuple[float, ...]]:
        return dict(zip(self._names, zip(*surrogate.counts, strict=True), strict=True))

    @property
    def _names(self) -> list[str]:
        return [f"node {child}" for child in self.children]

    def text(self, *, every: bool = False) -> str:
        """Return the best surrogate of each column as text, with a line for each side.

        With `every`, all surrogates are listed in the order of the columns.

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
        return text_view(self._parts(every))

    def _parts(self, every: bool) -> list[Part]:
        shown = self.surrogates if every else self.of_columns()
        if not shown:
            return ["no surrogates"]
        figures = ("errors", "agreement", "adjusted", "squares")
        head = ["variable", "values", *self._names, *figures, "goes to"]
        lines = [line for each in shown for line in self._lines(each)]
        names, values, *numbers, ways = zip(*lines, strict=True)
        columns = [names, values, *(figure_column(cells, digits=4) for cells in numbers), ways]
        heading = "; ".join(map("{}: {}".format, self._names, self.conditions))
        grid = TextTable(head, [*zip(*columns, strict=True)], range(2, len(head) - 1))
        return [heading, grid]

    def _lines(self, each: Surrogate) -> Iterator[list[Any]]:
        figures = (each.errors, each.agreement, each.adjusted, each.sum_of_squares)
        for side in (0, 1):
            goes_to = f"node {self.children[each.ways[side]]}"
            name, whole = ("", [None] * len(figures)) if side else (each.variable, figures)
            yield [name, each.values[side], *each.counts[side], *whole, goes_to]

    def __str__(self) -> str:
        return self.text()

    def _repr_html_(self) -> str:
        return html_view(self._parts(every=False))


def _rank(surrogate: Surrogate) -> tuple[float, float]:
    # Rounding makes sums equal that differ only by the order of their terms.
    return round(surrogate.agreement, 12), round(surrogate.sum_of_squares, 12)
