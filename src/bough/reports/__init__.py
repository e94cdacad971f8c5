"""Reports: a tree as one HTML page that needs no network, to read, to print and to send."""

from bough.reports.report import Report, report

__all__ = ["Report", "report"]
