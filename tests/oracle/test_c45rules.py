"""RuleSet.from_tree draws the rules of C4.5rules, release 8, from the trees that C4.5 grew."""

import re

import numpy as np
import pytest
from tests.oracle.reference import cases, of_own_folder, read_data

from bough.data.table import Table
from bough.rules import Interval, RuleSet
from bough.tree import Tree
from bough.tree.split import Levels, Threshold

CASES = [case for case in cases("c45") if case.name == "rules_default"]


def grown(case, data):
    """The unpruned tree, from which C4.5rules starts."""
    table = Table.read(data.X)
    places = {column.name: place for place, column in enumerate(table.schema.columns)}
    nodes, splits = [case.file["cases"]["default"]["unpruned"]], []
    for node in nodes:
        nodes += node.get("children", [])
        splits.append(split_of(node, table, places) if node.get("children") else None)
    statistics = np.array([node["class_dist"] for node in nodes], dtype=float)
    weight = statistics.sum(axis=1)
    return Tree.from_splits(
        splits,
        schema=table.schema,
        task="classification",
        classes=tuple(data.y.cat.categories),
        target_name=None,
        criterion="gain_ratio",
        cases=np.rint(weight),
        weight=weight,
        statistics=statistics,
        risk=weight - statistics.max(axis=1),
    )


def split_of(node, table, places):
    column = places[node["attr"]]
    if node["split"] == "threshold":
        values = table.columns[column]
        below = values[values.astype(np.float32) <= np.float32(node["cut"])].max()
        return Threshold(column, float(np.nextafter(below, np.inf)))
    n_levels = len(table.schema[column].levels)
    return Levels(column, "complete", tuple(range(n_levels)), tuple(range(n_levels)), n_levels)


def their_rules(text):
    """The final rules as printed, less those dropped in the evaluation."""
    dropped = {int(number) for number in re.findall(r"Drop rule (\d+)", text)}
    printed = text[text.index("Final rules") : text.index("Default class")]
    rules = []
    for block in re.split(r"\nRule ", printed)[1:]:
        number, *lines = block.strip().splitlines()
        *conditions, conclusion = (line.strip() for line in lines)
        answer, share = re.fullmatch(r"->\s+class (\S+)\s+\[(.*)%\]", conclusion).groups()
        if int(number.rstrip(":")) not in dropped:
            rules.append(({merge_words(line) for line in conditions}, answer, float(share)))
    return rules, re.search(r"Default class: (\S+)", text)[1]


def merge_words(line):
    name, operator, value = line.split(maxsplit=2)
    return name, operator, value


def our_words(rule):
    said = set()
    for condition in rule.conditions:
        column = rule.schema[condition.column]
        name = re.sub(r"[,:|.?]", "_", column.name)
        if isinstance(condition, Interval):
            bounds = ((condition.low, ">"), (condition.high, "<="))
            said |= {(name, operator, f"{bound:g}") for bound, operator in bounds if bound is not None}
        else:
            [code] = condition.codes
            said.add((name, "=", column.levels[code]))
    return said


@pytest.mark.parametrize("case", CASES, ids=str)
def test_the_rules_are_c45rules(case):
    data = read_data(case.dataset, ordered=False)
    rules = RuleSet.from_tree(grown(case, data), data.X, data.y)
    theirs, default = their_rules(case.output["stdout"])
    assert rules.default == case.label(default)
    assert len(rules) == len(theirs)
    for ours, (conditions, answer, share) in zip(rules, theirs, strict=True):
        assert (our_words(ours), ours.answer) == (conditions, case.label(answer))
        assert 100 * ours.confidence == pytest.approx(share, abs=0.05 + 1e-6)
    errors = int(re.findall(r"Tested \d+, errors (\d+)", case.output["stdout"])[-1])
    assert (rules.predict(data.X) != data.y.to_numpy()).sum() == errors


@of_own_folder
def test_there_are_cases_to_compare():
    assert len(CASES) >= 2
