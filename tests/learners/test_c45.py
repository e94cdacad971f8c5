"""C4.5 and J48: courses' rules, weights, missing values, threads, and bad parameters."""

import os
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from tests.courses import tennis
from tests.oracle.reference import read_data

import bough
from bough.errors import ParameterError, TableError
from bough.pruning import ReducedError

VARIANTS = [
    {"variant": "c4.5"},
    {"variant": "c4.5", "nominal": "subset"},
    {"variant": "c4.5", "criterion": "entropy"},
    {"variant": "j48"},
    {"variant": "j48", "nominal": "one_vs_rest"},
]


def mixed(seed, n_rows=60, missing=0.0):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "few": rng.integers(0, 8, n_rows).astype(float),
            "number": rng.normal(size=n_rows).round(1),
            "level": pd.Categorical(rng.choice(list("pqrst"), n_rows)),
            "two": pd.Categorical(rng.choice(list("xy"), n_rows)),
        }
    ).mask(rng.random((n_rows, 4)) < missing)
    return X, rng.choice(list("abc"), n_rows)


def test_play_tennis_has_its_five_rules():
    X, y = tennis()
    for parameters in ({"variant": "c4.5"}, {"variant": "j48"}):
        rules = bough.C45Classifier(**parameters).fit(X, y).tree_.rules()
        assert sorted(str(rule) for rule in rules) == [
            "Outlook = Overcast -> Yes",
            "Outlook = Rain and Wind = Strong -> No",
            "Outlook = Rain and Wind = Weak -> Yes",
            "Outlook = Sunny and Humidity = High -> No",
            "Outlook = Sunny and Humidity = Normal -> Yes",
        ]


def test_the_rule_of_colour_and_size():
    X = pd.DataFrame({"color": ["red", "red", "blue", "blue"] * 2, "size": ["big", "small"] * 4})
    y = ["+" if pair == ("red", "big") else "-" for pair in zip(X["color"], X["size"], strict=True)]
    rules = bough.C45Classifier(min_samples_branch=1, prune="none").fit(X, y).tree_.rules()
    assert "color = red and size = big -> +" in {str(rule) for rule in rules}


def test_cuts_stand_at_values_of_the_table_and_say_so():
    data = read_data("golf")
    tree = bough.C45Classifier().fit(data.X, data.y).tree_
    assert "humidity <= 75" in str(tree)
    assert "humidity > 75" in str(tree)
    assert [str(rule) for rule in tree.rules()][:2] == [
        "outlook = sunny and humidity <= 75 -> yes",
        "outlook = sunny and humidity > 75 -> no",
    ]


@pytest.mark.parametrize("missing", [0.0, 0.15])
@pytest.mark.parametrize("parameters", VARIANTS, ids=str)
def test_a_weight_of_two_is_the_row_twice(parameters, missing):
    for seed in range(10):
        X, y = mixed(seed, missing=missing)
        weight = np.random.default_rng(seed).integers(0, 4, len(y))
        rows = np.repeat(np.arange(len(y)), weight)
        model = bough.C45Classifier(**parameters)
        weighted = model.fit(X, y, weight).tree_
        repeated = model.fit(X.iloc[rows], y[rows]).tree_
        assert weighted.column.tolist() == repeated.column.tolist()
        assert (
            weighted.cut[weighted.cut == weighted.cut].tolist()
            == repeated.cut[repeated.cut == repeated.cut].tolist()
        )
        assert weighted.statistics == pytest.approx(repeated.statistics, rel=1e-6, abs=1e-6)
        assert weighted.cases == pytest.approx(repeated.cases, rel=1e-6, abs=1e-6)


CLASS_WEIGHTS = {"a": 2.0, "b": 1.0, "c": 1.0}


def test_a_class_weight_of_two_is_each_row_of_the_class_twice():
    for seed in range(10):
        X, y = mixed(seed, n_rows=160, missing=0.05)
        rows = np.repeat(np.arange(len(y)), [int(CLASS_WEIGHTS[label]) for label in y])
        weighted = bough.C45Classifier(prune="none", class_weight=CLASS_WEIGHTS).fit(X, y).tree_
        repeated = bough.C45Classifier(prune="none").fit(X.iloc[rows], y[rows]).tree_
        assert weighted.column.tolist() == repeated.column.tolist()
        assert weighted.statistics.tolist() == repeated.statistics.tolist()


