"""A published study from Python: its numbers next to the printed ones, as a Polars frame."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from penstock.reproductions.comparison import compare
from penstock.reproductions.loading import load
from penstock.reproductions.reading import Readings
from penstock.reproductions.reproduce import reproduce as run
from penstock.store import Store
from penstock.studies.runner import Runner

if TYPE_CHECKING:
    import polars as pl


def reproduce(
    study: str,
    tables: Sequence[str] = (),
    readings: Mapping[str, str] | None = None,
    *,
    runs: int | None = None,
    jobs: int | None = None,
    store: Store | None = None,
) -> pl.DataFrame:
    """Runs a published study again, as ``penstock reproduce`` does.

    Parameters
    ----------
    study : str
        Its name, such as ``af``, or the path of a folder of one's own.
    tables : sequence of str
        Which tables; all if empty.
    readings : mapping of str to str, optional
        Open questions that are answered otherwise, such as ``{"af-a07": "one-ack"}``.
    runs : int, optional
        How often each row is run; the study's own number if left out.
    jobs : int, optional
        How many runs at the same time; as many as there are cores if left out.
    store : Store, optional
        Where finished runs are kept; the default folder if left out.

    Returns
    -------
    polars.DataFrame
        A row for each printed number: ``document``, ``table``, the key columns of all tables (null where a table
        has none of the name), ``column``, ``unit``, ``published``, ``mean``, ``ci_low``, ``ci_high``
        (95 %, null below two runs), ``runs``, ``verdict`` and ``note``.

    Raises
    ------
    InputError
        If there is no such study, table, question or answer.
    RunsFailed
        If some runs failed; the others are kept.
    """
    import polars as pl

    found = load(study)
    answers, count = Readings(found.document, readings), found.runs if runs is None else runs
    outcome = run(found, tables, answers, count, Runner(jobs=jobs, store=store if store is not None else Store()))
    numbers = [comparison.as_json() for comparison in compare(found.document, outcome)]
    keys = list(dict.fromkeys(name for number in numbers for name in number["row"]))
    rows = [
        {
            "document": number["document"],
            "table": number["table"],
            **{key: number["row"].get(key) for key in keys},
            **{name: value for name, value in number.items() if name not in ("document", "table", "row")},
        }
        for number in numbers
    ]
    return pl.DataFrame(rows, strict=False, infer_schema_length=None)
