"""What forests cannot take is refused with the parameter's name, what was got, and what to do."""

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.tree import DecisionTreeClassifier

import bough
from bough.errors import ParameterError, SchemaError, TableError, TargetError, WeightError

RNG = np.random.default_rng(0)
X = RNG.normal(size=(50, 3))
CLASSES = np.where(X[:, 0] > 0, "yes", "no")
NUMBERS = X[:, 0]
FRAME = pd.DataFrame({"a": X[:, 0], "c": pd.Categorical(RNG.choice(list("xyz"), 50))})
SOME_ABSENT = np.r_[np.zeros(10), np.ones(40)]


def classifier(**options):
    return bough.RandomForestClassifier(**{"n_estimators": 3, "random_state": 0} | options)


def regressor(**options):
    return bough.RandomForestRegressor(**{"n_estimators": 3, "random_state": 0} | options)


def grown(**options):
    return classifier(**options).fit(X, CLASSES)


def grown_of_numbers(**options):
    return regressor(**options).fit(X, NUMBERS)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_estimators": 0}, "n_estimators is 0; it must be a whole number of at least 1"),
        ({"n_estimators": -1}, "n_estimators is -1"),
        ({"n_estimators": 2.5}, "n_estimators is 2.5"),
        ({"n_estimators": True}, "n_estimators is True"),
        ({"n_estimators": "10"}, "n_estimators is '10'"),
        ({"max_features": 0}, "max_features is 0; .* from 1 to the 3 columns"),
        ({"max_features": 4}, "max_features is 4; .* from 1 to the 3 columns"),
        ({"max_features": 1.5}, r"max_features is 1.5; .* a fraction in \(0, 1\]"),
        ({"max_features": np.nan}, "max_features is nan"),
        ({"max_features": "auto"}, "max_features is 'auto'; it must be 'sqrt', 'log2'"),
        ({"max_features": [1]}, r"max_features is \[1\]"),
        ({"max_samples": 0}, "max_samples is 0; it must be at least 1 and at most the 50 rows"),
        ({"max_samples": 51}, "max_samples is 51; it must be at least 1 and at most the 50 rows"),
        ({"max_samples": 1.5}, r"max_samples is 1.5; .* a fraction in \(0, 1\]"),
        ({"max_samples": np.nan}, "max_samples is nan"),
        ({"max_samples": -0.5}, "max_samples is -0.5"),
        ({"max_samples": "all"}, "max_samples is 'all'"),
        ({"max_samples": True}, "max_samples is True"),
        (
            {"max_samples": 3, "bootstrap": False},
            "max_samples is 3; it must be None if bootstrap is False",
        ),
        ({"max_samples": {"yes": 1000, "no": 1}}, "max_samples of 'yes' is 1000; .* to the 24 rows it has"),
        ({"max_samples": {"yes": -1, "no": 1}}, "max_samples of 'yes' is -1"),
        ({"max_samples": {"yes": np.nan, "no": 1}}, "max_samples of 'yes' is nan"),
        ({"max_samples": {"yes": 0, "no": 0}}, "above 0 for some stratum"),
        ({"max_samples": {"y": 1, "n": 1}}, "a dict whose keys are the strata 'no', 'yes'"),
        ({"max_samples": [1]}, "2 sizes, one for each of the strata 'no', 'yes'"),
        ({"cutoff": [0.5, 0.6]}, r"cutoff is \[0.5, 0.6\]; it must be numbers above 0 that sum to 1"),
        ({"cutoff": [np.nan, 0.5]}, "cutoff is .* one for each of the classes 'no', 'yes'"),
        ({"cutoff": [np.inf, 0.5]}, "cutoff is"),
        ({"cutoff": [-0.5, 1.5]}, "cutoff is .* numbers above 0"),
        ({"cutoff": [0, 1]}, "cutoff is .* numbers above 0"),
        ({"cutoff": [1.0]}, "cutoff is .* one for each of the classes"),
        ({"cutoff": {"a": 0.5, "b": 0.5}}, "cutoff is .* 'no', 'yes'"),
        ({"cutoff": "half"}, "cutoff is 'half'"),
        ({"cutoff": 0.5}, "cutoff is 0.5"),
        ({"cutoff": [[0.5], [0.5]]}, "cutoff is"),
        ({"criterion": "mse"}, "criterion is 'mse'; it must be one of a forest for classification: 'gini'"),
        ({"criterion": "squared_error"}, "criterion is 'squared_error'"),
        ({"criterion": len}, "criterion is <built-in function len>"),
        (
            {"missing": "mean"},
            "missing is 'mean'; RandomForestClassifier supports 'learned', 'majority', 'refuse'",
        ),
        ({"max_depth": 0}, "max_depth is 0"),
        ({"min_samples_leaf": 0}, "min_samples_leaf is 0"),
        ({"max_leaf_nodes": 1}, "max_leaf_nodes is 1"),
        ({"max_exhaustive_levels": 99}, "max_exhaustive_levels is 99"),
        ({"voting": "loud"}, "voting is 'loud'; it must be 'soft' or 'hard'"),
        (
            {"oob_score": True, "bootstrap": False},
            "oob_score is True; it must be False if bootstrap is False",
        ),
        ({"oob_score": "yes"}, "oob_score is 'yes'; it must be True, False or a function"),
        ({"class_weight": "heavy"}, "class_weight is 'heavy'; .* 'balanced', 'balanced_subsample' or a dict"),
        ({"class_weight": {"a": 1}}, "class_weight is .* keys are among 'no', 'yes'"),
        ({"class_weight": {"yes": -1, "no": 1}}, r"class_weight\['yes'\] is -1"),
        ({"class_weight": {"yes": np.nan, "no": 1}}, r"class_weight\['yes'\] is nan"),
        ({"bootstrap": "no"}, "bootstrap is 'no'; it must be True or False"),
        ({"replace": "no"}, "replace is 'no'"),
        ({"seek": 2}, "seek is 2"),
        ({"warm_start": "no"}, "warm_start is 'no'"),
        ({"verbose": -1}, "verbose is -1; it must be a whole number of at least 0"),
        ({"verbose": "yes"}, "verbose is 'yes'"),
        ({"n_jobs": 0}, "n_jobs is 0"),
        ({"random_state": "zero"}, "random_state is 'zero'"),
        ({"random_state": -1}, "random_state is -1"),
        ({"categorical_features": ["zz"]}, "categorical_features has 'zz', which is not a column"),
    ],
)
def test_parameters_of_a_classifier(options, message):
    with pytest.raises(ParameterError, match=message):
        classifier(**options).fit(X, CLASSES)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"criterion": "gini"}, "criterion is 'gini'; it must be one of a forest for regression"),
        ({"max_samples": [1, 2]}, "max_samples gives sizes of strata; pass the strata"),
        ({"bias_correction": True, "bootstrap": False}, "bias_correction is True; it must be False"),
        ({"bias_correction": "yes"}, "bias_correction is 'yes'; it must be True or False"),
        ({"quantiles": "no"}, "quantiles is 'no'"),
        (
            {"criterion": "absolute_error", "nominal": "randomforest"},
            "nominal is 'randomforest'; it must be 'ordered' or 'subset' with criterion='absolute_error'",
        ),
        ({"criterion": "absolute_error", "monotonic_cst": [1]}, "None under 'absolute_error'"),
    ],
)
def test_parameters_of_a_regressor(options, message):
    with pytest.raises(ParameterError, match=message):
        regressor(**options).fit(X, NUMBERS)


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ({"strata": ["a"] * 3}, ParameterError, "strata has 3 entries; give one for each of the 50 rows"),
        ({"strata": ["a"] * 3, "sample_weight": SOME_ABSENT}, ParameterError, "strata has 3 entries"),
        ({"strata": [None] * 50}, ParameterError, "strata cannot be read as groups; .* none of them missing"),
        ({"strata": np.zeros((50, 2))}, ParameterError, "strata cannot be read as groups"),
        ({"strata": 3}, ParameterError, "strata cannot be read as groups"),
        ({"strata": [0.5] * 50}, ParameterError, "strata cannot be read as groups"),
        ({"sample_weight": [1, 2]}, WeightError, "sample_weight"),
        ({"sample_weight": np.full(50, np.nan)}, WeightError, "sample_weight holds nan in row 0"),
        ({"X_test": X}, ParameterError, "X_test is given, but y_test is None. Give both, or neither"),
        ({"y_test": CLASSES}, ParameterError, "y_test is given, but X_test is None"),
        ({"X_test": X[:, :2], "y_test": CLASSES}, SchemaError, "X_test cannot be used: X has 2 features"),
        ({"X_test": X, "y_test": CLASSES[:3]}, TargetError, "y_test has 3 entries and X_test 50 rows"),
        ({"X_test": X[:2], "y_test": ["yes", "maybe"]}, TargetError, "y_test holds 'maybe', .* 'no', 'yes'"),
    ],
)
def test_what_fit_is_given(given, error, message):
    with pytest.raises(error, match=message):
        classifier().fit(X, CLASSES, **given)


