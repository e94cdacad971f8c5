"""Classes that inherit the constructor of a scikit-learn ensemble and have members of another class."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any


def with_own_members(member: type) -> Callable[[type], type]:
    """Return a class decorator that makes `estimator` of an ensemble an object of another class.

    The constructor keeps scikit-learn's signature, from which `get_params` reads the names of parameters.

    >>> from bough.sklearn import RandomForestClassifier
    >>> RandomForestClassifier().estimator.__module__
    'bough.sklearn.trees'
    """

    def decorated(ensemble: Any) -> Any:
        original = ensemble.__init__

        @functools.wraps(original)
        def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
            original(self, *args, **kwargs)
            self.estimator = member()

        ensemble.__init__ = __init__
        return ensemble

    return decorated
