"""`explain`: why a model answers as it does for one row, in words."""

from __future__ import annotations

import html
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal, TypeAlias

import numpy as np

from bough.data.lines import Width, wrapped
from bough.data.schema import Level, Schema
from bough.data.table import Table
from bough.data.words import figure_words, level_words, name_words
from bough.errors import ParameterError, TableError
from bough.growing.limits import check_whole
from bough.inspect.changes import (
    Axis,
    Change,
    axes_of,
    changes_of,
    columns_of_terms,
    every_region_is_tried,
)
from bough.inspect.contributions import Contributions, contributions_of
from bough.inspect.votes import of_committee, of_estimator_tree, of_forest, of_sum
from bough.models.model import table_for
from bough.rules import RuleSet
from bough.rules.linear_rules import LinearRules, score_names
from bough.rules.rule import rule_of
from bough.tree import Tree
from bough.tree.model_answers import model_lines
from bough.tree.one_target import refuse_several
from bough.tree.routing import one_row

Tried: TypeAlias = Literal["all", "near", "some", "none"]
"""Which values of columns were tried for changes; see `Explanation`."""

_UNCHANGED: dict[Tried, str] = {
    "all": "no other value of a single column would change the answer",
    "near": "no value of a single column near that of the row would change the answer",
    "some": "",
    "none": "",
}


@dataclass(frozen=True, repr=False)
class Explanation:
    """Why a model answers as it does for one row.

    Attributes
    ----------
    target
        The name of the target, or None.
    answer
        The predicted class or number.
    probabilities
        The probability of each class; empty in regression.
    reasons
        The conditions of the tree that the row meets, the rules that fire for it, or the votes of the trials.
    support
        The training cases behind the answer, as a sentence; empty where there is no single group of them.
    costs
        The expected cost of each answer as a sentence, if the tree was grown with a loss matrix.
    changes
        Changes of one column that change the answer; see `bough.inspect.changes.Change`.
    contributions
        What each column contributes, in forests and sums of trees; otherwise None. See
        `bough.inspect.contributions.Contributions`.
    tried
        The values that were tried for changes: "all"; "near" if a column has so many thresholds that only
        the values near that of the row were; "some" if the answer is computed from numbers by a formula,
        so that other values of these change it too; "none" if no changes were asked for.

    """

    target: str | None
    answer: Level | float
    probabilities: dict[Level, float]
    reasons: tuple[str, ...]
    support: str
    costs: str
    changes: tuple[Change, ...]
    contributions: Contributions | None = None
    tried: Tried = "all"
    schema: Schema = field(default_factory=lambda: Schema(()), repr=False, compare=False)

    def headline(self) -> str:
        """Return the answer as a line of text.

        >>> from bough.example_models import iris_tree
        >>> explain(iris_tree(), [5.1, 1.9]).headline()
        'Species: virginica, probability 0.978'
        """
        name = self.schema.target_label(self.target)
        about = "" if name is None else f"{name_words(name)}: "
        if not self.probabilities:
            return f"{about}{figure_words(float(self.answer))}"
        share = f"{self.probabilities[self.answer]:.3f}"
        return f"{about}{level_words(self.schema.class_label(self.answer))}, probability {share}"

    def text(self, *, width: Width = "terminal") -> str:
        """Return the explanation as text.

        Lines are at most `width` characters long; "terminal" is the width of the terminal, and no limit where
        there is none.

        >>> from bough.example_models import tennis_tree
        >>> row = {"Outlook": "Sunny", "Temperature": "Hot", "Humidity": "High", "Wind": "Weak"}
        >>> print(explain(tennis_tree(), row).text())
        PlayTennis: No, probability 1.000
          because Outlook = Sunny
              and Humidity = High
          3 cases (21.4%), confidence 100.0% (3 of 3)
          it would be
            Yes, probability 1.000, if Outlook in {Overcast, Rain}
            Yes, probability 1.000, if Humidity = Normal
        """
        words = [" and", "because"]
        lines = [self.headline()]
        lines += [f"  {words[not number]:>7} {reason}" for number, reason in enumerate(self.reasons)]
        lines += [f"  {each}" for each in (self.support, self.costs) if each]
        if self.contributions is not None:
            lines += [f"  {line}" for line in self.contributions.lines()]
        if not self.changes:
            unchanged = _UNCHANGED[self.tried]
            lines += [f"  {unchanged}"] if unchanged else []
        else:
            lines.append("  it would be")
            lines += [f"    {self._answer_words(change)}, if {change.condition}" for change in self.changes]
        return "\n".join(each for line in lines for each in wrapped(line, width))

    def to_dict(self) -> dict[str, Any]:
        """Return the explanation as a dict for JSON.

        >>> from bough.example_models import iris_tree
        >>> explain(iris_tree(), [5.1, 1.9]).to_dict()["reasons"]
        ['Petal.Length >= 2.45', 'Petal.Width >= 1.75']
        """
        facts = asdict(replace(self, schema=Schema(()), contributions=None))
        del facts["schema"]
        facts["probabilities"] = [
            {"class": label, "probability": share} for label, share in self.probabilities.items()
        ]
        facts["reasons"] = list(self.reasons)
        facts["changes"] = [change._asdict() for change in self.changes]
        if self.contributions is not None:
            facts["contributions"] = self.contributions.to_dict()
        return facts

    def to_html(self) -> str:
        """Return the explanation as an HTML fragment.

        >>> from bough.example_models import iris_tree
        >>> "<li>Petal.Length &gt;= 2.45</li>" in explain(iris_tree(), [5.1, 1.9]).to_html()
        True
        """
        reasons = "".join(f"<li>{html.escape(reason)}</li>" for reason in self.reasons)
        support = "".join(f"<p>{html.escape(each)}</p>" for each in (self.support, self.costs) if each)
        moved = "" if self.contributions is None else self.contributions.to_html()
        others = "".join(
            f"<li>{html.escape(self._answer_words(change))}, if {html.escape(change.condition)}</li>"
            for change in self.changes
        )
        unchanged = _UNCHANGED[self.tried]
        would = f"<p>{unchanged.capitalize()}.</p>" if unchanged else ""
        if others:
            would = f"<p>It would be</p><ul>{others}</ul>"
        return (
            '<div style="font-family:system-ui,sans-serif">'
            f"<p><strong>{html.escape(self.headline())}</strong></p><ul>{reasons}</ul>{support}{moved}{would}</div>"
        )

    def _answer_words(self, change: Change) -> str:
        if change.probability is None:
            return figure_words(float(change.answer))
        answer = level_words(self.schema.class_label(change.answer))
        return f"{answer}, probability {change.probability:.3f}"

    def _repr_html_(self) -> str:
        return self.to_html()

    def __repr__(self) -> str:
        return f"<Explanation: {self.headline()}>"

    def __str__(self) -> str:
        return self.text()


