"""The prediction of a node: a class, the probabilities of the classes, or a number.

A node of weight 0, such as a branch of a complete split that no row took, predicts as its nearest ancestor of
positive weight.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from bough.data.schema import Level
from bough.errors import ParameterError, TargetError
from bough.tree.nodes import Nodes
from bough.tree.structure import read_only
from bough.types import Floats, Smoothing

_MOST_SMOOTHING = 1e15

_ROUNDING = 1e-12

_J48_TIE = 1e-6
"""Weka's J48 takes probabilities that differ by no more than this for equal."""


class NodeAnswers:
    """The prediction of each node of a tree, computed on first use.

    >>> from bough.example_models import iris_tree
    >>> NodeAnswers(iris_tree()).codes
    array([0, 0, 1, 1, 2])
    """

    def __init__(self, tree: Nodes) -> None:
        self._tree = tree

    @cached_property
    def class_weights(self) -> Floats:
        """The class weights that each node predicts from, one row per node."""
        tree = self._tree
        return tree.statistics if (tree.weight > 0).all() else tree.statistics[tree.answering]

    @cached_property
    def codes(self) -> npt.NDArray[np.intp]:
        """The position in `classes` of each node's class of least expected loss; the first wins a tie.

        The losses are expected under the smoothed probabilities, so that without a loss matrix the class is
        the one that `predict_proba` gives the greatest probability. C5.0 answers by its own arithmetic.
        """
        tree, weights, scale = self._tree, self.class_weights, self._tree.class_scale
        if tree.smoothing != "none" and tree.arithmetic != "c5.0":
            scaled = weights if scale is None else weights * scale
            weights, scale = shares(scaled, scaled[0], tree.smoothing), None
        if scale is None and tree.loss_matrix is None:
            return read_only(most_probable(tree, weights))
        losses = expected_losses(weights, scale, tree.loss_matrix)
        least = losses.min(axis=1, keepdims=True)
        # Losses that differ only by rounding count as a tie.
        return read_only(np.argmax(losses <= least + _ROUNDING * losses.max(axis=1, keepdims=True), axis=1))

    @cached_property
    def values(self) -> npt.NDArray[Any]:
        """The class or the number that each node predicts."""
        tree = self._tree
        if tree.task == "regression":
            return read_only(tree.statistics[tree.answering, 0])
        return read_only(label_array(tree.classes)[self.codes])

    @cached_property
    def confidence(self) -> Floats:
        """The share of the predicted class in the class weights of each node, under the tree's priors."""
        tree, weights = self._tree, self.class_weights
        scaled = weights if tree.class_scale is None else weights * tree.class_scale
        predicted = np.take_along_axis(scaled, self.codes[:, None], axis=1)[:, 0]
        return read_only(predicted / scaled.sum(axis=1))

    @cached_property
    def deviation(self) -> Floats:
        """The training error of each node of a regression tree."""
        tree = self._tree
        # The risk that a user's own method returns is an error of unknown kind, so its mean is taken.
        criterion = "absolute_error" if "method" in tree.recipe else tree.criterion
        return read_only(deviation(tree.risk, tree.weight, criterion))


def answers_of(tree: Nodes) -> NodeAnswers:
    """Return the predictions of the nodes of a tree; they are computed once for each tree.

    >>> from bough.example_models import cars_tree
    >>> answers_of(cars_tree()).deviation.round(2)
    array([5.93, 4.3 , 3.07, 2.07, 2.03])
    """
    found: NodeAnswers | None = tree.__dict__.get("_answers")
    if found is None:
        tree.__dict__["_answers"] = found = NodeAnswers(tree)
    return found


def most_probable(tree: Nodes, probabilities: Floats) -> npt.NDArray[np.intp]:
    """Return the code of the most probable class of each row; the first wins a tie.

    In a tree of J48, a later class wins only if it is more probable by more than 1e-6, as in Weka: averages
    over several leaves that are equal but for rounding are a tie.

    >>> from bough.example_models import iris_tree
    >>> most_probable(iris_tree(), np.array([[0.3, 0.4, 0.3], [0.3, 0.35, 0.35]]))
    array([1, 1])
    """
    best: npt.NDArray[np.intp] = probabilities.argmax(axis=1)
    if program_of(tree) != "J48":
        return best
    best = np.zeros_like(best)
    most = probabilities[:, 0].copy()
    for code in range(1, probabilities.shape[1]):
        is_more = probabilities[:, code] - most > _J48_TIE
        best[is_more] = code
        most[is_more] = probabilities[is_more, code]
    return best


