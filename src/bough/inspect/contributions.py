"""What each column contributes to the prediction of a sum or mean of trees for one row.

The value of a node is the mean of the leaves below it, weighted by their training cases. On its way to a leaf
a row passes from node to node, and each step changes the value; the change is credited to the column of the
split. The sum of these changes over all trees, added to the values of the roots, is the prediction (Saabas
2014, "Interpreting random forests"). A linear model in a leaf adds, for each of its columns, the slope times
the distance of the row's value from the mean of the leaf.
"""

from __future__ import annotations

import html
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from bough.data.schema import Level, Schema
from bough.data.table import Table
from bough.data.words import figure_column, figure_words, level_words, name_words, threshold_words
from bough.ensembles.forest import Forest
from bough.ensembles.forest_sum import summed_trees
from bough.models.gradient_boosted import OF_EACH_CLASS, GradientBoosted
from bough.tree.leaf_models import LeafModels
from bough.types import Floats


class Contribution(NamedTuple):
    """What one column of a row contributes; `words` says the column and the value of the row."""

    column: str
    words: str
    amount: float


@dataclass(frozen=True)
class Contributions:
    """The contributions of all columns that some path reads, the largest first.

    `quantity` says what they are added to; `start` is its mean over the training cases and `total` its value
    for the row, which is `start` plus all amounts.
    """

    quantity: str
    start: float
    total: float
    columns: tuple[Contribution, ...]

    def lines(self, most: int = 10) -> list[str]:
        """Return lines of text: where the sum starts, the largest contributions, and the sum of the others.

        >>> two = (Contribution("a", "a = 7", 2.5), Contribution("b", "b = 1", -0.5))
        >>> Contributions("sum", 1.0, 3.0, two).lines()
        ['sum: 3, from a mean of 1, moved by', '  a = 7  +2.5', '  b = 1  -0.5']
        """
        shown = [(each.words, each.amount) for each in self.columns[:most]]
        rest = self.columns[most:]
        if rest:
            noun = "column" if len(rest) == 1 else "columns"
            shown.append((f"{len(rest)} other {noun}", sum(each.amount for each in rest)))
        width = max((len(name) for name, _ in shown), default=0)
        total, start = figure_words(self.total, 4), figure_words(self.start, 4)
        if not shown:
            return [f"{self.quantity}: {total}, a mean that no column moves"]
        head = f"{self.quantity}: {total}, from a mean of {start}, moved by"
        figures = figure_column([amount for _, amount in shown], 3)
        signed = [text if text.startswith("-") else f"+{text}" for text in figures]
        wide = max(map(len, signed), default=0)
        lines = [f"  {name:<{width}}  {text:>{wide}}" for (name, _), text in zip(shown, signed, strict=True)]
        return [head, *lines]

    def to_html(self) -> str:
        """Return the lines as an HTML fragment.

        >>> Contributions("sum", 1.0, 3.0, (Contribution("a", "a = 7", 2.0),)).to_html()  # doctest: +ELLIPSIS
        '<p>sum: 3, from a mean of 1, moved by</p><table><tr><td>a = 7</td>...+2</td></tr></table>'
        """
        head, *lines = self.lines()
        cells = [line.strip().rsplit(" ", 1) for line in lines]
        rows = "".join(
            f'<tr><td>{html.escape(name.strip())}</td><td style="text-align:right">{amount}</td></tr>'
            for name, amount in cells
        )
        return f"<p>{html.escape(head)}</p>" + (f"<table>{rows}</table>" if rows else "")

    def to_dict(self) -> dict[str, Any]:
        """Return the contributions as a dict for JSON.

        >>> Contributions("sum", 1.0, 3.0, (Contribution("a", "a = 7", 2.0),)).to_dict()["columns"]
        [{'column': 'a', 'words': 'a = 7', 'amount': 2.0}]
        """
        columns = [each._asdict() for each in self.columns]
        return {"quantity": self.quantity, "start": self.start, "total": self.total, "columns": columns}


def contributions_of(model: Forest | GradientBoosted, table: Table, answer: Any) -> Contributions:
    """Return what each column contributes to the answer of a model for the row of a table.

    >>> from bough.example_models import boosted_cars
    >>> model = boosted_cars()
    >>> row = Table.fit_to([[2.0, 4.0]], model.schema)
    >>> found = contributions_of(model, row, model.predict(row)[0])
    >>> [(each.column, round(each.amount, 1)) for each in found.columns], round(found.start, 1)
    ([('wt', 5.5), ('cyl', 3.1)], 20.1)
    """
    if isinstance(model, Forest):
        return _of_forest(model, table, answer)
    return _of_sum(model, table, answer)


def _of_forest(forest: Forest, table: Table, answer: Level | float) -> Contributions:
    arrays, nodes = summed_trees(forest).arrays, forest.all_nodes
    value = np.zeros(forest.n_nodes)
    value[nodes.leaf] = _leaf_values(forest, answer) / forest.n_trees
    ends = forest.apply(table)[0] + nodes.start[:-1]
    start, amounts = _along_paths(arrays, value, ends, len(forest.schema))
    if forest.task == "regression":
        intercept, slope = forest.correction or (0.0, 1.0)
        start, amounts = intercept + slope * start, slope * amounts
        quantity = "mean of the trees" if forest.correction is None else "corrected mean of the trees"
    else:
        of = level_words(forest.schema.class_label(answer))
        quantity = f"share of the votes for {of}" if forest.voting == "hard" else f"probability of {of}"
    return _named(quantity, start, amounts, table, forest)


