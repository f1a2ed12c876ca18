"""From one run to the column of a printed row; a null model with exponential instead of constant service times."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from penstock.reproductions.reading import Settings
    from penstock.reproductions.tables import Row, Table
    from penstock.running import RunResult


def measure(settings: Settings, table: Table, row: Row, results: Mapping[str, RunResult]) -> Mapping[str, float]:
    """``loss``, in percent of the packets that arrive, and ``packets``, the mean number in the system."""
    del settings, table, row
    (result,) = results.values()
    values = {metric.name: metric.value for metric in result.metrics}
    return {"loss": 100 * values["loss"], "packets": values["in-system"]}


def exponential_service(settings: Settings, table: Table, row: Row) -> Mapping[str, float]:
    """Loss in percent of M/M/1/K with one place more than there are buffers, and the mean number in M/M/1."""
    del settings
    load = float(row.key["load"])
    if table.id == "2":
        return {"packets": load / (1 - load)}
    places = int(row.key["buffers"]) + 1
    return {"loss": 100 * (1 - load) * load**places / (1 - load ** (places + 1))}


NULLS = {"m-m-1": exponential_service}
