"""Figures of the curves of an evaluation: ROC, gains, lift and calibration."""

from __future__ import annotations

from typing import Any

import numpy as np

from bough.data.schema import Level
from bough.data.words import level_words
from bough.evaluation import Evaluation
from bough.plot.axes import axes_for, colour


def _labels(evaluation: Evaluation, label: Level | None) -> list[Level]:
    if label is not None:
        return [label]
    return list(evaluation.classes[1:] if len(evaluation.classes) == 2 else evaluation.classes)


def roc(evaluation: Evaluation, label: Level | None = None, *, ax: Any = None) -> Any:
    """Draw the ROC curve of a class, by default of each class against the rest, and return the axes.

    >>> import matplotlib
    >>> matplotlib.use("agg")
    >>> import bough
    >>> model = bough.TreeClassifier().fit([[1.0], [2.0]], ["a", "b"])
    >>> roc(bough.evaluate(model, [[1.0], [2.0]], ["a", "b"])).lines[1].get_label()
    'b, area 1.000'
    >>> matplotlib.pyplot.close("all")
    """
    ax = axes_for(ax, size=(5.0, 4.6))
    ax.plot([0, 1], [0, 1], ":", color="gray", label="chance")
    for each in _labels(evaluation, label):
        curve = evaluation.roc(each)
        words = f"{level_words(each)}, area {curve.area:.3f}"
        ax.plot(curve.false_positives, curve.true_positives, label=words, color=_colour(evaluation, each))
    ax.set(xlabel="false positive rate", ylabel="true positive rate", title="ROC", aspect="equal")
    ax.legend(frameon=False, loc="lower right")
    return ax


def gains(evaluation: Evaluation, label: Level | None = None, *, ax: Any = None) -> Any:
    """Draw the gains curve: the share of a class among the rows with the highest probability of it.

    >>> import matplotlib
    >>> matplotlib.use("agg")
    >>> import bough
    >>> model = bough.TreeClassifier().fit([[1.0], [2.0]], ["a", "b"])
    >>> gains(bough.evaluate(model, [[1.0], [2.0]], ["a", "b"])).get_title()
    'Gains'
    >>> matplotlib.pyplot.close("all")
    """
    ax = axes_for(ax, size=(5.0, 4.6))
    ax.plot([0, 1], [0, 1], ":", color="gray", label="chance")
    for each in _labels(evaluation, label):
        curve = evaluation.gains(each)
        taken, found = np.append(0.0, curve.taken), np.append(0.0, curve.found)
        ax.plot(taken, found, label=level_words(each), color=_colour(evaluation, each))
    ax.set(xlabel="share of rows, by falling probability", ylabel="true positive rate", title="Gains")
    ax.legend(frameon=False, loc="lower right")
    return ax


def lift(evaluation: Evaluation, label: Level | None = None, *, ax: Any = None) -> Any:
    """Draw the lift curve: the gains divided by the share of rows.

    >>> import matplotlib
    >>> matplotlib.use("agg")
    >>> import bough
    >>> model = bough.TreeClassifier().fit([[1.0], [2.0]], ["a", "b"])
    >>> lift(bough.evaluate(model, [[1.0], [2.0]], ["a", "b"])).get_ylabel()
    'lift'
    >>> matplotlib.pyplot.close("all")
    """
    ax = axes_for(ax, size=(5.0, 4.0))
    ax.axhline(1.0, ls=":", color="gray", label="chance")
    for each in _labels(evaluation, label):
        curve = evaluation.gains(each)
        ax.step(
            curve.taken, curve.lift, where="pre", label=level_words(each), color=_colour(evaluation, each)
        )
    ax.set(xlabel="share of rows, by falling probability", ylabel="lift", title="Lift")
    ax.legend(frameon=False)
    return ax


def calibration(evaluation: Evaluation, label: Level | None = None, *, ax: Any = None) -> Any:
    """Draw the observed share of a class against its predicted probability, and return the axes.

    >>> import matplotlib
    >>> matplotlib.use("agg")
    >>> import bough
    >>> model = bough.TreeClassifier().fit([[1.0], [2.0]], ["a", "b"])
    >>> calibration(bough.evaluate(model, [[1.0], [2.0]], ["a", "b"])).get_title()
    'Calibration'
    >>> matplotlib.pyplot.close("all")
    """
    ax = axes_for(ax, size=(5.0, 4.6))
    ax.plot([0, 1], [0, 1], ":", color="gray")
    for each in _labels(evaluation, label):
        curve = evaluation.calibration(each)
        marks = {"fmt": "o", "label": level_words(each), "color": _colour(evaluation, each)}
        ax.errorbar(curve.predicted, curve.observed, yerr=curve.error, **marks)
    ax.set(xlabel="predicted probability", ylabel="observed share", title="Calibration", aspect="equal")
    ax.legend(frameon=False, loc="lower right")
    return ax


def _colour(evaluation: Evaluation, label: Level) -> str:
    return colour(evaluation.classes.index(label))
