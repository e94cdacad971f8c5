"""Random forests on bins: the same in memory and in partitions, to the byte, in any order of the rows."""

import os
import signal
from threading import Lock

import dask.dataframe as dd
import pandas as pd
import pytest
from tests.engines.places import PLACES, in_dask, in_dask_by_levels, local_cluster
from tests.engines.rows import random_frame

import bough
from bough import RandomForestClassifier, RandomForestRegressor
from bough.engines.partitioned import PartitionedRows
from bough.errors import ParameterError, TableError
from bough.export import predict_lazily
from bough.models.encoding import to_text
from bough.progress import watched

CLUSTERS = [
    "dask",
    "dask_by_levels",
    pytest.param("dask_processes", marks=pytest.mark.slow),
    pytest.param("spark", marks=pytest.mark.slow),
]


@pytest.fixture(scope="module", params=CLUSTERS)
def place(request, tmp_path_factory):
    with PLACES[request.param](tmp_path_factory.mktemp(request.param)) as made:
        yield made


def keyed_frame(seed, n=150, task="classes", weights=None):
    frame = random_frame(seed, n=n, task=task, weights=weights)
    return frame.assign(id=[f"row {number}" for number in range(n)])


def forest(task, n_trees=3, **parameters):
    kind = RandomForestClassifier if task == "classes" else RandomForestRegressor
    given = {"max_bins": 16, "row_key": "id", "sampling": "hash", "max_features": 2, "random_state": 7}
    return kind(n_trees, **(given | parameters))


def in_memory(learner, frame):
    columns = [name for name in frame if name not in ("target", "w")]
    return learner.fit(frame[columns], frame["target"], frame.get("w")).model_


def both(place, learner, frame):
    weight = "w" if "w" in frame else None
    made = learner.__class__(**learner.get_params()).fit(place(frame), "target", sample_weight=weight)
    return in_memory(learner, frame), made.model_


def same(one, other):
    assert one.n_nodes > 3 * one.n_trees
    files = [to_text(each.document() | {"provenance": {}}) for each in (one, other)]
    assert files[0] == files[1]


@pytest.mark.parametrize("weights", [None, "whole", "fractions"])
@pytest.mark.parametrize("task", ["classes", "numbers"])
def test_the_forest_is_that_of_memory(place, task, weights):
    same(*both(place, forest(task, max_depth=6), keyed_frame(1, task=task, weights=weights)))


@pytest.mark.slow
@pytest.mark.parametrize(
    "parameters",
    [
        {"nominal": "subset", "max_features": 1, "seek": False},
        {"replace": False, "missing": "majority"},
        {"max_samples": 0.4, "min_samples_leaf": 3},
        {"max_samples": 90, "max_leaf_nodes": 9},
        {"bootstrap": False, "max_features": 3, "row_key": "id"},
        {"class_weight": "balanced", "voting": "hard", "criterion": "entropy"},
        {"class_weight": {"low": 2.5}, "cutoff": {"low": 0.2, "mid": 0.5, "high": 0.3}},
    ],
    ids=str,
)
def test_every_setting_gives_the_forest_of_memory(place, parameters):
    same(*both(place, forest("classes", **parameters), keyed_frame(2)))


def test_the_order_of_rows_does_not_matter(place):
    frame = keyed_frame(3)
    shuffled = frame.sample(frac=1, random_state=0)
    learner = forest("classes", max_depth=5)
    memory = in_memory(learner, frame)
    same(memory, in_memory(learner, shuffled))
    same(memory, learner.fit(place(shuffled), "target").model_)


def test_a_fitted_forest_predicts(place):
    frame = keyed_frame(4)
    learner = forest("classes", 8).fit(place(frame), "target")
    columns = [name for name in frame if name not in ("target", "id")]
    assert learner.feature_names_in_.tolist() == columns
    assert learner.classes_.tolist() == ["high", "low", "mid"]
    assert (learner.predict(frame[columns]) == frame["target"]).mean() > 0.8


