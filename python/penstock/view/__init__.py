"""A traced run as one HTML page that plays it: packets in flight, queues, congestion windows, drops and marks."""

from penstock.view.page import EVENTS, View, render, view_of

__all__ = ["EVENTS", "View", "render", "view_of"]
