"""C50Classifier: what its options do, and what it does with odd tables."""

import os
import pickle
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

import bough
from bough.errors import ParameterError, TableError, WeightError
from bough.example_models import tennis_cases, tennis_rules
from bough.progress import watched

RNG = np.random.default_rng(5)
N = 400
MIXED = pd.DataFrame(
    {
        "a": RNG.normal(size=N).round(1),
        "b": RNG.normal(size=N),
        "c": pd.Categorical(RNG.choice(list("pqrstu"), N)),
        "d": pd.Categorical(RNG.choice(["low", "mid", "high"], N), ["low", "mid", "high"], ordered=True),
    }
)
CLASSES = np.where(
    (MIXED["a"] > 0.3) ^ MIXED["c"].isin(["p", "q"]) ^ (RNG.random(N) < 0.1),
    "yes",
    np.where(MIXED["d"] == "high", "maybe", "no"),
)


def with_gaps(frame, share=0.2, seed=0):
    draws = np.random.default_rng(seed)
    return frame.mask(pd.DataFrame(draws.random(frame.shape) < share, columns=frame.columns))


def test_red_and_big_is_plus():
    X = pd.DataFrame({"color": ["red", "red", "blue", "blue"] * 3, "size": ["big", "small"] * 6})
    y = ["+", "-", "-", "-"] * 3
    rules = bough.C50Classifier(rules=True).fit(X, y).rules_
    assert str(rules[0]) == "color = red and size = big -> +"
    assert (rules.predict(X) == y).all()


def test_play_tennis_has_five_rules():
    X, y = tennis_cases()
    frame = pd.DataFrame(X, columns=["Outlook", "Temperature", "Humidity", "Wind"])
    model = bough.C50Classifier(rules=True).fit(frame, pd.Series(y, name="PlayTennis"))
    for ours, known in zip(model.rules_, tennis_rules(), strict=True):
        assert (str(ours), ours.cover, ours.correct) == (str(known), known.cover, known.correct)
        assert ours.lift == pytest.approx(known.lift, rel=1e-6)
    leaves = {str(rule) for rule in model.tree_.rules()}
    assert leaves == {
        "Outlook = Sunny and Humidity = High -> No",
        "Outlook = Sunny and Humidity = Normal -> Yes",
        "Outlook = Overcast -> Yes",
        "Outlook = Rain and Wind = Strong -> No",
        "Outlook = Rain and Wind = Weak -> Yes",
    }


def test_costs_change_the_tree_and_the_answers():
    plain = bough.C50Classifier().fit(MIXED, CLASSES)
    costly = bough.C50Classifier(loss_matrix={("yes", "no"): 20}).fit(MIXED, CLASSES)
    truly_yes = CLASSES == "yes"
    missed = [(model.predict(MIXED)[truly_yes] == "no").sum() for model in (plain, costly)]
    assert missed[1] < missed[0]
    two = np.where(truly_yes, "yes", "no")
    trees = [
        bough.C50Classifier(loss_matrix=losses).fit(MIXED, two).tree_ for losses in (None, {("yes", "no"): 5})
    ]
    assert trees[0] != trees[1]


def test_costs_as_a_square_follow_the_sorted_classes():
    square = np.ones((3, 3))
    square[2, 1] = 20  # truly "yes", answered "no"
    by_square = bough.C50Classifier(loss_matrix=square).fit(MIXED, CLASSES)
    by_pairs = bough.C50Classifier(loss_matrix={("yes", "no"): 20}).fit(MIXED, CLASSES)
    assert by_square.tree_ == by_pairs.tree_
    assert (by_square.predict(MIXED) == by_pairs.predict(MIXED)).all()


def test_equal_costs_are_no_costs():
    equal = bough.C50Classifier(loss_matrix=np.ones((3, 3))).fit(MIXED, CLASSES)
    assert equal.tree_ == bough.C50Classifier().fit(MIXED, CLASSES).tree_


@pytest.mark.parametrize(
    "options", [{}, {"n_estimators": 4}, {"rules": True}, {"nominal": "complete", "fuzzy": True}]
)
def test_a_weight_of_two_is_the_row_twice(options):
    weight = RNG.integers(0, 4, N)
    repeated = np.repeat(np.arange(N), weight)
    weighted = bough.C50Classifier(**options).fit(MIXED, CLASSES, weight)
    counted = bough.C50Classifier(**options).fit(MIXED.iloc[repeated], CLASSES[repeated])
    assert weighted.tree_ == counted.tree_
    assert (weighted.predict_proba(MIXED) == counted.predict_proba(MIXED)).all()


