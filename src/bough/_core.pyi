from collections.abc import Callable, Sequence
from typing import Annotated, Any, overload

import numpy as np
from numpy.typing import NDArray

class BinnedTable:
    @property
    def n_rows(self) -> int: ...
    @property
    def n_columns(self) -> int: ...
    def codes(self, column: int) -> NDArray[np.uint16]: ...
    def extremes(self, column: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]: ...

def bin_table(
    columns: list[tuple[Any, str, int]],
    n_rows: int,
    cases: Annotated[NDArray[np.float64], {"shape": (None,)}] | None,
    in_rule: Annotated[NDArray[np.uint8], {"shape": (None,)}] | None,
    max_bins: int,
    n_threads: int,
    progress: Callable[[float], None] | None,
) -> BinnedTable: ...
def boost(
    columns: list[tuple[Any, str, int]],
    n_rows: int,
    n_classes: int,
    target: dict[str, Any],
    settings: dict[str, Any],
    bins: BinnedTable,
    n_threads: int,
    progress: Callable[[float], None] | None,
    gradients: Callable[[NDArray[np.float64]], object] | None = None,
    losses: Callable[[NDArray[np.float64]], object] | None = None,
    report: Callable[[int, float], None] | None = None,
    ends_after: Callable[[int, NDArray[np.float64]], bool] | None = None,
) -> dict[str, Any]: ...
def boost_vectors(
    columns: list[tuple[Any, str, int]],
    n_rows: int,
    y: Annotated[NDArray[np.float64], {"shape": (None, None)}],
    weight: Annotated[NDArray[np.float64], {"shape": (None,)}] | None,
    validation: Annotated[NDArray[np.uint8], {"shape": (None,)}] | None,
    settings: dict[str, Any],
    bins: BinnedTable,
    n_threads: int,
    progress: Callable[[float], None] | None,
    report: Callable[[int, float], None] | None = None,
) -> dict[str, Any]: ...
def boost_gbm(
    columns: list[tuple[Any, str, int]],
    n_rows: int,
    n_classes: int,
    y: Annotated[NDArray[np.float64], {"shape": (None,)}],
    weight: Annotated[NDArray[np.float64], {"shape": (None,)}],
    settings: dict[str, Any],
    n_threads: int,
    progress: Callable[[float], None] | None,
) -> dict[str, Any]: ...

class TreeSum:
    def __init__(
        self,
        trees: dict[str, Any],
        n_scores: int,
        vectors: bool,
        n_levels: Sequence[int],
        models: dict[str, Any] | None = None,
    ) -> None: ...
    def add(
        self,
        columns: list[tuple[Any, str, int]],
        n_rows: int,
        scores: Annotated[NDArray[np.float64], {"shape": (None, None)}],
        first: int,
        last: int,
        n_threads: int,
    ) -> NDArray[np.float64]: ...
    def add_matrix(
        self,
        matrix: Annotated[NDArray[np.float64], {"shape": (None, None)}],
        start: Annotated[NDArray[np.float64], {"shape": (None,)}],
        last: int,
        n_threads: int,
    ) -> NDArray[np.float64]: ...

def boost_elsewhere(
    columns: list[tuple[Any, str, int]],
    n_rows: int,
    n_classes: int,
    settings: dict[str, Any],
    bins: BinnedTable,
    unit_weights: bool,
    rows: object,
    n_threads: int,
    progress: Callable[[float], None] | None,
) -> dict[str, Any]: ...
def add_start_sums(
    n_classes: int,
    n_rows: int,
    target: dict[str, Any],
    sums: Annotated[NDArray[np.float64], {"shape": (None,)}],
) -> NDArray[np.float64]: ...
def start_scores(
    n_classes: int,
    n_columns: int,
    settings: dict[str, Any],
    sums: Annotated[NDArray[np.float64], {"shape": (None,)}],
) -> list[float]: ...