def test_strata_need_a_bootstrap():
    with pytest.raises(ParameterError, match="strata are given, but bootstrap is False"):
        classifier(bootstrap=False).fit(X, CLASSES, strata=CLASSES)


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (FRAME[["a"]], "Feature names seen at fit time, yet now missing:\n- c"),
        (FRAME.rename(columns={"a": "b"}), "Feature names unseen at fit time:\n- b"),
        (FRAME[["c", "a"]], "must be in the same order"),
        (FRAME.assign(a="u"), "Column 'a' is text; the tree was grown on numbers"),
    ],
)
def test_tables_to_be_predicted(table, message):
    with pytest.raises(SchemaError, match=message):
        classifier().fit(FRAME, CLASSES).predict(table)


def test_levels_never_seen_are_taken_unless_missing_values_are_refused():
    strange = FRAME.assign(c="q")
    assert len(classifier().fit(FRAME, CLASSES).predict(strange)) == 50
    with pytest.raises(TableError, match="Column 'c' has missing values or levels never seen in 50 rows"):
        classifier(missing="refuse").fit(FRAME, CLASSES).predict(strange)
    with pytest.raises(SchemaError, match="X has 2 features, but RandomForestClassifier is expecting 3"):
        grown().predict(X[:, :2])


@pytest.mark.parametrize(
    ("changed", "rows", "message"),
    [
        (
            {"n_estimators": 2},
            slice(None),
            "n_estimators is 2; it must be at least 3, the number of existing trees",
        ),
        ({"n_estimators": 5}, slice(40), "the rows, columns or classes differ"),
        (
            {"n_estimators": 5, "max_samples": 10},
            slice(None),
            "bootstrap, replace, max_samples or strata differ",
        ),
        (
            {"n_estimators": 5, "replace": False},
            slice(None),
            "bootstrap, replace, max_samples or strata differ",
        ),
    ],
)
def test_warm_start(changed, rows, message):
    model = grown(warm_start=True).set_params(**changed)
    with pytest.raises(ParameterError, match=message):
        model.fit(X[rows], CLASSES[rows])


