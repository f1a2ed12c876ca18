r"""Formulas as MathML, which browsers draw on their own: no script, no network, no LaTeX installation.

Pages write LaTeX between dollar signs. The documentation of components and the findings of studies write a plain
notation instead, because ``penstock explain`` prints it in terminals:
``$p = max_p (ave - min) / (max - min)$``. What has no backslash is plain notation.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from docutils import nodes
from latex2mathml.converter import convert

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.writers.html5 import HTML5Translator

OPERATORS = {"cbrt", "ceil", "exp", "floor", "log", "max", "min", "round", "sqrt"}
GREEK = {"alpha", "beta", "gamma", "delta", "eta", "lambda", "mu", "rho", "sigma", "tau"}
SYMBOLS = {"<=": r"\le ", ">=": r"\ge ", "!=": r"\ne ", "*": r"\cdot "}
PRODUCT = re.compile(r"(?<=[\w)}']) +(?=[\w(\\])")
TOKEN = re.compile(r"(?P<word>[A-Za-z]+)(?:_(?P<index>\w+))?(?P<call>\s*\()?|(?P<symbol><=|>=|!=|\*)")


def latex(formula: str) -> str:
    """LaTeX of a formula in either notation; in plain notation, a space between two factors is a thin one."""
    return formula if "\\" in formula else PRODUCT.sub(r" \\, ", TOKEN.sub(_token, formula))


def _token(found: re.Match[str]) -> str:
    if found["symbol"]:
        return SYMBOLS[found["symbol"]]
    word, index, call = found["word"], found["index"], found["call"] or ""
    if word in OPERATORS and call and not index:
        shown = rf"\operatorname{{{word}}}"
    elif word in GREEK:
        shown = f"\\{word} "
    else:
        shown = word if len(word) == 1 else rf"\mathit{{{word}}}"
    if index:
        shown += f"_{{{index}}}" if len(index) == 1 else rf"_{{\mathrm{{{index}}}}}"
    return shown + call


def _inline(writer: HTML5Translator, node: nodes.math) -> None:
    writer.body.append(convert(latex(node.astext())))
    raise nodes.SkipNode


def _block(writer: HTML5Translator, node: nodes.math_block) -> None:
    writer.body.append(convert(latex(node.astext()), display="block"))
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, bool]:
    """Registers the renderer that ``html_math_renderer = "mathml"`` chooses."""
    app.add_html_math_renderer("mathml", (_inline, None), (_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
