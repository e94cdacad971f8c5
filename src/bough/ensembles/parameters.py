"""Parameters that several ensembles share; see `bough.learners.parameters`."""

from __future__ import annotations

from dataclasses import field
from typing import Any

from bough.growing.missing import Missing
from bough.growing.nominal import Nominal
from bough.growing.pruning import Sampling
from bough.learners.keyword_parameters import keyword_parameters
from bough.learners.parameters import ColumnParameters, MonotonicParameters, StoppingParameters


@keyword_parameters
class DrawParameters:
    """Parameters of the draws of rows and columns, which forests of classes, numbers and times share.

    Parameters
    ----------
    n_estimators
        Number of trees (ntree, num.trees).
    max_features
        Number of columns tried at each node (mtry): "sqrt", "log2", a number, a fraction, or None for all.
    seek
        Whether a node tries further columns, one by one, if none of the sampled columns can be split, as in
        scikit-learn. Otherwise it becomes a leaf, as in R.
    bootstrap
        Whether each tree is grown on a sample of the rows. Otherwise it is grown on all rows.
    replace
        Whether rows are sampled with replacement (replace).
    max_samples
        Number of rows to sample for each tree (sampsize): a number or a fraction. None samples as many rows
        as there are, or without replacement 63.2 % of them.
    random_state
        A seed, None or a RandomState.

    """

    n_estimators: int = field(default=100, kw_only=False)
    max_features: Any = "sqrt"
    seek: bool = True
    bootstrap: bool = True
    replace: bool = True
    max_samples: Any = None
    random_state: Any = None


@keyword_parameters
class ForestParameters(DrawParameters, StoppingParameters, MonotonicParameters, ColumnParameters):
    """Parameters that forest classifiers and regressors share.

    Parameters
    ----------
    min_samples_split
        Minimum number of cases of a node that is split; a fraction is of all cases. R's nodesize=k, the
        greatest number of cases of a terminal node, is `min_samples_split=k + 1`.
    max_leaf_nodes
        Maximum number of leaves of a tree (maxnodes), the best splits being made first; None for no limit.
    max_samples
        Number of rows to sample for each tree (sampsize): a number, a fraction, or a dict from class (or
        stratum) to a number. None samples as many rows as there are, or without replacement 63.2 % of them.
    missing
        "learned": at each split, rows with a missing value go to the branch that gives the better criterion
        value; "majority": to the branch of greater weight; "refuse": a missing value raises an error.
    verbose
        1: show a progress bar with the current out-of-bag error (`oob_score`) and the error on the test set
        given to fit; 2: also print a line each time these errors are computed, at most twenty times
        (do.trace).
    warm_start
        Whether fit keeps the existing trees and adds new ones up to `n_estimators` (grow).

    """

    oob_score: Any = False
    missing: Missing = "learned"
    verbose: int = 0
    warm_start: bool = False


@keyword_parameters
class ClassForestParameters(ForestParameters):
    """Parameters that forest classifiers share.

    Parameters
    ----------
    criterion
        "gini", "entropy", "deviance" (or "log_loss"), "twoing", "chi_square", "gain_ratio" or
        "misclassification".
    oob_score
        Whether to predict each row by the trees that did not sample it (out-of-bag). Sets
        `oob_decision_function_`, `oob_votes_` (votes), `oob_error_curve_` (err.rate), `oob_confusion_`
        (confusion), `oob_times_` (oob.times) and `oob_score_`: the accuracy, or the value of the function
        given here, called with the true and the predicted classes.
    voting
        "soft": a tree contributes the class probabilities of the leaf; "hard": it votes for one class, as
        in R.
    cutoff
        A number for each class by which its votes or probabilities are divided before the greatest one is
        chosen (cutoff); they sum to 1. A dict from class to number, or a list in the order of `classes_`.
    class_weight
        None, a dict from class to weight, "balanced", or "balanced_subsample": balanced in the sample of each
        tree. R's classwt are priors p: weights p·n/(rows of the class).

    """

    criterion: str = "gini"
    voting: str = "soft"
    cutoff: Any = None
    class_weight: Any = None


