import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.cart_tables import drawn
from tests.strategies import alternative_splits, schemas, splits, tables, trees

from bough import CARTClassifier, CARTRegressor, Tree, load
from bough.data.schema import Column, Schema
from bough.data.table import Table
from bough.errors import FormatError
from bough.example_models import iris_tree
from bough.tree.alternatives import ALTERNATIVE_ARRAYS, AlternativeSplit, AlternativeSplits
from bough.tree.parts_soundness import check_alternatives
from bough.tree.routing import route, walk
from bough.tree.split import Threshold

pytestmark = pytest.mark.slow

seeds = st.integers(0, 2**32 - 1)


def nodes_of(alternatives):
    return [alternatives.of(node) for node in range(len(alternatives.start) - 1)]


@given(st.data())
@settings(deadline=None)
def test_spare_splits_come_back_as_they_were_laid_out(data):
    schema = data.draw(schemas())
    found = data.draw(st.lists(splits(schema), min_size=1, max_size=5))
    alternatives = data.draw(alternative_splits(schema, found))
    assert AlternativeSplits.of_nodes(nodes_of(alternatives)) == alternatives
    order = np.array(data.draw(st.permutations(range(len(found)))))
    emptied = np.array(data.draw(st.lists(st.booleans(), min_size=len(found), max_size=len(found))))
    taken = nodes_of(alternatives.take(order, emptied))
    assert taken == [
        [] if empty else alternatives.of(node) for node, empty in zip(order.tolist(), emptied, strict=True)
    ]


@given(trees())
@settings(deadline=None)
def test_a_tree_keeps_its_spare_splits_in_files_and_pickles(tree):
    for copy in (Tree.from_json(tree.to_json()), pickle.loads(pickle.dumps(tree))):
        assert copy.surrogates == tree.surrogates
        assert copy.competitors == tree.competitors
        assert copy.follows_surrogates == tree.follows_surrogates
        assert copy == tree


def test_a_saved_tree_routes_by_its_surrogates(tmp_path):
    data = drawn(1, 200, missing=0.2)
    tree = CARTClassifier(n_competitors=2, prune="none").fit(data.table, data.labels).tree_
    tree.save(tmp_path / "tree.json")
    loaded = load(tmp_path / "tree.json")
    assert loaded == tree
    np.testing.assert_array_equal(loaded.apply(data.table), tree.apply(data.table))


@given(st.data())
@settings(deadline=None)
def test_a_smaller_tree_keeps_the_spare_splits_of_the_nodes_it_keeps(data):
    tree = data.draw(trees())
    smaller = data.draw(st.sampled_from([tree.pruned(0.5), tree.merged()]))
    inner = np.flatnonzero(~tree.is_leaf).tolist()
    if inner and data.draw(st.booleans()):
        smaller = tree.snip(data.draw(st.sampled_from(inner)))
    smaller.check()
    pairs = [(0, 0)]
    while pairs:
        small, large = pairs.pop()
        if smaller.is_leaf[small]:
            assert smaller.surrogates_of(small) == []
            assert smaller.competitors_of(small) == []
            continue
        assert smaller.surrogates_of(small) == tree.surrogates_of(large)
        assert smaller.competitors_of(small) == tree.competitors_of(large)
        pairs += zip(smaller.children(small), tree.children(large), strict=True)


@given(seeds, st.sampled_from([0.02, 0.1]), st.sampled_from(["classification", "regression"]))
@settings(deadline=None, max_examples=20)
def test_pruned_by_surrogates_a_row_ends_at_the_node_it_passed(seed, alpha, task):
    data = drawn(seed, 80, missing=0.25)
    learner = CARTClassifier if task == "classification" else CARTRegressor
    y = data.labels if task == "classification" else data.numbers
    tree = learner(prune="none", missing="surrogates_then_stop").fit(data.table, y).tree_
    pruned = tree.pruned(alpha, relative=True)
    passed = tree.decision_path(data.table).toarray().astype(bool)
    # Nodes of the smaller tree by what the root's rows meet on the way to them.
    place = {0: 0}
    for node in range(pruned.n_nodes):
        if not pruned.is_leaf[node]:
            place |= dict(zip(pruned.children(node), tree.children(place[node]), strict=True))
    for row, end in enumerate(pruned.apply(data.table).tolist()):
        assert passed[row, place[end]]


