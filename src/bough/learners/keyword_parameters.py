"""The decorator of classes whose fields are parameters of a learner."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeVar, dataclass_transform

Kind = TypeVar("Kind")


@dataclass_transform(eq_default=False, kw_only_default=True, field_specifiers=(field,))
def keyword_parameters(kind: type[Kind]) -> type[Kind]:
    """Make the fields of a class keywords of its constructor, which stores them.

    Two learners are equal if they are the same object, and scikit-learn's base class prints them.

    >>> @keyword_parameters
    ... class DepthParameters:
    ...     max_depth: int | None = None
    >>> DepthParameters(max_depth=3).max_depth
    3
    """
    return dataclass(eq=False, repr=False, kw_only=True)(kind)
