"""What bad and odd input does at every public door; docs/howto/bad-input.md shows the same list.

`BOUGH_RENEW_GOLDENS=1 pytest tests/test_bad_input.py` writes the tables of that page anew.
"""

import datetime as dt
import json
import os
import re
import warnings
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse
from sklearn.exceptions import DataConversionWarning, NotFittedError

import bough
from bough.errors import (
    BoughError,
    ColumnTypeError,
    FormatError,
    ParameterError,
    SchemaError,
    TableError,
    TargetError,
    WeightError,
)
from bough.example_models import iris_tree
from bough.tree import Tree

PAGE = Path(__file__).parents[1] / "docs" / "howto" / "bad-input.md"

X = [[1.0, 5.0], [2.0, 6.0], [3.0, 7.0], [4.0, 8.0]]
Y = ["a", "a", "b", "b"]
NUMBERS = [1.0, 2.0, 3.0, 4.0]
FRAME = pd.DataFrame({"age": [1.0, 2.0, 3.0, 4.0], "city": ["Oslo", "Pisa", "Riga", "Riga"]})


class Kind(NamedTuple):
    """One kind of input: in words, the error it gives with what its message holds, or what it does."""

    words: str
    act: Callable[[], object]
    error: type[Exception] | None = None
    message: str = ""
    does: str = ""


def refused(words: str, error: type[Exception], message: str, act: Callable[[], object]) -> Kind:
    return Kind(words, act, error, message)


def works(words: str, does: str, act: Callable[[], object]) -> Kind:
    """A kind of input that is right though it looks odd; `act` returns whether `does` is so."""
    return Kind(words, act, does=does)


def classify(X=X, y=Y, sample_weight=None, **parameters):
    return bough.TreeClassifier(**parameters).fit(X, y, sample_weight=sample_weight)


def regress(X=X, y=NUMBERS, sample_weight=None, **parameters):
    return bough.TreeRegressor(**parameters).fit(X, y, sample_weight=sample_weight)


EIGHT = [[float(i), float(i % 3)] for i in range(8)]
SIDES = ["a", "a", "b", "b", "a", "a", "b", "b"]


def cart(y=SIDES, sample_weight=None, **parameters):
    return bough.CARTClassifier(**parameters).fit(EIGHT, y, sample_weight)


def count_events(exposure=None, **parameters):
    y = [0, 1, 2, 3, 4, 5, 6, 7]
    return bough.CARTRegressor(**{"criterion": "poisson"} | parameters).fit(EIGHT, y, exposure=exposure)


def parameter(name: str, value: object, want: str, fit: Callable[..., object] = classify) -> Kind:
    words = f"`{name}={value!r}`"
    return refused(words, ParameterError, want, lambda: fit(**{name: value}))


def column(*values, name="x"):
    return pd.DataFrame({name: list(values)})


def same(ours: Tree, theirs: Tree) -> bool:
    return ours.to_json()["nodes"] == theirs.to_json()["nodes"]


