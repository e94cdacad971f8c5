"""Gradient boosting in partitions: the model is that of the same rows in memory, to the byte."""

import os
import signal

import dask.dataframe as dd
import numpy as np
import pytest
from tests.engines.places import in_dask, in_spark, local_cluster
from tests.engines.rows import random_frame

import bough
from bough import GradientBoostingClassifier, GradientBoostingRegressor
from bough.data.partitions.dask import DaskPartitions
from bough.engines import boosted_partitions
from bough.errors import ParameterError, TableError, TargetError, WeightError
from bough.export import predict_lazily
from bough.models.encoding import to_text
from bough.progress import watched

SMALL = {"max_iter": 4, "min_samples_leaf": 5, "max_leaf_nodes": 7, "max_bins": 16}


@pytest.fixture
def place(tmp_path):
    with in_dask(tmp_path) as made:
        yield made


def both(place, learner, frame):
    """Boost the rows in memory and in partitions; return both models."""
    weight = "w" if "w" in frame else None
    names = [name for name in frame if name not in ("target", "w")]
    in_memory = learner.fit(frame[names], frame["target"], frame["w"] if weight else None).model_
    return in_memory, learner.fit(place(frame), "target", sample_weight=weight).model_


def same(one, other):
    assert len(one.arrays["cut"]) >= 3 * one.n_trees
    files = [to_text(each.document() | {"provenance": {}}) for each in (one, other)]
    assert files[0] == files[1]


def frame_for(learner, seed=1, n=300, weights=None):
    is_regression = isinstance(learner, GradientBoostingRegressor)
    frame = random_frame(seed, n, "numbers" if is_regression else "classes", weights)
    if getattr(learner, "loss", None) in ("poisson", "gamma", "tweedie"):
        frame["target"] = np.exp(frame["target"] / 2) + 0.1
    return frame


@pytest.mark.parametrize("weights", [None, "whole", "fractions"])
@pytest.mark.parametrize(
    "learner", [GradientBoostingRegressor(**SMALL), GradientBoostingClassifier(**SMALL)], ids=repr
)
def test_the_model_is_that_of_memory(place, learner, weights):
    same(*both(place, learner, frame_for(learner, weights=weights)))


def test_splits_of_many_levels_pay_for_chance_as_in_memory(place):
    frame = frame_for(GradientBoostingClassifier(), n=900)
    rng = np.random.default_rng(8)
    frame["many"] = rng.choice([f"level {i}" for i in range(40)], len(frame))
    frame["target"] = rng.choice(["a", "b", "c"], len(frame))
    models = both(place, GradientBoostingClassifier(**SMALL, level_penalty=1), frame)
    same(*models)
    without = GradientBoostingClassifier(**SMALL, level_penalty=0)
    assert models[0] != without.fit(frame.drop(columns="target"), frame["target"]).model_


LEARNERS = [
    *(GradientBoostingRegressor(loss=loss, **SMALL) for loss in ("poisson", "gamma", "tweedie")),
    GradientBoostingRegressor(loss="absolute_error", **SMALL),
    GradientBoostingRegressor(loss="quantile", quantile=[0.1, 0.75], **SMALL, max_samples=0.7),
    GradientBoostingRegressor(max_iter=4, growth="level", max_depth=3, max_leaf_nodes=None, max_bins=300),
    GradientBoostingRegressor(**SMALL | {"max_leaf_nodes": 2, "max_iter": 9}, learning_rate=0.5),
    GradientBoostingRegressor(**SMALL, max_samples=0.6, random_state=3),
    GradientBoostingRegressor(**SMALL, max_features=0.5, tree_features=0.7, level_features=0.9),
    GradientBoostingRegressor(**SMALL, monotonic_cst={"a": 1}, l1_regularization=0.1, l2_regularization=1.0),
    GradientBoostingRegressor(**SMALL, path_smoothing=3.0, max_delta_step=0.5, min_gain=0.01),
    GradientBoostingRegressor(**SMALL, interaction_cst=[["a", "b"], ["k", "s"]]),
    GradientBoostingRegressor(
        **SMALL | {"min_samples_leaf": 0.02}, ordinal_features={"s": ["x", "é", 'q"q', "it's", "no"]}
    ),
    GradientBoostingClassifier(**SMALL, class_weight={"low": 2.5}),
    GradientBoostingClassifier(**SMALL, loss="one_vs_all"),
    GradientBoostingClassifier(**SMALL, class_weight="balanced", max_samples=0.5),
]


