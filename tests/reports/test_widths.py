"""Reports at three widths, light and dark, of trees that are hard to show: nothing is cut off."""

import numpy as np
import pandas as pd
import pytest
from tests.reports.pages import launched, opened

import bough

pytestmark = pytest.mark.slow
LEVELS = [f"level of a rather long name {code}" for code in range(100)]
LONG = "a column with a name that is much longer than any card or table cell can hold"
RIGHT_TO_LEFT, BAD = "עמודה", "רע"


@pytest.fixture(scope="module")
def browser():
    with launched() as started:
        yield started


def rows():
    """Missing values, long names, 100 levels, an ordinal column and text from right to left."""
    rng = np.random.default_rng(0)
    n = 500
    X = pd.DataFrame(
        {
            LONG: rng.normal(size=n),
            RIGHT_TO_LEFT: rng.choice(["אדום", "ירוק", "כחול"], n),
            "code": rng.choice(LEVELS, n),
            "size": pd.Categorical(rng.choice(["S", "M", "L"], n), categories=["S", "M", "L"], ordered=True),
            "income": rng.normal(180_000, 40_000, n),
        }
    )
    X.loc[rng.random(n) < 0.2, "income"] = np.nan
    X.loc[rng.random(n) < 0.1, RIGHT_TO_LEFT] = None
    hard = (X[LONG] > 0) ^ (X[RIGHT_TO_LEFT] == "אדום") ^ (X["income"] > 190_000)
    return X, pd.Series(np.where(hard, BAD, "good"), name="תוצאה")


def losses_and_priors(X, y):
    losses, prior = {(BAD, "good"): 5}, {BAD: 0.2, "good": 0.8}
    return bough.CARTClassifier(loss_matrix=losses, prior=prior, max_depth=5, prune="none").fit(X, y), y


def many_branches(X, y):
    shares = X[RIGHT_TO_LEFT].map({"אדום": 0.95, "ירוק": 0.5, "כחול": 0.05}).fillna(0.5)
    drawn = np.random.default_rng(1).random(len(X)) < shares
    by_colour = pd.Series(np.where(drawn, BAD, "good"), name=y.name)
    learner = bough.TreeClassifier(max_branches=5, max_depth=3).fit(X, by_colour)
    assert learner.tree_.n_children.max() == 3
    return learner, by_colour


def a_branch_for_each_of_many_levels(X, y):
    learner = bough.C45Classifier(prune="none").fit(X, y)
    assert learner.tree_.n_children.max() > 90
    return learner, y


def numbers(X, y):
    income = X["income"].fillna(0.0).rename("income")
    return bough.TreeRegressor(max_depth=4).fit(X.drop(columns="income"), income), income


@pytest.fixture(
    scope="module",
    params=[losses_and_priors, many_branches, a_branch_for_each_of_many_levels, numbers],
    ids=lambda made: made.__name__,
)
def path(request, tmp_path_factory):
    X, y = rows()
    model, target = request.param(X, y)
    X = X[list(model.feature_names_in_)]
    page = bough.report(model, X, target, n_draws=2, cv=2)
    return page.save(tmp_path_factory.mktemp("widths") / "page.html")


# The elements that are outside of the window, unless they lie in a part that scrolls.
OUTSIDE = """() => [
  ...document.querySelectorAll("h1, h2, h3, p, td, th, button, input, select, .tile, .meter > *")
]
  .filter((each) => !each.closest(".scroll, .canvas, nav, .details, .long"))
  .filter((each) => {
    const box = each.getBoundingClientRect();
    return box.width > 0 && (box.right > innerWidth + 1 || box.left < -1);
  })
  .map((each) => `${each.tagName} ${each.textContent.slice(0, 40)}`)"""
# Texts that their box cuts off without a way to scroll to them.
CUT_OFF = """() => [...document.querySelectorAll("#rules td, #columns td, .tile div, h1, h2, p")]
  .filter((each) => each.scrollWidth > each.clientWidth + 1 && getComputedStyle(each).overflowX === "hidden")
  .map((each) => each.textContent.slice(0, 40))"""
