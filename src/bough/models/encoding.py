"""Encode documents as JSON text, or as a zip of `head.json` and the raw bytes of the arrays.

A document is the content of a model file: dicts, lists, plain values and arrays. Decoding never runs code
from the file. docs/format.md specifies both encodings.
"""

from __future__ import annotations

import hashlib
import io
import json
import math
import struct
import zipfile
from collections.abc import Mapping
from typing import Any, BinaryIO, TypeAlias

import numpy as np
import numpy.typing as npt

import bough._core as _core
from bough.errors import FormatError
from bough.models.plain import array_to_json

FORMAT = "bough model"
VERSION = 3
CHECKSUM = "sha256"
FREE = ("recipe", "provenance")
"""Entries of arbitrary content, in which nothing is read as a reference to an array."""

Document: TypeAlias = dict[str, Any]

_ZIP_HEAD = "head.json"
# Bytes that are read at once: few enough to be in the cache of the processor when their checksum is computed.
_PART = 2**18
# The signature of the header before a member's bytes, and the lengths of the name and of the part after it.
_LOCAL_HEADER = struct.Struct("<4s22xHH")
_SIGNATURE = b"PK\x03\x04"
_ENCRYPTED = 1
_ALIGNMENT = 64
_DTYPES = ("|u1", "<i4", "<u4", "<i8", "<u8", "<f4", "<f8")
_BROKEN_ZIP = (
    zipfile.BadZipFile,
    zipfile.LargeZipFile,
    EOFError,
    KeyError,
    NotImplementedError,
    OSError,
    OverflowError,
    RuntimeError,
    ValueError,
    struct.error,
)


def to_json(document: Document) -> Document:
    """Return a model's document as dicts and lists that JSON can represent, with format and version.

    >>> to_json({"nodes": {"cut": np.array([2.45, np.nan])}})
    {'format': 'bough model', 'version': 3, 'nodes': {'cut': [2.45, None]}}
    """
    return {"format": FORMAT, "version": VERSION, **_listed(document, "")}


def _listed(value: Any, name: str) -> Any:
    if isinstance(value, np.ndarray):
        return array_to_json(value, name)
    if isinstance(value, dict):
        return {key: _listed(member, key) for key, member in value.items()}
    return [_listed(member, name) for member in value] if isinstance(value, list) else value


def n_bytes(value: Any) -> int:
    """Return the size of the arrays of a document in bytes.

    >>> n_bytes({"kind": "tree", "nodes": {"cut": np.zeros(5)}})
    40
    """
    if isinstance(value, np.ndarray):
        return value.nbytes
    below = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return sum(map(n_bytes, below))


def to_text(document: Document) -> str:
    r"""Return a document as text; its first line holds the SHA-256 of the lines that follow.

    >>> text = to_text({"kind": "tree", "nodes": {"cut": np.array([2.45]), "gain": np.array([0.5])}})
    >>> print(text.partition("\n")[2])
    "kind": "tree",
    "nodes": {
    "cut": [2.45],
    "gain": [0.5]
    }}
    """
    body = _members_text(document) + "}\n"
    digest = hashlib.sha256(body.encode("ascii")).hexdigest()
    return f'{{"format": "{FORMAT}", "version": {VERSION}, "{CHECKSUM}": "{digest}",\n{body}'


def _members_text(members: Document) -> str:
    return ",\n".join(f"{json.dumps(name)}: {_text(member, name)}" for name, member in members.items())


def _text(value: Any, name: str) -> str:
    """Return a value as JSON text; objects and lists that contain arrays have one line per array."""
    if isinstance(value, np.ndarray):
        return json.dumps(array_to_json(value, name), allow_nan=False)
    if isinstance(value, dict) and n_bytes(value):
        return "{\n" + _members_text(value) + "\n}"
    if isinstance(value, list) and n_bytes(value):
        return "[\n" + ",\n".join(_text(member, name) for member in value) + "\n]"
    return json.dumps(value, allow_nan=False)


