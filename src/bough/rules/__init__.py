"""A tree read as rules: one conjunction of conditions for each leaf, each column said once."""

from bough.rules.condition import Condition, Interval, LevelSet
from bough.rules.rule import Rule
from bough.rules.rule_list import RuleList

__all__ = ["Condition", "Interval", "LevelSet", "Rule", "RuleList"]
