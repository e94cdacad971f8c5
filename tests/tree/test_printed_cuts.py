"""Thresholds are printed short, and the printed number routes every training row as the stored one does."""

import dataclasses

import numpy as np
import pytest

import bough
from bough.rules.condition import Interval
from bough.tree.split import AtMost, Threshold, ThresholdWithMissing

X = np.random.default_rng(0).normal(size=(300, 4))
y = (X[:, 0] + 0.7 * X[:, 1] ** 2 + np.random.default_rng(1).normal(scale=0.4, size=300) > 0.5).astype(int)
GAPS = np.where(np.random.default_rng(2).random(X.shape) < 0.1, np.nan, X)
LONGEST = 10


class Squares(bough.UserMethod):
    def evaluate(self, y, weight):
        mean = np.average(y, weights=weight)
        return mean, float((weight * (y - mean) ** 2).sum())


LEARNERS = {
    "tree": bough.TreeClassifier(),
    "regression": bough.TreeRegressor(min_samples_leaf=5),
    "cart": bough.CARTClassifier(),
    "combinations": bough.CARTClassifier(combinations="linear", max_depth=3, prune="none"),
    "user": bough.UserTree(Squares(), max_depth=4, prune="none"),
    "c45": bough.C45Classifier(),
    "c45 without pruning": bough.C45Classifier(prune="none"),
    "j48": bough.C45Classifier(variant="j48"),
    "error-based": bough.TreeClassifier(prune="error_based"),
    "c50": bough.C50Classifier(),
    "rep": bough.REPTreeClassifier(prune="none"),
    "simple cart": bough.SimpleCartClassifier(),
    "conditional": bough.ConditionalTreeClassifier(),
    "optimal": bough.OptimalTreeClassifier(max_depth=2),
    "optimal regression": bough.OptimalTreeRegressor(max_depth=2),
}


def thresholds(tree):
    splits = [(node, tree.split(node)) for node in range(tree.n_nodes)]
    # A split of missing from known values has no cut to print.
    cuts = (Threshold, AtMost, ThresholdWithMissing)
    return [(node, split) for node, split in splits if type(split) in cuts]


def as_printed(tree, split):
    return dataclasses.replace(split, cut=float(printed(tree, split)))


def printed(tree, split):
    return split.cut_words(tree.wide_schema[split.column])


def assert_printed_alike(tree, rows, longest=LONGEST):
    passes = tree.decision_path(rows).toarray().astype(bool)
    values = [*rows.T, *(formula.values(list(rows.T)) for formula in tree.formulas)]
    assert tree.n_leaves > 2
    for node, split in thresholds(tree):
        here = values[split.column][passes[:, node]]
        np.testing.assert_array_equal(as_printed(tree, split).branch(here), split.branch(here))
        assert len(printed(tree, split)) <= longest
        assert printed(tree, split) in tree.text(max_lines=None)


@pytest.mark.parametrize("name", LEARNERS)
def test_every_training_row_takes_the_branch_that_the_printed_cut_names(name):
    assert_printed_alike(LEARNERS[name].fit(X, y).tree_, X)


@pytest.mark.parametrize("name", LEARNERS)
def test_neighbours_are_kept_where_values_are_missing_and_in_files(name, tmp_path):
    tree = LEARNERS[name].fit(GAPS, y).tree_
    for _, split in thresholds(tree):
        below, above = split.neighbours
        np.testing.assert_array_equal(split.branch(np.array([below, above])), [0, 1])
        np.testing.assert_array_equal(as_printed(tree, split).branch(np.array([below, above])), [0, 1])
    for path in (tmp_path / "tree.json", tmp_path / "tree.bough"):
        tree.save(path)
        again = bough.load(path)
        assert again == tree
        assert again.text(max_lines=None) == tree.text(max_lines=None)
    assert tree.snip(0).text().endswith("*")


@pytest.mark.parametrize(
    "learner", [bough.OneRClassifier(), bough.PARTClassifier(), bough.RIPPERClassifier()], ids=str
)
def test_every_training_row_meets_the_conditions_as_they_are_printed(learner, tmp_path):
    # Tenths that do not lie on decimal numbers, so that values themselves are long.
    rows = np.round(X, 1) / 10 + 0.1
    rules = learner.fit(rows, y).rules_
    for rule in rules:
        for condition in rule.conditions:
            text = condition.words(rules.schema)
            name = rules.schema[condition.column].name
            holds = eval(text, {"__builtins__": {}}, {name: rows[:, condition.column]})
            np.testing.assert_array_equal(condition.covers(rows[:, condition.column]), holds)
            assert len(text) <= len(f"{name} >= ") + LONGEST
    rules.save(tmp_path / "rules.json")
    assert str(bough.load(tmp_path / "rules.json")) == str(rules)


