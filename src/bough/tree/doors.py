"""The doors of a tree: methods that are functions of rooms further on, each loaded when it is first called.

The table `DOORS` is the one place where the package refers to a room further on.
"""

from __future__ import annotations

from importlib import import_module
from types import MethodType
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from bough.tree.structure import read_only

if TYPE_CHECKING:
    from os import PathLike

    from bough.pruning import CostComplexityPath, PathMethod
    from bough.reports.report import Report
    from bough.rules import RuleList
    from bough.tree import Tree
    from bough.types import Floats

How: TypeAlias = Literal["method", "value", "function"]


class Door:
    """A method whose function is loaded when it is first asked for.

    A "method" passes the tree as the function's first argument; a "value" is what the function returns for
    the tree, computed once; a "function" does not take the tree. On the class it is the function itself, so
    that `help` shows its signature and docstring.

    >>> class Planted:
    ...     snip = Door("bough.pruning.collapse:snipped")
    >>> Planted.snip.__name__
    'snipped'
    """

    def __init__(self, target: str, how: How = "method") -> None:
        self.target = target
        self.how = how
        self.name = ""

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def load(self) -> Any:
        """Return the function behind the door.

        >>> Door("bough.pruning.merge:merged").load().__name__
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


DOORS = {
    "rules": Door("bough.rules.rule_list:RuleList"),
    "complexity": Door("bough.pruning.cost_complexity:complexities", "value"),
    "cost_complexity_path": Door("bough.pruning.cost_complexity:cost_complexity_path"),
    "pruned": Door("bough.pruning.cost_complexity:pruned"),
    "snip": Door("bough.pruning.collapse:snipped"),
    "merged": Door("bough.pruning.merge:merged"),
    "document": Door("bough.models.tree_format:document_of"),
    "to_json": Door("bough.models.tree_format:to_json"),
    "from_json": Door("bough.models.tree_format:from_json", "function"),
    "save": Door("bough.models.tree_format:save"),
    "report": Door("bough.reports.report:report"),
    "plot": Door("bough.plot.tree:tree"),
    "to_sql": Door("bough.export.sql:to_sql"),
    "to_dot": Door("bough.export.dot:to_dot"),
    "_repr_html_": Door("bough.reports.small:small_page"),
}
"""The function behind each door, as "module:name"."""


class TreeDoors:
    """What a tree can be asked that other rooms answer.

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
            """Return the tree as rules: one conjunction of conditions for each leaf."""

        def cost_complexity_path(self, method: PathMethod = "weakest_link") -> CostComplexityPath:
            """Return the nested trees that are best for some price alpha of a leaf, down to the root."""

        def pruned(
            self, ccp_alpha: float, *, relative: bool = False, method: PathMethod = "weakest_link"
        ) -> Tree:
            """Return the pruned tree with the least risk + ccp_alpha · leaves; relative, it is rpart's cp."""

        def snip(self, *nodes: int) -> Tree:
            """Return the tree with the nodes as leaves and nothing below them."""

        def merged(self) -> Tree:
            """Return the tree without the splits below which all answers are alike; no prediction changes."""

        complexity: Floats
        """The price alpha of a leaf from which on each node's subtree does not pay; 0 at a leaf."""

        def document(self) -> dict[str, Any]:
            """Return what a file holds of the tree: objects and lists as JSON has them, and arrays."""

        def to_json(self) -> dict[str, Any]:
            """Return the tree as plain dicts and lists that JSON can hold."""

        @classmethod
        def from_json(cls, document: object) -> Tree:
            """Return the tree that `to_json` wrote; what is not right is refused with its place."""

        def save(self, path: str | PathLike[str]) -> None:
            """Write the tree to a file, for `bough.load` to read."""

        def report(self, X: Any = None, y: Any = None, **options: Any) -> Report:
            """Make one HTML page of the tree, see `bough.report`."""

        def plot(self, **options: Any) -> Any:
            """Draw the tree with matplotlib, see `bough.plot.tree`."""

        def to_sql(self) -> str:
            """Return the tree as an SQL expression, see `bough.export.to_sql`."""

        def to_dot(self) -> str:
            """Return the tree in Graphviz's language, see `bough.export.to_dot`."""

        def _repr_html_(self) -> str: ...


for _name, _door in DOORS.items():
    setattr(TreeDoors, _name, _door)
    _door.__set_name__(TreeDoors, _name)