TABLES = [
    refused("an empty list", TableError, "X is empty: 0 sample(s)", lambda: classify([], [])),
    refused("no rows", TableError, "0 sample(s) (shape=(0, 3))", lambda: classify(np.zeros((0, 3)), [])),
    refused("no columns", TableError, "0 feature(s) (shape=(4, 0))", lambda: classify(np.zeros((4, 0)))),
    refused("one dimension", TableError, "Reshape your data", lambda: classify([1.0, 2.0, 3.0, 4.0])),
    refused("three dimensions", TableError, "3 dimensions, want 2", lambda: classify(np.zeros((4, 2, 2)))),
    refused("a series for a table", TableError, "such as X.to_frame()", lambda: classify(FRAME["age"])),
    refused(
        "rows of different lengths", TableError, "make them equally long", lambda: classify([[1], [1, 2]])
    ),
    refused("a list of dicts", TableError, "pandas.DataFrame(X)", lambda: classify([{"a": 1}, {"a": 2}])),
    refused("None for a table", ColumnTypeError, "X is a NoneType", lambda: classify(None)),
    refused("the name of a file", ColumnTypeError, "X is a str", lambda: classify("iris.csv")),
    refused(
        "a sparse matrix of truth values",
        ColumnTypeError,
        "Use X.astype(float) to split them as 0 and 1",
        lambda: classify(scipy.sparse.eye(4, dtype=bool)),
    ),
    refused(
        "a structured array",
        TableError,
        "structured array with fields 'a', 'b'",
        lambda: classify(np.zeros(4, dtype=[("a", "f8"), ("b", "f8")])),
    ),
    refused(
        "a masked array",
        TableError,
        "X.filled(numpy.nan)",
        lambda: classify(np.ma.masked_array(X, np.array(X) > 7)),
    ),
    refused(
        "complex numbers", ColumnTypeError, "column 'x0' holds complex", lambda: classify(np.eye(4) + 1j)
    ),
    refused(
        "long doubles",
        ColumnTypeError,
        "Cast it to float64",
        lambda: classify(np.array(X, dtype=np.longdouble)),
    ),
    refused("bytes for text", ColumnTypeError, "Decode it to text", lambda: classify(np.array([[b"a"]] * 4))),
    refused(
        "integers beyond 2^53",
        TableError,
        "Column 'x' holds 9007199254740993, beyond ±2**53",
        lambda: classify(column(1, 2, 3, 2**53 + 1)),
    ),
    refused(
        "numbers and text in a column",
        ColumnTypeError,
        "Column 'x' mixes int and str, such as 1 and 'two'",
        lambda: classify(column(1, "two", 3, 4)),
    ),
    refused(
        "dicts in cells",
        ColumnTypeError,
        "Column 'x' holds values of type dict",
        lambda: classify(column({}, {}, {}, {})),
    ),
    refused(
        "lists in cells",
        ColumnTypeError,
        "Column 'x' holds values of type list",
        lambda: classify(column([1], [2], [3], [4])),
    ),
    refused(
        "dates and text in a column",
        ColumnTypeError,
        "Column 'x' mixes date and str",
        lambda: classify(column(dt.date(2024, 2, 29), "today", None, None)),
    ),
    refused(
        "dates with and without a time zone",
        ColumnTypeError,
        "some dates have a time zone and others do not",
        lambda: classify(column(*[dt.datetime(2024, 2, 29, tzinfo=zone) for zone in (None, dt.UTC)] * 2)),
    ),
    refused(
        "numbers for dates",
        SchemaError,
        "Column 'x' is numbers; the tree was grown on dates",
        lambda: classify(column(*pd.date_range("2024-02-28", periods=4))).predict(column(1, 2, 3, 4)),
    ),
    refused(
        "a dict for X",
        ColumnTypeError,
        "pandas.DataFrame([X]) if it is one row",
        lambda: classify().predict({"x0": 1.0}),
    ),
    refused(
        "text in ordinal_features",
        ParameterError,
        "the order of its levels is not known",
        lambda: classify(column("low", "high", "low", "high"), ordinal_features=["x"]),
    ),
    refused(
        "two columns of one name",
        TableError,
        "Rename the columns so that each name occurs once",
        lambda: classify(pd.DataFrame(X, columns=["a", "a"])),
    ),
    refused(
        "names that are not text",
        ColumnTypeError,
        "Name all columns by strings",
        lambda: classify(pd.DataFrame(X, columns=[1, "b"])),
    ),
    refused(
        "an empty name", TableError, "has an empty name", lambda: classify(pd.DataFrame(X, columns=["", "b"]))
    ),
    refused(
        "numbers for ID3",
        TableError,
        "Column 'x0' is numeric, and ID3 splits nominal columns only",
        lambda: bough.ID3Classifier().fit(X, Y),
    ),
    refused(
        "missing values under missing='refuse'",
        TableError,
        "Column 'x0' has missing values in 1 rows",
        lambda: classify([[1.0], [None], [2.0], [3.0]], missing="refuse"),
    ),
]

NOT_WHOLE = "it must be a whole number from 0 to 2147483647"
NOT_FINITE = "it must be a finite number of at least 0"
PAIR = (range(4), range(4, 8))

TARGETS = [
    refused("y is None", TargetError, "the target y is None", lambda: classify(y=None)),
    refused("y of another length", TargetError, "X has 4 rows and y has 3", lambda: classify(y=Y[:3])),
    refused("no y at all", TargetError, "y is empty: 0 sample(s)", lambda: classify(y=[])),
    refused("one value for y", TargetError, "got 3 instead", lambda: classify(y=3)),
    refused(
        "y of two columns for C4.5",
        TargetError,
        "y should be a 1d array",
        lambda: bough.C45Classifier().fit(X, [[1, 2]] * 4),
    ),
    refused(
        "a missing value in the second of two targets",
        TargetError,
        "Target 'y1': Input y contains NaN. Row 0",
        lambda: classify(y=[[1, None]] * 4),
    ),
    refused(
        "a missing class",
        TargetError,
        "Input y contains NaN. Row 1",
        lambda: classify(y=["a", None, "b", "b"]),
    ),
    refused(
        "a missing number in y",
        TargetError,
        "Input y contains NaN. Row 3",
        lambda: regress(y=[1, 2, 3, np.nan]),
    ),
    refused("an infinity in y", TargetError, "infinity", lambda: regress(y=[1, 2, 3, -np.inf])),
    refused(
        "fractions for classes",
        TargetError,
        "Unknown label type: continuous",
        lambda: classify(y=[0.5, 1, 2, 3]),
    ),
    refused(
        "text for numbers", TargetError, "y is text, but numbers are to be predicted", lambda: regress(y=Y)
    ),
    refused("classes of mixed types", TargetError, "mixes int and str", lambda: classify(y=["a", 1, "b", 2])),
    refused("complex y", TargetError, "Complex data not supported", lambda: regress(y=[1j, 2, 3, 4])),
    refused(
        "dates for y",
        TargetError,
        "Take numbers from it",
        lambda: regress(y=pd.date_range("2024", periods=4)),
    ),
    refused(
        "numbers whose squares are infinite",
        TargetError,
        "y goes from -1e+308 to 1e+308: its errors sum to infinity",
        lambda: regress(y=[-1e308, 0, 1, 1e308]),
    ),
    refused(
        "a negative number of events",
        TargetError,
        "Some value(s) of y are negative, such as -1.0",
        lambda: regress(y=[-1, 0, 1, 2], criterion="poisson"),
    ),
    refused(
        "no events at all",
        TargetError,
        "sum of y is not positive",
        lambda: regress(y=[0, 0, 0, 0], criterion="poisson"),
    ),
    refused(
        "a number of events next to nothing",
        TargetError,
        "y holds 5e-324, too little",
        lambda: regress(y=[5e-324, 0, 1, 2], criterion="poisson"),
    ),
]

