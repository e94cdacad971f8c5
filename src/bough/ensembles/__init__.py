"""Ensembles: learners that combine the predictions of many trees."""
