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


def level_names(column, stored):
    """The levels that R lists: their places count the levels that occur in the table alone."""
    occurring = [level for level in column.cat.categories if (column == level).any()]
    return {occurring[column.cat.categories.get_loc(name)] for name in stored}


def compare_tests(tree, node, theirs, dimensions):
    ours = {tree.schema[test.column].name: test for test in tree.tests_of(node)}
    assert [*ours] == [*theirs["criterion"]["statistic"]]
    for name, test in ours.items():
        assert test.statistic == pytest.approx(theirs["criterion"]["statistic"][name], rel=1e-6)
        p_value = theirs["criterion"].get("p.value", {}).get(name)
        if p_value is not None:
            # Bonferroni's adjustment multiplies the error by the number of columns; in many dimensions the
            # random points run out before the error is reached.
            drawn = {"abs": _RANDOM_ERROR * (len(ours) if dimensions(name) < 10 else 5 * len(ours))}
            close = {"rel": 1e-6, "abs": 1e-300} if dimensions(name) == 1 else drawn
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
        last = level_names(data.X[name], theirs["split"]["levels_left"][-1:])
        assert {tree.schema[name].levels[int(split.neighbours[0])]} == last
    else:
        assert split.cut == theirs["split"]["breaks"][0]


def dimensions_of(tree, data, case):
    """The dimensions in which R integrates over random points for a column; 1 where its p-value is exact."""
    if not case.output["control"] or dict(case.output["control"]).get("teststat") != "maximum":
        return lambda name: 1
    classes = len(tree.classes) if len(tree.classes) > 2 else 1
    return lambda name: (
        classes * (len(data.X[name].cat.categories) if data.X[name].dtype == "category" else 1)
    )


def options_of(case):
    return dict(case.output["control"] or {})


def drawn_rows(tree, node, data, here):
    """The rows of a node that R sends down a branch drawn at random: no split of it knows their value."""
    columns = [tree.split(node).column, *(each.split.column for each in tree.surrogates_of(node))]
    return here & data.X[[tree.schema[column].name for column in columns]].isna().all(axis=1).to_numpy()


def is_decided(theirs, least, n_tests, *, exact):
    """Whether R's integration over random points cannot have changed which column is chosen, if any."""
    if exact:
        return True
    p_values = sorted(theirs["criterion"]["p.value"].values())
    error = 2 * _RANDOM_ERROR * n_tests
    return all(abs(other - p_values[0]) >= error for other in (*p_values[1:2], 1 - least))


def statistic_of(left, h):
    """The quadratic statistic of the rows of one side, by the generalized inverse of the covariance."""
    n, m = len(left), left.sum()
    deviation = h[left].sum(axis=0) - m * h.mean(axis=0)
    covariance = np.cov(h.T, bias=True).reshape(h.shape[1], -1) * n / (n - 1) * (m - m * m / n)
    return float(deviation @ np.linalg.pinv(covariance, rcond=1e-9) @ deviation)


def is_tied(x, h, cuts):
    """Whether two cuts have the same statistic but for rounding, which then decides between them."""
    known = ~np.isnan(x)
    return sides_tie([x[known] <= cut for cut in cuts], h[known])


def sides_tie(sides, h):
    """Whether two ways to divide rows have the same statistic but for rounding."""
    first, second = (statistic_of(left, h) for left in sides)
    return first == pytest.approx(second, rel=1e-9)


def scores_of(data):
    """What R tests: indicators of the classes, numbers, or log-rank scores."""
    if data.task == "classification":
        return np.eye(len(data.y.cat.categories))[data.y.cat.codes]
    answers = data.y if data.task == "regression" else bough.logrank_scores(data.y, data.status)
    return np.asarray(answers, dtype=float)[:, None]


def groups_tie(tree, node, theirs, data, here):
    """Whether our sets of levels and those of R are different sets that tie."""
    name = theirs["split"]["var"]
    x, split = data.X[name][here], tree.split(node)
    known = x.notna().to_numpy()
    ours = x.isin(split.levels(tree.schema, 0)).to_numpy()[known]
    wanted = x.isin(level_names(data.X[name], theirs["split"]["groups"][0])).to_numpy()[known]
    return not np.array_equal(ours, wanted) and sides_tie((ours, wanted), scores_of(data)[here][known])


def splits_tie(tree, node, theirs, data, here):
    """Whether our split and that of R are different splits of one column that tie."""
    name, split = tree.schema[tree.split(node).column].name, theirs["split"]
    if name == split["var"] and "groups" in split:
        return groups_tie(tree, node, theirs, data, here)
    cut = tree.split(node).cut if "breaks" in split else np.nan
    if name != split["var"] or "breaks" not in split or cut == split["breaks"][0]:
        return False
    return is_tied(data.X[name].to_numpy()[here], scores_of(data)[here], (cut, split["breaks"][0]))


