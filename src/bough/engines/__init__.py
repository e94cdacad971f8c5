"""Engines: where the rows are. Each module holds one, and is loaded when asked for."""
