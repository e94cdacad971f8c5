"""Who races: each peer grows one tree, fully unless a depth is given, as close to the same work as it can.

XGBoost and YDF search exact splits as bough does. LightGBM bins the columns and stops at 4096 leaves, which
is less work: it stands here for orientation, and only when asked for.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

Task = Literal["classes", "numbers"]
Predict = Callable[[npt.NDArray[Any]], Any]

DEEP = 512
"""A depth no tree here reaches, for peers that must be given one."""


@dataclass(frozen=True)
class Peer:
    """A contestant: `grow(X, y, task, max_depth)` learns one tree and returns its `predict`.

    Those that grow every task take a `criterion` and a `weight` of the rows too.
    """

    name: str
    package: str
    grow: Callable[..., Predict]

    @property
    def grows_every_task(self) -> bool:
        """Whether it takes any criterion, number of classes and weights."""
        return self.package in ("bough", "scikit-learn")


def _bough(n_jobs: int) -> Callable[..., Predict]:
    def grow(
        X: npt.NDArray[Any],
        y: npt.NDArray[Any],
        task: Task,
        max_depth: int | None,
        criterion: str | None = None,
        weight: npt.NDArray[np.float64] | None = None,
    ) -> Predict:
        import bough

        learner = bough.TreeClassifier if task == "classes" else bough.TreeRegressor
        given = {} if criterion is None else {"criterion": criterion}
        return learner(max_depth=max_depth, n_jobs=n_jobs, **given).fit(X, y, weight).predict

    return grow


def _sklearn(
    X: npt.NDArray[Any],
    y: npt.NDArray[Any],
    task: Task,
    max_depth: int | None,
    criterion: str | None = None,
    weight: npt.NDArray[np.float64] | None = None,
) -> Predict:
    from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

    learner = DecisionTreeClassifier if task == "classes" else DecisionTreeRegressor
    given = {} if criterion is None else {"criterion": criterion}
    return learner(max_depth=max_depth, random_state=0, **given).fit(X, y, weight).predict


def _xgboost(X: npt.NDArray[Any], y: npt.NDArray[Any], task: Task, max_depth: int | None) -> Predict:
    import xgboost

    parameters = {
        "tree_method": "exact",
        "objective": "binary:logistic" if task == "classes" else "reg:squarederror",
        "max_depth": max_depth or DEEP,
        "min_child_weight": 0,
        "lambda": 0,
        "eta": 1,
        "nthread": 2,
    }
    booster = xgboost.train(parameters, xgboost.DMatrix(X, y), num_boost_round=1)
    return lambda rows: booster.inplace_predict(rows)


def _ydf(X: npt.NDArray[Any], y: npt.NDArray[Any], task: Task, max_depth: int | None) -> Predict:
    import ydf

    ydf.verbose(0)
    table = {f"x{column}": values for column, values in enumerate(X.T)}
    learner = ydf.CartLearner(
        label="y",
        task=ydf.Task.CLASSIFICATION if task == "classes" else ydf.Task.REGRESSION,
        max_depth=max_depth or -1,
        min_examples=1,
        validation_ratio=0.0,
        num_threads=2,
    )
    model = learner.train({**table, "y": y})
    return lambda rows: model.predict({f"x{column}": values for column, values in enumerate(rows.T)})


def _lightgbm(X: npt.NDArray[Any], y: npt.NDArray[Any], task: Task, max_depth: int | None) -> Predict:
    import lightgbm

    parameters = {
        "objective": "binary" if task == "classes" else "regression",
        # Memory and time grow with the leaves allowed, used or not.
        "num_leaves": min(len(X), 2**max_depth if max_depth else 4096),
        "min_data_in_leaf": 1,
        "min_sum_hessian_in_leaf": 0,
        "learning_rate": 1.0,
        "num_threads": 2,
        "verbosity": -1,
    }
    booster = lightgbm.train(parameters, lightgbm.Dataset(X, y.astype(np.float64)), num_boost_round=1)
    return booster.predict


PEERS = {
    peer.name: peer
    for peer in (
        Peer("bough-1", "bough", _bough(1)),
        Peer("bough-2", "bough", _bough(2)),
        Peer("bough-16", "bough", _bough(16)),
        Peer("sklearn", "scikit-learn", _sklearn),
        Peer("xgboost", "xgboost-cpu", _xgboost),
        Peer("ydf", "ydf", _ydf),
        Peer("lightgbm", "lightgbm", _lightgbm),
    )
}
"""The peers by name; the number after bough is its threads."""

USUAL = ("bough-1", "bough-2", "sklearn")