class GradientPartition:
    def __init__(
        self,
        bins: BinnedTable,
        n_classes: int,
        target: dict[str, Any],
        settings: dict[str, Any],
        first_row: int,
        unit_weights: bool,
        start: Sequence[float],
    ) -> None: ...
    def restart(self) -> None: ...
    def begin_round(self, round: int) -> None: ...
    def range(self, which: int) -> tuple[int, float, float, float]: ...
    def begin_tree(self, round: int, which: int, grid: tuple[bool, float, float]) -> tuple[int, int, int]: ...
    @property
    def n_parted(self) -> int: ...
    def part(
        self, leaf: int, column: int, branch: Annotated[NDArray[np.uint8], {"shape": (None,)}]
    ) -> None: ...
    def count(self, leaf: int) -> int: ...
    def histogram(self, leaf: int) -> NDArray[np.uint64]: ...
    def residuals(self, which: int, leaf: int) -> tuple[NDArray[np.uint32], NDArray[np.float64]]: ...
    def add(self, which: int, tree: dict[str, Any]) -> None: ...

def c50_learn(
    columns: list[tuple[Any, str, int]],
    label: Annotated[NDArray[np.int32], {"shape": (None,)}],
    n_classes: int,
    weight: Annotated[NDArray[np.float64], {"shape": (None,)}],
    cost: Annotated[NDArray[np.float64], {"shape": (None,)}],
    settings: dict[str, Any],
    progress: Callable[[float], None] | None,
) -> dict[str, Any]: ...
def c50_rules(
    tree: dict[str, Any],
    columns: list[tuple[Any, str, int]],
    label: Annotated[NDArray[np.int32], {"shape": (None,)}],
    n_classes: int,
    weight: Annotated[NDArray[np.float64], {"shape": (None,)}],
    settings: dict[str, Any],
    progress: Callable[[float], None] | None,
) -> tuple[list[Any], int]: ...
def c50_sample(n_rows: int, share: float, seed: int) -> NDArray[np.int32]: ...

class C50Predictor:
    def __init__(
        self,
        trees: list[dict[str, Any]],
        n_classes: int,
        cost: Annotated[NDArray[np.float64], {"shape": (None,)}],
        n_levels: Sequence[int],
    ) -> None: ...
    def predict(
        self, columns: list[tuple[Any, str, int]], n_rows: int, n_trees: int, n_threads: int
    ) -> tuple[NDArray[np.float64], NDArray[np.int32]]: ...

def crc32(content: Annotated[NDArray[np.uint8], {"shape": (None,)}], before: int) -> int: ...
def weakest_links(
    first_child: Annotated[NDArray[np.int32], {"shape": (None,)}],
    n_children: Annotated[NDArray[np.int32], {"shape": (None,)}],
    fall: Annotated[NDArray[np.float64], {"shape": (None,)}],
    noise: Annotated[NDArray[np.float64], {"shape": (None,)}],
    exact: bool,
    rounding: float,
) -> NDArray[np.float64]: ...
def grow_conditional(
    columns: list[tuple[Any, str, int]],
    n_rows: int,
    n_classes: int,
    target: dict[str, Any],
    options: dict[str, Any],
    progress: Callable[[float], None] | None,
) -> dict[str, Any]: ...
def family(
    n_children: Annotated[NDArray[np.int32], {"shape": (None,)}],
    roots: Annotated[NDArray[np.int64], {"shape": (None,)}],
) -> tuple[NDArray[np.int32], NDArray[np.int32]]: ...
def grow_forest(
    columns: object,
    n_rows: int,
    n_classes: int,
    label: Annotated[NDArray[np.int32], {"shape": (None,)}] | None,
    y: Annotated[NDArray[np.float64], {"shape": (None,)}] | None,
    weight: Annotated[NDArray[np.float64], {"shape": (None,)}] | None,
    cases: Annotated[NDArray[np.float64], {"shape": (None,)}] | None,
    criterion: str,
    recipe: dict[str, Any],
    sample: dict[str, Any],
    seed: int,
    first_tree: int,
    n_trees: int,
    n_threads: int,
    progress: Callable[[float], None] | None,
    targets: Sequence[int] = [],
) -> dict[str, Any]: ...
def grow_survival_forest(
    columns: object,
    n_rows: int,
    time: Annotated[NDArray[np.float64], {"shape": (None,)}],
    event: Annotated[NDArray[np.float64], {"shape": (None,)}],
    weight: Annotated[NDArray[np.float64], {"shape": (None,)}] | None,
    cases: Annotated[NDArray[np.float64], {"shape": (None,)}] | None,
    criterion: str,
    recipe: dict[str, Any],
    sample: dict[str, Any],
    seed: int,
    first_tree: int,
    n_trees: int,
    n_threads: int,
    progress: Callable[[float], None] | None,
) -> dict[str, Any]: ...
def logrank_statistics(
    time: Annotated[NDArray[np.float64], {"shape": (None,)}],
    event: Annotated[NDArray[np.float64], {"shape": (None,)}],
    weight: Annotated[NDArray[np.float64], {"shape": (None,)}],
) -> NDArray[np.float64]: ...
def draws(
    sample: dict[str, Any], n_rows: int, seed: int, first_tree: int, n_trees: int
) -> NDArray[np.uint32]: ...

