"""scikit-learn's decision trees, grown by bough.

The classes inherit scikit-learn's parameters, their checks, `predict` and everything around it. Only growth,
pruning and the walk of a row down the tree are bough's.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Self

import joblib
import numpy as np
import sklearn.tree
from sklearn.base import _fit_context, clone, is_classifier
from sklearn.utils import Bunch, compute_sample_weight
from sklearn.utils.validation import _check_sample_weight, validate_data

from bough.data.table import Table
from bough.learners.fitting import fit_tree
from bough.models.sklearn_tree import impurities, impurity_decreases
from bough.pruning.collapse import collapsed
from bough.sklearn.batch import Batch, forests_can_grow, grow_together
from bough.sklearn.classes import checked_classes
from bough.sklearn.inheriting import Convertible
from bough.sklearn.recipes import criterion_of, n_searched, tree_recipe
from bough.sklearn.rows import training_rows, with_short_indices
from bough.sklearn.tree_view import TreeView
from bough.tree import Tree


class BoughTree(Convertible):
    """The parts of a scikit-learn tree that bough replaces; a mixin before scikit-learn's class."""

    tree_: TreeView

    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def fit(self, X: Any, y: Any, sample_weight: Any = None, check_input: bool = True) -> Self:
        """Grow the tree on the rows of X and the target y.

        >>> DecisionTreeRegressor().fit([[1.0], [2.0]], [10.0, 20.0]).tree_.node_count
        3
        """
        self._fit(X, y, sample_weight=sample_weight, check_input=check_input)
        return self

    def _fit(self: Any, X: Any, y: Any, sample_weight: Any = None, check_input: bool = True, **_: Any) -> Any:
        """Grow the tree; scikit-learn's forests also tell which columns have missing values."""
        batch: Batch | None = self.__dict__.pop("_batch", None)
        if batch is not None and batch.takes(self, X, y):
            batch.request(self, X, y, sample_weight, check_input)
            return self
        if check_input:
            X, y = self._checked_rows(X, y)
        n_samples, self.n_features_in_ = X.shape
        y = np.atleast_1d(y)
        y = y.reshape(-1, 1) if y.ndim == 1 else y
        self.n_outputs_ = y.shape[1]
        if len(y) != n_samples:
            raise ValueError(f"Number of labels={len(y)} does not match number of samples={n_samples}")
        if sample_weight is not None:
            sample_weight = _check_sample_weight(sample_weight, X, dtype=np.float64)
        if is_classifier(self):
            y, sample_weight = self._coded_classes(y, sample_weight)
        self.max_features_ = n_searched(self.max_features, self.n_features_in_)
        names = getattr(self, "feature_names_in_", None)
        classes = self.n_classes_ if is_classifier(self) else None
        training = training_rows(X, y, sample_weight, classes, names)
        draws = self.splitter == "random" or self.max_features_ < self.n_features_in_
        if draws and criterion_of(self) != "absolute_error" and forests_can_grow(self, X, self.n_outputs_):
            grow_together([self], training, None, n_jobs=1)
        else:
            tree = fit_tree(tree_recipe(self, n_samples), training, n_jobs=jobs_of_a_tree()).tree
            self.tree_ = TreeView(routed_like_sklearn(tree, self.splitter, training.table))
        if is_classifier(self) and self.n_outputs_ == 1:
            self.n_classes_, self.classes_ = self.n_classes_[0], self.classes_[0]
        self._prune_tree()
        return self

    def _checked_rows(self: Any, X: Any, y: Any) -> tuple[Any, Any]:
        X, y = validate_data(
            self,
            X,
            y,
            validate_separately=(
                {"dtype": np.float32, "accept_sparse": "csc", "ensure_all_finite": False},
                {"ensure_2d": False, "dtype": None},
            ),
        )
        self._compute_missing_values_in_feature_mask(X)
        if self.criterion == "poisson":
            check_counts(y)
        return X, y

    def _coded_classes(self: Any, y: Any, sample_weight: Any) -> tuple[Any, Any]:
        """Set `classes_` and `n_classes_`; return the codes, and the weights times the class weights."""
        self.classes_, codes = checked_classes(y)
        self.n_classes_ = np.array([len(classes) for classes in self.classes_], dtype=np.intp)
        if self.class_weight is not None:
            of_classes = compute_sample_weight(self.class_weight, y)
            sample_weight = of_classes if sample_weight is None else sample_weight * of_classes
        return codes, sample_weight

    def _validate_X_predict(self, X: Any, check_input: bool) -> Any:  # noqa: N802
        return super()._validate_X_predict(with_short_indices(X), check_input)  # type: ignore[misc]

    def _prune_tree(self: Any) -> None:
        if self.ccp_alpha > 0:
            self.tree_ = TreeView(pruned(self.tree_.tree, self.ccp_alpha))

    def cost_complexity_pruning_path(self: Any, X: Any, y: Any, sample_weight: Any = None) -> Bunch:
        """Return the alphas at which pruning removes leaves, and the total impurity of the leaves for each.

        >>> X, y = [[1.0], [2.0], [3.0], [4.0]], [0, 0, 1, 0]
        >>> DecisionTreeClassifier().cost_complexity_pruning_path(X, y)
        {'ccp_alphas': array([0.    , 0.1875]), 'impurities': array([0.   , 0.375])}
        """
        grown = clone(self).set_params(ccp_alpha=0.0).fit(X, y, sample_weight=sample_weight).tree_.tree
        path = with_impurity_as_risk(grown).cost_complexity_path()
        return Bunch(ccp_alphas=path.alphas / grown.weight[0], impurities=path.risk / grown.weight[0])


