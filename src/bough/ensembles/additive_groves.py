"""The learners of Additive Groves (Sorokina, Caruana and Riedewald 2007); see `bough.ensembles.groves`."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar, Literal, Self, TypeAlias

import numpy as np
import numpy.typing as npt
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from bough.data.training import GivenRows
from bough.ensembles.boosting_parameters import BoostingParameters, boosting_recipe
from bough.ensembles.groves import fit_groves
from bough.ensembles.progress import CallbackSupport, fitted_with_progress, with_callbacks
from bough.ensembles.sampling import read_n_estimators
from bough.growing.draws import Ensemble
from bough.growing.limits import check_number, check_whole
from bough.growing.pruning import check_choice
from bough.growing.recipe import Recipe, Response
from bough.learners.conventions import ModelLearner, ProbabilityPredictor
from bough.learners.keyword_parameters import keyword_parameters
from bough.learners.parameters import ColumnParameters
from bough.models.gradient_boosted import GradientBoosted
from bough.tree.answer import label_array

GroveTraining: TypeAlias = Literal["dynamic", "layered"]
"""What the groves of a layer start from."""


@keyword_parameters
class GroveParameters(ColumnParameters):
    """Parameters of Additive Groves.

    Parameters
    ----------
    n_estimators
        Number of groves that are averaged, each fitted to a bootstrap sample of the rows. The paper has 100.
    max_grove_size
        Maximum number of trees in a grove. Groves of 1 to this many trees are fitted.
    min_leaf_fraction
        The least share of the rows of a sample in each leaf (alpha). Groves with shares of 0.5, 0.2, 0.1 and
        so on down to this are fitted.
    variant
        "dynamic": a grove starts from that with one tree less or from that of the layer before, whichever
        gives the lower error on the rows outside of the sample. "layered": from that of the layer before.
    tol
        Trees of a grove are fitted again until the root mean squared error falls by less than this share.
    max_bins
        The maximum number of bins of a numeric column; missing values have a bin of their own.
    random_state
        Seed of the samples.
    verbose
        If at least 1, a progress bar is shown.

    """

    n_estimators: int = 10
    max_grove_size: int = 4
    min_leaf_fraction: float = 0.01
    variant: GroveTraining = "dynamic"
    tol: float = 0.002
    max_bins: int = 255
    random_state: Any = 0
    verbose: int = 0


class AdditiveGroves(GroveParameters, CallbackSupport, ModelLearner):  # type: ignore[misc]
    """Base class of Additive Groves.

    Attributes
    ----------
    model_
        The mean of the groves, a sum of trees: `bough.GradientBoosted`.
    leaf_fraction_, grove_size_
        The least share of the rows in a leaf and the number of trees of the groves in the model, those of the
        lowest out-of-bag error.
    leaf_fractions_, oob_errors_
        The shares that were fitted, and the mean squared out-of-bag errors: a row for each share, a column
        for each number of trees. Of two classes, the errors are those of −1 and 1.

    """

    _predicts_in_threads: ClassVar[bool] = True

    model_: GradientBoosted
    n_features_in_: int

    def _recipe(self, response: Response) -> Recipe:
        check_choice("variant", self.variant, ("dynamic", "layered"))
        check_number("min_leaf_fraction", self.min_leaf_fraction, 0.0, 0.5, above=True)
        check_number("tol", self.tol, 0.0, 1.0, above=True)
        check_whole("max_grove_size", self.max_grove_size, 1, 1000)
        trees = BoostingParameters(
            learning_rate=1.0,
            max_iter=1,
            max_leaf_nodes=None,
            min_samples_leaf=1,
            min_hessian=0.0,
            max_bins=self.max_bins,
            level_penalty=0.0,
            categorical_features=self.categorical_features,
            ordinal_features=self.ordinal_features,
            verbose=self.verbose,
        )
        loss = "squared_error" if response == "numbers" else "log_loss"
        recipe = boosting_recipe(trees, response, {"loss": loss})
        own = {
            "loss": "squared_error",
            "max_grove_size": int(self.max_grove_size),
            "min_leaf_fraction": float(self.min_leaf_fraction),
            "variant": self.variant,
            "tol": float(self.tol),
        }
        ensemble = Ensemble("additive_groves", read_n_estimators(self.n_estimators))
        return replace(recipe, ensemble=ensemble, settings=dict(recipe.settings) | own)

    @with_callbacks  # type: ignore[untyped-decorator]
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the groves to the rows of X and their y: numbers, or two classes.

        >>> from bough import AdditiveGrovesRegressor
        >>> X, y = [[i] for i in range(60)], [float(i) for i in range(60)]
        >>> AdditiveGrovesRegressor(n_estimators=5).fit(X, y).oob_errors_.shape
        (6, 4)
        """
        fitted = fitted_with_progress(self, GivenRows(X, y, sample_weight), fit_groves)
        self.model_, self.leaf_fractions_, self.oob_errors_ = fitted
        layer, size = np.unravel_index(int(self.oob_errors_.argmin()), self.oob_errors_.shape)
        self.leaf_fraction_, self.grove_size_ = float(self.leaf_fractions_[layer]), int(size) + 1
        return self


