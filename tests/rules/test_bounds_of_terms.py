"""Terms of linear rules whose values have bounds."""

from dataclasses import replace

import pytest

import bough
from bough.errors import FormatError
from bough.example_models import cars_rules
from bough.loading import from_document


def bounded():
    rules = cars_rules()
    first = rules.rules[0]
    [term] = first.model.terms
    model = replace(first.model, terms=(replace(term, bounds=(60.0, 150.0)),))
    return replace(rules, rules=(replace(first, model=model), *rules.rules[1:]))


def test_a_value_beyond_its_bounds_counts_as_the_nearest(tmp_path):
    rules = bounded()
    inside, beyond = [[4.0, 60.0]], [[4.0, -5.0]]
    assert rules.predict(beyond) == rules.predict(inside) != cars_rules().predict(beyond)
    rules.save(tmp_path / "rules.json")
    assert bough.load(tmp_path / "rules.json") == rules


@pytest.mark.parametrize("bounds", [[2.0, 1.0], [1.0], [1.0, None]])
def test_wrong_bounds_in_a_file_are_refused(bounds):
    document = bounded().document()
    document["rules"][0]["terms"][0]["bounds"] = bounds
    with pytest.raises(FormatError, match="bounds"):
        from_document(document)
