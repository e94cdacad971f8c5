"""Figures of the predictions of a model over two features: regions, heat map and surface."""

from __future__ import annotations

from functools import partial
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from bough.data.readers.source import refuse_sparse
from bough.data.schema import Schema
from bough.data.table import Table
from bough.data.times import Unit, time_words
from bough.data.words import figure_words, level_words, name_words
from bough.errors import ParameterError
from bough.evaluation.evaluate import model_classes
from bough.plot.axes import axes_for, colour
from bough.reports.shown import shortened
from bough.resampling.regrowth import is_one_tree, tree_of
from bough.types import Floats

FeaturePair: TypeAlias = tuple[str | int, str | int]
"""Two columns, by name or position."""

_MOST_HELD = 3
_LONGEST_TICK = 24
# Levels of so many characters in all are written at an angle.
_WIDEST_TICKS = 40
_LABEL_PAD = 8.0


def regions(
    model: Any,
    X: Any,
    y: Any = None,
    *,
    features: FeaturePair | None = None,
    ax: Any = None,
    steps: int = 300,
) -> Any:
    """Draw the predictions over two features, with the rows of X and y, and return the axes.

    Each class has a colour; numbers are shown as a heat map. The other features are fixed at their median or
    most frequent level, which the title says for those that the model uses. `steps` is the resolution of the
    grid; the thresholds of a tree are drawn exactly.

    >>> import matplotlib
    >>> matplotlib.use("agg")
    >>> from bough.example_models import iris_tree
    >>> regions(iris_tree(), [[1.4, 0.2], [5.1, 1.9]], ["setosa", "virginica"]).get_xlabel()
    'Petal.Length'
    >>> matplotlib.pyplot.close("all")
    """
    from matplotlib.colors import ListedColormap

    grid = PredictionGrid(model, X, features, steps)
    ax = axes_for(ax, size=(6.0, 4.6))
    classes = model_classes(model)
    edges = grid.x_edges, grid.y_edges
    if classes is None:
        mesh = ax.pcolormesh(*edges, grid.answers, cmap="viridis", shading="flat")
        ax.figure.colorbar(mesh, ax=ax, label="prediction")
    else:
        codes = np.vectorize({label: code for code, label in enumerate(classes)}.get)(grid.answers)
        palette = ListedColormap([colour(code) for code in range(len(classes))])
        ax.pcolormesh(*edges, codes, cmap=palette, vmin=-0.5, vmax=len(classes) - 0.5, alpha=0.32)
    _scatter(ax, grid, y, classes)
    grid.label(ax)
    ax.set_title(grid.held_words(), fontsize="small")
    return ax


def surface(
    model: Any, X: Any, y: Any = None, *, features: FeaturePair | None = None, ax: Any = None, steps: int = 60
) -> Any:
    """Draw the predictions of a regression model over two features as a surface, and return the axes.

    >>> import matplotlib
    >>> matplotlib.use("agg")
    >>> from bough.example_models import cars_tree
    >>> surface(cars_tree(), [[4, 90], [8, 200]], [30, 12]).get_zlabel()
    'prediction'
    >>> matplotlib.pyplot.close("all")
    """
    if model_classes(model) is not None:
        raise ParameterError("A surface needs a regression model; draw a classifier with plot.regions.")
    grid = PredictionGrid(model, X, features, steps)
    ax = axes_for(ax, size=(6.5, 5.0), three_d=True)
    # Each edge is repeated, with the predictions of either side, so that steps are vertical.
    x, z = np.repeat(grid.x_edges, 2)[1:-1], np.repeat(grid.y_edges, 2)[1:-1]
    heights = np.repeat(np.repeat(grid.answers, 2, axis=0), 2, axis=1)
    ax.plot_surface(
        *np.meshgrid(x, z), heights, cmap="viridis", rstride=1, cstride=1, lw=0, antialiased=False
    )
    if y is not None:
        ax.scatter(*grid.points, np.asarray(y, dtype=np.float64), color="black", s=6, depthshade=False)
    grid.label(ax)
    # Labels of axes in three dimensions would cover the ticks.
    for axis in (ax.xaxis, ax.yaxis, ax.zaxis):
        axis.labelpad = _LABEL_PAD
    ax.set_zlabel("prediction")
    ax.set_title(grid.held_words(), fontsize="small")
    return ax


