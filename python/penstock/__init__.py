"""Penstock: a packet-level simulator for traffic management."""

from penstock._core import MODEL_VERSION, version

__version__ = version()

__all__ = ["MODEL_VERSION", "__version__"]
