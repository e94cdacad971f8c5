"""Splits over several numeric columns: ratios, lines in two columns, and linear combinations of many."""

from bough.combinations.growth import grow
from bough.combinations.plan import Combinations

__all__ = ["Combinations", "grow"]
