"""Functions fit a screen or two, and classes have few methods, in Python and in C++."""

import ast
import re
from pathlib import Path
from typing import NamedTuple

import bough

MOST_LINES = 60
MOST_METHODS = 28
ROOT = Path(bough.__file__).parent
CPP = Path(__file__).parents[1] / "cpp"


class Size(NamedTuple):
    """A function or a class, and how large it is."""

    where: str
    size: int


def python_sizes(source: str, where: str) -> tuple[list[Size], list[Size]]:
    """Return the lines of each function, docstrings aside, and the number of methods of each class."""
    functions, classes = [], []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ClassDef):
            methods = [part for part in node.body if isinstance(part, ast.FunctionDef)]
            classes.append(Size(f"{where}:{node.name}", len(methods)))
        if isinstance(node, ast.FunctionDef):
            text, first = ast.get_docstring(node, clean=False), node.body[0]
            of_docstring = 0 if text is None else first.end_lineno - first.lineno + 1
            functions.append(Size(f"{where}:{node.name}", node.end_lineno - node.lineno + 1 - of_docstring))
    return functions, classes


# Comments, strings and characters, which may hold braces.
ASIDE = re.compile(r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])+'", re.DOTALL)
# What may stand before the brace of a namespace or a class, whose braces hold functions.
HOLDS_FUNCTIONS = re.compile(r"\b(?:namespace|class|struct|union|enum)\b[^()]*$")


def cpp_functions(source: str, where: str) -> list[Size]:
    """Return the lines of the body of each function of a C++ file; constructors are left out.

    A function is a pair of braces in a namespace or a class that is neither of these. Lambdas and blocks are
    parts of the function that they stand in.
    """
    text = ASIDE.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), source)
    text = re.sub(r"(?m)^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", lambda found: re.sub(r"[^\n]", " ", found[0]), text)
    found, opened, inside, before = [], [], 0, 0
    for at, mark in ((match.start(), match[0]) for match in re.finditer(r"[{};]", text)):
        if mark == "{":
            head = text[before:at]
            is_function = inside == 0 and "(" in head and not HOLDS_FUNCTIONS.search(head)
            opened.append((at, head, is_function))
            inside += is_function or inside > 0
        elif mark == "}":
            start, head, is_function = opened.pop()
            inside -= inside > 0
            if is_function:
                name = function_name(head)
                lines = text.count("\n", start, at) + 1
                if not is_constructor(name, head):
                    found.append(Size(f"{where}:{text.count(chr(10), 0, start) + 1} {name}", lines))
        before = at + 1
    return found


def function_name(head: str) -> str:
    """Return the name before the first parenthesis that is not part of a template's requirements."""
    match = re.search(r"([~\w:]+(?:<[^()]*>)?)\s*\(", re.sub(r"requires\s*\([^)]*\)", "", head))
    return "?" if match is None else match[1]


def is_constructor(name: str, head: str) -> bool:
    """Whether a function is named as its class, or initializes members before its body."""
    parts = name.split("::")
    return parts[-2:] == [parts[-1]] * 2 or re.search(r"\)\s*:\s*\w+[({]", head) is not None


def test_the_reader_of_cpp_finds_functions_and_their_lines():
    source = """
namespace bough {
struct Box {
  Box(int size)
      : size_(size) {
    grow();
  }
  int half() const {
    // a brace in a comment: }
    auto part = [&](int x) { return x / 2; };
    if (size_ > 0) {
      return part(size_);
    }
    return '}' + 0;
  }
  int size_{3};
};
template <typename T>
T twice(T value) { return value + value; }
}
"""
    found = {each.where.split()[-1]: each.size for each in cpp_functions(source, "box.hpp")}
    assert found == {"half": 8, "twice": 1}


def test_functions_and_classes_of_python_are_small():
    functions, classes = [], []
    for path in sorted(ROOT.rglob("*.py")):
        of_file = python_sizes(path.read_text(encoding="utf-8"), str(path.relative_to(ROOT)))
        functions += of_file[0]
        classes += of_file[1]
    assert len(functions) > 2000
    assert [each for each in functions if each.size > MOST_LINES] == []
    assert [each for each in classes if each.size > MOST_METHODS] == []


def test_functions_of_cpp_are_small():
    files = sorted(CPP.rglob("*.[ch]pp"))
    functions = [
        each
        for path in files
        for each in cpp_functions(path.read_text(encoding="utf-8"), str(path.relative_to(CPP)))
    ]
    assert len(functions) > 2000
    assert [each for each in functions if each.size > MOST_LINES] == []
