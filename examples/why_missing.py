"""Analyse missing values: the speed of the wind at three heights, and the sex of penguins."""

from pathlib import Path

import pandas as pd

import bough

height = [0] * 9 + [1] * 4 + [2] * 9
speed = [None, 2, None, 3, 1, 3, 1, None, 2, None, 4, None, 3, None, 4, None, 5, None, None, 3, None, None]
wind = pd.DataFrame({"height": height, "speed": speed}).astype(float)

by_mean = bough.MeanImputer().set_output(transform="pandas").fit_transform(wind)
by_height = bough.ConditionalMeanImputer(["height"]).set_output(transform="pandas").fit_transform(wind)
print(f"mean of the measured speeds: {by_mean['speed'].mean():.3f}")
print(f"mean speed after imputation by height: {by_height['speed'].mean():.3f}")
print()

penguins = pd.read_csv(Path(__file__).with_name("penguins.csv"))
found = bough.missingness(penguins)
print(found)
print()
print("Little's test:", found.mcar().words())
