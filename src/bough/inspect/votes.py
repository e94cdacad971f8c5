"""How the trees or members of an ensemble answer for one row, in words."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from bough.data.table import Table
from bough.data.words import count_words, figure_words, level_words
from bough.ensembles.forest import Forest
from bough.models.committee import Committee, some_columns, with_output
from bough.models.estimator_tree import EstimatorTree
from bough.models.gradient_boosted import GradientBoosted
from bough.tree import Tree
from bough.types import Floats

Words: TypeAlias = tuple[tuple[str, ...], str, str]
"""The reasons of an answer, the training cases behind it and the costs of answers, as in `Explanation`."""

_MOST_MEMBERS = 3

_DECIDES = {"soft": "mean of the probabilities", "product": "product of the probabilities"}


def of_forest(forest: Forest, table: Table) -> Words:
    """Return how many trees vote for each class, or the range of their numbers.

    >>> from bough import RandomForestClassifier
    >>> X, y = [[1.0], [2.0]] * 9, ["a", "b"] * 9
    >>> forest = RandomForestClassifier(5, random_state=0).fit(X, y).forest_
    >>> of_forest(forest, Table.fit_to([[1.0]], forest.schema))
    (('5 of 5 trees say a',), '', '')
    """
    if forest.task == "regression":
        leaves = forest.leaf[forest.leaf_start[:-1] + forest.leaves(table)[0], 0]
        return (_spread(leaves, "tree"),), "", ""
    votes = forest.tally(table, shares=False, votes=True)["vote"][0]
    said = _tally(forest, forest.classes, votes, "tree")
    return (said + _how(forest, table, forest.classes, votes),), "", ""


def of_sum(model: GradientBoosted, table: Table) -> Words:
    """Return how many trees are added.

    >>> from bough.example_models import boosted_cars
    >>> of_sum(boosted_cars(), Table.fit_to([[2.0, 4.0]], boosted_cars().schema))[0]
    ('the values of 20 trees are added',)
    """
    return (f"the values of {count_words(model.n_trees, 'tree')} are added",), "", ""


def of_estimator_tree(model: EstimatorTree, table: Table) -> Words:
    """Return the conditions of the leaf whose estimator answers.

    >>> import bough
    >>> from sklearn.linear_model import LinearRegression
    >>> X = [[float(i)] for i in range(40)]
    >>> model = bough.ModelTreeRegressor(LinearRegression()).fit(X, [abs(i - 20.0) for i in range(40)]).model_
    >>> of_estimator_tree(model, Table.fit_to([[3.0]], model.schema))[0][-1]
    'LinearRegression of this leaf computes the answer'
    """
    leaf = int(model.tree.answering[model.tree.apply(table)][0])
    says = (f"{model.leaf_name} of this leaf computes the answer",) if leaf in model.estimators else ()
    return (*model.tree.path_of(table), *says), "", ""


def of_committee(model: Committee, table: Table) -> Words:
    """Return how the members vote, and why those with the largest weights do.

    >>> import bough
    >>> X, y = [["red"], ["red"], ["blue"], ["blue"]] * 5, ["yes", "yes", "no", "no"] * 5
    >>> model = bough.BaggingClassifier(bough.ID3Classifier(), n_estimators=3, random_state=0)
    >>> model = model.fit(X, y).model_
    >>> of_committee(model, Table.fit_to([["blue"]], model.schema))[0][:3]
    ('3 of 3 members say no', 'member 1 says no: x0 = blue', 'member 2 says no: x0 = blue')
    """
    answers = _answers(model, table)
    reasons = [_summary(model, table, answers)]
    weights = np.ones(len(answers)) if model.weights is None else np.abs(model.weights)
    if model.voting != "chain":
        heaviest = np.argsort(-weights, kind="stable")[:_MOST_MEMBERS].tolist()
        reasons += [_member_words(model, table, number, answers[number]) for number in heaviest]
    return tuple(reasons), "", ""


def _answers(model: Committee, table: Table) -> list[Any]:
    """Return the answer of each member; members of a chain read those of the members before them."""
    answers = []
    for number, member in enumerate(model.members):
        answers.append(member.predict(some_columns(table, model.columns[number]))[0].item())
        if model.voting == "chain":
            table = with_output(table, number, np.array([answers[-1]], dtype=np.float64))
    return answers


def _summary(model: Committee, table: Table, answers: list[Any]) -> str:
    n_members = len(answers)
    if model.voting == "chain":
        return f"the last of {n_members} members, which read the numbers of those before them, answers"
    if model.voting == "scores":
        return f"the numbers of {count_words(n_members, 'member')} are added"
    if model.members[0].task == "regression":
        which = "weighted median" if model.voting == "median" else "mean"
        return f"{_spread(np.array(answers), 'member')}; the {which} counts"
    classes = model.classes or model.members[0].classes
    said = _tally(model, classes, np.array([answers.count(label) for label in classes]), "member")
    weights = np.ones(n_members) if model.weights is None else np.array(model.weights)
    votes = np.array([weights[[answer == label for answer in answers]].sum() for label in classes])
    if model.weights is not None:
        # The number of a regression is the weight of the second class.
        code = classes.index(model.predict(table)[0].item()) if model.classes else 1
        share = f"{votes[code] / weights.sum():.3f}"
        said = f"{said}; {_label_words(model, classes[code])} has {share} of the weight"
    return said + _how(model, table, classes, votes)


def _how(model: Any, table: Table, classes: tuple[Any, ...], votes: npt.NDArray[Any]) -> str:
    """Return what counts if the answer of a model of classes is not the one that leads the votes alone."""
    cutoff = getattr(model, "cutoff", None)
    if not model.classes or (model.voting not in _DECIDES and cutoff is None):
        return ""
    code = classes.index(model.predict(table)[0].item())
    if (np.delete(votes, code) < votes[code]).all():
        return ""
    decides = _DECIDES.get(model.voting, "number of votes")
    return f"; the {decides}{' divided by the cutoff' if cutoff else ''} counts"


def _member_words(model: Committee, table: Table, number: int, answer: Any) -> str:
    member = model.members[number]
    says = figure_words(answer) if member.task == "regression" else _label_words(model, answer)
    path = member.path_of(some_columns(table, model.columns[number])) if isinstance(member, Tree) else ()
    why = f": {' and '.join(path)}" if path else ""
    weight = "" if model.weights is None else f" (weight {figure_words(model.weights[number], 3)})"
    return f"member {number + 1} says {says}{weight}{why}"


def _label_words(model: Any, label: Any) -> str:
    return level_words(model.schema.class_label(label) if model.classes else label)


def _tally(model: Any, classes: tuple[Any, ...], votes: npt.NDArray[Any], noun: str) -> str:
    """Return the votes for each class, the most frequent first."""
    order = [code for code in np.argsort(-votes, kind="stable").tolist() if votes[code] > 0]
    said: list[str] = []
    for code in order:
        of_all = "" if said else f" of {count_words(int(votes.sum()), noun)}"
        says = "says" if votes[code] == 1 else "say"
        said.append(f"{int(votes[code])}{of_all} {says} {_label_words(model, classes[code])}")
    return ", ".join(said)


def _spread(numbers: Floats, noun: str) -> str:
    low, quarter, three_quarters, high = np.quantile(numbers, [0.0, 0.25, 0.75, 1.0]).tolist()
    words = [figure_words(each, 4) for each in (low, high, quarter, three_quarters)]
    if len(numbers) == 1:
        return f"1 {noun} says {words[0]}"
    most, half = " to ".join(words[:2]), " to ".join(words[2:])
    return f"{len(numbers)} {noun}s say from {most}, half of them from {half}"
