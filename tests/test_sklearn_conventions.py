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
    bough.TreeClassifier(),
    bough.TreeRegressor(),
    # ID3 refuses numeric columns, and scikit-learn's checks have no others: they are said to be nominal.
    bough.ID3Classifier(categorical_features="all"),
    bough.TreeClassifier(max_branches=4),
    bough.CHAIDClassifier(),
    bough.CHAIDRegressor(),
    bough.RandomForestClassifier(10),
    bough.RandomForestClassifier(10, bootstrap=False),
    bough.RandomForestRegressor(10),
    bough.RandomForestRegressor(10, bootstrap=False),
    bough.ExtraTreesClassifier(10),
    bough.ExtraTreesRegressor(10),
    bough.RandomSubspaceClassifier(10),
    bough.RandomSubspaceRegressor(10),
    bough.BaggingClassifier(n_estimators=5),
    bough.BaggingClassifier(n_estimators=5, bootstrap=False),
    bough.BaggingRegressor(n_estimators=5),
    bough.BaggingRegressor(n_estimators=5, bootstrap=False),
    bough.GradientBoostingClassifier(max_iter=5, min_samples_leaf=1),
    bough.GradientBoostingRegressor(max_iter=5, min_samples_leaf=1),
    bough.ABCBoostClassifier(max_iter=5, min_samples_leaf=1, min_hessian=0.1),
    bough.ABCBoostClassifier(max_iter=5, min_samples_leaf=1, min_hessian=0.1, variant="mart"),
    bough.BagBooClassifier(n_estimators=3),
    bough.BagBooRegressor(bough.GradientBoostingRegressor(min_samples_leaf=1), 3, max_features=None),
    bough.RuleEnsembleClassifier(n_estimators=10, cv=2),
    bough.RuleEnsembleRegressor(n_estimators=10, cv=2),
    bough.ISLEClassifier(n_estimators=10, cv=2),
    bough.ISLERegressor(n_estimators=10, cv=2),
    bough.AdaBoostClassifier(n_estimators=5),
    bough.AdaBoostClassifier(
        bough.TreeClassifier(max_depth=2, smoothing="laplace"), n_estimators=5, variant="real"
    ),
    bough.AdaBoostRegressor(n_estimators=5),
    bough.AdaBoostRegressor(n_estimators=5, bootstrap=False),
    bough.LogitBoostClassifier(n_estimators=5),
    bough.BrownBoostClassifier(n_estimators=5),
    bough.AdditiveGrovesClassifier(n_estimators=2, max_grove_size=2, min_leaf_fraction=0.1),
    bough.AdditiveGrovesRegressor(n_estimators=2, max_grove_size=2, min_leaf_fraction=0.02),
    bough.TransformRegressor(max_iter=2, early_stopping=False),
    bough.TransformRegressor(max_iter=3),
    bough.UnsupervisedRandomForest(10),
    bough.IsolationForest(10),
    bough.C45Classifier(),
    bough.C45Classifier(variant="j48"),
    bough.OptimalTreeClassifier(max_depth=2, ccp_alpha=1e-3),
    bough.OptimalTreeRegressor(max_depth=2),
    bough.ConditionalTreeClassifier(min_samples_split=2, min_samples_leaf=1),
    bough.ConditionalTreeRegressor(),
    bough.SimpleCartClassifier(),
    bough.SimpleCartClassifier(prune="none"),
    bough.DecisionStumpClassifier(),
    bough.DecisionStumpRegressor(),
    bough.OneRClassifier(),
    bough.PARTClassifier(),
    bough.RIPPERClassifier(),
    bough.RIPPERClassifier(prune="none"),
    bough.REPTreeClassifier(),
    bough.REPTreeRegressor(),
    bough.CubistRegressor(),
    bough.CubistRegressor(n_estimators=2, n_neighbors=3),
    bough.LinearTreeRegressor(),
    bough.LogisticModelTreeClassifier(max_boosting_steps=20),
    bough.ModelTreeRegressor(),
    bough.ModelTreeClassifier(),
    bough.M5Regressor(),
    bough.M5RulesRegressor(),
    bough.M5Regressor(prune="none", leaf="constant"),
    bough.CARTClassifier(prune="reduced_error"),
    bough.C50Classifier(),
    bough.C50Classifier(n_estimators=3, fuzzy=True),
    bough.C50Classifier(rules=True),
]
SLOW_ESTIMATORS = [
    bough.CARTClassifier(combinations=("ratio", "bivariate", "linear"), max_depth=3),
    bough.CARTRegressor(combinations=("ratio", "linear"), max_depth=3),
]


def expected_failures(estimator):
    """Say which checks an estimator cannot pass, and why."""
    reason = why_weights_are_not_repetitions(estimator)
    checks = [f"check_sample_weight_equivalence_on_{kind}_data" for kind in ("dense", "sparse")]
    return {} if reason is None else dict.fromkeys(checks, reason)


def why_weights_are_not_repetitions(estimator):
    """Say why a row of weight 2 is not the row twice, or return None if it is."""
    if getattr(estimator, "bootstrap", False):
        # What is drawn from twice as many rows is another sample: scikit-learn excuses its own forests, too.
        return "a repeated row is drawn as two rows"
    if type(estimator).__name__.startswith(("AdditiveGroves", "RuleEnsemble", "ISLE")):
        return "a repeated row is drawn as two rows"
    if isinstance(estimator, bough.OptimalTreeRegressor):
        return "of equally good trees the first found is kept, and repeated rows change the order"
    if isinstance(estimator, bough.LogisticModelTreeClassifier):
        return "the number of steps is chosen by folds, among which repeated rows are divided"
    if isinstance(estimator, bough.SimpleCartClassifier | bough.RIPPERClassifier | bough.PARTClassifier):
        return "the check passes folds as cv, which is a number here"
    holds_out = getattr(estimator, "prune", "none") == "reduced_error"
    if holds_out and not isinstance(estimator, bough.C45Classifier):
        return "equal rows may be in different folds"
    return None


# Under ID3 every number of scikit-learn's tables is a level of its own, of which it warns.
@pytest.mark.filterwarnings("ignore::bough.errors.IdentifierWarning")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@parametrize_with_checks(ESTIMATORS, expected_failed_checks=expected_failures)
def test_sklearn_check(estimator, check):
    check(estimator)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::bough.errors.IdentifierWarning")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@parametrize_with_checks(SLOW_ESTIMATORS, expected_failed_checks=expected_failures)
def test_sklearn_check_of_slow_estimators(estimator, check):
    check(estimator)