EXPOSURES = [
    refused(
        f"an exposure of {value}",
        TargetError,
        f"exposure holds {float(value)} in row 7; it must be a finite number above 0",
        lambda value=value: count_events([1] * 7 + [value]),
    )
    for value in (0, -1, np.nan, np.inf)
] + [
    refused("too few exposures", TargetError, "exposure has 3 entries", lambda: count_events([1, 1, 1])),
    refused("too many exposures", TargetError, "give one for each of 8 rows", lambda: count_events([1] * 9)),
    refused("one exposure", TargetError, "exposure should be a 1d array", lambda: count_events(2)),
    refused("text for exposures", TargetError, "exposure holds text", lambda: count_events(["a"] * 8)),
    refused(
        "exposures next to nothing",
        TargetError,
        "exposure goes from 1e-320 to 1e-320",
        lambda: count_events([1e-320] * 8),
    ),
    refused(
        "exposures that sum to infinity",
        TargetError,
        "beyond float64. Give it in another unit",
        lambda: count_events([1e308] * 8),
    ),
    refused(
        "exposures where no events are counted",
        ParameterError,
        "None unless the criterion is 'poisson'",
        lambda: count_events([1] * 8, criterion="squared_error"),
    ),
]

STAKES = [
    parameter("prior", [0.2, 0.7], "prior sums to 0.9; priors are probabilities and sum to 1", cart),
    parameter("prior", [-0.5, 1.5], "prior of class 'a' is -0.5; it must be from 0 to 1", cart),
    parameter("prior", [np.nan, 1], "prior of class 'a' is nan", cart),
    parameter("prior", [0, 1], "prior of class 'a' is 0; leave its rows out instead", cart),
    parameter("prior", [0.2, 0.3, 0.5], "give one number for each of the 2 classes", cart),
    parameter("prior", 0.5, "prior has shape ()", cart),
    parameter("prior", [[0.5], 0.5], "whose rows differ in length", cart),
    parameter("prior", {"a": 0.5, "q": 0.5}, "prior names class 'q', but the classes are 'a', 'b'", cart),
    parameter("prior", {"a": 1.0}, "prior has no entry for class 'b'; give one for every class", cart),
    parameter("prior", {"a": [0.5], "b": [0.5]}, "it must be made of numbers", cart),
    parameter("prior", "half", "'equal', a dict from class to prior, or a prior for each class", cart),
    parameter("prior", ["x", "y"], "prior is ['x', 'y']; it must be made of numbers", cart),
    parameter("loss_matrix", [[0, -1], [1, 0]], "loss of predicting 'b' for 'a' is -1.0", cart),
    parameter("loss_matrix", [[0, np.nan], [1, 0]], "loss of predicting 'b' for 'a' is nan", cart),
    parameter(
        "loss_matrix", [[0, 1], [1, 2]], "loss of predicting 'b' for itself is 2.0; it must be 0", cart
    ),
    parameter(
        "loss_matrix",
        [[0, 1]],
        "loss_matrix has shape (1, 2); there are 2 classes, so it must be (2, 2)",
        cart,
    ),
    parameter("loss_matrix", [[0, 1], [1]], "whose rows differ in length", cart),
    parameter(
        "loss_matrix",
        [[0, 0], [0, 0]],
        "loss_matrix is 0 everywhere; at least one loss must be positive",
        cart,
    ),
    parameter(
        "loss_matrix", {("a", "q"): 2}, "a key is (true class, predicted class), of classes 'a', 'b'", cart
    ),
    parameter("loss_matrix", {"a": 2}, "loss_matrix names 'a'", cart),
    parameter("loss_matrix", {("a", "b"): "much"}, "it must be made of numbers", cart),
    parameter("loss_matrix", "much", "loss_matrix has shape ()", cart),
    refused(
        "a prior with a criterion of your own",
        ParameterError,
        "prior and loss_matrix need one of bough's own criteria; give class_weight instead",
        lambda: cart(criterion=lambda children: np.zeros(len(children)), prior="equal", prune="none"),
    ),
]

CROSS_VALIDATION = [
    parameter("cv", 1, "a whole number of at least 2, or the fold of each row", cart),
    parameter("cv", 2.5, "a number of folds, the fold of each row, or a scikit-learn splitter", cart),
    parameter("cv", True, "cv is True", cart),
    parameter("cv", "ten", "cv is 'ten'", cart),
    parameter("cv", None, "given for prune='one_se', which uses cross-validation", cart),
    parameter("cv", [], "cv has 0 entries; give the fold of each of 8 rows", cart),
    parameter("cv", [0] * 8, "cv puts every row into the same fold; give at least 2 folds", cart),
    parameter("cv", [0, 1] * 3, "cv has 6 entries; give the fold of each of 8 rows", cart),
    parameter("cv", [0, 1] * 5, "cv has 10 entries; give the fold of each of 8 rows", cart),
    parameter("cv", [0, 1, 2, None] * 2, "cv holds None in row 3", cart),
    parameter("cv", [0, 1, 2, np.nan] * 2, "cv holds nan in row 3", cart),
    parameter("cv", [0, 0, 1, 1] * 2, "cv leaves class 'a' out: all its rows are in fold 1", cart),
    parameter("cv", [PAIR], "cv never leaves row 0 out; each row must be in one fold", cart),
    parameter("cv", [PAIR, PAIR], "cv leaves a row out twice; each row may be in one fold only", cart),
    parameter("cv", [([0, 1], [2, 3])], "cv keeps 2 rows and leaves 2 out, of 8", cart),
    parameter("cv", [([0], [8])], "each has two lists of rows, from 0 to 7", cart),
    parameter("cv", [([], range(8))], "cv puts every row into the same fold", cart),
]

