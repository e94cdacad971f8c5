"""Discretize numeric columns in four ways, and grow an ID3 tree on the intervals."""

from sklearn.datasets import load_iris
from sklearn.pipeline import make_pipeline

import bough

iris = load_iris(as_frame=True)
X, y = iris.data, iris.target_names[iris.target]

for discretizer in (
    bough.EqualWidthDiscretizer(3),
    bough.EqualFrequencyDiscretizer(3),
    bough.KMeansDiscretizer(3),
    bough.MDLDiscretizer(),
):
    cuts = discretizer.fit(X, y).cuts_[2]
    print(f"{type(discretizer).__name__:<26} petal length cut at {', '.join(f'{cut:.2f}' for cut in cuts)}")

model = make_pipeline(bough.MDLDiscretizer(encode="interval"), bough.ID3Classifier()).fit(X, y)
print()
print(model[-1].tree_)
print(bough.cross_validated(model, X, y).measures["accuracy"].words())
