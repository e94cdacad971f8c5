"""Gradient boosting by a recipe: the rounds, how many of them there are, and the model."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

import bough._core as _core
from bough.data.bins import Bins
from bough.data.ranking import check_ranking, gains_of
from bough.data.schema import Schema
from bough.data.several_targets import SeveralTargets
from bough.data.table import Table
from bough.data.target import classes_of
from bough.data.training import Training
from bough.engines.weight_range import weights_as_cases
from bough.ensembles.boosting_defaults import MOST_ROWS, chosen_by_table
from bough.ensembles.boosting_rows import BoostingRows, ValidationRows
from bough.ensembles.boosting_target import (
    check_constraints,
    check_end,
    check_position_weights,
    check_several_boosted,
    check_target,
    check_trained,
    check_width,
    scale_of_loss,
)
from bough.ensembles.gbm import boost_like_gbm
from bough.ensembles.own_loss import OwnLoss
from bough.errors import ParameterError
from bough.growing.monotonic import directions_by_name
from bough.growing.recipe import Recipe
from bough.jobs import n_threads
from bough.learners.reading import resolved
from bough.models.gradient_boosted import GradientBoosted, joined_trees, link_of, trees_in_round
from bough.progress import part_of, watched, watcher
from bough.tree.leaf_models import LeafModels
from bough.types import Floats

_NO_LIMIT = 2**31 - 1
_ROWS_FOR_THREADS = 5000
_MOST_LEAVES = 2**16
_STOPPING = ("n_iter_no_change", "tol", "validation_fraction", "cv", "refit", "fold_mean")

# The exponential of a greater number is beyond float64.
_GREATEST_LOG = 709.0


LossReport: TypeAlias = Callable[[int, dict[str, float]], None]
"""A function of a number of rounds and of named losses after them."""

EndsAfter: TypeAlias = Callable[[int, Floats], bool]
"""A function of the number of rounds of a call and of the scores of all rows after them (scores × rows)."""


class BoostingFit(NamedTuple):
    """A boosted model, and the losses after each round, including the rounds that were dropped.

    The validation loss is empty without rows to validate on, and the training loss unless gbm reports it.
    With cross-validation, `out_of_fold` has the scores of each row from the rounds fitted without its fold.
    """

    model: GradientBoosted
    validation_loss: Floats
    training_loss: Floats
    out_of_fold: Floats | None = None


class _Result(NamedTuple):
    """What boosting on bins returns: the native result, its recipe, and the losses that chose the rounds."""

    recipe: Recipe
    start: Floats
    trees: Mapping[str, npt.NDArray[Any]]
    validation_loss: Floats
    out_of_fold: Floats | None = None
    models: LeafModels | None = None


def fit_boosting(
    recipe: Recipe,
    training: Training,
    validation: ValidationRows | None = None,
    *,
    before: GradientBoosted | None = None,
    n_jobs: int | None = None,
    report: LossReport | None = None,
    ends_after: EndsAfter | None = None,
) -> BoostingFit:
    """Fit a boosted sum of trees to training rows by a recipe; `before` is a model to add rounds to.

    `report` is called after each round with the rounds made and the validation loss, if there is one.
    `ends_after` takes the place of that loss: it is called after each round with the scores of the training
    rows and, behind them, the validation rows, in an array that the next round overwrites. Boosting ends when
    it returns True. The number of rounds that it is given counts those of this call, without those of
    `before`. It needs one target, and a recipe that does not choose the rounds itself.

    >>> from bough import GradientBoostingRegressor
    >>> from bough.learners.reading import read_training
    >>> recipe = GradientBoostingRegressor(max_iter=3, min_samples_leaf=1).recipe()
    >>> training = read_training(recipe, [[1.0], [2.0]], [1.0, 2.0])
    >>> fit_boosting(recipe, training).model
    GradientBoosted(3 trees)
    """
    recipe = with_named_columns(resolved(recipe, training), training.table.schema)
    target = training.target
    if isinstance(target, SeveralTargets):
        check_several_boosted(recipe)
        check_width(target.values)
    else:
        check_target(target, recipe.settings["loss"])
    classes = classes_of(target)
    check_constraints(recipe, len(classes))
    rows = BoostingRows.of(replace(training, weights=weights_as_cases(training.weights)))
    if rows.groups is not None:
        check_ranking(rows.values, rows.groups)
        check_position_weights(recipe.settings, rows.groups)
        rows = replace(rows, values=gains_of(rows.values, recipe.settings["gain"]))
    recipe = chosen_by_table(recipe, rows)
    if ends_after is not None:
        check_end(recipe, isinstance(target, SeveralTargets))
    training_loss = np.empty(0)
    try:
        if recipe.arithmetic == "gbm":
            made = boost_like_gbm(recipe, training, n_jobs=n_jobs)
            result = _Result(recipe, made["start"], made["trees"], np.empty(0))
            training_loss = made["training_loss"]
        else:
            result = _Boosting(rows, n_jobs, report, ends_after).fit(recipe, validation, before)
        model = GradientBoosted(
            schema=training.table.schema,
            task=recipe.task,
            classes=classes,
            target_name=target.targets[0].name
            if isinstance(target, SeveralTargets)
            else training.target_name,
            targets=target.targets if isinstance(target, SeveralTargets) else (),
            link=link_of(recipe.settings["loss"], len(classes), len(result.start)),
            start=result.start,
            arrays=result.trees,
            leaf_models=result.models,
            recipe=result.recipe.to_json(),
        )
        _check_exponentials(model, recipe.settings["loss"], training.table, n_jobs)
    except OverflowError as error:
        raise ParameterError(
            f"Boosting left the range of float64: {error}. {_smaller_steps(recipe)}"
        ) from None
    return BoostingFit(model, result.validation_loss, training_loss, result.out_of_fold)


def boost_rows(
    recipe: Recipe, rows: BoostingRows, bins: Bins, n_jobs: int | None = None
) -> tuple[Floats, Mapping[str, npt.NDArray[Any]]]:
    """Return the start and the trees of boosting some rows on their bins, by all rounds of a recipe.

    >>> from bough import GradientBoostingRegressor
    >>> from bough.data.table import Table
    >>> recipe = GradientBoostingRegressor(max_iter=3, min_samples_leaf=1).recipe()
    >>> rows = BoostingRows(Table.read([[1.0], [2.0]]), np.array([5.0, 7.0]), 0, None, None, None)
    >>> boost_rows(recipe, rows, rows.bins(255, 1))[0]
    array([6.])
    """
    made = _Boosting(rows, n_jobs, None)._boost(recipe, rows, bins)
    return made.start, made.trees


@dataclass(frozen=True, eq=False)
class _Boosting:
    """Boosting of some rows on bins."""

    rows: BoostingRows
    n_jobs: int | None
    report: LossReport | None
    ends_after: EndsAfter | None = None

    def fit(
        self, recipe: Recipe, validation: ValidationRows | None, before: GradientBoosted | None
    ) -> _Result:
        """Choose the number of rounds as the recipe says, and boost."""
        settings, max_bins = recipe.settings, recipe.max_bins
        assert max_bins is not None
        if validation is not None:
            rows = self.rows.with_validation(validation)
            made = self._boost(recipe, rows, rows.bins(max_bins, self.n_jobs), before)
            # Without the validation rows, as many rounds give the same trees.
            return made._replace(recipe=with_rounds(recipe, _n_rounds(made)))
        if settings.get("cv"):
            return self._cross_validated(recipe, self.rows.bins(max_bins, self.n_jobs))
        if "validation_fraction" in settings:
            rows = self.rows.without(self.rows.drawn(settings["validation_fraction"], recipe.seed))
            made = self._boost(recipe, rows, rows.bins(max_bins, self.n_jobs))
            if not settings.get("refit"):
                return made
            again = with_rounds(recipe, _n_rounds(made))
            refitted = self._boost(again, self.rows, self.rows.bins(max_bins, self.n_jobs))
            return refitted._replace(validation_loss=made.validation_loss)
        made = self._boost(recipe, self.rows, self.rows.bins(max_bins, self.n_jobs), before)
        return made._replace(recipe=with_rounds(recipe, _n_rounds(made)))

    def _cross_validated(self, recipe: Recipe, bins: Bins) -> _Result:
        """Choose the rounds of the lowest mean loss over folds, which share the bins, and boost all rows."""
        settings = recipe.settings
        fold = self.rows.folds(settings["cv"], recipe.seed)
        n_fits = settings["cv"] + (not settings.get("fold_mean"))
        made = []
        for each in range(settings["cv"]):
            with watched(part_of(watcher(), each, n_fits)):
                made.append(self._boost(recipe, self.rows.without(fold == each), bins))
        # Folds stop after different numbers of rounds; the mean is of those that all have.
        shortest = min(len(each.validation_loss) for each in made)
        curve = np.mean([each.validation_loss[:shortest] for each in made], axis=0)
        if settings.get("fold_mean"):
            return _mean_of(recipe, made)._replace(validation_loss=curve)
        chosen = with_rounds(recipe, int(curve.argmin()) + 1)
        with watched(part_of(watcher(), settings["cv"], n_fits)):
            result = self._boost(chosen, self.rows, bins)
        if settings.get("drop_rate"):
            # Later rounds scale earlier ones, so that the first rounds are no model of their own.
            made = [self._boost(chosen, self.rows.without(fold == each), bins) for each in range(len(made))]
        scores = np.empty((self.rows.table.n_rows, len(result.start)))
        for each, of_fold in enumerate(made):
            model = GradientBoosted(
                schema=self.rows.table.schema,
                task="regression",
                classes=(),
                target_name=None,
                targets=self.rows.targets,
                link="identity",
                start=of_fold.start,
                arrays=of_fold.trees,
                leaf_models=of_fold.models,
                recipe={"settings": settings},
            )
            n_rounds = min(_n_rounds(result), model.n_rounds)
            held_out = np.flatnonzero(fold == each)
            scores[held_out] = model.scores(self.rows.table.take(held_out), n_rounds, self.n_jobs)
        return result._replace(validation_loss=curve, out_of_fold=scores)

    @property
    def _report_loss(self) -> Callable[[int, float], None] | None:
        """The function that the native code calls with the rounds made and their validation loss."""
        report = self.report
        return None if report is None else lambda n_rounds, loss: report(n_rounds, {"validation loss": loss})

    def _boost(
        self, recipe: Recipe, rows: BoostingRows, bins: Bins, before: GradientBoosted | None = None
    ) -> _Result:
        check_trained(rows, recipe.settings["loss"])
        n_rows = rows.table.n_rows - rows.n_added
        given, own = native_settings(recipe, rows.table.schema, n_rows), None
        if callable(recipe.settings["loss"]):
            own = OwnLoss(recipe.settings["loss"], rows.values)
            if rows.held_out is not None and self.ends_after is None and not own.has_values:
                raise ParameterError(
                    f"loss {own.name} has no `values`, a function of y and score that returns the loss of "
                    "each row, which rows held out need. Set it, or do not stop early."
                )
        given["tolerance"] *= scale_of_loss(rows.values, recipe.settings["loss"])
        if rows.values.ndim == 2:
            made = _core.boost_vectors(
                rows.table.native(),
                rows.table.n_rows,
                rows.values,
                rows.weight,
                rows.native(None)["validation"],
                given,
                bins.native,
                n_threads(self.n_jobs),
                watcher(),
                self._report_loss,
            )
            trees = made["trees"] | {"value": made["trees"]["value"].reshape(-1, rows.values.shape[1])}
            return _Result(recipe, made["start"], trees, made["validation_loss"])
        scores = None
        if before is not None:
            given |= {"first_round": before.n_rounds, "n_rounds": given["n_rounds"] - before.n_rounds}
            scores = before.scores(rows.table, n_jobs=self.n_jobs)
        # A base class takes many small trees, for which waiting for threads takes longer than growing.
        small = given["base_interval"] > 0 and n_rows < _ROWS_FOR_THREADS
        result = _core.boost(
            rows.table.native(),
            rows.table.n_rows,
            rows.n_classes,
            rows.native(scores),
            given,
            bins.native,
            1 if small else n_threads(self.n_jobs),
            watcher(),
            None if own is None else own.gradients,
            None if own is None or not own.has_values else own.losses,
            self._report_loss,
            self.ends_after,
        )
        start, trees = result["start"], result["trees"]
        if before is not None:
            start, trees = before.start, joined_trees(before.arrays, trees)
        models = LeafModels(**result["models"]) if "models" in result else None
        return _Result(recipe, start, trees, result["validation_loss"], models=models)


def _mean_of(recipe: Recipe, made: list[_Result]) -> _Result:
    """Return the mean of several sums of trees, which is a sum of all their trees."""
    start = np.mean([each.start for each in made], axis=0)
    trees = [{**each.trees, "value": each.trees["value"] / len(made)} for each in made]
    models = [each.models.times(1 / len(made)) for each in made if each.models is not None]
    joined = LeafModels.joined(models) if models else None
    return _Result(recipe, start, functools.reduce(joined_trees, trees), np.empty(0), models=joined)


def _n_rounds(result: _Result) -> int:
    n_trees = len(result.trees["tree_start"]) - 1
    if result.trees["value"].ndim == 2:
        return n_trees
    return n_trees // trees_in_round(len(result.start), result.recipe.settings)


def _smaller_steps(recipe: Recipe) -> str:
    """Return what to change where scores grow too fast."""
    lower = f"a learning_rate below {recipe.settings['learning_rate']:g}"
    if recipe.settings["loss"] != "cox":
        return f"Choose {lower}, or scale y."
    if recipe.arithmetic == "gbm":
        return f"Choose {lower}, or a greater min_samples_leaf (n_minobsinnode)."
    return f"Limit the steps by max_delta_step=1, or choose a greater min_samples_leaf or {lower}."


def _check_exponentials(model: GradientBoosted, loss: Any, table: Table, n_jobs: int | None) -> None:
    """Raise if scores are logarithms and the exponential of one may be beyond float64.

    No sum of leaves may be too great for a hazard. Other losses are checked by the scores of the training
    rows, which are computed only if the greatest leaves of all trees leave it open.
    """
    if model.link != "log":
        return
    starts = model.arrays["tree_start"]
    values = np.abs(model.arrays["value"]) if loss == "cox" else model.arrays["value"]
    bound = np.abs(model.start).sum()
    for first, last in itertools.pairwise(starts.tolist()):
        bound += values[first:last].max(initial=0.0)
    if bound < _GREATEST_LOG and (loss == "cox" or model.leaf_models is None):
        return
    if loss == "cox":
        raise OverflowError("relative hazards are not finite")
    if not model.scores(table, n_jobs=n_jobs).max() < _GREATEST_LOG:
        raise OverflowError("predictions are not finite")


def with_named_columns(recipe: Recipe, schema: Schema) -> Recipe:
    """Return the recipe with sets of columns by name.

    >>> from bough import GradientBoostingRegressor
    >>> from bough.data.table import Table
    >>> recipe = GradientBoostingRegressor(interaction_cst=[[0]]).recipe()
    >>> with_named_columns(recipe, Table.read([[1.0]]).schema).settings["interaction_cst"]
    [['x0']]
    """
    groups = recipe.settings.get("interaction_cst")
    if groups is None or isinstance(groups, str):
        return recipe
    named = [[schema.names[position] for position in _positions(group, schema.names)] for group in groups]
    return replace(recipe, settings={**recipe.settings, "interaction_cst": named})


def _interactions(groups: Any, names: tuple[str, ...]) -> list[list[int]]:
    """Return the positions of the columns of each set that may meet on a path; none if sets do not matter."""
    if isinstance(groups, str):
        return []
    sets = [_positions(group, names) for group in groups or ()]
    rest = sorted(set(range(len(names))).difference(*sets))
    return [*sets, rest] if sets and rest else sets


def _positions(group: Any, names: tuple[str, ...]) -> list[int]:
    positions = []
    for column in group:
        if isinstance(column, str) and column in names:
            positions.append(names.index(column))
        elif (
            isinstance(column, int | np.integer) and not isinstance(column, bool) and 0 <= column < len(names)
        ):
            positions.append(int(column))
        else:
            known = ", ".join(map(repr, names))
            raise ParameterError(f"interaction_cst names {column!r}, but the columns are {known}.")
    return positions


def with_rounds(recipe: Recipe, n_rounds: int) -> Recipe:
    """Return the recipe with a number of rounds, and without a rule that chooses it.

    >>> from bough import GradientBoostingRegressor
    >>> recipe = with_rounds(GradientBoostingRegressor(early_stopping=True, max_iter=50).recipe(), 7)
    >>> recipe.ensemble.n_estimators, "validation_fraction" in recipe.settings
    (7, False)
    """
    assert recipe.ensemble is not None
    settings = {name: value for name, value in recipe.settings.items() if name not in _STOPPING}
    if recipe.ensemble.n_estimators == n_rounds and len(settings) == len(recipe.settings):
        return recipe
    return replace(recipe, ensemble=replace(recipe.ensemble, n_estimators=n_rounds), settings=settings)


def native_settings(recipe: Recipe, schema: Schema, n_rows: int) -> dict[str, Any]:
    """Return the recipe as an argument of the native code; fractions are of `n_rows`.

    >>> from bough import GradientBoostingRegressor
    >>> from bough.data.table import Table
    >>> recipe = GradientBoostingRegressor(min_samples_leaf=0.1).recipe()
    >>> native_settings(recipe, Table.read([[1.0]]).schema, 200)["min_samples_leaf"]
    20.0
    """
    limits, settings = recipe.limits, recipe.settings
    assert recipe.ensemble is not None
    directions = directions_by_name(recipe.monotonic_cst, schema)
    names = schema.names
    return {
        "loss": "own" if callable(settings["loss"]) else settings["loss"],
        "quantiles": np.atleast_1d(settings.get("quantile", 0.5)).tolist(),
        "power": settings.get("power", 1.5),
        "truncation": settings.get("truncation", 0),
        "position_weights": settings.get("position_weights", []),
        "n_rounds": recipe.ensemble.n_estimators,
        "first_round": 0,
        "learning_rate": settings["learning_rate"],
        "row_share": settings.get("max_samples", 1.0),
        "top_share": settings.get("top_samples", 0.0),
        "drop_rate": settings.get("drop_rate", 0.0),
        "columns_by_tree": settings.get("tree_features", 1.0),
        "base_interval": settings.get("base_interval", 0),
        "gradient_splits": settings.get("gradient_splits", False),
        "linear_leaves": bool(settings.get("linear_leaves")),
        "ridge": settings.get("ridge", 0.0),
        "columns_by_level": settings.get("level_features", 1.0),
        "columns_by_node": settings.get("max_features", 1.0),
        "seed": recipe.seed or 0,
        "patience": settings.get("n_iter_no_change", 0),
        "tolerance": settings.get("tol", 0.0),
        "max_depth": _NO_LIMIT if limits.max_depth is None else min(int(limits.max_depth), _NO_LIMIT),
        "max_leaves": min(int(limits.max_leaf_nodes or 0), _NO_LIMIT),
        "max_leaves_by_round": drawn_leaf_counts(recipe),
        "memory": settings.get("memory", 1.0),
        "min_samples_leaf": float(limits.cases_in_leaf(float(n_rows))),
        "min_hessian": settings["min_hessian"],
        "min_gain": 0.0 if limits.min_gain is None else limits.min_gain,
        "l1": settings.get("l1_regularization", 0.0),
        "l2": settings.get("l2_regularization", 0.0),
        "path_smoothing": settings.get("path_smoothing", 0.0),
        "max_step": settings.get("max_delta_step", 0.0),
        "level_smoothing": settings["level_smoothing"],
        "level_l2": settings.get("level_l2", settings["level_smoothing"]),
        "level_penalty": _level_penalty(settings, n_rows),
        "monotonic": [directions.get(name, 0) for name in names] if directions else [],
        "interactions": _interactions(settings.get("interaction_cst"), names),
        "most_on_path": {"no_interactions": 1, "pairwise": 2}.get(str(settings.get("interaction_cst")), 0),
        "order": "best_first" if settings["growth"] == "leaf" else "by_level",
    }


def _level_penalty(settings: Mapping[str, Any], n_rows: int) -> float:
    """Return how much splits of levels pay for chance; recipes that do not say were made without it."""
    given = settings.get("level_penalty", 0.0)
    return float(n_rows > MOST_ROWS if given == "auto" else given)


def drawn_leaf_counts(recipe: Recipe) -> list[int]:
    """Return the greatest number of leaves of each round's trees, if the recipe draws them; else nothing.

    It is 2 plus the whole part of an exponentially distributed number, whose mean is `mean_leaf_nodes` less 2
    (Friedman and Popescu 2008, section 3.3).

    >>> from bough import RuleEnsembleRegressor
    >>> from dataclasses import replace
    >>> drawn_leaf_counts(replace(RuleEnsembleRegressor(n_estimators=5).recipe(), seed=0))
    [3, 4, 2, 2, 3]
    """
    mean = recipe.settings.get("mean_leaf_nodes")
    if mean is None:
        return []
    assert recipe.ensemble is not None
    drawn = np.random.default_rng(recipe.seed).exponential(mean - 2, recipe.ensemble.n_estimators)
    return [2 + min(int(extra), _MOST_LEAVES) for extra in drawn]
