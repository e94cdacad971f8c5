"""What all forests share: they read a table, grow many trees by one recipe, and let them answer together."""

from __future__ import annotations

import math
import warnings
from abc import abstractmethod
from dataclasses import dataclass, fields, replace
from numbers import Integral, Real
from typing import Any, ClassVar, Literal, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator
from sklearn.utils import Tags, check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from bough.engines.native import refuse_missing
from bough.ensembles.forest import Forest
from bough.ensembles.growing import ForestRecipe, Sample, grow_forest
from bough.ensembles.importance import PermutationImportance, debiased_importance, permutation_importance
from bough.ensembles.progress import CallbackSupport, shown, with_callbacks
from bough.ensembles.proximity import outlier_scores, proximity
from bough.errors import ParameterError, SchemaError, TargetError
from bough.jobs import n_threads
from bough.learners.estimator import is_plain, name_of, sorted_order
from bough.limits import Limits
from bough.table import Table
from bough.target import ClassTarget, Weights, check_total, read_classes

Floats = npt.NDArray[np.float64]
Target = ClassTarget | Floats


@dataclass(frozen=True, eq=False)
class Prepared:
    """All that a forest is grown from: the rows that weigh anything, and how trees are made of them."""

    table: Table
    target: Target
    weights: Weights
    recipe: ForestRecipe
    sample: Sample
    rows: npt.NDArray[np.intp] | None
    """Which of the rows given these are; None: all."""
    n_given: int


