"""A committee: models fitted to samples of the same rows, whose predictions are combined, as in bagging."""

from __future__ import annotations

from dataclasses import dataclass, field
from os import PathLike
from typing import Any, ClassVar, Literal, TypeAlias, cast

import numpy as np
import numpy.typing as npt

from bough.data.schema import Level, Schema
from bough.data.sparse import SparseColumns
from bough.data.table import Table
from bough.errors import FormatError, TargetError
from bough.models import format as files
from bough.models.encoding import Document
from bough.models.format import HEAD, check_classes, head_of, read_head
from bough.models.members import Read, documents_of, read_members
from bough.models.model import table_for
from bough.models.plain import members as fields_from
from bough.tree.answer import label_array
from bough.types import Floats, Task

Voting: TypeAlias = Literal["soft", "hard"]


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Committee:
    """Models whose predictions are averaged.

    With `voting="soft"` the mean of the class probabilities is taken; with `voting="hard"` each member votes
    for its most probable class. A tie goes to the first class in `classes`. A regression model predicts the
    mean. `columns` are the positions in the schema of the columns that each member uses.

    >>> import bough
    >>> X, y = [["red"], ["red"], ["blue"], ["blue"]] * 5, ["yes", "yes", "no", "no"] * 5
    >>> model = bough.BaggingClassifier(bough.ID3Classifier(), random_state=0).fit(X, y).model_
    >>> model, model.predict([["blue"]])
    (Committee(10 members), array(['no'], dtype='<U3'))
    """

    model_kind: ClassVar[str] = "bagging"

    schema: Schema
    task: Task
    classes: tuple[Level, ...]
    target_name: str | None
    members: tuple[Any, ...]
    columns: tuple[tuple[int, ...], ...]
    voting: Voting = "soft"
    recipe: dict[str, Any] = field(default_factory=dict)
    provenance: dict[str, Any] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"Committee({len(self.members)} members)"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Committee):
            return NotImplemented
        names = ("schema", "task", "classes", "target_name", "members", "columns", "voting", "recipe")
        same_types = [*map(type, self.classes)] == [*map(type, other.classes)]
        return same_types and all(getattr(self, name) == getattr(other, name) for name in names)

    def __hash__(self) -> int:
        return hash((self.model_kind, self.task, self.classes, len(self.members)))

    def member_prediction(self, number: int, table: Table) -> Floats:
        """Return one member's prediction for each row: a probability or a vote for each class, or a number.

        >>> import bough
        >>> model = bough.BaggingRegressor(random_state=0).fit([[1.0], [2.0]] * 9, [10.0, 20.0] * 9).model_
        >>> model.member_prediction(0, model.members[0]._table([[0.0]]))
        array([10.])
        """
        member, own = self.members[number], some_columns(table, self.columns[number])
        if self.task == "regression":
            return np.asarray(member.predict(own))
        shares: Floats = member.predict_proba(own)
        order = [member.classes.index(label) for label in self.classes]
        if order != list(range(len(order))):
            shares = shares[:, order]
        if self.voting == "soft":
            return shares
        return np.asarray(np.eye(shares.shape[1])[shares.argmax(axis=1)])

    def _mean(self, X: Any) -> Floats:
        table = table_for(X, self.schema)
        total: Any = 0.0
        for number in range(len(self.members)):
            total = total + self.member_prediction(number, table)
        return np.asarray(total / len(self.members))

    def predict_proba(self, X: Any) -> Floats:
        """Return the mean of the members' class probabilities or, with hard voting, the fractions of votes.

        >>> import bough
        >>> model = bough.BaggingClassifier(random_state=0).fit([[1.0], [2.0]] * 9, ["a", "b"] * 9).model_
        >>> model.predict_proba([[3.0]])
        array([[0., 1.]])
        """
        if self.task == "regression":
            raise TargetError("predict_proba: this model predicts numbers and has no classes.")
        return self._mean(X)

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Return the class of the greatest mean probability, or the mean of the members' numbers.

        >>> import bough
        >>> model = bough.BaggingClassifier(random_state=0).fit([[1.0], [2.0]] * 9, ["a", "b"] * 9).model_
        >>> model.predict([[3.0]])
        array(['b'], dtype='<U1')
        """
        mean = self._mean(X)
        return mean if self.task == "regression" else label_array(self.classes)[mean.argmax(axis=1)]

    def importance(self) -> Floats:
        """Return the importance of each column, averaged over the members; 0 in members that do not use it.

        >>> import bough
        >>> learner = bough.BaggingRegressor(n_estimators=2, bootstrap=False)
        >>> learner.fit([[1.0], [2.0]], [1.0, 2.0]).model_.importance()
        array([0.5])
        """
        total = np.zeros(len(self.schema))
        for member, columns in zip(self.members, self.columns, strict=True):
            total[[*columns]] += member.importance()
        return total / len(self.members)

    def document(self) -> Document:
        """Return the model as a document, without format and version.

        >>> import bough
        >>> model = bough.BaggingRegressor(n_estimators=2).fit([[1.0], [2.0]], [1.0, 2.0]).model_
        >>> model.document()["columns"]
        [[0], [0]]
        """
        return head_of(self) | {
            "voting": self.voting,
            "columns": [list(columns) for columns in self.columns],
            "members": documents_of(self.members),
        }

    def save(self, path: str | PathLike[str]) -> None:
        """Write the model to a file that `bough.load` reads; members of other libraries cannot be saved.

        >>> import tempfile, bough
        >>> model = bough.BaggingRegressor(n_estimators=2).fit([[1.0], [2.0]], [1.0, 2.0]).model_
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     model.save(f"{folder}/bagging.json")
        ...     bough.load(f"{folder}/bagging.json") == model
        True
        """
        files.save(self.document(), path)


def some_columns(table: Table, columns: tuple[int, ...]) -> Table:
    """Return a table of the columns at some positions.

    >>> some_columns(Table.read([[1.0, 2.0]]), (1,)).schema.names
    ('x1',)
    """
    if len(columns) == len(table.schema):
        return table
    schema = Schema(tuple(table.schema.columns[column] for column in columns))
    if isinstance(table.columns, SparseColumns):
        return Table(schema, table.columns.select(columns), table.n_rows)
    return Table(schema, tuple(table.columns[column] for column in columns), table.n_rows)


def from_document(document: object, read: Read) -> Committee:
    """Return the committee of a document; `read` reads its members.

    >>> import bough
    >>> from bough.loading import from_document as read
    >>> model = bough.BaggingRegressor(n_estimators=2).fit([[1.0], [2.0]], [1.0, 2.0]).model_
    >>> from_document(model.document(), read) == model
    True
    """
    names = ("kind", *HEAD, "voting", "columns", "members")
    fields = fields_from(document, "the top", names, ("provenance",))
    head = read_head(fields)
    check_classes(head)
    if fields["voting"] not in ("soft", "hard"):
        raise FormatError("voting", f"{fields['voting']!r}; 'soft' or 'hard' is wanted")
    members = read_members(fields["members"], read)
    columns = fields["columns"]
    if type(columns) is not list or len(columns) != len(members):
        raise FormatError("columns", "a list for each member is wanted")
    for number, (member, own) in enumerate(zip(members, columns, strict=True)):
        positions = type(own) is list and all(
            type(each) is int and 0 <= each < len(head.schema) for each in own
        )
        if not positions or sorted(set(own)) != own:
            raise FormatError(f"columns[{number}]", "rising positions in the schema are wanted")
        if member.schema != Schema(tuple(head.schema.columns[each] for each in own)):
            raise FormatError(f"members[{number}].schema", "it does not have the columns of the member")
        if member.task != head.task or set(member.classes) != set(head.classes):
            raise FormatError(f"members[{number}]", "its task or classes differ from the model's")
    return Committee(
        **head._asdict(),
        members=members,
        columns=tuple(tuple(own) for own in columns),
        voting=cast("Voting", fields["voting"]),
    )
