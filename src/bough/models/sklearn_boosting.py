"""The trees of a boosted sum as objects of scikit-learn's histogram gradient boosting."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from bough.data.schema import Schema
from bough.models.gradient_boosted import GradientBoosted

_WORDS, _BITS = 8, 32  # a set of categories is 8 numbers of 32 bits


def predictors(model: GradientBoosted) -> list[list[Any]]:
    """Return the trees as scikit-learn's `TreePredictor`, a list for each round.

    >>> from bough.example_models import boosted_cars
    >>> trees = predictors(boosted_cars())
    >>> len(trees), trees[0][0].get_n_leaf_nodes()
    (20, 3)
    """
    from sklearn.ensemble._hist_gradient_boosting.predictor import TreePredictor

    nodes = _node_records(model)
    nominal = np.array([column.scale == "nominal" for column in model.schema.columns])
    is_set = (nodes["is_leaf"] == 0) & nominal[nodes["feature_idx"]]
    bounds = model.arrays["tree_start"].tolist()
    trees = []
    for first, last in pairwise(bounds):
        own, sets = nodes[first:last], np.flatnonzero(is_set[first:last])
        own["is_categorical"][sets] = 1
        own["bitset_idx"][sets] = np.arange(len(sets))
        left = [_left_levels(model, first + int(node)) for node in sets]
        bitsets = np.array(left, dtype=np.uint32).reshape(-1, _WORDS)
        trees.append(TreePredictor(own, bitsets, bitsets))
    n_scores = model.n_scores
    return [trees[start : start + n_scores] for start in range(0, len(trees), n_scores)]


def _node_records(model: GradientBoosted) -> npt.NDArray[Any]:
    """Return the nodes of all trees with scikit-learn's fields; categories are filled in later."""
    from sklearn.ensemble._hist_gradient_boosting.common import PREDICTOR_RECORD_DTYPE

    arrays = model.arrays
    nodes = np.zeros(len(arrays["value"]), dtype=PREDICTOR_RECORD_DTYPE)
    is_leaf = arrays["first_child"] < 0
    nodes["value"], nodes["count"], nodes["is_leaf"] = arrays["value"], arrays["cases"], is_leaf
    nodes["depth"] = _depths(model)
    nodes["feature_idx"] = np.where(is_leaf, 0, arrays["column"])
    nodes["gain"] = np.where(is_leaf, -1, arrays["gain"] * arrays["weight"])
    # A value goes left if it is below the cut; in scikit-learn, if it is at most the threshold.
    nodes["num_threshold"] = np.where(is_leaf, 0, np.nextafter(arrays["cut"], -np.inf))
    nodes["missing_go_to_left"] = ~is_leaf & (arrays["default_branch"] == 0)
    nodes["left"] = np.where(is_leaf, 0, arrays["first_child"])
    nodes["right"] = np.where(is_leaf, 0, arrays["first_child"] + 1)
    # No value is below −∞: with the branches exchanged, all of them go left.
    none_left = ~is_leaf & (arrays["cut"] == -np.inf)
    nodes["num_threshold"][none_left] = np.inf
    nodes["missing_go_to_left"][none_left] ^= 1
    nodes["left"][none_left] += 1
    nodes["right"][none_left] -= 1
    return nodes


def _depths(model: GradientBoosted) -> npt.NDArray[np.int64]:
    """Return the depth of each node; a root has depth 0."""
    starts = model.arrays["tree_start"]
    parent = model.arrays["parent"] + np.repeat(starts[:-1], np.diff(starts))
    parent[starts[:-1]] = -1
    depths = np.zeros(len(parent), dtype=np.int64)
    above = parent
    while (inner := above >= 0).any():
        depths += inner
        above = np.where(inner, parent[above], -1)
    return depths


def _left_levels(model: GradientBoosted, node: int) -> list[int]:
    """Return the levels of a column that a node sends to its left child, as a set of bits."""
    arrays = model.arrays
    levels = model.schema[int(arrays["column"][node])].levels
    listed = slice(*arrays["level_start"][node : node + 2])
    branch = np.full(len(levels), arrays["default_branch"][node])
    branch[arrays["level_code"][listed]] = arrays["level_branch"][listed]
    words = [0] * _WORDS
    for code in np.flatnonzero(branch == 0):
        value = int(levels[code])
        words[value // _BITS] |= 1 << value % _BITS
    return words


def bin_mapper(schema: Schema, max_bins: int) -> Any:
    """Return scikit-learn's object that knows the categories of each column.

    The thresholds of numeric columns, which predictions do not need, are left out.

    >>> from bough.example_models import boosted_cars
    >>> bin_mapper(boosted_cars().schema, 255).is_categorical_
    array([0, 0], dtype=uint8)
    """
    from sklearn.ensemble._hist_gradient_boosting.binning import _BinMapper

    made = _BinMapper(n_bins=max_bins + 1)
    made.is_categorical_ = np.array([column.scale == "nominal" for column in schema.columns], dtype=np.uint8)
    made.bin_thresholds_ = [np.array([*map(float, column.levels)]) for column in schema.columns]
    made.n_bins_non_missing_ = np.array([len(column.levels) for column in schema.columns], dtype=np.uint32)
    made.missing_values_bin_idx_ = max_bins
    return made