class Forest:
    def __init__(
        self,
        nodes: Annotated[NDArray[np.uint64], {"shape": (None,)}],
        wide: bool,
        column_bits: int,
        leaf: Annotated[NDArray[np.float64], {"shape": (None, None)}],
        special: Annotated[NDArray[np.uint32], {"shape": (None,)}],
        node_start: Annotated[NDArray[np.int64], {"shape": (None,)}],
        leaf_start: Annotated[NDArray[np.int64], {"shape": (None,)}],
        special_start: Annotated[NDArray[np.int64], {"shape": (None,)}],
        n_levels: Sequence[int],
        n_classes: int,
        n_threads: int,
    ) -> None: ...
    def tally(
        self,
        columns: object,
        n_rows: int,
        shares: bool,
        votes: bool,
        decide: bool,
        label: Annotated[NDArray[np.int32], {"shape": (None,)}] | None,
        y: Annotated[NDArray[np.float64], {"shape": (None,)}] | None,
        by_votes: bool,
        cutoff: Sequence[float],
        sample: dict[str, Any] | None,
        seed: int,
        first_tree: int,
        n_threads: int,
        progress: Callable[[float], None] | None,
    ) -> dict[str, Any]: ...
    def check_nodes(self) -> None: ...
    @overload
    def sums_of_few(
        self, matrix: Annotated[NDArray[np.float32], {"shape": (None, None)}]
    ) -> NDArray[np.float64]: ...
    @overload
    def sums_of_few(
        self, matrix: Annotated[NDArray[np.float64], {"shape": (None, None)}]
    ) -> NDArray[np.float64]: ...
    def leaves(
        self, columns: object, n_rows: int, n_threads: int, progress: Callable[[float], None] | None
    ) -> NDArray[np.uint32]: ...
    def permute(
        self,
        columns: object,
        n_rows: int,
        label: Annotated[NDArray[np.int32], {"shape": (None,)}] | None,
        y: Annotated[NDArray[np.float64], {"shape": (None,)}] | None,
        sample: dict[str, Any],
        seed: int,
        shuffle_seed: int,
        by_case: bool,
        n_threads: int,
        progress: Callable[[float], None] | None,
    ) -> dict[str, Any]: ...
    def quantiles(
        self,
        columns: object,
        n_rows: int,
        start: Annotated[NDArray[np.int64], {"shape": (None,)}],
        rank: Annotated[NDArray[np.uint32], {"shape": (None,)}],
        weight: Annotated[NDArray[np.float32], {"shape": (None,)}],
        values: Sequence[float],
        wanted: Sequence[float],
        n_threads: int,
        progress: Callable[[float], None] | None,
    ) -> NDArray[np.float64]: ...

def grow(
    columns: object,
    n_rows: int,
    n_classes: int,
    target: dict[str, Any],
    recipe: dict[str, Any],
    n_folds: int,
    n_threads: int,
    progress: Callable[[float], None] | None,
    bins: BinnedTable | None = None,
) -> list[dict[str, Any]]: ...
def held_out_losses(
    parent: Annotated[NDArray[np.int32], {"shape": (None,)}],
    complexity: Annotated[NDArray[np.float64], {"shape": (None,)}],
    answer: Annotated[NDArray[np.float64], {"shape": (None,)}],
    end: Annotated[NDArray[np.int32], {"shape": (None,)}],
    truth: Annotated[NDArray[np.float64], {"shape": (None,)}],
    weight: Annotated[NDArray[np.float64], {"shape": (None,)}],
    exposure: Annotated[NDArray[np.float64], {"shape": (None,)}] | None,
    alphas: Sequence[float],
    loss: str,
    cost: Annotated[NDArray[np.float64], {"shape": (None, None)}] | None,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]: ...
