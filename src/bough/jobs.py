"""How many threads a call may use."""

from __future__ import annotations

from numbers import Integral

from bough.errors import ParameterError

# Starting threads that no machine has cores for takes longer than most work they would do.
_MOST = 4096


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

    if n_jobs is not None and not (_is_whole(n_jobs) and n_jobs != 0 and n_jobs <= _MOST):
        raise ParameterError.of("n_jobs", n_jobs, f"a whole number other than 0 and at most {_MOST}, or None")
    return int(_openmp_effective_n_threads(None if n_jobs is None else int(n_jobs)))


def _is_whole(value: object) -> bool:
    return isinstance(value, Integral) and not isinstance(value, bool)
