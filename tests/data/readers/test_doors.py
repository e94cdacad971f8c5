"""What is not a table is read, or refused with advice that is right."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

import bough
from bough.data.readers import divided
from bough.data.table import Table
from bough.errors import ColumnTypeError, ParameterError, SchemaError, TableError, TargetError

FRAME = pl.DataFrame({"a": [1.0, 2.0, 3.0, 4.0] * 3, "b": ["x", "y", "x", "z"] * 3})
Y = ["no", "no", "yes", "yes"] * 3


@pytest.mark.parametrize(
    "learner",
    [
        bough.TreeClassifier(),
        bough.C45Classifier(),
        bough.RandomForestClassifier(5, random_state=0),
        bough.BaggingClassifier(n_estimators=3, random_state=0),
    ],
    ids=lambda learner: type(learner).__name__,
)
def test_a_lazy_frame_is_collected(learner):
    model = learner.fit(FRAME.lazy(), Y)
    assert model.feature_names_in_.tolist() == ["a", "b"]
    answers = model.predict(FRAME.lazy())
    assert (answers == model.predict(FRAME)).all()
    assert (model.model_.predict(FRAME.lazy()) == answers).all()
    with pytest.raises(SchemaError, match="feature_names_in_"):
        model.predict(FRAME.lazy().select("b", "a"))


def test_imputers_and_forests_without_a_target_collect_lazy_frames():
    filled = bough.MeanImputer().fit(FRAME.lazy()).transform(FRAME.lazy())
    assert filled[:, 0].tolist() == FRAME["a"].to_list()
    assert bough.UnsupervisedRandomForest(3, random_state=0).fit(FRAME.lazy()).n_features_in_ == 2
    assert bough.missingness(FRAME.lazy()).names == ("a", "b")
    assert bough.compare(FRAME.lazy(), Y, [bough.TreeClassifier()], cv=2).n_rows == 12


def test_a_row_of_a_frame_has_a_path():
    frame = FRAME.to_pandas()
    model = bough.TreeClassifier().fit(frame, Y)
    path = ["a < 2.5"]
    for row in (
        frame.iloc[0],
        frame.iloc[[0]],
        dict(frame.iloc[0]),
        FRAME[0],
        FRAME.row(0, named=True),
        [1, "x"],
    ):
        assert model.tree_.path_of(row) == path
    with pytest.raises(SchemaError, match="The row and the tree differ in column 'b'"):
        model.tree_.path_of(frame.iloc[0].rename({"b": "c"}))


def test_a_dict_or_a_series_is_refused_with_advice_that_works():
    frame = FRAME.to_pandas()
    model = bough.TreeClassifier().fit(frame, Y)
    row, columns = dict(frame.iloc[0]), frame.to_dict("list")
    for predict in (model.predict, model.tree_.predict):
        for given in (row, columns):
            with pytest.raises(ColumnTypeError, match=r"pandas.DataFrame\(\[X\]\) if it is one row"):
                predict(given)
        with pytest.raises(TableError, match=r"X.to_frame\(\).T if it is one row"):
            predict(frame.iloc[0])
        assert predict(pd.DataFrame([row])).tolist() == ["no"]
        assert predict(pd.DataFrame(columns)).tolist() == Y
        assert predict(frame.iloc[0].to_frame().T).tolist() == ["no"]


@pytest.mark.parametrize("X", [FRAME, FRAME.to_pandas(), FRAME.to_arrow(), FRAME.to_numpy()])
def test_the_order_of_text_is_asked_for(X):
    last = "x1" if isinstance(X, np.ndarray) else "b"
    with pytest.raises(
        ParameterError, match=rf"Give them in increasing order, .*{{'{last}': \['x', 'y', 'z'\]}}"
    ):
        bough.TreeClassifier(ordinal_features=[last]).fit(X, Y)
    model = bough.TreeClassifier(ordinal_features={last: ["z", "x", "y"]}).fit(X, Y)
    assert model.tree_.schema[1].levels == ("z", "x", "y")
    sizes = pd.DataFrame({"s": pd.Categorical(["s", "l"], ["s", "m", "l"])})
    schema = bough.TreeClassifier(ordinal_features=["s"]).fit(sizes, [0, 1]).tree_.schema
    assert schema[0].levels == ("s", "m", "l")


def test_a_column_of_a_table_is_divided_from_the_others():
    table = Table.read([[1.0, "a", 0.5], [2.0, None, 0.7]])
    rest, keys = divided(table, "x0", "row_key")
    assert (rest.schema.names, keys.tolist()) == (("x1", "x2"), [1, 2])
    assert keys.dtype == np.int64
    assert divided(table, "x1")[1].tolist() == ["a", None]
    assert divided(table, "x2")[1].tolist() == [0.5, 0.7]
    with pytest.raises(TargetError, match="row_key is 'id', which is not a column of X"):
        divided(table, "id", "row_key")
    with pytest.raises(TargetError, match=r"row_key is 'id', but X has no column names; give X as a frame\."):
        divided(np.zeros((2, 2)), "id", "row_key")
