import json

import pytest

from bough.errors import ParameterError
from bough.growing.limits import Limits
from bough.growing.recipe import Recipe


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("criterion", {"criterion": "poisson"}),
        ("criterion", {"criterion": "ginny"}),
        ("criterion", {"criterion": None}),
        ("criterion", {"criterion": "gini", "task": "regression"}),
        ("nominal", {"nominal": "binary"}),
        ("nominal", {"criterion": "twoing", "nominal": "complete"}),
        ("missing", {"missing": "ignore"}),
        ("limits", {"limits": {"max_depth": 3}}),
        ("max_exhaustive_levels", {"max_exhaustive_levels": 25}),
        ("max_exhaustive_levels", {"max_exhaustive_levels": True}),
        ("task", {"task": "clustering"}),
        ("min_variance", {"limits": Limits(min_variance=1.0)}),
        ("significance", {"criterion": "poisson", "task": "regression", "limits": Limits(significance=0.05)}),
        ("purity", {"criterion": "poisson", "task": "regression", "limits": Limits(purity=0.9)}),
        ("min_events", {"criterion": "squared_error", "task": "regression", "limits": Limits(min_events=5)}),
    ],
)
def test_parts_that_do_not_fit_are_refused_by_name(name, wrong):
    with pytest.raises(ParameterError, match=f"{name} is "):
        Recipe(**{"criterion": "gini", "task": "classification", **wrong})


def test_a_function_serves_either_task():
    def mine(children):
        return children.sum(axis=(1, 2))

    for task, reads in (("classification", "classes"), ("regression", "moments")):
        recipe = Recipe(mine, nominal="complete", task=task)
        assert (recipe.criterion_name, recipe.reads) == ("mine", reads)


def test_a_recipe_is_told_in_json():
    recipe = Recipe("poisson", limits=Limits(min_events=2), task="regression")
    assert json.loads(json.dumps(recipe.to_json())) == recipe.to_json()
    assert recipe.to_json()["limits"] == {"min_events": 2}
