"""What learners that prune by cost complexity share: growth, cross-validation and the choice of a tree."""

from __future__ import annotations

import warnings
from dataclasses import replace
from numbers import Real
from typing import Any, Literal, TypeAlias, cast, get_args

import numpy as np

from bough.data.table import Table
from bough.data.target import ClassTarget
from bough.engines.native import Sample
from bough.errors import ParameterError
from bough.growing.recipe import Missing, Recipe
from bough.learners.estimator import Given, Rows, TreeEstimator
from bough.learners.folds import read_folds
from bough.pruning import Choice, CrossValidatedPath, HeldOutLoss, PathMethod, cross_validated
from bough.pruning.cross_validation import LossKind
from bough.pruning.methods import Pruning, pruning_of
from bough.pruning.row_losses import RowLosses
from bough.tree import Tree
from bough.types import Floats

Prune: TypeAlias = Literal["one_se", "minimum", "cp", "none"]
"""How the tree is pruned: by cross-validation and the 1-SE rule or the least risk; at `cp` alone, while
cross-validation tells what other cps would give; or not at all."""

Count: TypeAlias = Literal["cases", "rows"]
"""What the limits count where weights are whole numbers: cases, a weight of 2 being two; or rows."""


class CostComplexityEstimator(TreeEstimator):
    """A learner of one tree that is grown large and pruned."""

    cp_table_: CrossValidatedPath
    grown_tree_: Tree
    prune: Prune | Pruning | str
    cv: Any
    cp: float
    ccp_alpha: float | None
    path: PathMethod
    count: Count
    missing: Missing | Literal["auto"]
    random_state: Any
    combinations: Any = None

    def _check_pruning(self) -> None:
        pruning = self._pruning()
        _check_choice("path", self.path, get_args(PathMethod))
        _check_choice("count", self.count, get_args(Count))
        _check_share("cp", self.cp)
        if (self.prune == "none" or pruning is not None) and self.cp != 0:
            raise ParameterError.of("cp", self.cp, f"0 with prune={self.prune!r}; choose prune='cp'")
        if pruning is not None and self.ccp_alpha is not None:
            raise ParameterError.of("ccp_alpha", self.ccp_alpha, f"None with prune={self.prune!r}")
        if self.cv is None and self.prune in ("one_se", "minimum") and self.ccp_alpha is None:
            raise ParameterError.of(
                "cv", None, f"given for prune={self.prune!r}, which is by cross-validation"
            )
        if self.ccp_alpha is not None:
            _check_share("ccp_alpha", self.ccp_alpha)

    def _pruning(self) -> Pruning | None:
        """Return how the tree is pruned where that is not by cost complexity."""
        if self._counts_errors():
            return pruning_of(self.prune, get_args(Prune))
        _check_choice("prune", self.prune, get_args(Prune))
        return None

    def _counts_errors(self) -> bool:
        """Tell whether other prunings can judge the answers: by rows misclassified, or by squared errors."""
        return False

    def _missing(self) -> Missing:
        if self.missing != "auto":
            return self.missing
        # A function is given tables of counts, which know no surrogates; nor do combinations of columns.
        has_surrogates = isinstance(self.criterion, str) and self.combinations is None
        return "surrogates_then_majority" if has_surrogates else "majority"

    def _grow(self, table: Table, sample: Sample, recipe: Recipe, given: Given) -> None:
        rows = given.rows
        if self.count == "rows":
            sample = replace(sample, weights=replace(sample.weights, cases=None))
        if recipe.missing not in ("majority", "refuse"):
            table, sample, rows = with_values(table, sample, rows)
        if self._pruning() is not None:
            self.grown_tree_, self.tree_ = self._grown_and_pruned(table, sample, recipe, given.name)
            return
        folds = None
        if self.ccp_alpha is None and self.prune != "none" and self.cv is not None:
            folds = read_folds(self.cv, sample.target, rows, given.n_rows, self.random_state)
        if self.cp > 0:
            # A node with so little risk can only hold splits that do not pay.
            recipe = replace(recipe, limits=replace(recipe.limits, min_risk=float(self.cp)))
        trees = self._grown(table, sample, recipe, folds, given.name)
        keeps_all = self.cp == 0 and self.prune != "cp"
        tree = trees[0] if keeps_all else trees[0].pruned(self.cp, relative=True, method=self.path)
        self.grown_tree_ = tree
        self.tree_ = tree
        if self.ccp_alpha is not None:
            self.tree_ = tree.pruned(self.ccp_alpha * float(tree.weight[0]), method=self.path)
        elif folds is not None:
            self.cp_table_ = cross_validated(
                tree,
                trees[1:],
                folds,
                table,
                sample.weights.weight,
                self._held_out_loss(sample, recipe),
                least=self.cp,
                method=self.path,
                n_jobs=self.n_jobs,
            )
            if self.prune in ("one_se", "minimum"):
                choice = cast("Choice", self.prune)
                alpha = float(self.cp_table_.alphas[self.cp_table_.chosen(choice)])
                self.tree_ = tree.pruned(alpha, method=self.path)

    def _held_out_loss(self, sample: Sample, recipe: Recipe) -> HeldOutLoss | RowLosses:
        return held_out_loss(sample, recipe, getattr(self, "cv_error", "deviance"))


