"""Settings of splits on several numeric columns: their kinds, the columns, and the gain they need."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args

from bough.data.readers.features import positions
from bough.data.schema import Schema
from bough.errors import ParameterError, TableError
from bough.growing.criterion import Criterion, reads_losses
from bough.growing.limits import check_number

CombinationKind: TypeAlias = Literal["ratio", "bivariate", "linear"]

_KINDS: tuple[CombinationKind, ...] = get_args(CombinationKind)


@dataclass(frozen=True)
class Combinations:
    """Splits on several numeric columns, which compete with the splits on one column.

    "ratio" is a threshold on the ratio of two columns, "bivariate" on a linear combination of two columns,
    "linear" on a linear combination of any number of columns. Such a split is made only if its value exceeds
    that of the best split on one column by more than the fraction `penalty`. A column is dropped from a
    linear combination if dropping it loses less than the fraction `deletion` of what dropping the most
    important column loses (Breiman, Friedman, Olshen and Stone 1984, section 5.2.2).

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
        # Simpler kinds come first, because the first one wins a tie.
        object.__setattr__(self, "kinds", tuple([kind for kind in _KINDS if kind in given]))
        check_number("combination_penalty", self.penalty, 0.0)
        check_number("combination_deletion", self.deletion, 0.0, 1.0)

    def check_criterion(self, criterion: Criterion) -> None:
        """Raise if the search for coefficients does not support a criterion.

        >>> Combinations("linear").check_criterion("absolute_error")
        Traceback (most recent call last):
        bough.errors.ParameterError: criterion is 'absolute_error'; it must be another criterion, such as
        'squared_error', if combinations are 'bivariate' or 'linear'.
        """
        if reads_losses(criterion):
            raise ParameterError.of(
                "criterion", criterion, "another criterion, such as 'gini', with combinations"
            )
        if criterion == "absolute_error" and self.kinds != ("ratio",):
            wanted = "another criterion, such as 'squared_error', if combinations are 'bivariate' or 'linear'"
            raise ParameterError.of("criterion", criterion, wanted)

    def columns(self, schema: Schema) -> tuple[int, ...]:
        """Return the positions of the columns to combine, at least two, all of them numeric.

        >>> from bough.data.schema import Column
        >>> Combinations("ratio").columns(Schema((Column("x", "numeric"),)))
        Traceback (most recent call last):
        bough.errors.TableError: combinations='ratio' needs at least two numeric columns, but the table has
        1 of 1 feature(s). Add one, or set combinations=None.
        """
        numeric = [
            position
            for position, column in enumerate(schema.columns)
            if column.scale == "numeric" and column.unit is None
        ]
        if self.features is None:
            chosen = numeric
        else:
            chosen = sorted({*positions("combination_features", self.features, schema.names)})
            other = next((schema[position] for position in chosen if position not in numeric), None)
            if other is not None:
                raise ParameterError(
                    f"combination_features has {other.name!r}, which is {other.unit or other.scale}; only "
                    "numeric columns can be combined."
                )
        if len(chosen) < 2:
            among = "table has" if self.features is None else "combination_features are"
            raise TableError(
                f"combinations={self._kinds_repr()} needs at least two numeric columns, but the {among} "
                f"{len(chosen)} of {len(schema)} feature(s). Add one, or set combinations=None."
            )
        return tuple(chosen)

    def _kinds_repr(self) -> str:
        return repr(self.kinds[0] if len(self.kinds) == 1 else self.kinds)

    def to_json(self, schema: Schema) -> dict[str, Any]:
        """Return the settings as a dict for JSON, with columns by name.

        >>> from bough.data.schema import Column
        >>> Combinations("ratio").to_json(Schema((Column("x", "numeric"), Column("y", "numeric"))))
        {'kinds': ['ratio'], 'features': ['x', 'y'], 'penalty': 0.0, 'deletion': 0.2}
        """
        return {
            "kinds": [*self.kinds],
            "features": [schema[position].name for position in self.columns(schema)],
            "penalty": float(self.penalty),
            "deletion": float(self.deletion),
        }
