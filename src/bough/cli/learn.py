"""`bough learn`: grow a tree or learn rules from a table, print them with their scores, and save them."""

from __future__ import annotations

import time
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import typer

from bough.cli.in_database import check_na, learned_in_database, place_words, stays_in_place
from bough.cli.learned import (
    LearnedModel,
    Written,
    finish,
    finish_without_rows,
    finish_without_target,
    source_of,
)
from bough.cli.learner_options import LearnerOptions
from bough.cli.learners import RANKERS, SURVIVAL, WITHOUT_TARGET, Learner, estimator_of
from bough.cli.option_groups import ColumnOptions, RowOptions
from bough.cli.options import (
    AsJson,
    OutModel,
    PlacePath,
    TableName,
    TargetColumns,
    TaskChoice,
    TaskOption,
    missing_text,
    repeated,
)
from bough.cli.output import STDOUT
from bough.cli.roles import Roles, read_rows
from bough.cli.settings import check_parameters, in_own_names, settings_of
from bough.cli.terminal import working
from bough.cli.without_target import check_without_target
from bough.data.urls import refuse_url
from bough.errors import ParameterError, TableError, TargetError

if TYPE_CHECKING:
    from bough.cli.sample import Sample
    from bough.data.table import Table
    from bough.types import Task


TestSize: TypeAlias = Annotated[
    float, typer.Option(help="Share of the rows to hold out for testing; 0 for none.")
]
ReportPath: TypeAlias = Annotated[
    str | None, typer.Option(metavar="FILE", help="Write a report, one HTML page, here; - is stdout.")
]
Settings: TypeAlias = Annotated[
    list[str] | None,
    repeated("--set", "NAME=VALUE", "A parameter that bough learners lists, such as n_estimators=10"),
]


def learn(
    context: typer.Context,
    table: PlacePath,
    target: TargetColumns = None,
    learner: Annotated[Learner, typer.Option(help="The algorithm; see bough learners.")] = Learner.cart,
    settings: Settings = None,
    task: TaskOption = TaskChoice.auto,
    test_size: TestSize = 0.25,
    random_state: Annotated[int, typer.Option(help="The seed that chooses the rows held out.")] = 0,
    out: OutModel = None,
    report: ReportPath = None,
    *,
    parameters: LearnerOptions,
    table_name: TableName = None,
    given: RowOptions,
    columns: ColumnOptions,
    max_lines: Annotated[int, typer.Option(min=1, help="The most lines of the tree and of the rules.")] = 40,
    as_json: AsJson = False,
) -> None:
    """Grow a tree or learn rules from a table; print them and their score on the rows held out.

    A table may also stay in a database or in a folder of files; the tree is then grown there, from all rows.

    Example: bough learn examples/penguins.csv --target species --max-depth 3 --report penguins.html

    Example: bough learn warehouse.duckdb::orders --target churned --out churn.json
    """
    _check_groups(learner, given.groups, given.event)
    _check_target(learner, target)
    _check_files(out, report)
    task = TaskChoice.regression if learner in RANKERS else task
    roles = Roles.of(target or "", columns, given)
    settings_given = settings_of(settings or ())
    made = partial(_estimator, learner, options=parameters.parameters(), settings=settings_given, roles=roles)
    written = Written(learner, out, report, max_lines, as_json)
    if target is None:
        check_without_target(context, settings_given)
        finish_without_target(made("regression"), table, roles, missing_text(columns.na), written)
        return
    if stays_in_place(table) or table_name is not None:
        check_na(table, columns.na)
        _check_report(table, report)
        grown_there = learned_in_database(table, table_name, roles, task, given.skips_missing, made)
        finish_without_rows(grown_there, roles, table_name or table, written)
        return
    rows = read_rows(table, roles, missing_text(columns.na), several=True)
    sample, found = _sample(rows, roles, task, skip_missing=given.skips_missing)
    learned_from, held_out = sample.divided(test_size, random_state)
    grown = _grown(learner, made(found), learned_from, roles, table)
    finish(grown, learned_from, held_out, written)


def _check_groups(learner: Learner, groups: str | None, event: str | None) -> None:
    if (learner in RANKERS) != (groups is not None):
        names = ", ".join(RANKERS)
        raise ParameterError(f"--groups, a column of ids, goes with --learner {names}, which need it.")
    if event is not None and learner not in SURVIVAL:
        raise ParameterError(f"--event goes with --learner {', '.join(SURVIVAL)}; use one of them.")


