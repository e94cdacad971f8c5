"""RankBoost (Freund et al. 2003) and GBRank (Zheng et al. 2007): rankings by pairs of rows."""

from __future__ import annotations

from typing import Any, ClassVar, Self

from bough.data.readers import divided
from bough.data.target import read_numbers
from bough.ensembles.adaboost import checked_rate
from bough.ensembles.reweighted import ReweightedEstimator
from bough.growing.draws import EnsembleKind
from bough.growing.limits import check_number
from bough.growing.recipe import Response
from bough.learners.keyword_parameters import keyword_parameters
from bough.learners.ranking_measures import ndcg
from bough.learners.tree import TreeClassifier, TreeRegressor
from bough.types import Floats, Task


class PairRanker(ReweightedEstimator):
    """Base class of rankers whose members are fitted to pairs of rows of a group."""

    _response: ClassVar[Response | None] = "grades"

    def _fit_groups(self, X: Any, y: Any, sample_weight: Any, groups: Any) -> dict[str, Floats]:
        X, groups = divided(X, groups, "groups")
        return self._fit(X, y, sample_weight, groups)  # type: ignore[no-any-return]

    def score(self, X: Any, y: Any, *, groups: Any = None) -> float:
        """Return the mean NDCG of the groups.

        >>> from bough import RankBoostRanker
        >>> X, y, groups = [[1], [2], [1], [2]], [0, 1, 0, 1], ["a", "a", "b", "b"]
        >>> RankBoostRanker().fit(X, y, groups=groups).score(X, y, groups=groups)
        1.0
        """
        X, groups = divided(X, groups, "groups")
        return ndcg(read_numbers(y), self.predict(X), groups)


@keyword_parameters
class RankBoostRanker(PairRanker):
    """RankBoost (Freund, Iyer, Schapire and Singer 2003): votes of classifiers that order the rows of groups.

    Each pair of rows of a group whose grades differ has a weight, which grows while the votes order the pair
    wrongly. A classifier is fitted to tell rows that should move up from those that should move down.

    Parameters
    ----------
    estimator
        Any classifier of bough; None is a `TreeClassifier` with one split by misclassification, the ranking
        feature with a threshold of the paper.
    n_estimators
        The maximum number of classifiers. The rounds end with one that orders all pairs right, or before one
        that orders no more pairs right than wrong.

    Attributes
    ----------
    model_
        The committee of all classifiers' models; its number is the share of the votes for moving up.
    estimators_, estimator_weights_, correlations_
        The classifiers, their weights ½ ln((1 + r) / (1 − r)), and r, the weight of the pairs that each
        orders right less that of the pairs that it orders wrongly.

    Examples
    --------
    >>> import bough
    >>> X, y = [[i % 5, i] for i in range(60)], [i % 5 // 2 for i in range(60)]
    >>> groups = [i // 10 for i in range(60)]
    >>> bough.RankBoostRanker().fit(X, y, groups=groups).score(X, y, groups=groups)
    1.0

    """

    _kind: ClassVar[EnsembleKind] = "rankboost"

    n_estimators: int = 100

    def _default(self) -> Any:
        return TreeClassifier("misclassification", max_depth=1)

    def _settings(self) -> dict[str, Any]:
        return {}

    def fit(self, X: Any, y: Any, sample_weight: Any = None, *, groups: Any = None) -> Self:
        """Fit the classifiers to the rows of X, their grades y and their groups.

        `groups` has an id for each row, or is the name of a column of X, which is then not used to predict.

        >>> X, y, groups = [[1], [2], [1], [2]], [0, 1, 0, 1], ["a", "a", "b", "b"]
        >>> RankBoostRanker().fit(X, y, groups=groups).correlations_.round(3)
        array([1.])
        """
        self.correlations_ = self._fit_groups(X, y, sample_weight, groups)["correlations"]
        return self


@keyword_parameters
class GBRankRanker(PairRanker):
    """GBRank (Zheng, Chen, Sun and Zha 2007): the mean of regressors fitted to pairs that are in wrong order.

    A pair is wrong if the score of its better row is not greater by `pair_margin`. The regressor of a round
    is fitted to the rows of such pairs: the better one shall reach the score of the other plus the margin,
    the worse one that of the other less the margin.

    Parameters
    ----------
    estimator
        Any regressor of bough; None is a `TreeRegressor` with up to 20 leaves of at least 5 rows.
    n_estimators
        The maximum number of regressors. The rounds end when no pair is wrong.
    learning_rate
        The factor of each regressor in the scores.
    pair_margin
        By how much the scores of a pair must differ.

    Attributes
    ----------
    model_
        The committee of all regressors' models; its number is their mean.
    estimators_, estimator_weights_
        The regressors, and their weights, which are equal.
    wrong_pairs_
        The share of wrong pairs before each round, the last one 0 if no pair was wrong any more.

    Examples
    --------
    >>> import bough
    >>> X, y = [[i % 5, i] for i in range(60)], [i % 5 // 2 for i in range(60)]
    >>> groups = [i // 10 for i in range(60)]
    >>> model = bough.GBRankRanker().fit(X, y, groups=groups)
    >>> model.score(X, y, groups=groups), len(model.estimators_) <= 100
    (1.0, True)

    """

    _kind: ClassVar[EnsembleKind] = "gbrank"
    _members: ClassVar[Task] = "regression"

    n_estimators: int = 100
    learning_rate: float = 1.0
    pair_margin: float = 1.0

    def _default(self) -> Any:
        return TreeRegressor(max_leaf_nodes=20, min_samples_leaf=5)

    def _settings(self) -> dict[str, Any]:
        check_number("pair_margin", self.pair_margin, 0.0, above=True)
        rate = checked_rate(self.learning_rate)
        return {"learning_rate": rate, "pair_margin": float(self.pair_margin)}

    def fit(self, X: Any, y: Any, sample_weight: Any = None, *, groups: Any = None) -> Self:
        """Fit the regressors to the rows of X, their grades y and their groups.

        `groups` has an id for each row, or is the name of a column of X, which is then not used to predict.

        >>> X, y, groups = [[1], [2]] * 9, [0, 1] * 9, [i // 6 for i in range(18)]
        >>> GBRankRanker(n_estimators=2).fit(X, y, groups=groups).wrong_pairs_
        array([1., 0.])
        """
        self.wrong_pairs_ = self._fit_groups(X, y, sample_weight, groups)["wrong_pairs"]
        return self
