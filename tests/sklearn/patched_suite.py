"""A pytest plugin: scikit-learn's own tests run with bough's classes in place of scikit-learn's.

The outcome of each test is written as JSON to the file that BOUGH_OUTCOMES names.
"""

import json
import os
from pathlib import Path

import bough.sklearn

OUTCOMES = {}


def pytest_configure(config):
    bough.sklearn.patch()


def pytest_runtest_logreport(report):
    name = f"{Path(report.location[0]).stem}::{report.nodeid.split('::', 1)[-1]}"
    if report.when == "call" or report.outcome != "passed":
        reason = "" if report.outcome == "passed" else str(report.longrepr).strip().splitlines()[-1][:300]
        OUTCOMES[name] = [report.outcome, reason]


def pytest_unconfigure(config):
    if path := os.environ.get("BOUGH_OUTCOMES"):
        Path(path).write_text(json.dumps(OUTCOMES))
