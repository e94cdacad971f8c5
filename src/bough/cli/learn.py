"""`bough learn`: grow a tree from a table, print it with its accuracy and its rules, and save it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from bough.cli.options import AsJson, Jobs, MissingText, TablePath, missing_text
from bough.cli.terminal import plain_errors, working
from bough.errors import ParameterError, TableError, TargetError

if TYPE_CHECKING:
    from bough.cli.sample import Sample, Task
    from bough.learners.estimator import TreeEstimator
    from bough.recipe import Recipe
    from bough.table import Table
    from bough.tree import Tree


class Learner(StrEnum):
    """The algorithms by their names on the command line."""

    cart = "cart"
    id3 = "id3"
    c50 = "c50"
    tree = "tree"


class TaskChoice(StrEnum):
    """What is predicted; auto leaves it to the target."""

    auto = "auto"
    classification = "classification"
    regression = "regression"


class MissingTarget(StrEnum):
    """What is done with rows of which the target is not known."""

    refuse = "refuse"
    skip = "skip"


_ESTIMATORS = {
    (Learner.cart, "classification"): "CARTClassifier",
    (Learner.cart, "regression"): "CARTRegressor",
    (Learner.id3, "classification"): "ID3Classifier",
    (Learner.c50, "classification"): "C50Classifier",
    (Learner.tree, "classification"): "TreeClassifier",
    (Learner.tree, "regression"): "TreeRegressor",
}


def learn(
    table: TablePath,
    target: Annotated[str, typer.Option(metavar="COLUMN", help="The column to predict.", show_default=False)],
    learner: Annotated[Learner, typer.Option(help="The algorithm.")] = Learner.cart,
    task: Annotated[
        TaskChoice,
        typer.Option(help="auto: text, truth values and up to 10 different whole numbers are classes."),
    ] = TaskChoice.auto,
    test_size: Annotated[
        float, typer.Option(help="Share of the rows to hold out and judge by; 0 for none.")
    ] = 0.25,
    seed: Annotated[int, typer.Option(help="Chooses the rows held out.")] = 0,
    out: Annotated[str | None, typer.Option(metavar="FILE", help="Save the tree here, as JSON.")] = None,
    criterion: Annotated[
        str | None, typer.Option(help="How splits are judged, such as gini or entropy.")
    ] = None,
    max_depth: Annotated[int | None, typer.Option(help="The most splits on a path.")] = None,
    max_leaf_nodes: Annotated[
        int | None, typer.Option(help="The most leaves; the best splits come first.")
    ] = None,
    min_samples_split: Annotated[
        int | None, typer.Option(help="The fewest cases a node is split at.")
    ] = None,
    min_samples_leaf: Annotated[int | None, typer.Option(help="The fewest cases of a leaf.")] = None,
    min_impurity_decrease: Annotated[float | None, typer.Option(help="The least a split must gain.")] = None,
    missing: Annotated[
        str | None, typer.Option(help="majority: follow the branch of most weight; refuse: an error.")
    ] = None,
    missing_target: Annotated[
        MissingTarget, typer.Option(help="Rows of which the target is not known: refuse or skip them.")
    ] = MissingTarget.refuse,
    weights: Annotated[str | None, typer.Option(metavar="COLUMN", help="The column of row weights.")] = None,
    drop: Annotated[
        list[str] | None, typer.Option(metavar="COLUMN", help="Leave a column out; may be repeated.")
    ] = None,
    nominal: Annotated[
        list[str] | None,
        typer.Option(metavar="COLUMN", help="Numbers in this column are names; may be repeated."),
    ] = None,
    ordinal: Annotated[
        list[str] | None,
        typer.Option(metavar="COLUMN=LOW,…,HIGH", help="A column's levels in rising order; may be repeated."),
    ] = None,
    na: MissingText = None,
    jobs: Jobs = None,
    max_lines: Annotated[int, typer.Option(min=1, help="The most lines of the tree and of the rules.")] = 40,
    as_json: AsJson = False,
) -> None:
    """Grow a tree from a table; print it, how well it does on rows held out, and its rules.

    Example: bough learn examples/penguins.csv --target species --max-depth 3 --out penguins.json
    """
    given = {
        "criterion": criterion,
        "max_depth": max_depth,
        "max_leaf_nodes": max_leaf_nodes,
        "min_samples_split": min_samples_split,
        "min_samples_leaf": min_samples_leaf,
        "min_impurity_decrease": min_impurity_decrease,
        "missing": missing,
        "n_jobs": jobs,
    }
    with plain_errors():
        from bough.cli.sample import known_rows, sample_of

        order = dict(map(_levels_in_order, ordinal or []))
        roles = _Roles(target, weights, drop or [], nominal or [], order)
        rows = _read(table, roles, missing_text(na))
        if missing_target is MissingTarget.skip:
            rows = known_rows(rows, target)
        sample, found = sample_of(rows, target, weights, None if task is TaskChoice.auto else task.value)
        learned_from, held_out = sample.divided(test_size, seed)
        parameters = {name: value for name, value in given.items() if value is not None}
        tree = _grown(learner, found, parameters, learned_from, target)
        if out is not None:
            tree.save(out)
        _print(tree, held_out, learner, out, max_lines, as_json)


class _Roles(NamedTuple):
    """What the columns of the table are for."""

    target: str
    weights: str | None
    drop: Sequence[str]
    nominal: Sequence[str]
    ordinal: Mapping[str, Sequence[str]]


def _read(path: str, roles: _Roles, na: Sequence[str]) -> Table:
    from bough.cli.tables import check_known, open_table, read_columns

    with working("Reading the table"), open_table(path, na) as file:
        weights = [] if roles.weights is None else [roles.weights]
        check_known([roles.target, *weights, *roles.drop, *roles.nominal, *roles.ordinal], file.names, path)
        names = [name for name in file.names if name not in roles.drop]
        check_known([roles.target, *weights], names, f"{path} without what --drop leaves out")
        return read_columns(file, names, nominal=roles.nominal, ordinal=roles.ordinal)


def _levels_in_order(said: str) -> tuple[str, list[str]]:
    name, equals, levels = said.partition("=")
    if not equals or not levels:
        raise ParameterError.of("--ordinal", said, "a column and its levels, such as size=small,medium,large")
    return name, [level.strip() for level in levels.split(",")]


def _grown(learner: Learner, task: Task, parameters: dict[str, Any], sample: Sample, target: str) -> Tree:
    from dataclasses import replace

    from bough.engines.native import watched

    estimator = _estimator(learner, task, parameters, target)
    _check_sample(sample, learner, estimator.recipe(), target)
    with working("Growing the tree") as progress, watched(progress):
        estimator.fit(sample.features, sample.target, sample_weight=sample.weight)
    return replace(estimator.tree_, target_name=target)


def _estimator(learner: Learner, task: Task, parameters: dict[str, Any], target: str) -> TreeEstimator:
    """Return the estimator that bears the learner's name, with the parameters given."""
    import bough

    if (learner, task) not in _ESTIMATORS:
        raise ParameterError(
            f"--learner {learner.value} predicts classes, and {target!r} holds numbers; use --learner cart."
        )
    estimator = getattr(bough, _ESTIMATORS[learner, task])
    known = estimator().get_params()
    for name in parameters:
        if name not in known:
            raise ParameterError(
                f"--learner {learner.value} has no --{name.replace('_', '-')}; leave it out."
            )
    made: TreeEstimator = estimator(**parameters)
    return made


