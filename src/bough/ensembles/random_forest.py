"""Random forests (Breiman 2001): trees grown on samples of the rows, with columns sampled at each node."""

from __future__ import annotations

from dataclasses import dataclass

from bough.ensembles.classifier import ForestClassifierEstimator
from bough.ensembles.parameters import ClassForestParameters, NumberForestParameters
from bough.ensembles.regressor import ForestRegressorEstimator
from bough.growing.nominal import Nominal


@dataclass(eq=False, repr=False, kw_only=True)
class RandomForestClassifier(ClassForestParameters, ForestClassifierEstimator):
    """Random forest classifier.

    y may have several columns, one for each of several targets; the forest predicts all of them.

    Text and categorical columns need no encoding: a split divides their levels into two sets. Missing values
    need no imputation. Parameters have scikit-learn's names; those of R's randomForest and ranger are in
    parentheses.

    Parameters
    ----------
    n_estimators
        Number of trees (ntree, num.trees).
    criterion
        "gini", "entropy", "deviance" (or "log_loss"), "twoing", "chi_square", "gain_ratio" or
        "misclassification".
    max_depth
        Maximum number of splits on a path; None for no limit.
    min_samples_split
        Minimum number of cases of a node that is split; a fraction is of all cases. R's nodesize=k, the
        greatest number of cases of a terminal node, is `min_samples_split=k + 1`.
    min_samples_leaf
        Minimum number of cases of every child that has any; a fraction is of all cases.
    min_weight_fraction_leaf
        Minimum share of the weight of every child that has any case.
    max_leaf_nodes
        Maximum number of leaves of a tree (maxnodes), the best splits being made first; None for no limit.
    min_impurity_decrease
        Minimum value of a split, times the node's share of the weight.
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
        Number of rows to sample for each tree (sampsize): a number, a fraction, or a dict from class (or
        stratum) to a number. None samples as many rows as there are, or without replacement 63.2 % of them.
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
    missing
        "learned": at each split, rows with a missing value go to the branch that gives the better criterion
        value; "majority": to the branch of greater weight; "refuse": a missing value raises an error.
    monotonic_cst
        Constraints on the probability of the second class, by name or for each column: 1 if it must not fall
        as the column rises, −1 if it must not rise, 0 if it is free. Needs two classes and no missing values.
    categorical_features, ordinal_features
        Columns to treat as nominal or ordinal whatever their dtype.
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
    max_exhaustive_levels
        With `nominal="subset"` and three classes or more, all sets are tried for at most this many levels.
    n_jobs
        Number of threads; None uses all cores. The forest does not depend on it.
    random_state
        A seed, None or a RandomState.
    verbose
        1: show a progress bar with the current out-of-bag error (`oob_score`) and the error on the test set
        given to fit; 2: also print a line each time these errors are computed, at most twenty times
        (do.trace).
    warm_start
        Whether fit keeps the existing trees and adds new ones up to `n_estimators` (grow).

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
    """Random forest regressor, which predicts the mean of its trees.

    y may have several columns, one for each of several targets; the forest predicts all of them.

    Parameters are those of `RandomForestClassifier` except those about classes.

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
    monotonic_cst
        Constraints on the prediction, by name or for each column: 1 if it must not fall as the column rises,
        −1 if it must not rise, 0 if it is free. Needs a table without missing values.
    bias_correction
        Whether to correct predictions by the regression of y on the out-of-bag predictions (corr.bias);
        `bias_` holds its intercept and slope (coefs).
    quantiles
        Whether to store the rows of each leaf, so that quantiles can be predicted (quantreg). It takes about
        8 bytes for each sampled row of each tree.

    Examples
    --------
    >>> import bough
    >>> X = [[year / 10] for year in range(100)]
    >>> forest = bough.RandomForestRegressor(50, random_state=0).fit(X, [2 * year for year in range(100)])
    >>> forest.predict([[5.0]]).round()
    array([100.])

    """

    nominal: Nominal = "ordered"
