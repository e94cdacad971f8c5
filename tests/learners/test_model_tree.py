"""Trees with estimators of scikit-learn in their leaves."""

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.linear_model import LinearRegression, LogisticRegression, RidgeClassifier
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures
from sklearn.svm import SVC

import bough
from bough.errors import ParameterError

RNG = np.random.default_rng(7)
X = RNG.normal(size=(300, 3))
Y = np.where(X[:, 0] > 0, X[:, 1] ** 2, -X[:, 2]) + 5.0 * (X[:, 0] > 0)
CLASS = np.array(["low", "mid", "high"])[np.digitize(Y, [0.0, 5.0])]


@pytest.mark.parametrize(
    "leaf",
    [
        LinearRegression(),
        KNeighborsRegressor(3),
        HistGradientBoostingRegressor(max_iter=5),
        make_pipeline(PolynomialFeatures(2), LinearRegression()),
    ],
    ids=lambda leaf: type(leaf).__name__,
)
def test_each_leaf_predicts_as_the_estimator_fitted_to_its_rows(leaf):
    model = bough.ModelTreeRegressor(leaf, max_depth=2).fit(X, Y)
    ends = model.tree_.apply(X)
    for node in np.unique(ends):
        own = ends == node
        assert model.predict(X[own]) == pytest.approx(leaf.fit(X[own], Y[own]).predict(X[own]))


@pytest.mark.parametrize(
    "leaf", [LogisticRegression(), RidgeClassifier(), SVC()], ids=lambda leaf: type(leaf).__name__
)
def test_classes_that_a_leaf_lacks_have_probability_0(leaf):
    model = bough.ModelTreeClassifier(leaf, max_depth=2).fit(X, CLASS)
    shares, ends = model.predict_proba(X), model.tree_.apply(X)
    assert shares.sum(axis=1) == pytest.approx(1.0)
    for node in np.unique(ends):
        own = ends == node
        absent = [place for place, label in enumerate(model.classes_) if label not in CLASS[own]]
        assert (shares[own][:, absent] == 0).all()
        if len(np.unique(CLASS[own])) > 1:
            assert np.array_equal(model.predict(X[own]), leaf.fit(X[own], CLASS[own]).predict(X[own]))
    assert np.array_equal(model.predict(X), model.classes_[shares.argmax(axis=1)])


class Unfit(LinearRegression):
    """Linear regression that raises what no learner of bough would."""

    def fit(self, X, y):
        raise ZeroDivisionError("no rows of this kind.")


def test_an_error_of_an_estimator_names_it_and_the_leaf():
    with pytest.raises(
        ParameterError, match=r"leaf: Unfit cannot be fitted to the \d+ rows of leaf 1: no rows"
    ):
        bough.ModelTreeRegressor(Unfit(), max_depth=1).fit(X, Y)


class NoAnswerFarAway(LogisticRegression):
    """Logistic regression that answers NaN for large numbers, as where sums overflow."""

    def predict_proba(self, X):
        return np.where(np.abs(X).max(axis=1, keepdims=True) > 100, np.nan, super().predict_proba(X))


def test_the_leaf_answers_where_its_estimator_gives_no_number():
    model = bough.ModelTreeClassifier(NoAnswerFarAway(), max_depth=1, min_samples_leaf=5).fit(X, CLASS)
    far = np.where(np.arange(300)[:, None] % 2 == 0, 1e3 * np.sign(X), X)
    probabilities, of_leaves = model.predict_proba(far), model.model_.tree.predict_proba(far)
    assert (probabilities[::2] == of_leaves[::2]).all()
    assert (probabilities[1::2] != of_leaves[1::2]).any()
    assert np.isfinite(probabilities).all()


def test_levels_and_missing_values_become_numbers():
    table = pd.DataFrame({"x": X[:, 0], "city": pd.Categorical(RNG.choice(["rome", "oslo", "lima"], 300))})
    y = 2.0 * X[:, 0] + 5.0 * (table["city"] == "oslo")
    table.loc[::9, "x"] = np.nan
    model = bough.ModelTreeRegressor(max_depth=1).fit(table, y)
    known = ~table["x"].isna()
    assert np.abs(model.predict(table[known]) - y[known]).mean() < 0.5
    assert [term.codes for term in model.model_.inputs] == [(), (0,), (1,), (2,)]


def test_weights_reach_the_estimators():
    weight = RNG.integers(1, 4, 300)
    repeated = np.repeat(np.arange(300), weight)
    once = bough.ModelTreeRegressor(max_depth=2, min_samples_leaf=30).fit(X, Y, sample_weight=weight)
    twice = bough.ModelTreeRegressor(max_depth=2, min_samples_leaf=30).fit(X[repeated], Y[repeated])
    assert once.predict(X) == pytest.approx(twice.predict(X))
    with pytest.raises(ParameterError, match=r"leaf is KNeighborsRegressor.*sample_weight"):
        bough.ModelTreeRegressor(KNeighborsRegressor()).fit(X, Y, sample_weight=weight)


def test_a_tree_of_estimators_is_pickled_and_regrown_but_not_saved(tmp_path):
    model = bough.ModelTreeRegressor(KNeighborsRegressor(3)).fit(X, Y)
    again = pickle.loads(pickle.dumps(model))
    assert np.array_equal(again.predict(X), model.predict(X))
    with pytest.raises(ParameterError, match="leaves of KNeighborsRegressor cannot be saved"):
        model.model_.save(tmp_path / "tree.json")
    model.tree_.save(tmp_path / "tree.json")
    assert bough.load(tmp_path / "tree.json") == model.tree_
    with pytest.raises(ParameterError, match=r"objects=\{'KNeighborsRegressor'"):
        bough.regrow(model.model_, X, Y)
    regrown = bough.regrow(model.model_, X, Y, objects={"KNeighborsRegressor": KNeighborsRegressor(3)})
    assert np.array_equal(regrown.predict(X), model.predict(X))
    assert bough.evaluate(model, X, Y).measures["R²"].value > 0.9


@pytest.mark.parametrize("leaf", ["linear", 3])
def test_what_is_no_estimator_is_refused_by_name(leaf):
    with pytest.raises(ParameterError, match=r"leaf is .*an estimator with fit and predict"):
        bough.ModelTreeRegressor(leaf).fit(X, Y)
