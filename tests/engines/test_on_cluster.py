"""Growth in the partitions of a Dask DataFrame: lost workers, subtrees on a worker, and what is refused."""

import os
import signal

import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from tests.engines.places import in_dask, local_cluster
from tests.engines.rows import NAMES, both, random_frame, same

import bough
from bough import CARTClassifier, CARTRegressor, TreeClassifier, TreeRegressor
from bough.data.partitions import summary
from bough.engines import partition_coding, partitioned
from bough.engines.partitioned import PartitionedRows
from bough.errors import ColumnTypeError, ParameterError, TableError, TargetError, WeightError
from bough.export import predict_lazily
from bough.progress import watched, watched_levels

pytestmark = pytest.mark.slow


@pytest.fixture
def place(tmp_path):
    with in_dask(tmp_path) as made:
        yield made


@pytest.mark.slow
def test_a_worker_killed_in_mid_fit_does_not_change_the_tree(monkeypatch):
    frame = random_frame(1, task="numbers")
    learner = CARTRegressor(max_bins=16, prune="none", max_depth=6)
    names = [name for name in frame if name != "target"]
    memory = learner.fit(frame[names], frame["target"]).tree_
    monkeypatch.setattr(PartitionedRows, "most_fetched_codes", 0)
    with local_cluster() as client:
        route, killed = PartitionedRows.route, []

        def kill_and_route(self, routes):
            if len(routes) > 1 and not killed:
                killed.append(next(iter(client.run(os.getpid).values())))
                os.kill(killed[0], signal.SIGKILL)
            return route(self, routes)

        monkeypatch.setattr(PartitionedRows, "route", kill_and_route)
        tree = learner.fit(dd.from_pandas(frame, npartitions=6, sort=False), "target").tree_
    assert killed
    same(memory, tree)


@pytest.mark.parametrize("most", [0, 60 * 6, 2**24])
def test_subtrees_grown_on_a_worker_are_those_of_memory(place, monkeypatch, most):
    """None of the nodes, those of up to 60 cases, or the whole tree."""
    monkeypatch.setattr(PartitionedRows, "most_fetched_codes", most)
    counted, tasks = [], partitioned._histograms

    def count(partition, position, leaves):
        counted.extend(leaves)
        return tasks(partition, position, leaves)

    monkeypatch.setattr(partitioned, "_histograms", count)
    memory, tree = both(
        place, CARTClassifier(max_bins=9, prune="none", missing="surrogates_then_majority"), random_frame(2)
    )
    same(memory, tree)
    large = {node for node in range(tree.n_nodes) if tree.cases[node] * len(NAMES) > most}
    assert len({*counted}) <= len(large)
    assert bool(counted) == (most < 2**24)


@pytest.mark.parametrize("weights", [None, "whole"])
def test_a_column_of_many_values_has_the_bins_of_memory(place, monkeypatch, weights):
    """Values are collected near the ranks at which bins end, from closer pivots where they are many."""
    monkeypatch.setattr(summary, "MOST_VALUES", 20)
    monkeypatch.setattr(partition_coding, "N_PIVOTS", 2)
    rounds, between = [], partition_coding.cases_between
    monkeypatch.setattr(
        partition_coding, "cases_between", lambda *arguments: rounds.append(1) or between(*arguments)
    )
    frame = random_frame(3, weights=weights)
    same(*both(place, TreeClassifier(max_bins=7, max_depth=4), frame))
    assert len(rounds) >= 3


def test_partitions_may_be_empty_and_differ_in_their_levels(monkeypatch):
    frame = random_frame(4, n=90)
    frame["day"] = pd.Timestamp("2024-01-01") + pd.to_timedelta(np.arange(90) * 24, unit="h")
    frame.loc[50:, "day"] += pd.Timedelta("90min")
    parts = [frame[:30].assign(s="x"), frame[:0], frame[30:31].assign(s=None, a=np.nan), frame[31:]]
    given = dd.concat([dd.from_pandas(part, npartitions=1) for part in parts])
    joined = pd.concat(parts)
    learner = CARTClassifier(max_bins=9, prune="none")
    same(
        learner.fit(joined.drop(columns="target"), joined["target"]).tree_,
        learner.fit(given, "target").tree_,
    )


