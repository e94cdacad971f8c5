"""Predict the species of a penguin, from columns with text and missing values."""

from pathlib import Path

import pandas as pd
from sklearn.model_selection import train_test_split

import bough

penguins = pd.read_csv(Path(__file__).with_name("penguins.csv"))
X, y = penguins.drop(columns=["species", "year"]), penguins["species"]
X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.25, random_state=0)

# The tree is grown until its leaves are pure, then pruned to the size that cross-validation selects.
learner = bough.CARTClassifier().fit(X_train, y_train)
print(learner.cp_table_)
print()

print(learner.tree_)
print()
print(learner.tree_.rules())
print()
print(f"accuracy on {len(X_test)} penguins held out: {learner.score(X_test, y_test):.3f}")
