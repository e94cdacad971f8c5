"""`bough learn`: grow a tree or learn rules from a table, print them with their scores, and save them."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, TypeAlias

import typer

from bough.cli.in_database import check_na, learned_in_database, place_words, stays_in_place
from bough.cli.learners import RANKERS, SURVIVAL, WITHOUT_TARGET, Learner, estimator_of
from bough.cli.options import (
    AsJson,
    Drop,
    Event,
    Groups,
    Jobs,
    LossMatrix,
    MissingTarget,
    MissingText,
    Nominal,
    Ordinal,
    OutModel,
    PlacePath,
    SkipMissingTarget,
    TableName,
    TargetColumns,
    TaskChoice,
    TaskOption,
    Weights,
    matrix_of,
    missing_text,
    repeated,
)
from bough.cli.output import STDOUT, write, write_json
from bough.cli.roles import Roles, read_rows
from bough.cli.settings import check_parameters, in_own_names, settings_of
from bough.cli.terminal import plain_errors, say, working
from bough.cli.without_target import check_without_target
from bough.data.urls import refuse_url
from bough.data.words import count_words, figure_words, name_words
from bough.errors import ParameterError, TableError, TargetError

if TYPE_CHECKING:
    from bough.cli.sample import Sample
    from bough.data.table import Table
    from bough.reports.report import Report
    from bough.types import Task


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
    repeated("--combinations", "KIND", "Split on several columns: ratio, bivariate or linear"),
]
Missing: TypeAlias = Annotated[
    str | None,
    typer.Option(
        help="How rows with a missing value are routed, such as learned or majority; refuse is an error."
    ),
]
Settings: TypeAlias = Annotated[
    list[str] | None,
    repeated("--set", "NAME=VALUE", "A parameter that bough learners lists, such as n_estimators=10"),
]


# Options that are passed on as they are to the parameters of the same name.
_PARAMETERS = (
    "criterion",
    "max_depth",
    "max_leaf_nodes",
    "min_samples_split",
    "min_samples_leaf",
    "min_samples_branch",
    "min_impurity_decrease",
    "prune",
    "missing",
)


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
    table_name: TableName = None,
    missing_target: SkipMissingTarget = MissingTarget.refuse,
    weights: Weights = None,
    groups: Groups = None,
    event: Event = None,
    drop: Drop = None,
    nominal: Nominal = None,
    ordinal: Ordinal = None,
    na: MissingText = None,
    jobs: Jobs = None,
    max_lines: Annotated[int, typer.Option(min=1, help="The most lines of the tree and of the rules.")] = 40,
    as_json: AsJson = False,
) -> None:
    """Grow a tree or learn rules from a table; print them and their score on the rows held out.

    A table may also stay in a database or in a folder of files; the tree is then grown there, from all rows.

    Example: bough learn examples/penguins.csv --target species --max-depth 3 --report penguins.html

    Example: bough learn warehouse.duckdb::orders --target churned --out churn.json
    """
    with plain_errors():
        _check_groups(learner, groups, event)
        _check_target(learner, target)
        _check_files(out, report)
        task = TaskChoice.regression if learner in RANKERS else task
        roles = Roles.of(target or "", weights, drop, nominal, ordinal, groups, event)
        settings_given = settings_of(settings or ())
        made = partial(_estimator, learner, options=_options(context), settings=settings_given, roles=roles)
        written = _Written(learner, out, report, max_lines, as_json)
        if target is None:
            check_without_target(context, settings_given)
            _finish_without_target(made("regression"), table, roles, missing_text(na), written)
            return
        if stays_in_place(table) or table_name is not None:
            check_na(table, na)
            _check_report(table, report)
            skip = missing_target is MissingTarget.skip
            grown_there = learned_in_database(table, table_name, roles, task, skip, made)
            _finish_without_rows(grown_there, roles, table_name or table, written)
            return
        rows = read_rows(table, roles, missing_text(na), several=True)
        sample, found = _sample(rows, roles, task, missing_target)
        learned_from, held_out = sample.divided(test_size, random_state)
        grown = _grown(learner, made(found), learned_from, roles, table)
        _finish(grown, learned_from, held_out, written)


def _options(context: typer.Context) -> dict[str, Any]:
    """Return the parameters of an estimator that options of the command line give."""
    given = context.params
    return {name: given[name] for name in _PARAMETERS} | {
        "combinations": tuple(given["combinations"]) if given["combinations"] else None,
        "loss_matrix": None if given["loss_matrix"] is None else matrix_of(given["loss_matrix"]),
        "n_jobs": given["jobs"],
    }


class _Written(NamedTuple):
    """What is written of a model, and where."""

    learner: Learner
    out: str | None
    report: str | None
    max_lines: int
    as_json: bool


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


def _finish_without_target(
    estimator: Any, table: str, roles: Roles, na: Sequence[str], written: _Written
) -> None:
    """Learn a model of rows without a target from a file, save it and print it."""
    from dataclasses import replace

    from bough.reports.report import report

    rows = read_rows(table, roles, na)
    started = time.perf_counter()
    with working("Learning"):
        estimator.fit(rows)
    seconds = time.perf_counter() - started
    model = replace(estimator.model_, provenance=_source(estimator, roles, table))
    _save(model, written.out)
    if written.report == STDOUT:
        write(report(model).html)
    elif written.report is not None:
        report(model).save(written.report)
    if STDOUT not in (written.out, written.report):
        _print(model, None, written)
    say(Grown(estimator, model, seconds, rows.n_rows).words())


def _sample(
    rows: Table, roles: Roles, task: TaskChoice, missing_target: MissingTarget
) -> tuple[Sample, Task]:
    from bough.cli.sample import known_rows, sample_of, sample_of_targets

    targets = roles.targets(rows.schema.names)
    if missing_target is MissingTarget.skip:
        rows = known_rows(rows, *targets)
    if roles.event is not None:
        from bough.cli.survival import survival_sample

        return survival_sample(rows, roles.target, roles.event, roles.weights), "regression"
    if len(targets) > 1:
        return sample_of_targets(rows, targets, roles.weights, task.given())
    return sample_of(rows, roles.target, roles.weights, task.given(), roles.groups)


class Grown(NamedTuple):
    """A fitted learner, and its model with the name of the target."""

    estimator: Any
    model: Any
    seconds: float
    n_rows: int

    def words(self) -> str:
        """Return a line: from what the model was learned, how long that took, and what was left out."""
        used = count_words(len(self.model.schema), "column")
        text = (
            f"Learned from {count_words(self.n_rows, 'row')} and {used} in {figure_words(self.seconds, 2)} s"
        )
        unused = ", ".join(map(name_words, self.model.provenance.get("unused_columns", ())))
        return f"{text}; left out: {unused}." if unused else f"{text}."


def _finish_without_rows(estimator: Any, roles: Roles, table: str, written: _Written) -> None:
    """Save and print a model that was learned in a database."""
    from dataclasses import replace

    fitted = estimator.model_
    model = replace(fitted, provenance=fitted.provenance | _source(estimator, roles, table))
    _save(model, written.out)
    if written.out != STDOUT:
        _print(model, None, written)


def _grown(learner: Learner, estimator: Any, sample: Sample, roles: Roles, table: str) -> Grown:
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
    model = replace(model, provenance=model.provenance | _source(estimator, roles, table))
    for name, value in list(vars(estimator).items()):
        if value is fitted:
            setattr(estimator, name, model)
    return Grown(estimator, model, seconds, sample.features.n_rows)


def _source(estimator: Any, roles: Roles, table: str) -> dict[str, Any]:
    """Return what a model records of its making: the table, the learner and the columns left out."""
    from bough.reports.making import settings_words

    # `bough predict` accepts a table that still has the columns left out here.
    others = {"weights": roles.weights, "groups": roles.groups, "event": roles.event}
    row_key = getattr(estimator, "row_key", None)
    unused = [name for name in (*roles.drop, *others.values(), row_key) if name is not None]
    return {
        "source": Path(table).name,
        "learner": type(estimator).__name__,
        "settings": settings_words(estimator),
        **({"unused_columns": unused} if unused else {}),
        **{role: name for role, name in others.items() if name is not None and role != "weights"},
    }


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
    given = {name: value for name, value in options.items() if value is not None}
    known = made.get_params()
    for name in given:
        if name not in known:
            raise ParameterError(
                f"--learner {learner.value} has no --{name.replace('_', '-')}; leave it out."
            )
        if name in settings:
            raise ParameterError(
                f"--{name.replace('_', '-')} and --set {name} are both given; leave one out."
            )
    check_parameters(learner.value, made, settings)
    made.set_params(**given, **settings)
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


def _finish(grown: Grown, learned_from: Sample, held_out: Sample | None, written: _Written) -> None:
    """Save the model, write its report and print it; the samples may have a key of rows that it lacks."""
    names = grown.model.schema.names
    held_out = None if held_out is None else held_out.of_columns(names)
    _write(grown, written.out, written.report, learned_from, held_out)
    if STDOUT not in (written.out, written.report):
        _print(grown.model, held_out, written)
    say(grown.words())


def _write(
    grown: Grown, out: str | None, report: str | None, learned_from: Sample, held_out: Sample | None
) -> None:
    """Save the model and write the report where they are asked for."""
    several = getattr(grown.model, "targets", ())
    if report is not None and len(several) > 0:
        raise ParameterError("--report describes one target, and --target names several; leave it out.")
    _save(grown.model, out)
    if report == STDOUT:
        write(_page(grown, learned_from, held_out).html)
    elif report is not None:
        _page(grown, learned_from, held_out).save(report)


def _save(model: Any, out: str | None) -> None:
    if out == STDOUT:
        from bough.models.encoding import to_json

        write_json(to_json(model.document()))
    elif out is not None:
        model.save(out)


def _page(grown: Grown, learned_from: Sample, held_out: Sample | None) -> Report:
    from dataclasses import replace

    from bough.reports.report import report

    schema = grown.model.schema
    if grown.model.recipe.get("response") == "times":
        # Hazards are not compared with the times of rows.
        return report(grown.estimator)
    test = None if held_out is None else (replace(held_out.features, schema=schema), held_out.target)
    with working("Writing the report"):
        rows = learned_from.features
        # With a key of rows, which the model lacks, the learner reads its columns again.
        if getattr(grown.estimator, "row_key", None) is None:
            rows = replace(learned_from.of_columns(schema.names).features, schema=schema)
        return report(
            grown.estimator, rows, learned_from.target, sample_weight=learned_from.weight, test=test
        )


def _print(model: Any, held_out: Sample | None, written: _Written) -> None:
    """Print the model with its scores and the rules of a tree, and name the files written."""
    from bough.cli.score import evaluated, scores_facts, scores_words
    from bough.cli.show import model_text, rule_set_summary, rules_text, summary, tree_text

    learner, out, report, max_lines, as_json = written
    found = None if held_out is None else evaluated(model, held_out)
    if as_json:
        files = {"model": out, "report": report}
        described = rule_set_summary(model) if model.model_kind == "rules" else summary(model)
        write_json({"learner": learner.value, **described, "held_out": scores_facts(found), **files})
        return
    texts: dict[str, Callable[..., str]] = {
        "tree": tree_text,
        "rules": rules_text,
        "linear_rules": rules_text,
    }
    is_tree = model.model_kind == "tree"
    write(f"{texts.get(model.model_kind, model_text)(model, max_lines)}\n")
    if lines := scores_words(found):
        write("\n".join(lines))
    if is_tree:
        write("\n" + rules_text(model.rules(), max_lines))
    if out is not None:
        write(f"\nSaved to {out}: show it with `bough show {out}`, predict with `bough predict {out} TABLE`.")
    if report is not None:
        write(f"\nWrote the report {report}: open it in a browser.")
