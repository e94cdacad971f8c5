"""A module imports only from its own room and from rooms to its left, in functions and for types as well.

The table of a tree's lazy methods is the one exception.
"""

import ast
from collections.abc import Collection
from importlib import import_module
from pathlib import Path

import pytest

import bough
from bough.tree.lazy_methods import LAZY_METHODS

ROOMS = (
    ("catalogue", "errors", "jobs", "progress", "types", "version"),
    ("data",),
    ("tree",),
    ("models",),
    ("rules",),
    ("growing",),
    ("engines",),
    ("pruning",),
    ("learners",),
    ("ensembles",),
    ("loading", "example_models", "datasets"),
    ("inspect",),
    ("evaluation",),
    ("resampling",),
    ("discretizers", "missing_values"),
    ("reports",),
    ("plot",),
    ("comparison",),
    ("export",),
    ("sklearn",),
    ("cli", "__main__"),
)
RANK = {name: rank for rank, room in enumerate(ROOMS) for name in room}


MOST_IN_A_KNOT = 4


def modules() -> dict[str, Path]:
    root = Path(bough.__file__).parent
    paths = root.rglob("*.py")
    named = {".".join(("bough", *path.relative_to(root).with_suffix("").parts)): path for path in paths}
    return {name.removesuffix(".__init__"): path for name, path in named.items() if name != "bough.__init__"}


def imports(module: str, path: Path, known: Collection[str]) -> set[str]:
    """Return the modules of the package that a file imports, also within functions and for type checkers."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == "bough":
            parts = {f"{node.module}.{alias.name}" for alias in node.names}
            found |= (parts & set(known)) or {node.module}
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names if alias.name.split(".")[0] == "bough"}
    return found - {module}


def knots(graph: dict[str, set[str]]) -> list[set[str]]:
    """Return the sets of modules that import each other, each reachable from each."""

    def reached(start: str) -> set[str]:
        seen, pending = set(), [start]
        while pending:
            for module in graph.get(pending.pop(), set()) - seen:
                seen.add(module)
                pending.append(module)
        return seen

    below = {module: reached(module) for module in graph}
    return [{other for other in below[module] if module in below.get(other, ())} for module in graph]


def room_of(module: str) -> str:
    return module.split(".")[1]


def import_graph() -> dict[str, set[str]]:
    paths = modules()
    return {module: imports(module, path, paths) for module, path in paths.items()}


def test_every_module_stands_in_a_room():
    root = Path(bough.__file__).parent
    names = {path.stem for path in root.iterdir() if path.suffix == ".py" or (path / "__init__.py").exists()}
    assert names - {"__init__"} == set(RANK)


def test_imports_point_to_the_left():
    backward = {
        (module, imported)
        for module, found in import_graph().items()
        for imported in found
        if imported == "bough" or RANK.get(room_of(imported), 0) > RANK[room_of(module)]
    }
    assert backward == set()


def test_few_modules_import_each_other():
    graph = import_graph()
    assert max(map(len, knots(graph))) <= MOST_IN_A_KNOT
    assert knots({"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a"}})[0] == {"a", "b", "c"}


@pytest.mark.parametrize("name", LAZY_METHODS)
def test_a_lazy_method_of_a_tree_is_a_function_of_a_later_room(name):
    module, _, function = LAZY_METHODS[name].target.partition(":")
    assert RANK[room_of(module)] > RANK["tree"]
    assert callable(getattr(import_module(module), function))
