"""Values pass through `fit` as arguments: no attribute is set to reach another method, and hooks are few."""

import ast
import inspect
import pkgutil
import textwrap
from collections.abc import Iterator
from functools import cache
from importlib import import_module

import pytest
from sklearn.base import BaseEstimator

import bough

# The private attributes that fit may leave, with what reads them later. This list only shrinks.
OF_SKLEARN = "methods of scikit-learn's class, which the class extends, read it"
ALLOWED = {
    ("ForestEstimator", "_samples"): "out-of-bag results: the samples follow from it and are not stored",
    ("ForestRegressorEstimator", "_leaf_rows"): "predict_quantiles: the training rows of each leaf",
    ("RandomForestSurvival", "_samples"): "cumulative hazards of the drawn rows",
    ("RandomForestSurvival", "_leaf_times"): "cumulative hazards: the times in each leaf",
    ("BaggingEstimator", "_samples"): "out-of-bag results and estimators_samples_",
    ("GradientBoostingRegressor", "_misses"): "predict_interval: the errors of rows out of their fold",
    ("ISLEEstimator", "_model"): "the property model_ returns it",
    ("C50Classifier", "_model"): "the property model_ returns it",
    ("GrownInBatches", "_batch"): "scikit-learn's fit makes trees one by one; they are grown together",
    ("GrownInBatches", "_n_made"): "scikit-learn's fit makes trees one by one; they are grown together",
    ("BoughBagging", "_n_batch_jobs"): "scikit-learn's fit makes trees one by one; they are grown together",
    ("RandomTreesEmbedding", "_n_features_out"): OF_SKLEARN,
    ("BoughHistBoosting", "_random_seed"): OF_SKLEARN,
    ("BoughHistBoosting", "_n_features"): OF_SKLEARN,
    ("BoughHistBoosting", "_loss"): OF_SKLEARN,
    ("BoughHistBoosting", "_use_validation_data"): OF_SKLEARN,
    ("BoughHistBoosting", "_in_fit"): OF_SKLEARN,
    ("BoughHistBoosting", "_fitted_with_sw"): OF_SKLEARN,
    ("BoughHistBoosting", "_baseline_prediction"): OF_SKLEARN,
}
# The methods below fit that subclasses define in a way of their own.
MOST_HOOKS = 4


def is_ours(cls: type) -> bool:
    return cls.__module__.partition(".")[0] == "bough"


@cache
def estimators() -> tuple[type, ...]:
    """Return every class of the package that scikit-learn's BaseEstimator is a base of."""
    for module in pkgutil.walk_packages(bough.__path__, "bough."):
        if not module.name.endswith("__main__"):
            import_module(module.name)
    found, pending = set(), [BaseEstimator]
    while pending:
        for cls in pending.pop().__subclasses__():
            pending.append(cls)
            if is_ours(cls) and cls not in found:
                found.add(cls)
    return tuple(sorted(found, key=lambda cls: (cls.__module__, cls.__name__)))


def parsed(thing: object) -> ast.AST:
    return ast.parse(textwrap.dedent(inspect.getsource(thing)))


def is_self(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id == "self"


def private_attributes(cls: ast.AST) -> Iterator[str]:
    """Yield the private attributes of self that the methods of a class set, also by setattr and __dict__."""
    for node in ast.walk(cls):
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store) and is_self(node.value):
            name = node.attr
        elif isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store):
            whole = ast.unparse(node.value)
            name = node.slice.value if whole in ("self.__dict__", "vars(self)") else ""
        elif isinstance(node, ast.Call) and ast.unparse(node.func) in ("setattr", "object.__setattr__"):
            name = node.args[1].value if is_self(node.args[0]) else ""
        else:
            continue
        if name.startswith("_"):
            yield name


def methods(cls: type, name: str) -> list[object]:
    """Return the definitions of a method in a class and its bases, as far as they are ours."""
    found = [vars(base)[name] for base in cls.__mro__ if is_ours(base) and name in vars(base)]
    return [inspect.unwrap(each) for each in found if inspect.isfunction(each)]


def reached(cls: type, start: str) -> set[str]:
    """Return the methods of a class that one of them calls by self or super(), or one that it calls."""
    seen, pending = set(), [start]
    while pending:
        name = pending.pop()
        if name in seen or not methods(cls, name):
            continue
        seen.add(name)
        for method in methods(cls, name):
            attributes = [node for node in ast.walk(parsed(method)) if isinstance(node, ast.Attribute)]
            pending += [node.attr for node in attributes if ast.unparse(node.value) in ("self", "super()")]
    return seen


def hooks(cls: type) -> set[str]:
    """Return the private methods below fit that are abstract, or that other classes define differently."""
    found = set()
    for name in reached(cls, "fit"):
        if not name.startswith("_") or name.startswith("__"):
            continue
        bases = [base for base in cls.__mro__ if is_ours(base) and name in vars(base)]
        others = [cls for cls in estimators() if any(base in bases for base in cls.__mro__)]
        others = [other for other in others if methods(other, name)]
        differs = any(methods(other, name)[0] is not methods(cls, name)[0] for other in others)
        if differs or len(bases) > 1:
            found.add(name)
    return found


def test_private_attributes_are_found_however_they_are_set():
    source = """
class Learner:
    def fit(self, X):
        self._one, self.two_ = 1, 2
        self.__dict__["_three"] = 3
        vars(self)["_four"] = 4
        setattr(self, "_five", 5)
        self._six += 1
        X._seven = self._eight
"""
    assert set(private_attributes(ast.parse(source))) == {"_one", "_three", "_four", "_five", "_six"}


def test_fit_sets_no_private_attribute_that_is_not_declared():
    ours = {base for cls in estimators() for base in cls.__mro__ if is_ours(base)}
    assert len(ours) > 100
    found = {(cls.__name__, name) for cls in ours for name in private_attributes(parsed(cls))}
    assert found == set(ALLOWED)


@pytest.mark.parametrize("cls", estimators(), ids=lambda cls: cls.__name__)
def test_fit_calls_few_hooks(cls):
    assert len(found := hooks(cls)) <= MOST_HOOKS, sorted(found)