def explain(model: Any, row: Any, *, most_changes: int = 5) -> Explanation:
    """Explain the prediction of a model for one row.

    The model is any model of one target, or an estimator of one. The row is a list of values in the order of
    the columns, a dict or a pandas Series by column name, or a table of one row. For trees, rules, linear
    rules and boosted C5.0 the explanation lists the conditions that the row meets, the rules that fire or the
    trials, and the training cases behind the answer. For forests and gradient boosting it says how the trees
    vote and what each column contributes; for other ensembles how the members vote. All explanations list at
    most `most_changes` changes of a single column that would change the answer.

    >>> from bough.example_models import iris_tree
    >>> print(explain(iris_tree(), {"Petal.Length": 5.1, "Petal.Width": 1.9}))
    Species: virginica, probability 0.978
      because Petal.Length >= 2.45
          and Petal.Width >= 1.75
      46 cases (30.7%), confidence 97.8% (45 of 46)
      it would be
        setosa, probability 1.000, if Petal.Length < 2.45
        versicolor, probability 0.907, if Petal.Width < 1.75
    """
    check_whole("most_changes", most_changes, 0)
    most = int(most_changes)
    model = getattr(model, "model_", model)
    kind = getattr(model, "model_kind", type(model).__name__)
    if kind not in _REASONS:
        if _is_unfitted(model):
            raise ParameterError(f"model is an unfitted {kind}; call its fit before explain.")
        raise ParameterError(f"model is of type {kind}; it must be a model of bough or an estimator of one.")
    refuse_several(model, "explain")
    if getattr(model, "link", None) == "quantiles":
        raise ParameterError.of(
            "model", f"a model of {model.n_scores} quantiles", "a model that predicts one number or class"
        )
    table = table_for(one_row(row, model.schema), model.schema)
    if table.n_rows != 1:
        raise TableError(f"explain takes one row, and the table has {table.n_rows}; select one of them.")
    answer = model.predict(table)[0].item()
    reasons, support, costs = _REASONS[kind](model, table)
    axes = axes_of(model)
    return Explanation(
        model.target_name,
        answer,
        {} if model.task == "regression" else _shares(model, table),
        reasons,
        support,
        costs,
        tuple(changes_of(model, table, most, axes)) if most else (),
        contributions_of(model, table, answer) if kind in ("forest", "gradient_boosted") else None,
        _tried(model, axes) if most else "none",
        model.schema,
    )


