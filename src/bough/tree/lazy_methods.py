"""Methods of a tree whose functions are defined in packages that import this one, loaded on first use.

The table `LAZY_METHODS` is the only reference to those packages from here. The stub file beside this module
has the signatures for type checkers.
"""

from __future__ import annotations

from importlib import import_module
from types import MethodType
from typing import Any, Literal, TypeAlias

from bough.tree.structure import read_only

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


TO_SQL = LazyMethod("bough.export.sql:to_sql")
"""The method of every model that can be written as SQL."""

EXPLAIN = LazyMethod("bough.inspect.explain:explain")
"""The method of every model that can say why it answers as it does."""

MODEL_HTML = LazyMethod("bough.reports.small:small_model")
"""The view of a model that is not one tree in notebooks."""

WORDS = LazyMethod("bough.models.labelling:words")
"""The method that gives a model labels."""

LAZY_METHODS = {
    "explain": EXPLAIN,
    "words": WORDS,
    "rules": LazyMethod("bough.rules.rule_list:RuleList"),
    "complexity": LazyMethod("bough.pruning.cost_complexity:complexities", "value"),
    "cost_complexity_path": LazyMethod("bough.pruning.cost_complexity:cost_complexity_path"),
    "pruned": LazyMethod("bough.pruning.cost_complexity:pruned"),
    "pruned_on": LazyMethod("bough.pruning.validation:pruned_on"),
    "refit": LazyMethod("bough.pruning.refit:refitted"),
    "snip": LazyMethod("bough.pruning.collapse:snipped"),
    "binarized": LazyMethod("bough.pruning.arity:binarized"),
    "collapsed": LazyMethod("bough.pruning.arity:collapsed"),
    "merged": LazyMethod("bough.pruning.merge:merged"),
    "document": LazyMethod("bough.models.tree_format:document_of"),
    "to_json": LazyMethod("bough.models.tree_format:to_json"),
    "from_json": LazyMethod("bough.models.tree_format:from_json", "function"),
    "save": LazyMethod("bough.models.tree_format:save"),
    "to_sklearn": LazyMethod("bough.models.sklearn_tree:to_sklearn"),
    "report": LazyMethod("bough.reports.report:report"),
    "plot": LazyMethod("bough.plot.tree:tree"),
    "to_sql": TO_SQL,
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


for _name, _method in LAZY_METHODS.items():
    setattr(LazyTreeMethods, _name, _method)
    _method.__set_name__(LazyTreeMethods, _name)
