"""A module imports only from its own room and from rooms to its left, lazy imports included.

The table of a tree's lazy methods is the one exception.
"""

import ast
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
    ("loading", "example_models"),
    ("inspect",),
    ("evaluation",),
    ("resampling",),
    ("discretizers", "missing_values"),
    ("reports",),
    ("plot",),
    ("comparison",),
    ("export",),
    ("cli",),
)
RANK = {name: rank for rank, room in enumerate(ROOMS) for name in room}


def imports(path: Path, module: str) -> set[str]:
    """Return the modules of the package that a file imports when it runs, not those for type checkers."""
    tree = ast.parse(path.read_text())
    for_types = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test)
        for inner in ast.walk(node)
    }
    found = set()
    for node in ast.walk(tree):
        if id(node) in for_types:
            continue
        if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == "bough":
            names = [f"{node.module}.{alias.name}" for alias in node.names] if node.module == "bough" else []
            found |= set(names or [node.module])
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names if alias.name.startswith("bough.")}
    return found - {module}


def room_of(module: str) -> str:
    return module.split(".")[1]


def backward_imports() -> set[tuple[str, str]]:
    root = Path(next(iter(bough.__path__)))
    found = set()
    for path in sorted(root.rglob("*.py")):
        module = ".".join(("bough", *path.relative_to(root).with_suffix("").parts)).removesuffix(".__init__")
        if module == "bough":
            continue
        for imported in imports(path, module):
            if room_of(imported) in RANK and RANK[room_of(imported)] > RANK[room_of(module)]:
                found.add((module, imported))
    return found


def test_every_module_stands_in_a_room():
    root = Path(next(iter(bough.__path__)))
    names = {path.stem for path in root.iterdir() if path.suffix == ".py" or (path / "__init__.py").exists()}
    assert names - {"__init__"} == set(RANK)


def test_imports_point_to_the_left():
    assert backward_imports() == set()


@pytest.mark.parametrize("name", LAZY_METHODS)
def test_a_lazy_method_of_a_tree_is_a_function_of_a_later_room(name):
    module, _, function = LAZY_METHODS[name].target.partition(":")
    assert RANK[room_of(module)] > RANK["tree"]
    assert callable(getattr(import_module(module), function))
