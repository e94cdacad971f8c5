import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.goldens import golden_text
from tests.hand_trees import SHOP, shop_tree, weekday_tree
from tests.strategies import tables, trees

from bough.data.schema import Column, Schema
from bough.errors import ParameterError
from bough.example_models import cars_tree, iris_tree, tennis_tree
from bough.rules import Interval, LevelSet, Rule, RuleList
from bough.rules.condition import condition_of, merged
from bough.tree import Tree
from bough.tree.split import Levels, Threshold

GOLDENS = {
    "tennis": tennis_tree,
    "iris": iris_tree,
    "cars": cars_tree,
    "shop": shop_tree,
    "weekday": weekday_tree,
}
X = Schema((Column("x", "numeric"), Column("y", "numeric")))
SIZE = Schema((Column("size", "ordinal", ("S", "M", "L", "XL")),))


@pytest.mark.parametrize("name", GOLDENS)
def test_rules_print_as_stored(name):
    text = str(GOLDENS[name]().rules()) + "\n"
    assert text == golden_text(f"{name}.rules.txt", text)


def test_the_five_rules_of_play_tennis():
    assert [str(rule) for rule in tennis_tree().rules()] == [
        "Outlook = Sunny and Humidity = High -> No",
        "Outlook = Sunny and Humidity = Normal -> Yes",
        "Outlook = Overcast -> Yes",
        "Outlook = Rain and Wind = Strong -> No",
        "Outlook = Rain and Wind = Weak -> Yes",
    ]


def test_a_class_is_a_disjunction_of_conjunctions():
    rules = tennis_tree().rules()
    assert rules.formula("Yes").splitlines() == [
        "   (Outlook = Sunny and Humidity = Normal)",
        "or (Outlook = Overcast)",
        "or (Outlook = Rain and Wind = Weak)",
    ]
    assert [rule.leaf for rule in rules.for_class("No")] == [4, 6]
    with pytest.raises(ParameterError, match="'Maybe'"):
        rules.formula("Maybe")
    with pytest.raises(ParameterError, match="numbers"):
        cars_tree().rules().for_class(1)


def deep_iris():
    """The iris tree of four splits, which asks for both petal measures twice."""
    return Tree.from_splits(
        [
            Threshold(0, 2.45),
            None,
            Threshold(1, 1.75),
            Threshold(0, 4.95),
            None,
            None,
            Threshold(1, 1.55),
            None,
            None,
        ],
        schema=iris_tree().schema,
        task="classification",
        classes=iris_tree().classes,
        target_name="Species",
        criterion="gini",
        cases=[150, 50, 100, 54, 46, 48, 6, 3, 3],
        statistics=[
            [50, 50, 50],
            [50, 0, 0],
            [0, 50, 50],
            [0, 49, 5],
            [0, 1, 45],
            [0, 47, 1],
            [0, 2, 4],
            [0, 0, 3],
            [0, 2, 1],
        ],
        risk=[100, 0, 50, 5, 1, 1, 2, 0, 1],
    )


def test_conditions_on_the_same_column_are_merged():
    assert [str(rule) for rule in deep_iris().rules()] == [
        "Petal.Length < 2.45 -> setosa",
        "2.45 <= Petal.Length < 4.95 and Petal.Width < 1.75 -> versicolor",
        "Petal.Length >= 4.95 and Petal.Width < 1.55 -> virginica",
        "Petal.Length >= 4.95 and 1.55 <= Petal.Width < 1.75 -> versicolor",
        "Petal.Length >= 2.45 and Petal.Width >= 1.75 -> virginica",
    ]


def test_support_and_confidence():
    rule = deep_iris().rules()[3]
    assert (rule.leaf, rule.cases, rule.share, rule.weight) == (8, 3.0, 0.02, 3.0)
    assert rule.confidence == 2 / 3
    assert rule.deviation is None
    assert rule.support() == "3 cases (2.0%), confidence 66.7% (2 of 3)"


def test_regression_rules_tell_mean_and_deviation():
    rule = cars_tree().rules()[0]
    assert rule.answer == pytest.approx(26.66364)
    assert rule.deviation == pytest.approx(4.29995, abs=1e-5)
    assert rule.confidence is None


def test_a_rule_without_cases_says_so():
    rule = shop_tree().rules()[-1]
    assert rule.support() == "no cases"
    assert (rule.answer, rule.confidence, rule.cases) == (True, None, 0.0)


