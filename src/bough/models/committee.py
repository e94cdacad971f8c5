"""A committee: models of the same rows, sampled or reweighted, whose predictions are combined."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, TypeAlias, cast, get_args

import numpy as np
import numpy.typing as npt

from bough.data.schema import Column, Level, Schema
from bough.data.schema import members as fields_from
from bough.data.sparse import SparseColumns
from bough.data.table import Table
from bough.errors import FormatError, TargetError
from bough.models.encoding import Document
from bough.models.format import HEAD, head_of, read_head
from bough.models.members import Read, documents_of, read_members
from bough.models.model import table_for
from bough.models.plain import is_finite
from bough.models.saved import SavedModel
from bough.tree.answer import label_array
from bough.tree.model_answers import softmax
from bough.types import Floats, Task

Voting: TypeAlias = Literal["soft", "hard", "product", "erf", "scores", "median", "chain"]
"""How predictions are combined; see `Committee`."""

LEAST_SHARE: float = float(np.finfo(np.float64).eps)
"""The least probability in a product, so that no member alone can exclude a class."""


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Committee(SavedModel):
    """Models whose predictions are averaged, with equal or with given weights.

    `voting` says how:

    - "soft": the mean of the class probabilities or, in regression, of the numbers.
    - "hard": each member votes for its most probable class. In regression, members of two classes vote, and
      the number is the share of the votes for the second.
    - "product": the product of the class probabilities, each to the power of the member's weight, divided by
      its sum over the classes.
    - "erf": of two classes, the second has probability (1 + erf(S)) / 2, where S is the sum of the weights of
      the members that vote for it less that of the others.
    - "scores": the members predict numbers. The probabilities are the softmax of a score for each class;
      member i adds to the score of class i modulo their number. Of two classes, the first has score 0, and
      all members add to that of the second.
    - "median": the weighted median of the numbers.
    - "chain": the number of the last member. A member may read the numbers of members before it as columns:
      that of member i is column i after those of the schema. Weights count in `importance` only.

    A tie goes to the first class in `classes`. `columns` are the positions in the schema of the columns that
    each member uses.

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
    weights: tuple[float, ...] | None = None
    recipe: dict[str, Any] = field(default_factory=dict)
    provenance: dict[str, Any] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"Committee({len(self.members)} members)"

    def member_prediction(self, number: int, table: Table) -> Floats:
        """Return one member's prediction for each row: a probability or a vote for each class, or a number.

        >>> import bough
        >>> model = bough.BaggingRegressor(random_state=0).fit([[1.0], [2.0]] * 9, [10.0, 20.0] * 9).model_
        >>> model.member_prediction(0, model.members[0]._table([[0.0]]))
        array([10.])
        """
        member, own = self.members[number], some_columns(table, self.columns[number])
        if member.task == "regression":
            return np.asarray(member.predict(own))
        shares = class_shares(member, own, self.classes or member.classes)
        if self.task == "regression":
            return np.asarray(shares.argmax(axis=1), dtype=np.float64)
        if self.voting == "product":
            return np.asarray(np.log(np.maximum(shares, LEAST_SHARE)))
        return shares if self.voting == "soft" else np.eye(shares.shape[1])[shares.argmax(axis=1)]

    @property
    def n_scores(self) -> int:
        """The number of members that are fitted in one round: 1, or one for each class with "scores".

        >>> from bough.example_models import iris_tree
        >>> tree = iris_tree()
        >>> Committee(schema=tree.schema, task=tree.task, classes=tree.classes, target_name=None,
        ...           members=(tree,), columns=((0, 1),)).n_scores
        1
        """
        return len(self.classes) if self.voting == "scores" and len(self.classes) > 2 else 1

    def staged(self, X: Any) -> Iterator[Floats]:
        """Yield the probabilities or numbers that the first member gives, the first two, and so on.

        With "scores" and more than two classes, one is yielded for each round.

        >>> import bough
        >>> X, y = [[1.0], [2.0], [3.0], [4.0]], ["a", "b", "a", "b"]
        >>> model = bough.AdaBoostClassifier(n_estimators=3).fit(X, y).model_
        >>> [shares.round(2).tolist() for shares in model.staged([[3.0]])]
        [[[0.0, 1.0]], [[0.59, 0.41]], [[0.73, 0.27]]]
        """
        for state in self._states(table_for(X, self.schema)):
            yield self._combined(*state)

    def _states(self, table: Table) -> Iterator[tuple[Any, int]]:
        """Yield the sum of the predictions and the number of members, after each round of members.

        For the median, the sum is the list of all predictions.
        """
        if self.voting == "chain":
            for number in range(len(self.members)):
                prediction = self.member_prediction(number, table)
                table = with_output(table, number, prediction)
                yield [prediction], number + 1
            return
        k = self.n_scores
        sums: Any = [] if self.voting == "median" else [0.0] * k
        for number in range(len(self.members)):
            prediction = self.member_prediction(number, table)
            if self.voting == "median":
                sums.append(prediction)
            else:
                weighted = prediction if self.weights is None else self.weights[number] * prediction
                sums[number % k] = sums[number % k] + weighted
            if number % k == k - 1:
                yield sums, number + 1

    def _combined(self, sums: Any, n_members: int) -> Floats:
        """Return probabilities or numbers, given the sums of `_states`."""
        weights = None if self.weights is None else np.array(self.weights[:n_members])
        if self.voting == "chain":
            return np.asarray(sums[0])
        if self.voting == "median":
            return _weighted_median(np.stack(sums, axis=1), weights)
        if self.voting == "erf":
            from scipy.special import erf

            balance = erf(sums[0][:, 1] - sums[0][:, 0])
            return np.column_stack([1 - balance, 1 + balance]) / 2
        if self.voting in ("scores", "product"):
            scores = sums[0] if self.voting == "product" else np.stack(sums, axis=1)
            return softmax(scores)
        return np.asarray(sums[0] / (n_members if weights is None else weights.sum()))

    def decisions(self, X: Any) -> Iterator[Floats]:
        """Yield the decisions after each round: numbers of the rows, or of rows and more than two classes.

        Of two classes the second is predicted where the number is above 0. With "hard" they are
        scikit-learn's: the members' mean weight for a class less their mean weight for each other, twice that
        of two classes. Otherwise they are the scores that probabilities are computed from.

        >>> import bough
        >>> X, y = [[1.0], [2.0], [3.0], [4.0]], ["a", "b", "a", "b"]
        >>> model = bough.AdaBoostClassifier(n_estimators=2).fit(X, y).model_
        >>> [numbers.round(2).tolist() for numbers in model.decisions([[3.0], [4.0]])]
        [[2.0, 2.0], [-0.38, 2.0]]
        """
        k = len(self.classes)
        for sums, n_members in self._states(table_for(X, self.schema)):
            scores = np.stack(sums, axis=1) if self.voting == "scores" else sums[0]
            if self.voting == "hard":
                total = n_members if self.weights is None else sum(self.weights[:n_members])
                scores = (k * scores - scores.sum(axis=1, keepdims=True)) / ((k - 1) * total)
            if k == 2:
                yield scores[:, 0] if scores.shape[1] == 1 else scores[:, 1] - scores[:, 0]
            else:
                yield scores

    def _mean(self, X: Any) -> Floats:
        *_, last = self._states(table_for(X, self.schema))
        return self._combined(*last)

    def predict_proba(self, X: Any) -> Floats:
        """Return the probability of each class, combined from the members' as `voting` says.

        >>> import bough
        >>> model = bough.BaggingClassifier(random_state=0).fit([[1.0], [2.0]] * 9, ["a", "b"] * 9).model_
        >>> model.predict_proba([[3.0]])
        array([[0., 1.]])
        """
        if self.task == "regression":
            raise TargetError("predict_proba: this model predicts numbers and has no classes.")
        return self._mean(X)

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Return the most probable class, or the combined number, for each row.

        >>> import bough
        >>> model = bough.BaggingClassifier(random_state=0).fit([[1.0], [2.0]] * 9, ["a", "b"] * 9).model_
        >>> model.predict([[3.0]])
        array(['b'], dtype='<U1')
        """
        return self.answers(self._mean(X))

    def answers(self, combined: Floats) -> npt.NDArray[Any]:
        """Return the most probable classes, or the numbers themselves, given what `staged` yields.

        >>> from bough.example_models import iris_tree
        >>> tree = iris_tree()
        >>> Committee(schema=tree.schema, task=tree.task, classes=tree.classes, target_name=None,
        ...           members=(tree,), columns=((0, 1),)).answers(np.array([[0.2, 0.5, 0.3]]))
        array(['versicolor'], dtype='<U10')
        """
        if self.task == "regression":
            return combined
        return np.asarray(label_array(self.classes)[combined.argmax(axis=1)])

    def importance(self) -> Floats:
        """Return the importance of each column, averaged over the members by their weights.

        It is 0 in members that do not use the column. In a chain it is the sum of the weights of the members
        that read the column itself.

        >>> import bough
        >>> learner = bough.BaggingRegressor(n_estimators=2, bootstrap=False)
        >>> learner.fit([[1.0], [2.0]], [1.0, 2.0]).model_.importance()
        array([0.5])
        """
        if self.voting != "chain":
            return self.averaged([member.importance() for member in self.members])
        total, weights = np.zeros(len(self.schema)), self.weights or (1.0,) * len(self.members)
        for columns, weight in zip(self.columns, weights, strict=True):
            total[[each for each in columns if each < len(total)]] += weight
        return total

    def averaged(self, importances: Sequence[Floats]) -> Floats:
        """Return the mean of the members' importances of their columns, by the weights of the members.

        >>> from bough.example_models import iris_tree
        >>> tree = iris_tree()
        >>> Committee(schema=tree.schema, task=tree.task, classes=tree.classes, target_name=None,
        ...           members=(tree, tree), columns=((0, 1),) * 2, weights=(3.0, 1.0)).averaged(
        ...     [np.array([1.0, 0.0]), np.array([0.0, 1.0])])
        array([0.75, 0.25])
        """
        total, weights = np.zeros(len(self.schema)), self.weights
        for number, columns in enumerate(self.columns):
            total[[*columns]] += importances[number] * (1 if weights is None else weights[number])
        return total / (len(self.members) if weights is None else sum(weights))

    def document(self) -> Document:
        """Return the model as a document, without format and version.

        >>> import bough
        >>> model = bough.BaggingRegressor(n_estimators=2).fit([[1.0], [2.0]], [1.0, 2.0]).model_
        >>> model.document()["columns"]
        [[0], [0]]
        """
        weights = {} if self.weights is None else {"weights": list(self.weights)}
        return (
            head_of(self)
            | weights
            | {
                "voting": self.voting,
                "columns": [list(columns) for columns in self.columns],
                "members": documents_of(self.members),
            }
        )


def class_shares(member: Any, table: Table, classes: tuple[Level, ...]) -> Floats:
    """Return the class probabilities of a model in a given order of the classes.

    >>> from bough.example_models import tennis_rules
    >>> rules = tennis_rules()
    >>> class_shares(rules, table_for([["Rain", "Mild", "High", "Strong"]], rules.schema), ("Yes", "No"))
    array([[0., 1.]])
    """
    shares: Floats = member.predict_proba(table)
    order = [member.classes.index(label) for label in classes]
    return shares if order == list(range(len(order))) else shares[:, order]


def _weighted_median(numbers: Floats, weights: Floats | None) -> Floats:
    """Return the least number in each row that members of at least half of the weight do not exceed."""
    order = numbers.argsort(axis=1, kind="stable")
    reached = (np.ones(numbers.shape[1]) if weights is None else weights)[order].cumsum(axis=1)
    at = (reached >= reached[:, -1:] / 2).argmax(axis=1)
    rows = np.arange(len(numbers))
    return np.asarray(numbers[rows, order[rows, at]])


def with_output(table: Table, number: int, output: Floats) -> Table:
    """Return a table with the numbers of a member of a chain as one more column.

    >>> with_output(Table.read([[1.0, 2.0]]), 0, np.array([5.0])).schema.names
    ('x0', 'x1', 'member 0')
    """
    schema = Schema((*table.schema.columns, output_column(table.schema, number)))
    return Table(schema, (*table.columns, output), table.n_rows)


def output_column(schema: Schema, number: int) -> Column:
    """Return the column that holds the numbers of a member of a chain; no column of the schema has its name.

    >>> output_column(Schema((Column("member 3", "numeric"),)), 3).name
    '_member 3'
    """
    name = f"member {number}"
    while name in schema.names:
        name = f"_{name}"
    return Column(name, "numeric")


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
    fields = fields_from(document, "the top", names, ("provenance", "weights"))
    head = read_head(fields)
    members = read_members(fields["members"], read)
    voting = cast("Voting", _checked_voting(fields["voting"], head.task, len(head.classes), len(members)))
    columns, schema = fields["columns"], head.schema
    if type(columns) is not list or len(columns) != len(members):
        raise FormatError("columns", "a list for each member is wanted")
    for number, (member, own) in enumerate(zip(members, columns, strict=True)):
        positions = type(own) is list and all(type(each) is int and 0 <= each < len(schema) for each in own)
        if not positions or sorted(set(own)) != own:
            raise FormatError(f"columns[{number}]", "rising positions in the schema are wanted")
        if member.schema != Schema(tuple(schema.columns[each] for each in own)):
            raise FormatError(f"members[{number}].schema", "it does not have the columns of the member")
        if not _fits(member, voting, head.task, head.classes):
            raise FormatError(f"members[{number}]", "its task or classes do not fit the model's")
        if voting == "chain":
            schema = Schema((*schema.columns, output_column(schema, number)))
    return Committee(
        **head._asdict(),
        members=members,
        columns=tuple(tuple(own) for own in columns),
        voting=voting,
        weights=_checked_weights(fields.get("weights"), len(members)),
    )


def _fits(member: Any, voting: Voting, task: Task, classes: tuple[Level, ...]) -> bool:
    """Whether a member of a file has the task and the classes that the voting needs."""
    if voting == "hard" and task == "regression":
        return member.task == "classification" and len(member.classes) == 2
    task, classes = ("regression", ()) if voting == "scores" else (task, classes)
    return bool(member.task == task and set(member.classes) == set(classes))


def _checked_voting(voting: object, task: Task, n_classes: int, n_members: int) -> object:
    allowed = ("soft", "hard", "median", "chain") if task == "regression" else get_args(Voting)[:-2]
    if not isinstance(voting, str) or voting not in allowed:
        raise FormatError("voting", f"{voting!r}; one of {', '.join(map(repr, allowed))} is wanted")
    if voting == "erf" and n_classes != 2:
        raise FormatError("voting", f"'erf' is for two classes; there are {n_classes}")
    if voting == "scores" and n_classes < 2:
        raise FormatError("voting", "'scores' is for two classes or more; there is one")
    if voting == "scores" and n_classes > 2 and n_members % n_classes:
        raise FormatError("members", "as many members for each class are wanted")
    return voting


def _checked_weights(weights: object, n_members: int) -> tuple[float, ...] | None:
    if weights is None:
        return None
    if type(weights) is not list or len(weights) != n_members:
        raise FormatError("weights", "a number for each member is wanted")
    for number, weight in enumerate(weights):
        if not is_finite(weight) or weight <= 0:
            raise FormatError(f"weights[{number}]", f"{weight!r}; a finite number above 0 is wanted")
    return tuple(map(float, weights))
