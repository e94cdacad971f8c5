"""What classes that inherit from scikit-learn's need: members of another class, and the way back."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar

from bough.models.sklearn_tree import cython_tree
from bough.sklearn.tree_view import TreeView

_Ensemble = TypeVar("_Ensemble", bound=type)


def with_own_members(member: type) -> Callable[[_Ensemble], _Ensemble]:
    """Return a class decorator that makes `estimator` of an ensemble an object of another class.

    The constructor keeps scikit-learn's signature, from which `get_params` reads the names of parameters.

    >>> from bough.sklearn import RandomForestClassifier
    >>> RandomForestClassifier().estimator.__module__
    'bough.sklearn.trees'
    """

    def decorated(ensemble: Any) -> Any:
        original = ensemble.__init__

        @functools.wraps(original)
        def construct(self: Any, *args: Any, **kwargs: Any) -> None:
            original(self, *args, **kwargs)
            self.estimator = member()

        ensemble.__init__ = construct
        return ensemble

    return decorated


def converted(estimator: Any) -> Any:
    """Return an object of the scikit-learn class that an estimator inherits from, fitted to predict the same.

    >>> from bough.sklearn import DecisionTreeClassifier
    >>> converted(DecisionTreeClassifier().fit([[1.0], [2.0]], ["a", "b"])).__class__.__module__
    'sklearn.tree._classes'
    """
    own = next(base for base in type(estimator).__mro__ if base.__module__.startswith("sklearn."))
    made = own(**estimator.get_params(deep=False))
    for name, value in vars(estimator).items():
        if name.startswith("_batch") or name in made.get_params(deep=False):
            continue
        if isinstance(value, TreeView):
            value = cython_tree(value.tree)
        elif name == "estimators_":
            value = [each.to_sklearn() if hasattr(each, "to_sklearn") else each for each in value]
        elif name == "estimator_":
            value = made.estimator if hasattr(value, "to_sklearn") else value
        elif name == "estimator":
            continue
        setattr(made, name, value)
    return made