@pytest.mark.slow
@pytest.mark.parametrize("learner", LEARNERS, ids=repr)
def test_every_setting_gives_the_model_of_memory(place, learner):
    same(*both(place, learner, frame_for(learner, seed=2, weights="whole")))


@pytest.mark.slow
@pytest.mark.parametrize("loss", ["log_loss", "exponential"])
def test_two_classes_give_the_model_of_memory(place, loss):
    frame = random_frame(3)
    frame["target"] = frame["target"].replace({"mid": "low"})
    same(*both(place, GradientBoostingClassifier(loss=loss, **SMALL), frame))


@pytest.mark.slow
@pytest.mark.parametrize("task", ["classes", "numbers"])
def test_many_rows_are_rounded_at_random_as_in_memory(place, task):
    """More rows than 16,384 share both sums in one number, and rows are rounded by their number."""
    frame = random_frame(4, 20_001, task)
    learner = (GradientBoostingClassifier if task == "classes" else GradientBoostingRegressor)(
        max_iter=2, max_samples=0.95
    )
    same(*both(place, learner, frame))


@pytest.mark.slow
def test_a_leaf_of_too_few_rows_is_split_anew(place):
    """With large weights of few rows the hessian misjudges the rows of a child."""
    frame = random_frame(5, 20_001, "numbers").assign(w=1.0)
    frame.loc[::50, "w"] = 60.0
    learner = GradientBoostingRegressor(max_iter=3, min_samples_leaf=400, max_leaf_nodes=31)
    same(*both(place, learner, frame))


def test_partitions_may_be_empty(place):
    frame = frame_for(GradientBoostingRegressor(), n=90)
    parts = [frame[:40], frame[:0], frame[40:]]
    given = dd.from_map(lambda number: parts[number], [0, 1, 2], meta=frame[:0])
    learner = GradientBoostingRegressor(**SMALL)
    same(
        learner.fit(frame.drop(columns="target"), frame["target"]).model_, learner.fit(given, "target").model_
    )


@pytest.mark.slow
def test_a_worker_killed_in_mid_fit_does_not_change_the_model(monkeypatch):
    learner = GradientBoostingClassifier(**SMALL)
    frame = frame_for(learner, seed=6)
    memory = learner.fit(frame.drop(columns="target"), frame["target"]).model_
    with local_cluster() as client:
        reduced, asked, killed = DaskPartitions.reduced, [], []

        def kill_and_reduce(self, combine, task, *arguments):
            asked.append(task)
            if len(asked) == 20:
                killed.append(next(iter(client.run(os.getpid).values())))
                os.kill(killed[0], signal.SIGKILL)
            return reduced(self, combine, task, *arguments)

        monkeypatch.setattr(DaskPartitions, "reduced", kill_and_reduce)
        model = learner.fit(dd.from_pandas(frame, npartitions=6, sort=False), "target").model_
    assert killed
    same(memory, model)


def test_scores_that_were_lost_are_computed_again(place, monkeypatch):
    learner = GradientBoostingClassifier(**SMALL)
    frame = frame_for(learner, seed=7)
    at, calls, lost = boosted_partitions.BoostedPartition.at, [], []

    def forget(self, position):
        calls.append(1)
        if len(calls) % 17 == 0:
            self._scores = None
        found = at(self, position)
        if found is None:
            lost.append(position.n_trees)
        return found

    monkeypatch.setattr(boosted_partitions.BoostedPartition, "at", forget)
    memory, model = both(place, learner, frame)
    assert len({*lost}) > 2
    same(memory, model)


