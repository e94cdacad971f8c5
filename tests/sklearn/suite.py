"""Run scikit-learn's own tests with bough's classes patched in, and summarize the outcomes.

`python tests/sklearn/suite.py` prints the tests that fail and why.
"""

import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

import bough

MODULES = (
    "sklearn.tree.tests.test_tree",
    "sklearn.ensemble.tests.test_forest",
    "sklearn.ensemble.tests.test_bagging",
    "sklearn.ensemble.tests.test_iforest",
    "sklearn.ensemble.tests.test_weight_boosting",
    "sklearn.ensemble._hist_gradient_boosting.tests.test_gradient_boosting",
    "sklearn.ensemble._hist_gradient_boosting.tests.test_monotonic_constraints",
    "sklearn.ensemble._hist_gradient_boosting.tests.test_warm_start",
)
HERE = Path(__file__).parent


def outcomes(*options, modules=MODULES):
    """Return the outcome and the reason of each collected test, by its name."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "outcomes.json"
        source = Path(bough.__file__).parents[1]
        environment = {
            **os.environ,
            "BOUGH_OUTCOMES": str(path),
            "PYTHONPATH": os.pathsep.join([str(source), str(HERE), os.environ.get("PYTHONPATH", "")]),
            "SKLEARN_TESTS_GLOBAL_RANDOM_SEED": "42",
        }
        command = [sys.executable, "-m", "pytest", "-q", "-p", "patched_suite", "-p", "no:cacheprovider"]
        command += [
            "-p",
            "no:xdist",
            "--rootdir",
            folder,
            "-c",
            os.devnull,
            "--tb=line",
            *options,
            "--pyargs",
            *modules,
        ]
        run = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
        if not path.exists() or run.returncode not in (0, 1):
            raise RuntimeError(run.stdout[-3000:] + run.stderr[-3000:])
        return json.loads(path.read_text())


def main():
    found = outcomes(*sys.argv[1:])
    failed = {name: reason for name, (outcome, reason) in found.items() if outcome == "failed"}
    counts = Counter(outcome for outcome, _ in found.values())
    for name, reason in sorted(failed.items()):
        print(name, "|", reason[:160])
    print(dict(counts), f"{1 - len(failed) / len(found):.1%} of {len(found)} do not fail")


if __name__ == "__main__":
    main()
