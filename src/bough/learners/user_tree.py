"""A learner that grows by a method of the user's own, and prunes as CART does."""

from __future__ import annotations

from typing import Any, Literal, Self, cast

import numpy as np
import numpy.typing as npt

from bough.data.readers import take
from bough.data.table import Table
from bough.data.target import check_total, read_weights
from bough.engines.native import Sample, refuse_missing
from bough.errors import ParameterError, TargetError
from bough.growing.recipe import Recipe
from bough.learners.conventions import check_lengths, name_of, present_rows, required
from bough.learners.cost_complexity import CostComplexityEstimator, Count, Prune
from bough.learners.estimator import Given
from bough.learners.folds import Folds
from bough.learners.user_growth import UserGrown, grow_by_method
from bough.learners.user_method import Checked, UserMethod
from bough.pruning import PathMethod
from bough.pruning.row_losses import RowLosses
from bough.tree import Tree
from bough.types import Floats


class UserTree(CostComplexityEstimator):
    """A binary tree grown by a method you write, pruned by 10-fold cross-validation and the 1-SE rule.

    The method says what nodes answer and how good a cut is; see `bough.UserMethod`. All else is as in CART:
    limits, weights, levels and missing values, and pruning by cost complexity with the method's own risk.
    Growth is a loop in Python, so it takes seconds where CART takes milliseconds.

    A method may answer with anything, so this is no regressor or classifier to scikit-learn; its `score` is
    minus the mean of the method's `error`.

    Parameters
    ----------
    method
        A `bough.UserMethod`.
    missing
        "majority": a row whose value a split needs and does not have follows the branch of most weight.
        "refuse": it is an error.
    max_depth, min_samples_split, min_samples_leaf, min_weight_fraction_leaf, max_leaf_nodes
        When to stop; see `bough.Limits`.
    min_impurity_decrease, min_improvement
        The least that a cut must be good for: by the root's weight, or as a share of the root's best cut.
    count, prune, cv, cp, ccp_alpha, path, random_state, categorical_features, ordinal_features, n_jobs
        As in `CARTClassifier`. Unless it is "none", `prune` needs the method's `error`.

    Attributes
    ----------
    tree_
        The pruned tree. Where nodes answer with several numbers, it has the first of them.
    answers_
        What each node of `tree_` answers: a number, or a row of numbers.
    grown_tree_, cp_table_
        As in `CARTClassifier`.

    Examples
    --------
    >>> import bough
    >>> class Median(bough.UserMethod):
    ...     def evaluate(self, y, weight):
    ...         median = np.median(np.repeat(y, weight.astype(int)))
    ...         return median, (weight * abs(y - median)).sum()
    >>> model = bough.UserTree(Median(), max_depth=1, prune="none")
    >>> model.fit([["a"], ["a"], ["b"], ["c"]], [1, 2, 7, 8]).predict([["a"], ["b"]])
    array([1.5, 7.5])

    """

    answers_: Floats

    def __init__(
        self,
        method: UserMethod,
        *,
        max_depth: int | None = None,
        min_samples_split: int | float = 2,
        min_samples_leaf: int | float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        min_improvement: float = 0.0,
        count: Count = "cases",
        missing: Literal["majority", "refuse"] = "majority",
        prune: Prune = "one_se",
        cv: Any = 10,
        cp: float = 0.0,
        ccp_alpha: float | None = None,
        path: PathMethod = "weakest_link",
        random_state: Any = 0,
        categorical_features: Any = "from_dtype",
        ordinal_features: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.method = method
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_leaf_nodes = max_leaf_nodes
        self.min_impurity_decrease = min_impurity_decrease
        self.min_improvement = min_improvement
        self.count = count
        self.missing = missing
        self.prune = prune
        self.cv = cv
        self.cp = cp
        self.ccp_alpha = ccp_alpha
        self.path = path
        self.random_state = random_state
        self.categorical_features = categorical_features
        self.ordinal_features = ordinal_features
        self.n_jobs = n_jobs

    def recipe(self) -> Recipe:
        """Return the recipe with these parameters; of the method it notes the name.

        >>> class Mine(UserMethod):
        ...     pass
        >>> UserTree(Mine(), prune="none").recipe().criterion_name
        'Mine'
        """
        self._check_pruning()
        checked = Checked(self.method)
        if self.missing not in ("majority", "refuse"):
            raise ParameterError.of("missing", self.missing, "'majority' or 'refuse'")
        if self.ccp_alpha is None and self.prune != "none" and self.cv is not None and not checked.has_error:
            raise ParameterError(
                f"prune is {self.prune!r}, which cross-validates, but {checked.name} has no "
                "error(y, answer). Write it, or choose prune='none', prune='cp' with cv=None, or ccp_alpha."
            )
        # A recipe notes the name of what is called.
        criterion = cast("Any", type(self.method))
        return Recipe(criterion, limits=self._limits(), missing=self.missing, task="regression")

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Grow the tree for the target y of the rows of X, which the method's `init` reads.

        A weight of 2 is the row twice and a weight of 0 is the row absent.

        >>> class Mean(UserMethod):
        ...     def evaluate(self, y, weight):
        ...         mean = np.average(y, weights=weight)
        ...         return mean, (weight * (y - mean) ** 2).sum()
        >>> UserTree(Mean(), prune="none").fit([[1], [2]], [3, 7]).tree_.n_leaves
        2
        """
        recipe = self.recipe()
        table = self._read_table(X)
        target = _rows_of(required(self, y))
        check_lengths(table, len(target))
        weights = read_weights(sample_weight, table.n_rows)
        n_rows = table.n_rows
        rows = np.arange(n_rows)
        if (present := present_rows(weights)) is not None:
            rows, weights, target = present, weights.take(present), target[present]
            table = self._read_table(take(X, rows))
        own = np.ones(len(target)) if weights.weight is None else weights.weight
        numbers = Checked(self.method).init(target, own)
        self._numbers = numbers
        self._grown_by_method: list[UserGrown] = []
        try:
            key = numbers if numbers.ndim == 1 else np.ascontiguousarray(numbers[:, 0])
            self._grow(table, Sample(key, weights), recipe, Given(n_rows, rows, name_of(y)))
            grown = self._grown_by_method[0]
            self.answers_ = grown.answers[_places(self.tree_, grown.tree)]
        finally:
            del self._numbers, self._grown_by_method
        return self

    def _grown(
        self, table: Table, sample: Sample, recipe: Recipe, folds: Folds | None, name: str | None
    ) -> list[Tree]:
        check_total(sample.weights)
        if recipe.missing == "refuse":
            refuse_missing(table)
        method, n_folds = Checked(self.method), 0 if folds is None else int(folds.max(initial=-1)) + 1
        kept = [np.arange(table.n_rows), *(np.flatnonzero(folds != fold) for fold in range(n_folds))]
        self._grown_by_method = [
            grow_by_method(
                table.take(rows), self._numbers[rows], sample.weights.take(rows), method, recipe, name
            )
            for rows in kept
        ]
        return [grown.tree for grown in self._grown_by_method]

    def _held_out_loss(self, sample: Sample, recipe: Recipe) -> RowLosses:
        method, numbers = Checked(self.method), self._numbers
        answers = {id(grown.tree): grown.answers for grown in self._grown_by_method}

        def lost(tree: Tree, nodes: npt.NDArray[np.int32], rows: npt.NDArray[np.intp]) -> Floats:
            return method.error(numbers[rows], answers[id(tree)][nodes])

        return RowLosses(lost)

    def predict(self, X: Any) -> Floats:
        """Return what each row is answered: a number, or a row of numbers.

        >>> class Range(UserMethod):
        ...     def evaluate(self, y, weight):
        ...         return [y.min(), y.max()], y.max() - y.min()
        >>> UserTree(Range(), prune="none", max_depth=1).fit([[1], [2], [3]], [3, 4, 9]).predict([[1]])
        array([[3., 4.]])
        """
        table = self._checked(X)
        return self.answers_[self.tree_.apply(table, self.n_jobs)]

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return minus the mean error of the answers, by the method's own `error`; 0 is the best.

        >>> class Mean(UserMethod):
        ...     def evaluate(self, y, weight):
        ...         return y.mean(), ((y - y.mean()) ** 2).sum()
        ...     def error(self, y, answer):
        ...         return (y - answer) ** 2
        >>> UserTree(Mean(), max_depth=1, prune="none").fit([[1], [2]], [3, 7]).score([[1], [2]], [3, 9])
        -2.0
        """
        answers, method = self.predict(X), Checked(self.method)
        target = _rows_of(required(self, y))
        weight = read_weights(sample_weight, len(target)).weight
        own = np.ones(len(target)) if weight is None else weight
        if len(target) != len(answers):
            raise TargetError(f"X has {len(answers)} rows and y has {len(target)}; give one y for each row.")
        return -float(np.average(method.error(method.init(target, own), answers), weights=own))


def _rows_of(y: Any) -> npt.NDArray[Any]:
    """Return the target as an array with a row for each row; what is missing is refused."""
    try:
        target = np.asarray(y)
    except ValueError as error:
        raise TargetError(f"y cannot be read as an array: {error}.") from None
    if target.ndim not in (1, 2):
        raise TargetError(f"y has shape {target.shape}; give a value, or a row of values, for each row of X.")
    missing = np.zeros(len(target), dtype=np.bool_)
    if target.dtype.kind == "f":
        missing = np.isnan(target).reshape(len(target), -1).any(axis=1)
    elif target.dtype.kind == "O":
        missing = np.array([any(map(_is_missing, np.ravel(row))) for row in target], dtype=np.bool_)
    if missing.any():
        raise TargetError(f"y is missing in row {int(np.argmax(missing))}; leave such rows out.")
    return target


def _is_missing(value: object) -> bool:
    # Neither NaN nor the missing values of pandas equal themselves.
    same = value == value
    return value is None or not (isinstance(same, bool | np.bool_) and bool(same))


def _places(pruned: Tree, grown: Tree) -> npt.NDArray[np.intp]:
    """Return which node of the tree that was grown each node of the pruned one was."""
    place = np.zeros(pruned.n_nodes, dtype=np.intp)
    for node in range(pruned.n_nodes):
        children = pruned.children(node)
        if children:
            first = int(grown.first_child[place[node]])
            place[children[0] : children[-1] + 1] = np.arange(first, first + len(children))
    return place
