"""Makes the study of a package from its ``document.toml``."""

from collections.abc import Mapping
from importlib import resources
from typing import Any

from penstock.reproductions.document import Document
from penstock.reproductions.evidence import ClaimTest
from penstock.reproductions.loading import DATA
from penstock.reproductions.statements import Facts, Numbers, StatedTest
from penstock.reproductions.study import Study


def packaged(
    package: str,
    *,
    numbers: Numbers | None = None,
    others: Mapping[str, ClaimTest] | None = None,
    facts: Mapping[str, Facts] | None = None,
    **parts: Any,
) -> Study:
    """The study of a package with a ``document.toml``; `parts` are other fields of :class:`Study`.

    `numbers` are the study's own names in statements of claims, `others` the tests of claims that no statements can
    test, and `facts` more words for the evidence of some claims.
    """
    document = Document.parse(resources.files(package).joinpath(DATA).read_text(encoding="utf-8"))
    more = facts or {}
    stated = {claim.id: StatedTest(document, claim, numbers or {}, more.get(claim.id)) for claim in document.claims}
    return Study(document, claims={**stated, **(others or {})}, **parts)
