"""Lets ``python -m penstock.cli`` stand for ``penstock``."""

from penstock.cli import main

main()
