"""Pruning methods: functions that take a tree and return a smaller tree."""

from bough.growing.pruning import ErrorBased, MinimumLength, PathChoice, PathMethod, Pessimistic, ReducedError
from bough.pruning.collapse import collapsed, snipped
from bough.pruning.cost_complexity import complexities, cost_complexity_path, pruned
from bough.pruning.cross_validation import CrossValidatedPath, HeldOutLoss, cross_validated
from bough.pruning.error_based import error_based, expected_errors
from bough.pruning.mdl import description_length, mdl
from bough.pruning.merge import merged
from bough.pruning.path import CostComplexityPath
from bough.pruning.pessimistic import pessimistic
from bough.pruning.reduced_error import reduced_error
from bough.pruning.refit import refitted
from bough.pruning.validation import ValidationMethod, pruned_on

__all__ = [
    "CostComplexityPath",
    "CrossValidatedPath",
    "ErrorBased",
    "HeldOutLoss",
    "MinimumLength",
    "PathChoice",
    "PathMethod",
    "Pessimistic",
    "ReducedError",
    "ValidationMethod",
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
    "pruned_on",
    "reduced_error",
    "refitted",
    "snipped",
]
