"""Weka's M5Rules: the same predictions, which it prints with three decimals, case by case."""

import pytest
from tests.oracle.reference import cases, of_own_folder, read_data
from tests.oracle.test_weka_m5p import options_of

import bough

CASES = cases("weka/m5rules")


def fitted(case):
    data = read_data(case.dataset, ordered=False)
    return bough.M5RulesRegressor(**options_of(case.output["options"].split())).fit(data.X, data.y), data


@pytest.mark.parametrize("case", CASES, ids=str)
def test_the_predictions_are_wekas(case):
    model, data = fitted(case)
    assert model.predict(data.X) == pytest.approx(case.output["pred_rounded"], abs=5.01e-4)


@of_own_folder
def test_there_are_cases_to_compare():
    assert len(CASES) >= 25
