"""What is packed: a wheel for every supported version of Python, and an sdist from which it can be built."""

import re
import tomllib
from fnmatch import fnmatch
from pathlib import Path

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
STABLE = PROJECT["tool"]["scikit-build"]["wheel"]["py-api"]


def test_every_supported_version_of_python_has_a_wheel():
    built = [each.removesuffix("-*") for each in PROJECT["tool"]["cibuildwheel"]["build"]]
    least = int(re.fullmatch(r">=3\.(\d+)", PROJECT["project"]["requires-python"])[1])
    stable = int(STABLE.removeprefix("cp3"))
    # One wheel of the stable ABI serves its version and all later ones.
    assert built == [f"cp3{minor}" for minor in range(least, stable + 1)]


def test_the_extension_uses_the_stable_abi():
    assert STABLE == "cp312", "the first version whose stable ABI nanobind supports"
    assert re.search(
        r"nanobind_add_module\(_core [^)]*\bSTABLE_ABI\b",
        (ROOT / "CMakeLists.txt").read_text(encoding="utf-8"),
    )


def test_the_sdist_has_all_that_the_build_reads():
    excluded = PROJECT["tool"]["scikit-build"]["sdist"]["exclude"]
    read = ["CMakeLists.txt", "LICENSE", "README.md", "cpp/bough", "cpp/bindings", "src/bough"]
    assert all((ROOT / each).exists() for each in read)
    assert not [each for each in read for pattern in excluded if fnmatch(each.split("/")[0], pattern)]