def _check_sample(sample: Sample, learner: Learner, recipe: Recipe, target: str) -> None:
    numeric = [column.name for column in sample.features.schema if column.scale == "numeric"]
    if learner is Learner.id3 and numeric:
        raise TableError(
            f"Column {numeric[0]!r} is numeric, and id3 splits levels only; add --nominal {numeric[0]} or "
            f"--drop {numeric[0]}, or use --learner cart."
        )
    if recipe.criterion == "poisson" and (sample.target < 0).any():
        raise TargetError(
            f"The target {target!r} is negative in {(sample.target < 0).sum()} rows, and poisson is for "
            "numbers of events, 0 or more; use --criterion squared_error."
        )


def _print(
    tree: Tree, held_out: Sample | None, learner: Learner, out: str | None, max_lines: int, as_json: bool
) -> None:
    from bough.cli.score import scores_of
    from bough.cli.show import rules_text, summary, tree_text

    scores = [] if held_out is None else scores_of(tree, held_out)
    if as_json:
        measured = {
            score.measure: {"value": score.value, "baseline": score.baseline, "rows": score.n_rows}
            for score in scores
        }
        typer.echo(
            json.dumps(
                {"learner": learner.value, **summary(tree), "held_out": measured, "model": out}, indent=2
            )
        )
        return
    typer.echo(tree_text(tree, max_lines))
    typer.echo("")
    for score in scores:
        typer.echo(score.words())
    if scores:
        typer.echo("")
    typer.echo(rules_text(tree, max_lines))
    if out is not None:
        typer.echo(
            f"\nSaved to {out}: read it with `bough show {out}`, ask it with `bough predict {out} TABLE`."
        )
