"""Why pruning left only the root of a tree, with the errors of the larger trees, and what helps."""

from __future__ import annotations

from typing import Any

from bough.data.words import figure_words, level_words, share_words
from bough.tree.answer import program_of
from bough.tree.nodes import Nodes

_CHOICES = {
    "one_se": "the root is the smallest tree within one standard error of the least cross-validated error",
    "minimum": "no larger tree has a lower cross-validated error",
    "cp": "no larger tree lowers the error by cp for each split",
    "ccp_alpha": "no larger tree lowers the error by ccp_alpha for each leaf",
}
_METHODS = {
    "reduced_error": "no larger tree makes fewer errors on the rows held out for pruning",
    "pessimistic": "the estimated errors of every larger tree are no fewer",
    "error_based": "the estimated errors of every larger tree are no fewer",
    "mdl": "no larger tree has a shorter description",
}
_LESS = {"cp": "a smaller cp", "ccp_alpha": "a smaller ccp_alpha"}
# Programs that collapse a subtree already while they grow it: there is no larger tree to compare with.
_OWN_STEPS = {"error_based": "expected errors", "reduced_error": "reduced error"}
_COLLAPSING = ("C4.5", "J48", "C5.0")
_COLUMNS = ("leaves", "error on training rows", "cross-validated error", "standard error")
_RARE = 0.4


def pruned_to_root(tree: Nodes) -> dict[str, Any] | None:
    """Return the record of a pruning that left only the root, or None.

    It has the number of "leaves" before pruning and the "path": for some of the pruned trees the number of
    leaves, the error on the training rows and, if known, the cross-validated error and its standard error;
    errors are fractions of the root's. An infinite error is None, and so is its standard error.

    >>> from bough.example_models import iris_tree
    >>> pruned_to_root(iris_tree()) is None
    True
    """
    prune = tree.recipe.get("prune")
    record = prune.get("left_root") if isinstance(prune, dict) and tree.n_nodes == 1 else None
    return record if isinstance(record, dict) and {"leaves", "path"} <= record.keys() else None


def reason_words(tree: Nodes) -> str:
    """Return why only the root is left, as text; "" if pruning did not do that.

    >>> from bough.example_models import iris_tree
    >>> reason_words(iris_tree())
    ''
    """
    record, prune = pruned_to_root(tree), tree.recipe.get("prune", {})
    if record is not None:
        method = prune.get("method")
        why = _CHOICES.get(_choice(tree)) if method == "cost_complexity" else _METHODS.get(method)
        if all(row[1] is not None and row[1] >= 1 for row in record["path"]):
            why = "no larger tree makes fewer errors, even on the training rows"
        reason = f"Pruning left only the root of a tree of {record['leaves']} leaves" + (
            f": {why}." if why else "."
        )
    elif _is_collapsed(tree):
        program = program_of(tree)
        reason = f"{program} left only the root: no subtree that it grew makes fewer errors than the root."
    else:
        return ""
    if (rare := _rare(tree)) is not None:
        reason += (
            f" Only {share_words(rare[1])} of the cases are {rare[0]}, so that few splits change an answer."
        )
    return reason


def helpful_words(tree: Nodes) -> list[str]:
    """Return what may help where pruning left only the root, one sentence each.

    >>> from bough.example_models import iris_tree
    >>> helpful_words(iris_tree())
    []
    """
    record = pruned_to_root(tree)
    if record is None and not _is_collapsed(tree):
        return []
    words = []
    if tree.task == "classification":
        words.append(
            f"Other priors or losses, so that errors on rare classes count more: {_reweighting(tree)}."
        )
        words.append(
            'Probabilities instead of answers: TreeClassifier(criterion="deviance", min_samples_leaf=20, '
            'smoothing="laplace").'
        )
    if record is not None:
        choice = _choice(tree)
        less = _LESS.get(choice, 'prune="none" with a limit such as max_depth or min_samples_leaf')
        judged = [(row[2], row[0]) for row in record["path"] if len(row) > 2 and row[2] is not None]
        if choice == "one_se" and judged and min(judged)[1] > 1:
            less = f'prune="minimum", or {less}'
        words.append(f"Less pruning: {less}.")
    return words


def _choice(tree: Nodes) -> str:
    """Return the rule that chose among the trees of cost-complexity pruning; a given alpha comes first."""
    prune = tree.recipe.get("prune", {})
    return "ccp_alpha" if prune.get("ccp_alpha") is not None else str(prune.get("choose"))


def _reweighting(tree: Nodes) -> str:
    weights = tree.statistics[0]
    most, least = (tree.classes[int(code)] for code in (weights.argmax(), weights.argmin()))
    ratio = figure_words(float(max(2, round(weights.max() / weights.min()))) if weights.min() > 0 else 10.0)
    losses = f"loss_matrix={{({least!r}, {most!r}): {ratio}}}"
    if tree.recipe.get("prune", {}).get("method") == "cost_complexity":
        return f'prior="equal" or {losses}'
    return 'class_weight="balanced"' + (f" or {losses}" if program_of(tree) == "C5.0" else "")


def _is_collapsed(tree: Nodes) -> bool:
    if tree.n_nodes > 1 or tree.task != "classification" or (tree.statistics[0] > 0).sum() < 2:
        return False
    prune = tree.recipe.get("prune")
    steps = prune.get("steps") if isinstance(prune, dict) else None
    # The pruning of the program itself is a step too.
    own = _OWN_STEPS.get(str(prune.get("method"))) if isinstance(prune, dict) else None
    by_user = isinstance(steps, list) and any(
        not isinstance(step, dict) or step.get("by") != own for step in steps
    )
    return not by_user and program_of(tree) in _COLLAPSING


def root_only_text(tree: Nodes) -> str:
    """Return the reason, the errors of the larger trees and what helps, as text; "" if it does not apply.

    >>> from bough.example_models import iris_tree
    >>> root_only_text(iris_tree())
    ''
    """
    reason, record = reason_words(tree), pruned_to_root(tree)
    if not reason:
        return ""
    lines = [reason, ""]
    if record is not None:
        columns = path_columns(record)
        cells = [list(columns)]
        cells += [list(map(_cell_words, columns, row)) for row in record["path"]]
        widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
        lines.append("Errors of the trees that pruning chose from, as fractions of the root's:")
        lines += ["  ".join(map(str.ljust, line, widths)).rstrip() for line in cells]
        lines.append("")
    return "\n".join([*lines, "What may help:", *(f"- {each}" for each in helpful_words(tree))])


def path_columns(record: dict[str, Any]) -> tuple[str, ...]:
    """Return the names of the columns of a recorded path.

    >>> path_columns({"path": [[3, 0.5], [1, 1.0]]})
    ('leaves', 'error on training rows')
    """
    return _COLUMNS[: max(map(len, record["path"]), default=0)]


def _rare(tree: Nodes) -> tuple[str, float] | None:
    """Return the rarest class of the root and its share, if it is far below an equal share."""
    if tree.task == "regression":
        return None
    shares = tree.statistics[0] / tree.statistics[0].sum()
    least = int(shares.argmin())
    if shares[least] >= _RARE / len(shares):
        return None
    return level_words(tree.classes[least]), float(shares[least])


def _cell_words(column: str, figure: float | None) -> str:
    """Return a figure as text; a Poisson rate of 0 has infinite deviance if events are held out."""
    if figure is None:
        return "unknown" if column == "standard error" else "infinite"
    return figure_words(figure, 4)