@keyword_parameters
class NumberForestParameters(ForestParameters):
    """Parameters that forest regressors share.

    Parameters
    ----------
    criterion
        "squared_error" (or "friedman_mse"), "absolute_error", under which a leaf predicts the median of its
        rows, or "poisson". A node is split only if that gains something, which under "absolute_error" a split
        between leaves of the same median does not.
    max_features
        Number of columns tried at each node: all by default, as in scikit-learn; R's randomForest tries a
        third of them.
    oob_score
        Whether to predict each row by the trees that did not sample it (out-of-bag). Sets `oob_prediction_`
        (predicted), `oob_error_curve_` (mse; before any bias correction), `oob_errors_`, `oob_times_`
        (oob.times) and `oob_score_`: R² (rsq), or the value of the function given here, called with the true
        and the predicted numbers.
    bias_correction
        Whether to correct predictions by the regression of y on the out-of-bag predictions (corr.bias);
        `bias_` holds its intercept and slope (coefs).
    quantiles
        Whether to store the rows of each leaf, so that quantiles can be predicted (quantreg). It takes about
        8 bytes for each sampled row of each tree.

    """

    criterion: str = "squared_error"
    max_features: Any = 1.0
    bias_correction: bool = False
    quantiles: bool = False


@keyword_parameters
class LevelForestParameters:
    """How random forests split nominal columns.

    Parameters
    ----------
    nominal
        How nominal columns are split. "ordered" orders the levels once for each tree, by an estimate of their
        class share or mean of y from the tree's sample, and splits them along that order; levels with few
        rows get a nearly random position, which avoids overfitting. "subset" searches the best set of levels
        at each node, which overfits levels with few cases; levels absent from the node follow the branch of
        greater weight. "randomforest" does so too, but sends levels absent from the node where R's
        randomForest sends them: with classes and at most 10 levels, with the last level that is present; with
        two classes and more levels, with the lowest shares of the first class; in regression, with the means
        on the side of the mean of all rows. With three classes or more and more than 10 levels, where R draws
        sets at random, it is "subset".

    """

    nominal: Nominal = "ordered"


@keyword_parameters
class BinnedForestParameters:
    """How random forests are grown from bins, in memory and on a cluster.

    Parameters
    ----------
    max_bins
        Number of bins that numeric columns are divided into, from 2 to 65,534; None searches all their
        values. Forests on bins are those of Dask and Spark DataFrames; in memory they take longer.
    sampling
        "drawn" draws rows by their positions. "hash", which needs `max_bins`, draws each row by a hash of its
        `row_key`: the number of draws has a Poisson distribution, or with `replace=False` is 0 or 1. The
        forest is then the same in every order of the rows, and on a cluster. On a cluster rows are always
        drawn in this way.
    row_key
        With `sampling="hash"`: the column whose values are hashed, which is not split on. Its values should
        tell rows apart, since rows of the same value are drawn together. A tree for which no row is drawn is
        grown on all rows. Rows to predict may have the column.

    """

    max_bins: int | None = None
    sampling: Sampling = "drawn"
    row_key: str | None = None


@keyword_parameters
class BaggingParameters:
    """Parameters that the bagging classifier and regressor share.

    Parameters
    ----------
    estimator
        The learner, any of bough; None is an unpruned `TreeClassifier` or `TreeRegressor`.
    n_estimators
        Number of learners.
    max_samples
        Number of rows to sample for each learner: a number, a fraction, or a dict from class to a number.
    max_features
        Number of columns to sample for each learner: a number, a fraction, "sqrt", "log2" or None for all.
    bootstrap
        Whether rows are sampled.
    replace
        Whether rows are sampled with replacement.
    oob_score
        Whether to predict each row by the learners that did not sample it (out-of-bag). Sets
        `oob_score_`, and `oob_decision_function_` or `oob_prediction_`.
    warm_start
        Whether fit keeps the existing learners and adds new ones up to `n_estimators`.
    n_jobs
        Number of threads; None uses all cores. The model does not depend on it.
    random_state
        A seed, None or a RandomState.
    verbose
        If at least 1, a progress bar is shown.

    """

    estimator: Any = field(default=None, kw_only=False)
    n_estimators: int = field(default=10, kw_only=False)
    max_samples: Any = None
    max_features: Any = None
    bootstrap: bool = True
    replace: bool = True
    oob_score: bool = False
    warm_start: bool = False
    n_jobs: int | None = None
    random_state: Any = None
    verbose: int = 0


@keyword_parameters
class ReweightingParameters:
    """Parameters that learners share whose members are fitted one after another to weighted rows.

    Parameters
    ----------
    n_jobs
        Number of threads; None uses all cores. The model does not depend on it.
    random_state
        Seed of learners whose own `random_state` is None.
    verbose
        If at least 1, a progress bar is shown.

    """

    estimator: Any = field(default=None, kw_only=False)
    n_estimators: int = 50
    n_jobs: int | None = None
    random_state: Any = None
    verbose: int = 0