class PredictionGrid:
    """The predictions of a model on a grid over two features; the other features are fixed."""

    def __init__(self, model: Any, X: Any, features: FeaturePair | None, steps: int) -> None:
        tree = tree_of(model) if is_one_tree(model) else None
        refuse_sparse("X", X)
        self.table = Table.read(X) if tree is None else Table.fit_to(X, tree.schema)
        schema = self.table.schema
        self.first, self.second = (_position(schema, each) for each in _two(schema, tree, features))
        self.schema = schema
        cuts = (
            [[], []]
            if tree is None
            else [
                tree.cut[(tree.column == column) & np.isfinite(tree.cut)]
                for column in (self.first, self.second)
            ]
        )
        self.x_edges, x = self._edges(self.first, cuts[0], steps)
        self.y_edges, y = self._edges(self.second, cuts[1], steps)
        self.held = [_typical(values) for values in self.table.columns]
        self.used = _used(tree, len(schema))
        columns = [np.repeat(value, len(x) * len(y)) for value in self.held]
        columns[self.first] = np.tile(x, len(y)).astype(self.table.columns[self.first].dtype)
        columns[self.second] = np.repeat(y, len(x)).astype(self.table.columns[self.second].dtype)
        rows = Table(schema, tuple(columns), len(x) * len(y))
        answers = (tree or model).predict(rows)
        self.answers = np.asarray(answers).reshape(len(y), len(x))
        self.points = tuple(
            self.table.columns[column].astype(np.float64) for column in (self.first, self.second)
        )

    def _edges(self, position: int, cuts: npt.ArrayLike, steps: int) -> tuple[Floats, Floats]:
        column, values = self.schema[position], self.table.columns[position]
        if column.scale != "numeric":
            codes: Floats = np.arange(len(column.levels) + 1, dtype=np.float64)
            return codes - 0.5, codes[:-1]
        known = values[np.isfinite(values)].astype(np.float64)
        low, high = float(known.min()), float(known.max())
        margin = 0.04 * (high - low) or 0.5
        even = np.linspace(low - margin, high + margin, steps)
        inside = np.asarray(cuts, dtype=np.float64)
        edges: Floats = np.unique(np.append(even, inside[(inside > even[0]) & (inside < even[-1])]))
        return edges, (edges[:-1] + edges[1:]) / 2

    def label(self, ax: Any) -> None:
        """Label the axes with the names of their columns, and the ticks of nominal columns with levels."""
        for axis, position in ((ax.xaxis, self.first), (ax.yaxis, self.second)):
            column = self.schema.shown[position]
            axis.set_label_text(name_words(column.name))
            if column.scale != "numeric":
                names = [shortened(level_words(level), _LONGEST_TICK) for level in column.levels]
                is_long = axis is ax.xaxis and sum(map(len, names)) > _WIDEST_TICKS
                turned = {"rotation": 45, "ha": "right"} if is_long else {}
                axis.set_ticks(range(len(names)), names, **turned)
            elif column.unit is not None:
                axis.set_major_formatter(partial(_tick, column.unit))

    def held_words(self) -> str:
        """Return at which values the other columns that the model uses are fixed, as text; "" without any.

        >>> from bough.example_models import iris_tree
        >>> PredictionGrid(iris_tree(), [[1.4, 0.2], [5.1, 1.9]], None, 5).held_words()
        ''
        """
        others = [place for place in self.used if place not in (self.first, self.second)]
        texts = [self._held(place) for place in others[:_MOST_HELD]]
        more = [f"{len(others) - _MOST_HELD} more columns"] if len(others) > _MOST_HELD else []
        return "at " + ", ".join(texts + more) if texts else ""

    def _held(self, place: int) -> str:
        column, value = self.schema.shown[place], self.held[place]
        if column.scale != "numeric":
            words = level_words(column.levels[value]) if value >= 0 else "missing"
        else:
            words = figure_words(value, 4) if column.unit is None else time_words(column.unit, float(value))
        return f"{shortened(name_words(column.name), _LONGEST_TICK)} = {shortened(words, _LONGEST_TICK)}"


def _used(tree: Any, n_columns: int) -> list[int]:
    """Return the columns that a tree splits on, the most important first; all of them of other models."""
    if tree is None:
        return list(range(n_columns))
    gains = tree.importance()
    return [each for each in np.argsort(-gains, kind="stable").tolist() if gains[each] > 0]


def _tick(unit: Unit, value: float, _: int | None = None) -> str:
    return time_words(unit, value)


def _two(schema: Schema, tree: Any, features: Any) -> tuple[Any, Any]:
    if features is not None:
        if len(features) != 2:
            raise ParameterError.of("features", features, "two columns, by name or position")
        return features[0], features[1]
    if len(schema) < 2:
        raise ParameterError("The table has one column; regions need two.")
    if tree is None:
        return 0, 1
    # The two most important columns, in the order of the table.
    first, second = sorted(np.argsort(-tree.importance(), kind="stable")[:2].tolist())
    return first, second


def _position(schema: Schema, feature: str | int) -> int:
    return schema.position(feature) if isinstance(feature, str) else range(len(schema))[feature]


def _typical(values: npt.NDArray[Any]) -> Any:
    if values.dtype.kind == "f":
        known = values[np.isfinite(values)]
        return np.median(known).astype(values.dtype) if len(known) else values.dtype.type(np.nan)
    known = values[values >= 0]
    return np.int32(np.bincount(known).argmax()) if len(known) else np.int32(-1)


def _scatter(ax: Any, grid: PredictionGrid, y: Any, classes: tuple[Any, ...] | None) -> None:
    if y is None:
        return
    xs, ys = grid.points
    if classes is None:
        ax.scatter(xs, ys, c=np.asarray(y, dtype=np.float64), cmap="viridis", s=14, ec="white", lw=0.4)
        return
    labels = np.asarray(y)
    for code, label in enumerate(classes):
        rows = labels == label
        ax.scatter(xs[rows], ys[rows], color=colour(code), s=14, ec="white", lw=0.4, label=level_words(label))
    # Beside the axes, so that it covers no rows.
    ax.legend(frameon=False, fontsize="small", loc="upper left", bbox_to_anchor=(1.0, 1.0))
