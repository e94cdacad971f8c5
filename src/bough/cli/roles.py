"""The roles of a table's columns: the target, the weights, columns left out, and columns of a given scale."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from bough.cli.option_groups import ALL_ROWS, ColumnOptions, RowOptions
from bough.cli.terminal import working
from bough.errors import ParameterError

if TYPE_CHECKING:
    from bough.data.table import Table


class Roles(NamedTuple):
    """The roles of a table's columns, as the options give them."""

    target: str
    """The target or several of them, with commas; empty if there is none."""
    weights: str | None
    drop: Sequence[str]
    nominal: Sequence[str]
    ordinal: Mapping[str, Sequence[str]]
    groups: str | None = None
    event: str | None = None

    @classmethod
    def of(cls, target: str, columns: ColumnOptions, rows: RowOptions = ALL_ROWS) -> Roles:
        """Return the roles that the options of a verb give.

        >>> Roles.of("buys", ColumnOptions(ordinal=["size=small,large"])).ordinal
        {'size': ['small', 'large']}
        """
        ordered = dict(map(levels_in_order, columns.ordinal or []))
        drop, nominal = columns.drop or [], columns.nominal or []
        return cls(target, rows.weights, drop, nominal, ordered, rows.groups, rows.event)

    def targets(self, names: Sequence[str]) -> list[str]:
        """Return the targets that a table with columns of these names has; a comma may be part of a name.

        >>> roles = Roles.of("height,width", ColumnOptions())
        >>> roles.targets(["height", "width"]), roles.targets(["age", "height,width"])
        (['height', 'width'], ['height,width'])
        """
        if not self.target:
            return []
        if self.target in names:
            return [self.target]
        targets = [name.strip() for name in self.target.split(",")]
        repeated = [name for name in targets if targets.count(name) > 1]
        if repeated:
            raise ParameterError(f"--target names {repeated[0]!r} twice; name each target once.")
        return targets


def read_rows(path: str, roles: Roles, na: Sequence[str], *, several: bool = False) -> Table:
    r"""Read the columns that have a role; a name that the table does not have is refused.

    `several` tells whether there may be several targets.

    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "visitors.csv"
    ...     _ = file.write_text("id,visits,buys\n7,1,no\n8,2,yes\n")
    ...     read_rows(str(file), Roles("buys", None, ["id"], [], {}), [""]).schema.names
    ('visits', 'buys')
    """
    from bough.data.files import check_known, open_table, read_columns

    with working("Reading the table"), open_table(path, na) as file:
        others = [name for name in (roles.weights, roles.groups, roles.event) if name is not None]
        targets = roles.targets(file.names)
        check_known([*targets, *others, *roles.drop, *roles.nominal, *roles.ordinal], file.names, path)
        if len(targets) > 1 and not several:
            raise ParameterError.of("--target", roles.target, "one column for this command")
        names = [name for name in file.names if name not in roles.drop]
        check_known([*targets, *others], names, f"{path} without what --drop leaves out")
        kept = {*roles.nominal, *roles.ordinal}
        for target in targets:
            if target in file.dates and target not in kept:
                raise ParameterError(
                    f"The target {target!r} holds dates or times; name another, or add "
                    f"--nominal {target} to take each of them for a class."
                )
        return read_columns(file, names, nominal=roles.nominal, ordinal=roles.ordinal)


def levels_in_order(given: str) -> tuple[str, list[str]]:
    """Return the column and the levels in rising order that an option gives.

    >>> levels_in_order("size=small,large")
    ('size', ['small', 'large'])
    """
    name, equals, levels = given.partition("=")
    if not equals or not levels:
        raise ParameterError.of(
            "--ordinal", given, "a column and its levels, such as size=small,medium,large"
        )
    return name, [level.strip() for level in levels.split(",")]
