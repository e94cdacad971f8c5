"""Pruning: functions from Tree to Tree that make leaves of inner nodes and number what is left anew."""

from bough.growing.pruning import ErrorBased, MinimumLength, Pessimistic, ReducedError
from bough.pruning.collapse import collapsed, snipped
from bough.pruning.cost_complexity import PathMethod, complexities, cost_complexity_path, pruned
from bough.pruning.cross_validation import Choice, CrossValidatedPath, HeldOutLoss, cross_validated
from bough.pruning.error_based import error_based, expected_errors
from bough.pruning.mdl import description_length, mdl
from bough.pruning.merge import merged
from bough.pruning.path import CostComplexityPath
from bough.pruning.pessimistic import pessimistic
from bough.pruning.reduced_error import reduced_error

__all__ = [
    "Choice",
    "CostComplexityPath",
    "CrossValidatedPath",
    "ErrorBased",
    "HeldOutLoss",
    "MinimumLength",
    "PathMethod",
    "Pessimistic",
    "ReducedError",
    "collapsed",
    "complexities",
    "cost_complexity_path",
    "cross_validated",
    "description_length",
    "error_based",
    "expected_errors",
    "mdl",
    "merged",
    "pessimistic",
    "pruned",
    "reduced_error",
    "snipped",
]
