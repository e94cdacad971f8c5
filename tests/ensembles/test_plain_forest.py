"""Native trees of forests are those of the plain reference, node by node."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.ensembles.follow import FollowedGrower, Follower, check_same
from tests.ensembles.plain_forest import PlainGrower, pruned
from tests.ensembles.plain_random import drawn_rows

from bough.data.table import Table
from bough.data.target import read_classes, read_numbers, read_weights
from bough.data.training import Training
from bough.ensembles.growing import grow_forest
from bough.growing.draws import ColumnSampling, Ensemble, RowSampling
from bough.growing.limits import Limits
from bough.growing.recipe import Recipe

pytestmark = pytest.mark.slow

CLASSES = ("gini", "entropy")


def assert_same_trees(table, target, weights, recipe, sample, seed=3, n_trees=2):
    """Check the first trees of a forest; return how many nodes they have."""
    forest = grown_forest(table, target, weights, recipe, sample, seed=seed, n_trees=n_trees)
    n_nodes = 0
    for number, tree in enumerate(forest.trees):
        grower = FollowedGrower(table, target, weights, recipe, sample, seed, number)
        follower = Follower(tree, grower)
        root = grower.grow(follower.choose)
        check_same(tree, root, follower, grower.is_classes)
        check_importance(forest.tree_importance[number], root)
        n_nodes += len(tree.parent)
    return n_nodes


def check_importance(importance, root):
    gained, stack = np.zeros(len(importance)), [root]
    while stack:
        node = stack.pop()
        if node.split:
            gained[node.split.column] += node.split.gain * node.weight
        stack += node.children
    np.testing.assert_allclose(importance, gained, rtol=1e-9)


def recipe_for(criterion, limits=None, **options):
    task = "classification" if criterion in CLASSES else "regression"
    balance = options.pop("balance", False)
    columns = ColumnSampling(
        options.pop("max_features", 1),
        options.pop("tree_features", 0),
        options.pop("seek", True),
        options.pop("random_splits", False),
    )
    parts = {"nominal": "ordered", "missing": "learned"} | options
    weight = "balanced_subsample" if balance else None
    return Recipe(
        criterion, limits=limits or Limits(), columns=columns, class_weight=weight, task=task, **parts
    )


def grown_forest(table, target, weights, recipe, sampling, *, seed, n_trees=1):
    """Grow a forest whose trees draw their rows as `sampling` says."""
    training = Training(table, target, weights, np.arange(table.n_rows), table.n_rows)
    ensemble = Ensemble("forest", n_trees, sampling)
    return grow_forest(training, replace(recipe, ensemble=ensemble), seed=seed, n_trees=n_trees, n_jobs=1)


def bootstrap(n_rows):
    return RowSampling("with_replacement", (n_rows,))


def mixed(n, seed=0):
    """A frame of columns of all kinds, many ties among them, and a number that depends on some of them."""
    rng = np.random.default_rng(seed)
    size = pd.Categorical(rng.choice(list("smlx"), n), categories=list("smlx"), ordered=True)
    frame = pd.DataFrame(
        {
            "few": rng.integers(0, 4, n).astype(float),
            "many": rng.normal(size=n),
            "single": rng.normal(size=n).astype(np.float32).round(1),
            "colour": pd.Categorical(rng.choice(list("abcdefg"), n)),
            "plane": pd.Categorical([f"n{number}" for number in rng.integers(0, 70, n)]),
            "size": size,
            "one": np.full(n, 7.0),
            "none": np.full(n, np.nan),
        }
    )
    signal = frame["many"] + frame["few"] * frame["colour"].isin(["a", "d"]) - (frame["size"] == "l")
    signal += rng.normal(size=n)
    frame["coin"] = pd.Categorical(np.where(rng.random(n) < 0.5 + 0.2 * np.sign(signal), "heads", "tails"))
    for name in ("few", "single", "colour", "size", "coin"):
        frame.loc[rng.random(n) < 0.12, name] = None
    return frame, signal.to_numpy()


def target_for(criterion, signal, n_classes):
    if criterion in CLASSES:
        return read_classes(pd.qcut(signal, n_classes, labels=False))
    # A rate of 0 bars splits, and then it matters which of levels of equal rates comes first.
    return read_numbers(np.floor(np.abs(signal) * 3) + 1 if criterion == "poisson" else signal)


def rounded(target, step=0.25):
    """Return numbers of few distinct values, of which the reference keeps a weight each."""
    return read_numbers(np.round(target / step) * step)


def weights_for(kind, n, seed=1):
    rng = np.random.default_rng(seed)
    drawn = {"none": None, "whole": rng.integers(1, 4, n), "shares": rng.integers(1, 9, n) / 4}[kind]
    return read_weights(drawn, n)


KINDS = [("gini", 2), ("gini", 3), ("entropy", 2), ("entropy", 3), ("squared_error", 0), ("poisson", 0)]


@pytest.mark.parametrize("n_rows", [250, pytest.param(9000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("splits", ["ordered", "subset", "randomforest", "random"])
@pytest.mark.parametrize("missing", ["learned", "majority"])
@pytest.mark.parametrize(("criterion", "n_classes"), KINDS)
def test_trees_of_columns_of_all_kinds(criterion, n_classes, missing, splits, n_rows):
    frame, signal = mixed(n_rows)
    table, target = Table.read(frame), target_for(criterion, signal, n_classes)
    limits = Limits(max_depth=None if n_rows < 1000 else 5)
    how = {"random_splits": True} if splits == "random" else {"nominal": splits}
    for weights in ("none", "whole", "shares") if n_rows < 1000 else ("none", "shares"):
        recipe = recipe_for(criterion, limits, max_features=3, missing=missing, **how)
        n_nodes = assert_same_trees(
            table, target, weights_for(weights, n_rows), recipe, bootstrap(n_rows), n_trees=1
        )
        assert n_nodes > 20


@pytest.mark.parametrize("n_rows", [250, pytest.param(4000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("splits", ["ordered", "subset", "random"])
@pytest.mark.parametrize("missing", ["learned", "majority"])
def test_trees_of_medians(missing, splits, n_rows):
    frame, signal = mixed(n_rows)
    table, target = Table.read(frame), read_numbers(signal)
    how = {"random_splits": True} if splits == "random" else {"nominal": splits}
    limits = Limits(max_depth=None if n_rows < 1000 else 5, min_samples_leaf=1 if splits == "random" else 3)
    recipe = recipe_for("absolute_error", limits, max_features=3, missing=missing, **how)
    for weights in ("none", "whole", "shares"):
        given = weights_for(weights, n_rows)
        own = target if n_rows < 1000 else rounded(target)
        n_nodes = assert_same_trees(table, own, given, recipe, bootstrap(n_rows), n_trees=1)
        assert n_nodes > 20


@pytest.mark.parametrize("random_splits", [False, True], ids=["best", "random"])
@pytest.mark.parametrize("n_rows", [120, pytest.param(7000, marks=pytest.mark.slow)])
def test_numbers_of_any_size_and_spacing(n_rows, random_splits):
    rng = np.random.default_rng(3)
    X = np.stack(
        [
            rng.permutation(n_rows) / 8,  # all distinct
            np.where(rng.random(n_rows) < 0.4, 0.0, rng.normal(size=n_rows)),  # one value shared by many
            1 + rng.integers(0, 3000, n_rows) * 2.0**-45,  # closer than floats can tell
            rng.choice([-np.inf, -1e308, -0.0, 0.0, 1e-320, 1e308, np.inf, np.nan], n_rows),
        ],
        axis=1,
    )
    signal = X[:, 0] / n_rows + 2 * X[:, 1] + (X[:, 2] > 1 + 1500 * 2.0**-45) + (X[:, 3] > 0)
    signal += (X[:, 1] == 0) * 0.5 + rng.normal(size=n_rows)
    weights, limits = read_weights(None, n_rows), Limits(max_depth=4)
    for criterion, n_classes in (("gini", 2), ("gini", 3), ("squared_error", 0)):
        target = target_for(criterion, signal, n_classes)
        recipe = recipe_for(criterion, limits, max_features=4, random_splits=random_splits)
        assert_same_trees(Table.read(X), target, weights, recipe, bootstrap(n_rows))


@pytest.mark.parametrize("n_rows", [80, pytest.param(9000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("missing", ["learned", "majority"])
@pytest.mark.parametrize(("criterion", "n_classes"), KINDS)
def test_ordered_levels_that_are_missing_where_it_tells(criterion, n_classes, missing, n_rows):
    """Missing values alone on the left would gain most, which no cut of ordered levels can say."""
    rng = np.random.default_rng(11)
    codes = rng.integers(-1, 4, n_rows)
    frame = pd.DataFrame({"size": pd.Categorical.from_codes(codes, list("abcd"), ordered=True)})
    signal = np.where(codes < 0, 3.0, np.where(codes == 0, 1.0, 0.0)) + rng.normal(size=n_rows)
    target = target_for(criterion, signal, n_classes)
    recipe = recipe_for(criterion, missing=missing)
    assert_same_trees(Table.read(frame), target, read_weights(None, n_rows), recipe, bootstrap(n_rows))


@pytest.mark.parametrize("criterion", ["gini", "squared_error", "poisson"])
@pytest.mark.parametrize("random_splits", [False, True], ids=["best", "random"])
def test_what_gains_nothing_is_no_split(criterion, random_splits):
    """Half of the columns tell nothing at all; sums that are rounded must not make them splits."""
    rng = np.random.default_rng(12)
    for _ in range(15):
        values = rng.random(3)
        dull = [np.repeat(np.arange(4.0), 12), np.tile(np.repeat(np.arange(2.0), 6), 4)]
        y = np.tile(values, 16)
        X = np.stack([*dull, np.tile(np.arange(3.0), 16)], axis=1)
        target = read_classes(np.tile([0, 1, 2], 16)) if criterion == "gini" else read_numbers(y)
        weights = read_weights(np.tile(rng.random(3), 16), 48)
        recipe = recipe_for(criterion, random_splits=random_splits)
        forest = grown_forest(Table.read(X), target, weights, recipe, RowSampling(), seed=1, n_trees=4)
        assert (forest.tree_importance[:, :2] == 0).all()
        assert_same_trees(Table.read(X), target, weights, recipe, RowSampling(), seed=1)


@pytest.mark.parametrize("n_rows", [300, pytest.param(4500, marks=pytest.mark.slow)])
@pytest.mark.parametrize(
    "options",
    [
        {"max_features": 8},
        {"max_features": 1, "seek": False},
        {"max_features": 2, "tree_features": 4},
        {"max_features": 2, "balance": True},
        {"max_features": 4, "random_splits": True, "balance": True},
    ],
    ids=str,
)
def test_columns_looked_at_and_classes_balanced(options, n_rows):
    frame, signal = mixed(n_rows, seed=2)
    target = read_classes(np.digitize(signal, [-1.5, 2.0]))
    recipe = recipe_for("gini", Limits(max_depth=5), **options)
    assert_same_trees(Table.read(frame), target, read_weights(None, n_rows), recipe, bootstrap(n_rows))


@pytest.mark.parametrize("n_rows", [150, pytest.param(9000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("random_splits", [False, True], ids=["best", "random"])
@pytest.mark.parametrize("criterion", ["gini", "entropy", "squared_error", "poisson"])
def test_constrained_columns(criterion, random_splits, n_rows):
    rng = np.random.default_rng(8)
    X = rng.normal(size=(n_rows, 4))
    signal = X[:, 0] - X[:, 1] + np.sin(3 * X[:, 2]) + rng.normal(size=n_rows)
    target = target_for(criterion, signal, 2)
    limits = Limits(max_depth=None if n_rows < 1000 else 6)
    for directions in ({"x0": 1, "x1": -1}, {"x2": 1}, {"x0": -1, "x3": 1}):
        recipe = recipe_for(
            criterion, limits, max_features=2, random_splits=random_splits, monotonic_cst=directions
        )
        for weights in ("none", "whole"):
            given = weights_for(weights, n_rows)
            assert_same_trees(Table.read(X), target, given, recipe, bootstrap(n_rows), n_trees=1)


LIMITS = [
    Limits(max_depth=3),
    Limits(min_samples_leaf=7),
    Limits(min_samples_split=40),
    Limits(min_samples_leaf=0.02),
    Limits(min_weight_fraction_leaf=0.0625),
    Limits(min_impurity_decrease=0.01),
]


@pytest.mark.slow
@pytest.mark.parametrize("limits", LIMITS, ids=lambda limits: str(limits.to_json()))
@pytest.mark.parametrize("random_splits", [False, True], ids=["best", "random"])
@pytest.mark.parametrize("criterion", ["gini", "squared_error"])
def test_limits(criterion, random_splits, limits):
    n = 400
    frame, signal = mixed(n, seed=4)
    for weights in ("none", "whole"):
        recipe = recipe_for(criterion, limits, max_features=2, random_splits=random_splits)
        target = target_for(criterion, signal, 2)
        assert_same_trees(Table.read(frame), target, weights_for(weights, n), recipe, bootstrap(n))


@pytest.mark.parametrize("random_splits", [False, True], ids=["best", "random"])
def test_the_leaves_kept_are_those_worth_the_most(random_splits):
    frame, signal = mixed(500, seed=5)
    table, target, weights = Table.read(frame), read_numbers(signal), weights_for("shares", 500)
    full, few = (
        recipe_for("squared_error", Limits(max_leaf_nodes=most), max_features=3, random_splits=random_splits)
        for most in (None, 9)
    )
    grown = [
        grown_forest(table, target, weights, recipe, bootstrap(500), seed=8).trees[0]
        for recipe in (full, few)
    ]
    grower = FollowedGrower(table, target, weights, full, bootstrap(500), 8, 0)
    root = pruned(grower.grow(Follower(grown[0], grower).choose), 9)
    check_same(grown[1], root, Follower(grown[1], grower), is_classes=False)
    assert (grown[1].n_children == 0).sum() == 9


@pytest.mark.parametrize("draw", ["all", "with_replacement", "without_replacement"])
@pytest.mark.parametrize("strata", [False, True])
def test_samples(draw, strata):
    n = 200
    stratum = np.arange(n, dtype=np.int32) % 3 if strata else None
    size = () if draw == "all" else (30, 40, 10) if strata else (90,)
    sample = RowSampling(draw, size, stratum if draw != "all" else None)
    expected = np.stack([drawn_rows(sample, n, 77, tree) for tree in range(4)], axis=1)
    np.testing.assert_array_equal(sample.draws(n, 77, 4), expected)
    frame, signal = mixed(n, seed=6)
    recipe = recipe_for("squared_error", max_features=2)
    assert_same_trees(Table.read(frame), read_numbers(signal), read_weights(None, n), recipe, sample, 77)


@st.composite
def tables(draw):
    """Tables of few rows, with ties, missing values, columns of one value and columns of none."""
    n = draw(st.integers(2, 40))
    columns = {}
    for number in range(draw(st.integers(1, 4))):
        kind = draw(st.sampled_from(["numbers", "close", "nominal", "two levels", "ordinal", "none"]))
        drawn = draw(st.lists(st.integers(-1, draw(st.integers(0, 8))), min_size=n, max_size=n))
        values = [None if value < 0 else value for value in drawn]
        if kind == "numbers":
            columns[f"c{number}"] = np.array([np.nan if v is None else v / 2 for v in values])
        elif kind == "close":  # closer than floats can tell
            columns[f"c{number}"] = np.array([np.nan if v is None else 1 + v * 2.0**-40 for v in values])
        elif kind == "none":
            columns[f"c{number}"] = np.full(n, np.nan)
        elif kind == "two levels":
            columns[f"c{number}"] = pd.Categorical([None if v is None else v % 2 for v in values], [0, 1])
        else:
            columns[f"c{number}"] = pd.Categorical(
                values, categories=list(range(9)), ordered=kind == "ordinal"
            )
    return pd.DataFrame(columns)


@pytest.mark.slow
@settings(max_examples=160)
@given(tables(), st.data())
def test_small_tables(frame, data):
    n, draw = len(frame), data.draw
    random_splits = draw(st.booleans())
    n_classes = draw(st.integers(2, 4))
    labels = draw(st.lists(st.integers(0, n_classes - 1), min_size=n, max_size=n))
    limits = Limits(max_depth=draw(st.sampled_from([None, 1, 2])))
    criterion = draw(st.sampled_from(CLASSES))
    recipe = recipe_for(
        criterion,
        limits,
        max_features=draw(st.integers(1, frame.shape[1])),
        missing=draw(st.sampled_from(["learned", "majority"])),
        nominal=draw(st.sampled_from(["ordered", "subset", "randomforest"])),
        seek=draw(st.booleans()),
        random_splits=random_splits,
    )
    weights = draw(st.none() | st.lists(st.integers(1, 3), min_size=n, max_size=n))
    sample = draw(
        st.sampled_from([RowSampling(), bootstrap(n), RowSampling("without_replacement", (max(1, n // 2),))])
    )
    target, weighed = read_classes(labels), read_weights(weights, n)
    assert_same_trees(Table.read(frame), target, weighed, recipe, sample, draw(st.integers(0, 2**31)))


@pytest.mark.slow
@settings(max_examples=100)
@given(tables(), st.data())
def test_small_tables_of_numbers(frame, data):
    n, draw = len(frame), data.draw
    y = draw(st.lists(st.integers(-40, 40), min_size=n, max_size=n))
    criterion = draw(st.sampled_from(["squared_error", "absolute_error"]))
    nominal = ["ordered", "subset", *(["randomforest"] if criterion == "squared_error" else [])]
    recipe = recipe_for(
        criterion,
        max_features=draw(st.integers(1, frame.shape[1])),
        missing=draw(st.sampled_from(["learned", "majority"])),
        nominal=draw(st.sampled_from(nominal)),
        random_splits=draw(st.booleans()),
    )
    weights = draw(st.none() | st.lists(st.integers(1, 12).map(lambda w: w / 4), min_size=n, max_size=n))
    sample = draw(st.sampled_from([RowSampling(), bootstrap(n)]))
    target = read_numbers(np.array(y) / 8)
    assert_same_trees(Table.read(frame), target, read_weights(weights, n), recipe, sample, 5)


def test_counts_without_a_native_forest():
    """The reference stands alone: one tree of all rows and columns is the obvious one."""
    table, target = Table.read([[1.0], [2.0], [2.0], [9.0]]), read_classes(["a", "a", "b", "b"])
    recipe = recipe_for("gini")
    root = PlainGrower(table, target, read_weights(None, 4), recipe, RowSampling(), 0, 0).grow()
    assert root.split.cut == pytest.approx(1.5)
    assert root.split.gain == pytest.approx(0.5 - 0.75 * 4 / 9)


def test_of_a_cut_and_its_mirror_image_the_lower_wins():
    """Parting the outer values from the rest gains the same on either side, to the last bit or not."""
    weights, recipe = read_weights(None, 1), recipe_for("gini", Limits(max_depth=1))
    for outer in range(1, 16):
        for inner in range(1, 16):
            X = np.repeat([0.0, 1.0, 2.0], [outer, inner, outer])[:, None]
            target = read_classes((X[:, 0] == 1).astype(int))
            forest = grown_forest(Table.read(X), target, weights, recipe, RowSampling(), seed=0)
            assert forest.trees[0].cut[0] == pytest.approx(0.5)


def test_of_equal_gains_in_many_small_tables():
    for seed in range(120):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(8, 120))
        X = rng.integers(0, rng.choice([2, 3, 8, 40]), (n, 4)).astype(float)
        if seed % 3 == 0:
            X[rng.random(X.shape) < 0.15] = np.nan
        missing, limits = ("learned", "majority")[seed % 2], Limits(max_depth=6)
        recipe = recipe_for("gini", limits, max_features=1 + seed % 4, missing=missing)
        target = read_classes(np.r_[0, 1, rng.integers(0, 2, n - 2)])
        assert_same_trees(Table.read(X), target, read_weights(None, n), recipe, bootstrap(n), n_trees=1)


@pytest.mark.parametrize("n_rows", [40, pytest.param(3000, marks=pytest.mark.slow)])
def test_of_equal_gains_the_first_column_and_the_lowest_cut_win(n_rows):
    """Columns that part rows alike, and cuts that gain the same at several places."""
    rng = np.random.default_rng(9)
    X = np.repeat(rng.integers(0, 6, (n_rows, 2)).astype(float), 2, axis=1)
    y = (X[:, 0].astype(int) + X[:, 2].astype(int)) % 2
    for missing in ("learned", "majority"):
        X[rng.random(n_rows) < 0.1, 1] = np.nan
        recipe = recipe_for("gini", max_features=2, missing=missing)
        assert_same_trees(
            Table.read(X), read_classes(y), read_weights(None, n_rows), recipe, bootstrap(n_rows), n_trees=6
        )
