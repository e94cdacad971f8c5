"""Gradient boosting of rankings: LambdaMART (Burges 2010), and pairs of rows by logistic loss."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self, get_args

import numpy as np

from bough.data.readers import divided
from bough.data.target import read_numbers
from bough.data.training import GivenRows
from bough.ensembles.boosting_estimator import BoostingEstimator
from bough.ensembles.boosting_parameters import LOSSES, boosting_recipe
from bough.errors import ParameterError
from bough.growing.limits import check_whole
from bough.growing.pruning import check_choice
from bough.growing.recipe import Recipe
from bough.learners.keyword_parameters import keyword_parameters
from bough.learners.ranking_measures import Gain, ndcg


@keyword_parameters
class GradientBoostingRanker(BoostingEstimator):
    """Gradient boosting ranker (LambdaMART): a sum of trees whose scores order the rows of each group.

    `y` holds a grade for each row, 0 for those that are not relevant, and `groups` an id, such as that of a
    query. Only rows of the same group are compared. `predict` returns a score; the row with the largest one
    comes first.

    Parameters
    ----------
    loss
        What a pair of rows of different grades counts: "ndcg", "map" and "mrr", by how much this measure of
        the current order changes if both rows are exchanged (for "map" and "mrr", rows whose y is above 0 are
        relevant); "pairwise", 1. Its gradient is that of the logistic loss of their difference.
    truncation
        The number of first positions that count: pairs below are left out, and the measures are those at this
        position, such as NDCG@10. None for all positions.
    position_weights
        For "ndcg", the weight of each position from the first; positions beyond count 0. None is
        1 / log₂(1 + position).
    gain
        The gain of a grade y in NDCG: "exponential", 2ʸ − 1, or "linear", y.
    variant
        "bough".

    Attributes
    ----------
    validation_loss_
        1 less the measure, or the mean logistic loss of pairs, on the validation rows after each round.

    Examples
    --------
    >>> import bough
    >>> X = [[i % 5, i] for i in range(60)]
    >>> y, groups = [i % 5 // 2 for i in range(60)], [i // 10 for i in range(60)]
    >>> model = bough.GradientBoostingRanker(max_iter=10, min_samples_leaf=5).fit(X, y, groups=groups)
    >>> model.score(X, y, groups=groups)
    1.0

    """

    loss: str = "ndcg"
    truncation: int | None = None
    position_weights: Sequence[float] | None = None
    gain: Gain = "exponential"

    def recipe(self) -> Recipe:
        """Return the recipe that these parameters define; invalid parameters raise here.

        >>> GradientBoostingRanker(truncation=10).recipe().settings["truncation"]
        10
        """
        check_choice("variant", self.variant, ("bough",))
        check_choice("loss", self.loss, LOSSES["bough"]["grades"])
        check_choice("gain", self.gain, get_args(Gain))
        loss: dict[str, Any] = {"loss": self.loss, "gain": self.gain}
        if self.truncation is not None:
            check_whole("truncation", self.truncation, 1, 2**31 - 1)
            loss["truncation"] = int(self.truncation)
        if self.position_weights is not None:
            loss["position_weights"] = _read_weights(self.position_weights, self.loss)
        return boosting_recipe(self, "grades", loss)

    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        groups: Any = None,
        X_val: Any = None,
        y_val: Any = None,
        groups_val: Any = None,
        sample_weight_val: Any = None,
    ) -> Self:
        """Fit the model to the rows of X, their grades y and their groups.

        `groups` has an id for each row, or is the name of a column of X, which is then not used to predict.
        Rows of a group need not be next to each other. `X_val`, `y_val`, `groups_val` and `sample_weight_val`
        are rows that decide when boosting stops.

        >>> X, y, groups = [[1], [2], [1], [2]], [0, 1, 0, 1], ["a", "a", "b", "b"]
        >>> GradientBoostingRanker(max_iter=3, min_samples_leaf=1).fit(X, y, groups=groups).n_iter_
        3
        """
        X, groups = divided(X, groups, "groups")
        X_val, groups_val = divided(X_val, groups_val, "groups_val")
        validation = GivenRows(X_val, y_val, sample_weight_val, groups=groups_val)
        self._fit(GivenRows(X, y, sample_weight, groups=groups), validation)
        return self

    def score(self, X: Any, y: Any, *, groups: Any = None) -> float:
        """Return the mean NDCG of the groups, at `truncation`, with the learner's `gain`.

        >>> X, y, groups = [[1], [2], [1], [2]], [0, 1, 0, 1], ["a", "a", "b", "b"]
        >>> model = GradientBoostingRanker(max_iter=3, min_samples_leaf=1).fit(X, y, groups=groups)
        >>> round(model.score([[1], [2]], [1, 0], groups=[7, 7]), 4)
        0.6309
        """
        X, groups = divided(X, groups, "groups")
        return ndcg(read_numbers(y), self.predict(X), groups, k=self.truncation, gain=self.gain)


def _read_weights(weights: Any, loss: str) -> list[float]:
    if loss != "ndcg":
        raise ParameterError.of("position_weights", weights, "None unless the loss is 'ndcg'")
    wanted = "numbers of at least 0, falling from the first position on, the first above 0"
    try:
        numbers = np.asarray(weights, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise ParameterError.of("position_weights", weights, wanted) from None
    if numbers.ndim != 1 or not len(numbers) or not np.isfinite(numbers).all() or numbers[0] <= 0:
        raise ParameterError.of("position_weights", weights, wanted)
    if (np.diff(numbers) > 0).any() or numbers[-1] < 0:
        raise ParameterError.of("position_weights", weights, wanted)
    return [float(number) for number in numbers]
