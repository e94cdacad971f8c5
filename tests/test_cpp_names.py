"""Every type and inline function of the C++ core is defined in one file.

Two of one name in one namespace are one to the linker: it may take the destructor of either for both.
"""

import re
from collections import defaultdict
from pathlib import Path

import pytest

CPP = Path(__file__).parents[1] / "cpp"
OPENED = re.compile(r"(?:inline )?namespace ?([\w:]*) ?\{$")
CLOSED = re.compile(r"\}  // namespace")
TYPE = re.compile(r"(?:enum )?(?:class|struct) (?:alignas\(.*?\) )?(\w+(?:<[^{;]*>)?)(?!\w|<|::)[^;]*\{")
FUNCTION = re.compile(r"(?:static )?(?:inline|constexpr) [^=;{]*?(\w+\([^{;]*)\{")


def defined(source: str) -> set[str]:
    """Return the types and inline functions that other files can see, each with its namespace."""
    names = set()
    spaces: list[str] = []
    lines = source.splitlines()
    for number, line in enumerate(lines):
        if opened := OPENED.match(line):
            spaces.append(opened[1])
        elif CLOSED.match(line):
            spaces.pop()
        elif "" not in spaces:
            statement = " ".join(part.strip() for part in lines[number : number + 4])
            found = TYPE.match(line) or (FUNCTION.match(statement) if line[:1].isalpha() else None)
            if found:
                names.add("::".join([*spaces, found[1].strip()]))
    return names


def test_definitions_of_a_namespace_are_found():
    source = (
        "namespace bough {\nclass Order {\n};\nstruct Order::Part {\n};\nclass Later;\n"
        "inline int twice(int x) { return 2 * x; }\n"
        "namespace {\nclass Hidden {\n};\n}  // namespace\n}  // namespace bough\n"
    )
    assert defined(source) == {"bough::Order", "bough::twice(int x)"}


def test_a_name_is_defined_in_one_file():
    if not CPP.is_dir():
        pytest.skip("the sources of the C++ core are not here")
    files = defaultdict(list)
    for path in sorted(path for path in CPP.rglob("*.[ch]pp") if "tests" not in path.parts):
        for name in defined(path.read_text(encoding="utf-8")):
            files[name].append(path.relative_to(CPP).as_posix())
    assert len(files) > 500, "definitions are no longer found"
    assert {name: places for name, places in files.items() if len(places) > 1} == {}
