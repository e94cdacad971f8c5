"""What a node answers: the class of most weight, the shares of the classes, or a number.

A node that holds no weight, such as a branch of a complete split that no row took, answers as its nearest
ancestor that holds some.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from bough.data.schema import Level
from bough.errors import ParameterError, TargetError
from bough.jobs import n_threads
from bough.tree.c50 import c50_predictor
from bough.tree.structure import read_only
from bough.types import Floats

if TYPE_CHECKING:
    from bough import _core
    from bough.data.table import Table
    from bough.tree import Tree

Smoothing: TypeAlias = Literal["none", "laplace"] | float

_ROUNDING = 1e-12


class NodeAnswers:
    """What each node of a tree answers, computed when it is first asked for.

    >>> from bough.example_models import iris_tree
    >>> NodeAnswers(iris_tree()).codes
    array([0, 0, 1, 1, 2])
    """

    def __init__(self, tree: Tree) -> None:
        self._tree = tree

    @cached_property
    def codes(self) -> npt.NDArray[np.intp]:
        """The position among the classes of each node's answer: of least loss, of equals the first."""
        tree, weights = self._tree, self._tree.class_weights()
        if tree.class_scale is None and tree.loss_matrix is None:
            return read_only(weights.argmax(axis=1))
        losses = expected_losses(weights, tree.class_scale, tree.loss_matrix)
        least = losses.min(axis=1, keepdims=True)
        # Losses that are equal but for rounding are equal.
        return read_only(np.argmax(losses <= least + _ROUNDING * losses.max(axis=1, keepdims=True), axis=1))

    @cached_property
    def values(self) -> npt.NDArray[Any]:
        """The class or the number that each node answers."""
        tree = self._tree
        if tree.task == "regression":
            return read_only(tree.statistics[tree.answering, 0])
        return read_only(label_array(tree.classes)[self.codes])

    @cached_property
    def deviation(self) -> Floats:
        """How far the numbers in each node lie from its answer."""
        tree = self._tree
        # The risk of a method that the user wrote is in a measure of its own.
        criterion = "absolute_error" if "method" in tree.recipe else tree.criterion
        return read_only(deviation(tree.risk, tree.weight, criterion))

    def by_c50(self, table: Table, n_jobs: int | None) -> tuple[Floats, npt.NDArray[np.int32]]:
        """Return the probabilities and the class code of each row in C5.0's arithmetic."""
        return self._c50.predict(table.native(), table.n_rows, 0, n_threads(n_jobs))

    @cached_property
    def _c50(self) -> _core.C50Predictor:
        return c50_predictor([self._tree])


def refuse_numbers(tree: Tree, method: str) -> None:
    """Refuse to answer with classes for a tree of numbers.

    >>> from bough.example_models import cars_tree
    >>> refuse_numbers(cars_tree(), "predict_proba")
    Traceback (most recent call last):
    bough.errors.TargetError: predict_proba: this tree answers with numbers and has no classes. Call predict.
    """
    if tree.task == "regression":
        raise TargetError(f"{method}: this tree answers with numbers and has no classes. Call predict.")


def answering_nodes(parent: npt.NDArray[np.int32], weight: Floats) -> npt.NDArray[np.int32]:
    """Return, for each node, the node that answers in its place: itself, or if empty an ancestor.

    >>> answering_nodes(np.array([-1, 0, 0, 2, 2], np.int32), np.array([4.0, 4.0, 0.0, 0.0, 0.0]))
    array([0, 1, 0, 0, 0], dtype=int32)
    """
    nodes = np.arange(len(parent), dtype=np.int32)
    empty = weight == 0
    empty[0] = False
    if not empty.any():
        return nodes
    answering = np.where(empty, parent, nodes)
    # Each round doubles how far up an empty node looks, so a chain of empty nodes costs few rounds.
    while empty[answering].any():
        answering = answering[answering]
    return answering


def label_array(classes: tuple[Level, ...]) -> npt.NDArray[Any]:
    """Return the class labels as an array that keeps their type; labels of mixed types as objects.

    >>> label_array(("no", "yes")), label_array((0, 1)), label_array((1, 2.5))
    (array(['no', 'yes'], dtype='<U3'), array([0, 1]), array([1, 2.5], dtype=object))
    """
    if len(set(map(type, classes))) == 1:
        labels = np.array(classes)
        values = labels.tolist()
        # numpy drops trailing NULs of text and makes floats of whole numbers beyond 64 bits.
        if tuple(values) == classes and type(values[0]) is type(classes[0]):
            return labels
    labels = np.empty(len(classes), dtype=object)
    labels[:] = classes
    return labels


def shares(weights: Floats, prior: Floats, smoothing: Smoothing = "none") -> Floats:
    """Return the probability of each class (last axis) from class weights, smoothed as said.

    "none" gives the shares themselves; "laplace" adds one case to each of the K classes, so that one click
    of one view is not 100 %; a number m adds m cases shared out as `prior` says (the m-estimate).

    >>> clicks, prior = np.array([[1.0, 0.0]]), np.array([0.1, 0.9])
    >>> shares(clicks, prior), shares(clicks, prior, "laplace"), shares(clicks, prior, 9.0)
    (array([[1., 0.]]), array([[0.66666667, 0.33333333]]), array([[0.19, 0.81]]))
    """
    check_smoothing(smoothing)
    added: Floats | float = 0.0
    if smoothing == "laplace":
        added = np.ones_like(prior)
    elif smoothing != "none":
        added = prior * (float(smoothing) / prior.sum())
    smoothed = weights + added
    result: Floats = smoothed / smoothed.sum(axis=-1, keepdims=True)
    return result


def expected_losses(weights: Floats, class_scale: Floats | None, loss: Floats | None) -> Floats:
    """Return what each answer (last axis) loses, from class weights.

    A case of class i counts `class_scale[i]` times, and answering j for it loses `loss[i, j]`: 1 for every
    error unless told.

    >>> expected_losses(np.array([[3.0, 1.0]]), None, np.array([[0.0, 1.0], [5.0, 0.0]]))
    array([[5., 3.]])
    """
    scaled = weights if class_scale is None else weights * class_scale
    if loss is None:
        total: Floats = scaled.sum(axis=-1, keepdims=True) - scaled
        return total
    losses: Floats = scaled @ loss
    return losses


def check_smoothing(smoothing: object) -> None:
    """Refuse a smoothing that is not known.

    >>> check_smoothing(-1)
    Traceback (most recent call last):
    bough.errors.ParameterError: smoothing is -1; it must be 'none', 'laplace' or a positive number.
    """
    is_known = smoothing in ("none", "laplace") if isinstance(smoothing, str) else _is_positive(smoothing)
    if not is_known:
        raise ParameterError.of("smoothing", smoothing, "'none', 'laplace' or a positive number")


def _is_positive(value: object) -> bool:
    is_number = isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)
    return is_number and 0 < value <= float(np.finfo(np.float64).max)  # type: ignore[operator]


def deviation(risk: Floats, weight: Floats, criterion: str) -> Floats:
    """Return how far the numbers in each node lie from its answer, in the criterion's own measure.

    The mean error under absolute error and Poisson, else the root of the mean squared error; NaN where there
    is no weight.

    >>> deviation(np.array([8.0, 0.0]), np.array([2.0, 0.0]), "squared_error")
    array([ 2., nan])
    """
    mean = np.full(len(risk), np.nan)
    np.divide(risk, weight, out=mean, where=weight > 0)
    return mean if criterion in ("absolute_error", "poisson") else np.sqrt(mean)
