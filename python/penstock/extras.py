"""Installation of the packages that only some commands need (extras)."""

from __future__ import annotations

import re


def advice(extra: str) -> str:
    """The command that installs the packages of an extra.

    It names the packages, because an extra can be installed only together with Penstock itself.

    >>> advice("search").startswith("pip install 'optuna")
    True
    """
    from importlib import metadata

    try:
        required = metadata.requires("penstock") or []
    except metadata.PackageNotFoundError:
        required = []
    of_extra = re.compile(rf"extra\s*==\s*['\"]{re.escape(extra)}['\"]")
    packages = [each.partition(";")[0].strip() for each in required if of_extra.search(each)]
    quoted = " ".join(f"'{package}'" for package in packages)
    return f"pip install {quoted}" if packages else f"the packages of the extra {extra}"