@given(seeds, st.sampled_from(["stop", "surrogates_then_stop", "surrogates_then_majority"]))
@settings(deadline=None, max_examples=30)
def test_learned_trees_route_as_their_definition_says(seed, missing):
    data, other = drawn(seed, 70, missing=0.2), drawn(seed + 1, 70, missing=0.5)
    tree = CARTClassifier(prune="none", missing=missing).fit(data.table, data.labels).tree_
    for table in (data.table, other.table):
        np.testing.assert_array_equal(route(tree, table, n_jobs=2), walk(tree, table))


@given(st.data())
@settings(deadline=None, max_examples=40)
def test_routing_through_surrogates_is_the_walk_through_them(data):
    tree = data.draw(trees().filter(lambda tree: tree.surrogates is not None))
    table = data.draw(tables(tree.schema, max_rows=40))
    np.testing.assert_array_equal(route(tree, table), walk(tree, table))


@pytest.mark.parametrize("missing", ["stop", "surrogates_then_stop", "surrogates_then_majority"])
@given(seed=seeds)
@settings(deadline=None, max_examples=15)
def test_in_a_complete_table_surrogates_change_no_split(missing, seed):
    data = drawn(seed, 80)
    plain = CARTClassifier(prune="none", missing="majority").fit(data.table, data.labels).tree_
    tree = CARTClassifier(prune="none", missing=missing).fit(data.table, data.labels).tree_
    for name in ("parent", "column", "cut", "level_code", "level_branch", "weight", "statistics", "gain"):
        np.testing.assert_array_equal(getattr(tree, name), getattr(plain, name), err_msg=name)
    np.testing.assert_array_equal(tree.predict(data.table), plain.predict(data.table))
    # Of rows not seen before some have levels that a node has not; numbers can always be placed.
    known, fresh = (numbers(*each.table.columns[:3]) for each in (data, drawn(seed + 1, 80)))
    answers = [
        CARTClassifier(prune="none", missing=each).fit(known, data.labels).predict(fresh)
        for each in (missing, "majority")
    ]
    np.testing.assert_array_equal(*answers)


def numbers(*columns):
    values = tuple(np.asarray(column, dtype=float) for column in columns)
    schema = Schema(tuple(Column(f"x{i}", "numeric") for i in range(len(values))))
    return Table(schema, values, len(values[0]))


@given(seeds, st.booleans(), st.sampled_from(["two_each_way", "rpart"]), st.sampled_from(["all", "known"]))
@settings(deadline=None, max_examples=25)
def test_a_copy_of_a_column_is_its_first_surrogate(seed, backwards, rule, agreement):
    data = drawn(seed, 80)
    own, _, noise = data.table.columns[:3]
    copy = -own if backwards else own * 2
    rows = data.rng.permutation(80)
    labels = (own > np.median(own)).astype(int)
    hidden, shown = own.copy(), copy.copy()
    hidden[rows[:10]], shown[rows[10:15]] = np.nan, np.nan
    model = CARTClassifier(max_depth=1, prune="none", surrogate_rule=rule, agreement=agreement)
    whole = model.fit(numbers(own, copy, noise), labels).tree_
    [first, *_] = whole.surrogates_of(0)
    assert (int(whole.column[0]), first.split.column, first.turned) == (0, 1, backwards)
    assert (first.value, first.adjusted, first.cases) == (1.0, 1.0, 0.0)

    tree = model.fit(numbers(hidden, shown, noise), labels).tree_
    [first, *_] = tree.surrogates_of(0)
    asked = [hidden, shown][int(tree.column[0])]
    other = [hidden, shown][1 - int(tree.column[0])]
    assert first.split.column == 1 - int(tree.column[0])
    lost = np.isnan(asked) & ~np.isnan(other)
    ends = tree.apply(numbers(hidden, shown, noise))
    assert (ends[lost] == 1 + first.branch(other[lost])).all()
    assert first.cases == lost.sum()


def test_without_surrogates_kept_rows_follow_the_majority():
    data = drawn(3, 80)
    own = data.table.columns[0]
    labels = (own > np.quantile(own, 0.7)).astype(int)
    table = numbers(own, own)
    tree = CARTClassifier(prune="none", n_surrogates=0).fit(table, labels).tree_
    assert tree.surrogates is None or len(tree.surrogates.column) == 0
    unknown = numbers([np.nan], [0.0])
    assert tree.apply(unknown).tolist() == [1 + int(tree.default_branch[0])]


