"""Every estimator passes scikit-learn's own checks.

None is left out here. scikit-learn itself passes over `check_array_api_input` unless SCIPY_ARRAY_API is set
in the environment; it concerns arrays on other devices, which bough does not compute on.
"""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

import bough

ESTIMATORS = [
    bough.CARTClassifier(),
    bough.CARTRegressor(),
    bough.TreeClassifier(),
    bough.TreeRegressor(),
    # ID3 refuses numeric columns, and scikit-learn's checks have no others: they are said to be nominal.
    bough.ID3Classifier(categorical_features="all"),
    bough.C50Classifier(),
    bough.C50Classifier(trials=3, fuzzy=True),
    bough.C50Classifier(rules=True),
]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@parametrize_with_checks(ESTIMATORS)
def test_sklearn_check(estimator, check):
    check(estimator)
