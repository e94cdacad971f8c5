"""Tests of scikit-learn that its own classes alone can pass, and tests that bough fails, with reasons."""

LEFT_OUT = {
    "test_tree::test_build_pruned_tree_py": "passes tree_ to a private Cython function",
    "test_tree::test_build_pruned_tree_infinite_loop": "passes tree_ to a private Cython function",
    "test_tree::test_huge_allocations": "wants the memory of max_leaf_nodes nodes to be allocated beforehand",
}
"""Tests about scikit-learn's private Cython modules."""

DIFFERENT = {
    "test_tree::test_random_splitter_missing_values_uses_non_missing_min_max[single-non-missing]": (
        "bough's random splits need two different known values"
    ),
}
"""Tests that fail because bough differs."""
