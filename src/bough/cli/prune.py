"""`bough prune`: list the pruning path of a saved tree, or prune it to one of the trees on the path."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from bough.cli.model import load_tree
from bough.cli.options import AsJson, MissingText, ModelPath, missing_text
from bough.cli.output import write, write_json
from bough.cli.show import summary, tree_text
from bough.cli.terminal import plain_errors
from bough.errors import ParameterError

if TYPE_CHECKING:
    from bough.tree import Tree


def prune(
    model: ModelPath,
    cp: Annotated[float | None, typer.Option(help="Cost of a leaf, as a share of the root's risk.")] = None,
    ccp_alpha: Annotated[float | None, typer.Option(help="Cost of a leaf, in units of risk.")] = None,
    leaves: Annotated[int | None, typer.Option(min=1, help="The most leaves to keep.")] = None,
    table: Annotated[
        str | None,
        typer.Option(metavar="TABLE", help="Validation rows: choose the tree of least error on them."),
    ] = None,
    merge: Annotated[
        bool, typer.Option("--merge", help="Only remove splits whose leaves all predict the same.")
    ] = False,
    na: MissingText = None,
    out: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Save the pruned tree, or the list, here; - is stdout."),
    ] = None,
    max_lines: Annotated[int, typer.Option(min=1, help="The most lines to print.")] = 200,
    as_json: AsJson = False,
) -> None:
    """Prune a saved tree; without an option that chooses a tree, list the pruning path.

    Example: bough prune penguins.json --cp 0.01 --out small.json
    """
    with plain_errors():
        tree = load_tree(model)
        given = [name for name, chosen in _choices(cp, ccp_alpha, leaves, table, merge).items() if chosen]
        if len(given) > 1:
            raise ParameterError(f"{' and '.join(given)} each choose a tree; give one of them.")
        if not given:
            path = tree.cost_complexity_path()
            write_json(path.to_dicts(), out) if as_json else write(path.text(max_lines), out)
            return
        small = _chosen(tree, cp, ccp_alpha, leaves, table, missing_text(na))
        if out is not None:
            small.save(out) if out != "-" else write_json(small.to_json())
        if out != "-":
            write_json(summary(small)) if as_json else write(tree_text(small, max_lines))


def _choices(
    cp: float | None, ccp_alpha: float | None, leaves: int | None, table: str | None, merge: bool
) -> dict[str, bool]:
    options = {"--cp": cp, "--ccp-alpha": ccp_alpha, "--leaves": leaves, "--table": table}
    return {**{name: value is not None for name, value in options.items()}, "--merge": merge}


def _chosen(
    tree: Tree,
    cp: float | None,
    ccp_alpha: float | None,
    leaves: int | None,
    table: str | None,
    na: tuple[str, ...],
) -> Tree:
    if cp is not None:
        return tree.pruned(cp, relative=True)
    if ccp_alpha is not None:
        return tree.pruned(ccp_alpha)
    alphas = tree.cost_complexity_path().alphas
    if leaves is not None:
        return next(small for each in alphas if (small := tree.pruned(each)).n_leaves <= leaves)
    if table is None:
        return tree.merged()
    from bough.cli.labelled import labelled_rows
    from bough.evaluation import evaluate

    rows = labelled_rows(tree, table, na)
    name = "error rate" if tree.task == "classification" else "mean squared error"
    trees = [tree.pruned(each) for each in alphas]
    errors = [evaluate(each, rows.features, rows.target).measures[name].value for each in trees]
    # The smallest of several trees with the same error.
    return min(zip(errors, [each.n_leaves for each in trees], trees, strict=True), key=lambda one: one[:2])[2]
