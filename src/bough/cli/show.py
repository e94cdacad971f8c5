"""`bough show`: print a saved model: a tree, its rules, a rule set, or what is to say of other models."""

from __future__ import annotations

import re
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bough.cli.model import as_tree, load_model
from bough.cli.option_groups import PrintOptions
from bough.cli.options import ModelPath
from bough.cli.output import STDOUT, write, write_json
from bough.data.words import name_words, share_words
from bough.models.importance import LEAF_MODELS_NOTE, has_leaf_models, no_column_words
from bough.models.model import used_columns
from bough.tree.root_only import helpful_words

if TYPE_CHECKING:
    from bough.models.model import Model
    from bough.rules import RuleList, RuleSet
    from bough.rules.class_rule import ClassRule
    from bough.rules.linear_rules import LinearRule, LinearRules
    from bough.tree import Tree


def show(
    model: ModelPath,
    rules: Annotated[bool, typer.Option("--rules", help="Print the rules instead of the tree.")] = False,
    importance: Annotated[
        bool, typer.Option("--importance", help="Print the importance of the columns, of any kind of model.")
    ] = False,
    max_depth: Annotated[int | None, typer.Option(min=0, help="Print the tree down to this depth.")] = None,
    *,
    printed: PrintOptions,
) -> None:
    """Print a saved tree or rule set, or the size of another model and the importance of its columns.

    Example: bough show penguins.json --max-depth 2
    """
    max_lines, out, as_json = printed.max_lines, printed.out, printed.as_json
    loaded = load_model(model)
    if importance:
        shares = used_columns(loaded)
        text = importance_text(shares, max_lines, leaf_models=has_leaf_models(loaded))
        write_json(shares, out) if as_json else write(text, out)
        return
    from bough.rules import RuleSet
    from bough.rules.linear_rules import LinearRules

    options = printed.of_text()
    if isinstance(loaded, RuleSet | LinearRules):
        found = rules_text(loaded, max_lines, **options)
        write_json(rules_summary(loaded), out) if as_json else write(found, out)
        return
    if loaded.model_kind != "tree" and not rules and max_depth is None:
        write_json(summary(loaded), out) if as_json else write(model_text(loaded, max_lines), out)
        return
    tree = as_tree(loaded, model)
    if as_json:
        write_json(summary(tree), out)
    elif rules:
        write(rules_text(tree.rules(), max_lines, **options), out)
    else:
        write(tree_text(tree, max_lines, max_depth, **options), out)


# What the print-outs of the library advise, as an option of the command line.
_ADVICE = re.compile(
    r"(?:(?:tree|rules)\.)?text\((max_lines|max_depth)=(\d+)\) shows (all|one level more)[^\n]*"
)


def _for_terminal(text: str) -> str:
    """Return a print-out whose advice names options instead of methods."""
    return _ADVICE.sub(lambda found: f"--{found[1].replace('_', '-')} {found[2]} shows {found[3]}.", text)


def tree_text(tree: Tree, max_lines: int, max_depth: int | None = None, **options: Any) -> str:
    """Return the tree as text; if lines are left out, it names the option that shows more.

    >>> from bough.example_models import cars_tree
    >>> print(tree_text(cars_tree(), max_lines=1))
    Regression tree for mpg: 3 leaves, depth 2, 32 cases
    <BLANKLINE>
    node  condition  cases     mean  deviation  (* leaf, ... more below)
       0  all           32  20.0906  5.932  ...
    <BLANKLINE>
    4 of 5 nodes are not shown: --max-lines 5 shows all.
    """
    from bough.reports.making import optimality_words

    text = tree.text(max_depth=max_depth, max_lines=max_lines, **options)
    text += "".join(f"\n\nOptimality: {words}." for _, words in optimality_words(tree))
    if helpful_words(tree):
        text += "\nHere, these are --loss-matrix, --learner, --criterion, --min-samples-leaf and --prune."
    return _for_terminal(text)


def importance_text(shares: dict[str, float], max_lines: int, *, leaf_models: bool = False) -> str:
    """Return the columns with their shares in the total importance as text, one per line.

    `leaf_models`: whether leaves have linear models, which the importance leaves out.

    >>> print(importance_text({"Outlook": 0.75, "Wind": 0.25}, max_lines=1))
    column   importance
    Outlook  75.0%
    <BLANKLINE>
    1 of 2 columns are not shown: --max-lines 2 shows all.
    """
    if not shares:
        return no_column_words(leaf_models)
    note = LEAF_MODELS_NOTE if leaf_models else ""
    named = {name_words(name): share_words(share) for name, share in shares.items()}
    width = max(map(len, ["column", *named]))
    lines = [f"{name:<{width}}  {share}" for name, share in {"column": "importance", **named}.items()]
    if len(shares) > max_lines:
        hidden = f"{len(shares) - max_lines} of {len(shares)} columns are not shown"
        lines = [*lines[: max_lines + 1], "", f"{hidden}: --max-lines {len(shares)} shows all."]
    return "\n".join([*lines, "", note] if note else lines)


