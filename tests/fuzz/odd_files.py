"""The command line with odd files: it works, or says in one line what is wrong."""

import gzip
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
from typer.testing import CliRunner

from bough.cli import app

NAMES = [
    "plain.csv", "plain.csv", "plain.csv", "data[1].csv", "what?.csv", "star*.csv", "two words.csv",
    "grün.csv", "year=2024.csv", "a'b.csv", 'a"b.csv', "UPPER.CSV", "no_ending", "semi;colon.csv", "{x}.csv",
    "per%cent.csv", "table.tsv", "table.txt", "table.csv.gz", "table.parquet", "table.json", "table.arrow",
    "table.ndjson", "[.csv", "]].csv",
]  # fmt: skip
COLUMNS = ["a", "b", "petal length", "petal width", "", "grün", "1", "y"]
CELLS = ["1", "2.5", "-3", "x", "", "NA", "2024-01-31", "1e400", "true", "0x1", '"u"', "01", "ü"]
DECOYS = {"data[1].csv": "data1.csv", "what?.csv": "whatX.csv", "star*.csv": "starry.csv", "[.csv": "x.csv"}
VERBS = ("learn", "schema", "learn", "predict", "evaluate", "show", "compare", "candidates", "rules")
EXPECTED_CODES = (0, 1, 2)
ALONE = 0.04
"""The share of the cases that run in a process of their own, with a standard output that is odd too."""


def check(rng, folder):
    """Write an odd file and give it to a verb; return whether it worked, was refused, and what fell."""
    here = folder / f"files{rng.integers(2**31)}"
    here.mkdir()
    try:
        path = here / str(rng.choice(NAMES))
        path.write_bytes(_content(rng, path))
        decoy = here / DECOYS.get(path.name, "decoy.csv")
        decoy.write_text("decoy,y\n1,2\n3,4\n")
        arguments = _arguments(rng, str(path), here)
        if rng.random() < ALONE:
            code, said, told = _alone(rng, arguments)
        else:
            result = CliRunner().invoke(app, arguments)
            code, said, told = result.exit_code, result.stdout, result.stderr
            error = result.exception
            assert error is None or isinstance(error, SystemExit), f"{type(error).__name__}: {error}"
        _check_output(code, said, told)
    except AssertionError as error:
        return 1, 0, [f"{arguments[0]} {path.name}: {' '.join(str(error).split())[:300]}"]
    finally:
        for each in sorted(here.rglob("*"), reverse=True):
            each.unlink() if not each.is_dir() else each.rmdir()
        here.rmdir()
    return int(code == 0), int(code != 0), []


def _check_output(code, said, told):
    assert "Traceback" not in told, f"a traceback: {told[-300:]}"
    assert code in EXPECTED_CODES, f"it ended with {code}: {told[-300:]}"
    lines = [line for line in told.splitlines() if line.strip()]
    errors = [line for line in lines if line.startswith("Error")]
    if code == 1:
        assert len(errors) == 1, f"exit code 1 with {len(errors)} lines of error: {told[-300:]}"
    assert "decoy" not in said, "another file than the one named was read"


def _arguments(rng, path, here):
    verb = str(rng.choice(VERBS))
    out = here / "model.json"
    if verb == "learn":
        given = ["learn", path, "--target", str(rng.choice(["y", "y", "nothing", ""]))]
        return [*given, "--out", str(out)] if rng.random() < 0.7 else given
    if verb == "compare":
        return ["compare", path, "--target", "y"]
    learned = here / "learned.json"
    learned.write_bytes(_model())
    if verb in ("schema", "show", "rules"):
        return [verb, str(learned) if verb != "schema" and rng.random() < 0.5 else path]
    return {
        "predict": ["predict", str(learned), path],
        "evaluate": ["evaluate", str(learned), path],
        "candidates": ["candidates", path, "--target", "y"],
    }[verb]


def _model():
    from bough.example_models import iris_tree
    from bough.models.encoding import to_text
    from bough.models.tree_format import document_of

    return to_text(document_of(iris_tree())).encode()


