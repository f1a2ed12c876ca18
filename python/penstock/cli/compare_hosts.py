"""``penstock compare-hosts``: Linux hosts next to simulated ones."""

from typing import TYPE_CHECKING, Annotated

from penstock.cli.emulate import MtuOption
from penstock.cli.options import FormatOption, OneSetOption, ScenarioArgument, SeedOption, read_sets, runs_option

if TYPE_CHECKING:
    from collections.abc import Sequence

    from penstock.emulation.comparison import Compared

__all__ = ["compare_hosts"]


def compare_hosts(
    file: ScenarioArgument,
    *,
    runs: Annotated[int, runs_option("Pairs of runs, 3 by default.")] = 3,
    mtu: MtuOption = 1500,
    seed: SeedOption = None,
    sets: OneSetOption = None,
    output: FormatOption = "table",
) -> None:
    """Compare Linux hosts with simulated ones.

    Each pair is an emulation, in which iperf3 makes the TCP flows between real nodes, and a simulation of the scenario
    as it is. The numbers are from the simulated network, which counts the same way in both; goodput of Linux is from
    iperf3. Needs the rights of root, and iperf3.
    """
    from penstock import _core
    from penstock.cli.console import emit, say
    from penstock.cli.files import read_text
    from penstock.emulation.comparison import compare, transfers_of
    from penstock.emulation.making import check
    from penstock.emulation.opened import opened
    from penstock.printable import json_text, utf8

    text, settings = read_text(file), read_sets(sets)
    found = opened(file, text, settings, seed=seed, mtu=mtu)
    transfers = transfers_of(file, text, found)
    check(found)
    simulated = _core.Scenario(text, utf8(str(file)), list(settings), str(file.parent))
    rows = compare(found, simulated, transfers, runs, mtu, say)
    if output == "json":
        emit(json_text({"scenario": file.stem, "runs": runs, "rows": [row.json() for row in rows]}))
    else:
        _show(file.stem, rows)


def _show(name: str, rows: "Sequence[Compared]") -> None:
    from penstock.cli.console import show, table
    from penstock.unit_scale import scale

    lines = []
    for row in rows:
        linux, simulated = row.intervals()
        shown = scale(row.metric, row.unit, [linux.mean, simulated.mean])
        relative = row.relative()
        share = "" if relative is None else f"{100 * relative:+.1f} %"
        lines.append((row.metric, row.of, shown.text(linux), shown.text(simulated), shown.unit, share))
    columns = ["metric", "of", "Linux", "simulated", "unit", "difference"]
    show(table(f"{name}: Linux and simulated hosts", columns, lines, right=["Linux", "simulated", "difference"]))
