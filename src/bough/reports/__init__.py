"""Reports: the description of a tree as a single HTML file that needs no network."""

from bough.reports.report import Report, report

__all__ = ["Report", "report"]
