"""Predictions for a Dask or Spark DataFrame, computed in its partitions when they are asked for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from bough.data.partitions.partitions import is_dask_frame, is_spark_frame
from bough.data.schema import kind_of
from bough.errors import ParameterError
from bough.models.model import Model

_SPARK_TYPES = {"text": "string", "truth values": "boolean", "numbers": "double"}


def predict_lazily(model: Model, X: Any) -> Any:
    """Return a lazy frame with the column "prediction": for each row of X what the model predicts.

    X is a Dask or a Spark DataFrame, and so is the result. Columns that the model does not have are ignored.

    >>> import dask.dataframe as dd
    >>> import pandas as pd
    >>> from bough.example_models import cars_tree
    >>> cars = pd.DataFrame({"cyl": [4, 8], "hp": [93, 245], "name": ["a", "b"]})
    >>> lazy = predict_lazily(cars_tree(), dd.from_pandas(cars, npartitions=2))
    >>> lazy.compute()["prediction"].round(1).tolist()
    [26.7, 13.4]
    """
    if not isinstance(model, Model):
        raise ParameterError.of("model", type(model).__name__, "a model, such as model_ of a learner")
    names = [*model.schema.names]
    if is_dask_frame(X):
        return X[names].map_partitions(_predicted, model, meta={"prediction": _dtype(model)})
    if is_spark_frame(X):
        return X.select(*names).mapInArrow(_InArrow(model), f"prediction {_spark_type(model)}")
    raise ParameterError.of("X", type(X).__name__, "a Dask or a Spark DataFrame")


def _predicted(frame: Any, model: Model) -> Any:
    import pandas as pd

    found = np.empty(0, dtype=_dtype(model)) if len(frame) == 0 else model.predict(frame)
    return pd.DataFrame({"prediction": found.astype(_dtype(model))}, index=frame.index)


class _InArrow:
    """A function of the batches of a partition."""

    def __init__(self, model: Model) -> None:
        self._model = model

    def __call__(self, batches: Iterator[Any]) -> Iterator[Any]:
        import pyarrow as pa

        for batch in batches:
            if batch.num_rows:
                found = self._model.predict(pa.Table.from_batches([batch])).tolist()
                yield pa.RecordBatch.from_pydict({"prediction": found})


def _dtype(model: Model) -> Any:
    kind = kind_of(model.classes[:1])
    if kind == "numbers":
        return np.array(model.classes).dtype
    return {"text": object, "truth values": np.bool_}.get(kind or "", np.float64)


def _spark_type(model: Model) -> str:
    if model.classes and isinstance(model.classes[0], int) and not isinstance(model.classes[0], bool):
        return "long"
    return _SPARK_TYPES[kind_of(model.classes[:1]) or "numbers"]
