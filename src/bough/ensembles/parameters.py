"""Parameters that several ensembles share; see `bough.learners.parameters`."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from bough.growing.missing import Missing
from bough.growing.monotonic import MonotonicConstraints
from bough.learners.parameters import ColumnParameters, StoppingParameters


@dataclass(eq=False, repr=False, kw_only=True)
class ForestParameters(StoppingParameters, ColumnParameters):
    """Parameters that forest classifiers and regressors share."""

    n_estimators: int = field(default=100, kw_only=False)
    max_features: Any = "sqrt"
    seek: bool = True
    bootstrap: bool = True
    replace: bool = True
    max_samples: Any = None
    oob_score: Any = False
    missing: Missing = "learned"
    monotonic_cst: MonotonicConstraints | None = None
    random_state: Any = None
    verbose: int = 0
    warm_start: bool = False


@dataclass(eq=False, repr=False, kw_only=True)
class ClassForestParameters(ForestParameters):
    """Parameters that forest classifiers share."""

    criterion: str = "gini"
    voting: str = "soft"
    cutoff: Any = None
    class_weight: Any = None


@dataclass(eq=False, repr=False, kw_only=True)
class NumberForestParameters(ForestParameters):
    """Parameters that forest regressors share."""

    criterion: str = "squared_error"
    max_features: Any = 1.0
    bias_correction: bool = False
    quantiles: bool = False


@dataclass(eq=False, repr=False, kw_only=True)
class BaggingParameters:
    """Parameters that the bagging classifier and regressor share."""

    estimator: Any = field(default=None, kw_only=False)
    n_estimators: int = field(default=10, kw_only=False)
    max_samples: Any = None
    max_features: Any = None
    bootstrap: bool = True
    replace: bool = True
    oob_score: bool = False
    warm_start: bool = False
    n_jobs: int | None = None
    random_state: Any = None
    verbose: int = 0


@dataclass(eq=False, repr=False, kw_only=True)
class ReweightingParameters:
    """Parameters that learners share whose members are fitted one after another to weighted rows."""

    estimator: Any = field(default=None, kw_only=False)
    n_estimators: int = 50
    n_jobs: int | None = None
    random_state: Any = None
    verbose: int = 0
