"""Runs ``penstock`` as ``python -m penstock``."""

from penstock.cli import command

command()
