"""What a forest tells beside its answers: importance, samples, proximity and outliers."""

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
from bough.learners.conventions import sorted_order
from bough.types import Floats


class InspectedForest(ForestEstimator):
    """A forest that tells how it came to its answers."""

    @property
    def feature_importances_(self) -> Floats:
        """The share of each column in what the splits gained, as scikit-learn counts it: the mean over trees.

        >>> from bough import RandomForestClassifier
        >>> X, y = [[1.0, 7.0], [2.0, 7.0]] * 5, ["a", "b"] * 5
        >>> model = RandomForestClassifier(5, random_state=0).fit(X, y)
        >>> model.feature_importances_
        array([1., 0.])
        """
        check_is_fitted(self)
        gained = self.forest_.importance
        total = gained.sum(axis=1, keepdims=True)
        shares: Floats = np.divide(gained, total, out=np.zeros_like(gained), where=total > 0).mean(axis=0)
        return shares / shares.sum() if shares.sum() > 0 else shares

    def impurity_importance(self) -> Floats:
        """Return what the splits of each column gained, times the weight of their nodes: the mean over trees.

        R's randomForest calls it MeanDecreaseGini or IncNodePurity, ranger impurity.

        >>> from bough import RandomForestClassifier
        >>> model = RandomForestClassifier(5, bootstrap=False).fit([[1.0, 7.0], [2.0, 7.0]], ["a", "b"])
        >>> model.impurity_importance()
        array([1., 0.])
        """
        check_is_fitted(self)
        return np.asarray(self.forest_.importance.mean(axis=0))

    def in_bag(self) -> npt.NDArray[np.uint32]:
        """Return how often each row is in the bag of each tree (rows × trees); R's `inbag`.

        Samples follow from the seed, so they take no memory until they are asked for.

        >>> from bough import RandomForestRegressor
        >>> RandomForestRegressor(2, bootstrap=False).fit([[1.0], [2.0]], [1.0, 2.0]).in_bag()
        array([[1, 1],
               [1, 1]], dtype=uint32)
        """
        check_is_fitted(self)
        return self._sample.draws(self._n_rows, self._seed, self.forest_.n_trees)

    @property
    def estimators_samples_(self) -> list[npt.NDArray[np.intp]]:
        """The rows that each tree drew, each as often as it was drawn.

        >>> from bough import RandomForestRegressor
        >>> RandomForestRegressor(1, bootstrap=False).fit([[1.0], [2.0]], [1.0, 2.0]).estimators_samples_
        [array([0, 1])]
        """
        check_is_fitted(self)
        return self._sample.rows(self._n_rows, self._seed, self.forest_.n_trees)

    def permutation_importance(
        self, X: Any, y: Any, *, by_case: bool = False, n_repeats: int = 1
    ) -> PermutationImportance:
        """Return what is lost on rows out of bag when a column is shuffled; X and y must be those of fit.

        It is R's importance: MeanDecreaseAccuracy or %IncMSE, importanceSD, and ranger's permutation.
        `by_case` also tells it for each row (localImp), which takes rows × columns numbers; `n_repeats` are
        the shuffles of a column in each tree, whose mean is taken (nPerm).

        >>> from bough import RandomForestClassifier
        >>> X, y = [[1.0, 7.0], [2.0, 7.0]] * 20, ["a", "b"] * 20
        >>> model = RandomForestClassifier(50, random_state=0).fit(X, y)
        >>> model.permutation_importance(X, y, by_case=True).by_case.shape
        (40, 2)
        """
        table, rows = self._training_rows(X)
        order = sorted_order(self.forest_.classes) if self.forest_.classes else None
        target = self._truth(y, table.n_rows if rows is None else self._n_given)
        target = target if rows is None else target[rows]
        found = permutation_importance(self, table, target, order, by_case, n_repeats)
        if by_case and rows is not None:
            return replace(found, by_case=self._expanded(np.asarray(found.by_case)))
        return found

    def debiased_importance(self, X: Any, y: Any, sample_weight: Any = None, strata: Any = None) -> Floats:
        """Return what splits on each column gain beyond those on a shuffled copy of it.

        Columns of many values are not favoured. ranger calls it impurity_corrected. A second forest of twice
        the columns is grown for it, with the parameters and the seed of this one.

        >>> from bough import RandomForestClassifier
        >>> X, y = [[1.0], [2.0]] * 20, ["a", "b"] * 20
        >>> (RandomForestClassifier(50, random_state=0).fit(X, y).debiased_importance(X, y) > 5).all()
        np.True_
        """
        check_is_fitted(self)
        given = self._prepared(X, y, sample_weight, strata)
        return debiased_importance(
            given.table,
            given.target,
            given.weights,
            given.recipe,
            given.sample,
            seed=self._seed,
            n_trees=self.forest_.n_trees,
            n_jobs=self.n_jobs,
        )

    def proximity(self, X: Any, *, oob: bool = False, sparse: bool | Literal["auto"] = "auto") -> Any:
        """Return the share of the trees in which each pair of rows ends in the same leaf; R's `proximity`.

        `oob`: only over trees whose bag neither of the two was in (oob.prox); X must be that of fit. The
        matrix is sparse where asked, or where "auto" finds it smaller.

        >>> from bough import RandomForestClassifier
        >>> model = RandomForestClassifier(5, bootstrap=False).fit([[1.0], [2.0]], ["a", "b"])
        >>> model.proximity([[1.0], [2.0], [3.0]])[2]
        array([0., 1., 1.])
        """
        if oob:
            table, rows = self._training_rows(X)
            if rows is not None:
                raise ParameterError(
                    "oob proximity is known of rows that weigh something; leave out the others."
                )
        else:
            table = self._checked(X)
        return proximity(self, table, oob, sparse)

    def outlier_scores(self, X: Any, y: Any = None, *, oob: bool = False) -> Floats:
        """Return how far each row is from the others of its class by proximity; R's `outlier`.

        Without y all rows are one class.

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