def _is_unfitted(model: Any) -> bool:
    """Return whether a model is an estimator that has not learned anything: it has parameters alone."""
    if isinstance(model, type) or not (hasattr(model, "fit") and hasattr(model, "predict")):
        return False
    names = getattr(model, "__dict__", {})
    return not any(name.endswith("_") and not name.startswith("_") for name in names)


def _tried(model: Any, axes: list[Axis]) -> Tried:
    """Return which values were tried; see `Explanation`."""
    if columns_of_terms(model):
        return "some"
    return "all" if every_region_is_tried(axes) else "near"


def _shares(model: Any, table: Table) -> dict[Level, float]:
    return dict(zip(model.classes, model.predict_proba(table)[0].tolist(), strict=True))


def _of_tree(tree: Tree, table: Table) -> tuple[tuple[str, ...], str, str]:
    leaf = int(tree.apply(table)[0])
    rule = rule_of(tree, leaf)
    return (*tree.path_of(table), *model_lines(tree, leaf)), str(rule.learned), rule.cost_words()


def _of_rules(rules: RuleSet, table: Table) -> tuple[tuple[str, ...], str, str]:
    default = level_words(rules.schema.class_label(rules.default))
    return tuple(_fired_words(rules, table)) or (f"no rule fires, so the default {default}",), "", ""


def _of_linear_rules(rules: LinearRules, table: Table) -> tuple[tuple[str, ...], str, str]:
    reasons = _fired_words(rules, table)
    if not reasons:
        return (f"no rule fires, so {_start_words(rules)}",), "", ""
    if rules.neighbours is not None:
        reasons.append(f"{rules.neighbours.n_neighbours} training rows near it correct the mean of these")
    return tuple(reasons), "", ""


def _fired_words(rules: RuleSet | LinearRules, table: Table) -> list[str]:
    """Return the rules that fire for the row, with their support; only the first if only that counts."""
    fired = np.flatnonzero(rules.fires(table)[0]).tolist()
    counted = fired[:1] if rules.order == "first" else fired
    return [f"rule {number + 1}: {rules[number]} ({rules[number].support()})" for number in counted]


def _start_words(rules: LinearRules) -> str:
    """Return what is predicted if no rule fires; of classes, the scores that give their probabilities."""
    if not rules.classes:
        return f"the default {figure_words(rules.start[0] if rules.order == 'sum' else rules.default)}"
    names = score_names([rules.schema.class_label(label) for label in rules.classes], rules.target_name)
    scores = zip(names, rules.start, strict=True)
    return " and ".join(f"the {name} is {figure_words(start)}" for name, start in scores)


def _fired(rules: RuleSet, table: Table) -> list[str]:
    """Return the rules of a trial that fire for the row, as text."""
    fired = np.flatnonzero(rules.fires(table)[0]).tolist()
    return [f"rule {number + 1} ({rules[number]})" for number in fired] or ["no rule fires"]


def _of_trials(model: Any, table: Table) -> tuple[tuple[str, ...], str, str]:
    reasons = []
    for number, member in enumerate(model.members, start=1):
        answer = level_words(model.schema.class_label(member.predict(table)[0].item()))
        why = member.path_of(table) if isinstance(member, Tree) else _fired(member, table)
        reasons.append(f"trial {number} says {answer}: {' and '.join(why) or 'always'}")
    return tuple(reasons), "", ""


_REASONS: dict[str, Callable[[Any, Table], tuple[tuple[str, ...], str, str]]] = {
    "tree": _of_tree,
    "rules": _of_rules,
    "linear_rules": _of_linear_rules,
    "boosted": _of_trials,
    "forest": of_forest,
    "gradient_boosted": of_sum,
    "bagging": of_committee,
    "estimator_tree": of_estimator_tree,
}
