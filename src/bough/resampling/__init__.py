"""Resampling: the same learner on the same table drawn anew, to see what of a tree is chance."""

from bough.resampling.stability import Stability, stability

__all__ = ["Stability", "stability"]
