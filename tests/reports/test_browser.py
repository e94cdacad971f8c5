"""The report in a real browser: what it shows is what the model predicts, and nothing leaves the page."""

import json
import math
import re
import shlex
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.reports.pages import launched, opened
from tests.strategies import tables, trees
from typer.testing import CliRunner

import bough
from bough.cli import app
from bough.data.words import p_value_words
from bough.tree.costs import cost_words, expected_cost
from bough.tree.root_only import helpful_words, pruned_to_root, reason_words

pytestmark = pytest.mark.slow

PENGUINS = Path(__file__).parents[2] / "examples" / "penguins.csv"
NASTY = "<script>alert(1)</script>"


@pytest.fixture(scope="module")
def browser():
    with launched() as started:
        yield started


@pytest.fixture(scope="module")
def penguins():
    frame = pd.read_csv(PENGUINS)
    return frame.drop(columns="species"), frame["species"]


@pytest.fixture(scope="module")
def saved(penguins, tmp_path_factory):
    X, y = penguins
    model = bough.TreeClassifier(max_depth=5).fit(X, y)
    path = tmp_path_factory.mktemp("reports") / "penguins.html"
    return model, bough.report(model, X, y, n_draws=5, cv=3).save(path)


@pytest.fixture
def page(browser, saved):
    seen = opened(browser, saved[1])
    yield seen.page
    seen.check_quiet(saved[1])
    seen.page.close()


def shown(page):
    return page.locator("g.node[role=treeitem]").count()


def test_the_tree_is_shown(page, saved):
    assert page.locator("h1").inner_text() == "Classification tree for species"
    tree = saved[0].tree_
    assert page.get_by_role("tree").count() == 1
    page.get_by_role("button", name="Unfold all").click()
    assert shown(page) == tree.n_nodes
    for node in range(tree.n_nodes):
        label = page.locator(f"[data-node='{node}']").get_attribute("aria-label")
        assert label.startswith(f"{tree.condition(node)}: {tree.answer(node)}, {tree.cases[node]:.0f} case")


def test_nodes_fold_and_unfold(page):
    before = shown(page)
    page.locator("[data-fold='1']").click()
    folded = shown(page)
    assert folded < before
    assert page.locator("[data-node='1']").get_attribute("aria-expanded") == "false"
    page.locator("[data-node='1']").dblclick()
    assert shown(page) == before


def test_a_click_shows_the_figures_of_a_node(page, saved):
    tree = saved[0].tree_
    page.locator("[data-node='2']").click()
    details = page.locator(".details").inner_text()
    assert "Node 2, depth 1" in details
    assert tree.condition(2) in details
    assert f"{tree.cases[2]:.0f} cases" in details
    assert tree.node(2).question in details
    assert "Best split of each column" in details
    assert "Stability" in details
    for label, weight in zip(tree.classes, tree.statistics[2], strict=True):
        if weight:
            assert f"{label}\t{weight:.0f}\t{weight / tree.weight[2]:.1%}" in details


def test_arrow_keys_walk_the_tree(page):
    page.locator("[data-node='0']").click()
    selected = lambda: page.evaluate("bough.state().selected")  # noqa: E731
    for key, node in (("ArrowRight", 1), ("ArrowRight", 3), ("ArrowUp", 1), ("Home", 0)):
        page.keyboard.press(key)
        assert selected() == node, key
    page.keyboard.press("ArrowLeft")
    assert shown(page) == 1
    page.keyboard.press("Enter")
    assert shown(page) > 1
    assert page.evaluate("document.activeElement.dataset.node") == "0"
    assert page.locator("g.node[tabindex='0']").count() == 1


def test_rules_are_searched_and_sorted(page, saved):
    rules = saved[0].tree_.rules()
    rows = page.locator("#rules tbody tr")
    assert rows.count() == len(rules)
    page.get_by_label("Search the rules").fill("gentoo")
    assert rows.count() == len(rules.for_class("Gentoo"))
    assert f"{rows.count()} of {len(rules)} rules" in page.locator("#rules").inner_text()
    page.get_by_label("Search the rules").fill("nothing at all")
    assert rows.count() == 0
    page.get_by_label("Search the rules").fill("")
    page.get_by_role("button", name="Cases").click()
    cases = [int(text) for text in page.locator("#rules tbody tr td:nth-child(4)").all_inner_texts()]
    assert cases == sorted((int(rule.cases) for rule in rules), reverse=True)
    page.get_by_role("button", name="Cases").click()
    cases = [int(text) for text in page.locator("#rules tbody tr td:nth-child(4)").all_inner_texts()]
    assert cases == sorted(int(rule.cases) for rule in rules)


