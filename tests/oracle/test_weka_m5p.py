"""Weka's M5P: the same trees, linear models and predictions, case by case; and the plain reference."""

import numpy as np
import pytest
from tests.oracle.plain_m5 import M5
from tests.oracle.quinlan_trees import near
from tests.oracle.reference import cases, of_own_folder, read_data

import bough
from bough.data.schema import Column
from bough.tree.split import AtMost, Levels

CASES = cases("weka/m5p")


def parameters(case):
    return options_of(case.output["effective_options"].split())


def options_of(words):
    """The parameters that Weka's options stand for."""
    return {
        "min_samples_split": int(float(words[words.index("-M") + 1])) if "-M" in words else 4,
        "prune": "none" if "-N" in words else "m5",
        "smoothing_constant": 0.0 if "-U" in words else 15.0,
        "leaf": "constant" if "-R" in words else "linear",
    }


def fitted(case):
    data = read_data(case.dataset, ordered=False)
    return bough.M5Regressor(**parameters(case)).fit(data.X, data.y), data


def attribute(schema, column: int, codes):
    """Weka's name of an indicator, with the levels in the order of the schema; or the name of the column."""
    described: Column = schema[column]
    if not codes:
        return described.name, frozenset()
    return described.name, frozenset(described.levels[code] for code in codes)


def read_attribute(name, schema):
    """The column of one of Weka's attributes, and the levels of an indicator."""
    if name in schema.names:
        return name, frozenset()
    column, _, levels = name.partition("=")
    known = {str(level) for level in schema[column].levels}
    found, rest = set(), levels
    while rest:
        [level] = [each for each in known if rest == each or rest.startswith(each + ",")]
        found.add(level)
        rest = rest[len(level) + 1 :]
    return column, frozenset(found)


def compare(tree, theirs, node=0):
    """Compare a node and all below it; return the number of nodes compared."""
    schema = tree.schema
    model = tree.linear_model(node)
    ours = {attribute(schema, term.column, term.codes): term.coefficient for term in model.terms}
    wanted = {read_attribute(name, schema): number for name, number in theirs["model"]["coef"].items()}
    assert ours.keys() == wanted.keys()
    assert all(near(ours[name], number) for name, number in wanted.items())
    assert near(model.intercept, theirs["model"]["intercept"])
    assert tree.cases[node] == theirs["n"]
    assert tree.is_leaf[node] == theirs["leaf"]
    if theirs["leaf"]:
        return 1
    split = tree.split(node)
    if isinstance(split, Levels):
        codes = [code for code, branch in zip(split.codes, split.branches, strict=True) if branch]
        assert attribute(schema, split.column, codes) == read_attribute(theirs["attr"], schema)
    else:
        assert isinstance(split, AtMost)
        assert schema[split.column].name == theirs["attr"]
        assert near(split.cut, theirs["threshold"])
    left, right = tree.children(node)
    return 1 + compare(tree, theirs["left"], left) + compare(tree, theirs["right"], right)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_the_tree_and_its_models_are_wekas(case):
    model, _ = fitted(case)
    assert compare(model.tree_, case.output["tree"]) == model.tree_.n_nodes
    model.tree_.check()


@pytest.mark.parametrize("case", CASES, ids=str)
def test_the_predictions_are_wekas(case):
    model, data = fitted(case)
    assert model.predict(data.X) == pytest.approx(case.output["pred"], rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_the_plain_reference_predicts_the_same(case):
    model, data = fitted(case)
    options = parameters(case)
    columns = [
        (each.cat.codes.to_numpy(), len(each.cat.categories))
        if each.dtype.name == "category"
        else each.to_numpy()
        for _, each in data.X.items()
    ]
    plain = M5(
        columns,
        data.y.to_numpy(),
        least=options["min_samples_split"],
        regression=options["leaf"] == "constant",
        prune=options["prune"] == "m5",
        smooth=options["smoothing_constant"] > 0,
    )
    assert model.predict(data.X) == pytest.approx(plain.predict(), rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("seed", range(12))
def test_the_plain_reference_grows_the_same_trees_on_random_rows(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(20, 250))
    X = rng.normal(size=(n, 4)).round(int(rng.integers(0, 4)))
    X[rng.random(X.shape) < 0.05] = np.nan
    X[:, 3] = 2 * X[:, 2]
    codes = rng.integers(0, 5, n)
    known = np.nan_to_num(X)
    y = known[:, 0] * (1 + (known[:, 1] > 0) * 3) + 2.0 * (codes > 2) + rng.normal(size=n)
    rows = [[*row, str(code)] for row, code in zip(X.tolist(), codes.tolist(), strict=True)]
    tree = bough.M5Regressor(ordinal_features=None).fit(rows, y).tree_
    plain = M5([*X.T, (codes, 5)], y)
    assert tree.predict(rows) == pytest.approx(plain.predict(), rel=1e-9, abs=1e-9)


@of_own_folder
def test_there_are_cases_to_compare():
    assert len(CASES) >= 27
