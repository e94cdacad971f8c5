"""`bough prune`: list the pruning path of a saved tree, or prune it to one of the trees on the path."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from bough.cli.model import load_tree
from bough.cli.options import AsJson, MissingText, ModelPath, missing_text
from bough.cli.output import write, write_json
from bough.cli.show import write_tree
from bough.errors import ParameterError

if TYPE_CHECKING:
    from bough.tree import Tree


class ValidationMethod(StrEnum):
    """Which subtrees compete on validation rows."""

    cost_complexity = "cost_complexity"
    reduced_error = "reduced_error"


def prune(
    model: ModelPath,
    cp: Annotated[float | None, typer.Option(help="Cost of a leaf, as a share of the root's risk.")] = None,
    ccp_alpha: Annotated[float | None, typer.Option(help="Cost of a leaf, in units of risk.")] = None,
    leaves: Annotated[int | None, typer.Option(min=1, help="The most leaves to keep.")] = None,
    table: Annotated[
        str | None,
        typer.Option(metavar="TABLE", help="Validation rows: choose the tree of fewest errors on them."),
    ] = None,
    method: Annotated[
        ValidationMethod,
        typer.Option(help="Choose among the trees of the pruning path, or, by reduced error, all subtrees."),
    ] = ValidationMethod.cost_complexity,
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
    tree = load_tree(model)
    given = [name for name, chosen in _choices(cp, ccp_alpha, leaves, table, merge).items() if chosen]
    if len(given) > 1:
        raise ParameterError(f"{' and '.join(given)} each choose a tree; give one of them.")
    if not given:
        path = tree.cost_complexity_path()
        write_json(path.to_dicts(), out) if as_json else write(path.text(max_lines), out)
        return
    if table is not None:
        small = _validated(tree, table, method, missing_text(na))
    else:
        small = _chosen(tree, cp, ccp_alpha, leaves)
    write_tree(small, out, max_lines, as_json)


def _choices(
    cp: float | None, ccp_alpha: float | None, leaves: int | None, table: str | None, merge: bool
) -> dict[str, bool]:
    options = {"--cp": cp, "--ccp-alpha": ccp_alpha, "--leaves": leaves, "--table": table}
    return {**{name: value is not None for name, value in options.items()}, "--merge": merge}


def _chosen(tree: Tree, cp: float | None, ccp_alpha: float | None, leaves: int | None) -> Tree:
    if cp is not None:
        return tree.pruned(cp, relative=True)
    if ccp_alpha is not None:
        return tree.pruned(ccp_alpha)
    if leaves is None:
        return tree.merged()
    alphas = tree.cost_complexity_path().alphas
    return next(small for each in alphas if (small := tree.pruned(each)).n_leaves <= leaves)


def _validated(tree: Tree, table: str, method: ValidationMethod, na: tuple[str, ...]) -> Tree:
    from bough.cli.labelled import labelled_rows

    rows = labelled_rows(tree, table, na)
    return tree.pruned_on(rows.features, rows.target, method=method.value)
