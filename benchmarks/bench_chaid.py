"""Race CHAID against R's CHAID and PyPI's CHAID on a table of nominal columns.

PyPI's runs where `pip install CHAID` put it; it has no Bonferroni adjustment, so its trees may be larger. All
trees are limited to the same depth. R's runs where `Rscript` finds the package CHAID (from R-Forge). The
time to read the table does not count; processor time is shown, so that other work does not matter. Examples:

    python benchmarks/bench_chaid.py --rows 10000
    python benchmarks/bench_chaid.py --rows 100000 --max-depth 9 --without-peers --json chaid.json
"""

import argparse
import importlib.util
import json
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pandas as pd

import bough

_R = """
library(CHAID)
d <- read.csv("{path}", colClasses = "factor")
taken <- system.time(tree <- chaid(y ~ ., data = d, control = chaid_control(maxheight = {depth})))
cat(taken[["user.self"]], length(partykit::nodeids(tree)))
"""

Contestant = Callable[[pd.DataFrame, np.ndarray, int], tuple[float, int]]


def nominal_table(n_rows: int, n_columns: int = 20, seed: int = 0) -> tuple[pd.DataFrame, np.ndarray]:
    """Columns of 3 to 11 levels, and two classes that depend on four of them."""
    rng = np.random.default_rng(seed)
    codes = np.column_stack([rng.integers(0, rng.integers(3, 12), n_rows) for _ in range(n_columns)])
    score = (codes[:, 0] % 3) * 0.6 + (codes[:, 1] % 2) * 0.8 - 1.5
    score += (codes[:, 2] == 2) * (codes[:, 3] % 2) * 1.2
    y = np.where(rng.uniform(size=n_rows) < 1 / (1 + np.exp(-score)), "yes", "no")
    levels = np.array(list("abcdefghijkl"))
    return pd.DataFrame({f"c{i}": pd.Categorical(levels[codes[:, i]]) for i in range(n_columns)}), y


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the race that the command line asks for and print a line for each contestant."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", type=int, default=10_000)
    parser.add_argument("--max-depth", type=int, default=3)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--without-peers", action="store_true")
    parser.add_argument("--json", type=Path, help="a file for the results")
    options = parser.parse_args(arguments)
    X, y = nominal_table(options.rows)
    contestants: dict[str, Contestant] = {"bough": _bough, "bough, exhaustive": _exhaustive}
    if not options.without_peers:
        contestants |= _peers()
    best, results = np.inf, []
    for name, contestant in contestants.items():
        n_runs = options.runs if name.startswith("bough") else 1
        runs = [contestant(X, y, options.max_depth) for _ in range(n_runs)]
        taken, n_nodes = min(runs)
        best = min(best, taken)
        print(f"{name:20}  {taken:9.2f} s  {n_nodes:5} nodes  {taken / best:8.1f} x", flush=True)
        results.append({"name": name, "rows": options.rows, "seconds": taken, "nodes": n_nodes})
    if options.json:
        options.json.write_text(json.dumps(results, indent=2) + "\n", encoding="utf-8")


def _bough(X: pd.DataFrame, y: np.ndarray, max_depth: int, **settings: bool) -> tuple[float, int]:
    start = time.process_time()
    model = bough.CHAIDClassifier(max_depth=max_depth, **settings).fit(X, y)
    return time.process_time() - start, model.tree_.n_nodes


def _exhaustive(X: pd.DataFrame, y: np.ndarray, max_depth: int) -> tuple[float, int]:
    return _bough(X, y, max_depth, exhaustive=True)


def _peers() -> dict[str, Contestant]:
    peers: dict[str, Contestant] = {}
    if importlib.util.find_spec("CHAID"):
        peers["PyPI's CHAID"] = _pypi
    if _r_has_chaid():
        peers["R's CHAID"] = _by_r
    return peers


def _r_has_chaid() -> bool:
    if not shutil.which("Rscript"):
        return False
    return (
        subprocess.run(["Rscript", "-e", "library(CHAID)"], capture_output=True, check=False).returncode == 0
    )


def _pypi(X: pd.DataFrame, y: np.ndarray, max_depth: int) -> tuple[float, int]:
    from CHAID import Tree

    table, scales = X.astype(str).assign(y=y), dict.fromkeys(X, "nominal")
    limits = {"min_parent_node_size": 20, "min_child_node_size": 7, "max_depth": max_depth}
    start = time.process_time()
    tree = Tree.from_pandas_df(table, scales, "y", alpha_merge=0.05, **limits)
    n_nodes = len(tree.tree_store)
    return time.process_time() - start, n_nodes


def _by_r(X: pd.DataFrame, y: np.ndarray, max_depth: int) -> tuple[float, int]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.csv"
        X.assign(y=y).to_csv(path, index=False)
        program = _R.format(path=path, depth=max_depth)
        run = subprocess.run(["Rscript", "-e", program], capture_output=True, text=True, check=True)
    taken, n_nodes = run.stdout.split()[-2:]
    return float(taken), int(n_nodes)


if __name__ == "__main__":
    main()
