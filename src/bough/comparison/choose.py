"""Choice of parameters by cross-validation: by the lowest error, or by the one-standard-error rule."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any, Literal

from bough.comparison.compare import BASELINE, compare
from bough.comparison.comparison import Comparison, Entry
from bough.data.readers import divided
from bough.errors import ParameterError
from bough.evaluation.arguments import check_estimator, check_rows
from bough.jobs import n_threads
from bough.progress import working

_MOST = 2000
_SIZES: dict[str, Sequence[Any]] = {
    "max_depth": (None, 3, 5, 8),
    "max_leaf_nodes": (None, 16),
    "min_samples_leaf": (1, 5, 20),
    "ccp_alpha": (0.0, 0.001, 0.003, 0.01),
}
# The time of a search grows fast with the depth.
_SIZES_OF_SEARCH: dict[str, Sequence[Any]] = {"max_depth": (1, 2, 3), "ccp_alpha": _SIZES["ccp_alpha"]}


@dataclass(frozen=True, eq=False)
class Choice:
    """The chosen parameters, the estimator fitted with them to all rows, and the comparison."""

    parameters: dict[str, Any]
    estimator: Any
    comparison: Comparison

    def __repr__(self) -> str:
        return f"<Choice: {_words(self.parameters)}, among {len(self.comparison) - 1}>"

    def __str__(self) -> str:
        return f"chosen: {_words(self.parameters)}\n\n{self.comparison}"


def choose(
    estimator: Any,
    X: Any,
    y: Any,
    parameters: Mapping[str, Sequence[Any]] | None = None,
    *,
    rule: Literal["best", "one_se"] = "best",
    cv: Any = 10,
    random_state: Any = 0,
    groups: Any = None,
    n_jobs: int | None = None,
    verbose: bool = False,
) -> Choice:
    """Choose parameters among all combinations by cross-validation, and fit the estimator to all rows.

    By default `parameters` contains those of max_depth, max_leaf_nodes, min_samples_leaf and ccp_alpha that
    the estimator has; for optimal trees max_depth up to 3 and ccp_alpha. `rule="best"` chooses the lowest
    error, and `rule="one_se"` the smallest tree whose error is at most one standard error above the lowest
    (Breiman et al. 1984). `cv`, `random_state` and `groups` are as in `compare`, and so is y, which may be
    the name of a column. `n_jobs` is the number of threads, by default all cores. With `verbose`, progress is
    shown in a terminal. A combination that fails is an error.

    >>> from bough import TreeClassifier
    >>> X, y = [[float(i)] for i in range(40)], ["a"] * 20 + ["b"] * 20
    >>> chosen = choose(TreeClassifier(), X, y, {"max_depth": [1, 3]}, cv=4)
    >>> chosen.parameters, chosen.estimator.tree_.n_leaves
    ({'max_depth': 1}, 2)
    >>> print(str(chosen).splitlines()[0])
    chosen: max_depth=1
    """
    if rule not in ("best", "one_se"):
        raise ParameterError.of("rule", rule, "'best' or 'one_se'")
    from sklearn.base import clone

    call = "choose(estimator, X, y)"
    check_estimator(estimator, call)
    check_rows(X, y, call)
    X, y = divided(X, y)
    if parameters is None:
        parameters = sizes_of(estimator)
    by_name = {_words(each): each for each in _combinations(parameters)}
    learners = {name: clone(estimator).set_params(**each) for name, each in by_name.items()}
    with working("Choosing parameters") if verbose else nullcontext(None) as progress:
        comparison = compare(
            X,
            y,
            learners,
            cv=cv,
            random_state=random_state,
            groups=groups,
            n_jobs=n_threads(n_jobs),
            progress=progress,
        )
    for failed, why in comparison.refused.items():
        raise ParameterError(f"parameters: {type(estimator).__name__} fails with {failed}: {why}")
    name = _chosen([entry for entry in comparison.entries if entry.name != BASELINE], rule)
    return Choice(by_name[name], clone(learners[name]).fit(X, y), comparison)


def _combinations(parameters: Mapping[str, Sequence[Any]]) -> list[dict[str, Any]]:
    values = [list(each) for each in parameters.values()]
    n_combinations = math.prod(map(len, values))
    if not 1 <= n_combinations <= _MOST:
        raise ParameterError(
            f"parameters have {n_combinations} combinations; there must be from 1 to {_MOST}."
        )
    return [dict(zip(parameters, each, strict=True)) for each in itertools.product(*values)]


def sizes_of(estimator: Any) -> dict[str, Sequence[Any]]:
    """Return the parameters of an estimator that limit the size of its tree, with values to try.

    >>> from bough import TreeClassifier
    >>> sizes_of(TreeClassifier())
    {'max_depth': (None, 3, 5, 8), 'max_leaf_nodes': (None, 16), 'min_samples_leaf': (1, 5, 20)}
    """
    known = estimator.get_params(deep=False)
    if "time_limit" in known:
        return _SIZES_OF_SEARCH
    sizes = {name: values for name, values in _SIZES.items() if name in known}
    if not sizes:
        raise ParameterError(
            f"{type(estimator).__name__} has none of {', '.join(_SIZES)}; pass the parameters to try."
        )
    return sizes


def _chosen(entries: list[Entry], rule: str) -> str:
    best = entries[0]
    if rule == "best":
        return best.name
    good = [entry for entry in entries if entry.error <= best.error + best.standard_error]
    return min(good, key=lambda entry: (entry.leaves is None, entry.leaves or 0.0, entry.error)).name


def _words(parameters: Mapping[str, Any]) -> str:
    return ", ".join(f"{name}={value!r}" for name, value in parameters.items()) or "default parameters"
