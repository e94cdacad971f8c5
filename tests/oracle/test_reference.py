"""The stored tables are read as their schemas say."""

import numpy as np
import pytest
from tests.oracle.reference import cases, class_labels, datasets, read_data, read_schema

from bough.data.table import Table


@pytest.mark.parametrize("name", datasets())
def test_a_table_has_the_rows_levels_and_gaps_of_its_schema(name):
    schema, data = read_schema(name), read_data(name)
    assert len(data.X) == len(data.y) == schema["n_rows"]
    said = {column["name"]: column for column in schema["columns"]}
    table = Table.read(data.X)
    assert [column["name"] for column in schema["columns"] if column["role"] == "feature"] == list(data.X)
    for column, values in zip(table.schema.columns, table.columns, strict=True):
        assert column.scale == said[column.name]["type"]
        assert list(column.levels) == said[column.name].get("levels", [])
        missing = np.isnan(values) if column.scale == "numeric" else values < 0
        assert missing.sum() == said[column.name]["n_missing"]
    assert data.y.isna().sum() == said[schema["target"]]["n_missing"]
    if data.task == "classification":
        assert list(data.y.cat.categories) == class_labels(said[schema["target"]]["levels"])


def test_programs_without_order_see_ordinal_columns_as_nominal():
    for name in datasets():
        table = Table.read(read_data(name, ordered=False).X)
        assert {column.scale for column in table.schema.columns} <= {"nominal", "numeric"}


def test_every_case_names_a_stored_table():
    assert {case.dataset for case in cases("weka/id3")} <= set(datasets())
