"""Time scripts written for scikit-learn before and after their imports are swapped for bough's.

The scripts are those of tests/sklearn/tutorials: pipelines, grid search, calibration, several targets and
feature selection. The two take turns, and the least time of each counts; a ratio above 1 says that bough is
faster. Examples:

    python benchmarks/bench_dropin.py
    python benchmarks/bench_dropin.py --scripts calibration,pipeline --repeats 5 --json dropin.json
"""

import argparse
import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
from tests.sklearn.tutorials_runner import SCRIPTS, scores_of


def seconds(script: Path, *, swap: bool) -> tuple[float, float]:
    """Return the seconds of the clock and of the processor that a script takes."""
    wall, cpu = time.perf_counter(), time.process_time()
    scores_of(script, swap=swap)
    return time.perf_counter() - wall, time.process_time() - cpu


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the scripts that the command line names, print a table and, if asked, write JSON."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    names = [script.stem for script in SCRIPTS]
    parser.add_argument("--scripts", default=",".join(names), help=f"of {','.join(names)}")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--json", type=Path, help="a file for the results")
    asked = parser.parse_args(arguments)
    results = []
    print(f"{'script':<20}{'sklearn s':>10}{'bough s':>10}{'ratio':>8}{'cpu ratio':>11}")
    for script in SCRIPTS:
        if script.stem not in asked.scripts.split(","):
            continue
        turns = [(seconds(script, swap=False), seconds(script, swap=True)) for _ in range(asked.repeats)]
        theirs, ours = (tuple(map(min, zip(*each, strict=True))) for each in zip(*turns, strict=True))
        ratios = theirs[0] / ours[0], theirs[1] / ours[1]
        print(
            f"{script.stem:<20}{theirs[0]:>10.2f}{ours[0]:>10.2f}{ratios[0]:>8.1f}{ratios[1]:>11.1f}",
            flush=True,
        )
        results.append({"script": script.stem, "sklearn": theirs, "bough": ours, "ratio": ratios[0]})
    if asked.json:
        asked.json.write_text(json.dumps(results, indent=2))


if __name__ == "__main__":
    main()
