"""Sphinx settings. Nothing here reaches for the network."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import penstock

sys.path.insert(0, str(Path(__file__).parent))
import formulas
import generate_reference
import index_terms

if TYPE_CHECKING:
    from sphinx.application import Sphinx

project = "Penstock"
author = "The Penstock authors"
project_copyright = "2026, The Penstock authors"
release = penstock.__version__
version = release

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.doctest",
    "sphinx.ext.napoleon",
    formulas.__name__,
    index_terms.__name__,
]
source_suffix = {".md": "markdown"}
# The last page is part of another.
exclude_patterns = ["_build", "generated", "fuzz-last-run.md"]
nitpicky = True
# Types in docstrings are words for people ("str or Path, optional"), and other projects' pages are not reached for.
nitpick_ignore_regex = [("py:.*", r"(?!penstock\.)(?!.*penstock\.).*")]

myst_enable_extensions = ["colon_fence", "deflist", "dollarmath", "fieldlist"]
myst_heading_anchors = 3

autodoc_typehints = "none"
autodoc_member_order = "bysource"
napoleon_google_docstring = False
napoleon_numpy_docstring = True

html_theme = "furo"
html_title = f"Penstock {release}"
# The theme's default writes when a page was built, and a page is a function of its source.
html_last_updated_fmt = None
html_show_sphinx = False
html_static_path = ["_static"]
html_css_files = ["tables.css"]
html_math_renderer = "mathml"
html_search_scorer = str(Path(__file__).parent / "search_scorer.js")


def setup(app: Sphinx) -> None:
    """Writes the generated pages before Sphinx looks for pages."""
    app.connect("builder-inited", lambda _: generate_reference.write())
