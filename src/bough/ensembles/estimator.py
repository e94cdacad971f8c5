"""What all forests share: they read a table, grow many trees by one recipe, and let them answer together."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted, validate_data

from bough.data.table import Table
from bough.data.target import ClassTarget, Weights, check_total
from bough.engines.native import refuse_missing
from bough.ensembles.forest import Forest
from bough.ensembles.growing import ForestRecipe, Sample, grow_forest
from bough.ensembles.progress import CallbackSupport, Watchers, shown, with_callbacks
from bough.ensembles.sampling import read_n_estimators, read_seed
from bough.errors import BoughError, ParameterError, TargetError
from bough.growing.limits import Limits
from bough.jobs import n_threads
from bough.learners.conventions import name_of, read_as
from bough.types import Floats

Target = ClassTarget | Floats
Sums = dict[str, npt.NDArray[Any]]

# While errors are followed, a forest grows in at most this many steps.
_STEPS = 20


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


@dataclass(frozen=True, eq=False)
class Followed:
    """Rows on which the error is followed while a forest grows: those of fit out of bag, or a test set."""

    name: str
    table: Table
    truth: npt.NDArray[Any]
    out_of_bag: bool


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
    def _followed_out_of_bag(self, given: Prepared) -> Followed | None:
        """Return the rows of fit if their error out of bag is asked for."""

    @abstractmethod
    def _error(self, sums: Sums, truth: npt.NDArray[Any], given: Prepared) -> float:
        """Return the error of what trees say together: the share of wrong classes, or the mean square."""

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
    def model_(self) -> Forest:
        """The model that answers, which can be saved: the forest.

        >>> from bough import RandomForestRegressor
        >>> RandomForestRegressor(3, bootstrap=False).fit([[1.0], [2.0]], [1.0, 2.0]).model_
        Forest(3 trees, 9 nodes)
        """
        check_is_fitted(self)
        return self.forest_

    @property
    def estimators_(self) -> list[Any]:
        """The trees, as `bough.Tree`s; `forest_.trees` makes only those that are asked for.

        >>> from bough import RandomForestRegressor
        >>> RandomForestRegressor(3).fit([[1.0], [2.0]], [1.0, 2.0]).estimators_[0].task
        'regression'
        """
        check_is_fitted(self)
        return list(self.forest_.trees)

    def apply(self, X: Any) -> npt.NDArray[np.int32]:
        """Return the node where each row ends in each tree (rows × trees).

        >>> from bough import RandomForestRegressor
        >>> model = RandomForestRegressor(2, bootstrap=False).fit([[1.0], [2.0]], [1.0, 2.0])
        >>> model.apply([[0.0]])
        array([[1, 1]], dtype=int32)
        """
        return self.forest_.apply(self._checked(X), self.n_jobs)

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
        table = read_as(self, X, self.forest_.schema)
        if self.forest_.recipe.get("missing") == "refuse":
            refuse_missing(table, "missing values or levels never seen")
        return table

    def _is_warm(self) -> bool:
        return bool(self.warm_start) and hasattr(self, "forest_")

    @with_callbacks  # type: ignore[untyped-decorator]
    def _grow(self, given: Prepared, y: Any, test: Followed | None) -> None:
        """Grow the trees that are wanted and not there yet; forget what fewer of them told."""
        check_total(given.weights)
        wanted, there = read_n_estimators(self.n_estimators), self.forest_.n_trees if self._is_warm() else 0
        if there > wanted:
            raise ParameterError.of(
                "n_estimators", wanted, f"at least the {there} trees there are when warm_start is True"
            )
        if there:
            self._check_warm(given)
        else:
            self._seed = read_seed(self.random_state)
        if there == wanted:
            warnings.warn(
                "Warm-start fitting without increasing n_estimators does not fit new trees.", stacklevel=3
            )
            return
        with shown(self, wanted - there, self.verbose) as watchers:
            grown = self._in_steps(given, name_of(y), there, wanted, watchers, test)
        forest = Forest.joined(*([self.forest_] if there else []), *grown)
        self.forest_ = replace(forest, **self._answering(forest))
        self._sample, self._n_rows = given.sample, given.table.n_rows
        self._rows, self._n_given = given.rows, given.n_given
        for name in [each for each in vars(self) if each.startswith(("oob_", "test_")) and each[-1] == "_"]:
            delattr(self, name)
        self.__dict__.pop("_leaf_rows", None)

    def _answering(self, forest: Forest) -> dict[str, Any]:
        """Return the fields of the forest that say how its trees answer together."""
        return {}

    def _in_steps(
        self,
        given: Prepared,
        target_name: str | None,
        there: int,
        wanted: int,
        watchers: Watchers | None,
        test: Followed | None,
    ) -> list[Forest]:
        """Grow the trees at once, or, where somebody watches their errors, some at a time."""
        rows = [] if not self.verbose else [each for each in (self._followed_out_of_bag(given), test) if each]
        step = _step(wanted - there, n_threads(self.n_jobs)) if rows else wanted - there
        sums: list[Sums] = [{} for _ in rows]
        if there:
            for each, own in zip(rows, sums, strict=True):
                self._add(own, self.forest_, each, given.sample, 0)
        grown: list[Forest] = []
        for first in range(there, wanted, step):
            many = min(step, wanted - first)
            forest = grow_forest(
                given.table,
                given.target,
                given.weights,
                given.recipe,
                given.sample,
                seed=self._seed,
                first_tree=first,
                n_trees=many,
                target_name=target_name,
                n_jobs=self.n_jobs,
                progress=None if watchers is None else watchers.part(first - there, many),
            )
            grown.append(forest)
            for each, own in zip(rows, sums, strict=True):
                self._add(own, forest, each, given.sample, first)
            if watchers is not None and rows:
                pairs = zip(rows, sums, strict=True)
                errors = {each.name: self._error(own, each.truth, given) for each, own in pairs}
                watchers.tell(first + many, errors)
        return grown

    def _add(self, sums: Sums, forest: Forest, rows: Followed, sample: Sample, first: int) -> None:
        """Add what the trees of a part of the forest say of rows."""
        bags = sample.native() if rows.out_of_bag else None
        said = self._tally(rows.table, forest, votes=True, sample=bags, seed=self._seed, first_tree=first)
        for name in ("share", "vote", "trees"):
            sums[name] = said[name] if name not in sums else sums[name] + said[name]

    def _read_test(self, given: Prepared, X_test: Any, y_test: Any) -> Followed | None:
        """Read the test set that is to be followed, if there is one."""
        if X_test is None and y_test is None:
            return None
        if X_test is None or y_test is None:
            there, lacking = ("y_test", "X_test") if X_test is None else ("X_test", "y_test")
            raise ParameterError(f"{there} is given, but {lacking} is None. Give both, or neither.")
        try:
            table = read_as(self, X_test, given.table.schema)
        except BoughError as error:
            raise type(error)(f"X_test cannot be followed: {error}") from None
        if given.recipe.missing == "refuse":
            refuse_missing(table, "missing values or levels never seen")
        try:
            truth = self._test_truth(given, y_test, table.n_rows)
        except TargetError as error:
            raise TargetError(f"y_test cannot be followed: {error}") from None
        return Followed("test", table, truth, out_of_bag=False)

    @abstractmethod
    def _test_truth(self, given: Prepared, y_test: Any, n_rows: int) -> npt.NDArray[Any]:
        """Read the target of the test set."""

    def _check_warm(self, given: Prepared) -> None:
        same = self.forest_.schema == given.table.schema and self._n_given == given.n_given
        if isinstance(given.target, ClassTarget):
            same = same and self.forest_.classes == given.target.classes
        if not same or not _alike(self._rows, given.rows):
            raise ParameterError(
                "warm_start is True, but the rows, columns or classes differ from those of the trees there "
                "are. Fit a new forest, or give the same table."
            )
        if not self._sample.is_like(given.sample):
            raise ParameterError(
                "warm_start is True, but bootstrap, replace, max_samples or strata differ from those of the "
                "trees there are, whose bags would no longer be known. Leave them, or fit a new forest."
            )

    def _tally(self, table: Table, forest: Forest | None = None, **options: Any) -> Sums:
        """Sum what the trees say; options that are not given ask for nothing."""
        return (self.forest_ if forest is None else forest).tally(table, self.n_jobs, **options)

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


def _alike(rows: npt.NDArray[np.intp] | None, others: npt.NDArray[np.intp] | None) -> bool:
    if rows is None or others is None:
        return rows is others
    return np.array_equal(rows, others)


def _step(n_trees: int, n_threads: int) -> int:
    """Return how many trees grow at a time while errors are followed: as many for each thread."""
    least = -(-n_trees // _STEPS)
    return -(-least // n_threads) * n_threads


def warn_of_unseen(times: npt.NDArray[np.uint32]) -> None:
    """Warn where some rows were in the bag of every tree.

    >>> warn_of_unseen(np.array([3, 1], dtype=np.uint32))
    """
    if (times == 0).any():
        warnings.warn(
            "Some inputs do not have OOB scores. This probably means too few trees were used to compute "
            "any reliable OOB estimates.",
            stacklevel=4,
        )
