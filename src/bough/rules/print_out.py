"""Rules as lines of text: number, conditions, prediction and support in aligned columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bough.data.lines import Width, aligned
from bough.data.views import TextTable, html_view
from bough.errors import ParameterError
from bough.tree.outline import MOST_LEVELS, WIDEST_CONDITION, check_text_options


def check_rule_options(max_lines: int | None, max_levels: int | None, digits: int | None) -> None:
    """Raise `ParameterError` if an option of a print-out of rules is not a positive whole number or None.

    >>> check_rule_options(0, None, None)
    Traceback (most recent call last):
    bough.errors.ParameterError: max_lines is 0; it must be a whole number of at least 1, or None.
    """
    if max_lines is not None and max_lines < 1:
        raise ParameterError.of("max_lines", max_lines, "a whole number of at least 1, or None")
    check_text_options(max_levels, digits)


def rule_lines(
    rules: Sequence[Any],
    conclusions: Sequence[str],
    supports: Sequence[str],
    *,
    default: str | None = None,
    numeric: bool = False,
    max_levels: int | None = MOST_LEVELS,
    width: Width = "terminal",
) -> list[str]:
    """Return a line for each rule, and one for the default prediction; long conditions are wrapped.

    `conclusions` and `supports` are texts for each rule; `numeric` aligns predictions to the right.

    >>> from bough.example_models import iris_tree
    >>> for line in rule_lines(iris_tree().rules(), ["a", "b", "c"], [""] * 3, width=36):
    ...     print(line)
    R1  Petal.Length < 2.45       ->  a
    R2  Petal.Length >= 2.45 and  ->  b
            Petal.Width < 1.75
    R3  Petal.Length >= 2.45 and  ->  c
            Petal.Width >= 1.75
    """
    rows = [
        (f"R{number}", rule.premise(max_levels), "->", conclusion, support)
        for number, (rule, conclusion, support) in enumerate(
            zip(rules, conclusions, supports, strict=True), start=1
        )
    ]
    if default is not None:
        rows.append(("", "default", "->", default, ""))
    right, wrap = ((3,), (4, 1)) if numeric else ((), (4, 3, 1))
    return aligned(rows, right=right, wrap=wrap, most=WIDEST_CONDITION, width=width) if rows else []


def rules_html(title: str, rules: Sequence[Any], default: str | None = None, most: int = 200) -> str:
    """Return rules as an HTML fragment for notebooks; at most `most` of them are shown.

    >>> from bough.example_models import iris_tree
    >>> "<td" in rules_html("3 rules", iris_tree().rules())
    True
    """
    rows = [
        (f"R{number}", rule.premise(MOST_LEVELS), rule.conclusion(), rule.support())
        for number, rule in enumerate(rules[:most], start=1)
    ]
    if default is not None:
        rows.append(("", "default", default, ""))
    hidden = [f"{len(rules) - most} more rules are not shown."] if len(rules) > most else []
    return html_view([title, TextTable(("", "if", "then", "support"), rows), *hidden])


def hidden_words(shown: int, n_rules: int) -> list[str]:
    """Return the lines that say how many rules are not shown, and which call shows all of them.

    >>> hidden_words(1, 3)
    ['', '2 of 3 rules are not shown: rules.text(max_lines=3) shows all, rules[i] one.']
    """
    if shown == n_rules:
        return []
    shows = f"rules.text(max_lines={n_rules}) shows all, rules[i] one"
    return ["", f"{n_rules - shown} of {n_rules} rules are not shown: {shows}."]