@pytest.mark.slow
def test_a_worker_killed_in_mid_fit_does_not_change_the_forest(monkeypatch):
    frame = keyed_frame(5, task="numbers")
    memory = in_memory(forest("numbers", max_depth=6), frame)
    monkeypatch.setattr(PartitionedRows, "most_fetched_codes", 0)
    with local_cluster() as client:
        route, killed, lock = PartitionedRows.route, [], Lock()

        def kill_and_route(self, routes):
            # Several trees grow side by side.
            with lock:
                if len(routes) > 1 and not killed:
                    killed.append(next(iter(client.run(os.getpid).values())))
                    os.kill(killed[0], signal.SIGKILL)
            return route(self, routes)

        monkeypatch.setattr(PartitionedRows, "route", kill_and_route)
        given = dd.from_pandas(frame, npartitions=6, sort=False)
        made = forest("numbers", max_depth=6).fit(given, "target").model_
    assert killed
    same(memory, made)


def test_predictions_are_a_lazy_frame(tmp_path):
    frame = keyed_frame(6)
    with in_dask(tmp_path) as place:
        model = forest("classes").fit(place(frame), "target").model_
        found = predict_lazily(model, place(frame))["prediction"].compute()
    assert found.tolist() == model.predict(frame[[*model.schema.names]]).tolist()


def test_progress_is_reported_by_tree(tmp_path):
    shares = []
    with in_dask_by_levels(tmp_path) as place, watched(shares.append):
        forest("classes", 4, max_depth=3).fit(place(keyed_frame(7)), "target")
    assert shares == [0.25, 0.5, 0.75, 1.0]


@pytest.mark.parametrize(
    ("parameters", "error", "named"),
    [
        ({"max_bins": None, "row_key": None, "sampling": "drawn"}, ParameterError, "max_bins is None"),
        ({"row_key": None}, ParameterError, "row_key is None; .* choose bootstrap=False"),
        ({"row_key": "nr"}, TableError, "nr"),
        ({"oob_score": True}, ParameterError, "oob_score is not supported on a cluster"),
        ({"warm_start": True}, ParameterError, "warm_start is not supported on a cluster"),
        ({"nominal": "randomforest"}, ParameterError, "nominal is 'randomforest'"),
        ({"class_weight": "balanced_subsample"}, ParameterError, "class_weight is 'balanced_subsample'"),
        ({"monotonic_cst": {"a": 1}}, ParameterError, "monotonic_cst is not supported with max_bins"),
        ({"max_samples": {"low": 5}}, ParameterError, "max_samples is"),
    ],
    ids=str,
)
def test_what_cannot_be_done_is_refused_by_name(tmp_path, parameters, error, named):
    with in_dask(tmp_path) as place, pytest.raises(error, match=named):
        forest("classes", **parameters).fit(place(keyed_frame(8)), "target")


def test_forests_in_a_database_and_extra_trees_on_a_cluster_are_refused(tmp_path):
    frame = keyed_frame(9)
    with (
        in_dask(tmp_path) as place,
        pytest.raises(ParameterError, match="ExtraTreesClassifier is not fitted"),
    ):
        bough.ExtraTreesClassifier().fit(place(frame), "target")
    with (
        PLACES["duckdb"](tmp_path) as place,
        pytest.raises(ParameterError, match="is not fitted in a database"),
    ):
        forest("classes").fit(place(frame), "target")


@pytest.mark.parametrize("task", ["classes", "numbers"])
def test_trees_that_draw_no_row_are_those_of_memory(task, tmp_path):
    frame = keyed_frame(5, n=12, task=task)
    with in_dask(tmp_path) as place:
        one, other = both(place, forest(task, n_trees=12, max_samples=1), frame)
    assert one.n_trees == 12
    assert min(tree.cases[0] for tree in one.trees) > 0
    assert one == other


@pytest.mark.parametrize("learner", [forest("classes"), bough.CARTClassifier(sampling="hash", row_key="id")])
@pytest.mark.parametrize("dtype", [object, "string", "float64"])
def test_rows_without_a_key_are_drawn_as_in_memory(learner, dtype, tmp_path):
    frame = keyed_frame(6)
    keys = [None if number % 5 == 0 else number for number in range(len(frame))]
    texts = [None if key is None else f"r{key}" for key in keys]
    frame["id"] = pd.Series(keys if dtype == "float64" else texts, dtype=dtype)
    with in_dask(tmp_path) as place:
        one, other = both(place, learner.set_params(max_bins=16), frame)
    assert one == other


def test_samples_of_rows_that_are_elsewhere_are_refused():
    made = forest("classes").fit(dd.from_pandas(keyed_frame(4), npartitions=3), "target")
    with pytest.raises(ParameterError, match="not in memory"):
        made.in_bag()