@pytest.mark.parametrize(
    ("learner", "options", "error", "named"),
    [
        (CARTClassifier(), {}, ParameterError, "max_bins is None"),
        (CARTClassifier(max_bins=8, n_competitors=2), {}, ParameterError, "n_competitors"),
        (CARTClassifier(max_bins=8), {"y": "targett"}, TableError, "did you mean 'target'"),
        (CARTClassifier(max_bins=8), {"y": "b"}, TargetError, "no value in"),
        (CARTClassifier(max_bins=8), {"sample_weight": "a"}, WeightError, "finite number"),
        (CARTRegressor(max_bins=8), {}, TargetError, "y is text"),
        (TreeRegressor("poisson"), {"y": "k"}, ParameterError, "criterion is 'poisson'"),
        (bough.C45Classifier(), {}, ParameterError, "C45Classifier does not grow trees on a cluster"),
        (TreeClassifier(max_bins=8), {"sample_weight": [1.0]}, ParameterError, "sample_weight is 'list'"),
    ],
    ids=str,
)
def test_what_cannot_be_done_is_refused_by_name(place, learner, options, error, named):
    with pytest.raises(error, match=named):
        learner.fit(place(random_frame(5)), **({"y": "target"} | options))


def test_a_column_of_two_types_is_refused():
    frame = random_frame(6, n=40)
    parts = [frame[:20], frame[20:].assign(a="x")]
    given = dd.from_map(lambda number: parts[number], [0, 1], meta=frame[:0], enforce_metadata=False)
    with pytest.raises(ColumnTypeError, match="'a' holds numbers and text in different partitions"):
        CARTClassifier(max_bins=8).fit(given, "target")


def test_a_table_that_changes_during_the_fit_is_refused(place, monkeypatch):
    read, calls = partition_coding.coded, []

    def changed(frame, *arguments):
        calls.append(1)
        return read(frame[1:] if len(calls) == 1 else frame, *arguments)

    monkeypatch.setattr(partition_coding, "coded", changed)
    with pytest.raises(TableError, match="was changed during the fit"):
        CARTClassifier(max_bins=8).fit(place(random_frame(7)), "target")


def test_progress_is_reported_by_level(place, monkeypatch):
    monkeypatch.setattr(PartitionedRows, "most_fetched_codes", 0)
    shares, levels = [], []
    with watched(shares.append), watched_levels(levels.append):
        CARTClassifier(max_bins=8, max_depth=4, prune="none").fit(place(random_frame(8)), "target")
    assert len(shares) == 4
    assert shares[0] == 0.0
    assert shares == sorted(shares)
    assert shares[-1] > 0.7
    assert [each.share for each in levels] == shares
    assert [each.level for each in levels] == [0, 1, 2, 3]
    assert (levels[0].n_leaves, levels[0].cases, levels[0].seconds_left) == (1, 300, None)
    assert levels[-1].n_leaves > 2
    assert all(each.cases <= 300 and each.seconds_left >= 0 for each in levels[1:])


def test_a_tree_of_a_cluster_is_grown_again_in_memory(place):
    frame = random_frame(9)
    tree = CARTClassifier(max_bins=9, cv=4).fit(place(frame), "target").tree_
    assert tree.n_leaves > 2
    assert bough.regrow(tree, frame[NAMES], frame["target"]) == tree


@pytest.mark.parametrize("learner", [CARTClassifier(max_bins=9), CARTRegressor(max_bins=9)], ids=repr)
def test_predictions_are_a_lazy_frame(place, learner):
    task = "numbers" if isinstance(learner, CARTRegressor) else "classes"
    frame = random_frame(10, task=task)
    model = learner.fit(place(frame), "target").model_
    lazy = predict_lazily(model, place(frame))
    assert isinstance(lazy, dd.DataFrame)
    assert lazy["prediction"].compute().tolist() == model.predict(frame[NAMES]).tolist()
    with pytest.raises(ParameterError, match="a Dask or a Spark DataFrame"):
        predict_lazily(model, frame)