@pytest.mark.parametrize(
    ("learner", "options", "error", "named"),
    [
        (GradientBoostingRegressor(loss="huber", max_iter=3), {"y": "b"}, ParameterError, "loss='huber'"),
        (GradientBoostingClassifier(), {}, ParameterError, "max_iter is 'auto'"),
        (
            GradientBoostingRegressor(loss="quantile", max_iter=3),
            {"y": "k", "sample_weight": "half"},
            WeightError,
            "sample_weight is not whole",
        ),
        (GradientBoostingClassifier(early_stopping=True), {}, ParameterError, "early_stopping is True"),
        (bough.ABCBoostClassifier(max_iter=3), {}, ParameterError, "base_interval is not supported"),
        (GradientBoostingRegressor(drop_rate=0.1), {}, ParameterError, "drop_rate is not supported"),
        (GradientBoostingRegressor(warm_start=True, max_iter=3), {}, ParameterError, "warm_start is not"),
        (GradientBoostingRegressor(max_iter=3, variant="gbm"), {}, ParameterError, "variant is 'gbm'"),
        (GradientBoostingClassifier(max_iter=3, loss="exponential"), {}, TargetError, "3 classes"),
        (GradientBoostingClassifier(max_iter=3), {"y": "one"}, TargetError, "one class only"),
        (
            GradientBoostingRegressor(max_iter=3, loss="gamma"),
            {"y": "k"},
            TargetError,
            "needs numbers above 0",
        ),
        (GradientBoostingRegressor(max_iter=3), {"y": "targett"}, TableError, "did you mean 'target'"),
        (GradientBoostingClassifier(max_iter=3), {"sample_weight": "small"}, WeightError, "above 1"),
        (bough.ExtraTreesClassifier(), {}, ParameterError, "ExtraTreesClassifier is not fitted on a cl"),
    ],
    ids=str,
)
def test_what_cannot_be_done_is_refused_by_name(place, learner, options, error, named):
    frame = random_frame(8).assign(small=1e-6, half=0.5)
    with pytest.raises(error, match=named):
        learner.fit(place(frame), **({"y": "target"} | options))


def test_a_table_that_changes_during_the_fit_is_refused(place, monkeypatch):
    read, calls = boosted_partitions.coded_for_boosting, []

    def changed(frame, *arguments):
        calls.append(1)
        return read(frame[1:] if len(calls) == 1 else frame, *arguments)

    monkeypatch.setattr(boosted_partitions, "coded_for_boosting", changed)
    with pytest.raises(TableError, match="was changed during the fit"):
        GradientBoostingClassifier(**SMALL).fit(place(random_frame(9)), "target")


def test_a_fitted_learner_predicts_and_reports_rounds(place):
    frame, shares = random_frame(10), []
    names = [name for name in frame if name != "target"]
    with watched(shares.append):
        learner = GradientBoostingClassifier(**SMALL).fit(place(frame), "target")
    assert shares == sorted(shares)
    # The core reports at most every 50 ms, so that quick rounds may be left out.
    assert {*shares} <= {0.0, 0.25, 0.5, 0.75, 1.0}
    assert learner.feature_names_in_.tolist() == names
    assert learner.classes_.tolist() == ["high", "low", "mid"]
    assert (learner.predict(frame[names]) == frame["target"]).mean() > 0.6
    lazy = predict_lazily(learner.model_, place(frame))
    assert lazy["prediction"].compute().tolist() == learner.predict(frame[names]).tolist()


def test_a_model_of_a_cluster_is_boosted_again_in_memory(place):
    learner = GradientBoostingRegressor(**SMALL)
    frame = frame_for(learner, seed=11)
    model = learner.fit(place(frame), "target").model_
    assert bough.regrow(model, frame.drop(columns="target"), frame["target"]) == model


@pytest.mark.slow
def test_spark_gives_the_model_of_memory(tmp_path):
    with in_spark(tmp_path) as place:
        for learner in (GradientBoostingRegressor(**SMALL), GradientBoostingClassifier(**SMALL)):
            frame = frame_for(learner, seed=12)
            given = place(frame)
            ordered = given.toArrow().to_pandas()
            names = [name for name in ordered if name != "target"]
            memory = learner.fit(ordered[names], ordered["target"]).model_
            same(memory, learner.fit(given, "target").model_)