CART = [
    *(parameter("n_surrogates", value, NOT_WHOLE, cart) for value in (-1, 1.5, "five", None)),
    *(parameter("n_competitors", value, NOT_WHOLE, cart) for value in (-1, 1.5, "four", True)),
    parameter("agreement", "most", "agreement is 'most'; it must be one of 'all', 'known'", cart),
    parameter("surrogate_rule", "one", "it must be one of 'two_each_way', 'rpart'", cart),
    parameter("prune", "yes", "it must be 'one_se', 'minimum', 'cp', 'none', 'reduced_error'", cart),
    *(parameter("cp", value, NOT_FINITE, cart) for value in (-0.1, np.nan, "low", None)),
    *(parameter("ccp_alpha", value, NOT_FINITE, cart) for value in (-1, np.nan, np.inf, "low")),
    parameter("count", "weights", "it must be one of 'cases', 'rows'", cart),
    parameter("path", "short", "it must be one of 'weakest_link', 'rpart'", cart),
    *(parameter("shrink", value, NOT_FINITE, count_events) for value in (-1, np.nan, "much", True)),
    parameter("cv_error", "squared", "it must be 'deviance' or 'sqrt'", count_events),
    parameter("column_costs", [0, 1], "column_costs['x0'] is 0; it must be a finite number above 0", cart),
    parameter("column_costs", {"x1": -1}, "column_costs['x1'] is -1", cart),
    parameter("column_costs", {"size": 2}, "column_costs names 'size', but the columns are 'x0', 'x1'", cart),
    parameter("column_costs", [1], "column_costs has 1 entries; give one for each of 2 columns", cart),
    parameter("column_costs", "high", "a dict from column to cost, or a cost for each column", cart),
    refused(
        "`cp=0.1` with `prune='none'`",
        ParameterError,
        "0 with prune='none'; choose prune='cp'",
        lambda: cart(cp=0.1, prune="none"),
    ),
    *(
        refused(
            f"`like_rpart({name}={value!r})`",
            ParameterError,
            f"{name} is {value!r}; it must be {want}",
            lambda name=name, value=value: bough.CARTClassifier.like_rpart(**{name: value}),
        )
        for name, value, want in (
            ("minsplit", "few", "a whole number of at least 0"),
            ("minbucket", 2.5, "a whole number of at least 0"),
            ("xval", -1, "a whole number of at least 0"),
            ("cp", "low", "a finite number"),
            ("usesurrogate", 3, "0, 1 or 2"),
            ("surrogatestyle", 2, "0 or 1"),
            ("split", "twoing", "'gini' or 'information'"),
        )
    ),
    refused(
        "`like_rpart(method='class')` of numbers",
        ParameterError,
        "method is 'class'; it must be 'anova' or 'poisson'",
        lambda: bough.CARTRegressor.like_rpart(method="class"),
    ),
]

WEIGHTS = [
    refused(
        "a negative weight", WeightError, "holds -1.0 in row 0", lambda: classify(sample_weight=[-1, 1, 1, 1])
    ),
    refused(
        "a weight that is NaN",
        WeightError,
        "holds nan in row 1",
        lambda: classify(sample_weight=[1, np.nan, 1, 1]),
    ),
    refused(
        "an infinite weight",
        WeightError,
        "holds inf in row 1",
        lambda: classify(sample_weight=[1, np.inf, 1, 1]),
    ),
    refused(
        "too few weights",
        WeightError,
        "sample_weight.shape == (2,), expected (4,)",
        lambda: classify(sample_weight=[1, 1]),
    ),
    refused(
        "weights in a column",
        WeightError,
        "sample_weight.shape == (4, 1)",
        lambda: classify(sample_weight=[[1]] * 4),
    ),
    refused(
        "weights all zero",
        WeightError,
        "at least one row must have a positive weight",
        lambda: classify(sample_weight=[0] * 4),
    ),
    refused("text for weights", WeightError, "text or categories", lambda: classify(sample_weight=["a"] * 4)),
    refused(
        "weights that sum to infinity",
        WeightError,
        "sums to infinity",
        lambda: classify(sample_weight=[1e308] * 4),
    ),
    refused(
        "weights that sum to next to nothing",
        WeightError,
        "sums to 4e-310",
        lambda: classify(sample_weight=[1e-310] * 4),
    ),
    works(
        "one number for all weights",
        "every row weighs that much",
        lambda: regress(sample_weight=2).tree_ == regress(sample_weight=[2] * 4).tree_,
    ),
    works(
        "a weight below 2^-52 of all",
        "the row is as good as absent",
        lambda: classify(sample_weight=[1e-30, 1.5, 1, 1]).tree_.weight[0] == 3.5,
    ),
]


