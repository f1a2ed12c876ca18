"""Runs ``penstock`` as ``python -m penstock.cli``."""

from penstock.cli import command

command()
