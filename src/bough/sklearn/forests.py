"""scikit-learn's forests, grown by bough."""

from __future__ import annotations

import warnings
from typing import Any, Self

import numpy as np
import numpy.typing as npt
import sklearn.ensemble
from scipy.sparse import csr_matrix
from sklearn.base import _fit_context
from sklearn.ensemble import RandomTreesEmbedding as _Embedding
from sklearn.preprocessing import OneHotEncoder
from sklearn.utils import check_random_state
from sklearn.utils.validation import _num_samples, check_is_fitted

from bough.growing.draws import GivenDraws
from bough.models.model import relative_importance
from bough.sklearn.batch import MOST_CELLS, GrownInBatches, forest_of, joined
from bough.sklearn.classes import checked_classes
from bough.sklearn.inheriting import Convertible, fresh_member, with_own_members
from bough.sklearn.rows import table_by, with_short_indices
from bough.sklearn.trees import (
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    ExtraTreeClassifier,
    ExtraTreeRegressor,
)
from bough.types import Floats


class BoughForest(Convertible, GrownInBatches):
    """The parts of a scikit-learn forest that bough replaces; a mixin before scikit-learn's class.

    scikit-learn's `fit` checks the arguments, makes the trees and draws their samples, so these are
    scikit-learn's for the same `random_state`. The trees are grown in batches, see `Batch`.
    """

    estimators_: list[Any]

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Grow the forest on the rows of X and the target y.

        >>> X, y = [[1.0], [2.0]] * 5, ["a", "b"] * 5
        >>> len(RandomForestClassifier(5, random_state=0).fit(X, y).estimators_)
        5
        """
        try:
            super().fit(X, y, sample_weight=sample_weight)  # type: ignore[misc]
        finally:
            self._forget_batch()
        joined(self.estimators_)
        return self

    def _make_estimator(self: Any, append: bool = True, random_state: Any = None) -> Any:
        tree = fresh_member(self, random_state)
        if append:
            self.estimators_.append(tree)
        self._add_to_batch(tree, bootstrap=self.bootstrap)
        return tree

    def _validate_X_predict(self, X: Any) -> Any:  # noqa: N802
        return super()._validate_X_predict(with_short_indices(X))  # type: ignore[misc]

    def apply(self: Any, X: Any) -> npt.NDArray[np.int64]:
        """Return the leaf of each row in each tree (rows × trees).

        >>> model = ExtraTreesRegressor(2, random_state=0).fit([[1.0], [2.0]], [1.0, 2.0])
        >>> model.apply([[0.0]])
        array([[1, 1]])
        """
        X = self._validate_X_predict(X)
        if (forest := forest_of(self.estimators_)) is None:
            return np.array([tree.apply(X, check_input=False) for tree in self.estimators_]).T
        leaves = forest.leaves(table_by(forest.schema, X), self.n_jobs)
        return forest.all_nodes.at_leaves(forest.all_nodes.position, leaves)

    @property
    def feature_importances_(self: Any) -> Floats:
        """The mean over the trees of the share of each column in the decrease of impurity.

        >>> X = [[1.0, 7.0], [2.0, 7.0]]
        >>> ExtraTreesClassifier(2, random_state=0).fit(X, ["a", "b"]).feature_importances_
        array([1., 0.])
        """
        check_is_fitted(self)
        if (forest := forest_of(self.estimators_)) is None:
            return super().feature_importances_  # type: ignore[misc,no-any-return]
        total = forest.tree_importance.sum(axis=1, keepdims=True)
        split = np.diff(forest.node_start) > 1
        shares = np.divide(
            forest.tree_importance, total, out=np.zeros_like(forest.tree_importance), where=total > 0
        )
        return relative_importance(shares[split].sum(axis=0))

    def _compute_oob_predictions(self: Any, X: Any, y: Any) -> Floats:
        joined(self.estimators_)
        forest = forest_of(self.estimators_)
        if forest is None or forest.targets or len(y) * forest.n_trees > MOST_CELLS:
            return super()._compute_oob_predictions(X, y)  # type: ignore[misc,no-any-return]
        drawn = [np.bincount(rows, minlength=len(y)).astype(np.uint32) for rows in self.estimators_samples_]
        sample = GivenDraws(drawn=np.stack(drawn)).native()
        tallied = forest.tally(table_by(forest.schema, X), self.n_jobs, sample=sample)
        if (tallied["trees"] == 0).any():
            warnings.warn(
                "Some inputs do not have OOB scores. This probably means too few trees were used to compute "
                "any reliable OOB estimates.",
                stacklevel=4,
            )
        return np.asarray(tallied["share"] / np.maximum(tallied["trees"], 1)[:, None])[:, :, None]


class BoughForestClassifier(BoughForest):
    """A forest of classification trees."""

    def _validate_y_class_weight(self: Any, y: Any, *sample_weight: Any) -> tuple[Any, Any]:
        if self.class_weight is not None:
            # Some versions of scikit-learn pass y alone.
            return super()._validate_y_class_weight(y, *sample_weight)  # type: ignore[misc,no-any-return]
        self.classes_, codes = checked_classes(y)
        self.n_classes_ = [*map(len, self.classes_)]
        return codes, None

    def predict_proba(self: Any, X: Any) -> Floats | list[Floats]:
        """Return the mean of the trees' class probabilities, in the order of `classes_`.

        >>> model = ExtraTreesClassifier(2, random_state=0).fit([[1.0], [2.0]], ["a", "b"])
        >>> model.predict_proba([[0.0]])
        array([[1., 0.]])
        """
        checked = self._validate_X_predict(X)
        if (forest := forest_of(self.estimators_)) is None:
            return super().predict_proba(X)  # type: ignore[misc,no-any-return]
        shares: Floats | list[Floats] = forest.predict_proba(table_by(forest.schema, checked), self.n_jobs)
        return shares


class BoughForestRegressor(BoughForest):
    """A forest of regression trees."""

    def predict(self: Any, X: Any) -> Floats:
        """Return the mean of the trees' predictions.

        >>> ExtraTreesRegressor(2, random_state=0).fit([[1.0], [2.0]], [1.0, 2.0]).predict([[0.0]])
        array([1.])
        """
        checked = self._validate_X_predict(X)
        if (forest := forest_of(self.estimators_)) is None:
            return super().predict(X)  # type: ignore[misc,no-any-return]
        return forest.predict(table_by(forest.schema, checked), self.n_jobs)


@with_own_members(DecisionTreeClassifier)
class RandomForestClassifier(BoughForestClassifier, sklearn.ensemble.RandomForestClassifier):  # type: ignore[misc]
    """scikit-learn's `RandomForestClassifier`, grown by bough.

    >>> X, y = [[1.0], [2.0]] * 5, ["a", "b"] * 5
    >>> RandomForestClassifier(10, random_state=0).fit(X, y).predict([[3.0]])
    array(['b'], dtype='<U1')
    """


@with_own_members(DecisionTreeRegressor)
class RandomForestRegressor(BoughForestRegressor, sklearn.ensemble.RandomForestRegressor):  # type: ignore[misc]
    """scikit-learn's `RandomForestRegressor`, grown by bough."""