def program_of(tree: Nodes) -> str:
    """Return the program whose tree this is, as the recipe names it; "" if it names none.

    >>> from bough import C45Classifier
    >>> program_of(C45Classifier(variant="j48").fit([[1.0], [2.0]], ["a", "b"]).tree_)
    'J48'
    """
    settings = tree.recipe.get("settings")
    return str(settings.get("program", "")) if isinstance(settings, dict) else ""


def node_answer(tree: Nodes, node: int) -> Level:
    """Return the prediction of one node, as a plain Python value.

    >>> from bough.example_models import iris_tree
    >>> node_answer(iris_tree(), 1)
    'setosa'
    """
    if tree.task == "regression":
        return float(tree.statistics[tree.answering[node], 0])
    return tree.classes[int(answers_of(tree).codes[node])]


def refuse_numbers(tree: Nodes, method: str) -> None:
    """Raise `TargetError` if the tree is a regression tree.

    >>> from bough.example_models import cars_tree
    >>> refuse_numbers(cars_tree(), "predict_proba")
    Traceback (most recent call last):
    bough.errors.TargetError: predict_proba: this tree predicts numbers and has no classes. Call predict.
    """
    if tree.task == "regression":
        raise TargetError(f"{method}: this tree predicts numbers and has no classes. Call predict.")


def label_array(classes: tuple[Level, ...]) -> npt.NDArray[Any]:
    """Return the class labels as an array of their type; labels of mixed types make an object array.

    >>> label_array(("no", "yes")), label_array((0, 1)), label_array((1, 2.5))
    (array(['no', 'yes'], dtype='<U3'), array([0, 1]), array([1, 2.5], dtype=object))
    """
    if len(set(map(type, classes))) == 1:
        labels = np.array(classes)
        values = labels.tolist()
        # numpy drops trailing NULs of text, and turns integers beyond 64 bits into floats.
        if tuple(values) == classes and type(values[0]) is type(classes[0]):
            return labels
    labels = np.empty(len(classes), dtype=object)
    labels[:] = classes
    return labels


def shares(weights: Floats, prior: Floats, smoothing: Smoothing = "none") -> Floats:
    """Return the probability of each class (last axis), computed from class weights.

    `smoothing` is "none" for the relative weights; "laplace", which adds one case to each of the K classes;
    or a number m, which adds m cases in the proportions of `prior` (the m-estimate).

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
    """Return the expected loss of predicting each class (last axis), computed from class weights.

    A case of class i counts `class_scale[i]` times, and predicting class j for it costs `loss[i, j]`. By
    default every error costs 1.

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
    """Raise `ParameterError` if the value is not a valid smoothing.

    >>> check_smoothing(-1)
    Traceback (most recent call last):
    bough.errors.ParameterError: smoothing is -1; it must be 'none', 'laplace' or a positive number of at most
    1e+15.
    """
    is_known = smoothing in ("none", "laplace") if isinstance(smoothing, str) else _is_positive(smoothing)
    if not is_known:
        wanted = f"'none', 'laplace' or a positive number of at most {_MOST_SMOOTHING:g}"
        raise ParameterError.of("smoothing", smoothing, wanted)


def _is_positive(value: object) -> bool:
    is_number = isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)
    return is_number and 0 < value <= _MOST_SMOOTHING  # type: ignore[operator]


def deviation(risk: Floats, weight: Floats, criterion: str) -> Floats:
    """Return the training error of each node of a regression tree; NaN where the weight is 0.

    It is the mean error for the absolute error and Poisson criteria, and the root mean squared error for
    others.

    >>> deviation(np.array([8.0, 0.0]), np.array([2.0, 0.0]), "squared_error")
    array([ 2., nan])
    """
    mean = np.full(len(risk), np.nan)
    np.divide(risk, weight, out=mean, where=weight > 0)
    return mean if criterion in ("absolute_error", "poisson") else np.sqrt(mean)
