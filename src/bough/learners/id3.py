"""ID3 (Quinlan 1986; Mitchell 1997): complete splits of nominal columns by information gain."""

from __future__ import annotations

from dataclasses import replace

from bough.data.scales import Scales
from bough.growing.limits import Limits
from bough.growing.missing import COMPLETE, Missing, check_missing
from bough.growing.pruning import Pruning, pruning_of
from bough.growing.recipe import Recipe
from bough.learners.estimator import TreeClassifierEstimator
from bough.learners.keyword_parameters import keyword_parameters
from bough.learners.parameters import ClassParameters

# Weka's Id3 treats a gain below this as zero.
_NO_GAIN = 1e-6


@keyword_parameters
class ID3Classifier(ClassParameters, TreeClassifierEstimator):
    """ID3 classification tree: one branch for each level of a nominal column.

    Each node is split on the column of the highest information gain, the first one in a tie; each column is
    used at most once on a path. A node where no column has a positive gain is a leaf. A branch without
    training rows predicts as its parent does. Numeric columns are refused: discretize them first, or declare
    them nominal.

    Parameters
    ----------
    significance
        A column is considered only if the chi-square test of independence between it and the classes has a
        p-value of at most this, such as 0.01; None tests nothing.
    categorical_features
        Columns to treat as nominal whatever their dtype: names, positions, a mask, or "all".
    max_depth
        Maximum number of splits on a path; None for no limit.
    min_samples_split
        Minimum number of cases of a node that is split; a fraction is of all cases.
    missing
        How rows are routed at a split whose value they lack: a policy of `bough.growing.missing.Missing`.
    prune
        "none", or a pruning method: "reduced_error", "pessimistic", "error_based" or "mdl", by name or
        with settings, such as `bough.pruning.ReducedError(cv=5)`.
    ordinal_features
        Columns to treat as ordinal whatever their dtype. They also get one branch for each level.

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
        """Return the recipe that these parameters define.

        >>> ID3Classifier().recipe().nominal
        'complete'
        """
        check_missing(self.missing, type(self).__name__, COMPLETE)
        return Recipe(
            "entropy",
            nominal="complete",
            limits=replace(Limits.of(self), min_gain=_NO_GAIN),
            missing=self.missing,
            pruning=pruning_of(self.prune),
            scales=Scales(self.categorical_features, self.ordinal_features, levels_only=True),
            **self._class_parts(),
        )
