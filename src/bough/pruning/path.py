"""The cost-complexity path: the nested trees that are optimal for some complexity parameter alpha.

See Breiman, Friedman, Olshen and Stone (1984), chapter 3.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from bough.data.records import Records
from bough.data.views import TextTable, html_view
from bough.data.words import figure_column
from bough.errors import ParameterError
from bough.tree.structure import read_only
from bough.types import Floats, Ints


@dataclass(frozen=True, eq=False, repr=False)
class CostComplexityPath(Records):
    """The sequence of nested pruned trees, from the full tree to the root.

    Tree i minimizes risk + alpha · leaves, with the fewest leaves in a tie, for alphas from `alphas[i]` up to
    but excluding `alphas[i + 1]`. `alphas` increase from 0 and are in units of risk. `complexity` is, for
    each node of the full tree, the smallest alpha for which its subtree is pruned, at the node itself or at
    an ancestor; 0 at a leaf. An inner node remains inner while its complexity is greater than alpha.

    `relative` is alpha as a fraction of the root's risk, the cp of R's rpart. scikit-learn's ccp_alpha is
    alpha divided by the root's weight, with weight · impurity as the risk: for squared error it equals
    `alphas / tree.weight[0]`; in classification scikit-learn measures the risk differently.

    >>> from bough.example_models import iris_tree
    >>> print(iris_tree().cost_complexity_path())
    alpha    CP  nsplit  leaves  risk  rel error
        0  0.00       2       3     6       0.06
       44  0.44       1       2    50       0.50
       50  0.50       0       1   100       1.00
    """

    alphas: Floats
    n_splits: Ints
    n_leaves: Ints
    risk: Floats
    complexity: Floats

    def __post_init__(self) -> None:
        for array in (self.alphas, self.n_splits, self.n_leaves, self.risk, self.complexity):
            read_only(array)

    @property
    def relative(self) -> Floats:
        """The alphas as fractions of the root's risk; 0 if that risk is 0.

        >>> from bough.example_models import iris_tree
        >>> iris_tree().cost_complexity_path().relative
        array([0.  , 0.44, 0.5 ])
        """
        return shares_of_risk(self.alphas, float(self.risk[-1]))

    @property
    def relative_risk(self) -> Floats:
        """The risk of each tree as a fraction of the root's; 1 if that risk is 0.

        >>> from bough.example_models import iris_tree
        >>> iris_tree().cost_complexity_path().relative_risk
        array([0.06, 0.5 , 1.  ])
        """
        return self.risk / self.risk[-1] if self.risk[-1] > 0 else np.ones(len(self))

    def __len__(self) -> int:
        return len(self.alphas)

    def _frame(self) -> dict[str, list[Any]]:
        arrays: dict[str, npt.NDArray[Any]] = {
            "alpha": self.alphas,
            "CP": self.relative,
            "nsplit": self.n_splits,
            "leaves": self.n_leaves,
            "risk": self.risk,
            "rel error": self.relative_risk,
        }
        return {name: array.tolist() for name, array in arrays.items()}

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return a dict for each tree, the full tree first, with rpart's names for the columns it has too.

        >>> from bough.example_models import iris_tree
        >>> iris_tree().cost_complexity_path().to_dicts()[1]
        {'alpha': 44.0, 'CP': 0.44, 'nsplit': 1, 'leaves': 2, 'risk': 50.0, 'rel error': 0.5}
        """
        columns = self._frame()
        return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]

    def text(self, max_lines: int | None = 200) -> str:
        """Return the path as a text table of the `max_lines` smallest trees, one line each; None shows all.

        >>> from bough.example_models import iris_tree
        >>> print(iris_tree().cost_complexity_path().text(max_lines=2))
        1 larger tree is not shown: path.text(max_lines=3) shows all.
        <BLANKLINE>
        alpha    CP  nsplit  leaves  risk  rel error
           44  0.44       1       2    50        0.5
           50  0.50       0       1   100        1.0
        """
        if max_lines is not None and max_lines < 1:
            raise ParameterError.of("max_lines", max_lines, "a whole number of at least 1, or None")
        hidden = 0 if max_lines is None else max(len(self) - max_lines, 0)
        text = self._grid(hidden).text()
        if hidden:
            noun = "tree is" if hidden == 1 else "trees are"
            text = f"{hidden} larger {noun} not shown: path.text(max_lines={len(self)}) shows all.\n\n{text}"
        return text

    def _grid(self, hidden: int = 0) -> TextTable:
        columns = self._frame()
        cells = [figure_column(values[hidden:]) for values in columns.values()]
        return TextTable([*columns], [*zip(*cells, strict=True)], range(len(columns)))

    def _repr_html_(self) -> str:
        return html_view([self._grid()])

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        return f"<CostComplexityPath: {len(self)} trees of {self.n_leaves[0]} to {self.n_leaves[-1]} leaves>"


def shares_of_risk(alphas: Floats, root_risk: float) -> Floats:
    """Return alphas as fractions of the root's risk; 0 if that risk is 0, since all alphas are 0 then.

    >>> shares_of_risk(np.array([0.0, 5.0]), 20.0)
    array([0.  , 0.25])
    """
    return alphas / root_risk if root_risk > 0 else np.zeros(len(alphas))
