"""With the headroom that is computed, PAUSE and priority flow control lose nothing, whatever comes."""

from __future__ import annotations

import random

import pytest

import penstock as ps
from penstock import _core

RATES = ("1 Gbit/s", "10 Gbit/s", "25 Gbit/s", "100 Gbit/s", "400 Gbit/s")
DELAYS = ("1 ns", "100 ns", "1 us", "20 us")
PACKETS = (64, 300, 1500, 9000)


def scenario(draw: random.Random, headroom: int) -> str:
    """Three hosts at a switch, two receivers behind another one, and as much traffic as comes, both ways."""
    xoff = draw.randint(1, 20_000)
    by_class = draw.random() < 0.5
    pause = {
        "xoff": f"{xoff} bytes",
        "xon": f"{draw.randint(1, xoff)} bytes",
        "headroom": f"{headroom} bytes",
        "quanta": draw.choice((2_000, 65_535)),
        **({"classes": ["b", "a"]} if by_class else {}),
    }
    net = ps.Network()
    hosts, receivers = net.nodes("hosts", 3), net.nodes("receivers", 2)
    pool = draw.choice((9_000, 30_000, 200_000))
    latency = draw.choice(("0 s", "1 us"))
    s, t = (net.node(name, buffer=ps.Pool(size=f"{pool} bytes"), pause=pause) for name in "st")
    large = ps.TailDrop(limit="1000000 packets")
    classes = {name: {"quantum": "9000 bytes"} for name in "ab"}
    for a, b in ((hosts, s), (s, t), (t, receivers)):
        rate, delay = draw.choice(RATES), draw.choice(DELAYS)
        for begin, end in ((a, b), (b, a)):
            net.link(begin, end, rate=rate, delay=delay, queue=large, scheduler=ps.Drr(), classes=classes)
    for number in range(draw.randint(1, 6)):
        size = draw.choice(PACKETS)
        burst = ps.OnOff(packet=f"{size} bytes", spacing="50 ns", on="10 us", off="20 us")
        steady = ps.PoissonSource(rate="8 Gbit/s", packet=f"{size} bytes")
        source = draw.choice((burst, steady))
        ends = (f"hosts[{draw.randrange(3)}]", f"receivers[{draw.randrange(2)}]")
        for name, (begin, end), group in (("there", ends, "ab"), ("back", ends[::-1], "ba")):
            traffic_class = group[number % 2]
            net.flows(f"{name}{number}", begin, end, traffic_class=traffic_class, source=source)
    # Every scheduler wants to see its classes.
    for name in "ab":
        source = ps.PoissonSource(rate="1 Gbit/s", packet="300 bytes")
        net.flows(f"all{name}", "hosts", "receivers[0]", count=3, traffic_class=name, source=source)
        net.flows(f"rest{name}", "hosts[0]", "receivers[1]", traffic_class=name, source=source)
        net.flows(f"home{name}", "receivers[1]", "hosts", count=3, traffic_class=name, source=source)
        net.flows(f"base{name}", "receivers[0]", "hosts[0]", traffic_class=name, source=source)
    page = net.toml(duration="200 us")
    return page if latency == "0 s" else page.replace("\ns = { ", f'\ns = {{ latency = "{latency}", ', 1)


def needed(seed: int) -> int:
    built = _core.Scenario(scenario(random.Random(seed), 10**9), "lossless", [])
    return max(bytes_needed for _, _, bytes_needed, _ in built.headrooms)


def drops(text: str, seed: int) -> float:
    return _core.Scenario(text, "lossless", []).run(seed, 0).counters["drops"]


@pytest.mark.parametrize("seed", range(60))
def test_nothing_is_lost_with_the_headroom_that_is_needed(seed):
    least = needed(seed)
    assert drops(scenario(random.Random(seed), least), seed) == 0
    refused = _core.check(scenario(random.Random(seed), least - 1), "lossless", [])
    assert f"write at least {least} bytes" in refused[0]["message"]


def test_without_pauses_the_same_traffic_loses():
    pages = [scenario(random.Random(seed), 10**9) for seed in range(10)]

    def unpaused(line: str) -> str:
        return f"{line.split(', pause', maxsplit=1)[0]} }}" if ", pause" in line else line

    without = ["\n".join(map(unpaused, page.split("\n"))) for page in pages]
    assert sum(drops(page, 1) > 0 for page in without) >= 5
