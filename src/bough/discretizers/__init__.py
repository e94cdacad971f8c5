"""Discretizers: numbers cut into intervals before a tree is grown, as scikit-learn transformers."""

from bough.discretizers.supervised import MDLDiscretizer
from bough.discretizers.unsupervised import (
    EqualFrequencyDiscretizer,
    EqualWidthDiscretizer,
    KMeansDiscretizer,
)

__all__ = ["EqualFrequencyDiscretizer", "EqualWidthDiscretizer", "KMeansDiscretizer", "MDLDiscretizer"]
