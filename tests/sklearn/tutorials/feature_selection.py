"""Which columns matter: by impurity, by permutation, by elimination, and how predictions depend on one."""

import numpy as np
from sklearn.datasets import make_regression
from sklearn.ensemble import RandomForestRegressor
from sklearn.feature_selection import RFECV, SelectFromModel
from sklearn.inspection import partial_dependence, permutation_importance
from sklearn.model_selection import cross_val_score, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeRegressor

X, y, weights = make_regression(1500, 20, n_informative=5, noise=10.0, coef=True, random_state=0)
X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0)
useful = set(np.flatnonzero(weights).tolist())

forest = RandomForestRegressor(n_estimators=60, random_state=0).fit(X_train, y_train)
by_impurity = set(np.argsort(forest.feature_importances_)[-5:].tolist())
permuted = permutation_importance(forest, X_test, y_test, n_repeats=3, random_state=0)
by_permutation = set(np.argsort(permuted.importances_mean)[-5:].tolist())
eliminated = RFECV(DecisionTreeRegressor(min_samples_leaf=5, random_state=0), step=3, cv=3)
eliminated.fit(X_train, y_train)
strongest = int(np.argmax(weights))
curve = partial_dependence(forest, X_train, [strongest], grid_resolution=20)["average"][0]
selected = make_pipeline(
    SelectFromModel(RandomForestRegressor(n_estimators=30, random_state=0)),
    RandomForestRegressor(n_estimators=60, random_state=0),
)
scores = {
    "impurity": len(by_impurity & useful) / 5,
    "permutation": len(by_permutation & useful) / 5,
    "elimination": len(useful & set(np.flatnonzero(eliminated.support_).tolist())) / 5,
    "rise": float(np.mean(np.diff(curve) > -1e-9)),
    "selected": cross_val_score(selected, X, y, cv=3).mean(),
}
