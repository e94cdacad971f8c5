"""What is looked at in a fitted model: every array, every answer, every figure and every text."""

import inspect
import pickle
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from builds import door_of
from data_sets import DataSet
from digests import arrays_of, digests_of, is_plain
from renames import FIELDS

import bough

_OF_ROWS = (
    *("predict", "predict_proba", "predict_log_proba", "apply", "decision_path", "staged_predict", "votes"),
    *("predict_std", "predict_quantiles", "proximity", "outlier_scores", "transform"),
)
_OF_ROWS_AND_TARGET = (
    *("score", "staged_error", "permutation_importance", "debiased_importance", "prototypes"),
)
_OF_NOTHING = (
    *("feature_importances_", "impurity_importance", "in_bag", "estimators_samples_"),
    *("get_depth", "get_n_leaves", "thresholds", "get_feature_names_out"),
)
_INTERVALS = ("oob", "quantile", "jackknife")
_N_TREES = 3
# Costly answers of forests are asked for tables that are not larger.
_MOST_ROWS = 400


class Aspects:
    """The digests of one case, by name of the aspect; an exception is an outcome too, by its type."""

    def __init__(self) -> None:
        self.found: dict[str, str] = {}

    def add(self, name: str, compute: Callable[[], Any]) -> None:
        try:
            self.found.update(digests_of(name, compute()))
        except Exception as error:
            self.found[name] = f"raised {type(error).__name__}"

    def add_door(self, prefix: str, thing: Any, name: str, *arguments: Any, **options: Any) -> None:
        """Add what a method or property gives, if the build has it."""
        aspect = f"{prefix}{name}"
        try:
            door = door_of(thing, name)
        except Exception as error:
            self.found[aspect] = f"raised {type(error).__name__}"
            return
        if door is not None:
            self.add(aspect, lambda: _listed(door(*arguments, **options) if callable(door) else door))


def _listed(value: Any) -> Any:
    if type(value).__name__ == "PermutationImportance":
        return [getattr(value, name) for name in ("mean", "sd", "by_class", "by_class_sd", "by_case")]
    return list(value) if isinstance(value, Iterator) else value


def add_model(aspects: Aspects, model: Any, data: DataSet) -> None:
    """Add all aspects of a fitted estimator."""
    aspects.add("is a", lambda: type(model).__name__)
    _add_attributes(aspects, model)
    _add_answers(aspects, model, data)
    for name, prefix in (("tree_", "tree."), ("grown_tree_", "grown.")):
        if hasattr(model, name):
            add_tree(aspects, getattr(model, name), data, prefix)
    for name in ("trees_", "estimators_"):
        for place, each in enumerate(_first(model, name)):
            add_tree(aspects, getattr(each, "tree_", each), data, f"{name}[{place}].")
    for place, rules in enumerate(_first(model, "rule_sets_")):
        add_rules(aspects, rules, data, f"rule_sets_[{place}].")
    forest = getattr(getattr(model, "classifier_", model), "forest_", None)
    if forest is not None:
        _add_forest(aspects, forest)
    if hasattr(model, "cp_table_"):
        add_path(aspects, model.cp_table_, "cp_table_.")
    if hasattr(type(model), "predict"):
        aspects.add("pickled.predict", lambda: pickle.loads(pickle.dumps(model)).predict(data.X))


def _first(model: Any, name: str) -> list[Any]:
    """Return the first few trees or rule sets of an ensemble; forests hold theirs packed."""
    if hasattr(model, "forest_") or not hasattr(model, name):
        return []
    return [each for each in getattr(model, name)[:_N_TREES] if each is not None]


def _add_attributes(aspects: Aspects, model: Any) -> None:
    for name, value in sorted(vars(model).items()):
        if name.endswith("_") and not name.startswith("_") and is_plain(value):
            new = FIELDS.get(name, name)
            aspects.add(f"attribute.{new}", lambda value=value: value)


