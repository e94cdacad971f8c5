"""Importing bough is quick and loads nothing that is optional."""

import subprocess
import sys

OPTIONAL = ("matplotlib", "pandas", "polars", "pyarrow", "duckdb", "typer", "rich", "playwright")


def loaded_after(code: str) -> set[str]:
    program = f"import sys\n{code}\nprint(*[name for name in {OPTIONAL!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_import_loads_no_optional_library():
    assert loaded_after("import bough") == set()
    every = "import bough\nfor name in bough.__all__: getattr(bough, name)"
    sklearn = loaded_after("import sklearn.base, sklearn.model_selection, sklearn.dummy")
    assert loaded_after(every) - sklearn == set()


def top_modules_after(code: str) -> set[str]:
    program = f"import sys\n{code}\nprint(*{{name.split('.')[0] for name in sys.modules}})"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_import_alone_loads_nothing_but_the_package():
    loaded = top_modules_after("import bough") - top_modules_after("")
    assert loaded - set(sys.stdlib_module_names) == {"bough"}
