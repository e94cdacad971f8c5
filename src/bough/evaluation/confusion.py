"""The confusion matrix, with the precision, recall and F1 of each class."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from bough.data.labels import Labels
from bough.data.schema import Level
from bough.data.views import Part, TextTable, Viewed
from bough.data.words import count_words, decimals_of, figure_words, level_words
from bough.types import Floats


@dataclass(frozen=True, eq=False, repr=False)
class Confusion(Viewed):
    """The confusion matrix: weights by true class (rows of `counts`) and predicted class (columns).

    >>> confusion = Confusion.of(("no", "yes"), np.array([0, 0, 1, 1, 1]), np.array([0, 1, 1, 1, 0]))
    >>> confusion.counts
    array([[1., 1.],
           [1., 2.]])
    >>> confusion.precision, confusion.recall
    (array([0.5       , 0.66666667]), array([0.5       , 0.66666667]))
    """

    classes: tuple[Level, ...]
    counts: Floats
    labels: Labels | None = field(default=None, repr=False)

    @classmethod
    def of(
        cls,
        classes: tuple[Level, ...],
        target: npt.NDArray[np.intp],
        answers: npt.NDArray[np.intp],
        weight: Floats | None = None,
        labels: Labels | None = None,
    ) -> Confusion:
        """Return the confusion matrix of the codes of the true and the predicted classes.

        >>> Confusion.of(("a",), np.array([0]), np.array([0])).counts
        array([[1.]])
        """
        k = len(classes)
        counts = np.bincount(target * k + answers, weight, minlength=k * k).reshape(k, k)
        return cls(classes, counts.astype(np.float64), labels)

    def __repr__(self) -> str:
        right, total = figure_words(self.counts.trace()), figure_words(self.counts.sum())
        return f"<Confusion: {count_words(len(self.classes), 'class', 'classes')}, {right} of {total} right>"

    @property
    def precision(self) -> Floats:
        """Precision of each class, TP / (TP + FP); NaN for a class that is never predicted.

        >>> Confusion(("a", "b"), np.array([[3.0, 0.0], [1.0, 0.0]])).precision
        array([0.75,  nan])
        """
        return _shares(self.counts.diagonal(), self.counts.sum(axis=0))

    @property
    def recall(self) -> Floats:
        """Recall of each class, TP / (TP + FN); NaN for a class without rows.

        >>> Confusion(("a", "b"), np.array([[3.0, 0.0], [1.0, 0.0]])).recall
        array([1., 0.])
        """
        return _shares(self.counts.diagonal(), self.counts.sum(axis=1))

    @property
    def f1(self) -> Floats:
        """F1 of each class, 2·TP / (predicted + actual): the harmonic mean of precision and recall.

        >>> Confusion(("a", "b"), np.array([[3.0, 0.0], [1.0, 0.0]])).f1.round(3)
        array([0.857, 0.   ])
        """
        return _shares(2 * self.counts.diagonal(), self.counts.sum(axis=0) + self.counts.sum(axis=1))

    def to_dict(self) -> dict[str, Any]:
        """Return the classes, the counts and the measures of each class, as values that JSON can hold.

        >>> Confusion(("a",), np.array([[3.0]])).to_dict()
        {'classes': ['a'], 'counts': [[3.0]], 'precision': [1.0], 'recall': [1.0], 'f1': [1.0]}
        """
        figures = {"precision": self.precision, "recall": self.recall, "f1": self.f1}
        plain = {
            name: [None if np.isnan(each) else float(each) for each in shares]
            for name, shares in figures.items()
        }
        return {"classes": list(self.classes), "counts": self.counts.tolist(), **plain}

    def parts(self) -> list[Part]:
        r"""Return a table with a line for each true class, and its precision and recall.

        >>> print(Confusion(("no", "yes"), np.array([[4.0, 1.0], [2.0, 3.0]])))
        true \ predicted  no  yes  precision  recall
        no                 4    1      0.667   0.800
        yes                2    3      0.750   0.600
        """
        shown = Labels() if self.labels is None else self.labels
        labels = [level_words(shown.class_words(label) or label) for label in self.classes]
        decimals = decimals_of(self.counts.ravel().tolist())
        head = ["true \\ predicted", *labels, "precision", "recall"]
        rows = []
        for i, label in enumerate(labels):
            counts = [figure_words(count, decimals=decimals) for count in self.counts[i]]
            rows.append([label, *counts, *map(_share_words, (self.precision[i], self.recall[i]))])
        return [TextTable(head, rows, range(1, len(head)))]


def _share_words(share: float) -> str:
    return "-" if np.isnan(share) else f"{share:.3f}"


def _shares(part: Floats, whole: Floats) -> Floats:
    shares = np.full(len(whole), np.nan)
    np.divide(part, whole, out=shares, where=whole > 0)
    return shares
