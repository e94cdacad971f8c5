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

from bough.data.scales import Scales
from bough.data.table import Table
from bough.data.target import ClassTarget, check_total
from bough.data.training import Training
from bough.engines.native import refuse_missing
from bough.ensembles.forest import Forest
from bough.ensembles.growing import check_criterion, grow_forest
from bough.ensembles.parameters import ForestParameters
from bough.ensembles.progress import CallbackSupport, Watchers, shown, with_callbacks
from bough.ensembles.sampling import (
    read_max_features,
    read_n_estimators,
    read_sample,
    read_seed,
    rows_of_strata,
)
from bough.errors import BoughError, ParameterError, TargetError
from bough.growing.draws import ColumnSampling, Ensemble, RowSampling
from bough.growing.limits import Limits
from bough.growing.missing import BY_FOREST, check_missing
from bough.growing.nominal import BY_FOREST as LEVEL_SPLITS
from bough.growing.nominal import check_nominal
from bough.growing.recipe import Recipe
from bough.jobs import n_threads
from bough.learners.conventions import read_as
from bough.learners.reading import read_training, resolved
from bough.tree import Task
from bough.tree.routing import path_matrix
from bough.types import Floats

Target = ClassTarget | Floats
Sums = dict[str, npt.NDArray[Any]]

# While errors are followed, a forest grows in at most this many steps.
_STEPS = 20


@dataclass(frozen=True, eq=False)
class Prepared:
    """What a forest is grown from: the rows that weigh anything, and the recipe of the forest."""

    training: Training
    recipe: Recipe

    @property
    def table(self) -> Table:
        """The table of the rows."""
        return self.training.table

    @property
    def target(self) -> Target:
        """The target of the rows."""
        return self.training.target

    @property
    def sampling(self) -> RowSampling:
        """How each tree draws its rows."""
        assert self.recipe.ensemble is not None
        return self.recipe.ensemble.rows

    @property
    def rows(self) -> npt.NDArray[np.intp] | None:
        """Which of the rows given these are; None: all."""
        return None if len(self.training.rows) == self.training.n_given else self.training.rows


@dataclass(frozen=True, eq=False)
class Followed:
    """Rows on which the error is followed while a forest grows: those of fit out of bag, or a test set."""

    name: str
    table: Table
    truth: npt.NDArray[Any]
    out_of_bag: bool


