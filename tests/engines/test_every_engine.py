"""The tree grown where the rows are is that of memory with the same bins, to the byte: on every engine."""

import warnings

import numpy as np
import pandas as pd
import pytest
from tests.engines.places import PLACES
from tests.engines.rows import NAMES, both, random_frame, same

import bough
from bough import (
    CARTClassifier,
    CARTRegressor,
    CHAIDClassifier,
    CHAIDRegressor,
    ID3Classifier,
    TreeClassifier,
    TreeRegressor,
)
from bough.learners.fitting import fit_tree
from bough.learners.reading import read_training

QUICK = ("duckdb", "duckdb_by_levels", "dask", "dask_by_levels")
OTHERS = [pytest.param(name, marks=pytest.mark.slow) for name in PLACES if name not in QUICK]


@pytest.fixture(scope="module", params=[*QUICK, *OTHERS])
def place(request, tmp_path_factory):
    with PLACES[request.param](tmp_path_factory.mktemp(request.param)) as made:
        yield made


@pytest.mark.parametrize("weights", [None, "whole", "fractions"])
@pytest.mark.parametrize("task", ["classes", "numbers"])
def test_the_tree_is_that_of_memory(place, task, weights):
    """Deep enough that leaves are written to a new temporary table."""
    learner = (CARTClassifier if task == "classes" else CARTRegressor)(max_bins=16, prune="none", max_depth=9)
    same(*both(place, learner, random_frame(1, task=task, weights=weights)))


@pytest.mark.slow
@pytest.mark.parametrize(
    "learner",
    [
        CARTClassifier(max_bins=9, cv=4, sampling="hash"),
        CARTRegressor(max_bins=9, cv=4, sampling="hash", min_samples_leaf=5),
        CARTClassifier(max_bins=9, prune="none", missing="surrogates_then_majority", max_depth=4),
        CARTRegressor(max_bins=9, prune="none", missing="surrogates_then_stop", max_depth=4),
        CARTClassifier(max_bins=9, ccp_alpha=0.01, class_weight="balanced"),
        CARTRegressor(max_bins=9, prune="cp", cp=0.02, cv=None),
        TreeClassifier("gain_ratio", max_bins=9, missing="learned", max_leaf_nodes=9),
        TreeClassifier("entropy", max_bins=9, nominal="complete", missing="own_level", max_depth=3),
        TreeClassifier("twoing", max_bins=9, missing="majority", max_depth=4, class_weight={"low": 2.5}),
        TreeClassifier("entropy", max_bins=9, max_branches=4, max_depth=3, prune="mdl"),
        TreeRegressor(max_bins=9, max_depth=4, nominal="one_vs_rest", min_samples_leaf=0.05),
        TreeClassifier(
            max_bins=5, categorical_features=["k"], ordinal_features={"s": ["x", "é", 'q"q', "it's"]}
        ),
    ],
    ids=repr,
)
def test_every_recipe_grows_the_tree_of_memory(place, learner):
    is_regression = isinstance(learner, CARTRegressor | TreeRegressor)
    same(
        *both(
            place, learner, random_frame(2, task="numbers" if is_regression else "classes", weights="whole")
        )
    )


@pytest.mark.slow
def test_id3_and_chaid_grow_the_tree_of_memory(place):
    frame = random_frame(3)
    levels = frame[["s", "t", "target"]].assign(k=frame["k"].astype(str))
    same(*both(place, ID3Classifier(missing="learned"), levels))
    for learner, task in ((CHAIDClassifier(max_bins=6), "classes"), (CHAIDRegressor(max_bins=6), "numbers")):
        frame = random_frame(4, task=task)
        recipe = bough.Recipe.from_json(learner.recipe().to_json() | {"max_bins": 6})
        memory = fit_tree(recipe, read_training(recipe, frame[NAMES], frame["target"])).tree
        same(memory, learner.fit(place(frame), "target").tree_)


@pytest.mark.slow
def test_folds_go_by_the_hash_of_a_key_in_any_order_of_rows(place):
    frame = random_frame(5).assign(id=np.arange(300))
    learner = CARTClassifier(max_bins=9, cv=4, sampling="hash", row_key="id")
    in_memory, in_place = both(place, learner, frame)
    same(in_memory, in_place)
    assert "id" not in in_memory.schema.names
    shuffled = learner.fit(place(frame.sample(frac=1, random_state=0)), "target")
    same(shuffled.tree_, in_memory)
    assert len(shuffled.cp_table_) > 1


HOSTILE = '"; DROP TABLE orders; --'


def test_names_are_quoted_and_values_bound(place):
    frame = random_frame(9).rename(columns={"a": HOSTILE, "s": "$1 %s '"})
    frame["target"] = frame["target"].replace({"low": "'; DROP TABLE orders; --"})
    same(*both(place, CARTClassifier(max_bins=8, prune="none", max_depth=4), frame))


def test_nan_infinities_and_negative_zero_are_read_as_in_memory(place):
    rng = np.random.default_rng(10)
    x = rng.choice([-np.inf, -1.0, -0.0, 0.0, 2.5, np.inf, np.nan], 200)
    target = np.where(np.nan_to_num(x, nan=7.0) + rng.normal(size=200) > 0, "yes", "no")
    target[::7] = "no"
    frame = pd.DataFrame({"x": x, "z": rng.normal(size=200), "target": target})
    same(*both(place, TreeClassifier(max_bins=5, max_depth=4), frame))


def test_rows_without_any_value_are_left_out_with_a_warning(place):
    frame = random_frame(16)[["a", "s", "target"]]
    frame.loc[:20, ["a"]] = np.nan
    frame.loc[:20, ["s"]] = None
    learner = CARTClassifier(max_bins=8, prune="none", missing="surrogates_then_majority", max_depth=3)
    with pytest.warns(UserWarning, match="no value in any column"):
        in_memory, in_place = both(place, learner, frame)
    same(in_memory, in_place)


def test_a_fitted_learner_predicts(place):
    frame = random_frame(17)
    learner = CARTClassifier(max_bins=8).fit(place(frame), "target")
    assert learner.feature_names_in_.tolist() == NAMES
    assert learner.classes_.tolist() == ["high", "low", "mid"]
    with warnings.catch_warnings(action="error"):
        assert (learner.predict(frame[NAMES]) == frame["target"]).mean() > 0.6


@pytest.mark.slow
def test_cross_validated_risks_are_those_of_memory_where_a_leaf_answers_as_an_ancestor(place):
    rng = np.random.RandomState(3)
    x = rng.randint(4, size=24)
    y = np.array([-4.0, 0.0, 0.0, 4.0])[x] + rng.choice([-1, 1], size=24)
    frame = pd.DataFrame({"id": np.arange(24), "x": x.astype(float), "target": y})
    learner = CARTRegressor(max_bins=8, sampling="hash", row_key="id", cv=3)
    risks = learner.fit(frame[["id", "x"]], frame["target"]).cp_table_.cv_risk
    assert np.array_equal(learner.fit(place(frame), "target").cp_table_.cv_risk, risks)
