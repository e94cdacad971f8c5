"""Post-processing of ensembles by the lasso (Friedman and Popescu 2003): few trees with new weights."""

from __future__ import annotations

from typing import Any

import numpy as np

from bough.data.schema import Schema
from bough.data.table import Table
from bough.data.target import ClassTarget, read_classes, read_numbers, read_weights
from bough.data.training import Training, taken
from bough.ensembles.lasso import Design, FittedTerms, PenaltyRule, fit_terms, lasso_settings, scale_of
from bough.ensembles.weighted_trees import TreeTerm, joined, leaf_of, predictions, summed, terms_of
from bough.growing.draws import read_seed
from bough.learners.conventions import check_lengths, present_rows, required
from bough.models.gradient_boosted import GradientBoosted, Link


def postprocess(
    model: Any,
    X: Any,
    y: Any,
    sample_weight: Any = None,
    *,
    cv: int = 5,
    rule: PenaltyRule = "best",
    max_terms: int | None = None,
    random_state: Any = 0,
    n_jobs: int | None = None,
) -> GradientBoosted:
    """Return a sum of few of the trees of a model, with new weights that the lasso finds.

    The trees are those of a forest, of a gradient boosted model of classes or of the squared error, or of a
    committee of trees, such as bagging or AdaBoost. Their predictions are the columns of a linear model of y,
    for classes of the log-odds, and the lasso leaves most of them out. The result is a
    `bough.GradientBoosted` and has all that such a model has.

    Rows that the trees were not fitted to give the best weights; deep trees need them, because they fit their
    own rows too well. Small trees of samples of the rows, as those of `bough.ISLERegressor`, need none.

    Parameters
    ----------
    model
        A model, or a fitted learner.
    X, y, sample_weight
        The rows that the weights are fitted to.
    cv
        Number of folds by which the penalty of the lasso is chosen.
    rule
        "best" chooses the penalty of the lowest cross-validated loss; "one_se" the greatest one whose loss is
        at most one standard error above it, which keeps fewer trees.
    max_terms
        The maximum number of trees; None for no limit.
    random_state
        Seed of the folds.
    n_jobs
        Number of threads; None uses all cores. The result does not depend on it.

    Examples
    --------
    >>> import bough
    >>> X, y = [[i % 10, i % 7] for i in range(300)], [float(i % 10 < 4) + (i % 7) for i in range(300)]
    >>> forest = bough.RandomForestRegressor(50, max_leaf_nodes=6, random_state=0).fit(X, y)
    >>> few = bough.postprocess(forest, X, y, max_terms=8)
    >>> few.n_trees <= 8, bool(np.mean((few.predict(X) - y) ** 2) < np.mean((forest.predict(X) - y) ** 2))
    (True, True)

    """
    settings = lasso_settings(cv, rule, max_terms) | {"seed": read_seed(random_state)}
    return postprocessed(getattr(model, "model_", model), X, y, sample_weight, settings, n_jobs)


def postprocessed(
    model: Any, X: Any, y: Any, sample_weight: Any, settings: dict[str, Any], n_jobs: int | None = None
) -> GradientBoosted:
    """Return a sum of few of the trees of a model by the settings that its recipe records.

    >>> from bough.example_models import boosted_cars
    >>> settings = lasso_settings(2, "best", 3) | {"seed": 0}
    >>> X, y = [[2.0, 4.0], [3.0, 6.0], [4.0, 8.0]], [30, 20, 15]
    >>> postprocessed(boosted_cars(), X, y, None, settings).recipe["postprocess"]["max_terms"]
    3
    """
    terms = terms_of(model)
    training = _training(model, X, y, sample_weight)
    recipe = {"postprocess": settings, "of": model.recipe}
    return weighted_sum(model, terms, training, settings, settings["seed"], recipe, n_jobs)[0]


def weighted_sum(
    model: Any,
    terms: list[TreeTerm],
    training: Training,
    settings: dict[str, Any],
    seed: int | None,
    recipe: dict[str, Any],
    n_jobs: int | None = None,
) -> tuple[GradientBoosted, FittedTerms]:
    """Return the sum of the trees that the lasso chooses, and what it chose.

    >>> from bough.example_models import boosted_cars
    >>> from bough.learners.conventions import check_lengths
    >>> model = boosted_cars()
    >>> training = _training(model, [[2.0, 4.0], [3.0, 6.0], [4.0, 8.0], [2.5, 4.0]], [30, 20, 15, 26], None)
    >>> weighted_sum(model, terms_of(model), training, lasso_settings(2, "best", 3), 0, {})[0].n_trees <= 3
    True
    """
    classes = model.classes
    n_scores = len(classes) if len(classes) > 2 else 1
    shape: dict[str, Any] = {
        "schema": model.schema,
        "task": "classification" if classes else "regression",
        "classes": classes,
        "target_name": model.target_name,
    }
    # A sum of one score, so that each tree is asked for what it adds.
    plain = GradientBoosted(
        **shape | {"task": "regression", "classes": ()},
        link="identity",
        start=np.zeros(1),
        arrays=summed(terms),
    )
    numbers = predictions(plain, training.table, n_jobs)
    scale = scale_of(numbers)
    numbers /= scale
    only = np.array([term.score for term in terms], dtype=np.int32) if n_scores > 1 else None
    design = Design(np.zeros(1, np.int64), np.empty(0, np.int32), numbers, only)
    fitted = fit_terms(design, training, settings, seed, n_jobs)
    link: Link = "identity" if not classes else "logit" if n_scores == 1 else "softmax"
    chosen: list[list[Any]] = [[] for _ in range(n_scores)]
    found = fitted.terms
    for column, score, coefficient in zip(
        found.column.tolist(), found.score.tolist(), found.coefficient.tolist(), strict=True
    ):
        chosen[score].append(terms[column].scaled(coefficient / scale))
    n_rounds = max(map(len, chosen))
    # Every score has as many trees; those that are missing add nothing.
    filled = [trees + [leaf_of(0.0)] * (n_rounds - len(trees)) for trees in chosen]
    arrays = joined([trees[each] for each in range(n_rounds) for trees in filled])
    made = GradientBoosted(**shape, link=link, start=found.intercept, arrays=arrays, recipe=recipe)
    return made, fitted


def _training(model: Any, X: Any, y: Any, sample_weight: Any) -> Training:
    """Read rows by the schema and the classes of a model; rows of weight 0 are left out."""
    schema: Schema = model.schema
    table = Table.fit_to(X, schema)
    target: Any = read_classes(required("postprocess", y)) if model.classes else read_numbers(y)
    check_lengths(table, len(target))
    if isinstance(target, ClassTarget):
        codes = target.codes_in(model.classes, "y has the class {label}, which the model does not have.")
        target = ClassTarget(model.classes, codes)
    weights = read_weights(sample_weight, table.n_rows)
    rows = np.arange(table.n_rows)
    if (present := present_rows(weights)) is not None:
        table, target, weights, rows = (
            table.take(present),
            taken(target, present),
            weights.take(present),
            present,
        )
    return Training(table, target, weights, rows, len(y), model.target_name)