def test_levels_ruled_out_one_by_one_are_ruled_out_together():
    assert [str(rule) for rule in shop_tree().rules()] == [
        "referrer = s -> True",
        "referrer = a and num.visits = once -> False",
        "referrer not in {s, a} and num.visits = once -> False",
        "referrer is not s and num.visits = several -> True",
        "referrer is not s and num.visits = many -> True",
    ]


@pytest.mark.parametrize(
    ("splits", "words"),
    [
        ([(Threshold(0, 2.0), 1), (Threshold(0, 3.0), 1)], "x >= 3"),
        ([(Threshold(0, 2.0), 0), (Threshold(0, 3.0), 0)], "x < 2"),
        ([(Threshold(0, 2.0), 1), (Threshold(0, 3.0), 0)], "2 <= x < 3"),
        ([(Threshold(0, 3.0), 0), (Threshold(1, 0.5), 1), (Threshold(0, 2.0), 1)], "2 <= x < 3 and y >= 0.5"),
    ],
)
def test_bounds_are_merged(splits, words):
    conditions = merged([condition_of(split, branch, -1, X) for split, branch in splits])
    assert " and ".join(condition.words(X) for condition in conditions) == words


@pytest.mark.parametrize(
    ("splits", "words"),
    [
        ([(Threshold(0, 0.5), 0)], "size = S"),
        ([(Threshold(0, 1.5), 0)], "size <= M"),
        ([(Threshold(0, 0.5), 1)], "size > S"),
        ([(Threshold(0, 0.5), 1), (Threshold(0, 2.5), 0)], "S < size <= L"),
        ([(Threshold(0, 0.5), 1), (Threshold(0, 1.5), 0)], "size = M"),
        ([(Levels(0, "subset", (0, 1, 2, 3), (0, 1, 0, 1), 2), 0)], "size in {S, L}"),
        ([(Levels(0, "subset", (0, 1, 2, 3), (0, 1, 0, 1), 2), 0), (Threshold(0, 1.5), 1)], "size = L"),
    ],
)
def test_ordinal_conditions_are_merged(splits, words):
    (condition,) = merged([condition_of(split, branch, -1, SIZE) for split, branch in splits])
    assert condition.words(SIZE) == words


def test_sets_of_levels_are_intersected():
    first = condition_of(Levels(0, "subset", (0, 1, 2), (0, 0, 1), 2), 0, -1, SHOP)
    second = condition_of(Levels(0, "one_vs_rest", (0, 1), (0, 1), 2), 1, -1, SHOP)
    assert first.words(SHOP) == "referrer in {s, a}"
    assert first.merged(second).words(SHOP) == "referrer = a"


def test_conditions_are_values():
    assert Interval(0, 2.0, 3.0) == Interval(0, 2.0, 3.0)
    assert LevelSet(0, (1,), (1,)) != LevelSet(0, (1,), (1, 2))


@given(st.data())
def test_a_rule_covers_just_the_rows_that_end_in_its_leaf(data):
    tree = data.draw(trees())
    table = data.draw(tables(tree.schema))
    ends = tree.apply(table)
    for rule in tree.rules():
        assert rule.covers(table).tolist() == (ends == rule.leaf).tolist()
        assert rule.answer == tree.answer(rule.leaf)


@given(trees())
def test_a_rule_names_a_column_once(tree):
    for rule in tree.rules():
        columns = [condition.column for condition in rule.conditions]
        assert len(set(columns)) == len(columns)


@given(trees())
def test_rules_are_a_sequence_of_the_leaves(tree):
    rules = tree.rules()
    assert isinstance(rules, RuleList)
    assert len(rules) == tree.n_leaves == len(list(rules))
    assert sorted(rules.leaves) == np.flatnonzero(tree.is_leaf).tolist()
    assert rules[-1] == list(rules)[-1]
    assert all(isinstance(rule, Rule) for rule in rules[:2])
    assert sum(rule.cases for rule in rules) == tree.cases[tree.is_leaf].sum()


def test_covers_reads_what_predict_reads():
    rule = tennis_tree().rules()[0]
    days = np.array([["Sunny", "Hot", "High", "Weak"], ["Rain", "Hot", "High", "Weak"]], dtype=object)
    assert rule.covers(days).tolist() == [True, False]


def test_long_lists_are_cut_short():
    text = tennis_tree().rules().text(max_lines=2)
    assert text.splitlines()[-1] == (
        "3 of 5 rules are not shown: rules.text(max_lines=5) shows all, rules[i] one."
    )
    assert repr(tennis_tree().rules()).startswith("<5 rules of <Classification tree for PlayTennis")
    with pytest.raises(ParameterError, match="max_lines is 0"):
        tennis_tree().rules().text(max_lines=0)
