"""What rule ensembles and ISLE share: trees grown on small samples, of which the lasso selects terms."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace
from typing import Any, ClassVar, Literal, Self

from sklearn.base import ClassifierMixin, RegressorMixin

from bough.data.training import Training
from bough.ensembles.boosting_parameters import BoostingParameters, boosting_recipe
from bough.ensembles.lasso import FittedTerms, PenaltyRule, lasso_settings
from bough.ensembles.sampling import read_n_estimators
from bough.errors import ParameterError
from bough.growing.draws import read_seed
from bough.growing.recipe import Recipe, Response
from bough.learners.conventions import ProbabilityPredictor
from bough.learners.estimator import ModelEstimator
from bough.learners.keyword_parameters import keyword_parameters
from bough.learners.parameters import ClassWeightParameters
from bough.models.gradient_boosted import GradientBoosted
from bough.rules.linear_rules import LinearRules
from bough.tree.answer import label_array
from bough.types import Floats


@keyword_parameters
class SampledTreesEstimator(ModelEstimator):
    """Base class of learners whose trees are grown on small samples and selected by the lasso.

    Parameters
    ----------
    max_samples
        The fraction of the rows that each tree is grown on: the smaller, the more the trees differ. "auto" is
        (100 + 6 √n) / n of n rows, at most one half.
    min_samples_leaf
        Minimum number of cases in a leaf; a fraction is of all cases.
    cv
        Number of folds by which the penalty of the lasso is chosen. The trees are those of all rows.
    rule
        "best" chooses the penalty of the lowest cross-validated loss; "one_se" the greatest one whose loss is
        at most one standard error above it, which keeps fewer terms.
    random_state
        Seed of all samples and of the folds.

    Attributes
    ----------
    path_
        The path of the lasso: its `penalties`, and `held_out`, the loss of each fold at each.

    """

    _response: ClassVar[Response]
    _loss: ClassVar[str]

    n_estimators: int = 300
    max_samples: float | Literal["auto"] = "auto"
    min_samples_leaf: int | float = 5
    max_terms: int | None = None
    cv: int = 5
    rule: PenaltyRule = "best"
    random_state: Any = 0

    def _recipe(self, settings: dict[str, Any], **of_trees: Any) -> Recipe:
        """Return the recipe of the trees, with the settings of the lasso and those of a subclass."""
        is_auto = isinstance(self.max_samples, str) and self.max_samples == "auto"
        if isinstance(self.max_samples, str) and not is_auto:
            wanted = "'auto' or a number above 0 and at most 1"
            raise ParameterError.of("max_samples", self.max_samples, wanted)
        parameters = BoostingParameters(
            max_iter=read_n_estimators(self.n_estimators),
            max_samples=1.0 if is_auto else self.max_samples,
            min_samples_leaf=self.min_samples_leaf,  # type: ignore[arg-type]
            categorical_features=self.categorical_features,
            ordinal_features=self.ordinal_features,
            level_penalty=0.0,
            **of_trees,
        )
        class_weight = getattr(self, "class_weight", None)
        recipe = boosting_recipe(parameters, self._response, {"loss": self._loss}, class_weight)
        lasso = {"lasso": lasso_settings(self.cv, self.rule, self.max_terms)}
        samples = {"max_samples": "auto"} if is_auto else {}
        return replace(
            recipe,
            settings={**recipe.settings, **settings, **lasso, **samples},
            seed=read_seed(self.random_state),
        )

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Grow the trees on the rows of X and the classes or numbers y, and select terms by the lasso.

        >>> from bough import ISLERegressor
        >>> ISLERegressor(n_estimators=9).fit([[1.0], [2.0]] * 9, [1.0, 2.0] * 9).model_.n_trees <= 9
        True
        """
        recipe = self.recipe()
        training = self._read_training(recipe, X, y, sample_weight)
        self.path_ = self._fit_terms(recipe, training).path
        if self.model_.classes:
            self.classes_ = label_array(self.model_.classes)
            self.n_classes_ = len(self.classes_)
        return self

    @property
    @abstractmethod
    def model_(self) -> GradientBoosted | LinearRules:
        """The model that predicts, which can be saved."""

    @abstractmethod
    def _fit_terms(self, recipe: Recipe, training: Training) -> FittedTerms:
        """Fit the model to training rows; return what the lasso chose."""


@keyword_parameters
class SampledTreesRegressor(RegressorMixin, SampledTreesEstimator):  # type: ignore[misc]
    """Base class of the regressors."""

    _response: ClassVar[Response] = "numbers"
    _loss: ClassVar[str] = "squared_error"


@keyword_parameters
class SampledTreesClassifier(
    ClassifierMixin,  # type: ignore[misc]
    ProbabilityPredictor,
    ClassWeightParameters,
    SampledTreesEstimator,
):
    """Base class of the classifiers."""

    _response: ClassVar[Response] = "classes"
    _loss: ClassVar[str] = "log_loss"

    def decision_function(self, X: Any) -> Floats:
        """Return the scores of each row: the log-odds of the second of two classes, or one for each class.

        >>> from bough import RuleEnsembleClassifier
        >>> model = RuleEnsembleClassifier(n_estimators=9).fit([[1.0], [2.0]] * 9, ["a", "b"] * 9)
        >>> model.decision_function([[1.0], [2.0]]) > 0
        array([False,  True])
        """
        scores = self.model_.scores(self._checked(X), **self._threads())
        return scores[:, 0] if scores.shape[1] == 1 else scores
