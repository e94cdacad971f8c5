"""Parameters of a learner on the command line: `--set NAME=VALUE`, and how they are described."""

from __future__ import annotations

import difflib
import inspect
import json
import re
from collections.abc import Iterable
from typing import Any, NamedTuple

from bough.errors import ParameterError
from bough.learners.documentation import entries_of

_WORDS = {"none": None, "true": True, "false": False}

_DECIMAL = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")


class Parameter(NamedTuple):
    """A parameter of a learner: its name, its default value and what it means."""

    name: str
    default: Any
    meaning: str


def settings_of(given: Iterable[str]) -> dict[str, Any]:
    """Return the parameters that `--set NAME=VALUE` gives, each time it is used.

    A value is a number, true, false, none, a list or an object in JSON, or else text.

    >>> settings_of(["n_estimators=10", "max_features=0.5", "rules=true", "criterion=gini", "cv=none"])
    {'n_estimators': 10, 'max_features': 0.5, 'rules': True, 'criterion': 'gini', 'cv': None}
    >>> settings_of(["confidence=.3", "learning_rate=1.", "row_key=1_0"])
    {'confidence': 0.3, 'learning_rate': 1.0, 'row_key': '1_0'}
    >>> settings_of(["trials"])
    Traceback (most recent call last):
    bough.errors.ParameterError: --set is 'trials'; it must be a parameter and its value, such as max_depth=3.
    """
    settings: dict[str, Any] = {}
    for each in given:
        name, equals, text = each.partition("=")
        name = name.strip().replace("-", "_")
        if not equals or not name or not text.strip():
            raise ParameterError.of("--set", each, "a parameter and its value, such as max_depth=3")
        if name in settings:
            raise ParameterError(f"--set gives {name} twice; leave one of them out.")
        settings[name] = _value(text.strip())
    return settings


def _value(text: str) -> Any:
    if text.lower() in _WORDS:
        return _WORDS[text.lower()]
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        pass
    if re.fullmatch(r"[+-]?\d+", text):
        return int(text)
    # JSON has neither .3 nor 3.
    return float(text) if _DECIMAL.fullmatch(text) else text


def check_parameters(learner: str, estimator: Any, names: Iterable[str]) -> None:
    """Raise if a learner does not have one of the parameters; the error names a similar one.

    >>> from bough import CARTClassifier
    >>> check_parameters("cart", CARTClassifier(), ["max_dept"])
    Traceback (most recent call last):
    bough.errors.ParameterError: --set max_dept: --learner cart has no such parameter; did you mean max_depth?
    `bough learners cart` lists them.
    """
    known = estimator.get_params(deep=False)
    for name in names:
        if name not in known:
            close = difflib.get_close_matches(name, known, n=1)
            hint = f"; did you mean {close[0]}?" if close else "."
            raise ParameterError(
                f"--set {name}: --learner {learner} has no such parameter{hint} "
                f"`bough learners {learner}` lists them."
            )


# Names that the original programs give to parameters.
_ORIGINAL_NAMES = {
    "c50": {"trials": "n_estimators", "minCases": "min_samples_branch", "CF": "confidence"},
    "forest": {"ntree": "n_estimators", "num.trees": "n_estimators", "mtry": "max_features"},
    "cart": {"minsplit": "min_samples_split", "minbucket": "min_samples_leaf", "maxdepth": "max_depth"},
    "cubist": {"committees": "n_estimators"},
}


def in_own_names(learner: str, settings: dict[str, Any], known: Iterable[str]) -> dict[str, Any]:
    """Return settings by the names of the learner's parameters; names of the original program are replaced.

    >>> in_own_names("c50", {"trials": 10}, ["n_estimators"])
    {'n_estimators': 10}
    """
    names = {name: own for name, own in _ORIGINAL_NAMES.get(learner, {}).items() if own in set(known)}
    replaced = {names.get(name, name): value for name, value in settings.items()}
    if len(replaced) < len(settings):
        twice = next(own for name, own in names.items() if name in settings and own in settings)
        raise ParameterError(f"--set gives {twice} twice, by two names; leave one of them out.")
    return replaced


def parameters_of(estimator: Any) -> list[Parameter]:
    """Return the parameters of an estimator with their default values and the sentences of its docstring.

    >>> from bough import REPTreeClassifier
    >>> [parameter.name for parameter in parameters_of(REPTreeClassifier())][:2]
    ['min_samples_branch', 'max_depth']
    """
    meanings = _meanings(type(estimator))
    return [
        Parameter(name, default, meanings.get(name, "")) for name, default in _in_order(estimator).items()
    ]


def summary_of(kind: type) -> str:
    """Return the first sentence of the docstring of a learner.

    >>> from bough import ID3Classifier
    >>> summary_of(ID3Classifier)
    'ID3 classification tree: one branch for each level of a nominal column.'
    """
    return " ".join((inspect.getdoc(kind) or "").split("\n\n")[0].split())


def _in_order(estimator: Any) -> dict[str, Any]:
    values = estimator.get_params(deep=False)
    listed = [name for name in _meanings(type(estimator)) if name in values]
    return {name: values[name] for name in dict.fromkeys([*listed, *values])}


def _meanings(kind: type) -> dict[str, str]:
    """Return what the docstring of an estimator says of each parameter."""
    return {
        name: " ".join(entry.text.replace("`", "").split())
        for entry in entries_of(inspect.getdoc(kind) or "", "Parameters")
        for name in entry.names
    }
