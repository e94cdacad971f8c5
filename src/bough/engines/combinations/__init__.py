"""Splits over several numeric columns: ratios, lines in two columns, and linear combinations of many."""

from bough.engines.combinations.growth import grow
from bough.engines.combinations.plan import Combinations

__all__ = ["Combinations", "grow"]
