"""The `Tree` class: nodes that predict, print themselves and are compared.

A tree holds the statistics of the rows it was grown on, not the rows themselves.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from bough.data.lines import Width
from bough.data.row_key import rows_of_model
from bough.data.schema import Level
from bough.data.table import Table
from bough.errors import ParameterError, TargetError
from bough.tree.answer import answers_of, label_array, node_answer, refuse_numbers, shares
from bough.tree.arrays import rebuilt, split_arrays
from bough.tree.c50 import c50_answers
from bough.tree.equality import fields_of, same_models
from bough.tree.fractional import fractional_answers, fractional_shares
from bough.tree.labelling import labelled
from bough.tree.lazy_methods import LazyTreeMethods
from bough.tree.leaf_models import LinearModel
from bough.tree.model_answers import model_answers, model_of, model_scores, softmax
from bough.tree.node import Node, view
from bough.tree.nodes import Nodes
from bough.tree.one_target import all_answers, one_target, refuse_several, statistics_of
from bough.tree.outline import MOST_LEVELS, headline, outline, path_words
from bough.tree.routing import one_row, path_matrix, route, routed_values
from bough.tree.soundness import check
from bough.tree.split import Split
from bough.types import Floats, Ints, Smoothing


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Tree(LazyTreeMethods, Nodes):
    """A decision tree: its nodes, whose fields `bough.tree.nodes.Nodes` describes, and what they can do.

    >>> from bough.example_models import iris_tree
    >>> print(iris_tree())
    Classification tree for Species: 3 leaves, depth 2, 150 cases
    <BLANKLINE>
    node  condition                cases  answer      setosa/versicolor/virginica  (* leaf)
       0  all                        150  setosa      50/50/50
       1    Petal.Length < 2.45       50  setosa      50/0/0  *
       2    Petal.Length >= 2.45     100  versicolor  0/50/50
       3      Petal.Width < 1.75      54  versicolor  0/49/5  *
       4      Petal.Width >= 1.75     46  virginica   0/1/45  *
    """

    model_kind: ClassVar[str] = "tree"

    @classmethod
    def from_splits(
        cls,
        splits: Sequence[Split | None],
        *,
        cases: npt.ArrayLike,
        weight: npt.ArrayLike | None = None,
        default_branch: npt.ArrayLike | None = None,
        gain: npt.ArrayLike | None = None,
        **fields: Any,
    ) -> Tree:
        """Build a tree from the split of each node, None for a leaf, in the order the nodes are numbered.

        By default the weight of a node is its number of cases, and a row that a split cannot route stops
        there.

        >>> from bough.data.schema import Column, Schema
        >>> from bough.tree.split import Threshold
        >>> tree = Tree.from_splits(
        ...     [Threshold(0, 117.5), None, None], schema=Schema((Column("Hits", "numeric"),)),
        ...     task="regression", classes=(), target_name="Salary", criterion="squared_error",
        ...     cases=[5, 3, 2], statistics=[[5.0], [4.0], [6.5]], risk=[9.0, 1.0, 0.5])
        >>> tree.predict([[100], [120]])
        array([4. , 6.5])
        """
        n_nodes = len(splits)
        figures: dict[str, Any] = {
            "cases": cases,
            "weight": cases if weight is None else weight,
            "default_branch": np.full(n_nodes, -1) if default_branch is None else default_branch,
            "gain": np.full(n_nodes, np.nan) if gain is None else gain,
        }
        return cls(**split_arrays(splits), **figures, **fields)

    def check(self) -> None:
        """Raise `FormatError` if the arrays contradict each other or the schema; the error names the entry.

        Reading a tree from a file calls this. Growing a tree does not, because it makes only valid trees.

        >>> from bough.example_models import iris_tree
        >>> import dataclasses
        >>> dataclasses.replace(iris_tree(), column=[0, 7, 1, -1, -1]).check()
        Traceback (most recent call last):
        bough.errors.FormatError: At nodes.column[1]: 7, but a leaf has no split: -1 is wanted
        """
        check(self)

    def node(self, node: int) -> Node:
        """Return one node as a record to read or print.

        >>> from bough.example_models import iris_tree
        >>> print(iris_tree().node(1))
        node 1, at depth 1 below node 0: Petal.Length < 2.45
          50 cases (33.3%), answer setosa: setosa 50, versicolor 0, virginica 0
          a leaf
        """
        return view(self, node)

    def target(self, target: int | str) -> Tree:
        """Return the tree of one of several targets, by name or position: it has all that trees have.

        Its splits and gains are those of all targets together.

        >>> from bough import TreeRegressor
        >>> tree = TreeRegressor().fit([[1], [2]], [[1.0, 5.0], [2.0, 6.0]]).tree_
        >>> print(tree.target("y1").rules()[0])
        x0 < 1.5 -> 5
        """
        return one_target(self, target)

    def linear_model(self, node: int, label: Level | None = None) -> LinearModel | None:
        """Return the linear model by which a node predicts, or None if it predicts from its statistics.

        Of a tree of two classes it is the log-odds of the second, of more the score of the class `label`.

        >>> from bough.example_models import cars_tree
        >>> cars_tree().linear_model(1) is None
        True
        """
        return model_of(self, self.known(node), label)

    def answer_codes(self) -> npt.NDArray[np.intp]:
        """Return the class that each node predicts, as a position in `classes`.

        It is the class of least expected loss; the first of them wins a tie.

        >>> from bough.example_models import iris_tree
        >>> iris_tree().answer_codes()
        array([0, 0, 1, 1, 2])
        """
        refuse_several(self, "answer_codes")
        return answers_of(self).codes

    def answers(self) -> npt.NDArray[Any]:
        """Return the prediction of each node: the class of least expected loss, or the number.

        Without priors and losses that is the most probable class, after the tree's `smoothing`. The first
        class wins a tie. Several targets have a column each.

        >>> from bough.example_models import iris_tree
        >>> iris_tree().answers()[[1, 3, 4]]
        array(['setosa', 'versicolor', 'virginica'], dtype='<U10')
        """
        return all_answers(self) if self.targets else answers_of(self).values

    def answer(self, node: int) -> Level:
        """Return the prediction of one node, as a plain Python value.

        >>> from bough.example_models import iris_tree
        >>> iris_tree().answer(1)
        'setosa'
        """
        refuse_several(self, "answer")
        return node_answer(self, self.known(node))

    def class_weights(self) -> Floats:
        """Return the class weights that each node predicts from, one row per node.

        >>> from bough.example_models import iris_tree
        >>> iris_tree().class_weights()[3]
        array([ 0., 49.,  5.])
        """
        refuse_several(self, "class_weights")
        refuse_numbers(self, "class_weights")
        return answers_of(self).class_weights

    def confidence(self) -> Floats:
        """Return the share of the predicted class in the class weights of each node.

        With priors it is the probability of that class under the priors.

        >>> from bough.example_models import iris_tree
        >>> iris_tree().confidence().round(3)
        array([0.333, 1.   , 0.5  , 0.907, 0.978])
        """
        refuse_several(self, "confidence")
        refuse_numbers(self, "confidence")
        return answers_of(self).confidence

    def deviation(self) -> Floats:
        """Return the training error of each node of a regression tree; NaN in an empty node.

        It is the root mean squared error for squared error, and the mean error for other criteria.

        >>> from bough.example_models import cars_tree
        >>> cars_tree().deviation().round(2)
        array([5.93, 4.3 , 3.07, 2.07, 2.03])
        """
        refuse_several(self, "deviation")
        if self.task == "classification":
            raise TargetError("deviation: this tree predicts classes, not numbers. Call class_weights().")
        return answers_of(self).deviation

    def importance(self, *, surrogates: bool = False) -> Floats:
        """Return the importance of each column: the sum over its splits of gain times the weight of the node.

        With `surrogates`, a column is also credited for each split of which it is a surrogate, with the gain
        times its adjusted agreement, as in R's rpart. The gain of a split on a formula is divided equally
        among the formula's columns. A split whose gain is unknown adds nothing.

        >>> from bough.example_models import iris_tree
        >>> iris_tree().importance().round(2)
        array([50.  , 38.97])
        """
        inner = ~self.is_leaf
        gain, n_columns = np.where(np.isnan(self.gain), 0.0, self.gain * self.weight), len(self.wide_schema)
        total = np.bincount(self.column[inner], gain[inner], minlength=n_columns).astype(np.float64)
        if surrogates and self.surrogates is not None:
            alternatives = self.surrogates
            node = np.repeat(np.arange(self.n_nodes), np.diff(alternatives.start))
            total += np.bincount(alternatives.column, gain[node] * alternatives.adjusted, minlength=n_columns)
        importance, of_formulas = np.split(total, [len(self.schema)])
        for formula, its_gain in zip(self.formulas, of_formulas.tolist(), strict=True):
            importance[[*formula.columns]] += its_gain / len(formula.columns)
        return importance

    def apply(self, X: Any, n_jobs: int | None = None) -> Ints:
        """Return the node where each row ends: a leaf, or the inner node whose split cannot route the row.

        >>> from bough.example_models import iris_tree
        >>> iris_tree().apply([[1.4, 0.2], [5.1, 1.9]])
        array([1, 4], dtype=int32)
        """
        return route(self, self._table(X), n_jobs)

    def predict(self, X: Any, n_jobs: int | None = None) -> npt.NDArray[Any]:
        """Return the predicted class or number of each row; several targets have a column each.

        >>> from bough.example_models import iris_tree
        >>> iris_tree().predict([[1.4, 0.2], [5.1, 1.9]])
        array(['setosa', 'virginica'], dtype='<U10')
        """
        table = self._table(X)
        if self.arithmetic == "c5.0":
            return label_array(self.classes)[c50_answers(self, table, n_jobs)[1]]
        if self.share is not None:
            return fractional_answers(self, table, n_jobs)
        if self.targets:
            return routed_values(self, table, all_answers(self), n_jobs)
        if self.leaf_models is None:
            return routed_values(self, table, answers_of(self).values, n_jobs)
        ends = route(self, table, n_jobs)
        if self.task == "regression":
            return model_answers(self, table, ends, n_jobs)
        code: npt.NDArray[np.intp] = model_scores(self, table, ends, n_jobs).argmax(axis=1)
        return label_array(self.classes)[code]

    def predict_proba(self, X: Any, smoothing: Smoothing | None = None, n_jobs: int | None = None) -> Any:
        """Return the probability of each class for each row, from the class weights of its node.

        Of several targets it is a list with an array for each.

        `smoothing` is "none" for the relative weights; "laplace", which adds one case to each class; or a
        number m, which adds m cases in the class proportions of the root (the m-estimate). None means the
        tree's own `smoothing`, which `predict` follows too; `dataclasses.replace` gives a tree another one.

        >>> from bough.example_models import iris_tree
        >>> iris_tree().predict_proba([[1.4, 0.2]], smoothing="laplace").round(3)
        array([[0.962, 0.019, 0.019]])
        """
        refuse_numbers(self, "predict_proba")
        table = self._table(X)
        if smoothing is None and self.arithmetic == "c5.0":
            return c50_answers(self, table, n_jobs)[0]
        smoothing = self.smoothing if smoothing is None else smoothing
        if self.share is not None:
            return fractional_shares(self, table, smoothing, n_jobs)
        if self.leaf_models is not None:
            return softmax(model_scores(self, table, route(self, table, n_jobs), n_jobs))
        if not self.targets:
            weights = self.statistics if self.class_scale is None else self.statistics * self.class_scale
            if table.n_rows > self.n_nodes:
                of_node = shares(weights.take(self.answering, axis=0), weights[0], smoothing)
                return routed_values(self, table, of_node, n_jobs)
            ends = self.answering.take(route(self, table, n_jobs))
            return shares(weights.take(ends, axis=0), weights[0], smoothing)
        ends = self.answering.take(route(self, table, n_jobs))
        weights_of = [statistics_of(self, place, self.statistics) for place in range(len(self.targets))]
        return [shares(each.take(ends, axis=0), each[0], smoothing) for each in weights_of]

    def decision_path(self, X: Any, n_jobs: int | None = None) -> Any:
        """Return a scipy CSR matrix (rows × nodes) with a 1 for each node on the path of a row.

        >>> from bough.example_models import iris_tree
        >>> iris_tree().decision_path([[5.1, 1.9]]).indices
        array([0, 2, 4], dtype=int32)
        """
        return path_matrix(self, self.apply(X, n_jobs))

    def path_of(self, row: Any) -> list[str]:
        """Return the conditions that one row meets on its path, as text.

        The row is a list of values in the order of the columns, a dict or a pandas Series by column name, or
        a table of one row.

        >>> from bough.example_models import iris_tree
        >>> iris_tree().path_of({"Petal.Length": 5.1, "Petal.Width": None})
        ['Petal.Length >= 2.45', 'Petal.Width is missing or new here, so as if Petal.Width < 1.75']
        """
        table = self._table(one_row(row, self.schema))
        if table.n_rows != 1:
            raise ParameterError.of("row", f"a table of {table.n_rows} rows", "one row")
        return path_words(self, table)

    def _table(self, X: Any) -> Table:
        if isinstance(X, Table) and (X.schema is self.schema or X.schema == self.schema):
            return X
        return rows_of_model(X, self)

    def text(
        self,
        max_depth: int | None = None,
        max_lines: int | None = 200,
        *,
        max_levels: int | None = MOST_LEVELS,
        digits: int | None = None,
        width: Width = "terminal",
    ) -> str:
        """Return the tree as text, one line per node.

        A tree beyond `max_depth` or `max_lines` shows only its top, and a condition at most `max_levels`
        levels; None sets no limit. Numbers have `digits` significant digits, by default six in predictions
        and four in errors. Conditions are wrapped so that lines are at most `width` characters long;
        "terminal" is the width of the terminal, and no limit where there is none.

        >>> from bough.example_models import cars_tree
        >>> print(cars_tree().text(max_depth=0))
        Regression tree for mpg: 3 leaves, depth 2, 32 cases
        <BLANKLINE>
        node  condition  cases  mean     deviation  (* leaf, ... more below)
           0  all           32  20.0906  5.932  ...
        <BLANKLINE>
        4 of 5 nodes are not shown: tree.text(max_depth=1) shows one level more.
        """
        return outline(
            labelled(self), max_depth, max_lines, max_levels=max_levels, digits=digits, width=width
        )

    def __eq__(self, other: object) -> bool:
        return same_models(self, other) if isinstance(other, Tree) else NotImplemented

    def __hash__(self) -> int:
        return hash((self.task, self.classes, self.criterion, self.n_nodes))

    def __reduce__(self) -> tuple[Any, ...]:
        # Unpickling calls the constructor, so that the arrays are read-only again and nothing cached is kept.
        return rebuilt, (Tree, fields_of(self))

    def __getstate__(self) -> dict[str, Any]:
        # For skops and others, which read the state of an object and not how it is pickled.
        return fields_of(self)

    def __repr__(self) -> str:
        return f"<{headline(self)}>"

    def __str__(self) -> str:
        return self.text()
