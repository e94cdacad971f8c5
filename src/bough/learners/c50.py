"""C5.0, Quinlan's successor of C4.5 (release 2.07): trees and rule sets, boosting, unequal losses."""

from __future__ import annotations

from dataclasses import field, replace
from typing import Any, Literal, NamedTuple, Self, get_args

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_is_fitted

import bough._core as _core
from bough.data.target import ClassTarget, Weights
from bough.data.training import Training
from bough.engines import c50
from bough.errors import ParameterError, WeightError
from bough.growing.class_costs import read_loss_matrix
from bough.growing.draws import Ensemble
from bough.growing.limits import check_number, check_whole, is_number
from bough.growing.missing import BY_FRACTIONS, check_missing
from bough.growing.nominal import Nominal, check_nominal
from bough.growing.pruning import check_choice, check_confidence, check_flag
from bough.growing.recipe import Recipe
from bough.learners.estimator import TreeClassifierEstimator
from bough.learners.keyword_parameters import keyword_parameters
from bough.learners.parameters import FractionalParameters
from bough.learners.reading import resolved
from bough.models.boosted import Boosted
from bough.rules import RuleSet
from bough.tree import Tree
from bough.tree.answer import label_array
from bough.tree.identifiers import identifier_columns, warn_of_identifiers
from bough.types import Floats

Weighting = Literal["auto", "cases", "relative"]

_MOST_TRIALS = 1000
_MOST_ROWS = 2**31 - 4096


