"""Sphinx settings. Nothing here reaches for the network."""

import penstock

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
]
source_suffix = {".md": "markdown"}
exclude_patterns = ["_build"]
nitpicky = True

myst_enable_extensions = ["colon_fence", "deflist", "dollarmath", "fieldlist"]
myst_heading_anchors = 3

autodoc_typehints = "signature"
autodoc_member_order = "bysource"
napoleon_google_docstring = False
napoleon_numpy_docstring = True

html_theme = "furo"
html_title = f"Penstock {release}"
# The theme's default writes when a page was built, and a page is a function of its source.
html_last_updated_fmt = None
html_show_sphinx = False