def test_a_rule_leads_to_its_leaf(page, saved):
    rule = saved[0].tree_.rules()[-1]
    page.locator("#rules tbody tr").last.click()
    assert page.evaluate("bough.state().selected") == rule.leaf
    assert f"Node {rule.leaf}," in page.locator(".details").inner_text()


def test_a_case_typed_in_is_answered_as_the_model_does(page, saved):
    model, _ = saved
    page.locator("#ask label:has-text('flipper_length_mm') input").fill("215")
    page.locator("#ask label:has-text('island') select").select_option(label="Biscoe")
    row = dict.fromkeys(model.tree_.schema.names) | {"flipper_length_mm": 215.0, "island": "Biscoe"}
    answer = model.tree_.predict(pd.DataFrame([row]).astype({"flipper_length_mm": float, "island": str}))[0]
    assert page.locator("#ask [role=status] .big").inner_text().strip() == answer


@pytest.mark.slow
@pytest.mark.parametrize(
    ("values", "typed"),
    [
        (pd.date_range("2024-01-01", periods=40), str),
        (pd.date_range("2024-01-01", periods=40, freq="7h"), lambda each: each.isoformat()),
        (pd.date_range("2024-01-01", periods=40, freq="7h", tz="UTC"), lambda each: each.isoformat()[:19]),
        (pd.timedelta_range("1h", periods=40, freq="7h"), lambda each: str(each.total_seconds())),
    ],
    ids=["dates", "dates with times", "dates with a zone", "durations"],
)
def test_dates_are_typed_in_as_dates(browser, tmp_path, values, typed):
    X, y = pd.DataFrame({"when": values}), np.arange(40) % 20 < 9
    model = bough.TreeClassifier().fit(X, y)
    path = model.tree_.report(X, y).save(tmp_path / "dates.html")
    page = opened(browser, path).page
    field = page.locator("form.ask input")
    for row, text in enumerate(values.date if typed is str else values):
        field.fill(typed(text))
        node = int(page.locator("[role=status] .soft").inner_text().split("node ")[1])
        assert node == model.apply(X.iloc[[row]])[0]
    page.close()


def test_the_page_turns_dark_and_prints(browser, saved, tmp_path):
    seen = opened(browser, saved[1], color_scheme="dark")
    back = lambda: seen.page.evaluate("getComputedStyle(document.body).backgroundColor")  # noqa: E731
    dark = back()
    seen.page.get_by_role("button", name="Light").click()
    light = back()
    assert sum(json.loads(dark.replace("rgb(", "[").replace(")", "]"))) < 200
    assert sum(json.loads(light.replace("rgb(", "[").replace(")", "]"))) > 600
    seen.page.emulate_media(media="print")
    assert not seen.page.locator("nav").is_visible()
    assert seen.page.locator("#tree svg[role=tree]").is_visible()
    assert len(seen.page.pdf()) > 10_000
    seen.check_quiet(saved[1])


def test_without_script_the_tree_is_still_there(browser, saved):
    seen = opened(browser, saved[1], java_script_enabled=False)
    assert seen.page.locator("noscript svg text").first.is_visible()
    assert "flipper_length_mm" in seen.page.locator("noscript pre").inner_text()
    assert seen.complaints == []


def test_every_control_has_a_name(page):
    unnamed = page.evaluate(
        """[...document.querySelectorAll('button, input, select')].filter(each =>
             !each.textContent.trim() && !each.ariaLabel && !each.closest('label')).length"""
    )
    assert unnamed == 0
    assert page.evaluate("document.documentElement.lang") == "en"
    assert page.locator("section:not([aria-labelledby])").count() == 0
    assert page.locator("svg[role=img]:not([aria-label])").count() == 0


