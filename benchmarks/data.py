"""Tables to race on: noisy numbers, the same on every machine and in every run."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

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