@keyword_parameters
class C50Classifier(FractionalParameters, TreeClassifierEstimator):
    """C5.0 classifier: a tree or a rule set, single or boosted, identical to that of Quinlan's program.

    A row with a missing value goes down every branch, weighted by the fraction of training cases that took
    it, in growth and in prediction; a level not seen in training is treated as missing. The class
    probabilities of a leaf are smoothed by one case with the class frequencies of the root. Numbers are
    stored in single precision.

    Parameters
    ----------
    n_estimators
        Number of boosting trials; 1 fits a single classifier. Boosting may stop earlier.
    rules
        Whether to convert each tree into rules. The model is then `rules_`, a `bough.RuleSet`, or one rule
        set for each trial.
    nominal
        "subset": levels of nominal columns are merged into one branch if that improves the split;
        "complete": each level has its own branch.
    bands
        If not 0, rules are ordered by their utility instead of by class; C5.0's option -u.
    winnow
        Whether to discard columns that a tree grown on half of the cases does not use, or that increase its
        error.
    loss_matrix
        Loss of each misclassification: None for 1 each, a dict from (true class, predicted class) to the
        loss, or a matrix with a row for each true class and a column for each predicted class, both sorted.
        Every loss must be positive.
    global_pruning
        Whether to prune once more at the end, by cost complexity within one standard error.
    confidence
        Confidence level of the pessimistic error estimate; a lower value prunes more.
    min_samples_branch
        At least two branches of a split must have this many cases, not necessarily a whole number; C5.0's -m.
    fuzzy
        Whether thresholds are soft: near a threshold both branches contribute to the prediction.
    max_samples
        Fraction of the rows to learn from, sampled as C5.0 does with the seed `random_state`; None uses all.
    early_stopping
        Whether to stop boosting when further trials do not help.
    weighting
        Meaning of `sample_weight`. "cases": a row of weight 2 counts as two rows; "relative": C5.0's case
        weights, which are divided by their mean; "auto": "cases" for whole numbers and "relative" otherwise.
    class_weight
        None, "balanced", or a dict from class to weight. Its product with `sample_weight` is a relative
        weight.
    random_state
        Seed of `max_samples`, a whole number; None is 0.

    Attributes
    ----------
    tree_, trees_
        The first tree and the trees of all trials. If `rules` is True, the rules were derived from them.
    rules_, rule_sets_
        The first rule set and the rule sets of all trials; present only if `rules` is True.
    model_
        The model that predicts: `tree_` or `rules_`, or with several trials all of them together.
    feature_importances_
        The share of each column in `model_.importance()`: the gain of its splits or, with `rules`, the cover
        of the rules that have a condition on it; with several trials the mean over all of them.
    winnowed_
        The columns that winnowing discarded.

    Examples
    --------
    >>> import bough
    >>> X = [["red", "big"], ["red", "small"], ["blue", "big"], ["blue", "small"]] * 3
    >>> model = bough.C50Classifier(rules=True).fit(X, ["+", "-", "-", "-"] * 3)
    >>> print(model.rules_[0])
    x0 = red and x1 = big -> +

    """

    n_estimators: int = field(default=1, kw_only=False)
    rules: bool = field(default=False, kw_only=False)
    nominal: Nominal = "subset"
    bands: int = 0
    winnow: bool = False
    loss_matrix: Any = None
    global_pruning: bool = True
    confidence: float = 0.25
    min_samples_branch: float = 2
    fuzzy: bool = False
    max_samples: float | None = None
    early_stopping: bool = True
    weighting: Weighting = "auto"
    class_weight: Any = None
    random_state: int | None = None

    def recipe(self) -> Recipe:
        """Return the recipe that these parameters define; invalid parameters raise here.

        >>> C50Classifier(n_estimators=0).recipe()
        Traceback (most recent call last):
        bough.errors.ParameterError: n_estimators is 0; it must be a whole number from 1 to 1000.
        """
        self._check_parameters()
        return Recipe(
            "gain_ratio",
            nominal=self.nominal,
            missing=self.missing,
            class_weight=self.class_weight,
            loss_matrix=self.loss_matrix,
            ensemble=Ensemble("boosting", int(self.n_estimators)),
            seed=int(self.random_state or 0),
            scales=self._scales(),
            arithmetic="c5.0",
            settings={
                "program": "C5.0",
                "rules": bool(self.rules),
                "bands": int(self.bands),
                "winnow": bool(self.winnow),
                "global_pruning": bool(self.global_pruning),
                "confidence": float(self.confidence),
                "min_samples_branch": float(self.min_samples_branch),
                "fuzzy": bool(self.fuzzy),
                "early_stopping": bool(self.early_stopping),
                "max_samples": None if self.max_samples is None else float(self.max_samples),
                "weighting": self.weighting,
            },
            task="classification",
        )

    def _check_parameters(self) -> None:
        for name in ("rules", "winnow", "global_pruning", "fuzzy", "early_stopping"):
            check_flag(name, getattr(self, name))
        check_nominal(self.nominal, type(self).__name__, ("subset", "complete"))
        check_missing(self.missing, type(self).__name__, BY_FRACTIONS)
        check_choice("weighting", self.weighting, get_args(Weighting))
        if self.weighting == "cases" and self.class_weight is not None:
            raise ParameterError.of("weighting", "cases", "'auto' or 'relative' with class_weight")
        check_whole("n_estimators", self.n_estimators, 1, _MOST_TRIALS)
        check_whole("bands", self.bands, 0, 10_000)
        if self.bands == 1:
            raise ParameterError.of("bands", self.bands, "0, or a whole number of at least 2")
        if self.random_state is not None:
            check_whole("random_state", self.random_state, 0, 2**31 - 1001)
        check_confidence(self.confidence)
        check_number("min_samples_branch", self.min_samples_branch, 1e-9, 1e9)
        share = self.max_samples
        if share is not None and not (is_number(share) and 0 < share < 1):
            raise ParameterError.of("max_samples", share, "a fraction above 0 and below 1, or None")

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the model to the rows of X and the classes y.

        >>> C50Classifier().fit([[1.0], [2.0], [8.0], [9.0]], ["a", "a", "b", "b"]).predict([[3.0]])
        array(['b'], dtype='<U1')
        """
        recipe = self.recipe()
        training = self._read_training(recipe, X, y, sample_weight)
        learned, self.sample_indices_ = fit_c50(recipe, training, n_jobs=self.n_jobs)
        self._model = learned.model
        self.trees_ = learned.trees
        self.tree_: Tree = learned.trees[0]
        self.n_estimators_ = len(learned.trees)
        self.winnowed_ = learned.winnowed
        if self.rules:
            self.rule_sets_ = learned.rule_sets
            self.rules_: RuleSet = learned.rule_sets[0]
        self._set_classes()
        warn_of_identifiers(identifier_columns(self.tree_, training.table))
        return self

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Return the class of least expected loss for each row, or without losses the most probable class.

        >>> C50Classifier().fit([[1.0], [2.0], [8.0], [9.0]], ["a", "a", "b", "b"]).predict([[0.0]])
        array(['a'], dtype='<U1')
        """
        table = self._checked(X)
        return self.model_.predict(table, **self._threads())

    def predict_proba(self, X: Any) -> Floats:
        """Return the probability of each class, in the order of `classes_`.

        With boosting it is the fraction of the votes; with rules, see `bough.RuleSet.predict_proba`.

        >>> C50Classifier().fit([[1.0], [2.0], [8.0], [9.0]], ["a", "a", "b", "b"]).predict_proba([[0.0]])
        array([[0.83333333, 0.16666667]])
        """
        table = self._checked(X)
        return self.model_.predict_proba(table, **self._threads())

    @property
    def model_(self) -> Tree | RuleSet | Boosted:
        """The model that predicts, which can be saved.

        >>> X, y = [[1.0], [2.0], [8.0], [9.0]], ["a", "a", "b", "b"]
        >>> C50Classifier(rules=True).fit(X, y).model_.model_kind
        'rules'
        """
        check_is_fitted(self)
        return self._model

    def _threads(self) -> dict[str, Any]:
        return {} if isinstance(self.model_, RuleSet) else {"n_jobs": self.n_jobs}

    def staged_predict(self, X: Any) -> list[npt.NDArray[Any]]:
        """Return the classes predicted by the first trial, by the first two, and so on up to all trials.

        >>> model = C50Classifier().fit([[1.0], [2.0], [8.0], [9.0]], ["a", "a", "b", "b"])
        >>> model.staged_predict([[0.0]])
        [array(['a'], dtype='<U1')]
        """
        table = self._checked(X)
        if not isinstance(self.model_, Boosted):
            return [self.predict(table)]
        labels = label_array(self.model_.classes)
        stages = range(1, self.n_estimators_ + 1)
        return [labels[self.model_.decide(table, trials, self.n_jobs)[1]] for trials in stages]

    def thresholds(self, trial: int = 0) -> list[dict[str, Any]]:
        """Return the thresholds of a trial's tree, with the bounds between which each is soft.

        >>> X, y = [[1.0], [2.0], [3.0], [7.0], [8.0], [9.0]], ["a", "a", "a", "b", "b", "b"]
        >>> C50Classifier(fuzzy=True).fit(X, y).thresholds()
        [{'node': 0, 'column': 'x0', 'cut': 3.0, 'low': 3.0, 'mid': 5.0, 'high': 7.0}]
        """
        check_is_fitted(self)
        check_whole("trial", trial, 0, self.n_estimators_ - 1)
        return c50.thresholds(self.trees_[trial])


