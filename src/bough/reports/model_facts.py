"""The facts of the report of a model that is not one tree: a forest, a sum of trees, a committee, rules."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from bough.data.row_key import rows_of_model
from bough.data.table import Table
from bough.data.words import count_words, figure_words, level_words, share_words
from bough.errors import ParameterError
from bough.evaluation.evaluate import evaluate
from bough.evaluation.evaluation import Evaluation
from bough.models.model import relative_importance
from bough.reports.column_facts import missing_facts, shown_columns
from bough.reports.evaluation_facts import evaluation_facts
from bough.reports.making import making_words, recipe_words
from bough.reports.request import Request
from bough.reports.shown import short_names, shortened
from bough.reports.tiles import score_tiles
from bough.tree.one_target import refuse_several
from bough.types import Floats
from bough.version import __version__

# The attributes of estimators that hold an error after each tree, and what rows it is of.
_CURVES = {
    "oob_error_curve_": "out of bag",
    "test_error_curve_": "test set",
    "validation_loss_": "held out",
    "training_loss_": "training set",
}
_MOST_POINTS = 300
_MOST_COLUMNS = 6
_MOST_ROWS = 300
_MOST_VALUES = 20
_MOST_RULES = 500
_NAMES = {
    "forest": "Forest",
    "gradient_boosted": "Gradient boosting",
    "boosted": "Boosted C5.0",
    "bagging": "Committee",
    "rules": "Rule set",
    "linear_rules": "Linear rules",
}


def facts_of_model(request: Request) -> dict[str, Any]:
    """Return the facts of the report of a model that is not one tree, as values that JSON can hold.

    >>> from bough.example_models import boosted_cars
    >>> facts = facts_of_model(Request(boosted_cars()))
    >>> facts["title"], [tile["label"] for tile in facts["tiles"]]
    ('Gradient boosting for mpg', ['Trees', 'Columns used'])
    """
    model = getattr(request.model, "model_", request.model)
    if getattr(model, "model_kind", None) not in _NAMES:
        raise ParameterError(
            f"model is a {type(request.model).__name__}; it must be a model of bough or a fitted estimator."
        )
    refuse_several(model, "report")
    if request.optimality is not None:
        raise ParameterError("optimality: the best tree is searched for a single tree; leave it out.")
    if (request.X is None) != (request.y is None):
        raise ParameterError("A report needs X and y together: pass both, or neither.")
    if getattr(model, "quantiles", ()) and (request.X is not None or request.test is not None):
        raise ParameterError(
            "report: this model predicts several quantiles, and a page compares one prediction of each row "
            "with y. Leave X, y and test out, or fit a model of one quantile."
        )
    table = None if request.X is None else rows_of_model(request.X, model)
    evaluation = _evaluation(request, model, table)
    classes = [level_words(model.schema.class_label(label)) for label in model.classes]
    name = model.schema.target_label(model.target_name)
    target = None if name is None else shortened(name)
    facts: dict[str, Any] = {
        "headline": _headline(model),
        "title": request.title or _NAMES[model.model_kind] + (f" for {target}" if target else ""),
        "task": model.task,
        "target": target or "the target",
        "classes": classes,
        "version": __version__,
        "making": making_words(model, None if request.model is model else request.model),
        "recipe": recipe_words(model.recipe),
        "curves_of_errors": _curves(request.model),
        "columns": _columns(model, table),
        "rules_listed": _rules(model),
        "rules_default": _default(model),
        "rules_measure": "importance" if getattr(model, "order", None) == "sum" else None,
        "warnings": [],
        "costs": None,
    }
    if table is not None:
        facts["missing"] = missing_facts(table)
        facts["dependence"] = _dependence(model, table)
    if evaluation is not None:
        facts["judged"] = evaluation_facts(evaluation, classes)
    facts["tiles"] = _tiles(model, evaluation)
    if (measured := _importance_of(model)) is not None:
        facts["importance_of"] = measured
    return facts


def _importance_of(model: Any) -> str | None:
    """Return what the importance of a column is a share of, as text; None: of the gain of all splits."""
    if getattr(model, "voting", None) == "chain":
        return "the squared error that the members which read it explain"
    if model.model_kind == "linear_rules" and model.order == "sum":
        return "the total importance of all rules"
    rules = model.model_kind in ("rules", "linear_rules")
    if rules or (model.model_kind == "boosted" and model.members[0].model_kind == "rules"):
        return "the cases of all rules that use a column"
    return None


def _evaluation(request: Request, model: Any, table: Table | None) -> Evaluation | None:
    if model.recipe.get("response") == "grades":
        # The groups of the rows, in which they are ranked, are not known here.
        return None
    if request.test is not None:
        return evaluate(model, *request.test, rows="held out")
    if table is None:
        return None
    rows = "of the table given, which is optimistic if the model was fitted to it"
    return evaluate(model, table, request.y, sample_weight=request.sample_weight, rows=rows)


def _size(model: Any) -> tuple[str, int]:
    """Return what the members of a model are, and how many there are."""
    if model.model_kind in ("forest", "gradient_boosted"):
        return "tree", len(model.trees)
    if model.model_kind in ("rules", "linear_rules"):
        return "rule", len(model)
    return "member", len(model.members)


def _headline(model: Any) -> str:
    noun, n = _size(model)
    task = "numbers" if model.task == "regression" else f"{len(model.classes)} classes"
    columns = count_words(len(model.schema), "column")
    return f"{_NAMES[model.model_kind]} of {count_words(n, noun)}, predicts {task} from {columns}"


def _curves(estimator: Any) -> list[dict[str, Any]]:
    """Return the errors after each tree that an estimator has recorded, one series for each set of rows."""
    found = []
    for name, rows in _CURVES.items():
        curve = getattr(estimator, name, None)
        if curve is None or not len(curve):
            continue
        values = np.asarray(curve, dtype=np.float64)
        # The first column is the error of all rows, the others those of the classes.
        values = values[:, 0] if values.ndim == 2 else values
        kept = np.unique(np.linspace(0, len(values) - 1, min(len(values), _MOST_POINTS)).astype(int))
        known = kept[np.isfinite(values[kept])]
        if len(known):
            found.append(
                {
                    "rows": rows,
                    "trees": (known + 1).tolist(),
                    "error": [float(f"{v:.6g}") for v in values[known]],
                }
            )
    return found


def _columns(model: Any, table: Table | None) -> list[dict[str, Any]]:
    """Return a dict for each column; its importance has a standard error if the model has many trees."""
    shares, errors = _importance(model)
    columns = zip(model.schema.shown, short_names(model.schema.shown.names), strict=True)
    short = [replace(column, name=name) for column, name in columns]
    listed = [None] * len(shares) if errors is None else errors.tolist()
    facts = shown_columns(model, short, shares, table)
    return [fact | {"importance_error": error} for fact, error in zip(facts, listed, strict=True)]


def _importance(model: Any) -> tuple[Floats, Floats | None]:
    shares = relative_importance(model.importance())
    by_tree = getattr(model, "tree_importance", None)
    if by_tree is None or len(by_tree) < 2:
        return shares, None
    totals = by_tree.sum(axis=1, keepdims=True)
    own = by_tree / np.where(totals > 0, totals, 1.0)
    return shares, own.std(axis=0, ddof=1) / np.sqrt(len(own))


def _dependence(model: Any, table: Table) -> list[dict[str, Any]]:
    """Return the mean prediction for values of the most important columns, over a sample of the rows."""
    importance = model.importance()
    chosen = [each for each in np.argsort(-importance, kind="stable")[:_MOST_COLUMNS] if importance[each] > 0]
    rows = np.unique(np.linspace(0, table.n_rows - 1, min(table.n_rows, _MOST_ROWS)).astype(int))
    sample = table.take(rows)
    found = []
    for position in map(int, chosen):
        column = model.schema[position]
        values, words = _grid(column, table.columns[position])
        if len(values) < 2:
            continue
        means = _means(model, sample, position, values)
        found.append(
            {
                "column": position,
                "values": [float(value) for value in values] if column.scale == "numeric" else words,
                "is_number": column.scale == "numeric" and column.unit is None,
                "words": words,
                "means": [[float(f"{mean:.6g}") for mean in each] for each in means.T],
            }
        )
    return found


def _grid(column: Any, values: npt.NDArray[Any]) -> tuple[npt.NDArray[Any], list[str]]:
    if column.scale != "numeric":
        codes = np.arange(min(len(column.levels), _MOST_VALUES), dtype=values.dtype)
        return codes, [shortened(level_words(level)) for level in column.levels[: len(codes)]]
    known = values[np.isfinite(values)]
    if not len(known):
        return known, []
    grid = np.unique(np.quantile(known, np.linspace(0, 1, _MOST_VALUES), method="nearest"))
    return grid, [figure_words(float(value), 4) for value in grid]


def _means(model: Any, sample: Table, position: int, values: npt.NDArray[Any]) -> Floats:
    """Return the mean prediction (a column for each class) for each value of a column."""
    columns = [np.tile(each, len(values)) for each in sample.columns]
    columns[position] = np.repeat(values, sample.n_rows).astype(columns[position].dtype)
    rows = replace(sample, columns=tuple(columns), n_rows=len(values) * sample.n_rows)
    given = model.predict(rows)[:, None] if model.task == "regression" else model.predict_proba(rows)
    return np.asarray(given.reshape(len(values), sample.n_rows, -1).mean(axis=1))


def _rules(model: Any) -> list[list[str]] | None:
    if model.model_kind == "linear_rules":
        return [
            [rule.premise(6), rule.conclusion(6), figure_words(rule.cases), figure_words(rule.deviation, 4)]
            for rule in model[:_MOST_RULES]
        ]
    if model.model_kind != "rules":
        return None
    return [
        [
            rule.premise(6) or "always",
            level_words(model.schema.class_label(rule.answer)),
            figure_words(rule.cover),
            f"{share_words(rule.confidence)}, {figure_words(rule.cover - rule.correct)} wrong",
        ]
        for rule in model[:_MOST_RULES]
    ]


def _default(model: Any) -> str | None:
    """Return the class that a rule set answers where no rule fires."""
    return level_words(model.schema.class_label(model.default)) if model.model_kind == "rules" else None


def _tiles(model: Any, evaluation: Evaluation | None) -> list[dict[str, str]]:
    noun, n = _size(model)
    used = int((model.importance() > 0).sum())
    tiles = [] if evaluation is None else score_tiles(evaluation)
    return [
        *tiles,
        {
            "label": f"{noun.capitalize()}s",
            "value": figure_words(n),
            "note": _NAMES[model.model_kind].lower(),
        },
        {"label": "Columns used", "value": str(used), "note": f"of {len(model.schema)}"},
    ]
