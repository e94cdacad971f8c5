"""A forest of penguins: which columns matter, which birds are alike, and how sure their weight is."""

import tempfile
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pandas as pd

import bough

mpl.use("Agg")
import matplotlib.pyplot as plt

penguins = pd.read_csv(Path(__file__).with_name("penguins.csv"))
X, species = penguins.drop(columns=["species", "year"]), penguins["species"]

forest = bough.RandomForestClassifier(300, oob_score=True, random_state=0).fit(X, species)
print(f"Right out of bag: {forest.oob_score_:.3f}")
importance = forest.permutation_importance(X, species)
for name, mean, scaled in zip(X.columns, importance.mean, importance.scaled, strict=True):
    print(f"  {name:<18} {mean:.3f}  ({scaled:.1f} standard errors)")
print("A typical bird of each species:")
for name, bird in forest.prototypes(X, species).items():
    print(f"  {name}: {bird}")

known = penguins.dropna(subset=["body_mass_g"])
columns = ["species", "bill_length_mm", "bill_depth_mm", "flipper_length_mm", "sex"]
weigh = bough.RandomForestRegressor(300, min_samples_leaf=5, oob_score=True, random_state=0)
weigh.fit(known[columns], known["body_mass_g"])
low, high = weigh.predict_interval(known[columns], level=0.9).T

# Birds that end in the same leaves lie close together: two coordinates of the proximities.
near = forest.proximity(X, oob=True, sparse=False)
centred = near - near.mean(axis=0) - near.mean(axis=1, keepdims=True) + near.mean()
values, vectors = np.linalg.eigh((centred + centred.T) / 2)
place = vectors[:, -2:] * np.sqrt(np.maximum(values[-2:], 0))

figure, (bars, birds, weights) = plt.subplots(1, 3, figsize=(13, 4))
bars.barh(X.columns, importance.mean, xerr=importance.sd)
bars.set_title("What shuffling a column loses")
for name in sorted(set(species)):
    own = (species == name).to_numpy()
    birds.scatter(place[own, 1], place[own, 0], s=8, label=name)
birds.legend()
birds.set_title("Proximity")
order = np.argsort(weigh.predict(known[columns]))
weights.fill_between(range(len(order)), low[order], high[order], alpha=0.3)
weights.plot(known["body_mass_g"].to_numpy()[order], ".", markersize=3)
weights.set_title("Weight and its 90 % interval")
with tempfile.TemporaryDirectory() as folder:
    picture = Path(folder) / "forest.png"
    figure.savefig(picture)
    print(f"A picture of {picture.stat().st_size // 1024} kB was drawn.")
