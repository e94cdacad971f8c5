"""C50Classifier makes the models of C5.0 release 2.07: the same trees, rules, classes and probabilities."""

import numpy as np
import pytest
from tests.oracle.c50_models import compare_rules, compare_tree, fitted
from tests.oracle.reference import cases, of_own_folder

CASES = cases("c50")


@pytest.mark.parametrize("case", CASES, ids=str)
def test_the_model_is_c50s(case):
    model, data = fitted(case)
    output = case.output
    assert model.n_estimators_ == output["trials_actual"]
    if output["rules"]:
        assert len(model.rule_sets_) == len(output["rulesets"])
        for ours, theirs in zip(model.rule_sets_, output["rulesets"], strict=True):
            compare_rules(case, ours, theirs)
    else:
        by_cost = output["costs_rows_predicted_cols_actual"] is not None
        assert len(model.trees_) == len(output["trees"])
        for trial, theirs in enumerate(output["trees"]):
            compare_tree(case, model, data, trial, theirs, by_cost)
            model.trees_[trial].check()


@pytest.mark.parametrize("case", CASES, ids=str)
def test_the_classes_are_c50s(case):
    model, data = fitted(case)
    levels = np.array(case.file["class_levels"])
    assert (model.predict(data.X).astype(str) == levels[case.output["pred_class_index"]]).all()


@pytest.mark.parametrize("case", [case for case in CASES if case.output.get("prob")], ids=str)
def test_the_probabilities_are_c50s(case):
    model, data = fitted(case)
    rows, theirs = case.output["prob_rows"], np.array(case.output["prob"])
    ours = model.predict_proba(data.X.iloc[rows])
    order = [case.file["class_levels"].index(str(label)) for label in model.classes_]
    assert ours == pytest.approx(theirs[:, order], abs=1e-6)
    assert ours.sum(axis=1) == pytest.approx(np.ones(len(rows)), abs=1e-12)


@of_own_folder
def test_there_are_cases_to_compare():
    assert len(CASES) >= 100
