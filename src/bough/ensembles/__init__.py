"""Ensembles: many trees that answer together."""
