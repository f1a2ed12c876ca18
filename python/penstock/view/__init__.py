"""A traced run as one HTML page, in which time goes by: queues, windows, marks, drops, and packets on their way."""

from penstock.view.data import EVENTS, View, view_of
from penstock.view.render import render

__all__ = ["EVENTS", "View", "render", "view_of"]
