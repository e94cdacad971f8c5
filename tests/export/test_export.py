"""Trees in other languages answer as the tree does."""

import dataclasses
import re
import sqlite3
from contextlib import closing

import duckdb
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import bough
from bough.errors import ParameterError
from bough.export import to_dot, to_sql


@pytest.fixture(scope="module")
def drawn():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "a": rng.normal(size=400),
            'b "quoted"': rng.choice(["x", "it's", "z"], 400),
            "size": pd.Categorical(rng.choice(["s", "m", "l"], 400), ["s", "m", "l"], ordered=True),
        }
    )
    frame.loc[::7, "a"] = np.nan
    frame.loc[::9, 'b "quoted"'] = None
    return frame, frame["a"].fillna(0) + (frame["size"] == "m") + (frame['b "quoted"'] == "x")


@pytest.mark.parametrize("nominal", ["subset", "complete", "one_vs_rest"])
@pytest.mark.parametrize("task", ["classification", "regression"])
def test_sql_answers_as_the_tree_does(drawn, nominal, task):
    frame, y = drawn
    if task == "classification":
        model = bough.TreeClassifier(nominal=nominal, max_depth=5).fit(frame, np.where(y > 0.8, "it's", "no"))
    else:
        model = bough.TreeRegressor(nominal=nominal, max_depth=5).fit(frame, y)
    connection = duckdb.connect()
    connection.register("rows", frame.astype({"size": str}))
    query = f"SELECT {to_sql(model.tree_)} AS answer FROM rows"
    answers = connection.execute(query).fetchnumpy()["answer"]
    if task == "classification":
        assert answers.tolist() == model.predict(frame).tolist()
    else:
        assert answers.tolist() == model.predict(frame).tolist()


@pytest.mark.skipif(not hasattr(bough.Tree, "surrogates_of"), reason="trees keep no surrogates")
def test_sql_follows_surrogates(drawn):
    frame, y = drawn
    rows = frame.assign(twin=frame["a"].shift(1).fillna(0) * 0.1 + y)
    model = bough.TreeRegressor(missing="surrogates_then_majority", max_depth=4).fit(rows, y)
    connection = duckdb.connect()
    connection.register("rows", rows.astype({"size": str}))
    answers = connection.execute(f"SELECT {to_sql(model.tree_)} AS answer FROM rows").fetchnumpy()["answer"]
    assert answers.tolist() == model.predict(rows).tolist()


@pytest.mark.parametrize("missing", ["majority", "surrogates_then_majority", "surrogates_then_stop", "stop"])
def test_nan_and_null_are_answered_alike(missing):
    """With either sign of the target, so that the majority is below the cut once and above it once."""
    rng = np.random.default_rng(0)
    rows = np.round(rng.normal(size=(300, 3)), 2)
    rows[rng.random(rows.shape) < 0.15] = np.nan
    for sign in (1.0, -1.0):
        y = np.nan_to_num(sign * rows[:, 0]) > 0.7
        tree = bough.TreeClassifier(missing=missing, max_depth=4).fit(rows, np.where(y, "a", "b")).tree_
        columns = {name: pa.array(rows[:, i]) for i, name in enumerate(tree.schema.names)}
        connection = duckdb.connect()
        connection.register("with_nan", pa.table(columns))
        assert connection.execute("SELECT count(*) FROM with_nan WHERE isnan(x0)").fetchall()[0][0] > 20
        nulls = ", ".join(f"CASE WHEN isnan({name}) THEN NULL ELSE {name} END AS {name}" for name in columns)
        for source in ("with_nan", f"(SELECT {nulls} FROM with_nan)"):
            answers = connection.execute(f"SELECT {to_sql(tree)} AS answer FROM {source}").fetchnumpy()
            assert answers["answer"].tolist() == tree.predict(rows).tolist()
        # SQLite stores NaN as NULL.
        with closing(sqlite3.connect(":memory:")) as lite:
            lite.execute("CREATE TABLE rows (x0 REAL, x1 REAL, x2 REAL)")
            lite.executemany("INSERT INTO rows VALUES (?, ?, ?)", rows.tolist())
            found = lite.execute(f"SELECT {to_sql(tree)} FROM rows ORDER BY rowid").fetchall()
        assert [answer for (answer,) in found] == tree.predict(rows).tolist()


def test_dot_has_a_line_a_node_and_an_edge(drawn):
    frame, y = drawn
    tree = bough.TreeRegressor(max_depth=3).fit(frame, y).tree_
    text = to_dot(tree)
    assert len(re.findall(r"^  \d+ \[", text, re.MULTILINE)) == tree.n_nodes
    assert text.count(" -> ") == tree.n_nodes - 1
    for line in text.splitlines()[3:-1]:
        assert line.replace('\\"', "").count('"') == 2


@pytest.mark.parametrize("learner", [bough.C45Classifier, bough.C50Classifier])
def test_cuts_that_belong_below_are_written_so(drawn, learner):
    frame, y = drawn
    tree = learner().fit(frame, np.where(y > 0.8, "it's", "no")).tree_
    with pytest.raises(ParameterError, match="down all branches"):
        to_sql(tree)
    one_way = dataclasses.replace(tree, share=None)
    assert "<=" in to_sql(one_way)
    connection = duckdb.connect()
    connection.register("rows", frame.astype({"size": str}))
    answers = connection.execute(f"SELECT {to_sql(one_way)} AS answer FROM rows").fetchnumpy()["answer"]
    assert answers.tolist() == one_way.predict(frame).tolist()
