"""CARTSurvival grows the trees of rpart's method exp, which are those of rates in rescaled times."""

import numpy as np
import pytest
from tests.oracle.reference import cases, of_own_folder, read_data
from tests.oracle.rpart_frame import problem_of
from tests.oracle.rpart_native import fitted

import bough
from bough.tree.arrays import ARRAYS

CASES = [case for case in cases("rpart") if case.output["method"] == "exp"]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_the_tree_of_survival_times_is_that_of_rates(case):
    data, parms = read_data(case.dataset), dict(case.output.get("parms") or {})
    if "method" in parms:
        parms["error"] = parms.pop("method")
    options = case.output["control"] | parms | {"xval": case.file["xval_groups"]}
    ours = bough.CARTSurvival.like_rpart(**options).fit(data.X, (data.y, data.status))
    rates = fitted(problem_of(case))
    # The rescaled times of both may differ in the last bit.
    for name in ARRAYS:
        theirs = getattr(rates.tree_, name)
        np.testing.assert_allclose(getattr(ours.tree_, name), theirs, rtol=1e-12, atol=1e-12, err_msg=name)
    assert ours.tree_.surrogates == rates.tree_.surrogates
    assert ours.cp_table_.cv_risk == pytest.approx(rates.cp_table_.cv_risk, rel=1e-12)


@of_own_folder
def test_there_are_cases():
    assert CASES
