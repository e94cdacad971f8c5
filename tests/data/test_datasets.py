"""The tables of the examples are there after an installation, in every library of frames."""

from pathlib import Path

import pandas as pd
import polars as pl
import pytest

import bough

TABLES = {
    "penguins": (344, 8),
    "iris": (150, 5),
    "tennis": (14, 5),
    "cars": (32, 11),
    "titanic": (2201, 4),
    "kyphosis": (81, 4),
}


@pytest.mark.parametrize("name", TABLES)
def test_a_table_is_a_frame_of_the_library_asked_for(name):
    read = getattr(bough.datasets, name)
    assert isinstance(read(), pd.DataFrame)
    assert isinstance(read("polars"), pl.DataFrame)
    assert read().shape == read("polars").shape == read("pyarrow").shape == TABLES[name]
    assert read().columns.tolist() == read("polars").columns


def test_missing_values_are_missing_in_every_library():
    assert bough.datasets.penguins().isna().sum().sum() == 19
    assert sum(bough.datasets.penguins("polars").null_count().row(0)) == 19


def test_the_penguins_are_those_of_the_examples_folder():
    examples = Path(__file__).parents[2] / "examples" / "penguins.csv"
    assert bough.datasets.path("penguins").read_text() == examples.read_text()


def test_unknown_names_are_refused():
    with pytest.raises(bough.BoughError, match="name is 'flights'; it must be one of 'cars'"):
        bough.datasets.path("flights")
    with pytest.raises(bough.BoughError, match="backend is 'dask'"):
        bough.datasets.iris("dask")
