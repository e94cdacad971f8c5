"""Reading the parameters of sampling: the number of rows of each stratum, and the number of columns."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from numbers import Integral
from typing import Any

import numpy as np
import numpy.typing as npt

from bough.data.schema import Level
from bough.data.target import ClassTarget, read_classes
from bough.errors import ParameterError, TargetError
from bough.growing.draws import RowSampling
from bough.growing.limits import is_number
from bough.growing.pruning import check_flag
from bough.types import is_whole

WITHOUT_REPLACEMENT = 0.632
"""The default fraction of rows without replacement, as in R's randomForest: 1 − 1/e."""


def read_row_sampling(
    n_rows: int,
    *,
    bootstrap: bool,
    replace: bool,
    max_samples: Any,
    strata: Any,
    classes: tuple[tuple[Level, ...], npt.NDArray[np.int32]] | None,
) -> RowSampling:
    """Return how rows are sampled for each tree; without strata, sizes by stratum refer to the classes.

    >>> read_row_sampling(10, bootstrap=True, replace=True, max_samples=0.5, strata=None, classes=None).size
    (5,)
    >>> read_row_sampling(10, bootstrap=False, replace=True, max_samples=5, strata=None, classes=None)
    Traceback (most recent call last):
    bough.errors.ParameterError: max_samples is 5; it must be None if bootstrap is False, since every tree
    then gets all rows.
    """
    if not bootstrap:
        if max_samples is not None:
            raise ParameterError.of(
                "max_samples", max_samples, "None if bootstrap is False, since every tree then gets all rows"
            )
        if strata is not None:
            raise ParameterError(
                "strata are given, but bootstrap is False, so that no rows are sampled. Leave strata out."
            )
        return RowSampling()
    draw = "with_replacement" if replace else "without_replacement"
    by_stratum = isinstance(max_samples, Mapping | Sequence | np.ndarray) and not isinstance(max_samples, str)
    if strata is None and not by_stratum:
        return RowSampling(draw, (_size(max_samples, n_rows, replace),))  # type: ignore[arg-type]
    levels, codes = _strata(strata, classes, n_rows)
    there = np.bincount(codes, minlength=len(levels))
    if by_stratum:
        sizes = _sizes(max_samples, levels, there)
    elif isinstance(max_samples, Integral):
        raise ParameterError.of("max_samples", max_samples, "a size for each stratum, or a fraction of each")
    else:
        sizes = tuple(_size(max_samples, int(each), replace) for each in there)
    return RowSampling(draw, sizes, codes)  # type: ignore[arg-type]


def sampling_of(learner: Any, n_rows: int, target: Any = None, strata: Any = None) -> RowSampling:
    """Return how the rows of each tree of a forest are sampled; see `read_row_sampling`.

    >>> from bough import RandomForestClassifier
    >>> sampling_of(RandomForestClassifier(max_samples=0.5), 10).size
    (5,)
    """
    return read_row_sampling(
        n_rows,
        bootstrap=learner.bootstrap,
        replace=learner.replace,
        max_samples=learner.max_samples,
        strata=strata,
        classes=(target.classes, target.codes) if isinstance(target, ClassTarget) else None,
    )


def _strata(
    strata: Any, classes: tuple[tuple[Level, ...], npt.NDArray[np.int32]] | None, n_rows: int
) -> tuple[tuple[Level, ...], npt.NDArray[np.int32]]:
    if strata is None:
        if classes is None:
            raise ParameterError("max_samples gives sizes of strata; pass the strata of the rows to fit.")
        return classes
    try:
        read = read_classes(strata)
    except TargetError:
        raise ParameterError(
            f"strata cannot be read as groups; give one text, truth value or whole number for each of the "
            f"{n_rows} rows, none of them missing."
        ) from None
    if len(read.codes) != n_rows:
        raise ParameterError(f"strata has {len(read.codes)} entries; give one for each of the {n_rows} rows.")
    return read.classes, read.codes


