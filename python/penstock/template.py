"""The scenario that ``penstock new`` writes."""

from pathlib import Path

TEMPLATE = Path(__file__).with_suffix(".toml").read_text(encoding="utf-8")
