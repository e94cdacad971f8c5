"""A grid over depth, leaf size and columns, then a search that halves the candidates."""

from sklearn.datasets import load_digits
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.model_selection import GridSearchCV, HalvingGridSearchCV, train_test_split
from sklearn.tree import DecisionTreeClassifier

X, y = load_digits(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0, stratify=y)

grid = {"max_depth": [6, 10, None], "min_samples_leaf": [1, 3, 9], "criterion": ["gini", "entropy"]}
tree = GridSearchCV(DecisionTreeClassifier(random_state=0), grid, cv=3).fit(X_train, y_train)

sizes = {"max_features": ["sqrt", 0.3, 0.6], "min_samples_leaf": [1, 2, 5]}
forest = HalvingGridSearchCV(
    ExtraTreesClassifier(n_estimators=60, random_state=0), sizes, cv=3, random_state=0, factor=3
).fit(X_train, y_train)
scores = {"tree": tree.score(X_test, y_test), "forest": forest.score(X_test, y_test)}
