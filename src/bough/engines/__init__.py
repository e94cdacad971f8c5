"""Engines hold the rows and compute their statistics. Each module is one engine, imported on demand."""
