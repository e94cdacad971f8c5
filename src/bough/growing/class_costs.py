"""What is at stake in a classification: how common the classes are taken to be, and what each error costs.

Splits are judged with altered priors, as Breiman et al. (1984, section 4.4) do it: a class whose errors cost
much counts as if it were more common. A node answers with the class of least expected loss.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from bough.data.schema import Level
from bough.data.target import ClassTarget, Weights
from bough.errors import ParameterError
from bough.types import Floats

_ROUNDING = 1e-9


@dataclass(frozen=True, eq=False)
class Stakes:
    """How a case of each class counts: in a split, in a node, and by what is lost on it; None: plainly.

    `split_scale[i]` multiplies the weight of a case of class i where splits are judged, `class_scale[i]`
    where nodes answer, and `loss[i, j]` is lost by answering j for it.
    """

    split_scale: Floats | None = None
    class_scale: Floats | None = None
    loss: Floats | None = None


def stakes_of(prior: Any, loss: Any, target: ClassTarget, weights: Weights) -> Stakes:
    """Return the stakes of given priors and losses; both may be None.

    >>> from bough.data.target import read_classes, read_weights
    >>> y = read_classes(["ill", "well", "well", "well"])
    >>> stakes = stakes_of({"ill": 0.5, "well": 0.5}, {("ill", "well"): 3}, y, read_weights(None, 4))
    >>> stakes.class_scale.round(3), stakes.split_scale.round(3)
    (array([2.   , 0.667]), array([3.   , 0.333]))
    """
    if prior is None and loss is None:
        return Stakes()
    k = len(target.classes)
    shares = np.bincount(target.codes, weights.weight, minlength=k)
    shares = shares / shares.sum()
    priors = None if prior is None else read_prior(prior, target.classes)
    losses = None if loss is None else read_loss(loss, target.classes)
    costs = (1.0 - np.eye(k) if losses is None else losses).sum(axis=1)
    altered = (shares if priors is None else priors) * costs
    if not altered.sum() > 0:
        raise ParameterError(
            "loss is 0 for every error of the classes that prior lets occur: nothing is at stake."
        )
    return Stakes(
        split_scale=altered / altered.sum() / shares,
        class_scale=None if priors is None else priors / shares,
        loss=losses,
    )


def read_prior(prior: Any, classes: tuple[Level, ...]) -> Floats:
    """Return the prior of each class, from a dict, a sequence that goes by the sorted classes, or "equal".

    >>> read_prior([0.2, 0.8], ("a", "b"))
    array([0.2, 0.8])
    >>> read_prior([0.2, 0.7], ("a", "b"))
    Traceback (most recent call last):
    bough.errors.ParameterError: prior sums to 0.9; priors are probabilities and sum to 1.
    """
    if isinstance(prior, str):
        if prior != "equal":
            raise ParameterError.of("prior", prior, "'equal', a dict from class to prior, or a prior a class")
        return np.full(len(classes), 1.0 / len(classes))
    if isinstance(prior, Mapping):
        _check_labels("prior", prior, classes)
        missing = [label for label in classes if label not in prior]
        if missing:
            raise ParameterError(f"prior has no entry for class {missing[0]!r}; give one for every class.")
        values = [prior[label] for label in classes]
    else:
        values = _in_tree_order(_vector("prior", prior, len(classes)), classes)
    priors = _numbers("prior", values)
    if (priors < 0).any() or not np.isfinite(priors).all():
        wrong = int(np.argmax(~((priors >= 0) & np.isfinite(priors))))
        raise ParameterError.of(f"prior of class {classes[wrong]!r}", priors[wrong].item(), "from 0 to 1")
    total = float(priors.sum())
    if abs(total - 1.0) > _ROUNDING:
        raise ParameterError(f"prior sums to {total:.10g}; priors are probabilities and sum to 1.")
    if (priors == 0).any():
        label = classes[int(np.argmin(priors))]
        raise ParameterError(f"prior of class {label!r} is 0; leave its rows out instead.")
    return priors


def read_loss(loss: Any, classes: tuple[Level, ...]) -> Floats:
    """Return the loss of each answer (column) for each true class (row), 1 for an error that is not named.

    A matrix goes by the sorted classes. A dict goes from (true class, answer) to loss.

    >>> read_loss({("ill", "well"): 10}, ("ill", "well"))
    array([[ 0., 10.],
           [ 1.,  0.]])
    >>> read_loss([[0, 1], [-1, 0]], ("ill", "well"))
    Traceback (most recent call last):
    bough.errors.ParameterError: loss of answering 'ill' for 'well' is -1.0; it must be a finite number of
    at least 0.
    """
    k = len(classes)
    if isinstance(loss, Mapping):
        matrix = 1.0 - np.eye(k)
        places = {label: place for place, label in enumerate(classes)}
        for pair, value in loss.items():
            if not (isinstance(pair, tuple) and len(pair) == 2 and all(label in places for label in pair)):
                known = ", ".join(map(repr, classes))
                raise ParameterError(
                    f"loss names {pair!r}; a key is (true class, answer), of classes {known}."
                )
            matrix[places[pair[0]], places[pair[1]]] = _numbers("loss", [value])[0]
    else:
        order = _tree_order(classes)
        rows = _rows(loss, k)
        matrix = np.array([_numbers("loss", row) for row in rows])[np.ix_(order, order)]
    _check_loss(matrix, classes)
    return np.ascontiguousarray(matrix)


def _check_loss(matrix: Floats, classes: tuple[Level, ...]) -> None:
    wrong = ~(np.isfinite(matrix) & (matrix >= 0))
    if wrong.any():
        true, answer = np.argwhere(wrong)[0]
        what = f"loss of answering {classes[answer]!r} for {classes[true]!r}"
        raise ParameterError.of(what, matrix[true, answer].item(), "a finite number of at least 0")
    if np.diagonal(matrix).any():
        label = classes[int(np.argmax(np.diagonal(matrix) != 0))]
        got = float(np.diagonal(matrix)[np.diagonal(matrix) != 0][0])
        raise ParameterError.of(
            f"loss of answering {label!r} for itself", got, "0: a right answer costs nothing"
        )
    if not matrix.any():
        raise ParameterError("loss is 0 everywhere; an error must cost something.")


def _rows(loss: Any, k: int) -> list[Any]:
    shape = _shape("loss", loss)
    if shape != (k, k):
        raise ParameterError(
            f"loss has shape {shape}; there are {k} classes, so it must be ({k}, {k}): a row for each true "
            "class, a column for each answer, both in sorted order."
        )
    return list(loss)


def _vector(name: str, values: Any, k: int) -> list[Any]:
    shape = _shape(name, values)
    if shape != (k,):
        raise ParameterError(f"{name} has shape {shape}; give one number for each of the {k} classes.")
    return list(values)


def _numbers(name: str, values: list[Any]) -> Floats:
    try:
        numbers = np.array(values, dtype=np.float64)
    except (TypeError, ValueError):
        numbers = None
    if numbers is None or numbers.ndim != 1:
        raise ParameterError.of(name, values, "made of numbers")
    return numbers


def _shape(name: str, values: Any) -> tuple[int, ...]:
    if isinstance(values, str):
        return ()
    try:
        return np.shape(values)
    except ValueError:
        raise ParameterError(f"{name} is {values!r}, whose rows differ in length.") from None


def _tree_order(classes: tuple[Level, ...]) -> list[int]:
    """Where each class of the tree stands among the sorted ones."""
    ordered = sorted(range(len(classes)), key=lambda place: classes[place])
    return [ordered.index(place) for place in range(len(classes))]


def _in_tree_order(values: list[Any], classes: tuple[Level, ...]) -> list[Any]:
    return [values[place] for place in _tree_order(classes)]


def _check_labels(name: str, given: Mapping[Any, Any], classes: tuple[Level, ...]) -> None:
    unknown = [label for label in given if label not in classes]
    if unknown:
        known = ", ".join(map(repr, classes))
        raise ParameterError(f"{name} names class {unknown[0]!r}, but the classes are {known}.")