PARAMETERS = [
    parameter("criterion", "ginny", "criterion is 'ginny'; it must be one of"),
    parameter("criterion", "squared_error", "it must be one for classification"),
    parameter("criterion", "gini", "it must be one for regression", regress),
    parameter("max_depth", 0, "max_depth is 0; it must be a whole number of at least 1, or None"),
    parameter("max_depth", -1, "max_depth is -1"),
    parameter("max_depth", 2.5, "max_depth is 2.5"),
    parameter("max_depth", "3", "max_depth is '3'"),
    parameter("min_samples_leaf", 0, "a whole number of at least 1, or a fraction of the cases"),
    parameter("min_samples_leaf", 1.5, "min_samples_leaf is 1.5"),
    parameter("min_samples_split", 1, "min_samples_split is 1"),
    parameter("min_samples_split", 1.5, "min_samples_split is 1.5"),
    parameter("min_weight_fraction_leaf", 0.6, "at least 0 and at most 0.5"),
    parameter("max_leaf_nodes", 1, "a whole number of at least 2, or None"),
    parameter("min_impurity_decrease", -1, "a finite number of at least 0"),
    parameter("min_gain", "much", "min_gain is 'much'"),
    parameter("purity", 1.5, "above 0 and at most 1"),
    parameter("significance", 0, "above 0 and at most 1, or None"),
    parameter("min_variance", -1, "min_variance is -1", regress),
    parameter("min_events", 2, "0 unless the criterion is 'poisson'", regress),
    parameter("nominal", "twoway", "TreeClassifier supports 'subset', 'complete', 'one_vs_rest'"),
    parameter("missing", "drop", "TreeClassifier supports 'auto', 'majority', 'learned', 'own_level'"),
    parameter("smoothing", -1, "'none', 'laplace' or a positive number"),
    parameter("prune", "hard", "prune is 'hard'"),
    parameter("n_jobs", 0, "a whole number other than 0 and at most 4096, or None"),
    parameter("n_jobs", 10**6, "n_jobs is 1000000"),
    parameter("max_exhaustive_levels", 99, "a whole number from 2 to 24"),
    parameter("class_weight", "heavy", "None, 'balanced' or a dict"),
    parameter("class_weight", {"a": 1, "q": 2}, "a dict whose keys are among 'a', 'b'"),
    parameter("class_weight", {"a": -1}, "class_weight['a'] is -1"),
    parameter("class_weight", {"a": "much"}, "class_weight['a'] is 'much'"),
    parameter("categorical_features", ["size"], "'size', which is not a column; the columns are 'x0', 'x1'"),
    parameter("categorical_features", [2], "categorical_features has 2, which is not a column"),
    parameter("categorical_features", [True], "a mask of 1 truth values; the table has 2 columns"),
    parameter("categorical_features", "x0", "a list of column names"),
    parameter("ordinal_features", {"x0": [1, 1]}, "Column 'x0' has the level 1 twice"),
    refused(
        "a column both categorical and ordinal",
        ParameterError,
        "Column 'x0' is in both categorical_features and ordinal_features",
        lambda: classify(categorical_features=[0], ordinal_features=["x0"]),
    ),
    refused(
        "a level not among those given",
        TableError,
        "Column 'x0' holds 3.0 in row 2, which is not among the levels",
        lambda: classify(ordinal_features={"x0": [1, 2]}),
    ),
    refused(
        "twoing with complete splits",
        ParameterError,
        "'subset' or 'one_vs_rest' under 'twoing'",
        lambda: classify(criterion="twoing", nominal="complete"),
    ),
    refused(
        "a criterion that returns NaN",
        ParameterError,
        "returned NaN for the children",
        lambda: classify(criterion=lambda children: np.full(len(children), np.nan)),
    ),
    refused(
        "a criterion that fails",
        ZeroDivisionError,
        "division by zero",
        lambda: classify(criterion=lambda children: 1 / 0),
    ),
    refused(
        "`combinations='cubic'`",
        ParameterError,
        "combinations is 'cubic'; it must be 'ratio', 'bivariate', 'linear', a tuple of these, or None",
        lambda: bough.CARTClassifier(combinations="cubic").fit(X, Y),
    ),
    refused(
        "combinations in a table with one numeric column",
        TableError,
        "needs at least two numeric columns, but the table has 1 of 1 feature(s)",
        lambda: bough.CARTClassifier(combinations="ratio").fit([[1.0], [2.0]], [0, 1]),
    ),
    refused(
        "combinations of a column that is not numeric",
        ParameterError,
        "combination_features has 'x1', which is nominal",
        lambda: bough.CARTClassifier(combinations="ratio", combination_features=[0, 1]).fit(
            [[1.0, "a"], [2.0, "b"]], [0, 1]
        ),
    ),
    works(
        "limits beyond any tree",
        "they limit nothing, or let nothing be split",
        lambda: (
            classify(max_depth=10**30, max_leaf_nodes=10**30).tree_.n_leaves == 2
            and classify(min_samples_split=10**400).tree_.n_leaves == 1
        ),
    ),
]


def ask(X, model=None):
    return (model or classify(FRAME)).predict(X)


