"""Comparison of learners by cross-validation on the same folds, and choice of parameters."""

from bough.comparison.choose import Choice, choose
from bough.comparison.compare import compare
from bough.comparison.comparison import Comparison, Entry

__all__ = ["Choice", "Comparison", "Entry", "choose", "compare"]
