"""Boosted models of C5.0: one tree or rule set per trial, each of which votes with its confidence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Literal, cast

import numpy as np
import numpy.typing as npt

from bough.data.schema import Level, Schema
from bough.data.schema import members as fields_from
from bough.data.table import Table
from bough.errors import FormatError
from bough.models.encoding import Document
from bough.models.format import HEAD, head_of, read_head
from bough.models.members import Read, documents_of, read_members
from bough.models.model import table_for
from bough.models.saved import SavedModel
from bough.tree import Tree
from bough.tree.answer import label_array
from bough.tree.c50 import c50_predictor, predicted_by_c50
from bough.types import Floats

if TYPE_CHECKING:
    import bough._core as _core


@dataclass(frozen=True, eq=False, repr=False)
class Boosted(SavedModel):
    """The trees or the rule sets of C5.0's trials, which predict by voting.

    Each member votes for a class with its confidence. Votes are summed in single precision, and the class
    with the largest sum wins; a tie goes to the class of the first member's root, or to its default class.

    >>> import bough
    >>> X, y = [[1.0], [2.0], [3.0], [4.0], [5.0], [6.0]] * 5, ["a", "a", "b", "a", "b", "b"] * 5
    >>> model = bough.C50Classifier(n_estimators=3, early_stopping=False).fit(X, y).model_
    >>> model, model.predict([[1.5]])
    (Boosted(3 trees), array(['a'], dtype='<U1'))
    """

    model_kind: ClassVar[str] = "boosted"

    members: tuple[Any, ...]
    provenance: dict[str, Any] = field(default_factory=dict)

    @property
    def schema(self) -> Schema:
        """The columns of the tables that the model predicts from."""
        return cast("Schema", self.members[0].schema)

    @property
    def task(self) -> Literal["classification"]:
        """The task, always classification."""
        return "classification"

    @property
    def classes(self) -> tuple[Level, ...]:
        """The classes, in the order in which ties are resolved."""
        return cast("tuple[Level, ...]", self.members[0].classes)

    @property
    def target_name(self) -> str | None:
        """The name of the target."""
        return cast("str | None", self.members[0].target_name)

    @property
    def recipe(self) -> dict[str, Any]:
        """The recipe that the model was made with."""
        return cast("dict[str, Any]", self.members[0].recipe)

    def __repr__(self) -> str:
        return f"Boosted({len(self.members)} {'trees' if self._has_trees else 'rule sets'})"

    @property
    def _has_trees(self) -> bool:
        return isinstance(self.members[0], Tree)

    def decide(
        self, X: Any, n_trials: int | None = None, n_jobs: int | None = None
    ) -> tuple[Floats, npt.NDArray[Any]]:
        """Return the probabilities and the class code of each row, from all trials or only the first ones.

        >>> from bough.example_models import tennis_rules
        >>> Boosted((tennis_rules(), tennis_rules())).decide([["Rain", "Mild", "High", "Strong"]])
        (array([[1., 0.]]), array([0]))
        """
        table = table_for(X, self.schema)
        n_used = len(self.members) if n_trials is None else n_trials
        if self._has_trees:
            return predicted_by_c50(self._native, table, n_used, n_jobs)
        return _by_rules(self.members[:n_used], table)

    @cached_property
    def _native(self) -> _core.C50Predictor:
        return c50_predictor(self.members)

    def predict(self, X: Any, n_jobs: int | None = None) -> npt.NDArray[Any]:
        """Return the class of each row, the one with the most votes.

        >>> from bough.example_models import tennis_rules
        >>> Boosted((tennis_rules(), tennis_rules())).predict([["Rain", "Mild", "High", "Strong"]])
        array(['No'], dtype='<U3')
        """
        labels: npt.NDArray[Any] = label_array(self.classes)[self.decide(X, n_jobs=n_jobs)[1]]
        return labels

    def predict_proba(self, X: Any, n_jobs: int | None = None) -> Floats:
        """Return each class's fraction of the votes for each row.

        >>> from bough.example_models import tennis_rules
        >>> Boosted((tennis_rules(), tennis_rules())).predict_proba([["Rain", "Mild", "High", "Strong"]])
        array([[1., 0.]])
        """
        return self.decide(X, n_jobs=n_jobs)[0]

    def importance(self) -> Floats:
        """Return the importance of each column, averaged over the members.

        >>> from bough.example_models import tennis_rules
        >>> Boosted((tennis_rules(), tennis_rules())).importance()
        array([12.,  0., 10.,  5.])
        """
        return cast("Floats", np.mean([member.importance() for member in self.members], axis=0))

    def document(self) -> Document:
        """Return the model as a document, without format and version.

        >>> from bough.example_models import tennis_rules
        >>> Boosted((tennis_rules(),)).document()["kind"]
        'boosted'
        """
        return head_of(self) | {"members": documents_of(self.members)}


def _by_rules(rule_sets: Sequence[Any], table: Table) -> tuple[Floats, npt.NDArray[Any]]:
    decisions = [rules.decide(table) for rules in rule_sets]
    if len(decisions) == 1:
        return decisions[0].probabilities, decisions[0].codes
    rows, first = np.arange(table.n_rows), rule_sets[0]
    # C5.0 sums votes in single precision.
    votes = np.zeros((table.n_rows, len(first.classes)), dtype=np.float32)
    for decision in decisions:
        votes[rows, decision.codes] += decision.confidence
    total = votes.astype(np.float64)
    default = first.classes.index(first.default)
    codes = np.where(total[:, default] >= total.max(axis=1), default, total.argmax(axis=1))
    return total / total.sum(axis=1, keepdims=True), codes


def from_document(document: object, read: Read) -> Boosted:
    """Return the boosted model of a document; `read` reads its members.

    >>> from bough.example_models import tennis_rules
    >>> from bough.loading import from_document as read
    >>> model = Boosted((tennis_rules(), tennis_rules()))
    >>> from_document(model.document(), read) == model
    True
    """
    fields = fields_from(document, "the top", ("kind", *HEAD, "members"), ("provenance",))
    head = read_head(fields)
    members = read_members(fields["members"], read)
    first = members[0]
    is_tree = isinstance(first, Tree)
    if first.model_kind not in ("tree", "rules"):
        raise FormatError("members[0].kind", f"{first.model_kind!r}; 'tree' or 'rules' is wanted")
    for number, member in enumerate(members):
        if member.model_kind != first.model_kind or (member.schema, member.classes) != (
            head.schema,
            head.classes,
        ):
            raise FormatError(f"members[{number}]", "its kind, schema or classes differ from the others'")
        if is_tree and cast("Tree", member).arithmetic != "c5.0":
            raise FormatError(f"members[{number}].arithmetic", "'c5.0' is wanted")
    model = Boosted(members, head.provenance)
    if (head.task, head.target_name, head.recipe) != (model.task, model.target_name, model.recipe):
        raise FormatError("members[0]", "its task, target or recipe differ from the model's")
    return model
