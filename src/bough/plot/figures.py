"""Figures of the importance of columns and of impurity functions."""

from __future__ import annotations

from typing import Any

import numpy as np

from bough import _core
from bough.data.words import name_words
from bough.errors import ParameterError
from bough.growing.criterion import criterion_named
from bough.plot.axes import axes_for, colour
from bough.reports.shown import shortened
from bough.resampling.regrowth import tree_of

_IMPURITIES = ("gini", "entropy", "misclassification")


def importance(model: Any, *, ax: Any = None, most: int = 20) -> Any:
    """Draw the relative importance of the columns, largest at the top, and return the axes.

    At most `most` columns are shown.

    >>> import matplotlib
    >>> matplotlib.use("agg")
    >>> from bough.example_models import iris_tree
    >>> [label.get_text() for label in importance(iris_tree()).get_yticklabels()]
    ['Petal.Width', 'Petal.Length']
    >>> matplotlib.pyplot.close("all")
    """
    tree = tree_of(model)
    gains = tree.importance()
    total = gains.sum()
    order = np.argsort(-gains, kind="stable")[:most][::-1]
    ax = axes_for(ax, size=(6.0, 0.6 + 0.28 * len(order)))
    ax.barh(range(len(order)), (gains / total if total > 0 else gains)[order], color=colour(2))
    names = [shortened(name_words(tree.schema[int(column)].name), 30) for column in order]
    ax.set_yticks(range(len(order)), names)
    ax.set(xlabel="share of the total gain of all splits", title="Importance")
    ax.spines[["top", "right"]].set_visible(False)
    return ax


def impurity(*criteria: str, ax: Any = None, scaled: bool = False) -> Any:
    """Draw impurity functions against the share of one of two classes, and return the axes.

    With `scaled`, each function is divided by its maximum.

    >>> import matplotlib
    >>> matplotlib.use("agg")
    >>> [line.get_label() for line in impurity("gini", "entropy").lines]
    ['gini', 'entropy']
    >>> matplotlib.pyplot.close("all")
    """
    ax = axes_for(ax, size=(5.5, 4.0))
    share = np.linspace(0, 1, 201)
    statistics = np.column_stack([share, 1 - share])
    for code, name in enumerate(criteria or _IMPURITIES):
        known = criterion_named(name)
        if known not in ("gini", "entropy", "misclassification", "deviance"):
            wanted = "'gini', 'entropy', 'deviance' or 'misclassification'"
            raise ParameterError.of("criterion", name, wanted)
        values = _core.impurity(known, statistics)
        ax.plot(share, values / values.max() if scaled else values, label=known, color=colour(code))
    ax.set(xlabel="share of one of two classes", ylabel="impurity", title="Impurity")
    ax.legend(frameon=False)
    return ax