def model_text(model: Model, max_lines: int) -> str:
    """Return the size of a model that is not one tree, and the importance of its columns, as text.

    >>> from bough.example_models import boosted_cars
    >>> print(model_text(boosted_cars(), max_lines=5))
    GradientBoosted(20 trees) for mpg
    <BLANKLINE>
    column  importance
    cyl     54.9%
    wt      45.1%
    """
    names = [each.name for each in getattr(model, "targets", ())] or [model.target_name]
    target = "" if None in names else f" for {', '.join(name_words(str(name)) for name in names)}"
    text = importance_text(used_columns(model), max_lines, leaf_models=has_leaf_models(model))
    return f"{model!r}{target}\n\n{text}"


def rules_text(rules: RuleList | RuleSet | LinearRules, max_lines: int, **options: Any) -> str:
    """Return rules as text; if some are left out, it names the option that shows more.

    >>> from bough.example_models import cars_tree
    >>> print(rules_text(cars_tree().rules(), max_lines=1).splitlines()[-1])
    2 of 3 rules are not shown: --max-lines 3 shows all.
    """
    return _for_terminal(rules.text(max_lines=max_lines, **options))


def rules_summary(rules: RuleSet | LinearRules) -> dict[str, Any]:
    """Return a summary of a rule set or of linear rules for JSON: its classes, its columns and its rules.

    >>> from bough.example_models import cars_rules, tennis_rules
    >>> rules_summary(tennis_rules())["rules"][2]
    {'if': 'Outlook = Overcast', 'then': 'Yes', 'cases': 4.0, 'confidence': 0.8333333333333334}
    >>> rules_summary(cars_rules())["rules"][0]
    {'if': 'cyl <= 5', 'then': 'mpg = 46 - 0.2 × hp', 'cases': 11.0, 'deviation': 3.8}
    """
    return {
        "task": rules.task,
        "target": rules.target_name,
        **({"classes": list(rules.classes)} if rules.classes else {}),
        "cases": rules.cases,
        "default": rules.default,
        "columns": rules.schema.to_json()["columns"],
        "rules": [{"if": rule.premise(), **_conclusion(rule)} for rule in rules],
    }


def _conclusion(rule: ClassRule | LinearRule) -> dict[str, Any]:
    """Return the answer of a rule and its support."""
    from bough.rules.class_rule import ClassRule

    if isinstance(rule, ClassRule):
        return {"then": rule.answer, "cases": rule.cover, "confidence": rule.confidence}
    return {"then": rule.conclusion(), "cases": rule.cases, "deviation": rule.deviation}


def rule_facts(rules: RuleList) -> list[dict[str, Any]]:
    """Return the rules for JSON; the support on other rows is included if it was measured.

    >>> from bough.example_models import cars_tree
    >>> rule_facts(cars_tree().rules())[0]
    {'if': 'cyl < 5', 'then': 26.663636363636364, 'cases': 11.0, 'confidence': None}
    """
    facts = []
    for rule in rules:
        learned = {"cases": rule.cases, "confidence": rule.confidence}
        fact: dict[str, Any] = {"if": rule.premise(), "then": rule.answer, **learned}
        if rule.measured is not None:
            fact["measured"] = asdict(rule.measured)
        facts.append(fact)
    return facts


def write_tree(tree: Tree, out: str | None, max_lines: int, as_json: bool) -> None:
    """Save a tree if a file is given, and print it unless that is standard output.

    >>> from bough.example_models import cars_tree
    >>> write_tree(cars_tree(), None, max_lines=1, as_json=False)  # doctest: +ELLIPSIS
    Regression tree for mpg: 3 leaves, depth 2, 32 cases
    ...
    """
    if out == STDOUT:
        write_json(tree.to_json())
        return
    if out is not None:
        tree.save(out)
    write_json(summary(tree)) if as_json else write(tree_text(tree, max_lines))


def summary(model: Any) -> dict[str, Any]:
    """Return a summary of a model for JSON: its task, its columns and, of a tree, its size and its rules.

    >>> from bough.example_models import cars_tree
    >>> summary(cars_tree())["leaves"]
    3
    """
    columns = model.schema.to_json()["columns"]
    facts: dict[str, Any] = {"task": model.task}
    if targets := getattr(model, "targets", ()):
        facts["targets"] = [{"name": each.name, "classes": list(each.classes)} for each in targets]
    else:
        facts |= {"target": model.target_name, "classes": list(model.classes)}
    if model.model_kind != "tree":
        return facts | {"model": repr(model), "columns": columns, "importance": used_columns(model)}
    return {
        **facts,
        "criterion": model.criterion,
        "cases": float(model.cases[0]),
        "nodes": model.n_nodes,
        "leaves": model.n_leaves,
        "depth": model.depth,
        "columns": columns,
        "rules": rule_facts(model.rules()),
    }
