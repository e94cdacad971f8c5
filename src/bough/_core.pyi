from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]
NativeColumn = tuple[npt.NDArray[Any], str, int]

class Router:
    def __init__(
        self,
        first_child: Ints,
        n_children: Ints,
        column: Ints,
        kind: npt.NDArray[np.uint8],
        cut: Floats,
        default_branch: Ints,
        level_start: npt.NDArray[np.int64],
        level_code: Ints,
        level_branch: Ints,
        n_levels: list[int],
    ) -> None: ...
    def apply(self, columns: list[NativeColumn], n_rows: int, n_threads: int) -> Ints: ...

def grow(
    columns: list[NativeColumn],
    n_rows: int,
    n_classes: int,
    label: Ints | None,
    y: Floats | None,
    weight: Floats | None,
    cases: Floats | None,
    criterion: str,
    nominal: str,
    max_exhaustive: int,
    limits: dict[str, float],
    n_threads: int,
    progress: Callable[[float], None] | None,
) -> dict[str, npt.NDArray[Any]]: ...

class C50Predictor:
    def __init__(
        self, trees: list[dict[str, npt.NDArray[Any]]], n_classes: int, cost: Floats, n_levels: list[int]
    ) -> None: ...
    def predict(
        self, columns: list[NativeColumn], n_rows: int, n_trees: int, n_threads: int
    ) -> tuple[Floats, Ints]: ...

def c50_learn(
    columns: list[NativeColumn],
    label: Ints,
    n_classes: int,
    weight: Floats,
    cost: Floats,
    settings: dict[str, Any],
    progress: Callable[[float], None] | None,
) -> dict[str, Any]: ...
def c50_rules(
    tree: dict[str, npt.NDArray[Any]],
    columns: list[NativeColumn],
    label: Ints,
    n_classes: int,
    weight: Floats,
    settings: dict[str, Any],
    progress: Callable[[float], None] | None,
) -> tuple[list[Any], int]: ...
def c50_sample(n_rows: int, share: float, seed: int) -> Ints: ...
def split_values(
    criterion: str, statistics: Floats, node_weight: Floats, values: Floats | None = None
) -> Floats: ...
def impurity(criterion: str, statistics: Floats, values: Floats | None = None) -> Floats: ...
def best_split(
    kind: str,
    criterion: str,
    statistics: Floats,
    cases: Floats,
    node_weight: float,
    min_cases: float = 1.0,
    min_weight: float = 0.0,
    max_exhaustive: int = 12,
    values: Floats | None = None,
) -> tuple[float, Ints]: ...
def chi_square_survival(x: float, degrees: int) -> float: ...
def pearson(table: Floats) -> tuple[float, int]: ...