def shuffled_runs(
    random: Annotated[NDArray[np.uint32], {"shape": (None,)}], length: int, n_runs: int
) -> tuple[NDArray[np.int32], int] | None: ...
def lasso_path(
    start: Annotated[NDArray[np.int64], {"shape": (None,)}],
    rows: Annotated[NDArray[np.int32], {"shape": (None,)}],
    numbers: Annotated[NDArray[np.float64], {"shape": (None, None)}],
    only: Annotated[NDArray[np.int32], {"shape": (None,)}] | None,
    y: Annotated[NDArray[np.float64], {"shape": (None,)}],
    weight: Annotated[NDArray[np.float64], {"shape": (None,)}] | None,
    fold: Annotated[NDArray[np.int32], {"shape": (None,)}] | None,
    settings: dict[str, Any],
    n_threads: int,
    progress: Callable[[float], None] | None,
) -> dict[str, Any]: ...
def grow_m5(
    values: Annotated[NDArray[np.float64], {"shape": (None, None)}],
    y: Annotated[NDArray[np.float64], {"shape": (None,)}],
    weight: Annotated[NDArray[np.float64], {"shape": (None,)}] | None,
    cases: Annotated[NDArray[np.float64], {"shape": (None,)}] | None,
    options: dict[str, Any],
    progress: Callable[[float], None] | None,
) -> dict[str, Any]: ...
def grow_linear_tree(
    values: Annotated[NDArray[np.float64], {"shape": (None, None)}],
    codes: Annotated[NDArray[np.int32], {"shape": (None, None)}],
    y: Annotated[NDArray[np.float64], {"shape": (None,)}],
    weight: Annotated[NDArray[np.float64], {"shape": (None,)}] | None,
    cases: Annotated[NDArray[np.float64], {"shape": (None,)}] | None,
    options: dict[str, Any],
    progress: Callable[[float], None] | None,
) -> dict[str, Any]: ...

class LogisticRows:
    def __init__(
        self,
        values: Annotated[NDArray[np.float64], {"shape": (None, None)}],
        code: Annotated[NDArray[np.int32], {"shape": (None,)}],
        n_classes: int,
        weight: Annotated[NDArray[np.float64], {"shape": (None,)}] | None,
    ) -> None: ...
    def steps(
        self,
        rows: Annotated[NDArray[np.uint32], {"shape": (None,)}],
        fold: Annotated[NDArray[np.int32], {"shape": (None,)}],
        max_steps: int,
        n_threads: int,
        progress: Callable[[float], None] | None,
    ) -> int: ...
    def boost(
        self, rows: Annotated[NDArray[np.uint32], {"shape": (None,)}], n_steps: int
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]: ...
    def errors(self, rows: Annotated[NDArray[np.uint32], {"shape": (None,)}]) -> float: ...

def learn_m5_rules(
    values: Annotated[NDArray[np.float64], {"shape": (None, None)}],
    y: Annotated[NDArray[np.float64], {"shape": (None,)}],
    weight: Annotated[NDArray[np.float64], {"shape": (None,)}] | None,
    cases: Annotated[NDArray[np.float64], {"shape": (None,)}] | None,
    options: dict[str, Any],
    progress: Callable[[float], None] | None,
) -> list[dict[str, Any]]: ...

class CubistNeighbours:
    def __init__(
        self,
        columns: list[tuple[Any, bool, int]],
        y: Annotated[NDArray[np.float32], {"shape": (None,)}],
        mean: Annotated[NDArray[np.float32], {"shape": (None,)}],
        deviation: Annotated[NDArray[np.float32], {"shape": (None,)}],
        predicted: Annotated[NDArray[np.float32], {"shape": (None,)}],
        n_neighbours: int,
        max_distance: float,
        floor: float,
        ceiling: float,
    ) -> None: ...
    def correct(
        self, columns: list[tuple[Any, bool, int]], base: Annotated[NDArray[np.float32], {"shape": (None,)}]
    ) -> NDArray[np.float64]: ...