class ForestEstimator(ForestParameters, CallbackSupport, BaseEstimator):  # type: ignore[misc]
    """A learner of many trees. A subclass says how each is grown and what they answer together."""

    forest_: Forest
    n_features_in_: int
    _random_splits: ClassVar[bool] = False
    _sampling: RowSampling
    _seed: int
    _n_rows: int
    _rows: npt.NDArray[np.intp] | None
    _n_given: int

    criterion: str

    @abstractmethod
    def recipe(self) -> Recipe:
        """Return the recipe that the parameters stand for; they are checked here."""

    def _columns(self, n_columns: int) -> ColumnSampling:
        """Return which of the columns a node looks at."""
        return ColumnSampling(
            read_max_features(self.max_features, n_columns),
            keep_searching=bool(self.seek),
            random_splits=self._random_splits,
        )

    def _forest_parts(self, task: Task) -> dict[str, Any]:
        """Return the parts of the recipe that forests of classes and of numbers share."""
        check_criterion(self.criterion, task)
        check_missing(self.missing, type(self).__name__, BY_FOREST)
        check_nominal(getattr(self, "nominal", "ordered"), type(self).__name__, LEVEL_SPLITS)
        return {
            "nominal": getattr(self, "nominal", "ordered"),
            "limits": self._limits(),
            "missing": self.missing,
            "scales": Scales(self.categorical_features, self.ordinal_features),
            "task": task,
        }

    def _prepared(self, X: Any, y: Any, sample_weight: Any, strata: Any) -> Prepared:
        """Read what fit is given; parameters are checked here."""
        recipe, name = self.recipe(), type(self).__name__
        n_estimators = read_n_estimators(self.n_estimators)
        training = read_training(
            recipe,
            X,
            y,
            sample_weight,
            learner=name,
            seen=lambda X: validate_data(self, X, skip_check_array=True),
        )
        target, n_rows = training.target, training.table.n_rows
        if n_rows < training.n_given:
            strata = rows_of_strata(strata, training.rows, training.n_given)
        rows = read_sample(
            n_rows,
            bootstrap=self.bootstrap,
            replace=self.replace,
            max_samples=self.max_samples,
            strata=strata,
            classes=(target.classes, target.codes) if isinstance(target, ClassTarget) else None,
        )
        columns = self._columns(len(training.table.schema))
        ensemble = Ensemble("forest", n_estimators, rows)
        recipe = replace(resolved(recipe, training), columns=columns, ensemble=ensemble)
        return Prepared(training, recipe)

    @abstractmethod
    def _truth(self, y: Any, n_rows: int) -> npt.NDArray[Any]:
        """Read the target of other rows: codes of the forest's classes, or numbers."""

    @abstractmethod
    def _followed_out_of_bag(self, given: Prepared) -> Followed | None:
        """Return the rows of fit if their error out of bag is asked for."""

    @abstractmethod
    def _error(self, sums: Sums, truth: npt.NDArray[Any], given: Prepared) -> float:
        """Return the error of what trees say together: the share of wrong classes, or the mean square."""

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

    def decision_path(self, X: Any) -> tuple[Any, npt.NDArray[np.int32]]:
        """Return the nodes that each row passes in each tree, as scikit-learn's forests do.

        That is a scipy CSR matrix (rows × nodes of all trees) with a 1 for each node that a row passes, and
        the column at which the nodes of each tree begin, with the number of all nodes at the end.

        >>> from bough import RandomForestRegressor
        >>> model = RandomForestRegressor(2, bootstrap=False).fit([[1.0], [2.0]], [1.0, 2.0])
        >>> indicator, n_nodes_ptr = model.decision_path([[0.0]])
        >>> indicator.toarray(), n_nodes_ptr
        (array([[1, 1, 0, 1, 1, 0]]), array([0, 3, 6], dtype=int32))
        """
        from scipy.sparse import hstack

        trees, ends = self.estimators_, self.apply(X)
        paths = [path_matrix(tree, np.ascontiguousarray(ends[:, t])) for t, tree in enumerate(trees)]
        starts = np.cumsum([0, *(tree.n_nodes for tree in trees)], dtype=np.int32)
        return hstack(paths, format="csr"), starts

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
    def _grow(self, given: Prepared, test: Followed | None) -> None:
        """Grow the trees that are wanted and not there yet; forget what fewer of them told."""
        check_total(given.training.weights)
        wanted, there = read_n_estimators(self.n_estimators), self.forest_.n_trees if self._is_warm() else 0
        if there > wanted:
            raise ParameterError.of(
                "n_estimators", wanted, f"at least the {there} trees there are when warm_start is True"
            )
        if there:
            self._check_warm(given)
        else:
            self._seed = read_seed(self.random_state)
        given = replace(given, recipe=replace(given.recipe, seed=self._seed))
        if there == wanted:
            warnings.warn(
                "Warm-start fitting without increasing n_estimators does not fit new trees.", stacklevel=3
            )
            return
        with shown(self, wanted - there, self.verbose) as watchers:
            grown = self._in_steps(given, there, wanted, watchers, test)
        joined = Forest.joined(*([self.forest_] if there else []), *grown)
        recorded = given.recipe.to_json()
        self.forest_ = replace(joined, recipe=recorded, **self._answering(joined))
        self._sampling, self._n_rows = given.sampling, given.table.n_rows
        self._rows, self._n_given = given.rows, given.training.n_given
        for name in [each for each in vars(self) if each.startswith(("oob_", "test_")) and each[-1] == "_"]:
            delattr(self, name)
        self.__dict__.pop("_leaf_rows", None)

    def _answering(self, forest: Forest) -> dict[str, Any]:
        """Return the fields of the forest that say how its trees answer together."""
        return {}

    def _in_steps(
        self,
        given: Prepared,
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
                self._add(own, self.forest_, each, given.sampling, 0)
        grown: list[Forest] = []
        for first in range(there, wanted, step):
            many = min(step, wanted - first)
            forest = grow_forest(
                given.training,
                given.recipe,
                seed=self._seed,
                first_tree=first,
                n_trees=many,
                n_jobs=self.n_jobs,
                progress=None if watchers is None else watchers.part(first - there, many),
            )
            grown.append(forest)
            for each, own in zip(rows, sums, strict=True):
                self._add(own, forest, each, given.sampling, first)
            if watchers is not None and rows:
                pairs = zip(rows, sums, strict=True)
                errors = {each.name: self._error(own, each.truth, given) for each, own in pairs}
                watchers.tell(first + many, errors)
        return grown

    def _add(self, sums: Sums, forest: Forest, rows: Followed, sampling: RowSampling, first: int) -> None:
        """Add what the trees of a part of the forest say of rows."""
        bags = sampling.native() if rows.out_of_bag else None
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
        same = self.forest_.schema == given.table.schema and self._n_given == given.training.n_given
        if isinstance(given.target, ClassTarget):
            same = same and self.forest_.classes == given.target.classes
        if not same or not _alike(self._rows, given.rows):
            raise ParameterError(
                "warm_start is True, but the rows, columns or classes differ from those of the trees there "
                "are. Fit a new forest, or give the same table."
            )
        if not self._sampling.is_like(given.sampling):
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
        if self._sampling.draw == "all":
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