def test_relative_weights_do_not_care_for_their_unit():
    weight = RNG.random(N) + 0.5
    models = [
        bough.C50Classifier(weighting="relative").fit(MIXED, CLASSES, unit * weight) for unit in (1.0, 8.0)
    ]
    assert models[0].tree_ == models[1].tree_
    assert models[0].tree_.weight[0] == pytest.approx(N, rel=1e-6)


def test_weights_may_be_tiny_or_huge_but_not_both():
    weight = RNG.random(N) + 0.5
    plain, tiny = (bough.C50Classifier().fit(MIXED, CLASSES, unit * weight) for unit in (1.0, 2.0**-200))
    assert tiny.tree_.n_nodes == plain.tree_.n_nodes
    weight[0] = 1e-80
    with pytest.raises(WeightError, match="too small beside the others"):
        bough.C50Classifier().fit(MIXED, CLASSES, weight)


def test_fractions_cannot_count_cases():
    with pytest.raises(WeightError, match="fractions"):
        bough.C50Classifier(weighting="cases").fit(MIXED, CLASSES, np.full(N, 0.5))


@pytest.mark.parametrize("options", [{}, {"n_estimators": 5}, {"nominal": "complete"}, {"fuzzy": True}])
def test_missing_values_spread_over_the_branches(options):
    model = bough.C50Classifier(**options).fit(with_gaps(MIXED), CLASSES)
    gaps = with_gaps(MIXED, 0.6, seed=1)
    probabilities = model.predict_proba(gaps)
    assert probabilities.sum(axis=1) == pytest.approx(np.ones(N), abs=1e-12)
    assert (probabilities >= 0).all()


def test_a_row_of_gaps_is_answered_by_all_leaves():
    model = bough.C50Classifier().fit(MIXED, CLASSES)
    nothing = pd.DataFrame([[np.nan, np.nan, None, None]], columns=MIXED.columns).astype(MIXED.dtypes)
    shares = model.tree_.statistics[0] / N
    leaves = model.tree_.is_leaf
    cases = (model.tree_.weight[leaves] ** 2).sum() / N
    expected = (cases * shares + shares) / (cases + 1)
    assert model.predict_proba(nothing)[0] == pytest.approx(expected, rel=1e-5)


def test_a_level_never_seen_is_missing():
    model = bough.C50Classifier().fit(MIXED, CLASSES)
    new = MIXED.head(20).assign(c=["zebra"] * 20)
    gone = MIXED.head(20).assign(c=pd.Categorical([None] * 20, MIXED["c"].cat.categories))
    assert (model.predict_proba(new) == model.predict_proba(gone)).all()


def test_boosting_corrects_errors():
    X = np.random.default_rng(1).random((2000, 2))
    y = X[:, 0] > X[:, 1]
    single, boosted = (bough.C50Classifier(n_estimators=trials).fit(X[:1000], y[:1000]) for trials in (1, 10))
    assert boosted.n_estimators_ == len(boosted.trees_) == 10
    assert boosted.score(X[1000:], y[1000:]) > single.score(X[1000:], y[1000:])
    stages = boosted.staged_predict(X)
    assert len(stages) == boosted.n_estimators_
    assert (stages[0] == single.predict(X)).all()
    assert (stages[-1] == boosted.predict(X)).all()


def test_a_perfect_tree_is_not_boosted():
    X = np.arange(40.0)[:, None]
    model = bough.C50Classifier(n_estimators=10).fit(X, X[:, 0] > 20)
    assert model.n_estimators_ == 1
    assert bough.C50Classifier(n_estimators=10, early_stopping=False).fit(X, X[:, 0] > 20).n_estimators_ == 10


def test_winnowing_leaves_columns_out():
    noise = pd.DataFrame(RNG.normal(size=(N, 6)), columns=[f"noise{i}" for i in range(6)])
    X = pd.concat([MIXED, noise], axis=1)
    model = bough.C50Classifier(winnow=True).fit(X, np.where(MIXED["a"] > 0, "up", "down"))
    assert not model.winnowed_[0]
    assert model.winnowed_[4:].all()
    used = {int(column) for column in model.tree_.column if column >= 0}
    assert not used & set(np.flatnonzero(model.winnowed_))


def test_sampling_is_the_seeds():
    half = bough.C50Classifier(max_samples=0.5, random_state=3).fit(MIXED, CLASSES)
    assert len(half.sample_indices_) == N // 2
    again = bough.C50Classifier(max_samples=0.5, random_state=3).fit(MIXED, CLASSES)
    assert (half.sample_indices_ == again.sample_indices_).all()
    chosen = half.sample_indices_
    assert half.tree_.cases[0] == N // 2
    alone = bough.C50Classifier().fit(MIXED.iloc[chosen], CLASSES[chosen])
    assert (alone.predict(MIXED) == half.predict(MIXED)).all()


