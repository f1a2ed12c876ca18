"""Classes of the components of a file, with which a network is built."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

from penstock.component import entries, made
from penstock.own.files import opened
from penstock.reference import with_file


def load(file: str | Path) -> SimpleNamespace:
    """Makes the classes of the components of a file, with which a `Network` is built.

    Parameters
    ----------
    file : str or Path
        The file; the attribute ``use`` of the network names it too.

    Returns
    -------
    SimpleNamespace
        The classes by the names that they have in the file, with the parameters as arguments. A metric has none: a
        measurement names it.

    Raises
    ------
    InputError
        If the file has mistakes.
    """
    everything = with_file(file)
    names = {(kind, entry["name"]): name for name, (kind, entry) in entries(everything).items()}
    components = [it for it in opened(Path(file)).components if (it.kind, it.key) in names]
    found = {it.cls.__name__: made(names[it.kind, it.key], everything) for it in components}
    return SimpleNamespace(**found)
