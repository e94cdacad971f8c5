"""The tiles at the top of a page: the leading measures of an evaluation."""

from __future__ import annotations

from functools import partial

from bough.data.words import count_words, error_words, figure_words, level_words, share_words
from bough.evaluation.evaluation import Evaluation

_MOST_SCORES = 4


def score_tiles(evaluation: Evaluation) -> list[dict[str, str]]:
    """Return tiles of the leading measures; of a single one, its baseline has a tile of its own.

    >>> import bough
    >>> model = bough.TreeClassifier().fit([[1.0], [2.0]], ["a", "b"])
    >>> score_tiles(bough.evaluate(model, [[1.0], [2.0]], ["a", "b"]))[0]["value"]
    '100.0%'
    """
    names = list(evaluation.measures)
    lead = names[: names.index("accuracy") + 1][:_MOST_SCORES] if "accuracy" in names else names[:1]
    rows = f"{count_words(evaluation.n_rows, 'row')} {evaluation.rows}"
    tiles: list[dict[str, str]] = []
    for name in lead:
        value, error, baseline = evaluation.measures[name]
        words = share_words if name == "accuracy" else partial(_figure, error=error)
        notes = [] if error is None else [f"± {words(error)}"]
        if len(lead) > 1 and baseline is not None:
            notes.append(f"one answer for all: {words(baseline)}")
        label = name[0].upper() + name[1:]
        notes += [] if tiles else [rows]
        tiles.append({"label": label, "value": words(value), "note": ", ".join(notes)})
        if len(lead) == 1 and baseline is not None:
            constant = evaluation.constant
            always = (
                figure_words(float(constant), 4) if evaluation.task == "regression" else level_words(constant)
            )
            tiles.append({"label": "Baseline", "value": words(baseline), "note": f"always {always}"})
    return tiles


def _figure(number: float, error: float | None) -> str:
    """Return a measure with the decimals of its standard error."""
    return figure_words(number, 3) if not error else error_words(number, error).partition(" ")[0]
