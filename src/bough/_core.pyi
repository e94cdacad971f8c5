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
        surrogates: dict[str, npt.NDArray[Any]] | None = None,
    ) -> None: ...
    def apply(self, columns: list[NativeColumn], n_rows: int, n_threads: int) -> Ints: ...

def grow(
    columns: list[NativeColumn],
    n_rows: int,
    n_classes: int,
    target: dict[str, npt.NDArray[Any] | None],
    recipe: dict[str, Any],
    n_folds: int,
    n_threads: int,
    progress: Callable[[float], None] | None,
) -> list[dict[str, Any]]: ...
def held_out_losses(
    parent: Ints,
    complexity: Floats,
    answer: Floats,
    end: Ints,
    truth: Floats,
    weight: Floats,
    exposure: Floats | None,
    alphas: list[float],
    loss: str,
    cost: Floats | None,
) -> tuple[Floats, Floats]: ...
def weakest_links(
    first_child: Ints, n_children: Ints, fall: Floats, noise: Floats, exact: bool, rounding: float
) -> Floats: ...
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
def best_cut(
    criterion: str,
    statistics: Floats,
    cases: Floats,
    node_weight: float,
    min_cases: float,
    min_weight: float,
    v: Floats,
) -> tuple[float, float, float]: ...
def best_step(
    criterion: str,
    statistics: Floats,
    cases: Floats,
    node_weight: float,
    min_cases: float,
    min_weight: float,
    v: Floats,
    cut: float,
    x: Floats,
    gamma: float,
) -> tuple[float, float, float]: ...
def best_angle(
    criterion: str,
    statistics: Floats,
    cases: Floats,
    node_weight: float,
    min_cases: float,
    min_weight: float,
    x: Floats,
    y: Floats,
) -> tuple[float, float, float]: ...
def chi_square_survival(x: float, degrees: int) -> float: ...
def pearson(table: Floats) -> tuple[float, int]: ...

class Forest:
    def __init__(
        self,
        nodes: npt.NDArray[np.uint64],
        wide: bool,
        column_bits: int,
        leaf: Floats,
        special: npt.NDArray[np.uint32],
        node_start: npt.NDArray[np.int64],
        leaf_start: npt.NDArray[np.int64],
        special_start: npt.NDArray[np.int64],
        n_levels: list[int],
        n_classes: int,
    ) -> None: ...
    def tally(
        self,
        columns: list[NativeColumn],
        n_rows: int,
        shares: bool,
        votes: bool,
        decide: bool,
        label: Ints | None,
        y: Floats | None,
        by_votes: bool,
        cutoff: list[float],
        sample: dict[str, Any] | None,
        seed: int,
        n_threads: int,
        progress: Callable[[float], None] | None,
    ) -> dict[str, npt.NDArray[Any]]: ...
    def leaves(
        self,
        columns: list[NativeColumn],
        n_rows: int,
        n_threads: int,
        progress: Callable[[float], None] | None,
    ) -> npt.NDArray[np.uint32]: ...
    def permute(
        self,
        columns: list[NativeColumn],
        n_rows: int,
        label: Ints | None,
        y: Floats | None,
        sample: dict[str, Any],
        seed: int,
        shuffle_seed: int,
        by_case: bool,
        n_threads: int,
        progress: Callable[[float], None] | None,
    ) -> dict[str, npt.NDArray[Any]]: ...
    def quantiles(
        self,
        columns: list[NativeColumn],
        n_rows: int,
        start: npt.NDArray[np.int64],
        rank: npt.NDArray[np.uint32],
        weight: npt.NDArray[np.float32],
        values: list[float],
        wanted: list[float],
        n_threads: int,
        progress: Callable[[float], None] | None,
    ) -> Floats: ...

def grow_forest(
    columns: list[NativeColumn],
    n_rows: int,
    n_classes: int,
    label: Ints | None,
    y: Floats | None,
    weight: Floats | None,
    cases: Floats | None,
    criterion: str,
    recipe: dict[str, Any],
    sample: dict[str, Any],
    seed: int,
    first_tree: int,
    n_trees: int,
    n_threads: int,
    progress: Callable[[float], None] | None,
) -> dict[str, Any]: ...
def draws(
    sample: dict[str, Any], n_rows: int, seed: int, first_tree: int, n_trees: int
) -> npt.NDArray[np.uint32]: ...
