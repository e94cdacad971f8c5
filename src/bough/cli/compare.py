"""`bough compare`: compare learners on a table by cross-validation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from bough.cli.learners import SURVIVAL, WITHOUT_TARGET, Learner, estimator_of
from bough.cli.option_groups import ColumnOptions, RowOptions
from bough.cli.options import (
    AsJson,
    Event,
    TablePath,
    TargetColumn,
    TaskChoice,
    TaskOption,
    check_seed,
    missing_text,
)
from bough.cli.output import STDOUT, write, write_json
from bough.cli.terminal import working
from bough.errors import ParameterError

if TYPE_CHECKING:
    from bough.comparison.comparison import Comparison
    from bough.types import Task


def compare(
    table: TablePath,
    target: TargetColumn,
    learner: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME", help="Compare only this learner, such as cart or c4.5; may be repeated."
        ),
    ] = None,
    task: TaskOption = TaskChoice.auto,
    cv: Annotated[int, typer.Option(min=2, help="The number of folds.")] = 10,
    random_state: Annotated[int, typer.Option(help="The seed that chooses the folds.")] = 0,
    event: Event = None,
    *,
    columns: ColumnOptions,
    out: Annotated[
        str | None, typer.Option(metavar="FILE", help="Write an HTML page here; - is stdout.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Compare learners on a table: error with its standard error, size, time, and a paired test.

    Example: bough compare examples/penguins.csv --target species --out penguins-learners.html
    """
    from bough.cli.roles import Roles, read_rows
    from bough.cli.sample import known_rows, sample_of
    from bough.cli.survival import survival_sample
    from bough.comparison.compare import compare as compared

    check_seed(random_state)
    roles = Roles.of(target, columns, RowOptions(event=event))
    rows = known_rows(read_rows(table, roles, missing_text(columns.na)), target)
    if event is None:
        sample, found = sample_of(rows, target, None, task.given())
    else:
        sample, found = survival_sample(rows, target, event, None), "regression"
    with working("Comparing the learners") as progress:
        learners = _chosen(learner, found, survival=event is not None)
        comparison = compared(
            sample.features,
            sample.target,
            learners,
            task=found,
            cv=cv,
            random_state=random_state,
            progress=progress,
        )
    _write(comparison, out, as_json)


def _write(comparison: Comparison, out: str | None, as_json: bool) -> None:
    """Print the comparison, and write its page where it is asked for."""
    from bough.comparison.page import comparison_page

    if out == STDOUT:
        write(comparison_page(comparison))
        return
    if as_json:
        learners = {"learners": comparison.to_dicts(), "refused": comparison.refused}
        write_json({"measure": comparison.measure, **learners})
    else:
        write(comparison.text())
    if out is not None:
        path = comparison.save(out)
        if not as_json:
            write(f"\nWrote {path}: open it in a browser.")


def _chosen(names: list[str] | None, task: Task, *, survival: bool) -> dict[str, Any] | None:
    from bough.comparison.compare import learners_for

    if survival:
        known = {each.value: estimator_of(each, task, survival=True) for each in SURVIVAL}
        return _of_names(names or list(known), known)
    if not names:
        return None
    with_target = [each for each in Learner if each not in WITHOUT_TARGET]
    here = {each.value: estimator_of(each, task) for each in with_target}
    known = {**{name: made for name, made in here.items() if made is not None}, **learners_for(task)}
    return _of_names(names, known)


def _of_names(names: list[str], known: dict[str, Any]) -> dict[str, Any]:
    for name in names:
        if name not in known:
            raise ParameterError.of("--learner", name, f"one of {', '.join(known)}")
    return {name: known[name] for name in names}
