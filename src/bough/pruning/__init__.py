"""Pruning: functions from Tree to Tree that make leaves of inner nodes and number what is left anew."""

from bough.pruning.collapse import collapsed, snipped
from bough.pruning.cost_complexity import PathMethod, complexities, cost_complexity_path, pruned
from bough.pruning.cross_validation import Choice, CrossValidatedPath, HeldOutLoss, cross_validated
from bough.pruning.merge import merged
from bough.pruning.path import CostComplexityPath

__all__ = [
    "Choice",
    "CostComplexityPath",
    "CrossValidatedPath",
    "HeldOutLoss",
    "PathMethod",
    "collapsed",
    "complexities",
    "cost_complexity_path",
    "cross_validated",
    "merged",
    "pruned",
    "snipped",
]