def learn_cubist(
    columns: list[tuple[Any, bool, int]],
    y: Annotated[NDArray[np.float32], {"shape": (None,)}],
    options: dict[str, Any],
    progress: Callable[[float], None] | None,
) -> dict[str, Any]: ...
def predict_by_models(
    models: dict[str, Any],
    columns: list[tuple[Any, str, int]],
    n_rows: int,
    node: Annotated[NDArray[np.int32], {"shape": (None,)}],
    answer: Annotated[NDArray[np.float64], {"shape": (None,)}],
    n_threads: int,
) -> NDArray[np.float64]: ...
def search_optimal(
    columns: list[tuple[Any, str, int]],
    n_rows: int,
    target: dict[str, Any],
    settings: dict[str, Any],
    time_limit: float,
    keep: bool,
    n_threads: int,
    progress: Callable[[float, float], None] | None,
) -> dict[str, Any]: ...
def nearly_optimal(
    columns: list[tuple[Any, str, int]],
    n_rows: int,
    target: dict[str, Any],
    settings: dict[str, Any],
    most: float,
    max_trees: int,
    progress: Callable[[float], None] | None,
) -> dict[str, Any]: ...
def grow_c45(
    columns: list[tuple[Any, str, int]],
    n_rows: int,
    n_classes: int,
    label: Annotated[NDArray[np.int32], {"shape": (None,)}],
    weight: Annotated[NDArray[np.float64], {"shape": (None,)}] | None,
    cases: Annotated[NDArray[np.float64], {"shape": (None,)}] | None,
    grown: Annotated[NDArray[np.uint8], {"shape": (None,)}] | None,
    variant: str,
    options: dict[str, Any],
    n_threads: int,
    progress: Callable[[float], None] | None,
) -> dict[str, Any]: ...
def prune_by_errors(
    tree: dict[str, Any],
    columns: list[tuple[Any, str, int]],
    n_rows: int,
    n_classes: int,
    label: Annotated[NDArray[np.int32], {"shape": (None,)}],
    weight: Annotated[NDArray[np.float64], {"shape": (None,)}] | None,
    cases: Annotated[NDArray[np.float64], {"shape": (None,)}] | None,
    estimate: str,
    confidence: float,
    deviate: float,
    raising: bool,
    spread: bool,
    progress: Callable[[float], None] | None,
) -> dict[str, Any]: ...
def spread(
    tree: dict[str, Any],
    share: Annotated[NDArray[np.float64], {"shape": (None,)}],
    values: Annotated[NDArray[np.float64], {"shape": (None, None)}],
    columns: list[tuple[Any, str, int]],
    n_rows: int,
    nested: bool,
    n_threads: int,
) -> NDArray[np.float64]: ...
def collect(
    tree: dict[str, Any],
    share: Annotated[NDArray[np.float64], {"shape": (None,)}] | None,
    figures: Annotated[NDArray[np.float64], {"shape": (None, None)}],
    columns: list[tuple[Any, str, int]],
    n_rows: int,
) -> NDArray[np.float64]: ...
def collect_classes(
    tree: dict[str, Any],
    share: Annotated[NDArray[np.float64], {"shape": (None,)}] | None,
    n_classes: int,
    label: Annotated[NDArray[np.int32], {"shape": (None,)}],
    weight: Annotated[NDArray[np.float64], {"shape": (None,)}] | None,
    columns: list[tuple[Any, str, int]],
    n_rows: int,
) -> NDArray[np.float64]: ...
def errors_of_passing_rows(
    tree: dict[str, Any],
    share: Annotated[NDArray[np.float64], {"shape": (None,)}] | None,
    answer: Annotated[NDArray[np.float64], {"shape": (None,)}],
    truth: Annotated[NDArray[np.float64], {"shape": (None,)}],
    classes: bool,
    weight: Annotated[NDArray[np.float64], {"shape": (None,)}] | None,
    columns: list[tuple[Any, str, int]],
    n_rows: int,
) -> NDArray[np.float64]: ...
def grow_rep(
    columns: list[tuple[Any, str, int]],
    n_rows: int,
    n_classes: int,
    label: Annotated[NDArray[np.int32], {"shape": (None,)}] | None,
    y: Annotated[NDArray[np.float64], {"shape": (None,)}] | None,
    weight: Annotated[NDArray[np.float64], {"shape": (None,)}] | None,
    cases: Annotated[NDArray[np.float64], {"shape": (None,)}] | None,
    order: Annotated[NDArray[np.uint32], {"shape": (None,)}] | None,
    options: dict[str, Any],
    n_threads: int,
    progress: Callable[[float], None] | None,
) -> dict[str, Any]: ...
def grow_simple_cart(
    columns: list[tuple[Any, str, int]],
    n_rows: int,
    n_classes: int,
    label: Annotated[NDArray[np.int32], {"shape": (None,)}],
    weight: Annotated[NDArray[np.float64], {"shape": (None,)}] | None,
    cases: Annotated[NDArray[np.float64], {"shape": (None,)}] | None,
    order: Annotated[NDArray[np.uint32], {"shape": (None,)}] | None,
    min_cases: float,
    heuristic: bool,
    n_threads: int,
    progress: Callable[[float], None] | None,
) -> dict[str, Any]: ...
def part_rules(
    columns: list[tuple[Any, str, int]],
    n_rows: int,
    n_classes: int,
    label: Annotated[NDArray[np.int32], {"shape": (None,)}],
    weight: Annotated[NDArray[np.float64], {"shape": (None,)}] | None,
    cases: Annotated[NDArray[np.float64], {"shape": (None,)}] | None,
    held_out: Annotated[NDArray[np.uint8], {"shape": (None,)}] | None,
    options: dict[str, Any],
    n_threads: int,
    progress: Callable[[float], None] | None,
) -> list[tuple[list[Any], list[float]]]: ...
def weka_order(rank: Annotated[NDArray[np.uint32], {"shape": (None,)}]) -> NDArray[np.uint32]: ...
def stratified_rows(
    label: Annotated[NDArray[np.int32], {"shape": (None,)}], n_kept: int, n_folds: int, seed: int
) -> NDArray[np.uint32]: ...

