"""How a model was made is told in words: no dict, no list of Python, every setting that differs."""

import re

import pytest

import bough
from bough.reports.making import making_words

X, Y = [[i * 7 % 60 / 3, str(i % 3)] for i in range(60)], ["a" if i % 7 < 3 else "b" for i in range(60)]
LEARNERS = [
    bough.CARTClassifier(loss_matrix={("a", "b"): 3}, max_depth=3, random_state=0),
    bough.C50Classifier(n_estimators=3, early_stopping=False),
    bough.RandomForestClassifier(5, random_state=1),
    bough.BaggingClassifier(random_state=0),
    bough.GradientBoostingClassifier(max_iter=3),
    bough.RIPPERClassifier(),
]


@pytest.mark.parametrize("learner", LEARNERS, ids=lambda learner: type(learner).__name__)
def test_the_table_is_words(learner):
    rows = making_words(learner.fit(X, Y).model_, learner)
    told = dict(map(tuple, rows))
    assert told["Learner"] == type(learner).__name__
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", told["Page made"])
    assert f"bough {bough.__version__}" in told["Versions"]
    assert not [words for row in rows for words in row if re.search(r"[{}\[\]]|\bNone\b|\bTrue\b", words)]


def test_settings_that_differ_from_the_defaults_are_named():
    learner = bough.CARTClassifier(max_depth=3, loss_matrix={("a", "b"): 3}, random_state=4).fit(X, Y)
    told = dict(map(tuple, making_words(learner.tree_, learner)))
    for words in ("max_depth = 3", "random_state = 4", "loss_matrix = a, b: 3"):
        assert words in told["Settings"]
    assert told["loss_matrix"] == "0, 3; 1, 0"
    plain = bough.TreeClassifier().fit(X, Y)
    assert dict(map(tuple, making_words(plain.tree_, plain)))["Settings"] == "all are the defaults"


def test_a_model_alone_tells_its_recipe():
    told = dict(map(tuple, making_words(bough.CARTClassifier(max_depth=3).fit(X, Y).tree_)))
    assert "Learner" not in told
    assert told["limits: max_depth"] == "3"


def test_a_saved_model_tells_when_it_was_saved(tmp_path):
    bough.TreeClassifier().fit(X, Y).tree_.save(tmp_path / "tree.json")
    tree = bough.load(tmp_path / "tree.json")
    told = dict(map(tuple, making_words(tree)))
    assert told["Model saved"] == tree.provenance["date"]
    assert "Page made" not in told
