"""The base classes of learners of rule sets."""

from __future__ import annotations

from typing import Any, Self

import numpy.typing as npt
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.utils.validation import check_is_fitted

from bough.learners.conventions import ProbabilityPredictor
from bough.learners.estimator import ModelEstimator
from bough.learners.rule_fitting import fit_linear_rules, fit_rules
from bough.rules.linear_rules import LinearRules
from bough.rules.rule_set import RuleSet
from bough.tree.answer import label_array


class RuleClassifierEstimator(ClassifierMixin, ProbabilityPredictor, ModelEstimator):  # type: ignore[misc]
    """Base class of learners of a `bough.RuleSet`. A subclass defines the parameters and the recipe.

    Attributes
    ----------
    rules_
        The rules, a `bough.RuleSet`; also `model_`.

    """

    rules_: RuleSet
    classes_: npt.NDArray[Any]
    n_classes_: int

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the rules to the rows of X and the classes y.

        >>> from bough import OneRClassifier
        >>> OneRClassifier().fit([["s"], ["r"]], ["no", "yes"]).predict([["r"]])
        array(['yes'], dtype='<U3')
        """
        recipe = self.recipe()
        training = self._read_training(recipe, X, y, sample_weight)
        self.rules_ = fit_rules(recipe, training, n_jobs=self.n_jobs)
        self.classes_ = label_array(self.rules_.classes)
        self.n_classes_ = len(self.classes_)
        return self

    @property
    def model_(self) -> RuleSet:
        """The model that predicts, which can be saved: the rules.

        >>> from bough import OneRClassifier
        >>> OneRClassifier().fit([["s"], ["r"]], ["no", "yes"]).model_.model_kind
        'rules'
        """
        check_is_fitted(self)
        return self.rules_


class LinearRuleEstimator(RegressorMixin, ModelEstimator):  # type: ignore[misc]
    """Base class of learners of linear rules. A subclass defines the parameters and the recipe.

    Attributes
    ----------
    rules_
        The rules, a `bough.rules.linear_rules.LinearRules`; also `model_`.

    """

    rules_: LinearRules

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the rules to the rows of X and the numbers y.

        >>> from bough import M5RulesRegressor
        >>> len(M5RulesRegressor().fit([[1.0], [2.0]], [1.0, 2.0]).rules_)
        1
        """
        recipe = self.recipe()
        training = self._read_training(recipe, X, y, sample_weight)
        self.rules_ = fit_linear_rules(recipe, training)
        return self

    @property
    def model_(self) -> LinearRules:
        """The model that predicts, which can be saved: the rules.

        >>> from bough import M5RulesRegressor
        >>> M5RulesRegressor().fit([[1.0], [2.0]], [1.0, 2.0]).model_.model_kind
        'linear_rules'
        """
        check_is_fitted(self)
        return self.rules_
