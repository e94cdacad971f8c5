"""What all learners share: they read a table, grow a tree by their recipe, and let the tree answer."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import fields
from numbers import Real
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted, validate_data

from bough.data.readers import take
from bough.data.table import Table
from bough.data.target import (
    ClassTarget,
    Weights,
    check_events,
    check_reach,
    check_total,
    read_classes,
    read_numbers,
    read_weights,
)
from bough.engines import native
from bough.engines.memory import MemoryEngine
from bough.engines.native import Sample
from bough.errors import ParameterError, WeightError
from bough.growing import growth
from bough.growing.limits import Limits
from bough.growing.recipe import Recipe
from bough.learners.conventions import check_lengths, name_of, present_rows, read_as, required, sorted_order
from bough.learners.folds import Folds
from bough.pruning.methods import Pruning, ReducedError, pruning_of
from bough.pruning.tuning import AnsweredRows
from bough.tree import Tree
from bough.tree.answer import check_smoothing, label_array
from bough.types import Floats

Rows = npt.NDArray[np.intp]

_MOST_WEIGHT = float(np.finfo(np.float64).max)


class Given(NamedTuple):
    """What fit was given: how many rows, which of them the table has, and the name of y."""

    n_rows: int
    rows: Rows
    name: str | None


class TreeEstimator(BaseEstimator):  # type: ignore[misc]
    """A learner of one tree. A subclass gives its recipe and its parameters."""

    tree_: Tree
    n_features_in_: int
    categorical_features: Any
    ordinal_features: Any
    prune: Any
    n_jobs: int | None

    @abstractmethod
    def recipe(self) -> Recipe:
        """Return the recipe that the parameters spell out; they are checked here."""

    @abstractmethod
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Grow the tree that predicts y from the rows of X."""

    def __sklearn_tags__(self) -> Tags:
        """Tell scikit-learn what tables are taken: levels as they are, missing values as they are."""
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = False
        tags.input_tags.categorical = False
        return tags

    def apply(self, X: Any) -> npt.NDArray[np.int32]:
        """Return the node where each row ends.

        >>> from bough import TreeClassifier
        >>> TreeClassifier().fit([[1.0], [2.0]], ["a", "b"]).apply([[0.0]])
        array([1], dtype=int32)
        """
        table = self._checked(X)
        return self.tree_.apply(table, self.n_jobs)

    def decision_path(self, X: Any) -> Any:
        """Return the scipy CSR matrix (rows × nodes) with a 1 for each node a row passes.

        >>> from bough import TreeClassifier
        >>> TreeClassifier().fit([[1.0], [2.0]], ["a", "b"]).decision_path([[0.0]]).toarray()
        array([[1, 1, 0]])
        """
        table = self._checked(X)
        return self.tree_.decision_path(table, self.n_jobs)

    @property
    def feature_importances_(self) -> Floats:
        """The share of each column in what all splits of the tree gained; all 0 where nothing was gained.

        >>> from bough import TreeClassifier
        >>> TreeClassifier().fit([[1.0, 7.0], [2.0, 7.0]], ["a", "b"]).feature_importances_
        array([1., 0.])
        """
        check_is_fitted(self)
        importance = self.tree_.importance()
        total = importance.sum()
        return importance / total if total > 0 else importance

    def get_depth(self) -> int:
        """Return the number of splits on the tree's longest path.

        >>> from bough import TreeClassifier
        >>> TreeClassifier().fit([[1.0], [2.0]], ["a", "b"]).get_depth()
        1
        """
        check_is_fitted(self)
        return self.tree_.depth

    def get_n_leaves(self) -> int:
        """Return the number of the tree's leaves.

        >>> from bough import TreeClassifier
        >>> TreeClassifier().fit([[1.0], [2.0]], ["a", "b"]).get_n_leaves()
        2
        """
        check_is_fitted(self)
        return self.tree_.n_leaves

    def _html_repr(self) -> str:
        """Show the tree in a notebook, below scikit-learn's own picture of the parameters."""
        diagram: str = super()._html_repr()
        if not hasattr(self, "tree_"):
            return diagram
        from bough.reports.small import small_page

        return small_page(self.tree_) + diagram

    def _limits(self) -> Limits:
        names = [field.name for field in fields(Limits) if hasattr(self, field.name)]
        return Limits(**{name: getattr(self, name) for name in names})

    def _read_table(self, X: Any) -> Table:
        table = Table.read(
            X, categorical_features=self.categorical_features, ordinal_features=self.ordinal_features
        )
        validate_data(self, X, skip_check_array=True)
        return table

    def _checked(self, X: Any) -> Table:
        """Read a table; refuse what scikit-learn's conventions refuse: other names, order or width."""
        check_is_fitted(self)
        table = read_as(self, X, self.tree_.schema)
        if self.tree_.recipe.get("missing") == "refuse":
            native.refuse_missing(table, "missing values or levels never seen")
        return table

    def _grow(self, table: Table, sample: Sample, recipe: Recipe, given: Given) -> None:
        """Grow the tree and prune it."""
        check_total(sample.weights)
        self.tree_ = self._grown_and_pruned(table, sample, recipe, given.name)[1]

    def _pruning(self) -> Pruning | None:
        return pruning_of(self.prune)

    def _grown_and_pruned(
        self, table: Table, sample: Sample, recipe: Recipe, name: str | None
    ) -> tuple[Tree, Tree]:
        """Return the tree as it was grown, and as it was pruned."""
        pruning, target = self._pruning(), sample.target
        answers = target.codes if isinstance(target, ClassTarget) else target
        known = AnsweredRows(table, answers, sample.weights)
        held_out = pruning.held_out(known) if isinstance(pruning, ReducedError) else None
        tree = self._grown_without(held_out, table, sample, recipe, name)
        return tree, tree if pruning is None else pruning.prune(tree, known, held_out)

    def _grown_without(
        self,
        held_out: npt.NDArray[np.bool_] | None,
        table: Table,
        sample: Sample,
        recipe: Recipe,
        name: str | None,
    ) -> Tree:
        """Grow on the rows that are not held out."""
        if held_out is not None:
            rows = np.flatnonzero(~held_out)
            table, sample = table.take(rows), sample.take(rows)
        return self._grown(table, sample, recipe, None, name)[0]

    def _grown(
        self, table: Table, sample: Sample, recipe: Recipe, folds: Folds | None, name: str | None
    ) -> list[Tree]:
        """Grow the tree of all rows, and for each fold that of the rows outside it."""
        check_total(sample.weights)
        if isinstance(recipe.criterion, str):
            return native.grow_folds(table, sample, recipe, folds, target_name=name, n_jobs=self.n_jobs)
        n_folds = 0 if folds is None else int(folds.max(initial=-1)) + 1
        kept = [np.flatnonzero(folds != fold) for fold in range(n_folds)]
        parts = [(table, sample), *((table.take(rows), sample.take(rows)) for rows in kept)]
        engines = [MemoryEngine(part, own.target, own.weights, reads=recipe.reads) for part, own in parts]
        return [growth.grow(engine, recipe, target_name=name) for engine in engines]


