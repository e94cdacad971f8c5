"""All candidate splits of a node, with the value of every criterion."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, cast

import numpy as np

import bough._core as _core
from bough.data.schema import Schema
from bough.data.table import Features, OrderedFeatures, Table
from bough.data.target import (
    ClassTarget,
    Weights,
    check_total,
    classes_of,
    read_classes,
    read_numbers,
    read_weights,
    task_of_target,
)
from bough.engines.memory import MemoryEngine
from bough.errors import ParameterError
from bough.growing.column_split import SplitKind
from bough.growing.criterion import CRITERIA, Reads, split_loss, statistics_of
from bough.growing.engine import ContingencyTable, Routing
from bough.growing.enumeration import Candidates, enumerate_candidates
from bough.growing.grid import scaled
from bough.growing.limits import Limits
from bough.growing.nominal import BY_LOOP as LEVEL_SPLITS
from bough.growing.nominal import Nominal, check_nominal
from bough.growing.placement import NOWHERE, Placement, placements
from bough.growing.recipe import exhaustive_levels
from bough.growing.search import ChildLimits, kind_for, real_value
from bough.inspect.candidate_table import Block, CandidateTable
from bough.inspect.grouped_candidates import GroupedCandidate, GroupSearch
from bough.inspect.split_weights import error_costs, node_weights, recipe_of, split_weights
from bough.tree import Tree
from bough.tree.one_target import refuse_several
from bough.tree.split import LevelKind, Split
from bough.types import Floats, Task

# Absolute error tabulates the distinct values of a column by the distinct values of y.
_MOST_CELLS = 2**22


def candidates(
    first: Any,
    second: Any,
    third: Any = None,
    /,
    *,
    node: int = 0,
    task: Task | None = None,
    nominal: Nominal | None = None,
    sample_weight: Any = None,
    categorical_features: Features | str | None = "from_dtype",
    ordinal_features: OrderedFeatures | None = None,
    max_exhaustive_levels: int | None = None,
) -> CandidateTable:
    """List every candidate split of a node: `candidates(X, y)` or `candidates(model, X, y, node=2)`.

    The model is a tree or a fitted estimator that has one, and X and y are the rows it was grown on. Its
    formulas over several columns are listed as columns. `nominal` is how nominal columns are split, by
    default as in the model's recipe: into two sets of levels ("subset"), one child for each level
    ("complete"), or one level against the rest ("one_vs_rest"). Without a model, `task` is by default
    "classification" if y holds text, truth values, categories, or up to 10 different whole numbers, and
    "regression" otherwise.

    Criteria are computed as the recipe of the model does, with its class weights, priors and losses, and the
    errors of a child are then the loss of the class that costs least there. Where values are missing, the
    splits are those that the missing policy of the recipe tries: with "learned" each split with the missing
    values on either side, and with "own_level" with a branch for them, which the criteria count. Without a
    model, and with other policies, missing values are in no child. With `max_branches` the best splits into
    more than two branches are listed too; the only candidates of CHAID are the merged levels of each column.

    If a column has more than `max_exhaustive_levels` levels (12), only some subsets are listed: the cuts of
    the levels ordered by the share of each class and by the first principal component of the shares, or by
    the mean of y. All criteria of the task are computed, but Poisson deviance only if y is not negative, and
    absolute error only if columns and y have few distinct values (about 2,000 each).

    >>> visits = [["s", 15], ["s", 10], ["o", 5], ["a", 15], ["a", 10], ["o", 10], ["o", 5], ["a", 5]]
    >>> buyer = ["yes", "yes", "yes", "yes", "no", "no", "no", "no"]
    >>> print(candidates(visits, buyer))
    variable  values   no  yes  errors
    x0        {a}      2   1    3
              {o, s}   2   3
    x0        {a, o}   4   2    2
              {s}      0   2
    x0        {a, s}   2   3    3
              {o}      2   1
    x1        < 7.5    2   1    3
              >= 7.5   2   3
    x1        < 12.5   4   2    2
              >= 12.5  0   2
    """
    scales = categorical_features, ordinal_features
    tree, table, target, weights = asked_rows(first, second, third, node, task, sample_weight, *scales)
    recipe = {} if tree is None else tree.recipe
    kind = recipe.get("nominal", "subset") if nominal is None else nominal
    check_nominal(kind, "candidates", LEVEL_SPLITS)
    most = max_exhaustive_levels
    if most is None:
        most = recipe.get("max_exhaustive_levels", 12)
    most = exhaustive_levels(most)
    counted, costs = None, None
    if tree is not None:
        weights = node_weights(tree, target, weights)
        in_splits = split_weights(tree, target, weights)
        costs = error_costs(tree)
        if in_splits is not weights:
            counted = tabulated(tree, node, table, target, weights)["classes"]
            weights = in_splits
    tables = tabulated(tree, node, table, target, weights)
    whole = None
    if tree is not None and node > 0 and "grouping" in tree.recipe:
        whole = next(MemoryEngine(table, target, weights).tabulate([0]))
    loss = None if tree is None else tree.loss_matrix
    return scored_candidates(
        tables, table.schema, cast("LevelKind", kind), most, target, loss, counted, costs, tree, whole
    )


class AskedRows(NamedTuple):
    """The rows whose splits are asked for, and the tree to whose nodes they come, if there is one."""

    tree: Tree | None
    table: Table
    target: ClassTarget | Floats
    weights: Weights


def asked_rows(
    first: Any,
    second: Any,
    third: Any,
    node: int,
    task: Task | None,
    sample_weight: Any,
    categorical_features: Features | str | None,
    ordinal_features: OrderedFeatures | None,
    *,
    formulas: bool = True,
) -> AskedRows:
    """Read `(X, y)`, or `(model, X, y)` by the columns of the model and, if asked for, its formulas.

    >>> asked_rows([[1.0], [2.0]], ["a", "b"], None, 0, None, None, "from_dtype", None).target.codes
    array([0, 1], dtype=int32)
    """
    tree = tree_of(first)
    if tree is None:
        check_alone(third, node, task)
        table, target = read_alone(first, second, task, categorical_features, ordinal_features)
    else:
        schema = tree.wide_schema if formulas else tree.schema
        table, target = Table.fit_to(second, schema), target_of_tree(tree, third)
    weights = read_weights(sample_weight, table.n_rows)
    check_total(weights)
    return AskedRows(tree, table, target, weights)


def tree_of(model: object) -> Tree | None:
    """Return the tree of a tree or fitted estimator, and None for a table.

    >>> from bough.example_models import iris_tree
    >>> tree_of([[1.0]]) is None, tree_of(iris_tree()).n_leaves
    (True, 3)
    """
    tree = model if isinstance(model, Tree) else getattr(model, "tree_", None)
    if tree is None and hasattr(model, "get_params"):
        raise ParameterError(f"{type(model).__name__} has no tree yet; fit it first.")
    if tree is not None and not isinstance(tree, Tree):
        raise ParameterError(
            f"{type(model).__name__}.tree_ is a {type(tree).__name__}; it must be a bough.Tree."
        )
    refuse_several(tree, "model")
    return tree


def check_alone(third: object, node: int, task: object) -> None:
    """Check the arguments of a call without a model.

    >>> check_alone(None, 3, None)
    Traceback (most recent call last):
    bough.errors.ParameterError: node is 3; it must be 0 without a model; call candidates(model, X, y).
    """
    if third is not None:
        raise ParameterError("With three positional arguments, the first must be a tree or a fitted model.")
    if node != 0:
        raise ParameterError.of("node", node, "0 without a model; call candidates(model, X, y)")
    if task is not None and not (isinstance(task, str) and task in CRITERIA):
        raise ParameterError.of("task", task, f"one of {', '.join(map(repr, CRITERIA))}, or None")


def read_alone(
    X: Any,
    y: Any,
    task: Task | None,
    categorical_features: Features | str | None,
    ordinal_features: OrderedFeatures | None,
) -> tuple[Table, ClassTarget | Floats]:
    """Return the table and the target of a call without a model.

    Without a task, y decides by the rule of `bough.data.target.task_of_target`.

    >>> read_alone([[1.0], [2.0]], [0.5, 1.5], None, None, None)[1]
    array([0.5, 1.5])
    """
    table = Table.read(X, categorical_features=categorical_features, ordinal_features=ordinal_features)
    found = task_of_target(y) if task is None else task
    return table, read_classes(y) if found == "classification" else read_numbers(y)


def target_of_tree(tree: Tree, y: Any) -> ClassTarget | Floats:
    """Return y as numbers or with the class codes of a tree.

    >>> from bough.example_models import iris_tree
    >>> target_of_tree(iris_tree(), ["virginica"]).codes
    array([2], dtype=int32)
    """
    if not tree.classes:
        return read_numbers(y)
    refusal = "y contains the class {label}; the classes of the tree are {classes}."
    return ClassTarget(tree.classes, read_classes(y).codes_in(tree.classes, refusal))


def tabulated(
    tree: Tree | None, node: int, table: Table, target: ClassTarget | Floats, weights: Weights
) -> dict[Reads, Sequence[ContingencyTable]]:
    """Return the contingency tables of a node for each kind of statistics that the criteria of the task read.

    >>> table, target = Table.read([[5.0], [10.0]]), read_classes(["no", "yes"])
    >>> tabulated(None, 0, table, target, read_weights(None, 2))["classes"][0].values
    array([ 5., 10.])
    """

    def tabulate(reads: Reads) -> Sequence[ContingencyTable]:
        engine = MemoryEngine(table, target, weights, reads=reads)
        if tree is not None:
            _route_to(engine, tree, node)
        if len(engine.rows(node)) == 0:
            raise ParameterError(
                f"No row of X reaches node {node}. Pass the rows that the tree was grown on."
            )
        return next(engine.tabulate([node]))

    if isinstance(target, ClassTarget):
        return {"classes": tabulate("classes")}
    tables: dict[Reads, Sequence[ContingencyTable]] = {"moments": tabulate("moments")}
    if (target >= 0).all() and (target > 0).any():
        tables["rates"] = tabulate("rates")
    if max(map(len, tables["moments"])) * len(np.unique(target)) <= _MOST_CELLS:
        tables["values"] = tabulate("values")
    return tables


def _route_to(engine: MemoryEngine, tree: Tree, node: int) -> None:
    """Route the rows through the ancestors of a node, so that the engine has the rows of the node."""
    for parent in tree.path(node)[:-1]:
        split, default = cast("Split", tree.split(parent)), int(tree.default_branch[parent])
        others = tuple(tree.surrogates_of(parent)) if tree.follows_surrogates else ()
        engine.route({parent: Routing(split, default, tree.children(parent)[0], others)})


def scored_candidates(
    tables: dict[Reads, Sequence[ContingencyTable]],
    schema: Schema,
    nominal: LevelKind,
    max_exhaustive: int,
    target: ClassTarget | Floats,
    loss_matrix: Floats | None = None,
    counted: Sequence[ContingencyTable] | None = None,
    costs: Floats | None = None,
    tree: Tree | None = None,
    whole: Sequence[ContingencyTable] | None = None,
) -> CandidateTable:
    """Return every candidate split of the tables with the value of every criterion that applies.

    `counted` are the tables of the weights in the node, if those of `tables` are changed by priors or losses,
    and `costs` is the loss of each answer (column) for each class (row). `tree` is the tree whose missing
    policy is followed, and `whole` are the tables of its root.

    >>> target = read_classes(["no", "yes"])
    >>> table = Table.read([[5.0], [10.0]])
    >>> tables = tabulated(None, 0, table, target, read_weights(None, 2))
    >>> scored_candidates(tables, table.schema, "subset", 12, target)[0].criteria["gini"]
    0.5
    """
    task: Task = "classification" if isinstance(target, ClassTarget) else "regression"
    readings = {name: statistics_of(name, task) for name in CRITERIA[task]}
    names = tuple([name for name in CRITERIA[task] if readings[name] in tables])
    blocks = []
    own_tables = tables["classes" if task == "classification" else "moments"]
    groups = _group_search(tree, own_tables if whole is None else whole, schema)
    for number, table in enumerate(own_tables):
        kind = kind_for(schema[table.column], nominal)
        for each in _grouped(groups, tree, table, schema):
            values = {
                name: _grouped_values(name, tables[readings[name]][number], each, loss_matrix)
                for name in names
            }
            blocks.append(Block(schema, table, each.listed(table), values, costs=costs, placed=each.placed))
        for placed in _placements(tree, table, kind):
            if len(placed.grouped(table)) < 2 or (groups is not None and groups.is_merging):
                continue
            listed = _placed_candidates(placed, table, kind, max_exhaustive)
            values = {
                name: _values(name, tables[readings[name]][number], listed, placed, loss_matrix)
                for name in names
            }
            own = table
            if counted is not None:
                own = counted[number]
                listed, values = _counted(table, own, listed, placed, values)
            blocks.append(Block(schema, own, listed, values, costs=costs, placed=placed))
    classes = classes_of(target)
    return CandidateTable(classes, names, tuple(blocks))


def _group_search(
    tree: Tree | None, tables: Sequence[ContingencyTable], schema: Schema
) -> GroupSearch | None:
    """Return the search of a tree that splits into groups, with the bins of all rows."""
    recipe = None if tree is None else recipe_of(tree)
    return None if recipe is None or recipe.grouping is None else GroupSearch(recipe, tables, schema)


def _grouped(
    groups: GroupSearch | None, tree: Tree | None, table: ContingencyTable, schema: Schema
) -> Iterator[GroupedCandidate]:
    if groups is not None and tree is not None:
        cases = float(table.cases.sum() + table.missing_cases)
        enough = _child_limits(tree, table)
        yield from groups.candidates(table, schema[table.column], cases, enough)


def _grouped_values(
    criterion: str, table: ContingencyTable, each: GroupedCandidate, loss_matrix: Floats | None
) -> Floats:
    loss, weight = split_loss(criterion, loss_matrix), np.array([table.weight])
    children = np.ascontiguousarray(each.statistics(table))
    values = _core.split_values(criterion, children, weight, table.targets, loss)
    return np.asarray(real_value(criterion, np.where(np.isfinite(values), values, np.nan), table.grid))


def _placements(tree: Tree | None, table: ContingencyTable, kind: SplitKind) -> Sequence[Placement]:
    """Return where the missing policy of a tree puts the missing values of a column."""
    if tree is None:
        return (NOWHERE,)
    enough = _child_limits(tree, table)
    return placements(tree.recipe.get("missing"), table, kind, own_leaf=enough.allow_leaf(table))


def _child_limits(tree: Tree, table: ContingencyTable) -> ChildLimits:
    recipe = recipe_of(tree)
    limits = Limits() if recipe is None else recipe.limits
    weight = scaled(limits.min_weight_fraction_leaf * float(tree.weight[0]), table.grid.weight_exponent)
    return ChildLimits.of(limits, float(tree.cases[0]), weight)


def _placed_candidates(
    placed: Placement, table: ContingencyTable, kind: SplitKind, max_exhaustive: int
) -> Candidates:
    """Return the candidates of a table; their branches are those of the rows of `placed.grouped`."""
    own = enumerate_candidates(placed.grouped(table), kind, max_exhaustive)
    return replace(own, statistics=placed.completed(table, own.statistics))


def _counted(
    table: ContingencyTable,
    counted: ContingencyTable,
    listed: Candidates,
    placed: Placement,
    values: dict[str, Floats],
) -> tuple[Candidates, dict[str, Floats]]:
    """Return candidates with the statistics of another table, and their values per unit of its weight."""
    factor = table.grid.weight(table.weight) / counted.grid.weight(counted.weight)
    children = replace(listed, statistics=_children(counted, listed, placed))
    return children, {name: each * factor for name, each in values.items()}


def _values(
    criterion: str, table: ContingencyTable, listed: Candidates, placed: Placement, loss_matrix: Floats | None
) -> Floats:
    """Return the value of a criterion for each candidate, NaN where it is undefined."""
    children = _children(table, listed, placed)
    weight = np.full(len(children), table.weight)
    loss = split_loss(criterion, loss_matrix)
    values = _core.split_values(criterion, children, weight, table.targets, loss)
    values = np.where(np.isfinite(values), values, np.nan)
    return np.asarray(real_value(criterion, values, table.grid))


def _children(table: ContingencyTable, listed: Candidates, placed: Placement) -> Floats:
    """Return the statistics of the children in this table, for candidates listed from another table."""
    if listed.kind in ("threshold", "complete"):
        return np.ascontiguousarray(_placed_candidates(placed, table, listed.kind, 0).statistics)
    grouped = placed.grouped(table).statistics
    first = np.array([listed.branches(i) == 0 for i in range(len(listed))], dtype=np.float64)
    return placed.completed(table, np.stack([first @ grouped, (1 - first) @ grouped], axis=1))
