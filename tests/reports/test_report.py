"""The report as text: all it says is in its facts, and its facts are the model's."""

import json
import re
import xml.etree.ElementTree as ET
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold
from tests.strategies import trees

import bough
from bough.reports.layout import layout
from bough.reports.picture import picture
from bough.reports.shown import shortened, shown_tree


@pytest.fixture(scope="module")
def drawn():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.normal(size=300), "b": rng.normal(size=300), "c": rng.choice(["x", "y"], 300)})
    X.loc[::10, "b"] = np.nan
    y = pd.Series(np.where(X["a"] + (X["c"] == "x") > 0.3, "yes", "no"), name="buys")
    return X, y


def facts_in(html):
    return json.loads(re.search(r'id="facts">(.*?)</script>', html, re.DOTALL)[1])


def test_the_page_holds_its_facts_and_asks_for_nothing(drawn):
    X, y = drawn
    page = bough.report(bough.TreeClassifier(max_depth=3).fit(X, y), X, y, n_draws=3, cv=2)
    assert facts_in(page.html) == json.loads(json.dumps(page.facts))
    assert page.html.isascii()
    assert "default-src 'none'" in page.html
    assert not re.search(r"""(?:src|href)=["']?(?:http|//)""", page.html)


def test_the_same_model_gives_the_same_page(drawn):
    X, y = drawn
    grown = bough.TreeClassifier(max_depth=3).fit(X, y).tree_
    tree = replace(grown, provenance={"date": "2026-03-01T12:00:00Z"})
    first, again = (bough.report(tree, X, y, n_draws=3, cv=2).html for _ in range(2))
    assert first == again
    assert "1 March 2026, 12:00 UTC" in first


def test_facts_are_those_of_the_tree(drawn):
    X, y = drawn
    tree = bough.TreeClassifier(max_depth=4).fit(X, y).tree_
    facts = bough.report(tree, X, y, n_draws=0, cv=0).facts
    assert facts["nodes"]["cases"] == tree.cases.tolist()
    assert facts["given"]["stats"] == tree.statistics.tolist()
    assert facts["given"]["learned"] is True
    assert [rule[0] for rule in facts["rules"]] == [rule.leaf for rule in tree.rules()]
    assert facts["missing"]["columns"] == [[1, 30]]
    assert facts["missing"]["complete"] == 270
    for node, ranked in facts["rivals"].items():
        assert ranked[0][2] == pytest.approx(tree.gain[int(node)], rel=1e-5)
        assert ranked[0][3]
        assert ranked[0][4]


def test_a_page_says_that_an_optimal_tree_splits_its_column_elsewhere():
    X = pd.DataFrame({"a": [0.0, 0, 1, 1, 2, 2, 3, 3], "b": [0.0, 1, 0, 1, 0, 1, 0, 1]})
    y = np.where((X["a"] >= 2) ^ (X["b"] > 0), "yes", "no")
    y[0] = "yes"
    tree = bough.OptimalTreeClassifier(max_depth=3).fit(X, y).tree_
    facts = bough.report(tree, X, y, n_draws=0, cv=0).facts
    for node, ranked in facts["rivals"].items():
        own = tree.split(int(node))
        for column, words, _, chosen, same in ranked:
            assert chosen == (column == own.column)
            assert same == (chosen and words.removesuffix(" or missing") == own.words(tree.schema, 0))
    assert not all(same for ranked in facts["rivals"].values() for *_, chosen, same in ranked if chosen)


def test_a_tree_is_judged_by_rows_held_out_then_by_folds_then_by_what_is_there(drawn):
    X, y = drawn
    model = bough.TreeClassifier(max_depth=3).fit(X[:200], y[:200])
    held_out = bough.report(model, X[:200], y[:200], test=(X[200:], y[200:]), n_draws=0).facts["judged"]
    assert held_out["rows"] == "held out"
    assert held_out["measures"][0][1] == pytest.approx(model.score(X[200:], y[200:]))
    by_folds = bough.report(model, X[:200], y[:200], n_draws=0).facts["judged"]
    assert by_folds["rows"] == "by 10-fold cross-validation"
    crossed = bough.cross_validated(clone(model), X[:200], y[:200], cv=10)
    assert by_folds["measures"][0][1] == pytest.approx(crossed.measures["accuracy"].value)
    other = bough.report(model, X[200:], y[200:], n_draws=0).facts
    assert other["judged"]["rows"] == "of the table given"
    assert other["given"]["learned"] is False
    pruned = bough.report(model.tree_.snip(0), X[:200], y[:200]).facts
    assert pruned["judged"]["rows"] == "of the training set, which is optimistic"
    assert "stability" not in pruned