PREDICTIONS = [
    refused(
        "an estimator not yet fitted", NotFittedError, "Call 'fit'", lambda: bough.CARTClassifier().predict(X)
    ),
    refused("no rows to predict", TableError, "0 sample(s)", lambda: ask(FRAME.iloc[:0])),
    refused(
        "too many columns in an array",
        SchemaError,
        "X has 3 features, but TreeClassifier is expecting 2 features",
        lambda: ask([[1, 2, 3]], classify()),
    ),
    refused(
        "one row without its brackets", TableError, "X.reshape(1, -1)", lambda: ask([1.0, 5.0], classify())
    ),
    refused(
        "text in a numeric column",
        SchemaError,
        "Column 'age' is text; the tree was grown on numbers",
        lambda: ask(FRAME.astype({"age": str})),
    ),
    refused(
        "numbers in a text column",
        SchemaError,
        "Column 'city' is numbers; the tree was grown on text",
        lambda: ask(FRAME.assign(city=1)),
    ),
    refused(
        "truth values in a numeric column",
        SchemaError,
        "Column 'age' is truth values; the tree was grown on numbers",
        lambda: ask(FRAME.assign(age=True)),
    ),
    refused("a missing column", SchemaError, "yet now missing:\n- city", lambda: ask(FRAME[["age"]])),
    refused("an extra column", SchemaError, "unseen at fit time:\n- size", lambda: ask(FRAME.assign(size=1))),
    refused(
        "reordered columns, asking an estimator",
        SchemaError,
        "must be in the same order as they were in fit",
        lambda: ask(FRAME[["city", "age"]]),
    ),
    works(
        "reordered columns, asking a tree",
        "they are put in order",
        lambda: (ask(FRAME[["city", "age"]], classify(FRAME).tree_) == Y).all(),
    ),
    refused(
        "a missing column, asking a tree",
        SchemaError,
        "yet now missing:\n- city",
        lambda: ask(FRAME[["age"]], classify(FRAME).tree_),
    ),
    refused(
        "an array where names were known",
        UserWarning,
        "X does not have valid feature names",
        lambda: ask(np.array([[1.0, "Oslo"]], dtype=object)),
    ),
    works(
        "a level never seen",
        "the row goes where those with a missing value go",
        lambda: (
            ask(column("new", None), classify(column("p", "p", "p", "q"), ["a", "a", "a", "b"])) == "a"
        ).all(),
    ),
    works("one row", "one answer", lambda: ask([[1.0, 5.0]], classify()).tolist() == ["a"]),
    refused(
        "probabilities of a regression tree",
        TargetError,
        "predicts numbers and has no classes",
        lambda: regress().tree_.predict_proba(X),
    ),
    refused(
        "a node that is not there",
        ParameterError,
        "node is 9; it must be a whole number from 0 to 2",
        lambda: classify().tree_.node(9),
    ),
    refused(
        "a node that is no number", ParameterError, "node is 'root'", lambda: classify().tree_.path("root")
    ),
    refused(
        "`text(max_depth='all')`",
        ParameterError,
        "max_depth is 'all'",
        lambda: classify().tree_.text(max_depth="all"),
    ),
    refused(
        "`n_jobs=0` for a prediction",
        ParameterError,
        "n_jobs is 0",
        lambda: classify().tree_.predict(X, n_jobs=0),
    ),
    refused(
        "candidates of a model not fitted",
        ParameterError,
        "has no tree yet; fit it first",
        lambda: bough.candidates(bough.CARTClassifier(), X, Y),
    ),
    refused(
        "candidates for a class the tree does not know",
        TargetError,
        "y contains the class 'q'; the classes of the tree are",
        lambda: bough.candidates(classify(), X, ["q"] * 4),
    ),
    refused(
        "candidates with too few y",
        TargetError,
        "y has 2 rows and X has 4",
        lambda: bough.candidates(X, Y[:2]),
    ),
    refused(
        "candidates of `nominal='twoway'`",
        ParameterError,
        "nominal is 'twoway'",
        lambda: bough.candidates(X, Y, nominal="twoway"),
    ),
    refused(
        "candidates with `max_exhaustive_levels=0`",
        ParameterError,
        "max_exhaustive_levels is 0",
        lambda: bough.candidates(X, Y, max_exhaustive_levels=0),
    ),
]


def load_changed(change: Callable[[str], str | bytes]) -> Tree:
    """Load the iris tree from a file after a change to its text."""
    path = Path("iris.json")
    iris_tree().save(path)
    changed = change(path.read_text(encoding="utf-8"))
    path.write_bytes(changed if isinstance(changed, bytes) else changed.encode())
    return bough.load(path)


def load_edited(change: Callable[[dict], object]) -> Tree:
    """Load the iris tree from a file that an editor changed and whose checksum was taken out."""

    def edited(text: str) -> str:
        document = json.loads(text)
        del document["sha256"]
        change(document)
        return json.dumps(document)

    return load_changed(edited)


