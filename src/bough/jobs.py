"""How many threads a call may use, and work that is shared among them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from bough.errors import ParameterError
from bough.types import is_whole

# Starting threads that no machine has cores for takes longer than most work they would do.
_MOST = 4096

_Item = TypeVar("_Item")
_Result = TypeVar("_Result")


def n_threads(n_jobs: int | None) -> int:
    """Return the number of threads that `n_jobs` asks for.

    None takes every core this process may use: as many as its CPU affinity, its container's share of the
    machine, `OMP_NUM_THREADS` and an enclosing `threadpoolctl.threadpool_limits` allow. A number is taken as
    it is; a negative one counts back from that of all cores, so −1 is all and −2 all but one.

    >>> n_threads(2)
    2
    >>> n_threads(0)
    Traceback (most recent call last):
    bough.errors.ParameterError: n_jobs is 0;
    it must be a whole number other than 0 and at most 4096, or None.
    """
    from sklearn.utils._openmp_helpers import _openmp_effective_n_threads

    if n_jobs is not None and not (is_whole(n_jobs) and n_jobs != 0 and n_jobs <= _MOST):
        raise ParameterError.of("n_jobs", n_jobs, f"a whole number other than 0 and at most {_MOST}, or None")
    return int(_openmp_effective_n_threads(None if n_jobs is None else int(n_jobs)))


def mapped(function: Callable[[_Item], _Result], items: Iterable[_Item], n_workers: int) -> list[_Result]:
    """Return the result of a function for each item, computed in so many threads.

    >>> mapped(abs, [-1, 2], 2)
    [1, 2]
    """
    items = list(items)
    n_workers = min(n_workers, len(items))
    if n_workers < 2:
        return [function(item) for item in items]
    with ThreadPoolExecutor(n_workers) as pool:
        return list(pool.map(function, items))
