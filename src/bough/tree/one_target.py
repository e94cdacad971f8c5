"""One target of a tree of several: a tree of the same nodes with the statistics of that target."""

from __future__ import annotations

import dataclasses
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from bough.data.schema import Level
from bough.errors import ParameterError, TargetError
from bough.tree.answer import label_array, node_answer, shares
from bough.tree.nodes import Nodes
from bough.tree.structure import read_only
from bough.types import is_whole

_NodesT = TypeVar("_NodesT", bound=Nodes)

# A message names at most so many targets.
_MOST_NAMED = 5


def refuse_several(model: Any, what: str) -> None:
    """Raise `TargetError` if a model predicts several targets, which `what` cannot show or compute.

    >>> from bough.example_models import iris_tree
    >>> refuse_several(iris_tree(), "to_sql")
    """
    targets = getattr(model, "targets", ())
    if not targets:
        return
    names = ", ".join(repr(target.name) for target in targets[:_MOST_NAMED])
    more = f" and {len(targets) - _MOST_NAMED} more" if len(targets) > _MOST_NAMED else ""
    raise TargetError(
        f"{what}: this {model.model_kind} predicts {len(targets)} targets ({names}{more}). "
        f"Take one of them, such as model.target({targets[0].name!r})."
    )


def position_of(model: Any, target: int | str) -> int:
    """Return the position of a target, which is given by position or name.

    >>> from bough import TreeRegressor
    >>> tree = TreeRegressor().fit([[1], [2]], [[1.0, 5.0], [2.0, 6.0]]).tree_
    >>> position_of(tree, "y1"), position_of(tree, -1)
    (1, 1)
    """
    targets = model.targets
    names = [each.name for each in targets] or [model.target_name]
    is_position = is_whole(target)
    if is_position and -len(names) <= int(target) < len(names):
        return int(target) % len(names)
    if isinstance(target, str) and target in names:
        return names.index(target)
    listed = ", ".join(map(repr, names[:_MOST_NAMED])) + (", …" if len(names) > _MOST_NAMED else "")
    raise ParameterError.of("target", target, f"a name ({listed}) or a position below {len(names)}")


def statistics_of(model: Any, position: int, statistics: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return the columns of `statistics` that belong to one of several targets.

    >>> from bough import TreeRegressor
    >>> tree = TreeRegressor().fit([[1], [2]], [[1.0, 5.0], [2.0, 6.0]]).tree_
    >>> statistics_of(tree, 1, tree.statistics)
    array([[5.5],
           [5. ],
           [6. ]])
    """
    widths = [max(1, len(target.classes)) for target in model.targets]
    first = sum(widths[:position])
    return np.ascontiguousarray(statistics[:, first : first + widths[position]])


def one_target(tree: _NodesT, target: int | str) -> _NodesT:
    """Return the tree of one target; a tree of a single target is returned as it is.

    >>> from bough import TreeRegressor
    >>> tree = TreeRegressor().fit([[1], [2]], [[1.0, 5.0], [2.0, 6.0]]).tree_
    >>> one_target(tree, "y1").answers()
    array([5.5, 5. , 6. ])
    """
    position = position_of(tree, target)
    if not tree.targets:
        return tree
    made: dict[int, _NodesT] = tree.__dict__.setdefault("_one_target", {})
    if position not in made:
        of = tree.targets[position]
        statistics = statistics_of(tree, position, tree.statistics)
        risk = tree.weight - statistics.max(axis=1) if of.classes else None
        if risk is None and tree.target_risk is not None:
            risk = tree.target_risk[:, position]
        made[position] = dataclasses.replace(
            tree,
            targets=(),
            target_risk=None,
            target_name=of.name,
            classes=of.classes,
            statistics=statistics,
            risk=np.zeros(tree.n_nodes) if risk is None else np.ascontiguousarray(risk),
        )
    return made[position]


def every_target(tree: _NodesT) -> list[_NodesT]:
    """Return the tree of each of its several targets.

    >>> from bough import TreeRegressor
    >>> tree = TreeRegressor().fit([[1], [2]], [[1.0, 5.0], [2.0, 6.0]]).tree_
    >>> [each.target_name for each in every_target(tree)]
    ['y0', 'y1']
    """
    return [one_target(tree, position) for position in range(len(tree.targets))]


def joined_answers(answers: list[npt.NDArray[Any]]) -> npt.NDArray[Any]:
    """Return the answers of several targets as the columns of one array.

    Whole numbers become floats beside floats; if types differ otherwise, the array is one of objects.

    >>> joined_answers([np.array([1, 2]), np.array(["a", "b"])])
    array([[1, 'a'],
           [2, 'b']], dtype=object)
    """
    kinds = {each.dtype.kind for each in answers}
    if len(kinds) == 1 or kinds <= {"i", "f"}:
        return np.stack(answers, axis=1)
    return np.stack([each.astype(object) for each in answers], axis=1)


def answers_by_name(tree: Nodes, node: int) -> dict[str, Level] | None:
    """Return the prediction of a node for each of several targets, by name; None for a single target.

    >>> from bough import TreeRegressor
    >>> tree = TreeRegressor().fit([[1], [2]], [[1.0, 5.0], [2.0, 6.0]]).tree_
    >>> answers_by_name(tree, 1)
    {'y0': 1.0, 'y1': 5.0}
    """
    if not tree.targets:
        return None
    return {str(each.target_name): node_answer(each, node) for each in every_target(tree)}


def all_answers(tree: Nodes) -> npt.NDArray[Any]:
    """Return the predictions of all nodes (nodes × targets).

    >>> from bough import TreeRegressor
    >>> all_answers(TreeRegressor().fit([[1], [2]], [[1.0, 5.0], [2.0, 6.0]]).tree_)[0]
    array([1.5, 5.5])
    """
    if tree.task == "regression":
        return tree.statistics if (tree.weight > 0).all() else tree.statistics[tree.answering]
    found: npt.NDArray[Any] | None = tree.__dict__.get("_all_answers")
    if found is None:
        answers = []
        for position, target in enumerate(tree.targets):
            weights = statistics_of(tree, position, tree.statistics)[tree.answering]
            answers.append(
                label_array(target.classes)[shares(weights, weights[0], tree.smoothing).argmax(axis=1)]
            )
        tree.__dict__["_all_answers"] = found = read_only(joined_answers(answers))
    return found


def label_arrays(model: Any) -> tuple[Any, Any]:
    """Return the class labels as an array and their number; of several targets a list of each.

    >>> from bough.example_models import iris_tree
    >>> label_arrays(iris_tree())
    (array(['setosa', 'versicolor', 'virginica'], dtype='<U10'), 3)
    """
    if not model.targets:
        return label_array(model.classes), len(model.classes)
    labels = [label_array(target.classes) for target in model.targets]
    return labels, [len(each) for each in labels]