FILES = [
    refused("a missing file", FileNotFoundError, "nowhere.json", lambda: bough.load("nowhere.json")),
    refused("an empty file", FormatError, "(is the file whole?)", lambda: load_changed(lambda text: "")),
    refused("a truncated file", FormatError, "At line", lambda: load_changed(lambda text: text[:-40])),
    refused(
        "an edited file",
        FormatError,
        "At sha256: the file was changed since it was written",
        lambda: load_changed(lambda text: text.replace("2.45", "2.5")),
    ),
    refused(
        "a file of a newer version",
        FormatError,
        "pip install --upgrade bough",
        lambda: load_changed(lambda text: text.replace('"version": 3', '"version": 4')),
    ),
    refused(
        "a file that is not JSON",
        FormatError,
        "At line 1, column 1",
        lambda: load_changed(lambda text: "a,b\n1,2"),
    ),
    refused(
        "a file that is not text",
        FormatError,
        "At byte 0: the file is not UTF-8",
        lambda: load_changed(lambda text: b"\xff\xfePK"),
    ),
    refused(
        "JSON that is no model",
        FormatError,
        "At format: this is no model that bough wrote",
        lambda: load_changed(lambda text: "{}"),
    ),
    refused(
        "JSON nested without end",
        FormatError,
        "nested too deep",
        lambda: load_changed(lambda text: "[" * 10**5),
    ),
    refused(
        "a child that is not there",
        FormatError,
        "At nodes.first_child[0]: 17",
        lambda: load_edited(lambda tree: tree["nodes"]["first_child"].__setitem__(0, 17)),
    ),
    refused(
        "an array of another length",
        FormatError,
        "At nodes.",
        lambda: load_edited(lambda tree: tree["nodes"]["cut"].pop()),
    ),
    refused(
        "a negative risk",
        FormatError,
        "At nodes.risk[0]: -1.0",
        lambda: load_edited(lambda tree: tree["nodes"]["risk"].__setitem__(0, -1)),
    ),
]

TRICKY = ["", "line\nbreak", "'quoted\"", "🌳", "<script>alert(1)</script>", "x" * 10_000]


def keeps(frame: pd.DataFrame) -> bool:
    """Whether a tree of the frame prints, gives rules, and comes back from a file the same."""
    tree = classify(frame, list(range(len(frame)))).tree_
    tree.check()
    tree.save("tricky.json")
    names = set(tree.schema.names)
    return bough.load("tricky.json") == tree and names == set(frame.columns) and bool(f"{tree}{tree.rules()}")


def read_as(convert: Callable[[np.ndarray], object]) -> bool:
    """Whether a table in another form gives the tree and the answers of the plain array."""
    given = convert(np.array(X))
    model = classify(given)
    return same(model.tree_, classify().tree_) and (model.predict(given) == Y).all()


def memory_map(array: np.ndarray) -> np.ndarray:
    mapped = np.memmap("table.bin", dtype=array.dtype, mode="w+", shape=array.shape)
    mapped[:] = array
    return mapped


def unaligned(array: np.ndarray) -> np.ndarray:
    return np.ndarray(array.shape, array.dtype, buffer=b"x" + array.tobytes(), offset=1)


def read_only(array: np.ndarray) -> np.ndarray:
    array.flags.writeable = False
    return array


def exact_numbers(array: np.ndarray) -> list[list[Decimal | Fraction]]:
    return [[Decimal(first), Fraction(second)] for first, second in array.tolist()]


def cut_between(low: float, high: float, dtype=np.float64) -> bool:
    """Whether two neighbouring values are distinguished."""
    values = np.array([[low], [high]], dtype=dtype)
    return regress(values, [1.0, 2.0]).predict(values).tolist() == [1.0, 2.0]


def extreme_answers(y: list[float], **parameters) -> bool:
    model = regress(y=y, **parameters)
    model.tree_.check()
    return model.predict(X).tolist() == y


def column_vector_answers() -> bool:
    with pytest.warns(DataConversionWarning, match="column-vector y"):
        return (classify(y=[[label] for label in Y]).predict(X) == Y).all()


