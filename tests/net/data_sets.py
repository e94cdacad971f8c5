"""The data sets that models are fitted to: the stored tables of real data, and random ones of fixed seeds."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

ROOT = Path(__file__).parents[2]
_GOLDEN = ROOT / "tests" / "golden" / "data"


@dataclass
class DataSet:
    """Rows to fit, their target, other rows to predict, and weights of each kind for the rows to fit."""

    X: Any
    y: Any
    X_new: Any = None
    others: dict[str, Any] = field(default_factory=dict)

    @property
    def n_rows(self) -> int:
        return len(self.X)

    def argument(self, name: Any) -> Any:
        """Return what an argument of fit stands for; a word that is not known is its own value."""
        drawn = np.random.default_rng(11)
        makers: dict[str, Callable[[], Any]] = {
            "whole": lambda: drawn.integers(1, 4, self.n_rows).astype(float),
            "with zeros": lambda: drawn.integers(0, 3, self.n_rows).astype(float),
            "fractional": lambda: drawn.uniform(0.1, 2.5, self.n_rows),
            "fractional with zeros": lambda: (
                drawn.uniform(0.1, 2.5, self.n_rows) * (drawn.random(self.n_rows) > 0.2)
            ),
            "tiny": lambda: drawn.uniform(0.1, 2.5, self.n_rows) * 1e-9,
            "exposure": lambda: drawn.uniform(0.2, 3.0, self.n_rows),
            "strata": lambda: np.arange(self.n_rows) % 3,
            "folds": lambda: np.arange(self.n_rows) % 7,
            "X_test": lambda: self.X[: self.n_rows // 2],
            "y_test": lambda: self.y[: self.n_rows // 2],
        }
        return makers[name]() if isinstance(name, str) and name in makers else name


def shaken(X: pd.DataFrame, n_rows: int = 120, missing: float = 0.1) -> pd.DataFrame:
    """Return rows whose values are drawn from each column by itself, some of them missing."""
    drawn = np.random.default_rng(5)
    columns = {}
    for name in X.columns:
        values = X[name].iloc[drawn.integers(0, len(X), n_rows)].reset_index(drop=True)
        columns[name] = values.mask(drawn.random(n_rows) < missing)
    return pd.DataFrame(columns)


def _stored(name: str) -> DataSet:
    schema = json.loads((_GOLDEN / f"{name}.schema.json").read_text(encoding="utf-8"))
    text = {column["name"]: str for column in schema["columns"] if column["type"] != "numeric"}
    frame = pd.read_csv(_GOLDEN / f"{name}.csv", dtype=text)
    for column in schema["columns"]:
        if column["type"] != "numeric":
            kind = pd.CategoricalDtype(column["levels"], ordered=column["type"] == "ordinal")
            frame[column["name"]] = frame[column["name"]].astype(kind)
    frame = frame[frame[schema["target"]].notna()].reset_index(drop=True)
    X = frame[[column["name"] for column in schema["columns"] if column["role"] == "feature"]]
    # The classes of text are sorted by every build; those of a categorical were not.
    y = frame[schema["target"]]
    y = y if y.dtype.kind in "bif" else y.astype(object)
    if schema["task"] == "survival":
        y = pd.DataFrame({"time": frame["pgtime"], "status": frame["pgstat"] == 1})
    return DataSet(X, y, shaken(X))


def _penguins(target: str) -> DataSet:
    frame = pd.read_csv(ROOT / "examples" / "penguins.csv")
    frame = frame[frame[target].notna()].reset_index(drop=True)
    X = frame.drop(columns=target)
    return DataSet(X, frame[target], shaken(X))


def _mixed(task: str, n_rows: int = 300, missing: float = 0.0, seed: int = 0) -> DataSet:
    """Numbers, numbers with ties, a constant, levels few and many, ordered levels, and noise."""
    drawn = np.random.default_rng(seed)
    x = drawn.normal(size=(n_rows, 3))
    tied = drawn.integers(0, 6, n_rows)
    few, many = drawn.integers(0, 4, n_rows), drawn.integers(0, 40, n_rows)
    rank = drawn.integers(0, 5, n_rows)
    signal = x[:, 0] + 0.8 * np.sin(many) + 0.6 * (few % 2) + 0.3 * rank + 0.4 * (tied > 2) * x[:, 1]
    signal = signal + 0.5 * drawn.normal(size=n_rows)
    grades = ["poor", "fair", "good", "fine", "best"]
    X = pd.DataFrame(
        {
            "number": x[:, 0],
            "like": x[:, 0] + 0.5 * x[:, 1],
            "noise": x[:, 2],
            "tied": tied.astype(float),
            "constant": np.full(n_rows, 7.0),
            "few": pd.Categorical.from_codes(few, ["a", "b", "c", "d"]),
            "many": pd.Categorical.from_codes(many, [f"m{i:02}" for i in range(40)]),
            "grade": pd.Categorical.from_codes(rank, grades, ordered=True),
        }
    )
    for name in X.columns:
        X[name] = X[name].mask(drawn.random(n_rows) < missing)
    return DataSet(X, _target(task, signal, drawn), shaken(X))


def _target(task: str, signal: np.ndarray, drawn: np.random.Generator) -> Any:
    n_rows = len(signal)
    ranks = signal.argsort().argsort()
    if task == "two":
        return np.where(ranks * 5 // n_rows >= 3, "yes", "no")
    if task == "five":
        return np.array(["e", "b", "d", "a", "c"])[ranks * 5 // n_rows]
    if task == "number":
        return 100 + 10 * signal
    if task == "count":
        return drawn.poisson(np.exp(0.4 * signal)).astype(float)
    if task == "pairs":
        return signal + 1 - signal.min(), drawn.random(n_rows) < 0.7
    time = drawn.exponential(np.exp(-signal)).round(3) + 0.001
    return pd.DataFrame({"time": time, "status": drawn.random(n_rows) < 0.7})


def _numbers(task: str, n_rows: int = 200) -> DataSet:
    """A plain numpy array."""
    drawn = np.random.default_rng(3)
    x = drawn.normal(size=(2 * n_rows, 4)).round(2)
    signal = x[:, 0] * x[:, 1] + np.where(x[:, 2] / (1.5 + np.abs(x[:, 3])) > 0.2, 1.0, 0.0)
    y = _target(task, signal + 0.2 * drawn.normal(size=2 * n_rows), drawn)
    return DataSet(x[:n_rows], y[:n_rows], x[n_rows:])


def _close(task: str, n_rows: int = 150) -> DataSet:
    """Numbers that float32 cannot tell apart, huge ones, tiny ones and negative zeros."""
    drawn = np.random.default_rng(6)
    step = drawn.integers(0, 50, (2 * n_rows, 4)).astype(float)
    x = step * [1e-12, 1e300, 1e-300, -1.0] + np.array([1.0, 0.0, 0.0, 0.0])
    y = _target(task, step[:, 0] + 0.5 * step[:, 1] - step[:, 2] + drawn.normal(size=2 * n_rows), drawn)
    return DataSet(x[:n_rows], y[:n_rows], x[n_rows:])


def _ties(n_rows: int = 96) -> DataSet:
    """Columns that are copies of each other, and levels in an order other than the alphabet's."""
    drawn = np.random.default_rng(8)
    code = drawn.integers(0, 4, n_rows)
    level = np.array(["z", "y", "x", "w"])[code]
    X = pd.DataFrame({"a": code.astype(float), "b": 3.0 - code, "c": level, "d": level, "e": code % 2 == 0})
    return DataSet(X, np.array([2, 0, 1, 1])[(code + (drawn.random(n_rows) < 0.2)) % 4], shaken(X, 40))


