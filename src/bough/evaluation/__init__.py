"""Evaluation: how well a model answers for rows whose answers are known."""

from bough.evaluation.confusion import Confusion
from bough.evaluation.curves import CalibrationCurve, GainsCurve, RocCurve
from bough.evaluation.evaluate import cross_validated, evaluate
from bough.evaluation.evaluation import Evaluation
from bough.evaluation.measures import Measure

__all__ = [
    "CalibrationCurve",
    "Confusion",
    "Evaluation",
    "GainsCurve",
    "Measure",
    "RocCurve",
    "cross_validated",
    "evaluate",
]
