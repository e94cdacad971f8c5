"""scikit-learn's bagging and isolation forests, with bough's trees."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from numbers import Integral
from typing import Any, Self

import joblib
import numpy as np
import sklearn.ensemble
from sklearn.ensemble._iforest import _average_path_length

from bough.ensembles.forest import Forest
from bough.ensembles.isolation import sum_of_path_lengths
from bough.sklearn.batch import Batch, GrownInBatches, forest_of, joined
from bough.sklearn.inheriting import Convertible, fresh_member
from bough.sklearn.rows import table_by
from bough.sklearn.trees import BoughTree, DecisionTreeClassifier, DecisionTreeRegressor, ExtraTreeRegressor
from bough.types import Floats

# From so many rows on, a sum of trees that is made for them takes less time than the forest.
_MANY_ROWS = 5_000


class BoughBagging(Convertible, GrownInBatches):
    """The parts of scikit-learn's bagging that bough replaces; a mixin before scikit-learn's class.

    Members that are trees of this package, and have all columns, are grown in batches, see `Batch`. The
    native code then has the threads, and scikit-learn's loop, which only draws the samples, has one job.
    """

    def _fit(self: Any, *args: Any, **kwargs: Any) -> Any:
        with self._growing_together():
            super()._fit(*args, **kwargs)  # type: ignore[misc]
        joined(self.estimators_)
        return self

    @contextmanager
    def _growing_together(self: Any) -> Iterator[None]:
        n_jobs = self.n_jobs
        try:
            if self._grows_together():
                self._n_batch_jobs, self.n_jobs = n_jobs, 1
            yield
        finally:
            self.n_jobs = n_jobs
            self._forget_batch()

    def _grows_together(self: Any) -> bool:
        all_columns = self.max_features == 1.0 and not isinstance(self.max_features, Integral)
        return all_columns and not self.bootstrap_features and isinstance(self._get_estimator(), BoughTree)

    def _make_estimator(self: Any, append: bool = True, random_state: Any = None) -> Any:
        if not isinstance(self.estimator_, BoughTree):
            return super()._make_estimator(append=append, random_state=random_state)  # type: ignore[misc]
        member = fresh_member(self, random_state)
        if append:
            self.estimators_.append(member)
        if self._max_features < self.n_features_in_ or self.bootstrap_features:
            return member
        if joblib.effective_n_jobs(self.n_jobs) > 1:
            # Several jobs may be several processes, each of which makes only some of the members.
            Batch(1, bootstrap=True, n_jobs=1).add(member)
            return member
        self._add_to_batch(member, bootstrap=True)
        return member

    def _forest(self: Any) -> Forest | None:
        all_columns = self._max_features == self.n_features_in_ and not self.bootstrap_features
        return forest_of(self.estimators_) if all_columns else None


class BaggingClassifier(BoughBagging, sklearn.ensemble.BaggingClassifier):  # type: ignore[misc]
    """scikit-learn's `BaggingClassifier`; its default learner is bough's tree.

    >>> X, y = [[1.0], [2.0]] * 5, ["a", "b"] * 5
    >>> BaggingClassifier(random_state=0).fit(X, y).predict([[3.0]])
    array(['b'], dtype='<U1')
    """

    def _get_estimator(self) -> Any:
        return DecisionTreeClassifier() if self.estimator is None else self.estimator

    def predict_proba(self, X: Any, **params: Any) -> Floats:
        """Return the mean of the members' class probabilities.

        >>> BaggingClassifier(random_state=0).fit([[1.0], [2.0]] * 5, ["a", "b"] * 5).predict_proba([[3.0]])
        array([[0., 1.]])
        """
        forest = self._forest() if hasattr(self, "estimators_") and not params else None
        if forest is None or len(forest.classes) != self.n_classes_:
            return super().predict_proba(X, **params)  # type: ignore[no-any-return]
        checked = self.estimators_[0]._validate_X_predict(X, True)
        shares: Floats = forest.predict_proba(table_by(forest.schema, checked), self.n_jobs)
        return shares


class BaggingRegressor(BoughBagging, sklearn.ensemble.BaggingRegressor):  # type: ignore[misc]
    """scikit-learn's `BaggingRegressor`; its default learner is bough's tree.

    >>> BaggingRegressor(random_state=0).fit([[1.0], [2.0]] * 5, [10.0, 20.0] * 5).predict([[3.0]])
    array([20.])
    """

    def _get_estimator(self) -> Any:
        return DecisionTreeRegressor() if self.estimator is None else self.estimator


class IsolationForest(BoughBagging, sklearn.ensemble.IsolationForest):  # type: ignore[misc]
    """scikit-learn's `IsolationForest`, grown by bough.

    >>> IsolationForest(random_state=0).fit([[0.0], [0.1], [0.2], [0.1], [9.0]]).predict([[0.1], [9.0]])
    array([ 1, -1])
    """

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Grow the forest on the rows of X; y is ignored.

        >>> len(IsolationForest(n_estimators=5).fit([[0.0], [0.1], [0.2]]).estimators_)
        5
        """
        with self._growing_together():
            super().fit(X, y, sample_weight=sample_weight)
        return self

    def _get_estimator(self) -> Any:
        return ExtraTreeRegressor(max_features=1, splitter="random", random_state=self.random_state)

    def _compute_score_samples(self, X: Any, subsample_features: bool) -> Floats:
        forest = None if subsample_features else self._forest()
        if forest is None:
            return super()._compute_score_samples(X, subsample_features)  # type: ignore[no-any-return]
        table = table_by(forest.schema, X)
        n_jobs = self.__dict__.get("_n_batch_jobs", self.n_jobs)  # fit scores its rows too
        if table.is_sparse or table.n_rows < _MANY_ROWS:
            nodes = forest.all_nodes
            # Each leaf answers with the length of the path to it, which the forest adds up.
            at_leaf = nodes.leaf
            lengths = nodes.depth[at_leaf] + _average_path_length(nodes.cases[at_leaf].astype(np.int64))
            paths = replace(forest, leaf=np.ascontiguousarray(lengths[:, None]))
            depths = paths.tally(table, n_jobs)["share"][:, 0]
        else:
            depths = sum_of_path_lengths(forest).predict(table, n_jobs)
        whole = forest.n_trees * _average_path_length([self._max_samples])[0]
        return np.asarray(2.0 ** -(depths / whole if whole else np.ones_like(depths)))