CONTRAST = """() => {
  const light = (colour) => {
    const linear = (c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
    const [r, g, b] = colour.match(/[\\d.]+/g).slice(0, 3).map((c) => linear(c / 255));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ratio = (a, b) => (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
  const back = getComputedStyle(document.querySelector("section")).backgroundColor;
  return [...document.querySelectorAll("section h2, section p:not(.note), section td, section .soft")]
    .filter((each) => each.getClientRects().length && !each.closest("svg, .confusion"))
    .map((each) => ratio(light(getComputedStyle(each).color), light(back)))
    .reduce((a, b) => Math.min(a, b), 21);
}"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [400, 900, 1280])
def test_everything_is_inside_and_readable(browser, path, width, scheme):
    seen = opened(browser, path, color_scheme=scheme)
    seen.page.set_viewport_size({"width": width, "height": 900})
    assert seen.page.evaluate("document.documentElement.scrollWidth") <= width
    assert seen.page.evaluate(OUTSIDE) == []
    assert seen.page.evaluate(CUT_OFF) == []
    assert seen.page.locator("html").get_attribute("data-theme") == scheme
    assert seen.page.evaluate(CONTRAST) >= 4.5
    seen.check_quiet(path)
    seen.page.close()


def test_rules_and_columns_are_blocks_of_lines_on_narrow_screens(browser, path):
    seen = opened(browser, path)
    for width, display in ((400, "block"), (1280, "table-cell")):
        seen.page.set_viewport_size({"width": width, "height": 900})
        shown = "(each) => getComputedStyle(each).display"
        assert seen.page.locator("#rules tbody td").first.evaluate(shown) == display
        assert seen.page.locator("#columns tbody td").first.evaluate(shown) == display
    seen.page.close()


def test_text_from_right_to_left_keeps_the_order_of_the_words_around_it(browser, path):
    seen = opened(browser, path)
    for text in seen.page.locator("h1, header p, #columns td").all_text_contents():
        for part in text.split("\u2068")[1:]:
            assert "\u2069" in part
    if "numbers" not in str(path):
        names = seen.page.locator("#columns td").all_text_contents()
        assert f"\u2068{RIGHT_TO_LEFT}\u2069" in names
    seen.page.close()


def test_percentages_come_with_counts(browser, path):
    seen = opened(browser, path)
    head = seen.page.locator("#rules thead").inner_text()
    if "Confidence" in head:
        cells = seen.page.locator("#rules td[data-label=Confidence]").all_inner_texts()
        assert all(" of " in cell or cell == "–" for cell in cells)
    seen.page.close()


def test_long_conditions_are_shortened_and_can_be_unfolded(browser, path):
    seen = opened(browser, path)
    unfolded = seen.page.locator(".details details")
    if unfolded.count():
        question = seen.page.locator(".details h3:text-is('Split') + p strong").inner_text()
        assert "more}?" in question
        unfolded.locator("summary").click()
        assert len(unfolded.locator("p").inner_text()) > len(question)
    else:
        assert "numbers" not in str(path)
        assert "losses" not in str(path)
    seen.page.close()


def test_numbers_of_rules_are_not_broken_and_have_the_same_decimals(browser, path):
    seen = opened(browser, path)
    if seen.page.locator("#rules thead th button:text-is('Deviation')").count():
        cells = seen.page.locator("#rules td[data-label=Then] .nowrap")
        assert len({len(text.partition(".")[2]) for text in cells.all_inner_texts()}) == 1
        seen.page.set_viewport_size({"width": 900, "height": 900})
        heights = cells.evaluate_all("(all) => all.map((each) => each.getClientRects().length)")
        assert set(heights) == {1}
    seen.page.close()


def test_names_that_differ_at_their_end_keep_it(browser, tmp_path):
    X, y = rows()
    forest = bough.RandomForestClassifier(3, random_state=0).fit(X, y)
    seen = opened(browser, bough.report(forest, X, y).save(tmp_path / "page.html"))
    names = [each for each in seen.page.locator(".meter .name").all_inner_texts() if each.startswith("level")]
    assert len(names) > 10
    assert len(set(names)) == len(names)
    seen.page.close()


@pytest.mark.parametrize("width", [400, 1280])
def test_bars_below_each_other_have_the_same_scale(browser, tmp_path, width):
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(80, 4)), columns=["strong", "weak", "noise", "more"])
    forest = bough.RandomForestClassifier(5, random_state=0).fit(X, X["strong"] + X["weak"] / 4 > 0)
    seen = opened(browser, bough.report(forest).save(tmp_path / "page.html"))
    seen.page.set_viewport_size({"width": width, "height": 900})
    figures = seen.page.locator("#importance .figure").all_inner_texts()
    assert len({len(figure) for figure in figures}) > 1
    tracks = seen.page.locator("#importance .track")
    widths = [tracks.nth(place).bounding_box()["width"] for place in range(len(figures))]
    assert len(widths) == 4
    assert max(widths) - min(widths) < 0.1
    seen.page.close()
