"""Every parameter has one name and one meaning: a table in docs/architecture.md, held against the code."""

import ast
import importlib
import inspect
import pkgutil
import re
from pathlib import Path
from typing import get_args

import pytest
from sklearn.base import BaseEstimator

import bough
from bough.errors import ParameterError
from bough.growing.missing import Missing
from bough.growing.nominal import Nominal
from bough.learners.documentation import entries_of

DOCS = Path(__file__).parents[1] / "docs"
MODULES = (
    "bough",
    "bough.comparison",
    "bough.discretizers",
    "bough.evaluation",
    "bough.export",
    "bough.missing_values",
    "bough.plot",
    "bough.pruning",
    "bough.reports",
    "bough.resampling",
    "bough.rules",
)
NEVER = {"seed", "costs", "folds", "n_folds", "alpha", "raising", "trials", "min_samples", "subset"}


def public():
    """Every estimator and function that a module of the package lists, once, by name."""
    found = {}
    for module in map(importlib.import_module, MODULES):
        for name in module.__all__:
            value = getattr(module, name)
            if inspect.isfunction(value) or (inspect.isclass(value) and issubclass(value, BaseEstimator)):
                found[f"{value.__module__}.{value.__qualname__}"] = value
    return found


PUBLIC = public()
ESTIMATORS = {value.__name__: value for value in PUBLIC.values() if inspect.isclass(value)}


def parameters(value):
    if inspect.isclass(value):
        return value._get_param_names()
    return list(inspect.signature(value).parameters)


def table_rows():
    """The cells of each row of the tables of parameters."""
    text = (DOCS / "architecture.md").read_text(encoding="utf-8")
    section = text.split("\n## The parameters\n")[1].split("\n## ")[0].split("\n### Missing values\n")[0]
    return [line.strip("|").split("|") for line in section.splitlines() if line.startswith("| `")]


def test_every_parameter_is_in_the_table_once_and_every_row_is_used():
    listed = [name for row in table_rows() for name in re.findall(r"`(\w+)`", row[0])]
    used = {name for value in PUBLIC.values() for name in parameters(value)}
    assert len(listed) == len(set(listed))
    assert set(listed) == used


def test_every_row_says_what_the_parameter_means():
    assert all(row[1].strip() for row in table_rows())


@pytest.mark.parametrize("name", PUBLIC)
def test_names_that_were_given_up_are_not_used(name):
    assert not NEVER & set(parameters(PUBLIC[name]))


@pytest.mark.parametrize("name", ESTIMATORS)
def test_every_docstring_lists_each_parameter_once(name):
    entries = entries_of(inspect.getdoc(ESTIMATORS[name]), "Parameters")
    described = [each for entry in entries for each in entry.names]
    assert sorted(described) == sorted(parameters(ESTIMATORS[name]))
    assert all(entry.text.strip() for entry in entries)


def fitted_with(name, **given):
    needed = {"method": bough.UserMethod()} if name == "UserTree" else {}
    return ESTIMATORS[name](**needed, **given).fit([["a"], ["b"]] * 4, [0, 1] * 4)


@pytest.mark.parametrize(
    ("word", "vocabulary"), [("missing", {*get_args(Missing), "auto"}), ("nominal", {*get_args(Nominal)})]
)
def test_a_word_that_a_learner_cannot_do_is_refused_with_those_that_it_can(word, vocabulary):
    for name in [name for name, value in ESTIMATORS.items() if word in parameters(value)]:
        with pytest.raises(ParameterError) as caught:
            fitted_with(name, **{word: "by magic"})
        message = re.fullmatch(rf"{word} is 'by magic'; (\w+)(\(.*\))? supports (.*)\.", str(caught.value))
        assert message, str(caught.value)
        assert message[1] == name
        assert set(re.findall(r"'(\w+)'", message[3])) <= vocabulary


def refused(name, word):
    """The values of a word that the error of a learner for another one lists."""
    with pytest.raises(ParameterError) as caught:
        fitted_with(name, **{word: "by magic"})
    return set(re.findall(r"'(\w+)'", str(caught.value).split(" supports ")[1]))


def test_the_table_of_missing_values_lists_the_learners_of_each_policy():
    section = (DOCS / "architecture.md").read_text(encoding="utf-8").split("\n### Missing values\n")[1]
    rows = [
        line.strip("|").split("|") for line in section.split("\n## ")[0].splitlines() if line[:3] == "| `"
    ]
    listed = {re.search(r'"(\w+)"', row[0])[1]: set(re.findall(r"`([A-Z]\w+)`", row[2])) for row in rows}
    found = {policy: set() for policy in (*get_args(Missing), "auto")}
    for name in [name for name, value in ESTIMATORS.items() if "missing" in parameters(value)]:
        for policy in refused(name, "missing"):
            found[policy].add(name)
    stem = re.compile("(Classifier|Regressor|Survival)$")
    for policy in found.keys() - {"refuse"}:
        named = {name for name in found[policy] if {name, stem.sub("", name)} & listed[policy]}
        assert named == found[policy], policy
        assert listed[policy] <= named | {stem.sub("", name) for name in named}, policy
        assert not {name for name in ESTIMATORS if stem.sub("", name) in listed[policy]} - named, policy
    assert {name for name in ESTIMATORS if "missing" in parameters(ESTIMATORS[name])} == found["refuse"]


def test_a_class_or_type_shares_its_name_with_no_other():
    """Options of the command line are named as parameters are, and drop-in classes as scikit-learn's."""
    root, places = Path(bough.__file__).parent, {}
    for path in sorted(root.rglob("*.py")):
        module = path.relative_to(root)
        if module.parts[0] in ("cli", "sklearn"):
            continue
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            names = [node.name] if isinstance(node, ast.ClassDef) else []
            if isinstance(node, ast.Assign | ast.AnnAssign):
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                names = [each.id for each in targets if isinstance(each, ast.Name) and not each.id.isupper()]
            for name in names:
                if name[0].isupper():
                    places.setdefault(name, set()).add(str(module))
    assert len(places) > 400
    assert {name: found for name, found in places.items() if len(found) > 1} == {}


def written_names():
    """The dotted names below `bough` that pages, examples and docstrings write."""
    root = DOCS.parent
    pages = [root / "README.md", *DOCS.rglob("*.md"), *(root / "examples").glob("*.py")]
    texts = [page.read_text(encoding="utf-8") for page in pages]
    texts += [inspect.getdoc(value) for value in PUBLIC.values()]
    dotted = re.compile(r"(?<![\w./-])bough((?:\.[A-Za-z_]\w*)+)")
    return sorted({match[1][1:] for text in texts for match in dotted.finditer(text)})


def test_what_pages_write_is_there_after_import_alone():
    names = written_names()
    firsts = {name.split(".")[0] for name in names}
    assert {"plot", "export", "pruning", "evaluation"} <= firsts
    for first in firsts:
        # What Python asks where the name has not been asked for before.
        assert bough.__getattr__(first) is getattr(bough, first)
    for name in names:
        pkgutil.resolve_name(f"bough.{name}")


def test_every_lazy_module_is_there():
    for name in dir(bough):
        assert bough.__getattr__(name) is getattr(bough, name)