class JavaShuffle:
    def __init__(self, seed: int) -> None: ...
    def whole(self) -> int: ...
    def below(self, bound: int) -> int: ...
    def permutation(self, n: int) -> NDArray[np.int64]: ...

def fold_of_rows(
    label: Annotated[NDArray[np.int32], {"shape": (None,)}] | None,
    n_rows: int,
    n_folds: int,
    fold: int,
    seed: int | None,
) -> NDArray[np.uint8]: ...
def grown_rows(
    label: Annotated[NDArray[np.int32], {"shape": (None,)}] | None,
    n_rows: int,
    n_folds: int,
    seed: int,
    holds_out: bool,
) -> NDArray[np.uint32]: ...
def expected_errors(
    weight: Annotated[NDArray[np.float64], {"shape": (None,)}],
    errors: Annotated[NDArray[np.float64], {"shape": (None,)}],
    estimate: str,
    confidence: float,
    deviate: float,
) -> NDArray[np.float64]: ...

class Router:
    def __init__(
        self,
        tree: dict[str, Any],
        n_levels: Sequence[int],
        surrogates: dict[str, Any] | None = None,
        intervals: dict[str, Any] | None = None,
    ) -> None: ...
    def apply(self, columns: object, n_rows: int, n_threads: int) -> NDArray[np.int32]: ...
    def answers(
        self,
        columns: object,
        n_rows: int,
        of_node: Annotated[NDArray[np.int64], {"shape": (None, None)}],
        n_threads: int,
    ) -> NDArray[np.int64]: ...