def to_zip(document: Document) -> bytes:
    """Return a document as an uncompressed zip: `head.json`, then the bytes of each array.

    >>> data = to_zip({"kind": "tree", "nodes": {"cut": np.array([2.45])}})
    >>> zipfile.ZipFile(io.BytesIO(data)).namelist()
    ['head.json', 'nodes/cut']
    """
    arrays: dict[str, npt.NDArray[Any]] = {}
    head = {"format": FORMAT, "version": VERSION, **_referred(document, "", arrays)}
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", zipfile.ZIP_STORED) as archive:
        # A fixed date, so that equal models have equal bytes.
        archive.writestr(zipfile.ZipInfo(_ZIP_HEAD), json.dumps(head, allow_nan=False, indent=1))
        for name, array in arrays.items():
            with archive.open(zipfile.ZipInfo(name), "w", force_zip64=array.nbytes >= 2**31) as member:
                member.write(array.data.cast("B") if array.size else b"")
    return written.getvalue()


def _referred(value: Any, path: str, arrays: dict[str, npt.NDArray[Any]]) -> Any:
    """Return a document with a reference instead of each array; the arrays are added to `arrays`."""
    if isinstance(value, np.ndarray):
        array = np.ascontiguousarray(value, dtype=value.dtype.newbyteorder("<"))
        arrays[path] = array
        return {"array": path, "dtype": array.dtype.str, "shape": list(array.shape)}
    below = f"{path}/" if path else ""
    if isinstance(value, dict):
        return {key: _referred(member, below + key, arrays) for key, member in value.items()}
    if isinstance(value, list):
        return [_referred(member, f"{below}{number}", arrays) for number, member in enumerate(value)]
    return value


def from_zip(file: BinaryIO) -> Any:
    """Return the document in a zip.

    >>> from_zip(io.BytesIO(to_zip({"kind": "tree", "nodes": {"cut": np.array([2.45])}})))["nodes"]
    {'cut': array([2.45])}
    """
    try:
        with zipfile.ZipFile(file) as archive:
            infos = archive.infolist()
        _check_members(infos, file.seek(0, io.SEEK_END))
        held = _contents(file, infos)
    except FormatError:
        raise
    except _BROKEN_ZIP as error:
        raise FormatError("the zip", str(error) or type(error).__name__) from None
    document = parsed(held.pop(_ZIP_HEAD).tobytes())
    resolved = _resolved(document, held)
    if held:
        raise FormatError("the zip", f"{min(held)!r} is not known here")
    return resolved


