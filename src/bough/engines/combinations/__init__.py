"""Splits on several numeric columns: ratios, lines in two columns, and linear combinations."""

from bough.engines.combinations.growth import grow
from bough.growing.combinations import Combinations

__all__ = ["Combinations", "grow"]
