"""Measure the stability of a tree by how often each split recurs in bootstrap samples."""

from pathlib import Path

import pandas as pd

import bough

penguins = pd.read_csv(Path(__file__).with_name("penguins.csv"))
X, y = penguins.drop(columns=["species", "year"]), penguins["species"]

learner = bough.TreeClassifier(max_depth=3, min_samples_leaf=5).fit(X, y)
found = bough.stability(learner, X, y, n_draws=50)
print(found)
print()
for node, close in found.near_ties.items():
    words = [rival.split.question(found.tree.schema) for rival in close]
    print(f"node {node} has near ties: {', '.join(words)}")
print("columns of the root's split:", found.root_columns)