ODD = [
    works(
        "an infinity in a column",
        "it is a value like any other",
        lambda: regress([[-np.inf], [0], [1], [np.inf]]).predict([[np.inf]]) == 4,
    ),
    works(
        "a column that is all missing",
        "it is never split",
        lambda: set(classify([[None, n] for n in range(4)]).tree_.column.tolist()) == {1, -1},
    ),
    works(
        "a table that is all missing",
        "the tree is a leaf",
        lambda: classify([[np.nan]] * 4).tree_.n_leaves == 1,
    ),
    works("a constant column", "the tree is a leaf", lambda: classify([[1]] * 4).tree_.n_leaves == 1),
    works(
        "one class",
        "the tree is a leaf",
        lambda: classify(y=["a"] * 4).predict_proba(X).tolist() == [[1.0]] * 4,
    ),
    works(
        "constant numbers",
        "the tree is a leaf",
        lambda: regress(y=[0.1] * 4).predict(X).tolist() == [0.1] * 4,
    ),
    works("one row to learn from", "the tree is a leaf", lambda: classify([[1.0]], ["a"]).tree_.n_nodes == 1),
    works("y in one column", "a warning, as from scikit-learn", column_vector_answers),
    works(
        "values of ±1e308 and 5e-324",
        "they are distinguished",
        lambda: cut_between(-1e308, 1e308) and cut_between(0, 5e-324),
    ),
    works(
        "neighbouring floats",
        "they are distinguished",
        lambda: cut_between(1, np.nextafter(1, 2)) and cut_between(1, 1 + 2**-23, np.float32),
    ),
    works(
        "y of ±1e140 and of 1e-300",
        "answered as they are",
        lambda: extreme_answers([1e140, -1e140, 0, 5]) and extreme_answers([1e-300, 2e-300, 4e-300, 8e-300]),
    ),
    works(
        "y of ±1e290 under absolute error",
        "answered as they are",
        lambda: extreme_answers([1e290, -1e290, 0, 5], criterion="absolute_error"),
    ),
    works(
        "float16", "read as float32, which holds it", lambda: read_as(lambda array: array.astype(np.float16))
    ),
    works("big-endian arrays", "read as they are meant", lambda: read_as(lambda array: array.astype(">f8"))),
    works("read-only arrays", "read as they are", lambda: read_as(read_only)),
    works(
        "negative strides",
        "read as they are",
        lambda: read_as(lambda array: array[::-1, ::-1].copy()[::-1, ::-1]),
    ),
    works("Fortran order", "read as it is", lambda: read_as(np.asfortranarray)),
    works(
        "every second column of an array",
        "read as it is",
        lambda: read_as(lambda array: np.repeat(array, 2, axis=1)[:, ::2]),
    ),
    works("unaligned arrays", "read as they are", lambda: read_as(unaligned)),
    works("memory-mapped arrays", "read as they are", lambda: read_as(memory_map)),
    works(
        "tuples of tuples",
        "read as an array",
        lambda: read_as(lambda array: tuple(map(tuple, array.tolist()))),
    ),
    works("decimals and fractions of Python", "read as numbers", lambda: read_as(exact_numbers)),
    works(
        "frames of polars and pyarrow",
        "read as they are",
        lambda: (
            read_as(lambda array: pl.DataFrame(array, schema=["x0", "x1"]))
            and read_as(lambda array: pa.table({"x0": array[:, 0], "x1": array[:, 1]}))
        ),
    ),
    works(
        "names that are numbers",
        "written as text",
        lambda: classify(pd.DataFrame(X)).tree_.schema.names == ("0", "1"),
    ),
    works(
        "truth values",
        "levels False and True",
        lambda: classify(column(True, False, True, None)).tree_.schema[0].levels == (False, True),
    ),
    works(
        "an empty text",
        "a level of its own, not a missing value",
        lambda: classify(column("", "a", "", None)).tree_.schema[0].levels == ("", "a"),
    ),
    works(
        "levels with line breaks, quotes, markup or 10,000 letters",
        "kept as they are",
        lambda: keeps(pd.DataFrame({"level": TRICKY})),
    ),
    works(
        "such columns, or one named as a Python keyword",
        "kept as they are",
        lambda: keeps(pd.DataFrame({name: range(4) for name in [*TRICKY[1:], "class"]})),
    ),
]

SECTIONS = {
    "Tables": TABLES,
    "Targets": TARGETS,
    "Weights": WEIGHTS,
    "Exposure": EXPOSURES,
    "Parameters": PARAMETERS,
    "Priors and losses": STAKES,
    "Folds of cross-validation": CROSS_VALIDATION,
    "Other parameters of CART": CART,
    "Asking a tree": PREDICTIONS,
    "Model files": FILES,
    "Odd, but right": ODD,
}
KINDS = [kind for kinds in SECTIONS.values() for kind in kinds]


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind.error], ids=lambda kind: kind.words)
def test_bad_input_is_refused_with_the_place_and_the_way_out(kind):
    with pytest.raises(kind.error) as caught:
        kind.act()
    assert type(caught.value) is kind.error
    assert kind.message in str(caught.value)
    if isinstance(caught.value, BoughError) and not isinstance(caught.value, FormatError):
        assert re.search(r"[.!)]$", str(caught.value)), "a message is whole sentences"


@pytest.mark.parametrize("kind", [kind for kind in KINDS if not kind.error], ids=lambda kind: kind.words)
def test_odd_input_does_what_the_page_says(kind):
    assert kind.act()


def test_a_data_file_that_is_wrong_is_named():
    with pytest.raises(FormatError) as caught:
        load_changed(lambda text: "{}")
    assert "The file is 'iris.json'." in caught.value.__notes__


def test_no_kind_stands_twice():
    words = [kind.words for kind in KINDS]
    assert len(words) >= 35
    assert sorted(set(words)) == sorted(words)


def cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def row(kind: Kind) -> str:
    happens = f"`{kind.error.__name__}`: {cell(kind.message)}" if kind.error else cell(kind.does)
    return f"| {cell(kind.words)} | {happens} |\n"


def tables() -> str:
    return "\n".join(
        f"## {title}\n\n| given | what happens |\n|---|---|\n" + "".join(map(row, kinds))
        for title, kinds in SECTIONS.items()
    )


def test_the_page_lists_every_kind_tested_here():
    if os.environ.get("BOUGH_RENEW_GOLDENS") == "1":
        head = PAGE.read_text(encoding="utf-8").partition("\n## ")[0]
        PAGE.write_text(f"{head}\n{tables()}", encoding="utf-8", newline="\n")
    _, heading, listed = PAGE.read_text(encoding="utf-8").partition("\n## ")
    assert f"{heading}{listed}" == f"\n{tables()}"


def test_nothing_bad_warns_instead_of_failing():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for kind in (*TARGETS, *WEIGHTS, *EXPOSURES, *PARAMETERS, *STAKES, *CROSS_VALIDATION, *CART):
            if kind.error:
                with pytest.raises(kind.error):
                    kind.act()