def test_soft_thresholds_lie_around_their_cuts():
    model = bough.C50Classifier(fuzzy=True).fit(MIXED, CLASSES)
    soft = [each for each in model.thresholds() if each["low"] < each["high"]]
    assert soft
    assert all(each["low"] <= each["mid"] <= each["high"] for each in soft)
    hard = bough.C50Classifier().fit(MIXED, CLASSES)
    assert all(each["low"] == each["cut"] == each["high"] for each in hard.thresholds())


def test_the_trees_route_rows_as_the_model_does():
    model = bough.C50Classifier().fit(MIXED, CLASSES)
    model.tree_.check()
    assert (model.tree_.predict(MIXED) == model.predict(MIXED)).all()
    assert len(model.apply(MIXED)) == N


def test_float32_columns_are_told_apart_as_their_values():
    X = MIXED[["a", "b"]].to_numpy()
    models = [bough.C50Classifier().fit(X.astype(dtype), CLASSES) for dtype in (np.float32, np.float64)]
    assert (models[0].predict_proba(X) == models[1].predict_proba(X)).all()
    assert models[0].tree_.n_nodes == models[1].tree_.n_nodes


def test_the_number_of_threads_changes_nothing():
    models = [bough.C50Classifier(5, n_jobs=jobs).fit(MIXED, CLASSES) for jobs in (1, 2)]
    large = pd.concat([MIXED] * 20, ignore_index=True)
    assert (models[0].predict_proba(large) == models[1].predict_proba(large)).all()


@pytest.mark.parametrize("options", [{}, {"n_estimators": 3, "fuzzy": True}, {"rules": True, "winnow": True}])
def test_the_number_of_threads_changes_no_tree(options):
    large = pd.concat([with_gaps(MIXED, seed=seed) for seed in range(20)], ignore_index=True)
    classes = np.tile(CLASSES, 20)
    one, two = (bough.C50Classifier(n_jobs=jobs, **options).fit(large, classes) for jobs in (1, 2))
    assert one.trees_ == two.trees_
    if "rules" in options:
        assert one.rules_ == two.rules_


def test_what_a_progress_callback_raises_stops_the_fit():
    def refuse(share):
        raise RuntimeError("enough")

    X = RNG.normal(size=(50_000, 8))
    with watched(refuse), pytest.raises(RuntimeError, match="enough"):
        bough.C50Classifier(n_estimators=10, n_jobs=2).fit(X, X[:, 0] + RNG.normal(size=len(X)) > 0)


INTERRUPTED = """
import os, signal, threading, time
import numpy as np
import bough

rng = np.random.default_rng(0)
X = rng.random((300_000, 10), dtype=np.float32)
y = X[:, 0] + rng.random(len(X)) > 1
sent = []

def interrupt():
    sent.append(time.process_time())
    os.kill(os.getpid(), signal.SIGINT)

# Loaded before the signal, which would otherwise interrupt the import.
learner = bough.C50Classifier(n_estimators=50, n_jobs=2)
threading.Timer(0.5, interrupt).start()
try:
    learner.fit(X, y)
except KeyboardInterrupt:
    print(time.process_time() - sent[0])
print(bough.C50Classifier().fit(X[:1000], y[:1000]).score(X, y) > 0.5)
"""


@pytest.mark.slow
def test_ctrl_c_stops_a_long_fit():
    run = subprocess.run(
        [sys.executable, "-c", INTERRUPTED],
        capture_output=True,
        text=True,
        timeout=600,
        check=True,
        env=os.environ | {"PYTHONPATH": str(Path(bough.__file__).parents[1])},
    )
    stopped_after, usable = run.stdout.split()
    assert float(stopped_after) < 3.0
    assert usable == "True"


@pytest.mark.parametrize("options", [{"n_estimators": 3}, {"rules": True, "n_estimators": 3}])
def test_a_model_survives_pickling_and_cloning(options):
    model = bough.C50Classifier(**options).fit(MIXED, CLASSES)
    copy = pickle.loads(pickle.dumps(model))
    assert (copy.predict_proba(MIXED) == model.predict_proba(MIXED)).all()
    assert clone(model).get_params() == model.get_params()