class TreeClassifierEstimator(ClassifierMixin, TreeEstimator):  # type: ignore[misc]
    """A learner whose tree answers with a class."""

    classes_: npt.NDArray[Any]
    n_classes_: int
    class_weight: Any
    smoothing: Any

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Grow the tree for the classes y of the rows of X.

        A weight of 2 is the row twice and a weight of 0 is the row absent.

        >>> from bough import TreeClassifier
        >>> TreeClassifier().fit([[1.0], [2.0]], ["a", "b"]).predict([[3.0]])
        array(['b'], dtype='<U1')
        """
        recipe = self.recipe()
        check_smoothing(self.smoothing)
        table, target, weights, given = self._read_training(X, y, sample_weight)
        self._grow(table, self._sample(target, weights), recipe, given)
        self._note_classes(target.classes)
        return self

    def _read_training(self, X: Any, y: Any, sample_weight: Any) -> tuple[Table, ClassTarget, Weights, Given]:
        """Read the rows that weigh anything."""
        table = self._read_table(X)
        target = read_classes(required(self, y))
        check_lengths(table, len(target.codes))
        weights = self._weights(read_weights(sample_weight, table.n_rows), target)
        given = Given(table.n_rows, np.arange(table.n_rows), name_of(y))
        if (rows := present_rows(weights)) is None:
            return table, target, weights, given
        target = ClassTarget(target.classes, target.codes[rows])
        return self._read_table(take(X, rows)), target, weights.take(rows), given._replace(rows=rows)

    def _note_classes(self, classes: tuple[Any, ...]) -> None:
        # The tree breaks ties in the order of its classes; scikit-learn wants them sorted at its door.
        order = sorted_order(classes)
        self.classes_ = label_array(classes)[order]
        self.n_classes_ = len(order)

    def _at_the_door(self, probabilities: Floats) -> Floats:
        """Put the columns of the tree's classes into the order of `classes_`."""
        order = sorted_order(self.tree_.classes)
        return probabilities if (np.diff(order) == 1).all() else probabilities[:, order]

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Return the class of each row: that of the most weight where it ends.

        >>> from bough import TreeClassifier
        >>> TreeClassifier().fit([[1.0], [2.0]], ["a", "b"]).predict([[0.0]])
        array(['a'], dtype='<U1')
        """
        table = self._checked(X)
        return self.tree_.predict(table, self.n_jobs)

    def predict_proba(self, X: Any) -> Floats:
        """Return the probability of each class, in the order of `classes_`, smoothed as `smoothing` says.

        >>> from bough import TreeClassifier
        >>> TreeClassifier(smoothing="laplace").fit([[1.0], [2.0]], ["a", "b"]).predict_proba([[0.0]])
        array([[0.66666667, 0.33333333]])
        """
        table = self._checked(X)
        return self._at_the_door(self.tree_.predict_proba(table, self.smoothing, self.n_jobs))

    def predict_log_proba(self, X: Any) -> Floats:
        """Return the logarithm of each class's probability; −inf where it is 0.

        >>> from bough import TreeClassifier
        >>> TreeClassifier(smoothing=2.0).fit([[1.0], [2.0]], ["a", "b"]).predict_log_proba([[0.0]]).round(3)
        array([[-0.405, -1.099]])
        """
        with np.errstate(divide="ignore"):
            logarithms: Floats = np.log(self.predict_proba(X))
        return logarithms

    def _sample(self, target: ClassTarget, weights: Weights) -> Sample:
        return Sample(target, weights)

    def _weights(self, weights: Weights, target: ClassTarget) -> Weights:
        """Multiply the weights of the rows by those of their classes; cases stay as they are."""
        if self.class_weight is None:
            return weights
        own = np.ones(len(target.codes)) if weights.weight is None else weights.weight
        with np.errstate(over="ignore"):
            # A product beyond float64 is an infinite weight, which is refused as any other.
            weight = weights_of_classes(self.class_weight, target, own)[target.codes] * own
        product = read_weights(weight, len(own))
        return Weights(product.weight, weights.cases, product.whole)


class TreeRegressorEstimator(RegressorMixin, TreeEstimator):  # type: ignore[misc]
    """A learner whose tree answers with a number."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Grow the tree for the numbers y of the rows of X.

        A weight of 2 is the row twice and a weight of 0 is the row absent.

        >>> from bough import TreeRegressor
        >>> TreeRegressor().fit([[1.0], [2.0]], [10.0, 20.0]).predict([[3.0]])
        array([20.])
        """
        recipe = self.recipe()
        table = self._read_table(X)
        target = read_numbers(required(self, y))
        check_lengths(table, len(target))
        weights = read_weights(sample_weight, table.n_rows)
        given = Given(table.n_rows, np.arange(table.n_rows), name_of(y))
        if (rows := present_rows(weights)) is not None:
            given, weights, target = given._replace(rows=rows), weights.take(rows), target[rows]
            table = self._read_table(take(X, rows))
        if recipe.criterion == "poisson":
            check_events(target)
        check_reach(target, weights, recipe.criterion)
        self._grow(table, self._sample(target, weights, given), recipe, given)
        return self

    def _sample(self, target: Floats, weights: Weights, given: Given) -> Sample:
        return Sample(target, weights)

    def predict(self, X: Any) -> Floats:
        """Return the mean of y where each row ends, under absolute error the median.

        >>> from bough import TreeRegressor
        >>> TreeRegressor().fit([[1.0], [2.0]], [10.0, 20.0]).predict([[0.0]])
        array([10.])
        """
        table = self._checked(X)
        return self.tree_.predict(table, self.n_jobs)


def check_prune(prune: object) -> None:
    """Refuse a way of pruning that is not known.

    >>> check_prune("mdl")
    """
    pruning_of(prune)


def weights_of_classes(class_weight: Any, target: ClassTarget, weight: Floats) -> Floats:
    """Return the weight of each class; "balanced" gives each class with rows the same share of all weight."""
    if isinstance(class_weight, str) and class_weight == "balanced":
        sums = np.bincount(target.codes, weights=weight, minlength=len(target.classes))
        share = sums.sum() / np.count_nonzero(sums)
        if ((sums > 0) & (sums < share / _MOST_WEIGHT)).any():
            raise WeightError("A class weighs too little to be balanced; leave it out.")
        return np.array([share / each if each > 0 else 0.0 for each in sums])
    if not isinstance(class_weight, Mapping):
        raise ParameterError.of("class_weight", class_weight, "None, 'balanced' or a dict")
    unweighted = [label for label in target.classes if label not in class_weight]
    # As scikit-learn does: a class that y happens not to have is fine, a name that is none is not.
    if unweighted and len(target.classes) - len(unweighted) != len(class_weight):
        classes = ", ".join(map(repr, target.classes))
        raise ParameterError.of("class_weight", class_weight, f"a dict whose keys are among {classes}")
    weights = [class_weight.get(label, 1.0) for label in target.classes]
    for label, its in zip(target.classes, weights, strict=True):
        if not (isinstance(its, Real) and 0 <= its <= _MOST_WEIGHT):  # type: ignore[operator]
            raise ParameterError.of(f"class_weight[{label!r}]", its, "a finite number of at least 0")
    return np.array(weights, dtype=np.float64)


Criterion = str | Callable[[Floats], npt.ArrayLike]
