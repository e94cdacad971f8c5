"""Settings of splits with any number of branches: how a column's levels or values are grouped."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Literal, TypeAlias, get_args

from bough.errors import ParameterError
from bough.growing.limits import check_number, check_whole
from bough.growing.missing import COMPLETE, MERGED, Missing, check_missing
from bough.growing.pruning import check_choice

Test: TypeAlias = Literal["pearson", "likelihood_ratio", "f"]

TESTS: Mapping[str, Test] = {"chi_square": "pearson", "deviance": "likelihood_ratio", "squared_error": "f"}
"""The test of independence that each criterion stands for."""


@dataclass(frozen=True)
class Merging:
    """CHAID's groups: levels are merged while their targets do not differ significantly.

    The most similar pair of groups is merged if its p-value is above `merge`; a merged group of three or more
    levels is split again if the p-value of its best split is at most `split_merged` (never if None). With
    `exhaustive`, levels are merged to two groups and the most significant partition on the way is taken. A
    node is split if the smallest p-value of a column, times Bonferroni's multiplier if `bonferroni`, is at
    most `significance`. Every group needs the lesser of `min_cases` cases and the share `min_fraction` of the
    node's. Numeric columns are merged from bins of equal frequency, `max_bins` of all rows.

    >>> Merging(significance=0.01).merge
    0.05
    >>> Merging(merge=0.05, split_merged=0.1)
    Traceback (most recent call last):
    bough.errors.ParameterError: significance_split_merged is 0.1; it must be less than significance_merge
    (0.05), or None.
    """

    kind: ClassVar[str] = "merging"

    significance: float = 0.05
    merge: float = 0.05
    split_merged: float | None = None
    min_cases: float = 7.0
    min_fraction: float = 0.01
    exhaustive: bool = False
    bonferroni: bool = True
    max_bins: int = 10

    def __post_init__(self) -> None:
        check_number("significance", self.significance, 0.0, 1.0, above=True)
        check_number("significance_merge", self.merge, 0.0, 1.0, above=True)
        check_number("min_node_fraction", self.min_fraction, 0.0, 1.0)
        check_number("min_samples_leaf", self.min_cases, 1.0)
        check_whole("max_bins", self.max_bins, 2, 1000)
        for name in ("exhaustive", "bonferroni"):
            if not isinstance(getattr(self, name), bool):
                raise ParameterError.of(name, getattr(self, name), "True or False")
        if self.split_merged is None:
            return
        check_number("significance_split_merged", self.split_merged, 0.0, 1.0, above=True, end=", or None")
        if not self.split_merged < self.merge:
            wanted = f"less than significance_merge ({self.merge:g}), or None"
            raise ParameterError.of("significance_split_merged", self.split_merged, wanted)
        if self.exhaustive:
            raise ParameterError.of("significance_split_merged", self.split_merged, "None if exhaustive")


BranchChoice: TypeAlias = Literal["criterion", "mdl", "most"]
"""How the number of branches is chosen.

| choice        | the number of branches                                                                    |
|---------------|-------------------------------------------------------------------------------------------|
| `"criterion"` | has the greatest value of the criterion, or under chi-square the smallest adjusted p-value |
| `"mdl"`       | has the least description length; a column is not split where no split shortens it        |
| `"most"`      | is the greatest one allowed                                                               |
"""


@dataclass(frozen=True)
class Ranges:
    """The best split of a numeric or ordinal column into ranges, or of a nominal one into groups of levels.

    There are at most `max_branches`, and `choose` picks their number. A numeric column with more than
    `max_bins` distinct values in a node is first divided into that many bins of equal frequency.

    >>> Ranges(max_branches=5).choose
    'mdl'
    """

    kind: ClassVar[str] = "ranges"

    max_branches: int = 5
    choose: BranchChoice = "mdl"
    max_bins: int = 1000

    def __post_init__(self) -> None:
        check_whole("max_branches", self.max_branches, 2, 1000)
        check_whole("max_bins", self.max_bins, 2, 4000)
        check_choice("branch_choice", self.choose, get_args(BranchChoice))


Grouping: TypeAlias = Merging | Ranges
_KINDS: tuple[type[Merging | Ranges], ...] = (Merging, Ranges)

ADDITIVE = (
    "misclassification",
    "gini",
    "entropy",
    "deviance",
    "gain_ratio",
    "chi_square",
    "squared_error",
    "poisson",
)
"""The criteria whose best ranges can be found: they, or the entropy they are computed from, add up."""


def check_grouping(grouping: Grouping, criterion: object, missing: Missing) -> None:
    """Raise if a grouping does not support a criterion or a policy for missing values.

    >>> check_grouping(Ranges(), "twoing", "majority")
    Traceback (most recent call last):
    bough.errors.ParameterError: criterion is 'twoing'; it must be one of 'misclassification', 'gini',
    'entropy', 'deviance', 'gain_ratio', 'chi_square', 'squared_error', 'poisson' with max_branches.
    """
    merges = isinstance(grouping, Merging)
    known, name = (tuple(TESTS), "merging") if merges else (ADDITIVE, "max_branches")
    if criterion not in known:
        wanted = f"one of {', '.join(map(repr, known))} with {name}"
        raise ParameterError.of("criterion", criterion, wanted)
    check_missing(missing, name, MERGED if merges else COMPLETE)


def grouping_to_json(grouping: Grouping) -> dict[str, Any]:
    """Return the kind of a grouping, and the settings that differ from their defaults.

    >>> grouping_to_json(Merging(exhaustive=True))
    {'kind': 'merging', 'exhaustive': True}
    """
    changed = {
        field.name: getattr(grouping, field.name)
        for field in fields(grouping)
        if getattr(grouping, field.name) != field.default
    }
    return {"kind": grouping.kind} | changed


def grouping_from_json(value: Mapping[str, Any], _: object = None) -> Grouping:
    """Return the grouping that `grouping_to_json` wrote.

    >>> grouping_from_json({"kind": "merging", "exhaustive": True}).exhaustive
    True
    """
    settings = dict(value)
    kind = settings.pop("kind", None)
    for known in _KINDS:
        names = {field.name for field in fields(known)}
        if kind == known.kind and names.issuperset(settings):
            return known(**settings)
    raise ParameterError(f"The recipe has a grouping that this version of bough does not have: {value}.")