def json_row(table, row):
    """A row as the page takes it: numbers, codes of levels, None where missing."""
    values = {}
    for place, column in enumerate(table.columns):
        value = column[row].item()
        missing = math.isnan(value) if column.dtype.kind == "f" else value < 0
        values[str(place)] = None if missing else str(value) if math.isinf(value) else value
    return values


# JSON has no infinities: they come as text.
READ = """row => Object.fromEntries(Object.entries(row).map(([place, value]) =>
  [place, typeof value === "string" ? (value === "inf" ? Infinity : -Infinity) : value]))"""


def walked(page, table):
    rows = [json_row(table, row) for row in range(table.n_rows)]
    return page.evaluate(f"rows => rows.map({READ}).map(row => bough.walk(row))", rows)


@settings(
    max_examples=8,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@pytest.mark.slow
@given(data=st.data())
def test_any_tree_walks_as_the_model_does(browser, tmp_path, data):
    tree = data.draw(trees())
    table = data.draw(tables(tree.schema, max_rows=20))
    path = bough.report(tree).save(tmp_path / "drawn.html")
    seen = opened(browser, path)
    assert walked(seen.page, table) == tree.apply(table).tolist()
    answers = seen.page.evaluate("bough.state().shown") and seen.page.evaluate(
        "JSON.parse(document.getElementById('facts').textContent).nodes.value"
    )
    expected = tree.answers() if tree.task == "regression" else tree.class_weights().argmax(axis=1)
    if tree.task == "regression":
        assert [np.nan if each is None else each for each in answers] == pytest.approx(
            [each if math.isfinite(each) else np.nan for each in expected.tolist()], nan_ok=True
        )
    else:
        assert answers == expected.tolist()
    seen.check_quiet(path)
    seen.page.close()


@pytest.mark.slow
def test_all_rows_of_a_table_walk_as_the_model_does(browser, saved, penguins):
    model, path = saved
    seen = opened(browser, path)
    table = bough.Table.fit_to(penguins[0], model.tree_.schema)
    assert walked(seen.page, table) == model.tree_.apply(table).tolist()
    seen.page.close()


@pytest.mark.slow
def test_the_path_of_a_case_is_told_as_by_the_model(browser, penguins, tmp_path):
    """Missing values are called missing, with the surrogate or the default branch that was followed."""
    X, y = penguins
    rng = np.random.default_rng(0)
    rows = X.mask(rng.random(X.shape) < 0.4)
    rows.loc[0] = [None] * X.shape[1]
    for number, model in enumerate(
        [
            bough.CARTClassifier(prune="none", max_depth=4),
            bough.CARTClassifier(prune="none", max_depth=4, missing="surrogates_then_stop"),
            bough.TreeClassifier(max_depth=4, nominal="complete"),
            bough.TreeClassifier(max_depth=3, missing="stop"),
            bough.TreeClassifier(max_depth=3, max_branches=4),
            bough.CHAIDClassifier(),
        ]
    ):
        tree = model.fit(X, y).tree_
        path = bough.report(tree).save(tmp_path / f"{number}.html")
        seen = opened(browser, path)
        table = bough.Table.fit_to(rows, tree.schema)
        asked = [json_row(table, row) for row in range(table.n_rows)]
        told = seen.page.evaluate("rows => rows.map(row => bough.path(row))", asked)
        assert told == [tree.path_of(rows.iloc[[row]]) for row in range(table.n_rows)]
        assert any(" is missing or new here" in words for words in told[0])
        seen.check_quiet(path)
        seen.page.close()


def test_tests_of_the_columns_are_shown(browser, penguins, tmp_path):
    X, y = penguins
    model = bough.CHAIDClassifier(max_depth=2).fit(X, y)
    seen = opened(browser, bough.report(model, X, y, n_draws=0, cv=3).save(tmp_path / "chaid.html"))
    shown = seen.page.locator("table[aria-label='tests of the columns'] tbody tr").all_inner_texts()
    p_values = {name: p for name, p in model.tree_.node(0).p_values.items() if p is not None}
    names = sorted(p_values, key=p_values.get)
    assert [row.split("\t")[0].removesuffix(" chosen") for row in shown] == names
    assert [row.split("\t")[1] for row in shown] == [p_value_words(min(p_values[name], 1)) for name in names]
    assert shown[0].split("\t")[0].endswith(" chosen")
    seen.page.close()


def test_an_empty_form_field_is_called_missing(page, saved):
    tree = saved[0].tree_
    page.locator("#ask label:has-text('island') select").select_option(label="Biscoe")
    told = page.locator("#ask ol.path li").all_inner_texts()
    assert told == tree.path_of(dict.fromkeys(tree.schema.names) | {"island": "Biscoe"})
    assert "flipper_length_mm is missing or new here, so as if flipper_length_mm < 206.5" in told


@pytest.mark.slow
def test_costs_of_errors_are_shown(browser, penguins, tmp_path):
    X, y = penguins
    model = bough.CARTClassifier(loss_matrix={("Chinstrap", "Adelie"): 10}, max_depth=2).fit(X, y)
    tree = model.tree_
    path = bough.report(model, X, y, n_draws=0, cv=3).save(tmp_path / "costs.html")
    seen = opened(browser, path)
    costs = seen.page.locator("#costs").inner_text()
    assert expected_cost(tree).words() in costs
    assert "Chinstrap\t10\t0\t1" in costs
    assert "risk" in seen.page.locator("#judged table").first.inner_text()
    for rule in tree.rules():
        seen.page.locator(f"#rules tr[data-leaf='{rule.leaf}']").click()
        shown_costs = seen.page.locator(f"#rules tr[data-leaf='{rule.leaf}'] td").last.inner_text()
        assert shown_costs == cost_words(rule.costs, rule.answer).removeprefix("cost ")
        cells = seen.page.locator(".details table").first.locator("tbody tr")
        told = dict(row.inner_text().split("\t")[0::3] for row in cells.all())
        assert {label.strip(): float(cost) for label, cost in told.items()} == pytest.approx(
            rule.costs, abs=5e-4
        )
    seen.check_quiet(path)
    seen.page.close()


def test_the_page_says_why_only_the_root_is_left(browser, tmp_path):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1000, 2))
    y = np.where(rng.random(1000) < 0.05, "yes", "no")
    tree = bough.CARTClassifier().fit(X, y).tree_
    path = bough.report(tree, X, y, n_draws=0, cv=2).save(tmp_path / "root.html")
    seen = opened(browser, path)
    told = seen.page.locator("#root-only").inner_text()
    assert reason_words(tree) in told
    assert all(each in told for each in helpful_words(tree))
    assert seen.page.locator("#root-only tbody tr").count() == len(pruned_to_root(tree)["path"])
    assert seen.page.locator(".tile .label").first.inner_text() == "AUC of yes"
    seen.check_quiet(path)
    seen.page.close()


