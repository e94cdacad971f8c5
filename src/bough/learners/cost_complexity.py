"""Base class of the learners that prune by cost complexity."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias, cast, get_args

from sklearn.base import clone
from sklearn.utils import Bunch

from bough.errors import ParameterError
from bough.growing.limits import check_number
from bough.growing.missing import BY_LOOP, Missing, check_missing
from bough.growing.pruning import (
    CostComplexity,
    PathChoice,
    PathMethod,
    Pruning,
    check_choice,
    pruning_of,
)
from bough.learners.conventions import values_of
from bough.learners.estimator import TreeEstimator
from bough.learners.fitting import Fitted
from bough.learners.parameters import CostComplexityParameters
from bough.pruning import CrossValidatedPath
from bough.tree import Tree

Prune: TypeAlias = Literal["one_se", "minimum", "cp", "none"]
"""How the tree is chosen: by cross-validation with the 1-SE rule or the minimum risk; by `cp`, with
cross-validation for information only; or no pruning at all."""


class CostComplexityEstimator(CostComplexityParameters, TreeEstimator):
    """Base class of learners that grow a large tree and prune it.

    Attributes
    ----------
    tree_
        The pruned tree.
    grown_tree_
        The tree before it was pruned.
    cp_table_
        The cost-complexity path with cross-validated risks, a `bough.pruning.CrossValidatedPath`.

    """

    cp_table_: CrossValidatedPath
    grown_tree_: Tree
    criterion: Any
    missing: Missing | Literal["auto"]
    combinations: Any = None
    cv_error: Any = "deviance"
    sampling: Any = "drawn"
    row_key: Any = None

    def _keep(self, fitted: Fitted) -> None:
        self.tree_, self.grown_tree_ = fitted.tree, fitted.grown
        if fitted.path is not None:
            self.cp_table_ = fitted.path

    def cost_complexity_pruning_path(self, X: Any, y: Any, sample_weight: Any = None) -> Bunch:
        """Return the effective alphas of cost-complexity pruning, as scikit-learn's method of this name does.

        `ccp_alphas` increase from 0; each is the smallest `ccp_alpha` that yields its subtree. `impurities`
        are the risks of these subtrees. Both are per unit of weight, as the parameter `ccp_alpha` is.

        >>> from bough import CARTRegressor
        >>> path = CARTRegressor().cost_complexity_pruning_path([[1.0], [2.0], [4.0]], [10.0, 10.0, 40.0])
        >>> path.ccp_alphas, path.impurities
        (array([  0., 200.]), array([  0., 200.]))
        """
        tree = clone(self).set_params(prune="none", cp=0.0, ccp_alpha=None).fit(X, y, sample_weight).tree_
        path, weight = tree.cost_complexity_path(self.path), float(tree.weight[0])
        return Bunch(ccp_alphas=path.alphas / weight, impurities=path.risk / weight)

    def _pruning(self) -> Pruning | None:
        """Return the pruning settings that the parameters define; invalid parameters raise here."""
        pruning = self._other_pruning()
        check_choice("path", self.path, get_args(PathMethod))
        check_number("cp", self.cp, 0.0)
        if (self.prune == "none" or pruning is not None) and self.cp != 0:
            raise ParameterError.of("cp", self.cp, f"0 with prune={self.prune!r}; choose prune='cp'")
        if pruning is not None and self.ccp_alpha is not None:
            raise ParameterError.of("ccp_alpha", self.ccp_alpha, f"None with prune={self.prune!r}")
        if self.cv is None and self.prune in ("one_se", "minimum") and self.ccp_alpha is None:
            wanted = f"given for prune={self.prune!r}, which uses cross-validation"
            raise ParameterError.of("cv", None, wanted)
        if pruning is not None or (self.prune == "none" and self.ccp_alpha is None):
            return pruning
        choose = "ccp_alpha" if self.prune == "none" else cast("PathChoice", self.prune)
        return CostComplexity(
            choose,
            cv=None if self.ccp_alpha is not None else self.cv,
            error=self.cv_error,
            **values_of(self, "cp", "ccp_alpha", "path", "random_state", "sampling", "row_key"),
        )

    def _other_pruning(self) -> Pruning | None:
        """Return the pruning settings if they are other than cost complexity, else None."""
        if self._counts_errors():
            return pruning_of(self.prune, get_args(Prune))
        check_choice("prune", self.prune, get_args(Prune))
        return None

    def _counts_errors(self) -> bool:
        """Whether the risk is a misclassified weight or a squared error, as other prunings require."""
        return False

    def _missing(self) -> Missing:
        check_missing(self.missing, type(self).__name__, ("auto", *BY_LOOP))
        if self.missing != "auto":
            return self.missing
        # A user-written criterion is slow, so surrogates are opt-in; splits on several columns have none, nor
        # have those on bins.
        on_bins = getattr(self, "max_bins", None) is not None
        has_surrogates = isinstance(self.criterion, str) and self.combinations is None and not on_bins
        return "surrogates_then_majority" if has_surrogates else "majority"
