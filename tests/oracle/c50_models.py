"""C5.0's stored models beside ours: what is asked of both, and how they are compared."""

import numpy as np
from tests.oracle.reference import read_data

import bough
from bough.rules import Interval


def options(case):
    """Say a case's options in our words. R hands over only costs above 1."""
    output, control = case.output, case.output["control"]
    losses = None
    if output["costs_rows_predicted_cols_actual"]:
        levels = case.file["class_levels"]
        matrix = output["costs_rows_predicted_cols_actual"]
        losses = {
            (levels[column], levels[row]): cost
            for row, line in enumerate(matrix)
            for column, cost in enumerate(line)
            if cost > 1
        }
    return {
        "n_estimators": output["trials_requested"],
        "rules": output["rules"],
        "nominal": "subset" if control["subset"] else "complete",
        "bands": control["bands"],
        "winnow": control["winnow"],
        "loss_matrix": losses,
        "global_pruning": not control["noGlobalPruning"],
        "confidence": control["CF"],
        "min_samples_branch": control["minCases"],
        "fuzzy": control["fuzzyThreshold"],
        "max_samples": control["sample"] or None,
        "random_state": control["seed"],
        "early_stopping": control["earlyStopping"],
        "weighting": "relative",
    }


def fitted(case):
    data = read_data(case.dataset)
    model = bough.C50Classifier(**options(case))
    return model.fit(data.X, data.y, sample_weight=case.output["weights"]), data


def as_printed(values):
    """The program writes class weights with six digits."""
    return [float(f"{value:g}") for value in values]


def compare_tree(case, model, data, trial, theirs, by_cost):
    """Compare a tree node by node; the program has a first branch for "not applicable" that no case takes."""
    tree = model.trees_[trial]
    bounds = {each["node"]: each for each in model.thresholds(trial)}

    def compare(node, other):
        assert tree.is_leaf[node] == (other["type"] == "leaf"), f"node {node}: {other['type']}"
        if "freq" in other:
            assert as_printed(tree.statistics[node].astype(np.float32)) == other["freq"]
            if not by_cost:
                assert tree.answer(node) == case.label(other["class"])
        else:
            assert tree.weight[node] == 0
        if other["type"] == "leaf":
            return 1
        column = tree.schema[int(tree.column[node])]
        assert column.name == other["attr"]
        children = other["children"]
        if other["type"] == "threshold":
            compare_threshold(bounds[node], other)
            cut = bounds[node]["cut"]
            values = data.X[column.name].dropna().to_numpy()
            assert (tree.split(node).branch(values) == (values.astype(np.float32) > cut)).all()
            children = children[1:]
        elif other["type"] == "discrete":
            # An ordered attribute of two levels is discrete there and a threshold here.
            codes = np.arange(len(column.levels), dtype=np.int32)
            assert tree.split(node).branch(codes).tolist() == codes.tolist()
            children = children[1:]
        else:
            sets = other["subsets"]
            if column.scale == "ordinal" or sets[0] == ["N/A"]:
                sets, children = sets[1:], children[1:]
            branches = tree.split(node).branch(np.arange(len(column.levels), dtype=np.int32))
            for branch, levels in enumerate(sets):
                reached = {column.levels[code] for code in np.flatnonzero(branches == branch)}
                # A cut between ordered levels has two sides; the program names those that can come there.
                assert set(levels) <= reached if column.scale == "ordinal" else set(levels) == reached
        assert len(tree.children(node)) == len(children)
        return 1 + sum(map(compare, tree.children(node), children))

    assert compare(0, theirs) == tree.n_nodes


def compare_threshold(ours, theirs):
    assert float(f"{ours['cut']:.8g}") == theirs["cut"]
    for name in ("low", "mid", "high"):
        if name in theirs:
            assert float(f"{ours[name]:.7g}") == theirs[name], name
    if "low" not in theirs:
        assert not ours["high"] > ours["cut"]


def compare_rules(case, rules, theirs):
    assert rules.default == case.label(theirs["default"])
    assert len(rules) == len(theirs["rules"])
    for ours, other in zip(rules, theirs["rules"], strict=True):
        assert ours.answer == case.label(other["class"])
        assert our_conditions(ours) == their_conditions(other)
        assert as_printed([ours.cover, ours.correct]) == [other["cover"], other["ok"]]
        assert abs(ours.lift - other["lift"]) <= 1e-5 * other["lift"]


def our_conditions(rule):
    said = {}
    for condition in rule.conditions:
        column = rule.schema[condition.column]
        if isinstance(condition, Interval):
            bounds = (condition.low, condition.high)
            said[column.name] = tuple(
                None if each is None else float(f"{np.float32(each):.8g}") for each in bounds
            )
        else:
            said[column.name] = {column.levels[code] for code in condition.codes}
    return said


def their_conditions(rule):
    """All conditions on an attribute together, as our rules say them."""
    said = {}
    for condition in rule["conds"]:
        name = condition["attr"]
        if condition["type"] == "threshold":
            low, high = said.get(name, (None, None))
            if condition["op"] == ">":
                low = condition["cut"] if low is None else max(low, condition["cut"])
            else:
                high = condition["cut"] if high is None else min(high, condition["cut"])
            said[name] = (low, high)
        else:
            one = condition["type"] == "discrete"
            levels = {condition["value"]} if one else set(condition["values"])
            said[name] = said.get(name, levels) & levels
    return said
