"""Random forests (Breiman 2001): each tree from its own sample of the rows, each node from a few columns."""

from __future__ import annotations

from dataclasses import dataclass

from bough.ensembles.classifier import ForestClassifierEstimator
from bough.ensembles.parameters import ClassForestParameters, NumberForestParameters
from bough.ensembles.regressor import ForestRegressorEstimator
from bough.growing.nominal import Nominal


@dataclass(eq=False, repr=False, kw_only=True)
class RandomForestClassifier(ClassForestParameters, ForestClassifierEstimator):
    """A random forest that answers with a class.

    Nominal columns are taken as they are and split into two sets of levels; missing values are taken as they
    are. Names are scikit-learn's; those of R's randomForest and ranger stand in brackets.

    Parameters
    ----------
    n_estimators
        Trees (ntree, num.trees).
    criterion
        "gini", "entropy", "deviance" (or "log_loss"), "twoing", "chi_square", "gain_ratio" or
        "misclassification".
    max_depth, min_samples_split, min_samples_leaf, min_weight_fraction_leaf
        When to stop, as `max_leaf_nodes` (maxnodes) and `min_impurity_decrease`; see `bough.Limits`.
        R's nodesize of k, the most cases of a node that is not split, is `min_samples_split=k + 1`.
    max_features
        Columns a node looks at (mtry): "sqrt", "log2", a number, a fraction, or None for all.
    seek
        Whether a node looks at more columns, one by one, while none that it saw can be split, as in
        scikit-learn. If not, it becomes a leaf, as in R.
    bootstrap
        Whether each tree draws its rows. If not, it gets all of them.
    replace
        Whether a row may be drawn more than once (replace).
    max_samples
        Rows a tree draws (sampsize): a number or a fraction; a dict from class (or stratum) to a number draws
        that many of each. None: as many as there are; without replacement 63.2 % of them.
    oob_score
        Whether to ask each tree about the rows it did not draw: `oob_decision_function_`, `oob_votes_`
        (votes), `oob_error_curve_` (err.rate), `oob_confusion_` (confusion), `oob_times_` (oob.times) and
        `oob_score_`, the accuracy, or what a function given here makes of classes and answers.
    voting
        "soft": trees give the shares of the classes in their leaf; "hard": they give a vote, as in R.
    cutoff
        For each class the share that its votes are divided by before the greatest is taken (cutoff); they
        sum to 1. A list goes in the order of `classes_`.
    class_weight
        None, a dict from class to weight, "balanced", or "balanced_subsample": balanced in the bag of each
        tree. R's classwt are priors p: weights p·n/(rows of the class).
    missing
        "learned": rows without a value go to the side of each split where they serve the criterion best;
        "majority": to the side of most weight; "refuse": such a table is refused.
    categorical_features, ordinal_features
        Columns that are nominal or ordinal whatever their dtype says.
    nominal
        How levels are divided: "ordered" cuts them in an order that is drawn for each tree, by their share of
        a class or their mean as far as the tree's rows tell; "subset" takes the best set of levels in each
        node, as R's randomForest does, and fits noise where levels have few cases.
    max_exhaustive_levels
        With `nominal="subset"` and three classes or more, all sets are tried up to this many levels.
    n_jobs
        Threads; None takes all cores. The forest is the same for any number.
    random_state
        A seed, None or a RandomState.
    verbose
        1: a bar, with the errors so far out of bag (`oob_score`) and on the test set given to fit; 2: also a
        line for each step of the errors (do.trace). Errors are followed in at most twenty steps.
    warm_start
        Whether fit keeps the trees there are and adds those that are missing to `n_estimators` (grow).

    Examples
    --------
    >>> import bough
    >>> X = [["search", 15], ["search", 10], ["other", 5], ["ad", 15], ["ad", 10], ["other", 10], ["ad", 5]]
    >>> y = ["yes", "yes", "no", "yes", "no", "no", "no"]
    >>> forest = bough.RandomForestClassifier(100, random_state=0).fit(X, y)
    >>> forest.predict([["search", 12], ["other", 5]])
    array(['yes', 'no'], dtype='<U3')

    """

    nominal: Nominal = "ordered"
    max_exhaustive_levels: int = 12


@dataclass(eq=False, repr=False, kw_only=True)
class RandomForestRegressor(NumberForestParameters, ForestRegressorEstimator):
    """A random forest that answers with a number: the mean over its trees.

    Parameters are those of `RandomForestClassifier`, but for those of classes.

    Parameters
    ----------
    criterion
        "squared_error" or "poisson".
    max_features
        Columns a node looks at: all, as in scikit-learn; R's randomForest looks at a third of them.
    oob_score
        Whether to ask each tree about the rows it did not draw: `oob_prediction_` (predicted),
        `oob_error_curve_` (mse; before any bias correction), `oob_errors_`, `oob_times_` (oob.times) and
        `oob_score_`, R² (rsq), or what a function given here makes of numbers and answers.
    bias_correction
        Whether answers are put on the line that fits y best to the out-of-bag answers (corr.bias); `bias_`
        holds its intercept and slope (coefs).
    quantiles
        Whether to keep which rows the leaves hold, so that quantiles can be predicted (quantreg): about 8
        bytes for each row that each tree draws.

    Examples
    --------
    >>> import bough
    >>> X = [[year / 10] for year in range(100)]
    >>> forest = bough.RandomForestRegressor(50, random_state=0).fit(X, [2 * year for year in range(100)])
    >>> forest.predict([[5.0]]).round()
    array([100.])

    """

    nominal: Nominal = "ordered"
