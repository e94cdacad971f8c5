"""The visitors of an online shop (000): the surrogates of `duration < 12.5`, as the slides list them."""

import pytest
from tests.courses import shop

import bough


@pytest.fixture
def table():
    return surrogates_of_duration(*shop())


def surrogates_of_duration(X, y):
    X = X[["duration", "referrer", "num.visits"]]
    return bough.surrogates(bough.CARTClassifier("misclassification", prune="none").fit(X, y), X)


def side_by_side(table):
    """The sides of each surrogate with their counts, and its figures."""
    return {
        frozenset(zip(each.values, each.counts, strict=True)): (each.errors, round(each.sum_of_squares, 3))
        for each in table
    }


def test_the_four_surrogates_are_those_of_the_slides(table):
    assert table.conditions == ("duration < 12.5", "duration >= 12.5")
    # Of {s, o} and {a} the slides count 3, 1 and 3, 1, so that they have 0.625: see the next test.
    assert side_by_side(table) == {
        frozenset({("{s}", (1, 1)), ("{a, o}", (5, 1))}): (2, 0.667),
        frozenset({("{s, a}", (3, 2)), ("{o}", (3, 0))}): (2, 0.7),
        frozenset({("{s, o}", (4, 1)), ("{a}", (2, 1))}): (2, 0.633),
        frozenset({("once", (5, 1)), ("several", (1, 1))}): (2, 0.667),
    }


def test_the_counts_that_the_slides_have_for_a_against_the_rest_give_their_sum_of_squares():
    X, y = shop()
    X.loc[1, "referrer"] = "a"  # visitor 2, whom the slides count there and who came by a search engine
    counts = frozenset({("{s, o}", (3, 1)), ("{a}", (3, 1))})
    assert side_by_side(surrogates_of_duration(X, y))[counts] == (2, 0.625)


def test_the_best_is_referrer_in_s_and_a_yet_missing_goes_left_on_both_sides(table):
    best = table.best()
    assert (best.variable, best.values) == ("referrer", ("{s, a}", "{o}"))
    assert best.ways == (0, 0)
    assert (best.agreement, best.adjusted) == (0.75, 0)


def test_the_tree_keeps_none_of_them_and_sends_the_ninth_customer_left():
    X, y = shop()
    X = X[["duration", "referrer", "num.visits"]]
    tree = bough.CARTClassifier("misclassification", prune="none").fit(X, y).tree_
    assert tree.surrogates_of(0) == []
    assert tree.path_of({"duration": None, "referrer": "s", "num.visits": "once"}) == [
        "duration is missing or new here, so as if duration < 12.5",
        "referrer = s",
    ]
    assert tree.predict([[None, "s", "once"]]).tolist() == ["yes"]
