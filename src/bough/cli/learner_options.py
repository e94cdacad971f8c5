"""Options of `bough learn` that are parameters of learners."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Annotated, Any, TypeAlias

import typer

from bough.cli.options import Jobs, LossMatrix, matrix_of, repeated

Prune: TypeAlias = Annotated[
    str | None,
    typer.Option(
        help="none, reduced_error, pessimistic, error_based or mdl; cart also has one_se, minimum and cp."
    ),
]
Missing: TypeAlias = Annotated[
    str | None,
    typer.Option(
        help="How rows with a missing value are routed, such as learned or majority; refuse is an error."
    ),
]
Combinations: TypeAlias = Annotated[
    list[str] | None,
    repeated("--combinations", "KIND", "Split on several columns: ratio, bivariate or linear"),
]


def _number(meaning: str) -> Any:
    return typer.Option(help=meaning)


@dataclass(frozen=True)
class LearnerOptions:
    """Parameters that many learners have; the others are given by --set."""

    criterion: Annotated[
        str | None, typer.Option(help="The splitting criterion, such as gini or entropy.")
    ] = None
    max_depth: Annotated[int | None, _number("The most splits on a path.")] = None
    max_leaf_nodes: Annotated[int | None, _number("The most leaves; the best splits come first.")] = None
    min_samples_split: Annotated[int | None, _number("The fewest cases of a node that is split.")] = None
    min_samples_leaf: Annotated[int | None, _number("The fewest cases of a leaf.")] = None
    min_samples_branch: Annotated[
        int | None, _number("The fewest cases of two branches of a split; Quinlan's -m.")
    ] = None
    min_impurity_decrease: Annotated[float | None, _number("The least decrease of impurity by a split.")] = (
        None
    )
    prune: Prune = None
    combinations: Combinations = None
    loss_matrix: LossMatrix = None
    missing: Missing = None
    jobs: Jobs = None

    def parameters(self) -> dict[str, Any]:
        """Return the parameters that are given, by their names in the library.

        >>> LearnerOptions(max_depth=3, loss_matrix="0,1;5,0", jobs=2).parameters()
        {'max_depth': 3, 'loss_matrix': [[0.0, 1.0], [5.0, 0.0]], 'n_jobs': 2}
        """
        read: dict[str, Callable[[Any], Any]] = {"combinations": tuple, "loss_matrix": matrix_of}
        given = {each.name: getattr(self, each.name) for each in fields(self)}
        return {
            "n_jobs" if name == "jobs" else name: read[name](value) if name in read else value
            for name, value in given.items()
            if value is not None and value != []
        }
