"""Write the report of a tree that predicts malignant cells, evaluated on a test set."""

import tempfile
from pathlib import Path

from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split

import bough

data = load_breast_cancer(as_frame=True)
labels = data.target.map({0: "malignant", 1: "benign"}).rename("diagnosis")
X_train, X_test, y_train, y_test = train_test_split(data.data, labels, random_state=0, stratify=labels)

learner = bough.TreeClassifier(max_depth=4, min_samples_leaf=5).fit(X_train, y_train)
page = bough.report(learner, X_train, y_train, test=(X_test, y_test), title="Which cells are malignant?")
path = page.save(Path(tempfile.mkdtemp()) / "cells.html")

print(bough.evaluate(learner, X_test, y_test, rows="held out"))
print()
print(f"The report is {path} ({len(page.html) / 1000:.0f} kB).")
