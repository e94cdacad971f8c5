"""Write a criterion in Python: a function of the children's statistics, for classification and regression."""

from pathlib import Path

import numpy as np
import numpy.typing as npt
import pandas as pd

import bough

Statistics = npt.NDArray[np.float64]

penguins = pd.read_csv(Path(__file__).with_name("penguins.csv")).dropna(subset=["body_mass_g"])


def area_under_curve(children: Statistics) -> Statistics:
    """Return |AUC - 1/2| of each split, the last class being the positive one."""
    last, others = children[:, :, -1], children[:, :, :-1].sum(axis=2)
    rate, false_rate = (part[:, 0] / np.maximum(part.sum(axis=1), 1) for part in (last, others))
    return np.abs(rate - false_rate) / 2


def difference_of_means(children: Statistics) -> Statistics:
    """Return the difference of the children's means; a split with a child below 30 cases is impossible."""
    weight, total = children[:, :, 0], children[:, :, 1]
    mean = total / np.maximum(weight, 1)
    return np.where(weight.min(axis=1) >= 30, np.ptp(mean, axis=1), -np.inf)


X = penguins.drop(columns=["species", "year"])
print(bough.TreeClassifier(criterion=area_under_curve, max_depth=2).fit(X, penguins["species"]).tree_)
print()
X = penguins.drop(columns=["body_mass_g", "year"])
print(bough.TreeRegressor(criterion=difference_of_means, max_depth=2).fit(X, penguins["body_mass_g"]).tree_)