@pytest.mark.slow
def test_hostile_names_are_inert_and_readable(browser, tmp_path):
    rng = np.random.default_rng(0)
    names = [
        NASTY,
        "\"'`</style><img src=x onerror=alert(2)>",
        "🌳 größe &amp; {{x}}",
        "n" * 5000,
        "a\u202eb\n\x00c",
        "${alert(3)}",
    ]
    frame = pd.DataFrame(
        {name: rng.choice([NASTY, "</script>", "😀", "l" * 5000], 200) for name in names[:3]}
    )
    for name in names[3:]:
        frame[name] = rng.normal(size=200)
    y = pd.Series(
        np.where(frame[names[3]] + (frame[names[0]] == NASTY) > 0, NASTY, "' onclick='alert(4)"), name=NASTY
    )
    model = bough.TreeClassifier(max_depth=5).fit(frame, y)
    path = bough.report(model, frame, y, n_draws=3, cv=2).save(tmp_path / "hostile.html")
    seen = opened(browser, path)
    page = seen.page
    page.get_by_role("button", name="Unfold all").click()
    for node in range(model.tree_.n_nodes):
        page.locator(f"[data-node='{node}']").click(force=True)
    assert page.locator("h1").inner_text() == f"Classification tree for {NASTY}"
    assert page.locator("img, script:not([type='application/json']):not(:last-of-type)").count() == 0
    assert NASTY in page.locator("#columns").inner_text()
    assert "n" * 5000 in page.locator("#columns").inner_text()
    assert "🌳 größe &amp; {{x}}" in page.locator("#columns").inner_text()
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    assert walked(page, bough.Table.fit_to(frame, model.tree_.schema)) == model.apply(frame).tolist()
    seen.check_quiet(path)


