"""Cubist: the same rules, coefficients and predictions as Quinlan's program, case by case."""

import dataclasses
import re

import numpy as np
import pytest
from tests.oracle.reference import cases, of_own_folder, read_data

import bough
from bough.rules.condition import Interval

CASES = cases("cubist")


def fitted(case, n_neighbors=0):
    data = read_data(case.dataset)
    control = case.output["control"]
    model = bough.CubistRegressor(
        n_estimators=case.output["committees"],
        n_neighbors=n_neighbors,
        max_rules=control["rules"],
        unbiased=control["unbiased"],
        extrapolation=control["extrapolation"],
    ).fit(data.X, data.y)
    return model, data


def near(stored, error):
    """Numbers that differ by the rounding of Cubist's 32-bit numbers, relative to the largest."""
    scale = max(1.0, np.abs(stored).max())
    return pytest.approx(np.asarray(stored), rel=error, abs=error * scale)


def stored_rules(text):
    """The rules of a model file: a list of members, each a list of (head, conditions, coefficients)."""
    lines = [re.findall(r'(\w+)=((?:"[^"]*",?)+)', line) for line in text.splitlines() if line]
    members = []
    for line in lines:
        names = [name for name, _ in line]
        values = [re.findall(r'"([^"]*)"', value) for _, value in line]
        if names[:1] == ["rules"]:
            members.append([])
        elif names[:1] == ["conds"]:
            members[-1].append((dict(zip(names, (value[0] for value in values), strict=True)), [], {}))
        elif names[:1] == ["type"]:
            members[-1][-1][1].append(dict(zip(names, values, strict=True)))
        elif names[:1] == ["coeff"]:
            numbers = [value[0] for value in values]
            members[-1][-1][2].update({"": numbers[0]} | dict(zip(numbers[1::2], numbers[2::2], strict=True)))
    return members


def covered(rules, table, stored, data):
    """The rows that meet the conditions of a stored rule."""
    inside = np.ones(table.n_rows, dtype=bool)
    for condition in stored:
        [name] = condition["att"]
        values = table.columns[rules.schema.names.index(name)]
        if "cut" in condition:
            below = values.astype(np.float32) <= np.float32(condition["cut"][0])
            inside &= below if condition["result"] == ["<="] else ~below
        else:
            levels = [str(level) for level in rules.schema[name].levels]
            wanted = condition.get("elts", condition.get("val"))
            inside &= np.isin(values, [levels.index(level) for level in wanted])
    return inside


@pytest.mark.parametrize("case", CASES, ids=str)
def test_the_rules_are_cubists(case):
    model, data = fitted(case)
    rules, members = model.rules_, stored_rules(case.output["model_text"])
    precision = int(re.search(r'prec="(\d+)"', case.output["model_text"])[1]) + 1
    table = rules.completed(data.X)
    assert [*rules.member] == [number for number, member in enumerate(members) for _ in member]
    for rule, (head, conditions, coefficients) in zip(
        rules, [each for member in members for each in member], strict=True
    ):
        assert rule.cases == int(head["cover"])
        assert f"{rule.mean:.{precision}f}" == head["mean"]
        assert f"{rule.deviation:.{precision}f}" == head["esterr"]
        assert {each.column for each in rule.conditions} == {
            rules.schema.names.index(each["att"][0]) for each in conditions
        }
        fires = np.ones(table.n_rows, dtype=bool)
        for each in rule.conditions:
            fires &= each.covers(table.columns[each.column])
            assert isinstance(each, Interval) == (rules.schema[each.column].scale == "numeric")
        assert np.array_equal(fires, covered(rules, table, conditions, data))
        ours = {rules.schema[term.column].name: term.coefficient for term in rule.model.terms}
        ours[""] = rule.model.intercept
        # Adding 0 makes -0 a 0, which Cubist prints for a small negative intercept.
        assert {name: f"{number + 0:.14g}" for name, number in ours.items()} == {
            name: f"{float(text) + 0:.14g}" for name, text in coefficients.items()
        }


@pytest.mark.parametrize("case", CASES, ids=str)
def test_the_predictions_of_the_rules_are_cubists(case):
    model, data = fitted(case)
    assert model.predict(data.X) == near(case.output["pred_neighbors0"], 1e-6)


@pytest.mark.parametrize("n_neighbors", [3, 5])
@pytest.mark.parametrize("case", CASES, ids=str)
def test_the_predictions_with_neighbours_are_cubists(case, n_neighbors):
    """The greatest distance is the mean of pairs drawn at random, and R goes on with the numbers of the model
    before: where our own distance gives other predictions, one near it must give Cubist's."""
    model, data = fitted(case, n_neighbors)
    stored = np.array(case.output[f"pred_neighbors{n_neighbors}"])
    rules = model.rules_
    own = rules.neighbours.max_distance
    tried = sorted((own + step / 10 for step in range(-8, 9)), key=lambda distance: abs(distance - own))
    predictions = (
        dataclasses.replace(
            rules, neighbours=dataclasses.replace(rules.neighbours, max_distance=distance)
        ).predict(data.X)
        for distance in tried
    )
    assert any(found == near(stored, 1e-5) for found in predictions)


@of_own_folder
def test_there_are_cases_to_compare():
    assert len(CASES) >= 20