def _alone(rng, arguments):
    """Run in a process of its own, with standard output closed, full, a broken pipe or not UTF-8."""
    kind = rng.choice(["ascii", "latin-1", "full", "closed", "pipe"])
    environment = os.environ | {"PYTHONIOENCODING": str(kind)} if kind in ("ascii", "latin-1") else None
    command = [sys.executable, "-c", "from bough.cli import main; main()", *arguments]
    if kind == "full" and Path("/dev/full").exists():
        with Path("/dev/full").open("wb") as full:
            made = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, check=False)
    elif kind == "closed":
        made = subprocess.run(["sh", "-c", '"$@" >&-', "sh", *command], stderr=subprocess.PIPE, check=False)
    elif kind == "pipe":
        read, write = os.pipe()
        os.close(read)
        made = subprocess.run(command, stdout=write, stderr=subprocess.PIPE, check=False)
        os.close(write)
    else:
        made = subprocess.run(command, capture_output=True, check=False, env=environment)
    told = (made.stderr or b"").decode("utf-8", "replace")
    if kind == "pipe" and made.returncode == 1 and not told:  # as programs end that write to `head`
        return 0, "", ""
    assert made.returncode >= 0, f"it was ended by signal {-made.returncode} with {kind} standard output"
    return made.returncode, (made.stdout or b"").decode("utf-8", "replace"), told


def _content(rng, path):
    text = _text(rng)
    kind = rng.choice([*["plain"] * 9, "utf-16", "utf-16-le", "bom", "latin-1", "junk", "empty", "nul",
                       "cut", "gzip", "crlf", "flipped"])  # fmt: skip
    data = text.encode("utf-8")
    if kind in ("utf-16", "utf-16-le"):
        data = text.encode(str(kind))
    elif kind == "bom":
        data = b"\xef\xbb\xbf" + data
    elif kind == "latin-1":
        data = (text + "ü,é,ß\n").encode("latin-1", "replace")
    elif kind == "junk":
        data = bytes(rng.integers(0, 256, int(rng.integers(1, 400)), dtype=np.uint8))
    elif kind == "empty":
        data = rng.choice([b"", b"\n", b"\n\n\n", b" ", b","])
    elif kind == "nul":
        data = data.replace(b"1", b"\x00")
    elif kind == "cut":
        data = data[: int(rng.integers(len(data) + 1))]
    elif kind == "crlf":
        data = data.replace(b"\n", b"\r\n")
    elif kind == "flipped" and data:
        changed = bytearray(data)
        changed[int(rng.integers(len(changed)))] = int(rng.integers(256))
        data = bytes(changed)
    if (kind == "gzip" or path.suffix == ".gz") and rng.random() < 0.7:
        data = gzip.compress(data)
        data = data[: int(rng.integers(1, len(data)))] if rng.random() < 0.4 else data
    return bytes(data)


def _text(rng):
    """Return a table as text: with ragged rows, repeated or empty names, quotes, dates and missing values."""
    separator = str(rng.choice([",", ",", ";", "\t", "|"]))
    if rng.random() < 0.5:
        numbers = rng.normal(size=(int(rng.choice([12, 60])), 2)).round(1)
        lines = [separator.join(["yes" if u + v > 0 else "no", f"{u}", f"{v}"]) for u, v in numbers]
        return "\n".join([separator.join(["y", "Petal.Length", "Petal.Width"]), *lines]) + "\n"
    names = ["y", *rng.choice([*COLUMNS, f'"q{separator}r"'], int(rng.integers(0, 5)))]
    rows = []
    for _ in range(int(rng.choice([0, 1, 2, 30, 60]))):
        cells = [str(rng.choice(["yes", "no"]))]
        cells += [str(rng.choice(CELLS)) for _ in names[1:]]
        if rng.random() < 0.02:
            cells = cells[:-1] if rng.random() < 0.5 else [*cells, "more"]
        if rng.random() < 0.01:
            cells[-1] = '"not closed'
        rows.append(separator.join(cells))
    return "\n".join([separator.join(map(str, names)), *rows]) + "\n"
