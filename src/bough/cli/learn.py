"""`bough learn`: grow a tree or learn rules from a table, print them with their scores, and save them."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import typer

from bough.cli.in_database import is_database, learned_in_database
from bough.cli.learners import Learner, estimator_of
from bough.cli.options import (
    AsJson,
    Drop,
    Jobs,
    LossMatrix,
    MissingText,
    Nominal,
    Ordinal,
    OutModel,
    TablePath,
    TargetColumn,
    TaskChoice,
    TaskOption,
    Weights,
    matrix_of,
    missing_text,
)
from bough.cli.output import STDOUT, write, write_json
from bough.cli.roles import Roles, read_rows
from bough.cli.terminal import plain_errors, working
from bough.errors import ParameterError, TableError, TargetError

if TYPE_CHECKING:
    from bough.cli.sample import Sample
    from bough.data.table import Table
    from bough.growing.recipe import Recipe
    from bough.reports.report import Report
    from bough.types import Task


class MissingTarget(StrEnum):
    """What is done with rows whose target is missing."""

    refuse = "refuse"
    skip = "skip"


TestSize: TypeAlias = Annotated[
    float, typer.Option(help="Share of the rows to hold out for testing; 0 for none.")
]
ReportPath: TypeAlias = Annotated[
    str | None, typer.Option(metavar="FILE", help="Write a report, one HTML page, here; - is stdout.")
]
Criterion: TypeAlias = Annotated[
    str | None, typer.Option(help="The splitting criterion, such as gini or entropy.")
]
MaxDepth: TypeAlias = Annotated[int | None, typer.Option(help="The most splits on a path.")]
MaxLeafNodes: TypeAlias = Annotated[
    int | None, typer.Option(help="The most leaves; the best splits come first.")
]
MinSamplesSplit: TypeAlias = Annotated[
    int | None, typer.Option(help="The fewest cases of a node that is split.")
]
MinSamplesLeaf: TypeAlias = Annotated[int | None, typer.Option(help="The fewest cases of a leaf.")]
MinSamplesBranch: TypeAlias = Annotated[
    int | None, typer.Option(help="The fewest cases of two branches of a split; Quinlan's -m.")
]
MinImpurityDecrease: TypeAlias = Annotated[
    float | None, typer.Option(help="The least decrease of impurity by a split.")
]
Prune: TypeAlias = Annotated[
    str | None,
    typer.Option(
        help="none, reduced_error, pessimistic, error_based or mdl; cart also has one_se, minimum and cp."
    ),
]
Combinations: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(help="Split on several columns: ratio, bivariate or linear; may be repeated."),
]
Missing: TypeAlias = Annotated[
    str | None,
    typer.Option(
        help="How rows with a missing value are routed, such as learned or majority; refuse is an error."
    ),
]
TableName: TypeAlias = Annotated[
    str | None, typer.Option("--table", metavar="NAME", help="The table of a database, such as shop.orders.")
]
MaxBins: TypeAlias = Annotated[
    int | None, typer.Option(help="Grow from at most so many bins a column; in a database 255 by default.")
]
RowKey: TypeAlias = Annotated[
    str | None,
    typer.Option(metavar="COLUMN", help="In a database: the column whose hash divides rows into folds."),
]
SkipMissingTarget: TypeAlias = Annotated[
    MissingTarget, typer.Option(help="Refuse or skip rows whose target is missing.")
]


def learn(
    table: TablePath,
    target: TargetColumn,
    learner: Annotated[Learner, typer.Option(help="The algorithm.")] = Learner.cart,
    task: TaskOption = TaskChoice.auto,
    test_size: TestSize = 0.25,
    random_state: Annotated[int, typer.Option(help="The seed that chooses the rows held out.")] = 0,
    out: OutModel = None,
    report: ReportPath = None,
    criterion: Criterion = None,
    max_depth: MaxDepth = None,
    max_leaf_nodes: MaxLeafNodes = None,
    min_samples_split: MinSamplesSplit = None,
    min_samples_leaf: MinSamplesLeaf = None,
    min_samples_branch: MinSamplesBranch = None,
    min_impurity_decrease: MinImpurityDecrease = None,
    prune: Prune = None,
    combinations: Combinations = None,
    loss_matrix: LossMatrix = None,
    missing: Missing = None,
    max_bins: MaxBins = None,
    row_key: RowKey = None,
    table_name: TableName = None,
    missing_target: SkipMissingTarget = MissingTarget.refuse,
    weights: Weights = None,
    drop: Drop = None,
    nominal: Nominal = None,
    ordinal: Ordinal = None,
    na: MissingText = None,
    jobs: Jobs = None,
    max_lines: Annotated[int, typer.Option(min=1, help="The most lines of the tree and of the rules.")] = 40,
    as_json: AsJson = False,
) -> None:
    """Grow a tree or learn rules from a table; print them and their score on the rows held out.

    A table may also stay in a database, where the tree is then grown from all of its rows.

    Example: bough learn examples/penguins.csv --target species --max-depth 3 --report penguins.html

    Example: bough learn warehouse.duckdb::orders --target churned --out churn.json
    """
    with plain_errors():
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
            "loss_matrix": None if loss_matrix is None else matrix_of(loss_matrix),
            "missing": missing,
            "max_bins": max_bins,
            "row_key": row_key,
            "sampling": None if row_key is None else "hash",
            "n_jobs": jobs,
        }
        roles = Roles.of(target, weights, drop, nominal, ordinal)
        if is_database(table) or table_name is not None:
            skip = missing_target is MissingTarget.skip
            parameters = {name: value for name, value in given.items() if value is not None}
            made = partial(_estimator, learner, parameters=parameters, target=target)
            grown = learned_in_database(table, table_name, roles, task, skip, made)
            _write_without_rows(grown, out, report)
            if out != STDOUT:
                _print(_model_of(grown), None, learner, out, max_lines, as_json, report)
            return
        sample, found = _sample(read_rows(table, roles, missing_text(na)), roles, task, missing_target)
        learned_from, held_out = sample.divided(test_size, random_state)
        grown = _grown(learner, found, given, learned_from, target)
        _write(grown, out, report, learned_from, held_out)
        if STDOUT not in (out, report):
            _print(_model_of(grown), held_out, learner, out, max_lines, as_json, report)


def _write_without_rows(model: Any, out: str | None, report: str | None) -> None:
    """Save a model that was learned in a database."""
    if report is not None:
        raise ParameterError(
            "--report describes the rows too, which stay in the database; leave it out, and use "
            "`bough report` with a sample of them in a file."
        )
    _save(model, out)


def _sample(
    rows: Table, roles: Roles, task: TaskChoice, missing_target: MissingTarget
) -> tuple[Sample, Task]:
    from bough.cli.sample import known_rows, sample_of

    if missing_target is MissingTarget.skip:
        rows = known_rows(rows, roles.target)
    return sample_of(rows, roles.target, roles.weights, task.given())


def _grown(learner: Learner, task: Task, given: dict[str, Any], sample: Sample, target: str) -> Any:
    from dataclasses import replace

    from bough.progress import watched

    parameters = {name: value for name, value in given.items() if value is not None}
    estimator = _estimator(learner, task, parameters, target)
    _check_sample(sample, learner, estimator.recipe(), target)
    with working("Growing the tree") as progress, watched(progress):
        estimator.fit(sample.features, sample.target, sample_weight=sample.weight)
    model = _model_of(estimator)
    name = next(name for name in _MODEL_NAMES if hasattr(estimator, name))
    setattr(estimator, name, replace(model, target_name=target))
    return estimator


# The attributes that hold the model of a fitted learner, the first that it has.
_MODEL_NAMES = ("tree_", "rules_", "model_")


def _model_of(estimator: Any) -> Any:
    """Return the tree that an estimator has grown, else its rules, else its model."""
    return next(getattr(estimator, name) for name in _MODEL_NAMES if hasattr(estimator, name))


def _estimator(learner: Learner, task: Task, parameters: dict[str, Any], target: str) -> Any:
    """Return the estimator of a learner with the parameters given."""
    made = estimator_of(learner, task)
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


def _write(
    model: Any, out: str | None, report: str | None, learned_from: Sample, held_out: Sample | None
) -> None:
    """Save the model and write the report where they are asked for."""
    if report is not None and not hasattr(model, "tree_"):
        raise ParameterError("--report describes a tree, and this learner makes another model; leave it out.")
    if out == STDOUT and report == STDOUT:
        raise ParameterError("--out and --report are both standard output; give one of them a file.")
    _save(model, out)
    if report == STDOUT:
        write(_page(model, learned_from, held_out).html)
    elif report is not None:
        _page(model, learned_from, held_out).save(report)


def _save(model: Any, out: str | None) -> None:
    if out == STDOUT:
        from bough.models.encoding import to_json

        write_json(to_json(_model_of(model).document()))
    elif out is not None:
        _model_of(model).save(out)


def _page(model: Any, learned_from: Sample, held_out: Sample | None) -> Report:
    from dataclasses import replace

    from bough.reports.report import report

    schema = _model_of(model).schema
    test = None if held_out is None else (replace(held_out.features, schema=schema), held_out.target)
    with working("Writing the report"):
        rows = replace(learned_from.features, schema=schema)
        return report(model, rows, learned_from.target, sample_weight=learned_from.weight, test=test)


def _print(
    model: Any,
    held_out: Sample | None,
    learner: Learner,
    out: str | None,
    max_lines: int,
    as_json: bool,
    report: str | None,
) -> None:
    """Print the model with its scores and the rules of a tree, and name the files written."""
    from bough.cli.score import evaluated, scores_of
    from bough.cli.show import model_text, rule_set_summary, rule_set_text, rules_text, summary, tree_text

    found = None if held_out is None else evaluated(model, held_out)
    scores = [] if found is None else scores_of(found)
    if as_json:
        measured = {
            score.measure: {"value": score.value, "baseline": score.baseline, "rows": score.n_rows}
            for score in scores
        }
        files = {"model": out, "report": report}
        described = rule_set_summary(model) if model.model_kind == "rules" else summary(model)
        write_json({"learner": learner.value, **described, "held_out": measured, **files})
        return
    texts: dict[str, Callable[..., str]] = {"tree": tree_text, "rules": rule_set_text}
    is_tree = model.model_kind == "tree"
    write(f"{texts.get(model.model_kind, model_text)(model, max_lines)}\n")
    if scores:
        notes = [] if found is None or found.rare is None else found.notes()[:1]
        write("\n".join([*(score.words() for score in scores), *notes]) + "\n")
    if is_tree:
        write(rules_text(model.rules(), max_lines))
    if out is not None:
        show = f"bough show {out}" + ("" if is_tree else " --importance")
        write(f"\nSaved to {out}: show it with `{show}`, predict with `bough predict {out} TABLE`.")
    if report is not None:
        write(f"\nWrote the report {report}: open it in a browser.")
