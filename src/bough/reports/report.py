"""The report of a model: an HTML page that can be saved or displayed in a notebook."""

from __future__ import annotations

import html
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import Any

from bough.data.whole_file import write_file
from bough.reports.facts import facts_of
from bough.reports.model_facts import facts_of_model
from bough.reports.page import page
from bough.reports.picture import picture
from bough.reports.request import Request
from bough.resampling.regrowth import is_one_tree, tree_of


@dataclass(frozen=True, eq=False, repr=False)
class Report:
    """An HTML page about a model; `facts` are the values that it shows.

    >>> from bough.example_models import iris_tree
    >>> report(iris_tree()).html.startswith("<!DOCTYPE html>")
    True
    """

    html: str = field(repr=False)
    facts: dict[str, Any] = field(repr=False)

    def save(self, path: str | PathLike[str]) -> Path:
        """Write the page to a file and return its path.

        >>> import tempfile
        >>> from bough.example_models import iris_tree
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     report(iris_tree()).save(f"{folder}/iris.html").name
        'iris.html'
        """
        target = Path(path)
        write_file(target, self.html.encode("ascii"))
        return target

    def __repr__(self) -> str:
        return f"<Report: {self.facts['title']}, {len(self.html) / 1000:.0f} kB>"

    def _repr_html_(self) -> str:
        return (
            f'<iframe srcdoc="{html.escape(self.html)}" title="{html.escape(self.facts["title"])}" '
            'style="width:100%;height:640px;border:1px solid #8884;border-radius:8px"></iframe>'
        )


def report(
    model: Any,
    X: Any = None,
    y: Any = None,
    *,
    sample_weight: Any = None,
    test: tuple[Any, Any] | None = None,
    title: str | None = None,
    n_draws: int | None = None,
    cv: int | None = None,
    optimality: float | None = None,
) -> Report:
    """Return the report of a model: a single HTML page that needs no network.

    Parameters
    ----------
    model
        A tree, any other model of bough, or a fitted estimator. The page of a tree shows the tree; that of
        another model its errors against the number of trees, if the estimator has recorded them, the
        importance of the columns and the dependence of the prediction on them.
    X, y, sample_weight
        The rows that the nodes are described with, usually those that the model was fitted to.
    test
        A pair of X and y, the test set that the tree is evaluated on. Without it, the tree is evaluated by
        cross-validation if X and y are the rows that it was grown on, and otherwise on X and y.
    title
        The title of the page.
    n_draws
        The number of bootstrap samples for the stability of the tree: by default 20, or 5 with more than
        50,000 rows; 0 omits it.
    cv
        The number of folds: by default 10, or 5 with more than 50,000 rows; 0 omits cross-validation.
    optimality
        The greatest time in seconds to search for the best tree of the same depth; the page then states the
        gap between both, see `bough.optimality`. By default there is no search.

    Examples
    --------
    >>> from bough import TreeClassifier
    >>> X, y = [[1.0], [2.0], [3.0], [4.0]] * 5, ["a", "a", "b", "b"] * 5
    >>> page = report(TreeClassifier().fit(X, y), X, y, n_draws=5, cv=2)
    >>> page.facts["judged"]["measures"][0][:2], page.facts["stability"]["agreement"]
    (['accuracy', 1.0], 1.0)

    """
    request = Request(model, X, y, sample_weight, test, title, n_draws, cv, optimality)
    request.check()
    if not is_one_tree(model):
        facts = facts_of_model(request)
        return Report(page(facts, f"<pre>{html.escape(str(getattr(model, 'model_', model)))}</pre>"), facts)
    facts = facts_of(request)
    tree = tree_of(model)
    outline = html.escape(tree.text(max_lines=100))
    return Report(page(facts, f"{picture(tree)}<pre>{outline}</pre>"), facts)
