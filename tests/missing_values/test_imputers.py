"""Imputers fill what is missing and nothing else."""

import pandas as pd
import pytest

import bough
from bough import ConditionalMeanImputer, MeanImputer


@pytest.mark.parametrize(
    "learned",
    [["a", "b", "b", None], [1, 2, 2, None], pd.Categorical(["a", "b", "b", None], ordered=True)],
    ids=["text", "numbers as levels", "ordinal"],
)
def test_a_level_that_fit_has_not_seen_is_known_and_stays(learned):
    X = pd.DataFrame({"x": pd.Categorical(learned)})
    new = "z" if isinstance(X["x"].cat.categories[0], str) else 9
    for imputer in (MeanImputer(), ConditionalMeanImputer(given=["x"])):
        imputer.fit(X)
        seen, rows = X["x"].iloc[0], pd.DataFrame({"x": pd.Categorical([new, None, X["x"].iloc[0]])})
        assert imputer.transform(rows).ravel().tolist() == [new, X["x"].iloc[1], seen]
        # A second call does not know it either.
        assert imputer.transform(rows).ravel().tolist() == [new, X["x"].iloc[1], seen]


def test_the_missing_values_of_a_table_of_one_column_print():
    printed = str(bough.missingness([[1.0], [None], [2.0]]))
    assert "column  missing  share\nx0            1  33.3%" in printed
    assert "x0 is missing in some rows, and there is no other column to predict it." in printed
    assert "Missing in every row: x0" in str(bough.missingness([[None], [None]]))
