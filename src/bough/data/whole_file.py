"""A file that is written whole or not at all: models, reports, exports and predictions go through here."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from os import PathLike
from pathlib import Path
from typing import BinaryIO

from bough.data.urls import refuse_url


def write_file(path: str | PathLike[str], data: bytes) -> None:
    """Write a file whole, or leave what was there as it was.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_file(f"{folder}/answer.txt", b"42")
    ...     Path(f"{folder}/answer.txt").read_bytes()
    b'42'
    """
    with whole_file(path) as file:
        file.write(data)


@contextmanager
def whole_file(path: str | PathLike[str]) -> Iterator[BinaryIO]:
    """Open a file for writing that takes its name only after everything has reached the disk.

    The data is written to a new file in the same folder, which then replaces the old one in one step. On any
    error, such as a full disk, the new file is deleted, the old one stays, and an OSError names `path`. A
    symbolic link stays a link. What is no regular file, such as a pipe or a device, is written directly.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_file(f"{folder}/answer.txt", b"old")
    ...     try:
    ...         with whole_file(f"{folder}/answer.txt") as file:
    ...             _ = file.write(b"new, and then") / 0
    ...     except ZeroDivisionError:
    ...         [(each.name, each.read_bytes()) for each in Path(folder).iterdir()]
    [('answer.txt', b'old')]
    """
    refuse_url(path)
    try:
        if _is_stream(Path(path)):
            with Path(path).open("wb") as file:
                yield file
        else:
            yield from _replaced(Path(os.path.realpath(path)))
    except OSError as error:
        # The caller knows the file by this name; a full disk gives no name at all.
        raise OSError(error.errno, error.strerror or str(error), os.fspath(path)) from error


def _is_stream(path: Path) -> bool:
    """Say whether the path is a pipe or a device, or a name of a file that this process has open."""
    named_open = str(path).startswith(("/dev/std", "/dev/fd/", "/proc/"))
    return named_open or (path.exists() and not path.is_file())


def _replaced(target: Path) -> Iterator[BinaryIO]:
    beside = target.with_name(f".{target.name[:40]}.{secrets.token_hex(4)}.tmp")
    # Mode "x" gives the permissions that any new file has here, which those of a temporary file are not.
    with beside.open("xb") as file:
        try:
            yield file
            file.flush()
            os.fsync(file.fileno())
            if target.exists():
                beside.chmod(target.stat().st_mode & 0o7777)
            beside.replace(target)
        except BaseException:
            with suppress(OSError):
                beside.unlink()
            raise
    _sync_folder(target.parent)


def _sync_folder(folder: Path) -> None:
    """Make the new name last; not every system lets a folder be opened."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