def test_a_tree_that_stops_keeps_surrogates_but_does_not_follow_them():
    data = drawn(3, 80)
    own = data.table.columns[0]
    labels = (own > 0).astype(int)
    tree = CARTClassifier(prune="none", missing="stop").fit(numbers(own, own), labels).tree_
    assert tree.surrogates_of(0)[0].value == 1.0
    assert tree.apply(numbers([np.nan], [2.0])).tolist() == [0]


def test_fewer_surrogates_are_the_first_of_more():
    data = drawn(9, 100, missing=0.1)
    few, many = (
        CARTClassifier(max_depth=1, prune="none", n_surrogates=n).fit(data.table, data.labels).tree_
        for n in (1, 3)
    )
    assert few.surrogates_of(0) == many.surrogates_of(0)[:1]
    values = [alternative.value for alternative in many.surrogates_of(0)]
    assert values == sorted(values, reverse=True)
    assert all(0 < alternative.adjusted <= 1 for alternative in many.surrogates_of(0))


@given(seeds)
@settings(deadline=None, max_examples=20)
def test_agreement_is_the_share_of_rows_sent_alike(seed):
    data = drawn(seed, 60, missing=0.15)
    for agreement in ("all", "known"):
        model = CARTClassifier(max_depth=1, prune="none", agreement=agreement)
        tree = model.fit(data.table, data.labels).tree_
        if tree.is_leaf[0]:
            continue
        own = tree.split(0).branch(data.table.columns[int(tree.column[0])])
        for alternative in tree.surrogates_of(0):
            ways = alternative.branch(data.table.columns[alternative.split.column])
            base = (own >= 0) & ((ways >= 0) | (agreement == "all"))
            most = max((own[base] == side).sum() for side in (0, 1))
            alike = ((own == ways) & base).sum()
            assert alternative.value == pytest.approx(alike / base.sum(), rel=1e-12)
            assert alternative.adjusted == pytest.approx((alike - most) / (base.sum() - most), rel=1e-12)


def test_surrogates_help_where_values_are_missing_at_random():
    """The three columns tell the same with noise, so that a missing one can be made up for."""
    rng = np.random.default_rng(0)
    right = {"surrogates_then_majority": 0.0, "majority": 0.0}
    for _ in range(5):
        truth = rng.normal(size=1500)
        X = truth[:, None] + 0.2 * rng.normal(size=(1500, 3))
        labels = (truth > 0).astype(int)
        X[500:][rng.random((1000, 3)) < 0.3] = np.nan
        for missing in right:
            model = CARTClassifier(missing=missing, max_depth=1, prune="none").fit(X[:500], labels[:500])
            right[missing] += float((model.predict(X[500:]) == labels[500:]).mean()) / 5
    assert right["surrogates_then_majority"] > right["majority"] + 0.05


def change(**arrays):
    alternatives = AlternativeSplits.of_nodes(
        [[AlternativeSplit(Threshold(1, 1.75), False, 0.9, 0.8, 20.0)], [], [], [], []]
    )
    return AlternativeSplits(**{name: getattr(alternatives, name) for name in ALTERNATIVE_ARRAYS} | arrays)


@pytest.mark.parametrize(
    ("place", "arrays"),
    [
        ("surrogates.start", {"start": [0, 1]}),
        ("surrogates.start", {"start": [0, 1, 0, 1, 1, 1]}),
        ("surrogates.start[0]", {"start": [0, 0, 1, 1, 1, 1]}),
        ("surrogates.column[0]", {"column": [2]}),
        ("surrogates.column[0]", {"column": [-1]}),
        ("surrogates.cut[0]", {"cut": [np.nan]}),
        ("surrogates.cut", {"cut": [1.0, 2.0]}),
        ("surrogates.turned[0]", {"turned": [2]}),
        ("surrogates.value[0]", {"value": [np.inf]}),
        ("surrogates.level_start", {"level_start": [0, 1]}),
    ],
)
def test_spare_splits_that_do_not_fit_their_tree_are_refused(place, arrays):
    with pytest.raises(FormatError) as caught:
        check_alternatives(change(**arrays), iris_tree(), "surrogates")
    assert f"At {place}:" in str(caught.value)
