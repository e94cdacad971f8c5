"""Rows of a file with their target, read for a saved model: the features have the scales of its schema."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from bough.cli.option_groups import ALL_ROWS, RowOptions
from bough.cli.terminal import working
from bough.errors import ParameterError, TargetError
from bough.tree.answer import label_array

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bough.cli.sample import Sample
    from bough.data.files import FileTable
    from bough.models.model import Model


def labelled_rows(
    model: Model, path: str, na: tuple[str, ...], target: str | None = None, rows: RowOptions = ALL_ROWS
) -> Sample:
    r"""Read the features of a model and its target from a file.

    >>> import tempfile
    >>> from pathlib import Path
    >>> from bough.example_models import iris_tree
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "iris.csv"
    ...     _ = file.write_text("Petal.Length,Petal.Width,Species\n1.4,0.2,setosa\n5,1.9,virginica\n")
    ...     labelled_rows(iris_tree(), str(file), ("",)).target
    array(['setosa', 'virginica'], dtype='<U9')
    """
    from bough.cli.sample import Sample
    from bough.data.files import check_known, fit_columns, open_table
    from bough.data.ranking import read_groups

    if target is None and _has_no_target(model):
        raise ParameterError(
            "The model has no target: it scores how unusual each row is. `bough predict` writes the scores, "
            "and `bough report` takes the model without a table."
        )
    name = target or model.target_name
    if name is None:
        raise ParameterError("The model has no name for its target; give it with --target COLUMN.")
    with working("Reading the table"), open_table(path, na) as file:
        others = [each for each in (rows.weights, rows.groups) if each is not None]
        check_known([*model.schema.names, name, *others], file.names, path)
        features = fit_columns(file, model.schema)
        answers, known = _answers(model, file, name, path, rows.skips_missing)
        weight = weights_of(file, rows.weights)
        ids = (
            None if rows.groups is None else read_groups(file.source([rows.groups]).read(0), features.n_rows)
        )
    labelled = Sample(features, answers, weight, ids)
    return labelled if known.all() else labelled.rows(np.flatnonzero(known))


def _has_no_target(model: Model) -> bool:
    ensemble: Mapping[str, Any] = model.recipe.get("ensemble") or {}
    return ensemble.get("kind") == "isolation_forest"


def _answers(
    model: Model, file: FileTable, name: str, path: str, skip_missing: bool
) -> tuple[npt.NDArray[Any], npt.NDArray[np.bool_]]:
    """Return the target of each row, and where it is known."""
    from bough.data.readers.source import Numbers, Times
    from bough.data.schema import kind_of

    kind = kind_of(model.classes)
    raw = file.source(
        [name], [name] if kind == "text" else [], [name] if kind == "truth values" else []
    ).read(0)
    if isinstance(raw, Times):
        raise TargetError(f"The target {name!r} holds dates or times in {path}; the model predicts none.")
    missing = np.isnan(raw.values) if isinstance(raw, Numbers) else raw.codes < 0
    if missing.any() and not skip_missing:
        raise TargetError(
            f"The target {name!r} is missing in {int(missing.sum())} of {len(missing)} rows of {path}; "
            "add --missing-target skip to leave those rows out."
        )
    if missing.all():
        raise TargetError(f"The target {name!r} is missing in every row of {path}; name another table.")
    if not isinstance(raw, Numbers):
        return label_array(raw.levels)[np.maximum(raw.codes, 0)], ~missing
    values = np.where(missing, 0.0, raw.values)
    if model.classes and (values == np.floor(values)).all():
        return values.astype(np.int64), ~missing
    return values.astype(np.float64), ~missing


def weights_of(file: FileTable, name: str | None) -> npt.NDArray[np.float64] | None:
    """Return the column of weights of a file, if one is named; another than one of numbers is refused."""
    from bough.data.readers.source import Numbers

    if name is None:
        return None
    raw = file.source([name]).read(0)
    if not isinstance(raw, Numbers):
        raise ParameterError.of("--weights", name, "a column of numbers")
    return raw.values.astype(np.float64)
