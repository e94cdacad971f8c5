"""The signatures of `bough.tree.lazy_methods` for type checkers."""

from collections.abc import Mapping
from os import PathLike
from typing import Any, Literal, TypeAlias

from bough.inspect.explain import Explanation
from bough.pruning import CostComplexityPath, PathMethod, ValidationMethod
from bough.reports.report import Report
from bough.rules import RuleList
from bough.tree import Tree
from bough.types import Floats

How: TypeAlias = Literal["method", "value", "function"]

class LazyMethod:
    target: str
    how: How
    name: str
    def __init__(self, target: str, how: How = "method") -> None: ...
    def load(self) -> Any: ...
    def __get__(self, tree: Any, owner: type | None = None) -> Any: ...

EXPLAIN: LazyMethod
TO_SQL: LazyMethod
MODEL_HTML: LazyMethod
WORDS: LazyMethod
LAZY_METHODS: dict[str, LazyMethod]

class LazyTreeMethods:
    def explain(self, row: Any, *, most_changes: int = 5) -> Explanation:
        """Return why the tree answers as it does for one row, and what would change its answer."""

    def words(
        self,
        labels: Mapping[str, str] | None = None,
        levels: Mapping[str, Mapping[Any, str]] | None = None,
    ) -> Tree:
        """Return the tree with labels, which every view shows in place of names and levels."""

    def rules(self) -> RuleList:
        """Return the rules of the tree: one conjunction of conditions for each leaf."""

    def cost_complexity_path(self, method: PathMethod = "weakest_link") -> CostComplexityPath:
        """Return the nested subtrees that are optimal for some `ccp_alpha`, down to the root."""

    def pruned(
        self, ccp_alpha: float, *, relative: bool = False, method: PathMethod = "weakest_link"
    ) -> Tree:
        """Return the subtree of least risk + ccp_alpha · leaves.

        With `relative`, ccp_alpha is a fraction of the risk of the root, as cp in R's rpart.
        """

    def pruned_on(
        self, X: Any, y: Any, sample_weight: Any = None, *, method: ValidationMethod = "cost_complexity"
    ) -> Tree:
        """Return the subtree that makes the fewest errors on a validation set; the smallest of several.

        With `method="cost_complexity"` it is one of the trees of the cost-complexity path, with
        "reduced_error" any subtree.
        """

    def refit(self, X: Any, y: Any, sample_weight: Any = None) -> Tree:
        """Return the tree with the same splits and the statistics of other rows.

        The predictions of its nodes, their cases, risks and gains are computed from X and y.
        """

    def to_sklearn(self) -> Any:
        """Return a fitted decision tree of scikit-learn that predicts the same.

        It does so for rows without missing values whose numbers float32 can hold. Missing values follow the
        default branch, since scikit-learn has no surrogates. A tree that scikit-learn cannot express, such as
        one with splits on levels, is refused.
        """

    def snip(self, *nodes: int) -> Tree:
        """Return the tree with the given nodes turned into leaves."""

    def binarized(self) -> Tree:
        """Return the tree with splits in two only: the same leaves, regions and predictions."""

    def collapsed(self) -> Tree:
        """Return the tree with successive splits of one column joined: the same leaves and predictions."""

    def merged(self) -> Tree:
        """Return the tree without the splits below which all leaves predict the same.

        The predictions do not change.
        """

    complexity: Floats
    """The least `ccp_alpha` at which each node's subtree is pruned; 0 at a leaf."""

    def document(self) -> dict[str, Any]:
        """Return the content of the tree's file: dicts, lists, plain values and arrays."""

    def to_json(self) -> dict[str, Any]:
        """Return the tree as dicts and lists that JSON can represent."""

    @classmethod
    def from_json(cls, document: object) -> Tree:
        """Return the tree that `to_json` wrote; raise `FormatError` if the document is invalid."""

    def save(self, path: str | PathLike[str]) -> None:
        """Write the tree to a file that `bough.load` reads."""

    def report(self, X: Any = None, y: Any = None, **options: Any) -> Report:
        """Make one HTML page of the tree, see `bough.report`."""

    def plot(self, **options: Any) -> Any:
        """Draw the tree with matplotlib, see `bough.plot.tree`."""

    def to_sql(self) -> str:
        """Return the tree as an SQL expression, see `bough.export.to_sql`."""

    def to_dot(self) -> str:
        """Return the tree in Graphviz's language, see `bough.export.to_dot`."""

    def _repr_html_(self) -> str: ...
