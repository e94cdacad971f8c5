"""Every public learner has one entry for each parameter, and the reference its type and default."""

import importlib.util
import inspect
from pathlib import Path

import pytest
from sklearn.base import BaseEstimator

import bough
from bough.learners.documentation import entries_of

LEARNERS = [
    name
    for name in bough.__all__
    if inspect.isclass(getattr(bough, name)) and issubclass(getattr(bough, name), BaseEstimator)
]
GRIFFE = Path(__file__).parents[1] / "docs" / "_griffe" / "parameters.py"


def signature_of(name):
    return inspect.signature(getattr(bough, name)).parameters


def documented(name):
    return entries_of(inspect.cleandoc(getattr(bough, name).__doc__), "Parameters")


@pytest.mark.parametrize("name", LEARNERS)
def test_every_parameter_has_an_entry_of_its_own_and_there_are_no_others(name):
    names = [entry.names for entry in documented(name)]
    assert all(len(each) == 1 for each in names)
    assert sorted(each for (each,) in names) == sorted(signature_of(name))
    assert all(entry.text.strip() for entry in documented(name))


@pytest.mark.parametrize("name", LEARNERS)
def test_the_reference_shows_the_types_and_defaults_of_the_signature(name):
    pytest.importorskip("griffe", reason="the reference needs mkdocstrings")
    spec = importlib.util.spec_from_file_location("griffe_parameters", GRIFFE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    lines = module.typed(inspect.cleandoc(getattr(bough, name).__doc__), getattr(bough, name)).splitlines()
    for each, parameter in signature_of(name).items():
        ending = "" if parameter.default is parameter.empty else f", default: {parameter.default!r}"
        headers = [line for line in lines if line.startswith(f"{each} : ")]
        assert headers[0].endswith(ending)
        assert parameter.annotation is not parameter.empty
        if isinstance(parameter.annotation, str):
            assert headers[0].startswith(f"{each} : {parameter.annotation}")
