"""Fit the same tree to pandas, polars and pyarrow tables, and one to a numpy array, which has no names."""

from importlib.util import find_spec
from typing import Any

import numpy as np

import bough

columns: dict[str, list[Any]] = {
    "visits": [1, 2, 1, 3, 2, 5],
    "referrer": ["search", None, "ad", "ad", "search", "mail"],
    "member": [True, False, False, None, True, True],
}
y = ["yes", "yes", "no", "no", "yes", "no"]

frames: dict[str, Any] = {}
if find_spec("pandas"):
    import pandas as pd

    frames["pandas"] = pd.DataFrame(columns)
if find_spec("polars"):
    import polars as pl

    frames["polars"] = pl.DataFrame(columns)
if find_spec("pyarrow"):
    import pyarrow as pa

    frames["pyarrow"] = pa.table(columns)

trees = {library: bough.TreeClassifier().fit(frame, y).tree_ for library, frame in frames.items()}
for library, tree in trees.items():
    print(f"{library}: {tree!r}")
if len(trees) > 1:
    first, *others = trees.values()
    print("the same tree:", all(tree == first for tree in others))

array = np.array(list(zip(*columns.values(), strict=True)), dtype=object)
print()
print(bough.TreeClassifier().fit(array, y).tree_)
