"""The errors that bough raises: each is a `BoughError` and also the matching built-in exception."""

_LONGEST_VALUE = 120


def _shown(value: object) -> str:
    """Return the repr of a value on one line, cut off where it is long, as that of an array may be.

    >>> _shown("gini"), len(_shown("gini" * 100))
    ("'gini'", 120)
    """
    text = " ".join(line.strip() for line in repr(value).splitlines())
    return text if len(text) <= _LONGEST_VALUE else f"{text[: _LONGEST_VALUE - 2]} …"


class BoughError(Exception):
    """The base class of all errors that bough raises deliberately.

    >>> issubclass(TableError, BoughError) and issubclass(TableError, ValueError)
    True
    """


class TableError(BoughError, ValueError):
    """The data given cannot be read as a table of rows and columns.

    >>> raise TableError("Column 'id' holds 9007199254740993.")
    Traceback (most recent call last):
    bough.errors.TableError: Column 'id' holds 9007199254740993.
    """


class ColumnTypeError(TableError, TypeError):
    """The type of a table, of a column's values or of its name is not supported.

    >>> issubclass(ColumnTypeError, TypeError) and issubclass(ColumnTypeError, ValueError)
    True
    """


class SchemaError(BoughError, ValueError):
    """A schema is inconsistent, or a table does not match the schema of the model."""


class TargetError(BoughError, ValueError):
    """The target y cannot be predicted: missing, infinite, of the wrong shape or of the wrong type."""


class WeightError(BoughError, ValueError):
    """The sample weights are not one finite number of at least 0 per row, or none of them is positive."""


class ParameterError(BoughError, ValueError):
    """A parameter has an invalid value.

    >>> raise ParameterError.of("max_depth", -1, "a whole number of at least 1, or None")
    Traceback (most recent call last):
    bough.errors.ParameterError: max_depth is -1; it must be a whole number of at least 1, or None.
    """

    @classmethod
    def of(cls, name: str, got: object, want: str) -> "ParameterError":
        """Return the error for a parameter: its name, the value given and what is valid.

        >>> print(ParameterError.of("criterion", "ginny", "one of 'gini', 'entropy'"))
        criterion is 'ginny'; it must be one of 'gini', 'entropy'.
        """
        return cls(f"{name} is {_shown(got)}; it must be {want}.")

    @classmethod
    def cannot(cls, name: str, got: object, learner: str, able: "tuple[str, ...]") -> "ParameterError":
        """Return the error for a valid value that this learner does not support.

        >>> print(ParameterError.cannot("missing", "learned", "UserTree", ("majority", "refuse")))
        missing is 'learned'; UserTree supports 'majority', 'refuse'.
        """
        return cls(f"{name} is {_shown(got)}; {learner} supports {', '.join(map(repr, able))}.")


class FormatError(BoughError, ValueError):
    """A model file does not follow the format; `place` is the entry of the file that is wrong.

    >>> raise FormatError("schema.columns[2].scale", "'nominl' is not a scale")
    Traceback (most recent call last):
    bough.errors.FormatError: At schema.columns[2].scale: 'nominl' is not a scale
    >>> FormatError("classes", "is not a list").place
    'classes'
    """

    def __init__(self, place: str, wrong: str) -> None:
        super().__init__(place, wrong)
        self.place = place
        self.wrong = wrong

    def __str__(self) -> str:
        return f"At {self.place}: {self.wrong}"


class BoughWarning(UserWarning):
    """The base class of the warnings of bough that have a category of their own.

    >>> issubclass(IdentifierWarning, BoughWarning) and issubclass(IdentifierWarning, UserWarning)
    True
    """


class IdentifierWarning(BoughWarning):
    """A model splits on a column that seems to identify the rows; `columns` names such columns.

    `bough.tree.identifiers` describes which columns these are. To keep such a column without a warning, call
    `warnings.simplefilter("ignore", bough.errors.IdentifierWarning)`.

    >>> print(IdentifierWarning(("ticket",)))
    Column 'ticket' seems to identify the rows: a model that splits on it learns the training rows by heart
    and is of no use for new rows. If so, leave it out: X.drop(columns=['ticket']).
    """

    def __init__(self, columns: "tuple[str, ...]") -> None:
        super().__init__(columns)
        self.columns = columns

    @property
    def problem(self) -> str:
        """What is wrong with the columns, without what to do.

        >>> IdentifierWarning(("ticket", "name")).problem.split(":")[0]
        "Columns 'ticket', 'name' seem to identify the rows"
        """
        names = ", ".join(map(repr, self.columns))
        one = len(self.columns) == 1
        subject = f"Column {names} seems" if one else f"Columns {names} seem"
        return (
            f"{subject} to identify the rows: a model that splits on {'it' if one else 'them'} learns the "
            "training rows by heart and is of no use for new rows."
        )

    def __str__(self) -> str:
        them = "it" if len(self.columns) == 1 else "them"
        return f"{self.problem} If so, leave {them} out: X.drop(columns={list(self.columns)!r})."
