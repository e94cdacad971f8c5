"""Replacing scikit-learn's classes by those of this package, in every module that has imported them."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import Any

from bough.errors import ParameterError

HOMES = {
    "DecisionTreeClassifier": ("bough.sklearn.trees", "sklearn.tree"),
    "DecisionTreeRegressor": ("bough.sklearn.trees", "sklearn.tree"),
    "ExtraTreeClassifier": ("bough.sklearn.trees", "sklearn.tree"),
    "ExtraTreeRegressor": ("bough.sklearn.trees", "sklearn.tree"),
    "RandomForestClassifier": ("bough.sklearn.forests", "sklearn.ensemble"),
    "RandomForestRegressor": ("bough.sklearn.forests", "sklearn.ensemble"),
    "ExtraTreesClassifier": ("bough.sklearn.forests", "sklearn.ensemble"),
    "ExtraTreesRegressor": ("bough.sklearn.forests", "sklearn.ensemble"),
    "RandomTreesEmbedding": ("bough.sklearn.forests", "sklearn.ensemble"),
    "BaggingClassifier": ("bough.sklearn.bagging", "sklearn.ensemble"),
    "BaggingRegressor": ("bough.sklearn.bagging", "sklearn.ensemble"),
    "IsolationForest": ("bough.sklearn.bagging", "sklearn.ensemble"),
    "AdaBoostClassifier": ("bough.sklearn.weight_boosting", "sklearn.ensemble"),
    "AdaBoostRegressor": ("bough.sklearn.weight_boosting", "sklearn.ensemble"),
    "HistGradientBoostingClassifier": ("bough.sklearn.hist_boosting", "sklearn.ensemble"),
    "HistGradientBoostingRegressor": ("bough.sklearn.hist_boosting", "sklearn.ensemble"),
}
"""The modules of the two classes of each name: of this package, and of scikit-learn."""

_KEPT = (
    "bough.",
    "sklearn.tree._classes",
    "sklearn.ensemble._forest",
    "sklearn.ensemble._bagging",
    "sklearn.ensemble._iforest",
    "sklearn.ensemble._weight_boosting",
    "sklearn.ensemble._hist_gradient_boosting.gradient_boosting",
)
_originals: dict[str, Any] = {}


def patch(*names: str) -> None:
    """Replace scikit-learn's classes by those of this package; without names, all of them.

    Modules that have imported a class already get the replacement too. Objects that exist do not change.

    >>> import sklearn.tree
    >>> patch("DecisionTreeClassifier")
    >>> sklearn.tree.DecisionTreeClassifier.__module__
    'bough.sklearn.trees'
    >>> unpatch()
    """
    for name in names:
        if name not in HOMES:
            raise ParameterError.of("names", name, f"among {', '.join(map(repr, HOMES))}")
    for name in names or HOMES:
        ours, theirs = HOMES[name]
        if name not in _originals:
            _originals[name] = getattr(import_module(theirs), name)
            _replace_everywhere(_originals[name], getattr(import_module(ours), name))


def unpatch(*names: str) -> None:
    """Undo `patch`; without names, for all classes.

    >>> unpatch()
    """
    for name in names or tuple(_originals):
        if name in _originals:
            ours = getattr(import_module(HOMES[name][0]), name)
            _replace_everywhere(ours, _originals.pop(name))


def _replace_everywhere(old: Any, new: Any) -> None:
    for module_name, module in list(sys.modules.items()):
        if module is None or module_name.startswith(_KEPT):
            continue
        for attribute, value in list(vars(module).items()):
            if value is old:
                setattr(module, attribute, new)