def _contents(file: BinaryIO, infos: list[zipfile.ZipInfo]) -> dict[str, npt.NDArray[np.uint8]]:
    """Return the bytes of each member: parts of one block of memory, aligned for arrays of any type."""
    starts = np.cumsum([0, *(-(-info.file_size // _ALIGNMENT) * _ALIGNMENT for info in infos)]).tolist()
    block = np.empty(starts[-1], dtype=np.uint8)
    held = {}
    for info, start in zip(infos, starts, strict=False):
        content = block[start : start + info.file_size]
        _read_into(content, file, info)
        held[info.filename] = content
    return held


def _read_into(content: npt.NDArray[np.uint8], file: BinaryIO, info: zipfile.ZipInfo) -> None:
    """Read the bytes of a member, which are behind a header that repeats its name, and check their CRC-32."""
    file.seek(info.header_offset)
    signature, name_length, extra_length = _LOCAL_HEADER.unpack(file.read(_LOCAL_HEADER.size))
    name = file.read(name_length)
    if signature != _SIGNATURE or name != info.orig_filename.encode():
        raise FormatError("the zip", f"{info.filename!r} is not where the directory of the zip says")
    file.seek(extra_length, io.SEEK_CUR)
    n_read = checksum = 0
    while n_read < len(content):
        part = content[n_read : n_read + _PART]
        n_more = file.readinto(part.data)  # type: ignore[attr-defined]
        if not n_more:
            raise FormatError("the zip", f"it ends within {info.filename!r}")
        checksum = _core.crc32(part[:n_more], checksum)
        n_read += n_more
    if checksum != info.CRC:
        raise FormatError(info.filename, "its bytes have another checksum: the file was damaged")


def _check_members(infos: list[zipfile.ZipInfo], size: int) -> None:
    names = {info.filename for info in infos}
    if len(names) < len(infos) or _ZIP_HEAD not in names:
        raise FormatError(_ZIP_HEAD, "it is missing, or a name occurs twice in the zip")
    if any(
        info.compress_type != zipfile.ZIP_STORED or info.file_size != info.compress_size for info in infos
    ):
        raise FormatError("the zip", "its members must be stored, not compressed")
    if any(info.flag_bits & _ENCRYPTED for info in infos):
        raise FormatError("the zip", "its members must not be encrypted")
    # The sizes of uncompressed members that do not overlap sum to at most the size of the file.
    if sum(info.file_size for info in infos) > size:
        raise FormatError("the zip", "its members overlap")


def _resolved(value: Any, held: dict[str, npt.NDArray[np.uint8]]) -> Any:
    """Return a document with each array instead of its reference; each array is used once."""
    if isinstance(value, list):
        return [_resolved(member, held) for member in value]
    if not isinstance(value, dict):
        return value
    if value.keys() == {"array", "dtype", "shape"}:
        return _array(value, held)
    return {key: member if key in FREE else _resolved(member, held) for key, member in value.items()}


def _array(reference: Mapping[str, Any], held: dict[str, npt.NDArray[np.uint8]]) -> npt.NDArray[Any]:
    name, dtype, shape = (reference[each] for each in ("array", "dtype", "shape"))
    if type(name) is not str or name not in held:
        raise FormatError("the zip", f"there is no array {name!r}, or it is referred to twice")
    if dtype not in _DTYPES:
        raise FormatError(name, f"the type {dtype!r} is none of {', '.join(map(repr, _DTYPES))}")
    is_shape = type(shape) is list and 1 <= len(shape) <= 2
    if not is_shape or not all(type(length) is int and length >= 0 for length in shape):
        raise FormatError(name, f"the shape {shape!r} is not one or two whole numbers")
    data, wanted = held.pop(name), np.dtype(dtype)
    if len(data) != math.prod(shape) * wanted.itemsize:
        raise FormatError(name, f"has {len(data)} bytes, which do not make the shape {shape!r} of {dtype!r}")
    array: npt.NDArray[Any] = data.view(wanted).reshape(shape)
    return array.astype(wanted.newbyteorder("="), copy=False)


def parsed(data: bytes) -> Any:
    """Return the JSON content of a file; raise `FormatError` with line and column if it is not valid JSON.

    >>> parsed(b'{"a": 1, "a": 2}')
    Traceback (most recent call last):
    bough.errors.FormatError: At 'a': occurs twice in one object
    """
    try:
        return json.loads(data.decode("utf-8"), object_pairs_hook=_object, parse_constant=_refuse_constant)
    except UnicodeDecodeError as error:
        raise FormatError(f"byte {error.start}", "the file is not UTF-8 text") from None
    except json.JSONDecodeError as error:
        cut_short = " (is the file whole?)" if error.pos >= len(error.doc.rstrip()) else ""
        raise FormatError(f"line {error.lineno}, column {error.colno}", f"{error.msg}{cut_short}") from None
    except RecursionError:
        raise FormatError("the top", "it is nested too deep") from None
    except FormatError:
        raise
    except ValueError as error:
        raise FormatError("a number", str(error)) from None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise FormatError(repr(twice), "occurs twice in one object")
    return members


def _refuse_constant(name: str) -> Any:
    raise FormatError(name, 'it is not JSON; write infinities as "inf" and "-inf", and NaN as null')
