"""Displays with scikit-learn's interface: `from_estimator`, `plot`, `ax_` and `figure_`."""

from __future__ import annotations

from typing import Any, Self

from bough.plot.regions import regions
from bough.plot.tree import tree


class _Display:
    """A figure that can be drawn again on other axes."""

    ax_: Any
    figure_: Any

    def __init__(self, model: Any, X: Any = None, y: Any = None) -> None:
        self.model, self.X, self.y = model, X, y

    def _drawn(self, ax: Any) -> Self:
        self.ax_, self.figure_ = ax, ax.figure
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

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any = None, y: Any = None, *, ax: Any = None, **options: Any
    ) -> Self:
        """Draw the tree of a fitted estimator.

        >>> import matplotlib
        >>> matplotlib.use("agg")
        >>> from bough.example_models import iris_tree
        >>> TreeDisplay.from_estimator(iris_tree()).figure_ is not None
        True
        >>> matplotlib.pyplot.close("all")
        """
        return cls(estimator, X, y).plot(ax=ax, **options)

    def plot(self, *, ax: Any = None, **options: Any) -> Self:
        """Draw the tree; the options are those of `plot.tree`.

        >>> import matplotlib
        >>> matplotlib.use("agg")
        >>> from bough.example_models import iris_tree
        >>> len(TreeDisplay(iris_tree()).plot(max_depth=1).ax_.texts)
        10
        >>> matplotlib.pyplot.close("all")
        """
        return self._drawn(tree(self.model, self.X, self.y, ax=ax, **options))


class RegionsDisplay(_Display):
    """The figure of the regions of a model over two features.

    >>> import matplotlib
    >>> matplotlib.use("agg")
    >>> from bough.example_models import iris_tree
    >>> RegionsDisplay.from_estimator(iris_tree(), [[1.4, 0.2], [5.0, 1.9]]).ax_.get_ylabel()
    'Petal.Width'
    >>> matplotlib.pyplot.close("all")
    """

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any, y: Any = None, *, ax: Any = None, **options: Any) -> Self:
        """Draw the regions of a fitted estimator.

        >>> import matplotlib
        >>> matplotlib.use("agg")
        >>> from bough.example_models import iris_tree
        >>> RegionsDisplay.from_estimator(iris_tree(), [[1.4, 0.2], [5.0, 1.9]]).figure_ is not None
        True
        >>> matplotlib.pyplot.close("all")
        """
        return cls(estimator, X, y).plot(ax=ax, **options)

    def plot(self, *, ax: Any = None, **options: Any) -> Self:
        """Draw the regions; the options are those of `plot.regions`.

        >>> import matplotlib
        >>> matplotlib.use("agg")
        >>> from bough.example_models import iris_tree
        >>> RegionsDisplay(iris_tree(), [[1.4, 0.2], [5.0, 1.9]]).plot().ax_.get_xlabel()
        'Petal.Length'
        >>> matplotlib.pyplot.close("all")
        """
        return self._drawn(regions(self.model, self.X, self.y, ax=ax, **options))
