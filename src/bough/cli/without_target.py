"""Options of `bough learn` that do not go with a learner that has no target, such as isolation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bough.cli.in_database import instead_words, place_words, stays_in_place
from bough.cli.options import MissingTarget, TaskChoice
from bough.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Mapping

    import typer


def check_without_target(context: typer.Context, settings: Mapping[str, Any]) -> None:
    """Raise if an option has no meaning for a learner that has no target."""
    given, learner = context.params, f"--learner {context.params['learner'].value}"
    if given["table_name"] is not None or stays_in_place(given["table"]):
        raise ParameterError(
            f"{learner} does not learn in {place_words(given['table'])}; {instead_words(given['table'])}."
        )
    if given["weights"] is not None:
        raise ParameterError(
            f"{learner} takes no weights; leave --weights out, and add --drop {given['weights']} if the "
            "column says nothing about the rows."
        )
    if given["task"] not in (TaskChoice.auto, TaskChoice.regression):
        raise ParameterError(f"{learner} has no target; leave --task {given['task'].value} out.")
    if given["missing_target"] is not MissingTarget.refuse:
        raise ParameterError(f"{learner} has no target; leave --missing-target out.")
    if _is_given(context, "test_size") and given["test_size"] != 0:
        raise ParameterError(f"{learner} holds no rows out to score it on; leave --test-size out.")
    if _is_given(context, "random_state"):
        raise ParameterError(
            f"--random-state chooses the rows held out, and {learner} holds none out; use "
            f"--set random_state={given['random_state']} for the draws of its trees."
        )
    if settings.get("contamination", "auto") != "auto":
        raise ParameterError(
            f"--set contamination: {learner} saves scores without a threshold, and `bough predict` writes "
            "them; leave it out, and choose the rows of the highest scores."
        )


def _is_given(context: typer.Context, name: str) -> bool:
    source = context.get_parameter_source(name)
    return source is not None and source.name != "DEFAULT"
