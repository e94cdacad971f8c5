"""`bough learn`: grow a tree from a table, print it with its accuracy and its rules, and save it."""

from __future__ import annotations

import json
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bough.cli.learners import Learner, estimator_of
from bough.cli.options import (
    AsJson,
    Drop,
    Jobs,
    MissingText,
    Nominal,
    Ordinal,
    OutModel,
    TablePath,
    missing_text,
)
from bough.cli.output import write_json
from bough.cli.roles import Roles, levels_in_order, read_rows
from bough.cli.terminal import plain_errors, working
from bough.errors import ParameterError, TableError, TargetError

if TYPE_CHECKING:
    from bough.cli.sample import Sample, Task
    from bough.growing.recipe import Recipe
    from bough.learners.estimator import TreeEstimator
    from bough.tree import Tree


class TaskChoice(StrEnum):
    """What is predicted; auto leaves it to the target."""

    auto = "auto"
    classification = "classification"
    regression = "regression"


class MissingTarget(StrEnum):
    """What is done with rows of which the target is not known."""

    refuse = "refuse"
    skip = "skip"


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
    random_state: Annotated[int, typer.Option(help="Chooses the rows held out.")] = 0,
    out: OutModel = None,
    report: Annotated[
        str | None, typer.Option(metavar="FILE", help="Write a report here: one HTML page about the tree.")
    ] = None,
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
    min_samples_branch: Annotated[
        int | None, typer.Option(help="The fewest cases of two branches of a split; Quinlan's -m.")
    ] = None,
    min_impurity_decrease: Annotated[float | None, typer.Option(help="The least a split must gain.")] = None,
    prune: Annotated[
        str | None,
        typer.Option(
            help="none, reduced_error, pessimistic, error_based or mdl; of cart also one_se, minimum or cp."
        ),
    ] = None,
    combinations: Annotated[
        list[str] | None,
        typer.Option(help="Split by several columns: ratio, bivariate or linear; may be repeated."),
    ] = None,
    missing: Annotated[
        str | None, typer.Option(help="What rows without a value do, such as majority, or refuse: an error.")
    ] = None,
    missing_target: Annotated[
        MissingTarget, typer.Option(help="Rows of which the target is not known: refuse or skip them.")
    ] = MissingTarget.refuse,
    weights: Annotated[str | None, typer.Option(metavar="COLUMN", help="The column of row weights.")] = None,
    drop: Drop = None,
    nominal: Nominal = None,
    ordinal: Ordinal = None,
    na: MissingText = None,
    jobs: Jobs = None,
    max_lines: Annotated[int, typer.Option(min=1, help="The most lines of the tree and of the rules.")] = 40,
    as_json: AsJson = False,
) -> None:
    """Grow a tree from a table; print it, how well it does on rows held out, and its rules.

    Example: bough learn examples/penguins.csv --target species --max-depth 3 --report penguins.html
    """
    given = {
        "criterion": criterion,
        "max_depth": max_depth,
        "max_leaf_nodes": max_leaf_nodes,
        "min_samples_split": min_samples_split,
        "min_samples_leaf": min_samples_leaf,
        "min_samples_branch": min_samples_branch,
        "min_impurity_decrease": min_impurity_decrease,
        "prune": prune,
        "combinations": tuple(combinations) if combinations else None,
        "missing": missing,
        "n_jobs": jobs,
    }
    with plain_errors():
        from bough.cli.sample import known_rows, sample_of

        order = dict(map(levels_in_order, ordinal or []))
        roles = Roles(target, weights, drop or [], nominal or [], order)
        rows = read_rows(table, roles, missing_text(na))
        if missing_target is MissingTarget.skip:
            rows = known_rows(rows, target)
        sample, found = sample_of(rows, target, weights, None if task is TaskChoice.auto else task.value)
        learned_from, held_out = sample.divided(test_size, random_state)
        parameters = {name: value for name, value in given.items() if value is not None}
        grown = _grown(learner, found, parameters, learned_from, target)
        tree = grown.tree_
        if out == "-":
            write_json(tree.to_json())
        elif out is not None:
            tree.save(out)
        if report is not None:
            _write_report(report, grown, learned_from, held_out)
        if out != "-":
            _print(tree, held_out, learner, out, max_lines, as_json, report)


def _grown(
    learner: Learner, task: Task, parameters: dict[str, Any], sample: Sample, target: str
) -> TreeEstimator:
    from dataclasses import replace

    from bough.progress import watched

    estimator = _estimator(learner, task, parameters, target)
    _check_sample(sample, learner, estimator.recipe(), target)
    with working("Growing the tree") as progress, watched(progress):
        estimator.fit(sample.features, sample.target, sample_weight=sample.weight)
    estimator.tree_ = replace(estimator.tree_, target_name=target)
    return estimator


def _estimator(learner: Learner, task: Task, parameters: dict[str, Any], target: str) -> TreeEstimator:
    """Return the estimator that bears the learner's name, with the parameters given."""
    made: TreeEstimator | None = estimator_of(learner, task)
    if made is None:
        raise ParameterError(
            f"--learner {learner.value} predicts classes, and {target!r} holds numbers; use --learner cart."
        )
    known = made.get_params()
    for name in parameters:
        if name not in known:
            raise ParameterError(
                f"--learner {learner.value} has no --{name.replace('_', '-')}; leave it out."
            )
    made.set_params(**parameters)
    return made


def _check_sample(sample: Sample, learner: Learner, recipe: Recipe, target: str) -> None:
    numeric = [column.name for column in sample.features.schema if column.scale == "numeric"]
    if learner is Learner.id3 and numeric:
        raise TableError(
            f"Column {numeric[0]!r} is numeric, and id3 splits nominal columns only; add "
            f"--nominal {numeric[0]} or --drop {numeric[0]}, or use --learner cart."
        )
    if recipe.criterion == "poisson" and (sample.target < 0).any():
        raise TargetError(
            f"The target {target!r} is negative in {(sample.target < 0).sum()} rows, and poisson is for "
            "numbers of events, 0 or more; use --criterion squared_error."
        )


def _write_report(path: str, model: TreeEstimator, learned_from: Sample, held_out: Sample | None) -> None:
    from dataclasses import replace

    from bough.reports.report import report

    schema = model.tree_.schema
    test = None if held_out is None else (replace(held_out.features, schema=schema), held_out.target)
    with working("Writing the report"):
        rows = replace(learned_from.features, schema=schema)
        report(model, rows, learned_from.target, sample_weight=learned_from.weight, test=test).save(path)


def _print(
    tree: Tree,
    held_out: Sample | None,
    learner: Learner,
    out: str | None,
    max_lines: int,
    as_json: bool,
    report: str | None,
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
                {
                    "learner": learner.value,
                    **summary(tree),
                    "held_out": measured,
                    "model": out,
                    "report": report,
                },
                indent=2,
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
    if report is not None:
        typer.echo(f"\nWrote the report {report}: open it in a browser.")