def _lists() -> DataSet:
    """Rows as lists with text, None and numbers."""
    drawn = np.random.default_rng(9)
    words = ["red", "green", "blue", None]
    rows = [
        [words[int(drawn.integers(4))], float(drawn.integers(9)), bool(drawn.random() < 0.5)]
        for _ in range(80)
    ]
    y = ["+" if (row[0] == "red") ^ (row[1] > 4) else "-" for row in rows]
    return DataSet(rows, y, [["pink", 3.0, True], [None, 8.0, False], ["blue", None, True]])


def _polars() -> DataSet:
    import polars as pl

    base = _mixed("two", 150, 0.1, 12)
    return DataSet(pl.from_pandas(base.X), base.y, pl.from_pandas(base.X_new))


@cache
def data_set(name: str) -> DataSet:
    """Return a data set by its name: "iris", or such as "mixed two" and "gaps number" with values missing."""
    kind, _, task = name.partition(" ")
    makers: dict[str, Callable[[], DataSet]] = {
        "mixed": lambda: _mixed(task),
        "gaps": lambda: _mixed(task, missing=0.15, seed=1),
        "small": lambda: _mixed(task, 60, 0.05, seed=2),
        "large": lambda: _mixed(task, 2000, 0.02, seed=3),
        "huge": lambda: _mixed(task, 12000, seed=4),
        "close": lambda: _close(task),
        "numbers": lambda: _numbers(task),
        "penguins": lambda: _penguins(task),
        "ties": _ties,
        "lists": _lists,
        "polars": _polars,
    }
    return makers[kind]() if kind in makers else _stored(name)
