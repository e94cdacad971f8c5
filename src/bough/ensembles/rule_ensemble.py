"""Rule ensembles (RuleFit; Friedman and Popescu 2008): a sum of few rules and linear terms."""

from __future__ import annotations

from typing import Any

from sklearn.utils.validation import check_is_fitted

from bough.data.training import Training
from bough.ensembles.lasso import FittedTerms, PenaltyRule, fit_terms
from bough.ensembles.rule_candidates import (
    CandidateRule,
    LinearTerm,
    candidate_rules,
    design_of,
    factor_of,
    linear_terms,
    rule_of_node,
    rule_of_term,
)
from bough.ensembles.rule_interactions import interactions
from bough.ensembles.sampled_growth import grow_sampled_trees
from bough.ensembles.sampled_trees import SampledTreesClassifier, SampledTreesEstimator, SampledTreesRegressor
from bough.growing.limits import check_number
from bough.growing.pruning import check_flag
from bough.growing.recipe import Recipe
from bough.learners.conventions import read_as
from bough.learners.keyword_parameters import keyword_parameters
from bough.models.gradient_boosted import GradientBoosted
from bough.rules.linear_rules import LinearRules, score_names
from bough.types import Floats

PROGRAM = "RuleFit"
"""The name in recipes of rule ensembles."""


@keyword_parameters
class RuleEnsembleEstimator(SampledTreesEstimator):
    """Base class of rule ensembles; the parameters that both tasks share.

    Parameters
    ----------
    n_estimators
        Number of boosted trees, whose nodes are the candidates for rules.
    mean_leaf_nodes
        Mean of the maximum number of leaves of a tree, which is drawn for each tree: 2 plus the whole part of
        an exponentially distributed number. Rules have few conditions if it is small.
    learning_rate
        The factor of the values of the trees while they are boosted: how much a tree depends on those before
        it.
    linear_terms
        Whether numeric columns are candidates for linear terms.
    winsorize
        The fraction of the values of a linear term, at either end, that are replaced by the quantile there.
    max_terms
        The maximum number of rules and linear terms of the model; None for no limit.
    rule
        "one_se" chooses the greatest penalty whose cross-validated loss is at most one standard error above
        the lowest one; "best" that of the lowest loss, which keeps more rules. Losses are somewhat too low,
        since the trees are those of all rows.

    Attributes
    ----------
    rules_
        The rules, a `bough.rules.linear_rules.LinearRules` whose order is "sum"; also `model_`. They are
        sorted by importance; `rules_[0].deviation` is the importance of a rule.
    n_candidates_
        The number of rules and linear terms that the lasso chose from.

    """

    n_estimators: int = 300
    mean_leaf_nodes: float = 4.0
    learning_rate: float = 0.01
    linear_terms: bool = True
    winsorize: float = 0.025
    rule: PenaltyRule = "one_se"

    def recipe(self) -> Recipe:
        """Return the recipe that these parameters define; invalid parameters raise here.

        >>> from bough import RuleEnsembleRegressor
        >>> RuleEnsembleRegressor(winsorize=0.6).recipe()
        Traceback (most recent call last):
        bough.errors.ParameterError: winsorize is 0.6;
        it must be a finite number of at least 0 and at most 0.5.
        """
        check_number("mean_leaf_nodes", self.mean_leaf_nodes, 2.0, 1024.0)
        check_number("winsorize", self.winsorize, 0.0, 0.5)
        check_flag("linear_terms", self.linear_terms)
        settings = {
            "program": PROGRAM,
            "mean_leaf_nodes": float(self.mean_leaf_nodes),
            "linear_terms": bool(self.linear_terms),
            "winsorize": float(self.winsorize),
        }
        return self._recipe(settings, learning_rate=self.learning_rate, max_leaf_nodes=None)

    def _fit_terms(self, recipe: Recipe, training: Training) -> FittedTerms:
        self.rules_, fitted, self.n_candidates_ = fitted_rules(recipe, training, n_jobs=self.n_jobs)
        return fitted

    @property
    def model_(self) -> LinearRules:
        """The model that predicts, which can be saved: the rules.

        >>> from bough import RuleEnsembleRegressor
        >>> model = RuleEnsembleRegressor(n_estimators=9).fit([[1.0], [2.0]] * 9, [1.0, 2.0] * 9)
        >>> model.model_.model_kind
        'linear_rules'
        """
        check_is_fitted(self)
        return self.rules_

    def interactions(self, X: Any) -> Floats:
        """Return the strength with which columns interact (columns × columns), for the rows of X.

        The entry of two columns is the share of the variance of their joint partial dependence that the sum
        of their own does not explain; that of a column with itself is the share of the variance of the scores
        that a sum of a function of this column and one of all others does not explain (H² of Friedman and
        Popescu 2008, equations 44 and 45). Both are exact for these rules.

        >>> from bough import RuleEnsembleRegressor
        >>> X = [[i % 2, i // 2 % 2] for i in range(80)]
        >>> model = RuleEnsembleRegressor(min_samples_leaf=1).fit(X, [float(a * b) for a, b in X])
        >>> model.interactions(X).round(1)
        array([[0.3, 0.3],
               [0.3, 0.3]])
        """
        table = read_as(self, X, self.model_.schema)
        return interactions(self.model_, table)


