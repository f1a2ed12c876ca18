"""Reports: one HTML page per study or reproduction that needs nothing else, not even a network."""

from penstock.report.render import render

__all__ = ["render"]
