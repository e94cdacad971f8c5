"""Reading the arguments of `fit`, the first step of every learner."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from numbers import Real
from typing import Any

import numpy as np
import numpy.typing as npt

from bough.data.databases.table import is_in_database
from bough.data.partitions.partitions import is_partitioned
from bough.data.ranking import read_groups
from bough.data.readers import collected, take
from bough.data.schema import Level, Schema
from bough.data.several_targets import SeveralTargets, n_columns_of_target, read_several
from bough.data.survival import read_survival
from bough.data.target import (
    ClassTarget,
    Weights,
    check_events,
    check_reach,
    classes_of,
    read_classes,
    read_exposure,
    read_numbers,
    read_weights,
)
from bough.data.training import GivenRows, Training, taken
from bough.engines.native import refuse_missing
from bough.errors import ColumnTypeError, ParameterError, TargetError, WeightError
from bough.growing.class_costs import losses_without, prior_without, read_loss_matrix
from bough.growing.draws import read_max_features
from bough.growing.missing import Missing
from bough.growing.monotonic import directions_by_name
from bough.growing.recipe import Recipe
from bough.learners.conventions import (
    check_lengths,
    name_of,
    note_columns,
    present_rows,
    required,
    usual_missing,
)
from bough.learners.several import check_several
from bough.types import Floats

_MOST_WEIGHT = float(np.finfo(np.float64).max)


def read_for(estimator: Any, recipe: Recipe, given: GivenRows) -> Training:
    """Read what is given to `fit` of an estimator, and note the columns of X on it; see `read_rows`.

    >>> from bough import TreeRegressor
    >>> model = TreeRegressor()
    >>> given = GivenRows([[1.0], [2.0]], [3.0, 4.0])
    >>> read_for(model, model.recipe(), given).target, model.n_features_in_
    (array([3., 4.]), 1)
    """
    if is_partitioned(given.X, given.y) or is_in_database(given.X, given.y):
        raise _not_in_memory(type(estimator).__name__, on_cluster=is_partitioned(given.X, given.y))
    return read_rows(
        recipe,
        given,
        learner=type(estimator).__name__,
        several=estimator._several_targets,
        seen=lambda X: note_columns(estimator, X),
        instead=usual_missing(estimator),
    )


def _not_in_memory(learner: str, *, on_cluster: bool) -> ParameterError:
    where = "on a cluster" if on_cluster else "in a database"
    others = ", a random forest or gradient boosting" if on_cluster else ""
    return ParameterError(
        f"{learner} is not fitted {where}. Choose a CART, Tree, ID3 or CHAID learner{others}, or read the "
        "table into memory."
    )


def read_training(
    recipe: Recipe, X: Any, y: Any, sample_weight: Any = None, *, learner: str = "learner"
) -> Training:
    """Read rows with one target; see `read_rows`.

    >>> read_training(Recipe("squared_error", task="regression"), [[1.0], [2.0]], [3.0, 4.0]).target
    array([3., 4.])
    """
    return read_rows(recipe, GivenRows(X, y, sample_weight), learner=learner)


def read_rows(
    recipe: Recipe,
    given: GivenRows,
    *,
    learner: str = "learner",
    several: bool = False,
    seen: Callable[[Any], object] = lambda X: None,
    instead: Missing | None = None,
) -> Training:
    """Read the rows of positive weight, with the column scales and the kind of target that the recipe names.

    R's gbm counts rows of weight 0 as cases; they are read too if the recipe follows it.

    A class whose rows all have weight 0 is not a class of the model, unless y is a `ClassTarget`, whose
    classes stay: members of an ensemble have the classes of the ensemble. `several` tells whether y may be a
    table of several targets. Grades need `groups`, an id for each row. `seen` is called with X after X has
    been read as a table. `instead` is the policy to suggest where the recipe refuses missing values.

    >>> recipe = Recipe("gini", task="classification")
    >>> read_rows(recipe, GivenRows([[1.0], [2.0]], ["a", "b"], [0, 1])).rows
    array([1])
    """
    X, y = collected(given.X), given.y
    time = None if given.exposure is None else read_exposure(given.exposure)
    table = recipe.scales.read(X)
    if table.is_sparse:
        check_reads_sparse(recipe, learner)
    seen(X)
    target: Any
    if several and recipe.response in ("classes", "numbers") and n_columns_of_target(y) > 1:
        check_several(recipe, learner, time, table.schema)
        target = read_several(y, recipe.task)
    else:
        target, time = _READERS[recipe.response or "own"](required(learner, y), time)
    n_given = table.n_rows
    check_lengths(table, len(target))
    if time is not None and len(time) != n_given:
        raise TargetError(f"exposure has {len(time)} entries; give one for each of {n_given} rows.")
    weights = read_weights(given.sample_weight, n_given)
    if isinstance(target, ClassTarget):
        weights = with_class_weights(recipe.class_weight, weights, target)
    elif isinstance(target, SeveralTargets) and recipe.task == "classification":
        weights = with_weights_of_targets(recipe.class_weight, weights, target)
    ranked = read_groups(given.groups, n_given) if recipe.response == "grades" else None
    rows, absent = np.arange(n_given), tuple[Level, ...]()
    if (present := _counted_rows(recipe, weights, target)) is not None:
        rows, weights, target = present, weights.take(present), taken(target, present)
        if isinstance(target, ClassTarget) and not isinstance(y, ClassTarget):
            labels, target = target.classes, target.occurring()
            absent = tuple([label for label in labels if label not in target.classes])
        if isinstance(target, SeveralTargets) and not isinstance(y, SeveralTargets):
            target = target.occurring()
        table = recipe.scales.read(take(X, rows))
        time = None if time is None else time[rows]
    if recipe.response == "numbers":
        for numbers in target.values.T if isinstance(target, SeveralTargets) else [target]:
            if recipe.criterion == "poisson":
                check_events(numbers)
            check_reach(numbers, weights, recipe.criterion)
    if recipe.missing == "refuse":
        refuse_missing(table, instead=instead)
    name = None if recipe.response == "times" else name_of(y)
    ranked = None if ranked is None else ranked[rows]
    return Training(table, target, weights, rows, n_given, name, time, absent, groups=ranked)


def _counted_rows(recipe: Recipe, weights: Weights, target: Any) -> npt.NDArray[np.intp] | None:
    """Return the rows that are read, or None for all; gbm leaves out only classes of weight 0."""
    if recipe.arithmetic != "gbm" or weights.weight is None:
        return present_rows(weights)
    if not isinstance(target, ClassTarget):
        return None
    sums: Floats = np.bincount(target.codes, weights=weights.weight).astype(np.float64)
    return present_rows(Weights(sums[target.codes], None, weights.whole))


def check_reads_sparse(recipe: Recipe, learner: str) -> None:
    """Raise if trees cannot be grown from sparse tables by the recipe; the error says what to do instead.

    >>> check_reads_sparse(Recipe("gini", task="classification"), "TreeClassifier")
    >>> check_reads_sparse(Recipe("gini", missing="stop", task="classification"), "CARTClassifier")
    Traceback (most recent call last):
    bough.errors.ParameterError: X is sparse, and the splits of sparse tables have no surrogates, which
    missing='stop' uses. Choose 'majority', 'learned', 'own_level' or 'refuse', or use X.toarray() to make it
    dense.
    """
    dense = "use X.toarray() to make it dense."
    if recipe.follows_surrogates:
        raise ParameterError(
            "X is sparse, and the splits of sparse tables have no surrogates, which "
            f"missing={recipe.missing!r} uses. Choose 'majority', 'learned', 'own_level' or 'refuse', or "
            f"{dense}"
        )
    if recipe.combinations is not None:
        raise ParameterError(
            "X is sparse, and the splits of sparse tables are thresholds of one column. Leave combinations "
            f"out, or {dense}"
        )
    if callable(recipe.criterion):
        raise ParameterError(
            "X is sparse, and a criterion of your own is computed from dense tables. Choose one of bough's "
            f"criteria, or {dense}"
        )
    if recipe.ensemble is not None and recipe.ensemble.kind == "gradient_boosting":
        raise ParameterError(f"X is sparse, and {learner} reads dense tables; {dense}")
    if recipe.max_bins is not None or recipe.grouping is not None:
        raise ParameterError(
            "X is sparse, and bins and splits into groups are made of dense tables. Leave them out, or "
            f"{dense}"
        )
    if recipe.ensemble is not None and recipe.criterion == "absolute_error":
        raise ParameterError(
            "X is sparse, and forests of sparse tables do not minimize the absolute error. Choose "
            f"'squared_error', or {dense}"
        )
    other = recipe.arithmetic != "bough" or recipe.method is not None or "program" in recipe.settings
    if other or recipe.scales.levels_only:
        raise ColumnTypeError(f"X is sparse, but {learner} requires dense data; {dense}")


def resolved(recipe: Recipe, training: Training) -> Recipe:
    """Return the recipe as it applies to these rows: columns by name, losses as a matrix, numbers of columns.

    Priors and losses of classes without rows are left out.

    >>> recipe = Recipe("gini", loss_matrix={("a", "b"): 3}, task="classification")
    >>> resolved(recipe, read_training(recipe, [[1.0], [2.0]], ["a", "b"])).loss_matrix
    [[0.0, 3.0], [1.0, 0.0]]
    """
    classes = classes_of(training.target)
    return resolved_for(recipe, training.table.schema, classes, training.absent_classes)


def resolved_for(
    recipe: Recipe, schema: Schema, classes: tuple[Level, ...], absent: tuple[Level, ...] = ()
) -> Recipe:
    """Return the recipe as it applies to rows of this schema and these classes; see `resolved`.

    >>> from bough.data.scales import Scales
    >>> from bough.data.schema import Column
    >>> recipe = Recipe("gini", scales=Scales([0]), task="classification")
    >>> resolved_for(recipe, Schema((Column("age", "nominal"),)), ("a",)).scales.categorical_features
    ['age']
    """
    scales = recipe.scales.by_name(schema)
    prior, losses = recipe.prior, recipe.loss_matrix
    if classes:
        prior, losses = prior_without(prior, classes, absent), losses_without(losses, classes, absent)
        if losses is not None:
            losses = read_loss_matrix(losses, classes, positive=recipe.arithmetic == "c5.0").tolist()
    combinations = recipe.combinations
    if combinations is not None:
        features = [schema.names[column] for column in combinations.columns(schema)]
        combinations = replace(combinations, features=features)
    columns = recipe.columns
    if columns is not None:
        columns = replace(columns, max_features=read_max_features(columns.max_features, len(schema)))
    parts = {
        "scales": scales,
        "prior": prior,
        "loss_matrix": losses,
        "combinations": combinations,
        "columns": columns,
        "monotonic_cst": directions_by_name(recipe.monotonic_cst, schema) or None,
    }
    changed = {name: value for name, value in parts.items() if value is not getattr(recipe, name)}
    return replace(recipe, **changed) if changed else recipe


def with_class_weights(class_weight: Any, weights: Weights, target: ClassTarget) -> Weights:
    """Multiply the weights of the rows by their class weights; the numbers of cases do not change.

    >>> y = read_classes(["a", "b", "b"])
    >>> with_class_weights({"a": 3}, read_weights(None, 3), y).weight
    array([3., 1., 1.])
    """
    if class_weight is None or (isinstance(class_weight, str) and class_weight == "balanced_subsample"):
        return weights
    own = weights.each(len(target))
    with np.errstate(over="ignore"):
        # A product beyond float64 becomes infinite, and read_weights raises for infinite weights.
        weight = weights_of_classes(class_weight, target, own)[target.codes] * own
    if own.any() and not weight.any():
        wanted = "such that the classes of some rows of positive weight have a positive weight"
        raise ParameterError.of("class_weight", class_weight, wanted)
    product = read_weights(weight, len(own))
    return Weights(product.weight, weights.cases, product.whole)


def with_weights_of_targets(class_weight: Any, weights: Weights, target: SeveralTargets) -> Weights:
    """Multiply the weights of the rows by the class weights of each of several targets, as scikit-learn does.

    `class_weight` is "balanced", or a list with a dict for each target.

    >>> y = read_several([["a", 0], ["b", 1], ["b", 1]], "classification")
    >>> with_weights_of_targets([{"a": 3}, {1: 2}], read_weights(None, 3), y).weight
    array([3., 2., 2.])
    """
    k = len(target.targets)
    each = class_weight if isinstance(class_weight, list | tuple) else [class_weight] * k
    if len(each) != k or isinstance(class_weight, Mapping):
        wanted = f"None, 'balanced', or a list with a dict for each of the {k} targets"
        raise ParameterError.of("class_weight", class_weight, wanted)
    product = weights
    for position, its_weight in enumerate(each):
        of_target = target.of(position)
        assert isinstance(of_target, ClassTarget)
        factor = with_class_weights(its_weight, Weights(weights.weight, None, weights.whole), of_target)
        if factor.weight is not None and its_weight is not None:
            own = weights.each(len(target))
            share = np.divide(factor.weight, own, out=np.zeros(len(target)), where=own > 0)
            product = read_weights(product.each(len(target)) * share, len(target))
    return Weights(product.weight, weights.cases, product.whole)


def weights_of_classes(class_weight: Any, target: ClassTarget, weight: Floats) -> Floats:
    """Return the weight of each class; "balanced" gives all classes the same total weight.

    >>> weights_of_classes("balanced", read_classes(["a", "b", "b"]), np.ones(3))
    array([1.5 , 0.75])
    """
    if isinstance(class_weight, str) and class_weight == "balanced":
        sums = np.bincount(target.codes, weights=weight, minlength=len(target.classes))
        share = sums.sum() / np.count_nonzero(sums)
        if ((sums > 0) & (sums < share / _MOST_WEIGHT)).any():
            raise WeightError("A class weighs too little to be balanced; leave it out.")
        return np.array([share / each if each > 0 else 0.0 for each in sums])
    if not isinstance(class_weight, Mapping):
        raise ParameterError.of("class_weight", class_weight, "None, 'balanced' or a dict")
    unweighted = [label for label in target.classes if label not in class_weight]
    # As in scikit-learn, a class may lack a weight only if every key is a class of y.
    if unweighted and len(target.classes) - len(unweighted) != len(class_weight):
        classes = ", ".join(map(repr, target.classes))
        raise ParameterError.of("class_weight", class_weight, f"a dict whose keys are among {classes}")
    weights = [class_weight.get(label, 1.0) for label in target.classes]
    for label, its in zip(target.classes, weights, strict=True):
        if not (isinstance(its, Real) and 0 <= its <= _MOST_WEIGHT):  # type: ignore[operator]
            raise ParameterError.of(f"class_weight[{label!r}]", its, "a finite number of at least 0")
    return np.array(weights, dtype=np.float64)


def read_own(y: Any) -> npt.NDArray[Any]:
    """Return the target of a user's method as an array; raise if a value is missing.

    >>> read_own([[1, 2], [3, 4]]).shape
    (2, 2)
    """
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
    # NaN and pandas' missing values do not equal themselves.
    same = value == value
    return value is None or not (isinstance(same, bool | np.bool_) and bool(same))


def _read_times(y: Any, _: Floats | None) -> tuple[Floats, Floats]:
    time, events = read_survival(y)
    return events, time


_READERS: dict[str, Callable[[Any, Floats | None], tuple[Any, Floats | None]]] = {
    "classes": lambda y, time: (read_classes(y).sorted(), time),
    "numbers": lambda y, time: (read_numbers(y), time),
    "times": _read_times,
    "grades": lambda y, time: (read_numbers(y), time),
    "own": lambda y, time: (read_own(y), time),
}