def test_surrogates_and_competitors_are_printed_short():
    tree = bough.CARTClassifier(n_competitors=3, prune="none", max_depth=3).fit(GAPS, y).tree_
    alternatives = [
        (node, each.split)
        for node in range(tree.n_nodes)
        for each in (*tree.surrogates_of(node), *tree.competitors_of(node))
    ]
    assert tree.surrogates is not None
    assert len(alternatives) > 6
    passes = tree.decision_path(GAPS).toarray().astype(bool)
    for node, split in alternatives:
        values = GAPS[passes[:, node], split.column]
        np.testing.assert_array_equal(as_printed(tree, split).branch(values), split.branch(values))
        assert len(printed(tree, split)) <= LONGEST
        assert printed(tree, split) in str(tree.node(node))
    assert bough.Tree.from_json(tree.to_json()) == tree
    assert str(bough.Tree.from_json(tree.to_json()).node(0)) == str(tree.node(0))


def printed_interval(condition):
    words = condition.words(bough.Table.read(X).schema).split()
    numbers = [float(word) for word in words if not word.startswith("x") and word.strip("<>=")]
    low, high = condition.low, condition.high
    shown = iter(numbers)
    return dataclasses.replace(
        condition,
        low=None if low is None else next(shown),
        high=None if high is None else next(shown),
    )


@pytest.mark.parametrize("method", ["c4.5", "c5.0", "C50Classifier"])
def test_rules_print_bounds_that_hold_for_all_rows(method, tmp_path):
    if method == "C50Classifier":
        rules = bough.C50Classifier(rules=True).fit(X, y).model_
    else:
        rules = bough.RuleSet.from_tree(bough.C45Classifier().fit(X, y).tree_, X, y, method=method)
    conditions = [each for rule in rules for each in rule.conditions]
    assert len(conditions) > 3
    for condition in conditions:
        assert isinstance(condition, Interval)
        values = X[:, condition.column]
        np.testing.assert_array_equal(printed_interval(condition).covers(values), condition.covers(values))
    assert max(map(len, str(rules).split())) < 2 * LONGEST
    rules.save(tmp_path / "rules.json")
    assert str(bough.load(tmp_path / "rules.json")) == str(rules)


def test_the_rules_of_a_tree_print_as_its_outline_does():
    tree = bough.TreeClassifier(max_depth=3).fit(X, y).tree_
    for rule in tree.rules():
        for condition in rule.conditions:
            for cut, beside in (
                (condition.low, condition.low_neighbours),
                (condition.high, condition.high_neighbours),
            ):
                assert (cut is None) == (beside is None)
    assert max(map(len, str(tree.rules()).split())) <= LONGEST


def test_candidates_are_printed_short():
    table = bough.candidates(X[:40], y[:40])
    for candidate in table:
        values = X[:40, candidate.split.column]
        cut = float(candidate.split.cut_words(bough.Table.read(X).schema[candidate.split.column]))
        shown = dataclasses.replace(candidate.split, cut=cut)
        np.testing.assert_array_equal(shown.branch(values), candidate.split.branch(values))
        assert all(len(words) <= LONGEST + 3 for words in candidate.values)


def test_trees_of_forests_print_cuts_that_route_the_training_rows():
    forest = bough.RandomForestClassifier(3, random_state=0, bootstrap=False).fit(X, y).forest_
    for number in range(3):
        assert_printed_alike(forest.trees[number], X, longest=16)


HOLDS = {"<": float.__lt__, "<=": float.__le__, ">": float.__gt__, ">=": float.__ge__}


@pytest.mark.parametrize("name", ["tree", "c45"])
def test_conditions_of_a_path_hold_for_a_value_between_the_printed_number_and_the_cut(name):
    tree = LEARNERS[name].fit(X, y).tree_
    apart = 0
    for _, split in thresholds(tree):
        shown = float(printed(tree, split))
        for value in (split.cut, shown, (split.cut + shown) / 2):
            row = np.zeros(X.shape[1])
            row[split.column] = value
            for condition in tree.path_of(row):
                column, sign, bound = condition.split()
                assert HOLDS[sign](float(row[int(column[1:])]), float(bound))
            apart += value != shown
    assert apart > 10