@with_own_members(ExtraTreeClassifier)
class ExtraTreesClassifier(BoughForestClassifier, sklearn.ensemble.ExtraTreesClassifier):  # type: ignore[misc]
    """scikit-learn's `ExtraTreesClassifier`, grown by bough."""


@with_own_members(ExtraTreeRegressor)
class ExtraTreesRegressor(BoughForestRegressor, sklearn.ensemble.ExtraTreesRegressor):  # type: ignore[misc]
    """scikit-learn's `ExtraTreesRegressor`, grown by bough."""


@with_own_members(ExtraTreeRegressor)
class RandomTreesEmbedding(BoughForest, _Embedding):  # type: ignore[misc]
    """scikit-learn's `RandomTreesEmbedding`, grown by bough.

    >>> RandomTreesEmbedding(3, max_depth=1, random_state=0).fit_transform([[1.0], [2.0]]).toarray().shape
    (2, 6)
    """

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Grow the forest on the rows of X; y is ignored.

        >>> len(RandomTreesEmbedding(3).fit([[1.0], [2.0]]).estimators_)
        3
        """
        return super().fit(X, y, sample_weight=sample_weight)

    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def fit_transform(self, X: Any, y: Any = None, sample_weight: Any = None) -> Any:
        """Grow the forest on the rows of X and return the leaves of each row, one-hot encoded.

        >>> RandomTreesEmbedding(3, max_depth=1, random_state=0).fit_transform([[1.0], [2.0]]).sum()
        np.float64(6.0)
        """
        y = check_random_state(self.random_state).uniform(size=_num_samples(X))
        try:
            super(_Embedding, self).fit(X, y, sample_weight=sample_weight)
        finally:
            self._forget_batch()
        joined(self.estimators_)
        self.one_hot_encoder_ = OneHotEncoder(sparse_output=self.sparse_output).fit(self._leaf_positions())
        self._n_features_out = sum(map(len, self.one_hot_encoder_.categories_))
        return self.transform(X)

    def transform(self, X: Any) -> Any:
        """Return the leaves of each row, one-hot encoded.

        >>> model = RandomTreesEmbedding(3, max_depth=1, random_state=0).fit([[1.0], [2.0]])
        >>> model.transform([[0.0]]).toarray()
        array([[1., 0., 1., 0., 1., 0.]])
        """
        check_is_fitted(self)
        if (forest := forest_of(self.estimators_)) is None or not self.sparse_output:
            return super().transform(X)
        checked = self._validate_X_predict(X)
        leaves = forest.leaves(table_by(forest.schema, checked), self.n_jobs) + forest.leaf_start[:-1]
        columns = forest.all_nodes.leaf_ranks.astype(np.int32)[leaves]
        starts = np.arange(0, columns.size + 1, forest.n_trees)
        ones = np.ones(columns.size)
        return csr_matrix((ones, columns.ravel(), starts), shape=(len(columns), forest.leaf_start[-1]))

    def _leaf_positions(self) -> npt.NDArray[np.int64]:
        """Return the positions of the leaves of each tree, a column for each, with the last ones repeated."""
        places = [tree.tree_.leaf_positions for tree in self.estimators_]
        most = max(map(len, places))
        return np.stack([np.pad(each, (0, most - len(each)), mode="edge") for each in places], axis=1)
