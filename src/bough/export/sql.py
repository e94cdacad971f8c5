"""Export of a tree to an SQL expression of nested CASEs over the columns of its schema."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from bough.data.sql import literal
from bough.ensembles.forest import Forest
from bough.errors import ParameterError
from bough.export.boosted_sql import boosted_sql, greatest
from bough.export.forest_sql import forest_sql
from bough.export.linear_sql import linear_rules_sql, model_sql
from bough.export.rules_sql import rules_sql
from bough.models.gradient_boosted import GradientBoosted
from bough.models.model import Model
from bough.rules.linear_rules import LinearRules
from bough.rules.rule_set import RuleSet
from bough.tree import Tree
from bough.tree.model_answers import models_of
from bough.tree.one_target import refuse_several
from bough.tree.split import Split
from bough.tree.sql import branch_number, condition

# Deeper CASEs are not indented further, so that the text grows with the number of nodes alone.
_DEEPEST_INDENT = 60


def to_sql(model: Model) -> str:
    """Return an SQL expression for the prediction of a tree; NULL and NaN are routed as missing values.

    The expression of a gradient boosted model or of a forest adds those of its trees. Rule sets and
    linear rules are written too, unless neighbours correct them.

    Cuts are written exactly, not as short as in the text of the tree, so that the query predicts as the tree
    does. Databases limit how deeply an expression may be nested, DuckDB and SQLite to 1,000 levels by
    default.
    DuckDB, PostgreSQL and SQLite (3.23 or later) give the same answers as the tree. SQLite may store truth
    values as 0 and 1 or as words.

    >>> from bough.example_models import cars_tree
    >>> print(to_sql(cars_tree()))
    CASE
      WHEN 0e0 + "cyl" < 5.0e0 THEN 26.663636363636364e0
      ELSE CASE
        WHEN 0e0 - "hp" <= -192.5e0 THEN 13.414285714285715e0
        ELSE 18.264285714285712e0
      END
    END
    """
    if isinstance(model, GradientBoosted):
        return boosted_sql(model, ["".join(_pieces(each)) for each in model.trees])
    if isinstance(model, Forest):
        return forest_sql(model, lambda each, answer: "".join(_pieces(each, answer)))
    if isinstance(model, RuleSet):
        return rules_sql(model)
    if isinstance(model, LinearRules):
        return linear_rules_sql(model)
    if not isinstance(model, Tree):
        wanted = "a Tree, a forest, a gradient boosted model or a set of rules; SQL is written for these"
        raise ParameterError.of("model", model, wanted)
    refuse_several(model, "to_sql")
    _check(model)
    return "".join(_pieces(model))


def _pieces(tree: Tree, answer: Callable[[int], str] | None = None) -> Iterator[str]:
    """Yield the text of the CASEs, piece by piece; no recursion, since a tree may be deep."""
    # A text is yielded as it is; a node is written with its indentation.
    answer = answer or (lambda node: _answer(tree, node))
    pending: list[str | tuple[int, int]] = [(0, 0)]
    while pending:
        piece = pending.pop()
        if isinstance(piece, str):
            yield piece
            continue
        node, depth = piece
        split = tree.split(node)
        pending += reversed([answer(node)] if split is None else [*_case(tree, node, depth, split, answer)])


def _answer(tree: Tree, node: int) -> str:
    """Return the prediction of a node: a literal, or what its linear models predict."""
    scores = [model_sql(model, tree.schema) for model in models_of(tree, node)]
    if not scores:
        return literal(tree.answer(node))
    if tree.task == "regression":
        return scores[0]
    if len(scores) > 1:
        return greatest(scores, tree.classes)
    first, second = map(literal, tree.classes)
    return f"CASE WHEN {scores[0]} <= 0e0 THEN {first} ELSE {second} END"


def _check(tree: Tree) -> None:
    """Raise an error for a tree that nested CASEs cannot represent."""
    if tree.formulas:
        raise ParameterError("SQL export needs splits on single columns; this tree combines columns.")
    if tree.share is not None:
        raise ParameterError(
            "SQL export needs a single path for each row; this tree sends a row with missing values down all "
            "branches. If there are none, or if they may follow the largest branch, export "
            "dataclasses.replace(tree, share=None)."
        )


def _case(
    tree: Tree, node: int, depth: int, split: Split, answer: Callable[[int], str]
) -> Iterator[str | tuple[int, int]]:
    """Yield the CASE of a node: texts, and the children where their text is to stand."""
    children, default = tree.children(node), int(tree.default_branch[node])
    surrogates = tree.surrogates_of(node) if tree.follows_surrogates else []
    if surrogates:
        splits = [(split, False), *((each.split, each.turned) for each in surrogates)]
        head = f"CASE {branch_number(splits, tree.schema, default)}"
        tests = [(str(branch), child) for branch, child in enumerate(children)]
        otherwise = None
    else:
        head = "CASE"
        # The default branch takes missing values and levels that the split does not list, besides its own.
        tests = [
            (test, child)
            for branch, child in enumerate(children)
            if branch != default and (test := condition(split, tree.schema, branch)) is not None
        ]
        otherwise = None if default < 0 else children[default]
    last: str | tuple[int, int] = answer(node) if otherwise is None else (otherwise, depth + 1)
    if not tests:
        yield last if isinstance(last, str) else (last[0], depth)
        return
    line = "\n" + "  " * min(depth + 1, _DEEPEST_INDENT)
    yield head
    for test, child in tests:
        yield f"{line}WHEN {test} THEN "
        yield child, depth + 1
    yield f"{line}ELSE "
    yield last
    yield "\n" + "  " * min(depth, _DEEPEST_INDENT) + "END"
