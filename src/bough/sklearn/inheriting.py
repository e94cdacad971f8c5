"""What classes that inherit from scikit-learn's need: members of another class, and the way back."""

from __future__ import annotations

import copy
import functools
import inspect
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

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


def fresh_member(ensemble: Any, random_state: Any) -> Any:
    """Return a new member of an ensemble of trees, as scikit-learn makes it, with the same random numbers.

    scikit-learn's general way, which inspects signatures for each member, takes longer than to grow a small
    tree.

    >>> from bough.sklearn import ExtraTreesRegressor
    >>> forest = ExtraTreesRegressor(max_depth=3)
    >>> forest.estimator_ = forest.estimator
    >>> fresh_member(forest, np.random.RandomState(0))
    ExtraTreeRegressor(max_depth=3, random_state=209652396)
    """
    pattern = ensemble.estimator_
    learner: Any = type(pattern)
    values = {name: _copied(getattr(pattern, name)) for name in _parameters(learner)}
    values |= {name: getattr(ensemble, name) for name in ensemble.estimator_params}
    if random_state is not None:
        values["random_state"] = check_random_state(random_state).randint(np.iinfo(np.int32).max)
    return learner(**values)


def _copied(value: Any) -> Any:
    return value if value is None or type(value) in (bool, int, float, str) else copy.deepcopy(value)


@functools.lru_cache
def _parameters(learner: type) -> tuple[str, ...]:
    return tuple(inspect.signature(learner).parameters)


class Convertible:
    """An estimator that can be converted to scikit-learn's own class; a mixin before that class."""

    def to_sklearn(self) -> Any:
        """Return an estimator of scikit-learn's own class, with its own trees, that predicts the same.

        >>> from bough.sklearn import DecisionTreeRegressor
        >>> DecisionTreeRegressor().fit([[1.0], [2.0]], [1.0, 2.0]).to_sklearn().predict([[0.0]])
        array([1.])
        """
        check_is_fitted(self)
        return converted(self)


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
