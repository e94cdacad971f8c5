"""Places that repeat six or more lines of code of another place are few, in Python and in C++."""

import ast
import re
from collections import defaultdict
from itertools import combinations
from pathlib import Path

import bough

ROOT = Path(bough.__file__).parent
CPP = Path(__file__).parents[1] / "cpp"
RUN = 6
# A run that more places share is a form of the language, such as the start of a file.
MOST_PLACES = 8
# The most pairs of files, or of places in one file, that share a run. These numbers only fall.
MOST_IN_PYTHON = 3
MOST_IN_CPP = 0


def python_lines(path: Path) -> list[str]:
    """Return the lines of code of a module, without imports, docstrings and comments."""
    source = path.read_text(encoding="utf-8")
    aside = set()
    for node in ast.walk(ast.parse(source)):
        is_text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if is_text or isinstance(node, ast.Import | ast.ImportFrom):
            aside.update(range(node.lineno, node.end_lineno + 1))
    lines = enumerate(source.splitlines(), start=1)
    return [line.strip() for number, line in lines if number not in aside and is_code(line.partition("#")[0])]


def cpp_lines(path: Path) -> list[str]:
    """Return the lines of code of a C++ file, without includes, names in use and comments."""
    source = re.sub(r"/\*.*?\*/", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
    lines = [line.partition("//")[0].strip() for line in source.splitlines()]
    return [line for line in lines if is_code(line) and not line.startswith(("#", "using ", "namespace"))]


def is_code(line: str) -> bool:
    """Whether a line has a word."""
    return re.search(r"\w", line) is not None


def repeated(files: dict[str, list[str]]) -> set[tuple[str, str]]:
    """Return the pairs of files that share a run of lines; a file is paired with itself if it repeats one."""
    places = defaultdict(list)
    for name, lines in files.items():
        for start in range(len(lines) - RUN + 1):
            places["\n".join(lines[start : start + RUN])].append((name, start))
    pairs = set()
    for found in places.values():
        if len(found) <= MOST_PLACES:
            pairs |= {(a[0], b[0]) for a, b in combinations(found, 2) if a[0] != b[0] or b[1] - a[1] >= RUN}
    return pairs


def test_a_run_of_lines_in_two_files_is_found():
    lines = [f"x{number} = {number}" for number in range(9)]
    assert repeated({"a": lines, "b": ["y = 1", *lines[2:8]], "c": lines[:5]}) == {("a", "b")}
    assert repeated({"a": [*lines[:6], "y = 1", *lines[:6]]}) == {("a", "a")}


def test_python_repeats_little():
    paths = sorted(ROOT.rglob("*.py"))
    files = {str(path.relative_to(ROOT)): python_lines(path) for path in paths}
    assert sum(map(len, files.values())) > 20_000
    assert len(found := repeated(files)) <= MOST_IN_PYTHON, sorted(found)


def test_cpp_repeats_little():
    paths = [path for room in ("bough", "bindings") for path in sorted((CPP / room).rglob("*.[ch]pp"))]
    files = {str(path.relative_to(CPP)): cpp_lines(path) for path in paths}
    assert sum(map(len, files.values())) > 20_000
    assert len(found := repeated(files)) <= MOST_IN_CPP, sorted(found)
