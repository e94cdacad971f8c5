"""Rules that end in linear models: "if age <= 40 then y = 3 + 2 × pay"."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, TypeAlias, get_args

import numpy as np
import numpy.typing as npt

from bough.data.formula import column_words
from bough.data.schema import Level, Schema
from bough.data.table import Table
from bough.data.words import count_words, decimals_of, figure_words, level_words, name_words
from bough.errors import ParameterError, TargetError
from bough.models.model import table_for
from bough.rules.condition import Condition, ConditionalStatement, covering
from bough.rules.rule_model import RuleModel
from bough.rules.rule_neighbours import RuleNeighbours
from bough.tree.answer import label_array
from bough.tree.lazy_methods import TO_SQL
from bough.tree.leaf_models import LinearModel
from bough.tree.model_answers import softmax
from bough.tree.outline import ERROR_DIGITS
from bough.types import Floats, Task

LinearOrder: TypeAlias = Literal["first", "mean", "sum"]
"""How rules that fire for the same row are combined: the first one predicts, or their mean or sum does."""


@dataclass(frozen=True, slots=True)
class LinearRule(ConditionalStatement):
    """A rule: where all conditions hold, it predicts by a linear model.

    `cases` is the number of training cases that it covers, `mean` their mean of y, and `deviation` the root
    mean squared error of the model on them, or Cubist's estimate of the mean absolute error. Predictions are
    limited to `low` and `high` if these are given.

    A rule that `adds` to a score is one of a sum. Its `mean` and `deviation` are the mean and the standard
    deviation of what it adds, over all training cases; the deviation is its importance.
    """

    schema: Schema
    conditions: tuple[Condition, ...]
    model: LinearModel
    cases: float
    mean: float
    deviation: float
    low: float | None = None
    high: float | None = None
    target: str = "y"
    adds: bool = False

    def conclusion(self, most: int | None = None) -> str:
        """Return the model as text."""
        if self.adds:
            return f"{self.target} {self._added_words(most)}"
        return f"{self.target} = {self.model.words(self.schema, most)}"

    def _added_words(self, most: int | None) -> str:
        """Return what the rule adds as text: a number, or a term within its bounds."""
        if not self.model.terms:
            return f"{'-' if self.model.intercept < 0 else '+'} {figure_words(abs(self.model.intercept), 4)}"
        term = self.model.terms[0]
        text = f"{'-' if term.coefficient < 0 else '+'} {term.words(self.schema, most)}"
        if self.low is None or self.high is None:
            return text
        low, high = sorted(bound / term.coefficient for bound in (self.low, self.high))
        name = column_words(self.schema.shown[term.column])
        return f"{text}, {name} from {figure_words(low, 4)} to {figure_words(high, 4)}"

    def support(self, decimals: int | None = None) -> str:
        """Return the number of cases and the error of the model among them, or its importance, as text."""
        word = "importance" if self.adds else "deviation"
        return f"{count_words(self.cases, 'case')}, {word} {figure_words(self.deviation, 4, decimals)}"

    def answers(self, table: Table, rows: npt.NDArray[np.intp]) -> Floats:
        """Return the prediction of the rule for some rows of a table of its schema."""
        found = self.model.answers(lambda column, at: table.columns[column][at], rows)
        if self.low is not None or self.high is not None:
            found = np.clip(found, self.low, self.high)
        return found


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class LinearRules(RuleModel[LinearRule]):
    """A set of rules whose conclusions are linear models.

    With order "first" the first rule that fires predicts, with "mean" the mean of all that fire; `default` is
    predicted where none does. With order "sum", scores are `start` plus what the rules that fire add, and
    `member` is the number of the score that each adds to. The score is the prediction or, with two `classes`,
    the log-odds of the second; of more classes, each has a score, whose softmax gives the probabilities.

    Missing values are replaced by `substitutes` first: a number for a numeric
    column, the code of a level for others; None for a column that no rule uses. In a committee `member` is
    the number of the member of each rule, and the mean of the members is predicted. `neighbours`, if given,
    correct the predictions.

    >>> from bough.example_models import cars_rules
    >>> print(cars_rules())
    2 linear rules for mpg from 32 cases, the first that fires
    <BLANKLINE>
    R1  cyl <= 5  ->  mpg = 46 - 0.2 × hp   11 cases, deviation 3.8
    R2  always    ->  mpg = 24 - 0.04 × hp  21 cases, deviation 1.9
    >>> cars_rules().predict([[4, 100], [8, 200], [4, None]])
    array([26., 16., 26.])
    """

    model_kind: ClassVar[str] = "linear_rules"
    to_sql = TO_SQL
    _noun: ClassVar[str] = "linear rule"

    default: float
    order: LinearOrder
    substitutes: tuple[float | None, ...]
    member: tuple[int, ...] = ()
    neighbours: RuleNeighbours | None = None
    classes: tuple[Level, ...] = ()
    start: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        if self.order not in get_args(LinearOrder):
            raise ParameterError.of("order", self.order, "'first', 'mean' or 'sum'")
        if len(self.substitutes) != len(self.schema):
            raise ParameterError.of("substitutes", self.substitutes, "one for each column")
        if self.member and (len(self.member) != len(self.rules) or sorted(self.member) != [*self.member]):
            raise ParameterError.of("member", self.member, "an ascending number for each rule")

    @property
    def task(self) -> Task:
        """The task: regression, unless there are classes."""
        return "classification" if self.classes else "regression"

    def _order_words(self) -> str:
        if self.order == "sum":
            return f"added to {', '.join(figure_words(start, 4) for start in self.start)}"
        words = "the first that fires" if self.order == "first" else "the mean of those that fire"
        n_members = len(set(self.member))
        words += f" in each of {n_members} members" if n_members > 1 else ""
        return words + (
            f", corrected by {self.neighbours.n_neighbours} neighbours" if self.neighbours else ""
        )

    def _conclusion_words(self, rule: LinearRule, most: int | None) -> str:
        return rule.conclusion(most)

    def _supports(self, rules: Sequence[LinearRule], digits: int | None) -> list[str]:
        decimals = decimals_of((rule.deviation for rule in rules), digits or ERROR_DIGITS)
        return [rule.support(decimals) for rule in rules]

    def completed(self, X: Any) -> Table:
        """Return the rows of X with missing values replaced by the substitutes.

        >>> from bough.example_models import cars_rules
        >>> cars_rules().completed([[None, 90.0]]).columns[0]
        array([6.])
        """
        table = table_for(X, self.schema)
        greatest = np.finfo(np.float64).max if self.neighbours is None else np.finfo(np.float32).max / 4
        columns = []
        for values, substitute in zip(table.columns, self.substitutes, strict=True):
            # Infinite numbers, and with neighbours those beyond 32 bits, are as missing ones.
            missing = values < 0 if values.dtype.kind == "i" else ~(np.abs(values) <= greatest)
            replaced = values if substitute is None else np.where(missing, substitute, values)
            columns.append(replaced.astype(values.dtype))
        return Table(table.schema, tuple(columns), table.n_rows)

    def fires(self, X: Any) -> npt.NDArray[np.bool_]:
        """Return a mask (rows × rules) of the rules that fire for each row.

        >>> from bough.example_models import cars_rules
        >>> cars_rules().fires([[4, 100]])
        array([[ True,  True]])
        """
        table = self.completed(X)
        fired = [covering(rule.conditions, table) for rule in self.rules]
        return np.column_stack(fired) if fired else np.zeros((table.n_rows, 0), dtype=np.bool_)

    def scores(self, X: Any) -> Floats:
        """Return the scores of each row (rows × scores) of rules whose order is "sum".

        >>> from dataclasses import replace
        >>> from bough.example_models import cars_rules
        >>> replace(cars_rules(), order="sum", start=(1.0,)).scores([[4, 100]])
        array([[47.]])
        """
        table = self.completed(X)
        scores = np.tile(np.array(self.start), (table.n_rows, 1))
        numbers = self.member or (0,) * len(self.rules)
        for rule, number in zip(self.rules, numbers, strict=True):
            rows = np.flatnonzero(covering(rule.conditions, table))
            scores[rows, number] += rule.answers(table, rows)
        return scores

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Return the prediction of each row.

        >>> from bough.example_models import cars_rules
        >>> cars_rules().predict([[4, 100]])
        array([26.])
        """
        if self.order == "sum":
            scores = self.scores(X)
            if not self.classes:
                return scores[:, 0]
            codes = scores.argmax(axis=1) if scores.shape[1] > 1 else scores[:, 0] > 0
            return np.asarray(label_array(self.classes)[codes.astype(np.intp)])
        table = self.completed(X)
        numbers = self.member or (0,) * len(self.rules)
        n_members = max(numbers, default=0) + 1
        total = np.zeros(table.n_rows)
        for number in range(n_members):
            own = [rule for rule, member in zip(self.rules, numbers, strict=True) if member == number]
            total += self._of_member(own, table)
        base: Floats = total / n_members
        # A sum that is beyond the numbers has no meaning; Cubist's neighbours have 32 bits.
        greatest = np.finfo(np.float64 if self.neighbours is None else np.float32).max
        base = np.where(np.abs(base) <= greatest, base, self.default)
        return base if self.neighbours is None else self.neighbours.corrected(table, base)

    def _of_member(self, rules: Sequence[LinearRule], table: Table) -> Floats:
        """Return the prediction of one member of a committee."""
        sums, counts = np.zeros(table.n_rows), np.zeros(table.n_rows)
        for rule in rules:
            fired = covering(rule.conditions, table)
            if self.order == "first":
                fired &= counts == 0
            rows = np.flatnonzero(fired)
            sums[rows] += rule.answers(table, rows)
            counts[rows] += 1.0
        answers = np.full(table.n_rows, self.default)
        np.divide(sums, counts, out=answers, where=counts > 0)
        return answers

    def predict_proba(self, X: Any) -> Floats:
        """Return the probability of each class; rules that predict numbers raise an error.

        >>> from bough.example_models import cars_rules
        >>> cars_rules().predict_proba([[4, 100]])
        Traceback (most recent call last):
        bough.errors.TargetError: predict_proba needs classes; linear rules predict numbers.
        """
        if not self.classes:
            raise TargetError("predict_proba needs classes; linear rules predict numbers.")
        return softmax(self.scores(X))

    def importance(self) -> Floats:
        """Return, for each column, the sum of the cases of the rules that use it in a condition or a term.

        Of rules that are added, it is the sum of their importances, each divided by its number of columns
        (Friedman and Popescu 2008, equation 35).

        >>> from bough.example_models import cars_rules
        >>> cars_rules().importance()
        array([11., 32.])
        """
        used = np.zeros(len(self.schema))
        for rule in self.rules:
            columns = {condition.column for condition in rule.conditions}
            columns |= {term.column for term in rule.model.terms}
            used[[*columns]] += rule.deviation / max(1, len(columns)) if self.order == "sum" else rule.cases
        return used

    def document(self) -> dict[str, Any]:
        """Return the content of the file of these rules: dicts, lists and plain values.

        >>> from bough.example_models import cars_rules
        >>> cars_rules().document()["order"]
        'first'
        """
        from bough.rules.linear_format import document_of

        return document_of(self)


def score_names(classes: Sequence[Level], target_name: str | None) -> list[str]:
    """Return what the rules of a sum add to: the target, or the log-odds or score of a class.

    >>> score_names(("no", "yes"), "buys"), score_names((), "mpg")
    (['log-odds of yes'], ['mpg'])
    """
    if not classes:
        return [name_words(target_name) if target_name else "y"]
    if len(classes) == 2:
        return [f"log-odds of {level_words(classes[1])}"]
    return [f"score of {level_words(label)}" for label in classes]
