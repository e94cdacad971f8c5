"""scikit-learn's voting and stacking combine bough's learners."""

import numpy as np
from sklearn.ensemble import StackingClassifier, StackingRegressor, VotingClassifier, VotingRegressor
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_predict

import bough

RNG = np.random.default_rng(2)
X = RNG.normal(size=(150, 3))
NUMBERS = X[:, 0] + X[:, 1] * X[:, 2]
CLASSES = np.array(["low", "high"])[(NUMBERS > 0).astype(int)]
LEARNERS = [
    ("CART", bough.CARTClassifier(cv=3, random_state=0)),
    ("boosting", bough.GradientBoostingClassifier(max_iter=5)),
    ("rules", bough.C50Classifier(rules=True)),
]
REGRESSORS = [
    ("tree", bough.TreeRegressor(max_depth=3)),
    ("linear", bough.LinearTreeRegressor()),
    ("transform", bough.TransformRegressor(max_iter=2)),
]


def test_a_soft_vote_is_the_mean_of_the_learners():
    vote = VotingClassifier(LEARNERS, voting="soft").fit(X, CLASSES)
    mean = np.mean([learner.fit(X, CLASSES).predict_proba(X) for _, learner in LEARNERS], axis=0)
    np.testing.assert_allclose(vote.predict_proba(X), mean)
    numbers = VotingRegressor(REGRESSORS).fit(X, NUMBERS)
    mean = np.mean([learner.fit(X, NUMBERS).predict(X) for _, learner in REGRESSORS], axis=0)
    np.testing.assert_allclose(numbers.predict(X), mean)


def test_a_stack_learns_from_predictions_outside_of_folds():
    folds = StratifiedKFold(3)
    stack = StackingClassifier(LEARNERS, LogisticRegression(), cv=folds).fit(X, CLASSES)
    shares = [
        cross_val_predict(learner, X, CLASSES, cv=folds, method="predict_proba")[:, 1]
        for _, learner in LEARNERS
    ]
    final = LogisticRegression().fit(np.column_stack(shares), CLASSES)
    np.testing.assert_allclose(stack.final_estimator_.coef_, final.coef_)


def test_a_learner_of_bough_may_be_the_final_one():
    stack = StackingRegressor(REGRESSORS, bough.LinearTreeRegressor(), cv=3).fit(X, NUMBERS)
    assert stack.score(X, NUMBERS) > 0.8
    assert stack.final_estimator_.model_.task == "regression"
