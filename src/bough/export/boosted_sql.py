"""SQL of a gradient boosted model: the sum of the expressions of its trees, and what it predicts."""

from __future__ import annotations

from collections.abc import Sequence

from bough.data.schema import Level
from bough.data.sql import literal
from bough.errors import ParameterError
from bough.models.gradient_boosted import OF_EACH_CLASS, GradientBoosted


def boosted_sql(model: GradientBoosted, trees: Sequence[str]) -> str:
    """Return an SQL expression for the prediction of a model, given those of its trees.

    Trees are added in their order, so that the sums are those of the model.

    >>> import bough
    >>> model = bough.GradientBoostingRegressor(max_iter=2, min_samples_leaf=1, learning_rate=0.5)
    >>> model = model.fit([[1.0], [2.0]], [1.0, 2.0]).model_
    >>> print(boosted_sql(model, ["t0", "t1"]))
    (CAST(1.5e0 AS DOUBLE PRECISION)
      + t0
      + t1)
    """
    if model.link == "quantiles":
        raise ParameterError(
            "SQL is written for models with one prediction for each row, and this one has several quantiles."
        )
    # Without the cast PostgreSQL would add decimal numbers.
    starts = [f"CAST({literal(float(start))} AS DOUBLE PRECISION)" for start in model.start]
    scores = [
        "(" + "\n  + ".join([start, *trees[which :: model.n_scores]]) + ")"
        for which, start in enumerate(starts)
    ]
    if model.link == "identity":
        return scores[0]
    if model.link == "log":
        return f"EXP{scores[0]}"
    if model.link not in OF_EACH_CLASS:
        first, second = map(literal, model.classes)
        return f"CASE WHEN {scores[0]} > 0e0 THEN {second} ELSE {first} END"
    return greatest(scores, model.classes)


def greatest(scores: Sequence[str], classes: Sequence[Level]) -> str:
    """Return an SQL expression for the class of the greatest score, of equals the first.

    >>> print(greatest(["a", "b"], ["no", "yes"]))
    (SELECT CASE WHEN score_0 >= score_1 THEN 'no' ELSE 'yes' END FROM (SELECT a AS score_0,
    b AS score_1) AS scores)
    """
    names = [f"score_{which}" for which in range(len(scores))]
    columns = ",\n".join(f"{score} AS {name}" for score, name in zip(scores, names, strict=True))
    tests = [" AND ".join(f"{name} >= {other}" for other in names if other != name) for name in names[:-1]]
    cases = " ".join(
        f"WHEN {test} THEN {literal(label)}" for test, label in zip(tests, classes, strict=False)
    )
    if not cases:
        return literal(classes[-1])
    return f"(SELECT CASE {cases} ELSE {literal(classes[-1])} END FROM (SELECT {columns}) AS scores)"
