"""Places that repeat six or more lines of code of another place are few, in Python and in C++.

Lines are compared as they are, and by their shape: with the names, numbers and texts left out.
"""

import ast
import keyword
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
MOST_IN_PYTHON = 2
MOST_IN_CPP = 0
MOST_SHAPES_IN_PYTHON = 0
MOST_SHAPES_IN_CPP = 3
# A run of lines of fewer shapes is a list, such as the arguments of a call.
FEWEST_SHAPES = 4
KEYWORDS = {*keyword.kwlist} | set(
    """auto bool break case char const constexpr continue delete do double else false float for if int long
    new nullptr operator return sizeof static struct switch template this throw true typename unsigned using
    void while""".split()  # noqa: SIM905
)
TOKENS = re.compile(
    r"""[fFrRbBuU]{0,2}(?P<text>"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')|(?P<name>[^\W\d]\w*)|(?P<number>\d[\w.']*)|\S"""
)


def python_lines(path: Path, *, signatures: bool = True) -> list[str]:
    """Return the lines of code of a module, without imports, docstrings, comments and perhaps signatures."""
    source = path.read_text(encoding="utf-8")
    aside = set()
    for node in ast.walk(ast.parse(source)):
        is_text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if is_text or isinstance(node, ast.Import | ast.ImportFrom):
            aside.update(range(node.lineno, node.end_lineno + 1))
        elif not signatures and isinstance(node, ast.FunctionDef):
            aside.update(range(node.lineno, node.body[0].lineno))
        elif not signatures and isinstance(node, ast.ClassDef):
            aside.update(range(node.lineno, node.body[0].lineno))
            fields = [part for part in node.body if isinstance(part, ast.AnnAssign)]
            aside.update(line for part in fields for line in range(part.lineno, part.end_lineno + 1))
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


def shape(line: str) -> str:
    """Return a line with N for each name, 0 for each number and S for each text."""
    found = []
    for token in TOKENS.finditer(line):
        is_name = token["name"] is not None and token["name"] not in KEYWORDS
        found.append("S" if token["text"] else "N" if is_name else "0" if token["number"] else token[0])
    return " ".join(found)


def repeated(files: dict[str, list[str]], fewest: int = 1) -> set[tuple[str, str]]:
    """Return the pairs of files that share a run of lines, `fewest` of which or more are different.

    A file is paired with itself if it repeats such a run.
    """
    places = defaultdict(list)
    for name, lines in files.items():
        for start in range(len(lines) - RUN + 1):
            run = lines[start : start + RUN]
            if len(set(run)) >= fewest:
                places["\n".join(run)].append((name, start))
    pairs = set()
    for found in places.values():
        if len(found) <= MOST_PLACES:
            pairs |= {(a[0], b[0]) for a, b in combinations(found, 2) if a[0] != b[0] or b[1] - a[1] >= RUN}
    return pairs


def test_a_run_of_lines_in_two_files_is_found():
    lines = [f"x{number} = {number}" for number in range(9)]
    assert repeated({"a": lines, "b": ["y = 1", *lines[2:8]], "c": lines[:5]}) == {("a", "b")}
    assert repeated({"a": [*lines[:6], "y = 1", *lines[:6]]}) == {("a", "a")}


def test_a_shape_has_neither_names_nor_numbers_nor_texts():
    assert shape("if rows[0] == f'{name}': return total(rows, 1.5)") == shape(
        'if a[7] == "b": return f(g, 2)'
    )
    assert shape("x = y + 1") != shape("x = y - 1")
    assert shape("return x") != shape("raise x")


def test_a_list_of_like_lines_is_no_run():
    like = [f"f(x{number})" for number in range(12)]
    assert repeated({"a": [*map(shape, like)]}, FEWEST_SHAPES) == set()
    lines = [f"x{'y' * number} = {' + '.join('z' * (number + 1))}" for number in range(6)]
    assert repeated({"a": [*map(shape, lines)], "b": [*map(shape, lines)]}, FEWEST_SHAPES) == {("a", "b")}


def test_python_repeats_little():
    paths = sorted(ROOT.rglob("*.py"))
    files = {str(path.relative_to(ROOT)): python_lines(path) for path in paths}
    assert sum(map(len, files.values())) > 20_000
    assert len(found := repeated(files)) <= MOST_IN_PYTHON, sorted(found)
    bodies = {str(path.relative_to(ROOT)): python_lines(path, signatures=False) for path in paths}
    shapes = {name: [*map(shape, lines)] for name, lines in bodies.items()}
    assert len(found := repeated(shapes, FEWEST_SHAPES)) <= MOST_SHAPES_IN_PYTHON, sorted(found)


def test_cpp_repeats_little():
    paths = [path for room in ("bough", "bindings") for path in sorted((CPP / room).rglob("*.[ch]pp"))]
    files = {str(path.relative_to(CPP)): cpp_lines(path) for path in paths}
    assert sum(map(len, files.values())) > 20_000
    assert len(found := repeated(files)) <= MOST_IN_CPP, sorted(found)
    shapes = {name: [*map(shape, lines)] for name, lines in files.items()}
    assert len(found := repeated(shapes, FEWEST_SHAPES)) <= MOST_SHAPES_IN_CPP, sorted(found)
