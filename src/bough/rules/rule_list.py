"""The rules of a tree, one per leaf; exactly one fires for a row without missing values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from bough.data.lines import Width
from bough.data.schema import Level
from bough.data.words import count_words, decimals_of, figure_column
from bough.errors import ParameterError
from bough.rules.measured import measured_support
from bough.rules.print_out import rule_lines, rules_html
from bough.rules.printed_rules import PrintedRules
from bough.rules.rule import Rule, RuleSupport, rule_of, rules_of
from bough.tree.costs import costs_text
from bough.tree.labelling import labelled
from bough.tree.one_target import refuse_several
from bough.tree.outline import ANSWER_DIGITS, ERROR_DIGITS, targets_words

if TYPE_CHECKING:
    from bough.tree import Tree


class RuleList(PrintedRules[Rule]):
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

    def _item(self, position: int) -> Rule:
        leaf = self.leaves[position]
        return rule_of(self.tree, leaf, self._support.get(leaf))

    def _items(self, positions: range) -> list[Rule]:
        leaves = [self.leaves[position] for position in positions]
        by_leaf = {rule.leaf: rule for rule in self._rules(set(leaves))}
        return [by_leaf[leaf] for leaf in leaves]

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

    def _headline(self) -> str:
        cases = count_words(self.tree.cases[0], "case")
        return f"{count_words(len(self), 'rule')}{targets_words(labelled(self.tree))} from {cases}"

    def _lines(
        self, rules: Sequence[Rule], max_levels: int | None, digits: int | None, width: Width
    ) -> list[str]:
        numeric = self.tree.task == "regression" and not self.tree.targets and self.tree.leaf_models is None
        lines = rule_lines(
            rules,
            _conclusions(rules, numeric, digits or ANSWER_DIGITS),
            _supports(rules, digits or ERROR_DIGITS),
            numeric=numeric,
            max_levels=max_levels,
            width=width,
        )
        costs = costs_text(labelled(self.tree))
        return [*lines, "", costs] if costs else lines

    def _repr_html_(self) -> str:
        return rules_html(self.text(max_lines=1).partition(chr(10))[0], self)

    def __repr__(self) -> str:
        return f"<{len(self)} rules of {self.tree!r}>"


def _conclusions(rules: Sequence[Rule], numeric: bool, digits: int) -> list[str]:
    if numeric:
        return figure_column((float(rule.answer) for rule in rules), digits)
    return [rule.conclusion() for rule in rules]


def _supports(rules: Sequence[Rule], digits: int) -> list[str]:
    decimals = decimals_of((rule.deviation for rule in rules if rule.deviation is not None), digits)
    case_decimals = decimals_of((rule.cases for rule in rules), ERROR_DIGITS)
    learned = [rule.learned_words(decimals, case_decimals) for rule in rules]
    if all(rule.measured is None for rule in rules):
        return learned
    width = max(map(len, learned))
    return [
        f"{words:<{width}}  measured: {rule.measured}" for words, rule in zip(learned, rules, strict=True)
    ]