def jobs_of_a_tree() -> int | None:
    """Return `n_jobs` for a single tree: one thread within a worker of joblib, otherwise all free cores.

    >>> jobs_of_a_tree() is None
    True
    >>> joblib.Parallel(2, backend="threading")(joblib.delayed(jobs_of_a_tree)() for _ in range(2))
    [1, 1]
    """
    backend, _ = joblib.parallel.get_active_backend()
    return 1 if backend.nesting_level else None


def check_counts(y: Any) -> None:
    """Raise `ValueError` if y cannot be numbers of events.

    >>> check_counts(np.array([-1.0, 2.0]))
    Traceback (most recent call last):
    ValueError: Some value(s) of y are negative which is not allowed for Poisson regression.
    """
    if np.any(y < 0):
        raise ValueError("Some value(s) of y are negative which is not allowed for Poisson regression.")
    if np.sum(y) <= 0:
        raise ValueError("Sum of y is not positive which is necessary for Poisson regression.")


def routed_like_sklearn(tree: Tree, splitter: str, table: Table) -> Tree:
    """Return the tree that routes new rows as scikit-learn does.

    Midpoints go left; random cuts are left as they are. No training row lies on a midpoint of two float32
    numbers, so only new rows are affected. Missing values go to the child of more rows, of equals to the
    right one, where a column had none; columns that had any are left as they are.

    >>> from bough.example_models import iris_tree
    >>> tree = routed_like_sklearn(iris_tree(), "best", Table.read([[1.0, 2.0]]))
    >>> iris_tree().predict([[2.45, 1.0]]), tree.predict([[2.45, 1.0]])
    (array(['versicolor'], dtype='<U10'), array(['setosa'], dtype='<U10'))
    >>> tree.default_branch
    array([ 1, -1,  0, -1, -1], dtype=int32)
    """
    cut, branch = tree.cut, tree.default_branch
    if splitter == "best":
        cut = np.where(np.isinf(cut), cut, np.nextafter(cut, np.inf))
    if isinstance(table.columns, tuple):  # sparse columns have no missing values
        inner = np.flatnonzero(~tree.is_leaf)
        # The minimum of a column is NaN if one of its values is.
        used = np.unique(tree.column[inner])
        complete = np.zeros(len(table.columns), dtype=bool)
        complete[used] = [not np.isnan(np.min(table.columns[column])) for column in used]
        inner = inner[complete[tree.column[inner]]]
        left, branch = tree.first_child[inner], branch.copy()
        branch[inner] = tree.cases[left] <= tree.cases[left + 1]
    return replace(tree, cut=cut, default_branch=branch)


def with_impurity_as_risk(tree: Tree) -> Tree:
    """Return the tree whose risk is weight · impurity, which scikit-learn's pruning minimizes.

    With monotonic constraints only the differences and the sums of risks are those of scikit-learn, which are
    all that pruning reads: what is left of the root's risk is divided among the leaves by their weights.

    >>> from bough.example_models import iris_tree
    >>> with_impurity_as_risk(iris_tree()).risk.round(2)
    array([100.  ,   0.  ,  50.  ,   9.07,   1.96])
    """
    risk = tree.weight * impurities(tree)
    if tree.recipe.get("monotonic_cst"):
        decreases = impurity_decreases(tree)
        left_over = risk[0] - decreases.sum()
        risk = np.where(tree.is_leaf, left_over * tree.weight / tree.weight[0], decreases)
        for node in range(tree.n_nodes - 1, 0, -1):  # children come after their parents
            risk[tree.parent[node]] += risk[node]
    return replace(tree, risk=risk)


def pruned(tree: Tree, ccp_alpha: float) -> Tree:
    """Return the tree pruned at scikit-learn's alpha: impurity for each leaf, relative to the root's weight.

    >>> from bough.example_models import iris_tree
    >>> [pruned(iris_tree(), alpha).n_leaves for alpha in (0.1, 0.3, 0.4)]
    [3, 2, 1]
    """
    alpha = ccp_alpha * float(tree.weight[0])
    complexity = with_impurity_as_risk(tree).cost_complexity_path().complexity
    step = {"by": "cost complexity", "alpha": alpha, "relative": False, "method": "weakest_link"}
    return collapsed(tree, (complexity <= alpha) & ~tree.is_leaf, step)


class DecisionTreeClassifier(BoughTree, sklearn.tree.DecisionTreeClassifier):  # type: ignore[misc]
    """scikit-learn's `DecisionTreeClassifier`, grown by bough.

    >>> DecisionTreeClassifier().fit([[1.0], [2.0]], ["a", "b"]).predict([[3.0]])
    array(['b'], dtype='<U1')
    """


class DecisionTreeRegressor(BoughTree, sklearn.tree.DecisionTreeRegressor):  # type: ignore[misc]
    """scikit-learn's `DecisionTreeRegressor`, grown by bough.

    >>> DecisionTreeRegressor().fit([[1.0], [2.0]], [10.0, 20.0]).predict([[3.0]])
    array([20.])
    """


class ExtraTreeClassifier(BoughTree, sklearn.tree.ExtraTreeClassifier):  # type: ignore[misc]
    """scikit-learn's `ExtraTreeClassifier`, grown by bough.

    >>> ExtraTreeClassifier(random_state=0).fit([[1.0], [2.0]], ["a", "b"]).predict([[3.0]])
    array(['b'], dtype='<U1')
    """


class ExtraTreeRegressor(BoughTree, sklearn.tree.ExtraTreeRegressor):  # type: ignore[misc]
    """scikit-learn's `ExtraTreeRegressor`, grown by bough.

    >>> ExtraTreeRegressor(random_state=0).fit([[1.0], [2.0]], [10.0, 20.0]).predict([[3.0]])
    array([20.])
    """
