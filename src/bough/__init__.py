"""Decision trees in their whole breadth, at native speed.

>>> import bough
>>> model = bough.CARTClassifier().fit([["red", 1.0], ["red", 2.0], ["blue", 2.0]], ["no", "yes", "yes"])
>>> model.predict([["red", 0.5]])
array(['no'], dtype='<U3')
"""

from bough import errors
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
    "BoughError",
    "CARTClassifier",
    "CARTRegressor",
    "Column",
    "ID3Classifier",
    "Levels",
    "Limits",
    "Recipe",
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
