"""Predictions by the linear models of the nodes, for trees that have them."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

import bough._core as _core
from bough.data.words import name_words
from bough.jobs import n_threads
from bough.tree.answer import answers_of
from bough.tree.leaf_models import LinearModel
from bough.tree.nodes import Nodes
from bough.tree.routing import column_values
from bough.types import Floats

if TYPE_CHECKING:
    from bough.data.table import Table


def model_answers(tree: Nodes, table: Table, ends: npt.NDArray[Any], n_jobs: int | None = None) -> Floats:
    """Return the prediction of each row by the model of the node where it ends, or by its mean.

    >>> from dataclasses import replace
    >>> from bough.example_models import cars_tree
    >>> from bough.tree.leaf_models import LeafModels, Term
    >>> models = [None, LinearModel(45.0, (Term(1, -0.2, 80.0),)), None, None, None]
    >>> tree = replace(cars_tree(), leaf_models=LeafModels.of_nodes(models))
    >>> model_answers(tree, tree._table([[4.0, 100.0]]), np.array([1]))
    array([25.])
    """
    nodes = tree.answering[ends]
    means = answers_of(tree).values[ends]
    models = tree.leaf_models
    if models is None:
        return np.asarray(means)
    if table.is_sparse or (models.column >= len(tree.schema)).any():
        return models.answers(partial(column_values, tree, table), nodes, means)
    return np.asarray(
        _core.predict_by_models(
            models.given(), table.native(), table.n_rows, nodes.astype(np.int32), means, n_threads(n_jobs)
        )
    )


def model_of(tree: Nodes, node: int) -> LinearModel | None:
    """Return the linear model by which a node predicts, or None if it predicts from its statistics.

    >>> from bough.example_models import cars_tree
    >>> model_of(cars_tree(), 1) is None
    True
    """
    return None if tree.leaf_models is None else tree.leaf_models.model(int(tree.answering[node]))


def model_words(tree: Nodes, node: int, most: int | None = None) -> str | None:
    """Return the model of a node as text, "y = 3 + 2 × age", or None if it has none.

    >>> from dataclasses import replace
    >>> from bough.example_models import cars_tree
    >>> from bough.tree.leaf_models import LeafModels, Term
    >>> models = [None, LinearModel(45.0, (Term(1, -0.2, 80.0),)), None, None, None]
    >>> model_words(replace(cars_tree(), leaf_models=LeafModels.of_nodes(models)), 1)
    'mpg = 45 - 0.2 × hp'
    """
    model = model_of(tree, node)
    if model is None:
        return None
    return f"{target_words(tree)} = {model.words(tree.wide_schema, most)}"


def target_words(tree: Nodes) -> str:
    """Return the name of the target as text, y if it has none.

    >>> from bough.example_models import cars_tree
    >>> target_words(cars_tree())
    'mpg'
    """
    name = tree.schema.target_label(tree.target_name)
    return name_words(name) if name else "y"
