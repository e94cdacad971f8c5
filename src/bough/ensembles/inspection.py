"""Inspection of forests: importance, samples, proximity and outliers."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_is_fitted

from bough.data.target import read_classes
from bough.ensembles.estimator import ForestEstimator
from bough.ensembles.importance import PermutationImportance, debiased_importance, permutation_importance
from bough.ensembles.proximity import outlier_scores, proximity
from bough.errors import ParameterError, TargetError
from bough.tree.routing import path_matrix
from bough.types import Floats


class InspectedForest(ForestEstimator):
    """Base class of forests with methods for inspection."""

    @property
    def estimators_(self) -> list[Any]:
        """The trees, as `bough.Tree`s; `forest_.trees` unpacks a tree only when it is accessed.

        >>> from bough import RandomForestRegressor
        >>> RandomForestRegressor(3).fit([[1.0], [2.0]], [1.0, 2.0]).estimators_[0].task
        'regression'
        """
        check_is_fitted(self)
        return list(self.forest_.trees)

    def to_sklearn(self) -> Any:
        """Return a fitted forest of scikit-learn that predicts the same; see `bough.Forest.to_sklearn`.

        >>> from bough import RandomForestRegressor
        >>> model = RandomForestRegressor(2, bootstrap=False).fit([[1.0], [2.0]], [1.0, 2.0])
        >>> model.to_sklearn().predict([[0.0]])
        array([1.])
        """
        return self.model_.to_sklearn()

    def decision_path(self, X: Any) -> tuple[Any, npt.NDArray[np.int32]]:
        """Return the nodes on the path of each row in each tree, as scikit-learn's forests do.

        The result is a scipy CSR matrix (rows × nodes of all trees) with a 1 for each node on a row's path,
        and the columns at which the nodes of each tree begin, followed by the number of all nodes.

        >>> from bough import RandomForestRegressor
        >>> model = RandomForestRegressor(2, bootstrap=False).fit([[1.0], [2.0]], [1.0, 2.0])
        >>> indicator, n_nodes_ptr = model.decision_path([[0.0]])
        >>> indicator.toarray(), n_nodes_ptr
        (array([[1, 1, 0, 1, 1, 0]]), array([0, 3, 6], dtype=int32))
        """
        from scipy.sparse import hstack

        trees, ends = self.estimators_, self.apply(X)
        paths = [path_matrix(tree, np.ascontiguousarray(ends[:, t])) for t, tree in enumerate(trees)]
        starts = np.cumsum([0, *(tree.n_nodes for tree in trees)], dtype=np.int32)
        return hstack(paths, format="csr"), starts

    @property
    def feature_importances_(self) -> Floats:
        """Impurity-based importance as in scikit-learn: each column's share of the gain, averaged over trees.

        >>> from bough import RandomForestClassifier
        >>> X, y = [[1.0, 7.0], [2.0, 7.0]] * 5, ["a", "b"] * 5
        >>> model = RandomForestClassifier(5, random_state=0).fit(X, y)
        >>> model.feature_importances_
        array([1., 0.])
        """
        check_is_fitted(self)
        gained = self.forest_.tree_importance
        total = gained.sum(axis=1, keepdims=True)
        shares: Floats = np.divide(gained, total, out=np.zeros_like(gained), where=total > 0).mean(axis=0)
        return shares / shares.sum() if shares.sum() > 0 else shares

    def impurity_importance(self) -> Floats:
        """Return the total gain · weight of the splits on each column, averaged over the trees.

        R's randomForest calls it MeanDecreaseGini or IncNodePurity, ranger impurity.

        >>> from bough import RandomForestClassifier
        >>> model = RandomForestClassifier(5, bootstrap=False).fit([[1.0, 7.0], [2.0, 7.0]], ["a", "b"])
        >>> model.impurity_importance()
        array([1., 0.])
        """
        check_is_fitted(self)
        return self.forest_.importance()

    def in_bag(self) -> npt.NDArray[np.uint32]:
        """Return how often each row is in the sample of each tree (rows × trees); R's `inbag`.

        Samples are computed from the seed on demand and take no memory before.

        >>> from bough import RandomForestRegressor
        >>> RandomForestRegressor(2, bootstrap=False).fit([[1.0], [2.0]], [1.0, 2.0]).in_bag()
        array([[1, 1],
               [1, 1]], dtype=uint32)
        """
        check_is_fitted(self)
        return self._samples.draws(self.forest_.n_trees)

    @property
    def estimators_samples_(self) -> list[npt.NDArray[np.intp]]:
        """The rows in the sample of each tree, repeated as often as they were sampled.

        >>> from bough import RandomForestRegressor
        >>> RandomForestRegressor(1, bootstrap=False).fit([[1.0], [2.0]], [1.0, 2.0]).estimators_samples_
        [array([0, 1])]
        """
        check_is_fitted(self)
        return self._samples.members(self.forest_.n_trees)

    def permutation_importance(
        self, X: Any, y: Any, *, by_case: bool = False, n_repeats: int = 1
    ) -> PermutationImportance:
        """Return the increase in out-of-bag error if a column is shuffled; X and y must be those of fit.

        It is R's importance: MeanDecreaseAccuracy or %IncMSE, importanceSD, and ranger's permutation.
        `by_case` also computes it for each row (localImp), which takes rows × columns numbers; `n_repeats` is
        the number of shuffles of a column in each tree, which are averaged (nPerm).

        >>> from bough import RandomForestClassifier
        >>> X, y = [[1.0, 7.0], [2.0, 7.0]] * 20, ["a", "b"] * 20
        >>> model = RandomForestClassifier(50, random_state=0).fit(X, y)
        >>> model.permutation_importance(X, y, by_case=True).by_case.shape
        (40, 2)
        """
        table, rows = self._training_rows(X)
        target = self._truth(y, table.n_rows if rows is None else self._samples.n_given, rows)
        found = permutation_importance(self, table, target, by_case, n_repeats)
        if by_case and rows is not None:
            return replace(found, by_case=self._samples.expanded(np.asarray(found.by_case)))
        return found

    def debiased_importance(self, X: Any, y: Any, sample_weight: Any = None, strata: Any = None) -> Floats:
        """Return the gain of splits on each column minus that on a shuffled copy of the column.

        It is not biased towards columns of many values; ranger's impurity_corrected. A second forest with
        twice the columns is grown for it, with the parameters and the seed of this one.

        >>> from bough import RandomForestClassifier
        >>> X, y = [[1.0], [2.0]] * 20, ["a", "b"] * 20
        >>> (RandomForestClassifier(50, random_state=0).fit(X, y).debiased_importance(X, y) > 5).all()
        np.True_
        """
        check_is_fitted(self)
        given = self._prepared(X, y, sample_weight, strata)
        return debiased_importance(
            given.training,
            given.recipe,
            seed=self._samples.seed,
            n_trees=self.forest_.n_trees,
            n_jobs=self.n_jobs,
        )

    def proximity(self, X: Any, *, oob: bool = False, sparse: bool | Literal["auto"] = "auto") -> Any:
        """Return the fraction of the trees in which each pair of rows is in the same leaf; R's `proximity`.

        If `oob`, only trees for which both rows are out of bag count (oob.prox); X must be that of fit. The
        matrix is sparse if `sparse` is True, or if it is "auto" and a sparse matrix is smaller.

        >>> from bough import RandomForestClassifier
        >>> model = RandomForestClassifier(5, bootstrap=False).fit([[1.0], [2.0]], ["a", "b"])
        >>> model.proximity([[1.0], [2.0], [3.0]])[2]
        array([0., 1., 1.])
        """
        if oob:
            table, rows = self._training_rows(X)
            if rows is not None:
                raise ParameterError(
                    "oob proximity is defined for rows of positive weight only; leave out the others."
                )
        else:
            table = self._checked(X)
        return proximity(self, table, oob, sparse)

    def outlier_scores(self, X: Any, y: Any = None, *, oob: bool = False) -> Floats:
        """Return an outlier score of each row, from its proximities to the rows of its class; R's `outlier`.

        Without y, all rows are treated as one class.

        >>> from bough import RandomForestRegressor
        >>> X = [[1.0], [1.1], [1.2], [9.0]]
        >>> model = RandomForestRegressor(50, random_state=0).fit(X, [1.0, 1.1, 1.2, 9.0])
        >>> model.outlier_scores(X).shape
        (4,)
        """
        near = self.proximity(X, oob=oob)
        groups = np.zeros(near.shape[0], dtype=np.int32) if y is None else read_classes(y).codes
        if len(groups) != near.shape[0]:
            raise TargetError(
                f"y has {len(groups)} entries and X {near.shape[0]} rows; give one for each row."
            )
        return outlier_scores(near, groups)
