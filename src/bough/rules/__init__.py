"""Rules: the rules of a tree, one per leaf, and rule sets, which are separate models."""

from bough.rules.class_rule import ClassRule
from bough.rules.condition import Condition, Interval, LevelSet
from bough.rules.rule import Rule, RuleSupport
from bough.rules.rule_list import RuleList
from bough.rules.rule_set import RuleSet

__all__ = ["ClassRule", "Condition", "Interval", "LevelSet", "Rule", "RuleList", "RuleSet", "RuleSupport"]
