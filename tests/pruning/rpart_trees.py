"""The trees that R's rpart stored, as trees of bough. Their nodes are known by rpart's numbers."""

import math
from dataclasses import dataclass
from typing import Any

from tests.oracle.reference import Case, read_schema

from bough.data.schema import Column, Schema
from bough.tree import Tree
from bough.tree.split import Levels, Split, Threshold

CRITERIA = {"class": "gini", "anova": "squared_error", "poisson": "poisson", "exp": "poisson"}


@dataclass(frozen=True, eq=False)
class Stored:
    """A stored case: its nodes by rpart's numbers, and the tree with the number of each of its nodes."""

    output: dict[str, Any]
    nodes: dict[int, dict[str, Any]]
    tree: Tree
    ids: list[int]

    def ids_of(self, pruned: Tree) -> list[int]:
        """The numbers of the nodes of a pruned tree, read off its shape alone."""
        ids = [1]
        for node in range(pruned.n_nodes):
            if not pruned.is_leaf[node]:
                ids += children(self.nodes[ids[node]])
        return ids


def children(node: dict[str, Any]) -> list[int]:
    """The numbers of the children in the order of bough's branches: rpart's left may be the upper side."""
    left = 2 * node["id"]
    return [left + 1, left] if node["primary"].get("left") == ">=" else [left, left + 1]


def read_tree(case: Case) -> Stored:
    """Build the tree of a stored case."""
    output = case.output
    nodes = {node["id"]: node for node in output["nodes"]}
    features = [column for column in read_schema(case.dataset)["columns"] if column["role"] == "feature"]
    schema = Schema(
        tuple(Column(each["name"], each["type"], tuple(each.get("levels", ()))) for each in features)
    )
    ids = [1]
    splits: list[Split | None] = []
    for number in ids:
        node = nodes[number]
        splits.append(split_of(node["primary"], schema) if node.get("primary") else None)
        ids += children(node) if node.get("primary") else []
    inner = [nodes[number] for number in ids]
    is_class = output["method"] == "class"
    statistics = [node["class_counts"] if is_class else [node["yval"]] for node in inner]
    tree = Tree.from_splits(
        splits,
        schema=schema,
        task="classification" if is_class else "regression",
        classes=tuple(case.file["y_levels"]) if is_class else (),
        target_name=output["response"],
        criterion=CRITERIA[output["method"]],
        rows=[node["n"] for node in inner],
        weight=[math.fsum(each) for each in statistics] if is_class else [node["wt"] for node in inner],
        statistics=statistics,
        risk=[node["dev"] for node in inner],
    )
    tree.check()
    return Stored(output, nodes, tree, ids)


def split_of(primary: dict[str, Any], schema: Schema) -> Split:
    """The split of a node; rpart numbers the levels of an ordinal column from 1."""
    position = schema.names.index(primary["var"])
    column = schema[position]
    if "threshold" in primary:
        cut = primary["threshold"]
        return Threshold(position, cut if column.scale == "numeric" else math.ceil(cut - 1) - 0.5)
    sides = [primary["levels_left"], primary["levels_right"]]
    codes = [[column.levels.index(level) for level in side] for side in sides]
    branches = [branch for branch, side in enumerate(codes) for _ in side]
    return Levels(position, "subset", tuple(codes[0] + codes[1]), tuple(branches), 2)
