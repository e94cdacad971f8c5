"""The native module refuses whatever is wrong with an exception, for it may be called with anything."""

import copy
import functools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import bough
from bough import _core
from bough.tree.leaf_models import LeafModels, LinearModel, Term

N = 24
X = np.linspace(0.0, 1.0, N)
LEVEL = (np.arange(N) % 3).astype(np.int32)
LABEL = ((X > 0.5) ^ (LEVEL == 2)).astype(np.int32)
ORDINAL = (np.arange(N) // 8).astype(np.int32)
COLUMNS = [(X, "numeric", 0), (LEVEL, "nominal", 3), (ORDINAL, "ordinal", 3)]
LEVELS = [0, 3, 3]
ONES = np.ones(N)
Y = X + LEVEL
VALIDATION = (np.arange(N) % 4 == 0).astype(np.uint8)
NONE = np.empty(0)
RECIPE = {
    "criterion": "gini",
    "nominal": "subset",
    "fallback": "heaviest",
    "max_exhaustive": 12,
    "max_depth": 5,
    "max_leaves": 0,
    "min_cases_split": 2.0,
    "min_cases_leaf": 1.0,
    "min_cases_branch": 1.0,
    "min_weight_fraction_leaf": 0.0,
    "min_decrease": 0.0,
    "min_gain": -1.0,
    "purity": 1.0,
    "significance": 1.0,
    "min_variance": 0.0,
    "min_events": 0.0,
    "min_risk": 0.0,
    "min_share": 0.0,
    "surrogates": 2,
    "agreement_of_known": False,
    "surrogates_astray": False,
    "surrogates_decide": True,
    "competitors": 2,
    "price": [],
    "zero_rates": False,
    "prior_events": 0.0,
    "missing": "left_out",
    "drawn_columns": 0,
    "random_splits": False,
    "seed": 0,
    "monotonic": [],
    "split_loss": [],
}
OPTIMAL_TARGET = {
    "n_classes": 2,
    "loss": np.column_stack([LABEL == 1, LABEL == 0]).astype(float).ravel(),
    "weight": None,
    "y": None,
    "cases": ONES,
    "margin": ONES,
}
OPTIMAL_SETTINGS = {
    "max_depth": 2,
    "max_leaves": 4,
    "min_cases": 1.0,
    "split_cost": 0.0,
    "tolerance": 0.5,
    "max_exhaustive": 12,
    "cache_bytes": 2**20,
}
BOOST_SETTINGS = {
    "loss": "log_loss",
    "quantiles": [0.5],
    "power": 1.5,
    "truncation": 0,
    "position_weights": [],
    "n_rounds": 3,
    "first_round": 0,
    "learning_rate": 0.1,
    "row_share": 1.0,
    "top_share": 0.0,
    "drop_rate": 0.0,
    "linear_leaves": True,
    "ridge": 1.0,
    "base_interval": 0,
    "gradient_splits": False,
    "max_leaves_by_round": [],
    "memory": 1.0,
    "columns_by_tree": 1.0,
    "columns_by_level": 1.0,
    "columns_by_node": 1.0,
    "seed": 0,
    "patience": 0,
    "tolerance": 0.0,
    "max_depth": 3,
    "max_leaves": 4,
    "min_samples_leaf": 1.0,
    "min_hessian": 1e-3,
    "min_gain": 0.0,
    "l1": 0.0,
    "l2": 0.0,
    "path_smoothing": 0.0,
    "max_step": 0.0,
    "level_smoothing": 0.0,
    "level_l2": 0.0,
    "level_penalty": 0.0,
    "monotonic": [1, 0, 0],
    "interactions": [],
    "most_on_path": 0,
    "order": "best_first",
}
GRID = (False, 1000.0, 1000.0)
BRANCH = np.array([0, 1, 0, 1], dtype=np.uint8)  # of three levels and of missing
CODED_TREE = {
    "column": np.array([1, -1, -1], dtype=np.int32),
    "first_child": np.array([1, -1, -1], dtype=np.int32),
    "first_branch": np.zeros(3, dtype=np.int64),
    "branch": BRANCH,
    "value": np.array([0.0, 0.5, -0.5]),
}
GBM_SETTINGS = {
    "loss": "squared_error",
    "quantile": 0.5,
    "degrees": 4.0,
    "n_rounds": 3,
    "learning_rate": 0.1,
    "row_share": 1.0,
    "seed": 0,
    "n_splits": 1,
    "min_cases": 2,
    "monotonic": [],
}
ROWS_OF_NODE = np.arange(0, N, 2, dtype=np.uint32)
M5_OPTIONS = {"min_cases": 4.0, "min_deviation": 0.05, "constant": False, "prune": True, "smoothing": 15.0}
LINEAR_OPTIONS = {
    "ridge": 0.1,
    "max_depth": -1,
    "min_cases": 2.0,
    "min_leaf": 1.0,
    "prune": True,
    "n_threads": 1,
}
M5_WEIGHTS = ("values", "y", "weight", "cases")
CUBIST_OPTIONS = {"n_committees": 1, "max_rules": 100, "unbiased": False, "extrapolation": 1.0}
PART_OPTIONS = {"min_cases": 1.0, "binary": False, "prunes": True, "confidence": 0.25, "deviate": 0.69}
CONDITIONAL_OPTIONS = {
    "statistic": "quadratic",
    "split_statistic": "quadratic",
    "bonferroni": True,
    "n_resamples": 0,
    "seed": 0,
    "significance": 0.05,
    "min_statistic": 0.0,
    "min_cases": 1.0,
    "min_share": 0.0,
    "n_tries": 1,
    "max_exhaustive": 12,
    "n_surrogates": 1,
    "criterion": "gini",
    "max_depth": 3,
    "min_cases_split": 2.0,
}
SUM_ARRAYS = (
    *("tree_start", "level_start", "first_child", "column", "default_branch", "level_code", "level_branch"),
    *("kind", "cut", "value", "n_children"),
)
FOREST_RECIPE = {
    "random_splits": False,
    "learn_missing": False,
    "nominal": "subset",
    "max_features": 2,
    "tree_features": 0,
    "balance": False,
    "seek": True,
    "shuffle": False,
    "gainless": False,
    "seeds": [],
    "monotonic": [],
    "max_exhaustive": 12,
    "max_depth": 5,
    "max_leaves": 0,
    "min_cases_split": 2.0,
    "min_cases_leaf": 1.0,
    "min_weight_fraction_leaf": 0.0,
    "min_decrease": 0.0,
}
SAMPLE = {"draw": "with_replacement", "size": [5, 6], "stratum": (np.arange(N) % 2).astype(np.int32)}
LASSO_SETTINGS = {
    "loss": "softmax",
    "n_scores": 3,
    "n_folds": 3,
    "penalties": [],
    "n_penalties": 5,
    "least_share": 0.01,
    "max_terms": 0,
    "tolerance": 1e-6,
    "max_sweeps": 100,
}
C50_SETTINGS = {
    "trials": 2,
    "rules": False,
    "subset": True,
    "bands": 0,
    "winnow": False,
    "global_pruning": True,
    "confidence": 0.25,
    "min_cases": 2.0,
    "fuzzy": False,
    "early_stopping": False,
    "n_threads": 1,
}
TABLE = {"columns": COLUMNS, "n_rows": N}
CLASSES = {"n_classes": 2, "label": LABEL}
CONDITIONAL_TARGET = {
    "label": LABEL,
    "y": None,
    "scores": None,
    "weight": ONES,
    "test_weight": ONES,
    "node_weight": ONES,
    "cases": ONES,
    "weight_exponent": 0,
    "whole_weights": True,
}
TARGET = {
    "label": LABEL,
    "y": None,
    "weight": ONES,
    "own": ONES,
    "cases": ONES,
    "loss": 1 - np.eye(2).ravel(),
}


@functools.cache
def grown() -> dict[str, Any]:
    target = TARGET | {"fold": None, "targets": []}
    return _core.grow(COLUMNS, N, 2, target, RECIPE, 0, 1, None)[0]


@functools.cache
def tree_of_c45() -> dict[str, Any]:
    options = {"min_cases": 2.0, "gain_ratio": True, "subset": False, "binary": False, "collapse": True}
    return _core.grow_c45(COLUMNS, N, 2, LABEL, None, None, None, "c4.5", options, 1, None)


def routed(arrays: dict[str, Any]) -> dict[str, Any]:
    """Return the arrays of a tree that say where rows go."""
    return {name: arrays[name] for name in (*TREE_ARRAYS, "gain")}


TREE_ARRAYS = (
    "first_child",
    "n_children",
    "column",
    "kind",
    "cut",
    "default_branch",
    "level_start",
    "level_code",
    "level_branch",
)


@functools.cache
def c50_tree() -> dict[str, Any]:
    return _core.c50_learn(COLUMNS, LABEL, 2, NONE, NONE, C50_SETTINGS, None)["trees"][0]


@functools.cache
def forest_arrays() -> dict[str, Any]:
    made = _core.grow_forest(
        COLUMNS, N, 2, LABEL, None, None, None, "gini", FOREST_RECIPE, SAMPLE, 1, 0, 3, 1, None
    )
    names = ("nodes", "wide", "column_bits", "leaf", "special", "node_start", "leaf_start", "special_start")
    return {name: made[name] for name in names} | {"n_levels": LEVELS, "n_classes": 2, "n_threads": 1}


@functools.cache
def forest() -> _core.Forest:
    return _core.Forest(**forest_arrays())


def bins() -> _core.BinnedTable:
    return _core.bin_table(COLUMNS, N, None, None, 8, 1, None)


def boosted() -> dict[str, Any]:
    target = {
        "label": LABEL,
        "y": None,
        "weight": ONES,
        "time": None,
        "group": None,
        "validation": VALIDATION,
        "scores": None,
    }
    return {**TABLE, "n_classes": 2, "target": target, "settings": BOOST_SETTINGS, "bins": bins()}


def rows_elsewhere() -> dict[str, Any]:
    """Return the arguments of a partition that holds all rows."""
    target = {"label": LABEL, "y": None, "weight": ONES}
    return {"bins": bins(), "n_classes": 2, "target": target, "settings": BOOST_SETTINGS} | {
        "first_row": 0,
        "unit_weights": False,
        "start": [0.0],
    }


def begun() -> _core.GradientPartition:
    """Return a partition whose first tree has two leaves."""
    rows = _core.GradientPartition(**rows_elsewhere())
    rows.begin_round(0)
    rows.begin_tree(0, 0, GRID)
    rows.part(0, 1, BRANCH)
    return rows


def numbers_begun() -> _core.GradientPartition:
    """Return a partition whose target is a number."""
    given = {"target": {"label": None, "y": Y, "weight": None}, "n_classes": 0}
    settings = BOOST_SETTINGS | {"loss": "absolute_error"}
    rows = _core.GradientPartition(**rows_elsewhere() | given | {"settings": settings})
    rows.begin_round(0)
    rows.begin_tree(0, 0, GRID)
    return rows


class AskedRows:
    """The rows of one partition, as the growth of trees asks them."""

    def __init__(self) -> None:
        self._rows = _core.GradientPartition(**rows_elsewhere())

    def range(self, number: int, which: int) -> Any:
        if number == 0:
            self._rows.restart()
        self._rows.begin_round(number)
        return self._rows.range(which)

    def begin(self, number: int, which: int, grid: Any) -> Any:
        return (*self._rows.begin_tree(number, which, grid), self._rows.histogram(0))

    def part(self, requests: list[Any]) -> Any:
        replies = []
        for leaf, column, counts_left, branch in requests:
            self._rows.part(leaf, column, branch)
            left = 2 * self._rows.n_parted - 1
            replies.append((self._rows.count(left), self._rows.histogram(left + (not counts_left))))
        return replies

    def add(self, which: int, tree: dict[str, Any]) -> None:
        self._rows.add(which, tree)


def m5_problem() -> dict[str, Any]:
    values = np.vstack([Y, np.arange(N, dtype=np.float64)])
    return {"values": values, "y": Y, "weight": ONES, "cases": ONES, "progress": None}


def logistic_problem() -> dict[str, Any]:
    values = np.vstack([Y, np.arange(N, dtype=np.float64)])
    return {"values": values, "code": np.arange(N, dtype=np.int32) % 3, "n_classes": 3, "weight": ONES}


def cubist_problem() -> dict[str, Any]:
    column = np.arange(N, dtype=np.float32)
    return {"columns": [(column, False, -1), (column[::-1].copy(), False, -1)], "y": Y.astype(np.float32)}


def neighbours_problem() -> dict[str, Any]:
    figures = np.ones(2, dtype=np.float32)
    return {
        **cubist_problem(),
        "mean": figures,
        "deviation": figures,
        "predicted": Y.astype(np.float32),
        "n_neighbours": 2,
        "max_distance": 1.0,
        "floor": -10.0,
        "ceiling": 10.0,
    }


def models_of_nodes() -> dict[str, Any]:
    models = LeafModels.of_nodes([None, LinearModel(1.0, (Term(0, 2.0, 0.5),))])
    return dict(models.given())


def sum_of_numbers() -> dict[str, Any]:
    columns = [(X, "numeric", 0)]
    problem = boosted() | {
        "columns": columns,
        "settings": BOOST_SETTINGS | {"monotonic": [0]},
        "bins": _core.bin_table(columns, N, None, None, 8, 1, None),
    }
    trees = _core.boost(**problem, n_threads=1, progress=None)["trees"]
    return {name: trees[name] for name in SUM_ARRAYS}


def sum_arrays() -> dict[str, Any]:
    trees = _core.boost(**boosted(), n_threads=1, progress=None)["trees"]
    return {name: trees[name] for name in SUM_ARRAYS}


def models_of_sum() -> dict[str, Any]:
    models = _core.boost(**boosted(), n_threads=1, progress=None)["models"]
    start = models["start"].copy()
    start[-1] = 1
    term = {"column": np.zeros(1, np.int32), "coefficient": np.ones(1), "substitute": np.ones(1)}
    term |= {"lowest": np.zeros(1), "highest": np.ones(1)}
    return models | {"start": start} | term


def forest_of_numbers() -> _core.Forest:
    learner = bough.RandomForestRegressor(2, random_state=0).fit(X[:, np.newaxis], Y)
    return learner.forest_.native


def members() -> dict[str, Any]:
    n_leaves = int(forest_arrays()["leaf_start"][-1])
    return {
        "start": np.arange(n_leaves + 1),
        "rank": (np.arange(n_leaves) % 2).astype(np.uint32),
        "weight": np.ones(n_leaves, np.float32),
    }


@dataclass(frozen=True)
class Call:
    """A call that is right, and what of it may be changed and still be right."""

    function: Callable[..., Any]
    arguments: dict[str, Any]
    any_length: tuple[str, ...] = ()
    """Arrays that may be shorter or longer."""

    codes: tuple[str, ...] = ()
    """Arrays of codes and indices, in which neither −7 nor a million is right."""

    weights: tuple[str, ...] = ()
    """Arrays in which NaN is not right."""


C45_OPTIONS = {"min_cases": 2.0, "gain_ratio": True, "subset": True, "binary": False, "collapse": True}
REP_OPTIONS = {"min_weight": 2.0, "min_variance": 0.0, "max_depth": -1}
WORK = {"n_threads": 1, "progress": None}
ASKED = {**TABLE, **WORK}
COUNTS = np.array([[3.0, 1.0], [0.0, 2.0], [2.0, 2.0]])
TREE_CODES = tuple(f"tree.{name}" for name in TREE_ARRAYS if name != "cut")
C50_CODES = ("column", "first_child", "n_children", "label", "parent", "test")
WEIGHTS = ("weight", "cases")


def calls_of_growth() -> dict[str, Call]:
    """Trees that are grown by a criterion, and their bins."""
    return {
        "grow": Call(
            _core.grow,
            {
                **TABLE,
                "n_classes": 2,
                "target": TARGET | {"fold": ORDINAL, "targets": []},
                "recipe": RECIPE,
                "n_folds": 3,
            }
            | WORK,
            codes=("columns.1", "columns.2", "target.label", "target.fold"),
            weights=("target.weight", "target.own", "target.cases", "target.loss"),
        ),
        "criteria": Call(_core.criteria, {}),
        "bin_table": Call(
            _core.bin_table,
            {**TABLE, "cases": ONES, "in_rule": np.ones(N, np.uint8), "max_bins": 8, **WORK},
            codes=("columns.1", "columns.2"),
            weights=("cases",),
        ),
        "BinnedTable.codes": Call(bins().codes, {"column": 0}),
        "BinnedTable.extremes": Call(bins().extremes, {"column": 0}),
        "BinnedTable.n_rows": Call(lambda: bins().n_rows, {}),
        "BinnedTable.n_columns": Call(lambda: bins().n_columns, {}),
        "weakest_links": Call(
            _core.weakest_links,
            {"first_child": np.array([1, -1, -1], np.int32), "n_children": np.array([2, 0, 0], np.int32)}
            | {"fall": np.ones(3), "noise": np.zeros(3), "exact": True, "rounding": 1e-9},
            codes=("first_child", "n_children"),
        ),
        "held_out_losses": Call(
            _core.held_out_losses,
            {"parent": np.array([-1, 0, 0], np.int32), "complexity": np.ones(3), "answer": np.zeros(3)}
            | {"end": np.ones(N, np.int32), "truth": LABEL.astype(float), "weight": ONES, "exposure": ONES}
            | {"alphas": [0.0, 1.0], "loss": "classes", "cost": 1 - np.eye(2)},
            codes=("parent", "end"),
            weights=("answer", "truth"),
        ),
        "shuffled_runs": Call(
            _core.shuffled_runs,
            {"random": np.arange(40, dtype=np.uint32), "length": 3, "n_runs": 2},
            any_length=("random",),
        ),
    }


def calls_of_quinlan() -> dict[str, Call]:
    """C4.5, J48, REPTree, SimpleCart and PART."""
    return {
        "grow_c45": Call(
            _core.grow_c45,
            {**TABLE, **CLASSES, "weight": ONES, "cases": ONES, "grown": np.ones(N, np.uint8)}
            | {"variant": "c4.5", "options": C45_OPTIONS}
            | WORK,
            codes=("columns.1", "columns.2", "label"),
            weights=WEIGHTS,
        ),
        "grow_rep": Call(
            _core.grow_rep,
            {**TABLE, **CLASSES, "y": None, "weight": ONES, "cases": ONES, "options": REP_OPTIONS}
            | {"order": np.arange(N, dtype=np.uint32)}
            | WORK,
            any_length=("order",),
            codes=("columns.1", "columns.2", "label", "order"),
            weights=WEIGHTS,
        ),
        "grow_simple_cart": Call(
            _core.grow_simple_cart,
            {**TABLE, **CLASSES, "weight": ONES, "cases": ONES, "order": None, "min_cases": 1.0}
            | {"heuristic": True, **WORK},
            codes=("columns.1", "columns.2", "label"),
            weights=("weight", "cases"),
        ),
        "part_rules": Call(
            _core.part_rules,
            {**TABLE, **CLASSES, "weight": ONES, "cases": ONES, "held_out": np.arange(N, dtype=np.uint8) % 2}
            | {"options": PART_OPTIONS, **WORK},
            codes=("columns.1", "columns.2", "label"),
            weights=("weight", "cases"),
        ),
        "prune_by_errors": Call(
            _core.prune_by_errors,
            {"tree": routed(tree_of_c45()), **TABLE, **CLASSES, "weight": ONES, "cases": ONES}
            | {"estimate": "c4.5", "confidence": 0.25, "deviate": 0.67, "raising": True, "spread": True}
            | {"progress": None},
            codes=("columns.1", "columns.2", "label", *TREE_CODES),
            weights=WEIGHTS,
        ),
        "expected_errors": Call(
            _core.expected_errors,
            {"weight": ONES, "errors": 0 * ONES, "estimate": "j48", "confidence": 0.25, "deviate": 0.67},
        ),
    }


def calls_of_weka() -> dict[str, Call]:
    """Weka's random numbers, folds and orders."""
    return {
        "fold_of_rows": Call(
            _core.fold_of_rows, {"label": LABEL, "n_rows": N, "n_folds": 3, "fold": 1, "seed": 7}
        ),
        "grown_rows": Call(
            _core.grown_rows, {"label": LABEL, "n_rows": N, "n_folds": 3, "seed": 7, "holds_out": True}
        ),
        "stratified_rows": Call(
            _core.stratified_rows,
            {"label": LABEL, "n_kept": 3, "n_folds": 2, "seed": 1},
            any_length=("label",),
        ),
        "JavaShuffle": Call(_core.JavaShuffle, {"seed": 1}),
        "JavaShuffle.whole": Call(lambda: _core.JavaShuffle(1).whole(), {}),
        "JavaShuffle.below": Call(lambda bound: _core.JavaShuffle(1).below(bound), {"bound": 5}),
        "weka_order": Call(
            _core.weka_order, {"rank": np.array([2, 0, 1, 0], np.uint32)}, any_length=("rank",)
        ),
        "JavaShuffle.permutation": Call(lambda n: _core.JavaShuffle(1).permutation(n), {"n": 5}),
    }


def calls_of_c50() -> dict[str, Call]:
    """C5.0."""
    return {
        "c50_learn": Call(
            _core.c50_learn,
            {"columns": COLUMNS, **CLASSES, "weight": ONES, "cost": np.ones(4), "settings": C50_SETTINGS}
            | {"progress": None},
            codes=("columns.1", "columns.2", "label"),
            weights=("weight",),
        ),
        "c50_rules": Call(
            _core.c50_rules,
            {"tree": c50_tree(), "columns": COLUMNS, **CLASSES, "weight": ONES, "settings": C50_SETTINGS}
            | {"progress": None},
            any_length=("tree.mid", "tree.gain"),
            codes=("columns.1", "columns.2", "label", *(f"tree.{name}" for name in C50_CODES)),
            weights=("weight",),
        ),
        "c50_sample": Call(_core.c50_sample, {"n_rows": N, "share": 0.5, "seed": 0}),
        "C50Predictor": Call(
            _core.C50Predictor,
            {"trees": [c50_tree()], "n_classes": 2, "cost": np.ones(4), "n_levels": [-1, 3, 3]},
            any_length=("trees.0.mid", "trees.0.gain"),
            codes=tuple(f"trees.0.{name}" for name in C50_CODES),
        ),
        "C50Predictor.predict": Call(
            _core.C50Predictor([c50_tree()], 2, NONE, [-1, 3, 3]).predict,
            {**TABLE, "n_trees": 0, "n_threads": 1},
            codes=("columns.1", "columns.2"),
        ),
    }


def calls_of_forests() -> dict[str, Call]:
    """Forests."""
    return {
        "grow_forest": Call(
            _core.grow_forest,
            {**TABLE, **CLASSES, "y": None, "weight": ONES, "cases": ONES, "criterion": "gini"}
            | {"recipe": FOREST_RECIPE, "sample": SAMPLE, "seed": 1, "first_tree": 0, "n_trees": 2}
            | WORK,
            codes=("columns.1", "columns.2", "label", "sample.stratum"),
            weights=WEIGHTS,
        ),
        "grow_survival_forest": Call(
            _core.grow_survival_forest,
            {**TABLE, "time": Y, "event": LABEL.astype(float), "weight": ONES, "cases": ONES}
            | {"criterion": "squared_error", "recipe": FOREST_RECIPE, "sample": SAMPLE, "seed": 1}
            | {"first_tree": 0, "n_trees": 2}
            | WORK,
            codes=("columns.1", "columns.2", "sample.stratum"),
            weights=("time", "event", *WEIGHTS),
        ),
        "logrank_statistics": Call(
            _core.logrank_statistics,
            {"time": Y, "event": LABEL.astype(float), "weight": ONES},
            weights=("time", "event", "weight"),
        ),
        "draws": Call(
            _core.draws,
            {"sample": SAMPLE, "n_rows": N, "seed": 1, "first_tree": 0, "n_trees": 2},
            codes=("sample.stratum",),
        ),
        "Forest": Call(_core.Forest, forest_arrays(), codes=("node_start", "leaf_start", "special_start")),
        "Forest.tally": Call(
            forest().tally,
            {**ASKED, "shares": True, "votes": True, "decide": True, "label": LABEL, "y": None}
            | {"by_votes": False, "cutoff": [0.5, 0.5], "sample": SAMPLE, "seed": 1, "first_tree": 0},
            codes=("columns.1", "columns.2", "label", "sample.stratum"),
        ),
        "Forest.leaves": Call(forest().leaves, ASKED, codes=("columns.1", "columns.2")),
        "Forest.check_nodes": Call(forest().check_nodes, {}),
        "Forest.sums_of_few": Call(
            forest_of_numbers().sums_of_few, {"matrix": np.zeros((5, 1))}, any_length=("matrix",)
        ),
        "Forest.permute": Call(
            forest().permute,
            {**ASKED, "label": LABEL, "y": None, "sample": SAMPLE, "seed": 1, "shuffle_seed": 2}
            | {"by_case": True},
            codes=("columns.1", "columns.2", "label", "sample.stratum"),
        ),
        "Forest.quantiles": Call(
            forest().quantiles,
            {**ASKED, **members(), "values": [0.0, 1.0], "wanted": [0.5]},
            codes=("columns.1", "columns.2", "start", "rank"),
            weights=("weight",),
        ),
    }


def calls_of_optimal_and_conditional_trees() -> dict[str, Call]:
    """Optimal trees and conditional inference trees."""
    return {
        "search_optimal": Call(
            _core.search_optimal,
            {**TABLE, "target": OPTIMAL_TARGET, "settings": OPTIMAL_SETTINGS, "time_limit": 10.0}
            | {"keep": True, "n_threads": 1, "progress": None},
            codes=("columns.1", "columns.2"),
            weights=("target.loss", "target.cases", "target.margin"),
        ),
        "nearly_optimal": Call(
            _core.nearly_optimal,
            {**TABLE, "target": OPTIMAL_TARGET, "settings": OPTIMAL_SETTINGS, "most": 2.0, "max_trees": 5}
            | {"progress": None},
            codes=("columns.1", "columns.2"),
            weights=("target.loss", "target.cases", "target.margin"),
        ),
        "grow_conditional": Call(
            _core.grow_conditional,
            {**TABLE, "n_classes": 2, "target": CONDITIONAL_TARGET, "options": CONDITIONAL_OPTIONS}
            | {"progress": None},
            codes=("columns.1", "columns.2", "target.label"),
            weights=("target.weight", "target.test_weight", "target.node_weight", "target.cases"),
        ),
    }


def calls_of_boosting() -> dict[str, Call]:
    """Gradient boosting."""
    return {
        "boost": Call(
            _core.boost,
            boosted() | WORK,
            codes=("columns.1", "columns.2", "target.label"),
            weights=("target.weight",),
        ),
        "boost_vectors": Call(
            _core.boost_vectors,
            {
                **TABLE,
                "y": np.column_stack([Y, -Y]),
                "weight": ONES,
                "validation": VALIDATION,
                "settings": BOOST_SETTINGS | {"loss": "squared_error", "monotonic": []},
                "bins": bins(),
                **WORK,
            },
            codes=("columns.1", "columns.2"),
            weights=("y", "weight"),
        ),
        "boost_gbm": Call(
            _core.boost_gbm,
            {**TABLE, "n_classes": 0, "y": Y, "weight": ONES, "settings": GBM_SETTINGS, **WORK},
            codes=("columns.1", "columns.2"),
            weights=("y", "weight"),
        ),
        "TreeSum": Call(
            _core.TreeSum,
            {
                "trees": sum_arrays(),
                "n_scores": 1,
                "vectors": False,
                "n_levels": LEVELS,
                "models": models_of_sum(),
            },
            codes=(
                "trees.tree_start",
                "trees.level_start",
                "trees.column",
                "trees.level_code",
                "models.start",
                "models.column",
            ),
            weights=("trees.value", "models.coefficient", "models.substitute", "models.lowest"),
        ),
        "TreeSum.add": Call(
            _core.TreeSum(sum_arrays(), 1, False, LEVELS).add,
            {**TABLE, "scores": np.zeros((N, 1)), "first": 0, "last": 3, "n_threads": 1},
            codes=("columns.1", "columns.2"),
        ),
        "TreeSum.add_matrix": Call(
            _core.TreeSum(sum_of_numbers(), 1, False, [0]).add_matrix,
            {"matrix": np.zeros((N, 1)), "start": np.zeros(1), "last": 3, "n_threads": 1},
            any_length=("matrix",),
        ),
    }


def calls_of_boosting_elsewhere() -> dict[str, Call]:
    """Gradient boosting of rows in partitions."""
    rows = rows_elsewhere()
    sums = np.array([0.0, 24.0, 10.0, 14.0])
    return {
        "boost_elsewhere": Call(
            _core.boost_elsewhere,
            {**ASKED, "n_classes": 2, "settings": BOOST_SETTINGS, "bins": bins()}
            | {"unit_weights": False, "rows": AskedRows()},
            codes=("columns.1", "columns.2"),
        ),
        "add_start_sums": Call(
            _core.add_start_sums,
            {"n_classes": 2, "n_rows": N, "target": rows["target"], "sums": sums},
            codes=("target.label",),
            weights=("target.weight",),
        ),
        "start_scores": Call(
            _core.start_scores,
            {"n_classes": 2, "n_columns": 3, "settings": BOOST_SETTINGS, "sums": sums},
            weights=("sums",),
        ),
        "GradientPartition": Call(
            _core.GradientPartition, rows, codes=("target.label",), weights=("target.weight",)
        ),
        "GradientPartition.restart": Call(begun().restart, {}),
        "GradientPartition.begin_round": Call(begun().begin_round, {"round": 1}),
        "GradientPartition.range": Call(begun().range, {"which": 0}),
        "GradientPartition.begin_tree": Call(begun().begin_tree, {"round": 0, "which": 0, "grid": GRID}),
        "GradientPartition.n_parted": Call(lambda: begun().n_parted, {}),
        "GradientPartition.part": Call(
            begun().part, {"leaf": 0, "column": 1, "branch": BRANCH}, codes=("branch",)
        ),
        "GradientPartition.count": Call(begun().count, {"leaf": 2}),
        "GradientPartition.histogram": Call(begun().histogram, {"leaf": 1}),
        "GradientPartition.residuals": Call(numbers_begun().residuals, {"which": 0, "leaf": 0}),
        "GradientPartition.add": Call(
            begun().add,
            {"which": 0, "tree": CODED_TREE},
            any_length=("tree.branch",),
            codes=("tree.column", "tree.first_child", "tree.first_branch", "tree.branch"),
            weights=("tree.value",),
        ),
    }


def calls_of_model_trees() -> dict[str, Call]:
    """M5 and Cubist."""
    return {
        "grow_m5": Call(
            _core.grow_m5, m5_problem() | {"options": M5_OPTIONS}, any_length=("values",), weights=M5_WEIGHTS
        ),
        "learn_m5_rules": Call(
            _core.learn_m5_rules,
            m5_problem() | {"options": M5_OPTIONS},
            any_length=("values",),
            weights=M5_WEIGHTS,
        ),
        "grow_linear_tree": Call(
            _core.grow_linear_tree,
            m5_problem()
            | {"codes": np.tile(np.arange(N, dtype=np.int32), (2, 1)), "options": LINEAR_OPTIONS},
            any_length=("values", "codes"),
            codes=("codes",),
            weights=M5_WEIGHTS,
        ),
        "LogisticRows": Call(
            _core.LogisticRows,
            logistic_problem(),
            any_length=("values",),
            codes=("code",),
            weights=("values", "weight"),
        ),
        "LogisticRows.steps": Call(
            lambda **given: _core.LogisticRows(**logistic_problem()).steps(**given),
            {"rows": ROWS_OF_NODE, "fold": ROWS_OF_NODE.astype(np.int32) % 2, "max_steps": 5, **WORK},
            codes=("rows", "fold"),
        ),
        "LogisticRows.boost": Call(
            lambda **given: _core.LogisticRows(**logistic_problem()).boost(**given),
            {"rows": ROWS_OF_NODE, "n_steps": 3},
            any_length=("rows",),
            codes=("rows",),
        ),
        "LogisticRows.errors": Call(
            _core.LogisticRows(**logistic_problem()).errors,
            {"rows": ROWS_OF_NODE},
            any_length=("rows",),
            codes=("rows",),
        ),
        "predict_by_models": Call(
            _core.predict_by_models,
            {"models": models_of_nodes(), **TABLE, "node": LABEL, "answer": Y, "n_threads": 1},
            codes=("columns.1", "columns.2", "node", "models.start", "models.column"),
        ),
        "learn_cubist": Call(
            _core.learn_cubist,
            {**cubist_problem(), "options": CUBIST_OPTIONS, "progress": None},
            weights=("y",),
        ),
        "CubistNeighbours": Call(
            _core.CubistNeighbours,
            neighbours_problem(),
            weights=("y", "predicted"),
        ),
        "CubistNeighbours.correct": Call(
            _core.CubistNeighbours(**neighbours_problem()).correct,
            {"columns": cubist_problem()["columns"], "base": Y.astype(np.float32)},
            weights=("base",),
        ),
    }


def calls_of_lasso() -> dict[str, Call]:
    """The lasso path."""
    indicators = {"start": np.array([0, 5, 12]), "rows": np.arange(12, dtype=np.int32)}
    return {
        "lasso_path": Call(
            _core.lasso_path,
            indicators
            | {"numbers": np.array([X, X**2]), "only": np.array([0, 1, 2, 0], np.int32)}
            | {"y": LEVEL.astype(float), "weight": ONES, "fold": ORDINAL, "settings": LASSO_SETTINGS}
            | WORK,
            codes=("start", "rows", "only", "y", "fold"),
            weights=("numbers", "y", "weight"),
        ),
    }


def calls_of_routing() -> dict[str, Call]:
    """Rows that go down a tree, whole or in parts."""
    descent = {"tree": routed(tree_of_c45()), "share": tree_of_c45()["share"], **TABLE}
    # The neighbours of a cut do not say where rows go.
    surrogates = {
        name: array for name, array in grown()["surrogates"].items() if name not in ("cut_below", "cut_above")
    }
    spare_codes = ("start", "column", "level_start")
    return {
        "Router": Call(
            _core.Router,
            {"tree": routed(grown()), "n_levels": LEVELS, "surrogates": surrogates},
            any_length=("tree.gain", *(f"surrogates.{name}" for name in ("value", "adjusted", "cases"))),
            codes=(*TREE_CODES, *(f"surrogates.{name}" for name in spare_codes)),
        ),
        "Router.apply": Call(
            _core.Router(routed(grown()), LEVELS, surrogates).apply,
            {**TABLE, "n_threads": 1},
            codes=("columns.1", "columns.2"),
        ),
        "Router.answers": Call(
            _core.Router(routed(grown()), LEVELS, surrogates).answers,
            {**TABLE, "of_node": np.ones((len(grown()["parent"]), 2), dtype=np.int64), "n_threads": 1},
            codes=("columns.1", "columns.2"),
        ),
        "spread": Call(
            _core.spread,
            {
                **descent,
                "values": np.ones((len(tree_of_c45()["parent"]), 2)),
                "nested": True,
                "n_threads": 1,
            },
            any_length=("tree.gain",),
            codes=("columns.1", "columns.2", *TREE_CODES),
            weights=("share",),
        ),
        "collect": Call(
            _core.collect,
            {**descent, "figures": np.ones((N, 2))},
            any_length=("tree.gain",),
            codes=("columns.1", "columns.2", *TREE_CODES),
            weights=("share",),
        ),
        "collect_classes": Call(
            _core.collect_classes,
            {**descent, **CLASSES, "weight": ONES},
            any_length=("tree.gain",),
            codes=("columns.1", "columns.2", "label", *TREE_CODES),
            weights=("share", "weight"),
        ),
        "errors_of_passing_rows": Call(
            _core.errors_of_passing_rows,
            {**descent, "answer": np.zeros(len(tree_of_c45()["parent"])), "truth": ONES, "classes": True}
            | {"weight": ONES},
            any_length=("tree.gain",),
            codes=("columns.1", "columns.2", *TREE_CODES),
            weights=("share", "weight"),
        ),
    }


def calls_of_search() -> dict[str, Call]:
    """The search of single columns."""
    swept = {
        "criterion": "gini",
        "statistics": np.eye(2)[[0, 1, 0, 1]],
        "cases": np.ones(4),
        "node_weight": 4.0,
        "min_cases": 1.0,
        "min_weight": 0.0,
    }
    numbers = np.array([0.3, 0.1, 0.7, 0.9])
    return {
        "split_values": Call(
            _core.split_values,
            {"criterion": "gini", "statistics": COUNTS[None, :2], "node_weight": np.array([6.0])},
        ),
        "impurity": Call(_core.impurity, {"criterion": "gini", "statistics": COUNTS}, ("statistics",)),
        "best_split": Call(
            _core.best_split,
            {"kind": "subset", "criterion": "gini", "statistics": COUNTS, "cases": COUNTS.sum(axis=1)}
            | {"node_weight": 10.0},
        ),
        "best_partitions": Call(
            _core.best_partitions,
            {"criterion": "gini", "statistics": COUNTS, "cases": COUNTS.sum(axis=1)}
            | {"orders": np.arange(len(COUNTS), dtype=np.int32)[None], "node_weight": 10.0, "max_groups": 3},
            any_length=("orders",),
            codes=("orders",),
        ),
        "merge_levels": Call(
            _core.merge_levels,
            {"test": "pearson", "order": "nominal", "statistics": COUNTS, "cases": COUNTS.sum(axis=1)}
            | {"merge_level": -3.0, "split_level": -4.0},
        ),
        "sums_by_code": Call(
            _core.sums_by_code,
            {"column": np.array([0, 1, -1], np.int32), "rows": np.array([0, 2]), "n_levels": 2, "width": 2}
            | {"entry": np.array([0, 1], np.int32), "weight": np.ones(2), "cases": np.ones(2)},
            any_length=("column",),
            codes=("rows", "entry"),
        ),
        "best_cut": Call(_core.best_cut, swept | {"v": numbers}, weights=("v",)),
        "best_step": Call(
            _core.best_step,
            swept | {"v": numbers, "cut": 0.5, "x": numbers, "gamma": 0.1},
            weights=("v", "x"),
        ),
        "best_angle": Call(_core.best_angle, swept | {"x": numbers, "y": numbers}, weights=("x", "y")),
    }


def calls_of_files() -> dict[str, Call]:
    """The checksum of the bytes of a file, and the parents of the nodes in it."""
    given = {"content": np.arange(200, dtype=np.uint8), "before": 0}
    nodes = {"n_children": np.array([2, 0, 0], np.int32), "roots": np.zeros(1, np.int64)}
    return {
        "crc32": Call(_core.crc32, given, any_length=("content",)),
        "family": Call(_core.family, nodes, codes=("n_children", "roots")),
    }


def calls_of_tests() -> dict[str, Call]:
    """Statistical tests."""
    return {
        "log_multiplier": Call(_core.log_multiplier, {"n_levels": 5, "n_groups": 2, "nominal": True}),
        "chi_square_log_survival": Call(_core.chi_square_log_survival, {"x": 1.0, "degrees": 1}),
        "f_log_survival": Call(_core.f_log_survival, {"x": 1.0, "numerator": 1.0, "denominator": 5.0}),
        "chi_square_survival": Call(_core.chi_square_survival, {"x": 1.0, "degrees": 1}),
        "pearson": Call(_core.pearson, {"table": COUNTS}, ("table",)),
    }


def calls() -> dict[str, Call]:
    """Return a call of every function that the module exports."""
    rooms = (
        calls_of_growth(),
        calls_of_quinlan(),
        calls_of_weka(),
        calls_of_c50(),
        calls_of_forests(),
        calls_of_optimal_and_conditional_trees(),
        calls_of_boosting(),
        calls_of_boosting_elsewhere(),
        calls_of_model_trees(),
        calls_of_lasso(),
        calls_of_routing(),
        calls_of_search(),
        calls_of_tests(),
        calls_of_files(),
    )
    return {name: call for room in rooms for name, call in room.items()}


CALLS = calls()
REFUSED = (TypeError, ValueError, KeyError, IndexError, OverflowError)


def arrays_in(value: Any, path: str = "") -> Iterator[tuple[str, np.ndarray]]:
    """Find the arrays in the arguments of a call, each with its path."""
    if isinstance(value, np.ndarray):
        yield path[1:], value
    elif isinstance(value, dict):
        for name, part in value.items():
            yield from arrays_in(part, f"{path}.{name}")
    elif isinstance(value, list):
        for number, part in enumerate(value):
            yield from arrays_in(part[0] if isinstance(part, tuple) else part, f"{path}.{number}")


def changed(arguments: dict[str, Any], path: str, value: Any) -> dict[str, Any]:
    """Return the arguments with another value at a path."""
    arguments = copy.copy(arguments)
    *way, last = path.split(".")
    place: Any = arguments
    for step in way:
        key: Any = int(step) if isinstance(place, list) else step
        place[key] = copy.copy(place[key])
        place = place[key]
    if isinstance(place, list):
        old = place[int(last)]
        place[int(last)] = (value, *old[1:]) if isinstance(old, tuple) else value
    else:
        place[last] = value
    return arguments


def with_entry(array: np.ndarray, value: Any) -> np.ndarray:
    """Return the array with its first entry replaced."""
    array = array.copy()
    array.flat[0] = np.array(value).astype(array.dtype)
    return array


def refused(call: Call, path: str, value: Any) -> None:
    with pytest.raises(REFUSED):
        call.function(**changed(call.arguments, path, value))


CLASSES_OF_THE_CORE = (
    *(_core.Forest, _core.Router, _core.C50Predictor, _core.BinnedTable, _core.TreeSum),
    *(_core.JavaShuffle, _core.CubistNeighbours),
    *(_core.LogisticRows, _core.GradientPartition),
)
EVERY_CALL = pytest.mark.parametrize("name", CALLS)


def test_every_function_is_tried():
    exported = {name for name in dir(_core) if not name.startswith("_")}
    exported.remove("BinnedTable")  # bin_table makes it
    for kind in CLASSES_OF_THE_CORE:
        exported |= {f"{kind.__name__}.{name}" for name in dir(kind) if not name.startswith("_")}
    assert set(CALLS) == exported


@EVERY_CALL
def test_the_call_is_right_as_it_stands(name):
    CALLS[name].function(**CALLS[name].arguments)


@EVERY_CALL
def test_arrays_of_another_length_are_refused(name):
    call = CALLS[name]
    for path, array in arrays_in(call.arguments):
        if path not in call.any_length:
            refused(call, path, np.concatenate([array, array[-1:]]) if len(array) else np.zeros(7))
            if len(array) > 1:
                refused(call, path, array[:-1])


@EVERY_CALL
def test_arrays_of_another_type_are_refused(name):
    call = CALLS[name]
    for path, array in arrays_in(call.arguments):
        if path.split(".")[-1] in ("mid", "gain", "value", "adjusted", "cases") and path in call.any_length:
            continue
        refused(call, path, np.nan_to_num(array).astype(np.int64 if array.dtype != np.int64 else np.int32))
        refused(call, path, array.astype(np.complex128))
        refused(call, path, array.astype(str))
        refused(call, path, array[..., None])
        refused(call, path, "word")


@EVERY_CALL
def test_strided_arrays_give_the_same_as_contiguous_ones(name):
    call = CALLS[name]
    arguments = call.arguments
    for path, array in arrays_in(arguments):
        spread = np.repeat(array, 2, axis=-1)[..., ::2]
        arguments = changed(arguments, path, spread)
    expected, found = call.function(**call.arguments), call.function(**arguments)
    if not isinstance(expected, CLASSES_OF_THE_CORE):
        np.testing.assert_equal(found, expected)


@EVERY_CALL
def test_codes_out_of_range_are_refused(name):
    call = CALLS[name]
    known = dict(arrays_in(call.arguments))
    for path in call.codes:
        if np.issubdtype(known[path].dtype, np.signedinteger):
            refused(call, path, with_entry(known[path], -7))
        refused(call, path, with_entry(known[path], 200 if known[path].dtype == np.uint8 else 10**6))


@EVERY_CALL
def test_nan_and_infinity_are_refused_where_they_have_no_meaning(name):
    call = CALLS[name]
    known = dict(arrays_in(call.arguments))
    for path in call.weights:
        refused(call, path, with_entry(known[path], np.nan))
        if path != "weight" or name != "Forest.quantiles":
            refused(call, path, with_entry(known[path], np.inf))


@EVERY_CALL
def test_odd_numbers_in_an_array_raise_or_are_harmless(name):
    call = CALLS[name]
    for path, array in arrays_in(call.arguments):
        if array.size == 0:
            continue
        odd = [np.nan, -np.inf, 1e300, -1.0] if array.dtype.kind == "f" else [-1, 2**31 - 1]
        for value in odd:
            with np.errstate(all="ignore"):
                entries = with_entry(array, value) if array.dtype.kind != "u" else with_entry(array, 255)
            try:
                call.function(**changed(call.arguments, path, entries))
            except REFUSED:
                continue


@EVERY_CALL
def test_numbers_of_rows_and_threads_are_checked(name):
    call = CALLS[name]
    for argument in ("n_rows", "n_threads", "n_classes", "n_folds", "first_tree"):
        if argument in call.arguments:
            refused(call, argument, -1)
    for argument, value in (("n_threads", 10**6), ("n_threads", 0), ("n_rows", 2**40)):
        if argument in call.arguments and name != "c50_sample":
            refused(call, argument, value)


@EVERY_CALL
def test_a_dict_that_lacks_a_name_or_holds_another_type_is_refused_by_name(name):
    call = CALLS[name]
    unread = set(call.any_length)
    for argument, value in call.arguments.items():
        if not isinstance(value, dict):
            continue
        for entry in value:
            if f"{argument}.{entry}" in unread:
                continue
            with pytest.raises(ValueError, match=f"{argument}.*'{entry}'"):
                call.function(**changed(call.arguments, f"{argument}.{entry}", object()))
            lacking = {key: part for key, part in value.items() if key != entry}
            with pytest.raises(ValueError, match=f"{argument} lacks '{entry}'"):
                call.function(**call.arguments | {argument: lacking})


@EVERY_CALL
def test_columns_that_are_no_columns_are_refused(name):
    call = CALLS[name]
    if "columns" not in call.arguments:
        return
    for wrong in (
        [X],
        [(X, "numeric")],
        [(X, "nominal", 3)],
        [(X, "numeric", 2)],
        [(LEVEL, "numeric", 0)],
        [(LEVEL, "nominal", -1)],
        [(LEVEL, "nominal", 2)],
        [(LEVEL, "colour", 3)],
        [(X.astype(np.float16), "numeric", 0)],
        [("word", "numeric", 0)],
        [(X, 3, "numeric")],
    ):
        with pytest.raises(REFUSED):
            call.function(**call.arguments | {"columns": wrong + COLUMNS[1:]})


@pytest.mark.parametrize("cost", [np.nan, np.inf, 0.0, -1.0, 1e-60])
@pytest.mark.parametrize("name", ["c50_learn", "C50Predictor"])
def test_costs_of_errors_are_positive(name, cost):
    refused(CALLS[name], "cost", np.array([0.0, cost, 1.0, 0.0]))


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("boost_elsewhere", {"settings": BOOST_SETTINGS | {"monotonic": [0, 1, 0]}}),
        ("boost_elsewhere", {"n_classes": 0, "settings": BOOST_SETTINGS | {"loss": "cox"}}),
        ("start_scores", {"n_classes": -1, "sums": np.ones(1)}),
        ("GradientPartition", {"first_row": -1}),
        ("GradientPartition", {"start": [np.nan]}),
        ("GradientPartition", {"start": []}),
        (
            "GradientPartition",
            {"unit_weights": True, "target": {"label": LABEL, "y": None, "weight": 2 * ONES}},
        ),
        (
            "GradientPartition",
            {"n_classes": 0, "settings": BOOST_SETTINGS | {"loss": "cox"}}
            | {"target": {"label": None, "y": Y, "weight": None}},
        ),
        ("GradientPartition.range", {"which": 1}),
        ("GradientPartition.begin_tree", {"which": -1}),
        ("GradientPartition.begin_tree", {"grid": (False, np.nan, 1.0)}),
        ("GradientPartition.begin_tree", {"grid": (True, 1.0, 0.0)}),
        ("GradientPartition.part", {"leaf": 10**6}),
        ("GradientPartition.part", {"column": 3}),
        ("GradientPartition.part", {"column": -1}),
        ("GradientPartition.count", {"leaf": 3}),
        ("GradientPartition.histogram", {"leaf": -1}),
        ("GradientPartition.residuals", {"which": 1}),
        ("GradientPartition.residuals", {"leaf": 1}),
        ("GradientPartition.add", {"tree": CODED_TREE | {"branch": BRANCH[:-1]}}),
    ],
)
def test_rows_elsewhere_refuse_what_is_out_of_range(name, wrong):
    call = CALLS[name]
    with pytest.raises(REFUSED):
        call.function(**call.arguments | wrong)


def test_classes_have_no_residuals():
    with pytest.raises(ValueError, match="classes have no residuals"):
        begun().residuals(0, 0)


def test_leaves_are_known_once_a_tree_has_begun():
    rows = _core.GradientPartition(**rows_elsewhere())
    with pytest.raises(IndexError):
        rows.histogram(0)
    with pytest.raises(IndexError):
        rows.part(0, 1, BRANCH)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("range", (N, np.nan, 1.0, 1.0)),
        ("range", (N, 1.0, 1.0, np.inf)),
        ("range", (0, 1.0, 1.0, 1.0)),
        ("range", (N, 1.0)),
        ("range", "word"),
        ("begin", (0, 0, np.zeros(5, np.uint64))),
        ("begin", (0, 0, np.zeros(5))),
        ("begin", (0,)),
        ("part", []),
        ("part", [(3, np.zeros(5, np.uint64))]),
        ("part", None),
    ],
)
def test_wrong_answers_of_rows_elsewhere_are_refused(question, answer):
    rows = AskedRows()
    setattr(rows, question, lambda *given: answer)
    with pytest.raises(REFUSED):
        _core.boost_elsewhere(**CALLS["boost_elsewhere"].arguments | {"rows": rows})