def _leaf_values(forest: Forest, answer: Level | float) -> Floats:
    """Return the number of each leaf that is averaged over the trees: a mean, or a share of the answer."""
    if forest.task == "regression":
        return forest.leaf[:, 0]
    position = forest.classes.index(answer)
    if forest.voting == "hard":
        return np.asarray(forest.leaf.argmax(axis=1) == position, dtype=np.float64)
    return np.asarray(forest.leaf[:, position] / forest.leaf.sum(axis=1))


def _of_sum(model: GradientBoosted, table: Table, answer: Any) -> Contributions:
    trees = np.arange(model.n_trees)
    score, sign = 0, 1.0
    if model.link in OF_EACH_CLASS:
        score = model.classes.index(answer)
        trees = trees[trees % model.n_scores == score]
    elif model.classes:
        sign = 1.0 if model.classes.index(answer) == 1 else -1.0
    ends = (model.apply(table)[0] + model.arrays["tree_start"][:-1])[trees]
    models = model.leaf_models
    value = model.arrays["value"] if models is None else _values_at_means(models, model.arrays["value"])
    start, amounts = _along_paths(model.arrays, sign * value, ends, len(model.schema))
    if models is not None:
        np.add.at(amounts, *_slopes(models.take(ends), sign, table))
    start += sign * float(model.start[score])
    return _named(_quantity(model, answer), start, amounts, table, model)


def _values_at_means(models: LeafModels, value: Floats) -> Floats:
    """Return what each node predicts where every value is missing, so that it counts as the leaf's mean."""
    node = np.repeat(np.arange(len(value)), np.diff(models.start))
    shift = np.bincount(node, models.coefficient * models.substitute, minlength=len(value))
    return np.where(np.isnan(models.intercept), value, models.intercept + shift)


def _slopes(models: LeafModels, sign: float, table: Table) -> tuple[npt.NDArray[Any], Floats]:
    """Return the column of each term, and what the row's value adds to that of the substitute."""
    values = np.array([table.columns[column][0] for column in models.column.tolist()], dtype=np.float64)
    moved = np.where(np.isfinite(values), values - models.substitute, 0.0)
    return models.column, sign * models.coefficient * moved


def _quantity(model: GradientBoosted, answer: Any) -> str:
    if not model.classes:
        return "logarithm of the answer" if model.link == "log" else "sum of the trees"
    of = level_words(model.schema.class_label(answer))
    return {
        "logit": f"logarithm of the odds of {of}",
        "half_logit": f"half the logarithm of the odds of {of}",
        "one_vs_all": f"logarithm of the odds of {of} against all others",
    }.get(model.link, f"score of {of}")


def _along_paths(
    arrays: Mapping[str, npt.NDArray[Any]], value: Floats, ends: npt.NDArray[Any], n_columns: int
) -> tuple[float, Floats]:
    """Return the sum of the values of the roots, and the sum of the steps at splits of each column.

    `ends` are the last nodes of the paths, among all nodes, one for each tree that counts.
    """
    starts = arrays["tree_start"]
    first = np.repeat(starts[:-1], np.diff(starts))
    parent = np.where(arrays["parent"] < 0, -1, arrays["parent"] + first)
    means = _means(value, arrays, parent, first)
    amounts = np.zeros(n_columns)
    nodes = np.asarray(ends, dtype=np.int64)
    # The last node itself predicts its own value, also where it is not a leaf.
    now = value[nodes]
    start = 0.0
    while len(nodes):
        above = parent[nodes]
        inner = above >= 0
        start += float(now[~inner].sum())
        nodes, now = above[inner], now[inner]
        np.add.at(amounts, arrays["column"][nodes], now - means[nodes])
        now = means[nodes]
    return start, amounts


def _means(
    value: Floats,
    arrays: Mapping[str, npt.NDArray[Any]],
    parent: npt.NDArray[Any],
    tree_start: npt.NDArray[Any],
) -> Floats:
    """Return the value of each leaf, and of each split node the mean of the leaves below it."""
    leaf = arrays["n_children"] == 0
    cases = np.asarray(arrays["cases"], dtype=np.float64)
    weight, total = np.where(leaf, cases, 0.0), np.where(leaf, cases * value, 0.0)
    levels = [np.flatnonzero(parent < 0)]
    while len(inner := levels[-1][~leaf[levels[-1]]]):
        count, first = arrays["n_children"][inner], arrays["first_child"][inner] + tree_start[inner]
        before = np.cumsum(count) - count
        levels.append(np.repeat(first - before, count) + np.arange(count.sum()))
    for level in levels[:0:-1]:
        np.add.at(weight, parent[level], weight[level])
        np.add.at(total, parent[level], total[level])
    return np.asarray(np.where(weight > 0, total / np.where(weight > 0, weight, 1.0), value))


def _named(
    quantity: str, start: float, amounts: Floats, table: Table, model: Forest | GradientBoosted
) -> Contributions:
    order = [column for column in np.argsort(-np.abs(amounts), kind="stable").tolist() if amounts[column]]
    columns = [
        Contribution(
            model.schema[column].name, value_words(table, column, model.schema), float(amounts[column])
        )
        for column in order
    ]
    return Contributions(quantity, start, start + float(amounts.sum()), tuple(columns))


def value_words(table: Table, column: int, schema: Schema) -> str:
    """Return a column and its value in the first row of a table in words.

    >>> from bough.example_models import boosted_cars
    >>> schema = boosted_cars().schema
    >>> value_words(Table.fit_to([[2.5, 4.0]], schema), 0, schema)
    'wt = 2.5'
    """
    value, shown = table.columns[column][0], schema.shown[column]
    name = name_words(shown.name)
    if shown.scale == "numeric":
        return f"{name} is missing" if np.isnan(value) else f"{name} = {threshold_words(shown, float(value))}"
    if 0 <= value < len(shown.levels):
        return f"{name} = {level_words(shown.levels[int(value)])}"
    return f"{name} is missing or new"
