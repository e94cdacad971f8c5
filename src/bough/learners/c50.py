"""C5.0, Quinlan's successor of C4.5: trees and rule sets, boosted, with costs; as release 2.07 makes them."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Integral, Real
from typing import Any, Literal, Self, get_args

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_is_fitted

from bough import _core
from bough.data.table import Table
from bough.data.target import ClassTarget, Weights
from bough.engines import c50
from bough.errors import ParameterError, WeightError
from bough.growing.recipe import Recipe
from bough.learners.estimator import TreeClassifierEstimator
from bough.rules import RuleSet
from bough.tree import Tree
from bough.tree.answer import label_array
from bough.types import Floats

Weighting = Literal["auto", "cases", "relative"]

_MOST_TRIALS = 1000
_MOST_ROWS = 2**31 - 4096


class C50Classifier(TreeClassifierEstimator):
    """C5.0: a tree or a rule set, alone or boosted, that is the same as that of Quinlan's program.

    Missing values go along every branch, each with the share of cases that took it, in growth and in
    prediction; a level never seen is a missing value. The probability of a class at a leaf is drawn by one
    case towards its share at the root. Numbers are held in single precision.

    Parameters
    ----------
    trials
        How many classifiers boosting makes; 1 makes a single one. Fewer are made where more do not help.
    rules
        Draw rules from each tree: the model is then `rules_`, a `bough.RuleSet`, or one a trial.
    subset
        Group the levels of nominal columns where that pays; otherwise each level has its branch.
    bands
        Order rules by what they are worth instead of by class; any number but 0 does, as C5.0's option -u.
    winnow
        Leave out columns that a tree of half the cases does not use, or is better without.
    costs
        What errors cost: a dict from (predicted, actual) to a number, 1 where nothing is said; or a square
        of numbers in the order of the sorted classes, predicted by row. None: all errors cost the same.
    global_pruning
        Prune once more at the end, by cost and complexity within one standard error.
    confidence
        Of the pessimistic estimate of errors: the lower, the more is pruned.
    min_samples
        The least number of cases in at least two branches of a split.
    fuzzy
        Soft thresholds: near a cut both branches have a say.
    sample
        Learn from this share of the rows only, drawn as C5.0 draws them for the seed `random_state`;
        0 takes all.
    early_stopping
        Stop boosting where it does not help.
    weighting
        What `sample_weight` means: "cases", a weight of 2 is the row twice; "relative", C5.0's case weights,
        of which the average counts as one case; "auto" takes whole numbers for cases and others for relative.
    categorical_features, ordinal_features, n_jobs
        As in `bough.CARTClassifier`.
    random_state
        The seed of `sample`, a whole number; None is 0.

    Attributes
    ----------
    tree_, trees_
        The first tree and the trees of all trials; with rules, those the rules were drawn from.
    rules_, rule_sets_
        The first rule set and those of all trials; with `rules` only.
    winnowed_
        Which columns were left out by winnowing.

    Examples
    --------
    >>> import bough
    >>> X = [["red", "big"], ["red", "small"], ["blue", "big"], ["blue", "small"]] * 3
    >>> model = bough.C50Classifier(rules=True).fit(X, ["+", "-", "-", "-"] * 3)
    >>> print(model.rules_[0])
    x0 = red and x1 = big -> +

    """

    def __init__(
        self,
        trials: int = 1,
        rules: bool = False,
        *,
        subset: bool = True,
        bands: int = 0,
        winnow: bool = False,
        costs: Any = None,
        global_pruning: bool = True,
        confidence: float = 0.25,
        min_samples: float = 2,
        fuzzy: bool = False,
        sample: float = 0.0,
        early_stopping: bool = True,
        weighting: Weighting = "auto",
        categorical_features: Any = "from_dtype",
        ordinal_features: Any = None,
        random_state: int | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.trials = trials
        self.rules = rules
        self.subset = subset
        self.bands = bands
        self.winnow = winnow
        self.costs = costs
        self.global_pruning = global_pruning
        self.confidence = confidence
        self.min_samples = min_samples
        self.fuzzy = fuzzy
        self.sample = sample
        self.early_stopping = early_stopping
        self.weighting = weighting
        self.categorical_features = categorical_features
        self.ordinal_features = ordinal_features
        self.random_state = random_state
        self.n_jobs = n_jobs

    def recipe(self) -> Recipe:
        """Return the recipe nearest to C5.0's; C5.0 itself has more parts than a recipe.

        >>> C50Classifier().recipe().criterion
        'gain_ratio'
        """
        return Recipe("gain_ratio", nominal="complete", task="classification")

    def settings(self) -> dict[str, Any]:
        """Return the options as C5.0 has them; they are checked here.

        >>> C50Classifier(trials=0).settings()
        Traceback (most recent call last):
        bough.errors.ParameterError: trials is 0; it must be a whole number from 1 to 1000.
        """
        for name in ("rules", "subset", "winnow", "global_pruning", "fuzzy", "early_stopping"):
            if not isinstance(getattr(self, name), bool | np.bool_):
                raise ParameterError.of(name, getattr(self, name), "True or False")
        if self.weighting not in get_args(Weighting):
            raise ParameterError.of("weighting", self.weighting, "'auto', 'cases' or 'relative'")
        _check_whole("trials", self.trials, 1, _MOST_TRIALS)
        _check_whole("bands", self.bands, 0, 10_000)
        if self.bands == 1:
            raise ParameterError.of("bands", self.bands, "0, or a whole number of at least 2")
        if self.random_state is not None:
            _check_whole("random_state", self.random_state, 0, 2**31 - 1001)
        _check_number("confidence", self.confidence, 0.0, 1.0, "a number above 0 and at most 1")
        _check_number("min_samples", self.min_samples, 0.0, 1e9, "a number above 0 and at most 1e9")
        if not (_is_real(self.sample) and 0 <= self.sample < 1):
            raise ParameterError.of("sample", self.sample, "a share of at least 0 and below 1")
        return {
            "trials": int(self.trials),
            "rules": bool(self.rules),
            "subset": bool(self.subset),
            "bands": int(self.bands),
            "winnow": bool(self.winnow),
            "global_pruning": bool(self.global_pruning),
            "confidence": float(self.confidence),
            "min_cases": float(self.min_samples),
            "fuzzy": bool(self.fuzzy),
            "early_stopping": bool(self.early_stopping),
        }

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn the classes y of the rows of X.

        >>> C50Classifier().fit([[1.0], [2.0], [8.0], [9.0]], ["a", "a", "b", "b"]).predict([[3.0]])
        array(['b'], dtype='<U1')
        """
        settings = self.settings()
        table, target, weights, given = self._read_training(X, y, sample_weight)
        costs = _cost_matrix(self.costs, target.classes)
        table, target, weight = self._drawn(*self._as_cases(table, target, weights))
        model = c50.learn(table, target, weight, costs, settings, target_name=given.name, n_jobs=self.n_jobs)
        self._model = model.trees
        self.trees_ = model.views
        self.tree_: Tree = model.views[0]
        self.n_trials_ = len(model.views)
        self.winnowed_ = model.winnowed
        if self.rules:
            self.rule_sets_ = model.rule_sets
            self.rules_: RuleSet = model.rule_sets[0]
        self._note_classes(target.classes)
        return self

    def _weights(self, weights: Weights, target: ClassTarget) -> Weights:
        return weights

    def _as_cases(
        self, table: Table, target: ClassTarget, weights: Weights
    ) -> tuple[Table, ClassTarget, Floats | None]:
        """Repeat rows whose weights count cases; other weights stay."""
        weight = weights.weight
        if weight is None:
            return table, target, None
        if self.weighting == "relative" or (self.weighting == "auto" and not weights.whole):
            return table, target, _in_single_precision(weight)
        if not weights.whole:
            raise WeightError("sample_weight holds fractions, and weighting='cases' counts whole cases.")
        if weight.sum() > _MOST_ROWS:
            raise WeightError("sample_weight counts more cases than 2^31; set weighting='relative'.")
        rows = np.repeat(np.arange(table.n_rows), weight.astype(np.int64))
        return table.take(rows), ClassTarget(target.classes, target.codes[rows]), None

    def _drawn(
        self, table: Table, target: ClassTarget, weight: Floats | None
    ) -> tuple[Table, ClassTarget, Floats | None]:
        """Return the sample of the cases to learn from."""
        self.sample_indices_ = np.arange(table.n_rows)
        if self.sample == 0:
            return table, target, weight
        rows = _core.c50_sample(table.n_rows, float(self.sample), int(self.random_state or 0))
        if len(rows) == 0:
            raise ParameterError.of("sample", self.sample, f"a share that takes some of {table.n_rows} rows")
        self.sample_indices_ = rows.astype(np.intp)
        drawn = ClassTarget(target.classes, target.codes[rows])
        return table.take(self.sample_indices_), drawn, None if weight is None else weight[rows]

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Return the class of each row: of least expected cost, or else of the highest probability.

        >>> C50Classifier().fit([[1.0], [2.0], [8.0], [9.0]], ["a", "a", "b", "b"]).predict([[0.0]])
        array(['a'], dtype='<U1')
        """
        check_is_fitted(self)
        labels: npt.NDArray[Any] = label_array(self.tree_.classes)[self._decide(X)[1]]
        return labels

    def predict_proba(self, X: Any) -> Floats:
        """Return the probability of each class, in the order of `classes_`.

        Boosted, it is the share of the votes; by rules, see `bough.RuleSet.predict_proba`.

        >>> C50Classifier().fit([[1.0], [2.0], [8.0], [9.0]], ["a", "a", "b", "b"]).predict_proba([[0.0]])
        array([[0.83333333, 0.16666667]])
        """
        check_is_fitted(self)
        return self._at_the_door(self._decide(X)[0])

    def staged_predict(self, X: Any) -> list[npt.NDArray[Any]]:
        """Return the classes that the first trial, the first two, and so on up to all predict.

        >>> model = C50Classifier().fit([[1.0], [2.0], [8.0], [9.0]], ["a", "a", "b", "b"])
        >>> model.staged_predict([[0.0]])
        [array(['a'], dtype='<U1')]
        """
        check_is_fitted(self)
        labels = label_array(self.tree_.classes)
        return [labels[self._decide(X, trials)[1]] for trials in range(1, self.n_trials_ + 1)]

    def thresholds(self, trial: int = 0) -> list[dict[str, Any]]:
        """Return the thresholds of a trial's tree, with the bounds between which each is soft.

        >>> X, y = [[1.0], [2.0], [3.0], [7.0], [8.0], [9.0]], ["a", "a", "a", "b", "b", "b"]
        >>> C50Classifier(fuzzy=True).fit(X, y).thresholds()
        [{'node': 0, 'column': 'x0', 'cut': 3.0, 'low': 3.0, 'mid': 5.0, 'high': 7.0}]
        """
        check_is_fitted(self)
        _check_whole("trial", trial, 0, self.n_trials_ - 1)
        return self._model.thresholds(trial)

    def _decide(self, X: Any, n_trials: int = 0) -> tuple[Floats, Any]:
        table = self._checked(X)
        if not self.rules:
            return self._model.decide(table, n_trials, self.n_jobs)
        rule_sets = self.rule_sets_[: n_trials or None]
        decisions = [rules.decide(table) for rules in rule_sets]
        if len(decisions) == 1:
            return decisions[0].probabilities, decisions[0].codes
        rows = np.arange(table.n_rows)
        # C5.0 sums votes in single precision.
        votes = np.zeros((table.n_rows, len(self.tree_.classes)), dtype=np.float32)
        for decision in decisions:
            votes[rows, decision.codes] += decision.confidence
        total = votes.astype(np.float64)
        default = self.rules_.classes.index(self.rules_.default)
        codes = np.where(total[:, default] >= total.max(axis=1), default, total.argmax(axis=1))
        return total / total.sum(axis=1, keepdims=True), codes


def _in_single_precision(weight: Floats) -> Floats:
    """Return weights that single precision can hold; their unit does not matter."""
    for scaled in (weight, weight / weight.mean()):
        with np.errstate(over="ignore", under="ignore"):
            held = scaled.astype(np.float32)
        if np.isfinite(held).all() and (held > 0).all():
            return scaled
    raise WeightError("sample_weight holds a weight too small beside the others; leave that row out.")


def _cost_matrix(costs: Any, classes: tuple[Any, ...]) -> Floats | None:
    """Return the costs in the order of the classes, None where all errors cost the same."""
    if costs is None:
        return None
    matrix = np.ones((len(classes), len(classes)))
    if isinstance(costs, Mapping):
        _fill_costs(matrix, costs, classes)
    else:
        try:
            given = np.array(costs, dtype=np.float64)
        except (TypeError, ValueError):
            raise ParameterError.of("costs", costs, "a dict, or a square of numbers") from None
        if given.shape != matrix.shape:
            raise ParameterError.of("costs", costs, f"a square of {len(classes)} by {len(classes)} numbers")
        order = sorted(range(len(classes)), key=classes.__getitem__)
        matrix[np.ix_(order, order)] = given
    np.fill_diagonal(matrix, 0.0)
    off = ~np.eye(len(classes), dtype=np.bool_)
    if not (np.isfinite(matrix[off]) & (matrix[off] > 0)).all():
        raise ParameterError(
            "costs holds a number that is not above 0 and finite; an error must cost something."
        )
    return None if (matrix[off] == 1).all() else matrix


def _fill_costs(matrix: Floats, costs: Mapping[Any, Any], classes: tuple[Any, ...]) -> None:
    known = ", ".join(map(repr, classes))
    for pair, cost in costs.items():
        if not (isinstance(pair, tuple) and len(pair) == 2 and all(label in classes for label in pair)):
            raise ParameterError.of("costs", pair, f"keyed by (predicted, actual), each one of {known}")
        if not _is_real(cost):
            raise ParameterError.of(f"costs[{pair!r}]", cost, "a number above 0")
        matrix[classes.index(pair[0]), classes.index(pair[1])] = float(cost)


def _is_real(value: object) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)


def _check_whole(name: str, value: Any, least: int, most: int) -> None:
    is_whole = isinstance(value, Integral) and not isinstance(value, bool)
    if not (is_whole and least <= int(value) <= most):
        raise ParameterError.of(name, value, f"a whole number from {least} to {most}")


def _check_number(name: str, value: Any, above: float, most: float, want: str) -> None:
    if not (_is_real(value) and above < value <= most):
        raise ParameterError.of(name, value, want)
