"""OneR, PART and RIPPER: laws of their rule sets, doors, and refusals."""

import math

import numpy as np
import pandas as pd
import pytest

import bough
from bough.engines.rule_lengths import data_length, subset_length
from bough.errors import ParameterError

LEARNERS = [
    bough.OneRClassifier(),
    bough.PARTClassifier(),
    bough.PARTClassifier(prune="none", nominal="one_vs_rest"),
    bough.PARTClassifier(prune="reduced_error", cv=4, random_state=2),
    bough.RIPPERClassifier(),
    bough.RIPPERClassifier(prune="none"),
]


def table(seed, n=150, missing=0.1):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "number": rng.normal(size=n),
            "level": pd.Categorical.from_codes(rng.integers(0, 4, n), list("abcd")),
            "grade": pd.Categorical.from_codes(rng.integers(0, 4, n), list("wxyz"), ordered=True),
        }
    )
    noise = rng.normal(scale=0.5, size=n)
    y = np.digitize(X["number"] + (X["level"] == "b") + noise, [0.0, 1.0])
    for name in X:
        X.loc[rng.random(n) < missing, name] = None
    return X, np.array(["low", "middle", "top"])[y]


@pytest.mark.parametrize("learner", LEARNERS, ids=str)
def test_rules_are_saved_regrown_and_predict_as_their_learner(learner, tmp_path):
    X, y = table(1)
    model = learner.fit(X, y)
    model.model_.save(tmp_path / "rules.json")
    loaded = bough.load(tmp_path / "rules.json")
    assert loaded == model.model_ == bough.regrow(model.model_, X, y)
    assert (loaded.predict_proba(X) == model.predict_proba(X)).all()
    assert (loaded.predict(X) == model.predict(X)).all()


@pytest.mark.parametrize("learner", LEARNERS, ids=str)
def test_probabilities_sum_to_one_and_rules_decide_all_cases_once(learner):
    X, y = table(2)
    rules = learner.fit(X, y).rules_
    assert rules.predict_proba(X).sum(axis=1) == pytest.approx(1)
    decided = sum(rule.cover for rule in rules)
    if isinstance(learner, bough.PARTClassifier) and learner.prune == "reduced_error":
        held_out = len(X) // learner.cv
        assert len(X) - held_out - 1 <= decided + sum(rules.default_distribution) <= len(X) - held_out
        return
    if not isinstance(learner, bough.OneRClassifier):
        decided += sum(rules.default_distribution)
    assert decided == pytest.approx(len(X))


@pytest.mark.parametrize("learner", LEARNERS, ids=str)
def test_rules_predict_better_than_the_most_frequent_class(learner):
    X, y = table(3, n=400)
    most = pd.Series(y).value_counts(normalize=True).max()
    assert (learner.fit(X, y).predict(X) == y).mean() > most + 0.1


def test_part_sends_fractions_of_a_row_on_to_the_next_rules():
    X, y = table(4, n=300)
    model = bough.PARTClassifier().fit(X, y)
    rules = model.rules_
    unknown = bough.Table.fit_to(X.iloc[:1].assign(number=None, level=None, grade=None), rules.schema)
    left, sums = 1.0, np.zeros(3)
    for rule in rules:
        taken = math.prod(rule.fractions)
        sums += left * taken * np.array(rule.distribution) / sum(rule.distribution)
        left *= 1 - taken
    sums += left * np.array(rules.default_distribution) / sum(rules.default_distribution)
    assert 0 < left < 1
    assert rules.predict_proba(unknown)[0] == pytest.approx(sums)


def test_oner_makes_the_fewest_errors_of_all_nominal_columns():
    rng = np.random.default_rng(5)
    X = pd.DataFrame({name: rng.choice(list("abc"), 90) for name in ("u", "v", "w")})
    y = np.where(X["v"] == "a", "yes", rng.choice(["yes", "no"], 90))
    model = bough.OneRClassifier().fit(X, y)
    errors = [
        sum(len(group) - group.value_counts().max() for _, group in pd.Series(y).groupby(X[name]))
        for name in X
    ]
    assert (model.predict(X) != y).sum() == min(errors)


def test_ranges_of_oner_have_enough_cases_of_their_class():
    X, y = table(6, n=300)
    for least in (3, 6, 20):
        rules = bough.OneRClassifier(min_bucket=least).fit(X[["number"]], y).rules_
        assert all(rule.correct >= least for rule in rules[:-2])


def test_ripper_learns_the_rarest_class_first_and_leaves_the_most_frequent_as_default():
    X, y = table(7, n=400)
    counts = pd.Series(y).value_counts()
    rules = bough.RIPPERClassifier().fit(X, y).rules_
    assert rules.default == counts.index[0]
    order = [counts[rule.answer] for rule in rules]
    assert order == sorted(order)


def test_a_missing_value_meets_no_condition_of_ripper():
    X, y = table(8, n=400)
    rules = bough.RIPPERClassifier().fit(X, y).rules_
    assert len(rules) > 0
    assert not rules.fires(X.iloc[:1].assign(number=None, level=None, grade=None)).any()


def test_description_lengths_are_those_of_quinlan():
    assert subset_length(10.0, 3.0, 0.3) == pytest.approx(-3 * math.log2(0.3) - 7 * math.log2(0.7))
    assert data_length(0.5, 0.0, 20.0, 0.0, 5.0) == pytest.approx(
        math.log2(21) + subset_length(20.0, 5.0, 2.5 / 20)
    )


@pytest.mark.parametrize(
    ("learner", "words"),
    [
        (bough.OneRClassifier(min_bucket=0), "min_bucket is 0"),
        (bough.PARTClassifier(confidence=2), "confidence is 2"),
        (bough.PARTClassifier(nominal="subset"), "nominal is 'subset'"),
        (bough.PARTClassifier(min_samples_branch="a"), "min_samples_branch is 'a'"),
        (bough.PARTClassifier(cv=1), "cv is 1"),
        (bough.RIPPERClassifier(prune="hard"), "prune is 'hard'"),
        (bough.RIPPERClassifier(n_optimizations=-1), "n_optimizations is -1"),
        (bough.RIPPERClassifier(check_error=1), "check_error is 1"),
        (bough.RIPPERClassifier(random_state=2**40), "random_state is 1099511627776"),
        (bough.SimpleCartClassifier(cv=1), "cv is 1"),
        (bough.SimpleCartClassifier(heuristic="yes"), "heuristic is 'yes'"),
        (bough.SimpleCartClassifier(prune="so"), "prune is 'so'"),
    ],
)
def test_what_cannot_be_done_is_refused_by_name(learner, words):
    with pytest.raises(ParameterError, match=words):
        learner.fit(*table(9))
