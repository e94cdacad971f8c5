"""Base class of forests, which grow many trees by one recipe and predict with all of them."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from bough.data.databases.table import is_in_database
from bough.data.partitions.partitions import is_partitioned
from bough.data.readers import divided
from bough.data.scales import Scales
from bough.data.several_targets import SeveralTargets
from bough.data.table import Table
from bough.data.target import ClassTarget, check_total, classes_of
from bough.data.training import GivenRows, Training
from bough.engines.native import refuse_missing
from bough.ensembles.binned_forest import check_sampling, sampling_on_bins, with_unused_key
from bough.ensembles.forest import Forest
from bough.ensembles.growing import check_criterion
from bough.ensembles.monitoring import MonitoredRows, Sums, grown_in_steps, read_truth
from bough.ensembles.out_of_bag import check_training_rows
from bough.ensembles.parameters import ForestParameters
from bough.ensembles.prepared import Prepared, check_several_in_forest, prediction_settings, with_cutoff
from bough.ensembles.progress import CallbackSupport, progress_reports, with_callbacks
from bough.ensembles.row_samples import RowSamples
from bough.ensembles.sampling import (
    read_n_estimators,
    rows_of_strata,
    sampling_of,
)
from bough.errors import BoughError, ParameterError, TargetError
from bough.growing.draws import ColumnSampling, Ensemble, read_max_features, read_seed
from bough.growing.limits import Limits
from bough.growing.missing import BY_FOREST, check_missing
from bough.growing.nominal import BY_FOREST as LEVEL_SPLITS
from bough.growing.nominal import check_nominal
from bough.learners.conventions import ModelLearner, note_schema, read_as, rows_for
from bough.learners.reading import read_for, resolved
from bough.progress import watched, watcher
from bough.tree.identifiers import identifier_columns, identifier_levels, warn_of_identifiers
from bough.tree.one_target import label_arrays, refuse_several
from bough.types import Task


class ForestEstimator(ForestParameters, CallbackSupport, ModelLearner):  # type: ignore[misc]
    """Base class of forests. A subclass defines the recipe and how predictions of trees are combined."""

    forest_: Forest
    n_features_in_: int
    n_outputs_: int
    _random_splits: ClassVar[bool] = False
    _columns_by_tree: ClassVar[bool] = False
    _several_targets: ClassVar[bool] = True
    _samples: RowSamples

    criterion: str

    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        strata: Any = None,
        *,
        X_test: Any = None,
        y_test: Any = None,
    ) -> Self:
        """Grow the forest on the rows of X and the classes or numbers y.

        A row of weight 2 counts twice in every sample that contains it, a row of weight 0 is left out.
        `strata` is the stratum of each row, for stratified sampling by `max_samples` (R's strata). `X_test`
        and `y_test` (xtest, ytest) are a test set, whose error `verbose` shows while the forest grows.

        With classes, a test set sets `test_error_curve_` (test$err.rate), `test_confusion_` (test$confusion),
        `test_votes_` (test$votes) and `test_decision_function_`; with numbers, `test_error_curve_` (test$mse)
        and `test_prediction_` (test$predicted).

        >>> from bough import RandomForestClassifier
        >>> X, y = [[1.0], [2.0]] * 5, ["a", "b"] * 5
        >>> model = RandomForestClassifier(10, random_state=0)
        >>> model.fit(X, y, X_test=[[0.0], [3.0]], y_test=["a", "a"]).predict([[3.0]])
        array(['b'], dtype='<U1')
        >>> model.test_error_curve_[-1]
        array([0.5, 0.5, nan])
        """
        if is_partitioned(X, y) and hasattr(self, "max_bins"):
            self._fit_on_cluster(X, y, sample_weight, {"strata": strata, "X_test": X_test, "y_test": y_test})
            return self
        given = self._prepared(X, y, sample_weight, strata)
        test = self._read_test(given, X_test, y_test)
        self._grow(given, test)
        if self._uses_out_of_bag() and not hasattr(self, "oob_score_"):
            self._score_out_of_bag(given.training)
        self._keep_rows(given.training)
        if test is not None:
            self._score_test(test)
        self.forest_.prepare()
        return self

    def _fit_on_cluster(self, frame: Any, y: str, sample_weight: Any, others: Mapping[str, Any]) -> None:
        from bough.ensembles.forest_on_cluster import fit_forest_on_cluster

        for name, value in others.items():
            if value is not None:
                raise ParameterError(
                    f"{name} is not supported on a cluster; leave it out, or read the table into memory."
                )
        showing = progress_reports(self, read_n_estimators(self.n_estimators), self.verbose)
        with showing as reports, watched(reports or watcher()):
            forest, samples = fit_forest_on_cluster(self, frame, y, sample_weight)
        self._keep(forest, samples)
        note_schema(self, forest.schema)
        warn_of_identifiers(identifier_columns(forest.trees[0], None))

    def _keep(self, forest: Forest, samples: RowSamples) -> None:
        """Set the forest and what follows from it; drop results that were computed from fewer trees."""
        self.forest_, self._samples = forest, samples
        self.n_outputs_ = max(1, len(forest.targets))
        if forest.task == "classification":
            self.classes_, self.n_classes_ = label_arrays(forest)
        for name in [each for each in vars(self) if each.startswith(("oob_", "test_")) and each[-1] == "_"]:
            delattr(self, name)
        self.__dict__.pop("_leaf_rows", None)

    def _keep_rows(self, training: Training) -> None:
        """Keep the training rows of each leaf, if predictions need them."""

    def _uses_out_of_bag(self) -> bool:
        return bool(self.oob_score or getattr(self, "bias_correction", False))

    def _score_out_of_bag(self, training: Training) -> None:
        """Set the out-of-bag results of a forest that was grown on these rows."""
        check_training_rows(self, training.table)
        if isinstance(training.target, SeveralTargets):
            self._score_targets_out_of_bag(training.table, training.target)
        else:
            self._score_target_out_of_bag(training.table, training.target)

    @abstractmethod
    def _score_target_out_of_bag(self, table: Table, target: Any) -> None:
        """Set the out-of-bag results of one target."""

    @abstractmethod
    def _score_targets_out_of_bag(self, table: Table, target: SeveralTargets) -> None:
        """Set the out-of-bag results of several targets."""

    @abstractmethod
    def _score_test(self, test: MonitoredRows) -> None:
        """Set the predictions and errors of the test set."""

    def _columns(self, n_columns: int) -> ColumnSampling:
        """Return how columns are sampled, at each node or for each tree."""
        some = read_max_features(self.max_features, n_columns)
        by_tree = {"max_features": n_columns, "tree_features": some} if self._columns_by_tree else {}
        return ColumnSampling(
            **({"max_features": some} | by_tree),
            keep_searching=bool(self.seek),
            random_splits=self._random_splits,
        )

    def _forest_parts(self, task: Task) -> dict[str, Any]:
        """Return the parts of the recipe that forest classifiers and regressors share."""
        check_criterion(self.criterion, task)
        check_missing(self.missing, type(self).__name__, BY_FOREST)
        if hasattr(self, "max_bins"):
            check_sampling(self)
        check_nominal(getattr(self, "nominal", "ordered"), type(self).__name__, LEVEL_SPLITS)
        return {
            "nominal": getattr(self, "nominal", "ordered"),
            "limits": Limits.of(self),
            "missing": self.missing,
            "monotonic_cst": self.monotonic_cst,
            "scales": Scales(self.categorical_features, self.ordinal_features),
            "max_bins": getattr(self, "max_bins", None),
            "task": task,
        }

    def _prepared(self, X: Any, y: Any, sample_weight: Any, strata: Any) -> Prepared:
        """Read the arguments of fit; invalid parameters raise here."""
        recipe = self.recipe()
        n_estimators = read_n_estimators(self.n_estimators)
        key, keys = getattr(self, "row_key", None), None
        if key is not None and not (is_partitioned(X, y) or is_in_database(X, y)):
            X, keys = divided(X, key, "row_key")
        training = read_for(self, recipe, GivenRows(X, y, sample_weight))
        if keys is not None:
            training = replace(training, row_keys=np.asarray(keys)[training.rows])
        target, n_rows = training.target, training.table.n_rows
        if isinstance(target, SeveralTargets):
            check_several_in_forest(self)
        if n_rows < training.n_given:
            strata = rows_of_strata(strata, training.rows, training.n_given)
        if recipe.max_bins is not None:
            rows = sampling_on_bins(self, n_rows, strata)
        else:
            rows = sampling_of(self, n_rows, target, strata)
        columns = self._columns(len(training.table.schema))
        ensemble = Ensemble("forest", n_estimators, rows)
        recipe = replace(resolved(recipe, training), columns=columns, ensemble=ensemble)
        if isinstance(target, ClassTarget):
            recipe = with_cutoff(recipe, self, target.classes)
        return Prepared(training, with_unused_key(recipe, self))

    def _truth(self, y: Any, n_rows: int, rows: npt.NDArray[np.intp] | None = None) -> npt.NDArray[Any]:
        """Read the target of new rows, or of some of them: codes of the forest's classes, or numbers."""
        refuse_several(self.forest_, "y")
        return read_truth(y, n_rows, self.forest_.classes, rows=rows)

    def __sklearn_tags__(self) -> Tags:
        """Declare to scikit-learn that sparse input is accepted."""
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.target_tags.multi_output = self._several_targets
        return tags

    def __len__(self) -> int:
        """Return the number of trees."""
        check_is_fitted(self)
        return self.forest_.n_trees

    @property
    def model_(self) -> Forest:
        """The model that predicts, which can be saved: the forest.

        >>> from bough import RandomForestRegressor
        >>> RandomForestRegressor(3, bootstrap=False).fit([[1.0], [2.0]], [1.0, 2.0]).model_
        Forest(3 trees, 9 nodes)
        """
        check_is_fitted(self)
        return self.forest_

    def apply(self, X: Any) -> npt.NDArray[np.int32]:
        """Return the index of the leaf of each row in each tree (rows × trees).

        >>> from bough import RandomForestRegressor
        >>> model = RandomForestRegressor(2, bootstrap=False).fit([[1.0], [2.0]], [1.0, 2.0])
        >>> model.apply([[0.0]])
        array([[1, 1]], dtype=int32)
        """
        return self.forest_.apply(self._checked(X), self.n_jobs)

    def _training_rows(self, X: Any) -> tuple[Table, npt.NDArray[np.intp] | None]:
        """Read the training table again; return its rows of positive weight, and their positions."""
        table = self._checked(X)
        rows = self._samples.rows if table.n_rows == self._samples.n_given else None
        table = table if rows is None else table.take(rows)
        check_training_rows(self, table)
        return table, rows

    def _checked(self, X: Any) -> Table:
        """Read X as a table; raise if column names, their order or their number differ from those of fit."""
        check_is_fitted(self)
        return rows_for(self, X, self.forest_)

    def _readable(self, X: Any) -> Any:
        """Return X itself if the forest predicts it as it is, else X as a table."""
        forest = self.__dict__.get("forest_")
        if forest is None or "feature_names_in_" in self.__dict__ or forest.recipe.get("missing") == "refuse":
            return self._checked(X)
        return X if forest.reads(X) else self._checked(X)

    @with_callbacks  # type: ignore[untyped-decorator]
    def _grow(self, given: Prepared, test: MonitoredRows | None) -> None:
        """Grow the missing trees."""
        check_total(given.training.weights)
        before = self.forest_ if self.warm_start and hasattr(self, "forest_") else None
        existing, wanted = 0 if before is None else before.n_trees, read_n_estimators(self.n_estimators)
        if existing > wanted:
            raise ParameterError.of(
                "n_estimators",
                wanted,
                f"at least {existing}, the number of existing trees, if warm_start is True",
            )
        if before is not None:
            self._check_warm(before, given)
        if existing == wanted:
            warnings.warn(
                "Warm-start fitting without increasing n_estimators does not fit new trees.", stacklevel=3
            )
            return
        given = given.seeded(read_seed(self.random_state) if before is None else self._samples.seed)
        monitored = self._monitored(given, test)
        with progress_reports(self, wanted - existing, self.verbose) as reports:
            forest = grown_in_steps(given, before, monitored, n_jobs=self.n_jobs, reports=reports)
        recipe = given.recipe
        self._keep(replace(forest, recipe=recipe.to_json(), **prediction_settings(recipe)), given.samples())
        warn_of_identifiers(identifier_levels(given.training.table, np.flatnonzero(forest.importance() > 0)))

    def _monitored(self, given: Prepared, test: MonitoredRows | None) -> list[MonitoredRows]:
        """Return the rows whose errors are shown while the forest grows."""
        if not self.verbose:
            return []
        rows = [] if test is None else [test]
        target = given.training.target
        if not self._uses_out_of_bag() or isinstance(target, SeveralTargets):
            return rows
        truth = target.codes if isinstance(target, ClassTarget) else target
        return [MonitoredRows("OOB", given.training.table, truth, given.samples()), *rows]

    def _read_test(self, given: Prepared, X_test: Any, y_test: Any) -> MonitoredRows | None:
        """Read the test set, if there is one."""
        if X_test is None and y_test is None:
            return None
        target = given.training.target
        if isinstance(target, SeveralTargets):
            raise ParameterError("X_test and y_test need one target; y has several columns. Leave them out.")
        if X_test is None or y_test is None:
            given_name, missing_name = ("y_test", "X_test") if X_test is None else ("X_test", "y_test")
            raise ParameterError(f"{given_name} is given, but {missing_name} is None. Give both, or neither.")
        try:
            table = read_as(self, X_test, given.training.table.schema)
        except BoughError as error:
            raise type(error)(f"X_test cannot be used: {error}") from None
        if given.recipe.missing == "refuse":
            refuse_missing(table, "missing values or levels never seen", "majority")
        try:
            classes = classes_of(target)
            truth = read_truth(y_test, table.n_rows, classes, names=("y_test", "X_test"))
        except TargetError as error:
            raise TargetError(f"y_test cannot be used: {error}") from None
        return MonitoredRows("test", table, truth)

    def _check_warm(self, before: Forest, given: Prepared) -> None:
        """Raise if trees on these rows cannot be added to a forest."""
        target = given.training.target
        same = before.schema == given.training.table.schema and self._samples.are_of(given.training)
        if isinstance(target, ClassTarget):
            same = same and before.classes == target.classes
        if isinstance(target, SeveralTargets):
            same = same and before.targets == target.targets
        if not same:
            raise ParameterError(
                "warm_start is True, but the rows, columns or classes differ from those of the existing "
                "trees. Fit a new forest, or give the same table."
            )
        if not self._samples.sampling.is_like(given.sampling):
            raise ParameterError(
                "warm_start is True, but bootstrap, replace, max_samples or strata differ from those of the "
                "existing trees, whose samples could not be reproduced. Leave them unchanged, or fit a new "
                "forest."
            )

    def _tally(self, table: Table, **options: Any) -> Sums:
        """Return sums over the trees; see `Forest.tally`."""
        return self.forest_.tally(table, self.n_jobs, **options)
