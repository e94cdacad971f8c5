"""Evaluation: measures, confusion matrix and curves of the predictions of a model."""

from bough.evaluation.confusion import Confusion
from bough.evaluation.curves import CalibrationCurve, GainsCurve, RocCurve
from bough.evaluation.evaluate import cross_validated, evaluate
from bough.evaluation.evaluation import Evaluation
from bough.evaluation.measures import Measure
from bough.learners.ranking_measures import mean_average_precision, mean_reciprocal_rank, ndcg

__all__ = [
    "CalibrationCurve",
    "Confusion",
    "Evaluation",
    "GainsCurve",
    "Measure",
    "RocCurve",
    "cross_validated",
    "evaluate",
    "mean_average_precision",
    "mean_reciprocal_rank",
    "ndcg",
]
