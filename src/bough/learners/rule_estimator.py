"""The base classes of learners of rule sets."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.utils.validation import check_is_fitted

from bough.learners.estimator import ModelEstimator
from bough.learners.rule_fitting import fit_linear_rules, fit_rules
from bough.rules.linear_rules import LinearRules
from bough.rules.rule_set import RuleSet
from bough.tree.answer import label_array
from bough.types import Floats


class RuleClassifierEstimator(ClassifierMixin, ModelEstimator):  # type: ignore[misc]
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

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Return the predicted class of each row.

        >>> from bough import OneRClassifier
        >>> OneRClassifier().fit([["s"], ["r"]], ["no", "yes"]).predict([["s"]])
        array(['no'], dtype='<U3')
        """
        table = self._checked(X)
        return self.rules_.predict(table)

    def predict_proba(self, X: Any) -> Floats:
        """Return the probability of each class, in the order of `classes_`.

        >>> from bough import OneRClassifier
        >>> OneRClassifier().fit([["s"], ["r"]], ["no", "yes"]).predict_proba([["s"]])
        array([[1., 0.]])
        """
        table = self._checked(X)
        return self.rules_.predict_proba(table)

    def predict_log_proba(self, X: Any) -> Floats:
        """Return the logarithm of each class's probability; −inf where it is 0.

        >>> from bough import OneRClassifier
        >>> OneRClassifier().fit([["s"], ["r"]], ["no", "yes"]).predict_log_proba([["s"]])
        array([[  0., -inf]])
        """
        with np.errstate(divide="ignore"):
            logarithms: Floats = np.log(self.predict_proba(X))
        return logarithms


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

    def predict(self, X: Any) -> Floats:
        """Return the predicted number of each row.

        >>> from bough import M5RulesRegressor
        >>> M5RulesRegressor().fit([[1.0], [2.0]], [1.0, 2.0]).predict([[5.0]])
        array([1.5])
        """
        table = self._checked(X)
        return self.rules_.predict(table)
