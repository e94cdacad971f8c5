"""Rules: a tree read as one conjunction for each leaf, and rule sets, which are models of their own."""

from bough.rules.class_rule import ClassRule
from bough.rules.condition import Condition, Interval, LevelSet
from bough.rules.rule import Rule
from bough.rules.rule_list import RuleList
from bough.rules.rule_set import RuleSet

__all__ = ["ClassRule", "Condition", "Interval", "LevelSet", "Rule", "RuleList", "RuleSet"]