def columns_tie(tree, node, names, data, here):
    """Whether the branches of a split depend on two columns alike but for rounding."""
    split = tree.split(node)
    if names[0] == names[1]:
        return True
    branch = split.branch(tree._table(data.X).columns[split.column])
    rows = here & (branch >= 0)
    stump = bough.ConditionalTreeClassifier(max_depth=1, min_samples_split=2, min_samples_leaf=1)
    tests = stump.fit(data.X[rows], branch[rows]).tree_.tests_of(0)
    statistic = {tree.schema[test.column].name: test.statistic for test in tests}
    return statistic[names[0]] == pytest.approx(statistic[names[1]], rel=1e-9)


def surrogates_by_rounding(tree, node, theirs, data, here):
    """The columns in which rounding chose R's surrogate: a tied cut, or one that divides no rows."""
    split = tree.split(node)
    branch = split.branch(tree._table(data.X).columns[split.column])
    routed = here & (branch >= 0)
    found = set()
    for ours, other in zip(tree.surrogates_of(node), theirs.get("surrogates", ()), strict=False):
        x = data.X[other["var"]][routed]
        if x.dtype == "category" or tree.schema[ours.split.column].name != other["var"]:
            continue
        [cut], (below, above) = other["breaks"], ours.split.neighbours
        is_other = not below <= cut < above
        if not x.max() > cut or (is_other and is_tied(x.to_numpy(), np.eye(2)[branch[routed]], (below, cut))):
            found.add(other["var"])
    return found


def comparable(model, data, case):
    """Yield the nodes of both trees that have the same rows: those below rows that R draws for differ."""
    tree, options = model.tree_, options_of(case)
    path = model.decision_path(data.X).toarray() > 0
    dimensions = dimensions_of(tree, data, case)
    pairs = [(0, case.output["tree"])]
    while pairs:
        node, theirs = pairs.pop()
        yield node, theirs
        names = theirs.get("criterion", {}).get("statistic", {})
        least = options.get("mincriterion", 0.95)
        if names and not is_decided(
            theirs, least, len(names), exact=all(dimensions(name) == 1 for name in names)
        ):
            continue
        children = theirs.get("children", ())
        assert len(tree.children(node)) == len(children)
        here = path[:, node]
        if not children or splits_tie(tree, node, theirs, data, here):
            continue
        compare_split(tree, node, theirs, data)
        unrouted = here & data.X[theirs["split"]["var"]].isna().to_numpy()
        if unrouted.any() and surrogates_by_rounding(tree, node, theirs, data, here):
            continue
        if options.get("majority") or not drawn_rows(tree, node, data, here).any():
            pairs += zip(tree.children(node), children, strict=True)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_the_tests_and_splits_are_those_of_partykit(case):
    model, data = fitted(case)
    tree = model.tree_
    dimensions = dimensions_of(tree, data, case)
    for node, theirs in comparable(model, data, case):
        if theirs.get("criterion"):
            compare_tests(tree, node, theirs, dimensions)
        if theirs.get("nobs") is not None:
            assert tree.cases[node] == theirs["nobs"]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_rows_end_in_the_nodes_of_partykit(case):
    model, data = fitted(case)
    theirs = np.array(case.output.get("fitted_node", case.output["node"]))
    same = {node: other["id"] for node, other in comparable(model, data, case)}
    leaves = {node: number for node, number in same.items() if model.tree_.is_leaf[node]}
    ours = model.apply(data.X)
    for node, number in leaves.items():
        np.testing.assert_array_equal(ours == node, theirs == number)


@pytest.mark.parametrize("case", [case for case in CASES if case.name == "surrogate"], ids=str)
def test_surrogates_are_those_of_partykit(case):
    model, data = fitted(case)
    tree = model.tree_
    path = model.decision_path(data.X).toarray() > 0
    for node, theirs in comparable(model, data, case):
        ours = tree.surrogates_of(node)
        if theirs.get("split") and splits_tie(tree, node, theirs, data, path[:, node]):
            continue
        # Where fewer columns can be surrogates than are asked for, R repeats one, or lists the split itself.
        own = theirs.get("split", {}).get("var")
        stored = {}
        for other in theirs.get("surrogates", ()):
            if other["var"] != own:
                stored.setdefault(other["var"], other)
        wanted = [*stored.values()]
        names = [tree.schema[each.split.column].name for each in ours]
        assert len(names) == len(wanted)
        if any(
            not columns_tie(tree, node, (name, other["var"]), data, path[:, node])
            for name, other in zip(names, wanted, strict=True)
        ):
            assert names == [other["var"] for other in wanted]
        wanted = [other for name in names for other in wanted if other["var"] == name]
        rounded = surrogates_by_rounding(tree, node, theirs, data, path[:, node]) if ours else ()
        ours = [each for each, name in zip(ours, names, strict=True) if name in stored]
        for each, other in zip(ours, wanted, strict=True):
            is_cut = "breaks" in other and data.X[other["var"]].dtype != "category"
            if is_cut and other["var"] not in rounded:
                below, above = each.split.neighbours
                assert below == other["breaks"][0] < above
                assert each.turned == (other["index"] == [2, 1])


@of_own_folder
def test_there_are_cases_to_compare():
    assert len(CASES) >= 35
    assert np.isin(["iris", "gbsg2_surv"], [case.dataset for case in CASES]).all()