class ForestEstimator(CallbackSupport, BaseEstimator):  # type: ignore[misc]
    """A learner of many trees. A subclass says how each is grown and what they answer together."""

    forest_: Forest
    n_features_in_: int
    _random_splits: ClassVar[bool] = False
    _sample: Sample
    _seed: int
    _n_rows: int
    _rows: npt.NDArray[np.intp] | None
    _n_given: int

    # The parameters, which subclasses set.
    n_estimators: int
    criterion: str
    max_features: Any
    bootstrap: bool
    warm_start: bool
    random_state: Any
    verbose: int
    n_jobs: int | None
    categorical_features: Any
    ordinal_features: Any

    @abstractmethod
    def _prepared(self, X: Any, y: Any, sample_weight: Any, strata: Any) -> Prepared:
        """Read what fit is given; parameters are checked here."""

    @abstractmethod
    def _truth(self, y: Any, n_rows: int) -> npt.NDArray[Any]:
        """Read the target of other rows: codes of the forest's classes, or numbers."""

    @abstractmethod
    def _recipe(self, n_columns: int) -> ForestRecipe:
        """Return the recipe that the parameters spell out; they are checked here."""

    def __sklearn_tags__(self) -> Tags:
        """Tell scikit-learn what tables are taken: levels as they are, missing values as they are."""
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = False
        return tags

    def __len__(self) -> int:
        """Return the number of trees."""
        check_is_fitted(self)
        return self.forest_.n_trees

    @property
    def estimators_(self) -> list[Any]:
        """The trees, as `bough.Tree`s; `forest_.trees` makes only those that are asked for.

        >>> from bough import RandomForestRegressor
        >>> RandomForestRegressor(3).fit([[1.0], [2.0]], [1.0, 2.0]).estimators_[0].task
        'regression'
        """
        check_is_fitted(self)
        return list(self.forest_.trees)

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

    def apply(self, X: Any) -> npt.NDArray[np.int32]:
        """Return the node where each row ends in each tree (rows × trees).

        >>> from bough import RandomForestRegressor
        >>> model = RandomForestRegressor(2, bootstrap=False).fit([[1.0], [2.0]], [1.0, 2.0])
        >>> model.apply([[0.0]])
        array([[1, 1]], dtype=int32)
        """
        return self.forest_.apply(self._checked(X), self.n_jobs)

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
        counts = self.in_bag()
        return [np.repeat(np.arange(len(counts)), counts[:, tree]) for tree in range(counts.shape[1])]

    def permutation_importance(self, X: Any, y: Any, *, by_case: bool = False) -> PermutationImportance:
        """Return what is lost on rows out of bag when a column is shuffled; X and y must be those of fit.

        `by_case` also tells it for each row (localImp), which takes rows × columns numbers.

        >>> from bough import RandomForestClassifier
        >>> X, y = [[1.0, 7.0], [2.0, 7.0]] * 20, ["a", "b"] * 20
        >>> model = RandomForestClassifier(50, random_state=0).fit(X, y)
        >>> model.permutation_importance(X, y, by_case=True).by_case.shape
        (40, 2)
        """
        table, rows = self._training_rows(X)
        order = sorted_order(self.forest_.classes) if self.forest_.classes else None
        target = self._truth(y, self._n_given)
        target = target if rows is None else target[rows]
        found = permutation_importance(self, table, target, order, by_case)
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

    def _training_rows(self, X: Any) -> tuple[Table, npt.NDArray[np.intp] | None]:
        """Read the table of fit again; return its rows that weigh something, and which they are."""
        table = self._checked(X)
        rows = self._rows if table.n_rows == self._n_given else None
        table = table if rows is None else table.take(rows)
        self._check_training_rows(table)
        return table, rows

    def _expanded(self, values: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Give rows that weigh nothing a place: NaN, or 0 among whole numbers."""
        if self._rows is None:
            return values
        nothing = np.nan if values.dtype.kind == "f" else 0
        full = np.full((self._n_given, *values.shape[1:]), nothing, dtype=values.dtype)
        full[self._rows] = values
        return full

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
        table = Table.fit_to(X, self.forest_.schema) if is_plain(X) else None
        try:
            validate_data(self, X, reset=False, skip_check_array=True)
        except ValueError as error:
            raise SchemaError(
                f"{str(error).rstrip()}\nSelect the columns by name in the order of feature_names_in_."
            ) from None
        if table is None:
            table = Table.fit_to(X, self.forest_.schema)
        if self.forest_.recipe.get("missing") == "refuse":
            refuse_missing(table, "missing values or levels never seen")
        return table

    def _n_trees(self) -> int:
        n = self.n_estimators
        if not isinstance(n, Integral) or isinstance(n, bool) or n < 1:
            raise ParameterError.of("n_estimators", n, "a whole number of at least 1")
        return int(n)

    def _is_warm(self) -> bool:
        return bool(self.warm_start) and hasattr(self, "forest_")

    @with_callbacks  # type: ignore[untyped-decorator]
    def _grow(self, given: Prepared, y: Any) -> bool:
        """Grow the trees that are wanted and not there yet; return whether any was."""
        check_total(given.weights)
        wanted, there = self._n_trees(), self.forest_.n_trees if self._is_warm() else 0
        if there > wanted:
            raise ParameterError.of(
                "n_estimators", wanted, f"at least the {there} trees there are when warm_start is True"
            )
        if there:
            self._check_warm(given.table, given.target)
        else:
            self._seed = int(check_random_state(self.random_state).randint(np.iinfo(np.int32).max))
        if there == wanted:
            warnings.warn(
                "Warm-start fitting without increasing n_estimators does not fit new trees.", stacklevel=3
            )
            return False
        with shown(self, wanted - there, self.verbose) as progress:
            forest = grow_forest(
                given.table,
                given.target,
                given.weights,
                given.recipe,
                given.sample,
                seed=self._seed,
                first_tree=there,
                n_trees=wanted - there,
                target_name=name_of(y),
                n_jobs=self.n_jobs,
                progress=progress,
            )
        self.forest_ = self.forest_.joined(forest) if there else forest
        self._sample, self._n_rows = given.sample, given.table.n_rows
        self._rows, self._n_given = given.rows, given.n_given
        return True

    def _check_warm(self, table: Table, target: Target) -> None:
        same = self.forest_.schema == table.schema
        if isinstance(target, ClassTarget):
            same = same and self.forest_.classes == target.classes
        if not same or table.n_rows != self._n_rows:
            raise ParameterError(
                "warm_start is True, but the rows, columns or classes differ from those of the trees there "
                "are. Fit a new forest, or give the same table."
            )

    def _tally(self, table: Table, **options: Any) -> dict[str, npt.NDArray[Any]]:
        """Sum what the trees say; options that are not given ask for nothing."""
        asked: dict[str, Any] = {
            "shares": True,
            "votes": False,
            "decide": False,
            "label": None,
            "y": None,
            "by_votes": False,
            "cutoff": [],
            "sample": None,
            "seed": 0,
            "n_threads": n_threads(self.n_jobs),
            "progress": None,
        } | options
        return self.forest_.native.tally(table.native(), table.n_rows, **asked)

    def _check_training_rows(self, table: Table) -> None:
        if table.n_rows != self._n_rows:
            raise ParameterError(
                f"X has {table.n_rows} rows, but the forest was grown on {self._n_rows}. Which rows a tree "
                "did not draw is known of those alone: give the same table."
            )
        if self._sample.draw == "all":
            raise ParameterError.of(
                "bootstrap", self.bootstrap, "True: where every tree gets all rows, none is out of bag"
            )

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Grow the forest that predicts y from the rows of X."""
        raise NotImplementedError


def read_max_features(max_features: Any, n_columns: int) -> int:
    """Return how many columns a node looks at, of scikit-learn's words, a number or a fraction.

    >>> read_max_features("sqrt", 28), read_max_features(0.3, 10), read_max_features(None, 10)
    (5, 3, 10)
    >>> read_max_features("auto", 28)
    Traceback (most recent call last):
    bough.errors.ParameterError: max_features is 'auto'; it must be 'sqrt', 'log2', None, a whole number of
    at least 1 or a fraction in (0, 1].
    """
    if max_features is None:
        return n_columns
    if isinstance(max_features, str) and max_features in ("sqrt", "log2"):
        root = math.sqrt(n_columns) if max_features == "sqrt" else math.log2(n_columns)
        return max(1, int(root))
    if isinstance(max_features, Integral) and not isinstance(max_features, bool) and int(max_features) >= 1:
        return min(int(max_features), n_columns)
    if (
        isinstance(max_features, Real)
        and not isinstance(max_features, Integral)
        and 0 < float(max_features) <= 1
    ):
        return max(1, int(float(max_features) * n_columns))
    wanted = "'sqrt', 'log2', None, a whole number of at least 1 or a fraction in (0, 1]"
    raise ParameterError.of("max_features", max_features, wanted)
