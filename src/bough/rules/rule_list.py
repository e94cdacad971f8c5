"""The rules of a tree, one per leaf; exactly one fires for a row without missing values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, overload

from bough.data.lines import Width
from bough.data.schema import Level
from bough.data.words import count_words, decimals_of, figure_column
from bough.errors import ParameterError
from bough.rules.measured import measured_support
from bough.rules.print_out import check_rule_options, hidden_words, rule_lines, rules_html
from bough.rules.rule import Rule, RuleSupport, rule_of, rules_of
from bough.tree.costs import costs_text
from bough.tree.labelling import labelled
from bough.tree.one_target import refuse_several
from bough.tree.outline import ANSWER_DIGITS, ERROR_DIGITS, MOST_LEVELS, targets_words

if TYPE_CHECKING:
    from bough.tree import Tree


class RuleList(Sequence[Rule]):
    """A sequence with the rule of each leaf; a rule is built when it is accessed.

    >>> from bough.example_models import cars_tree
    >>> print(RuleList(cars_tree()))
    3 rules for mpg from 32 cases
    <BLANKLINE>
    R1  cyl < 5                   ->  26.6636  11 cases (34.4%), deviation 4.300
    R2  cyl >= 5 and hp < 192.5   ->  18.2643  14 cases (43.8%), deviation 2.068
    R3  cyl >= 5 and hp >= 192.5  ->  13.4143  7 cases (21.9%), deviation 2.029
    """

    def __init__(self, tree: Tree, support: Mapping[int, RuleSupport] | None = None) -> None:
        self.tree = tree
        self._support = {} if support is None else support

    def measured(self, X: Any, y: Any, sample_weight: Any = None) -> RuleList:
        """Return the rules with their support on other rows, such as a validation set.

        The `measured` of each rule is then its number of cases, their share, and its confidence or deviation
        on the rows of X and y, beside those that were learned.

        >>> from bough.example_models import iris_tree
        >>> X, y = [[1.4, 0.2], [5.1, 1.9], [5.1, 1.0]], ["setosa", "virginica", "virginica"]
        >>> rules = iris_tree().rules().measured(X, y)
        >>> rules[1].measured.confidence
        0.0
        >>> print(rules[1].support())
        54 cases (36.0%), confidence 90.7% (49 of 54); measured: 1 case (33.3%), confidence 0.0% (0 of 1)
        """
        refuse_several(self.tree, "measured")
        return RuleList(self.tree, measured_support(self.tree, X, y, sample_weight))

    def _rules(self, leaves: set[int]) -> Iterator[Rule]:
        return rules_of(self.tree, leaves, self._support)

    @cached_property
    def leaves(self) -> tuple[int, ...]:
        """The leaf of each rule.

        >>> from bough.example_models import tennis_tree
        >>> tennis_tree().rules().leaves
        (4, 5, 2, 6, 7)
        """
        is_leaf = self.tree.is_leaf.tolist()
        return tuple(node for node in self.tree.walk() if is_leaf[node])

    def __len__(self) -> int:
        return self.tree.n_leaves

    @overload
    def __getitem__(self, index: int) -> Rule: ...
    @overload
    def __getitem__(self, index: slice) -> list[Rule]: ...
    def __getitem__(self, index: int | slice) -> Rule | list[Rule]:
        if isinstance(index, slice):
            by_leaf = {rule.leaf: rule for rule in self._rules(set(self.leaves[index]))}
            return [by_leaf[leaf] for leaf in self.leaves[index]]
        leaf = self.leaves[index]
        return rule_of(self.tree, leaf, self._support.get(leaf))

    def __iter__(self) -> Iterator[Rule]:
        return self._rules(set(self.leaves))

    def for_class(self, label: Level) -> list[Rule]:
        """Return the rules that predict a class.

        >>> from bough.example_models import tennis_tree
        >>> [str(rule) for rule in tennis_tree().rules().for_class("No")]
        ['Outlook = Sunny and Humidity = High -> No', 'Outlook = Rain and Wind = Strong -> No']
        """
        refuse_several(self.tree, "for_class")
        if label not in self.tree.classes:
            known = ", ".join(map(repr, self.tree.classes)) or "none: the tree predicts numbers"
            raise ParameterError.of("label", label, f"one of the classes ({known})")
        code = self.tree.classes.index(label)
        codes = self.tree.answer_codes()
        return list(self._rules({leaf for leaf in self.leaves if codes[leaf] == code}))

    def formula(self, label: Level) -> str:
        """Return the formula under which the tree predicts a class: a disjunction of conjunctions.

        >>> from bough.example_models import tennis_tree
        >>> print(tennis_tree().rules().formula("Yes"))
           (Outlook = Sunny and Humidity = Normal)
        or (Outlook = Overcast)
        or (Outlook = Rain and Wind = Weak)
        """
        terms = [f"({rule.premise()})" for rule in self.for_class(label)]
        return "   " + "\nor ".join(terms) if terms else "never"

    def text(
        self,
        max_lines: int | None = 200,
        *,
        max_levels: int | None = MOST_LEVELS,
        digits: int | None = None,
        width: Width = "terminal",
    ) -> str:
        """Return the rules with their support as text, one per line.

        At most `max_lines` rules are shown, and `max_levels` levels of a condition; None sets no limit.
        Numbers have `digits` significant digits, by default six in predictions and four in errors.
        Conditions are wrapped so that lines are at most `width` characters long; "terminal" is the width of
        the terminal, and no limit where there is none.

        >>> from bough.example_models import cars_tree
        >>> print(cars_tree().rules().text(max_lines=1))
        3 rules for mpg from 32 cases
        <BLANKLINE>
        R1  cyl < 5  ->  26.6636  11 cases (34.4%), deviation 4.3
        <BLANKLINE>
        2 of 3 rules are not shown: rules.text(max_lines=3) shows all, rules[i] one.
        """
        check_rule_options(max_lines, max_levels, digits)
        rules = self[: len(self) if max_lines is None else max_lines]
        cases = count_words(self.tree.cases[0], "case")
        lines = [f"{count_words(len(self), 'rule')}{targets_words(labelled(self.tree))} from {cases}", ""]
        numeric = self.tree.task == "regression" and not self.tree.targets and self.tree.leaf_models is None
        lines += rule_lines(
            rules,
            _conclusions(rules, numeric, digits or ANSWER_DIGITS),
            _supports(rules, digits or ERROR_DIGITS),
            numeric=numeric,
            max_levels=max_levels,
            width=width,
        )
        if costs := costs_text(labelled(self.tree)):
            lines += ["", costs]
        lines += hidden_words(len(rules), len(self), "rules.text", ", rules[i] one")
        return "\n".join(lines)

    def __str__(self) -> str:
        return self.text()

    def _repr_html_(self) -> str:
        return rules_html(self.text(max_lines=1).partition(chr(10))[0], self)

    def __repr__(self) -> str:
        return f"<{len(self)} rules of {self.tree!r}>"


def _conclusions(rules: list[Rule], numeric: bool, digits: int) -> list[str]:
    if numeric:
        return figure_column((float(rule.answer) for rule in rules), digits)
    return [rule.conclusion() for rule in rules]


def _supports(rules: list[Rule], digits: int) -> list[str]:
    decimals = decimals_of((rule.deviation for rule in rules if rule.deviation is not None), digits)
    learned = [rule.learned_words(decimals) for rule in rules]
    if all(rule.measured is None for rule in rules):
        return learned
    width = max(map(len, learned))
    return [
        f"{words:<{width}}  measured: {rule.measured}" for words, rule in zip(learned, rules, strict=True)
    ]
