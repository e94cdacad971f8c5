"""The errors bough raises: each is a `BoughError` and also the builtin a caller would expect to catch."""


class BoughError(Exception):
    """Every error bough raises on purpose is a BoughError.

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
    """A type that bough has no scale for: of a column's values, of its name, or of the table itself.

    >>> issubclass(ColumnTypeError, TypeError) and issubclass(ColumnTypeError, ValueError)
    True
    """


class SchemaError(BoughError, ValueError):
    """A schema contradicts itself, or a table does not fit the schema it is to be read by."""


class TargetError(BoughError, ValueError):
    """The target y cannot be predicted: missing, infinite, of the wrong shape or of the wrong type."""


class WeightError(BoughError, ValueError):
    """The weights of the rows are not one finite number of at least 0 for each row, some of them positive."""


class ParameterError(BoughError, ValueError):
    """A parameter has a value outside those it may take.

    >>> raise ParameterError.of("max_depth", -1, "a whole number of at least 1, or None")
    Traceback (most recent call last):
    bough.errors.ParameterError: max_depth is -1; it must be a whole number of at least 1, or None.
    """

    @classmethod
    def of(cls, name: str, got: object, want: str) -> "ParameterError":
        """Name the parameter, the value got and what is wanted, in the words all parameter errors share.

        >>> print(ParameterError.of("criterion", "ginny", "one of 'gini', 'entropy'"))
        criterion is 'ginny'; it must be one of 'gini', 'entropy'.
        """
        return cls(f"{name} is {got!r}; it must be {want}.")

    @classmethod
    def cannot(cls, name: str, got: object, learner: str, able: "tuple[str, ...]") -> "ParameterError":
        """Name the parameter, the value got, and the words of the common vocabulary that the learner can do.

        >>> print(ParameterError.cannot("missing", "learned", "UserTree", ("majority", "refuse")))
        missing is 'learned'; UserTree can do 'majority', 'refuse'.
        """
        return cls(f"{name} is {got!r}; {learner} can do {', '.join(map(repr, able))}.")


class FormatError(BoughError, ValueError):
    """A model file is not what the format says; `place` is where in the file it is wrong.

    >>> raise FormatError("schema.columns[2].scale", "'nominl' is no scale")
    Traceback (most recent call last):
    bough.errors.FormatError: At schema.columns[2].scale: 'nominl' is no scale
    >>> FormatError("classes", "is not a list").place
    'classes'
    """

    def __init__(self, place: str, wrong: str) -> None:
        super().__init__(place, wrong)
        self.place = place
        self.wrong = wrong

    def __str__(self) -> str:
        return f"At {self.place}: {self.wrong}"
