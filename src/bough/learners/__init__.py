"""Learners of one tree, with scikit-learn's interface."""
