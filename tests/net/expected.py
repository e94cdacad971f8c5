"""The differences that are meant: (regular expression of the case, of the aspect, reason).

Both expressions must match the whole name. An entry that no difference matches is a failure too, so that the
list never says more than is true.
"""

EXPECTED: tuple[tuple[str, str, str], ...] = ()