def test_a_tree_alone_has_a_page_and_half_a_table_has_none(drawn):
    X, y = drawn
    tree = bough.TreeClassifier(max_depth=2).fit(X, y).tree_
    assert "judged" not in bough.report(tree).facts
    with pytest.raises(bough.BoughError, match="X and y together"):
        bough.report(tree, X)
    with pytest.raises(bough.BoughError, match="it must be a model of bough or a fitted estimator"):
        bough.report(object())


def test_weights_count(drawn):
    X, y = drawn
    weight = np.arange(300) % 3
    model = bough.TreeClassifier(max_depth=2).fit(X, y, sample_weight=weight)
    facts = bough.report(model, X, y, sample_weight=weight, n_draws=2, cv=2).facts
    assert facts["given"]["stats"] == model.tree_.statistics.tolist()


@settings(max_examples=40, deadline=None)
@given(tree=trees())
def test_any_tree_has_a_page_and_a_picture(tree):
    facts = facts_in(bough.report(tree).html)
    assert facts["nodes"]["parent"] == tree.parent.tolist()
    ET.fromstring(picture(tree).encode("ascii", "xmlcharrefreplace"))


@settings(max_examples=60, deadline=None)
@given(tree=trees(max_splits=12))
def test_nodes_of_a_level_stand_apart_and_parents_over_their_children(tree):
    where = layout(tree)
    for depth in range(tree.depth + 1):
        level = sorted(where.place[node] for node in where.nodes if where.depth[node] == depth)
        assert np.all(np.diff(level) >= 1 - 1e-9)
    for node in where.open:
        children = tree.children(node)
        assert where.place[node] == pytest.approx((where.place[children[0]] + where.place[children[-1]]) / 2)
    assert np.nanmin(where.place) == 0


def test_a_layout_opens_the_heaviest_nodes(drawn):
    X, y = drawn
    tree = bough.TreeClassifier().fit(X, y).tree_
    where = layout(tree, most_leaves=4)
    assert sum(node not in where.open for node in where.nodes) <= 4
    assert 0 in where.open
    assert max(where.depth[node] for node in layout(tree, max_depth=2).nodes) == 2


def test_long_names_are_cut_and_stay_apart():
    names = ["n" * 5000 + str(i) for i in range(3)]
    tree = bough.TreeClassifier().fit(pd.DataFrame(np.eye(3), columns=names), ["a", "b", "c"]).tree_
    short = shown_tree(tree)
    assert len(set(short.schema.names)) == 3
    assert max(map(len, short.schema.names)) < 70
    assert shortened("abc") == "abc"
    assert (short.apply(np.eye(3)) == tree.apply(np.eye(3))).all()


def test_a_notebook_shows_the_tree(drawn):
    X, y = drawn
    model = bough.TreeClassifier(max_depth=2)
    assert "<svg" not in model._repr_mimebundle_()["text/html"].split("sk-top-container")[0]
    shown = model.fit(X, y)._repr_mimebundle_()["text/html"]
    assert "Classification tree for buys: 4 leaves" in shown
    assert "sk-top-container" in shown
    assert model.tree_._repr_html_() in shown
    assert "<script" not in model.tree_._repr_html_()
    assert "<iframe srcdoc" in bough.report(model)._repr_html_()


@pytest.mark.parametrize("learner", [bough.C45Classifier, bough.C50Classifier, bough.REPTreeClassifier])
def test_a_tree_that_spreads_rows_is_reported_as_it_answers(drawn, learner):
    X, y = drawn
    model = learner().fit(X, y)
    facts = bough.report(model, X, y, n_draws=2, cv=3).facts
    assert facts["given"]["learned"] is True
    assert facts["given"]["cases"] == pytest.approx(model.tree_.cases.tolist(), rel=1e-4)
    assert facts["walk"] is None
    judged = bough.report(model.tree_, test=(X, y)).facts["judged"]
    assert judged["measures"][0][1] == pytest.approx((model.tree_.predict(X) == y).mean())


