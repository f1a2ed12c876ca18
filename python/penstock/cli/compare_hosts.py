"""``penstock compare-hosts``: Linux hosts next to simulated ones."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Annotated

from penstock.cli import options
from penstock.cli.console import say, show, table
from penstock.cli.emulate import MtuOption, SysctlOption, clear
from penstock.cli.files import emit_result, require_folder, write
from penstock.cli.studies import plan_of
from penstock.cli.verb import option
from penstock.emulation.comparison import Cell, Compared, Windows, cells_of, compare
from penstock.emulation.namespaces import read_settings
from penstock.parameter_columns import parameter_columns
from penstock.printable import json_text, printable, things
from penstock.unit_scale import scale

Result = tuple[Cell, list[Compared], list[Windows]]

_SERIES = ("time_ps", "place", "flow", "component", "variable", "unit", "value", "scenario", "settings", "replication")


def compare_hosts(
    file: options.StudyFile,
    *,
    runs: Annotated[
        int | None, options.runs_option("Pairs of runs. Default: as the study says, 3 for a scenario.")
    ] = None,
    mtu: MtuOption = 1500,
    sysctl: SysctlOption = None,
    seed: options.Seed = None,
    sets: options.Set = None,
    windows: Annotated[
        Path | None, option("--windows FILE", "Write congestion windows over time, as CSV for 'penstock plot'.")
    ] = None,
    output: options.Output = "table",
    out: Annotated[Path | None, option("--out -o FILE", "Write the results to a file, as JSON.")] = None,
) -> None:
    """Compare Linux hosts with simulated ones.

    At each point of a study there are pairs of runs: an emulation, in which iperf3 makes the TCP flows between real
    nodes, and a simulation of the scenario as it is. The numbers are from the simulated network, which counts the same
    way in both; goodput and windows of Linux are from ss. Needs root privileges and iperf3.
    """
    for each in (windows, out):
        if each is not None:
            require_folder(each, file)
    settings = read_settings(sysctl or ())
    plan = plan_of(file, options.read_sets(sets), seed=seed)
    number = runs or (plan.runs if plan.is_file else 3)
    cells = cells_of(plan, file, mtu)
    clear()
    seconds = sum(cell.simulated.window[1] for cell in cells)
    say(f"{things(len(cells), 'cell')} with {things(number, 'pair')} of runs. Takes {number * seconds:g} s.")
    found: list[Result] = []
    for i, cell in enumerate(cells, 1):
        name = f"cell {i} of {len(cells)}, " if len(cells) > 1 else ""
        found.append((cell, *compare(cell, number, mtu, settings, partial(_say, name))))
    if windows is not None:
        write(windows, _csv(file.stem, found).encode())
    if output == "json" or out is not None:
        shown = [{"parameters": cell.parameters, "rows": [row.json() for row in rows]} for cell, rows, _ in found]
        emit_result(json_text({"scenario": file.stem, "runs": number, "cells": shown}), out)
    if output == "table":
        _show(file.stem, found)


def _say(name: str, line: str) -> None:
    say(name + line)


def _csv(name: str, found: Sequence[Result]) -> str:
    """The windows as in 'penstock series', with the kind of hosts behind the scenario's name."""
    import polars as pl

    rows = []
    for cell, _, windows in found:
        settings = json_text(cell.parameters, indent=None)
        for of in windows:
            about = (f"{printable(name)} ({of.hosts})", settings, of.number)
            for each in of.samples:
                where = next(transfer.start for transfer in cell.transfers if transfer.name == each.group)
                state = (round(each.time * 1e12), where, each.flow, "tcp", "cwnd", "segments", float(each.window))
                rows.append((*state, *about))
    return pl.DataFrame(rows, _SERIES, orient="row").write_csv()


def _show(name: str, found: Sequence[Result]) -> None:
    paths = [*dict.fromkeys(path for cell, _, _ in found for path in cell.parameters)]
    parameters = parameter_columns([cell.parameters for cell, _, _ in found], paths)
    lines = []
    for cell, rows, _ in found:
        for row in rows:
            linux, simulated = row.intervals()
            shown = scale(row.metric, row.unit, [linux.mean, simulated.mean])
            relative = row.relative()
            share = "" if relative is None else f"{100 * relative:+.1f} %"
            numbers = (shown.text(linux), shown.text(simulated), shown.unit, share)
            lines.append((*parameters.cells(cell.parameters), row.metric, row.of, *numbers))
    columns = [*parameters.heads, "metric", "of", "Linux", "simulated", "unit", "difference"]
    show(table(f"{name}: Linux and simulated hosts", columns, lines, right=["Linux", "simulated", "difference"]))
    show(*parameters.notes)
