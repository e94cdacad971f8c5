"""Discretizers: scikit-learn transformers that replace numbers by intervals."""

from bough.discretizers.supervised import MDLDiscretizer
from bough.discretizers.unsupervised import (
    EqualFrequencyDiscretizer,
    EqualWidthDiscretizer,
    KMeansDiscretizer,
)

__all__ = ["EqualFrequencyDiscretizer", "EqualWidthDiscretizer", "KMeansDiscretizer", "MDLDiscretizer"]
