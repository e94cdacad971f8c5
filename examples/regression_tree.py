"""Predict the body mass of a penguin by regression trees whose leaves predict a mean or a median."""

from pathlib import Path

import pandas as pd
from sklearn.model_selection import KFold, cross_val_score

import bough

penguins = pd.read_csv(Path(__file__).with_name("penguins.csv")).dropna(subset=["body_mass_g"])
X, y = penguins.drop(columns=["body_mass_g", "year"]), penguins["body_mass_g"]

for criterion in ("squared_error", "absolute_error"):
    learner = bough.CARTRegressor(criterion=criterion, max_leaf_nodes=6)
    r2 = cross_val_score(learner, X, y, cv=KFold(5, shuffle=True, random_state=0)).mean()
    print(learner.fit(X, y).tree_)
    print(f"\n{criterion}: R² in cross-validation {r2:.3f}\n")
