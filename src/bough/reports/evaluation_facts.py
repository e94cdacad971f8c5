"""The facts of a report about the performance of the tree: measures, confusion matrix and curves."""

from __future__ import annotations

from typing import Any

import numpy as np

from bough.data.words import level_words
from bough.evaluation import Evaluation
from bough.evaluation.measures import decimals_of_measures
from bough.reports.node_facts import plain
from bough.types import Floats

_MOST_POINTS = 200
_MOST_CLASSES = 12
_MOST_GROUPS = 24


def evaluation_facts(evaluation: Evaluation, labels: list[str]) -> dict[str, Any]:
    """Return the results of an evaluation as values that JSON can hold.

    `labels` are the names of the classes to be shown.

    >>> import bough
    >>> model = bough.TreeClassifier().fit([[1.0], [2.0]], ["a", "b"])
    >>> facts = evaluation_facts(bough.evaluate(model, [[1.0], [2.0]], ["a", "b"]), ["a", "b"])
    >>> facts["measures"][0], facts["confusion"]["counts"], facts["curves"][0]["area"]
    (['accuracy', 1.0, 0.0, 0.5], [[1.0, 0.0], [0.0, 1.0]], 1.0)
    """
    facts: dict[str, Any] = {
        "rows": evaluation.rows,
        "n_rows": evaluation.n_rows,
        "measures": [
            [name, *(None if each is None or not np.isfinite(each) else float(each) for each in measure)]
            for name, measure in evaluation.measures.items()
        ],
        "decimals": list(decimals_of_measures(evaluation.measures).values()),
    }
    if evaluation.task == "regression":
        return facts | {"numbers": _groups(evaluation)}
    labels = [*labels, *(level_words(label) for label in evaluation.classes[len(labels) :])]
    facts["labels"] = labels
    # The loss matrix is a table of the page.
    facts["notes"] = [note for note in evaluation.notes() if "\n" not in note]
    facts["losses"] = None if evaluation.loss_matrix is None else evaluation.loss_matrix.tolist()
    if len(labels) <= 40:
        facts["confusion"] = evaluation.confusion.to_dict() | {"classes": labels}
    facts["curves"] = _curves(evaluation, labels)
    return facts


def _curves(evaluation: Evaluation, labels: list[str]) -> list[dict[str, Any]]:
    weights = np.bincount(evaluation.target, evaluation.weight, minlength=len(labels))
    heaviest = np.argsort(-weights, kind="stable")[:_MOST_CLASSES]
    curves = []
    for code in sorted(heaviest.tolist()):
        label = evaluation.classes[code]
        roc = evaluation.roc(label)
        if not (roc.n_positive and roc.n_negative):
            continue
        gains, calibration = evaluation.gains(label), evaluation.calibration(label)
        curves.append(
            {
                "label": labels[code],
                "code": code,
                "area": roc.area,
                "area_error": roc.area_error,
                "base": float(weights[code] / weights.sum()),
                "roc": _points(roc.false_positives, roc.true_positives),
                "gains": _points(np.append(0.0, gains.taken), np.append(0.0, gains.found)),
                "top": [
                    [share, gains.found_in(share), gains.found_in(share) / share] for share in (0.1, 0.2, 0.5)
                ],
                "calibration": [
                    plain(each)
                    for each in (
                        calibration.predicted,
                        calibration.observed,
                        calibration.error,
                        calibration.weight,
                    )
                ],
            }
        )
    return curves


def _points(x: Floats, y: Floats) -> list[list[float]]:
    kept = np.unique(np.linspace(0, len(x) - 1, min(len(x), _MOST_POINTS)).astype(int))
    return [[float(f"{each:.5g}") for each in values[kept]] for values in (x, y)]


def _groups(evaluation: Evaluation) -> list[list[float]]:
    """Return the prediction and five quantiles of the target, for groups of rows of similar prediction."""
    order = np.argsort(evaluation.answers, kind="stable")
    values, starts = np.unique(evaluation.answers[order], return_index=True)
    many = len(values) > _MOST_GROUPS
    parts = np.array_split(order, _MOST_GROUPS) if many else np.split(order, starts[1:])
    return [
        [
            float(evaluation.answers[part].mean()),
            *np.quantile(evaluation.target[part], [0.05, 0.25, 0.5, 0.75, 0.95]).tolist(),
            float(len(part)),
        ]
        for part in parts
    ]
