"""Small trees built by hand, each with something the sample trees do not have."""

import math

import numpy as np

from bough.data.formula import Linear, Ratio
from bough.data.schema import Column, Schema
from bough.tree import Tree
from bough.tree.alternatives import Spare, SpareSplits
from bough.tree.split import Levels, Threshold

SHOP = Schema(
    (
        Column("referrer", "nominal", ("s", "a", "o")),
        Column("num.visits", "ordinal", ("once", "several", "many")),
        Column("duration", "numeric"),
    )
)


def shop_tree() -> Tree:
    """One level against the rest, an ordinal threshold below it, then the same nominal column again."""
    return Tree.from_splits(
        [
            Levels(0, "one_vs_rest", (0, 1, 2), (0, 1, 1), 2),
            None,
            Threshold(1, 0.5),
            Levels(0, "one_vs_rest", (1, 2), (0, 1), 2),
            Threshold(1, 1.5),
            *[None] * 4,
        ],
        schema=SHOP,
        task="classification",
        classes=(False, True),
        target_name="buyer",
        criterion="misclassification",
        default_branch=[1, -1, 0, -1, 0, -1, -1, -1, -1],
        rows=[8, 2, 6, 5, 1, 3, 2, 1, 0],
        statistics=[[4, 4], [0, 2], [4, 2], [4, 1], [0, 1], [2, 1], [2, 0], [0, 1], [0, 0]],
        risk=[4, 0, 2, 1, 0, 1, 0, 0, 0],
        gain=[2, math.nan, 1, 0, 0] + [math.nan] * 4,
    )


def visits_tree() -> Tree:
    """All that a tree may have beyond version 1: surrogates, competitors, class scales and losses."""
    levels = Levels(0, "subset", (0, 1, 2), (0, 1, 1), 2)
    surrogates = [
        [
            Spare(Threshold(1, 1.5), True, 0.75, 0.5, 2.0),
            Spare(Threshold(2, -math.inf), False, 0.7, 0.4, 0.0),
        ],
        [],
        [Spare(levels, False, 0.8, 0.25, 1.0)],
        *[[]] * 2,
    ]
    competitors = [[Spare(levels, False, 1.25, 0.0, 8.0)], *[[]] * 4]
    return Tree.from_splits(
        [Levels(0, "subset", (0, 2), (0, 1), 2), None, Threshold(2, 7.5), None, None],
        schema=SHOP,
        task="classification",
        classes=("no", "yes"),
        target_name="buyer",
        criterion="gini",
        recipe={"learner": "hand"},
        default_branch=[1, -1, -1, -1, -1],
        rows=[8, 3, 5, 3, 1],
        statistics=[[4, 4], [0, 3], [4, 1], [3, 0], [0, 1]],
        risk=[4, 0, 2.5, 0, 0],
        gain=[1.5, math.nan, 0.5, math.nan, math.nan],
        surrogates=SpareSplits.of_nodes(surrogates),
        competitors=SpareSplits.of_nodes(competitors),
        follows_surrogates=False,
        class_scale=np.array([1.0, 2.5]),
        loss=np.array([[0.0, 1.0], [3.0, 0.0]]),
    )


def weekday_tree() -> Tree:
    """A regression tree with a chain of empty nodes below a complete split, and infinite cuts."""
    return Tree.from_splits(
        [
            Levels(0, "complete", (0, 1, 3), (0, 1, 2), 3),
            Threshold(1, math.inf),
            None,
            Levels(0, "subset", (0, 1, 2, 3), (0, 0, 1, 1), 2),
            Threshold(1, -math.inf),
            None,
            Threshold(1, 0.15000000000000002),
            *[None] * 5,
        ],
        schema=Schema((Column("day", "nominal", (1, 2, 3, 4)), Column("rain", "numeric"))),
        task="regression",
        classes=(),
        target_name=None,
        criterion="absolute_error",
        recipe={"learner": "hand", "limits": {"max_depth": 3}},
        default_branch=[2, 0, -1, -1, 1, -1, -1, -1, -1, -1, -1, -1],
        rows=[6, 4, 2, 0, 3, 1, 0, 0, 0, 3, 0, 0],
        statistics=np.array([[2.0, 1.5, 7.0, np.nan, 1.0, 9.0, *[np.nan] * 3, 1.0, np.nan, np.nan]]).T,
        risk=[12, 8, 1, 0, 0.75, 0, 0, 0, 0, 0.75, 0, 0],
    )


def formula_tree() -> Tree:
    """A line in two columns, and below it a ratio of two."""
    return Tree.from_splits(
        [Threshold(3, 3.54), None, Threshold(2, 0.367), None, None],
        schema=Schema((Column("Petal.Length", "numeric"), Column("Petal.Width", "numeric"))),
        formulas=(Ratio(1, 0), Linear((0, 1), (0.41, 1.0))),
        task="classification",
        classes=("versicolor", "virginica"),
        target_name="Species",
        criterion="gini",
        default_branch=[1, -1, 0, -1, -1],
        rows=[100, 47, 53, 22, 31],
        statistics=[[50, 50], [47, 0], [3, 50], [3, 19], [0, 31]],
        risk=[50, 0, 3, 3, 0],
    )
