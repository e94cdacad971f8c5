"""Comparison: learners side by side on one table, by the same folds of cross-validation."""

from bough.comparison.choose import Choice, choose
from bough.comparison.compare import compare
from bough.comparison.comparison import Comparison, Entry

__all__ = ["Choice", "Comparison", "Entry", "choose", "compare"]
