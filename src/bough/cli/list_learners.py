"""`bough learners`: list the learners, or the parameters of one of them."""

from __future__ import annotations

import json
import shutil
import textwrap
from typing import Annotated, Any

import typer

from bough.cli.learners import RANKERS, SURVIVAL, TASKS, Learner, estimator_of
from bough.cli.options import AsJson
from bough.cli.output import write, write_json


def learners(
    learner: Annotated[
        Learner | None, typer.Argument(metavar="[LEARNER]", help="Describe this one.", show_default=False)
    ] = None,
    as_json: AsJson = False,
) -> None:
    """List the learners, a line for each, or the parameters of one of them.

    Example: bough learners forest
    """
    if learner is None:
        described = {each.value: _described(each) for each in Learner}
        write_json(described) if as_json else write(_listed(described))
        return
    parameters = {task: _parameters(learner, task) for task in _tasks(learner)}
    if as_json:
        write_json({**_described(learner), "parameters": parameters})
    else:
        write(_detailed(learner, parameters))


def _tasks(learner: Learner) -> list[Any]:
    return [task for task in TASKS if estimator_of(learner, task) is not None]


def _described(learner: Learner) -> dict[str, Any]:
    from bough.cli.settings import summary_of

    tasks = _tasks(learner)
    kinds = [type(estimator_of(learner, task)) for task in tasks]
    return {
        "tasks": tasks,
        "what": learner.summary,
        "survival": SURVIVAL.get(learner),
        "classes": [kind.__name__ for kind in kinds],
        "summary": summary_of(kinds[0]),
    }


def _listed(described: dict[str, dict[str, Any]]) -> str:
    predicts = {name: _predicted(Learner(name), each) for name, each in described.items()}
    width, wide = max(map(len, described)), max(map(len, predicts.values()))
    lines = [f"{'learner':<{width}}  {'predicts':<{wide}}  what it is"]
    for name, each in described.items():
        lines.append(f"{name:<{width}}  {predicts[name]:<{wide}}  {each['what']}")
    lines += [
        "",
        "Times: --target is a time, and --event says whether the event happened.",
        "`bough learners NAME` lists the parameters; `bough learn --learner NAME --set …` gives them.",
    ]
    return "\n".join(lines)


def _predicted(learner: Learner, described: dict[str, Any]) -> str:
    if learner in RANKERS:
        return "ranks"
    words = {"classification": "classes", "regression": "numbers"}
    found = [words[task] for task in described["tasks"]]
    return ", ".join([*found, "times"] if described["survival"] else found)


def _parameters(learner: Learner, task: Any) -> dict[str, dict[str, Any]]:
    from bough.cli.settings import parameters_of

    return {
        each.name: {"default": _plain(each.default), "meaning": each.meaning}
        for each in parameters_of(estimator_of(learner, task))
    }


def _plain(value: Any) -> Any:
    return value if isinstance(value, int | float | str | bool | None) else repr(value)


def _detailed(learner: Learner, parameters: dict[Any, dict[str, dict[str, Any]]]) -> str:
    about = _described(learner)
    width = max(60, shutil.get_terminal_size().columns)
    lines = [textwrap.fill(f"{learner.value} ({', '.join(about['classes'])}): {about['summary']}", width), ""]
    merged = {name: each for own in reversed(parameters.values()) for name, each in own.items()}
    for name, each in merged.items():
        only = [task for task, own in parameters.items() if name in own]
        note = f" ({only[0]} only)" if len(only) < len(parameters) else ""
        default = each["default"]
        words = default if isinstance(default, str) else json.dumps(default).replace("null", "none")
        lines.append(f"{name}={words}{note}")
        lines += textwrap.wrap(each["meaning"], width, initial_indent="    ", subsequent_indent="    ")
    return "\n".join(lines)
