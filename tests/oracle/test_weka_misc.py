"""Weka's DecisionStump, OneR, PART and JRip: the same rules, predictions and probabilities, case by case."""

import re

import numpy as np
import pytest
from tests.oracle.quinlan_trees import class_codes, in_order, near
from tests.oracle.reference import cases, of_own_folder, read_data, read_schema

import bough

LEARNERS = {
    "DecisionStump": lambda option, words: bough.DecisionStumpClassifier(),
    "OneR": lambda option, words: bough.OneRClassifier(min_bucket=int(option["-B"])),
    "PART": lambda option, words: bough.PARTClassifier(
        min_samples_branch=int(option["-M"]),
        confidence=float(option.get("-C", 0.25)),
        prune="none" if "-U" in words else "reduced_error" if "-R" in words else "error_based",
        cv=int(option.get("-N", 3)),
        random_state=int(option.get("-Q", 1)),
        nominal="one_vs_rest" if "-B" in words else "complete",
    ),
    "JRip": lambda option, words: bough.RIPPERClassifier(
        prune="none" if "-P" in words else "reduced_error",
        n_optimizations=int(option["-O"]),
        min_positives=float(option["-N"]),
        check_error="-E" not in words,
        cv=int(option["-F"]),
        random_state=int(option["-S"]),
    ),
}
LEFT_OUT = {"ADTree": "bough grows no alternating decision trees"}
FOUND = [case for program in ("weka/misc", "weka/rules") for case in cases(program)]
CASES = [case for case in FOUND if case.output["class"].split(".")[-1] in LEARNERS]


@pytest.mark.parametrize("case", [case for case in FOUND if case not in CASES], ids=str)
def test_what_is_left_out_is_named(case):
    pytest.skip(LEFT_OUT[case.output["class"].split(".")[-1]])


def is_jrip(case):
    return case.output["class"].endswith("JRip")


def class_levels(case):
    """The names of the classes: JRip's own where it draws, because its seed is the text of a row."""
    options = case.output["effective_options"]
    if not is_jrip(case) or ("-O 0" in options and "-P" in options):
        return case.file["class_levels"]
    [levels] = [each["levels"] for each in read_schema(case.dataset)["columns"] if each["role"] == "target"]
    return levels


def fitted(case):
    data = read_data(case.dataset, ordered=False)
    levels = class_levels(case)
    y = data.y.cat.rename_categories(levels)
    if levels != sorted(levels) and y.value_counts().duplicated().any() and is_jrip(case):
        pytest.skip("JRip takes classes of equal frequency in the order of its levels, bough in sorted order")
    words = case.output["effective_options"].split()
    option = {word: words[place + 1] for place, word in enumerate(words[:-1])}
    return LEARNERS[case.output["class"].split(".")[-1]](option, words).fit(data.X, y), data


@pytest.mark.parametrize("case", CASES, ids=str)
def test_the_predictions_are_wekas(case):
    model, data = fitted(case)
    levels = class_levels(case)
    assert class_codes(model.predict(data.X), levels) == case.output["pred_class_index"]
    ours = model.predict_proba(data.X.iloc[case.output["prob_rows"]])
    assert near(in_order(model.model_, ours, levels), np.array(case.output["prob"]))


def rules_of_jrip(text):
    """The columns, the coverage and the errors of each rule that Weka prints, the default last."""
    found = re.findall(r"^(.*) => \S+ \(([\d.]+)/([\d.]+)\)$", text, re.M)
    return [(re.findall(r"\((\S+) (?:=|<=|>=)", left), float(n), float(e)) for left, n, e in found]


def rules_of_part(text):
    """The number of conditions, the coverage and the errors of each rule that Weka prints."""
    blocks = text.split("------------------\n")[1].split("Number of Rules")[0].strip().split("\n\n")
    found = []
    for block in blocks:
        counts = re.search(r"\(([\d.]+)(?:/([\d.]+))?\)$", block.strip())
        conditions = [line for line in block.split(":")[0].split(" AND\n") if line.strip()]
        found.append((len(conditions), float(counts[1]), float(counts[2] or 0)))
    return found


@pytest.mark.parametrize("case", [case for case in CASES if is_jrip(case)], ids=str)
def test_the_rules_are_those_of_jrip(case):
    model, _ = fitted(case)
    *theirs, default = rules_of_jrip(case.output["text"])
    assert len(model.rules_) == len(theirs)
    for ours, (columns, cover, errors) in zip(model.rules_, theirs, strict=True):
        names = [model.rules_.schema[condition.column].name for condition in ours.conditions]
        assert (names, ours.cover, ours.errors) == (columns, cover, errors)
    assert sum(model.rules_.default_distribution) == default[1]


@pytest.mark.parametrize("case", [case for case in CASES if case.output["class"].endswith("PART")], ids=str)
def test_the_rules_are_those_of_part(case):
    model, _ = fitted(case)
    *theirs, default = rules_of_part(case.output["text"])
    assert len(model.rules_) == len(theirs)
    for ours, (size, cover, errors) in zip(model.rules_, theirs, strict=True):
        assert len(ours.conditions) == size
        assert (ours.cover, ours.errors) == pytest.approx((cover, errors), abs=0.006)
    assert default[0] == 0
    assert sum(model.rules_.default_distribution) == pytest.approx(default[1], abs=0.006)


@pytest.mark.parametrize("case", [case for case in CASES if case.output["class"].endswith("OneR")], ids=str)
def test_the_rule_of_one_column_is_that_of_oner(case):
    model, _ = fitted(case)
    text = case.output["text"]
    [column] = {condition.column for rule in model.rules_ for condition in rule.conditions}
    assert text.startswith(f"{model.rules_.schema[column].name}:\n")
    correct, total = map(int, re.search(r"\((\d+)/(\d+) instances correct\)", text).groups())
    assert (sum(rule.correct for rule in model.rules_), model.rules_.cases) == (correct, total)
    assert len(model.rules_) == text.count("->")
    cuts = [float(each) for each in re.findall(r"^\t< (\S+)\t", text, re.M)]
    assert near([rule.conditions[0].high for rule in model.rules_[: len(cuts)]], cuts)


@pytest.mark.parametrize("case", [case for case in CASES if "DecisionStump" in case.output["class"]], ids=str)
def test_the_split_is_that_of_the_stump(case):
    model, _ = fitted(case)
    tree = model.tree_
    line = case.output["text"].split("\n\n")[2].splitlines()[0].rpartition(" : ")[0]
    name, sign, value = line.split(" ", 2)
    split = tree.split(0)
    assert tree.schema[split.column].name == name
    if sign == "=":
        assert split.levels(tree.schema, 0) == (value,)
    else:
        assert near(split.cut, float(value))


@of_own_folder
def test_there_are_cases_to_compare():
    assert len(CASES) >= 40
