"""Files of other simulators that are not read; messages have the command that converts them."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import NoReturn

from penstock.errors import InputError


def refuse_htsim_topology(text: str, shown: str) -> NoReturn:
    """Refuses a topology of htsim, which describes a fat tree or a leaf-spine network by numbers.

    The InputError has the command that generates the same network, if there is one.
    """
    tiers: list[dict[str, str]] = [{}]
    for line in text.splitlines():
        key, _, value = line.partition("#")[0].strip().partition(" ")
        if key.lower() == "tier":
            tiers.append({})
        elif key:
            tiers[-1][key.lower()] = value.strip()
    settings = _settings(*tiers)
    is_one = f"{shown}: is a topology of htsim, which is generated here"
    if settings is None:
        raise InputError(
            f"{is_one}; its numbers are none of a fat tree or a leaf-spine network with one rate and delay a tier, so "
            "build it with penstock.Network in Python."
        )
    raise InputError(f"{is_one}: penstock new FILE --topology {settings}")


def _settings(top: dict[str, str], *tiers: dict[str, str]) -> str | None:
    """Topology and settings for the command line; None if it is neither a fat tree nor a leaf-spine network."""
    number = re.compile(r"\d{1,9}")
    if any(number.fullmatch(tier.get("radix_down", "")) is None for tier in tiers) or len(tiers) not in {2, 3}:
        return None
    if number.fullmatch(top.get("nodes", "")) is None or any(tier.get("bundle", "1") != "1" for tier in tiers):
        return None
    hosts, nodes = int(tiers[0]["radix_down"]), int(top["nodes"])
    up = tiers[0].get("radix_up", str(hosts))
    if len(tiers) == 3:
        ports = 2 * hosts
        full = nodes * 4 == ports**3 and all(tier.get("radix_up", str(hosts)) == str(hosts) for tier in tiers[:2])
        shape = f"fat-tree --set ports={ports}" if full else None
    else:
        full = number.fullmatch(up) is not None and hosts > 0 and nodes % hosts == 0
        shape = f"leaf-spine --set leaves={nodes // hosts} --set spines={up} --set hosts={hosts}" if full else None
    speeds = [tier.get("downlink_speed_gbps", "") for tier in tiers]
    delays = [tier.get("downlink_latency_ns", "") for tier in tiers]
    if shape is None or len(set(speeds[1:])) > 1 or len(set(delays[1:])) > 1 or "" in {*speeds, *delays}:
        return None
    try:
        latency = [str(Fraction(delay)) for delay in delays]
    except ValueError:
        return None
    host = f" --set host-rate='{speeds[0]} Gbit/s'" if speeds[0] != speeds[1] else ""
    host += f" --set host-delay='{latency[0]} ns'" if latency[0] != latency[1] else ""
    return f"{shape} --set rate='{speeds[1]} Gbit/s' --set delay='{latency[1]} ns'{host}"


def refuse_traffic(shown: str) -> NoReturn:
    """Refuses a list of transfers, which is no network."""
    raise InputError(
        f"{shown}: lists transfers, not links; name it as the file of [[transfers]] in a scenario, and "
        "'penstock check' tells the line that converts it."
    )
