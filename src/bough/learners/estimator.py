"""Base classes of the learners of one tree: they fit a tree by a recipe and predict with it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from bough.data.databases.table import DatabaseTable, is_in_database
from bough.data.partitions.partitions import is_partitioned
from bough.data.readers import divided
from bough.data.scales import Scales
from bough.data.sparse import is_sparse
from bough.data.table import Table
from bough.data.training import GivenRows, Training
from bough.growing.recipe import Recipe
from bough.learners.conventions import ModelLearner, ProbabilityPredictor, note_schema, rows_for
from bough.learners.fitting import Fitted, fit_tree
from bough.learners.parameters import ColumnParameters
from bough.learners.reading import read_for
from bough.learners.several import allows_several
from bough.models.model import Model
from bough.tree import Tree
from bough.tree.identifiers import identifier_columns, warn_of_identifiers
from bough.tree.one_target import label_arrays
from bough.types import Floats


class ModelEstimator(ColumnParameters, ModelLearner):
    """Base class of learners of one model. A subclass defines the parameters, the recipe and the fit."""

    n_features_in_: int
    n_outputs_: int
    _reads_sparse: ClassVar[bool] = False
    """Whether X may be sparse."""

    def _read_training(
        self, recipe: Recipe, X: Any, y: Any, sample_weight: Any, exposure: Any = None
    ) -> Training:
        return read_for(self, recipe, GivenRows(X, y, sample_weight, exposure))

    def __sklearn_tags__(self) -> Tags:
        """Declare to scikit-learn which learners accept sparse input."""
        tags = super().__sklearn_tags__()
        dense_only = callable(getattr(self, "criterion", None)) or any(
            getattr(self, name, default) != default
            for name, default in (("combinations", None), ("max_bins", None), ("max_branches", 2))
        )
        tags.input_tags.sparse = self._reads_sparse and not dense_only
        tags.input_tags.categorical = False
        tags.target_tags.multi_output = self._several_targets and allows_several(self)
        return tags

    def _scales(self) -> Scales:
        return Scales(self.categorical_features, self.ordinal_features)


class TreeEstimator(ModelEstimator):
    """Base class of learners of one tree. A subclass defines the parameters and the recipe.

    Attributes
    ----------
    tree_
        The tree, a `bough.Tree`.

    """

    tree_: Tree

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the tree to the rows of X and the target y."""
        self._fit(X, y, sample_weight)
        return self

    def _fit(self, X: Any, y: Any, sample_weight: Any, exposure: Any = None) -> None:
        if is_in_database(X, y):
            if isinstance(X, DatabaseTable):
                self._fit_in_database(X, y, sample_weight)
                return
            with DatabaseTable.open(X) as table:
                self._fit_in_database(table, y, sample_weight)
            return
        if is_partitioned(X, y):
            self._fit_on_cluster(X, y, sample_weight)
            return
        recipe, row_keys = self._recipe_for(X), None
        if getattr(self, "row_key", None) is not None:
            X, row_keys = divided(X, self.row_key, "row_key")
        training = self._read_training(recipe, X, y, sample_weight, exposure)
        if row_keys is not None:
            training = replace(training, row_keys=np.asarray(row_keys)[training.rows])
        self._keep(fit_tree(recipe, training, n_jobs=self.n_jobs))
        warn_of_identifiers(identifier_columns(self.tree_, training.table))

    def _fit_in_database(self, table: DatabaseTable, y: Any, sample_weight: Any) -> None:
        from bough.learners.in_database import fit_in_database

        self._keep_from_afar(fit_in_database(self.recipe(), table, y, sample_weight, type(self).__name__))

    def _fit_on_cluster(self, frame: Any, y: str, sample_weight: Any) -> None:
        from bough.learners.on_cluster import fit_on_cluster

        self._keep_from_afar(fit_on_cluster(self.recipe(), frame, y, sample_weight, type(self).__name__))

    def _keep_from_afar(self, fitted: Fitted) -> None:
        self._keep(fitted)
        note_schema(self, self.tree_.schema)
        warn_of_identifiers(identifier_columns(self.tree_, None))

    def _recipe_for(self, X: Any) -> Recipe:
        """Return the recipe; by default, trees of sparse tables route missing values without surrogates."""
        recipe = self.recipe()
        if recipe.follows_surrogates and getattr(self, "missing", None) == "auto" and is_sparse(X):
            return replace(recipe, missing="majority")
        return recipe

    def _keep(self, fitted: Fitted) -> None:
        self.tree_ = fitted.tree
        self.n_outputs_ = max(1, len(fitted.tree.targets))

    def apply(self, X: Any) -> npt.NDArray[np.int32]:
        """Return the index of the leaf that each row is routed to.

        >>> from bough import TreeClassifier
        >>> TreeClassifier().fit([[1.0], [2.0]], ["a", "b"]).apply([[0.0]])
        array([1], dtype=int32)
        """
        table = self._checked(X)
        return self.tree_.apply(table, self.n_jobs)

    def decision_path(self, X: Any) -> Any:
        """Return a scipy CSR matrix (rows × nodes) with a 1 for each node on a row's path.

        >>> from bough import TreeClassifier
        >>> TreeClassifier().fit([[1.0], [2.0]], ["a", "b"]).decision_path([[0.0]]).toarray()
        array([[1, 1, 0]])
        """
        table = self._checked(X)
        return self.tree_.decision_path(table, self.n_jobs)

    @property
    def model_(self) -> Model:
        """The model that predicts, which can be saved: the tree.

        >>> from bough import TreeClassifier
        >>> TreeClassifier().fit([[1.0], [2.0]], ["a", "b"]).model_.model_kind
        'tree'
        """
        check_is_fitted(self)
        return self.tree_

    def to_sklearn(self) -> Any:
        """Return a fitted tree of scikit-learn that predicts the same; see `bough.Tree.to_sklearn`.

        >>> from bough import TreeClassifier
        >>> TreeClassifier().fit([[1.0], [2.0]], ["a", "b"]).to_sklearn().predict([[0.0]])
        array(['a'], dtype='<U1')
        """
        check_is_fitted(self)
        return self.tree_.to_sklearn()

    def get_depth(self) -> int:
        """Return the depth of the tree: the number of splits on its longest path.

        >>> from bough import TreeClassifier
        >>> TreeClassifier().fit([[1.0], [2.0]], ["a", "b"]).get_depth()
        1
        """
        check_is_fitted(self)
        return self.tree_.depth

    def get_n_leaves(self) -> int:
        """Return the number of leaves of the tree.

        >>> from bough import TreeClassifier
        >>> TreeClassifier().fit([[1.0], [2.0]], ["a", "b"]).get_n_leaves()
        2
        """
        check_is_fitted(self)
        return self.tree_.n_leaves

    def _html_repr(self) -> str:
        """Return the tree as HTML for notebooks, followed by scikit-learn's diagram of the parameters."""
        diagram: str = super()._html_repr()
        if not hasattr(self, "tree_"):
            return diagram
        return self.tree_._repr_html_() + diagram

    def _checked(self, X: Any) -> Table:
        """Read X as a table; raise if column names, their order or their number differ from those of fit."""
        check_is_fitted(self)
        return rows_for(self, X, self.tree_)


