"""R's partykit::ctree: the same tests, p-values, splits, surrogates and nodes of rows, case by case."""

import numpy as np
import pytest
from tests.oracle.reference import cases, of_own_folder, read_data

import bough

CASES = cases("ctree")
# mvtnorm integrates in three dimensions or more by random points, to an error of 0.001.
_RANDOM_ERROR = 2e-3


def parameters_of(control):
    options = dict(control) if control else {}
    parameters = {}
    if "mincriterion" in options:
        least = options.pop("mincriterion")
        if options.get("testtype") == "Teststatistic":
            parameters["min_statistic"] = least
        else:
            parameters["significance"] = 1 - least
    kind = options.pop("testtype", None)
    if kind == "Univariate":
        parameters["adjust"] = "none"
    if "maxsurrogate" in options:
        parameters |= {"missing": "surrogates_then_majority", "n_surrogates": options.pop("maxsurrogate")}
    options.pop("majority", None)
    names = {
        "minsplit": "min_samples_split",
        "minbucket": "min_samples_leaf",
        "maxdepth": "max_depth",
        "teststat": "statistic",
    }
    return parameters | {names[name]: value for name, value in options.items()}


def fitted(case):
    data = read_data(case.dataset)
    parameters = parameters_of(case.output["control"])
    if data.task == "survival":
        model = bough.ConditionalTreeSurvival(**parameters).fit(data.X, (data.y, data.status))
    elif data.task == "regression":
        model = bough.ConditionalTreeRegressor(**parameters).fit(data.X, data.y)
    else:
        model = bough.ConditionalTreeClassifier(**parameters).fit(data.X, data.y)
    return model, data


def in_preorder(tree, node=0):
    yield node
    for child in tree.children(node):
        yield from in_preorder(tree, child)


def in_preorder_of_r(node):
    yield node
    for child in node.get("children", ()):
        yield from in_preorder_of_r(child)


def level_names(column, stored):
    """The levels that R lists: their places count the levels that occur in the table alone."""
    occurring = [level for level in column.cat.categories if (column == level).any()]
    return {occurring[column.cat.categories.get_loc(name)] for name in stored}


def compare_tests(tree, node, theirs, *, exact):
    ours = {tree.schema[test.column].name: test for test in tree.tests_of(node)}
    assert [*ours] == [*theirs["criterion"]["statistic"]]
    for name, test in ours.items():
        assert test.statistic == pytest.approx(theirs["criterion"]["statistic"][name], rel=1e-6)
        p_value = theirs["criterion"].get("p.value", {}).get(name)
        if p_value is not None:
            close = {"rel": 1e-6, "abs": 1e-300} if exact(name) else {"abs": _RANDOM_ERROR}
            assert test.p_value == pytest.approx(p_value, **close)


def compare_split(tree, node, theirs, data):
    split = tree.split(node)
    name = tree.schema[split.column].name
    assert name == theirs["split"]["var"]
    if "groups" in theirs["split"]:
        for branch in (0, 1):
            wanted = level_names(data.X[name], theirs["split"]["groups"][branch])
            assert set(split.levels(tree.schema, branch)) <= wanted
    elif "levels_left" in theirs["split"]:
        assert split.words(tree.schema, 0).endswith(theirs["split"]["levels_left"][-1])
    else:
        assert split.cut == theirs["split"]["breaks"][0]


def is_exact(tree, data, case):
    """Whether R computes the p-value of a column exactly: not where it integrates over random points."""
    if case.output["control"] and dict(case.output["control"]).get("teststat") == "maximum":
        classes = len(tree.classes) if len(tree.classes) > 2 else 1

        def exact(name):
            levels = data.X[name].cat.categories if data.X[name].dtype == "category" else [0]
            return classes * len(levels) == 1

        return exact
    return lambda name: True


@pytest.mark.parametrize("case", CASES, ids=str)
def test_the_tests_and_splits_are_those_of_partykit(case):
    model, data = fitted(case)
    tree = model.tree_
    exact = is_exact(tree, data, case)
    ours, theirs = [*in_preorder(tree)], [*in_preorder_of_r(case.output["tree"])]
    assert len(ours) == len(theirs)
    for node, other in zip(ours, theirs, strict=True):
        assert len(tree.children(node)) == len(other.get("children", ()))
        if other.get("criterion"):
            compare_tests(tree, node, other, exact=exact)
        if other.get("nobs") is not None:
            assert tree.cases[node] == other["nobs"]
        if other.get("children"):
            compare_split(tree, node, other, data)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_rows_end_in_the_nodes_of_partykit(case):
    model, data = fitted(case)
    theirs = np.array(case.output.get("fitted_node", case.output["node"]))
    number = {node: place for place, node in enumerate(in_preorder(model.tree_), start=1)}
    ours = np.array([number[node] for node in model.apply(data.X).tolist()])
    tree = model.tree_
    used = [tree.schema[column].name for column in set(tree.column[tree.column >= 0].tolist())]
    # R draws the branch of a missing value at random.
    known = data.X[used].notna().all(axis=1).to_numpy()
    assert (ours == theirs)[known].all()
    assert known.mean() > 0.9


@pytest.mark.parametrize("case", [case for case in CASES if case.name == "surrogate"], ids=str)
def test_surrogates_are_those_of_partykit(case):
    model, data = fitted(case)
    tree = model.tree_
    path = model.decision_path(data.X).toarray() > 0
    for node, theirs in zip(in_preorder(tree), in_preorder_of_r(case.output["tree"]), strict=True):
        ours = tree.surrogates_of(node)
        assert [tree.schema[each.split.column].name for each in ours] == [
            other["var"] for other in theirs.get("surrogates", ())
        ]
        for each, other in zip(ours, theirs.get("surrogates", ()), strict=True):
            # Rounding may lead R to a surrogate at the greatest value of the node, which divides no rows.
            divides = "breaks" in other and data.X[other["var"]][path[:, node]].max() > other["breaks"][0]
            if divides:
                below, above = each.split.neighbours
                assert below == other["breaks"][0] < above
                assert each.turned == (other["index"] == [2, 1])


@of_own_folder
def test_there_are_cases_to_compare():
    assert len(CASES) >= 35
    assert np.isin(["iris", "gbsg2_surv"], [case.dataset for case in CASES]).all()
