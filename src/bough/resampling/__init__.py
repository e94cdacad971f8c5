"""Resampling: the stability of a tree in bootstrap samples."""

from bough.resampling.stability import Stability, stability

__all__ = ["Stability", "stability"]