class FittedC50(NamedTuple):
    """The model of C5.0, and the positions of the rows it was trained on, repeated if sampled repeatedly."""

    learned: c50.Learned
    cases: npt.NDArray[np.intp]


def fit_c50(recipe: Recipe, training: Training, *, n_jobs: int | None = None) -> FittedC50:
    """Fit the trees or rules of C5.0 to training rows.

    >>> from bough.learners.reading import read_training
    >>> recipe = C50Classifier().recipe()
    >>> training = read_training(recipe, [["a"], ["a"], ["b"], ["b"]], [0, 0, 1, 1])
    >>> fit_c50(recipe, training).learned.trees[0].condition(1)
    'x0 = a'
    """
    table, target = training.table, training.target
    assert isinstance(target, ClassTarget)
    recipe = resolved(recipe, training)
    costs = _costs_by_answer(recipe.loss_matrix, target.classes)
    recipe = replace(recipe, loss_matrix=None if costs is None else recipe.loss_matrix)
    cases, weight = _cases(recipe, training.weights, table.n_rows)
    cases, weight = _drawn(recipe, cases, weight)
    learned = c50.learn(
        table.take(cases),
        ClassTarget(target.classes, target.codes[cases]),
        weight,
        costs,
        recipe,
        target_name=training.target_name,
        n_jobs=n_jobs,
    )
    return FittedC50(learned, cases)


def _cases(recipe: Recipe, weights: Weights, n_rows: int) -> tuple[npt.NDArray[np.intp], Floats | None]:
    """Repeat each row as often as its weight if weights count cases; leave relative weights as they are."""
    rows, weight, weighting = np.arange(n_rows), weights.weight, recipe.settings["weighting"]
    if weight is None:
        return rows, None
    whole = weights.whole and recipe.class_weight is None
    if weighting == "relative" or (weighting == "auto" and not whole):
        return rows, _in_single_precision(weight)
    if not weights.whole:
        raise WeightError("sample_weight holds fractions, but weighting='cases' needs whole numbers.")
    if weight.sum() > _MOST_ROWS:
        raise WeightError("sample_weight counts more cases than 2^31; set weighting='relative'.")
    return np.repeat(rows, weight.astype(np.int64)), None


def _drawn(
    recipe: Recipe, cases: npt.NDArray[np.intp], weight: Floats | None
) -> tuple[npt.NDArray[np.intp], Floats | None]:
    """Sample the fraction of the cases to learn from, as C5.0 does."""
    share = recipe.settings["max_samples"]
    if share is None:
        return cases, weight
    drawn = _core.c50_sample(len(cases), float(share), int(recipe.seed or 0))
    if len(drawn) == 0:
        raise ParameterError.of(
            "max_samples", share, f"a fraction that selects at least one of {len(cases)} rows"
        )
    return cases[drawn], None if weight is None else weight[drawn]


def _in_single_precision(weight: Floats) -> Floats:
    """Rescale relative weights so that single precision can represent them."""
    for scaled in (weight, weight / weight.mean()):
        with np.errstate(over="ignore", under="ignore"):
            held = scaled.astype(np.float32)
        if np.isfinite(held).all() and (held > 0).all():
            return scaled
    raise WeightError("sample_weight holds a weight too small beside the others; leave that row out.")


def _costs_by_answer(loss_matrix: Any, classes: tuple[Any, ...]) -> Floats | None:
    """Return C5.0's cost matrix, with predicted classes as rows; None if all errors cost the same."""
    if loss_matrix is None:
        return None
    losses = read_loss_matrix(loss_matrix, classes, positive=True)
    is_error = ~np.eye(len(classes), dtype=np.bool_)
    return None if (losses[is_error] == 1).all() else np.ascontiguousarray(losses.T)
