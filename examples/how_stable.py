"""How stable is a tree? Grow it again from the table drawn anew, and see which splits come back."""

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
    print(f"node {node} could as well ask: {' or '.join(words)}")
print("what the root asks:", found.root_columns)
