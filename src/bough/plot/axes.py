"""The axes and colours that all figures share."""

from __future__ import annotations

from typing import Any

from bough.errors import BoughError
from bough.reports.picture import OTHER, PALETTE


class PlotError(BoughError, ImportError):
    """Matplotlib, which figures need, is not installed."""


def axes_for(ax: Any = None, *, size: tuple[float, float] | None = None, three_d: bool = False) -> Any:
    """Return `ax`, or the axes of a new figure, which are three-dimensional with `three_d`.

    >>> import matplotlib
    >>> matplotlib.use("agg")
    >>> axes_for(size=(3, 2)).figure.get_size_inches().tolist()
    [3.0, 2.0]
    >>> matplotlib.pyplot.close("all")
    """
    if ax is not None:
        return ax
    try:
        from matplotlib import pyplot as plt
    except ImportError:
        raise PlotError("Figures need matplotlib; install it by pip install 'bough[plot]'.") from None
    figure = plt.figure(figsize=size, layout="constrained")
    return figure.add_subplot(projection="3d" if three_d else None)


def colour(code: int) -> str:
    """Return the colour of a class by its code.

    >>> colour(0), colour(99)
    ('#3b6fb6', '#9a9aa2')
    """
    return PALETTE[code] if code < len(PALETTE) else OTHER