@pytest.mark.parametrize("missing", [0.0, 0.05])
@pytest.mark.parametrize("class_weight", [None, CLASS_WEIGHTS, {"a": 0.5, "b": 3.0, "c": 1.25}], ids=str)
@pytest.mark.parametrize("parameters", VARIANTS, ids=str)
def test_every_fit_grows_the_same_tree(parameters, class_weight, missing):
    X, y = mixed(3, n_rows=160, missing=missing)
    models = [
        bough.C45Classifier(prune="none", class_weight=class_weight, n_jobs=jobs, **parameters)
        for jobs in (1, 2)
    ]
    first = models[0].fit(X, y).tree_
    for _ in range(25):
        assert all(model.fit(X, y).tree_ == first for model in models)


@pytest.mark.parametrize("parameters", VARIANTS, ids=str)
def test_every_tree_is_sound_and_answers_incomplete_rows(parameters):
    X, y = mixed(1, n_rows=300, missing=0.2)
    for prune in ("none", "error_based", "reduced_error", "pessimistic", "mdl"):
        model = bough.C45Classifier(prune=prune, **parameters).fit(X, y)
        model.tree_.check()
        unknown = mixed(2, missing=0.5)[0]
        unknown.iloc[0] = None
        probabilities = model.predict_proba(unknown)
        assert probabilities.sum(axis=1) == pytest.approx(1.0)
        best = model.classes_[probabilities.argmax(axis=1)]
        assert (model.predict(unknown) == best).all()
        assert pickle.loads(pickle.dumps(model)).tree_ == model.tree_


@pytest.mark.parametrize("variant", ["c4.5", "j48"])
@pytest.mark.parametrize("missing", [0.0, 0.05])
def test_any_number_of_threads_grows_the_same_tree(variant, missing):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20000, 6))
    y = (X[:, 0] + X[:, 1] * X[:, 2] + rng.normal(size=20000) > 0).astype(int)
    X[rng.random(X.shape) < missing] = np.nan
    one, two = (bough.C45Classifier(variant=variant, n_jobs=jobs).fit(X, y).tree_ for jobs in (1, 2))
    assert one == two
    assert one.n_leaves > 10


def test_large_tables_with_missing_values_obey_weights_too():
    # Beyond 10,000 cases the sums of parts are no longer taken in release 8's order.
    X, y = mixed(0, n_rows=3000, missing=0.02)
    y = np.where(X["few"].fillna(0) + X["number"].fillna(0) > 4, "a", y)
    model = bough.C45Classifier(min_samples_branch=40)
    weighted = model.fit(X, y, np.full(3000, 4)).tree_
    repeated = model.fit(X.iloc[np.repeat(np.arange(3000), 4)], np.repeat(y, 4)).tree_
    assert weighted.column.tolist() == repeated.column.tolist()
    assert weighted.statistics == pytest.approx(repeated.statistics, rel=1e-5, abs=1e-5)
    assert weighted.n_leaves > 5


def test_ordinal_columns_are_cut():
    sizes = pd.Categorical(list("SMLX") * 10, list("SMLX"), ordered=True)
    y = ["small" if size in "SM" else "large" for size in sizes]
    tree = bough.C45Classifier().fit(pd.DataFrame({"size": sizes}), y).tree_
    assert [tree.condition(child) for child in tree.children(0)] == ["size <= M", "size > M"]
    tree.check()


def test_one_row_one_class_and_nothing_known():
    assert bough.C45Classifier().fit([[1.0]], ["a"]).predict([[2.0]]).tolist() == ["a"]
    assert bough.C45Classifier().fit([[1.0], [2.0]], ["a", "a"]).get_n_leaves() == 1
    unknown = bough.C45Classifier().fit([[None], [None], [None]], ["a", "b", "b"])
    assert unknown.predict([[1.0]]).tolist() == ["b"]


def test_infinite_values_and_huge_ones_are_numbers():
    X = [[-np.inf], [-1e300], [0.0], [1e300], [np.inf]] * 4
    for variant in ("c4.5", "j48"):
        model = bough.C45Classifier(variant=variant, prune="none").fit(X, list("aabbb") * 4)
        assert (model.predict(X) == list("aabbb") * 4).all()


