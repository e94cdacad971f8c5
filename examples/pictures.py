"""Draw every figure of `bough.plot` on real data; `python examples/pictures.py FOLDER` writes them as SVG."""

import sys
import tempfile
from pathlib import Path

import matplotlib as mpl
import pandas as pd
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split

import bough
from bough import plot

mpl.use("agg")
mpl.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "bough", "figure.max_open_warning": 0})

folder = Path(sys.argv[1] if len(sys.argv) > 1 else tempfile.mkdtemp())
penguins = pd.read_csv(Path(__file__).with_name("penguins.csv"))
X, y = penguins.drop(columns=["species", "year"]), penguins["species"]
species = bough.TreeClassifier(max_depth=3, min_samples_leaf=5).fit(X, y)

weighed = penguins.dropna(subset=["body_mass_g"])
sizes, mass = weighed[["flipper_length_mm", "bill_depth_mm"]], weighed["body_mass_g"]
heavy = bough.TreeRegressor(max_leaf_nodes=6).fit(sizes, mass)

cells = load_breast_cancer(as_frame=True)
labels = cells.target.map({0: "malignant", 1: "benign"})
train, test, labels_train, labels_test = train_test_split(cells.data, labels, random_state=0, train_size=300)
full = bough.TreeClassifier().fit(train, labels_train)
evaluation = bough.evaluate(bough.TreeClassifier(max_depth=4).fit(train, labels_train), test, labels_test)

pictures = {
    "tree": lambda: plot.tree(species),
    "regression-tree": lambda: plot.tree(heavy, sizes, mass),
    "regions": lambda: plot.regions(species, X, y, features=("bill_length_mm", "flipper_length_mm"), steps=2),
    "heat-map": lambda: plot.regions(heavy, sizes, mass, steps=2),
    "surface": lambda: plot.surface(heavy, sizes, mass, steps=2),
    "impurity": lambda: plot.impurity(),
    "cut-curve": lambda: bough.cut_curve(sizes["flipper_length_mm"], mass).plot(),
    "size": lambda: plot.size_curve(full, train, labels_train, test, labels_test),
    "cp": lambda: plot.cp_curve(full, test, labels_test),
    "importance": lambda: plot.importance(full),
    "roc": lambda: plot.roc(evaluation, "malignant"),
    "gains": lambda: plot.gains(evaluation, "malignant"),
    "lift": lambda: plot.lift(evaluation, "malignant"),
    "calibration": lambda: plot.calibration(evaluation, "malignant"),
    "stability": lambda: plot.stability(bough.stability(species, X, y, n_draws=30)),
    "learners": lambda: bough.compare(
        X, y, {"CART": bough.TreeClassifier(), "stump": bough.TreeClassifier(max_depth=1)}
    ).plot(),
}
for name, draw in pictures.items():
    path = folder / f"{name}.svg"
    draw().figure.savefig(path, metadata={"Date": None})
    print(f"{path.name:<22} {path.stat().st_size / 1000:.0f} kB")
