"""What is called differently in the old build: plain tables, to be extended with every rename.

`cases.py` is written in the new names. Which of two names a build knows is looked up in the signature of the
class or function, so the same cases run on both builds and on any state in between.
"""

from collections.abc import Callable
from typing import Any

# Class, or function of bough → {new name of a parameter: old name}. "Class.fit" is for the arguments of fit.
PARAMETERS: dict[str, dict[str, str]] = {
    "CARTClassifier": {"loss_matrix": "loss", "column_costs": "costs"},
    "CARTRegressor": {"column_costs": "costs"},
    "CARTSurvival": {"column_costs": "costs"},
    "C45Classifier": {"min_samples_branch": "min_samples_leaf", "subtree_raising": "raising"},
    "C50Classifier": {
        "loss_matrix": "costs",
        "n_estimators": "trials",
        "nominal": "subset",
        "min_samples_branch": "min_samples",
        "max_samples": "sample",
    },
    "REPTreeClassifier": {"random_state": "seed", "cv": "folds", "min_samples_branch": "min_samples_leaf"},
    "REPTreeRegressor": {
        "random_state": "seed",
        "cv": "folds",
        "min_samples_branch": "min_samples_leaf",
        "min_variance_fraction": "min_variance",
    },
    "ReducedError": {"cv": "folds", "random_state": "seed"},
    "ErrorBased": {"subtree_raising": "raising"},
    "choose": {"random_state": "seed"},
    "compare": {"random_state": "seed"},
    "cross_validated": {"random_state": "seed", "loss_matrix": "loss"},
    "evaluate": {"loss_matrix": "loss"},
    "stability": {"random_state": "seed"},
    "report": {"cv": "n_folds"},
}


def _predicted_first(loss: Any) -> Any:
    """Turn (true class, answer) into (answer, true class)."""
    if isinstance(loss, dict):
        return {(answer, true): value for (true, answer), value in loss.items()}
    return [list(column) for column in zip(*loss, strict=True)]


# (class or function, new name) → the old value from the new one. It is applied where the old name is used.
VALUES: dict[tuple[str, str], Callable[[Any], Any]] = {
    ("C50Classifier", "loss_matrix"): _predicted_first,
    ("C50Classifier", "nominal"): lambda kind: kind == "subset",
}

# Parameters whose default changed: class → {new name: the old default}, which both builds are given where a case leaves
# the parameter out, so that models are still compared to the bit.
DEFAULTS: dict[str, dict[str, Any]] = {
    "TreeClassifier": {"missing": "majority"},
    "TreeRegressor": {"missing": "majority"},
}
# The learner that an ensemble takes by default, if one of its own defaults changed.
MEMBERS: dict[str, str] = {"BaggingClassifier": "TreeClassifier", "BaggingRegressor": "TreeRegressor"}

# Words that changed while the name of their parameter did not: (class or function, parameter) → {new: old}.
# The new words are tried first. If the build refuses them with a ParameterError, the old ones are.
WORDS: dict[tuple[str, str], dict[Any, Any]] = {}

# Methods and properties: the name in the results → the names that a build may know it by, the new one first.
METHODS: dict[str, tuple[str, ...]] = {
    "cost_complexity_path": ("cost_complexity_pruning_path", "cost_complexity_path"),
}

# Fields of trees, forests, surrogates, path tables and fitted attributes: old name → new name. Where a field
# moves into a record of its own, the new name is the path to it, such as "nodes.column".
FIELDS: dict[str, str] = {
    "rows": "cases",
    "n_trials_": "n_estimators_",
    "loss": "loss_matrix",
    "spread": "leaf_totals",
    "importance": "tree_importance",
}

# Where to look for names that are not in `bough` itself.
HOMES: tuple[str, ...] = ("bough.pruning", "bough.growing.criterion", "bough.criterion", "bough.export")

# Criteria that the new build alone has.
ADDED_CRITERIA: tuple[str, ...] = ("generalized_gini",)
