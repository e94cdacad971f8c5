"""`bough export`: write a saved tree in another format."""

from __future__ import annotations

import json
from dataclasses import replace
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bough.cli.model import as_tree, load_model
from bough.cli.options import LargestBranch, ModelPath, OutText
from bough.cli.output import write
from bough.errors import ParameterError

if TYPE_CHECKING:
    from bough.tree import Tree


class Language(StrEnum):
    """The formats that a tree can be written in."""

    json = "json"
    text = "text"
    rules = "rules"
    sql = "sql"
    dot = "dot"
    svg = "svg"


def export(
    model: ModelPath,
    to: Annotated[Language, typer.Option(help="The format.")],
    largest_branch: LargestBranch = False,
    out: OutText = None,
) -> None:
    """Write a saved tree as JSON, text, rules, an SQL expression, a Graphviz graph or an SVG picture.

    SQL is written for forests, gradient boosting and rule sets too.

    Example: bough export penguins.json --to sql --out penguins.sql
    """
    loaded = load_model(model)
    if to is Language.sql:
        write(sql_of(loaded, largest_branch=largest_branch), out)
        return
    write(_written(as_tree(loaded, model), to), out)


def sql_of(model: Any, *, largest_branch: bool) -> str:
    """Return the SQL expression of a saved model; what SQL cannot do is refused in words of the options.

    >>> from bough.example_models import cars_tree
    >>> sql_of(cars_tree(), largest_branch=False)[:4]
    'CASE'
    """
    from bough.export import to_sql

    targets = getattr(model, "targets", ())
    if targets:
        raise ParameterError(
            f"The model predicts {len(targets)} targets, and an SQL expression one; learn a model of one, "
            f"such as --target {targets[0].name}."
        )
    if divides_rows(model) and not largest_branch:
        raise ParameterError(
            "The model divides rows with missing values among branches, which SQL cannot do; add "
            "--largest-branch to let them follow the branch of greatest weight."
        )
    return to_sql(undivided(model) if largest_branch else model)


def divides_rows(model: Any) -> bool:
    """Return whether a tree or rule set divides a row with missing values among branches.

    >>> from bough.example_models import tennis_rules, tennis_tree
    >>> divides_rows(tennis_tree()), divides_rows(tennis_rules())
    (False, False)
    """
    if model.model_kind == "rules":
        return any(rule.fractions for rule in model.rules)
    return model.model_kind == "tree" and model.share is not None


def undivided(model: Any) -> Any:
    """Return the model without division: a missing value follows the branch of greatest weight.

    Of a rule set, a rule does not fire if a value that it needs is missing.

    >>> from bough.example_models import tennis_tree
    >>> undivided(tennis_tree()) == tennis_tree()
    True
    """
    if not divides_rows(model):
        return model
    if model.model_kind == "tree":
        return replace(model, share=None)
    return replace(model, rules=tuple([replace(rule, fractions=()) for rule in model.rules]))


def _written(tree: Tree, language: Language) -> str:
    if language is Language.json:
        return json.dumps(tree.to_json(), indent=2)
    if language is Language.text:
        return tree.text(max_lines=None)
    if language is Language.rules:
        return tree.rules().text(max_lines=None)
    if language is Language.svg:
        from bough.reports.picture import picture

        return picture(tree, most_leaves=60)
    from bough.export import to_dot

    return to_dot(tree)
