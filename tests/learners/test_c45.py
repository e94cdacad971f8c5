"""C4.5 and J48: courses' rules, weights, missing values, threads, and bad parameters."""

import dataclasses
import os
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from tests.courses import tennis
from tests.oracle.reference import read_data

import bough
from bough.errors import FormatError, ParameterError, TableError, WeightError
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
    assert [rule.premise() for rule in tree.rules()][:2] == [
        "outlook = sunny and humidity <= 75",
        "outlook = sunny and humidity > 75",
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
        ({"nominal": "one_vs_rest"}, "nominal is 'one_vs_rest'; .* supports 'complete', 'subset'"),
        (
            {"variant": "j48", "nominal": "subset"},
            "nominal is 'subset'; .* supports 'complete', 'one_vs_rest'",
        ),
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
    X, parameters = rng.integers(0, 6000, (60_000, 1)).astype(str).astype(object), {"nominal": "subset"}
    y = rng.integers(0, 2, len(X))
bough.C45Classifier().fit([[0], [1]], [0, 1])
sent = []

def interrupt():
    sent.append(time.process_time())
    os.kill(os.getpid(), signal.SIGINT)

# Loaded before the signal, which would otherwise interrupt the import.
learner = bough.C45Classifier(n_jobs=2, **parameters)
threading.Timer(1.0, interrupt).start()
try:
    learner.fit(X, y)
except KeyboardInterrupt:
    print(time.process_time() - sent[0])
"""


@pytest.mark.slow
@pytest.mark.parametrize("work", ["rows", "levels"])
def test_ctrl_c_stops_a_long_fit(work):
    run = subprocess.run(
        [sys.executable, "-c", INTERRUPTED, work],
        capture_output=True,
        text=True,
        timeout=600,
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
        ParameterError, match="missing is 'learned'; C45Classifier supports 'fractional', 'refuse'"
    ):
        bough.C45Classifier(missing="learned").fit(X, y)


def test_files_that_say_spread_still_load_and_predict():
    X, y = mixed(0, missing=0.2)
    tree = bough.C45Classifier().fit(X, y).tree_
    old = tree.to_json()
    old["recipe"]["missing"] = "spread"
    loaded = bough.Tree.from_json(old)
    np.testing.assert_array_equal(loaded.predict_proba(X), tree.predict_proba(X))


def test_j48_moves_a_cut_to_a_value_less_than_1e_6_above_the_middle():
    """Weka 3.8 prints x <= -0.005: -.005 is 4e-18 above the middle between -.167 and .157."""
    X = pd.DataFrame({"g": list("uuuuvvvv"), "x": [-0.167, -0.167, 0.157, 0.157] + [-0.005] * 4})
    tree = bough.C45Classifier(variant="j48", prune="none").fit(X, list("aabbcccc")).tree_
    assert tree.cut[~np.isnan(tree.cut)].tolist() == [-0.005]


def test_j48_takes_the_first_of_classes_that_are_equal_but_for_rounding(tmp_path):
    """Weka answers 1 for a missing level: 10 of 40 cases are of class 1, and 10 of class 2."""
    cases = {"a": "00001", "b": "111112", "c": "22223", "d": "333", "e": "444444", "f": "12"}
    cases |= {"g": "344", "h": "34", "i": "0112", "j": "12", "k": "22"}
    X = pd.DataFrame({"x": [level for level, classes in cases.items() for _ in classes]})
    model = bough.C45Classifier(variant="j48", prune="none").fit(X, list("".join(cases.values())))
    missing = pd.DataFrame({"x": [None]})
    probabilities = model.predict_proba(missing)[0]
    assert probabilities[1] == pytest.approx(0.25, abs=1e-15)
    assert probabilities[1] < probabilities[2] < probabilities[1] + 1e-15
    model.model_.save(tmp_path / "model.json")
    for answering in (model, model.tree_, bough.load(tmp_path / "model.json")):
        assert answering.predict(missing).tolist() == ["1"]


@pytest.mark.parametrize(("first", "last"), [(0.1, 0.1000008), (0.1000008, 0.1)])
def test_j48_takes_values_less_than_1e_6_apart_for_the_first_of_them(first, last):
    """0.1000016 is within 1e-6 of 0.1000008 alone, so it goes left only if the cut is moved to that."""
    x = [0.0, 0.0, 0.2000004, 0.2000004, first, last, 0.1000016, 0.1000016]
    X = pd.DataFrame({"g": list("uuuuvvvv"), "x": x})
    tree = bough.C45Classifier(variant="j48", prune="none").fit(X, list("aabbcccc")).tree_
    assert tree.cut[~np.isnan(tree.cut)].tolist() == [max(first, last) if first < last else 0.1000016]


@pytest.mark.parametrize("prune", ["none", "error_based"])
def test_class_weights_leave_the_number_of_cases_with_and_without_missing_values(prune):
    weight = {"a": 2, "b": 1, "c": 1}
    for missing in (0.0, 0.3):
        X, y = mixed(seed=3, n_rows=160, missing=missing)
        tree = bough.C45Classifier(class_weight=weight, prune=prune).fit(X, y).tree_
        assert tree.cases[0] == 160
        assert tree.weight[0] == 160 + np.sum(y == "a")
        assert tree.cases[tree.is_leaf].sum() == pytest.approx(160)


@pytest.mark.parametrize("prune", ["none", "error_based"])
@pytest.mark.parametrize("n_rows", [500, 3000])
def test_trees_summed_in_32_bit_floats_can_be_saved_and_loaded(tmp_path, n_rows, prune):
    rng = np.random.default_rng(0)
    X = pd.DataFrame({f"c{i}": pd.Categorical(rng.choice(list("xy"), n_rows)) for i in range(12)})
    X = X.mask(rng.random(X.shape) < 0.5)
    tree = bough.C45Classifier(prune=prune).fit(X, rng.choice(list("abc"), n_rows)).tree_
    tree.save(tmp_path / "tree.json")
    assert bough.load(tmp_path / "tree.json") == tree
    shares = np.bincount(tree.parent[1:], tree.share[1:], minlength=tree.n_nodes)
    assert shares[~tree.is_leaf] == pytest.approx(1.0, abs=1e-12)


def test_shares_may_be_off_by_the_rounding_of_32_bit_floats_and_no_more():
    X, y = mixed(seed=0, n_rows=400, missing=0.3)
    tree = bough.C45Classifier(prune="none").fit(X, y).tree_
    dataclasses.replace(tree, share=tree.share * (1 - 3e-6)).check()
    with pytest.raises(FormatError, match="shares of a node's children must sum to 1"):
        dataclasses.replace(tree, share=tree.share * (1 - 1e-4)).check()


def test_class_weights_of_pruned_trees_are_summed_in_32_bit_floats():
    X, y = mixed(seed=0, n_rows=400, missing=0.3)
    tree = bough.C45Classifier(confidence=0.9).fit(X, y).tree_
    assert (tree.statistics != np.floor(tree.statistics)).any()
    assert np.array_equal(tree.statistics, tree.statistics.astype(np.float32))
    assert np.array_equal(tree.weight, tree.weight.astype(np.float32))


LEARNERS = [
    bough.C45Classifier(),
    bough.C45Classifier(variant="j48"),
    bough.REPTreeClassifier(),
    bough.REPTreeRegressor(),
]


@pytest.mark.parametrize("learner", LEARNERS, ids=str)
@pytest.mark.parametrize("missing", [0.0, 0.2])
@pytest.mark.parametrize("weight", [1e-100, 1e-40, 1e-10])
def test_a_common_factor_of_tiny_weights_does_not_matter(learner, missing, weight):
    X, _ = mixed(seed=1, n_rows=120, missing=missing)
    y = (X["number"].fillna(0) > 0.1).astype(int) + (np.arange(120) % 7 == 0)
    unit, tiny = (clone(learner).fit(X, y, sample_weight=w).tree_ for w in (None, np.full(120, weight)))
    assert unit.n_leaves > 1
    assert tiny.column.tolist() == unit.column.tolist()
    assert np.array_equal(tiny.cut, unit.cut, equal_nan=True)
    assert tiny.weight == pytest.approx(unit.weight * weight, rel=1e-6, abs=0)
    tiny.check()


@pytest.mark.parametrize("learner", LEARNERS, ids=str)
@pytest.mark.parametrize("weight", [1e30, 1e37, 1e200, 1e300])
def test_huge_weights_are_held_and_their_common_factor_does_not_matter(learner, weight):
    X, y = mixed(seed=1, n_rows=120, missing=0.2)
    y = (X["number"].fillna(0) > 0.1).astype(int)
    tree = clone(learner).fit(X, y, sample_weight=np.full(120, weight)).tree_
    tree.check()
    assert tree.n_leaves > 1
    assert tree.weight[0] == pytest.approx(120 * weight)
    assert np.isfinite(tree.statistics).all()
    fewer = clone(learner).fit(X, y, sample_weight=np.full(120, 1e20)).tree_
    assert tree.column.tolist() == fewer.column.tolist()
    assert np.array_equal(tree.cut, fewer.cut, equal_nan=True)


@pytest.mark.parametrize("learner", LEARNERS, ids=str)
def test_weights_of_too_wide_a_range_are_refused(learner):
    X, _ = mixed(seed=1)
    weight = np.where(np.arange(60) % 2, 1e-300, 1e300)
    with pytest.raises(WeightError, match=r"sample_weight ranges from 1e-300 to 1e\+300"):
        clone(learner).fit(X, np.arange(60) % 2, sample_weight=weight)
