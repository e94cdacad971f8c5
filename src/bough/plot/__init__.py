"""Figures of trees and of their evaluation; every function draws on matplotlib axes and returns them.

>>> import matplotlib
>>> matplotlib.use("agg")
>>> from bough import plot
>>> from bough.example_models import iris_tree
>>> plot.tree(iris_tree()).get_title()
'Classification tree for Species: 3 leaves, depth 2, 150 cases'
>>> matplotlib.pyplot.close("all")
"""

from bough.plot.curves import calibration, gains, lift, roc
from bough.plot.displays import RegionsDisplay, TreeDisplay
from bough.plot.figures import importance, impurity
from bough.plot.regions import regions, surface
from bough.plot.sizes import cp_curve, size_curve
from bough.plot.stability import stability
from bough.plot.tree import tree

__all__ = [
    "RegionsDisplay",
    "TreeDisplay",
    "calibration",
    "cp_curve",
    "gains",
    "importance",
    "impurity",
    "lift",
    "regions",
    "roc",
    "size_curve",
    "stability",
    "surface",
    "tree",
]
