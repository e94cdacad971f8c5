"""Every estimator passes scikit-learn's own checks.

None is left out here. Where rows are held out to prune on, they are drawn row by row: a row of weight 2 is in
one fold, the row twice may be in two. scikit-learn itself passes over `check_array_api_input` unless
SCIPY_ARRAY_API is set in the environment; it concerns arrays on other devices, which bough does not use.
"""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

import bough

ESTIMATORS = [
    bough.CARTClassifier(),
    bough.CARTRegressor(),
    bough.CARTClassifier(combinations=("ratio", "bivariate", "linear"), max_depth=3),
    bough.CARTRegressor(combinations=("ratio", "linear"), max_depth=3),
    bough.TreeClassifier(),
    bough.TreeRegressor(),
    # ID3 refuses numeric columns, and scikit-learn's checks have no others: they are said to be nominal.
    bough.ID3Classifier(categorical_features="all"),
    bough.C45Classifier(),
    bough.C45Classifier(variant="j48"),
    bough.REPTreeClassifier(),
    bough.REPTreeRegressor(),
    bough.CARTClassifier(prune="reduced_error"),
    bough.C50Classifier(),
    bough.C50Classifier(trials=3, fuzzy=True),
    bough.C50Classifier(rules=True),
]


def expected_failures(estimator):
    """Say which checks an estimator cannot pass, and why."""
    prune = getattr(estimator, "prune", "none")
    holds_out = prune == "reduced_error" and not isinstance(estimator, bough.C45Classifier)
    if not holds_out:
        return {}
    return {"check_sample_weight_equivalence_on_dense_data": "equal rows may be in different folds"}


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@parametrize_with_checks(ESTIMATORS, expected_failed_checks=expected_failures)
def test_sklearn_check(estimator, check):
    check(estimator)
