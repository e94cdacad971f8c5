"""Base classes of learners of times until an event, some of them censored."""

from __future__ import annotations

from typing import Any

from bough.data.survival import read_survival
from bough.learners.concordance import concordance
from bough.learners.conventions import required
from bough.learners.estimator import TreeEstimator
from bough.types import Floats


class ScoredByConcordance:
    """The part of learners that predict hazards, or what rises with them."""

    def score(self: Any, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return Harrell's concordance index of the predictions: 1 is perfect, 0.5 is chance.

        It is the fraction of comparable pairs of rows in which the row with the earlier event has the higher
        hazard; equal hazards count one half.

        >>> from bough import CARTSurvival
        >>> X, y = [[1], [2], [3]], ([1.0, 4.0, 6.0], [1, 1, 0])
        >>> CARTSurvival(prune="none").fit(X, y).score(X, y)
        1.0
        """
        time, events = read_survival(required(type(self).__name__, y))
        return concordance(time, events, self.predict(X), sample_weight)


class SurvivalTreeEstimator(ScoredByConcordance, TreeEstimator):
    """Base class of survival trees, whose leaves predict hazards."""

    def predict(self, X: Any) -> Floats:
        """Return the hazard of each row's leaf relative to the overall hazard, which is 1.

        >>> from bough import CARTSurvival
        >>> model = CARTSurvival(prune="none", shrink=0).fit([[1], [2]], ([1.0, 4.0], [1, 1]))
        >>> model.predict([[2]]).round(3)
        array([0.667])
        """
        table = self._checked(X)
        return self.tree_.predict(table, self.n_jobs)
