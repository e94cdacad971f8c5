"""scikit-learn's conventions for fit and predict: targets, lengths, column names and the order of classes."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted, validate_data

from bough.data.readers import collected
from bough.data.row_key import without_row_key
from bough.data.schema import Schema
from bough.data.table import Table
from bough.data.target import Weights
from bough.engines.native import refuse_missing
from bough.errors import SchemaError, TargetError
from bough.growing.missing import Missing
from bough.growing.recipe import Recipe
from bough.learners.documentation import complete
from bough.models.model import Model, relative_importance
from bough.types import Floats


class Estimator(BaseEstimator):  # type: ignore[misc]
    """Base class of all estimators: they accept missing values, and their docstrings are complete."""

    _several_targets: ClassVar[bool] = False
    """Whether y may have several columns."""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        complete(cls)

    def __sklearn_tags__(self) -> Tags:
        """Declare to scikit-learn that missing values are accepted."""
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags


def values_of(learner: Any, *names: str) -> dict[str, Any]:
    """Return some parameters of a learner by name, to pass them on.

    >>> from bough import TreeClassifier
    >>> values_of(TreeClassifier(max_depth=3), "criterion", "max_depth")
    {'criterion': 'gini', 'max_depth': 3}
    """
    return {name: getattr(learner, name) for name in names}


class ModelUser(Estimator):
    """Base class of estimators that predict with a model, `model_`."""

    _predicts_in_threads: ClassVar[bool] = False
    """Whether the methods of the model take `n_jobs`."""

    if TYPE_CHECKING:

        @property
        def model_(self) -> Model:
            """The model that predicts, which can be saved."""

    @property
    def feature_importances_(self) -> Floats:
        """Importance of each column: its share of the total of `model_.importance()`; all 0 without any gain.

        For trees that is the total gain of their splits.

        >>> from bough import TreeClassifier
        >>> TreeClassifier().fit([[1.0, 7.0], [2.0, 7.0]], ["a", "b"]).feature_importances_
        array([1., 0.])
        """
        check_is_fitted(self)
        return relative_importance(self.model_.importance())

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Return the prediction of the model for each row: a class or a number.

        >>> from bough import AdaBoostClassifier
        >>> AdaBoostClassifier().fit([[1.0], [2.0]] * 9, ["a", "b"] * 9).predict([[3.0]])
        array(['b'], dtype='<U1')
        """
        table = self._checked(X)
        return self.model_.predict(table, **self._threads())

    def _threads(self) -> dict[str, Any]:
        """Return the arguments about threads that the methods of the model take."""
        return {"n_jobs": self.n_jobs} if self._predicts_in_threads else {}

    def _checked(self, X: Any) -> Table:
        """Read X as a table; raise if column names, their order or their number differ from those of fit."""
        check_is_fitted(self)
        return rows_for(self, X, self.model_)


class ModelLearner(ModelUser):
    """Base class of learners that fit a model by a recipe, and predict with it."""

    @abstractmethod
    def recipe(self) -> Recipe:
        """Return the recipe that the parameters define; invalid parameters raise here."""


class ProbabilityPredictor:
    """The part of classifiers that predicts probabilities with the model."""

    def predict_proba(self: Any, X: Any) -> Any:
        """Return the probability of each class for each row, in the order of `classes_`.

        >>> from bough import ISLEClassifier
        >>> model = ISLEClassifier(n_estimators=9).fit([[1.0], [2.0]] * 9, ["a", "b"] * 9)
        >>> int(model.predict_proba([[2.0]]).argmax())
        1
        """
        table = self._checked(X)
        return self.model_.predict_proba(table, **self._threads())

    def predict_log_proba(self, X: Any) -> Any:
        """Return the logarithm of each class's probability; −inf where it is 0.

        >>> from bough import TreeClassifier
        >>> TreeClassifier(smoothing=2.0).fit([[1.0], [2.0]], ["a", "b"]).predict_log_proba([[0.0]]).round(3)
        array([[-0.405, -1.099]])
        """
        shares = self.predict_proba(X)
        with np.errstate(divide="ignore"):
            return [np.log(each) for each in shares] if isinstance(shares, list) else np.log(shares)


def note_columns(estimator: Any, X: Any) -> None:
    """Set `n_features_in_`, and `feature_names_in_` if X has column names, as scikit-learn does in fit.

    >>> import polars
    >>> from bough import TreeRegressor
    >>> model = TreeRegressor()
    >>> note_columns(model, polars.LazyFrame({"age": [31]}))
    >>> model.feature_names_in_.tolist()
    ['age']
    """
    if isinstance(X, np.ndarray) and X.ndim == 2:
        # An array has no names, and the tags that scikit-learn reads first take longer than a small fit.
        estimator.n_features_in_ = X.shape[1]
        vars(estimator).pop("feature_names_in_", None)
        return
    validate_data(estimator, collected(X), skip_check_array=True)


def note_schema(estimator: Any, schema: Schema) -> None:
    """Set `n_features_in_` and `feature_names_in_` by a schema, where the rows are not in memory.

    >>> from bough import TreeRegressor
    >>> model = TreeRegressor()
    >>> note_schema(model, Table.read([[1.0]]).schema)
    >>> model.feature_names_in_.tolist()
    ['x0']
    """
    estimator.n_features_in_, estimator.feature_names_in_ = len(schema), np.array(schema.names, dtype=object)


