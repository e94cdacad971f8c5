"""Decision trees in their whole breadth, at native speed.

>>> import bough
>>> model = bough.CARTClassifier().fit([["red", 1.0], ["red", 2.0], ["blue", 2.0]], ["no", "yes", "yes"])
>>> model.predict([["red", 0.5]])
array(['no'], dtype='<U3')
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bough import errors
    from bough.errors import BoughError
    from bough.inspect.candidates import candidates
    from bough.inspect.cut_curve import cut_curve
    from bough.learners.c50 import C50Classifier
    from bough.learners.cart import CARTClassifier, CARTRegressor
    from bough.learners.id3 import ID3Classifier
    from bough.learners.tree import TreeClassifier, TreeRegressor
    from bough.limits import Limits
    from bough.recipe import Recipe
    from bough.rules import RuleSet
    from bough.saved import load
    from bough.schema import Column, Schema
    from bough.split import Levels, Threshold
    from bough.table import Table
    from bough.tree import Tree

__version__ = "0.1.0"

__all__ = [
    "BoughError",
    "C50Classifier",
    "CARTClassifier",
    "CARTRegressor",
    "Column",
    "ID3Classifier",
    "Levels",
    "Limits",
    "Recipe",
    "RuleSet",
    "Schema",
    "Table",
    "Threshold",
    "Tree",
    "TreeClassifier",
    "TreeRegressor",
    "candidates",
    "cut_curve",
    "errors",
    "load",
]

# A name is loaded when it is first asked for, so that the command line need not wait for scikit-learn.
_HOMES = {
    "BoughError": "errors",
    "C50Classifier": "learners.c50",
    "CARTClassifier": "learners.cart",
    "CARTRegressor": "learners.cart",
    "Column": "schema",
    "ID3Classifier": "learners.id3",
    "Levels": "split",
    "Limits": "limits",
    "Recipe": "recipe",
    "RuleSet": "rules",
    "Schema": "schema",
    "Table": "table",
    "Threshold": "split",
    "Tree": "tree",
    "TreeClassifier": "learners.tree",
    "TreeRegressor": "learners.tree",
    "candidates": "inspect.candidates",
    "cut_curve": "inspect.cut_curve",
    "load": "saved",
}


def __getattr__(name: str) -> Any:
    if name == "errors":
        return import_module("bough.errors")
    if name not in _HOMES:
        raise AttributeError(f"module 'bough' has no attribute {name!r}")
    value = getattr(import_module(f"bough.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