def _check_target(learner: Learner, target: str | None) -> None:
    if learner in WITHOUT_TARGET and target is not None:
        raise ParameterError(
            f"--learner {learner.value} has no target; leave --target out, or --drop {target}."
        )
    if learner not in WITHOUT_TARGET and target is None:
        raise typer.BadParameter(
            "the column to predict is missing; only --learner isolation has none.", param_hint="--target"
        )


def _check_files(out: str | None, report: str | None) -> None:
    for path, what in ((out, "the file of --out"), (report, "the file of --report")):
        if path is not None:
            refuse_url(path, what)
    if out == STDOUT and report == STDOUT:
        raise ParameterError("--out and --report are both standard output; give one of them a file.")


def _check_report(table: str, report: str | None) -> None:
    if report is not None:
        raise ParameterError(
            f"--report describes the rows too, which stay in {place_words(table)}; leave it out, and use "
            "`bough report` with a sample of them in a file."
        )


def _sample(rows: Table, roles: Roles, task: TaskChoice, *, skip_missing: bool) -> tuple[Sample, Task]:
    from bough.cli.sample import known_rows, sample_of, sample_of_targets

    targets = roles.targets(rows.schema.names)
    if skip_missing:
        rows = known_rows(rows, *targets)
    if roles.event is not None:
        from bough.cli.survival import survival_sample

        return survival_sample(rows, roles.target, roles.event, roles.weights), "regression"
    if len(targets) > 1:
        return sample_of_targets(rows, targets, roles.weights, task.given())
    return sample_of(rows, roles.target, roles.weights, task.given(), roles.groups)


def _grown(learner: Learner, estimator: Any, sample: Sample, roles: Roles, table: str) -> LearnedModel:
    from dataclasses import replace

    from bough.models.target_name import with_target_name
    from bough.progress import watched

    _check_sample(sample, learner, estimator, roles.target)
    started = time.perf_counter()
    with working("Learning") as progress, watched(progress):
        ranked = {} if sample.groups is None else {"groups": sample.groups}
        estimator.fit(sample.features, sample.target, sample_weight=sample.weight, **ranked)
    seconds = time.perf_counter() - started
    fitted = estimator.model_
    model = fitted if getattr(fitted, "targets", ()) else with_target_name(fitted, roles.target)
    made = source_of(estimator, roles, table, sample.features.n_rows)
    model = replace(model, provenance=model.provenance | made)
    for name, value in list(vars(estimator).items()):
        if value is fitted:
            setattr(estimator, name, model)
    return LearnedModel(estimator, model, seconds, sample.features.n_rows)


def _estimator(
    learner: Learner, task: Task, options: dict[str, Any], settings: dict[str, Any], roles: Roles
) -> Any:
    """Return the estimator of a learner with the parameters of the options and of `--set`."""
    made = estimator_of(learner, task, survival=roles.event is not None)
    if made is None:
        wanted, held = ("classes", "numbers") if task == "regression" else ("numbers", "classes")
        raise ParameterError(
            f"--learner {learner.value} predicts {wanted}, and {roles.target!r} holds {held}; "
            "use --learner cart."
        )
    settings = in_own_names(learner.value, settings, made.get_params(deep=False))
    known = made.get_params()
    for name in options:
        if name not in known:
            raise ParameterError(
                f"--learner {learner.value} has no --{name.replace('_', '-')}; leave it out."
            )
        if name in settings:
            raise ParameterError(
                f"--{name.replace('_', '-')} and --set {name} are both given; leave one out."
            )
    check_parameters(learner.value, made, settings)
    made.set_params(**options, **settings)
    return made


def _check_sample(sample: Sample, learner: Learner, estimator: Any, target: str) -> None:
    from bough.data.several_targets import SeveralTargets

    numeric = [column.name for column in sample.features.schema if column.scale == "numeric"]
    if learner is Learner.id3 and numeric:
        raise TableError(
            f"Column {numeric[0]!r} is numeric, and id3 splits nominal columns only; add "
            f"--nominal {numeric[0]} or --drop {numeric[0]}, or use --learner cart."
        )
    y = sample.target
    if isinstance(y, SeveralTargets):
        y = y.values
        if not getattr(estimator, "_several_targets", False):
            raise ParameterError(
                f"--learner {learner.value} predicts one target, and --target names {y.shape[1]}; use "
                "--learner cart, tree or forest, or learn them one by one."
            )
    if getattr(estimator, "criterion", None) == "poisson" and (y < 0).any():
        raise TargetError(
            f"The target {target!r} is negative in {(y < 0).reshape(len(y), -1).any(axis=1).sum()} rows, and "
            "poisson is for numbers of events, 0 or more; use --criterion squared_error."
        )
