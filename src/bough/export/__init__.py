"""Export: models as SQL and as Graphviz graphs, and predictions in the partitions of a cluster."""

from bough.export.dot import to_dot
from bough.export.lazy import predict_lazily
from bough.export.sql import to_sql

__all__ = ["predict_lazily", "to_dot", "to_sql"]
