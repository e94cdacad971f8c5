"""Learners on sparse tables: scikit-learn's partitions, what is refused, and predictions of every model."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import bough
from bough.errors import BoughError, ColumnTypeError, ParameterError


def rows(n=400, m=30, seed=0, density=0.1):
    """Draw a sparse table of distinct numbers, with two classes and numbers that depend on it."""
    random = np.random.default_rng(seed)
    X = sp.random_array((n, m), density=density, format="csr", rng=random)
    numbers = X @ random.normal(size=m) + 0.01 * random.normal(size=n)
    return X, (numbers > 0).astype(int), numbers


def same_partition(ours, theirs):
    """Whether two numberings of leaves divide the rows alike."""
    return len(np.unique(np.stack([ours, theirs]), axis=1)[0]) == len(set(ours)) == len(set(theirs))


@pytest.mark.parametrize("kind", [sp.csr_matrix, sp.csc_array])
@pytest.mark.parametrize("seed", range(5))
def test_partitions_are_those_of_scikit_learn(seed, kind):
    # With random weights and numbers hardly two gains are equal; with whole weights no sum rounds.
    X, labels, numbers = rows(seed=seed)
    X, weight = kind(X.astype(np.float32)), np.random.default_rng(seed).integers(100, 1000, 400)
    ours = bough.TreeClassifier(max_depth=5).fit(X, labels, weight).apply(X)
    theirs = DecisionTreeClassifier(max_depth=5, random_state=0).fit(X, labels, weight).apply(X)
    assert same_partition(ours, theirs)
    ours = bough.TreeRegressor(max_depth=5).fit(X, numbers).apply(X)
    theirs = DecisionTreeRegressor(max_depth=5, random_state=0).fit(X, numbers).apply(X)
    assert same_partition(ours, theirs)


def test_a_large_table_is_not_made_dense():
    # The dense table would take 80 GB.
    random = np.random.default_rng(0)
    X = sp.random_array((100_000, 100_000), density=2e-6, format="csc", rng=random)
    y = random.integers(0, 2, 100_000)
    for learner in (
        bough.TreeClassifier(max_depth=3),
        bough.CARTClassifier(prune="none", max_depth=3),
        bough.RandomForestClassifier(2, max_depth=3, random_state=0),
        bough.ExtraTreesClassifier(2, max_depth=3, random_state=0),
    ):
        assert learner.fit(X, y).predict(X).shape == y.shape


@pytest.mark.parametrize("kind", [sp.csr_matrix, sp.csc_array])
def test_unusual_tables(kind):
    one_row = kind(np.array([[0.0, 2.0, np.nan]]))
    assert bough.TreeClassifier().fit(one_row, ["a"]).predict(one_row).tolist() == ["a"]
    nothing = kind((4, 3))
    assert bough.TreeRegressor().fit(nothing, [1.0, 2.0, 3.0, 6.0]).predict(nothing).tolist() == [3.0] * 4
    assert bough.RandomForestClassifier(2).fit(nothing, [0, 1, 0, 1]).forest_.n_nodes == 2


def test_named_columns_of_the_fit_need_names_at_prediction():
    import pandas as pd

    frame = pd.DataFrame({"a": [0.0, 1.0], "b": [1.0, 0.0]})
    model = bough.TreeClassifier().fit(frame, ["x", "y"])
    assert model.tree_.predict(sp.csr_array(frame.to_numpy())).tolist() == ["x", "y"]


X, LABELS, NUMBERS = rows(60, 4)


@pytest.mark.parametrize(
    ("learner", "error", "words"),
    [
        (bough.CARTClassifier(missing="surrogates_then_stop"), ParameterError, "no surrogates"),
        (bough.TreeClassifier(missing="stop"), ParameterError, "no surrogates"),
        (bough.CARTClassifier(combinations="ratio"), ParameterError, "Leave combinations out"),
        (bough.TreeClassifier(max), ParameterError, "criterion of your own"),
        (bough.TreeClassifier(categorical_features=[0]), ParameterError, "categorical_features is"),
        (bough.TreeClassifier(ordinal_features=[0]), ParameterError, "ordinal_features is"),
        (bough.C45Classifier(), ColumnTypeError, "C45Classifier requires dense data"),
        (bough.C50Classifier(), ColumnTypeError, "C50Classifier requires dense data"),
        (bough.REPTreeClassifier(), ColumnTypeError, "REPTreeClassifier requires dense data"),
        (bough.M5Regressor(), ColumnTypeError, "M5Regressor requires dense data"),
        (bough.ID3Classifier(), BoughError, "numeric"),
        (bough.OptimalTreeClassifier(), ColumnTypeError, "OptimalTreeClassifier requires dense data"),
        (bough.BaggingClassifier(), ColumnTypeError, "dense data is required"),
        (bough.UnsupervisedRandomForest(), ColumnTypeError, "dense data is required"),
    ],
)
def test_what_sparse_tables_do_not_support_is_refused_by_name(learner, error, words):
    with pytest.raises(error, match=words):
        learner.fit(X, LABELS)


def test_cart_routes_missing_values_with_the_majority_by_default():
    with_missing = X.copy()
    with_missing.data[::5] = np.nan
    sparse = bough.CARTClassifier(random_state=0).fit(with_missing, LABELS).tree_
    dense = bough.CARTClassifier(random_state=0, missing="majority").fit(with_missing.toarray(), LABELS).tree_
    assert sparse == dense
    assert sparse.surrogates is None


def test_missing_values_are_refused_by_column_if_asked():
    with_missing = X.copy()
    with_missing.data[0] = np.nan
    for learner in (bough.TreeClassifier(missing="refuse"), bough.RandomForestClassifier(missing="refuse")):
        with pytest.raises(BoughError, match="has missing values in 1 rows, but missing='refuse'"):
            learner.fit(with_missing, LABELS)


@pytest.mark.parametrize(
    "learner",
    [
        bough.C45Classifier(),
        bough.C50Classifier(),
        bough.C50Classifier(n_estimators=3),
        bough.C50Classifier(rules=True),
        bough.REPTreeClassifier(random_state=0),
        bough.CARTClassifier(combinations="ratio"),
        bough.CARTClassifier(),
        bough.OptimalTreeClassifier(max_depth=2),
        bough.BaggingClassifier(n_estimators=3, max_features=0.5, random_state=0),
        bough.RandomForestClassifier(3, random_state=0),
    ],
    ids=lambda learner: str(learner)[:60],
)
def test_models_of_dense_tables_predict_from_sparse_rows(learner):
    dense = X.toarray()
    model = learner.fit(dense, LABELS).model_
    np.testing.assert_array_equal(model.predict(X), model.predict(dense))
    np.testing.assert_array_equal(model.predict_proba(X), model.predict_proba(dense))


def test_rules_cover_sparse_rows():
    for rule in bough.TreeClassifier(max_depth=3).fit(X, LABELS).tree_.rules():
        np.testing.assert_array_equal(rule.covers(X), rule.covers(X.toarray()))


def test_paths_and_outputs_of_forests():
    forest = bough.RandomForestRegressor(5, quantiles=True, random_state=0).fit(X, NUMBERS)
    dense = X.toarray()
    np.testing.assert_array_equal(forest.apply(X), forest.apply(dense))
    np.testing.assert_array_equal(forest.predict_quantiles(X, 0.5), forest.predict_quantiles(dense, 0.5))
    assert (forest.decision_path(X)[0] != forest.decision_path(dense)[0]).nnz == 0
    tree = bough.TreeRegressor().fit(X, NUMBERS)
    assert (tree.decision_path(X) != tree.decision_path(dense)).nnz == 0
    with pytest.raises(ParameterError, match="permutation importance reads dense tables"):
        bough.RandomForestClassifier(5, random_state=0).fit(X, LABELS).permutation_importance(X, LABELS)


def test_sparse_input_is_declared_to_scikit_learn():
    accepted = (
        bough.TreeClassifier,
        bough.CARTRegressor,
        bough.RandomForestRegressor,
        bough.ExtraTreesClassifier,
    )
    assert all(learner().__sklearn_tags__().input_tags.sparse for learner in accepted)
    refused = (bough.C45Classifier, bough.ID3Classifier, bough.BaggingRegressor, bough.OptimalTreeRegressor)
    assert not any(learner().__sklearn_tags__().input_tags.sparse for learner in refused)
