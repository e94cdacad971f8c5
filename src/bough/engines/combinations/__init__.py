"""Splits on several numeric columns: ratios, lines in two columns, and linear combinations."""
