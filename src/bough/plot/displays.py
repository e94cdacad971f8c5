"""Displays with scikit-learn's interface: `from_estimator`, `plot`, `ax_` and `figure_`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

from bough.plot.regions import regions
from bough.plot.tree import tree


class _Display:
    """A figure that can be drawn again on other axes."""

    ax_: Any
    figure_: Any
    _draw: Callable[..., Any]

    def __init__(self, model: Any, X: Any = None, y: Any = None) -> None:
        self.model, self.X, self.y = model, X, y

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any = None, y: Any = None, *, ax: Any = None, **options: Any
    ) -> Self:
        """Draw a fitted estimator, with the rows of X and y where they are given.

        >>> import matplotlib
        >>> matplotlib.use("agg")
        >>> from bough.example_models import iris_tree
        >>> TreeDisplay.from_estimator(iris_tree()).figure_ is not None
        True
        >>> matplotlib.pyplot.close("all")
        """
        return cls(estimator, X, y).plot(ax=ax, **options)

    def plot(self, *, ax: Any = None, **options: Any) -> Self:
        """Draw the figure; the options are those of `plot.tree` or `plot.regions`.

        >>> import matplotlib
        >>> matplotlib.use("agg")
        >>> from bough.example_models import iris_tree
        >>> len(TreeDisplay(iris_tree()).plot(max_depth=1).ax_.texts)
        10
        >>> matplotlib.pyplot.close("all")
        """
        self.ax_ = self._draw(self.model, self.X, self.y, ax=ax, **options)
        self.figure_ = self.ax_.figure
        return self


class TreeDisplay(_Display):
    """The figure of a tree.

    >>> import matplotlib
    >>> matplotlib.use("agg")
    >>> from bough.example_models import iris_tree
    >>> TreeDisplay.from_estimator(iris_tree()).ax_.get_title()[:19]
    'Classification tree'
    >>> matplotlib.pyplot.close("all")
    """

    _draw = staticmethod(tree)


class RegionsDisplay(_Display):
    """The figure of the regions of a model over two features.

    >>> import matplotlib
    >>> matplotlib.use("agg")
    >>> from bough.example_models import iris_tree
    >>> RegionsDisplay.from_estimator(iris_tree(), [[1.4, 0.2], [5.0, 1.9]]).ax_.get_ylabel()
    'Petal.Width'
    >>> matplotlib.pyplot.close("all")
    """

    _draw = staticmethod(regions)
