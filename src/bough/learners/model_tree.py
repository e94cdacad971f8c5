"""Trees with an estimator of scikit-learn in each leaf."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import field
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import ClassifierMixin, RegressorMixin, clone
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from bough.data.target import ClassTarget
from bough.data.training import Training
from bough.engines.numeric_columns import NumericColumns
from bough.errors import ParameterError
from bough.growing.criterion import Criterion
from bough.growing.limits import Limits
from bough.growing.missing import BY_FOREST, Missing, check_missing
from bough.growing.pruning import Pruning, pruning_of
from bough.growing.recipe import Recipe
from bough.learners.conventions import ProbabilityPredictor
from bough.learners.estimator import ModelEstimator
from bough.learners.fitting import fit_tree
from bough.learners.keyword_parameters import keyword_parameters
from bough.learners.parameters import SizeParameters
from bough.models.estimator_tree import EstimatorTree, numbers_of
from bough.tree import Tree
from bough.tree.answer import label_array
from bough.tree.leaf_models import Term
from bough.tree.routing import rows_of_nodes
from bough.types import Floats, Task

PROGRAM = "estimators"
"""The name in recipes of trees whose leaves are estimators."""


@keyword_parameters
class ModelTreeEstimator(SizeParameters, ModelEstimator):
    """Base class of trees with estimators in their leaves; the parameters that both tasks share.

    Parameters
    ----------
    leaf
        The estimator, which is cloned for each leaf; None for scikit-learn's `LinearRegression`, or
        `LogisticRegression` by Newton's method.
    criterion
        The criterion of splits: a name of `bough.growing.criterion.CRITERIA`, or a function.
    prune
        The pruning of the tree before the estimators are fitted, as in `bough.TreeRegressor`.
    missing
        How rows with a missing value are routed: "learned", "majority" or "refuse".

    """

    leaf: Any = field(default=None, kw_only=False)
    max_depth: int | None = 3
    min_samples_leaf: int | float = 20
    prune: Pruning | str = "none"
    missing: Missing = "learned"

    criterion: Criterion = "squared_error"

    _task: ClassVar[Task] = "regression"

    @staticmethod
    @abstractmethod
    def _default_leaf() -> Any:
        """Return the estimator of leaves if none is given."""

    @property
    def model_(self) -> EstimatorTree:
        """The model that predicts: the tree with the estimators of its leaves.

        >>> import bough
        >>> bough.ModelTreeRegressor().fit([[1.0], [2.0]], [1.0, 2.0]).model_
        EstimatorTree(1 leaf of LinearRegression)
        """
        check_is_fitted(self)
        return self.estimator_tree_

    @property
    def tree_(self) -> Tree:
        """The tree without the estimators.

        >>> import bough
        >>> bough.ModelTreeRegressor().fit([[1.0], [2.0]], [1.0, 2.0]).tree_.n_leaves
        1
        """
        return self.model_.tree

    def recipe(self) -> Recipe:
        """Return the recipe that these parameters define; it records the estimator by name.

        >>> import bough
        >>> bough.ModelTreeRegressor().recipe().to_json()["settings"]["leaf"]
        {'object': 'LinearRegression'}
        """
        check_missing(self.missing, type(self).__name__, BY_FOREST)
        leaf = self._default_leaf() if self.leaf is None else self.leaf
        if not (hasattr(leaf, "fit") and hasattr(leaf, "predict")):
            raise ParameterError.of("leaf", leaf, "an estimator with fit and predict, or None")
        return Recipe(
            self.criterion,
            limits=Limits.of(self),
            missing=self.missing,
            pruning=pruning_of(self.prune),
            scales=self._scales(),
            settings={"program": PROGRAM, "leaf": leaf},
            task=self._task,
        )

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the tree to the rows of X and the target y, then an estimator to the rows of each leaf.

        >>> import bough
        >>> bough.ModelTreeClassifier().fit([[1.0], [2.0]], ["a", "b"]).classes_
        array(['a', 'b'], dtype='<U1')
        """
        recipe = self.recipe()
        training = self._read_training(recipe, X, y, sample_weight)
        self.estimator_tree_ = fit_model_tree(recipe, training, n_jobs=self.n_jobs)
        if self._task == "classification":
            self.classes_ = label_array(self.model_.classes)
        return self