@pytest.mark.parametrize("options", [{}, {"rules": True}, {"n_estimators": 5}, {"winnow": True}])
@pytest.mark.parametrize(
    ("X", "y"),
    [
        ([[1.0]], ["a"]),
        ([[1.0], [2.0]], ["a", "a"]),
        ([[1.0], [1.0]], ["a", "b"]),
        ([[None], [None]], ["a", "b"]),
        ([["x"], ["y"]], ["a", "b"]),
        ([[np.inf], [-np.inf], [0.0], [1e300]] * 4, ["a", "b", "b", "a"] * 4),
    ],
)
def test_tiny_and_odd_tables_make_models(options, X, y):
    model = bough.C50Classifier(**options).fit(pd.DataFrame(X), y)
    assert model.predict_proba(pd.DataFrame(X)).sum(axis=1) == pytest.approx(np.ones(len(y)))


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_estimators": 0}, "n_estimators is 0; it must be a whole number from 1 to 1000"),
        ({"n_estimators": 2.5}, "n_estimators is 2.5"),
        ({"confidence": 0}, "confidence is 0"),
        ({"confidence": 1.5}, "confidence is 1.5"),
        ({"min_samples_branch": 0}, "min_samples_branch is 0"),
        ({"bands": 1}, "bands is 1"),
        ({"rules": "yes"}, "rules is 'yes'; it must be True or False"),
        ({"max_samples": 1.0}, "max_samples is 1.0"),
        ({"weighting": "some"}, "weighting is 'some'"),
        ({"random_state": -1}, "random_state is -1"),
        ({"loss_matrix": {("nay", "no"): 2}}, "nay"),
        ({"loss_matrix": {("yes", "no"): "much"}}, "'much'"),
        ({"loss_matrix": [[0, 1], [1, 0]]}, "there are 3 classes, so it must be (3, 3)"),
        ({"loss_matrix": np.zeros((3, 3))}, "is 0.0; it must be a finite number above 0"),
        ({"loss_matrix": "high"}, "loss_matrix has shape ()"),
        ({"nominal": "one_vs_rest"}, "nominal is 'one_vs_rest'; C50Classifier supports 'subset', 'complete'"),
        ({"missing": "learned"}, "missing is 'learned'; C50Classifier supports 'fractional', 'refuse'"),
        ({"class_weight": "balanced", "weighting": "cases"}, "'auto' or 'relative' with class_weight"),
    ],
)
def test_a_wrong_parameter_is_named(parameters, message):
    with pytest.raises(ParameterError) as caught:
        bough.C50Classifier(**parameters).fit(MIXED, CLASSES)
    assert message in str(caught.value)


def test_class_weights_are_relative_weights():
    weights = {"no": 1.0, "yes": 3.0, "maybe": 0.5}
    given = {label: weights.get(label, 1.0) for label in np.unique(CLASSES)}
    by_class = bough.C50Classifier(class_weight=given).fit(MIXED, CLASSES)
    by_row = bough.C50Classifier(weighting="relative").fit(
        MIXED, CLASSES, sample_weight=[given[label] for label in CLASSES]
    )
    # Their recipes say where the weights came from.
    assert replace(by_class.tree_, recipe={}) == replace(by_row.tree_, recipe={})
    balanced = bough.C50Classifier(class_weight="balanced").fit(MIXED, CLASSES).tree_
    assert balanced.statistics[0] == pytest.approx(np.full(len(given), N / len(given)), rel=1e-4)


def test_missing_values_are_refused_where_asked():
    gaps = with_gaps(MIXED)
    with pytest.raises(TableError, match=r"missing='refuse' allows none.*'fractional'"):
        bough.C50Classifier(missing="refuse").fit(gaps, CLASSES)
    model = bough.C50Classifier(missing="refuse").fit(MIXED, CLASSES)
    assert model.tree_.recipe["missing"] == "refuse"
    with pytest.raises(TableError, match="missing='refuse'"):
        model.predict(gaps)


def test_winnowing_where_balanced_errors_exceed_the_cases():
    # Numbers beyond 32 bits are infinite in C5.0, so that the column has two values. The weighted errors of
    # the subtree exceed the rows in the half that winnowing learns from; no branch can replace its parent.
    classes = "llslnhobdoblcrlbrpbBlwqlakbfyltlloibopaonavjonuzmbveoelzloplbotipvlAqfcxadgeBqzncobnl"
    high = "1100101000011000111110010001001010101100001011011011011100101110101111011100011000011"
    weight = "2222213112233211213313321122312133313221333223333132311113312213333221112311131212122"
    X = np.where(np.array(list(high)) == "1", 1e307, -1e307)[:, None]
    model = bough.C50Classifier(class_weight="balanced", winnow=True)
    model.fit(X, list(classes), np.array(list(weight), dtype=float))
    np.testing.assert_allclose(model.predict_proba([[1e307], [-1e307]]).sum(axis=1), 1.0)
