"""The method `words` of models, which gives them labels."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, TypeVar

from bough.data.labels import Labels
from bough.errors import ParameterError, SchemaError
from bough.tree.labelling import shown_classes

Labelled = TypeVar("Labelled")


def words(
    model: Labelled,
    labels: Mapping[str, str] | None = None,
    levels: Mapping[str, Mapping[Any, str]] | None = None,
) -> Labelled:
    """Return the model with labels, which every print-out, picture and page shows in place of codes.

    `labels` are texts for the names of columns and of the target, and `levels` are texts for the levels of
    columns and the classes of the target, by name. The labels are saved with the model. Rows are still given
    with the names and levels that the model was fitted with, and predictions are the same. Without arguments
    the labels are removed.

    >>> from bough.example_models import tennis_tree
    >>> tree = tennis_tree().words(
    ...     labels={"Wind": "wind speed", "PlayTennis": "Match"},
    ...     levels={"Wind": {"Strong": "above 10 m/s"}, "PlayTennis": {"No": "called off"}},
    ... )
    >>> print(tree.rules()[3])
    Outlook = Rain and wind speed = above 10 m/s -> called off
    >>> tree.predict([["Rain", "Hot", "High", "Strong"]])
    array(['No'], dtype='<U3')
    """
    of: Any = model
    labels, levels = labels or {}, levels or {}
    schema, target = of.schema, of.target_name
    for argument, given in (("labels", labels), ("levels", levels)):
        _check(argument, given, (*schema.names, *(() if target is None else (target,))))
    for name, texts in levels.items():
        known = schema[name].levels if name in schema.names else of.classes
        for level in texts:
            if level not in known:
                raise ParameterError.of(
                    "levels", level, f"a level of {name!r}: {', '.join(map(repr, known))}"
                )
    made = Labels(
        {name: labels[name] for name in schema.names if name in labels},
        {name: dict(levels[name]) for name in schema.names if name in levels},
        labels.get(target),
        dict(levels.get(target, {})),
    )
    try:
        labelled = schema.labelled(made if labels or levels else None)
        shown_classes(labelled, of.classes)
    except SchemaError as error:
        raise ParameterError(f"labels must differ from each other: {error}") from None
    parts: dict[str, Any] = {"schema": labelled}
    if hasattr(of, "rules") and not callable(of.rules):
        parts["rules"] = tuple(replace(rule, schema=labelled) for rule in of.rules)
    made_of: Labelled = replace(of, **parts)
    return made_of


def _check(argument: str, given: Mapping[str, Any], known: tuple[str, ...]) -> None:
    for name, text in given.items():
        if name not in known:
            wanted = f"names of columns or of the target: {', '.join(map(repr, known))}"
            raise ParameterError.of(argument, name, wanted)
        texts = text.values() if isinstance(text, Mapping) else [text]
        if isinstance(text, Mapping) == (argument == "labels") or not all(
            type(each) is str and each for each in texts
        ):
            wanted = "texts by name" if argument == "labels" else "texts by level, by name"
            raise ParameterError.of(argument, text, wanted)
