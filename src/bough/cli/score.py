"""Scores of a tree on rows that it was not grown on."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from bough.cli.sample import Sample
from bough.data.words import figure_words, level_words
from bough.tree import Tree


class Score(NamedTuple):
    """A measure of a tree on a sample, and its value for a single answer for all rows."""

    measure: str
    value: float
    baseline: float
    baseline_answer: str
    n_rows: int

    def words(self) -> str:
        """Return the score as a line of text.

        >>> Score("Accuracy", 0.7927, 0.6891, "'no'", 550).words()
        "Accuracy on 550 held-out rows: 0.793 (always answering 'no': 0.689)"
        """
        rows = f"{self.n_rows} held-out {'row' if self.n_rows == 1 else 'rows'}"
        value, baseline = (format(number, ".3g") for number in (self.value, self.baseline))
        return f"{self.measure} on {rows}: {value} (always answering {self.baseline_answer}: {baseline})"


def scores_of(tree: Tree, sample: Sample) -> list[Score]:
    """Return the accuracy of a classification tree, or R² and mean squared error of a regression tree.

    The baseline is the root's answer for all rows. A tree grown with a loss matrix also has its mean cost;
    there the baseline is the class that costs least if it is the answer for all of these rows.
    """
    answers, n_rows = tree.predict(replace(sample.features, schema=tree.schema)), sample.features.n_rows
    root = tree.answer(0)
    if tree.task == "classification":
        right, right_by_root = (_mean(guess == sample.target, sample) for guess in (answers, root))
        accuracy = Score("Accuracy", right, right_by_root, level_words(root), n_rows)
        return [accuracy, *_cost(tree, answers, sample)]
    error, error_of_root = (_mean(np.square(sample.target - guess), sample) for guess in (answers, root))
    spread = _mean(np.square(sample.target - _mean(sample.target, sample)), sample)
    always = figure_words(float(root))
    scores = [Score("Mean squared error", error, error_of_root, always, n_rows)]
    if spread > 0:
        scores.insert(0, Score("R²", 1 - error / spread, 1 - error_of_root / spread, always, n_rows))
    return scores


def _cost(tree: Tree, answers: Any, sample: Sample) -> list[Score]:
    losses = tree.recipe.get("loss_matrix")
    if losses is None:
        return []
    position = {label: place for place, label in enumerate(tree.classes)}
    places = ([position.get(label, -1) for label in labels.tolist()] for labels in (sample.target, answers))
    true, answered = map(np.array, places)
    if (true < 0).any():
        # A class that the tree was not grown on has no row in the matrix.
        return []
    rows = np.array(losses)[true]
    cost = _mean(rows[np.arange(len(rows)), answered], sample)
    constant = [_mean(rows[:, place], sample) for place in range(len(tree.classes))]
    best = int(np.argmin(constant))
    return [Score("Mean cost", cost, constant[best], level_words(tree.classes[best]), len(rows))]


def _mean(values: Any, sample: Sample) -> float:
    return float(np.average(values, weights=sample.weight))
