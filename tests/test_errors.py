"""Every error is a BoughError and the builtin that callers of scikit-learn catch."""

import pickle

import numpy as np
import pytest

from bough import errors

NAMES = [
    "TableError",
    "ColumnTypeError",
    "SchemaError",
    "TargetError",
    "WeightError",
    "ParameterError",
    "FormatError",
]


@pytest.mark.parametrize("name", NAMES)
def test_each_is_a_bough_error_and_a_value_error(name):
    error = getattr(errors, name)
    assert issubclass(error, errors.BoughError)
    assert issubclass(error, ValueError)


def test_a_column_of_the_wrong_type_is_a_type_error_and_a_table_error():
    assert issubclass(errors.ColumnTypeError, TypeError)
    assert issubclass(errors.ColumnTypeError, errors.TableError)


def test_parameter_error_names_the_parameter_the_value_and_the_want():
    message = str(errors.ParameterError.of("max_depth", -1, "a whole number of at least 1"))
    assert message == "max_depth is -1; it must be a whole number of at least 1."


def test_parameter_error_shows_the_start_of_a_long_value_on_one_line():
    message = str(errors.ParameterError.of("max_depth", np.arange(300), "a whole number"))
    assert message.startswith("max_depth is array([  0,   1,   2,")
    assert message.endswith(" …; it must be a whole number.")
    assert "\n" not in message
    assert len(message) < 200
    assert "'a  b'" in str(errors.ParameterError.of("criterion", "a  b", "a name"))


def test_format_error_knows_its_place_also_after_pickling():
    error = pickle.loads(pickle.dumps(errors.FormatError("nodes[3].cut", "is not a number")))
    assert error.place == "nodes[3].cut"
    assert str(error) == "At nodes[3].cut: is not a number"
