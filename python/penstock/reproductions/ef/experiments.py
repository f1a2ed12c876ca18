"""Scenarios that only the claims need."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from penstock.reproductions.ef.case import BEST_EFFORT, CAPPED, LONG, PQ, SHORT, WRR, Case
from penstock.reproductions.ef.scenario import jitter_page

if TYPE_CHECKING:
    from collections.abc import Mapping

    from penstock.reproductions.reading import Settings

SIZES = (LONG, SHORT)
SCHEDULERS = (PQ, CAPPED, BEST_EFFORT)
RATIOS = (1.00, 1.06)
"""Service-to-arrival ratios of ef-c08."""
LENGTHS = {"short": "320 s", "long": "1280 s"}


def most_flows(size: int | str) -> str:
    """The experiment with as many EF flows as the text has at most, which table 1 leaves out, by the target's bytes."""
    return f"most-flows-{size}"


def experiments(settings: Settings) -> Mapping[str, str]:
    """Ratio 1, EF sources without long packets, capped EF, EF as best effort, 36 EF flows."""
    flows, queues = settings["table_2.ef_flows"], settings["table_2.queue_count"]
    usual = Case(WRR, flows, SHORT, settings["wrr.minimum_service_to_arrival_ratio"], queues)
    pages = {}
    for ratio in RATIOS:
        for name, duration in LENGTHS.items():
            case = replace(usual, ratio=ratio, background="udp", duration=duration)
            pages[f"ratio-{ratio:.2f}-{name}"] = jitter_page(settings, case)
    pages["mixed"] = jitter_page(settings, usual)
    pages["only-short"] = jitter_page(settings, replace(usual, only_short=True))
    for scheduler in SCHEDULERS:
        for size in SIZES:
            case = replace(usual, scheduler=scheduler, target=size)
            pages[f"{scheduler}-{size}"] = jitter_page(settings, case)
    most, many = settings["table_1.ef_flows_max_in_text"], settings["wrr.queues_of_table_1"]
    for size in SIZES:
        case = Case(WRR, most, size, settings["wrr.ratio_of_table_1"], many)
        pages[most_flows(size)] = jitter_page(settings, case)
    return pages