def _add_answers(aspects: Aspects, model: Any, data: DataSet) -> None:
    costly = ("proximity", "outlier_scores", "permutation_importance", "debiased_importance", "prototypes")
    skipped = costly if data.n_rows > _MOST_ROWS else ()
    for name in _OF_ROWS:
        if name not in skipped:
            aspects.add_door("", model, name, data.X)
            if data.X_new is not None:
                aspects.add_door("new.", model, name, data.X_new)
    if data.y is not None:
        for name in _OF_ROWS_AND_TARGET:
            if name not in skipped:
                aspects.add_door("", model, name, data.X, data.y)
    for name in _OF_NOTHING:
        aspects.add_door("", model, name)
    intervals = getattr(model, "predict_interval", None)
    if intervals is not None and "method" in inspect.signature(intervals).parameters:
        for method in _INTERVALS:
            aspects.add_door(f"{method}.", model, "predict_interval", data.X, method=method)


def add_tree(aspects: Aspects, tree: Any, data: DataSet, prefix: str) -> None:
    """Add the arrays of a tree, its answers, its texts and its path, also after it was saved and loaded."""
    if not isinstance(tree, bough.Tree):
        return
    for name, array in arrays_of(tree):
        aspects.add(f"{prefix}{name}", lambda array=array: array)
    aspects.add(f"{prefix}formulas", lambda: tree.formulas)
    for name in ("predict", "predict_proba", "apply"):
        aspects.add_door(prefix, tree, name, data.X)
        aspects.add_door(f"{prefix}new.", tree, name, data.X_new)
    aspects.add(f"{prefix}text", lambda: tree.text())
    aspects.add(f"{prefix}rules", lambda: [str(rule) for rule in tree.rules()])
    aspects.add_door(prefix, tree, "importance", surrogates=True)
    path = door_of(tree, "cost_complexity_path")
    if path is not None and prefix == "tree.":
        add_path(aspects, path(), f"{prefix}path.")
    if prefix == "tree.":
        _add_loaded(aspects, tree, data, f"{prefix}loaded.")


def _add_loaded(aspects: Aspects, tree: Any, data: DataSet, prefix: str) -> None:
    try:
        loaded = _loaded(tree)
    except Exception as error:
        aspects.found[f"{prefix}arrays"] = f"raised {type(error).__name__}"
        return
    for name, array in arrays_of(loaded):
        aspects.add(f"{prefix}{name}", lambda array=array: array)
    aspects.add_door(prefix, loaded, "predict", data.X)


def _loaded(model: Any) -> Any:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.json"
        model.save(path)
        return bough.load(path)


def add_rules(aspects: Aspects, rules: Any, data: DataSet, prefix: str) -> None:
    """Add what a rule set says."""
    aspects.add(f"{prefix}rules", lambda: [str(rule) for rule in rules])
    aspects.add(f"{prefix}records", rules.to_dicts)
    for name in ("predict", "predict_proba", "fires"):
        aspects.add_door(prefix, rules, name, data.X)
        aspects.add_door(f"{prefix}new.", rules, name, data.X_new)
    aspects.add(f"{prefix}loaded", lambda: _loaded(rules).to_dicts())


def add_path(aspects: Aspects, path: Any, prefix: str) -> None:
    """Add a cost-complexity path."""
    for name, array in arrays_of(path):
        aspects.add(f"{prefix}{name}", lambda array=array: array)
    aspects.add(f"{prefix}table", path.to_dicts)


def _add_forest(aspects: Aspects, forest: Any) -> None:
    for name, array in arrays_of(forest):
        aspects.add(f"forest.{name}", lambda array=array: array)
    aspects.add("forest.n_nodes", lambda: forest.n_nodes)
    for place in range(min(_N_TREES, forest.n_trees)):
        for name, array in arrays_of(forest.trees[place]):
            aspects.add(f"forest.trees[{place}].{name}", lambda array=array: array)
