"""The functions of bough: candidates, curves, prunings, evaluation, comparison, stability."""

import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
from aspects import Aspects, add_rules, add_tree
from builds import called, fitted, learner_of, public
from data_sets import data_set
from renames import ADDED_CRITERIA

import bough

CALLS: dict[str, Callable[[Aspects], None]] = {}


def call(name: str) -> Callable[[Callable[[Aspects], None]], Callable[[Aspects], None]]:
    """Note a function as a case."""

    def noted(work: Callable[[Aspects], None]) -> Callable[[Aspects], None]:
        CALLS[name] = work
        return work

    return noted


def cases_of(name: str, variations: dict[str, Any], work: Callable[[Aspects, Any], None]) -> None:
    """Note a case for each variation."""
    for words, variation in variations.items():
        CALLS[f"{name} / {words}"] = lambda aspects, variation=variation: work(aspects, variation)


def shared(records: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return records without the criteria that the new build alone has."""
    return [{name: value for name, value in each.items() if name not in ADDED_CRITERIA} for each in records]


def _tree(data: str, learner: str = "TreeClassifier", **parameters: Any) -> Any:
    return fitted(learner, data_set(data), parameters, {})


def _candidates(aspects: Aspects, asked: tuple[str, dict[str, Any]]) -> None:
    data = data_set(asked[0])
    table = called("candidates", bough.candidates, data.X, data.y, data=data, **asked[1])
    aspects.add("records", lambda: shared(table.to_dicts()))
    aspects.add("text", table.text)


cases_of(
    "candidates",
    {
        "tennis": ("tennis", {}),
        "complete": ("tennis", {"nominal": "complete"}),
        "one_vs_rest": ("golf", {"nominal": "one_vs_rest"}),
        "weights": ("golf", {"sample_weight": "fractional"}),
        "numbers": ("mtcars", {}),
        "many levels": ("small two", {"max_exhaustive_levels": 3}),
        "regression": ("small count", {"task": "regression"}),
        "refused": ("tennis", {"node": 3}),
    },
    _candidates,
)


def _of_model(aspects: Aspects, asked: tuple[str, str, dict[str, Any]]) -> None:
    data = data_set(asked[0])
    model = fitted(asked[1], data, asked[2], {})
    for node in range(min(3, model.tree_.n_nodes)):
        aspects.add(
            f"candidates {node}",
            lambda node=node: shared(bough.candidates(model, data.X, data.y, node=node).to_dicts()),
        )
        aspects.add(
            f"surrogates {node}", lambda node=node: bough.surrogates(model, data.X, node=node).to_dicts()
        )


cases_of(
    "nodes of a model",
    {
        "iris": ("iris", "TreeClassifier", {}),
        "small": ("small two", "CARTClassifier", {"prune": "none"}),
        "numbers": ("mtcars", "CARTRegressor", {}),
        "linear": ("iris", "CARTClassifier", {"combinations": "linear"}),
    },
    _of_model,
)


def _combined(aspects: Aspects, asked: tuple[str, dict[str, Any]]) -> None:
    data = data_set(asked[0])
    found = called("combined_candidates", bough.combined_candidates, data.X, data.y, data=data, **asked[1])
    aspects.add("records", lambda: shared(found.to_dicts()))


cases_of(
    "combined_candidates",
    {
        "iris": ("iris", {}),
        "linear": ("iris", {"combinations": "linear", "criterion": "entropy"}),
        "numbers": ("mtcars", {"combinations": "ratio", "combination_features": ["wt", "hp", "disp"]}),
    },
    _combined,
)


def _cut_curve(aspects: Aspects, asked: tuple[str, str, str, Any]) -> None:
    name, column, criterion, weight = asked
    data = data_set(name)
    curve = bough.cut_curve(data.X[column], data.y, criterion, sample_weight=data.argument(weight))
    aspects.add("cuts", curve.to_dicts)
    aspects.add("best", lambda: [curve.best, curve.uncut])


cases_of(
    "cut_curve",
    {
        "squared_error": ("airquality", "Temp", "squared_error", None),
        "absolute_error": ("airquality", "Wind", "absolute_error", None),
        "poisson": ("mixed count", "number", "poisson", "whole"),
        "weights": ("airquality", "Temp", "squared_error", "fractional"),
        "gini": ("iris", "Petal.Length", "gini", None),
        "entropy": ("pima", "glucose", "entropy", "with zeros"),
    },
    _cut_curve,
)


def _prunings(aspects: Aspects, asked: tuple[str, str, dict[str, Any]]) -> None:
    """Every function from tree to tree."""
    data = data_set(asked[0])
    tree = fitted(asked[1], data, asked[2], {}).tree_
    half = len(data.X) // 2
    ways: dict[str, Callable[[], Any]] = {
        "pruned": lambda: tree.pruned(0.02, relative=True),
        "pruned as rpart": lambda: tree.pruned(0.02, relative=True, method="rpart"),
        "snip": lambda: tree.snip(1),
        "merged": lambda: tree.merged(),
        "pessimistic": lambda: public("pessimistic")(tree),
        "mdl": lambda: public("mdl")(tree),
        "error_based": lambda: public("error_based")(tree, data.X, data.y, confidence=0.1),
        "error_based by statistics": lambda: public("error_based")(tree),
        "reduced_error": lambda: public("reduced_error")(tree, data.X[:half], data.y[:half]),
        "greedy": lambda: public("reduced_error")(
            tree, data.X[:half], data.y[:half], greedy=True, backfit=True
        ),
    }
    for name, prune in ways.items():
        try:
            add_tree(aspects, prune(), data, f"{name}.")
        except Exception as error:
            aspects.found[f"{name}.pruned"] = f"raised {type(error).__name__}"
    aspects.add("description_length", lambda: public("description_length")(tree))
    aspects.add("expected_errors", lambda: public("expected_errors")(tree))


cases_of(
    "prunings",
    {
        "two": ("gaps two", "TreeClassifier", {}),
        "five": ("mixed five", "TreeClassifier", {"nominal": "complete"}),
        "numbers": ("gaps number", "TreeRegressor", {}),
        "loss": ("pima", "CARTClassifier", {"loss_matrix": {("pos", "neg"): 3.0}, "prune": "none"}),
        "fractions of rows": ("gaps two", "C45Classifier", {"prune": "none"}),
    },
    _prunings,
)


def _rule_sets(aspects: Aspects, asked: tuple[str, str, dict[str, Any]]) -> None:
    data = data_set(asked[0])
    tree = fitted(asked[1], data, {}, {}).tree_
    rules = called("RuleSet.from_tree", bough.RuleSet.from_tree, tree, data.X, data.y, data=data, **asked[2])
    add_rules(aspects, rules, data, "")
    add_rules(aspects, rules.measured(data.X, data.y), data, "measured.")
    aspects.add("text", rules.text)


cases_of(
    "RuleSet.from_tree",
    {
        "c4.5": ("gaps two", "C45Classifier", {}),
        "c4.5 glass": ("glass", "C45Classifier", {"confidence": 0.1}),
        "c5.0": ("pima", "C45Classifier", {"method": "c5.0"}),
        "of CART": ("iris", "CARTClassifier", {"method": "c4.5"}),
        "weights": ("iris", "TreeClassifier", {"sample_weight": "whole"}),
    },
    _rule_sets,
)


def _evaluation(aspects: Aspects, found: Any) -> None:
    aspects.add("figures", found.to_dict)
    for name, measure in found.measures.items():
        aspects.add(f"measure {name}", lambda measure=measure: [measure.value, measure.error])
    aspects.add("text", found.text)
    if found.task == "classification":
        for name in ("roc", "gains", "calibration"):
            aspects.add(name, getattr(found, name))


def _evaluate(aspects: Aspects, asked: tuple[str, str, dict[str, Any], dict[str, Any]]) -> None:
    name, learner, parameters, options = asked
    data = data_set(name)
    model = fitted(learner, data, parameters, {})
    _evaluation(aspects, called("evaluate", bough.evaluate, model, data.X, data.y, data=data, **options))


def _cross_validated(aspects: Aspects, asked: tuple[str, str, dict[str, Any], dict[str, Any]]) -> None:
    name, learner, parameters, options = asked
    data = data_set(name)
    model = learner_of(learner, **parameters)
    _evaluation(
        aspects, called("cross_validated", bough.cross_validated, model, data.X, data.y, data=data, **options)
    )


_JUDGED: dict[str, Any] = {
    "classes": ("pima", "TreeClassifier", {"max_depth": 4}, {}),
    "five classes": ("mixed five", "CARTClassifier", {"cv": 3}, {"sample_weight": "fractional"}),
    "numbers": ("gaps number", "TreeRegressor", {"max_depth": 4}, {"sample_weight": "whole"}),
    "forest": ("iris", "RandomForestClassifier", {"n_estimators": 5, "random_state": 0}, {}),
    "C5.0": ("glass", "C50Classifier", {}, {}),
    "loss": ("pima", "TreeClassifier", {"max_depth": 3}, {"loss_matrix": [[0, 1], [5, 0]]}),
}
cases_of("evaluate", _JUDGED, _evaluate)
cases_of(
    "cross_validated",
    {name: (*asked[:3], {"cv": 4, "random_state": 3} | asked[3]) for name, asked in _JUDGED.items()},
    _cross_validated,
)


@call("compare")
def _compare(aspects: Aspects) -> None:
    for name, task in (("glass", None), ("airquality", "regression")):
        data = data_set(name)
        kind = "Classifier" if task is None else "Regressor"
        learners = {"tree": learner_of(f"Tree{kind}", max_depth=3), "rep": learner_of(f"REPTree{kind}")}
        found = called(
            "compare", bough.compare, data.X, data.y, learners, data=data, task=task, cv=4, random_state=1
        )
        aspects.add(f"{name}.entries", lambda found=found: [_untimed(entry) for entry in found])


def _untimed(entry: Any) -> Any:
    figures = {name: value for name, value in entry.to_dict().items() if name != "seconds"}
    return [figures, entry.losses, entry.fold_errors]


@call("choose")
def _choose(aspects: Aspects) -> None:
    data = data_set("pima")
    for rule in ("best", "one_se"):
        found = called(
            "choose",
            bough.choose,
            learner_of("TreeClassifier"),
            data.X,
            data.y,
            {"max_depth": [1, 3, 5]},
            data=data,
            rule=rule,
            cv=4,
        )
        aspects.add(f"{rule}.parameters", lambda found=found: found.parameters)
        add_tree(aspects, found.estimator.tree_, data, f"{rule}.tree.")


def _stability(aspects: Aspects, asked: tuple[str, str, dict[str, Any], dict[str, Any]]) -> None:
    name, learner, parameters, options = asked
    data = data_set(name)
    model = fitted(learner, data, parameters, {})
    found = called("stability", bough.stability, model, data.X, data.y, data=data, n_draws=6, **options)
    for figure in (
        "returns",
        "disagreement",
        "varies",
        "column_use",
        "n_leaves",
        "root_columns",
        "agreement",
    ):
        aspects.add(figure, lambda figure=figure: getattr(found, figure))
    aspects.add("cuts", lambda: list(found.cuts.values()))
    aspects.add("near ties", lambda: [(node, len(rivals)) for node, rivals in found.near_ties.items()])
    aspects.add("text", found.text)


cases_of(
    "stability",
    {
        "classes": ("iris", "TreeClassifier", {"max_depth": 3}, {}),
        "pruned": ("pima", "CARTClassifier", {"cv": 3}, {"random_state": 4}),
        "numbers": ("airquality", "TreeRegressor", {"max_depth": 3}, {"margin": 0.2}),
        "C4.5": ("gaps two", "C45Classifier", {}, {}),
        "weights": ("gaps two", "TreeClassifier", {"max_depth": 3}, {"sample_weight": "whole"}),
    },
    _stability,
)


@call("missingness")
def _missingness(aspects: Aspects) -> None:
    for name in ("airquality", "labor", "gaps two"):
        found = bough.missingness(data_set(name).X)
        for figure in ("shares", "complete", "complete_by_chance", "hidden", "patterns", "mcar"):
            aspects.add(f"{name}.{figure}", lambda figure=figure, found=found: _value(getattr(found, figure)))
        aspects.add(f"{name}.explain", lambda found=found: found.explain(0, cv=3).words())
        aspects.add(f"{name}.text", found.text)


def _value(door: Any) -> Any:
    return door() if callable(door) else door


@call("rescaled_times")
def _rescaled_times(aspects: Aspects) -> None:
    y = data_set("stagec_surv").y
    aspects.add("times", lambda: bough.rescaled_times(y["time"], y["status"]))
    weight = data_set("stagec_surv").argument("fractional")
    aspects.add("weighted", lambda: bough.rescaled_times(y["time"], y["status"], weight))


def _report(aspects: Aspects, asked: tuple[str, str, dict[str, Any]]) -> None:
    name, learner, parameters = asked
    data = data_set(name)
    model = fitted(learner, data, parameters, {})
    page = called("report", bough.report, model, data.X, data.y, data=data, n_draws=3, cv=3)
    aspects.add("facts", lambda: page.facts)


cases_of(
    "report",
    {
        "iris": ("iris", "CARTClassifier", {}),
        "numbers": ("airquality", "CARTRegressor", {}),
        "C4.5": ("labor", "C45Classifier", {}),
    },
    _report,
)


@call("warm start")
def _warm_start(aspects: Aspects) -> None:
    data = data_set("gaps two")
    forest = bough.RandomForestClassifier(4, random_state=5, warm_start=True).fit(data.X, data.y)
    aspects.add("first", lambda: forest.predict_proba(data.X))
    aspects.add("then", lambda: forest.set_params(n_estimators=9).fit(data.X, data.y).predict_proba(data.X))


@call("old files")
def _old_files(aspects: Aspects) -> None:
    """The model files of earlier versions still load, and answer as they did."""
    from data_sets import ROOT

    for path in sorted((ROOT / "tests" / "golden").glob("*.v[12].json")):
        try:
            tree = bough.load(path)
        except Exception as error:
            aspects.found[path.name] = f"raised {type(error).__name__}"
            continue
        for name, array in _arrays(tree):
            aspects.add(f"{path.name}.{name}", lambda array=array: array)
        aspects.add(f"{path.name}.text", tree.text)


def _arrays(tree: Any) -> Any:
    from digests import arrays_of

    return arrays_of(tree)


@call("export")
def _export(aspects: Aspects) -> None:
    for data, learner in (
        ("iris", "CARTClassifier"),
        ("gaps two", "CARTClassifier"),
        ("airquality", "CARTRegressor"),
    ):
        tree = _tree(data, learner).tree_
        for name in ("to_dot", "to_sql"):
            aspects.add(f"{data}.{name}", lambda name=name, tree=tree: public(name)(tree))


@call("nodes in words")
def _nodes(aspects: Aspects) -> None:
    for data, learner in (
        ("gaps two", "CARTClassifier"),
        ("cartest", "CARTRegressor"),
        ("labor", "C45Classifier"),
    ):
        tree = _tree(data, learner).tree_
        row = data_set(data).X[:1]
        aspects.add(f"{data}.nodes", lambda tree=tree: [str(tree.node(node)) for node in range(tree.n_nodes)])
        aspects.add(f"{data}.rules", lambda tree=tree: tree.rules().text())
        aspects.add(f"{data}.path_of", lambda tree=tree, row=row: str(tree.path_of(row)))
        for spares in ("surrogates_of", "competitors_of"):
            aspects.add_door(f"{data}.", tree, spares, 0)
        aspects.add(f"{data}.same loaded", lambda tree=tree: pickle.loads(pickle.dumps(tree)) == tree)


@call("criteria")
def _criteria(aspects: Aspects) -> None:
    """Every criterion's value of splits into two and three children, and the impurity of nodes."""
    drawn = np.random.default_rng(1)
    counts = {n: drawn.integers(0, 9, (40, n, 4)).astype(float) + np.eye(n, 4) for n in (2, 3)}
    y = drawn.normal(size=(40, 3, 5)) + 9
    moments = np.stack([np.full((40, 3), 5.0), y.sum(axis=2), (y**2).sum(axis=2)], axis=2)
    for name in ("misclassification", "gini", "entropy", "deviance", "gain_ratio", "chi_square", "twoing"):
        for n, children in counts.items():
            aspects.add(f"{name}.{n}", lambda name=name, children=children: public("value")(name, children))
        aspects.add(f"{name}.impurity", lambda name=name: public("impurity")(name, counts[2][:, 0]))
    for name in ("squared_error", "poisson"):
        aspects.add(f"{name}.3", lambda name=name: public("value")(name, moments))
        aspects.add(f"{name}.impurity", lambda name=name: public("impurity")(name, moments[:, 0]))


@call("tables")
def _tables(aspects: Aspects) -> None:
    """What readers make of rows of every kind."""
    frame = pd.DataFrame(
        {
            "whole": [3, 1, 2, 2],
            "nullable": pd.array([1, None, 3, 2], dtype="Int64"),
            "text": ["b", "a", None, "b"],
            "truth": [True, False, True, True],
            "grade": pd.Categorical(["lo", "hi", None, "lo"], ["lo", "mid", "hi"], ordered=True),
        }
    )
    dated = frame.assign(day=pd.to_datetime(["2020-01-02", None, "2021-05-06", "2019-12-31"]))
    kinds: dict[str, tuple[Any, dict[str, Any]]] = {
        "pandas": (frame, {}),
        "dates": (dated, {}),
        "polars": (pl.from_pandas(frame), {}),
        "arrow": (pl.from_pandas(frame).to_arrow(), {}),
        "lists": (frame.astype(object).where(frame.notna(), None).to_numpy().tolist(), {}),
        "objects": (frame.to_numpy(), {}),
        "numbers": (np.arange(12.0).reshape(4, 3), {"categorical_features": [1]}),
        "all": (np.arange(12).reshape(4, 3), {"categorical_features": "all"}),
        "ordinal": (frame, {"ordinal_features": {"text": ["b", "a"]}, "categorical_features": ["whole"]}),
        "float32": (np.float32([[0.1, np.nan], [0.2, 3.0]]), {}),
    }
    for name, (rows, options) in kinds.items():
        try:
            table = bough.Table.read(rows, **options)
        except Exception as error:
            aspects.found[name] = f"raised {type(error).__name__}"
            continue
        aspects.add(f"{name}.columns", lambda table=table: list(table.columns))
        aspects.add(f"{name}.schema", lambda table=table: table.schema.to_json())


@call("trees alone")
def _trees_alone(aspects: Aspects) -> None:
    """A tree without its learner is grown again by its recipe."""
    data = data_set("iris")
    tree = _tree("iris", "TreeClassifier", max_depth=3, criterion="entropy").tree_
    found = called("stability", bough.stability, tree, data.X, data.y, data=data, n_draws=4)
    aspects.add("returns", lambda: found.returns)
    aspects.add("evaluated", lambda: bough.evaluate(tree, data.X, data.y).to_dict())


@call("defaults of choose and compare")
def _defaults(aspects: Aspects) -> None:
    data = data_set("kyphosis")
    found = called("compare", bough.compare, data.X, data.y, data=data, cv=3)
    # Ensembles draw without a seed here, so only learners of one tree give the same errors again.
    single = sorted([entry for entry in found if entry.leaves is not None], key=lambda entry: entry.name)
    aspects.add("single trees", lambda: [(each.name, each.losses, each.fold_errors) for each in single])
    aspects.add("learners", lambda: sorted([*(entry.name for entry in found), *found.refused]))
    chosen = called("choose", bough.choose, learner_of("TreeClassifier"), data.X, data.y, data=data, cv=3)
    aspects.add("choose", lambda: chosen.parameters)
