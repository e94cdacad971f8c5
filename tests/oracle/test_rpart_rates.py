"""Trees of rates are rpart's: its methods poisson and exp, every aspect that bough keeps of every stored case."""

import pytest
from tests.oracle import rpart_agreement as agree
from tests.oracle.native_frame import native_frame
from tests.oracle.reference import cases

CASES = [case for case in cases("rpart") if case.output["method"] in ("poisson", "exp")]
ASPECTS = (
    agree.nodes_differ,
    agree.sizes_differ,
    agree.answers_differ,
    agree.primaries_differ,
    agree.competitors_differ,
    agree.surrogates_differ,
    agree.complexities_differ,
    agree.tables_differ,
    agree.cross_validations_differ,
    agree.prunings_differ,
    agree.ends_differ,
    agree.probes_differ,
)


@pytest.mark.parametrize("aspect", ASPECTS, ids=lambda aspect: aspect.__name__)
@pytest.mark.parametrize("case", CASES, ids=str)
def test_the_tree_of_rates_is_rparts(case, aspect):
    differences = list(aspect(native_frame(case), case))
    assert not differences, "\n".join([f"{case}, {aspect.__doc__}", *differences[:12]])