class TreeClassifierEstimator(ClassifierMixin, ProbabilityPredictor, TreeEstimator):  # type: ignore[misc]
    """Base class of tree learners that predict a class."""

    classes_: npt.NDArray[Any] | list[npt.NDArray[Any]]
    n_classes_: int | list[int]

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the tree to the rows of X and the classes y.

        A weight of 2 is equivalent to the row given twice, a weight of 0 to the row left out.

        >>> from bough import TreeClassifier
        >>> TreeClassifier().fit([[1.0], [2.0]], ["a", "b"]).predict([[3.0]])
        array(['b'], dtype='<U1')
        """
        self._fit(X, y, sample_weight)
        self._set_classes()
        return self

    def _set_classes(self) -> None:
        self.classes_, self.n_classes_ = label_arrays(self.tree_)

    def _smoothed_tree(self) -> Tree:
        """Return the tree with the smoothing of the learner, which may be set after fit."""
        is_same = self.tree_.smoothing == self.smoothing
        return self.tree_ if is_same else replace(self.tree_, smoothing=self.smoothing)

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Return the predicted class of each row: the most probable one or, with losses, the cheapest one.

        Several targets have a column each.

        >>> from bough import TreeClassifier
        >>> TreeClassifier().fit([[1.0], [2.0]], ["a", "b"]).predict([[0.0]])
        array(['a'], dtype='<U1')
        """
        table = self._checked(X)
        return self._smoothed_tree().predict(table, self.n_jobs)

    def predict_proba(self, X: Any) -> Any:
        """Return the probability of each class, in the order of `classes_`, with the learner's `smoothing`.

        Of several targets it is a list with an array for each.

        >>> from bough import TreeClassifier
        >>> TreeClassifier(smoothing="laplace").fit([[1.0], [2.0]], ["a", "b"]).predict_proba([[0.0]])
        array([[0.66666667, 0.33333333]])
        """
        table = self._checked(X)
        return self._smoothed_tree().predict_proba(table, n_jobs=self.n_jobs)


class TreeRegressorEstimator(RegressorMixin, TreeEstimator):  # type: ignore[misc]
    """Base class of tree learners that predict a number."""

    def predict(self, X: Any) -> Floats:
        """Return the mean of y in each row's leaf, or the median for criterion "absolute_error".

        Several targets have a column each.

        >>> from bough import TreeRegressor
        >>> TreeRegressor().fit([[1.0], [2.0]], [10.0, 20.0]).predict([[0.0]])
        array([10.])
        """
        table = self._checked(X)
        return self.tree_.predict(table, self.n_jobs)
