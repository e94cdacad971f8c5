"""A plan says which splits over several columns are sought, in which columns, and what they must gain."""

from __future__ import annotations

import math
from dataclasses import dataclass
from numbers import Real
from typing import Any, Literal, TypeAlias, get_args

from bough.data.readers.features import positions
from bough.data.schema import Schema
from bough.errors import ParameterError, TableError
from bough.growing.recipe import Recipe

CombinationKind: TypeAlias = Literal["ratio", "bivariate", "linear"]

_KINDS: tuple[CombinationKind, ...] = get_args(CombinationKind)


@dataclass(frozen=True)
class Combinations:
    """Which splits over several numeric columns compete with those of one column.

    "ratio" divides one column by another, "bivariate" weighs two columns, "linear" weighs any number of
    them. Such a split is made only if its value exceeds that of the best split of one column by more than
    the share `penalty`. A column leaves a linear combination if that costs less than the share `deletion` of
    what leaving out the most important one costs (Breiman, Friedman, Olshen and Stone 1984, section 5.2.2).

    >>> Combinations("linear").kinds
    ('linear',)
    >>> Combinations(("linear", "cubic"))
    Traceback (most recent call last):
    bough.errors.ParameterError: combinations is ('linear', 'cubic'); it must be 'ratio', 'bivariate',
    'linear', a tuple of these, or None.
    """

    kinds: Any
    features: Any = None
    penalty: float = 0.0
    deletion: float = 0.2

    def __post_init__(self) -> None:
        given = (self.kinds,) if isinstance(self.kinds, str) else self.kinds
        known = (
            isinstance(given, tuple | list)
            and given
            and all(isinstance(kind, str) and kind in _KINDS for kind in given)
        )
        if not known:
            wanted = f"{', '.join(map(repr, _KINDS))}, a tuple of these, or None"
            raise ParameterError.of("combinations", self.kinds, wanted)
        # The simpler kind comes first: of equals the first is taken.
        object.__setattr__(self, "kinds", tuple([kind for kind in _KINDS if kind in given]))
        _check_share("combination_penalty", self.penalty, most=math.inf)
        _check_share("combination_deletion", self.deletion, most=1.0)

    def check_criterion(self, recipe: Recipe) -> None:
        """Refuse a criterion that the search for weights cannot follow.

        >>> Combinations("linear").check_criterion(Recipe("absolute_error", task="regression"))
        Traceback (most recent call last):
        bough.errors.ParameterError: criterion is 'absolute_error'; it must be another where combinations are
        'bivariate' or 'linear', such as 'squared_error'.
        """
        if recipe.reads == "values" and self.kinds != ("ratio",):
            wanted = "another where combinations are 'bivariate' or 'linear', such as 'squared_error'"
            raise ParameterError.of("criterion", recipe.criterion_name, wanted)

    def columns(self, schema: Schema) -> tuple[int, ...]:
        """Return the positions of the columns to combine, at least two, all of them numeric.

        >>> from bough.data.schema import Column
        >>> Combinations("ratio").columns(Schema((Column("x", "numeric"),)))
        Traceback (most recent call last):
        bough.errors.TableError: combinations='ratio' needs two numeric columns or more, and the table has
        1 of 1 feature(s). Add one, or set combinations=None.
        """
        numeric = [place for place, column in enumerate(schema.columns) if column.scale == "numeric"]
        if self.features is None:
            chosen = numeric
        else:
            chosen = sorted({*positions("combination_features", self.features, schema.names)})
            other = next((schema[place] for place in chosen if place not in numeric), None)
            if other is not None:
                raise ParameterError(
                    f"combination_features has {other.name!r}, which is {other.scale}; only numeric columns "
                    "can be combined."
                )
        if len(chosen) < 2:
            among = "table has" if self.features is None else "combination_features are"
            raise TableError(
                f"combinations={self._said()} needs two numeric columns or more, and the {among} "
                f"{len(chosen)} of {len(schema)} feature(s). Add one, or set combinations=None."
            )
        return tuple(chosen)

    def _said(self) -> str:
        return repr(self.kinds[0] if len(self.kinds) == 1 else self.kinds)

    def to_json(self, schema: Schema) -> dict[str, Any]:
        """Return the plan as a dict that JSON can hold, the columns by name.

        >>> from bough.data.schema import Column
        >>> Combinations("ratio").to_json(Schema((Column("x", "numeric"), Column("y", "numeric"))))
        {'kinds': ['ratio'], 'features': ['x', 'y'], 'penalty': 0.0, 'deletion': 0.2}
        """
        return {
            "kinds": [*self.kinds],
            "features": [schema[place].name for place in self.columns(schema)],
            "penalty": float(self.penalty),
            "deletion": float(self.deletion),
        }


def _check_share(name: str, value: object, most: float) -> None:
    is_number = isinstance(value, Real) and not isinstance(value, bool)
    if not (is_number and 0 <= value <= most and value < math.inf):  # type: ignore[operator]
        ceiling = "" if most == math.inf else f" and at most {most:g}"
        raise ParameterError.of(name, value, f"a finite number of at least 0{ceiling}")
