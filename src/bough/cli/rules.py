"""`bough rules`: print the rules of a saved tree, or of one class, or measure them on other rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from bough.cli.model import as_tree, load_model
from bough.cli.option_groups import PrintOptions
from bough.cli.options import MissingText, ModelPath, missing_text
from bough.cli.output import write, write_json
from bough.cli.show import rule_facts, rules_summary, rules_text
from bough.errors import ParameterError

if TYPE_CHECKING:
    from bough.data.schema import Level
    from bough.tree import Tree


def rules(
    model: ModelPath,
    label: Annotated[
        str | None,
        typer.Option(
            "--class", metavar="LABEL", help="Print when the tree predicts this class, as one formula."
        ),
    ] = None,
    table: Annotated[
        str | None,
        typer.Option(metavar="TABLE", help="Other rows: print the support and confidence on them, too."),
    ] = None,
    na: MissingText = None,
    *,
    printed: PrintOptions,
) -> None:
    """Print the rules of a saved tree, one for each leaf, or those of a saved rule set.

    Example: bough rules penguins.json --class Gentoo
    """
    from bough.rules import RuleSet
    from bough.rules.linear_rules import LinearRules

    loaded = load_model(model)
    max_lines, out, options = printed.max_lines, printed.out, printed.of_text()
    if isinstance(loaded, RuleSet | LinearRules):
        if table is not None or label is not None:
            raise ParameterError("--table and --class are for trees; leave them out for a rule set.")
        if printed.as_json:
            write_json(rules_summary(loaded)["rules"], out)
        else:
            write(rules_text(loaded, max_lines, **options), out)
        return
    tree = as_tree(loaded, model)
    found = tree.rules()
    if table is not None:
        if label is not None:
            raise ParameterError(
                "--class prints a formula, which --table does not measure; give one of them."
            )
        from bough.cli.labelled import labelled_rows

        rows = labelled_rows(tree, table, missing_text(na))
        found = found.measured(rows.features, rows.target)
    if label is not None:
        write(found.formula(_class_of(tree, label)), out)
    elif printed.as_json:
        write_json(rule_facts(found), out)
    else:
        write(rules_text(found, max_lines, **options), out)


def _class_of(tree: Tree, given: str) -> Level:
    for label in tree.classes:
        if str(label) == given:
            return label
    known = ", ".join(map(str, tree.classes)) or "none: the tree answers with numbers"
    raise ParameterError.of("--class", given, f"one of the classes ({known})")
