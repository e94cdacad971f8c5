"""Run the scripts in `tutorials` with scikit-learn's classes, or with the imports swapped for bough's."""

import re
from pathlib import Path

import bough.sklearn

SCRIPTS = sorted((Path(__file__).parent / "tutorials").glob("*.py"))
_IMPORT = re.compile(r"^from (sklearn\.(?:tree|ensemble)) import (.+)$", re.MULTILINE)


def swapped(text):
    """Return a script whose imports of classes that bough.sklearn has come from there."""

    def line(match):
        names = [name.strip() for name in match[2].split(",")]
        ours = [name for name in names if name in bough.sklearn.__all__]
        theirs = [name for name in names if name not in bough.sklearn.__all__]
        lines = [f"from bough.sklearn import {', '.join(ours)}"] if ours else []
        return "\n".join(lines + ([f"from {match[1]} import {', '.join(theirs)}"] if theirs else []))

    return _IMPORT.sub(line, text)


def scores_of(script, *, swap):
    """Run a script and return the scores that it computes."""
    text = script.read_text(encoding="utf-8")
    names = {"__name__": "__main__"}
    exec(compile(swapped(text) if swap else text, str(script), "exec"), names)
    return names["scores"]
