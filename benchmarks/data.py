"""Tables to race on: noisy numbers, and levels, the same on every machine and in every run."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

N_COLUMNS = 28
FEW_LEVELS = (2, 5, 10, 20)
"""How many different values each of the last columns holds; in the others nearly every value is unique."""


class Data(NamedTuple):
    """Rows, a class for each and a number for each."""

    X: npt.NDArray[np.floating]
    labels: npt.NDArray[np.int64]
    numbers: npt.NDArray[np.float64]


def noisy_rows(n_rows: int, dtype: str, seed: int = 0) -> Data:
    """Make rows of which some columns tell something, and the best of all classifiers is wrong in a quarter.

    The noise has the standard deviation of the signal. The sign of the sum of two normal numbers of equal
    spread is that of either one in 3 of 4 cases, so a quarter of the labels is beyond reach.
    """
    rng = np.random.default_rng(seed)
    X = np.empty((n_rows, N_COLUMNS), dtype=dtype)
    n_unique = N_COLUMNS - len(FEW_LEVELS)
    X[:, :n_unique] = rng.standard_normal((n_rows, n_unique), dtype=np.float32)
    for column, n_levels in enumerate(FEW_LEVELS, start=n_unique):
        X[:, column] = rng.integers(0, n_levels, n_rows)
    signal = X[:, 0] + 0.7 * X[:, 1] - 0.5 * X[:, 2] + 0.5 * X[:, 3] * X[:, 4] + 0.1 * (X[:, 27] - 9.5)
    signal = signal.astype(np.float64)
    noisy = signal + signal.std() * rng.standard_normal(n_rows)
    return Data(X, (noisy > 0).astype(np.int64), noisy)


class NominalData(NamedTuple):
    """A table of nominal columns and what is to be predicted from it."""

    X: pd.DataFrame
    counts: npt.NDArray[np.float64]
    labels: npt.NDArray[np.str_]
    numbers: npt.NDArray[np.float64]


def nominal_rows(n_rows: int, seed: int = 0) -> NominalData:
    """Draw ten nominal columns of 3 to 26 levels; nearly all rows are different.

    Every column adds something to the target, and two pairs of columns add something together.
    """
    rng = np.random.default_rng(seed)
    n_levels = (3, 4, 5, 6, 8, 10, 12, 16, 20, 26)
    codes = [rng.integers(0, n, n_rows) for n in n_levels]
    effects = [rng.normal(0, scale, n) for n, scale in zip(n_levels, np.linspace(0.25, 0.6, 10), strict=True)]
    mean = sum(effect[code] for effect, code in zip(effects, codes, strict=True))
    mean = mean + 1.0 * ((codes[2] > 2) & (codes[7] < 6)) - 0.8 * ((codes[4] < 3) & (codes[9] > 12))
    columns = {
        f"c{i}": pd.Categorical.from_codes(code, pd.Index([f"level {j:02d}" for j in range(n)]))
        for i, (code, n) in enumerate(zip(codes, n_levels, strict=True))
    }
    return NominalData(
        pd.DataFrame(columns),
        rng.poisson(np.exp(0.5 * mean)).astype(float),
        np.where(rng.random(n_rows) < 1 / (1 + np.exp(-1.5 * mean)), "yes", "no"),
        mean + rng.normal(size=n_rows),
    )