@keyword_parameters
class RuleEnsembleRegressor(RuleEnsembleEstimator, SampledTreesRegressor):
    """Rule ensemble for numbers (RuleFit, Friedman and Popescu 2008): a sum of rules and linear terms.

    The nodes of small boosted trees are candidates for rules: each is 1 where all conditions of its path
    hold, otherwise 0. Numeric columns are candidates for linear terms. The lasso selects few of them, and
    the model is the sum of these, each times its coefficient.

    Examples
    --------
    >>> import bough
    >>> X, y = [[i % 10, i % 7] for i in range(200)], [2.0 * (i % 10 < 4 and i % 7 > 3) for i in range(200)]
    >>> model = bough.RuleEnsembleRegressor(linear_terms=False).fit(X, y)
    >>> print(model.rules_[0])
    x0 < 3.5 and x1 >= 3.5 -> y + 1.998

    """


@keyword_parameters
class RuleEnsembleClassifier(RuleEnsembleEstimator, SampledTreesClassifier):
    """Rule ensemble for classes (RuleFit, Friedman and Popescu 2008): a sum of rules and linear terms.

    The sum is the log-odds of the second of two classes. Of more classes, each has a sum of its own, and
    their softmax gives the probabilities. Trees are boosted by the log-loss, and the lasso minimizes it.

    Examples
    --------
    >>> import bough
    >>> X, y = [[i % 10, i % 7] for i in range(200)], ["yes" if i % 10 < 4 else "no" for i in range(200)]
    >>> model = bough.RuleEnsembleClassifier(linear_terms=False).fit(X, y)
    >>> model.predict([[3, 0], [5, 0]])
    array(['yes', 'no'], dtype='<U3')

    """


def fit_rule_ensemble(recipe: Recipe, training: Training, *, n_jobs: int | None = None) -> LinearRules:
    """Fit a rule ensemble to training rows by a recipe.

    >>> from bough import RuleEnsembleRegressor
    >>> from bough.learners.reading import read_training
    >>> recipe = RuleEnsembleRegressor(n_estimators=9, random_state=0).recipe()
    >>> len(fit_rule_ensemble(recipe, read_training(recipe, [[1.0], [2.0]] * 9, [1.0, 2.0] * 9)))
    1
    """
    return fitted_rules(recipe, training, n_jobs=n_jobs)[0]


def fitted_rules(
    recipe: Recipe, training: Training, *, n_jobs: int | None = None
) -> tuple[LinearRules, FittedTerms, int]:
    """Return a rule ensemble, the terms that the lasso chose, and the number of candidates.

    >>> from bough import RuleEnsembleRegressor
    >>> from bough.learners.reading import read_training
    >>> recipe = RuleEnsembleRegressor(n_estimators=9, random_state=0).recipe()
    >>> fitted_rules(recipe, read_training(recipe, [[1.0], [2.0]] * 9, [1.0, 2.0] * 9))[2]
    2
    """
    sums, settings = grow_sampled_trees(recipe, training, n_jobs), recipe.settings
    rules = candidate_rules(sums, training.table)
    weight = training.weights.weight
    linear = linear_terms(training.table, weight, settings["winsorize"]) if settings["linear_terms"] else []
    design = design_of(rules, linear, training.table)
    fitted = fit_terms(design, training, settings["lasso"], recipe.seed, n_jobs)
    return _ensemble(sums, rules, linear, fitted, training), fitted, design.n_columns


def _ensemble(
    sums: GradientBoosted,
    rules: list[CandidateRule],
    linear: list[LinearTerm],
    fitted: FittedTerms,
    training: Training,
) -> LinearRules:
    """Return the terms that were chosen as rules, those of greatest importance first for each score."""
    names = score_names(sums.classes, sums.target_name)
    made = []
    terms = fitted.terms
    for column, score, coefficient in zip(
        terms.column.tolist(), terms.score.tolist(), terms.coefficient.tolist(), strict=True
    ):
        if column < len(rules):
            rule = rule_of_node(sums, rules[column], coefficient, training, names[score])
        else:
            term = linear[column - len(rules)]
            rule = rule_of_term(term, coefficient * factor_of(term), training, names[score])
        made.append((score, rule))
    made.sort(key=lambda pair: (pair[0], -pair[1].deviation))
    start = tuple(terms.intercept.tolist())
    return LinearRules(
        schema=sums.schema,
        rules=tuple(rule for _, rule in made),
        cases=float(training.weights.cases_of_each(training.table.n_rows).sum()),
        target_name=sums.target_name,
        default=start[0],
        order="sum",
        substitutes=(None,) * len(sums.schema),
        member=tuple(score for score, _ in made) if len(start) > 1 else (),
        classes=sums.classes,
        start=start,
        recipe=sums.recipe,
    )
