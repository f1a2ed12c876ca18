"""Lets ``python -m penstock.cli`` stand for ``penstock``."""

from penstock.cli import command

command()
