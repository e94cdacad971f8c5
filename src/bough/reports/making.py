"""How a model was made, as a table of words: the learner, its settings, rows, date, versions and source."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from bough.data.words import figure_words, name_words
from bough.models.model import completed
from bough.reports.shown import shortened
from bough.tree import Tree

_LONGEST = 200
_MOST_ENTRIES = 12
# Entries of the recipe that other rows show, or that only programs read.
_LEFT_OUT = ("task", "folds", "scales")
_MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)


def making_words(model: Any, estimator: Any = None) -> list[list[str]]:
    """Return how a model was made, as pairs of text; `estimator` is the learner that made it, if it is known.

    >>> import bough
    >>> learner = bough.TreeClassifier(max_depth=1).fit([[1.0], [2.0]], ["a", "b"])
    >>> making_words(learner.tree_, learner)[:3]
    [['Learner', 'TreeClassifier'], ['Settings', 'max_depth = 1; all others are the defaults'],
     ['Training cases', '2']]
    """
    made = completed(model.provenance)
    rows = [list(each) for each in _learner_words(made, estimator)]
    if (cases := _cases(model)) is not None:
        rows.append(["Training cases", figure_words(cases)])
    elif isinstance(n_rows := made.get("rows"), int):
        rows.append(["Training rows", figure_words(n_rows)])
    rows.append(["Columns", figure_words(len(model.schema))])
    if unused := made.get("unused_columns"):
        rows.append(["Columns left out", shortened(", ".join(map(name_words, unused)), _LONGEST)])
    if (seed := _seed(model, estimator)) is not None:
        rows.append(["Seed", str(seed)])
    rows.append(["Model saved" if "date" in model.provenance else "Page made", date_words(str(made["date"]))])
    rows.append(["Versions", ", ".join(f"{name} {version}" for name, version in made["versions"].items())])
    if source := made.get("source"):
        rows.append(["Source", shortened(str(source), _LONGEST)])
    return rows


def _learner_words(made: Mapping[str, Any], estimator: Any) -> Iterable[tuple[str, str]]:
    """Yield the learner and its settings: those of the estimator, or those that a saved model has kept."""
    if estimator is not None and hasattr(estimator, "get_params"):
        made = {"learner": type(estimator).__name__, "settings": settings_words(estimator)}
    for name in ("learner", "settings"):
        if isinstance(words := made.get(name), str):
            yield name.capitalize(), shortened(words, 2 * _LONGEST)


def _seed(model: Any, estimator: Any) -> Any:
    seed = model.recipe.get("seed")
    return getattr(estimator, "random_state", None) if seed is None else seed


def date_words(date: str) -> str:
    """Return a date and time of a file in words; what is not such a date as it is.

    >>> date_words("2026-11-07T02:47:46Z"), date_words("once")
    ('7 November 2026, 02:47 UTC', 'once')
    """
    try:
        found = datetime.strptime(date, "%Y-%m-%dT%H:%M:%SZ")
    except ValueError:
        return shortened(date, _LONGEST)
    return f"{found.day} {_MONTHS[found.month - 1]} {found.year}, {found:%H:%M} UTC"


def optimality_words(tree: Tree) -> list[list[str]]:
    """Return what a search has proved about a tree, if it has not been pruned since.

    >>> from bough import OptimalTreeClassifier
    >>> optimality_words(OptimalTreeClassifier(max_depth=1).fit([[1.0], [2.0]], ["a", "b"]).tree_)
    [['Optimality', 'objective 0, proved optimal']]
    """
    found = tree.provenance.get("optimality")
    if found is None or "steps" in tree.recipe.get("prune", {}):
        return []
    objective, lower = found["objective"], found["lower_bound"]
    gap = figure_words(objective - lower, 3)
    bounds = f"at least {figure_words(lower)} for any such tree, gap {gap}"
    state = "proved optimal" if found["proved"] else bounds
    return [["Optimality", f"objective {figure_words(objective)}, {state}"]]


def recipe_words(recipe: Mapping[str, Any]) -> list[list[str]]:
    """Return the entries of a recipe as pairs of text, those of its parts with the name of the part.

    >>> recipe_words({"criterion": "gini", "limits": {"max_depth": 3}, "prune": {"steps": [{"by": "hand"}]}})
    [['criterion', 'gini'], ['limits: max_depth', '3'], ['prune: steps', 'by hand']]
    """
    return [[name, shortened(words, _LONGEST)] for name, words in _entries(recipe) if words]


def _entries(recipe: Mapping[str, Any], prefix: str = "") -> Iterable[tuple[str, str]]:
    for name, value in recipe.items():
        if name in _LEFT_OUT or value is None:
            continue
        if isinstance(value, Mapping):
            yield from _entries(value, f"{prefix}{name}: ")
        else:
            yield f"{prefix}{name}", _words(value)


def _words(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Mapping):
        return " ".join(f"{name} {_words(each)}" for name, each in value.items() if each is not None)
    if isinstance(value, list | tuple):
        if len(value) > _MOST_ENTRIES or (
            value and isinstance(value[0], Mapping) and "criterion" in value[0]
        ):
            return f"{len(value)} entries"
        is_matrix = any(isinstance(each, list | tuple) for each in value)
        return ("; " if is_matrix else ", ").join(map(_words, value))
    return figure_words(value) if isinstance(value, float) else str(value)


def settings_words(estimator: Any) -> str:
    """Return the settings of an estimator that differ from the defaults, in words.

    >>> import bough
    >>> settings_words(bough.CARTClassifier(loss_matrix={("ill", "well"): 5}, max_depth=3))
    'loss_matrix = 5 for ill taken for well, max_depth = 3; all others are the defaults'
    """
    defaults = type(estimator)().get_params(deep=False)
    changed = {
        name: value
        for name, value in estimator.get_params(deep=False).items()
        if not _same(value, defaults[name])
    }
    if not changed:
        return "all are the defaults"
    listed = ", ".join(f"{name_words(name)} = {_setting(value)}" for name, value in changed.items())
    return f"{listed}; all others are the defaults"


def _same(value: Any, default: Any) -> bool:
    return value is default or (type(value) is type(default) and repr(value) == repr(default))


def _setting(value: Any) -> str:
    if callable(value):
        return getattr(value, "__name__", type(value).__name__)
    if isinstance(value, Mapping):
        return " and ".join(f"{_words(each)} for {_key(key)}" for key, each in value.items())
    return shortened(
        _words(value) if isinstance(value, bool | float | list | tuple) else str(value), _LONGEST
    )


def _key(key: Any) -> str:
    """Return a key of a setting: a class, a column, or a true and an answered class."""
    return " taken for ".join(map(_words, key)) if isinstance(key, tuple) and len(key) == 2 else _words(key)


def _cases(model: Any) -> float | None:
    if model.model_kind == "tree":
        return float(model.cases[0])
    return float(model.cases) if model.model_kind in ("rules", "linear_rules") else None
