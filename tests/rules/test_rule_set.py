"""Rule sets predict, count, print, convert and are saved; they are made from trees of any learner."""

import copy
import dataclasses
import json

import numpy as np
import pandas as pd
import pytest

import bough
from bough.errors import FormatError, ParameterError, TargetError
from bough.example_models import cars_tree, iris_tree, tennis_cases, tennis_rules, tennis_tree
from bough.rules import ClassRule, Interval, LevelSet, RuleSet
from bough.rules.voting import by_vote

X, Y = tennis_cases()
RNG = np.random.default_rng(3)
FLOWERS = pd.DataFrame(RNG.normal(size=(300, 3)), columns=["p", "q", "r"])
KINDS = np.where(FLOWERS["p"] > 0.5, "big", np.where(FLOWERS["q"] + 0.3 * FLOWERS["r"] > 0, "mid", "small"))


def first_rules():
    return RuleSet(
        schema=tennis_rules().schema,
        classes=("No", "Yes"),
        rules=tennis_rules().rules,
        default="No",
        priors=(0.25, 0.75),
        cases=14.0,
        order="first",
    )


def test_all_rules_that_fire_vote():
    rain_normal_strong = [["Rain", "Cool", "Normal", "Strong"]]
    decision = tennis_rules().decide(rain_normal_strong)
    # 750 thousandths for No, 778 for Yes: two rules fire, and Yes wins.
    assert tennis_rules().fires(rain_normal_strong).tolist() == [[False, True, False, False, True]]
    assert tennis_rules().predict(rain_normal_strong) == ["Yes"]
    assert decision.confidence == pytest.approx([0.778])
    assert decision.probabilities[0] == pytest.approx(np.array([0.375, 0.778]) / 1.153)


def test_a_tie_of_votes_goes_to_the_default():
    schema = tennis_rules().schema
    rules = (
        ClassRule(schema, (LevelSet(0, (0,), (0,)),), "No", 4.0, 4.0, 0.5),
        ClassRule(schema, (LevelSet(2, (0,), (0,)),), "Yes", 4.0, 4.0, 0.5),
    )
    fields = {"schema": schema, "classes": ("No", "Yes"), "rules": rules, "priors": (0.5, 0.5), "cases": 8.0}
    both = [["Sunny", "Hot", "High", "Weak"]]
    assert [RuleSet(default=label, **fields).predict(both)[0] for label in ("No", "Yes")] == ["No", "Yes"]


def test_where_no_rule_fires_the_default_answers():
    nothing = [[None] * 4]
    assert tennis_rules().predict(nothing) == ["Yes"]
    assert tennis_rules().predict_proba(nothing).tolist() == [[0.5, 0.5]]
    assert first_rules().predict(nothing) == ["No"]
    assert first_rules().predict_proba(nothing).tolist() == [[0.25, 0.75]]


def test_the_first_rule_that_fires_answers_alone():
    rain_normal_strong = [["Rain", "Cool", "Normal", "Strong"]]
    assert first_rules().predict(rain_normal_strong) == ["No"]
    assert first_rules().predict_proba(rain_normal_strong).tolist() == [[0.75, 0.25]]


def test_a_missing_value_meets_no_condition():
    assert not tennis_rules().fires([["Rain", None, None, None]]).any()


def test_rules_are_counted_on_other_rows():
    measured = tennis_rules().measured(X, Y)
    assert [(rule.cover, rule.correct) for rule in measured] == [(3, 3), (2, 2), (4, 4), (3, 3), (7, 6)]
    assert measured.priors == pytest.approx((5 / 14, 9 / 14))
    doubled = tennis_rules().measured(X, Y, np.full(14, 2.0))
    assert [rule.cover for rule in doubled] == [6, 4, 8, 6, 14]
    with pytest.raises(ParameterError, match="'Perhaps'"):
        tennis_rules().measured(X[:1], ["Perhaps"])


def test_a_set_is_a_sequence():
    rules = tennis_rules()
    assert len(rules) == 5
    assert list(rules) == [rules[number] for number in range(5)]
    assert rules[1:3] == [rules[1], rules[2]]
    assert [rule.answer for rule in rules.for_class("No")] == ["No", "No"]


def test_a_set_becomes_a_table():
    pandas, polars = tennis_rules().to_pandas(), tennis_rules().to_polars()
    assert pandas.to_dict("records") == polars.to_dicts() == tennis_rules().to_dicts()


def test_an_empty_set_answers_with_its_default():
    empty = RuleSet(
        schema=tennis_rules().schema, classes=("a",), rules=(), default="a", priors=(1.0,), cases=3
    )
    assert empty.predict(X).tolist() == ["a"] * 14
    assert "0 rules" in str(empty)
    assert RuleSet.from_json(empty.to_json()) == empty


