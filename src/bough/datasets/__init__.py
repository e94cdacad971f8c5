"""Small well-known tables for examples: each function returns a frame of pandas, polars or pyarrow.

The library is the first of these that is installed, unless `backend` names one.
"""

from __future__ import annotations

from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal, TypeAlias

import narwhals as nw

from bough.errors import ParameterError

__all__ = ["cars", "iris", "kyphosis", "path", "penguins", "tennis", "titanic"]

Backend: TypeAlias = Literal["pandas", "polars", "pyarrow"]
_BACKENDS: tuple[Backend, ...] = ("pandas", "polars", "pyarrow")


def penguins(backend: Backend | None = None) -> Any:
    """Return 344 penguins of Palmer Station, Antarctica (Horst, Hill and Gorman 2020).

    `species` is predicted from the island, four measurements, the sex and the year. Some values are missing.

    >>> penguins("polars").columns[:3]
    ['species', 'island', 'bill_length_mm']
    """
    return _read("penguins", backend)


def iris(backend: Backend | None = None) -> Any:
    """Return Fisher's 150 irises (1936): `Species` by two lengths and two widths.

    >>> iris("polars").shape
    (150, 5)
    """
    return _read("iris", backend)


def tennis(backend: Backend | None = None) -> Any:
    """Return the fourteen days of play tennis (Quinlan 1986; Mitchell 1997): `PlayTennis` by the weather.

    >>> import bough
    >>> days = tennis()
    >>> tree = bough.ID3Classifier().fit(days.drop(columns="PlayTennis"), days["PlayTennis"]).tree_
    >>> tree.node(0).question
    'Outlook?'
    """
    return _read("tennis", backend)


def cars(backend: Backend | None = None) -> Any:
    """Return 32 cars of Motor Trend (1974): `mpg`, miles per gallon, by ten properties of the car.

    >>> cars("polars").columns[-1]
    'mpg'
    """
    return _read("cars", backend)


def titanic(backend: Backend | None = None) -> Any:
    """Return the 2,201 people on board of the Titanic: `Survived` by class, sex and age (Dawson 1995).

    >>> titanic("polars").columns
    ['Class', 'Sex', 'Age', 'Survived']
    """
    return _read("titanic", backend)


def kyphosis(backend: Backend | None = None) -> Any:
    """Return 81 children after an operation of the spine: `Kyphosis` by age and vertebrae, as in R's rpart.

    >>> kyphosis("polars").shape
    (81, 4)
    """
    return _read("kyphosis", backend)


def path(name: str) -> Path:
    """Return the CSV file of a table, for example for the command line.

    >>> path("penguins").name
    'penguins.csv'
    >>> path("flights")
    Traceback (most recent call last):
    bough.errors.ParameterError: name is 'flights'; it must be one of 'cars', 'iris', 'kyphosis', 'penguins',
    'tennis', 'titanic'.
    """
    names = [each for each in __all__ if each != "path"]
    if name not in names:
        raise ParameterError.of("name", name, f"one of {', '.join(map(repr, names))}")
    return Path(str(files("bough.datasets").joinpath(f"{name}.csv")))


def _read(name: str, backend: Backend | None) -> Any:
    if backend is None:
        backend = next((each for each in _BACKENDS if find_spec(each) is not None), None)
        if backend is None:
            raise ParameterError(
                "Tables need a library of frames: install pandas, polars or pyarrow, or read the file "
                f"bough.datasets.path({name!r}) with bough.read_table."
            )
    if backend not in _BACKENDS:
        raise ParameterError.of("backend", backend, f"one of {', '.join(map(repr, _BACKENDS))}, or None")
    options: dict[str, Any] = {"null_values": ["NA", ""]} if backend == "polars" else {}
    return nw.read_csv(str(path(name)), backend=backend, **options).to_native()
