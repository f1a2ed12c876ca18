"""Lets ``python -m penstock`` stand for ``penstock``."""

from penstock.cli import command

command()
