"""CART grown as R's rpart grows it: every aspect of every stored case."""

import pytest
from tests.oracle.reference import cases
from tests.oracle.rpart_agreement import ASPECTS
from tests.oracle.rpart_frame import frame_of

CASES = cases("rpart")
MOST_LINES = 12


@pytest.mark.parametrize("aspect", ASPECTS, ids=lambda aspect: aspect.__name__)
@pytest.mark.parametrize("case", CASES, ids=str)
def test_the_fit_is_rparts(case, aspect):
    differences = list(aspect(frame_of(case), case))
    hidden = len(differences) - MOST_LINES
    lines = differences[:MOST_LINES] + ([f"and {hidden} more"] if hidden > 0 else [])
    assert not differences, "\n".join([f"{case}, {aspect.__doc__}", *lines])


def test_there_are_cases_of_every_kind():
    outputs = [case.output for case in CASES]
    assert {output["method"] for output in outputs} == {"class", "anova", "poisson", "exp"}
    assert {output["control"]["usesurrogate"] for output in outputs} == {0, 1, 2}
    assert {output["control"]["surrogatestyle"] for output in outputs} == {0, 1}
    parms = {name for output in outputs for name in output.get("parms") or {}}
    assert parms == {"split", "loss", "prior", "shrink", "method"}
    assert any(output.get("weights") for output in outputs)
    assert any(output.get("cost") for output in outputs)
