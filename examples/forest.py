"""Grow random forests on the penguins: importance, proximity, error by number of trees, prediction intervals.

`python examples/forest.py forest.svg` saves the figure under this name.
"""

import sys
import tempfile
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pandas as pd

import bough

mpl.use("Agg")
import matplotlib.pyplot as plt

penguins = pd.read_csv(Path(__file__).with_name("penguins.csv"))
penguins = penguins.sample(frac=1, random_state=0, ignore_index=True)
X, species = penguins.drop(columns=["species", "year"]), penguins["species"]

forest = bough.RandomForestClassifier(300, oob_score=True, random_state=0).fit(X, species)
print(f"Out-of-bag accuracy: {forest.oob_score_:.3f}")
importance = forest.permutation_importance(X, species)
for name, mean, scaled in zip(X.columns, importance.mean, importance.scaled, strict=True):
    print(f"  {name:<18} {mean:.3f}  ({scaled:.1f} standard errors)")
print("Prototype of each species:")
for name, bird in forest.prototypes(X, species).items():
    print(f"  {name}: {bird}")
print(f"The bird with the highest outlier score is {forest.outlier_scores(X, species).argmax()}.")

# A third of the birds is the test set, which shows the coverage of the prediction intervals.
known = penguins.dropna(subset=["body_mass_g"])
columns = ["species", "bill_length_mm", "bill_depth_mm", "flipper_length_mm", "sex"]
birds, grams = known[columns], known["body_mass_g"].to_numpy()
new = np.arange(len(known)) % 3 == 0
weigh = bough.RandomForestRegressor(300, min_samples_leaf=5, oob_score=True, random_state=0)
weigh.fit(birds[~new], grams[~new], X_test=birds[new], y_test=grams[new])
low, high = weigh.predict_interval(birds[new], level=0.9).T
held = (low <= grams[new]) & (grams[new] <= high)
print(f"The 90 % prediction intervals contain the weights of {held.mean():.0%} of {new.sum()} new birds.")

# Multidimensional scaling of the proximities: birds that often share a leaf are close to each other.
near = forest.proximity(X, oob=True, sparse=False)
centred = near - near.mean(axis=0) - near.mean(axis=1, keepdims=True) + near.mean()
values, vectors = np.linalg.eigh((centred + centred.T) / 2)
coordinates = vectors[:, -2:] * np.sqrt(np.maximum(values[-2:], 0))

figure, axes = plt.subplots(2, 2, figsize=(11, 8), layout="constrained")
(bars, map_of_birds), (curve, weights) = axes
order = np.argsort(importance.mean)
bars.barh(X.columns[order], importance.mean[order], xerr=importance.sd[order])
bars.set(title="Permutation importance", xlabel="decrease of out-of-bag accuracy, with its standard error")
for name in sorted(set(species)):
    own = (species == name).to_numpy()
    map_of_birds.scatter(coordinates[own, 1], coordinates[own, 0], s=8, label=name)
map_of_birds.legend()
map_of_birds.set(title="Out-of-bag proximity", xlabel="first coordinate", ylabel="second coordinate")
curve.plot(weigh.oob_error_curve_, label="out of bag")
curve.plot(weigh.test_error_curve_, label="new birds")
curve.legend()
curve.set(title="Error of the weight", xlabel="trees", ylabel="mean squared error in g²")
order = np.argsort(weigh.test_prediction_)
weights.fill_between(range(new.sum()), low[order], high[order], alpha=0.3, label="90 % interval")
weights.plot(grams[new][order], ".", markersize=4, label="weight")
weights.legend()
weights.set(title="Weight of new birds", xlabel="birds by predicted weight", ylabel="g")

with tempfile.TemporaryDirectory() as folder:
    picture = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(folder) / "forest.svg"
    figure.savefig(picture, metadata={"Date": None})
    print("The figure is drawn.")