def test_fractional_weights_are_taken():
    X, y = mixed(3, n_rows=200, missing=0.1)
    weight = np.random.default_rng(0).random(200)
    for parameters in VARIANTS:
        tree = bough.C45Classifier(**parameters).fit(X, y, weight).tree_
        tree.check()
        assert tree.weight[0] == pytest.approx(weight.sum(), rel=1e-5)
        assert tree.cases[0] == pytest.approx(200)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"variant": "c5.0"}, r"variant is 'c5\.0'; it must be 'c4\.5' or 'j48'"),
        ({"criterion": "gini"}, "criterion is 'gini'; it must be 'gain_ratio' or 'entropy'"),
        ({"nominal": "one_vs_rest"}, "nominal is 'one_vs_rest'; .* can do 'complete', 'subset'"),
        ({"variant": "j48", "nominal": "subset"}, "nominal is 'subset'; .* can do 'complete', 'one_vs_rest'"),
        ({"variant": "j48", "criterion": "entropy"}, "criterion is 'entropy'; .* the only criterion of J48"),
        ({"confidence": 25}, "confidence is 25"),
        ({"min_samples_branch": 0}, "min_samples_branch is 0"),
        ({"prune": "hard"}, "prune is 'hard'"),
        ({"smoothing": "much"}, "smoothing is 'much'"),
    ],
)
def test_bad_parameters_are_named(parameters, message):
    with pytest.raises(ParameterError, match=message):
        bough.C45Classifier(**parameters).fit([[0.0], [1.0]], [0, 1])


def test_reduced_error_neither_collapses_nor_raises():
    X, y = mixed(5, n_rows=400)
    held_out = bough.C45Classifier(variant="j48", prune=ReducedError(cv=4, random_state=None)).fit(X, y).tree_
    assert held_out.weight[0] == 300


INTERRUPTED = """
import os, signal, sys, threading, time
import numpy as np
import bough

rng = np.random.default_rng(0)
if sys.argv[1] == "rows":
    X, parameters = rng.normal(size=(1_000_000, 20)), {}
    y = X[:, 0] + X[:, 1] * X[:, 2] + rng.normal(size=len(X)) > 0
else:
    X, parameters = rng.integers(0, 2000, (20_000, 1)).astype(str).astype(object), {"nominal": "subset"}
    y = rng.integers(0, 2, len(X))
bough.C45Classifier().fit([[0], [1]], [0, 1])
sent = []

def interrupt():
    sent.append(time.perf_counter())
    os.kill(os.getpid(), signal.SIGINT)

# Loaded before the signal, which would otherwise interrupt the import.
learner = bough.C45Classifier(n_jobs=2, **parameters)
threading.Timer(1.0, interrupt).start()
try:
    learner.fit(X, y)
except KeyboardInterrupt:
    print(time.perf_counter() - sent[0])
"""


@pytest.mark.parametrize("work", ["rows", "levels"])
def test_ctrl_c_stops_a_long_fit(work):
    run = subprocess.run(
        [sys.executable, "-c", INTERRUPTED, work],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
        env=os.environ | {"PYTHONPATH": str(Path(bough.__file__).parents[1])},
    )
    assert float(run.stdout) < 20.0


def test_missing_values_are_refused_where_asked():
    X, y = mixed(0)
    gaps, labels = mixed(0, missing=0.2)
    model = bough.C45Classifier(missing="refuse").fit(X, y)
    assert model.tree_.recipe["missing"] == "refuse"
    assert bough.C45Classifier().fit(X, y).tree_.recipe["missing"] == "fractional"
    for refused in (
        lambda: bough.C45Classifier(missing="refuse").fit(gaps, labels),
        lambda: model.predict(gaps),
    ):
        with pytest.raises(TableError, match=r"missing='refuse' allows none.*'fractional'"):
            refused()
    with pytest.raises(
        ParameterError, match="missing is 'learned'; C45Classifier can do 'fractional', 'refuse'"
    ):
        bough.C45Classifier(missing="learned").fit(X, y)


def test_files_that_say_spread_still_load_and_predict():
    X, y = mixed(0, missing=0.2)
    tree = bough.C45Classifier().fit(X, y).tree_
    old = tree.to_json()
    old["recipe"]["missing"] = "spread"
    loaded = bough.Tree.from_json(old)
    np.testing.assert_array_equal(loaded.predict_proba(X), tree.predict_proba(X))