@pytest.mark.parametrize(
    ("ask", "error", "message"),
    [
        (lambda: classifier().predict(X), NotFittedError, "not fitted"),
        (lambda: classifier().proximity(X), NotFittedError, "not fitted"),
        (lambda: classifier().in_bag(), NotFittedError, "not fitted"),
        (lambda: grown().permutation_importance(X[:9], CLASSES[:9]), ParameterError, "X has 9 rows"),
        (
            lambda: grown().permutation_importance(X, CLASSES[:9]),
            TargetError,
            "y has 9 entries and X 50 rows",
        ),
        (
            lambda: grown(bootstrap=False).permutation_importance(X, CLASSES),
            ParameterError,
            "bootstrap is False; it must be True: if every tree is grown on all rows, none is out of bag",
        ),
        (
            lambda: grown().proximity(X[:9], oob=True),
            ParameterError,
            "X has 9 rows, but the forest was grown on 50",
        ),
        (lambda: grown().proximity(X, sparse="yes"), ParameterError, "sparse is 'yes'"),
        (lambda: grown().outlier_scores(X, CLASSES[:3]), TargetError, "y has 3 entries and X 50 rows"),
        (lambda: grown().prototypes(X, CLASSES, n_neighbors=0), ParameterError, "n_neighbors is 0"),
        (
            lambda: grown().prototypes(X, CLASSES, n_neighbors=99),
            ParameterError,
            "from 1 to the 50 rows, or None",
        ),
        (lambda: grown().prototypes(X, CLASSES, n_neighbors=2.5), ParameterError, "n_neighbors is 2.5"),
        (
            lambda: grown().prototypes(X, ["u"] * 50),
            TargetError,
            "y holds 'u', a class the forest was not grown on",
        ),
        (lambda: grown().staged_error(X, CLASSES[:3]), TargetError, "y has 3 entries and X 50 rows"),
        (
            lambda: grown_of_numbers().predict_quantiles(X),
            ParameterError,
            "quantiles is False; it must be True at fit",
        ),
        (
            lambda: grown_of_numbers(quantiles=True).predict_quantiles(X, 2),
            ParameterError,
            "quantiles is 2; .* 0 to 1",
        ),
        (
            lambda: grown_of_numbers(quantiles=True).predict_quantiles(X, []),
            ParameterError,
            r"quantiles is \[\]",
        ),
        (
            lambda: grown_of_numbers(quantiles=True).predict_quantiles(X, None),
            ParameterError,
            "quantiles is None",
        ),
        (lambda: grown_of_numbers().predict_interval(X, 1.5), ParameterError, "level is 1.5"),
        (
            lambda: grown_of_numbers().predict_interval(X, 0.9, "magic"),
            ParameterError,
            "method is 'magic'; .* 'oob'",
        ),
        (
            lambda: grown_of_numbers().predict_interval(X),
            ParameterError,
            "oob_score is False; it must be True at fit",
        ),
        (lambda: grown_of_numbers(bootstrap=False).predict_std(X), ParameterError, "bootstrap is False"),
        (lambda: bough.UnsupervisedRandomForest(0).fit(X), ParameterError, "n_estimators is 0"),
        (lambda: bough.UnsupervisedRandomForest(3).proximity(X), NotFittedError, "not fitted"),
    ],
)
def test_what_a_forest_is_asked(ask, error, message):
    with pytest.raises(error, match=message):
        ask()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"estimator": "tree"}, "estimator is 'tree'; it must be one of bough's learners"),
        ({"estimator": DecisionTreeClassifier()}, "estimator is DecisionTreeClassifier"),
        ({"estimator": bough.TreeRegressor()}, "estimator is TreeRegressor.* a classifier"),
        ({"n_estimators": 0}, "n_estimators is 0"),
        ({"max_features": 4}, "max_features is 4"),
        ({"max_samples": 51}, "max_samples is 51"),
        ({"oob_score": True, "bootstrap": False}, "oob_score is True"),
        ({"voting": "loud"}, "voting is 'loud'"),
        ({"verbose": "yes"}, "verbose is 'yes'"),
        ({"random_state": "zero"}, "random_state is 'zero'"),
    ],
)
def test_parameters_of_bagging(options, message):
    with pytest.raises(ParameterError, match=message):
        bough.BaggingClassifier(**options).fit(X, CLASSES)


@pytest.mark.parametrize(
    ("changed", "columns", "y", "message"),
    [
        ({"n_estimators": 2}, slice(None), CLASSES, "n_estimators is 2; it must be at least 3"),
        ({"n_estimators": 4}, slice(2), CLASSES, "the rows, columns or classes differ"),
        (
            {"n_estimators": 4},
            slice(None),
            np.where(X[:, 0] > 0, "a", "b"),
            "the rows, columns or classes differ",
        ),
        (
            {"n_estimators": 4, "max_samples": 9},
            slice(None),
            CLASSES,
            "bootstrap, replace or max_samples differ",
        ),
    ],
)
def test_warm_start_of_bagging(changed, columns, y, message):
    model = bough.BaggingClassifier(n_estimators=3, warm_start=True, random_state=0).fit(X, CLASSES)
    with pytest.raises(ParameterError, match=message):
        model.set_params(**changed).fit(X[:, columns], y)
