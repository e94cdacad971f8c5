"""Random tables, targets and weights, with what real tables seldom have and hostile ones do."""

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
import scipy.sparse as sp

import bough
from bough.errors import BoughError

SIZES = (1, 2, 3, 5, 8, 12, 20, 30, 60, 120)
SHARES = (0.1, 0.1, 0.1, 0.15, 0.15, 0.15, 0.1, 0.05, 0.05, 0.05)
"""Most tables are small, so that many can be tried; a tail of larger ones meets what needs more rows."""
WORDS = np.array(["red", "green", "blue", "", "grün", "a,b", "nan", "x'y"], dtype=object)


@dataclass
class RandomTable:
    """Rows, rows to predict, targets of each kind, and weights; `whole`: the weights are whole numbers.

    The rows to predict are those of the table, and as many strange ones.
    """

    X: pd.DataFrame | bough.Table
    asked: pd.DataFrame | bough.Table
    classes: np.ndarray
    numbers: np.ndarray
    events: np.ndarray
    times: np.ndarray
    weight: np.ndarray | None
    whole: bool

    @property
    def n_rows(self):
        return len(self.classes)

    @property
    def grades(self):
        """The events as grades of relevance."""
        return np.clip(self.events, 0, 4).astype(int)

    @property
    def groups(self):
        """The query of each row, for rankings."""
        return np.arange(self.n_rows) // 6

    def target(self, task):
        if task.startswith("several "):
            # The second target is the first one in another order of the rows.
            own = getattr(self, task.removeprefix("several "))
            return np.column_stack([own, np.roll(own, 1)])
        return getattr(self, task)

    def as_text(self):
        """Return the table with all columns as text, for a learner of nominal columns alone."""
        return replace(self, X=_as_text(self.X), asked=_as_text(self.asked))

    def as_sparse(self):
        """Return the numbers of the table, most of them made 0, as a sparse table; None without numbers."""
        numeric = self.X.select_dtypes(["number", "bool"]).columns
        if not len(numeric):
            return None
        return replace(self, X=_as_sparse(self.X[numeric]), asked=_as_sparse(self.asked[numeric]))

    def read(self):
        """Return the table read once for many learners."""
        X = bough.Table.read(self.X)
        try:
            asked = bough.Table.fit_to(self.asked, X.schema)
        except BoughError:
            # Text in a column of which training has no known value.
            asked = X
        return replace(self, X=X, asked=asked)


def random_table(rng):
    n = int(rng.choice(SIZES, p=SHARES))
    columns = {f"c{i}": _column(rng, n) for i in range(int(rng.integers(1, 6)))}
    X = pd.DataFrame(columns)
    signal = rng.normal(size=n)
    for column in X.columns:
        if X[column].dtype.kind == "f" and rng.random() < 0.5:
            with np.errstate(over="ignore", invalid="ignore"):
                values = X[column].to_numpy() / max(np.nanmax(np.abs(X[column]), initial=1.0), 1e-300)
            signal = signal + np.nan_to_num(values, nan=0.3, posinf=1.0, neginf=-1.0)
    weight, whole = _weight(rng, n)
    classes = _classes(rng, signal)
    if weight is not None and rng.random() < 0.2:
        without = np.where(classes == classes[0], 0.0, weight)
        weight = without if without.any() else weight
    asked = pd.concat([X, _strange_rows(rng, X)], ignore_index=True)
    targets = classes, _numbers(rng, signal), _events(rng, n), _times(rng, n)
    return RandomTable(X, asked, *targets, weight, whole)


def _as_sparse(X):
    numbers = X.to_numpy(dtype=np.float64, na_value=np.nan)
    row, column = np.indices(numbers.shape)
    return sp.csr_array(np.where((row + column) % 3 == 0, numbers, 0.0))


def _as_text(X):
    return X.astype(object).where(X.notna(), None).map(lambda value: value if value is None else str(value))