def read_as(
    estimator: Any, X: Any, schema: Schema, read: Callable[[Any, Schema], Table] = Table.fit_to
) -> Table:
    """Read X by the schema of fit; raise if column names, their order or their number differ.

    >>> import pandas as pd
    >>> from bough import TreeRegressor
    >>> model = TreeRegressor().fit(pd.DataFrame({"a": [1, 2], "b": [3, 4]}), [1.0, 2.0])
    >>> read_as(model, pd.DataFrame({"a": [1], "b": [3]}), model.tree_.schema).n_rows
    1
    """
    X = without_row_key(collected(X), getattr(estimator, "row_key", None), schema)
    try:
        # The reader knows better than scikit-learn what is wrong with anything but a frame.
        table = None if hasattr(X, "columns") else read(X, schema)
    except SchemaError as error:
        with_name = f"but {type(estimator).__name__} is expecting"
        raise SchemaError(str(error).replace("but Tree is expecting", with_name)) from None
    if isinstance(X, np.ndarray) and table is not None and not hasattr(estimator, "feature_names_in_"):
        return table
    try:
        validate_data(estimator, X, reset=False, skip_check_array=True)
    except ValueError as error:
        raise SchemaError(
            f"{str(error).rstrip()}\nSelect the columns by name in the order of feature_names_in_."
        ) from None
    return read(X, schema) if table is None else table


def rows_for(estimator: Any, X: Any, model: Model) -> Table:
    """Read X for a model of the estimator; raise where its recipe refuses missing values and X has some.

    >>> from bough import TreeRegressor
    >>> model = TreeRegressor(missing="refuse").fit([[1.0], [2.0]], [1.0, 2.0])
    >>> rows_for(model, [[None]], model.tree_)
    Traceback (most recent call last):
    bough.errors.TableError: Column 'x0' has missing values or levels never seen in 1 rows, but
    missing='refuse' allows none. Impute them, leave those rows out, or choose 'majority'.
    """
    table = read_as(estimator, X, model.schema)
    if model.recipe.get("missing") == "refuse":
        refuse_missing(table, "missing values or levels never seen", usual_missing(estimator))
    return table


def usual_missing(estimator: Any) -> Missing:
    """Return the policy for missing values that a learner has unless another one is given.

    >>> from bough import M5Regressor, TreeClassifier
    >>> usual_missing(M5Regressor(missing="refuse")), usual_missing(TreeClassifier())
    ('imputed', 'majority')
    """
    usual: Any = getattr(type(estimator), "missing", "auto")
    return "majority" if usual == "auto" else usual


def required(learner: str, y: Any) -> Any:
    """Return the target; raise if it is None.

    >>> required("TreeRegressor", None)
    Traceback (most recent call last):
    bough.errors.TargetError: This TreeRegressor estimator requires y to be passed, but the target y is None.
    """
    if y is None:
        raise TargetError(f"This {learner} estimator requires y to be passed, but the target y is None.")
    return y


def refuse_times(model: Any) -> None:
    """Raise if a model predicts hazards: times, some of them censored, cannot be compared with hazards.

    >>> from bough import CARTSurvival
    >>> refuse_times(CARTSurvival(prune="none").fit([[1], [2]], ([1.0, 4.0], [1, 1])))
    Traceback (most recent call last):
    bough.errors.TargetError: The model predicts relative hazards, and the times and statuses of rows cannot
    be compared with them as numbers. score(X, y) of the fitted estimator is the concordance of both, and
    report(model) without rows describes the model.
    """
    recipe = getattr(getattr(model, "tree_", model), "recipe", None)
    if isinstance(recipe, dict) and recipe.get("response") == "times":
        raise TargetError(
            "The model predicts relative hazards, and the times and statuses of rows cannot be compared with "
            "them as numbers. score(X, y) of the fitted estimator is the concordance of both, and "
            "report(model) without rows describes the model."
        )


def check_lengths(table: Table, n_targets: int) -> None:
    """Raise if the target and the table differ in length.

    >>> check_lengths(Table.read([[1.0]]), 2)
    Traceback (most recent call last):
    bough.errors.TargetError: Found input variables with inconsistent numbers of samples: X has 1 rows
    and y has 2. Give one y for each row.
    """
    if n_targets != table.n_rows:
        raise TargetError(
            f"Found input variables with inconsistent numbers of samples: X has {table.n_rows} rows "
            f"and y has {n_targets}. Give one y for each row."
        )


def present_rows(weights: Weights) -> npt.NDArray[np.intp] | None:
    """Return the rows of positive weight, or None if all rows have one.

    Rows of weight 0 are dropped before the table is read, so that their levels do not enter the schema.

    >>> from bough.data.target import read_weights
    >>> present_rows(read_weights([2, 0, 1], n_rows=3))
    array([0, 2])
    """
    if weights.weight is None or weights.weight.all():
        return None
    return np.flatnonzero(weights.weight)


def name_of(y: Any) -> str | None:
    """Return the name of a pandas or polars target, or None if it has none.

    >>> import pandas as pd
    >>> name_of(pd.Series([1, 2], name="mpg")), name_of([1, 2])
    ('mpg', None)
    """
    name = getattr(y, "name", None)
    if name is None and hasattr(y, "columns") and len(y.columns) == 1:
        name = y.columns[0]
    return name if isinstance(name, str) else None
