"""The learner of transform regression (Pednault 2006); see `bough.ensembles.transform_regression`."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal, Self

from sklearn.base import RegressorMixin
from sklearn.utils.validation import check_is_fitted

from bough.data.training import GivenRows
from bough.ensembles.progress import CallbackSupport, fitted_with_progress, with_callbacks
from bough.ensembles.sampling import check_verbose
from bough.ensembles.transform_regression import fit_transform_regression
from bough.growing.draws import Ensemble
from bough.growing.limits import check_number, check_whole
from bough.growing.missing import IMPUTED, check_missing
from bough.growing.pruning import check_flag
from bough.growing.recipe import Recipe
from bough.learners.conventions import ModelLearner, values_of
from bough.learners.keyword_parameters import keyword_parameters
from bough.learners.linear_tree import LinearTreeRegressor
from bough.learners.parameters import ColumnParameters, ImputedParameters
from bough.models.committee import Committee
from bough.types import Floats


@keyword_parameters
class TransformParameters(ImputedParameters, ColumnParameters):
    """Parameters of transform regression.

    Parameters
    ----------
    max_iter
        The maximum number of stages.
    max_depth
        Maximum number of splits on a path of a linear tree; None for no limit.
    min_samples_leaf
        Minimum number of cases of a leaf; a fraction is of all cases. "auto" is 10.
    max_bins
        Cuts of a column lie between this many bins; None tries every cut.
    ridge
        The penalty of squared coefficients, of columns in units of their standard deviation among all rows.
    early_stopping
        Whether a fraction of the rows is held out to choose the number of stages, that of the lowest squared
        error on them. Tables of fewer than 10 rows are not divided.
    validation_fraction
        With `early_stopping`, the fraction of the rows to hold out.
    n_iter_no_change
        With `early_stopping`, stages end after this many without a lower error.
    refit
        With `early_stopping`, whether all rows are then fitted by as many stages.
    random_state
        Seed of the rows held out.
    verbose
        If at least 1, a progress bar is shown.

    """

    max_iter: int = 20
    max_depth: int | None = None
    min_samples_leaf: int | float | Literal["auto"] = "auto"
    max_bins: int | None = 64
    ridge: float = 1.0
    early_stopping: bool = True
    validation_fraction: float = 0.2
    n_iter_no_change: int = 3
    refit: bool = True
    random_state: Any = 0
    verbose: int = 0


class TransformRegressor(RegressorMixin, TransformParameters, CallbackSupport, ModelLearner):  # type: ignore[misc]
    """Transform regression (Pednault 2006): stages of transformed columns, combined by linear models.

    A stage transforms each column by a linear tree of this column and of what the stage before predicts,
    which is fitted to the residuals of that stage. A linear tree of all transforms, and again of the stage
    before, is fitted to y and is what the stage predicts. Sums of functions of one column, and functions of
    these, are what Kolmogorov's superposition theorem builds any continuous function of.

    The paper leaves choices open, and this is a variant. The output of the last stage alone is a derived
    column, which all trees of the next stage read. The transforms are combined by a linear tree in one step,
    in place of a stepwise linear model whose output is transformed again; it is fitted to y, not to the
    residuals, and so scales what was predicted before. Trees are those of `LinearTreeRegressor`, with ridge
    regression in the leaves, and are pruned as M5's. Rows held out choose the number of stages.

    Attributes
    ----------
    model_
        The chain of all linear trees, a `bough.models.committee.Committee` with "chain" voting.
    n_iter_
        The number of stages of the model.
    validation_errors_
        The mean squared error on the rows held out after each stage; empty without such rows.

    Examples
    --------
    >>> import bough
    >>> X = [[i % 10, i % 7] for i in range(210)]
    >>> y = [float(a * b) for a, b in X]
    >>> model = bough.TransformRegressor().fit(X, y)
    >>> model.predict([[4, 5]]).round(0)
    array([20.])

    """

    model_: Committee
    validation_errors_: Floats
    n_features_in_: int

    def recipe(self) -> Recipe:
        """Return the recipe that these parameters define; invalid parameters raise here.

        >>> TransformRegressor(max_iter=7).recipe().ensemble.n_estimators
        7
        """
        check_missing(self.missing, type(self).__name__, IMPUTED)
        for name in ("max_iter", "n_iter_no_change"):
            check_whole(name, getattr(self, name), 1, 2**31 - 1)
        for name in ("early_stopping", "refit"):
            check_flag(name, getattr(self, name))
        check_number("validation_fraction", self.validation_fraction, 0.0, 0.9, above=True)
        check_verbose(self.verbose)
        own = ("max_depth", "min_samples_leaf", "max_bins", "ridge", "missing")
        of_columns = ("categorical_features", "ordinal_features")
        tree = LinearTreeRegressor(**values_of(self, *own, *of_columns)).recipe()
        stopping = {
            "validation_fraction": float(self.validation_fraction),
            "n_iter_no_change": int(self.n_iter_no_change),
            "refit": bool(self.refit),
        }
        settings = dict(tree.settings) | (stopping if self.early_stopping else {})
        ensemble = Ensemble("transform_regression", int(self.max_iter))
        return replace(tree, ensemble=ensemble, settings=settings)

    @with_callbacks  # type: ignore[untyped-decorator]
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the stages to the rows of X and the numbers y.

        >>> X, y = [[i % 9, i] for i in range(90)], [float(i % 9) for i in range(90)]
        >>> TransformRegressor(max_iter=2, early_stopping=False).fit(X, y).n_iter_
        2
        """
        fitted = fitted_with_progress(self, GivenRows(X, y, sample_weight), fit_transform_regression)
        self.model_, self.validation_errors_ = fitted
        return self

    @property
    def n_iter_(self) -> int:
        """The number of stages of the model.

        >>> X, y = [[i] for i in range(60)], [abs(i - 30.0) for i in range(60)]
        >>> TransformRegressor(ridge=0, max_iter=3, early_stopping=False).fit(X, y).n_iter_
        3
        """
        check_is_fitted(self)
        # A stage has a transform of each column, and the tree that reads these.
        return len(self.model_.members) // (len(self.model_.schema) + 1)
