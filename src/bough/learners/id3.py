"""ID3 (Quinlan 1986), as Mitchell 1997 tells it: complete splits of nominal columns by information gain."""

from __future__ import annotations

from dataclasses import dataclass, replace

from bough.data.scales import Scales
from bough.growing.missing import WITHOUT_SURROGATES, Missing, check_missing
from bough.growing.pruning import Pruning, pruning_of
from bough.growing.recipe import Recipe
from bough.learners.estimator import TreeClassifierEstimator
from bough.learners.parameters import ClassParameters

# Weka's Id3 takes a gain below this for none.
_NO_GAIN = 1e-6


@dataclass(eq=False, repr=False, kw_only=True)
class ID3Classifier(ClassParameters, TreeClassifierEstimator):
    """A classification tree with one branch for each level of a nominal column.

    Each column is used once on a path. The column of the highest information gain is taken, of equals the
    first; where none gains, the node is a leaf. A branch that no row takes answers as its parent. Numeric
    columns are refused: cut them into classes first, or say that they are nominal.

    Parameters
    ----------
    significance
        Quinlan's stop: a column counts only if the chi-square test of its independence from the classes has
        a p-value of at most this, such as 0.01; None tests nothing.
    max_depth, min_samples_split
        Further limits; see `bough.Limits`.
    class_weight, missing, smoothing, prune, ordinal_features, n_jobs
        As in `bough.CARTClassifier`. Ordinal columns too are split completely.
    categorical_features
        Columns that are nominal whatever their dtype says: names, positions, a mask, or "all".

    Examples
    --------
    >>> import bough
    >>> X = [["red", "big"], ["red", "small"], ["blue", "big"], ["blue", "small"]]
    >>> print(bough.ID3Classifier().fit(X, ["+", "-", "-", "-"]).tree_.rules()[1])
    x0 = red and x1 = big -> +

    """

    significance: float | None = None
    max_depth: int | None = None
    min_samples_split: int | float = 2
    missing: Missing = "majority"
    prune: Pruning | str = "none"

    def recipe(self) -> Recipe:
        """Return ID3's recipe with these parameters.

        >>> ID3Classifier().recipe().nominal
        'complete'
        """
        check_missing(self.missing, type(self).__name__, WITHOUT_SURROGATES)
        return Recipe(
            "entropy",
            nominal="complete",
            limits=replace(self._limits(), min_gain=_NO_GAIN),
            missing=self.missing,
            class_weight=self.class_weight,
            smoothing=self.smoothing,
            pruning=pruning_of(self.prune),
            scales=Scales(self.categorical_features, self.ordinal_features, levels_only=True),
            task="classification",
        )
