"""The plot of a cross-validated path: risk against size, as in rpart's plotcp."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from bough.errors import ParameterError

if TYPE_CHECKING:
    from bough.pruning.cross_validation import CrossValidatedPath


def plot_path(path: CrossValidatedPath, ax: Any = None) -> Any:
    """Plot the relative cross-validated risk against the number of leaves; returns the matplotlib axes.

    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> from bough import CARTClassifier
    >>> path = CARTClassifier().fit([[i] for i in range(20)], [0] * 10 + [1] * 10).cp_table_
    >>> plot_path(path).get_ylabel()
    'cross-validated risk, share of the root'
    """
    try:
        import matplotlib.pyplot as plt
    except ModuleNotFoundError:
        raise ParameterError("Pictures need matplotlib: pip install 'bough[plot]'.") from None
    if ax is None:
        ax = plt.figure(figsize=(7, 4.2), layout="constrained").add_subplot()
    positions = np.arange(len(path))[::-1]
    risk, error = path.relative_cv_risk, path.relative_cv_error
    best, chosen = path.chosen("minimum"), path.chosen("one_se")
    ax.errorbar(positions, risk, yerr=error, marker="o", capsize=3, color="C0", label="cross-validated")
    ax.plot(positions, path.relative_risk, marker=".", color="0.6", label="on the rows it was grown on")
    ax.axhline(risk[best] + error[best], linestyle=":", color="0.4", label="least + 1 standard error")
    ax.plot(positions[chosen], risk[chosen], marker="o", markersize=11, fillstyle="none", color="C3")
    ax.annotate(
        f"{path.n_leaves[chosen]} leaves",
        (positions[chosen], risk[chosen]),
        xytext=(8, 10),
        textcoords="offset points",
        color="C3",
    )
    step = max(1, len(path) // 15)
    ax.set_xticks(positions[::step], path.n_leaves[::step])
    ax.set_xlabel("leaves")
    ax.set_ylabel("cross-validated risk, share of the root")
    ax.set_ylim(bottom=0)
    ax.legend(frameon=False)
    return ax