@pytest.mark.parametrize("order", ["vote", "first"])
def test_a_file_gives_the_rules_back(tmp_path, order):
    rules = bough.C50Classifier(rules=True).fit(FLOWERS, KINDS).rules_
    if order == "first":
        rules = RuleSet.from_tree(bough.CARTClassifier().fit(FLOWERS, KINDS).tree_, FLOWERS, KINDS)
    rules.save(tmp_path / "rules.json")
    read = bough.load(tmp_path / "rules.json")
    assert read == rules
    assert (read.predict_proba(FLOWERS) == rules.predict_proba(FLOWERS)).all()


@pytest.mark.parametrize(
    ("place", "value", "message"),
    [
        (["format"], "bough trees", "format"),
        (["version"], 9, "version"),
        (["order"], "last", "order is 'last'"),
        (["default"], 2, "At default: 2"),
        (["default"], True, "At default: True"),
        (["priors"], [1.0], "priors"),
        (["priors", 0], "half", "At priors[0]"),
        (["cases"], -1, "At cases"),
        (["classes"], [], "At classes"),
        (["target"], 7, "At target"),
        (["rules"], {}, "At rules"),
        (["rules", 0, "class"], -1, "At rules[0].class"),
        (["rules", 0, "cover"], float("nan"), "At rules[0].cover"),
        (["rules", 0, "conditions", 0, "column"], 9, "At rules[0].conditions[0].column"),
        (["rules", 0, "conditions", 0, "levels"], [7], "At rules[0].conditions[0].levels[0]"),
        (["rules", 0, "conditions", 0, "missing"], 1, "At rules[0].conditions[0].missing"),
        (["rules", 0, "conditions", 0], {"column": 0}, "At rules[0].conditions[0]"),
        (["rules", 0, "extra"], 1, "'extra' is not known here"),
    ],
)
def test_a_wrong_file_is_refused_with_its_place(place, value, message):
    document = copy.deepcopy(tennis_rules().to_json())
    inside = document
    for step in place[:-1]:
        inside = inside[step]
    inside[place[-1]] = value
    with pytest.raises(FormatError) as caught:
        RuleSet.from_json(document)
    assert message in str(caught.value)


def test_a_broken_file_names_itself(tmp_path):
    path = tmp_path / "rules.json"
    path.write_text(json.dumps({"format": "bough rules", "version": 1}))
    with pytest.raises(FormatError) as caught:
        bough.load(path)
    assert any("rules.json" in note for note in caught.value.__notes__)


@pytest.mark.parametrize("method", ["c4.5", "c5.0"])
def test_rules_are_drawn_from_any_tree(method):
    tree = bough.CARTClassifier(min_samples_leaf=3).fit(FLOWERS, KINDS).tree_
    rules = RuleSet.from_tree(tree, FLOWERS, KINDS, method=method)
    assert rules.order == ("first" if method == "c4.5" else "vote")
    assert 2 <= len(rules) <= 2 * tree.n_leaves
    assert (rules.predict(FLOWERS) == KINDS).mean() >= 0.9
    counted = rules.measured(FLOWERS, KINDS)
    assert [rule.cover for rule in counted] == pytest.approx([rule.cover for rule in rules])
    assert [rule.correct for rule in counted] == pytest.approx([rule.correct for rule in rules])
    cuts = set(tree.cut[~np.isnan(tree.cut)])
    for rule in rules:
        for condition in rule.conditions:
            assert isinstance(condition, Interval)
            assert {condition.low, condition.high} - {None} <= cuts


def test_c50s_rules_from_its_own_tree_are_its_own():
    model = bough.C50Classifier(rules=True).fit(X, Y)
    drawn = RuleSet.from_tree(model.tree_, X, Y, method="c5.0")
    assert [str(rule) for rule in drawn] == [str(rule) for rule in model.rules_]
    assert drawn.default == model.rules_.default


def test_generalized_rules_have_no_more_conditions_than_their_paths():
    rules = RuleSet.from_tree(tennis_tree(), X, Y)
    assert max(len(rule.conditions) for rule in rules) <= 2
    assert (rules.predict(X) == Y).mean() >= 13 / 14


def test_what_no_rules_can_be_drawn_from_is_refused():
    with pytest.raises(TargetError, match="from classification trees only"):
        RuleSet.from_tree(cars_tree(), [[4, 90]], [1])
    with pytest.raises(TargetError, match="'rose'"):
        RuleSet.from_tree(iris_tree(), [[1.0, 1.0]], ["rose"])
    with pytest.raises(ParameterError, match="method is 'c6'"):
        RuleSet.from_tree(iris_tree(), [[1.0, 1.0]], ["setosa"], method="c6")
    with pytest.raises(ParameterError, match="confidence is 0"):
        RuleSet.from_tree(iris_tree(), [[1.0, 1.0]], ["setosa"], confidence=0)


def test_rules_that_vote_nothing_leave_all_classes_alike():
    rules = tennis_rules()
    unsure = (dataclasses.replace(rule, cover=1e6, correct=0.0) for rule in rules)
    mute = dataclasses.replace(rules, rules=tuple(unsure))
    assert {rule.vote for rule in mute} == {0}
    fired = np.ones((1, len(rules)), dtype=bool)
    np.testing.assert_allclose(by_vote(mute, fired).probabilities, 0.5)
