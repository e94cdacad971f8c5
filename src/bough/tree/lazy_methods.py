"""Methods of a tree whose functions are defined in packages that import this one, loaded on first use.

The table `LAZY_METHODS` is the only reference to those packages from here.
"""

from __future__ import annotations

from importlib import import_module
from types import MethodType
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from bough.tree.structure import read_only

if TYPE_CHECKING:
    from os import PathLike

    from bough.pruning import CostComplexityPath, PathMethod, ValidationMethod
    from bough.reports.report import Report
    from bough.rules import RuleList
    from bough.tree import Tree
    from bough.types import Floats

How: TypeAlias = Literal["method", "value", "function"]


class LazyMethod:
    """A descriptor whose function is imported on first access; `target` is its "module:name".

    `how` is "method" if the tree is the first argument of the function; "value" for a property, which is the
    result of the function and is computed once; and "function" for a static method. On the class the
    attribute is the function itself, so that `help` shows its signature and docstring.

    >>> class Example:
    ...     snip = LazyMethod("bough.pruning.collapse:snipped")
    >>> Example.snip.__name__
    'snipped'
    """

    def __init__(self, target: str, how: How = "method") -> None:
        self.target = target
        self.how = how
        self.name = ""

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def load(self) -> Any:
        """Import the function and return it.

        >>> LazyMethod("bough.pruning.merge:merged").load().__name__
        'merged'
        """
        module, _, name = self.target.partition(":")
        return getattr(import_module(module), name)

    def __get__(self, tree: Any, owner: type | None = None) -> Any:
        function = self.load()
        if tree is None or self.how == "function":
            return function
        if self.how == "method":
            return MethodType(function, tree)
        tree.__dict__[self.name] = value = read_only(function(tree))
        return value


LAZY_METHODS = {
    "rules": LazyMethod("bough.rules.rule_list:RuleList"),
    "complexity": LazyMethod("bough.pruning.cost_complexity:complexities", "value"),
    "cost_complexity_path": LazyMethod("bough.pruning.cost_complexity:cost_complexity_path"),
    "pruned": LazyMethod("bough.pruning.cost_complexity:pruned"),
    "pruned_on": LazyMethod("bough.pruning.validation:pruned_on"),
    "refit": LazyMethod("bough.pruning.refit:refitted"),
    "snip": LazyMethod("bough.pruning.collapse:snipped"),
    "merged": LazyMethod("bough.pruning.merge:merged"),
    "document": LazyMethod("bough.models.tree_format:document_of"),
    "to_json": LazyMethod("bough.models.tree_format:to_json"),
    "from_json": LazyMethod("bough.models.tree_format:from_json", "function"),
    "save": LazyMethod("bough.models.tree_format:save"),
    "report": LazyMethod("bough.reports.report:report"),
    "plot": LazyMethod("bough.plot.tree:tree"),
    "to_sql": LazyMethod("bough.export.sql:to_sql"),
    "to_dot": LazyMethod("bough.export.dot:to_dot"),
    "_repr_html_": LazyMethod("bough.reports.small:small_page"),
}
"""The lazy methods by name."""


class LazyTreeMethods:
    """The methods of a tree that are functions of other packages.

    >>> from bough.example_models import iris_tree
    >>> iris_tree().pruned(44.0).n_leaves, iris_tree().snip(2).n_leaves, iris_tree().merged().n_leaves
    (2, 2, 3)
    >>> print(iris_tree().rules()[0])
    Petal.Length < 2.45 -> setosa
    >>> iris_tree().cost_complexity_path().alphas, iris_tree().complexity
    (array([ 0., 44., 50.]), array([50.,  0., 44.,  0.,  0.]))
    """

    if TYPE_CHECKING:

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

        def snip(self, *nodes: int) -> Tree:
            """Return the tree with the given nodes turned into leaves."""

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


for _name, _method in LAZY_METHODS.items():
    setattr(LazyTreeMethods, _name, _method)
    _method.__set_name__(LazyTreeMethods, _name)
