"""Figures of the importance of columns and of impurity functions."""

from __future__ import annotations

from typing import Any

import numpy as np

import bough._core as _core
from bough.data.words import name_words
from bough.errors import ParameterError
from bough.growing.criterion import criterion_named
from bough.models.importance import Importance
from bough.models.importance import importance as importance_of
from bough.plot.axes import axes_for, colour
from bough.reports.shown import shortened

_IMPURITIES = ("gini", "entropy", "misclassification")


def importance(model: Any, *, ax: Any = None, most: int = 20) -> Any:
    """Draw the relative importance of the columns of any model, largest at the top, and return the axes.

    The model is a tree, a rule set, a forest, any other model, a fitted estimator or an `Importance`. At most
    `most` columns are shown; columns that the model does not use are left out. The importance of a tree is
    the gain of its splits, that of a rule set the cases covered by rules with a condition on the column, and
    that of an ensemble the mean over its members; see the method `importance` of the model.

    >>> import matplotlib
    >>> matplotlib.use("agg")
    >>> from bough.example_models import iris_tree
    >>> [label.get_text() for label in importance(iris_tree()).get_yticklabels()]
    ['Petal.Width', 'Petal.Length']
    >>> matplotlib.pyplot.close("all")
    """
    found = model if isinstance(model, Importance) else importance_of(model)
    used = [*zip(found.columns, found.shares.tolist(), strict=True)][:most][::-1]
    ax = axes_for(ax, size=(6.0, 0.6 + 0.28 * max(len(used), 1)))
    ax.barh(range(len(used)), [share for _, share in used], color=colour(2))
    ax.set_yticks(range(len(used)), [shortened(name_words(name), 30) for name, _ in used])
    ax.set(xlabel="share of the total importance", title="Importance")
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
