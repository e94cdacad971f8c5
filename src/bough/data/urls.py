"""URLs and connection strings that stand where a file is expected; they are never shown, for passwords."""

from __future__ import annotations

import os
import re
from os import PathLike

from bough.errors import ParameterError

# A path object has only one of the two slashes left. One letter before the colon is a drive of Windows.
_URL = re.compile(r"\s*[A-Za-z][A-Za-z0-9+.-]+:/|.*\b(password|passwd|pwd)\s*=", re.IGNORECASE | re.DOTALL)


def is_url(path: str | PathLike[str]) -> bool:
    """Return whether a path is a URL, or a connection string with a password.

    >>> [is_url(each) for each in ("postgresql://host/shop", "host=h password=x", "C:/model.json", "a.csv")]
    [True, True, False, False]
    """
    return _URL.match(os.fspath(path)) is not None and not os.path.exists(path)  # noqa: PTH110


def refuse_url(path: str | PathLike[str], what: str = "a file") -> None:
    """Raise if a path is a URL; the error does not show it.

    >>> refuse_url("postgresql://me:secret@host/shop", "the file of a model")
    Traceback (most recent call last):
    bough.errors.ParameterError: A URL was given where the file of a model is expected; name a file.
    """
    if is_url(path):
        kind = "URL" if ":/" in os.fspath(path) else "connection string"
        raise ParameterError(f"A {kind} was given where {what} is expected; name a file.")
