"""`bough evaluate`: evaluate a saved model on rows whose target is known."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bough.cli.model import load_model
from bough.cli.options import (
    AsJson,
    Groups,
    LossMatrix,
    MissingText,
    ModelPath,
    OutText,
    TablePath,
    Target,
    Weights,
    matrix_of,
    missing_text,
)
from bough.cli.output import write, write_json
from bough.cli.terminal import plain_errors, working
from bough.errors import ParameterError

if TYPE_CHECKING:
    from bough.evaluation import Evaluation
    from bough.models.model import Model


def evaluate(
    model: ModelPath,
    table: TablePath,
    target: Target = None,
    weights: Weights = None,
    groups: Groups = None,
    loss_matrix: LossMatrix = None,
    na: MissingText = None,
    out: OutText = None,
    as_json: AsJson = False,
) -> None:
    """Evaluate a saved model on a table: accuracy, log-loss and confusion matrix, with standard errors.

    Each of several targets is evaluated by itself; --target chooses one.

    Example: bough evaluate penguins.json new_penguins.csv --json
    """
    with plain_errors():
        losses = None if loss_matrix is None else matrix_of(loss_matrix)
        saved: Any = load_model(model)
        read = (missing_text(na), weights, groups)
        targets = getattr(saved, "targets", ())
        if targets and target is not None:
            saved, targets, target = saved.target(target), (), None
        if not targets:
            found = _evaluated(saved, table, target, losses, *read)
            write_json(found.to_dict(), out) if as_json else write(found.text(), out)
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
            write("\n\n".join(f"Target {name}\n{found.text()}" for name, found in each.items()), out)


def _evaluated(
    model: Model,
    table: str,
    target: str | None,
    losses: Any,
    na: tuple[str, ...],
    weights: str | None,
    groups: str | None,
) -> Evaluation:
    from bough.cli.labelled import labelled_rows
    from bough.evaluation import evaluate as evaluated

    rows = labelled_rows(model, table, na, target, weights, groups)
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
