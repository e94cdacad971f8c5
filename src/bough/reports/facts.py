"""The facts of a report: everything that the page shows, as plain values."""

from __future__ import annotations

from typing import Any

import numpy as np

from bough.data.row_key import rows_of_model
from bough.data.table import Table
from bough.data.target import read_weights
from bough.data.words import count_words, figure_column, figure_words, level_words
from bough.errors import IdentifierWarning, ParameterError
from bough.evaluation.evaluate import evaluate
from bough.evaluation.evaluation import Evaluation
from bough.inspect.optimality import optimality
from bough.inspect.rivals import rivals, target_for
from bough.inspect.split_columns import split_columns
from bough.inspect.split_weights import node_weights
from bough.reports.column_facts import column_facts, missing_facts
from bough.reports.evaluation_facts import evaluation_facts
from bough.reports.fold_evaluation import evaluate_by_folds
from bough.reports.leaf_model_facts import leaf_model_facts
from bough.reports.making import making_words, optimality_words, recipe_words
from bough.reports.node_facts import (
    alternative_facts,
    cost_facts,
    node_facts,
    passing_facts,
    plain,
    rival_facts,
    test_facts,
    walk_facts,
    walk_words,
)
from bough.reports.request import Request
from bough.reports.shown import shortened, shown_tree
from bough.reports.tiles import score_tiles
from bough.resampling.regrowth import regrower, tree_of
from bough.resampling.stability import Stability, stability
from bough.tree import Tree
from bough.tree.identifiers import identifier_columns
from bough.tree.outline import headline
from bough.tree.root_only import helpful_words, path_columns, pruned_to_root, reason_words
from bough.types import Floats
from bough.version import __version__

_MOST_RIVAL_NODES = 600
_ROUNDING = 1e-5


def facts_of(request: Request) -> dict[str, Any]:
    """Return the facts of the report of a model, as values that JSON can hold.

    >>> from bough.example_models import iris_tree
    >>> facts = facts_of(Request(iris_tree()))
    >>> facts["headline"], [tile["label"] for tile in facts["tiles"]]
    ('Classification tree for Species: 3 leaves, depth 2, 150 cases',
     ['Leaves', 'Depth', 'Cases', 'Columns used'])
    """
    tree = tree_of(request.model)
    shown = shown_tree(tree)
    if (request.X is None) != (request.y is None):
        raise ParameterError("A report needs X and y together: pass both, or neither.")
    facts: dict[str, Any] = {
        "headline": headline(shown),
        "title": request.title or f"{tree.task.capitalize()} tree" + _of(shown),
        "task": tree.task,
        "target": shown.target_name or "the target",
        "classes": [level_words(label) for label in shown.classes],
        "version": __version__,
        "making": _making(request, with_gap(request, tree)),
        "recipe": recipe_words(tree.recipe),
        "nodes": node_facts(tree, shown),
        "walk": walk_facts(tree),
        "models": leaf_model_facts(tree, shown),
        "walk_words": walk_words(shown),
        "tests": test_facts(shown),
        "costs": cost_facts(shown),
        "class_scale": None if tree.class_scale is None else tree.class_scale.tolist(),
        "root_only": _root_only(shown),
        "rules": _rules(tree, shown),
        "surrogates": alternative_facts(shown, "surrogates"),
        "competitors": alternative_facts(shown, "competitors"),
    }
    table, evaluation = None, None
    if request.X is not None:
        table = rows_of_model(request.X, tree)
        evaluation = _data_facts(facts, request, tree, shown, table)
    elif request.test is not None:
        evaluation = evaluate(tree, *request.test, rows="held out")
    if evaluation is not None:
        facts["judged"] = evaluation_facts(evaluation, facts["classes"])
    facts["warnings"] = _warnings(tree, table)
    facts["columns"] = column_facts(tree, shown, table)
    facts["tiles"] = _tiles(tree, evaluation)
    return facts


def _warnings(tree: Tree, table: Table | None) -> list[str]:
    """Return sentences about what a reader should know before relying on the tree."""
    names = identifier_columns(tree, table)
    if not names:
        return []
    shown = tuple(map(shortened, names))
    them = "it" if len(names) == 1 else "them"
    return [f"{IdentifierWarning(shown).problem} If so, leave {them} out and grow the tree again."]


def _data_facts(facts: dict[str, Any], request: Request, tree: Tree, shown: Tree, table: Table) -> Evaluation:
    weight = read_weights(request.sample_weight, table.n_rows).weight
    target = target_for(tree, request.y)
    in_nodes = node_weights(tree, target, read_weights(weight, table.n_rows)).weight
    facts["given"] = passing_facts(tree, table, target, in_nodes)
    learned = _learned(tree, facts["given"])
    facts["given"]["learned"] = learned
    facts["given"]["rows"] = table.n_rows
    inner = np.flatnonzero(~tree.is_leaf)[:_MOST_RIVAL_NODES]
    ranked = rivals(tree, table, request.y, sample_weight=weight, nodes=inner.tolist())
    facts["rivals"] = rival_facts(shown, ranked)
    facts["models"] = leaf_model_facts(tree, shown, table, target)
    facts["missing"] = missing_facts(table)
    n_draws, n_folds = request.rounds(table.n_rows)
    regrow = regrower(request.model, request.X, request.y, request.sample_weight) if learned else None
    if regrow is not None and n_draws:
        given = {"n_draws": n_draws, "sample_weight": request.sample_weight, "ranked": ranked}
        found = stability(request.model, request.X, request.y, **given)
        facts["stability"] = _stability(found)
    if request.test is not None:
        return evaluate(tree, *request.test, rows="held out")
    if regrow is not None and n_folds and table.n_rows >= 2:
        by_folds = evaluate_by_folds(tree, regrow, table, target, weight, n_folds)
        if by_folds is not None:
            return by_folds
    rows = "of the training set, which is optimistic" if learned else "of the table given"
    return evaluate(tree, table, request.y, sample_weight=weight, rows=rows)