@keyword_parameters
class AdditiveGrovesRegressor(RegressorMixin, AdditiveGroves):  # type: ignore[misc]
    """Additive Groves (Sorokina, Caruana and Riedewald 2007): bagged sums of a few large trees.

    A grove is a sum of trees, each of which is fitted to what the others leave, over and over. Unlike
    boosting, trees are large, so that they have interactions of many columns, and few. The size of the trees
    grows in layers, whose trees start from those of the layer before. Groves of several sizes are fitted to
    bootstrap samples, and those of the size with the lowest out-of-bag error are averaged.

    Examples
    --------
    >>> import bough
    >>> X = [[i % 10, i % 7] for i in range(140)]
    >>> y = [float(a * b) for a, b in X]
    >>> model = bough.AdditiveGrovesRegressor(n_estimators=10).fit(X, y)
    >>> model.grove_size_, model.predict([[4, 5]]).round(0)
    (4, array([20.]))

    """

    def recipe(self) -> Recipe:
        """Return the recipe that these parameters define; invalid parameters raise here.

        >>> AdditiveGrovesRegressor(max_grove_size=3).recipe().settings["max_grove_size"]
        3
        """
        return self._recipe("numbers")


@keyword_parameters
class AdditiveGrovesClassifier(ClassifierMixin, ProbabilityPredictor, AdditiveGroves):  # type: ignore[misc]
    """Additive Groves of two classes: groves are fitted to −1 and 1 by squared error; see the regressor.

    The probability of the second class is (1 + s) / 2, where s is the mean of the groves, within 0 and 1.

    Examples
    --------
    >>> import bough
    >>> X = [[i % 10, i % 7] for i in range(140)]
    >>> y = ["even" if (a > 4) == (b > 3) else "odd" for a, b in X]
    >>> bough.AdditiveGrovesClassifier(n_estimators=10).fit(X, y).predict([[8, 6], [1, 6]])
    array(['even', 'odd'], dtype='<U4')

    """

    def __sklearn_tags__(self) -> Tags:
        """Declare to scikit-learn that there must be two classes."""
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags

    def recipe(self) -> Recipe:
        """Return the recipe that these parameters define; invalid parameters raise here.

        >>> AdditiveGrovesClassifier(n_estimators=5).recipe().ensemble.n_estimators
        5
        """
        return self._recipe("classes")

    @property
    def classes_(self) -> npt.NDArray[Any]:
        """The two classes.

        >>> X, y = [[i] for i in range(40)], ["low"] * 20 + ["high"] * 20
        >>> AdditiveGrovesClassifier(n_estimators=3).fit(X, y).classes_
        array(['high', 'low'], dtype='<U4')
        """
        check_is_fitted(self)
        return label_array(self.model_.classes)
