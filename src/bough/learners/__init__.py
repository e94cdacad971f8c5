"""Learners: recipes behind scikit-learn's door."""
