"""Ask a model about rows whose answers are known: rows held out, or all rows by cross-validation."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral
from typing import Any

import numpy as np
import numpy.typing as npt

from bough.data.readers import take
from bough.data.schema import Level
from bough.data.target import ClassTarget, read_classes, read_numbers, read_weights
from bough.errors import ParameterError, TargetError
from bough.evaluation.evaluation import Evaluation
from bough.tree import Tree
from bough.types import Floats


def evaluate(
    model: Any,
    X: Any,
    y: Any,
    *,
    sample_weight: Any = None,
    loss: npt.ArrayLike | None = None,
    rows: str = "of the table given",
) -> Evaluation:
    """Hold a model's answers for the rows of X against y; the model is a tree or any fitted estimator.

    `loss[i, j]` is what it costs to answer class j where class i is true, in the order of the model's
    classes; the mean of it is the risk. A class of y that the model does not know counts as answered wrong.

    >>> from bough import TreeClassifier
    >>> model = TreeClassifier().fit([[1.0], [2.0]], ["no", "yes"])
    >>> evaluate(model, [[1.0], [1.4], [2.0]], ["no", "yes", "yes"]).measures["accuracy"].value
    0.6666666666666666
    """
    weight = read_weights(sample_weight, len(y)).weight
    classes = model_classes(model)
    if classes is None:
        numbers, guesses = read_numbers(y), np.asarray(model.predict(X), dtype=np.float64)
        mean = _root_answer(model, float(np.average(numbers, weights=weight)))
        _check_rows(len(numbers), len(guesses))
        return Evaluation("regression", rows, (), numbers, guesses, None, weight, None, float(mean))
    truth = read_classes(y)
    known = (*classes, *(label for label in truth.classes if label not in classes))
    target = _codes(truth, known)
    answers = label_codes(np.asarray(model.predict(X)), known)
    _check_rows(len(target), len(answers))
    probabilities = _probabilities(model, X, len(known))
    majority = known[int(np.bincount(target, weight, minlength=len(known)).argmax())]
    baseline = known.index(_root_answer(model, majority))
    matrix = read_loss(loss, len(classes), len(known))
    return Evaluation("classification", rows, known, target, answers, probabilities, weight, matrix, baseline)


def cross_validated(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    cv: Any = 10,
    seed: int = 0,
    sample_weight: Any = None,
    loss: npt.ArrayLike | None = None,
) -> Evaluation:
    """Answer for each row by a model that was fitted without it, and hold the answers against y.

    `cv` is a number of folds, stratified by class, or any of scikit-learn's splitters. The standard errors
    are those of the mean over all rows.

    >>> from bough import TreeClassifier
    >>> X, y = [[float(i)] for i in range(20)], ["a"] * 10 + ["b"] * 10
    >>> cross_validated(TreeClassifier(), X, y, cv=5).measures["accuracy"].value
    0.95
    """
    from sklearn.base import clone, is_classifier

    weights = None if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
    parts = []
    for train, test in folds(y, cv, seed, by_class=is_classifier(estimator)):
        given = {} if weights is None else {"sample_weight": weights[train]}
        model = clone(estimator).fit(take(X, train), take_labels(y, train), **given)
        own = None if weights is None else weights[test]
        parts.append((test, evaluate(model, take(X, test), take_labels(y, test), sample_weight=own)))
    return _joined(parts, loss, f"by {len(parts)}-fold cross-validation")


def folds(
    y: Any, cv: Any, seed: int, *, by_class: bool
) -> list[tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]]:
    """Return the rows to fit and the rows to judge by, fold by fold; folds keep the shares of classes.

    >>> [len(test) for _, test in folds(["a", "a", "b", "b"], 2, seed=0, by_class=True)]
    [2, 2]
    """
    from sklearn.model_selection import KFold, StratifiedKFold

    labels = np.asarray(y)
    if not isinstance(cv, Integral):
        return list(cv.split(np.zeros(len(labels)), labels)) if hasattr(cv, "split") else list(cv)
    if isinstance(cv, bool) or not 2 <= int(cv) <= len(labels):
        raise ParameterError.of("cv", cv, f"a whole number from 2 to {len(labels)}, or a splitter")
    # A class of fewer rows than folds cannot be in each of them.
    stratify = by_class and np.unique(labels, return_counts=True)[1].min() >= int(cv)
    splitter = (StratifiedKFold if stratify else KFold)(int(cv), shuffle=True, random_state=seed)
    return list(splitter.split(np.zeros(len(labels)), labels))


def take_labels(y: Any, rows: npt.NDArray[np.intp]) -> Any:
    """Return some of the labels; a series keeps its name.

    >>> take_labels(["a", "b", "c"], np.array([2, 0])).tolist()
    ['c', 'a']
    """
    return y.iloc[rows] if hasattr(y, "iloc") else np.asarray(y)[rows]


def _joined(
    parts: Sequence[tuple[npt.NDArray[np.intp], Evaluation]], loss: npt.ArrayLike | None, rows: str
) -> Evaluation:
    order = np.argsort(np.concatenate([test for test, _ in parts]), kind="stable")
    each = [evaluation for _, evaluation in parts]
    first = each[0]
    classes = tuple(sorted(set().union(*(evaluation.classes for evaluation in each)), key=_sort_key))

    def joined(arrays: list[npt.NDArray[Any]]) -> Any:
        return np.concatenate(arrays)[order]

    weight = None if first.weight is None else joined([one.weight for one in each])  # type: ignore[misc]
    if first.task == "regression":
        target, answers = joined([one.target for one in each]), joined([one.answers for one in each])
        baseline = float(np.average(target, weights=weight))
        return Evaluation("regression", rows, (), target, answers, None, weight, None, baseline)
    moved = [np.array([classes.index(label) for label in one.classes], dtype=np.intp) for one in each]
    target = joined([where[one.target] for where, one in zip(moved, each, strict=True)])
    answers = joined([where[one.answers] for where, one in zip(moved, each, strict=True)])
    probabilities = None
    if all(one.probabilities is not None for one in each):
        probabilities = joined(
            [_widened(one, where, len(classes)) for where, one in zip(moved, each, strict=True)]
        )
    baseline = int(np.bincount(target, weight, minlength=len(classes)).argmax())
    matrix = read_loss(loss, len(classes), len(classes))
    return Evaluation(
        "classification", rows, classes, target, answers, probabilities, weight, matrix, baseline
    )


def _widened(evaluation: Evaluation, where: npt.NDArray[np.intp], n_classes: int) -> Floats:
    wide = np.zeros((evaluation.n_rows, n_classes))
    wide[:, where] = evaluation.probabilities
    return wide


def _sort_key(label: Level) -> tuple[str, Any]:
    return ("text" if isinstance(label, str) else "number", label)


def model_classes(model: Any) -> tuple[Level, ...] | None:
    """Return the classes a model answers with, in the order of its probabilities; None if it has none.

    >>> from bough.example_models import cars_tree, iris_tree
    >>> model_classes(iris_tree()), model_classes(cars_tree())
    (('setosa', 'versicolor', 'virginica'), None)
    """
    if isinstance(model, Tree):
        return model.classes or None
    if not hasattr(model, "predict"):
        raise ParameterError.of("model", model, "a tree or a fitted estimator")
    classes = getattr(model, "classes_", None)
    return None if classes is None else tuple(np.asarray(classes).tolist())


def read_loss(loss: npt.ArrayLike | None, n_classes: int, n_known: int) -> Floats | None:
    """Read a matrix of losses; a class that the model does not know costs as much as the dearest mistake.

    >>> read_loss([[0, 1], [5, 0]], 2, 2)
    array([[0., 1.],
           [5., 0.]])
    >>> read_loss([[0, 1]], 2, 2)
    Traceback (most recent call last):
    bough.errors.ParameterError: loss has shape (1, 2); it must be 2 x 2 finite numbers, true class by answer.
    """
    if loss is None:
        return None
    matrix = np.asarray(loss, dtype=np.float64)
    if matrix.shape != (n_classes, n_classes) or not np.isfinite(matrix).all():
        raise ParameterError(
            f"loss has shape {matrix.shape}; it must be {n_classes} x {n_classes} finite numbers, "
            "true class by answer."
        )
    wide = np.full((n_known, n_known), matrix.max())
    wide[:n_classes, :n_classes] = matrix
    return wide


def _root_answer(model: Any, otherwise: Any) -> Any:
    tree = model if isinstance(model, Tree) else getattr(model, "tree_", None)
    return tree.answer(0) if isinstance(tree, Tree) else otherwise


def _probabilities(model: Any, X: Any, n_known: int) -> Floats | None:
    if not hasattr(model, "predict_proba"):
        return None
    shares = np.asarray(model.predict_proba(X), dtype=np.float64)
    return np.pad(shares, ((0, 0), (0, n_known - shares.shape[1])))


def _codes(target: ClassTarget, known: tuple[Level, ...]) -> npt.NDArray[np.intp]:
    places = {label: code for code, label in enumerate(known)}
    return np.array([places[label] for label in target.classes], dtype=np.intp)[target.codes]


def label_codes(labels: npt.NDArray[Any], known: tuple[Level, ...]) -> npt.NDArray[np.intp]:
    """Return the position of each label among those known.

    >>> label_codes(np.array(["b", "a", "b"]), ("a", "b"))
    array([1, 0, 1])
    """
    places = {label: code for code, label in enumerate(known)}
    values, inverse = np.unique(labels, return_inverse=True)
    return np.array([places[label] for label in values.tolist()], dtype=np.intp)[inverse]


def _check_rows(n_targets: int, n_answers: int) -> None:
    if n_targets != n_answers:
        raise TargetError(f"X has {n_answers} rows and y has {n_targets}; give one y for each row.")
