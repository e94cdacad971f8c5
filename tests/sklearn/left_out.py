"""Tests of scikit-learn that its own classes alone can pass, and tests that bough fails, with reasons."""

LEFT_OUT = {
    "test_tree::test_build_pruned_tree_py": "passes tree_ to a private Cython function",
    "test_tree::test_build_pruned_tree_infinite_loop": "passes tree_ to a private Cython function",
    "test_tree::test_huge_allocations": "wants the memory of max_leaf_nodes nodes to be allocated beforehand",
    "test_gradient_boosting::test_binning_train_validation_are_separated": "looks at the private bin mapper",
}
"""Tests about scikit-learn's private Cython modules."""

_CONTAMINATION = "test_iforest::test_iforest_sparse_input_float_contamination"
_UNKNOWN = "test_gradient_boosting::test_unknown_categories_nan"

DIFFERENT = {
    "test_tree::test_random_splitter_missing_values_uses_non_missing_min_max[single-non-missing]": (
        "bough's random splits need two different known values"
    ),
    "test_gradient_boosting::test_sample_weight_effect[42-multiclass_classification]": (
        "gradients are rounded otherwise if rows are fewer, which decides a tie"
    ),
    **{
        f"{_UNKNOWN}[-1-{mask}-HistGradientBoostingRegressor-True]": (
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
        f"{_CONTAMINATION}[{container}]": "chance: two rows share the score at the quantile"
        for container in ("csc_array", "csc_matrix", "csr_array", "csr_matrix")
    },
}
"""Tests that fail because bough differs, or because its random numbers do."""
