"""How a model was made is written in words: no dict, no list of Python, every setting that differs."""

import re

import pytest

import bough
from bough.reports.making import making_words, recipe_words

X, Y = [[i * 7 % 60 / 3, str(i % 3)] for i in range(60)], ["a" if i % 7 < 3 else "b" for i in range(60)]
LEARNERS = [
    bough.CARTClassifier(loss_matrix={("a", "b"): 3}, max_depth=3, random_state=0),
    bough.C50Classifier(n_estimators=3, early_stopping=False),
    bough.RandomForestClassifier(5, random_state=1),
    bough.BaggingClassifier(random_state=0),
    bough.GradientBoostingClassifier(max_iter=3),
    bough.RIPPERClassifier(),
]


def table(model, learner=None):
    return dict(map(tuple, making_words(model, learner)))


@pytest.mark.parametrize("learner", LEARNERS, ids=lambda learner: type(learner).__name__)
def test_the_table_is_words(learner):
    model = learner.fit(X, Y).model_
    rows = table(model, learner)
    assert rows["Learner"] == type(learner).__name__
    assert re.fullmatch(r"\d\d? [A-Z][a-z]+ \d{4}, \d\d:\d\d UTC", rows["Page made"])
    assert f"bough {bough.__version__}" in rows["Versions"]
    words = [*rows.values(), *(text for row in recipe_words(model.recipe) for text in row)]
    assert not [each for each in words if re.search(r"[{}\[\]]|\bNone\b|\bTrue\b", each)]
    # Names of parts of the recipe are for programs; the table has names of its own.
    assert all(re.fullmatch(r"[A-Z][a-z ]+", name) for name in rows)


def test_settings_that_differ_from_the_defaults_are_named():
    learner = bough.CARTClassifier(max_depth=3, loss_matrix={("a", "b"): 3}, random_state=4).fit(X, Y)
    rows = table(learner.tree_, learner)
    for words in ("max_depth = 3", "random_state = 4", "loss_matrix = 3 for a taken for b"):
        assert words in rows["Settings"]
    assert rows["Seed"] == "4"
    assert dict(map(tuple, recipe_words(learner.tree_.recipe)))["loss_matrix"] == "0, 3; 1, 0"
    plain = bough.TreeClassifier().fit(X, Y)
    assert table(plain.tree_, plain)["Settings"] == "all are the defaults"


def test_the_recipe_is_a_table_of_its_own():
    page = bough.report(bough.CARTClassifier(max_depth=3).fit(X, Y))
    assert dict(map(tuple, page.facts["recipe"]))["limits: max_depth"] == "3"
    assert "limits: max_depth" not in dict(map(tuple, page.facts["making"]))


def test_a_model_alone_names_no_learner():
    assert "Learner" not in table(bough.CARTClassifier(max_depth=3).fit(X, Y).tree_)


def test_a_saved_model_tells_when_it_was_saved(tmp_path):
    bough.TreeClassifier().fit(X, Y).tree_.save(tmp_path / "tree.json")
    tree = bough.load(tmp_path / "tree.json")
    rows = table(tree)
    assert tree.provenance["date"].startswith(rows["Model saved"].split()[2].rstrip(","))
    assert "Page made" not in rows
