"""Importance of columns: permutation importance and debiased impurity importance."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from bough.data.schema import Column, Schema
from bough.data.sparse import SparseColumns
from bough.data.table import Table
from bough.data.training import Training
from bough.data.views import Part, Viewed
from bough.ensembles.growing import grow_forest
from bough.ensembles.out_of_bag import check_training_rows
from bough.errors import ParameterError
from bough.growing.limits import check_whole
from bough.growing.recipe import Recipe
from bough.jobs import n_threads
from bough.models.importance import Importance
from bough.types import Floats

if TYPE_CHECKING:
    from bough.ensembles.estimator import ForestEstimator


@dataclass(frozen=True, eq=False, repr=False)
class PermutationImportance(Viewed):
    """Permutation importance: the increase in out-of-bag error if a column is shuffled (Breiman 2001).

    `mean` is the decrease in accuracy, or the increase in mean squared error, for each column, averaged over
    all trees (R's MeanDecreaseAccuracy, %IncMSE). `sd` is its standard error (importanceSD), and `scaled` is
    mean / sd as R prints it, 0 if `sd` is 0. `by_class` and `by_class_scaled` (columns × classes) are the
    same for the rows of each class, in the order of `classes_`. `by_case` (rows × columns) is the mean for
    each row over the trees for which it is out of bag (localImp).

    >>> from bough import RandomForestClassifier
    >>> X, y = [[1.0, 7.0], [2.0, 7.0]] * 20, ["a", "b"] * 20
    >>> found = RandomForestClassifier(50, random_state=0).fit(X, y).permutation_importance(X, y)
    >>> bool(found.mean[0] > 0.3), found.mean[1].item()
    (True, 0.0)
    """

    mean: Floats
    sd: Floats
    by_class: Floats | None = None
    by_class_sd: Floats | None = None
    by_case: Floats | None = None
    schema: Schema | None = None
    measure: str = "mean decrease in accuracy"

    def __repr__(self) -> str:
        return f"<PermutationImportance: {self.table().headline()}>"

    def parts(self) -> list[Part]:
        """Return a table of the columns, the largest mean first.

        >>> found = PermutationImportance(np.array([0.1, 0.3]), np.array([0.01, 0.02]))
        >>> print(found)
        column  mean decrease in accuracy  ± SE  share
        x1                            0.3  0.02  75.0%
        x0                            0.1  0.01  25.0%
        """
        return self.table().parts()

    def table(self) -> Importance:
        """Return the means as a table with names, the largest first.

        >>> PermutationImportance(np.array([0.1, 0.3]), np.array([0.01, 0.02])).table().columns
        ('x1', 'x0')
        """
        schema = self.schema or Schema(tuple(Column(f"x{i}", "numeric") for i in range(len(self.mean))))
        return Importance.of(schema, self.mean, self.sd, self.measure)

    @property
    def scaled(self) -> Floats:
        """The mean divided by its standard error; 0 if that is 0.

        >>> PermutationImportance(np.array([0.2, 0.0]), np.array([0.1, 0.0])).scaled
        array([2., 0.])
        """
        return _scaled(self.mean, self.sd)

    @property
    def by_class_scaled(self) -> Floats | None:
        """The mean of each class divided by its standard error; None in regression.

        >>> PermutationImportance(np.zeros(1), np.zeros(1)).by_class_scaled is None
        True
        """
        if self.by_class is None or self.by_class_sd is None:
            return None
        return _scaled(self.by_class, self.by_class_sd)


def permutation_importance(
    model: ForestEstimator,
    table: Table,
    target: npt.NDArray[np.int32] | Floats,
    by_case: bool,
    n_repeats: int = 1,
) -> PermutationImportance:
    """Return the permutation importance of each column; `target` holds class codes or numbers.

    >>> from bough import RandomForestRegressor
    >>> X, y = [[1.0], [2.0]] * 20, [10.0, 20.0] * 20
    >>> model = RandomForestRegressor(50, random_state=0).fit(X, y)
    >>> (permutation_importance(model, Table.read(X), np.array(y), by_case=False).mean > 40).all()
    np.True_
    """
    check_training_rows(model, table)
    if table.is_sparse:
        raise ParameterError(
            "X is sparse, and permutation importance reads dense tables. Use X.toarray() to make it dense, "
            "feature_importances_, or importance='debiased' at fit."
        )
    truth: Any = target
    is_class = target.dtype == np.int32
    check_whole("n_repeats", n_repeats, 1)
    found: dict[str, npt.NDArray[Any]] = {}
    for repeat in range(int(n_repeats)):
        once = model.forest_.native.permute(
            table.native(),
            table.n_rows,
            truth if is_class else None,
            None if is_class else truth,
            model._samples.sampling.native(),
            model._samples.seed,
            model._samples.seed + 1 + repeat,
            by_case,
            n_threads(model.n_jobs),
            None,
        )
        found = {name: values + found[name] for name, values in once.items()} if found else once
    drop = found["drop"] / n_repeats
    n_trees = drop.shape[0]
    # A class without out-of-bag rows in a tree contributes 0 there.
    mean, square = (np.nan_to_num(each).sum(axis=0) / n_trees for each in (drop, drop**2))
    error = np.sqrt(np.maximum(square - mean**2, 0.0) / n_trees)
    cases = None
    if by_case:
        times = found["times"][:, None]
        cases = np.divide(found["by_case"], times, out=np.zeros_like(found["by_case"]), where=times > 0)
    if not is_class:
        return PermutationImportance(
            mean[:, 0],
            error[:, 0],
            by_case=cases,
            schema=table.schema,
            measure="mean increase in squared error",
        )
    return PermutationImportance(mean[:, 0], error[:, 0], mean[:, 1:], error[:, 1:], cases, table.schema)


def debiased_importance(
    training: Training, recipe: Recipe, *, seed: int, n_trees: int, n_jobs: int | None
) -> Floats:
    """Return the gain of splits on each column minus that on a shuffled copy of it (Nembrini et al. 2018).

    >>> from bough.learners.reading import read_training
    >>> recipe = Recipe("gini", missing="learned", task="classification")
    >>> training = read_training(recipe, [[1.0], [2.0]] * 20, ["a", "b"] * 20)
    >>> (debiased_importance(training, recipe, seed=0, n_trees=50, n_jobs=1) > 10).all()
    np.True_
    """
    table = training.table
    shuffled = np.random.default_rng(seed).permutation(table.n_rows)
    copies = tuple(Column(f"{each.name} shuffled", each.scale, each.levels) for each in table.schema.columns)
    taken = set(table.schema.names)
    copies = tuple(
        each if each.name not in taken else Column(f"{each.name} {number}", each.scale, each.levels)
        for number, each in enumerate(copies)
    )
    own, others = table.columns, table.take(shuffled).columns
    is_sparse = isinstance(own, SparseColumns) and isinstance(others, SparseColumns)
    columns = own.beside(others) if is_sparse else (*own, *others)  # type: ignore[union-attr, arg-type]
    both = Table(Schema((*table.schema.columns, *copies)), columns, table.n_rows)
    widened = replace(training, table=both)
    forest = grow_forest(widened, recipe, seed=seed, n_trees=n_trees, n_jobs=n_jobs)
    gained = forest.importance()
    n_columns = len(table.schema)
    return np.asarray(gained[:n_columns] - gained[n_columns:])


def _scaled(mean: Floats, error: Any) -> Floats:
    return np.asarray(np.divide(mean, error, out=np.zeros_like(mean), where=error > 0))
