"""Texts kept as they are to be: `BOUGH_RENEW_GOLDENS=1 pytest` writes them anew, nothing else does."""

import os
from pathlib import Path

FOLDER = Path(__file__).parent / "golden"


def golden_text(name: str, text: str) -> str:
    """Return the stored text to compare with; renew it first if told to."""
    path = FOLDER / name
    if os.environ.get("BOUGH_RENEW_GOLDENS") == "1":
        path.write_text(text, encoding="utf-8", newline="\n")
    return path.read_text(encoding="utf-8")
