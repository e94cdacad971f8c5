"""`bough evaluate`: evaluate a saved model on rows whose target is known."""

from __future__ import annotations

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

    Example: bough evaluate penguins.json new_penguins.csv --json
    """
    with plain_errors():
        from bough.cli.labelled import labelled_rows
        from bough.evaluation import evaluate as evaluated

        saved = load_model(model)
        losses = None if loss_matrix is None else matrix_of(loss_matrix)
        rows = labelled_rows(saved, table, missing_text(na), target, weights, groups)
        with working("Evaluating"):
            found = evaluated(
                saved,
                rows.features,
                rows.target,
                sample_weight=rows.weight,
                loss_matrix=losses,
                groups=rows.groups,
                rows=f"of {table}",
            )
        if as_json:
            write_json(found.to_dict(), out)
        else:
            write(found.text(), out)
