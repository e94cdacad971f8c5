"""Prior probabilities of the classes and losses of misclassification.

Splits are evaluated with altered priors, as in Breiman et al. (1984, section 4.4): a class whose errors cost
more counts as if it were more frequent. A node predicts the class of least expected loss.
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
class ClassCosts:
    """Factors of the weights of each class, and the loss matrix; None has no effect.

    `split_scale[i]` multiplies the weight of class i when splits are evaluated, `class_scale[i]` when a node
    predicts; `loss_matrix[i, j]` is the loss of predicting j for class i.
    """

    split_scale: Floats | None = None
    class_scale: Floats | None = None
    loss_matrix: Floats | None = None


def class_costs(prior: Any, loss_matrix: Any, target: ClassTarget, weights: Weights) -> ClassCosts:
    """Return the factors for given priors and losses; both may be None.

    A class without rows, which a sample may lack, has the factor 0; the others share its prior.

    >>> from bough.data.target import read_classes, read_weights
    >>> y = read_classes(["ill", "well", "well", "well"])
    >>> costs = class_costs({"ill": 0.5, "well": 0.5}, {("ill", "well"): 3}, y, read_weights(None, 4))
    >>> costs.class_scale.round(3), costs.split_scale.round(3)
    (array([2.   , 0.667]), array([3.   , 0.333]))
    """
    if prior is None and loss_matrix is None:
        return ClassCosts()
    k = len(target.classes)
    shares = np.bincount(target.codes, weights.weight, minlength=k)
    shares = shares / shares.sum()
    present = shares > 0
    priors = None if prior is None else np.where(present, read_prior(prior, target.classes), 0.0)
    losses = None if loss_matrix is None else read_loss_matrix(loss_matrix, target.classes)
    costs = np.full(k, max(k - 1.0, 1.0)) if losses is None else losses.sum(axis=1)
    altered = (shares if priors is None else priors) * costs
    if not altered.sum() > 0:
        raise ParameterError(
            "loss_matrix is 0 for every error of the classes of positive prior; one loss must be positive."
        )
    shares = np.where(present, shares, 1.0)
    return ClassCosts(
        split_scale=altered / altered.sum() / shares,
        class_scale=None if priors is None else priors / shares,
        loss_matrix=losses,
    )


def prior_without(prior: Any, classes: tuple[Level, ...], absent: tuple[Level, ...]) -> Any:
    """Return a prior of `classes` and `absent` as one of `classes` alone.

    >>> prior_without({"a": 0.2, "b": 0.3, "c": 0.5}, ("a", "b"), ("c",))
    {'a': 0.4, 'b': 0.6}
    """
    if prior is None or isinstance(prior, str) or not absent:
        return prior
    every = tuple(sorted((*classes, *absent)))
    named = isinstance(prior, Mapping)
    if set(prior) <= set(classes) if named else _shape("prior", prior) != (len(every),):
        return prior
    kept = np.array([label in classes for label in every])
    priors = read_prior(prior, every)[kept]
    shares = (priors / priors.sum()).tolist()
    return dict(zip(np.array(every, dtype=object)[kept], shares, strict=True)) if named else shares


def losses_without(loss_matrix: Any, classes: tuple[Level, ...], absent: tuple[Level, ...]) -> Any:
    """Return losses of `classes` and `absent` as those of `classes` alone.

    >>> losses_without([[0, 2, 9], [3, 0, 9], [9, 9, 0]], ("a", "b"), ("c",))
    [[0, 2], [3, 0]]
    >>> losses_without({("a", "b"): 2, ("a", "c"): 9}, ("a", "b"), ("c",))
    {('a', 'b'): 2}
    """
    if loss_matrix is None or not absent:
        return loss_matrix
    if isinstance(loss_matrix, Mapping):
        gone = set(absent)
        return {
            pair: loss
            for pair, loss in loss_matrix.items()
            if not (isinstance(pair, tuple) and gone.intersection(pair))
        }
    every = sorted((*classes, *absent))
    if _shape("loss_matrix", loss_matrix) != (len(every), len(every)):
        return loss_matrix
    kept = [position for position, label in enumerate(every) if label in classes]
    return [[loss_matrix[true][predicted] for predicted in kept] for true in kept]


def read_prior(prior: Any, classes: tuple[Level, ...]) -> Floats:
    """Return the prior of each class, from a dict, a sequence in the order of the sorted classes, or "equal".

    >>> read_prior([0.2, 0.8], ("a", "b"))
    array([0.2, 0.8])
    >>> read_prior([0.2, 0.7], ("a", "b"))
    Traceback (most recent call last):
    bough.errors.ParameterError: prior sums to 0.9; priors are probabilities and sum to 1.
    """
    if isinstance(prior, str):
        if prior != "equal":
            raise ParameterError.of(
                "prior", prior, "'equal', a dict from class to prior, or a prior for each class"
            )
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


def read_loss_matrix(loss_matrix: Any, classes: tuple[Level, ...], *, positive: bool = False) -> Floats:
    """Return the loss of each predicted class (column) for each true class (row); errors not named cost 1.

    The argument is a matrix in the order of the sorted classes, or a dict from (true class, predicted class)
    to loss. Losses are not negative, and the diagonal is 0. With `positive`, every loss off the diagonal must
    be positive and the diagonal is ignored, as in C5.0.

    >>> read_loss_matrix({("ill", "well"): 10}, ("ill", "well"))
    array([[ 0., 10.],
           [ 1.,  0.]])
    >>> read_loss_matrix([[0, 1], [-1, 0]], ("ill", "well"))
    Traceback (most recent call last):
    bough.errors.ParameterError: loss of predicting 'ill' for 'well' is -1.0; it must be a finite number of
    at least 0.
    """
    matrix = any_loss_matrix(loss_matrix, classes)
    if positive:
        np.fill_diagonal(matrix, 0.0)
    _check_losses(matrix, classes, positive=positive)
    return matrix


def any_loss_matrix(loss_matrix: Any, classes: tuple[Level, ...]) -> Floats:
    """Return the loss of each predicted class (column) for each true class (row), unchecked.

    >>> any_loss_matrix([[-5, 1], [2, 0]], ("well", "ill"))
    array([[ 0.,  2.],
           [ 1., -5.]])
    """
    k = len(classes)
    if not isinstance(loss_matrix, Mapping):
        order = _tree_order(classes)
        rows = _rows(loss_matrix, k)
        sorted_matrix = np.array([_numbers("loss_matrix", row) for row in rows])
        return np.ascontiguousarray(sorted_matrix[np.ix_(order, order)])
    matrix: Floats = 1.0 - np.eye(k)
    codes = {label: code for code, label in enumerate(classes)}
    for pair, value in loss_matrix.items():
        if not (isinstance(pair, tuple) and len(pair) == 2 and all(label in codes for label in pair)):
            known = ", ".join(map(repr, classes))
            raise ParameterError(
                f"loss_matrix names {pair!r}; a key is (true class, predicted class), of classes {known}."
            )
        matrix[codes[pair[0]], codes[pair[1]]] = _numbers("loss_matrix", [value])[0]
    return matrix


def _check_losses(matrix: Floats, classes: tuple[Level, ...], *, positive: bool) -> None:
    is_error = ~np.eye(len(classes), dtype=np.bool_)
    wrong = ~(np.isfinite(matrix) & (matrix >= 0)) | (positive & is_error & (matrix == 0))
    if wrong.any():
        true, predicted = np.argwhere(wrong)[0]
        what = f"loss of predicting {classes[predicted]!r} for {classes[true]!r}"
        bound = "above 0" if positive else "of at least 0"
        raise ParameterError.of(what, matrix[true, predicted].item(), f"a finite number {bound}")
    if np.diagonal(matrix).any():
        label = classes[int(np.argmax(np.diagonal(matrix) != 0))]
        got = float(np.diagonal(matrix)[np.diagonal(matrix) != 0][0])
        raise ParameterError.of(
            f"loss of predicting {label!r} for itself", got, "0: a correct prediction has no loss"
        )
    if not matrix.any():
        raise ParameterError("loss_matrix is 0 everywhere; at least one loss must be positive.")


def _rows(loss_matrix: Any, k: int) -> list[Any]:
    shape = _shape("loss_matrix", loss_matrix)
    if shape != (k, k):
        raise ParameterError(
            f"loss_matrix has shape {shape}; there are {k} classes, so it must be ({k}, {k}): a row for each "
            "true class, a column for each predicted class, both in sorted order."
        )
    return list(loss_matrix)


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
    """Return the position of each class of the tree among the sorted classes."""
    ordered = sorted(range(len(classes)), key=lambda code: classes[code])
    return [ordered.index(code) for code in range(len(classes))]


def _in_tree_order(values: list[Any], classes: tuple[Level, ...]) -> list[Any]:
    return [values[position] for position in _tree_order(classes)]


def _check_labels(name: str, given: Mapping[Any, Any], classes: tuple[Level, ...]) -> None:
    unknown = [label for label in given if label not in classes]
    if unknown:
        known = ", ".join(map(repr, classes))
        raise ParameterError(f"{name} names class {unknown[0]!r}, but the classes are {known}.")
