"""Evaluation of a model on given rows, or of a learner by cross-validation."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from bough.data.labels import Labels
from bough.data.ranking import Groups, read_groups
from bough.data.readers import divided, take
from bough.data.schema import Level, Schema
from bough.data.target import ClassTarget, read_classes, read_numbers, read_weights
from bough.errors import ParameterError, TargetError
from bough.evaluation.arguments import check_estimator, check_rows
from bough.evaluation.evaluation import Evaluation, sort_key
from bough.growing.class_costs import any_loss_matrix
from bough.growing.draws import random_numbers
from bough.learners.conventions import refuse_times
from bough.models.model import Model
from bough.tree import Tree
from bough.tree.identifiers import one_identifier_warning
from bough.tree.one_target import refuse_several
from bough.types import Floats, is_whole


def evaluate(
    model: Any,
    X: Any,
    y: Any,
    *,
    sample_weight: Any = None,
    loss_matrix: Any = None,
    groups: Any = None,
    rows: str = "of the table given",
) -> Evaluation:
    """Compare the predictions of a model for the rows of X with y.

    The model is a tree or any fitted estimator, and y may be the name of a column of X. `loss_matrix` is a
    dict from (true class, predicted class) to the loss, 1 by default, or a matrix with a row for each true
    class and a column for each predicted class, both sorted, and by default the one that the model was fitted
    with; the measure "risk" is the mean loss. Rows of a class that the model does not know count as errors.
    With `groups`, an id for each row or the name of a column of X, the numbers that a model predicts are
    scores by which the rows of each group are ranked, and y are their grades; rankers need it.
    `rows` describes the rows in the printed result.

    >>> from bough import TreeClassifier
    >>> model = TreeClassifier().fit([[1.0], [2.0]], ["no", "yes"])
    >>> evaluate(model, [[1.0], [1.4], [2.0]], ["no", "yes", "yes"]).measures["accuracy"].value
    0.6666666666666666
    """
    refuse_several(getattr(model, "model_", model), "evaluate")
    classes = model_classes(model)
    refuse_times(model)
    check_rows(X, y, "evaluate(model, X, y)")
    X, y = divided(X, y)
    X, groups = divided(X, groups, "groups")
    weight = read_weights(sample_weight, len(y)).weight
    if classes is not None and groups is not None:
        raise ParameterError("groups are for rankings; this model predicts classes. Leave them out.")
    if classes is None:
        if loss_matrix is not None:
            raise ParameterError("loss_matrix is for classes; this model predicts numbers. Leave it out.")
        if groups is not None or _ranks(model):
            return _evaluated_ranking(model, X, y, groups, rows)
        numbers, predicted = read_numbers(y), np.asarray(model.predict(X), dtype=np.float64)
        _check_rows(len(numbers), len(predicted))
        fitted = getattr(model, "model_", model)
        quantiles = fitted.quantiles if getattr(fitted, "link", None) == "quantiles" else ()
        if predicted.ndim != 1 and not quantiles:
            raise ParameterError(
                f"predict returns an array of shape {predicted.shape}; evaluate compares one number for each "
                "row with y. Evaluate each column by itself."
            )
        return Evaluation("regression", rows, (), numbers, predicted, None, weight, quantiles=quantiles)
    truth = read_classes(y)
    known = (*classes, *(label for label in truth.classes if label not in classes))
    target = _codes(truth, known)
    answers = label_codes(np.asarray(model.predict(X)), known)
    _check_rows(len(target), len(answers))
    probabilities = _probabilities(model, X, len(known))
    losses = _own_losses(model, classes) if loss_matrix is None else loss_matrix
    matrix = _losses(losses, classes, len(known))
    return Evaluation(
        "classification", rows, known, target, answers, probabilities, weight, matrix, labels=_labels(model)
    )


def _labels(model: Any) -> Labels | None:
    schema = getattr(getattr(model, "model_", model), "schema", None)
    return schema.labels if isinstance(schema, Schema) else None


def _ranks(model: Any) -> bool:
    recipe = getattr(getattr(model, "model_", model), "recipe", None)
    return isinstance(recipe, dict) and recipe.get("response") == "grades"


def _evaluated_ranking(model: Any, X: Any, y: Any, groups: Any, rows: str) -> Evaluation:
    grades, scores = read_numbers(y), np.asarray(model.predict(X), dtype=np.float64)
    _check_rows(len(grades), len(scores))
    recipe = getattr(getattr(model, "model_", model), "recipe", None)
    gain: Any = (
        recipe["settings"].get("gain", "exponential")
        if _ranks(model) and isinstance(recipe, dict)
        else "exponential"
    )
    codes = read_groups(groups, len(grades))
    return Evaluation("regression", rows, (), grades, scores, None, None, groups=codes, gain=gain)


def cross_validated(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    cv: Any = 10,
    random_state: Any = 0,
    groups: Any = None,
    sample_weight: Any = None,
    loss_matrix: Any = None,
) -> Evaluation:
    """Evaluate an estimator by cross-validation: each row is predicted by a model fitted to the other folds.

    `cv` is the number of folds, a splitter of scikit-learn, or an iterable of pairs of training and test
    rows; a number of folds is stratified by class and shuffled by `random_state`. `groups` has an id for each
    row; rows with the same id are in the same fold. Standard errors are those of means over all rows.
    `loss_matrix` is as in `evaluate`.

    >>> from bough import TreeClassifier
    >>> X, y = [[float(i)] for i in range(20)], ["a"] * 10 + ["b"] * 10
    >>> cross_validated(TreeClassifier(), X, y, cv=5).measures["accuracy"].value
    0.95
    """
    from sklearn.base import clone, is_classifier
    from sklearn.utils.validation import has_fit_parameter

    call = "cross_validated(estimator, X, y)"
    check_estimator(estimator, call)
    check_rows(X, y, call)
    X, y = divided(X, y)
    weights = None if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
    parts = []
    ranked = read_groups(groups, len(y)) if has_fit_parameter(estimator, "groups") else None
    with one_identifier_warning():
        for train, test in folds(y, cv, random_state, by_class=is_classifier(estimator), groups=groups):
            given: dict[str, Any] = {} if weights is None else {"sample_weight": weights[train]}
            if ranked is not None:
                given["groups"] = ranked[train]
            model = clone(estimator).fit(take(X, train), take_labels(y, train), **given)
            own = None if weights is None else weights[test]
            ids = None if ranked is None else ranked[test]
            of_fold = evaluate(model, take(X, test), take_labels(y, test), sample_weight=own, groups=ids)
            parts.append((test, of_fold))
    losses = getattr(estimator, "loss_matrix", None) if loss_matrix is None else loss_matrix
    return _joined(parts, losses, f"by {len(parts)}-fold cross-validation")


def folds(
    y: Any, cv: Any, random_state: Any, *, by_class: bool, groups: Any = None
) -> list[tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]]:
    """Return the training rows and the test rows of each fold.

    With `by_class`, a number of folds is stratified by class if every class has at least that many rows.

    >>> [len(test) for _, test in folds(["a", "a", "b", "b"], 2, random_state=0, by_class=True)]
    [2, 2]
    >>> [test.tolist() for _, test in folds([1, 2, 3, 4], 2, 0, by_class=False, groups=["a", "b", "a", "b"])]
    [[1, 3], [0, 2]]
    """
    labels = np.asarray(y)
    ids = _group_ids(groups, len(labels))
    if not is_whole(cv):
        if hasattr(cv, "split") and not isinstance(cv, str):
            return list(cv.split(np.zeros(len(labels)), labels, ids))
        if isinstance(cv, str | bool) or not hasattr(cv, "__iter__"):
            raise ParameterError.of("cv", cv, "a number of folds, a scikit-learn splitter, or pairs of rows")
        if ids is not None:
            raise ParameterError("groups cannot be combined with a cv of pairs of rows; pass one of the two.")
        return list(cv)
    if not 2 <= int(cv) <= len(labels):
        raise ParameterError.of("cv", cv, f"a whole number from 2 to {len(labels)}, or a splitter")
    # A class with fewer rows than folds cannot occur in every fold.
    stratify = by_class and np.unique(labels, return_counts=True)[1].min() >= int(cv)
    splitter = _splitter(int(cv), random_state, stratify=stratify, in_groups=ids is not None)
    return list(splitter.split(np.zeros(len(labels)), labels, ids))


def _splitter(n_folds: int, random_state: Any, *, stratify: bool, in_groups: bool) -> Any:
    from sklearn.model_selection import GroupKFold, KFold, StratifiedGroupKFold, StratifiedKFold

    stratified, plain = (StratifiedGroupKFold, GroupKFold) if in_groups else (StratifiedKFold, KFold)
    random_numbers(random_state)  # raises bough's own error
    return (stratified if stratify else plain)(n_folds, shuffle=True, random_state=random_state)


def _group_ids(groups: Any, n_rows: int) -> npt.NDArray[Any] | None:
    if groups is None:
        return None
    ids = np.asarray(groups)
    if ids.shape != (n_rows,):
        raise ParameterError(f"groups has shape {ids.shape}; it must have an id for each of {n_rows} rows.")
    if ids.dtype.kind == "f" and not np.isfinite(ids).all():
        row = int(np.argmin(np.isfinite(ids)))
        raise ParameterError(f"groups is {float(ids[row])!r} in row {row}; an id is a finite number or text.")
    return ids


def take_labels(y: Any, rows: npt.NDArray[np.intp]) -> Any:
    """Return the labels of some rows; a Series keeps its name.

    >>> take_labels(["a", "b", "c"], np.array([2, 0])).tolist()
    ['c', 'a']
    """
    return y.iloc[rows] if hasattr(y, "iloc") else np.asarray(y)[rows]


def _joined(
    parts: Sequence[tuple[npt.NDArray[np.intp], Evaluation]], loss_matrix: Any, rows: str
) -> Evaluation:
    order = np.argsort(np.concatenate([test for test, _ in parts]), kind="stable")
    each = [evaluation for _, evaluation in parts]
    first = each[0]
    classes = tuple(sorted(set().union(*(evaluation.classes for evaluation in each)), key=sort_key))

    def joined(arrays: list[npt.NDArray[Any]]) -> Any:
        return np.concatenate(arrays)[order]

    weight = None if first.weight is None else joined([one.weight for one in each])  # type: ignore[misc]
    if first.task == "regression":
        target, answers = joined([one.target for one in each]), joined([one.answers for one in each])
        codes = None if first.groups is None else joined(_distinct([one.groups for one in each]))
        return Evaluation(
            "regression",
            rows,
            (),
            target,
            answers,
            None,
            weight,
            groups=codes,
            gain=first.gain,
            quantiles=first.quantiles,
        )
    recode = [np.array([classes.index(label) for label in one.classes], dtype=np.intp) for one in each]
    target = joined([codes[one.target] for codes, one in zip(recode, each, strict=True)])
    answers = joined([codes[one.answers] for codes, one in zip(recode, each, strict=True)])
    probabilities = None
    if all(one.probabilities is not None for one in each):
        probabilities = joined(
            [_widened(one, codes, len(classes)) for codes, one in zip(recode, each, strict=True)]
        )
    matrix = _losses(loss_matrix, classes, len(classes))
    return Evaluation("classification", rows, classes, target, answers, probabilities, weight, matrix)


def _distinct(groups: Sequence[Any]) -> list[Groups]:
    """Return the codes of groups of several folds, those of each fold after those before it."""
    starts = np.cumsum([0, *(codes.max() + 1 for codes in groups)])
    return [codes + start for codes, start in zip(groups, starts, strict=False)]


def _widened(evaluation: Evaluation, codes: npt.NDArray[np.intp], n_classes: int) -> Floats:
    wide = np.zeros((evaluation.n_rows, n_classes))
    wide[:, codes] = evaluation.probabilities
    return wide


def model_classes(model: Any) -> tuple[Level, ...] | None:
    """Return the classes of a model in the order of its probabilities; None for regression.

    >>> from bough.example_models import cars_tree, iris_tree
    >>> model_classes(iris_tree()), model_classes(cars_tree())
    (('setosa', 'versicolor', 'virginica'), None)
    """
    if isinstance(model, Model):
        return model.classes or None
    if not hasattr(model, "predict"):
        what = f"a {type(model).__name__}"
        raise ParameterError(
            f"model is {what}; it must be a tree or a fitted estimator: evaluate(model, X, y)."
        )
    classes = getattr(model, "classes_", None)
    return None if classes is None else tuple(np.asarray(classes).tolist())


def _losses(loss_matrix: Any, classes: tuple[Level, ...], n_known: int) -> Floats | None:
    """Read the loss matrix; errors on classes that the model does not know have the largest loss."""
    if loss_matrix is None:
        return None
    matrix = any_loss_matrix(loss_matrix, classes)
    if not np.isfinite(matrix).all():
        raise ParameterError("loss_matrix contains a number that is not finite; all losses must be finite.")
    wide = np.full((n_known, n_known), matrix.max())
    wide[: len(classes), : len(classes)] = matrix
    return wide


def _own_losses(model: Any, classes: tuple[Level, ...]) -> Any:
    """Return the losses that a model was fitted with, by pair of classes, or None."""
    tree = model if isinstance(model, Tree) else getattr(model, "tree_", None)
    if not isinstance(tree, Tree) or set(tree.classes) != set(classes):
        return None if isinstance(model, Model) else getattr(model, "loss_matrix", None)
    if tree.loss_matrix is None:
        return None
    pairs = itertools.product(tree.classes, repeat=2)
    return dict(zip(pairs, tree.loss_matrix.ravel().tolist(), strict=True))


def _probabilities(model: Any, X: Any, n_known: int) -> Floats | None:
    if not hasattr(model, "predict_proba"):
        return None
    shares = np.asarray(model.predict_proba(X), dtype=np.float64)
    return np.pad(shares, ((0, 0), (0, n_known - shares.shape[1])))


def _codes(target: ClassTarget, known: tuple[Level, ...]) -> npt.NDArray[np.intp]:
    codes = {label: code for code, label in enumerate(known)}
    return np.array([codes[label] for label in target.classes], dtype=np.intp)[target.codes]


def label_codes(labels: npt.NDArray[Any], known: tuple[Level, ...]) -> npt.NDArray[np.intp]:
    """Return the position of each label in `known`.

    >>> label_codes(np.array(["b", "a", "b"]), ("a", "b"))
    array([1, 0, 1])
    """
    codes = {label: code for code, label in enumerate(known)}
    values, inverse = np.unique(labels, return_inverse=True)
    return np.array([codes[label] for label in values.tolist()], dtype=np.intp)[inverse]


def _check_rows(n_targets: int, n_answers: int) -> None:
    if n_targets != n_answers:
        raise TargetError(f"X has {n_answers} rows and y has {n_targets}; give one y for each row.")
