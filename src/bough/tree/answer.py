"""What a node answers: the class of most weight, the shares of the classes, or a number.

A node that holds no weight, such as a branch of a complete split that no row took, answers as its nearest
ancestor that holds some.
"""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from bough.data.schema import Level
from bough.errors import ParameterError
from bough.types import Floats

Smoothing: TypeAlias = Literal["none", "laplace"] | float


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


def spread(risk: Floats, weight: Floats, criterion: str) -> Floats:
    """Return how far the numbers in each node lie from its answer, in the criterion's own measure.

    The mean error under absolute error and Poisson, else the root of the mean squared error; NaN where there
    is no weight.

    >>> spread(np.array([8.0, 0.0]), np.array([2.0, 0.0]), "squared_error")
    array([ 2., nan])
    """
    mean = np.full(len(risk), np.nan)
    np.divide(risk, weight, out=mean, where=weight > 0)
    return mean if criterion in ("absolute_error", "poisson") else np.sqrt(mean)
