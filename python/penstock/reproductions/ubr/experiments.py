"""Scenarios that only the claims need: single flows that lose segments at random."""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.reproductions.scenario_text import scenario_text
from penstock.reproductions.ubr.tcp import transport

if TYPE_CHECKING:
    from collections.abc import Mapping

    from penstock.reproductions.reading import Settings

LOSSES = {"1e-4": 0.0001, "3e-4": 0.0003, "1e-3": 0.001, "3e-3": 0.003}
"""Probabilities that a segment is lost, by name: from a hundred losses a run to where timeouts begin to matter."""
MSS = 1024
ROUND_TRIP = 0.1


def random_loss(name: str) -> str:
    """The name of the experiment with this loss."""
    return f"random-loss-{name}"


def experiments(settings: Settings) -> Mapping[str, str]:
    """A SACK flow alone on a link that is never full, for each probability of loss."""
    tcp = transport(settings, "sack1", mss=MSS, window=settings.text("window.satellite"))
    head: dict[str, object] = {"duration": "620 s", "warm-up": "20 s"}
    way = {"rate": "10 Gbit/s", "delay": "50 ms", "queue.tail-drop": {"limit": "100000 packets"}}
    found = {}
    for name, probability in LOSSES.items():
        blocks: list[tuple[str, dict[str, object]]] = [
            ("[nodes]", {"source": {}, "sink": {}}),
            ("[[links]]", {"from": "source", "to": "sink", **way, "impairment.loss": {"probability": probability}}),
            ("[[links]]", {"from": "sink", "to": "source", **way}),
            ("[[flows]]", {"name": "tcp", "from": "source", "to": "sink", "source.ftp": {}, "transport.tcp": tcp}),
            ("[[measure]]", {"metric": "goodput", "of": "tcp"}),
            ("[[measure]]", {"metric": "timeouts", "of": "tcp"}),
        ]
        found[random_loss(name)] = scenario_text(
            {"description": f"A SACK flow that loses {probability}", **head}, blocks
        )
    return found
