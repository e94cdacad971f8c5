"""Importance sampled learning ensembles (ISLE; Friedman and Popescu 2003)."""

from __future__ import annotations

from typing import ClassVar

from sklearn.utils.validation import check_is_fitted

from bough.data.training import Training
from bough.ensembles.lasso import FittedTerms
from bough.ensembles.postprocessing import weighted_sum
from bough.ensembles.sampled_growth import grow_sampled_trees
from bough.ensembles.sampled_trees import SampledTreesClassifier, SampledTreesEstimator, SampledTreesRegressor
from bough.ensembles.weighted_trees import terms_of
from bough.growing.limits import check_number
from bough.growing.recipe import Recipe
from bough.learners.keyword_parameters import keyword_parameters
from bough.models.gradient_boosted import GradientBoosted

PROGRAM = "ISLE"
"""The name in recipes of importance sampled learning ensembles."""


@keyword_parameters
class ISLEEstimator(SampledTreesEstimator):
    """Base class of ISLE; the parameters that both tasks share.

    Parameters
    ----------
    n_estimators
        Number of trees that are grown; the lasso keeps few of them.
    max_leaf_nodes
        Maximum number of leaves of each tree.
    max_samples
        The fraction η of the rows that each tree is grown on: the smaller, the more the trees differ. "auto"
        is (100 + 6 √n) / n of n rows, at most one half.
    memory
        The factor ν with which the trees before are added while the next one is grown. With 0 each tree is
        grown by itself, as in bagging; with 1 each corrects all before, as in boosting.
    max_terms
        The maximum number of trees of the model; None for no limit.

    Attributes
    ----------
    model_
        The sum of the trees that the lasso kept, a `bough.GradientBoosted`.

    """

    _predicts_in_threads: ClassVar[bool] = True

    n_estimators: int = 500
    max_leaf_nodes: int = 6
    memory: float = 0.1

    def recipe(self) -> Recipe:
        """Return the recipe that these parameters define; invalid parameters raise here.

        >>> from bough import ISLERegressor
        >>> ISLERegressor(memory=0).recipe().settings["memory"]
        0.0
        """
        check_number("memory", self.memory, 0.0, 1.0)
        settings = {"program": PROGRAM, "memory": float(self.memory)}
        return self._recipe(settings, learning_rate=1.0, max_leaf_nodes=self.max_leaf_nodes)

    def _fit_terms(self, recipe: Recipe, training: Training) -> FittedTerms:
        self._model, fitted = fitted_isle(recipe, training, n_jobs=self.n_jobs)
        return fitted

    @property
    def model_(self) -> GradientBoosted:
        """The model that predicts, which can be saved: the sum of the trees.

        >>> from bough import ISLERegressor
        >>> ISLERegressor(n_estimators=9).fit([[1.0], [2.0]] * 9, [1.0, 2.0] * 9).model_.model_kind
        'gradient_boosted'
        """
        check_is_fitted(self)
        return self._model

    def __sklearn_is_fitted__(self) -> bool:
        """Whether `fit` was called."""
        return hasattr(self, "_model")


@keyword_parameters
class ISLERegressor(ISLEEstimator, SampledTreesRegressor):
    """ISLE for numbers (Friedman and Popescu 2003): few small trees, weighted by the lasso.

    Many small trees are grown, each on a small sample of the rows, so that they differ. The lasso then finds
    a weight for each and leaves most of them out. `bough.postprocess` does the same with the trees of any
    forest or boosted model.

    Examples
    --------
    >>> import bough
    >>> X, y = [[i % 10, i % 7] for i in range(300)], [float(i % 10 < 4) + (i % 7) for i in range(300)]
    >>> model = bough.ISLERegressor(n_estimators=200, rule="one_se").fit(X, y)
    >>> model.model_.n_trees < 100, round(model.score(X, y), 2)
    (True, 1.0)

    """


@keyword_parameters
class ISLEClassifier(ISLEEstimator, SampledTreesClassifier):
    """ISLE for classes (Friedman and Popescu 2003): few small trees, weighted by the lasso.

    The sum of the trees is the log-odds of the second of two classes; of more classes, each has a sum, and
    their softmax gives the probabilities.

    Examples
    --------
    >>> import bough
    >>> X, y = [[i % 10, i % 7] for i in range(200)], ["yes" if i % 10 < 4 else "no" for i in range(200)]
    >>> bough.ISLEClassifier(n_estimators=50).fit(X, y).predict([[3, 0], [5, 0]])
    array(['yes', 'no'], dtype='<U3')

    """


def fitted_isle(
    recipe: Recipe, training: Training, *, n_jobs: int | None = None
) -> tuple[GradientBoosted, FittedTerms]:
    """Return the sum of the trees that the lasso keeps, and what it chose.

    >>> from bough import ISLERegressor
    >>> from bough.learners.reading import read_training
    >>> recipe = ISLERegressor(n_estimators=9).recipe()
    >>> training = read_training(recipe, [[1.0], [2.0]] * 9, [1.0, 2.0] * 9)
    >>> fitted_isle(recipe, training)[0].n_trees <= 9
    True
    """
    grown = grow_sampled_trees(recipe, training, n_jobs)
    lasso = recipe.settings["lasso"]
    return weighted_sum(grown, terms_of(grown), training, lasso, recipe.seed, grown.recipe, n_jobs)
