"""A forest as a fitted forest of scikit-learn."""

from __future__ import annotations

from typing import Any

from bough.errors import ParameterError
from bough.models.sklearn_tree import describe
from bough.models.sklearn_tree import to_sklearn as tree_to_sklearn


def to_sklearn(forest: Any) -> Any:
    """Return a fitted forest of scikit-learn that predicts the same.

    >>> from bough import RandomForestClassifier
    >>> model = RandomForestClassifier(5, voting="hard").fit([[1.0], [2.0]] * 5, ["a", "b"] * 5)
    >>> to_sklearn(model.forest_)
    Traceback (most recent call last):
    bough.errors.ParameterError: to_sklearn: the forest has hard voting, which scikit-learn's forests do not
    have.
    """
    from sklearn.ensemble._forest import RandomForestClassifier, RandomForestRegressor

    lacking = {
        "hard voting": forest.voting == "hard",
        "cutoffs": forest.cutoff is not None,
        "a bias correction": forest.correction is not None,
    }
    if what := next((name for name, is_there in lacking.items() if is_there), None):
        raise ParameterError(f"to_sklearn: the forest has {what}, which scikit-learn's forests do not have.")
    of_classes = forest.task == "classification"
    own = RandomForestClassifier if of_classes else RandomForestRegressor
    trees = [tree_to_sklearn(tree) for tree in forest.trees]
    made = own(forest.n_trees, criterion=trees[0].criterion)
    describe(made, forest)
    for tree in trees:
        # scikit-learn's forests pass arrays to their trees, which therefore know no names of columns.
        vars(tree).pop("feature_names_in_", None)
    made.estimators_, made.estimator_ = trees, made.estimator
    return made
