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
    from bough.ensembles.bagging import BaggingClassifier, BaggingRegressor
    from bough.ensembles.extra_trees import ExtraTreesClassifier, ExtraTreesRegressor
    from bough.ensembles.forest import Forest
    from bough.ensembles.random_forest import RandomForestClassifier, RandomForestRegressor
    from bough.ensembles.subspace import RandomSubspaceClassifier, RandomSubspaceRegressor
    from bough.ensembles.unsupervised import UnsupervisedRandomForest
    from bough.errors import BoughError
    from bough.format import load
    from bough.inspect.candidates import candidates
    from bough.inspect.cut_curve import cut_curve
    from bough.learners.cart import CARTClassifier, CARTRegressor
    from bough.learners.id3 import ID3Classifier
    from bough.learners.tree import TreeClassifier, TreeRegressor
    from bough.limits import Limits
    from bough.recipe import Recipe
    from bough.schema import Column, Schema
    from bough.split import Levels, Threshold
    from bough.table import Table
    from bough.tree import Tree

__version__ = "0.1.0"

__all__ = [
    "BaggingClassifier",
    "BaggingRegressor",
    "BoughError",
    "CARTClassifier",
    "CARTRegressor",
    "Column",
    "ExtraTreesClassifier",
    "ExtraTreesRegressor",
    "Forest",
    "ID3Classifier",
    "Levels",
    "Limits",
    "RandomForestClassifier",
    "RandomForestRegressor",
    "RandomSubspaceClassifier",
    "RandomSubspaceRegressor",
    "Recipe",
    "Schema",
    "Table",
    "Threshold",
    "Tree",
    "TreeClassifier",
    "TreeRegressor",
    "UnsupervisedRandomForest",
    "candidates",
    "cut_curve",
    "errors",
    "load",
]

# A name is loaded when it is first asked for, so that the command line need not wait for scikit-learn.
_HOMES = {
    "BaggingClassifier": "ensembles.bagging",
    "BaggingRegressor": "ensembles.bagging",
    "BoughError": "errors",
    "CARTClassifier": "learners.cart",
    "CARTRegressor": "learners.cart",
    "Column": "schema",
    "ExtraTreesClassifier": "ensembles.extra_trees",
    "ExtraTreesRegressor": "ensembles.extra_trees",
    "Forest": "ensembles.forest",
    "ID3Classifier": "learners.id3",
    "Levels": "split",
    "Limits": "limits",
    "RandomForestClassifier": "ensembles.random_forest",
    "RandomForestRegressor": "ensembles.random_forest",
    "RandomSubspaceClassifier": "ensembles.subspace",
    "RandomSubspaceRegressor": "ensembles.subspace",
    "Recipe": "recipe",
    "Schema": "schema",
    "Table": "table",
    "Threshold": "split",
    "Tree": "tree",
    "TreeClassifier": "learners.tree",
    "TreeRegressor": "learners.tree",
    "UnsupervisedRandomForest": "ensembles.unsupervised",
    "candidates": "inspect.candidates",
    "cut_curve": "inspect.cut_curve",
    "load": "format",
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