@keyword_parameters
class ModelTreeRegressor(RegressorMixin, ModelTreeEstimator):  # type: ignore[misc]
    """Regression tree with an estimator of scikit-learn in each leaf.

    The tree is grown by its criterion; then a clone of `leaf` is fitted to the rows of each leaf. Estimators
    are given numbers: a missing value is replaced by the mean of its column, and a column with levels is an
    indicator for each level, of two levels for the second.

    Models with linear leaves are grown better by `bough.LinearTreeRegressor`, whose splits are judged by
    them, and can be saved. A tree of estimators can be pickled but not saved, since files of bough hold no
    code.

    Examples
    --------
    >>> import bough
    >>> from sklearn.neighbors import KNeighborsRegressor
    >>> X = [[float(i)] for i in range(100)]
    >>> model = bough.ModelTreeRegressor(KNeighborsRegressor(3)).fit(X, [i % 50 for i in range(100)])
    >>> model.predict([[49.0], [50.0]])
    array([48.,  1.])

    """

    @staticmethod
    def _default_leaf() -> Any:
        from sklearn.linear_model import LinearRegression

        return LinearRegression()


@keyword_parameters
class ModelTreeClassifier(ClassifierMixin, ProbabilityPredictor, ModelTreeEstimator):  # type: ignore[misc]
    """Classification tree with an estimator of scikit-learn in each leaf.

    The estimator of a leaf predicts the codes of the classes, 0, 1 and so on. A leaf of one class predicts
    it. Trees with logistic leaves are grown better by `bough.LogisticModelTreeClassifier`, which can be
    saved.

    Examples
    --------
    >>> import bough
    >>> from sklearn.naive_bayes import GaussianNB
    >>> X = [[float(i), float(i % 5)] for i in range(100)]
    >>> y = ["a" if (z > 2) == (i < 50) else "b" for i, z in X]
    >>> bough.ModelTreeClassifier(GaussianNB(), max_depth=1).fit(X, y).predict([[3.0, 4.0]])
    array(['a'], dtype='<U1')

    """

    _task: ClassVar[Task] = "classification"

    criterion: Criterion = "gini"

    @staticmethod
    def _default_leaf() -> Any:
        from sklearn.linear_model import LogisticRegression

        # The default solver does not converge if the scales of the columns differ much.
        return LogisticRegression(solver="newton-cholesky")


def fit_model_tree(recipe: Recipe, training: Training, *, n_jobs: int | None = None) -> EstimatorTree:
    """Fit a tree by a recipe, then the estimator that it names to the rows of each leaf.

    >>> from bough.learners.reading import read_training
    >>> recipe = ModelTreeRegressor().recipe()
    >>> fit_model_tree(recipe, read_training(recipe, [[1.0], [2.0]], [1.0, 2.0]))
    EstimatorTree(1 leaf of LinearRegression)
    """
    leaf = recipe.settings["leaf"]
    tree = fit_tree(recipe, training, n_jobs=n_jobs).tree
    weight = training.weights.weight
    columns = NumericColumns.of(training.table, None, weight).columns
    inputs = tuple(Term(each.source, 1.0, each.substitute, each.codes) for each in columns)
    if weight is not None and not has_fit_parameter(leaf, "sample_weight"):
        raise ParameterError.of(
            "leaf", leaf, "an estimator whose fit takes sample_weight, since weights are given"
        )
    target = training.target
    truth = target.codes if isinstance(target, ClassTarget) else np.asarray(target)
    estimators: dict[int, Any] = {}
    leaves = rows_of_nodes(tree, tree.apply(training.table, n_jobs))
    for node in np.flatnonzero(tree.is_leaf).tolist() if inputs else ():
        rows = leaves[node].astype(np.intp)
        if len(rows) == 0 or (tree.classes and (truth[rows] == truth[rows[0]]).all()):
            continue
        options = {} if weight is None else {"sample_weight": weight[rows]}
        numbers = numbers_of(training.table, inputs, rows)
        estimators[node] = _fitted(leaf, node, numbers, truth[rows], options)
    return EstimatorTree(tree, estimators, inputs, type(leaf).__name__)


def _fitted(leaf: Any, node: int, numbers: Floats, y: npt.NDArray[Any], options: dict[str, Any]) -> Any:
    try:
        return clone(leaf).fit(numbers, y, **options)
    except Exception as error:  # estimators of other libraries raise anything
        name = type(leaf).__name__
        raise ParameterError(
            f"leaf: {name} cannot be fitted to the {len(y)} rows of leaf {node}: {error} Choose another "
            "estimator, or leave out columns of extreme values."
        ) from error