def _strange_rows(rng, X):
    """Return rows with values and levels that training never had."""
    n, made = len(X), {}
    for name in X.columns:
        column = X[name].take(rng.integers(n, size=n)).reset_index(drop=True)
        hit = rng.random(n) < 0.3
        if column.dtype.kind == "f":
            column = column.where(~hit, rng.choice([np.nan, np.inf, -np.inf, 0.0, -1e308, 5e-324]))
        elif column.dtype.kind == "O" and not isinstance(column.dtype, pd.CategoricalDtype):
            column = column.where(~hit, rng.choice([None, "never seen"]))
        made[name] = column
    return pd.DataFrame(made)


def _column(rng, n):
    kind = rng.choice(["normal", "rounded", "constant", "huge", "tiny", "infinite", "whole", "truth", "text",
                       "text", "ordered", "missing", "category", "many", "near"])  # fmt: skip
    if kind == "text":
        values = rng.choice(WORDS[: int(rng.integers(1, len(WORDS) + 1))], n).astype(object)
        return np.where(rng.random(n) < 0.15, None, values) if rng.random() < 0.5 else values
    if kind == "many":
        return np.array([f"id{value}" for value in rng.integers(0, 2 * n, n)], dtype=object)
    if kind in ("ordered", "category"):
        codes = rng.integers(-1 if rng.random() < 0.5 else 0, 4, n)
        return pd.Categorical.from_codes(codes, ["s", "m", "l", "xl"], ordered=kind == "ordered")
    if kind == "truth":
        return rng.random(n) < 0.5
    if kind == "whole":
        return rng.integers(-3, 4, n)
    if kind == "missing":
        return np.full(n, np.nan) if rng.random() < 0.5 else np.full(n, None, dtype=object)
    values = {
        "normal": lambda: rng.normal(size=n),
        "rounded": lambda: rng.normal(size=n).round(1),
        "constant": lambda: np.full(n, rng.choice([0.0, -0.0, 1e300, 7.0])),
        "huge": lambda: rng.normal(size=n) * 1e307,
        "tiny": lambda: rng.normal(size=n) * 1e-310,
        "infinite": lambda: rng.choice([-np.inf, 0.0, 1.0, np.inf], n),
        "near": lambda: 1.0 + rng.integers(0, 3, n) * np.finfo(float).eps,
    }[kind]()
    if rng.random() < 0.4:
        values = np.where(rng.random(n) < rng.choice([0.1, 0.6]), np.nan, values)
    return values


def _classes(rng, signal):
    k = int(rng.choice([1, 2, 2, 3, 5, 40]))
    cuts = np.sort(rng.normal(size=k - 1)) if k > 1 else np.zeros(0)
    codes = np.digitize(signal, cuts)
    kind = rng.choice(["text", "whole", "truth"])
    if kind == "truth":
        return codes > 0
    if kind == "whole":
        return codes * 7 - 3
    return np.array([f"k{code}" for code in codes], dtype=object)


def _numbers(rng, signal):
    n = len(signal)
    return {
        "plain": lambda: signal,
        "rounded": lambda: signal.round(),
        "constant": lambda: np.full(n, 3.3),
        "large": lambda: signal * 1e70,
        "far": lambda: signal + 1e9,
        "small": lambda: signal * 1e-140,
        "heavy": lambda: np.exp(5 * np.clip(signal, -9, 9)),
    }[rng.choice(["plain", "plain", "rounded", "constant", "large", "far", "small", "heavy"])]()


def _events(rng, n):
    events = rng.poisson(rng.choice([0.05, 1.0, 30.0]), n).astype(float)
    events[int(rng.integers(n))] += 1
    return events


def _times(rng, n):
    time = rng.exponential(size=n) + 0.01
    if rng.random() < 0.5:
        time = np.ceil(time * 3)
    observed = rng.random(n) < rng.choice([0.05, 0.7, 1.0])
    observed[int(rng.integers(n))] = True
    return np.c_[time, observed]


def _weight(rng, n):
    kind = rng.choice(["none", "none", "whole", "real", "wide"])
    if kind == "none":
        return None, True
    if kind == "whole":
        weight = rng.integers(0, 4, n).astype(float)
    elif kind == "real":
        weight = rng.random(n)
    else:
        weight = 10.0 ** rng.integers(-5, 6, n)
    if not weight.any():
        weight[0] = 1.0
    return weight, bool(kind == "whole")
