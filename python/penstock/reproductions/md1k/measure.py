"""From one run to the column of a printed row."""

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
