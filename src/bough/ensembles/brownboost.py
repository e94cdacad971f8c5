"""The learner of BrownBoost (Freund 2001); the algorithm is in `bough.ensembles.brown`."""

from __future__ import annotations

from typing import Any, ClassVar, Self

from sklearn.utils import Tags

from bough.ensembles.reweighted import ReweightedClassifier
from bough.errors import ParameterError
from bough.growing.draws import EnsembleKind
from bough.growing.limits import check_number
from bough.learners.keyword_parameters import keyword_parameters
from bough.learners.tree import TreeClassifier


@keyword_parameters
class BrownBoostClassifier(ReweightedClassifier):
    """BrownBoost classifier (Freund 2001) of two classes: boosting that gives up on rows that stay wrong.

    A clock runs from the total time c down to 0. A row far on the wrong side for the time that remains has
    little weight, so that mislabelled rows do not dominate as they do in AdaBoost. Each learner's weight and
    the time that it takes solve a differential equation, which keeps the mean potential of the rows.

    Parameters
    ----------
    estimator
        Any classifier of bough; None is a `TreeClassifier` with one split.
    n_estimators
        The maximum number of learners. The rounds end earlier when no time remains, or with a learner whose
        correlation with the classes is at most `min_correlation`.
    target_error
        The error to aim at, the share of noise in the data: c is such that the mean potential is this. If no
        time remains at the end, then the mean of |y − p| is this, where y is ±1 and p is from −1 to 1.
    min_correlation
        The weighted correlation of a learner and the classes at which its round ends (ν in the paper).

    Attributes
    ----------
    estimators_, estimator_weights_
        The learners, and their weights divided by √c.
    remaining_time_, potential_
        The time that remains after each round, and the mean potential of the rows.

    Examples
    --------
    >>> import bough
    >>> X, y = [[float(i)] for i in range(40)], ["a"] * 19 + ["b", "a"] + ["b"] * 19
    >>> model = bough.BrownBoostClassifier(target_error=0.1).fit(X, y)
    >>> model.predict([[3.0], [30.0]]), float(model.remaining_time_[-1])
    (array(['a', 'b'], dtype='<U1'), 0.0)

    """

    _kind: ClassVar[EnsembleKind] = "brownboost"

    n_estimators: int = 100
    target_error: float = 0.1
    min_correlation: float = 0.01

    def __sklearn_tags__(self) -> Tags:
        """Declare to scikit-learn that there must be two classes."""
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags

    def _default(self) -> Any:
        return TreeClassifier(max_depth=1)

    def _settings(self) -> dict[str, Any]:
        check_number("target_error", self.target_error, 0.0, 1.0, above=True)
        check_number("min_correlation", self.min_correlation, 0.0, 1.0, above=True)
        for name in ("target_error", "min_correlation"):
            if getattr(self, name) == 1:
                raise ParameterError.of(name, 1.0, "a number below 1")
        return {"target_error": float(self.target_error), "min_correlation": float(self.min_correlation)}

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the learners to the rows of X and the classes y.

        >>> BrownBoostClassifier().fit([[1.0], [2.0]] * 9, ["a", "b"] * 9).potential_.round(6)
        array([0.1])
        """
        figures = self._fit(X, y, sample_weight)
        self.remaining_time_, self.potential_ = figures["remaining_time"], figures["potential"]
        return self
