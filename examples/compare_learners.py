"""Compare learners on the same folds, and choose the size of a tree by the one-standard-error rule."""

from sklearn.datasets import load_wine

import bough

wine = load_wine(as_frame=True)
X, y = wine.data, wine.target_names[wine.target]

print(bough.compare(X, y, cv=5))
print()

choice = bough.choose(
    bough.TreeClassifier(), X, y, {"max_leaf_nodes": [2, 3, 4, 6, 10, 20]}, rule="one_se", cv=5
)
print("chosen:", choice.parameters)
print(choice.estimator.tree_)
