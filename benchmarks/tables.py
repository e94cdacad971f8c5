"""Print the results of other benchmarks as a Markdown table: a row for each task, a column for each peer.

bench_tree.py, bench_forest.py and bench_boosting.py write the files by `--json`. A cell has the least seconds
by the clock, and how many times bough's seconds they are. Examples:

    python benchmarks/tables.py tree.json
    python benchmarks/tables.py forest.json boosting.json --cpu
"""

import argparse
import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

OURS = ("bough", "bough-2", "bough-1")
"""The names under which bough takes part; the first that is there is compared with the others."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the table of the files that the command line names."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--cpu", action="store_true", help="seconds of the processor instead of the clock")
    options = parser.parse_args(arguments)
    for line in table(_results(options.files), by_cpu=options.cpu):
        print(line)


def _results(files: Iterable[Path]) -> list[dict[str, Any]]:
    read = [json.loads(file.read_text()) for file in files]
    return [one for each in read for one in (each["results"] if isinstance(each, dict) else each)]


def table(results: Sequence[dict[str, Any]], *, by_cpu: bool = False) -> list[str]:
    """Return the lines of the table; peers and tasks are in the order in which they first occur."""
    seconds: dict[tuple[Any, ...], dict[str, float]] = {}
    for one in results:
        runs = one["cpu"] if by_cpu else one.get("wall", one.get("runs"))
        seconds.setdefault((one["task"], one["rows"], one.get("trees")), {})[one["peer"]] = min(runs)
    peers = list(dict.fromkeys(one["peer"] for one in results))
    lines = [_line(["task", "rows", "trees", *peers]), _line(["---"] * (3 + len(peers)))]
    for (task, rows, trees), times in seconds.items():
        ours = next((times[name] for name in OURS if name in times), None)
        cells = [_cell(times.get(peer), None if peer in OURS else ours) for peer in peers]
        lines.append(_line([task, f"{rows:,}", "" if trees is None else str(trees), *cells]))
    return lines


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _cell(seconds: float | None, ours: float | None) -> str:
    if seconds is None:
        return ""
    return f"{seconds:.3g}" + ("" if ours is None else f" ({seconds / ours:.1f} ×)")


if __name__ == "__main__":
    main()
