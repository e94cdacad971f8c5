"""A rule of a rule set: its conditions, the class that it predicts, and how often that was correct."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from bough.data.schema import Level, Schema
from bough.data.table import Table, is_missing
from bough.data.words import figure_words, level_words, share_words
from bough.models.model import table_for
from bough.rules.condition import Condition, ConditionalStatement, covering
from bough.types import Floats


@dataclass(frozen=True, slots=True)
class ClassRule(ConditionalStatement):
    """A rule: if all conditions hold, the class is `answer`.

    `cover` is the weight of the cases that meet the conditions, `correct` is the weight of those among them
    that are of the class, and `prior` is the class's fraction of all cases. `estimate` is the confidence if
    it is not Laplace's estimate. `distribution` holds the class weights of the cases that the rule decides in
    an ordered list, if the list predicts by them. `fractions` holds, for each condition, the fraction of a
    row with a missing value that meets it; if it is empty, a missing value is as the condition says.

    >>> from bough.example_models import tennis_rules
    >>> rule = tennis_rules()[0]
    >>> print(rule)
    Outlook = Sunny and Humidity = High -> No
    >>> rule.cover, rule.correct, rule.confidence, round(rule.lift, 2)
    (3.0, 3.0, 0.8, 2.24)
    """

    schema: Schema
    conditions: tuple[Condition, ...]
    answer: Level
    cover: float
    correct: float
    prior: float
    estimate: float | None = None
    distribution: tuple[float, ...] | None = None
    fractions: tuple[float, ...] = ()

    @property
    def errors(self) -> float:
        """The weight of the covered cases that are of another class.

        >>> from bough.example_models import tennis_rules
        >>> tennis_rules()[4].errors
        1.0
        """
        return self.cover - self.correct

    @property
    def confidence(self) -> float:
        """The estimated accuracy of the rule: Laplace's (correct + 1) / (cover + 2), or `estimate`.

        >>> from bough.example_models import tennis_rules
        >>> tennis_rules()[1].confidence
        0.75
        """
        return (self.correct + 1.0) / (self.cover + 2.0) if self.estimate is None else self.estimate

    @property
    def lift(self) -> float:
        """The confidence divided by the prior; infinite if no case is of the class.

        >>> from bough.example_models import tennis_rules
        >>> round(tennis_rules()[1].lift, 2)
        2.1
        """
        return self.confidence / self.prior if self.prior > 0 else float("inf")

    @property
    def vote(self) -> int:
        """The weight of the rule's vote: Laplace's estimate in thousandths, rounded.

        >>> from bough.example_models import tennis_rules
        >>> tennis_rules()[2].vote
        833
        """
        return int(1000.0 * (self.correct + 1.0) / (self.cover + 2.0) + 0.5)

    def conclusion(self) -> str:
        """Return the class as text.

        >>> from bough.example_models import tennis_rules
        >>> tennis_rules()[1].conclusion()
        'No'
        """
        return level_words(self.schema.class_label(self.answer))

    def support(self, digits: int = 3, decimals: int | None = None) -> str:
        """Return the cases that the rule covers, the errors among them, its confidence and its lift, as text.

        `digits` are the digits of the confidence, and one more than the decimals of the lift. `decimals` are
        those of cases and errors; by default one if they are not whole numbers.

        >>> from bough.example_models import tennis_rules
        >>> tennis_rules()[2].support()
        '4 cases, 0 wrong, confidence 83.3%, lift 1.30'
        """
        places = (0 if self.is_whole() else 1) if decimals is None else decimals
        cases = figure_words(self.cover, decimals=places) + (" case" if self.cover == 1 else " cases")
        wrong = figure_words(max(self.errors, 0.0), decimals=places)
        lift = figure_words(self.lift, decimals=max(digits - 1, 0))
        confidence = share_words(self.confidence, max(digits - 2, 0))
        return f"{cases}, {wrong} wrong, confidence {confidence}, lift {lift}"

    def is_whole(self) -> bool:
        """Whether cases and errors are whole numbers, as those of rows without weights or fractions are.

        >>> from bough.example_models import tennis_rules
        >>> tennis_rules()[2].is_whole()
        True
        """
        return float(self.cover).is_integer() and float(self.errors).is_integer()

    def covers(self, X: Any) -> npt.NDArray[np.bool_]:
        """Return a mask of the rows that meet all conditions; a missing value meets no condition.

        >>> from bough.example_models import tennis_rules
        >>> tennis_rules()[2].covers([["Overcast", "Hot", "High", "Weak"], [None, "Hot", "High", "Weak"]])
        array([ True, False])
        """
        return covering(self.conditions, table_for(X, self.schema))

    def shares(self, table: Table) -> Floats:
        """Return the fraction of each row of a table of the rule's schema that meets all conditions.

        It is 0 or 1 unless a value is missing and the rule has `fractions`.

        >>> from bough.example_models import tennis_rules
        >>> from dataclasses import replace
        >>> rule = replace(tennis_rules()[2], fractions=(0.25,))
        >>> rule.shares(Table.fit_to([["Overcast", "Hot", "High", "Weak"], [None] * 4], rule.schema))
        array([1.  , 0.25])
        """
        if not self.fractions:
            return covering(self.conditions, table).astype(np.float64)
        shares = np.ones(table.n_rows)
        for condition, fraction in zip(self.conditions, self.fractions, strict=True):
            values = table.columns[condition.column]
            shares *= np.where(is_missing(values), fraction, condition.covers(values))
        return shares
