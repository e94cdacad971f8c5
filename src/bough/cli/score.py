"""Scores of a tree on rows that it was not grown on."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple, TypeAlias

import numpy.typing as npt

from bough.cli.sample import Sample
from bough.data.several_targets import SeveralTargets
from bough.data.target import ClassTarget
from bough.data.words import count_words, figure_column, figure_words, level_words, name_words
from bough.evaluation import Evaluation, evaluate
from bough.tree.answer import label_array

_NAMES = {"risk": "Mean cost", "accuracy": "Accuracy", "mean squared error": "Mean squared error"}


class Score(NamedTuple):
    """A measure of a tree on a sample, and its value for a single answer for all rows.

    `baseline_answer` is that answer, or None if the measure is not about answers but about probabilities.
    """

    measure: str
    value: float
    baseline: float
    baseline_answer: str | None
    n_rows: int

    def words(self) -> str:
        """Return the score as a line of text.

        >>> Score("Accuracy", 0.7927, 0.6891, "no", 550).words()
        'Accuracy on 550 held-out rows: 0.793 (always answering no: 0.689)'
        """
        rows = count_words(self.n_rows, "held-out row")
        value, baseline = figure_column([self.value, self.baseline], 3)
        alone = (
            "one answer for all"
            if self.baseline_answer is None
            else f"always answering {self.baseline_answer}"
        )
        return f"{self.measure} on {rows}: {value} ({alone}: {baseline})"


Evaluations: TypeAlias = Evaluation | dict[str, Evaluation] | Score | None
"""That of a model, those of each of several targets by name, the concordance of times, or none."""


def evaluated(model: Any, sample: Sample) -> Evaluations:
    """Return the evaluation of a model on held-out rows, or that of each of its targets."""
    if model.recipe.get("response") == "times":
        from bough.cli.survival import concordance_score

        return concordance_score(model, sample)
    rows = replace(sample.features, schema=model.schema)
    if not isinstance(sample.target, SeveralTargets):
        weight = sample.weight if sample.groups is None else None
        return evaluate(
            model, rows, sample.target, sample_weight=weight, groups=sample.groups, rows="held out"
        )
    return {
        target.name: evaluate(
            model.target(position),
            rows,
            labels_of(sample.target, position),
            sample_weight=sample.weight,
            rows="held out",
        )
        for position, target in enumerate(sample.target.targets)
    }


def labels_of(targets: SeveralTargets, position: int) -> npt.NDArray[Any]:
    """Return the labels or numbers of one of several targets."""
    y = targets.of(position)
    return label_array(y.classes)[y.codes] if isinstance(y, ClassTarget) else y


def scores_facts(found: Evaluations) -> dict[str, Any]:
    """Return the scores for JSON: by measure, or by target and measure."""
    if isinstance(found, dict):
        return {name: scores_facts(each) for name, each in found.items()}
    return {
        score.measure: {"value": score.value, "baseline": score.baseline, "rows": score.n_rows}
        for score in ([] if found is None else [found] if isinstance(found, Score) else scores_of(found))
    }


def scores_words(found: Evaluations) -> list[str]:
    """Return the scores as lines of text; those of each target follow its name."""
    if found is None:
        return []
    if isinstance(found, Score):
        return [found.words()]
    if isinstance(found, dict):
        return [f"{name_words(name)}: {line}" for name, each in found.items() for line in scores_words(each)]
    notes = [] if found.rare is None else found.notes()[:1]
    return [*(score.words() for score in scores_of(found)), *notes]


def scores_of(found: Evaluation) -> list[Score]:
    """Return the leading measures of an evaluation: accuracy, or R² and the mean squared error.

    The mean cost comes first if there is a loss matrix, and if a class is rare, the AUC, log-loss, lift and
    balanced accuracy precede the accuracy. The baseline is a single answer for all of these rows.
    """
    if found.groups is not None:
        names = ["NDCG", "NDCG@10"]
    elif found.quantiles:
        names = ["pinball loss"]
    elif found.task == "regression":
        names = ["R²", "mean squared error"]
    else:
        ordered = list(found.measures)
        names = ordered[: ordered.index("accuracy") + 1]
    scores = []
    for name in names:
        measure = found.measures.get(name)
        if measure is not None and measure.baseline is not None:
            words = _constant_words(found, name)
            title = _NAMES.get(name, name[0].upper() + name[1:])
            scores.append(Score(title, measure.value, measure.baseline, words, found.n_rows))
    return scores


def _constant_words(found: Evaluation, name: str) -> str | None:
    if found.groups is not None or found.quantiles:
        return None
    if found.task == "regression":
        return figure_words(float(found.constant))
    if name == "risk":
        return level_words(found.constant)
    # The most frequent class, which need not be the one that costs least.
    return level_words(replace(found, loss_matrix=None).constant) if name == "accuracy" else None
