"""How well a tree answers for rows it was not learned from."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from bough.cli.sample import Sample
from bough.data.words import figure_words, level_words
from bough.tree import Tree


class Score(NamedTuple):
    """A measure of a tree on a sample, and what one answer for all rows would have reached."""

    measure: str
    value: float
    baseline: float
    baseline_answer: str
    n_rows: int

    def words(self) -> str:
        """Say the score in a line.

        >>> Score("Accuracy", 0.7927, 0.6891, "'no'", 550).words()
        "Accuracy on 550 held-out rows: 0.793 (always answering 'no': 0.689)"
        """
        rows = f"{self.n_rows} held-out {'row' if self.n_rows == 1 else 'rows'}"
        value, baseline = (format(number, ".3g") for number in (self.value, self.baseline))
        return f"{self.measure} on {rows}: {value} (always answering {self.baseline_answer}: {baseline})"


def scores_of(tree: Tree, sample: Sample) -> list[Score]:
    """Accuracy of a classification tree; R² and mean squared error of a regression tree; rows by weight.

    The answer for all rows is the root's: the class of most weight, or the mean (the median).
    """
    answers, n_rows = tree.predict(replace(sample.features, schema=tree.schema)), sample.features.n_rows
    root = tree.answer(0)
    if tree.task == "classification":
        right, right_by_root = (_mean(guess == sample.target, sample) for guess in (answers, root))
        return [Score("Accuracy", right, right_by_root, level_words(root), n_rows)]
    error, error_of_root = (_mean(np.square(sample.target - guess), sample) for guess in (answers, root))
    spread = _mean(np.square(sample.target - _mean(sample.target, sample)), sample)
    always = figure_words(float(root))
    scores = [Score("Mean squared error", error, error_of_root, always, n_rows)]
    if spread > 0:
        scores.insert(0, Score("R²", 1 - error / spread, 1 - error_of_root / spread, always, n_rows))
    return scores


def _mean(values: Any, sample: Sample) -> float:
    return float(np.average(values, weights=sample.weight))