def held_out_loss(sample: Sample, recipe: Recipe, cv_error: str) -> HeldOutLoss:
    """Return how answers are held against what is true of the rows of a sample."""
    target = sample.target
    if isinstance(target, ClassTarget):
        k = len(target.classes)
        cost = 1.0 - np.eye(k) if sample.loss is None else sample.loss
        if sample.class_scale is not None:
            cost = cost * sample.class_scale[:, None]
        return HeldOutLoss("classes", target.codes.astype(np.float64), np.ascontiguousarray(cost))
    if recipe.criterion == "poisson":
        kind: LossKind = "roots" if cv_error == "sqrt" else "poisson"
        return HeldOutLoss(kind, target, exposure=_exposure(sample))
    return HeldOutLoss("absolute" if recipe.criterion == "absolute_error" else "squared", target)


def _exposure(sample: Sample) -> Floats | None:
    if sample.split_weight is None:
        return None
    weight = sample.weights.weight
    return sample.split_weight if weight is None else sample.split_weight / weight


def with_values(table: Table, sample: Sample, rows: Rows) -> tuple[Table, Sample, Rows]:
    """Leave out the rows without any value, with a warning: no split can place them.

    >>> from bough.data.target import read_weights
    >>> sample = Sample(np.array([1.0, 2.0]), read_weights(None, 2))
    >>> with_values(Table.read([[1.0], [2.0]]), sample, np.arange(2))[2]
    array([0, 1])
    """
    empty = np.ones(table.n_rows, dtype=np.bool_)
    for column, values in zip(table.schema.columns, table.columns, strict=True):
        empty &= np.isnan(values) if column.scale == "numeric" else values < 0
        if not empty.any():
            return table, sample, rows
    kept = np.flatnonzero(~empty)
    if len(kept) == 0:
        return table, sample, rows
    warnings.warn(
        f"{int(empty.sum())} rows have no value in any column (the first is row {rows[np.argmax(empty)]}); "
        "they are left out, for no split can place them.",
        UserWarning,
        stacklevel=4,
    )
    return table.take(kept), sample.take(kept), rows[kept]


def _check_choice(name: str, value: object, choices: tuple[str, ...]) -> None:
    if not (isinstance(value, str) and value in choices):
        raise ParameterError.of(name, value, f"one of {', '.join(map(repr, choices))}")


def _check_share(name: str, value: object) -> None:
    is_number = isinstance(value, Real) and not isinstance(value, bool)
    if not (is_number and 0 <= value < np.inf):  # type: ignore[operator]
        raise ParameterError.of(name, value, "a finite number of at least 0")