def test_a_tree_that_spreads_rows_is_judged_by_what_it_answers_without_them(drawn):
    X, y = drawn
    X = X.assign(a=X["a"].where(np.arange(300) % 3 > 0))
    model = bough.C45Classifier().fit(X, y)
    accuracy = bough.report(model, X, y, n_draws=0, cv=3).facts["judged"]["measures"][0][1]
    answers = np.empty(300, dtype=object)
    for train, test in StratifiedKFold(3, shuffle=True, random_state=0).split(X, y):
        answers[test] = clone(model).fit(X.iloc[train], y.iloc[train]).predict(X.iloc[test])
    assert accuracy == pytest.approx((answers == y).mean())


@pytest.mark.parametrize("options", [{"n_estimators": 3, "early_stopping": False}, {"rules": True}])
def test_what_answers_by_more_than_its_tree_has_the_page_of_all_of_it(drawn, options):
    model = bough.C50Classifier(**options).fit(*drawn)
    facts = bough.report(model, *drawn).facts
    assert "nodes" not in facts
    wanted = bough.evaluate(model, *drawn).measures["accuracy"].value
    assert facts["judged"]["measures"][0][:2] == ["accuracy", wanted]
    assert bough.report(model.tree_).facts["nodes"]["cases"][0] == 300


def test_splits_of_unknown_gain_have_no_importance(drawn):
    tree = bough.TreeClassifier(max_depth=3).fit(*drawn).tree_
    unknown = replace(tree, gain=np.full(tree.n_nodes, np.nan))
    for rows in ((), drawn):
        facts = bough.report(unknown, *rows, n_draws=2, cv=2).facts
        assert facts["nodes"]["gain"] == [None] * tree.n_nodes
        assert [column["importance"] for column in facts["columns"]] == [0.0, 0.0, 0.0]
    gain = tree.gain.copy()
    gain[0] = np.nan
    without_root = tree.importance()
    without_root[tree.column[0]] -= tree.gain[0] * tree.weight[0]
    np.testing.assert_allclose(replace(tree, gain=gain).importance(), without_root, atol=1e-9)


@pytest.mark.parametrize(
    "learner",
    [
        bough.TreeRegressor("poisson"),
        bough.CARTRegressor("poisson"),
        bough.CARTRegressor("poisson", prune="none"),
    ],
)
def test_a_poisson_tree_of_one_event_has_a_report(learner):
    X, y = [[1, 7], [2, 7], [3, 8], [4, 9]] * 6, [0.0] * 23 + [1.0]
    model = learner.fit(X, y)
    for one in (model, model.tree_):
        page = bough.report(one, X, y, n_draws=8)
        assert page.facts["stability"]["draws"] == 8
        assert "training set" in page.facts["judged"]["rows"]
        assert facts_in(page.html) == json.loads(json.dumps(page.facts))


def test_a_poisson_tree_of_events_in_every_fold_is_cross_validated():
    X, y = [[1, 7], [2, 7], [3, 8], [4, 9]] * 6, [0.0, 1.0, 0.0, 2.0] * 6
    page = bough.report(bough.TreeRegressor("poisson").fit(X, y), X, y, n_draws=2, cv=3)
    assert page.facts["judged"]["rows"] == "by 3-fold cross-validation"


def test_the_bars_and_the_levels_of_a_column_are_in_one_order():
    X = pd.DataFrame(
        {
            "colour": ["red", "blue", "red", "green", "red", "blue"],
            "size": pd.Categorical(["L", "S", "L", "M", "L", "L"], categories=["S", "M", "L"], ordered=True),
        }
    )
    model = bough.TreeClassifier().fit(X, ["a", "b", "a", "b", "a", "b"])
    colour, size = bough.report(model, X, ["a", "b", "a", "b", "a", "b"], n_draws=0, cv=2).facts["columns"]
    assert [colour["levels"][code] for code in colour["order"]] == ["red", "blue", "green"]
    assert colour["bars"] == [3, 2, 1]
    assert [size["levels"][code] for code in size["order"]] == ["S", "M", "L"]
    assert size["bars"] == [1, 1, 4]