def _size(max_samples: Any, n_rows: int, replace: bool) -> int:
    if max_samples is None:
        return n_rows if replace else max(1, math.ceil(WITHOUT_REPLACEMENT * n_rows))
    if is_whole(max_samples):
        if not 1 <= int(max_samples) <= n_rows:
            raise ParameterError.of("max_samples", max_samples, f"at least 1 and at most the {n_rows} rows")
        return int(max_samples)
    if is_number(max_samples) and 0 < max_samples <= 1:
        return max(1, round(n_rows * float(max_samples)))
    wanted = "None, a whole number of rows, a fraction in (0, 1], or a size for each stratum"
    raise ParameterError.of("max_samples", max_samples, wanted)


def _sizes(max_samples: Any, levels: tuple[Level, ...], there: npt.NDArray[np.intp]) -> tuple[int, ...]:
    names = ", ".join(map(repr, levels))
    if isinstance(max_samples, Mapping):
        if set(max_samples) != set(levels):
            raise ParameterError.of("max_samples", max_samples, f"a dict whose keys are the strata {names}")
        given = [max_samples[level] for level in levels]
    else:
        given = list(max_samples)
        if len(given) != len(levels):
            raise ParameterError.of(
                "max_samples", max_samples, f"{len(levels)} sizes, one for each of the strata {names}"
            )
    for level, size, rows in zip(levels, given, there, strict=True):
        if not is_whole(size) or not 0 <= size <= rows:
            wanted = f"a whole number from 0 to the {rows} rows it has"
            raise ParameterError.of(f"max_samples of {level!r}", size, wanted)
    if not any(given):
        raise ParameterError.of("max_samples", max_samples, "above 0 for some stratum")
    return tuple(int(size) for size in given)


def rows_of_strata(strata: Any, rows: npt.NDArray[np.intp], n_rows: int) -> Any:
    """Return the strata of some of the rows; None if there are no strata.

    >>> rows_of_strata(["a", "b", "c"], np.array([0, 2]), 3)
    array(['a', 'c'], dtype='<U1')
    """
    if strata is None:
        return None
    given = np.asarray(strata)
    if given.ndim != 1 or len(given) != n_rows:
        many = len(given) if given.ndim == 1 else f"shape {given.shape} instead of"
        raise ParameterError(f"strata has {many} entries; give one for each of the {n_rows} rows.")
    return given[rows]


def read_n_estimators(n_estimators: Any) -> int:
    """Return the checked value of `n_estimators`.

    >>> read_n_estimators(0)
    Traceback (most recent call last):
    bough.errors.ParameterError: n_estimators is 0; it must be a whole number of at least 1 and below 2**31.
    """
    if not (is_whole(n_estimators) and 1 <= int(n_estimators) < 2**31):
        raise ParameterError.of("n_estimators", n_estimators, "a whole number of at least 1 and below 2**31")
    return int(n_estimators)


def check_flags(estimator: Any, *names: str) -> None:
    """Raise if a named parameter is not True or False, or if `oob_score` or `verbose` is invalid.

    >>> from bough import RandomForestClassifier
    >>> check_flags(RandomForestClassifier(bootstrap="no"), "bootstrap")
    Traceback (most recent call last):
    bough.errors.ParameterError: bootstrap is 'no'; it must be True or False.
    """
    for name in names:
        check_flag(name, getattr(estimator, name))
    check_verbose(estimator.verbose)
    oob_score = estimator.oob_score
    if not (isinstance(oob_score, bool | np.bool_) or callable(oob_score)):
        raise ParameterError.of(
            "oob_score", oob_score, "True, False or a function of true and predicted values"
        )


def check_verbose(verbose: object) -> None:
    """Raise unless `verbose` is a whole number of at least 0, True or False.

    >>> check_verbose(-1)
    Traceback (most recent call last):
    bough.errors.ParameterError: verbose is -1; it must be a whole number of at least 0.
    """
    if not isinstance(verbose, Integral) or int(verbose) < 0:
        raise ParameterError.of("verbose", verbose, "a whole number of at least 0")


def check_voting(voting: object) -> None:
    """Raise unless `voting` is "soft" or "hard".

    >>> check_voting("hard")
    """
    if not (isinstance(voting, str) and voting in ("soft", "hard")):
        raise ParameterError.of("voting", voting, "'soft' or 'hard'")
