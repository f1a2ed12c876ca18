"""Why packets were dropped and marked, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

CAUSES: Mapping[str, tuple[str, str]] = {
    "overflow": ("because its queue was full", "queue"),
    "early": ("early, as its queue discipline decided (active queue management)", "queue"),
    "forced": ("because the average queue was above the discipline's maximum threshold", "queue"),
    "loss": ("on the wire: an impairment of the link lost it", "impairment"),
    "policed": ("because it exceeded the profile of the policer", "policer"),
    "buffer": ("because the buffer that the ports of the switch share had no room for it", ""),
    "limiter": ("because the queue of the station's rate limiter was full", ""),
    "headroom": ("because the headroom of the paused ingress link and the shared buffer had no room for it", ""),
    "partial": ("because another cell of its frame had already been lost", "queue"),
    "filtered": ("because a later acknowledgement of its flow in the queue made it redundant", "scheduler"),
    "discipline": ("with CE (congestion experienced), as its queue discipline decided", "queue"),
    "pcn-meter": ("with a PCN mark, as the rate meter of the port decided", "pcn"),
}
"""For each cause: the end of "Link r1-r2 dropped the packet ...", and the section of the port that decided."""
