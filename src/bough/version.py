"""The version of the package, which files and reports record."""

__version__ = "0.1.0"
