"""What learners are compared by: errors of rows, the order of rows in groups, or the order of times."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from bough.data.ranking import Groups, gains_of, read_groups
from bough.data.survival import read_survival
from bough.errors import BoughError, ParameterError
from bough.evaluation.evaluate import evaluate
from bough.learners.concordance import concordance
from bough.learners.ranking_measures import ndcg_by_group
from bough.types import Floats, Rows, Task


@dataclass(frozen=True, eq=False)
class Judging:
    """The loss of each row of a fold; of rankers that of each group, and of hazards one of the fold.

    >>> judging_of({}, "classification", None, 4).measure
    'error rate'
    """

    measure: str
    groups: Groups | None = None
    by_times: bool = False

    @property
    def by_rows(self) -> bool:
        """Whether every row has a loss."""
        return self.groups is None and not self.by_times

    def fitted(self, estimator: Any, X: Any, y: Any, rows: Rows) -> Any:
        """Return the estimator fitted to some rows; one that has no use for statuses gets the times.

        >>> import bough
        >>> judging = judging_of({}, "regression", None, 2)
        >>> judging.fitted(bough.TreeRegressor(), [[1.0], [2.0]], [1.0, 2.0], np.arange(2)).predict([[1.0]])
        array([1.])
        """
        given = {"groups": self.groups[rows]} if self.groups is not None and ranks(estimator) else {}
        if self.by_times and not predicts_hazards(estimator):
            y = y["time"]
        return estimator.fit(X, y, **given)

    def losses(self, model: Any, X: Any, y: Any, rows: Rows) -> Floats:
        """Return the losses of a fitted model on some rows.

        >>> import bough
        >>> model = bough.TreeRegressor().fit([[1.0], [2.0]], [1.0, 2.0])
        >>> judging_of({}, "regression", None, 1).losses(model, [[1.0]], [4.0], np.arange(1))
        array([9.])
        """
        if self.by_times:
            return np.array([1 - concordance(y["time"], y["event"], model.predict(X))])
        if self.groups is not None:
            own = self.groups[rows]
            found = evaluate(model, X, y, groups=own)
            return np.asarray(1 - ndcg_by_group(gains_of(found.target, found.gain), found.answers, own))
        found = evaluate(model, X, y)
        if found.task == "classification":
            return np.asarray(found.answers != found.target, dtype=np.float64)
        if found.quantiles:
            raise ParameterError(
                "Learners of numbers are compared by squared errors, and this one predicts several quantiles."
            )
        return np.asarray(np.square(found.answers - found.target))


def judging_of(learners: Mapping[str, Any], task: Task, groups: Any, n_rows: int) -> Judging:
    """Return what learners of a task are compared by.

    >>> import bough
    >>> judging_of({"ranker": bough.GradientBoostingRanker()}, "regression", [0, 0], 2).measure
    '1 − NDCG'
    """
    if of_hazards(learners.values()):
        others = [name for name, each in learners.items() if not predicts_hazards(each)]
        if others:
            raise ParameterError(
                f"learners[{others[0]!r}] does not predict hazards; compare learners of survival times alone."
            )
        return Judging("1 − concordance", by_times=True)
    if any(map(ranks, learners.values())):
        return Judging("1 − NDCG", read_groups(groups, n_rows))
    return Judging("error rate" if task == "classification" else "mean squared error")


def ranks(estimator: Any) -> bool:
    """Whether an estimator ranks rows in groups.

    >>> import bough
    >>> ranks(bough.RankBoostRanker()), ranks(bough.TreeRegressor())
    (True, False)
    """
    from sklearn.utils.validation import has_fit_parameter

    return bool(has_fit_parameter(estimator, "groups"))


def predicts_hazards(estimator: Any) -> bool:
    """Whether an estimator is fitted to censored times.

    >>> import bough
    >>> predicts_hazards(bough.CARTSurvival()), predicts_hazards(bough.CARTRegressor())
    (True, False)
    """
    try:
        recipe = estimator.recipe() if callable(getattr(estimator, "recipe", None)) else None
    except BoughError:
        return False
    return getattr(recipe, "response", None) == "times"


def of_hazards(estimators: Iterable[Any]) -> bool:
    """Whether one of some estimators is fitted to censored times.

    >>> of_hazards([])
    False
    """
    return any(map(predicts_hazards, estimators))


def times_of(y: Any) -> npt.NDArray[Any]:
    """Return times and statuses as one array, which folds can divide.

    >>> times_of(([5, 8], [1, 0]))["event"]
    array([ True, False])
    """
    time, event = read_survival(y)
    rows = np.empty(len(time), dtype=[("event", np.bool_), ("time", np.float64)])
    rows["event"], rows["time"] = event > 0, time
    return rows
