"""Predictions by the linear models of the nodes, for trees that have them."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

import bough._core as _core
from bough.data.schema import Level
from bough.data.words import level_words, name_words
from bough.errors import ParameterError
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


def model_scores(tree: Nodes, table: Table, ends: npt.NDArray[Any], n_jobs: int | None = None) -> Floats:
    """Return the score of each class for each row, by the models of the node where it ends.

    The softmax of the scores gives the probabilities. In a node without models the scores are the logarithms
    of its shares.

    >>> from bough.example_models import logistic_tree
    >>> tree = logistic_tree()
    >>> model_scores(tree, tree._table([[4.0, 100.0]]), np.array([1])).round(2)
    array([[0., 1.]])
    """
    models, k = tree.leaf_models, n_scores(tree)
    assert models is not None
    nodes = tree.answering[ends].astype(np.int32) * k
    zeros, scores = np.zeros(table.n_rows), []
    for score in range(k):
        if table.is_sparse or (models.column >= len(tree.schema)).any():
            scores.append(models.answers(partial(column_values, tree, table), nodes + score, zeros))
        else:
            native = _core.predict_by_models(
                models.given(), table.native(), table.n_rows, nodes + score, zeros, n_threads(n_jobs)
            )
            scores.append(np.asarray(native))
    if k == 1:
        scores.insert(0, zeros)
    of_classes = np.column_stack(scores)
    without = np.isnan(models.intercept[nodes])
    if without.any():
        weights = answers_of(tree).class_weights[ends[without]]
        with np.errstate(divide="ignore"):
            of_classes[without] = np.log(weights / weights.sum(axis=1, keepdims=True))
    return of_classes


def softmax(scores: Floats) -> Floats:
    """Return the probabilities of classes that have some scores, row by row.

    A single score is that of the second of two classes; the first has 0.

    >>> softmax(np.array([[0.0, 0.0], [1000.0, 0.0]]))
    array([[0.5, 0.5],
           [1. , 0. ]])
    >>> softmax(np.array([[0.0]]))
    array([[0.5, 0.5]])
    """
    scores = np.pad(scores, ((0, 0), (1, 0))) if scores.shape[1] == 1 else scores
    shares = np.exp(scores - scores.max(axis=1, keepdims=True))
    return np.asarray(shares / shares.sum(axis=1, keepdims=True))


def n_scores(tree: Nodes) -> int:
    """Return the number of linear models that each node of a tree has if it has any.

    >>> from bough.example_models import cars_tree, iris_tree
    >>> n_scores(cars_tree()), n_scores(iris_tree())
    (1, 3)
    """
    return len(tree.classes) if len(tree.classes) > 2 else 1


def models_of(tree: Nodes, node: int) -> tuple[LinearModel, ...]:
    """Return the linear models by which a node predicts, one for each score; none if it has no models.

    >>> from bough.example_models import cars_tree
    >>> models_of(cars_tree(), 1)
    ()
    """
    if tree.leaf_models is None:
        return ()
    k = n_scores(tree)
    first = int(tree.answering[node]) * k
    models = [tree.leaf_models.model(place) for place in range(first, first + k)]
    return tuple(model for model in models if model is not None)


def model_of(tree: Nodes, node: int, label: Level | None = None) -> LinearModel | None:
    """Return the linear model by which a node predicts, or None if it predicts from its statistics.

    Of three classes or more it is the score of the class `label`.

    >>> from bough.example_models import cars_tree
    >>> model_of(cars_tree(), 1) is None
    True
    """
    models = models_of(tree, node)
    if len(models) < 2:
        return models[0] if models else None
    if label not in tree.classes:
        raise ParameterError.of("label", label, f"one of the classes {', '.join(map(repr, tree.classes))}")
    return models[tree.classes.index(label)]


def model_lines(tree: Nodes, node: int, most: int | None = None) -> list[str]:
    """Return the models of a node as text, one line for each; an empty list if it has none.

    >>> from bough.example_models import logistic_tree
    >>> model_lines(logistic_tree(), 1)
    ['log-odds of efficient = 5 - 0.04 × hp']
    """
    models = models_of(tree, node)
    if tree.task == "regression":
        names = [target_words(tree)]
    elif len(models) == 1:
        names = [f"log-odds of {level_words(tree.classes[1])}"]
    else:
        names = [f"score of {level_words(label)}" for label in tree.classes]
    return [
        f"{name} = {model.words(tree.wide_schema, most)}" for name, model in zip(names, models, strict=False)
    ]


def model_words(tree: Nodes, node: int, most: int | None = None) -> str | None:
    """Return the models of a node as text, "y = 3 + 2 × age", or None if it has none.

    >>> from dataclasses import replace
    >>> from bough.example_models import cars_tree
    >>> from bough.tree.leaf_models import LeafModels, Term
    >>> models = [None, LinearModel(45.0, (Term(1, -0.2, 80.0),)), None, None, None]
    >>> model_words(replace(cars_tree(), leaf_models=LeafModels.of_nodes(models)), 1)
    'mpg = 45 - 0.2 × hp'
    """
    return "; ".join(model_lines(tree, node, most)) or None


def target_words(tree: Nodes) -> str:
    """Return the name of the target as text, y if it has none.

    >>> from bough.example_models import cars_tree
    >>> target_words(cars_tree())
    'mpg'
    """
    name = tree.schema.target_label(tree.target_name)
    return name_words(name) if name else "y"
