"""A traced run as one HTML page that plays it: packets in flight, queues, congestion windows, drops and marks."""

from penstock.view.data import EVENTS, View, view_of
from penstock.view.render import render

__all__ = ["EVENTS", "View", "render", "view_of"]