def _learned(tree: Tree, given: dict[str, Any]) -> bool:
    """Return whether these are the rows that the tree was grown on: every node has the same cases.

    With surrogates only the root is compared, since growth may route missing values differently.
    """
    cases = np.array(given["cases"])
    if tree.share is not None:
        # Fractional cases are summed in another order, and some learners use single precision.
        return bool((np.abs(cases - tree.cases) <= _ROUNDING * float(tree.cases[0])).all())
    if tree.surrogates is None:
        return bool((cases == tree.cases).all())
    same = np.allclose(given["stats"][0][: len(tree.statistics[0])], tree.statistics[0], rtol=1e-9)
    return bool(cases[0] == tree.cases[0] and same)


def _of(shown: Tree) -> str:
    return f" for {shown.target_name}" if shown.target_name else ""


def _making(request: Request, tree: Tree) -> list[list[str]]:
    estimator = None if isinstance(request.model, Tree) else request.model
    return making_words(tree, estimator) + optimality_words(tree)


def _rules(tree: Tree, shown: Tree) -> list[list[Any]]:
    deviations = tree.deviation() if tree.task == "regression" else None
    rules = []
    found = list(shown.rules())
    # Numbers of a column have the same digits; leaves with linear models have formulas.
    plain = deviations is not None and not any(rule.model or rule.answers is not None for rule in found)
    numbers = figure_column([float(rule.answer) for rule in found]) if plain else None
    for place, rule in enumerate(found):
        conditions = [condition.words(rule.schema, 6) for condition in rule.conditions]
        certainty = rule.confidence if deviations is None else rule.deviation
        answer = rule.conclusion() if numbers is None else numbers[place]
        entry = [rule.leaf, conditions, answer, rule.cases, rule.share, certainty]
        if rule.costs is not None:
            entry += [rule.costs[rule.answer], rule.cost_words().removeprefix("cost ")]
        rules.append(entry)
    return rules


def _root_only(shown: Tree) -> dict[str, Any] | None:
    """Return why pruning left only the root, the errors of the larger trees and what helps, or None."""
    reason, record = reason_words(shown), pruned_to_root(shown)
    if not reason:
        return None
    listed = {}
    if record is not None:
        listed = {"columns": path_columns(record), "path": record["path"]}
    return {"reason": reason, "helpful": helpful_words(shown), **listed}


def _stability(found: Stability) -> dict[str, Any]:
    return {
        "draws": found.n_draws,
        "margin": found.margin,
        "agreement": found.agreement,
        "leaves": [int(found.n_leaves.min()), float(np.median(found.n_leaves)), int(found.n_leaves.max())],
        "returns": plain(found.returns),
        "disagreement": plain(found.disagreement),
        "cuts": {str(node): found.cut_quartiles(node) for node in found.cuts},
        "roots": list(map(list, found.root_columns.items())),
        "columns": plain(found.column_use),
        "ties": {str(node): [rival.column for rival in close] for node, close in found.near_ties.items()},
        "rows": _histogram(found.varies, found.tree.task),
    }


def _histogram(varies: Floats, task: str) -> list[list[float]]:
    high = 1.0 if task == "classification" else float(varies.max()) or 1.0
    counts, edges = np.histogram(varies, 20, range=(0.0, high))
    return [counts.tolist(), edges.tolist()]


def _tiles(tree: Tree, evaluation: Evaluation | None) -> list[dict[str, str]]:
    tiles = [] if evaluation is None else score_tiles(evaluation)
    inner = np.flatnonzero(~tree.is_leaf).tolist()
    used = len({column for node in inner for column in split_columns(tree, node)})
    tiles += [
        {
            "label": "Leaves",
            "value": figure_words(tree.n_leaves),
            "note": count_words(tree.n_nodes, "node"),
        },
        {"label": "Depth", "value": str(tree.depth), "note": "splits at most on a path"},
        {"label": "Cases", "value": figure_words(tree.cases[0]), "note": "in the training set"},
        {"label": "Columns used", "value": str(used), "note": f"of {len(tree.schema)}"},
    ]
    return tiles


def with_gap(request: Request, tree: Tree) -> Tree:
    """Return the tree with its distance from the best tree recorded, if the request asks for it.

    >>> from bough import TreeClassifier
    >>> X, y = [[1.0], [2.0], [3.0]], ["a", "b", "a"]
    >>> request = Request(TreeClassifier(max_depth=1).fit(X, y), X, y, optimality=10.0)
    >>> optimality_words(with_gap(request, request.model.tree_))[0][1].split(",")[1]
    ' proved optimal'
    """
    if request.optimality is None:
        return tree
    return optimality(tree, request.X, request.y, request.sample_weight, time_limit=request.optimality).tree