@pytest.mark.slow
def test_numbers_and_wide_splits_are_drawn(browser, penguins, tmp_path):
    X, _ = penguins
    rows = X["body_mass_g"].notna()
    y, X = X.loc[rows, "body_mass_g"], X.loc[rows].drop(columns="body_mass_g")
    for name, model in {
        "mass": bough.TreeRegressor(max_depth=4),
        "wide": bough.TreeRegressor(nominal="complete", max_depth=3),
    }.items():
        path = bough.report(model.fit(X, y), X, y, n_draws=3, cv=2).save(tmp_path / f"{name}.html")
        seen = opened(browser, path)
        assert walked(seen.page, bough.Table.fit_to(X, model.tree_.schema)) == model.apply(X).tolist()
        seen.page.get_by_role("button", name="Unfold all").click()
        assert shown(seen.page) == model.tree_.n_nodes
        assert "Observed against predicted" in seen.page.locator("#judged").inner_text()
        seen.check_quiet(path)


def test_the_first_command_of_the_readme_ends_with_a_page_that_shows_the_tree(browser, tmp_path, monkeypatch):
    root = PENGUINS.parents[1]
    [command] = re.findall(r"\.venv/bin/bough (learn .*)", (root / "README.md").read_text())
    *arguments, page = shlex.split(command)
    assert arguments[-1] == "--report"
    monkeypatch.chdir(root)
    path = tmp_path / page
    printed = CliRunner().invoke(app, [*arguments, str(path)]).stdout
    assert printed.splitlines()[-1] == f"Wrote the report {path}: open it in a browser."
    seen = opened(browser, path)
    assert shown(seen.page) > 4
    assert seen.page.locator("[data-node='0']").is_visible()
    seen.check_quiet(path)


@pytest.mark.slow
def test_five_hundred_leaves_and_a_hundred_thousand_rows_are_shown(browser, tmp_path):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(100_000, 4))
    y = X[:, 0] * X[:, 1] + rng.normal(size=100_000) > 0
    model = bough.TreeClassifier(max_leaf_nodes=500).fit(X, y)
    path = bough.report(model, X, y, n_draws=0, cv=0).save(tmp_path / "large.html")
    assert path.stat().st_size < 2_000_000
    seen = opened(browser, path)
    seen.page.get_by_role("button", name="Unfold all").click()
    assert shown(seen.page) == model.tree_.n_nodes
    seen.check_quiet(path)


def test_the_path_of_a_case_between_the_printed_number_and_the_cut_is_true(browser, tmp_path):
    X = np.array([[1.0], [2.0], [3.0 + 1 / 3], [4.0]])
    tree = bough.TreeRegressor().fit(X, [0.0, 0.0, 9.0, 9.0]).tree_
    assert tree.condition(1) == "x0 < 3"
    seen = opened(browser, bough.report(tree).save(tmp_path / "page.html"))
    field = seen.page.locator("form.ask input").first
    for value, words in (("2.5", "x0 < 3"), ("2.9", f"x0 >= {tree.cut[0]}"), ("3.1", "x0 >= 3")):
        field.fill(value)
        assert seen.page.locator("#ask ol.path li").all_inner_texts() == [words]
    seen.check_quiet(tmp_path / "page.html")
    seen.page.close()


@pytest.mark.parametrize("width", [400, 900, 1280])
def test_the_page_of_a_forest_shows_its_sections_at_any_width(browser, penguins, tmp_path, width):
    X, y = penguins
    model = bough.RandomForestClassifier(60, random_state=0, oob_score=True).fit(X, y)
    path = bough.report(model, X, y).save(tmp_path / "forest.html")
    seen = opened(browser, path)
    seen.page.set_viewport_size({"width": width, "height": 900})
    names = seen.page.locator("section h2").all_inner_texts()
    assert names[:4] == ["Performance", "Error against trees", "Importance", "Partial dependence"]
    assert seen.page.locator("#dependence svg[role=img], #dependence .meter").count() >= 6
    # Nothing is wider than the window.
    assert seen.page.evaluate("document.documentElement.scrollWidth") <= width
    seen.check_quiet(path)
    seen.page.close()
