"""Tests of scikit-learn that its own classes alone can pass, and tests that bough fails, with reasons.

`lists_for` returns both lists for a version of scikit-learn, since tests change from version to version.
"""

from importlib.util import find_spec

VERSIONS = ((1, 6), (1, 7), (1, 8), (1, 9))
"""The versions of scikit-learn that the lists are about."""

_BOOSTING = "test_gradient_boosting"
_TOY = "test_tree::test_regression_tree_missing_values_toy"
_UNDERFIT = "test_tree::test_diabetes_underfit"

_LEFT_OUT = {
    "test_tree::test_build_pruned_tree_py": "passes tree_ to a private Cython function",
    "test_tree::test_build_pruned_tree_infinite_loop": "passes tree_ to a private Cython function",
    "test_tree::test_huge_allocations": "wants the memory of max_leaf_nodes nodes to be allocated beforehand",
    f"{_BOOSTING}::test_binning_train_validation_are_separated": "looks at the private bin mapper",
}
"""Tests about scikit-learn's private modules."""

_LEFT_OUT_WITH_NEW_POLARS = dict.fromkeys(
    (
        *(
            f"{_BOOSTING}::{test}[{learner}-polars]"
            for test in (
                "test_dataframe_categorical_results_same_as_ndarray",
                "test_dataframe_categorical_errors",
            )
            for learner in ("HistGradientBoostingClassifier", "HistGradientBoostingRegressor")
        ),
        f"{_BOOSTING}::test_categorical_different_order_same_model[polars]",
    ),
    "fails with scikit-learn's own classes too, which need the dataframe protocol that polars 2 dropped",
)

_DIFFERENT = {
    **{
        f"{_BOOSTING}::test_unknown_categories_nan[-1-{mask}-HistGradientBoostingRegressor-True]": (
            "a category of few rows is sorted with the others, and does not go right"
        )
        for mask in (True, False)
    },
    "test_forest::test_importances_asymptotic": "chance: seed 0 misses a bound that most seeds meet",
    **{
        f"test_forest::test_forest_classifier_oob[True-X3-y3-0.18-{kind}-RandomForestClassifier]": (
            "chance: a difference of scores of 0.14 on few rows, where 0.11 is allowed"
        )
        for kind in ("array", "sparse_csr", "sparse_csc")
    },
    **{
        f"test_iforest::test_iforest_sparse_input_float_contamination[{container}]": (
            "chance: two rows share the score at the quantile"
        )
        for container in ("csc_array", "csc_matrix", "csr_array", "csr_matrix")
    },
}
"""Tests that fail in every version because bough differs, or because its random numbers do."""

_DIFFERENT_SINCE_1_9 = {
    "test_tree::test_random_splitter_missing_values_uses_non_missing_min_max[single-non-missing]": (
        "the threshold of a forest's tree is the next float32 above the value"
    ),
    f"{_BOOSTING}::test_sample_weight_effect[42-multiclass_classification]": (
        "gradients are rounded otherwise if rows are fewer, which decides a tie"
    ),
}

_DIFFERENT_UNTIL_1_8 = {
    f"{_BOOSTING}::test_interaction_cst_numerically": (
        "chance: scikit-learn misses it for three of five tables; 1.9 has twice the rows"
    ),
}

_DIFFERENT_UNTIL_1_7 = {
    **{
        f"{_UNDERFIT}[{criterion}-15-mean_squared_error-60-ExtraTreeRegressor-ExtraTreeRegressor]": (
            "chance: scikit-learn misses the bound for 58 of 100 seeds, bough for 59; 1.8 has no bound"
        )
        for criterion in ("squared_error", "friedman_mse")
    },
    **{
        f"{_TOY}[{criterion}-X{number}-ExtraTreeRegressor]": (
            "chance: scikit-learn misses it for 71 to 78 of 100 seeds; 1.8 asks it of best splits only"
        )
        for criterion in ("squared_error", "friedman_mse")
        for number in (1, 2)
    },
}


def lists_for(version):
    """Return the tests that are left out and those that bough fails, for a version like (1, 9)."""
    left_out, different = dict(_LEFT_OUT), dict(_DIFFERENT)
    if version <= (1, 8) and _has_new_polars():
        left_out |= _LEFT_OUT_WITH_NEW_POLARS
    if version >= (1, 9):
        different |= _DIFFERENT_SINCE_1_9
    if version <= (1, 8):
        different |= _DIFFERENT_UNTIL_1_8
    if version <= (1, 7):
        different |= _DIFFERENT_UNTIL_1_7
    return left_out, different


def _has_new_polars():
    if find_spec("polars") is None:
        return False
    import polars as pl

    return not hasattr(pl.DataFrame, "__dataframe__")
