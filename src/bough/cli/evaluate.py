"""`bough evaluate`: evaluate a saved model on rows whose target is known."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from bough.cli.model import load_model
from bough.cli.option_groups import OutputOptions, RowOptions
from bough.cli.options import (
    LossMatrix,
    MissingText,
    ModelPath,
    TablePath,
    Target,
    matrix_of,
    missing_text,
)
from bough.cli.output import write, write_json
from bough.cli.terminal import working
from bough.errors import ParameterError

if TYPE_CHECKING:
    from bough.cli.score import Score
    from bough.evaluation import Evaluation
    from bough.models.model import Model


def evaluate(
    model: ModelPath,
    table: TablePath,
    target: Target = None,
    *,
    given: RowOptions,
    loss_matrix: LossMatrix = None,
    na: MissingText = None,
    written: OutputOptions,
) -> None:
    """Evaluate a saved model on a table: accuracy, log-loss and confusion matrix, with standard errors.

    Each of several targets is evaluated by itself; --target chooses one. Of times until an event, the
    concordance is computed.

    Example: bough evaluate penguins.json new_penguins.csv --json
    """
    out, as_json = written.out, written.as_json
    losses = None if loss_matrix is None else matrix_of(loss_matrix)
    saved: Any = load_model(model)
    is_of_times = saved.recipe.get("response") == "times"
    _check_options(is_of_times, given, loss_matrix)
    if is_of_times:
        score = _concordance(saved, table, target, missing_text(na), given)
        facts = {"concordance": score.value, "rows": score.n_rows}
        write_json(facts, out) if as_json else write(score.words().replace("held-out ", ""), out)
        return
    read = (missing_text(na), replace(given, groups=_groups(saved, given.groups)))
    targets = getattr(saved, "targets", ())
    if targets and target is not None:
        saved, targets, target = saved.target(target), (), None
    if not targets:
        found = _evaluated(saved, table, target, losses, *read)
        write_json(found.to_dict(), out) if as_json else write(_for_terminal(found), out)
        return
    if losses is not None:
        raise ParameterError("--loss-matrix is of one target; choose it with --target.")
    each = {
        one.name: _evaluated(saved.target(position), table, None, None, *read)
        for position, one in enumerate(targets)
    }
    if as_json:
        write_json({name: found.to_dict() for name, found in each.items()}, out)
    else:
        write("\n\n".join(f"Target {name}\n{_for_terminal(found)}" for name, found in each.items()), out)


def _for_terminal(found: Evaluation) -> str:
    """Return the measures as text whose advice names an option instead of a parameter."""
    return found.text().replace('such as smoothing="laplace"', "such as --smoothing laplace of `predict`")


def _check_options(is_of_times: bool, given: RowOptions, loss_matrix: str | None) -> None:
    if given.event is not None and not is_of_times:
        raise ParameterError("--event goes with a model of times until an event; leave it out.")
    for option, value in {"--groups": given.groups, "--loss-matrix": loss_matrix}.items():
        if value is not None and is_of_times:
            raise ParameterError(f"{option} does not go with a model of times until an event; leave it out.")


def _groups(model: Model, given: str | None) -> str | None:
    """Return the column of groups that is given, or that the ranker was learned with."""
    groups = given or model.provenance.get("groups")
    if groups is None and model.recipe.get("response") == "grades":
        raise ParameterError("The model ranks rows within groups; name their column with --groups COLUMN.")
    return groups


def _concordance(
    model: Model, table: str, target: str | None, na: tuple[str, ...], given: RowOptions
) -> Score:
    from bough.cli.survival import concordance_score, survival_rows

    target, event = target or model.target_name, given.event or model.provenance.get("event")
    if target is None or event is None:
        raise ParameterError(
            "The model predicts hazards; name the column of times with --target and that of events "
            "with --event."
        )
    rows = survival_rows(model, table, na, target, replace(given, event=event))
    return concordance_score(model, rows)


def _evaluated(
    model: Model, table: str, target: str | None, losses: Any, na: tuple[str, ...], given: RowOptions
) -> Evaluation:
    from bough.cli.labelled import labelled_rows
    from bough.evaluation import evaluate as evaluated

    rows = labelled_rows(model, table, na, target, given)
    with working("Evaluating"):
        return evaluated(
            model,
            rows.features,
            rows.target,
            sample_weight=rows.weight,
            loss_matrix=losses,
            groups=rows.groups,
            rows=f"of {table}",
        )