def criteria() -> list[dict[str, Any]]: ...
def split_values(
    criterion: str,
    statistics: Annotated[NDArray[np.float64], {"shape": (None, None, None)}],
    node_weight: Annotated[NDArray[np.float64], {"shape": (None,)}],
    values: Annotated[NDArray[np.float64], {"shape": (None,)}] | None = None,
    loss: Annotated[NDArray[np.float64], {"shape": (None,)}] | None = None,
) -> NDArray[np.float64]: ...
def impurity(
    criterion: str,
    statistics: Annotated[NDArray[np.float64], {"shape": (None, None)}],
    values: Annotated[NDArray[np.float64], {"shape": (None,)}] | None = None,
    loss: Annotated[NDArray[np.float64], {"shape": (None,)}] | None = None,
) -> NDArray[np.float64]: ...
def best_split(
    kind: str,
    criterion: str,
    statistics: Annotated[NDArray[np.float64], {"shape": (None, None)}],
    cases: Annotated[NDArray[np.float64], {"shape": (None,)}],
    node_weight: float,
    min_cases: float = 1.0,
    min_weight: float = 0.0,
    max_exhaustive: int = 12,
    values: Annotated[NDArray[np.float64], {"shape": (None,)}] | None = None,
    min_cases_leaf: float = 1.0,
    loss: Annotated[NDArray[np.float64], {"shape": (None,)}] | None = None,
) -> tuple[float, NDArray[np.int32]]: ...
def best_partitions(
    criterion: str,
    statistics: Annotated[NDArray[np.float64], {"shape": (None, None)}],
    cases: Annotated[NDArray[np.float64], {"shape": (None,)}],
    orders: Annotated[NDArray[np.int32], {"shape": (None, None)}] | None,
    node_weight: float,
    max_groups: int,
    min_cases: float = 1.0,
    min_weight: float = 0.0,
    loss: Annotated[NDArray[np.float64], {"shape": (None,)}] | None = None,
) -> tuple[NDArray[np.float64], NDArray[np.int32]]: ...
def sums_by_code(
    column: Annotated[NDArray[np.int32], {"shape": (None,)}],
    rows: Annotated[NDArray[np.int64], {"shape": (None,)}],
    n_levels: int,
    entry: Annotated[NDArray[np.int32], {"shape": (None,)}] | None,
    width: int,
    weight: Annotated[NDArray[np.float64], {"shape": (None,)}],
    cases: Annotated[NDArray[np.float64], {"shape": (None,)}],
    sums: Annotated[NDArray[np.float64], {"shape": (None,)}] | None = None,
    squares: Annotated[NDArray[np.float64], {"shape": (None,)}] | None = None,
) -> tuple[NDArray[np.float64], NDArray[np.int64]]: ...
def log_multiplier(n_levels: int, n_groups: int, nominal: bool) -> float: ...
def merge_levels(
    test: str,
    order: str,
    statistics: Annotated[NDArray[np.float64], {"shape": (None, None)}],
    cases: Annotated[NDArray[np.float64], {"shape": (None,)}],
    merge_level: float,
    split_level: float,
    min_cases: float = 1.0,
    max_exhaustive: int = 12,
    exhaustive: bool = False,
    bonferroni: bool = True,
) -> tuple[bool, float, float, NDArray[np.int32]]: ...
def chi_square_log_survival(x: float, degrees: int) -> float: ...
def f_log_survival(x: float, numerator: float, denominator: float) -> float: ...
def chi_square_survival(x: float, degrees: int) -> float: ...
def pearson(table: Annotated[NDArray[np.float64], {"shape": (None, None)}]) -> tuple[float, int]: ...
def best_cut(
    criterion: str,
    statistics: Annotated[NDArray[np.float64], {"shape": (None, None)}],
    cases: Annotated[NDArray[np.float64], {"shape": (None,)}],
    node_weight: float,
    min_cases: float,
    min_weight: float,
    v: Annotated[NDArray[np.float64], {"shape": (None,)}],
) -> tuple[float, float, float]: ...
def best_step(
    criterion: str,
    statistics: Annotated[NDArray[np.float64], {"shape": (None, None)}],
    cases: Annotated[NDArray[np.float64], {"shape": (None,)}],
    node_weight: float,
    min_cases: float,
    min_weight: float,
    v: Annotated[NDArray[np.float64], {"shape": (None,)}],
    cut: float,
    x: Annotated[NDArray[np.float64], {"shape": (None,)}],
    gamma: float,
) -> tuple[float, float, float]: ...
def best_angle(
    criterion: str,
    statistics: Annotated[NDArray[np.float64], {"shape": (None, None)}],
    cases: Annotated[NDArray[np.float64], {"shape": (None,)}],
    node_weight: float,
    min_cases: float,
    min_weight: float,
    x: Annotated[NDArray[np.float64], {"shape": (None,)}],
    y: Annotated[NDArray[np.float64], {"shape": (None,)}],
) -> tuple[float, float, float]: ...
